//! Comparisons of two answers about one constraint set.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_solver::{FAILED_CHECK, Problem, Solver};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, DimVar, RowVar, Verdict};

use crate::known_difference::KnownDifference;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::Subject;
use crate::subjects::sets::differences::{COMMITMENT, gap};
use crate::subjects::sets::{SetAnswer, Sets};

/// A party's name with its answer.
pub type Named<'a> = (&'a str, &'a SetAnswer);

/// Says whether no constraint is refused alone.
pub fn useful(set: &ConstraintSet, verdict: Verdict) -> bool {
    let alone = |index: usize| {
        let mut problem = Problem::new();
        problem.push(&set.constraints[index]);
        Solver::new(problem).verdict() == Verdict::Sat
    };
    verdict == Verdict::Sat || (0..set.constraints.len()).all(alone)
}

/// Returns the result to report for a set.
pub fn examined(set: &ConstraintSet, verdict: Verdict, outcome: Outcome) -> Comparison {
    Comparison {
        outcome,
        useful: useful(set, verdict),
        answer: verdict.word(),
    }
}

/// Returns a disagreement between two parties.
pub fn between(check: &str, a: Named<'_>, b: Named<'_>) -> Outcome {
    Disagreement::new(check)
        .answered(a.0, a.1)
        .answered(b.0, b.1)
        .into()
}

/// Checks that every claimed solution is one.
pub fn unsound(set: &ConstraintSet, answers: &[Named<'_>]) -> Option<Outcome> {
    answers.iter().find_map(|(who, answer)| {
        let why = Sets::check(set, answer).err()?;
        let disagreement = Disagreement::new("a claimed solution is none");
        Some(
            disagreement
                .answered(who, answer)
                .answered("Def. 3.4", why)
                .into(),
        )
    })
}

/// Finds two parties of which one says `sat` and another `unsat`, which are claims about the set, whichever party makes
/// them.
pub fn contradiction(answers: &[Named<'_>]) -> Option<Outcome> {
    let says = |verdict| answers.iter().find(|(_, answer)| answer.verdict == verdict);
    let (sat, unsat) = (says(Verdict::Sat)?, says(Verdict::Unsat)?);
    Some(between("sat against unsat", *sat, *unsat))
}

/// Returns a limit that some party reached.
pub fn limit(answers: &[Named<'_>]) -> Option<Outcome> {
    let (who, answer) = answers
        .iter()
        .find(|(_, answer)| answer.verdict == Verdict::Unknown)?;
    Some(stopped(
        who,
        answer.limit.as_deref().unwrap_or("a limit on work"),
    ))
}

/// Makes the outcome that a party says `unknown`. Where it found a defect in itself no limit is the reason, and that is
/// a disagreement.
pub fn stopped(who: &str, reason: &str) -> Outcome {
    match reason == FAILED_CHECK {
        true => Disagreement::new("a solution does not pass its check")
            .answered(who, reason)
            .into(),
        false => Outcome::Unknown(format!("{who}: {reason}")),
    }
}

/// Says whether some variable occurs in two constraints, so that what a policy step loses may depend on when it is
/// taken. Where each constraint stands for itself, two parties that follow the document take the same steps.
pub fn order_matters(set: &ConstraintSet) -> bool {
    let mut seen = BTreeSet::new();
    let mut vars = set.constraints.iter().flat_map(Constraint::vars);
    vars.any(|var| !seen.insert(var))
}

/// Says whether a set has at most one equation between rows, so that at most one marker is placed. Two parties that
/// find the same contents then place it alike: where it was declared, as far as the inequalities leave that open.
fn places_one_marker(set: &ConstraintSet) -> bool {
    let is_equation = |constraint: &&Constraint| matches!(constraint, Constraint::RowEq(..));
    set.constraints.iter().filter(is_equation).count() <= 1
}

/// The values of a solution without the places of its markers.
type Flat = (BTreeMap<DimVar, Dim>, BTreeMap<RowVar, Vec<Dim>>);

fn flat(answer: &SetAnswer) -> Option<Flat> {
    let ground = answer.ground.as_ref()?;
    let rows = ground.rows.iter();
    let rows = rows.map(|(var, row)| (var.clone(), row.flat()));
    Some((ground.dims.clone(), rows.collect()))
}

/// Compares two answers of policy mode: unless a policy step was taken, they have the same verdict and the same values.
pub fn policies(
    set: &ConstraintSet,
    a: Named<'_>,
    b: Named<'_>,
    class: &'static KnownDifference,
) -> Outcome {
    let serious = unsound(set, &[a, b])
        .or_else(|| contradiction(&[a, b]))
        .or_else(|| limit(&[a, b]));
    if let Some(outcome) = serious {
        return outcome;
    }
    // An open size has no greatest value, so each party may give any that satisfies the set.
    let alike = set.has_sizes() || a.1.ground == b.1.ground;
    if a.1.verdict == b.1.verdict && alike {
        Outcome::Agree
    } else if class == &COMMITMENT
        && flat(a.1).is_some()
        && flat(a.1) == flat(b.1)
        && places_one_marker(set)
    {
        between("the only marker is placed otherwise", a, b)
    } else if class == &COMMITMENT && !order_matters(set) {
        between(
            "different policy steps on constraints that share no variable",
            a,
            b,
        )
    } else if a.1.policy_steps + b.1.policy_steps > 0 {
        Outcome::Differ(class)
    } else {
        between("different answers without a policy step", a, b)
    }
}

/// Compares the answers about two rewritings of a set: unless a policy step was taken, they have the same verdict and
/// the same flat contents. The place of a free marker is a choice even where no policy step is on record. Where at most
/// one equation gives rows a content no two places can be declared for one marker, and nothing may differ at all.
pub fn choices(
    set: &ConstraintSet,
    a: Named<'_>,
    b: Named<'_>,
    class: &'static KnownDifference,
) -> Outcome {
    let alike = a.1.verdict == b.1.verdict && flat(a.1) == flat(b.1);
    let outcome = match unsound(set, &[a, b]) {
        Some(outcome) => outcome,
        None if alike && a.1.ground != b.1.ground => Outcome::Differ(class),
        None => policies(set, a, b, class),
    };
    match outcome {
        Outcome::Differ(_) if places_one_marker(set) => between(
            "one equation, and the answer depends on how it is written",
            a,
            b,
        ),
        other => other,
    }
}

/// Compares policy with a party that decides the set: policy may refuse a satisfiable set, and then names the step.
pub fn against_truth(set: &ConstraintSet, policy: Named<'_>, truth: Named<'_>) -> Outcome {
    let answers = [policy, truth];
    let serious = unsound(set, &answers)
        .or_else(|| contradiction(&answers))
        .or_else(|| limit(&answers));
    if let Some(outcome) = serious {
        return outcome;
    }
    match (policy.1.verdict, truth.1.verdict) {
        (_, Verdict::Rejected) => between("a deciding party says rejected", policy, truth),
        (Verdict::Rejected, Verdict::Sat) => match policy.1.gap.and_then(gap) {
            Some(class) => Outcome::Differ(class),
            None => between("a refusal that names no policy step", policy, truth),
        },
        _ => Outcome::Agree,
    }
}
