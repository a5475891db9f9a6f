//! §6: closing, as printed and under the schedule of Rem. 6.3.

mod branching;
mod robustness;

use self::robustness::{rem_6_7_i, rem_6_7_i_repaired, rem_6_7_ii};
use crate::formal_core::case::{
    Case, ORDERS, line, not_below, parsed, purely_semantic, run, solved, universe, witness,
};
use crate::formal_core::property::{Outcome, against};
use crate::formal_core::reading::Reading;
use crate::formal_core::s5_metatheory::final_configuration::{
    extends_up_to_placement, is_only_placements,
};
use crate::formal_core::s5_metatheory::solved_form::prop_5_4_ii_repaired;
use crate::formal_core::strategies::strategies_agree;
use crate::machinery::Check::{Sample, Search, Survey, Theorem};
use crate::machinery::{Claim, Effort, Finding, Property, Subject, Witness};
use crate::printed::{caps_stay, named, reversed};
use lozenge_spec::rules::{Closing, RULES, Rules};
use lozenge_spec::solve::Run;
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::minimise::minimise;
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimVar, RowTerm, RowVar, Var};
use lozenge_vocabulary::verdict::Verdict;
use std::collections::BTreeMap;

pub(super) fn close(set: &ConstraintSet) -> Run {
    run(set, Strategy::First, RULES, true)
}

/// Returns the set with these variables as leaves.
fn tagged(set: &ConstraintSet, leaf: impl Fn(usize, &Var) -> bool) -> ConstraintSet {
    let mut tagged = set.clone();
    let leaves = set
        .vars()
        .into_iter()
        .enumerate()
        .filter(|(i, var)| leaf(*i, var));
    tagged.tags = leaves.map(|(_, var)| (var, Tag::Leaf)).collect();
    tagged
}

/// Returns the set without leaves, with all variables as leaves, and with every second one as a leaf.
fn taggings(set: &ConstraintSet) -> [ConstraintSet; 3] {
    [
        tagged(set, |_, _| false),
        tagged(set, |_, _| true),
        tagged(set, |i, _| i % 2 == 0),
    ]
}

/// Checks that step 3 "cannot fail": with interiors only, every failure after solved form is one of step 3.
fn def_6_1(case: &Case) -> Outcome {
    let run = case.run();
    let resolving = run
        .config
        .commitments
        .iter()
        .any(|c| c.rule == Rule::CloseDeferred);
    (solved(run) || resolving).then_some(())?;
    let failure = case.closed().failure();
    against(
        failure.map(|f| {
            format!("in solved form a word equation is in flight; closing upward fails: {f}")
        }),
    )
}

fn def_6_1_repaired(case: &Case) -> Outcome {
    let run = case.run();
    let deferred = run
        .config
        .commitments
        .iter()
        .any(|c| c.rule == Rule::CloseDeferred);
    (solved(run) && !deferred).then_some(())?;
    against(case.closed().failure().map(ToString::to_string))
}

/// Returns the set with one more use of a variable: a new variable lies below it and is not constrained further.
fn used_once_more(set: &ConstraintSet, var: &Var) -> ConstraintSet {
    let mut used = set.clone();
    used.constraints.push(match var {
        Var::Dim(var) => Constraint::DimLe(DimVar::new("use").into(), var.clone().into()),
        Var::Row(var) => Constraint::RowLe(RowVar::new("use").into(), RowTerm::from(var.clone())),
    });
    used
}

/// Checks that one more use of a variable that does not constrain it changes no value that closing gives.
fn a_use_changes_nothing(case: &Case, rules: Rules) -> Outcome {
    let closed = |set: &ConstraintSet| run(set, Strategy::First, rules, true).greatest();
    let without = closed(&case.set)?;
    let changed = case.set.vars().into_iter().find_map(|var| {
        let mut with = closed(&used_once_more(&case.set, &var)).unwrap_or_default();
        with.dims.remove(&DimVar::new("use"));
        with.rows.remove(&RowVar::new("use"));
        (with != without).then(|| {
            format!(
                "closes to {}; with one more use of {var}, to {}",
                line(&without),
                line(&with)
            )
        })
    });
    against(changed)
}

/// The rules under which Def. 6.1(1) is run as printed.
const BY_NAME: &str =
    "repaired throughout, but leaves close by name, each from its own stored caps";

fn def_6_1_rows(case: &Case) -> Outcome {
    let by_name = Rules {
        close: named,
        ..RULES
    };
    a_use_changes_nothing(case, by_name)
}

fn def_6_1_rows_repaired(case: &Case) -> Outcome {
    a_use_changes_nothing(case, RULES)
}

