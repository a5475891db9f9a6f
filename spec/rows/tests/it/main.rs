//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod closing;
mod documentation;
mod enumeration;
mod front_page;
mod limits;
mod names;
mod operations;
mod printed_lines;
mod projections;
mod random_projections;
mod rows_below;
mod rule_examples;
mod size_projections;
mod substitution;
mod texts;
mod windows;
mod worked_examples;
mod zeros;
