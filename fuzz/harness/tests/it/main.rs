//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod arithmetic;
mod chains;
mod closed_operations;
mod corpus;
mod errors_of_others;
mod findings;
mod findings_of_shapes;
mod gradual;
mod known_differences;
mod numpy;
mod parts;
mod reference;
mod side_by_side;
mod solved_form;
mod strategy;
mod subjects;
mod targets;
mod three_parties;
mod verdict_table;
mod window_sizes;
mod zeros;
