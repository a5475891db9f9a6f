//! Many solutions: the first in a fixed order, counting, listing.
//!
//! The order is a convention of this crate: first the sum of all ranks, then for each row variable its rank and the
//! length of its leading flank, then axis by axis the unit, the atoms of the constraints in order of their first
//! occurrence, and any other atom. It makes models independent of earlier questions.

use lozenge_vocabulary::{ConstraintSet, Dim, Ground, Row};
use z3::ast::{Bool, Int};

use crate::formula::{Axis, Measure};
use crate::limits::{Clock, Reason};
use crate::model::Solution;
use crate::oracle::Oracle;
use crate::scope::Scope;
use crate::session::{CheckResult, Sealed, Session};

/// Each variable is settled by a question to Z3, which goes through all variables, but so fast that many of them take
/// the time of one comparison of axes. Z3 does not look at its clock during one step of such a search, so the limit on
/// time is not enough: with 100,000 variables the steps took minutes.
const VARIABLES_A_COMPARISON: usize = 64;

/// Distinct solutions of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solutions {
    /// The solutions that were found, the first ones in the order of this crate's documentation.
    pub found: Vec<Ground>,
    /// True if there are others: `Some(false)` if these are all, `Some(true)` if the search stopped at the requested
    /// number.
    pub more: Option<bool>,
    /// The reason for which it is not known whether there are others.
    pub doubt: Option<Reason>,
}

impl Oracle {
    /// Returns the first solution in a fixed order, in which the ranks of all row variables add up to the least
    /// possible; `None` when there is no solution.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn model(&self, set: &ConstraintSet) -> Result<Option<Ground>, Reason> {
        let clock = self.start();
        let scope = Scope::of(set);
        self.first(&clock, &scope, &[], true)
    }

    /// Returns a solution in which the ranks of all row variables add up to the least possible; `None` when there is no
    /// solution.
    ///
    /// # Errors
    /// When a limit is reached before the sum is known to be least.
    pub fn minimal_rank(&self, set: &ConstraintSet) -> Result<Option<Ground>, Reason> {
        self.model(set)
    }

    /// Counts the distinct solutions, up to `k`. Solutions that differ in a marker only are distinct; so are solutions
    /// that differ in an atom that the set does not name, of which there are always infinitely many.
    pub fn count(&self, set: &ConstraintSet, k: usize) -> Solutions {
        self.several(set, k, false)
    }

    /// Returns the first `limit` solutions in the order of this crate's documentation.
    pub fn enumerate(&self, set: &ConstraintSet, limit: usize) -> Solutions {
        self.several(set, limit, true)
    }

    fn several(&self, set: &ConstraintSet, k: usize, ordered: bool) -> Solutions {
        let clock = self.start();
        let scope = Scope::of(set);
        let mut solutions = Solutions {
            found: Vec::new(),
            more: None,
            doubt: None,
        };
        while solutions.found.len() < k {
            match self.first(&clock, &scope, &solutions.found, ordered) {
                Ok(Some(next)) => solutions.found.push(next),
                Ok(None) => {
                    solutions.more = Some(false);
                    return solutions;
                }
                Err(reason) => {
                    solutions.doubt = Some(reason);
                    return solutions;
                }
            }
        }
        solutions.more = Some(true);
        solutions
    }

    /// Returns a solution that is none of `but`; the first in the order if `ordered`.
    pub(crate) fn first(
        &self,
        clock: &Clock,
        scope: &Scope<'_>,
        but: &[Ground],
        ordered: bool,
    ) -> Result<Option<Ground>, Reason> {
        // Lengths alone give the first solution, and no other one.
        let accept = |ground: Ground| but.is_empty().then_some(ground);
        self.deepen(clock, scope, accept, |smt, window| {
            let mut session = self.encode(smt, clock, scope, window)?;
            for ground in but {
                session.exclude(ground);
            }
            let sealed = session.seal();
            match sealed.check(&session, &[])? {
                CheckResult::Found if ordered => Ok(session.minimize(&sealed)?.map(Some)),
                CheckResult::Found => Ok(Some(Some(session.solution()?.ground))),
                CheckResult::Refuted => Ok(Some(None)),
                CheckResult::Open => Ok(None),
            }
        })
    }
}

