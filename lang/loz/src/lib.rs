//! The surface language of lozenge: the translation of program text to a
//! [`Program`](lozenge_vocabulary::program::Program), and the reading of its data.
//!
//! [`parse()`] reads a program; [`Program::constraints`](lozenge_vocabulary::program::Program::constraints) are the
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
//! A text passes through these modules, each of which may use those above it in this table. A [`Diagnostic`] is a
//! message with its places.
//!
//! | module | what it holds |
//! |---|---|
//! | `diagnostic` | messages, and what they suggest: near names, names of other libraries |
//! | `syntax` | the syntax tree, and the table of operators |
//! | `parse` | words and signs, expressions, statements; the files that a program uses; the prelude, itself a text of the language |
//! | `data` | the values of data, from texts and files |
//! | `elaborate` | the meaning of names and sizes; tensors and operations |
//! | `program` | a program from its text, by all of these |
//! | `editor` | names, layout and words for editors |
//!
//! # The papers
//!
//! The three rows of a shape and broadcasting at the marker are those of *Broadcasting Is an Order: Shape Inference for
//! OCANNL from Scratch*; specs, accumulators such as `=:+`, and gradients that exchange the slots of an operation are
//! those of *Contraction Is Emergent: Projection Inference for OCANNL from Scratch*. Both belong to the [OCANNL
//! project](https://github.com/ahrefs/ocannl), as does *The Formal Core of OCANNL's Shape and Projection Inference*,
//! whose constraints (Def. 3.4) the operations state. Functions, loops, sections and the prelude are the project's own.

mod data;
mod diagnostic;
mod editor;
mod elaborate;
mod parse;
mod program;
mod syntax;

pub use data::load::{LoadError, load, load_wide};
pub use data::numpy;
pub use diagnostic::counterpart::{Counterpart, counterparts};
pub use diagnostic::nearest_name::{by_nearness, nearest};
pub use diagnostic::{
    Diagnostic, Edit, Elsewhere, Help, Label, MAX_ERRORS, Place, Severity, place,
};
pub use editor::format::format;
pub use editor::names::{
    DefinedElsewhere, Entry, Imported, Names, Renamed, Sort, Symbol, Texts, Workspace,
    defined_elsewhere, identity, imported, names, renamable, renamable_across, rename,
    rename_across, rests_on,
};
pub use editor::partial::partly_written;
pub use editor::signature::{Header, header_at, header_of_language};
pub use editor::words::{Words, words};
pub use parse::prelude::prelude_lines;
pub use program::{errors_of_form, parse, parse_in, parse_partly};
