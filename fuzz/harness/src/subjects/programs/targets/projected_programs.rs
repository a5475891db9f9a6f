//! `projected_programs`: the index maps of every operation of a whole program, by the solver, the transcribed rules and
//! the naive closure, at the shapes that were inferred.

use lozenge::{Inference, Options, infer};
use lozenge_backend::LoopNest;
use lozenge_spec::projection_solver::Solved;
use lozenge_vocabulary::Ground;
use lozenge_vocabulary::program::Program;
use lozenge_vocabulary::projections::Projections;

use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::pipeline::read;
use crate::subject::party::Parties;
use crate::subjects::operations::closed_operation::{ClosedOperation, Found};
use crate::subjects::programs::reference;

/// Compares a program, operation by operation.
pub fn projected_programs(text: &str, _: &mut Parties) -> Option<Comparison> {
    let (program, _) = read(text).ok()?;
    let comparison = |answer, useful, outcome| {
        Some(Comparison {
            outcome,
            useful,
            answer,
        })
    };
    match infer(&program, &Options::default()) {
        Ok(found) => {
            let mut before = Before::default();
            let outcome = operations(&program, &found, &mut before);
            let answer = match before.closure.iter().all(Option::is_some) {
                true => "projected three times",
                false => "some operations are too large for the closure",
            };
            comparison(answer, true, outcome)
        }
        // Without shapes there is nothing to project; whether they are refused rightly is asked by others.
        Err(_) => comparison("refused", false, Outcome::Agree),
    }
}

/// The solutions of the rules and of the closure for the operations so far: a backward operation has the index maps of
/// its record.
#[derive(Default)]
struct Before {
    rules: Vec<Solved>,
    closure: Vec<Option<Projections>>,
}

fn operations(program: &Program, found: &Inference, before: &mut Before) -> Outcome {
    let solution = found.solver().solution().ground();
    for (number, nest) in found.nests.iter().enumerate() {
        if let Some(disagreement) = operation(program, number, (found, nest), &solution, before) {
            return disagreement.into();
        }
    }
    Outcome::Agree
}

fn operation(
    program: &Program,
    number: usize,
    (found, nest): (&Inference, &LoopNest),
    solution: &Ground,
    before: &mut Before,
) -> Option<Disagreement> {
    let by_solver = projections(nest);
    let by_rules = reference::next_nest(program, number, &found.shapes, &before.rules);
    let by_closure = closed(program, number, found, solution, &before.closure);
    let rules_agree = matches!(&by_rules, Ok((rules, _)) if rules.projections == by_solver);
    let closure_agrees = !matches!(&by_closure, Some(closed) if closed.as_ref() != Ok(&by_solver));
    if rules_agree && closure_agrees {
        before.closure.push(by_closure.and_then(Result::ok));
        before.rules.extend(by_rules.map(|(solved, _)| solved));
        return None;
    }
    let rules = by_rules.map(|(solved, _)| solved.projections);
    Some(
        Disagreement::new("three ways to project an operation of a program differ")
            .answered("operation", format!("{number}: {nest}"))
            .answered("solver", format!("{by_solver:?}"))
            .answered("rules", format!("{rules:?}"))
            .answered("closure", format!("{by_closure:?}")),
    )
}

/// Computes it by the closure; `None` for more axes than its table has room for.
fn closed(
    program: &Program,
    number: usize,
    found: &Inference,
    solution: &Ground,
    before: &[Option<Projections>],
) -> Option<Found> {
    if let Some(record) = &program.steps[number].record {
        let forward = before[record.step].as_ref()?;
        return Some(Ok(forward.permuted(&record.slots)?));
    }
    ClosedOperation::of_program(program, number, &found.shapes, solution)?.by_values()
}

fn projections(nest: &LoopNest) -> Projections {
    let slots = nest.slots();
    Projections {
        factors: nest.factors().iter().map(|factor| factor.size).collect(),
        maps: slots.iter().map(|slot| (*slot.map).clone()).collect(),
        sizes: slots.iter().map(|slot| (*slot.sizes).clone()).collect(),
    }
}
