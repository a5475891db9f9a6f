//! Statements with concatenated axes, windows and products: their loop nests and the points of their specs.

mod regions;
pub mod written_operation;
pub mod written_shape;

use crate::outcome::Outcome;
use crate::subject::party::{Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Nothing, Subject};

use self::written_operation::{WrittenOperation, draw};

/// Statements with specs.
pub struct Statements;

impl Subject for Statements {
    const NOUN: &'static str = "a statement";
    const EXTENSION: &'static str = "statement";
    const UNIT: &'static str = "labels";

    type Instance = WrittenOperation;
    type Question = Nothing;
    type Answer = Nothing;

    const PARTIES: &'static [Party<Statements>] = &[];
    const TARGETS: &'static [Target<Statements>] = TARGETS;

    fn compare(_: &WrittenOperation, _: &[Said<Statements>]) -> Outcome {
        Outcome::Agree
    }

    fn smaller(statement: &WrittenOperation) -> Vec<WrittenOperation> {
        statement.smaller()
    }

    fn size(statement: &WrittenOperation) -> usize {
        statement.sizes.len()
    }

    fn shown(statement: &WrittenOperation) -> String {
        statement.program()
    }
}

/// The targets.
const TARGETS: &[Target<Statements>] = &[Target {
    name: "regions",
    about: "a statement with concatenated axes, windows and products: its loop nests, point by point, and the meaning of its spec",
    questions: &[],
    hunted: Hunted::Always,
    bytes: 192,
    generate: draw,
    examine: regions::regions,
}];
