//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod any_text;
mod arrays;
mod bad_input;
mod constraints;
mod digits;
mod documentation;
mod editors;
mod elaboration;
mod format;
mod grammar;
mod inference;
mod loading;
mod long_loops;
mod names;
mod nested_calls;
mod ui;
mod used;
mod words;
mod written_shapes;
