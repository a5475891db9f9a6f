//! Gadgets as sets: complete mode of the solver and the oracle decide them.

use lozenge_oracle::Oracle;
use lozenge_solver::{Decision, Options, Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

use crate::machinery::{Effort, Finding, Witness};

/// The findings about some sets. The oracle is a second opinion: where it does not know, this is counted.
#[derive(Default)]
struct Tried {
    sets: u64,
    by_oracle: u64,
    witness: Option<Witness>,
}

impl Tried {
    /// Decides a set that is expected to have a solution, or none.
    fn decide(&mut self, text: &str, expected: bool) {
        self.sets += 1;
        let expected = if expected {
            Verdict::Sat
        } else {
            Verdict::Unsat
        };
        let Some((decision, set)) = decided(text) else {
            return self.against(text, "the set cannot be read".into());
        };
        let oracle = Oracle::new(Order::Marked).sat(&set).verdict();
        if oracle != Verdict::Unknown {
            self.by_oracle += 1;
        }
        if decision.verdict != expected {
            self.against(text, format!("complete mode says {:?}", decision.verdict));
        }
        if oracle != Verdict::Unknown && oracle != expected {
            self.against(text, format!("the oracle says {oracle:?}"));
        }
    }

    fn against(&mut self, text: &str, why: String) {
        self.witness.get_or_insert_with(|| Witness::new(text, why));
    }

    fn finding(self, scope: &str) -> Finding {
        let scope = format!(
            "{scope}, each decided for rows of any length by complete mode, and {} of them by the oracle as well",
            self.by_oracle
        );
        Finding::exhaustive(scope, self.sets, self.witness)
    }
}

fn decided(text: &str) -> Option<(Decision, ConstraintSet)> {
    let problem = Problem::parse(text).ok()?;
    let set = problem.to_set();
    Some((Solver::with(problem, Options::default()).decide(), set))
}

/// Returns rows of one content with their markers at opposite edges, and a row below both, `levels` times.
fn tower_of(levels: usize) -> String {
    let pins = |i: usize| format!("[5 <a{i}>] <= <a{i}>\n[<b{i}> 5] <= <b{i}>\n");
    let mut text = format!("<a0> ~ [3, 3]\n<b0> ~ <a0>\n{}", pins(0));
    for i in 0..levels {
        let j = i + 1;
        text += &format!("<r{i}> <= <a{i}>\n<r{i}> <= <b{i}>\n<a{j}> ~ <r{i}>\n<b{j}> ~ <r{i}>\n");
        text += &pins(j);
    }
    text
}

/// Decides Decision.9(tower).
pub fn tower(effort: Effort) -> Finding {
    let highest = match effort {
        Effort::Quick => 4,
        Effort::Full | Effort::Long => 12,
    };
    let mut witness = None;
    for levels in 0..=highest {
        // Two rows of 2·2ⁱ axes for each i up to n, and between each two levels a row as long as the upper one.
        let expected: u64 = 4 + (1..=levels).map(|i| 3 * (2u64 << i)).sum::<u64>();
        let text = tower_of(levels);
        let found = decided(&text).map(|(decision, _)| (decision.rank, decision.least));
        if found != Some((Some(expected), true)) {
            let why = format!("{expected} is expected, and found is {found:?}");
            witness = witness.or(Some(Witness::new(text, why)));
        }
    }
    let scope = format!(
        "towers of 0 to {highest} levels by complete mode, which says that the rank is the least"
    );
    Finding::exhaustive(scope, highest as u64 + 1, witness)
}

/// Returns the set in which the rank of `<u>` is the sum of those of `<i>` and `<j>`, whose axes are units.
fn exact_sum() -> &'static str {
    "<c> ~ [<i> 7]
[<c> 5] <= <c>
<d> ~ [7 <j>]
[5 <d>] <= <d>
<e> ~ <i>
<c> <= <e>
<f> ~ <j>
<d> <= <f>
<u> <= <e>
<u> <= <f>
<v> <= <c>
<v> <= <d>
<v1> ~ <v>
<v2> ~ <v>
[1_ <v1>] <= <v1>
[<v2> 1_] <= <v2>
<v1> <= <u>
<v2> <= <u>
"
}

/// Decides Decision.10(reached).
pub fn sum(effort: Effort) -> Finding {
    let most = match effort {
        Effort::Quick => 1,
        Effort::Full | Effort::Long => 2,
    };
    let mut tried = Tried::default();
    for i in 0..=most {
        for j in 0..=most {
            for k in 0..=i + j + 2 {
                let units = |n: usize| vec!["1_"; n].join(", ");
                let ranks = [("i", i), ("j", j), ("u", k)]
                    .map(|(row, n)| format!("<{row}> ~ [{}]\n", units(n)));
                tried.decide(&format!("{}{}", exact_sum(), ranks.concat()), k == i + j);
            }
        }
    }
    tried.finding(&format!(
        "all ranks of <i> and <j> up to {most}, and of <u> up to their sum and 2"
    ))
}

/// Decides Decision.11.
pub fn colouring(_: Effort) -> Finding {
    let mut tried = Tried::default();
    let axes = ["1_", "3", "5", "7", "9"];
    let equation = "[a, b, x, y, z, t <w>] ~ [<w> 3, 5, 7, 3, 7, 5]";
    for a in axes {
        for b in axes {
            let is_colour = |axis: &str| ["3", "5", "7"].contains(&axis);
            let expected = is_colour(a) && is_colour(b) && a != b;
            tried.decide(&format!("{equation}\na = {a}\nb = {b}\n"), expected);
        }
    }
    tried.finding("all values of a and b among 1_, 3, 5, 7 and 9")
}
