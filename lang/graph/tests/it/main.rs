//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod bad_files;
mod bad_graphs;
mod damage;
mod examples;
mod export;
mod fx;
mod generated;
mod grad;
mod limits;
mod onnx;
mod others;
mod torch_export;

/// The messages of ONNX, by which tests write models that no exporter writes.
#[rustfmt::skip]
#[allow(dead_code, missing_docs, clippy::all, reason = "the code is generated, and no test uses all of it")]
#[path = "../../src/onnx/generated.rs"]
mod messages;
