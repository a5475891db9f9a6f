//! `lozenge verify`: whether a certificate shows that a constraint set has no solution, that it has one, or that a
//! constraint holds in all of them.

use lozenge_certificate::Proved;
use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::files::input;
use crate::report::{Problem, Report};

/// The answer of `verify`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Answer {
    /// True if the certificate is accepted: the set then has what the verdict says, or `entails` holds in each of its
    /// solutions.
    accepted: bool,
    /// The constraint that holds in every solution, if that is what the certificate shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    entails: Option<String>,
    /// The reason why it is not accepted. A rejected certificate says nothing of the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<String>,
}

/// Runs the command. The status is that of the verdict that the certificate shows, and that of `unknown` where it is
/// not accepted.
pub fn verify(args: &args::Verify) -> Result<Report, Problem> {
    let path = &args.certificate;
    let certificate = input::read(path)?.text;
    let source = input::constraint_text(&args.file)?;
    let set = input::parsed(&source)?.set;
    let checked = lozenge_certificate::verify(&certificate, &set, args.reading.order.into());
    let (verdict, text) = match &checked {
        Ok(Proved::Sat) => (
            Some(Verdict::Sat),
            "sat: the certificate is accepted\n".into(),
        ),
        Ok(Proved::Unsat) => (
            Some(Verdict::Unsat),
            "unsat: the certificate is accepted\n".into(),
        ),
        Ok(Proved::Entails(constraint)) => {
            let text =
                format!("`{constraint}` holds in every solution: the certificate is accepted\n");
            (None, text)
        }
        Err(rejected) => (
            Some(Verdict::Unknown),
            format!("unknown: the certificate is not accepted: {rejected}\n"),
        ),
    };
    let entails = match &checked {
        Ok(Proved::Entails(constraint)) => Some(constraint.to_string()),
        _ => None,
    };
    let answer = Answer {
        accepted: checked.is_ok(),
        entails,
        rejected: checked.err().map(|rejected| rejected.to_string()),
    };
    Ok(match verdict {
        Some(verdict) => Report::judged(verdict, text, answer),
        None => Report::new(text, answer),
    })
}
