//! Standing of a program: it runs for some input, it has a static migration, it is typable.

use std::collections::BTreeMap;
use std::fmt;

use super::Gradual;
use crate::outcome::{Disagreement, Outcome};
use crate::subject;
use crate::subject::party::Said;

/// The shape of each input by its name.
pub type Input = BTreeMap<String, Vec<u64>>;

/// The knowledge of a party about a program. Each step of the chain holds, does not hold, or is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// True if it runs for some input whose sizes, but for those that are declared, are at least 1.
    pub runs: Option<bool>,
    /// True if an annotation without `?` is typable.` is typable.
    pub is_static: Option<bool>,
    /// True if it is typable.
    pub typable: Option<bool>,
    /// An input for which it runs.
    pub input: Option<Input>,
    /// The inputs that were run.
    pub tried: u64,
    /// The limit that was reached.
    pub limit: Option<String>,
}

impl subject::Answer for Standing {
    fn word(&self) -> &'static str {
        match (self.runs, self.is_static, self.typable) {
            (Some(true), ..) => "runs",
            (_, _, Some(false)) => "ill-typed",
            (Some(false), ..) => "never",
            (_, Some(true), _) => "static",
            (_, _, Some(true)) => "typable",
            _ => "unknown",
        }
    }

    fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", subject::Answer::word(self))?;
        if let Some(input) = &self.input {
            writeln!(f, "it runs for {}", shown(input))?;
        }
        let steps = [
            ("runs for sizes from 1 on", self.runs),
            ("has a static migration", self.is_static),
            ("is typable", self.typable),
        ];
        for (what, known) in steps {
            match known {
                Some(true) => writeln!(f, "it {what}")?,
                Some(false) => writeln!(f, "not so: it {what}")?,
                None => {}
            }
        }
        if self.tried > 0 {
            writeln!(f, "inputs that were run: {}", self.tried)?;
        }
        Ok(())
    }
}

/// Writes an input: `x = [2, 3], y = []`.
pub fn shown(input: &Input) -> String {
    let shapes = input.iter();
    let shapes: Vec<String> = shapes
        .map(|(name, shape)| format!("{name} = {shape:?}"))
        .collect();
    shapes.join(", ")
}

/// A step of the chain, with its name.
type Step = (&'static str, fn(&Standing) -> Option<bool>);

/// The chain: what holds on a step holds on those behind it.
const CHAIN: [Step; 3] = [
    ("runs", |standing| standing.runs),
    ("static", |standing| standing.is_static),
    ("typable", |standing| standing.typable),
];

/// Reads the table: nobody refuses a step that another, or one before it, holds. An open answer contradicts nothing,
/// since only the native procedure decides whether a program runs, and the others run what is small.
pub(super) fn compare(said: &[Said<Gradual>]) -> Outcome {
    for (at, (_, holds)) in CHAIN.iter().enumerate() {
        for (_, refuses) in &CHAIN[at..] {
            let one = said.iter().find(|said| holds(&said.answer) == Some(true));
            let other = said
                .iter()
                .find(|said| refuses(&said.answer) == Some(false));
            if let (Some(one), Some(other)) = (one, other) {
                return Disagreement::new("a step of the chain is refused and held")
                    .answered(one.party, &one.answer)
                    .answered(other.party, &other.answer)
                    .into();
            }
        }
    }
    let decides =
        |said: &Said<Gradual>| said.answer.runs.is_some() || said.answer.typable == Some(false);
    match said
        .iter()
        .find(|said| !decides(said) && said.answer.limit.is_some())
    {
        Some(unknown) => {
            let limit = unknown.answer.limit.as_deref().unwrap_or_default();
            Outcome::Unknown(format!("{}: {limit}", unknown.party))
        }
        None => Outcome::Agree,
    }
}
