//! Statements with values, whose gradients a program computes by the same index maps in permuted slots.

mod definition;
mod drawn;
mod target;

use self::drawn::drawn;
use crate::outcome::Outcome;
use crate::subject::party::{Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Nothing, Subject};

pub use self::drawn::Drawn;

/// Statements with values.
pub struct Gradients;

impl Subject for Gradients {
    const NOUN: &'static str = "a statement with values";
    const EXTENSION: &'static str = "gradients";
    const UNIT: &'static str = "values";

    type Instance = Drawn;
    type Question = Nothing;
    type Answer = Nothing;

    const PARTIES: &'static [Party<Gradients>] = &[];
    const TARGETS: &'static [Target<Gradients>] = TARGETS;

    fn compare(_: &Drawn, _: &[Said<Gradients>]) -> Outcome {
        Outcome::Agree
    }

    fn smaller(drawn: &Drawn) -> Vec<Drawn> {
        drawn.smaller()
    }

    fn size(drawn: &Drawn) -> usize {
        drawn.operands.iter().map(Vec::len).sum()
    }

    fn shown(drawn: &Drawn) -> String {
        drawn.program()
    }
}

/// The targets.
const TARGETS: &[Target<Gradients>] = &[Target {
    name: "gradients",
    about: "the gradients of sums, maxima and minima with windows and concatenated axes, with ties and at kinks: differences and shares by the definition",
    questions: &[],
    hunted: Hunted::WhenAsked,
    bytes: 192,
    generate: drawn,
    examine: target::gradients,
}];
