//! The comparisons of parties about equations of shapes.

mod answers;

use lozenge_axon_oracle::Bounds;
use lozenge_axon_spec::{Options, Reading};
use lozenge_axon_vocabulary::Equation;

use super::parties::{ENUMERATION, NATIVE, RULES, Z3, printed};
use super::verdict_table::{by_rules, compare};
use super::{Decide, ShapeSet, Shapes, Verdict};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::{Parties, Party, Said};
use crate::subject::{Answer, Subject};

pub(super) use answers::shapes_answers;

/// The values that a campaign tries.
const BOUNDS: Bounds = Bounds {
    rank: 3,
    size: 4,
    tries: 1 << 14,
};

/// Compares the native procedure with enumeration, and the printed rules in both readings with these.
pub(super) fn shapes(set: &ShapeSet, parties: &mut Parties) -> Option<Comparison> {
    let mut said = ask(set, parties, &[RULES, NATIVE]);
    said.push(tried(set));
    let native = said[1].answer.clone();
    let mut outcome = compare(set, &said);
    let decided = said[1..].iter().find(|one| one.answer.holds.is_some());
    if let (Some(truth), false) = (decided, matches!(outcome, Outcome::Disagree(_))) {
        let unit = Options {
            reading: Reading::Unit,
            ..Options::default()
        };
        let by_unit = by_rules(set, &printed(set, &unit), truth);
        if matches!(by_unit, Outcome::Disagree(_)) {
            outcome = by_unit;
        }
    }
    Some(concluded(set, &native, &said, outcome))
}

/// Compares the native procedure with Z3 and enumeration.
pub(super) fn shapes_oracle(set: &ShapeSet, parties: &mut Parties) -> Option<Comparison> {
    let mut said = ask(set, parties, &[NATIVE, Z3]);
    said.push(tried(set));
    let native = said[0].answer.clone();
    let outcome = compare(set, &said);
    Some(concluded(set, &native, &said, outcome))
}

fn ask(set: &ShapeSet, parties: &mut Parties, asked: &[Party<Shapes>]) -> Vec<Said<Shapes>> {
    let mut said = Vec::new();
    for party in asked {
        if let Some(answer) = parties.ask(party, Decide, set) {
            said.push(Said {
                party: party.name,
                question: Decide,
                answer,
            });
        }
    }
    said
}

/// Returns what enumeration says within the bounds of a campaign.
fn tried(set: &ShapeSet) -> Said<Shapes> {
    let found = lozenge_axon_oracle::enumerate(set.pool(), set.equations(), &BOUNDS, 1);
    let solution = found.solutions.into_iter().next();
    let answer = Verdict {
        text: solution
            .as_ref()
            .map_or_else(String::new, |solution| super::shown(set.pool(), solution)),
        limit: Some("no small solution".to_string()),
        ..Verdict::only(solution.is_some().then_some(true))
    };
    Said {
        party: ENUMERATION.name,
        question: Decide,
        answer: Verdict { solution, ..answer },
    }
}

/// Checks the witnesses of all answers and what a refusal cites.
fn concluded(
    set: &ShapeSet,
    native: &Verdict,
    said: &[Said<Shapes>],
    outcome: Outcome,
) -> Comparison {
    let unfounded = said.iter().find_map(|one| {
        let why = Shapes::check(set, &one.answer).err()?;
        let disagreement = Disagreement::new("a claimed solution is none");
        Some(disagreement.answered(one.party, why).into())
    });
    let cited = || {
        let cited: Vec<Equation> = cited(set, native)?;
        let found = lozenge_axon_oracle::enumerate(set.pool(), &cited, &BOUNDS, 1);
        let solution = found.solutions.first()?;
        let disagreement = Disagreement::new("the cited equations have a solution");
        let disagreement = disagreement.answered(NATIVE.name, native);
        let shown = super::shown(set.pool(), solution);
        Some(disagreement.answered(ENUMERATION.name, shown).into())
    };
    Comparison {
        outcome: unfounded.or_else(cited).unwrap_or(outcome),
        useful: is_useful(set, native),
        answer: native.word(),
    }
}

/// Returns the equations that a refusal cites.
fn cited(set: &ShapeSet, native: &Verdict) -> Option<Vec<Equation>> {
    let indices = native.cited.as_ref()?.iter();
    Some(
        indices
            .map(|index| set.equations()[*index as usize].clone())
            .collect(),
    )
}

/// Tells whether the set is not refused because of one equation without names of shapes, which says nothing about
/// appending.
fn is_useful(set: &ShapeSet, native: &Verdict) -> bool {
    let has_shapes = |equation: &Equation| match equation {
        Equation::Shapes(left, right) => left.shapes().chain(right.shapes()).next().is_some(),
        Equation::Dims(..) => false,
    };
    match cited(set, native).as_deref() {
        Some([one]) => has_shapes(one),
        _ => true,
    }
}
