//! Rem. 6.7(iv): satisfiability is decidable by branching. The complete mode of the production solver is compared with
//! Def. 3.4 and Z3, which know no rule.

use crate::formal_core::case::{by_z3, line, parsed, witness};
use crate::machinery::{Effort, Finding, Witness};
use lozenge_solver::{Decision, Problem, Solver};
use lozenge_testkit::sampling::{LARGER, set};
use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::RowVar;
use lozenge_vocabulary::verdict::{Order, Verdict};

/// Two rows with the same content and with markers at opposite edges double the length of any row below both. So the
/// least rank of a solution is exponential in the number of variables, and no bound that adds up written axes suffices.
const DOUBLING: &str = "<a> ~ [3, 3, 3, 3]
<b> ~ <a>
<r> <= <a>
<r> <= <b>
<c> ~ <r>
<d> ~ <r>
<c> <= <a>
<d> <= <b>
<s> <= <c>
<s> <= <d>
<x> ~ <s>
<x> <= <c>
[5 <x>] <= <x>
[<d> 5] <= <d>";

/// A solution of that set: for each variable the numbers of axes of size 3 before and after its marker.
const SOLUTION: [(&str, usize, usize); 7] = [
    ("a", 0, 4),
    ("b", 4, 0),
    ("r", 4, 4),
    ("c", 0, 8),
    ("d", 8, 0),
    ("s", 8, 8),
    ("x", 0, 16),
];

fn solution() -> Ground {
    let threes = |n: usize| -> Vec<Dim> { (0..n).filter_map(|_| Dim::new(3)).collect() };
    let rows = SOLUTION
        .map(|(name, front, back)| (RowVar::new(name), Row::new(threes(front), threes(back))));
    Ground {
        rows: rows.into_iter().collect(),
        ..Ground::default()
    }
}

fn satisfies(gamma: &Ground, set: &ConstraintSet) -> bool {
    gamma
        .first_violated(&set.constraints, Order::Marked)
        .is_none()
}

fn decide(set: &ConstraintSet) -> Decision {
    Solver::new(Problem::from(set)).decide()
}

/// Finds the mistake in a decision: a "solution" that does not satisfy the set, or a refusal of a satisfiable set.
fn wrong(set: &ConstraintSet, decision: &Decision) -> Option<String> {
    if let Some(gamma) = &decision.solution
        && !satisfies(gamma, set)
    {
        return Some(format!(
            "the search finds {}, which is no solution",
            line(gamma)
        ));
    }
    (decision.verdict == Verdict::Unsat && by_z3(set) == Some(true))
        .then(|| "the search finds no solution, and Z3 finds one".into())
}

/// The procedure that is run, in words.
const SEARCH: &str = "the complete mode of the production solver, which decides over the lengths of rows instead of branching";

/// Checks Rem. 6.7(iv) as printed, and with termination: complete mode finds a solution where there is one, including
/// one of the set that doubles, and refuses sets that have none.
pub fn printed(effort: Effort) -> Finding {
    let (set, gamma) = (parsed(DOUBLING), solution());
    if !satisfies(&gamma, &set) || decide(&set).verdict != Verdict::Sat {
        let why = format!("no solution is found, and {} is one", line(&gamma));
        let scope = "the set in which the least rank doubles from variable to variable";
        return Finding::exhaustive(scope, 1, Some(witness(&set, why))).under(SEARCH);
    }
    sampled(effort)
}

fn sampled(effort: Effort) -> Finding {
    let tried = effort.samples() / 4;
    let (mut found, mut refused, mut unknown) = (0u64, 0u64, 0u64);
    for index in 0..tried {
        let set = set(&LARGER, index);
        let decision = decide(&set);
        match decision.verdict {
            Verdict::Sat => found += 1,
            Verdict::Unsat => refused += 1,
            Verdict::Rejected | Verdict::Unknown => unknown += 1,
        }
        if let Some(why) = wrong(&set, &decision) {
            let text = set.to_string().trim_end().to_string();
            let witness = Witness::new(text, why);
            return Finding::sampled("random sets", index + 1, Some(witness)).under(SEARCH);
        }
    }
    let scope = format!(
        "the set in which the least rank doubles from variable to variable, and {tried} random sets: {found} with a solution \
         that satisfies the set, {refused} refused, of which Z3 finds no solution, {unknown} left unknown"
    );
    Finding::sampled(scope, found + refused, None).under(SEARCH)
}
