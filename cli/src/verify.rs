//! `lozenge verify`: whether a certificate shows that a constraint set has no solution, or that it has one.

use std::fs;

use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args;
use crate::input;
use crate::report::{Problem, Report};

/// What `verify` answers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Answer {
    /// Whether the certificate is accepted: the set then has what the verdict says.
    accepted: bool,
    /// What is wrong with it, when it is not. That says nothing of the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<String>,
}

/// Runs the command. The status is that of the verdict that the certificate shows, and that of `unknown` where it is not accepted.
pub fn verify(args: &args::Verify) -> Result<Report, Problem> {
    let path = &args.certificate;
    let certificate = fs::read_to_string(path)
        .map_err(|error| Problem::new(format!("{} cannot be read: {error}", path.display())))?;
    let source = input::constraint_text(&args.file)?;
    let set = input::parsed(&source)?.set;
    let checked = lozenge_certificate::verify(&certificate, &set, args.reading.order.into());
    let (verdict, text) = match &checked {
        Ok(verdict) => (
            *verdict,
            format!("{verdict}: the certificate is accepted\n"),
        ),
        Err(rejected) => (
            Verdict::Unknown,
            format!("unknown: the certificate is not accepted: {rejected}\n"),
        ),
    };
    let answer = Answer {
        accepted: checked.is_ok(),
        rejected: checked.err().map(|rejected| rejected.to_string()),
    };
    let mut body: Value = json!(answer);
    body["verdict"] = json!(verdict);
    Ok(Report {
        text,
        json: body,
        status: verdict.into(),
    })
}
