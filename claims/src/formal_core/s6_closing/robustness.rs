//! Rem. 6.7: closing does not depend on the order of the constraints, and branching over placements recovers solutions.

use std::collections::BTreeMap;

use crate::formal_core::case::{Case, ORDERS, parsed, run, solved, witness};
use crate::formal_core::reading::Reading;
use crate::machinery::{Effort, Finding, Subject, Witness};
use crate::printed::lowest_by_name;
use lozenge_spec::rules::{Closing, RULES, Rules};
use lozenge_spec::solve::Run;
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::{Universe, words};
use lozenge_testkit::minimise::minimise;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Substitution, Var};
use lozenge_vocabulary::verdict::Verdict;

/// Tries dimension sets over three variables and two atoms, every choice of leaves.
fn each_naming(effort: Effort, look: impl Fn(&ConstraintSet) -> Option<String>) -> Finding {
    let names = ["a", "b", "c"];
    let var = |i: usize| DimTerm::Var(DimVar::new(names[i]));
    let mut pool: Vec<Constraint> = Vec::new();
    for atom in [Dim::new(3), Dim::new(5)].into_iter().flatten() {
        pool.extend((0..3).map(|i| Constraint::DimLe(DimTerm::Const(atom.clone()), var(i))));
    }
    for i in 0..3 {
        pool.extend(
            (0..3)
                .filter(|j| i != *j)
                .map(|j| Constraint::DimLe(var(i), var(j))),
        );
    }
    let most = if effort == Effort::Quick { 4 } else { 5 };
    let (mut count, mut found) = (0, None);
    for bits in 0u32..1 << pool.len() {
        if bits.count_ones() > most || found.is_some() {
            continue;
        }
        let chosen: Vec<Constraint> = pool
            .iter()
            .enumerate()
            .filter(|(i, _)| bits >> i & 1 == 1)
            .map(|(_, c)| c.clone())
            .collect();
        for leaves in 0u32..8 {
            let mut set: ConstraintSet = chosen.iter().cloned().collect();
            set.tags = (0..3)
                .filter(|i| leaves >> i & 1 == 1)
                .map(|i| (Var::Dim(DimVar::new(names[i])), Tag::Leaf))
                .collect();
            set.tags.retain(|v, _| chosen.iter().any(|c| c.mentions(v)));
            count += 1;
            if let Some(why) = look(&set) {
                found = Some(Witness {
                    text: set.to_string().trim_end().into(),
                    why,
                });
                break;
            }
        }
    }
    let scope = format!(
        "sets of up to {most} inequalities over three dimension variables, 3 and 5, every choice of leaves, every naming, two orders of the constraints"
    );
    Finding::exhaustive(scope, count, found)
}

/// The result of closing a set in one order of its constraints and under one naming, translated to the names of the
/// set.
type Closed = (Run, BTreeMap<String, String>);

/// Returns the results of closing under each naming of the variables, with the constraints in their order and reversed.
fn closings(set: &ConstraintSet, close: Closing) -> Vec<Closed> {
    let names = ["a", "b", "c"];
    let rules = Rules { close, ..RULES };
    let named = |order: [usize; 3], reversed: bool| {
        let mut by = Substitution::default();
        for (i, name) in names.iter().enumerate() {
            by.dims.insert(
                DimVar::new(name),
                DimTerm::Var(DimVar::new(names[order[i]])),
            );
        }
        let mut renamed: ConstraintSet =
            set.constraints.iter().map(|c| c.substituted(&by)).collect();
        if reversed {
            renamed.constraints.reverse();
        }
        for (i, name) in names.iter().enumerate() {
            if let Some(tag) = set.tags.get(&Var::Dim(DimVar::new(name))) {
                renamed
                    .tags
                    .insert(Var::Dim(DimVar::new(names[order[i]])), *tag);
            }
        }
        let run = run(&renamed, Strategy::First, rules, true);
        let gamma = run.greatest().unwrap_or_default();
        let values = names.iter().enumerate().filter_map(|(i, name)| {
            gamma
                .dims
                .get(&DimVar::new(names[order[i]]))
                .map(|d| (name.to_string(), d.to_string()))
        });
        let values = values.collect();
        (run, values)
    };
    [false, true]
        .into_iter()
        .flat_map(|reversed| ORDERS.map(|order| named(order, reversed)))
        .collect()
}

fn closing_fails(runs: &[Closed]) -> Option<String> {
    runs.iter()
        .find_map(|(run, _)| run.failure())
        .map(|f| format!("closing fails: {f}"))
}

fn order_dependent(runs: &[Closed]) -> Option<String> {
    let (first, values) = runs.first()?;
    let differs = |(run, own): &&Closed| own != values || run.verdict() != first.verdict();
    let (other, own) = runs.iter().find(differs)?;
    let shown = |run: &Run, values: &BTreeMap<String, String>| match run.failure() {
        Some(failure) => failure.to_string(),
        None => format!("{values:?}"),
    };
    Some(format!(
        "in one order {}, in another {}",
        shown(first, values),
        shown(other, own)
    ))
}

