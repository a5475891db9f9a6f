//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod acceptance;
mod answers;
mod enumeration;
mod foreign;
mod scale;
mod simplex_work;
