//! Tests of the native procedure against the outside world and against running.

mod branches;
mod by_hand;
mod damage;
mod data;
mod elements;
mod fx;
mod large;
mod models;
mod node_tests;
mod opinfo;
mod other_tool;
mod programs;
mod questions;
mod recorded;
mod runtime;
mod wide;
