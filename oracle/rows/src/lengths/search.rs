//! The search for lengths by Z3.

use z3::ast::{Bool, Int};

use super::Problem;
use super::form::{Condition, Form, Formula, Point, Unknown};
use super::ranks::Ranks;
use crate::formula::Measure;
use crate::limits::{Clock, Reason};
use crate::smt::Smt;

/// Lengths from here on are too large for any limit on comparisons.
const TOO_LONG: i64 = 1 << 31;

/// Conditions with more formulas than this are not searched for ones that follow from the others.
const SIFTED: usize = 100;

/// The search for lengths, by a solver in which nothing was asked before.
pub(super) struct Search<'a> {
    smt: &'a Smt,
    clock: &'a Clock,
    ranks: &'a Ranks,
    rows: u32,
    /// The flag under which the conditions of clashes are denied.
    active: Bool,
    /// The lengths that have to be long at present.
    deep: Vec<Bool>,
    /// The sum of all ranks.
    total: Int,
    /// A lower bound on the sum of ranks of the lengths that remain.
    least: i64,
    /// The number of the solver's integers in use: one for the rank of each row variable, and one for each count.
    integers: u32,
}

impl<'a> Search<'a> {
    pub fn new(smt: &'a Smt, clock: &'a Clock, problem: &'a Problem) -> Result<Search<'a>, Reason> {
        let (ranks, rows) = (&problem.ranks, problem.symbols.rows.len() as u32);
        let mut search = Search {
            smt,
            clock,
            ranks,
            rows,
            active: smt.flag(0),
            deep: Vec::new(),
            total: smt.number(0),
            least: 0,
            integers: rows,
        };
        let mut total = Form::default();
        for row in (0..rows).map(Some) {
            total = total + &ranks.rank(row);
            search.require(&Formula::Natural(ranks.leading(row)));
            search.require(&Formula::Natural(ranks.trailing(row)));
        }
        for fact in &problem.facts {
            clock.left()?;
            search.require(&ranks.formula(*fact));
        }
        search.total = search.term(&total, &[]);
        Ok(search)
    }

    fn require(&self, formula: &Formula) {
        if !formula.is_trivial() {
            self.smt.assert(self.formula(formula, &[]));
        }
    }

    fn term(&self, form: &Form, counts: &[Int]) -> Int {
        let mut sum = vec![Int::from_i64(form.constant())];
        for (unknown, factor) in form.terms() {
            let term = match unknown {
                Unknown::Leading(row) => self.smt.measure(Measure::Leading, row),
                Unknown::Rank(row) => self.smt.scratch(row),
                Unknown::Count(at) => counts[at as usize].clone(),
            };
            sum.push(Int::from_i64(factor) * term);
        }
        Int::add(&sum)
    }

    fn formula(&self, formula: &Formula, counts: &[Int]) -> Bool {
        let zero = self.smt.number(0);
        match formula {
            Formula::Natural(form) => self.term(form, counts).ge(zero),
            Formula::Zero(form) => self.term(form, counts).eq(zero),
            Formula::NoneOr(count, form) => {
                let never = self.term(count, counts).le(&zero);
                Bool::or(&[never, self.term(form, counts).ge(&zero)])
            }
        }
    }

    /// Excludes the lengths that satisfy the condition. Formulas that follow from the rest of the condition, and from
    /// the requirements of the constraints on lengths, are left out of it.
    ///
    /// # Errors
    /// When a limit is reached.
    ///
    /// A count is given by what defines it, which excludes no lengths: each form has one quotient.
    pub fn exclude(&mut self, condition: &Condition) -> Result<(), Reason> {
        let (mut counts, mut definitions) = (Vec::new(), Vec::new());
        for quotient in condition.counts() {
            let count = self.smt.scratch(self.integers);
            self.integers += 1;
            let divisor = Int::from_i64(quotient.divisor);
            let rest = self.term(&quotient.form, &counts) - &divisor * &count;
            definitions.push(rest.ge(self.smt.number(0)));
            definitions.push(rest.lt(&divisor));
            counts.push(count);
        }
        let formulas = condition.formulas().iter();
        let mut kept: Vec<Bool> = formulas.map(|part| self.formula(part, &counts)).collect();
        let scope = self.smt.scope();
        definitions.iter().for_each(|part| self.smt.assert(part));
        let sifted = if kept.len() <= SIFTED { kept.len() } else { 0 };
        for at in (0..sifted).rev() {
            let part = kept.remove(at);
            kept.push(part.not());
            let needed = self.smt.check(&kept, self.clock)?;
            kept.pop();
            if needed {
                kept.insert(at, part);
            }
        }
        drop(scope);
        for part in definitions {
            self.smt.assert(self.active.implies(part));
        }
        self.smt.assert(self.active.implies(Bool::and(&kept).not()));
        Ok(())
    }

    /// Looks from now on for lengths that are all at least `margin`, except for those that cannot be.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn dive(&mut self, margin: i64) -> Result<(), Reason> {
        self.least = 0;
        for row in (0..self.rows).map(Some) {
            for length in [self.ranks.leading(row), self.ranks.trailing(row)] {
                let long = self.term(&length, &[]).ge(Int::from_i64(margin));
                self.deep.push(long);
                if !self.smt.check(&self.deep, self.clock)? {
                    self.deep.pop();
                }
            }
        }
        Ok(())
    }

