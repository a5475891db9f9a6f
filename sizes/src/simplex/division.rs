//! Branching if the present solution is not integral: finds a form by which to divide the integer points, so that the search
//! ends.

use rustc_hash::FxHashMap;

use super::{Simplex, Stopped};
use crate::form::{Form, Variable};
use crate::lattice::{Lattice, lattice};
use crate::number::{Int, Overflow, add, subtract};
use crate::rational::Rational;

/// The integers between two numbers.
enum Range {
    /// Only this one, which is both of the numbers.
    One(Int),
    /// At most one, where one of the numbers is not an integer. No integer between them is below this one, or none is at or
    /// above it.
    Rounded(Int),
    /// More than one: the difference of the last and the first, and one in the middle that is not the last.
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
            (Some(_), None) => Range::Rounded(first + 1),
            _ => Range::Rounded(first),
        })
    }
}

impl Simplex {
    /// A form by which to branch if the present solution is not integral: it is negative at some integer points and not negative at
    /// the others. `None` if the values of all variables are integers.
    ///
    /// If the equations among the inequalities have no common integer point, both branches are refuted at once. Halving the ranges
    /// of variables alone need not terminate if they are unbounded. With `thorough` the number of divisions is finite: a division
    /// halves the range of a form that the inequalities bound on both sides, as long as one has more than one value. When there is
    /// none left, the solutions are unbounded in all remaining directions, so some of them are integral.
    ///
    /// # Errors
    /// When the work is used up or a number is too large.
    pub fn division(&mut self, thorough: bool) -> Result<Option<Form>, Stopped> {
        let mut variables: Vec<Variable> = self.structural.keys().copied().collect();
        variables.sort_unstable();
        // Computing ranges changes the present solution, so it is stored first.
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
            // Numbers that are too large for this may still be small enough for the rest.
            Err(Overflow) => Vec::new(),
        };
        // Among forms of the same width the first is taken.
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

    /// The forms that have a bound, with their columns.
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
