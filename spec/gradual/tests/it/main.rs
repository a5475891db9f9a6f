//! Tests of the transcription.

mod departures;
mod documented;
mod edges;
mod recorded;
mod rules;
