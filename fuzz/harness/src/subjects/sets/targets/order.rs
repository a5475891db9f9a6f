//! `order`: the same constraints in another order, under other names, with other atoms, mirrored, with axes named, and
//! with constraints that follow.

use lozenge_solver::{Decision, FAILED_CHECK, Limits, Options, Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, Ground, Verdict};

use super::comparison::{between, choices, examined, stopped};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;
use crate::subjects::sets::differences::{MIRRORED, RESTATED};
use crate::subjects::sets::{SetAnswer, answer_of};
use lozenge_testkit::rewriting::{
    Naming, mirrored, mirrored_ground, named, named_ground, rebased, rebased_ground, reversed,
    rotated, with_consequences,
};

fn policy(set: &ConstraintSet) -> SetAnswer {
    answer_of(&mut Solver::new(Problem::from(set)), false)
}

/// Returns the answer about a rewritten set, translated back.
fn policy_of(set: &ConstraintSet, back: impl Fn(&Ground) -> Ground) -> SetAnswer {
    let mut answer = policy(set);
    answer.ground = answer.ground.as_ref().map(back);
    answer
}

/// Decides a set with little work, since complete mode is asked about many rewritings.
fn decision(set: &ConstraintSet) -> Decision {
    let limits = Limits {
        work: 1 << 22,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    Solver::with(Problem::from(set), options).decide()
}

/// Names have no meaning: the answer is the same up to names, and so are the policy steps.
fn renaming(set: &ConstraintSet, given: &SetAnswer) -> Outcome {
    let naming = Naming::reversed(set);
    let renamed = policy_of(&naming.set(set), |ground| naming.ground(ground));
    if renamed == *given {
        Outcome::Agree
    } else {
        between(
            "names change the answer",
            ("as given", given),
            ("renamed", &renamed),
        )
    }
}

/// Compares with other atoms, since only the identity of atoms matters: with atoms of one size and different bases the
/// answer is the same.
fn rebasing(set: &ConstraintSet, given: &SetAnswer) -> Outcome {
    let mut expected = given.clone();
    expected.ground = given.ground.as_ref().map(rebased_ground);
    let based = policy(&rebased(set));
    if based == expected {
        Outcome::Agree
    } else {
        between(
            "the choice of atoms changes the answer",
            ("as given, with the other atoms", &expected),
            ("with the other atoms", &based),
        )
    }
}

/// Checks that complete mode gives the same verdict and the same least rank for every rewriting of the set.
fn deciding(set: &ConstraintSet, others: &[(&str, &ConstraintSet)]) -> Outcome {
    let given = decision(set);
    if given.limit.as_deref() == Some(FAILED_CHECK) {
        return stopped("complete mode", FAILED_CHECK);
    }
    let shown = |decision: &Decision| match decision.rank {
        Some(rank) => format!("{}, of rank {rank}", decision.verdict),
        None => decision.verdict.to_string(),
    };
    for (how, other) in others {
        let other = decision(other);
        if [&given, &other]
            .iter()
            .any(|one| one.verdict == Verdict::Unknown)
        {
            continue;
        }
        let are_least = given.least && other.least;
        if given.verdict != other.verdict || (are_least && given.rank != other.rank) {
            return Disagreement::new("complete mode depends on how the set is written")
                .answered("as given", shown(&given))
                .answered(how, shown(&other))
                .into();
        }
    }
    Outcome::Agree
}

/// Returns the first outcome that is not plain agreement.
fn first(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
    let mut tolerated = Outcome::Agree;
    for outcome in outcomes {
        match outcome {
            Outcome::Disagree(_) => return outcome,
            Outcome::Agree => {}
            other if tolerated == Outcome::Agree => tolerated = other,
            _ => {}
        }
    }
    tolerated
}

/// Compares the production solver with itself.
pub fn order(set: &ConstraintSet, _: &mut Parties) -> Option<Comparison> {
    let given = policy(set);
    let (backwards, rotation, mirror) = (reversed(set), rotated(set), mirrored(set));
    let back = policy(&backwards);
    let turned = policy(&rotation);
    let mirrored = policy_of(&mirror, mirrored_ground);
    let (with_names, with_more) = (named(set), with_consequences(set));
    let named = policy_of(&with_names, named_ground);
    let more = policy(&with_more);
    let here = ("as given", &given);
    let outcome = first([
        renaming(set, &given),
        // Where sizes are related, atoms cannot be exchanged for each other.
        match set.has_sizes() {
            true => Outcome::Agree,
            false => rebasing(set, &given),
        },
        choices(set, here, ("reversed", &back), &RESTATED),
        choices(set, here, ("rotated", &turned), &RESTATED),
        choices(set, here, ("mirrored", &mirrored), &MIRRORED),
        choices(set, here, ("with axes named", &named), &RESTATED),
        choices(set, here, ("with consequences", &more), &RESTATED),
        deciding(
            set,
            &[
                ("reversed", &backwards),
                ("rotated", &rotation),
                ("renamed", &Naming::reversed(set).set(set)),
                ("mirrored", &mirror),
                ("with axes named", &with_names),
                ("with consequences", &with_more),
            ],
        ),
    ]);
    Some(examined(set, given.verdict, outcome))
}