fn closes_soundly(set: &ConstraintSet, run: &Run) -> Option<String> {
    if run.verdict() == Verdict::Unknown {
        return Some("closing does not end within the limit".into());
    }
    let gamma = run.greatest()?;
    let wrong = gamma
        .first_violated(&set.constraints, lozenge_vocabulary::verdict::Order::Marked)
        .is_some();
    wrong.then(|| {
        format!(
            "closing succeeds with {}, which is no solution",
            line(&gamma)
        )
    })
}

fn prop_6_2(case: &Case) -> Outcome {
    against(closes_soundly(&case.set, case.closed()))
}

fn prop_6_2_repaired(case: &Case) -> Outcome {
    against(
        taggings(&case.set)
            .iter()
            .find_map(|set| closes_soundly(set, &close(set))),
    )
}

/// Returns the calculus in which caps are not forwarded and leaves close in this order.
fn with_order(close: Closing) -> Rules {
    Rules {
        dim_le: caps_stay,
        close,
        ..RULES
    }
}

/// Returns the constraints of Rem. 6.3 in some order, over two names.
fn remark_6_3(order: [usize; 3], [a, b]: [&str; 2]) -> String {
    let lines = [
        format!("3 <= {a}"),
        format!("{a} <= {b}"),
        format!("5 <= {b}"),
    ];
    let lines = order.map(|i| lines[i].as_str()).join("\n");
    format!("{lines}\nleaf {a}, {b}")
}

fn closes_in_every_order() -> bool {
    let closed = |order, names| {
        let set = parsed(&remark_6_3(order, names));
        close(&set).greatest().map(|g| line(&g)).unwrap_or_default()
    };
    ORDERS.into_iter().all(|order| {
        closed(order, ["a", "b"]) == "a = 3, b = 1_" && closed(order, ["b", "a"]) == "a = 1_, b = 3"
    })
}

/// Checks that the commitments of closing without re-solving are no solution. Closing β first fails; closing α first
/// succeeds with β = 1∅; the schedule succeeds in every order of the constraints and with the two names exchanged. The
/// solutions are as listed.
fn rem_6_3(_: Effort) -> Finding {
    let text = remark_6_3([0, 1, 2], ["a", "b"]);
    let set = parsed(&text);
    let committed = [("a", 3), ("b", 5)];
    let dims = committed
        .iter()
        .filter_map(|(name, size)| Some((DimVar::new(name), Dim::new(*size)?)));
    let without_solving_again = Ground {
        dims: dims.collect(),
        ..Ground::default()
    };
    let verdict = |order: Closing| run(&set, Strategy::First, with_order(order), true);
    let first = verdict(named);
    let solutions: Vec<String> = Case::new(set.clone())
        .solutions()
        .iter()
        .map(line)
        .collect();
    let fine = first
        .greatest()
        .is_some_and(|g| line(&g) == "a = 3, b = 1_")
        && verdict(reversed).verdict() == Verdict::Rejected
        && close(&set).verdict() == Verdict::Sat
        && closes_in_every_order()
        && !Case::new(set).is_solution(&without_solving_again)
        && solutions == ["a = 1_, b = 1_", "a = 3, b = 1_"];
    let witness = (!fine).then(|| Witness {
        text,
        why: "closing does not end as printed".into(),
    });
    Finding::exhaustive(
        "the printed example: both closing orders, its solutions, and the schedule in six orders with two namings",
        15,
        witness,
    )
}

/// Tells whether a solution is above all of these, row by row in this order.
fn greatest_of<'g>(
    mut solutions: impl Iterator<Item = &'g Ground>,
    top: &Ground,
    below: fn(&Row, &Row) -> bool,
) -> Outcome {
    against(solutions.find_map(|solution| not_below(solution, top, below)))
}

/// Checks that γ↑ is a solution, and pointwise-greatest among the solutions that extend into the final configuration.
fn greatest_that_extends(case: &Case) -> Outcome {
    let top = case.run().greatest()?;
    if !case.is_solution(&top) {
        return Some(Err(format!("{} is no solution", line(&top))));
    }
    prop_5_4_ii_repaired(case)
}

/// Checks "On placement-undiscriminated inputs … the unqualified claim holds": γ↑ is pointwise-greatest in Sol(Φ₀).
fn prop_6_4_i(case: &Case) -> Outcome {
    let extending = greatest_that_extends(case)?;
    if extending.is_err() || !case.has_no_row_inequality() {
        return Some(extending);
    }
    let top = case.run().greatest()?;
    greatest_of(case.solutions().iter(), &top, Row::below)
}

