//! `language`: a program of the surface language through the transcribed rules, the production solver and Z3. The
//! verdicts, the closed shapes and the loop nests of all operations are compared, including those of gradients and
//! counts.

use lozenge::{Options, infer, shape_text};
use lozenge_vocabulary::program::Program;

use super::execution::closed_and_decided;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::pipeline::read;
use crate::subject::party::Parties;
use crate::subjects::programs::reference::{self, Failed};

/// The work that the transcribed rules may do for one program.
const WORK: u64 = 200_000_000;

/// Compares a program that is well-typed by construction, through all parties.
pub fn language(text: &str, parties: &mut Parties) -> Option<Comparison> {
    let (program, constraints) = match read(text) {
        Ok(read) => read,
        Err(message) => {
            return Some(Comparison {
                outcome: Disagreement::new("a program that is well-typed is not read")
                    .answered("reader", message)
                    .into(),
                useful: true,
                answer: "not a program",
            });
        }
    };
    if let Some(ended) = closed_and_decided(constraints, parties)? {
        return Some(ended);
    }
    Some(Comparison {
        outcome: loops(&program),
        useful: true,
        answer: "inferred",
    })
}

/// Compares the shapes and loop nests of the pipeline with those of the transcribed rules.
fn loops(program: &Program) -> Outcome {
    let found = match infer(program, &Options::default()) {
        Ok(found) => found,
        Err(refusal) => {
            return Disagreement::new("a set that closes has no loop nests")
                .answered("lozenge", refusal)
                .into();
        }
    };
    let expected = match reference::infer(program, WORK) {
        Ok(expected) => expected,
        Err(Failed::Work) => return Outcome::Unknown("the limit of the rules".into()),
        Err(Failed::Refused(refusal)) => {
            return Disagreement::new("only the rules refuse")
                .answered("spec", refusal)
                .into();
        }
        Err(Failed::NoNest { operation, message }) => {
            return Disagreement::new("only the rules find no loop nest")
                .answered("spec", format!("operation {operation}: {message}"))
                .into();
        }
    };
    let shapes = found.shapes.iter().zip(expected.shapes.iter());
    for (tensor, (by_solver, by_rules)) in program.tensors.iter().zip(shapes) {
        if by_solver != by_rules {
            return Disagreement::new("another shape")
                .answered("tensor", &tensor.name)
                .answered("lozenge", shape_text(by_solver))
                .answered("spec", shape_text(by_rules))
                .into();
        }
    }
    for (by_solver, by_rules) in found.nests.iter().zip(&expected.nests) {
        if !reference::same_up_to_names(by_rules, by_solver) {
            return Disagreement::new("another loop nest")
                .answered("lozenge", by_solver)
                .answered("spec", by_rules)
                .into();
        }
    }
    Outcome::Agree
}
