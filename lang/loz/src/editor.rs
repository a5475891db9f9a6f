//! Answers to an editor about a text alone: the names in it, its layout, the words of the language, and the shapes that
//! are written in part.

pub(crate) mod format;
pub(crate) mod names;
pub(crate) mod partial;
pub(crate) mod signature;
pub(crate) mod words;
