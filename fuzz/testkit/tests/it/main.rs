//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod house;
mod inventory;
mod prose;
mod public_interface;
mod reachable_types;
