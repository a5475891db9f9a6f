//! Linear inequalities over the rationals, asserted and dropped one by one. If they have no common solution, a
//! combination of them shows it; if they have one, the least value of a form can be found.
//!
//! The method is the simplex algorithm with bounds (Dutertre and de Moura, *A Fast Linear-Arithmetic Solver for
//! DPLL(T)*, CAV 2006, §3): each form is a variable with its own bounds, a row expresses each basic variable by
//! nonbasic ones, and nonbasic variables are within their bounds. Bland's rule ensures termination. Since the variables
//! are integers, each inequality is first divided by the common divisor of its coefficients and rounded; combinations
//! refer to these rounded inequalities.
//!
//! Crates for linear programs (`minilp`, `microlp`) were considered and not tried: they compute in floating-point
//! numbers, in which a refutation proves nothing.

mod division;
mod row;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::form::{Form, Variable};
use crate::number::{Int, Overflow, floor_div, multiply};
use crate::rational::Rational;
use row::{Row, combined, factor};

/// A combination of inequalities whose sum is `negative number ≥ 0`: for each inequality the number with which it was
/// asserted, and a positive factor. It applies to the inequalities after division by the common divisors of their
/// coefficients and rounding down.
pub type Combination = Vec<(u32, Int)>;

/// The reason for which a question is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stopped {
    /// A number left the range in which the arithmetic is exact.
    #[error("a number is too large")]
    Overflow,
    /// The allowed work is used up.
    #[error("the limit on work is reached")]
    Work,
}

impl From<Overflow> for Stopped {
    fn from(_: Overflow) -> Stopped {
        Stopped::Overflow
    }
}

/// A bound of a variable, with the number of the inequality that it comes from.
#[derive(Clone, Copy, Debug)]
struct Bound {
    value: Int,
    because: u32,
}

#[derive(Clone, Debug)]
struct Column {
    /// The lower and the upper bound.
    bounds: [Option<Bound>; 2],
    value: Rational,
    /// The row, if the variable is basic.
    row: Option<usize>,
}

/// Linear inequalities between variables that are numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Simplex {
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// The columns of forms. A form is stored without its constant, primitive, and with a positive first coefficient.
    by_form: FxHashMap<Form, u32>,
    /// The columns of the variables that occur in forms.
    structural: FxHashMap<Variable, u32>,
    /// The bounds that were replaced, to be restored by [`pop`](Simplex::pop).
    trail: Vec<(u32, usize, Option<Bound>)>,
    marks: Vec<usize>,
    /// The work that is left: how many terms of rows may be read or written.
    pub work: u64,
}

const LOWER: usize = 0;
const UPPER: usize = 1;

impl Simplex {
    /// Makes a problem without inequalities, with a limit on work.
    pub fn new(work: u64) -> Simplex {
        Simplex {
            work,
            ..Simplex::default()
        }
    }

    /// Remembers the present inequalities.
    pub fn push(&mut self) {
        self.marks.push(self.trail.len());
    }

    /// Drops the inequalities asserted since the last [`push`](Simplex::push) that has not been undone yet.
    pub fn pop(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.trail.len() > mark {
            if let Some((column, side, bound)) = self.trail.pop() {
                self.columns[column as usize].bounds[side] = bound;
            }
        }
    }

    /// Asserts `form ≥ 0` under a number of the caller. Returns a combination if that contradicts a bound of the same
    /// form; [`check`](Simplex::check) decides whether all inequalities have a common solution.
    ///
    /// # Errors
    /// When the work is used up or a number is too large. The inequality is then not asserted.
    pub fn assert(&mut self, form: &Form, because: u32) -> Result<Option<Combination>, Stopped> {
        // The form is looked up, divided and copied.
        self.spend(16 * form.len())?;
        let divisor = form.content();
        if divisor == 0 {
            return Ok((form.constant < 0).then(|| vec![(because, 1)]));
        }
        let (column, sign) = self.column_of(form)?;
        // sign * divisor * column + constant >= 0.
        let (side, value) = match sign {
            1 => (LOWER, -floor_div(form.constant, divisor)),
            _ => (UPPER, floor_div(form.constant, divisor)),
        };
        let bounds = self.columns[column as usize].bounds;
        if bounds[side].is_some_and(|known| !beyond(side, known.value, value)) {
            return Ok(None);
        }
        if let Some(other) = bounds[1 - side]
            && beyond(side, other.value, value)
        {
            return Ok(Some(vec![(because, 1), (other.because, 1)]));
        }
        self.trail.push((column, side, bounds[side]));
        self.columns[column as usize].bounds[side] = Some(Bound { value, because });
        let at = self.columns[column as usize].value;
        let outside = match side {
            LOWER => at.order(Rational::integer(value))? == Ordering::Less,
            _ => at.order(Rational::integer(value))? == Ordering::Greater,
        };
        if outside && self.columns[column as usize].row.is_none() {
            self.move_to(column, Rational::integer(value))?;
        }
        Ok(None)
    }

