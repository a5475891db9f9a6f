//! Losses over classes.

use super::{Call, Stop, rank_of, require_equal, require_rank};
use crate::value::{Shape, Value};

/// Computes `NegativeLogLikelihoodLoss` and `SoftmaxCrossEntropyLoss`, whose second output has the shape of the scores.
///
/// Preconditions: scores have rank at least 2, with the classes on axis 1; targets have all other axes; a weight for
/// each class. Size 0: not said to be refused.
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(scores), Some(targets)) =
        (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    let rank = rank_of(&scores)?;
    if rank < 2 {
        return call.pass.refuse("the scores have batch and classes");
    }
    require_rank(call.pass, &targets, &[rank - 1], "the tensor of targets")?;
    let others = (0..rank).filter(|at| *at != 1).map(|at| scores.axes[at]);
    for (own, target) in others.zip(targets.axes.iter()) {
        let words = "scores and targets differ beside the classes";
        require_equal(call.pass, own, *target, words)?;
    }
    if let Some(weights) = call.shape(2) {
        require_rank(call.pass, &weights, &[1], "the list of weights")?;
        let words = "the numbers of weights and of classes differ";
        require_equal(call.pass, weights.axes[0], scores.axes[1], words)?;
    }
    let loss = match call.text("reduction") {
        Some("none") => targets,
        _ => Shape::new([]),
    };
    Ok(vec![
        Value::tensor(loss, tensor.element),
        Value::tensor(scores, tensor.element),
    ])
}
