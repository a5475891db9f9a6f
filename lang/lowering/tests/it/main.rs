//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod computed;
mod messages;
mod models;
mod recorded;
mod text;
