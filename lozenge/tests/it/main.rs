//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod coming_from;
mod constants;
mod edges;
mod examples;
mod foreign;
mod foreign_numbers;
mod gradients;
mod gradients_of_examples;
mod gradients_of_updates;
mod growing;
mod infer;
mod introduction;
mod language;
mod large;
mod messages;
mod mutated_programs;
mod readers;
mod shared_in_updates;
mod shared_memory;
mod training;
mod undetermined_parameters;
mod updates_of_themselves;
mod values;
mod windows;
mod written_constraints;
