//! Tests of the transcribed rules.

mod printed;
mod types;