    /// Looks for lengths of any kind again. Returns whether that makes a difference.
    pub fn surface(&mut self) -> bool {
        self.least = 0;
        !std::mem::take(&mut self.deep).is_empty()
    }

    /// Returns the first of the lengths that are not excluded.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn least_point(&mut self) -> Result<Option<Point>, Reason> {
        let Some(mut point) = self.some_point()? else {
            return Ok(None);
        };
        let mut fixed = self.deep.clone();
        fixed.push(self.active.clone());
        let sum = |point: &Point| -> i64 { (0..self.rows).map(|row| point.rank(row)).sum() };
        self.lower(&self.total, sum, self.least, &mut point, &mut fixed)?;
        self.least = sum(&point);
        for row in 0..self.rows {
            let rank = self.term(&self.ranks.rank(Some(row)), &[]);
            let leading = self.term(&self.ranks.leading(Some(row)), &[]);
            self.lower(&rank, |point| point.rank(row), 0, &mut point, &mut fixed)?;
            self.lower(
                &leading,
                |point| point.leading(row),
                0,
                &mut point,
                &mut fixed,
            )?;
        }
        Ok(Some(point))
    }

    /// Finds some lengths whose sum is not much greater than the least one.
    fn some_point(&self) -> Result<Option<Point>, Reason> {
        let mut most = self.least;
        let mut all = self.deep.clone();
        all.push(self.active.clone());
        while most < TOO_LONG {
            let bound = self.total.le(Int::from_i64(most));
            let first = all.len();
            all.push(bound);
            if self.smt.check(&all, self.clock)? {
                return self.point().map(Some);
            }
            all.truncate(first);
            if most == self.least && !self.smt.check(&all, self.clock)? {
                return Ok(None);
            }
            most += most.max(4);
        }
        Err(Reason::Size)
    }

    /// Makes the term, which is not less than `least`, as small as what is fixed allows, and fixes it.
    fn lower(
        &self,
        term: &Int,
        value: impl Fn(&Point) -> i64,
        mut least: i64,
        point: &mut Point,
        fixed: &mut Vec<Bool>,
    ) -> Result<(), Reason> {
        while value(point) > least {
            let middle = least + (value(point) - least) / 2;
            fixed.push(term.le(Int::from_i64(middle)));
            let found = self.smt.check(fixed, self.clock)?;
            fixed.pop();
            match found {
                true => *point = self.point()?,
                false => least = middle + 1,
            }
        }
        fixed.push(term.eq(Int::from_i64(least)));
        Ok(())
    }

    /// Returns the lengths that the last check found. Their sum was bounded, so they are numbers of 64 bits.
    fn point(&self) -> Result<Point, Reason> {
        let model = self.smt.model();
        let model = model.ok_or_else(|| Reason::Solver("no model".to_owned()))?;
        let value = |form: Form| {
            let term = self.term(&form, &[]);
            let value = model.eval(&term, true).and_then(|number| number.as_i64());
            value.ok_or(Reason::Size)
        };
        let row = |row| -> Result<[i64; 2], Reason> {
            let leading = value(self.ranks.leading(Some(row)))?;
            Ok([leading, value(self.ranks.rank(Some(row)))? - leading])
        };
        (0..self.rows).map(row).collect::<Result<_, _>>().map(Point)
    }
}
