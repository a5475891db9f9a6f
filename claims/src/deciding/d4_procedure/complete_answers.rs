//! The answers of complete mode against Lemma 1 at all small lengths, on every small set.

use lozenge_solver::{Options, Problem, Solver};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::{ConstraintSet, Dim, Ground, Order, Verdict};

use crate::deciding::reachability::{Graph, Lengths, all_lengths, values};
use crate::machinery::{Effort, Finding, Witness};

/// The largest number of axes on each side of a marker that are tried where there is no solution.
const LONGEST: usize = 3;

fn scope(effort: Effort) -> Scope {
    let atom = |size| Dim::new(size).unwrap_or(Dim::Unit);
    let (constraints, axes, dims, dim_vars) = match effort {
        Effort::Quick => (2, 1, vec![atom(3)], 0),
        Effort::Full | Effort::Long => (2, 1, vec![atom(3), atom(5)], 0),
    };
    Scope {
        constraints,
        axes,
        dims,
        dim_vars,
        row_vars: 2,
    }
}

/// Decides Decision.12.
pub fn least_and_greatest(effort: Effort) -> Finding {
    let scope = scope(effort);
    let family = Family::new(&scope);
    let (mut instances, mut unknown, mut witness) = (0, 0u64, None);
    for set in (0..family.starts()).flat_map(|start| family.starting_at(start)) {
        for order in [Order::Marked, Order::OneShot] {
            match checked(&set, order) {
                Ok(true) => instances += 1,
                Ok(false) => unknown += 1,
                Err(why) => witness = witness.or(Some(Witness::new(set.to_string(), why))),
            }
        }
    }
    let scope = format!(
        "every set up to symmetry in both orders: {scope}; solutions against all lengths of smaller total rank, refusals against all \
         lengths up to {LONGEST} on each side of a marker; complete mode does not decide {unknown} more"
    );
    Finding::exhaustive(scope, instances, witness)
}

/// Tells whether the set is decided; an error describes a wrong answer.
fn checked(set: &ConstraintSet, order: Order) -> Result<bool, String> {
    let problem = Problem::parse(&set.to_string()).map_err(|error| error.to_string())?;
    let options = Options {
        order,
        ..Options::default()
    };
    let decision = Solver::with(problem, options).decide();
    let solvable = |lengths: &Lengths| {
        Graph::new(set, lengths, order).is_some_and(|graph| graph.is_satisfiable())
    };
    let refuted = |longest: usize, total: usize| {
        let below = |lengths: &Lengths| lengths.values().map(|(x, y)| x + y).sum::<usize>() < total;
        let found = all_lengths(set, longest)
            .into_iter()
            .find(|lengths| below(lengths) && solvable(lengths));
        found.map_or(Ok(true), |found| {
            Err(format!("{order:?}: a solution at {found:?}"))
        })
    };
    match (decision.verdict, decision.solution) {
        (Verdict::Unsat, _) => refuted(LONGEST, usize::MAX),
        (Verdict::Sat, Some(solution)) => {
            let total = is_greatest(set, order, &solution)?;
            refuted(total.saturating_sub(1), total)
        }
        _ => Ok(false),
    }
}

/// Checks that a solution is the greatest one at its lengths, and returns its total rank.
fn is_greatest(set: &ConstraintSet, order: Order, solution: &Ground) -> Result<usize, String> {
    let lengths: Lengths = solution
        .rows
        .iter()
        .map(|(var, row)| (var.clone(), (row.leading.len(), row.trailing.len())))
        .collect();
    let graph = Graph::new(set, &lengths, order).filter(Graph::is_satisfiable);
    let Some(graph) = graph else {
        return Err(format!("{order:?}: this is no solution:\n{solution}"));
    };
    match values(&graph, &lengths, &|node| graph.axis(node)) == *solution {
        true => Ok(lengths.values().map(|(x, y)| x + y).sum()),
        false => Err(format!(
            "{order:?}: this is not the greatest solution at its lengths:\n{solution}"
        )),
    }
}
