//! The words of messages: quotations from the text of a program, and phrases about its axes, rows and requirements.

pub(crate) mod axes;
pub(crate) mod requirement;
pub(crate) mod spec_text;
pub(crate) mod text;