fn prop_6_4_i_repaired(case: &Case) -> Outcome {
    let extending = greatest_that_extends(case)?;
    if extending.is_err() || !purely_semantic(case.run()) {
        return Some(extending);
    }
    let top = case.run().greatest()?;
    greatest_of(case.solutions().iter(), &top, Row::below)
}

fn prop_6_4_ii(_: Effort) -> Finding {
    let case = Case::new(parsed("<r> ~ [3, 5]"));
    let top = case.run().greatest();
    let incomparable = top.as_ref().is_some_and(|top| {
        case.solutions()
            .iter()
            .any(|g| not_below(g, top, Row::below).is_some())
    });
    let witness = (!incomparable).then(|| Witness {
        text: "<r> ~ [3, 5]".into(),
        why: "γ↑ is greatest".into(),
    });
    Finding::exhaustive(
        "the printed example",
        case.solutions().len() as u64,
        witness,
    )
}

/// Checks `γ(x) ⊑¹ γ↑(x)` for row variables, plain `⊑` for dimension variables; "placement commitments need no
/// exclusion".
fn prop_6_4_iii(case: &Case) -> Outcome {
    is_only_placements(case).then_some(())?;
    let top = case.run().greatest()?;
    greatest_of(case.solutions().iter(), &top, Row::below_one_shot)
}

fn prop_6_4_iii_repaired(case: &Case) -> Outcome {
    is_only_placements(case).then_some(())?;
    let top = case.run().greatest()?;
    let extending = case
        .solutions()
        .iter()
        .filter(|g| extends_up_to_placement(case, g));
    greatest_of(extending, &top, Row::below_one_shot)
}

/// Tests every set of two small scopes with tags given by a function; the first failure is made minimal.
fn each_tagged(leaf: fn(usize, &Var) -> bool, property: Property<Case>) -> Finding {
    let three: Vec<Dim> = Dim::new(3).into_iter().collect();
    let scopes = [
        Scope {
            constraints: 1,
            axes: 2,
            dims: three.clone(),
            dim_vars: 1,
            row_vars: 2,
        },
        Scope {
            constraints: 2,
            axes: 1,
            dims: three,
            dim_vars: 1,
            row_vars: 1,
        },
    ];
    let mut count = 0;
    let words: Vec<String> = scopes.iter().map(Scope::to_string).collect();
    let scope = format!(
        "all constraint sets up to symmetry, with leaves: {}",
        words.join("; ")
    );
    for family in scopes.iter().map(Family::new) {
        for set in (0..family.starts()).flat_map(|i| family.starting_at(i)) {
            let set = tagged(&set, leaf);
            let fails =
                |set: &ConstraintSet| matches!(property(&Case::new(set.clone())), Some(Err(_)));
            match property(&Case::new(set.clone())) {
                None => {}
                Some(Ok(())) => count += 1,
                Some(Err(_)) => {
                    let smallest = minimise(&set, fails);
                    let why = property(&Case::new(smallest.clone()))
                        .and_then(Result::err)
                        .unwrap_or_default();
                    let witness = witness(&smallest, why);
                    return Finding::exhaustive(scope, count + 1, Some(witness))
                        .under(Reading::Repaired);
                }
            }
        }
    }
    Finding::exhaustive(scope, count, None).under(Reading::Repaired)
}

fn is_row(_: usize, var: &Var) -> bool {
    matches!(var, Var::Row(_))
}

/// Returns the leaf rows of the input that have a cap, and whether some cap has an axis that is not ground.
fn capped_leaves(case: &Case) -> Vec<(Var, bool)> {
    let mut leaves: BTreeMap<&RowVar, (bool, bool)> = BTreeMap::new();
    for (cap, var, _) in case.run().config.bounds.caps() {
        let (closed, free) = leaves.entry(var).or_insert((true, false));
        *closed &= cap.var.is_none();
        *free |= cap.axes().any(|axis| axis.var().is_some());
    }
    leaves
        .into_iter()
        .filter(|(_, (closed, _))| *closed)
        .map(|(var, (_, free))| (Var::Row(var.clone()), free))
        .filter(|(var, _)| case.set.tags.contains_key(var))
        .collect()
}

/// Checks "Solutions assigning a concrete atom at a hole exist and are ⊑-incomparable to the committed one."
fn prop_6_5(case: &Case) -> Outcome {
    solved(case.run()).then_some(())?;
    let closed = close(&case.set).greatest()?;
    let leaves = capped_leaves(case);
    if let Some(Err(why)) = least_among(case, &closed, &leaves) {
        return Some(Err(why));
    }
    let (Var::Row(var), _) = leaves.into_iter().find(|(_, hole)| *hole)? else {
        return None;
    };
    let committed = closed.rows.get(&var)?;
    let concrete = case.solutions().iter().find(|g| {
        g.rows.get(&var).is_some_and(|row| {
            row != committed && row.below(committed) && row.flat().iter().all(Dim::is_atom)
        })
    });
    against(concrete.map(|g| {
        format!(
            "closing commits {var} ~ {committed}; {} assigns an atom at the hole and lies below it",
            line(g)
        )
    }))
}

