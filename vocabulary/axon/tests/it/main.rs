//! Tests of the vocabulary of appended shapes.

mod ground;
mod linear;
mod notation;
