//! Tests of the native procedure against the outside world and against running.

mod fx;
mod models;
mod node_tests;
mod programs;
mod recorded;
mod runtime;
