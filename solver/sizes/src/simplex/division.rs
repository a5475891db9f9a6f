//! The branching on a solution that is not integral: a form by which to divide the integer points, so that the search
//! ends.

use rustc_hash::FxHashMap;

use super::{Simplex, Stopped};
use crate::form::{Form, Variable};
use crate::lattice::{Lattice, lattice};
use crate::number::{Int, Overflow, add, subtract};
use crate::rational::Rational;

/// The integers between two numbers.
#[derive(Debug, PartialEq, Eq)]
enum Range {
    /// One integer, which is both of the numbers.
    One(Int),
    /// No more than one integer, because one of the two numbers is not an integer itself. No integer between them is
    /// below this one, or none is at or above it.
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
    /// Returns a form by which to branch if the present solution is not integral: it is negative at some integer points
    /// and not negative at the others. `None` if the values of all variables are integers.
    ///
    /// If the equations among the inequalities have no common integer point, both branches are refuted at once. Halving
    /// the ranges of variables alone need not terminate if they are unbounded. With `thorough` the number of divisions
    /// is finite: a division halves the range of a form that the inequalities bound on both sides, as long as one has
    /// more than one value. When there is none left, the solutions are unbounded in all remaining directions, so some
    /// of them are integral.
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

    /// Returns the forms that have a bound, with their columns.
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

    /// Returns the bounds of a column, if it has both.
    fn stated_range(&self, column: u32) -> Option<[Rational; 2]> {
        match self.columns[column as usize].bounds {
            [Some(lower), Some(upper)] => {
                Some([lower, upper].map(|bound| Rational::integer(bound.value)))
            }
            _ => None,
        }
    }

    /// Returns the least and the greatest value of a form in common solutions, if it has both.
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

#[cfg(test)]
mod tests {
    use super::*;

    const X: Variable = Variable(0);
    const Y: Variable = Variable(1);

    fn form(x: Int, y: Int, constant: Int) -> Form {
        let form = Form::constant(constant).plus(x, &Form::variable(X));
        let form = form.and_then(|form| form.plus(y, &Form::variable(Y)));
        form.expect("small")
    }

    /// Returns the inequalities, after a rational solution was found.
    fn solved(inequalities: &[Form]) -> Simplex {
        let mut simplex = Simplex::new(1 << 16);
        for (inequality, number) in inequalities.iter().zip(0..) {
            assert_eq!(simplex.assert(inequality, number), Ok(None));
        }
        assert_eq!(simplex.check(), Ok(None));
        simplex
    }

    /// Tells whether a division leaves nothing on either side.
    fn is_final(simplex: &mut Simplex, division: &Form) -> bool {
        let other = form(0, 0, -1).plus(-1, division).expect("small");
        [division, &other].into_iter().all(|side| {
            simplex.push();
            let asserted = simplex.assert(side, 9).expect("little work").is_some();
            let refuted = asserted || simplex.check().expect("little work").is_some();
            simplex.pop();
            refuted
        })
    }

    #[test]
    fn ranges_are_told_by_the_integers_in_them() {
        let of = |least: (Int, Int), greatest: (Int, Int)| {
            let ends = [least, greatest].map(|(number, over)| Rational::ratio(number, over));
            Range::of(ends).expect("small")
        };
        let wide = |width, middle| Range::Wide { width, middle };
        assert_eq!(of((0, 1), (10, 1)), wide(10, 5));
        assert_eq!(of((1, 2), (5, 2)), wide(1, 1));
        assert_eq!(of((3, 1), (3, 1)), Range::One(3));
        // The first integer that is not between them, or the one that is.
        assert_eq!(of((3, 1), (7, 2)), Range::Rounded(4));
        assert_eq!(of((5, 2), (3, 1)), Range::Rounded(3));
        assert_eq!(of((5, 2), (7, 2)), Range::Rounded(3));
        assert_eq!(of((1, 3), (2, 3)), Range::Rounded(1));
    }

    #[test]
    fn equations_without_an_integer_point_are_refuted_by_one_division() {
        // x + y = 5 and x - y = 2.
        let sides = [
            form(1, 1, -5),
            form(-1, -1, 5),
            form(1, -1, -2),
            form(-1, 1, 2),
        ];
        for thorough in [false, true] {
            let mut simplex = solved(&sides);
            let before = simplex.work;
            let division = simplex.division(thorough).expect("little work");
            let division = division.expect("7/2 is no integer");
            // Two equations of two terms, and one unit.
            assert!(thorough || before - simplex.work == 4 * 2 + 1);
            assert!(is_final(&mut simplex, &division), "{division:?}");
        }
    }

    #[test]
    fn a_range_without_an_integer_is_refuted_by_one_division() {
        // 2·x = y and y = 5, where x is at least 0.
        let sides = [
            form(1, 0, 0),
            form(2, -1, 0),
            form(-2, 1, 0),
            form(0, 1, -5),
            form(0, -1, 5),
        ];
        let mut simplex = solved(&sides);
        let division = simplex.division(true).expect("little work");
        let division = division.expect("5/2 is no integer");
        assert_eq!(division, form(1, 0, -3));
        assert!(is_final(&mut simplex, &division));
    }

    #[test]
    fn the_narrowest_range_is_halved_if_a_division_is_thorough() {
        // 13 ≤ 3·x + 5·y ≤ 14, where x and y are at least 0 and at most 9.
        let sides = [
            form(1, 0, 0),
            form(-1, 0, 9),
            form(0, 1, 0),
            form(0, -1, 9),
            form(3, 5, -13),
            form(-3, -5, 14),
        ];
        let mut simplex = solved(&sides);
        assert_eq!(simplex.division(true), Ok(Some(form(3, 5, -14))));
        // Otherwise the first variable that is no integer is rounded.
        let mut simplex = solved(&[form(1, 0, 0), form(0, 1, 0), form(2, 3, -7)]);
        assert_eq!(simplex.value(X), Rational::ratio(7, 2));
        assert_eq!(simplex.division(false), Ok(Some(form(1, 0, -4))));
    }

    #[test]
    fn integers_need_no_division() {
        let mut simplex = solved(&[form(1, 0, -2), form(0, 1, -3)]);
        assert_eq!(simplex.division(false), Ok(None));
        assert_eq!(simplex.division(true), Ok(None));
    }
}
