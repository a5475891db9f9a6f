//! Axon programs: the inferred type of a function against the function itself, computed on shapes alone.
//!
//! The inputs that a type admits have to be those that the function takes: for all shapes of a few small ranks and
//! sizes, the inputs that fit the type, its conditions and its checks are those on which the function, followed with
//! shapes in place of values, comes to its end. So a type that admits too much is noticed, and one that admits too
//! little.

mod concrete;
mod conditions;
mod drawn;
mod target;

use std::fmt;
use std::str::FromStr;

use lozenge::axon;

use crate::agreement::Agreement;
use crate::minimise::shorter;
use crate::outcome::Outcome;
use crate::subject::checked::{Checked, Data, Further};
use crate::subject::party::{Effort, Parties, Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Nothing, Subject};

/// Axon programs.
pub struct AxonPrograms;

/// The text of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Text {
    type Err = String;

    fn from_str(text: &str) -> Result<Text, String> {
        let place = |error: &lozenge::Diagnostic| {
            let (line, column) = error.place(text);
            format!("line {line}, column {column}: {error}")
        };
        match axon::parse(text) {
            Ok(_) => Ok(Text(text.to_string())),
            Err(errors) => Err(errors.first().map(place).unwrap_or_default()),
        }
    }
}

impl Subject for AxonPrograms {
    const NOUN: &'static str = "an Axon program";
    const EXTENSION: &'static str = "axon";
    const UNIT: &'static str = "lines";

    type Instance = Text;
    type Question = Nothing;
    type Answer = Nothing;

    const PARTIES: &'static [Party<AxonPrograms>] = &[];
    const TARGETS: &'static [Target<AxonPrograms>] = TARGETS;

    fn compare(_: &Text, _: &[Said<AxonPrograms>]) -> Outcome {
        Outcome::Agree
    }

    /// Leaves out lines, then words.
    fn smaller(text: &Text) -> Vec<Text> {
        let lines: Vec<&str> = text.0.lines().collect();
        let without = |left_out: usize| {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out);
            kept.map(|(_, line)| format!("{line}\n"))
                .collect::<String>()
        };
        let without_lines = (0..lines.len()).map(without);
        let shorter = shorter(&text.0, true).into_iter();
        without_lines
            .chain(shorter)
            .filter(|text| axon::parse(text).is_ok())
            .map(Text)
            .collect()
    }

    fn size(text: &Text) -> usize {
        text.0.lines().count()
    }

    /// Holds the type of the last function against the function, since no party has an answer of its own.
    fn checked(text: &Text, effort: &Effort) -> Checked {
        let mut parties = Parties::within(effort.clone());
        let mut checked = Checked::of::<AxonPrograms>(text, &mut parties);
        checked.further.push(followed(text, &mut parties));
        checked
    }
}

/// Returns the inputs that a function takes, of those that were tried, beside its type.
fn followed(text: &Text, parties: &mut Parties) -> Further {
    let (word, agreement) = match target::axon(text, parties) {
        None => ("no function of shapes", Agreement::Agree),
        Some(found) => match found.outcome {
            Outcome::Unknown(_) => (found.answer, Agreement::Unknown),
            Outcome::Disagree(_) => (found.answer, Agreement::Disagree),
            _ => (found.answer, Agreement::Agree),
        },
    };
    Further {
        key: "inputs",
        data: Some(Data::Word(word.into())),
        text: format!("  inputs    {word}\n"),
        agreement,
    }
}

/// The targets.
const TARGETS: &[Target<AxonPrograms>] = &[Target {
    name: "axon",
    about: "Axon programs: the inputs that a type with its conditions and checks admits, against the program followed on shapes alone",
    questions: &[],
    hunted: Hunted::Seldom,
    bytes: 192,
    generate: drawn::drawn,
    examine: target::axon,
}];