impl Session<'_> {
    /// Asserts that the solution is another one.
    pub(crate) fn exclude(&mut self, ground: &Ground) {
        let mut ways = Vec::new();
        for (k, var) in (0..).zip(self.symbols.dims.clone()) {
            if let Some(dim) = ground.dims.get(&var) {
                ways.push(self.is(Axis::Dim(k), dim).not());
            }
            if ground.zeros.contains(&var) {
                ways.push(self.setting.smt.is_zero(Axis::Dim(k)).not());
            }
        }
        for (k, var) in (0..).zip(self.symbols.rows.clone()) {
            if let Some(row) = ground.rows.get(&var) {
                ways.extend(self.row_differs(k, row));
            }
        }
        self.setting.smt.assert(Bool::or(&ways));
    }

    fn row_differs(&mut self, at: u32, row: &Row) -> Vec<Bool> {
        let (x, y) = (row.leading.len(), row.trailing.len());
        let mut ways = vec![
            self.measure_is(Measure::Leading, at, x as u32).not(),
            self.measure_is(Measure::Trailing, at, y as u32).not(),
        ];
        let front = (0..)
            .zip(&row.leading)
            .map(|(i, dim)| (Axis::Front(at, i), dim));
        let back = (0..)
            .zip(row.trailing.iter().rev())
            .map(|(j, dim)| (Axis::Back(at, j), dim));
        let axes: Vec<(Axis, &Dim)> = front.chain(back).collect();
        for (axis, dim) in axes {
            ways.push(self.is(axis, dim).not());
        }
        ways
    }

    fn is(&mut self, axis: Axis, dim: &Dim) -> Bool {
        let constant = self.symbols.constant(dim);
        self.setting.smt.same(axis, constant)
    }

    fn measure_is(&self, measure: Measure, row: u32, n: u32) -> Bool {
        let smt = self.setting.smt;
        smt.measure(measure, row).eq(smt.number(n))
    }

    /// Returns the first solution in the order, after some solution was found. If the window does not show which is the
    /// first, the one that was found.
    pub(crate) fn first_solution(&mut self, sealed: &Sealed) -> Result<Ground, Reason> {
        let found = self.solution()?.ground;
        Ok(self.minimize(sealed)?.unwrap_or(found))
    }

    /// Descends from the solution that was just found to the first one in the order; `None` if the window does not show
    /// which that is.
    fn minimize(&mut self, sealed: &Sealed) -> Result<Option<Ground>, Reason> {
        let variables = self.symbols.dims.len() + self.symbols.rows.len();
        self.setting
            .clock
            .spend(variables * variables / VARIABLES_A_COMPARISON)?;
        let mut search = Search {
            best: self.solution()?,
            fixed: Vec::new(),
        };
        if !search.lengths(self, sealed)? {
            return Ok(None);
        }
        let dims = self.symbols.dims.len() as u32;
        for at in 0..dims {
            if !search.axis(self, sealed, Axis::Dim(at))? {
                return Ok(None);
            }
        }
        for (at, var) in (0..).zip(self.symbols.rows.clone()) {
            let row = &search.best.ground.rows[&var];
            let (x, y) = (row.leading.len() as u32, row.trailing.len() as u32);
            let axes = (0..x)
                .map(|i| Axis::Front(at, i))
                .chain((0..y).rev().map(|j| Axis::Back(at, j)));
            for axis in axes {
                if !search.axis(self, sealed, axis)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(search.best.ground))
    }
}

/// Tells whether an axis is 0 in a solution.
fn is_zero(session: &Session<'_>, solution: &Solution, axis: Axis) -> bool {
    let Axis::Dim(at) = axis else { return false };
    let var = &session.symbols.dims[at as usize];
    solution.ground.zeros.contains(var)
}

/// A descent to the first solution: the best one so far, and the facts that are settled. A step returns `false` if the
/// window is too narrow.
struct Search {
    best: Solution,
    fixed: Vec<Bool>,
}

