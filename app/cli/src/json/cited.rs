//! Cited constraints and refusals, in the same form for every party.

use std::fmt;

use lozenge_solver::{PolicyStep, Refusal};
use lozenge_spec::cause::Failure;
use lozenge_vocabulary::{Cited, Located};
use schemars::JsonSchema;
use serde::Serialize;

use crate::source::Source;

/// A commitment that may have lost solutions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Policy {
    /// The rule that commits.
    pub rule: String,
    /// The commitment, in the notation.
    pub text: String,
    /// The constraints that asked for it, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Cited>,
}

impl From<&PolicyStep> for Policy {
    fn from(step: &PolicyStep) -> Policy {
        Policy {
            rule: step.rule.name().into(),
            text: step.text.clone(),
            because: step.because.iter().map(Cited::from).collect(),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.rule)?;
        let because = self.because.iter().enumerate();
        because.into_iter().try_for_each(|(at, cited)| {
            let before = if at == 0 { " because of" } else { "," };
            write!(f, "{before} {cited}")
        })
    }
}

/// A variable that takes part, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Involved {
    /// The variable in the notation.
    pub var: String,
    /// The purpose: the declaration, or its meaning in a program.
    pub purpose: String,
}

/// The refusal: the reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Refusal", deny_unknown_fields)]
pub struct RefusalData {
    /// The rule that failed.
    pub rule: String,
    /// The contradiction, in words.
    pub message: String,
    /// The constraints behind the failure, in the order of the text.
    pub chain: Vec<Cited>,
    /// True if the chain is known to be subset-minimal: without any one of its constraints the others are not refused.
    pub minimal: bool,
    /// The first policy step upstream. Where there is one the verdict is `rejected`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Every commitment of closing that takes part. Where those of one round contradict each other there are at least
    /// two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commitments: Vec<Policy>,
    /// The variables of the chain.
    pub variables: Vec<Involved>,
}

/// Cites a constraint of a set that was read, by its index from 0.
pub fn cited_in(source: &Source, located: &Located, index: usize) -> Cited {
    let start = located.spans.get(index).map(|span| span.start);
    Cited {
        constraint: index + 1,
        line: start.map(|start| source.text[..start].matches('\n').count() + 1),
        text: located.set.constraints[index].to_string(),
    }
}

impl From<&Refusal> for RefusalData {
    fn from(refusal: &Refusal) -> RefusalData {
        let variables = refusal.variables.iter();
        RefusalData {
            rule: refusal.rule.name().into(),
            message: refusal.message.clone(),
            chain: refusal.chain.iter().map(Cited::from).collect(),
            minimal: refusal.minimal,
            policy: refusal.policy.as_ref().map(Policy::from),
            commitments: refusal.commitments.iter().map(Policy::from).collect(),
            variables: variables
                .map(|involved| Involved {
                    var: involved.var.to_string(),
                    purpose: involved.purpose.clone(),
                })
                .collect(),
        }
    }
}

impl RefusalData {
    /// Returns the data of a failure of the transcribed rules, whose chains are not minimised.
    pub fn of_rules(
        failure: &Failure,
        cited: impl Fn(usize) -> Cited,
        variables: Vec<Involved>,
    ) -> RefusalData {
        RefusalData {
            rule: failure.rule.name().into(),
            message: failure.reason.clone(),
            chain: failure.inputs.iter().map(|index| cited(*index)).collect(),
            minimal: false,
            policy: failure.commitments.first().map(|commitment| Policy {
                rule: commitment.rule.name().into(),
                text: commitment.to_string(),
                because: Vec::new(),
            }),
            commitments: Vec::new(),
            variables,
        }
    }
}