/// Checks that if all caps are ground, the committed value is the least that satisfies the stored bounds.
fn least_among(case: &Case, closed: &Ground, leaves: &[(Var, bool)]) -> Outcome {
    let run = case.run();
    let ground = leaves.iter().find(|(var, hole)| {
        !hole && matches!(var, Var::Row(row) if run.config.bounds.caps().any(|(_, high, _)| high == row))
    })?;
    let (Var::Row(var), _) = ground else {
        return None;
    };
    let committed = closed.rows.get(var)?;
    let own = run.config.bounds.caps().filter(|(_, high, _)| *high == var);
    let caps: Vec<Row> = own.filter_map(|(cap, ..)| cap.ground()).collect();
    let above = |row: &Row| caps.iter().all(|cap| cap.below(row));
    let rows = universe(2).rows();
    let wrong = !above(committed) || rows.iter().any(|row| above(row) && !committed.below(row));
    against(wrong.then(|| format!("{var} ~ {committed} is not the least above its caps")))
}

fn prop_6_5_repaired(case: &Case) -> Outcome {
    solved(case.run()).then_some(())?;
    let closed = close(&case.set).greatest()?;
    let leaves = capped_leaves(case);
    let least = least_among(case, &closed, &leaves);
    if matches!(least, Some(Err(_))) {
        return least;
    }
    let hole = leaves.iter().find(|(_, hole)| *hole)?;
    let Var::Row(var) = &hole.0 else { return None };
    let committed = closed.rows.get(var)?;
    let agrees = |row: &Row| {
        row.leading.len() == committed.leading.len()
            && row.rank() == committed.rank()
            && row
                .flat()
                .iter()
                .zip(committed.flat())
                .all(|(own, fixed)| !fixed.is_atom() || *own == fixed)
    };
    let filled = case
        .solutions()
        .iter()
        .filter_map(|g| g.rows.get(var))
        .find(|row| agrees(row) && !row.below(committed));
    against(
        filled
            .map(|row| format!("{var} ~ {row} fills the holes of {committed} and is not below it")),
    )
}

fn rem_6_6(_: Effort) -> Finding {
    let leaf = parsed("3 <= a\nleaf a");
    let down = close(&leaf).greatest().map(|g| line(&g));
    let up = run(&leaf, Strategy::First, RULES, false)
        .greatest()
        .map(|g| line(&g));
    let fine = down.as_deref() == Some("a = 3") && up.as_deref() == Some("a = 1_");
    let witness = (!fine).then(|| Witness {
        text: leaf.to_string(),
        why: "closing does not end as printed".into(),
    });
    Finding::exhaustive("the printed example", 2, witness)
}

