//! The lines of each operator.

mod layout;
mod linear;
mod normalise;
mod pointwise;
mod reduce;
mod select;
mod window;

use lozenge_graph_vocabulary::Node;

use crate::fold;
use crate::held::{Held, Tensor};
use crate::lowering::Lowering;
use crate::refusal::Why;

/// The outputs that the lines of an operator give.
pub(crate) type Outputs = Result<Vec<Held>, Why>;

/// Adds the lines of a node, or finds that its outputs are known without any.
///
/// # Errors
/// When the operator has no lines for these arguments.
pub(crate) fn lower(lowering: &mut Lowering, node: &Node) -> Outputs {
    if node.operator.domain != "onnx" {
        return Err("this operator is missing".into());
    }
    if let Some(known) = fold::known(lowering, node)? {
        return Ok(vec![known]);
    }
    match node.operator.name.as_str() {
        "MatMul" => linear::matmul(lowering, node),
        "Gemm" => linear::gemm(lowering, node),
        "Conv" => window::convolution(lowering, node),
        "MaxPool" => window::max_pool(lowering, node),
        "AveragePool" => window::average_pool(lowering, node),
        "LRN" => window::local_response(lowering, node),
        "GlobalAveragePool" | "GlobalMaxPool" => reduce::global_pool(lowering, node),
        "BatchNormalization" => normalise::by_channel(lowering, node),
        "InstanceNormalization" => normalise::by_instance(lowering, node),
        "LayerNormalization" => normalise::by_layer(lowering, node),
        "Softmax" | "LogSoftmax" => normalise::softmax(lowering, node),
        name if name.starts_with("Reduce") => reduce::reduce(lowering, node),
        "Reshape" => layout::reshape(lowering, node),
        "Flatten" => layout::flatten(lowering, node),
        "Squeeze" => layout::squeeze(lowering, node),
        "Unsqueeze" => layout::unsqueeze(lowering, node),
        "Transpose" => layout::transpose(lowering, node),
        "Expand" => layout::expand(lowering, node),
        "Concat" => layout::concat(lowering, node),
        "Split" => select::split(lowering, node),
        "Slice" => select::slice(lowering, node),
        "Pad" => select::pad(lowering, node),
        "Gather" => select::gather(lowering, node),
        "Identity" | "Dropout" | "Cast" => pointwise::same(lowering, node),
        _ => pointwise::lower(lowering, node),
    }
}

/// Wraps the one output of an operator.
pub(crate) fn one(tensor: Tensor) -> Outputs {
    Ok(vec![Held::Tensor(tensor)])
}

/// Gives the name that the first output of a node has in the model.
pub(crate) fn wanted(lowering: &Lowering, node: &Node) -> String {
    lowering.output_name(node)
}

/// Refuses a node whose outputs beyond the first are used.
pub(crate) fn only_first(node: &Node) -> Result<(), Why> {
    match node.outputs.iter().skip(1).any(Option::is_some) {
        true => Err("only its first output has lines".into()),
        false => Ok(()),
    }
}
