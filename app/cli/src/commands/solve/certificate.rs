//! The certificates that `lozenge solve` writes.

use lozenge_solver::{Certificate, Refusal, Solver};
use lozenge_vocabulary::Ground;
use serde_json::{Value, json};

use super::Outcome;
use crate::files::output_file::OutputFile;
use crate::report::{self, Problem};

/// Returns a refutation as a certificate.
pub fn refutation(refutation: &Certificate) -> Value {
    json!(refutation)
}

/// Returns a solution as a certificate.
pub fn model(model: &Ground, solver: &Solver) -> Value {
    json!({
        "version": lozenge_certificate::VERSION,
        "order": solver.options().order,
        "model": model,
    })
}

/// Returns a refusal by propagation as a certificate: the cited constraints are refuted over all lengths.
pub fn of_refusal(refusal: &Refusal, solver: &Solver) -> Option<Value> {
    solver.certify_refusal(refusal).as_ref().map(refutation)
}

/// Returns the certificate, if `lozenge verify` accepts it: another one is not issued.
pub fn accepted(certificate: Value, solver: &Solver) -> Option<Value> {
    let set = solver.problem().to_set();
    let checked =
        lozenge_certificate::verify(&certificate.to_string(), &set, solver.options().order);
    checked.is_ok().then_some(certificate)
}

/// Writes the certificate of an answer if a file was requested. If there is no certificate that is accepted, the file
/// is not changed, and the answer says so.
pub fn write(
    file: Option<OutputFile>,
    certificate: Option<Value>,
    solver: &Solver,
    (verdict, mut answer, mut text): Outcome,
) -> Result<Outcome, Problem> {
    let Some(file) = file else {
        return Ok((verdict, answer, text));
    };
    let certificate = certificate.and_then(|certificate| accepted(certificate, solver));
    answer.certificate = Some(certificate.is_some());
    match certificate {
        Some(certificate) => file.write(&format!("{certificate}\n"))?,
        None => text.push_str("no certificate was written\n"),
    }
    Ok((verdict, answer, text))
}

/// Writes the solution that policy has found, or says that there is no certificate: of sets with a `summand` none is
/// accepted.
pub fn write_model(file: OutputFile, solver: &Solver) -> Result<(), Problem> {
    let ground = solver.solution().ground();
    match accepted(model(&ground, solver), solver) {
        Some(certificate) => file.write(&format!("{certificate}\n")),
        None => {
            report::to_stderr("no certificate was written\n");
            Ok(())
        }
    }
}