    /// Looks for a common solution. Returns a combination that refutes the inequalities if there is none.
    ///
    /// # Errors
    /// When the work is used up or a number is too large.
    pub fn check(&mut self) -> Result<Option<Combination>, Stopped> {
        loop {
            let Some((row, side)) = self.outside()? else {
                return Ok(None);
            };
            let basic = self.rows[row].basic;
            let Some(bound) = self.columns[basic as usize].bounds[side] else {
                return Ok(None);
            };
            // A basic variable is raised by raising the variables that have a positive factor in its row.
            let raise = side == LOWER;
            let entering = self.rows[row]
                .terms
                .iter()
                .find(|(column, factor)| self.can_move(*column, factor.is_positive() == raise));
            let Some((entering, _)) = entering.copied() else {
                return Ok(Some(self.refutation(row, bound, raise)));
            };
            self.pivot(row, entering)?;
            self.move_to(basic, Rational::integer(bound.value))?;
        }
    }

    /// Returns the least value of a form in the common solutions, after [`check`](Simplex::check) has found one.
    /// Afterwards the values are those of a solution in which the form has its least value. `None` if the form has no
    /// lower bound.
    ///
    /// # Errors
    /// When the work is used up or a number is too large.
    pub fn minimise(&mut self, form: &Form) -> Result<Option<Rational>, Stopped> {
        if form.content() == 0 {
            return Ok(Some(Rational::integer(form.constant)));
        }
        let (column, sign) = self.column_of(form)?;
        loop {
            let step = match self.columns[column as usize].row {
                None => Some((column, sign.is_negative())),
                Some(row) => {
                    let terms = self.rows[row].terms.iter();
                    let mut moves = terms.map(|(other, factor)| {
                        (*other, factor.is_positive() != sign.is_positive())
                    });
                    moves.find(|(other, up)| self.can_move(*other, *up))
                }
            };
            let Some((entering, up)) = step.filter(|(at, up)| self.can_move(*at, *up)) else {
                break;
            };
            if !self.descend(entering, up)? {
                return Ok(None);
            }
        }
        let value = self.columns[column as usize].value;
        let divisor = form.content();
        Ok(Some(Rational::integer(form.constant).plus(
            sign * divisor,
            1,
            value,
        )?))
    }

    /// Returns the value of a variable in the present solution; 0 if no inequality mentions it.
    pub fn value(&self, variable: Variable) -> Rational {
        match self.structural.get(&variable) {
            Some(column) => self.columns[*column as usize].value,
            None => Rational::ZERO,
        }
    }

    /// Returns the value of a form in the present solution.
    ///
    /// # Errors
    /// When a number is too large.
    pub fn value_at(&self, form: &Form) -> Result<Rational, Overflow> {
        let mut value = Rational::integer(form.constant);
        for (variable, factor) in form.terms() {
            value = value.plus(*factor, 1, self.value(*variable))?;
        }
        Ok(value)
    }

