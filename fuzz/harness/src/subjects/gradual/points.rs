//! `gradual_points`: a program at every small input. Running it by PyTorch's documentation is held against the native
//! procedure, which has two answers: a forward pass on the numbers, and the set that it prints. Where it says that a
//! size may be 0 too, that is run as well.

use std::collections::BTreeMap;

use lozenge_gradual_solver::{Answer, Given, Point, Verdict};
use lozenge_gradual_spec::universe::Universe;
use lozenge_gradual_vocabulary::Program;

use super::native::{self, answer};
use super::standing::{Standing, shown};
use super::transcribed::{count_of, inputs, is_run, named};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The most inputs of a program.
const INPUTS: u128 = 1_500;

/// The most inputs of a program at which the forward pass on numbers is asked, which takes longer than the set.
const PASSES: usize = 40;

/// The shapes of inputs by their names.
type Shapes<'p> = BTreeMap<&'p str, Vec<u64>>;

/// The findings at the inputs of a program.
#[derive(Default)]
struct Found<'p> {
    /// True if some input runs.
    runs: bool,
    /// True if some input without a 0 runs.
    runs_from_one: bool,
    /// True if the native procedure leaves an input open.
    is_open: bool,
    /// The first mistake, with the input that shows it, and true if that input runs.
    wrong: Option<(&'static str, bool, Shapes<'p>)>,
}

/// Compares.
pub fn points(program: &Program, _: &mut Parties) -> Option<Comparison> {
    let mut answer = answer(program)?;
    let all = inputs(&universe(program), program);
    let mut found = at_all(program, &answer, &all);
    if found.wrong.is_none() && found.runs_from_one && answer.verdict() == Verdict::Unsat {
        let mut inputs = all.iter().map(|shapes| named(program, shapes));
        let input = inputs.find(|input| is_run(program, input));
        found.wrong = input.map(|input| ("a program that runs is refused", true, input));
    }
    let zeros = match found.wrong {
        None => native::zeros(&answer.report()),
        Some(_) => Vec::new(),
    };
    for (_, input) in &zeros {
        let input = input
            .iter()
            .map(|(name, shape)| (name.as_str(), shape.clone()));
        let input: Shapes = input.collect();
        if !is_run(program, &input) {
            found.wrong = Some(("the 0 that a size may be is wrong", false, input));
            break;
        }
    }
    let outcome = match found.wrong {
        Some((what, runs, input)) => {
            let input = input
                .into_iter()
                .map(|(name, shape)| (name.to_string(), shape));
            let disagreement = Disagreement::new(what)
                .answered("the definition", if runs { "runs" } else { "fails" })
                .answered("the input", shown(&input.collect()))
                .answered("solver", answer.text());
            disagreement.into()
        }
        None if found.is_open => {
            let limits: Vec<String> = answer.limits().iter().map(ToString::to_string).collect();
            Outcome::Unknown(match limits.is_empty() {
                true => "the native procedure leaves inputs open".to_owned(),
                false => format!(
                    "the native procedure leaves inputs open: {}",
                    limits.join("; ")
                ),
            })
        }
        None => Outcome::Agree,
    };
    Some(Comparison {
        outcome,
        // A program of which one operator refuses all inputs tests little else.
        useful: !all.is_empty() && answer.core().len() != 1,
        answer: crate::subject::Answer::word(&Standing {
            runs: Some(found.runs),
            ..Standing::default()
        }),
    })
}

/// Runs every input, until the native procedure is wrong about one.
fn at_all<'p>(program: &'p Program, answer: &Answer, all: &[Vec<Vec<u64>>]) -> Found<'p> {
    let stride = all.len().div_ceil(PASSES).max(1);
    let mut found = Found::default();
    for (at, shapes) in all.iter().enumerate() {
        let input = named(program, shapes);
        let runs = is_run(program, &input);
        found.runs |= runs;
        let given = input.iter();
        let given = given.map(|(name, shape)| ((*name).to_string(), Given::Sizes(shape.clone())));
        let point: Point = given.collect();
        // The set is about sizes from 1 on.
        let from_one = shapes.iter().flatten().all(|size| *size > 0);
        found.runs_from_one |= runs && from_one;
        let by_pass = (at % stride == 0).then(|| answer.admits(&point));
        let by_set = from_one.then(|| answer.set_holds(&point));
        for (what, said) in [
            ("the pass on numbers is wrong", by_pass),
            ("the set is wrong", by_set),
        ] {
            match said {
                Some(Some(said)) if said != runs => {
                    found.wrong = Some((what, runs, input));
                    return found;
                }
                Some(None) => found.is_open = true,
                _ => {}
            }
        }
    }
    found
}

/// Returns the largest of some universes that has few enough inputs of a program.
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
