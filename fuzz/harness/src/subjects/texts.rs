//! Texts for the readers: no text makes a reader panic, every error has a place in the text, and a value that is
//! printed reads back as the same value.

mod generate;

use lozenge_solver::Problem;
use lozenge_vocabulary::{ConstraintSet, notation};

use crate::features::Features;
use crate::minimise::shorter;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::{Parties, Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Nothing, Subject};

/// Texts.
pub struct Texts;

impl Subject for Texts {
    const NOUN: &'static str = "a text";
    const EXTENSION: &'static str = "txt";
    const UNIT: &'static str = "characters";
    const IS_ANY_TEXT: bool = true;

    type Instance = String;
    type Question = Nothing;
    type Answer = Nothing;

    const PARTIES: &'static [Party<Texts>] = &[];
    const TARGETS: &'static [Target<Texts>] = TARGETS;

    fn compare(_: &String, _: &[Said<Texts>]) -> Outcome {
        Outcome::Agree
    }

    fn smaller(text: &String) -> Vec<String> {
        shorter(text, true)
    }

    fn size(text: &String) -> usize {
        text.chars().count()
    }

    fn features(text: &String) -> Features {
        Features {
            others: messages(text),
            ..Features::default()
        }
    }
}

/// The targets.
const TARGETS: &[Target<Texts>] = &[
    Target {
        name: "notation",
        about: "the constraint notation: places of errors, and what is printed reads back",
        questions: &[],
        hunted: Hunted::WhenAsked,
        bytes: 512,
        generate: generate::rows,
        examine: |text, parties| notation(text, parties),
    },
    Target {
        name: "surface_parser",
        about: "the surface language: places of errors, origins of constraints",
        questions: &[],
        hunted: Hunted::WhenAsked,
        bytes: 768,
        generate: generate::surface,
        examine: |text, parties| surface_parser(text, parties),
    },
    Target {
        name: "json",
        about: "constraint sets as JSON and back",
        questions: &[],
        hunted: Hunted::WhenAsked,
        bytes: 512,
        generate: generate::json,
        examine: |text, parties| json(text, parties),
    },
];

/// Returns the messages about a text, without the parts that they quote from it.
fn messages(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    if let Err(error) = lozenge_vocabulary::notation::parse(text) {
        all.push(format!("notation: {}", error.expected));
    }
    if let Err(errors) = lozenge_lang::parse(text) {
        let unquoted = |message: &str| -> String {
            message.split('`').step_by(2).collect::<Vec<_>>().join("`")
        };
        all.extend(
            errors
                .iter()
                .map(|error| format!("surface: {}", unquoted(&error.message))),
        );
    }
    all
}

fn failed(check: &str, detail: impl std::fmt::Display) -> Outcome {
    Disagreement::new(check).answered("reader", detail).into()
}

fn report(outcome: Outcome, text: &str, read: bool) -> Option<Comparison> {
    Some(Comparison {
        outcome,
        useful: !text.trim().is_empty(),
        answer: if read { "read" } else { "refused" },
    })
}

/// Says whether a line and a column, both from 1, are in a text, including the place after its end.
fn within(text: &str, line: usize, column: usize) -> bool {
    let lines: Vec<&str> = text.split('\n').collect();
    let found = line.checked_sub(1).and_then(|at| lines.get(at));
    found.is_some_and(|found| (1..=found.chars().count() + 1).contains(&column))
}

fn round_trip(set: &ConstraintSet, text: &str) -> Outcome {
    let printed = set.to_string();
    match printed.parse::<ConstraintSet>() {
        Ok(back) if back == *set => {}
        Ok(back) => return failed("what is printed reads back as another set", back),
        Err(error) => return failed("what is printed does not read back", error),
    }
    match Problem::parse(text) {
        Ok(problem) if problem.to_set() == *set => Outcome::Agree,
        Ok(problem) => failed("the solver reads another set", problem.to_set()),
        Err(error) => failed("the solver does not read what is read", error),
    }
}

/// Compares the constraint notation, read for the rules and for the solver.
pub fn notation(text: &str, _: &mut Parties) -> Option<Comparison> {
    let (outcome, read) = match notation::parse(text) {
        Ok(located) => {
            let places = located
                .spans
                .iter()
                .all(|span| text.get(span.clone()).is_some());
            if places && located.spans.len() == located.set.constraints.len() {
                (round_trip(&located.set, text), true)
            } else {
                (
                    failed("a constraint has no place", format!("{:?}", located.spans)),
                    true,
                )
            }
        }
        Err(error) if !within(text, error.line, error.column) => {
            (failed("an error has no place", error), false)
        }
        Err(_) if Problem::parse(text).is_ok() => {
            (failed("the solver reads what is not read", text), false)
        }
        Err(_) => (Outcome::Agree, false),
    };
    report(outcome, text, read)
}

/// Checks that the constraints of a program have their origins inside its text.
fn origins(program: &lozenge_vocabulary::program::Program, text: &str) -> Outcome {
    let constraints = match program.constraints() {
        Ok(constraints) => constraints,
        Err(foreign) => return failed("a number in a program refers to nothing", foreign),
    };
    let (stated, origins) = (constraints.set.constraints.len(), constraints.origins.len());
    let placed = |span: &std::ops::Range<usize>| text.get(span.clone()).is_some();
    if stated != origins {
        failed("a constraint has no origin", &constraints.set)
    } else if !constraints
        .origins
        .iter()
        .all(|origin| placed(&origin.span))
    {
        failed("an origin has no place", text)
    } else {
        round_trip(&constraints.set, &constraints.set.to_string())
    }
}

/// Checks that the errors of a refused program have places inside its text.
fn errors(errors: &[lozenge_lang::Diagnostic], text: &str) -> Outcome {
    let misplaced = errors.iter().find(|error| {
        let (line, column) = error.place(text);
        text.get(error.span()).is_none() || !within(text, line, column)
    });
    let mute = |error: &lozenge_lang::Diagnostic| {
        error.render(text, "program.loz", false).trim().is_empty()
    };
    match misplaced {
        Some(error) => failed("an error has no place", &error.message),
        None if errors.is_empty() => failed("refused without an error", text),
        None if errors.iter().any(mute) => failed("an error shows nothing", text),
        None => Outcome::Agree,
    }
}

/// Compares the surface language.
pub fn surface_parser(text: &str, _: &mut Parties) -> Option<Comparison> {
    match lozenge_lang::parse(text) {
        Ok(program) => report(origins(&program, text), text, true),
        Err(found) => report(errors(&found, text), text, false),
    }
}

/// Compares constraint sets as JSON.
pub fn json(text: &str, _: &mut Parties) -> Option<Comparison> {
    let Ok(set) = serde_json::from_str::<ConstraintSet>(text) else {
        return report(Outcome::Agree, text, false);
    };
    let outcome = match serde_json::to_string(&set) {
        Err(error) => failed("a set has no JSON", error),
        Ok(written) => match serde_json::from_str::<ConstraintSet>(&written) {
            Ok(back) if back == set => round_trip(&set, &set.to_string()),
            Ok(back) => failed("the JSON reads back as another set", back),
            Err(error) => failed("the JSON does not read back", error),
        },
    };
    report(outcome, text, true)
}
