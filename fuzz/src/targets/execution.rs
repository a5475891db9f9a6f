//! `kernels` and `program`: from the text of a program to numbers, on two engines.

use lozenge_backend::Tensor;
use lozenge_backend::agreement::{bound, ulps};
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::program::Constraints;

use super::{closing, verdicts};
use crate::execution::read;
use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::{Parties, PartyId};
use crate::party::{Answer, Question};

/// Whether every engine has to give the same bits: OpenCL specifies exact results for every function of the program, and
/// not only error bounds.
fn exact(text: &str) -> bool {
    read(text).is_ok_and(|(program, _)| {
        let mut operations = program.operations();
        operations.all(|operation| bound(&operation.function, true) == 0)
    })
}

fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    let equal = |(x, y): (&Tensor, &Tensor)| {
        let mut values = x.values().iter().zip(y.values());
        x.shape() == y.shape() && values.all(|(x, y)| ulps(*x, *y) == 0)
    };
    a.len() == b.len() && a.iter().zip(b).all(equal)
}

fn shapes(tensors: &[Tensor]) -> Vec<&[u64]> {
    tensors.iter().map(Tensor::shape).collect()
}

fn shown(values: &Result<Vec<Tensor>, String>) -> String {
    match values {
        Err(reason) => reason.clone(),
        Ok(tensors) => tensors
            .iter()
            .map(|tensor| format!("{:?} {:?}\n", tensor.shape(), tensor.values()))
            .collect(),
    }
}

/// Compares the interpreter with OpenCL: the same bits, or only the same shapes if a function has just an error bound.
fn engines(text: &str, input: &Input, parties: &mut Parties) -> (Outcome, bool) {
    let Answer::Values(reference) = parties.ask(PartyId::Interpreter, Question::Run, input) else {
        return (Outcome::Unknown("no interpreter".into()), false);
    };
    let runs = reference.is_ok();
    let Answer::Values(kernels) = parties.ask(PartyId::OpenCl, Question::Run, input) else {
        return (Outcome::Unknown("no OpenCL device".into()), runs);
    };
    let agree = match (&reference, &kernels) {
        (Ok(a), Ok(b)) if exact(text) => same(a, b),
        (Ok(a), Ok(b)) => shapes(a) == shapes(b),
        (Err(_), Err(_)) => true,
        _ => false,
    };
    let outcome = if agree {
        Outcome::Agree
    } else {
        Disagreement::new("the engines differ")
            .answered("interpreter", shown(&reference))
            .answered("opencl", shown(&kernels))
            .into()
    };
    (outcome, runs)
}

/// One closed operation on two engines.
pub fn kernels(input: &Input, parties: &mut Parties) -> Option<Comparison> {
    let Input::Program(text) = input else {
        return None;
    };
    read(text).ok()?;
    let (outcome, runs) = engines(text, input, parties);
    Some(Comparison {
        outcome,
        useful: runs,
        answer: if runs { "ran" } else { "refused" },
    })
}

/// The first two stages of a program: its constraints are closed by the rules and by the solver, and decided by complete mode and Z3.
/// The result is the comparison with which it ends there; none if the parties agree that it has shapes.
pub(super) fn closed_and_decided(
    constraints: Constraints,
    parties: &mut Parties,
) -> Option<Option<Comparison>> {
    let set = Input::Set(constraints.set);
    let closed = closing::closing(&set, parties)?;
    // Where the parties close a set differently in a known way, what follows cannot be compared.
    if closed.outcome != Outcome::Agree {
        return Some(Some(closed));
    }
    let decided = verdicts::complete_oracle(&set, parties)?;
    let ends =
        closed.answer != Verdict::Sat.word() || matches!(decided.outcome, Outcome::Disagree(_));
    Some(ends.then_some(Comparison {
        useful: closed.useful,
        answer: closed.answer,
        ..decided
    }))
}

/// A program through all stages: closed by the rules and by the solver, decided by complete mode and Z3, run on two engines.
pub fn program(input: &Input, parties: &mut Parties) -> Option<Comparison> {
    let Input::Program(text) = input else {
        return None;
    };
    let (_, constraints) = match read(text) {
        Ok(program) => program,
        Err(_) => {
            return Some(Comparison {
                outcome: Outcome::Agree,
                useful: false,
                answer: "not a program",
            });
        }
    };
    if let Some(ended) = closed_and_decided(constraints, parties)? {
        return Some(ended);
    }
    let (outcome, runs) = engines(text, input, parties);
    Some(Comparison {
        outcome,
        useful: true,
        answer: if runs { "ran" } else { "no loop nest" },
    })
}
