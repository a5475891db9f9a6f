//! Programs of the gradual tensor calculus: its transcribed rules and PyTorch's operations compared with the native
//! procedure, which takes a program as the graph of a model, and with Z3.
//!
//! A program that runs has a static migration, and one that has a static migration is typable. The parties decide
//! different steps of this chain, and the verdict table is the chain.

mod native;
mod points;
mod profiles;
mod smt;
mod standing;
mod transcribed;
mod types;

use lozenge_gradual_vocabulary::Program;
use lozenge_testkit::gradual::{program, smaller};

use crate::outcome::Outcome;
use crate::subject::Subject;
use crate::subject::party::{Asked, Party, Said};
use crate::subject::target::{Hunted, Target};

pub use standing::{Input, Standing};

/// Programs of the gradual calculus.
pub struct Gradual;

/// The question about a program: where it stands in the chain from running to being refused by a type rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stands;

/// The transcribed rules.
pub const RULES: Party<Gradual> = Party {
    name: "spec",
    about: "the rules of the paper, repaired, and running what is small",
    questions: &[Stands],
    checks: Some(Stands),
    make: |effort| Asked::boxed(effort, transcribed::standing, transcribed::told),
};

/// The native procedure.
pub const NATIVE: Party<Gradual> = Party {
    name: "solver",
    about: "the inverse image of shape inference, sizes from 1 on",
    questions: &[Stands],
    checks: Some(Stands),
    make: |effort| Asked::boxed(effort, native::standing, native::told),
};

/// Z3.
pub const ORACLE: Party<Gradual> = Party {
    name: "oracle",
    about: "Z3, from PyTorch's documentation, ranks up to 4",
    questions: &[Stands],
    checks: Some(Stands),
    make: |effort| Asked::boxed(effort, smt::standing, smt::told),
};

impl Subject for Gradual {
    const NOUN: &'static str = "a program of the gradual calculus";
    const EXTENSION: &'static str = "grad";
    const UNIT: &'static str = "expressions";

    type Instance = Program;
    type Question = Stands;
    type Answer = Standing;

    const PARTIES: &'static [Party<Gradual>] = &[RULES, NATIVE, ORACLE];
    const TARGETS: &'static [Target<Gradual>] = TARGETS;

    fn rules() -> Vec<&'static str> {
        types::rules()
    }

    fn compare(_: &Program, said: &[Said<Gradual>]) -> Outcome {
        standing::compare(said)
    }

    fn read(bytes: &[u8]) -> Result<Program, String> {
        let read = lozenge_gradual_vocabulary::grad::read_bytes(bytes);
        let (program, _) = read.map_err(|error| {
            let before = &bytes[..error.span.start.min(bytes.len())];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let mut own = before.rsplit(|byte| *byte == b'\n');
            let own = String::from_utf8_lossy(own.next().unwrap_or_default());
            let column = own.chars().count() + 1;
            format!("line {line}, column {column}: {error}: {}", error.help)
        })?;
        Ok(program)
    }

    fn check(program: &Program, standing: &Standing) -> Result<(), String> {
        match &standing.input {
            None => Ok(()),
            Some(input) => transcribed::replayed(program, input),
        }
    }

    fn smaller(program: &Program) -> Vec<Program> {
        smaller(program)
    }

    fn size(program: &Program) -> usize {
        program.body.expressions().len()
    }

    fn features(program: &Program) -> crate::features::Features {
        types::features(program)
    }
}

/// The targets.
const TARGETS: &[Target<Gradual>] = &[
    Target {
        name: "gradual_points",
        about: "programs of the gradual calculus: running every small input, and the native procedure at it",
        questions: &[Stands],
        hunted: Hunted::Always,
        bytes: 160,
        generate: program,
        examine: points::points,
    },
    Target {
        name: "gradual_types",
        about: "programs of the gradual calculus: the repaired type rules, runs, migrations and constraints",
        questions: &[Stands],
        hunted: Hunted::Always,
        bytes: 160,
        generate: program,
        examine: types::types,
    },
    Target {
        name: "gradual_profiles",
        about: "programs of the gradual calculus at one rank of each input: the native procedure and Z3, about all sizes",
        questions: &[Stands],
        hunted: Hunted::Seldom,
        bytes: 160,
        generate: program,
        examine: profiles::profiles,
    },
];
