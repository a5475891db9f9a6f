//! Tests of the transcription.

mod edges;
mod recorded;
mod rules;
