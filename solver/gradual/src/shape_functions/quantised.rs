//! Operators on quantised numbers: their shapes are those of the operators on real numbers, with scales and zero points
//! beside.

use super::{Call, Stop, linear, require_equal};
use crate::value::{Shape, Value};
use lozenge_graph_vocabulary::ElementType;

/// Demands that a scale and its zero point have the same shape.
fn require_alike(call: &mut Call, scale: usize, zero: usize) -> Result<(), Stop> {
    let (Some(scale), Some(zero)) = (call.shape(scale), call.shape(zero)) else {
        return Ok(());
    };
    let words = "a scale and its zero point have different shapes";
    if super::rank_of(&scale)? != super::rank_of(&zero)? {
        return call.pass.refuse(words);
    }
    for (left, right) in scale.axes.iter().zip(zero.axes.iter()) {
        require_equal(call.pass, *left, *right, words)?;
    }
    Ok(())
}

/// Computes `QLinearMatMul`: see [`linear::matmul`]; the second matrix is the fourth argument.
///
/// Preconditions: a scale and its zero point have the same shape.
pub(super) fn matmul(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(left), Some(right)) = (call.shape(0), call.shape(3)) else {
        return call.any();
    };
    for (scale, zero) in [(1, 2), (4, 5), (6, 7)] {
        require_alike(call, scale, zero)?;
    }
    let shape = linear::matmul(call.pass, &left, &right)?;
    let element = call.tensor(7).and_then(|tensor| tensor.element);
    Ok(vec![Value::tensor(shape, element)])
}

/// Computes `MatMulInteger`: see [`linear::matmul`].
pub(super) fn integer_matmul(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(left), Some(right)) = (call.shape(0), call.shape(1)) else {
        return call.any();
    };
    let shape = linear::matmul(call.pass, &left, &right)?;
    Ok(vec![Value::tensor(shape, Some(ElementType::Int32))])
}

/// Computes `DynamicQuantizeLinear`: the shape is kept; the scale and the zero point are single numbers.
///
/// Preconditions: none. Size 0: not said to be refused.
pub(super) fn measured(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(shape) = call.shape(0) else {
        return call.any();
    };
    let single = Shape::new([]);
    Ok(vec![
        Value::tensor(shape, Some(ElementType::Uint8)),
        Value::tensor(single.clone(), Some(ElementType::Float32)),
        Value::tensor(single, Some(ElementType::Uint8)),
    ])
}
