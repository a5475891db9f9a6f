//! The reading of a program: its text and the files that it uses are parsed, and then elaborated.

use lozenge_vocabulary::Constraint;
use lozenge_vocabulary::program::{Program, Surroundings};

use crate::diagnostic::{Diagnostic, MAX_ERRORS};
use crate::elaborate;
use crate::parse::files::Files;
use crate::parse::{block, prelude};

/// Reads a program.
///
/// # Errors
/// The errors of the program, in the order of the text: at most [`MAX_ERRORS`], followed by one that states how many
/// were omitted.
pub fn parse(source: &str) -> Result<Program, Vec<Diagnostic>> {
    parse_in(source, &Surroundings::default())
}

/// Reads a program whose files lie in a folder, or that takes sizes from outside.
///
/// # Errors
/// As [`parse`].
pub fn parse_in(source: &str, surroundings: &Surroundings) -> Result<Program, Vec<Diagnostic>> {
    let (program, errors) = parse_partly(source, surroundings);
    match errors.is_empty() {
        true => Ok(program),
        false => Err(errors),
    }
}

/// Reads a program, also one that has errors: the result then has the operations of the statements without an error.
/// Nothing but their requirements may be used of it.
pub fn parse_partly(source: &str, surroundings: &Surroundings) -> (Program, Vec<Diagnostic>) {
    let mut errors = Vec::new();
    let mut read = block::read(source, &mut errors);
    let files = Files::of(&read, surroundings);
    let used: Vec<elaborate::Used> = files
        .files
        .iter()
        .map(|file| {
            let mut errors = Vec::new();
            (block::read(&file.text, &mut errors), errors)
        })
        .collect();
    let mut program = prelude::with(|prelude| {
        let files = (&files, used.as_slice());
        elaborate::elaborate(prelude, &read, source, files, surroundings, &mut errors)
    });
    program.used = files.files.iter().map(|file| file.path.clone()).collect();
    give_back(&mut read.statements);
    match errors.is_empty() {
        true => (program, errors),
        false => (program, reported(errors, source)),
    }
}

/// Empties a list and returns its room to the system.
///
/// The allocator of glibc counts how large the blocks are that are freed, and takes all blocks below the largest of
/// them from its heap from then on, where growing lists leave holes. A block that is made small before it is freed does
/// not count.
fn give_back<T>(list: &mut Vec<T>) {
    list.clear();
    list.shrink_to(1);
}

/// Finds the syntax errors of a text, in the order of the text. Names are not resolved.
pub fn errors_of_form(source: &str) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    block::read(source, &mut errors);
    match errors.is_empty() {
        true => errors,
        false => reported(errors, source),
    }
}

/// Brings errors into the form in which they are returned: in the order of the text, and not too many.
pub(crate) fn reported(mut errors: Vec<Diagnostic>, source: &str) -> Vec<Diagnostic> {
    if let Some(error) = not_a_program(source) {
        return vec![error];
    }
    errors.sort_by_key(|error| error.span().start);
    if errors.len() > MAX_ERRORS {
        let left_out = errors.len() - MAX_ERRORS;
        errors.truncate(MAX_ERRORS + 1);
        let first = &errors[MAX_ERRORS];
        errors[MAX_ERRORS] = Diagnostic::new(
            first.span(),
            format!("{left_out} more errors"),
            "the next one",
        )
        .help("correct those above first");
    }
    errors
}

/// Returns the error that a text is a constraint set and not a program: it parses as one, and states more than
/// equations of names, as which the start of a program may parse by coincidence.
fn not_a_program(source: &str) -> Option<Diagnostic> {
    let located = lozenge_vocabulary::notation::parse(source).ok()?;
    let mut constraints = located.set.constraints.iter().zip(&located.spans);
    let (_, span) = constraints.find(|(stated, _)| !matches!(stated, Constraint::DimEq(..)))?;
    let message = "this is a constraint set, not a program";
    Some(
        Diagnostic::new(span.clone(), message, "a constraint")
            .help("`lozenge solve` solves it; a program defines tensors, as in `let y = w * x`"),
    )
}
