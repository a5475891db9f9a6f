//! The verdict table of equations of shapes.
//!
//! The native procedure, Z3 and enumeration decide one question and may not differ. The printed rules may stop short,
//! in one of the ways that have names, or accept what is no size. A set that they refuse has no solution,
//! and a set that they solve has one otherwise.

use lozenge_axon_vocabulary::{DimNode, Equation};

use super::differences::NO_SIZE;
use super::parties::RULES;
use super::{ShapeSet, Shapes, Verdict};
use crate::outcome::{Disagreement, Outcome};
use crate::subject::party::Said;

/// Compares answers about a set.
pub(super) fn compare(set: &ShapeSet, said: &[Said<Shapes>]) -> Outcome {
    let decides = |one: &&Said<Shapes>| one.party != RULES.name;
    let says = |holds: bool| {
        let mut deciding = said.iter().filter(decides);
        deciding.find(|one| one.answer.holds == Some(holds))
    };
    let truth = match (says(true), says(false)) {
        (Some(sat), Some(unsat)) => {
            return Disagreement::new("sat against unsat")
                .answered(sat.party, &sat.answer)
                .answered(unsat.party, &unsat.answer)
                .into();
        }
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => None,
    };
    let rules = said.iter().find(|one| one.party == RULES.name);
    let of_rules = match (rules, truth) {
        (Some(rules), Some(truth)) => by_rules(set, &rules.answer, truth),
        _ => Outcome::Agree,
    };
    if matches!(of_rules, Outcome::Disagree(_)) {
        return of_rules;
    }
    // Enumeration never refutes, so it counts only where it finds something.
    let open = said.iter().filter(decides).find(|one| {
        one.answer.holds.is_none() && (truth.is_none() || one.party != super::ENUMERATION.name)
    });
    match open {
        Some(open) => {
            let limit = open.answer.limit.as_deref().unwrap_or("a limit");
            Outcome::Unknown(format!("{}: {limit}", open.party))
        }
        None => of_rules,
    }
}

/// Compares the answer of the printed rules with that of a party that decides.
pub(super) fn by_rules(set: &ShapeSet, rules: &Verdict, truth: &Said<Shapes>) -> Outcome {
    let differ = |what: &str| {
        Disagreement::new(what)
            .answered(RULES.name, rules)
            .answered(truth.party, &truth.answer)
            .into()
    };
    match (rules.holds, truth.answer.holds) {
        (Some(false), Some(true)) => differ("the printed rules fail on a set with a solution"),
        (Some(true), Some(false)) if asks_for_sizes(set) => Outcome::Differ(&NO_SIZE),
        (Some(true), Some(false)) => differ("the printed rules solve a set without a solution"),
        (None, Some(_)) => match rules.short {
            Some(class) => Outcome::Differ(class),
            None => {
                let limit = rules.limit.as_deref().unwrap_or("a limit");
                Outcome::Unknown(format!("{}: {limit}", RULES.name))
            }
        },
        _ => Outcome::Agree,
    }
}

/// Tells whether a term of the set may be no size: it has an operator, or it is a number below 1.
fn asks_for_sizes(set: &ShapeSet) -> bool {
    let mut dims = set.equations().iter().flat_map(Equation::dims);
    dims.any(|dim| match set.pool().node(dim) {
        DimNode::Op(..) => true,
        DimNode::Number(number) => number < 1,
        DimNode::Var(_) | DimNode::Ragged(_) => false,
    })
}
