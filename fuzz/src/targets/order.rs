//! `order`: the same constraints in another order, under other names, with other atoms, mirrored, with axes named, and with
//! constraints that follow.

use lozenge_solver::{Decision, FAILED_CHECK, Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, Ground, Verdict};

use super::comparison::{between, choices, examined, stopped};
use crate::input::Input;
use crate::known_difference::KnownDifference;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::{Parties, answer_of};
use crate::party::SetAnswer;
use lozenge_testkit::rewriting::{
    Naming, mirrored, mirrored_ground, named, named_ground, rebased, rebased_ground, reversed,
    rotated, with_consequences,
};

fn policy(set: &ConstraintSet) -> SetAnswer {
    answer_of(&mut Solver::new(Problem::from(set)), false)
}

/// The answer about a rewritten set, translated back.
fn policy_of(set: &ConstraintSet, back: impl Fn(&Ground) -> Ground) -> SetAnswer {
    let mut answer = policy(set);
    answer.ground = answer.ground.as_ref().map(back);
    answer
}

fn decision(set: &ConstraintSet) -> Decision {
    Solver::new(Problem::from(set)).decide()
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

/// Only the identity of atoms matters: with atoms of one size and different bases the answer is the same.
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

/// Complete mode gives the same verdict for every rewriting of the set.
fn deciding(set: &ConstraintSet, others: &[(&str, &ConstraintSet)]) -> Outcome {
    let Decision {
        verdict: given,
        limit,
        ..
    } = decision(set);
    if limit.as_deref() == Some(FAILED_CHECK) {
        return stopped("complete mode", FAILED_CHECK);
    }
    for (how, other) in others {
        let verdict = decision(other).verdict;
        if verdict != given && verdict != Verdict::Unknown && given != Verdict::Unknown {
            return Disagreement::new("complete mode depends on how the set is written")
                .answered("as given", given)
                .answered(how, verdict)
                .into();
        }
    }
    Outcome::Agree
}

/// The first outcome that is not plain agreement.
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
pub fn order(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Set(set) = input else { return None };
    let given = policy(set);
    let (backwards, rotation, mirror) = (reversed(set), rotated(set), mirrored(set));
    let back = policy(&backwards);
    let turned = policy(&rotation);
    let mirrored = policy_of(&mirror, mirrored_ground);
    let named = policy_of(&named(set), named_ground);
    let more = policy(&with_consequences(set));
    let here = ("as given", &given);
    let outcome = first([
        renaming(set, &given),
        // Where sizes are related, atoms cannot be exchanged for each other.
        match set.has_sizes() {
            true => Outcome::Agree,
            false => rebasing(set, &given),
        },
        choices(set, here, ("reversed", &back), KnownDifference::Restated),
        choices(set, here, ("rotated", &turned), KnownDifference::Restated),
        choices(
            set,
            here,
            ("mirrored", &mirrored),
            KnownDifference::Mirrored,
        ),
        choices(
            set,
            here,
            ("with axes named", &named),
            KnownDifference::Restated,
        ),
        choices(
            set,
            here,
            ("with consequences", &more),
            KnownDifference::Restated,
        ),
        deciding(set, &[("reversed", &backwards), ("mirrored", &mirror)]),
    ]);
    Some(examined(set, given.verdict, outcome))
}
