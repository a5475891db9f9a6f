//! Tests of the decision procedure for appended shapes.

mod acceptance;
