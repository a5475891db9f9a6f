//! Random operations with closed shapes: the production solver, the transcribed rules, and Def. 7.2 on the values from
//! which they were drawn.

pub mod closed_operation;
mod notation;

use std::cell::RefCell;

use lozenge_solver::project::Projector;

use self::closed_operation::{ClosedOperation, Compared, draw};
use super::systems::Nest;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::Subject;
use crate::subject::party::{Asked, Effort, Parties, Party, Said};
use crate::subject::target::{Hunted, Target};

/// Operations with closed shapes.
pub struct Operations;

/// The question about an operation: its loop nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Project;

/// The production solver.
pub const SOLVER: Party<Operations> = Party {
    name: "solver",
    about: "the production solver",
    questions: &[Project],
    checks: Some(Project),
    make: |effort| {
        Asked::boxed(effort, by_solver, |effort, question, operation| {
            told(by_solver(effort, question, operation))
        })
    },
};

/// The transcribed rules.
pub const RULES: Party<Operations> = Party {
    name: "spec",
    about: "the transcribed rules",
    questions: &[Project],
    checks: Some(Project),
    make: |effort| {
        Asked::boxed(effort, by_rules, |effort, question, operation| {
            told(by_rules(effort, question, operation))
        })
    },
};

/// Def. 7.2 on the values, by the naive closure.
pub const VALUES: Party<Operations> = Party {
    name: "values",
    about: "the naive closure of what the values say",
    questions: &[Project],
    checks: Some(Project),
    make: |effort| {
        Asked::boxed(effort, by_values, |effort, question, operation| {
            told(by_values(effort, question, operation))
        })
    },
};

fn told(nest: Option<Nest>) -> String {
    nest.map_or_else(String::new, |nest| nest.to_string())
}

fn by_solver(_: &Effort, _: Project, operation: &ClosedOperation) -> Option<Nest> {
    let found = PROJECTOR.with_borrow_mut(|projector| operation.by_solver(projector));
    Some(Nest(found))
}

fn by_rules(_: &Effort, _: Project, operation: &ClosedOperation) -> Option<Nest> {
    Some(Nest(operation.by_rules()))
}

/// Says nothing where a shape does not follow from the values.
fn by_values(_: &Effort, _: Project, operation: &ClosedOperation) -> Option<Nest> {
    operation.by_values().map(Nest)
}

impl Subject for Operations {
    const NOUN: &'static str = "an operation with closed shapes";
    const EXTENSION: &'static str = "operation";
    const UNIT: &'static str = "requirements";

    type Instance = ClosedOperation;
    type Question = Project;
    type Answer = Nest;

    const PARTIES: &'static [Party<Operations>] = &[SOLVER, RULES, VALUES];
    const TARGETS: &'static [Target<Operations>] = TARGETS;

    fn compare(operation: &ClosedOperation, _: &[Said<Operations>]) -> Outcome {
        outcome(&PROJECTOR.with_borrow_mut(|projector| operation.compared(projector)))
    }

    fn smaller(operation: &ClosedOperation) -> Vec<ClosedOperation> {
        operation.smaller()
    }

    fn size(operation: &ClosedOperation) -> usize {
        operation.operation.requirements.len()
    }
}

/// The targets.
const TARGETS: &[Target<Operations>] = &[Target {
    name: "projected_operations",
    about: "a random operation with closed shapes: solver, rules, and the naive closure of what its values say",
    questions: &[],
    hunted: Hunted::Always,
    bytes: 160,
    generate: draw,
    examine: operations,
}];

thread_local! {
    // Its tables are kept from one operation to the next, as an inference keeps them.
    static PROJECTOR: RefCell<Projector> = RefCell::default();
}

/// Compares the three ways for an operation.
fn operations(operation: &ClosedOperation, _: &mut Parties) -> Option<Comparison> {
    let compared = PROJECTOR.with_borrow_mut(|projector| operation.compared(projector));
    let (answer, useful) = match compared {
        Compared::Solved(_) => ("solved", true),
        Compared::Refused => ("refused", true),
        Compared::OtherBasis => ("refused by the rules alone", false),
        Compared::Differ(_) => ("different", true),
    };
    Some(Comparison {
        outcome: outcome(&compared),
        useful,
        answer,
    })
}

fn outcome(compared: &Compared) -> Outcome {
    match compared {
        Compared::Solved(_) | Compared::Refused | Compared::OtherBasis => Outcome::Agree,
        Compared::Differ(answers) => Disagreement::new("three ways to project an operation differ")
            .answered("operation, solver, rules, values", answers)
            .into(),
    }
}
