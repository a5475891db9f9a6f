//! Linear inequalities over the rationals, asserted and dropped one by one, with a combination that refutes them where they have
//! no common solution, and the least value of a form where they have.
//!
//! The method is the simplex algorithm with bounds (Dutertre and de Moura, *A Fast Linear-Arithmetic Solver for DPLL(T)*,
//! CAV 2006, §3): each form is a variable with bounds of its own, a row writes each basic variable by those that are not basic,
//! and these stand within their bounds. Bland's rule makes it end. What is asserted about integers is divided by the common
//! divisor of its coefficients and rounded first, so that a combination is one of the inequalities as they were rounded.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::form::{Form, Variable};
use crate::lattice::{Lattice, lattice};
use crate::number::{Int, Overflow, add, floor_div, gcd, multiply, subtract};
use crate::rational::Rational;

/// A sum of inequalities that is `negative number ≥ 0`: for each the number that it was asserted with, and a positive
/// factor. It is to be taken of the inequalities divided by the common divisors of their coefficients and rounded down.
pub type Combination = Vec<(u32, Int)>;

/// Why a question was left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stopped {
    /// A number left the range in which the arithmetic is exact.
    #[error("a number is too large")]
    Overflow,
    /// The work that was allowed is done.
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

/// `denominator * basic = Σ terms`.
#[derive(Clone, Debug)]
struct Row {
    basic: u32,
    /// Positive.
    denominator: Int,
    /// By variable, ascending; none of them is basic.
    terms: Vec<(u32, Int)>,
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
    /// The variables that stand for forms, by their forms without constants, primitive, the first coefficient positive.
    by_form: FxHashMap<Form, u32>,
    /// By variable of the forms, the column.
    structural: FxHashMap<Variable, u32>,
    /// The bounds that were replaced, and where a state begins.
    trail: Vec<(u32, usize, Option<Bound>)>,
    marks: Vec<usize>,
    /// How much work is left: terms of rows that may be read or written.
    pub work: u64,
}

const LOWER: usize = 0;
const UPPER: usize = 1;

impl Simplex {
    /// No inequalities, and how much work may be done with them.
    pub fn new(work: u64) -> Simplex {
        Simplex {
            work,
            ..Simplex::default()
        }
    }

    /// Remembers the inequalities that there are.
    pub fn push(&mut self) {
        self.marks.push(self.trail.len());
    }

    /// Drops what was asserted since the last [`push`](Simplex::push) that was not taken back yet.
    pub fn pop(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.trail.len() > mark {
            if let Some((column, side, bound)) = self.trail.pop() {
                self.columns[column as usize].bounds[side] = bound;
            }
        }
    }

    /// Asserts `form ≥ 0`, by a number of the caller's. Returns a combination where that contradicts what is known of the
    /// same form; whether all has a common solution is for [`check`](Simplex::check) to say.
    ///
    /// # Errors
    /// When the work is done or a number is too large. The inequality is then not asserted.
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
    /// When the work is done or a number is too large.
    pub fn check(&mut self) -> Result<Option<Combination>, Stopped> {
        loop {
            let Some((row, side)) = self.outside()? else {
                return Ok(None);
            };
            let basic = self.rows[row].basic;
            let Some(bound) = self.columns[basic as usize].bounds[side] else {
                return Ok(None);
            };
            // To raise a basic variable is to raise what stands in its row with a positive factor.
            let raise = side == LOWER;
            let entering = self.rows[row]
                .terms
                .iter()
                .find(|(column, factor)| self.can_move(*column, (*factor > 0) == raise));
            let Some((entering, _)) = entering.copied() else {
                return Ok(Some(self.refutation(row, bound, raise)));
            };
            self.pivot(row, entering)?;
            self.move_to(basic, Rational::integer(bound.value))?;
        }
    }