impl Search {
    /// Minimises the sum of the ranks, then each rank, then each leading flank.
    fn lengths(&mut self, session: &mut Session<'_>, sealed: &Sealed) -> Result<bool, Reason> {
        let smt = session.setting.smt;
        let rows = session.symbols.rows.len() as u32;
        let ranks: Vec<Int> = (0..rows)
            .map(|row| smt.measure(Measure::Rank, row))
            .collect();
        if ranks.is_empty() {
            return Ok(true);
        }
        let total = |best: &Solution| best.ground.rows.values().map(Row::rank).sum();
        if !self.least(session, sealed, &Int::add(&ranks), total)? {
            return Ok(false);
        }
        for (at, var) in (0..).zip(session.symbols.rows.clone()) {
            let rank = |best: &Solution| best.ground.rows[&var].rank();
            let leading = |best: &Solution| best.ground.rows[&var].leading.len();
            let terms = [Measure::Rank, Measure::Leading].map(|m| smt.measure(m, at));
            if !self.least(session, sealed, &terms[0], rank)?
                || !self.least(session, sealed, &terms[1], leading)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes the term as small as the settled facts allow, and settles it.
    fn least(
        &mut self,
        session: &mut Session<'_>,
        sealed: &Sealed,
        term: &Int,
        value: impl Fn(&Solution) -> usize,
    ) -> Result<bool, Reason> {
        loop {
            let smt = session.setting.smt;
            let here = value(&self.best) as u32;
            let smaller = here.checked_sub(1).map(|less| term.le(smt.number(less)));
            match self.better(session, sealed, smaller)? {
                CheckResult::Found => {}
                CheckResult::Open => return Ok(false),
                CheckResult::Refuted => {
                    self.fixed.push(term.eq(smt.number(here)));
                    return Ok(true);
                }
            }
        }
    }

    /// Gives the axis the first value that the settled facts allow, and settles it.
    fn axis(
        &mut self,
        session: &mut Session<'_>,
        sealed: &Sealed,
        axis: Axis,
    ) -> Result<bool, Reason> {
        loop {
            if is_zero(session, &self.best, axis) {
                // A variable is 0 in the first solution only where it has to be.
                let zero = session.setting.smt.is_zero(axis);
                match self.better(session, sealed, Some(zero.not()))? {
                    CheckResult::Found => continue,
                    CheckResult::Open => return Ok(false),
                    CheckResult::Refuted => {
                        self.fixed.push(zero);
                        return Ok(true);
                    }
                }
            }
            let dim = value_of(session, &self.best, axis);
            let rank = match &dim {
                Dim::Unit => 0,
                atom => {
                    let known = session.symbols.atoms.iter().position(|a| a == atom);
                    1 + known.unwrap_or(session.symbols.atoms.len())
                }
            };
            let earlier = (1..rank as u32).map(|k| Axis::Atom(k - 1));
            let earlier = std::iter::once(Axis::Unit).chain(earlier).take(rank);
            let ways: Vec<Bool> = earlier.map(|e| session.setting.smt.same(axis, e)).collect();
            let smaller = (!ways.is_empty()).then(|| Bool::or(&ways));
            match self.better(session, sealed, smaller)? {
                CheckResult::Found => {}
                CheckResult::Open => return Ok(false),
                CheckResult::Refuted
                    if rank > session.symbols.atoms.len() && session.setting.smt.is_sized() =>
                {
                    return self.least_atom(session, sealed, axis);
                }
                CheckResult::Refuted => {
                    let settled = session.is(axis, &dim);
                    session.keep_distinct();
                    self.fixed.push(settled);
                    return Ok(true);
                }
            }
        }
    }

    /// Gives an axis that is none of the dimensions that the set names the least size that the settled facts allow,
    /// then a basis that the set names, if one is possible.
    fn least_atom(
        &mut self,
        session: &mut Session<'_>,
        sealed: &Sealed,
        axis: Axis,
    ) -> Result<bool, Reason> {
        let smt = session.setting.smt;
        let size =
            |search: &Search, session: &Session<'_>| value_of(session, &search.best, axis).size();
        let mut least = 1;
        while least < size(self, session) {
            let middle = least + (size(self, session) - least) / 2;
            let wish = smt.size(axis).le(Int::from_u64(middle));
            match self.better(session, sealed, Some(wish))? {
                CheckResult::Found => {}
                CheckResult::Open => return Ok(false),
                CheckResult::Refuted => least = middle + 1,
            }
        }
        self.fixed.push(smt.size(axis).eq(Int::from_u64(least)));
        for basis in 0..session.bases.len() as u64 {
            let wish = smt.basis(axis).eq(Int::from_u64(basis));
            match self.better(session, sealed, Some(wish))? {
                CheckResult::Found => break,
                CheckResult::Open => return Ok(false),
                CheckResult::Refuted => {}
            }
        }
        let dim = value_of(session, &self.best, axis);
        let settled = session.is(axis, &dim);
        session.keep_distinct();
        self.fixed.push(settled);
        Ok(true)
    }

    /// Looks for a better solution; without a wish there is none.
    fn better(
        &mut self,
        session: &Session<'_>,
        sealed: &Sealed,
        wish: Option<Bool>,
    ) -> Result<CheckResult, Reason> {
        let Some(wish) = wish else {
            return Ok(CheckResult::Refuted);
        };
        self.fixed.push(wish);
        let step = sealed.check(session, &self.fixed);
        self.fixed.pop();
        if let Ok(CheckResult::Found) = step {
            self.best = session.solution()?;
        }
        step
    }
}

fn value_of(session: &Session<'_>, solution: &Solution, axis: Axis) -> Dim {
    let row = |at: u32| &solution.ground.rows[&session.symbols.rows[at as usize]];
    match axis {
        Axis::Dim(at) => solution.ground.dims[&session.symbols.dims[at as usize]].clone(),
        Axis::Front(at, i) => row(at).leading[i as usize].clone(),
        Axis::Back(at, j) => {
            let trailing = &row(at).trailing;
            trailing[trailing.len() - 1 - j as usize].clone()
        }
        _ => Dim::Unit,
    }
}
