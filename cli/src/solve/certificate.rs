//! The certificates that `lozenge solve` writes.

use lozenge_solver::{Certificate, Refusal, Solver};
use lozenge_vocabulary::Ground;
use serde_json::{Value, json};

use super::Outcome;
use crate::output_file::OutputFile;
use crate::report::Problem;

/// A refutation as a certificate.
pub fn refutation(refutation: &Certificate) -> Value {
    json!(refutation)
}

/// A solution as a certificate.
pub fn model(model: &Ground, solver: &Solver) -> Value {
    json!({
        "version": lozenge_certificate::VERSION,
        "order": solver.options().order,
        "model": model,
    })
}

/// A refusal by propagation as a certificate: the cited constraints are refuted over all lengths.
pub fn of_refusal(refusal: &Refusal, solver: &Solver) -> Option<Value> {
    solver.certify_refusal(refusal).as_ref().map(refutation)
}

/// Writes the certificate of an answer if a file was requested. If there is no certificate, the file is not changed, and the
/// answer says so.
pub fn write(
    file: Option<OutputFile>,
    certificate: Option<Value>,
    (verdict, mut answer, mut text): Outcome,
) -> Result<Outcome, Problem> {
    let Some(file) = file else {
        return Ok((verdict, answer, text));
    };
    answer.certificate = Some(certificate.is_some());
    match certificate {
        Some(certificate) => file.write(&format!("{certificate}\n"))?,
        None => text.push_str("no certificate was written\n"),
    }
    Ok((verdict, answer, text))
}

/// Writes the solution that policy has found.
pub fn write_model(file: OutputFile, solver: &Solver) -> Result<(), Problem> {
    let ground = solver.solution().ground();
    file.write(&format!("{}\n", model(&ground, solver)))
}
