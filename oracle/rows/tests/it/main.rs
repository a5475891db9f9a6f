//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod counted_rows;
mod lengths;
mod questions;
mod side_by_side;
mod sizes;
mod zeros;
