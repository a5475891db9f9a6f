//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod foreign;
mod index_maps;
mod notation;
mod orders;
mod programs;
mod terms;
mod window_relation;
mod words;
