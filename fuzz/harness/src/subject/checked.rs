//! The answer of `check`: each party's answer about one input with the time that it took, further comparisons, and
//! whether all are consistent.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};

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
    /// The time that the answer took.
    pub time: Duration,
}

/// A further comparison, such as that of closed values.
#[derive(Clone, Debug)]
pub struct Further {
    /// The key in JSON.
    pub key: &'static str,
    /// The answer for programs; `None` where that is among the limits.
    pub data: Option<Data>,
    /// The answer for people: lines that begin with a word.
    pub text: String,
    /// The relation between the answers.
    pub agreement: Agreement,
}

/// An answer as data: that of a party, or of a further comparison.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Data {
    /// A word: the answer of a party, or the outcome of a target.
    Word(String),
    /// Two answers that are compared with each other.
    Compared {
        /// True if they are consistent; `null` where a limit was reached.
        agree: Option<bool>,
        /// The same in words.
        says: String,
    },
    /// Shapes and loop nests of a program, which other parties confirm or not.
    Shapes {
        /// True if the transcribed rules infer the same.
        spec: Option<bool>,
        /// True if the oracle says that the shapes are a solution.
        oracle: Option<bool>,
        /// The tensors whose shapes differ; `null` where the rules have none.
        differing_shapes: Option<Vec<String>>,
        /// The results of the operations whose loop nests differ; `null` where the rules have none.
        differing_loop_nests: Option<Vec<String>>,
    },
    /// A program that has shapes and no loop nests.
    WithoutNests {
        /// The message of the pipeline.
        says: String,
        /// True if the transcribed rules have none either; `null` where they reached their limit.
        spec: Option<bool>,
    },
    /// Values by name, each the same in every solution.
    Values(BTreeMap<String, Value>),
}

/// The value of a name.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    /// A size.
    Size(i64),
    /// The sizes of a shape.
    Shape(Vec<i64>),
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
    /// The relation between these answers.
    pub verdicts: Agreement,
    /// The reason why they are related so, where they are not consistent.
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
                data: Some(Data::Word(key)),
                agreement: Agreement::from(&examined.outcome),
            });
        }
        checked
    }

    /// Returns the agreement of the verdicts and of all further comparisons: the worst of them. A defect outweighs a
    /// limit.
    pub fn agreement(&self) -> Agreement {
        let further = self.further.iter().map(|further| further.agreement);
        further.fold(self.verdicts, Agreement::max)
    }

    /// Returns the data of a further comparison.
    pub fn further(&self, key: &str) -> Option<&Data> {
        let further = self.further.iter().find(|further| further.key == key)?;
        further.data.as_ref()
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

/// The answer of each party and of each further comparison by its name, the limits behind those that are unknown, and
/// how they stand to each other.
#[derive(Serialize)]
struct Answers<'a> {
    /// The answers.
    #[serde(flatten, serialize_with = "in_order")]
    answers: Vec<(&'static str, Data)>,
    /// For each party whose answer is unknown, the limit that it reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<&'a BTreeMap<&'static str, String>>,
    /// True if they are consistent; `null` where one reached a limit and nobody contradicts anybody.
    agree: Option<bool>,
    /// The relation of the answers.
    class: Agreement,
}

/// Writes the answers in their order.
fn in_order<S: Serializer>(
    answers: &[(&'static str, Data)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(answers.iter().map(|(name, answer)| (name, answer)))
}

impl Serialize for Checked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words = self.lines.iter();
        let words = words.map(|line| (line.party, Data::Word(line.word.to_string())));
        let further = self.further.iter();
        let further = further.filter_map(|further| Some((further.key, further.data.clone()?)));
        let agreement = self.agreement();
        let answers = Answers {
            answers: words.chain(further).collect(),
            limits: (!self.limits.is_empty()).then_some(&self.limits),
            agree: agreement.consistent(),
            class: agreement,
        };
        answers.serialize(serializer)
    }
}

/// The keys of `Answers`, and any other name for an answer but those of the envelope that stands around it.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for Checked {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Checked".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "The answer of each party and of each further comparison by its name.",
            "properties": {
                "limits": {
                    "description": "For each party whose answer is unknown, the limit that it reached.",
                    "type": "object",
                    "additionalProperties": { "type": "string" },
                },
                "agree": {
                    "description": "True if they are consistent; `null` where one reached a limit and nobody contradicts anybody.",
                    "type": ["boolean", "null"],
                },
                "class": generator.subschema_for::<Agreement>(),
            },
            "patternProperties": {
                "^(?!(schema|command|verdict|errors|id|limits|agree|class)$)": generator.subschema_for::<Data>(),
            },
            "required": ["agree", "class"],
        })
    }
}
