//! A decision over lengths alone, for sets that no window settles.
//!
//! 1. Z3 gives lengths that satisfy what Defs. 2.3 and 2.9 (or Rem. 2.15(ii)) require of lengths, and that satisfy none
//!    of the conditions found so far: the least sum of ranks, then the least rank and the least leading flank of each
//!    row variable in turn. If there are none, there is no solution.
//! 2. At these lengths axes are a finite graph ([`graph`]). Without a clash they are a solution: the first one, since
//!    each axis that need not be an atom is the unit.
//! 3. Otherwise two walks meet. They exist at all lengths that satisfy some condition ([`scheme`]), which joins the
//!    others.
//!
//! No lengths are excluded but those at which two walks meet, so nothing here depends on a bound; a bound on the number
//! of clashes ends a search that would not end. Lengths are determined, so the answer is too, whatever Z3 was asked
//! before.

mod form;
mod graph;
mod ranks;
mod scheme;
mod search;
#[cfg(test)]
mod tests;

use lozenge_vocabulary::{Constraint, Dim, Ground, Order, Row};

use crate::encoding::meaning;
use crate::formula::{Axis, LengthFact};
use crate::limits::{Clock, Limits, Reason};
use crate::scope::Scope;
use crate::smt::Smt;
use crate::symbols::{SymbolicRow, Symbols};
use form::{Condition, Point};
use graph::{Comparison, Graph};
use ranks::Ranks;
use search::Search;

/// The constraints of a set, ready for a search.
struct Problem {
    symbols: Symbols,
    comparisons: Vec<Comparison>,
    /// The requirements of the constraints on lengths.
    facts: Vec<LengthFact>,
    ranks: Ranks,
}

impl Problem {
    fn new(clock: &Clock, scope: &Scope<'_>, order: Order) -> Result<Problem, Reason> {
        let mut symbols = Symbols::default();
        scope.vars.iter().for_each(|var| symbols.add(var));
        let (mut comparisons, mut facts) = (Vec::new(), Vec::new());
        for constraint in &scope.constraints {
            clock.left()?;
            comparisons.extend(comparison(constraint, &mut symbols));
            facts.extend(meaning(constraint, order, &mut symbols, 0).lengths);
        }
        Ok(Problem {
            ranks: Ranks::new(symbols.rows.len(), &facts),
            symbols,
            comparisons,
            facts,
        })
    }

    /// Returns the number of written axes.
    fn explicit(&self) -> i64 {
        let rows = self
            .comparisons
            .iter()
            .flat_map(|comparison| &comparison.rows);
        rows.map(SymbolicRow::explicit).sum::<usize>() as i64
    }

    /// Returns the condition under which the set has no axes at lengths like these; `None` if it has axes at these
    /// lengths.
    ///
    /// # Errors
    /// When the condition does not hold at these lengths, which is a defect of this crate.
    fn clash(&self, graph: &mut Graph<'_>, point: &Point) -> Result<Option<Condition>, Reason> {
        let Some(clash) = graph.clash() else {
            return Ok(None);
        };
        let condition = scheme::condition(&self.comparisons, &self.ranks, point, &clash);
        match condition.holds(point) {
            true => Ok(Some(condition)),
            false => Err(Reason::Solver(format!(
                "a clash does not satisfy its own condition: {clash:?} at {point:?}; this is a defect of the oracle"
            ))),
        }
    }

    /// Returns the solution at lengths without a clash.
    fn ground(&self, graph: &Graph<'_>, point: &Point) -> Ground {
        let dim = |atom: Option<usize>| atom.map_or(Dim::Unit, |k| self.symbols.atoms[k].clone());
        let mut ground = Ground::default();
        for (k, var) in (0..).zip(&self.symbols.dims) {
            ground.dims.insert(var.clone(), dim(graph.dim(k)));
        }
        for (k, var) in (0..).zip(&self.symbols.rows) {
            let mut leading: Vec<Dim> = graph.row(k).into_iter().map(dim).collect();
            let trailing = leading.split_off(point.leading(k) as usize);
            ground.rows.insert(var.clone(), Row::new(leading, trailing));
        }
        ground
    }
}

fn comparison(constraint: &Constraint, symbols: &mut Symbols) -> Option<Comparison> {
    let (rows, equal) = match constraint {
        Constraint::DimEq(a, b) => ([a, b].map(|t| one(symbols.axis(t))), true),
        Constraint::DimLe(a, b) => ([a, b].map(|t| one(symbols.axis(t))), false),
        Constraint::RowEq(a, b) => ([a, b].map(|t| symbols.symbolic_row(t)), true),
        Constraint::RowLe(a, b) => ([a, b].map(|t| symbols.symbolic_row(t)), false),
        // Sets with constraints of sizes are not decided here.
        Constraint::Window(_)
        | Constraint::Composite(_)
        | Constraint::Elements(_)
        | Constraint::Flat(_)
        | Constraint::AtLeast { .. } => {
            return None;
        }
    };
    Some(Comparison { rows, equal })
}

/// Returns a dimension as a row.
fn one(axis: Axis) -> SymbolicRow {
    SymbolicRow {
        leading: vec![axis],
        var: None,
        trailing: Vec::new(),
    }
}

/// The number of clashes at the first lengths after which long ones are looked at.
const SHALLOW: u32 = 2;

/// Returns the first solution of the constraints, or `None` if there is none.
///
/// Clashes at long lengths have loops in their walks, so that a few of them exclude almost all lengths, short ones
/// included; of the short ones each would exclude little more than itself.
///
/// # Errors
/// When a limit is reached.
pub(crate) fn decide(
    clock: &Clock,
    limits: &Limits,
    scope: &Scope<'_>,
    order: Order,
) -> Result<Option<Ground>, Reason> {
    let problem = Problem::new(clock, scope, order)?;
    let smt = Smt::new();
    let mut search = Search::new(&smt, clock, &problem)?;
    for clashes in 0..=limits.clashes {
        if clashes == SHALLOW {
            search.dive(problem.explicit())?;
        }
        let Some(point) = search.least_point()? else {
            if search.surface() {
                continue;
            }
            return Ok(None);
        };
        clock.refill(limits);
        let mut graph = Graph::new(&problem.comparisons, &problem.symbols, &point, clock)?;
        match problem.clash(&mut graph, &point)? {
            Some(condition) => search.exclude(&condition)?,
            None if search.surface() => {}
            None => return checked(problem.ground(&graph, &point), scope, order).map(Some),
        }
    }
    Err(Reason::Clashes(limits.clashes))
}

fn checked(ground: Ground, scope: &Scope<'_>, order: Order) -> Result<Ground, Reason> {
    let violates = |constraint: &&&Constraint| ground.satisfies(constraint, order) != Some(true);
    match scope.constraints.iter().find(violates) {
        None => Ok(ground),
        Some(constraint) => Err(Reason::Solver(format!(
            "lengths without a clash violate `{constraint}`; this is a defect of the oracle"
        ))),
    }
}
