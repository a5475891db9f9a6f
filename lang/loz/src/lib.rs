//! The surface language of lozenge: the translation of program text to a [`Program`], and the reading of its data.
//!
//! [`parse`] reads a program; [`Program::constraints`](lozenge_vocabulary::program::Program::constraints) are the
//! constraints for shape inference; [`load`] reads the values. The language is described in `docs/language.md`.
//!
//! ```
//! let source = "data x : 100|->3 from \"x.csv\"\nparam w\nlet y = rleu(w * x)\n";
//! let errors = lozenge_lang::parse(source).expect_err("there is no function `rleu`");
//! let help = errors[0].help.as_ref().expect("every error has a help");
//! assert_eq!(help.text, "did you mean `relu`?");
//! let mended = lozenge_lang::Edit::apply(&help.edits, source);
//! assert_eq!(lozenge_lang::parse(&mended).map(|program| program.steps.len()), Ok(2));
//! ```
//!
//! A text passes through `token` (words and signs), `statement`, `expression`, `row`, `shape` and `spec` (the syntax),
//! `sizes` (the meaning of names of sizes), `files` (the files that a program uses) and `elaborate` (tensors and
//! operations). The `prelude` is itself a text of the language. A [`Diagnostic`] is a message with its places.
//!
//! # The papers
//!
//! The three rows of a shape and broadcasting at the marker are those of *Broadcasting Is an Order: Shape Inference for
//! OCANNL from Scratch*; specs, accumulators such as `=:+`, and gradients that exchange the slots of an operation are
//! those of *Contraction Is Emergent: Projection Inference for OCANNL from Scratch*. Both belong to the [OCANNL
//! project](https://github.com/ahrefs/ocannl), as does *The Formal Core of OCANNL's Shape and Projection Inference*,
//! whose constraints (Def. 3.4) the operations state. Functions, loops, sections and the prelude are the project's own.

mod composite;
mod counterpart;
mod cursor;
mod data;
mod data_line;
mod diagnostic;
mod elaborate;
mod expression;
mod extent;
mod files;
mod format;
mod header;
mod load;
mod names;
mod naming;
mod number;
pub mod numpy;
mod operator;
mod partial;
mod plan;
mod prelude;
mod region;
mod requirement;
mod row;
mod row_variable;
mod section;
mod shape;
mod sizes;
mod spec;
mod statement;
mod suggestion;
mod syntax;
mod token;
mod window;
mod words;

pub use counterpart::{Counterpart, counterparts};
pub use diagnostic::{Diagnostic, Edit, Elsewhere, Help, Label, Severity, place};
pub use format::format;
pub use load::{LoadError, load, load_wide};
pub use names::{
    DefinedElsewhere, Entry, Names, Renamed, Sort, Symbol, Texts, defined_elsewhere, names,
    renamable, renamable_across, rename, rename_across,
};
pub use partial::partly_written;
pub use prelude::prelude_lines;
pub use suggestion::{by_nearness, nearest};
pub use words::{Words, words};

use files::Files;
use lozenge_vocabulary::Constraint;
use lozenge_vocabulary::program::{Program, Surroundings};

/// The largest number of errors that are reported for a program.
pub const MAX_ERRORS: usize = 50;

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
    let mut read = statement::read(source, &mut errors);
    let files = Files::of(&read, surroundings.folder.as_deref(), surroundings.limits);
    let used: Vec<elaborate::Used> = files
        .files
        .iter()
        .map(|file| {
            let mut errors = Vec::new();
            (statement::read(&file.text, &mut errors), errors)
        })
        .collect();
    let mut program = prelude::with(|prelude| {
        let files = (&files, used.as_slice());
        elaborate::elaborate(prelude, &read, source, files, surroundings, &mut errors)
    });
    program.used = files.files.iter().map(|file| file.path.clone()).collect();
    statement::give_back(&mut read.statements);
    match errors.is_empty() {
        true => (program, errors),
        false => (program, reported(errors, source)),
    }
}

/// Finds the syntax errors of a text, in the order of the text. Names are not resolved.
pub fn errors_of_form(source: &str) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    statement::read(source, &mut errors);
    match errors.is_empty() {
        true => errors,
        false => reported(errors, source),
    }
}

/// Brings errors into the form in which they are returned: in the order of the text, and not too many.
fn reported(mut errors: Vec<Diagnostic>, source: &str) -> Vec<Diagnostic> {
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
        .help("mend those above first");
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
