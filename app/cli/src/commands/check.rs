//! `lozenge check`: the answers of all parties on one input, compared.

use std::collections::BTreeMap;

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::subject::checked::{Checked, Data};
use lozenge_fuzz::subjects::sets::Verdicts;
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{Report, Status};

/// The answer about a constraint set or a program: the verdict of each party, and whether they are consistent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    #[serde(flatten)]
    verdicts: Verdicts,
    /// The reason why a party says `unknown`, or why a program has no shapes to compare (`shapes`), with the flag that
    /// raises the limit.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    limits: BTreeMap<&'static str, String>,
    /// Of a program with shapes: how the parties' shapes and loop nests stand to each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<Data>,
    /// Of a set with declarations, and of a program that a party refuses to close: how the closings stand to each
    /// other.
    #[serde(skip_serializing_if = "Option::is_none")]
    closing: Option<Data>,
    /// Of a program that has shapes and no loop nests: why, and whether the rules have none either.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_loop_nests: Option<Data>,
    /// True if they are consistent; `null` where one says `unknown` and nobody contradicts anybody.
    agree: Option<bool>,
    /// The relation of the verdicts.
    class: Agreement,
}

impl Answer {
    /// Reads the answer about a set or a program; `None` where a party did not answer.
    pub fn of(checked: &Checked) -> Option<Answer> {
        let class = checked.agreement();
        Some(Answer {
            verdicts: Verdicts::of(checked)?,
            limits: checked.limits.clone(),
            shapes: checked.further("shapes").cloned(),
            closing: checked.further("closing").cloned(),
            without_loop_nests: checked.further("without_loop_nests").cloned(),
            agree: class.consistent(),
            class,
        })
    }
}

/// Returns the answer of the command about a constraint set or a program.
pub fn of_parties(checked: &Checked) -> Report {
    Report::new(checked.to_string(), Answer::of(checked)).with_status(status(checked.agreement()))
}

/// Returns the answer of the command.
pub fn report(checked: &Checked) -> Report {
    Report::new(checked.to_string(), checked).with_status(status(checked.agreement()))
}

/// Returns the exit status of an agreement.
pub fn status(agreement: Agreement) -> Status {
    match agreement {
        Agreement::Agree | Agreement::PolicyGap | Agreement::StopsShort => Status::Good,
        Agreement::Disagree => Status::Refused,
        Agreement::Unknown => Status::Unknown,
    }
}
