//! The reading of a program: from its text to its shapes and loop nests, with every message about it.

use lozenge_lang::{Diagnostic, Severity, parse_partly};
use lozenge_vocabulary::program::{Program, Surroundings};

use super::checks;
use super::fix::trial;
use super::refused::{conflicts, conflicts_of_a_part};
use crate::diagnose::fix::proposed::Proposed;
use crate::infer::{Inference, infer, infer_shapes, nests};
use crate::options::Options;
use crate::refusal::Refusal;

/// The most operations of a program whose shapes are looked at although its text has errors. A program whose
/// loops are too long to be written out has millions.
const MAX_OF_A_PART: usize = 1 << 17;

/// A program that is accepted.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The program.
    pub program: Program,
    /// Its shapes and loop nests.
    pub inference: Inference,
    /// Warnings about parts that probably do not mean what was intended, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a program, infers its shapes and loop nests, and checks them ([`refusals`](crate::refusals)).
///
/// # Errors
/// Every error that does not follow from another one, in the order of the text: errors of the text, contradictions of
/// shapes, sizes that nothing determines, and refusals of shapes that fit. An error that may vanish once another one is
/// fixed is left out. A help that changes the text was tried: the error is gone then, and there is no new one.
pub fn read(source: &str, options: &Options) -> Result<Reading, Vec<Diagnostic>> {
    read_in(source, &Surroundings::default(), options)
}

/// Reads a program as [`read`] does, whose files are in a folder, or that takes sizes from outside.
///
/// # Errors
/// As [`read`].
pub fn read_in(
    source: &str,
    surroundings: &Surroundings,
    options: &Options,
) -> Result<Reading, Vec<Diagnostic>> {
    let (problems, reading) = examine(source, surroundings, options);
    if let Some(mut reading) = reading {
        reading.warnings = tried(source, surroundings, problems, options);
        return Ok(reading);
    }
    Err(tried(source, surroundings, problems, options))
}

/// Messages whose proposed changes were not tested yet.
#[derive(Debug)]
pub struct Untried(Vec<Proposed>);

impl Untried {
    /// Returns the messages, in the order of the text. This tests each proposed change of the text, at the cost of an
    /// inference.
    pub fn tried(
        self,
        source: &str,
        surroundings: &Surroundings,
        options: &Options,
    ) -> Vec<Diagnostic> {
        tried(source, surroundings, self.0, options)
    }
}

/// Reads a program and infers its shapes: the first part of [`read_in`], for a caller who waits only for shapes. The
/// result has no loop nests and no warnings; [`Reading::rest`] computes the messages about these.
///
/// # Errors
/// The mistakes in the text, or in the shapes.
pub fn read_shapes(
    source: &str,
    surroundings: &Surroundings,
    options: &Options,
) -> Result<Reading, Untried> {
    let program = parsed(source, surroundings, options).map_err(Untried)?;
    match infer_shapes(&program, options) {
        Err(refusal) => Err(Untried(conflicts(&program, source, &refusal, options))),
        Ok(inference) => Ok(Reading {
            program,
            inference,
            warnings: Vec::new(),
        }),
    }
}

impl Reading {
    /// Returns the messages of the loop nests and of the checks of closed shapes, for a program whose shapes are
    /// inferred.
    pub fn rest(&self, source: &str, options: &Options) -> Untried {
        let (program, inference) = (&self.program, &self.inference);
        Untried(match nests(program, inference) {
            Err(refusal) => conflicts(program, source, &refusal, options),
            Ok(nests) => checks::problems(program, source, inference, &nests, options),
        })
    }
}

/// Reads the text of a program, without its shapes.
///
/// # Errors
/// The errors of the text, with those of the shapes of the operations that could be read, as [`read_in`] tells them.
pub fn text_in(
    source: &str,
    surroundings: &Surroundings,
    options: &Options,
) -> Result<Program, Vec<Diagnostic>> {
    parsed(source, surroundings, options)
        .map_err(|problems| tried(source, surroundings, problems, options))
}

/// Returns every message about a program that cannot be inferred, given the refusal: each error that does not follow
/// from another one, in the order of the text. A help that changes the text was tried.
pub fn diagnose(
    program: &Program,
    source: &str,
    refusal: &Refusal,
    options: &Options,
) -> Vec<Diagnostic> {
    let problems = conflicts(program, source, refusal, options);
    tried(source, &program.surroundings, problems, options)
}

/// Returns the messages of the checks of closed shapes: errors, or warnings where `options` allow a refusal. At most
/// [`MAX_REFUSALS`](crate::MAX_REFUSALS), in the order of the text. A help that changes the text was tried. An
/// inference of another program, with another number of tensors or operations, is one error. `source` has to be the
/// text of the program.
pub fn refusals(
    program: &Program,
    source: &str,
    inference: &Inference,
    options: &Options,
) -> Vec<Diagnostic> {
    let nests = &inference.nests;
    let problems = checks::problems(program, source, inference, nests, options);
    tried(source, &program.surroundings, problems, options)
}

/// Reads a text. Besides its errors there are those of the shapes of the operations that could be read.
fn parsed(
    source: &str,
    surroundings: &Surroundings,
    options: &Options,
) -> Result<Program, Vec<Proposed>> {
    let (program, errors) = parse_partly(source, surroundings);
    if errors.is_empty() {
        return Ok(program);
    }
    let mut problems: Vec<Proposed> = errors.into_iter().map(Proposed::from).collect();
    if program.steps.len() <= MAX_OF_A_PART {
        problems.extend(conflicts_of_a_part(&program, source, options));
    }
    Err(problems)
}

/// Returns the messages about a program with candidate fixes, and the program if none of the messages is an error.
fn examine(
    source: &str,
    surroundings: &Surroundings,
    options: &Options,
) -> (Vec<Proposed>, Option<Reading>) {
    let program = match parsed(source, surroundings, options) {
        Ok(program) => program,
        Err(problems) => return (problems, None),
    };
    match infer(&program, options) {
        Err(refusal) => (conflicts(&program, source, &refusal, options), None),
        Ok(inference) => {
            let nests = &inference.nests;
            let problems = checks::problems(&program, source, &inference, nests, options);
            let refused = problems
                .iter()
                .any(|problem| problem.diagnostic.severity == Severity::Error);
            let reading = (!refused).then_some(Reading {
                program,
                inference,
                warnings: Vec::new(),
            });
            (problems, reading)
        }
    }
}

/// Returns the messages, each with the first of its candidates that fixes the program.
fn tried(
    source: &str,
    surroundings: &Surroundings,
    problems: Vec<Proposed>,
    options: &Options,
) -> Vec<Diagnostic> {
    let messages = |changed: &str| examine(changed, surroundings, options).0;
    trial::tried(source, surroundings, problems, &messages)
}