/// The claims of §6.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 6.1",
        "Close leaves downward, re-solve, close interiors upward and re-solve once more (re-emissions against tops discharge by DI-top and Prop. 2.6, so this cannot fail).",
        &[Survey(Reading::Repaired, def_6_1)],
    )
    .repaired(
        "Step 3 cannot fail when no word equation is deferred.",
        &[Survey(Reading::Repaired, def_6_1_repaired)],
    ),
    Claim::new(
        "Prop. 6.2",
        "The interleave terminates, and if no error or fail occurs, γ_close ∈ Sol(Φ₀).",
        &[Survey(Reading::Printed, prop_6_2)],
    )
    .repaired(
        "The same with inequalities by flanks; for no leaves, all leaves, every second one.",
        &[Survey(Reading::Repaired, prop_6_2_repaired)],
    ),
    Claim::new(
        "Prop. 6.2(solution)",
        "With inequalities by flanks: if closing ends without an error or a failure, γ_close ∈ Sol(Φ₀), whichever variables are leaves, in whichever order they are closed and to whichever values.",
        &[Theorem(&["Closing.dims_can_be_closed", "Closing.rows_can_be_closed", "Closing.closing_sound"])],
    ),
    Claim::new(
        "Def. 6.1(rows)",
        "A row variable is bound to the join of the ground parts of its stored caps, with no further axes beyond the caps' extent: so a use of a variable that asks nothing of it changes no value.",
        &[Search(|_| each_tagged(is_row, def_6_1_rows).under(BY_NAME))],
    )
    .repaired(
        "The same when a bare variable that nothing bounds is an adjacency and adds nothing to a bound, at both sorts, and leaves are closed in rounds, those with a hole after those without.",
        &[Search(|_| each_tagged(|_, _| true, def_6_1_rows_repaired))],
    ),
    Claim::new(
        "Rem. 6.3",
        "{3 ⊑ α, α ⊑ β, 5 ⊑ β}, leaves: closing without re-solving violates α ⊑ β; closing α first with re-solving gives a solution, closing β first fails although the solutions are exactly β = 1∅, α ∈ {3, 1∅}; the schedule repairs it, in every order.",
        &[Search(rem_6_3)],
    ),
    Claim::new(
        "Prop. 6.4(i)",
        "γ↑ ∈ Sol(Φ₀) unconditionally; it is pointwise-greatest among the solutions that extend into the final configuration; on placement-undiscriminated inputs that is all of Sol(Φ₀) and the unqualified claim holds.",
        &[Survey(Reading::Repaired, prop_6_4_i)],
    )
    .repaired(
        "γ↑ ∈ Sol(Φ₀) unconditionally; it is pointwise-greatest among the solutions that extend into the final configuration, and in all of Sol(Φ₀) for runs without policy steps.",
        &[Theorem(&["Closing.upward_is_solution", "Closing.upward_extends", "Closing.upward_above_extending", "Closing.upward_above_all"]), Survey(Reading::Repaired, prop_6_4_i_repaired)],
    ),
    Claim::new(
        "Prop. 6.4(ii)",
        "The unqualified marked claim is false: {⟨ρ⟩ ≈ [3, 5]}.",
        &[Theorem(&["Closing.no_greatest_placement"]), Search(prop_6_4_ii)],
    ),
    Claim::new(
        "Prop. 6.4(iii)",
        "For every γ ∈ Sol of Φ₀ plus the run's deferred-equation resolutions and every x ∈ V: γ(x) ⊑¹ γ↑(x) at row sort, plain ⊑ at dimension sort; placement commitments need no exclusion.",
        &[Survey(Reading::Repaired, prop_6_4_iii)],
    )
    .repaired(
        "The same for every γ that extends into the final configuration up to the placements of rows.",
        &[Theorem(&["Closing.upward_above_placements"]), Survey(Reading::Repaired, prop_6_4_iii_repaired)],
    ),
    Claim::new(
        "Prop. 6.5",
        "If all of a leaf's caps are ground, the committed value is the ⊑-least satisfying its stored bounds; at a hole the 1∅ fill is a guess: solutions assigning a concrete atom at a hole exist and are ⊑-incomparable to the committed one.",
        &[Search(|_| each_tagged(is_row, prop_6_5))],
    )
    .repaired(
        "The first half when there is a cap; solutions assigning an atom at a hole, and else the same, lie below the committed value.",
        &[Theorem(&["Closing.committed_least", "Closing.fillings_below"]), Search(|_| each_tagged(is_row, prop_6_5_repaired))],
    ),
    Claim::new(
        "Rem. 6.6",
        "{3 ⊑ α}, α a leaf: closing gives 3, γ↑ gives 1∅.",
        &[Search(rem_6_6)],
    ),
    Claim::new(
        "Rem. 6.7(i)",
        "With transitively closed cap stores leaf closing, from below and one leaf at a time, cannot spuriously fail on hole-free stores at dimension sort; each commitment is the join of every cap the variable will ever receive; closing is order-independent in value.",
        &[Search(rem_6_7_i)],
    )
    .repaired(
        "Closing in rounds depends neither on the order of the constraints nor on names; at dimension sort it cannot fail when an atom lies below every variable that is left.",
        &[Search(rem_6_7_i_repaired)],
    ),
    Claim::new(
        "Rem. 6.7(ii)",
        "Backtracking cannot un-accept: [3]·⟨ρ⟩ ⊑ ⟨ρ⟩·[5] is accepted though unsatisfiable, on every branch. (a) Placement, with |m| + 1 branches for an entailed middle m, recovers exactly the policy rejections. (b) Rotations and sporadic solutions are finitely many.",
        &[Search(rem_6_7_ii)],
    ),
    Claim::new(
        "Rem. 6.7(iii)",
        "Among semantic steps processing order is Sol-irrelevant: selection never affects success versus failure.",
        &[Sample(Reading::Repaired, strategies_agree)],
    ),
    Claim::new(
        "Rem. 6.7(iv)",
        "With placements and word-equation witnesses as branches the solver decides ≈-satisfiability outright, modulo termination on unsatisfiable inputs.",
        &[Search(branching::printed)],
    ),
];
