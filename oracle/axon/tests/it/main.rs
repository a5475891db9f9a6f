//! Tests of what the definition of satisfaction says, by enumeration and by Z3.

mod enumeration;
mod verdicts;
