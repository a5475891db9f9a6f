//! Where the present solution is no integer point: a form by which the integer points are divided, so that branching on it
//! comes to an end.

use rustc_hash::FxHashMap;

use super::{Simplex, Stopped};
use crate::form::{Form, Variable};
use crate::lattice::{Lattice, lattice};
use crate::number::{Int, Overflow, add, subtract};
use crate::rational::Rational;

/// The integers between two numbers.
enum Range {
    /// Both numbers are that integer.
    One(Int),
    /// At most one, and one of the numbers is none. Nothing below this integer is between them, or nothing from it on.
    Rounded(Int),
    /// More than one: by how much the last exceeds the first, and one in the middle that is not the last.
    Wide { width: Int, middle: Int },
}

impl Range {
    fn of([least, greatest]: [Rational; 2]) -> Result<Range, Overflow> {
        let (first, last) = (least.ceil(), greatest.floor());
        let width = subtract(last, first)?;
        Ok(match (least.as_integer(), greatest.as_integer()) {
            _ if width > 0 => Range::Wide {
                width,
                middle: add(first, width / 2)?,
            },
            (Some(value), Some(_)) => Range::One(value),
            (Some(_), None) if width == 0 => Range::Rounded(first + 1),
            _ => Range::Rounded(first),
        })
    }
}

impl Simplex {
    /// A form that divides the integer points, where the present solution is none: those at which it is negative, and the others.
    /// `None` where the values of all variables are integers.
    ///
    /// Where the equations among the inequalities have no common integer point, both parts are refuted at once. Halving the
    /// values of variables alone need not come to an end where these have no bounds. A `thorough` division is one of a finite number: it
    /// halves the values of a form that the inequalities bound on both sides, while there is one with more than one value. Where
    /// there is none left, the solutions go on without an end in all directions that are left, so that some of them are integers.
    ///
    /// # Errors
    /// When the work is done or a number is too large.
    pub fn division(&mut self, thorough: bool) -> Result<Option<Form>, Stopped> {
        let mut variables: Vec<Variable> = self.structural.keys().copied().collect();
        variables.sort_unstable();
        // Looking for ranges moves the present solution.
        let point: FxHashMap<Variable, Rational> = variables
            .iter()
            .map(|variable| (*variable, self.value(*variable)))
            .collect();
        let is_open = |variable: &&Variable| point[*variable].as_integer().is_none();
        let Some(first) = variables.iter().find(is_open) else {
            return Ok(None);
        };
        let (mut equations, mut wide) = (Vec::new(), Vec::new());
        for (column, form) in self.asserted() {
            let range = match thorough {
                true => self.range(&form)?,
                false => self.stated_range(column),
            };
            match range.map(Range::of).transpose()? {
                None => {}
                Some(Range::One(value)) => equations.push(form.shifted(-value)?),
                Some(Range::Rounded(above)) => return Ok(Some(form.shifted(-above)?)),
                Some(Range::Wide { width, middle }) => wide.push((width, form, middle)),
            }
        }
        let terms: usize = equations.iter().map(Form::len).sum();
        self.spend(terms * equations.len())?;
        let coordinates = match lattice(&equations) {
            Ok(Lattice::Empty { form, below }) => return Ok(Some(form.shifted(-below - 1)?)),
            Ok(Lattice::Coordinates(coordinates)) => coordinates,
            // Numbers too large for that may be small enough for what follows.
            Err(Overflow) => Vec::new(),
        };
        // Of forms of one width the first is taken.
        let narrowest = wide.into_iter().min_by_key(|(width, ..)| *width);
        if let Some((_, form, middle)) = narrowest.filter(|_| thorough) {
            return Ok(Some(form.shifted(-middle - 1)?));
        }
        for form in coordinates.into_iter().chain([Form::variable(*first)]) {
            let mut value = Rational::integer(form.constant);
            for (variable, factor) in form.terms() {
                value = value.plus(*factor, 1, point[variable])?;
            }
            if value.as_integer().is_none() {
                return Ok(Some(form.shifted(-value.ceil())?));
            }
        }
        Ok(None)
    }

    /// The forms that have a bound, by their columns.
    fn asserted(&self) -> Vec<(u32, Form)> {
        let forms = self.by_form.iter().map(|(form, column)| (*column, form));
        let has_bound = |column: u32| {
            self.columns[column as usize]
                .bounds
                .iter()
                .any(Option::is_some)
        };
        let mut forms: Vec<(u32, &Form)> = forms.filter(|(column, _)| has_bound(*column)).collect();
        forms.sort_unstable_by_key(|(column, _)| *column);
        forms
            .into_iter()
            .map(|(column, form)| (column, form.clone()))
            .collect()
    }

    /// The bounds of a column, if it has both.
    fn stated_range(&self, column: u32) -> Option<[Rational; 2]> {
        match self.columns[column as usize].bounds {
            [Some(lower), Some(upper)] => {
                Some([lower, upper].map(|bound| Rational::integer(bound.value)))
            }
            _ => None,
        }
    }

    /// The least and the greatest value of a form in common solutions, if it has both.
    fn range(&mut self, form: &Form) -> Result<Option<[Rational; 2]>, Stopped> {
        let Some(greatest) = self.minimise(&form.scaled(-1)?)? else {
            return Ok(None);
        };
        let Some(least) = self.minimise(form)? else {
            return Ok(None);
        };
        Ok(Some([least, Rational::ZERO.minus(greatest)?]))
    }
}