    /// The least value of a form in the common solutions, once [`check`](Simplex::check) has found one; the values are
    /// then those of a solution where the form has it. `None` where there is no least one.
    ///
    /// # Errors
    /// When the work is done or a number is too large.
    pub fn minimise(&mut self, form: &Form) -> Result<Option<Rational>, Stopped> {
        if form.content() == 0 {
            return Ok(Some(Rational::integer(form.constant)));
        }
        let (column, sign) = self.column_of(form)?;
        loop {
            let step = match self.columns[column as usize].row {
                None => Some((column, sign < 0)),
                Some(row) => {
                    let terms = self.rows[row].terms.iter();
                    let mut moves =
                        terms.map(|(other, factor)| (*other, (*factor > 0) != (sign > 0)));
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

    /// The value of a variable in the present solution; 0 where nothing was asserted of it.
    pub fn value(&self, variable: Variable) -> Rational {
        match self.structural.get(&variable) {
            Some(column) => self.columns[*column as usize].value,
            None => Rational::ZERO,
        }
    }

    /// The value of a form in the present solution.
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

    /// Moves a variable that is not basic as far as the bounds allow; false if nothing stops it.
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
            let rises = (factor > 0) == up;
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
                Some((least, by, ..)) => match room.order(*least)? {
                    Ordering::Less => true,
                    Ordering::Equal => row.basic < *by,
                    Ordering::Greater => false,
                },
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

    /// The basic variable of lowest number that is outside its bounds, and at which of them.
    fn outside(&mut self) -> Result<Option<(usize, usize)>, Stopped> {
        self.spend(self.rows.len() / 4)?;
        let mut found: Option<(u32, usize, usize)> = None;
        for (number, row) in self.rows.iter().enumerate() {
            if found.is_some_and(|found| found.0 < row.basic) {
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

    /// Whether a variable that is not basic is not at the bound in that direction.
    fn can_move(&self, column: u32, up: bool) -> bool {
        let column = &self.columns[column as usize];
        let bound = column.bounds[if up { UPPER } else { LOWER }];
        bound.is_none_or(|bound| column.value != Rational::integer(bound.value))
    }

    /// The row whose basic variable violates a bound, with the bounds that keep it there.
    fn refutation(&self, row: usize, bound: Bound, raise: bool) -> Combination {
        let row = &self.rows[row];
        let mut combination = vec![(bound.because, row.denominator)];
        for (column, factor) in &row.terms {
            let side = if (*factor > 0) == raise { UPPER } else { LOWER };
            if let Some(bound) = self.columns[*column as usize].bounds[side] {
                combination.push((bound.because, factor.abs()));
            }
        }
        combination
    }

    /// The column of a form without its constant and its content, and the sign with which it stands for it.
    fn column_of(&mut self, form: &Form) -> Result<(u32, Int), Stopped> {
        let divisor = form.content();
        let sign = form.terms().first().map_or(1, |term| term.1.signum());
        let direction = form.direction().map(|number| number / (divisor * sign));
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
        // The row of the new variable, with the rows of basic ones in their places.
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

    /// Gives a value to a variable that is not basic.
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

    /// Makes a variable basic in the place of the basic one of a row. Values stay.
    fn pivot(&mut self, number: usize, entering: u32) -> Result<(), Stopped> {
        let row = self.rows[number].clone();
        let Some(factor_of_entering) = factor(&row, entering) else {
            return Ok(());
        };
        // factor * entering = denominator * basic - the rest of the terms.
        let sign = factor_of_entering.signum();
        let others = row.terms.iter().filter(|term| term.0 != entering);
        let mut terms: Vec<(u32, Int)> = others.map(|(column, c)| (*column, -c * sign)).collect();
        let at = terms.partition_point(|term| term.0 < row.basic);
        terms.insert(at, (row.basic, row.denominator * sign));
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

    /// Takes work off what is left, for what a caller does beside.
    ///
    /// # Errors
    /// When nothing is left.
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

/// Whether the second bound of a side is tighter than the first; of the other side, whether it passes it.
fn beyond(side: usize, first: Int, second: Int) -> bool {
    match side {
        LOWER => second > first,
        _ => second < first,
    }
}

fn factor(row: &Row, column: u32) -> Option<Int> {
    let at = row.terms.binary_search_by_key(&column, |term| term.0);
    at.ok().map(|at| row.terms[at].1)
}

impl Row {
    /// Divides by the common divisor.
    fn reduce(&mut self) {
        let mut divisor = self.denominator;
        for (_, factor) in &self.terms {
            if divisor == 1 {
                return;
            }
            divisor = gcd(divisor, *factor);
        }
        if divisor > 1 {
            self.denominator /= divisor;
            self.terms.iter_mut().for_each(|term| term.1 /= divisor);
        }
    }
}

/// `a * left + b * right`.
fn combined(
    left: &[(u32, Int)],
    a: Int,
    right: &[(u32, Int)],
    b: Int,
) -> Result<Vec<(u32, Int)>, Overflow> {
    let mut terms = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let order = match (left.get(i), right.get(j)) {
            (Some(x), Some(y)) => x.0.cmp(&y.0),
            (_, None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let mut factor = 0;
        let mut column = 0;
        if order.is_le() {
            (column, factor) = (left[i].0, multiply(left[i].1, a)?);
            i += 1;
        }
        if order.is_ge() {
            column = right[j].0;
            factor = add(factor, multiply(right[j].1, b)?)?;
            j += 1;
        }
        if factor != 0 {
            terms.push((column, factor));
        }
    }
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(terms: &[(u32, Int)], constant: Int) -> Form {
        let mut form = Form::constant(constant);
        for (variable, factor) in terms {
            form = form
                .plus(*factor, &Form::variable(Variable(*variable)))
                .expect("small");
        }
        form
    }

    /// The sum of a combination of inequalities is a negative number.
    fn refutes(inequalities: &[Form], combination: &Combination) -> bool {
        let mut sum = Form::default();
        for (number, factor) in combination {
            let form = &inequalities[*number as usize];
            let divisor = form.content();
            let rounded = match divisor {
                0 => form.clone(),
                _ => form.map(|number| floor_div(number, divisor)),
            };
            assert!(*factor > 0);
            sum = sum.plus(*factor, &rounded).expect("small");
        }
        sum.as_constant().is_some_and(|constant| constant < 0)
    }

    fn draw(seed: &mut u64, below: u64) -> Int {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        Int::from(*seed % below)
    }

    /// Whether inequalities have an integer solution, by dividing them at points that are no integers, and by how many divisions.
    fn divided(inequalities: &[Form]) -> (bool, usize) {
        let mut simplex = Simplex::new(1 << 24);
        let mut refuted = false;
        for form in inequalities {
            refuted |= simplex.assert(form, 0).expect("little work").is_some();
        }
        // Parts that are still to be looked at: what each assumes.
        let mut open = if refuted {
            vec![]
        } else {
            vec![Vec::<Form>::new()]
        };
        let mut divisions = 0;
        while let Some(assumed) = open.pop() {
            simplex.push();
            let mut refuted = false;
            for form in &assumed {
                refuted |= simplex.assert(form, 0).expect("little work").is_some();
            }
            if !refuted && simplex.check().expect("little work").is_none() {
                match simplex.division(assumed.len() >= 8).expect("little work") {
                    None => return (true, divisions),
                    Some(form) => {
                        divisions += 1;
                        let negative = form.scaled(-1).and_then(|form| form.shifted(-1));
                        for part in [form, negative.expect("small")] {
                            open.push(assumed.iter().cloned().chain([part]).collect());
                        }
                    }
                }
            }
            simplex.pop();
        }
        (false, divisions)
    }

    /// Against the Omega test, on systems whose variables have no bounds: the same answer, and the divisions come to an end.
    #[test]
    fn divisions_come_to_an_end_where_nothing_bounds_the_variables() {
        use crate::{Fact, Reason, Store, Verdict};
        let (mut with, mut without, mut most) = (0, 0, 0);
        for number in 0..4000_u64 {
            let mut seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_add(number * 0x2545_F491);
            let mut inequalities = Vec::new();
            let mut store = Store::new();
            let variables = [0; 4].map(|_| store.natural());
            for variable in 0..4 {
                inequalities.push(form(&[(variable, 1)], 0));
            }
            for _ in 0..4 {
                let terms = [0, 1, 2, 3].map(|v| (v, draw(&mut seed, 9) - 4));
                let constant = draw(&mut seed, 9) - 4;
                let one = form(&terms, constant);
                let sum: Vec<_> = (terms.iter().zip(variables))
                    .map(|((_, factor), term)| (*factor as i64, term))
                    .collect();
                let (sum, zero) = (store.sum(&sum, constant as i64), store.number(0));
                store.assert(Fact::AtMost(zero, sum), Reason(0));
                inequalities.push(one.clone());
                // Often a narrow band, in which points that are no integers go on without an end.
                if draw(&mut seed, 3) > 0 {
                    let wide = draw(&mut seed, 2);
                    inequalities.push(one.scaled(-1).and_then(|f| f.shifted(wide)).expect("small"));
                    let most = store.number(wide as i64);
                    store.assert(Fact::AtMost(sum, most), Reason(0));
                }
            }
            let (found, divisions) = divided(&inequalities);
            most = most.max(divisions);
            match store.check() {
                Verdict::Satisfiable => {
                    with += 1;
                    assert!(found, "{inequalities:?}");
                }
                Verdict::Unsatisfiable(_) => {
                    without += 1;
                    assert!(!found, "{inequalities:?}");
                }
                Verdict::Unknown(_) => {}
            }
        }
        assert!(with > 500 && without > 500, "{with} {without} {most}");
    }

    /// Against every point of a box: what is refuted has none, by a combination that is one; what is not refuted has values
    /// that satisfy it, and no point of the box has a smaller sum.
    #[test]
    fn random_systems_have_a_least_solution_or_a_combination_that_refutes_them() {
        let (mut refuted, mut found) = (0, 0);
        for number in 0..2000 {
            let mut seed = 88_172_645_463_325_252 + number * 0x9E37_79B9;
            let mut inequalities: Vec<Form> = (0..3).map(|v| form(&[(v, 1)], 0)).collect();
            for _ in 0..5 {
                let terms = [0, 1, 2].map(|v| (v, draw(&mut seed, 5) - 2));
                inequalities.push(form(&terms, draw(&mut seed, 9) - 5));
            }
            let mut simplex = Simplex::new(1 << 20);
            // Inequalities that are dropped again leave nothing behind.
            simplex.push();
            let _ = simplex.assert(&form(&[(0, -1)], -1), 99);
            let _ = simplex.check();
            simplex.pop();
            let mut combination = None;
            for (number, inequality) in inequalities.iter().enumerate() {
                combination = simplex
                    .assert(inequality, number as u32)
                    .expect("little work");
                if combination.is_some() {
                    break;
                }
            }
            if combination.is_none() {
                combination = simplex.check().expect("little work");
            }
            let sum = form(&[(0, 1), (1, 1), (2, 1)], 0);
            let points = (0..1000).map(|n| [n % 10, n / 10 % 10, n / 100]);
            let holds = |point: &[Int; 3]| {
                let value = |f: &Form| f.value(|v| point[v.0 as usize]).expect("small");
                inequalities.iter().all(|f| value(f) >= 0)
            };
            let least = points
                .filter(holds)
                .map(|point| point.iter().sum::<Int>())
                .min();
            match combination {
                Some(combination) => {
                    refuted += 1;
                    assert_eq!(least, None, "{inequalities:?}");
                    assert!(
                        refutes(&inequalities, &combination),
                        "{inequalities:?} {combination:?}"
                    );
                }
                None => {
                    found += 1;
                    let value = simplex
                        .minimise(&sum)
                        .expect("little work")
                        .expect("at least 0");
                    assert!(value.sign() >= 0);
                    assert!(
                        least.is_none_or(|least| least >= value.ceil()),
                        "{inequalities:?}"
                    );
                    for f in &inequalities {
                        let mut at = Rational::integer(f.constant);
                        for (variable, factor) in f.terms() {
                            at = at
                                .plus(*factor, 1, simplex.value(*variable))
                                .expect("small");
                        }
                        assert!(at.sign() >= 0, "{inequalities:?}: {f:?}");
                    }
                }
            }
        }
        assert!(refuted > 200 && found > 200, "{refuted} {found}");
    }
}
