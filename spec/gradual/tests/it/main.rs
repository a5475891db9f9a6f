//! Tests of the transcription.

mod departures;
mod edges;
mod recorded;
mod rules;
