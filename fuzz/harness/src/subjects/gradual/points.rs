//! `gradual_points`: a program at every small input. Running it by PyTorch's documentation is held against the native procedure, which has two answers: a forward
//! pass on the numbers, and the set that it prints.

use std::collections::BTreeMap;

use lozenge_gradual_solver::{Given, Point, Verdict};
use lozenge_gradual_spec::universe::Universe;
use lozenge_gradual_vocabulary::Program;

use super::native::answer;
use super::standing::{Standing, shown};
use super::transcribed::{count_of, inputs, is_run, named};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The most inputs of a program.
const INPUTS: u128 = 1_500;

/// The most inputs of a program at which the forward pass on numbers is asked, which takes longer than the set.
const PASSES: usize = 40;

/// Compares.
pub fn points(program: &Program, _: &mut Parties) -> Option<Comparison> {
    let mut answer = answer(program)?;
    let universe = universe(program);
    let all = inputs(&universe, program);
    let stride = all.len().div_ceil(PASSES).max(1);
    let (mut ran, mut open, mut from_one) = (0u64, 0u64, false);
    let wrong = |what: &str, runs: bool, input: &BTreeMap<&str, Vec<u64>>, set: String| {
        let input = input
            .iter()
            .map(|(name, shape)| ((*name).to_string(), shape.clone()));
        Disagreement::new(what)
            .answered("the definition", if runs { "runs" } else { "fails" })
            .answered("the input", shown(&input.collect()))
            .answered("solver", set)
    };
    let mut found = None;
    for (at, shapes) in all.iter().enumerate() {
        let input = named(program, shapes);
        let runs = is_run(program, &input);
        let point: Point = input
            .iter()
            .map(|(name, shape)| ((*name).to_string(), Given::Sizes(shape.clone())))
            .collect();
        ran += u64::from(runs);
        if at % stride == 0 {
            match answer.admits(&point) {
                Some(admitted) if admitted != runs => {
                    found = Some(("the pass on numbers is wrong", runs, input));
                    break;
                }
                Some(_) => {}
                None => open += 1,
            }
        }
        // The set is about sizes from 1 on.
        if shapes.iter().flatten().all(|size| *size > 0) {
            from_one |= runs;
            match answer.set_holds(&point) {
                Some(held) if held != runs => {
                    found = Some(("the set is wrong", runs, input));
                    break;
                }
                Some(_) => {}
                None => open += 1,
            }
        }
    }
    if found.is_none() && from_one && answer.verdict() == Verdict::Unsat {
        let input = all
            .iter()
            .map(|shapes| named(program, shapes))
            .find(|input| is_run(program, input));
        found = input.map(|input| ("a program that runs is refused", true, input));
    }
    let outcome = match found {
        Some((what, runs, input)) => wrong(what, runs, &input, answer.text()).into(),
        None if open > 0 => {
            Outcome::Unknown(format!("the native procedure leaves {open} inputs open"))
        }
        None => Outcome::Agree,
    };
    Some(Comparison {
        outcome,
        useful: !all.is_empty() && answer.core().len() != 1,
        answer: crate::subject::Answer::word(&Standing {
            runs: Some(ran > 0),
            ..Standing::default()
        }),
    })
}

/// The largest of some universes that has few enough inputs of a program.
fn universe(program: &Program) -> Universe {
    let all = [
        (5, 3u64),
        (4, 4),
        (4, 3),
        (3, 4),
        (3, 3),
        (3, 2),
        (2, 3),
        (2, 2),
        (1, 2),
    ];
    let universes = all.map(|(rank, most)| Universe::new(rank, 0..=most));
    let mut fitting = universes
        .iter()
        .filter(|one| count_of(one, program) <= INPUTS);
    let largest = fitting.by_ref().max_by_key(|one| count_of(one, program));
    largest.unwrap_or(&universes[universes.len() - 1]).clone()
}