    /// Moves a nonbasic variable as far as the bounds allow; false if no bound stops it.
    fn descend(&mut self, entering: u32, up: bool) -> Result<bool, Stopped> {
        let own = self.columns[entering as usize].bounds[if up { UPPER } else { LOWER }];
        let mut best: Option<(Rational, u32, Option<usize>, Int)> = None;
        if let Some(bound) = own {
            let at = self.columns[entering as usize].value;
            let room = match up {
                true => Rational::integer(bound.value).minus(at)?,
                false => at.minus(Rational::integer(bound.value))?,
            };
            best = Some((room, entering, None, bound.value));
        }
        for (number, row) in self.rows.iter().enumerate() {
            let Some(factor) = factor(row, entering) else {
                continue;
            };
            let rises = factor.is_positive() == up;
            let column = &self.columns[row.basic as usize];
            let Some(bound) = column.bounds[if rises { UPPER } else { LOWER }] else {
                continue;
            };
            let limit = Rational::integer(bound.value);
            let room = match rises {
                true => limit.minus(column.value)?,
                false => column.value.minus(limit)?,
            };
            let room = room.times(row.denominator, factor.abs())?;
            let better = match &best {
                None => true,
                Some((least, by, ..)) => room.order(*least)?.then(row.basic.cmp(by)).is_lt(),
            };
            if better {
                best = Some((room, row.basic, Some(number), bound.value));
            }
        }
        self.spend(self.rows.len())?;
        match best {
            None => Ok(false),
            Some((_, _, None, value)) => {
                self.move_to(entering, Rational::integer(value))?;
                Ok(true)
            }
            Some((_, leaving, Some(row), value)) => {
                self.pivot(row, entering)?;
                self.move_to(leaving, Rational::integer(value))?;
                Ok(true)
            }
        }
    }

    /// Returns the basic variable with the lowest number that is outside its bounds, and the side of the violated
    /// bound.
    fn outside(&mut self) -> Result<Option<(usize, usize)>, Stopped> {
        self.spend(self.rows.len() / 4)?;
        let mut found: Option<(u32, usize, usize)> = None;
        for (number, row) in self.rows.iter().enumerate() {
            if found.is_some_and(|found| found.0.cmp(&row.basic).is_lt()) {
                continue;
            }
            let column = &self.columns[row.basic as usize];
            for (side, wrong) in [(LOWER, Ordering::Less), (UPPER, Ordering::Greater)] {
                if let Some(bound) = column.bounds[side]
                    && column.value.order(Rational::integer(bound.value))? == wrong
                {
                    found = Some((row.basic, number, side));
                }
            }
        }
        Ok(found.map(|(_, row, side)| (row, side)))
    }

    /// Tells whether a nonbasic variable is not yet at its bound in this direction.
    fn can_move(&self, column: u32, up: bool) -> bool {
        let column = &self.columns[column as usize];
        let bound = column.bounds[if up { UPPER } else { LOWER }];
        bound.is_none_or(|bound| column.value != Rational::integer(bound.value))
    }

    /// Returns the refutation by a row whose basic variable violates a bound: that bound with those that prevent a
    /// change.
    fn refutation(&self, row: usize, bound: Bound, raise: bool) -> Combination {
        let row = &self.rows[row];
        let mut combination = vec![(bound.because, row.denominator)];
        for (column, factor) in &row.terms {
            let side = if factor.is_positive() == raise {
                UPPER
            } else {
                LOWER
            };
            if let Some(bound) = self.columns[*column as usize].bounds[side] {
                combination.push((bound.because, factor.abs()));
            }
        }
        combination
    }

    /// Returns the column of a form without its constant and its content, and the sign with which it represents the
    /// form.
    fn column_of(&mut self, form: &Form) -> Result<(u32, Int), Stopped> {
        let divisor = form.content();
        let sign = form.terms().first().map_or(1, |term| term.1.signum());
        let factor = match sign.is_negative() {
            true => -divisor,
            false => divisor,
        };
        let direction = form.direction().map(|number| number / factor);
        if let Some(column) = self.by_form.get(&direction) {
            return Ok((*column, sign));
        }
        for variable in direction.variables() {
            if !self.structural.contains_key(&variable) {
                let column = self.new_column(Rational::ZERO);
                self.structural.insert(variable, column);
                self.by_form.insert(Form::variable(variable), column);
            }
        }
        if let Some(column) = self.by_form.get(&direction) {
            return Ok((*column, sign));
        }
        // The row of the new variable, in which basic variables are replaced by their rows.
        let mut denominator = 1;
        let mut terms: Vec<(u32, Int)> = Vec::new();
        for (variable, coefficient) in direction.terms() {
            let column = self.structural[variable];
            match self.columns[column as usize].row {
                None => {
                    terms = combined(
                        &terms,
                        1,
                        &[(column, multiply(*coefficient, denominator)?)],
                        1,
                    )?
                }
                Some(row) => {
                    let row = &self.rows[row];
                    let factor = multiply(*coefficient, denominator)?;
                    terms = combined(&terms, row.denominator, &row.terms, factor)?;
                    denominator = multiply(denominator, row.denominator)?;
                }
            }
        }
        let mut row = Row {
            basic: self.columns.len() as u32,
            denominator,
            terms,
        };
        row.reduce();
        self.spend(row.terms.len())?;
        let value = self.value_of(&row)?;
        let column = self.new_column(value);
        self.columns[column as usize].row = Some(self.rows.len());
        self.rows.push(row);
        self.by_form.insert(direction, column);
        Ok((column, sign))
    }