/// Tells whether each of these variables that solving leaves open has an atom below it.
fn hole_free(set: &ConstraintSet, leaves_only: bool) -> bool {
    let solved = run(set, Strategy::First, RULES, false);
    solved.verdict() == Verdict::Sat
        && solved.config.unsolved().iter().all(|var| match var {
            Var::Dim(dim) => {
                (leaves_only && !set.tags.contains_key(var))
                    || solved.config.bounds.lower_bound(dim).is_some()
            }
            Var::Row(_) => true,
        })
}

pub(super) fn rem_6_7_i(effort: Effort) -> Finding {
    let printed = |set: &ConstraintSet| {
        let runs = hole_free(set, true).then(|| closings(set, lowest_by_name))?;
        closing_fails(&runs).or_else(|| order_dependent(&runs))
    };
    let finding = each_naming(effort, printed);
    // The enumeration encodes sets as bits; the witness is made minimal like any other.
    let Some(found) = &finding.witness else {
        return finding;
    };
    let smallest = minimise(&parsed(&found.text), |set| printed(set).is_some());
    let why = printed(&smallest).unwrap_or_else(|| found.why.clone());
    Finding::exhaustive(
        finding.scope.clone(),
        finding.instances,
        Some(witness(&smallest, why)),
    )
    .under("repaired throughout, but leaves close one at a time from below, as Rem. 6.3 asks")
}

pub(super) fn rem_6_7_i_repaired(effort: Effort) -> Finding {
    each_naming(effort, |set| {
        let runs = closings(set, RULES.close);
        order_dependent(&runs).or_else(|| {
            hole_free(set, false)
                .then(|| closing_fails(&runs))
                .flatten()
        })
    })
}

/// Returns the sets in which a closed row determines the content of a variable and one inequality may depend on its
/// placement.
fn placed_and_compared() -> Vec<ConstraintSet> {
    let atoms: Vec<Dim> = [Dim::new(3), Dim::new(5)].into_iter().flatten().collect();
    let rows = Universe {
        dims: atoms.clone(),
        rank: 3,
    }
    .rows();
    let row = RowTerm::from(RowVar::new("r"));
    let mut sets = Vec::new();
    for content in words(&atoms, 2) {
        let closed = RowTerm::from(Row::new(Vec::new(), content));
        for other in &rows {
            for low in [true, false] {
                let (a, b) = (row.clone(), RowTerm::from(other.clone()));
                let compared = if low { (a, b) } else { (b, a) };
                let constraints = [
                    Constraint::RowEq(row.clone(), closed.clone()),
                    Constraint::RowLe(compared.0, compared.1),
                ];
                sets.push(constraints.into_iter().collect());
            }
        }
    }
    sets
}

/// Tells whether the set is accepted with one of the |m| + 1 placements of ⟨r⟩'s content stated in front of it.
fn some_placement_succeeds(set: &ConstraintSet) -> bool {
    let [Constraint::RowEq(row, closed), ..] = set.constraints.as_slice() else {
        return false;
    };
    let content: Vec<Dim> = closed.axes().filter_map(DimTerm::ground).cloned().collect();
    Row::placements(&content).any(|placed| {
        let placed = RowTerm::from(placed);
        let exactly = [
            Constraint::RowLe(row.clone(), placed.clone()),
            Constraint::RowLe(placed, row.clone()),
        ];
        let branch: ConstraintSet = exactly.into_iter().chain(set.constraints.clone()).collect();
        solved(&run(&branch, Strategy::First, RULES, false))
    })
}

/// Checks that the leak is on every branch, of which there is one. The branches over placements accept exactly the
/// satisfiable sets, and so recover exactly those that the policy refuses.
pub fn rem_6_7_ii(_: Effort) -> Finding {
    let leak = Case::new(parsed("[3 <r>] <= [<r> 5]")).under(Reading::Printed);
    let no_choice = leak.run().config.commitments.is_empty();
    let leaks =
        leak.run().verdict() == Verdict::Sat && leak.has_solution() == Some(false) && no_choice;
    let sets = placed_and_compared();
    let (mut recovered, mut wrong) = (0, None);
    for set in &sets {
        let case = Case::new(set.clone());
        let found = some_placement_succeeds(set);
        recovered += u64::from(found && case.run().verdict() == Verdict::Rejected);
        // A solution has the content of the closed row, which has at most two axes, so the universe contains it.
        if case.has_solution() != Some(found) {
            wrong.get_or_insert(witness(set, "the branches decide otherwise"));
        }
    }
    if !leaks || recovered == 0 {
        wrong.get_or_insert(witness(&leak.set, "not accepted on its one branch"));
    }
    Finding::exhaustive(
        format!(
            "the printed leak; `<r>` equal to a closed row of up to two axes over 3 and 5 and compared with any row of up to three: \
             {recovered} refused by the policy and recovered by another placement; the families of (b) are Def. 4.3(c) and (d)"
        ),
        sets.len() as u64 + 1,
        wrong,
    )
}
