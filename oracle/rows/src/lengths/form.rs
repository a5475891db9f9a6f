//! Linear forms over the lengths of rows, and the formulas that are made of them.
//!
//! They are plain data, so that the same formula can be put to Z3 and evaluated at given lengths.

use std::collections::BTreeMap;
use std::ops::{Add, Mul, Sub};

/// The lengths of the leading and the trailing flanks of all row variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point(pub Vec<[i64; 2]>);

impl Point {
    pub fn leading(&self, row: u32) -> i64 {
        self.0[row as usize][0]
    }

    pub fn trailing(&self, row: u32) -> i64 {
        self.0[row as usize][1]
    }

    pub fn rank(&self, row: u32) -> i64 {
        self.leading(row) + self.trailing(row)
    }
}

/// A number that a form may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unknown {
    /// `X` of the row variable with this number.
    Leading(u32),
    /// The rank of the row variable with this number.
    Rank(u32),
    /// The count with this number, of the condition in which the form stands.
    Count(u32),
}

/// A linear form with integer coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    constant: i64,
    terms: BTreeMap<Unknown, i64>,
}

impl Form {
    /// Returns a number.
    pub fn number(constant: i64) -> Form {
        Form {
            constant,
            terms: BTreeMap::new(),
        }
    }

    /// Returns the number of axes of a list.
    pub fn length_of<T>(axes: &[T]) -> Form {
        Form::number(axes.len() as i64)
    }

    pub fn of(unknown: Unknown) -> Form {
        Form {
            constant: 0,
            terms: BTreeMap::from([(unknown, 1)]),
        }
    }

    /// Returns the value, if it does not depend on anything.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    fn value(&self, at: &Point, counts: &[i64]) -> i64 {
        let terms = self.terms.iter();
        let terms = terms.map(|(unknown, factor)| factor * unknown.value(at, counts));
        self.constant + terms.sum::<i64>()
    }

    /// Returns the part that does not depend on anything.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// Returns the numbers on which the form depends, with their factors.
    pub fn terms(&self) -> impl Iterator<Item = (Unknown, i64)> {
        self.terms
            .iter()
            .map(|(unknown, factor)| (*unknown, *factor))
    }
}

impl Unknown {
    fn value(self, at: &Point, counts: &[i64]) -> i64 {
        match self {
            Unknown::Leading(row) => at.leading(row),
            Unknown::Rank(row) => at.rank(row),
            Unknown::Count(number) => counts[number as usize],
        }
    }
}

impl Add<&Form> for Form {
    type Output = Form;

    fn add(mut self, other: &Form) -> Form {
        self.constant += other.constant;
        for (unknown, factor) in &other.terms {
            let sum = self.terms.entry(*unknown).or_default();
            *sum += factor;
            if *sum == 0 {
                self.terms.remove(unknown);
            }
        }
        self
    }
}

impl Sub<&Form> for Form {
    type Output = Form;

    fn sub(self, other: &Form) -> Form {
        self + &(other.clone() * -1)
    }
}

impl Mul<i64> for Form {
    type Output = Form;

    fn mul(mut self, factor: i64) -> Form {
        self.constant *= factor;
        self.terms.values_mut().for_each(|term| *term *= factor);
        self.terms.retain(|_, term| *term != 0);
        self
    }
}

impl Add<i64> for Form {
    type Output = Form;

    fn add(mut self, number: i64) -> Form {
        self.constant += number;
        self
    }
}

/// A formula about forms.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    /// The form is at least 0.
    Natural(Form),
    /// The form is 0.
    Zero(Form),
    /// The first form, a count, is at most 0, or the second one is at least 0.
    NoneOr(Form, Form),
}

impl Formula {
    /// Tells whether it is true whatever the lengths are, as far as the formula itself shows.
    pub fn is_trivial(&self) -> bool {
        match self {
            Formula::Natural(form) => form.as_number().is_some_and(|number| number >= 0),
            Formula::Zero(form) => form.as_number() == Some(0),
            Formula::NoneOr(count, form) => {
                count.as_number().is_some_and(|number| number <= 0)
                    || form.as_number().is_some_and(|number| number >= 0)
            }
        }
    }

    /// Tells whether it holds at the lengths, for these counts.
    pub fn holds(&self, at: &Point, counts: &[i64]) -> bool {
        match self {
            Formula::Natural(form) => form.value(at, counts) >= 0,
            Formula::Zero(form) => form.value(at, counts) == 0,
            Formula::NoneOr(count, form) => {
                count.value(at, counts) <= 0 || form.value(at, counts) >= 0
            }
        }
    }
}

/// A whole number that lengths determine: the form divided by the divisor, rounded down.
#[derive(Clone, Debug)]
pub(super) struct Quotient {
    pub form: Form,
    pub divisor: i64,
}

/// A condition on lengths: all the formulas hold, for the counts that the lengths determine.
#[derive(Clone, Debug, Default)]
pub(super) struct Condition {
    counts: Vec<Quotient>,
    formulas: Vec<Formula>,
}

impl Condition {
    /// Returns the form divided by the positive divisor, rounded down: a new count, unless it is the form itself.
    pub fn quotient(&mut self, form: Form, divisor: i64) -> Form {
        if divisor == 1 {
            return form;
        }
        let number = self.counts.len() as u32;
        self.counts.push(Quotient { form, divisor });
        Form::of(Unknown::Count(number))
    }