    fn new_column(&mut self, value: Rational) -> u32 {
        self.columns.push(Column {
            bounds: [None; 2],
            value,
            row: None,
        });
        self.columns.len() as u32 - 1
    }

    fn value_of(&self, row: &Row) -> Result<Rational, Overflow> {
        let mut value = Rational::ZERO;
        for (column, factor) in &row.terms {
            value = value.plus(
                *factor,
                row.denominator,
                self.columns[*column as usize].value,
            )?;
        }
        Ok(value)
    }

    /// Gives a value to a nonbasic variable.
    fn move_to(&mut self, column: u32, value: Rational) -> Result<(), Stopped> {
        let by = value.minus(self.columns[column as usize].value)?;
        self.columns[column as usize].value = value;
        if by.sign() == 0 {
            return Ok(());
        }
        self.spend(self.rows.len())?;
        for row in &self.rows {
            if let Some(factor) = factor(row, column) {
                let basic = &mut self.columns[row.basic as usize];
                basic.value = basic.value.plus(factor, row.denominator, by)?;
            }
        }
        Ok(())
    }

    /// Makes a variable basic in place of the basic variable of a row. Values do not change.
    fn pivot(&mut self, number: usize, entering: u32) -> Result<(), Stopped> {
        let row = self.rows[number].clone();
        let Some(factor_of_entering) = factor(&row, entering) else {
            return Ok(());
        };
        // factor * entering = denominator * basic - the rest of the terms.
        let signed = |number: Int| match factor_of_entering.is_positive() {
            true => number,
            false => -number,
        };
        let others = row.terms.iter().filter(|term| term.0 != entering);
        let mut terms: Vec<(u32, Int)> = others.map(|(column, c)| (*column, signed(-c))).collect();
        // The basic variable is not among the others, so this is where it belongs.
        let (Ok(at) | Err(at)) = terms.binary_search_by_key(&row.basic, |term| term.0);
        terms.insert(at, (row.basic, signed(row.denominator)));
        let mut solved = Row {
            basic: entering,
            denominator: factor_of_entering.abs(),
            terms,
        };
        solved.reduce();
        let mut work = solved.terms.len();
        for (other, row) in self.rows.iter_mut().enumerate() {
            if other == number {
                continue;
            }
            let Some(factor) = factor(row, entering) else {
                continue;
            };
            row.terms.retain(|term| term.0 != entering);
            row.terms = combined(&row.terms, solved.denominator, &solved.terms, factor)?;
            row.denominator = multiply(row.denominator, solved.denominator)?;
            row.reduce();
            work += row.terms.len();
        }
        self.columns[row.basic as usize].row = None;
        self.columns[entering as usize].row = Some(number);
        self.rows[number] = solved;
        self.spend(work + self.rows.len())
    }

    /// Takes off work for something that the caller does.
    ///
    /// # Errors
    /// When no work is left.
    pub fn spend(&mut self, terms: usize) -> Result<(), Stopped> {
        match self.work.checked_sub(terms as u64 + 1) {
            Some(left) => {
                self.work = left;
                Ok(())
            }
            None => Err(Stopped::Work),
        }
    }
}

/// Tells whether a second bound on this side is tighter than the first one; with `side` exchanged, whether it crosses
/// the first one.
fn beyond(side: usize, first: Int, second: Int) -> bool {
    match side {
        LOWER => second > first,
        _ => second < first,
    }
}
