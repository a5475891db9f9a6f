//! Messages, and what they suggest for names of other libraries.

pub(crate) mod counterpart;

pub use lozenge_diagnostic::{
    Diagnostic, Edit, Elsewhere, Help, Label, MAX_ERRORS, Place, Severity, place,
};
pub(crate) use lozenge_diagnostic::{Parsed, brief, nearest_name};
