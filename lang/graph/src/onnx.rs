//! ONNX: protocol buffers with nodes in order, bodies inside attributes, and functions.

mod attribute;
mod frame;
mod function;
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic, reason = "the code is generated")]
mod generated;
mod reader;
mod rewritten;
mod source;
mod tensor;
mod types;
mod weights;

use bytes::Bytes;
use lozenge_graph_vocabulary::Graph;

use crate::{Limits, ModelError};

pub(crate) use rewritten::with_decided;
pub use weights::read_numbers;

/// Reads an ONNX model.
pub(crate) fn read(content: Bytes, limits: &Limits) -> Result<Graph, ModelError> {
    let source = source::Source::new(content);
    let model: generated::ModelProto = source.decode(source.content(), "the model")?;
    let Some(graph) = model.graph else {
        let message = "the file has no graph, as every ONNX model has";
        return Err(ModelError::new(message)
            .with_help("perhaps it is no ONNX model, or its end is missing"));
    };
    let functions = function::Functions::read(&source, &model.functions, limits)?;
    let mut reader = reader::Reader::new(source, functions, limits);
    let producer = [model.producer_name, model.producer_version];
    reader.set_producer(
        producer
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
            .trim(),
    );
    reader.read(graph, &model.opset_import)
}

/// Gives the domain of an operator as graphs call it. The standard operators have an empty domain in a file, or
/// `ai.onnx`.
fn domain(written: &str) -> &str {
    match written {
        "" | "ai.onnx" => "onnx",
        other => other,
    }
}
