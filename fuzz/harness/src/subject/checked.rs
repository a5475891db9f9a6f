//! The answer of `check`: each party's answer about one input with the time that it took, further comparisons, and whether all are consistent.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::party::{Parties, Said};
use super::{Answer, Subject};
use crate::agreement::Agreement;
use crate::outcome::Outcome;

/// The answer of a party.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name of the party.
    pub party: &'static str,
    /// A line about it.
    pub about: &'static str,
    /// The answer in a word.
    pub word: &'static str,
    /// How long it took.
    pub time: Duration,
}

/// A further comparison, such as that of closed values.
#[derive(Clone, Debug)]
pub struct Further {
    /// The key in JSON.
    pub key: &'static str,
    /// The answer for programs.
    pub json: Value,
    /// The answer for people: lines that begin with a word.
    pub text: String,
    /// How the answers are related.
    pub agreement: Agreement,
}

/// The answers about one input.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The size of the input, in words: `3 constraints`.
    pub size: String,
    /// The answers of the parties.
    pub lines: Vec<Line>,
    /// For each party whose answer is unknown, the limit that it reached.
    pub limits: BTreeMap<&'static str, String>,
    /// How these answers are related.
    pub verdicts: Agreement,
    /// Why they are related so, where they are not consistent.
    pub why: Option<String>,
    /// Further comparisons.
    pub further: Vec<Further>,
}

impl Checked {
    /// Asks each party that takes part.
    pub fn of<S: Subject>(instance: &S::Instance, parties: &mut Parties) -> Checked {
        let (mut lines, mut said, mut limits) = (Vec::new(), Vec::new(), BTreeMap::new());
        for party in S::PARTIES {
            let Some(question) = party.checks else {
                continue;
            };
            let start = Instant::now();
            let Some(answer) = parties.ask(party, question, instance) else {
                continue;
            };
            lines.push(Line {
                party: party.name,
                about: party.about,
                word: answer.word(),
                time: start.elapsed(),
            });
            if let Some(limit) = answer.limit() {
                limits.insert(party.name, limit.to_string());
            }
            said.push(Said {
                party: party.name,
                question,
                answer,
            });
        }
        if lines.is_empty() {
            return Checked::by_targets::<S>(instance, parties);
        }
        let outcome = unfounded(instance, &said).unwrap_or_else(|| S::compare(instance, &said));
        let why = match &outcome {
            Outcome::Agree | Outcome::Unknown(_) => None,
            Outcome::Differ(class) => Some(class.name.to_string()),
            Outcome::Disagree(disagreement) => Some(disagreement.to_string()),
        };
        Checked {
            size: format!("{} {}", S::size(instance), S::UNIT),
            lines,
            limits,
            verdicts: Agreement::from(&outcome),
            why,
            further: Vec::new(),
        }
    }

    /// Puts an instance about which no party answers by itself to the targets of its subject.
    fn by_targets<S: Subject>(instance: &S::Instance, parties: &mut Parties) -> Checked {
        let mut checked = Checked {
            size: format!("{} {}", S::size(instance), S::UNIT),
            lines: Vec::new(),
            limits: BTreeMap::new(),
            verdicts: Agreement::Agree,
            why: None,
            further: Vec::new(),
        };
        for target in S::TARGETS {
            let Some(examined) = target.examine(instance, parties) else {
                continue;
            };
            if let Outcome::Disagree(disagreement) = &examined.outcome {
                checked.why = Some(disagreement.to_string());
            }
            let key = examined.outcome.key();
            checked.further.push(Further {
                key: target.name,
                text: format!("  {:<9} {}, {key}\n", target.name, examined.answer),
                json: Value::String(key),
                agreement: Agreement::from(&examined.outcome),
            });
        }
        checked
    }

    /// Returns the agreement of the verdicts and of all further comparisons: the worst of them. A defect outweighs a limit.
    pub fn agreement(&self) -> Agreement {
        let further = self.further.iter().map(|further| further.agreement);
        further.fold(self.verdicts, Agreement::max)
    }

    /// Returns the word of a party's answer.
    pub fn word(&self, party: &str) -> Option<&'static str> {
        let line = self.lines.iter().find(|line| line.party == party)?;
        Some(line.word)
    }
}

/// Returns the disagreement about an answer whose witness does not pass the check by the definition.
fn unfounded<S: Subject>(instance: &S::Instance, said: &[Said<S>]) -> Option<Outcome> {
    said.iter().find_map(|said| {
        let why = S::check(instance, &said.answer).err()?;
        let disagreement = crate::outcome::Disagreement::new("a claimed solution is none");
        let disagreement = disagreement.answered(said.party, &said.answer);
        Some(disagreement.answered("the definition", why).into())
    })
}

/// A line for each party, and the conclusion.
impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "verdicts on {}", self.size)?;
        for line in &self.lines {
            let milliseconds = line.time.as_secs_f64() * 1e3;
            writeln!(
                f,
                "  {:<9} {:<9} {milliseconds:>9.3} ms   {}",
                line.party, line.word, line.about
            )?;
            if let Some(limit) = self.limits.get(line.party) {
                writeln!(f, "    {limit}")?;
            }
        }
        self.further
            .iter()
            .try_for_each(|further| f.write_str(&further.text))?;
        writeln!(f, "  {}", self.agreement())?;
        let why = self.why.iter().flat_map(|why| why.lines());
        let mut why = why.filter(|_| self.agreement() == Agreement::Disagree);
        why.try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// The answer of each party by its name, the limits, the further comparisons, and whether all are consistent.
impl Serialize for Checked {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut map = serializer.serialize_map(None)?;
        for line in &self.lines {
            map.serialize_entry(line.party, line.word)?;
        }
        if !self.limits.is_empty() {
            map.serialize_entry("limits", &self.limits)?;
        }
        for further in self
            .further
            .iter()
            .filter(|further| !further.json.is_null())
        {
            map.serialize_entry(further.key, &further.json)?;
        }
        let agreement = self.agreement();
        map.serialize_entry("agree", &agreement.consistent())?;
        map.serialize_entry("class", &agreement)?;
        map.end()
    }
}
