//! Reductions over axes.

use super::elements::Binary;
use super::{Call, Stop, content, known_axis};
use crate::pass::Pass;
use crate::term::Int;
use crate::value::{Content, Shape, Tensor, Value};
use lozenge_graph_vocabulary::ElementType;

/// Returns the shape after axes are reduced. No axes mean all of them.
///
/// Preconditions: the axes exist, each once. Size 0: a sum of nothing is allowed; a maximum of nothing is the caller's
/// question.
pub(super) fn over(
    pass: &mut Pass,
    shape: &Shape,
    axes: Option<&[Int]>,
    keeps: bool,
) -> Result<Shape, Stop> {
    let one = pass.terms.number(1);
    let Some(axes) = axes else {
        if shape.block.is_some() && keeps {
            return Err(crate::limit::Limit::Ranks.into());
        }
        return Ok(Shape::new(if keeps {
            vec![one; shape.axes.len()]
        } else {
            Vec::new()
        }));
    };
    let mut is_reduced = vec![false; shape.axes.len()];
    for axis in axes {
        let place = known_axis(pass, *axis, shape)?;
        if std::mem::replace(&mut is_reduced[place], true) {
            return pass.refuse(format!("axis {axis} is reduced twice"));
        }
    }
    let before = shape.block.map(|block| {
        is_reduced[..block.at]
            .iter()
            .filter(|reduced| !**reduced || keeps)
            .count()
    });
    let kept = shape
        .axes
        .iter()
        .zip(&is_reduced)
        .filter_map(|(size, reduced)| match (reduced, keeps) {
            (false, _) => Some(*size),
            (true, true) => Some(one),
            (true, false) => None,
        });
    let block = shape
        .block
        .zip(before)
        .map(|(block, at)| crate::value::Block { at, ..block });
    Ok(Shape {
        axes: kept.collect::<Vec<_>>().into(),
        block,
    })
}

/// Places of axes, each once: ONNX's own inference and onnxruntime reduce an axis once that is given twice.
fn once(pass: &mut Pass, shape: &Shape, axes: &[Int]) -> Result<Vec<Int>, Stop> {
    let mut seen = std::collections::BTreeMap::new();
    for axis in axes {
        seen.entry(known_axis(pass, *axis, shape)?).or_insert(*axis);
    }
    Ok(seen.into_values().collect())
}

/// Computes `ReduceSum` and its kin.
///
/// Preconditions: the axes exist. Size 0: a sum, a product or a mean over nothing is allowed; of a maximum or minimum
/// over nothing ONNX says since 20 that it is the least or greatest value. Versions: the axes became an input at 13
/// (`ReduceSum`) and 18 (the others).
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let keeps = call.int_or("keepdims", 1) != 0;
    let is_given = call.has(1) || call.node.attribute("axes").is_some();
    let axes = match shape.block {
        Some(_) => call.ints_at(1, "axes"),
        None => call.axes_at(1, "axes", shape.axes.len())?,
    };
    if is_given && axes.is_none() {
        return call.any();
    }
    let axes = match axes.filter(|axes| !axes.is_empty()) {
        Some(axes) => Some(once(call.pass, &shape, &axes)?),
        None => None,
    };
    if axes.is_none() && call.int_or("noop_with_empty_axes", 0) != 0 {
        return Ok(vec![super::unknown(tensor)]);
    }
    let result = over(call.pass, &shape, axes.as_deref(), keeps)?;
    let content = reduced(call, &tensor, axes.as_deref(), &result);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

/// Returns the elements after a reduction, where those before are known.
fn reduced(call: &mut Call, tensor: &Tensor, axes: Option<&[Int]>, result: &Shape) -> Content {
    let operation = match call.node.operator.name.as_str() {
        "ReduceProd" => Binary::Multiply,
        "ReduceSum" => Binary::Add,
        "ReduceMax" => Binary::Max,
        "ReduceMin" => Binary::Min,
        _ => return Content::Unknown,
    };
    let rank = tensor.shape.as_ref().map_or(0, |shape| shape.axes.len());
    let mut is_reduced = vec![axes.is_none(); rank];
    for axis in axes.unwrap_or_default() {
        if let Ok(place) = super::axis_of(call.pass, *axis, rank) {
            is_reduced[place] = true;
        }
    }
    content::reduced(call.pass.terms, tensor, operation, (&is_reduced, result))
}

/// Computes `ArgMax`, `ArgMin`: one axis is reduced to the place of an element.
///
/// Preconditions: the axis exists and is not empty. Size 0: not specified along the axis.
pub(super) fn onnx_place(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(shape) = call.shape(0) else {
        return call.any();
    };
    let axis = call.int_or("axis", 0);
    let place = known_axis(call.pass, axis, &shape)?;
    let is_some = call.terms().at_least(shape.axes[place], 1);
    call.pass.require_specified(is_some, |_| {
        "no element of an empty axis is the largest".to_owned()
    })?;
    let keeps = call.int_or("keepdims", 1) != 0;
    let shape = over(call.pass, &shape, Some(&[axis]), keeps)?;
    Ok(vec![Value::tensor(shape, Some(ElementType::Int64))])
}
