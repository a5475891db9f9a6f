//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod bad_input;
mod cases;
mod constants;
mod decisions;
mod engines;
mod epilogues;
mod fast_schedules;
mod fetched_ahead;
mod groups;
mod kernel_source;
mod local_memory;
mod margins;
mod naive;
mod no_device;
mod parallel;
mod pins;
mod precision;
mod prologues;
mod random;
mod random_nests;
mod recorded;
mod recording;
mod schedules;
mod tuning;
mod windows;
mod worked_examples;
