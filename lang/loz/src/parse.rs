//! From text to syntax: words and signs, expressions, statements, and the files and functions beside a program.

pub(crate) mod block;
pub(crate) mod composite;
pub(crate) mod cursor;
pub(crate) mod data_line;
pub(crate) mod einsum;
pub(crate) mod expression;
pub(crate) mod extent;
pub(crate) mod files;
pub(crate) mod header;
pub(crate) mod naming;
pub(crate) mod number;
pub(crate) mod prelude;
pub(crate) mod recover;
pub(crate) mod row;
pub(crate) mod row_variable;
pub(crate) mod section;
pub(crate) mod shape;
pub(crate) mod statement;
pub(crate) mod token;
pub(crate) mod window;