    /// Adds a formula.
    pub fn require(&mut self, formula: Formula) {
        if !formula.is_trivial() {
            self.formulas.push(formula);
        }
    }

    /// Returns the value of a form at the given lengths.
    pub fn value(&self, form: &Form, at: &Point) -> i64 {
        form.value(at, &self.counted(at))
    }

    fn counted(&self, at: &Point) -> Vec<i64> {
        let mut counts = Vec::new();
        for Quotient { form, divisor } in &self.counts {
            let count = form.value(at, &counts).div_euclid(*divisor);
            counts.push(count);
        }
        counts
    }

    /// Tells whether the condition holds at the given lengths.
    pub fn holds(&self, at: &Point) -> bool {
        let counts = self.counted(at);
        self.formulas.iter().all(|part| part.holds(at, &counts))
    }

    /// Returns the counts, each of which may depend on those before it.
    pub fn counts(&self) -> &[Quotient] {
        &self.counts
    }

    /// Returns the formulas, all of which have to hold.
    pub fn formulas(&self) -> &[Formula] {
        &self.formulas
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flanks of 2 and 3 axes, and of 1 and 4.
    fn point() -> Point {
        Point(vec![[2, 3], [1, 4]])
    }

    fn leading() -> Form {
        Form::of(Unknown::Leading(0))
    }

    fn rank() -> Form {
        Form::of(Unknown::Rank(1))
    }

    #[test]
    fn forms_are_calculated_with_like_the_numbers_that_they_stand_for() {
        let at = |form: Form| Condition::default().value(&form, &point());
        assert_eq!(at(Form::number(7)), 7);
        assert_eq!((at(leading()), at(rank())), (2, 5));
        assert_eq!(at(Form::of(Unknown::Leading(1))), 1);
        assert_eq!(at(Form::of(Unknown::Rank(0))), 5);
        let sum = leading() * 3 + 4 + &(rank() + 1);
        assert_eq!(at(sum.clone()), 10 + 6);
        assert_eq!(at(sum.clone() * -2), -32);
        assert_eq!(at(sum.clone() - &(rank() * 2)), 16 - 10);
        assert_eq!(sum.constant(), 5);
        let terms: Vec<(Unknown, i64)> = sum.terms().collect();
        assert_eq!(terms, [(Unknown::Leading(0), 3), (Unknown::Rank(1), 1)]);
        assert_eq!(Form::length_of(&["a", "b"]), Form::number(2));
    }

    #[test]
    fn what_cancels_is_not_depended_on() {
        assert_eq!(leading().as_number(), None);
        assert_eq!(Form::number(-3).as_number(), Some(-3));
        let left = leading() + &rank() + 2 - &leading();
        assert_eq!(left, rank() + 2);
        assert_eq!((left - &rank()).as_number(), Some(2));
        let times = |factor: i64| leading() * factor;
        assert_eq!(times(0).as_number(), Some(0));
    }

    /// Each formula, whether it shows by itself that it is true, and whether it holds for the lengths above.
    #[test]
    fn formulas_are_read_as_they_are_named() {
        let number = Form::number;
        let less = |form: Form, by: i64| form + -by;
        for (formula, trivial, holds) in [
            (Formula::Natural(number(0)), true, true),
            (Formula::Natural(number(-1)), false, false),
            (Formula::Natural(less(leading(), 2)), false, true),
            (Formula::Natural(less(leading(), 3)), false, false),
            (Formula::Zero(number(0)), true, true),
            (Formula::Zero(number(1)), false, false),
            (Formula::Zero(less(rank(), 5)), false, true),
            (Formula::Zero(less(rank(), 4)), false, false),
            (Formula::NoneOr(number(0), number(-1)), true, true),
            (Formula::NoneOr(number(1), number(0)), true, true),
            (Formula::NoneOr(number(1), number(-1)), false, false),
            (Formula::NoneOr(leading(), number(0)), true, true),
            (Formula::NoneOr(less(leading(), 2), number(-1)), false, true),
            (
                Formula::NoneOr(less(leading(), 1), number(-1)),
                false,
                false,
            ),
            (Formula::NoneOr(number(1), less(leading(), 2)), false, true),
        ] {
            assert_eq!(formula.is_trivial(), trivial, "{formula:?}");
            assert_eq!(formula.holds(&point(), &[]), holds, "{formula:?}");
            let mut condition = Condition::default();
            condition.require(formula);
            assert_eq!(condition.formulas().is_empty(), trivial);
            assert_eq!(condition.holds(&point()), holds);
        }
    }

    #[test]
    fn a_quotient_is_rounded_down_and_may_depend_on_another_one() {
        let mut condition = Condition::default();
        assert_eq!(condition.quotient(rank(), 1), rank());
        assert!(condition.counts().is_empty());
        let half = condition.quotient(rank(), 2);
        let less = condition.quotient(half.clone() * -1, 4);
        assert_eq!(condition.counts().len(), 2);
        assert_eq!(condition.value(&half, &point()), 2);
        assert_eq!(condition.value(&less, &point()), -1);
        condition.require(Formula::Zero(half + -2));
        assert!(condition.holds(&point()));
        condition.require(Formula::Natural(less));
        assert!(!condition.holds(&point()));
    }
}
