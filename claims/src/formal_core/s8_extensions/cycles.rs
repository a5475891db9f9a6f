//! The positive cycles of sums of sizes, which are to them what Def. 4.5 is to ranks: `x = y ^ z` says that x is longer
//! than each of its parts.

use crate::formal_core::case::run;
use crate::machinery::{Effort, Finding, Witness};
use lozenge_spec::rules::RULES;
use lozenge_spec::strategy::Strategy;
use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::verdict::Verdict;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A sum, by the numbers of its whole and its parts.
type Sum = [usize; 3];

/// Returns every sum of two parts.
fn sums() -> Vec<Sum> {
    let wholes = 0..NAMES.len();
    wholes
        .flat_map(|whole| {
            (0..NAMES.len()).flat_map(move |a| (a..NAMES.len()).map(move |b| [whole, a, b]))
        })
        .collect()
}

/// Finds sizes for which every whole is longer than each of its parts, found by raising a size as long as a fact asks
/// for it. Without a cycle no size exceeds the number of names.
fn longer_wholes(sums: &[Sum]) -> Option<Vec<usize>> {
    let mut sizes = vec![1; NAMES.len()];
    loop {
        let facts = sums
            .iter()
            .flat_map(|[whole, a, b]| [(*whole, *a), (*whole, *b)]);
        let raised = facts
            .into_iter()
            .find(|(whole, part)| sizes[*whole] <= sizes[*part]);
        let Some((whole, part)) = raised else {
            return Some(sizes);
        };
        sizes[whole] = sizes[part] + 1;
        if sizes[whole] > NAMES.len() {
            return None;
        }
    }
}

fn text(sums: &[Sum]) -> String {
    let lines = sums
        .iter()
        .map(|[whole, a, b]| format!("{} = {} ^ {}", NAMES[*whole], NAMES[*a], NAMES[*b]));
    lines.collect::<Vec<_>>().join("\n")
}

/// Tries sets of one to three sums, or two at quick effort.
pub fn search(effort: Effort) -> Finding {
    let all = sums();
    let mut sets: Vec<Vec<Sum>> = all.iter().map(|sum| vec![*sum]).collect();
    let mut last = sets.clone();
    for _ in 0..if effort == Effort::Quick { 1 } else { 2 } {
        let longer = |set: &Vec<Sum>| {
            let set = set.clone();
            let more = all
                .iter()
                .filter(|sum| set.last().is_none_or(|last| last < *sum));
            more.map(|sum| [set.as_slice(), &[*sum]].concat())
                .collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        sets.extend(last.iter().cloned());
    }
    let (mut cycles, mut by_cycle, mut witness) = (0u64, 0u64, None);
    for sums in &sets {
        let text = text(sums);
        let Ok(set) = text.parse::<ConstraintSet>() else {
            continue;
        };
        let solved = run(&set, Strategy::First, RULES, false);
        let refused = solved
            .failure()
            .is_some_and(|failure| failure.rule == Rule::CoCycle);
        let cyclic = longer_wholes(sums).is_none();
        cycles += u64::from(cyclic);
        by_cycle += u64::from(refused);
        let why = match (cyclic, refused, solved.verdict()) {
            (true, _, Verdict::Unsat) | (false, false, _) => continue,
            (true, ..) => "the facts contradict each other, and the set is not refused",
            (false, true, _) => "co_cycle refuses facts that some sizes satisfy",
        };
        witness.get_or_insert_with(|| Witness::new(text, why));
    }
    let scope = format!(
        "sets of up to {} sums of two parts over four sizes, none of them stated: {cycles} have a cycle of facts, and co_cycle refuses {by_cycle} of them, before which another rule refuses the rest",
        if effort == Effort::Quick { 2 } else { 3 }
    );
    Finding::exhaustive(scope, sets.len() as u64, witness)
}
