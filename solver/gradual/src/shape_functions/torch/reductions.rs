//! Reductions of PyTorch.

use super::super::{Call, Stop, known_axis, reduce};
use crate::term::Int;
use crate::value::{Shape, Value};
use lozenge_graph_vocabulary::ElementType;

/// Returns the shape after the named axes are reduced; none, or an empty list, means all. At rank 0 the axes 0 and -1
/// exist.
fn reduced(
    call: &mut Call,
    shape: &Shape,
    axes: Option<Vec<Int>>,
    keeps: bool,
) -> Result<Shape, Stop> {
    if shape.block.is_none()
        && shape.axes.is_empty()
        && let Some(axes) = &axes
    {
        for axis in axes {
            super::super::axis_of(call.pass, *axis, 1)?;
        }
        return Ok(shape.clone());
    }
    reduce::over(
        call.pass,
        shape,
        axes.filter(|axes| !axes.is_empty()).as_deref(),
        keeps,
    )
}

fn axes(call: &mut Call, place: usize) -> Result<Result<Option<Vec<Int>>, ()>, Stop> {
    match call.given(place, &["dim", "axis"])? {
        Value::None | Value::Other => Ok(Ok(None)),
        Value::List(list) => Ok(list
            .iter()
            .map(|value| call.number(value))
            .collect::<Option<Vec<_>>>()
            .map(Some)
            .ok_or(())),
        value => Ok(call.number(&value).map(|axis| Some(vec![axis])).ok_or(())),
    }
}

/// Sums, means and their kin.
///
/// Preconditions: the axes exist, each once; a maximum is not of nothing. Size 0: a sum or a mean of nothing is
/// allowed.
pub(super) fn over(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let name = super::short_name(&call.node.operator);
    let place = if name == "norm" || name == "linalg_vector_norm" {
        2
    } else {
        1
    };
    let keeps_at = if name == "var" || name == "std" {
        3
    } else {
        place + 1
    };
    let is_extreme = name == "amax" || name == "amin";
    let keeps = call.given_truth(keeps_at, &["keepdim"], false)?;
    let Ok(axes) = axes(call, place)? else {
        return call.any();
    };
    if is_extreme {
        let places: Vec<usize> = match &axes {
            Some(axes) if !shape.axes.is_empty() => axes
                .iter()
                .map(|axis| known_axis(call.pass, *axis, &shape))
                .collect::<Result<_, _>>()?,
            _ => (0..shape.axes.len()).collect(),
        };
        for place in places {
            require_some(call, &shape, place)?;
        }
    }
    let shape = reduced(call, &shape, axes, keeps)?;
    call.single(shape, &tensor)
}

fn require_some(call: &mut Call, shape: &Shape, place: usize) -> Result<(), Stop> {
    let is_some = call.pass.terms.at_least(shape.axes[place], 1);
    call.pass.require(is_some, |_| {
        "nothing is the largest or smallest of no elements".to_owned()
    })
}

/// Computes `max` and `min`: of all elements, along an axis with places, or of two tensors.
pub(super) fn extreme(call: &mut Call) -> Result<Vec<Value>, Stop> {
    if matches!(call.given(1, &["other"])?, Value::Tensor(_)) {
        return super::arithmetic::binary(call);
    }
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    if call.given(1, &["dim"])? == Value::None {
        return call.single(Shape::new([]), &tensor);
    }
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    if !shape.axes.is_empty() {
        let place = known_axis(call.pass, axis, &shape)?;
        require_some(call, &shape, place)?;
    }
    let keeps = call.given_truth(2, &["keepdim"], false)?;
    let shape = reduced(call, &shape, Some(vec![axis]), keeps)?;
    Ok(super::indexing::both(shape, &tensor))
}

pub(super) fn place(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((_, shape)) = call.own_shape()? else {
        return call.any();
    };
    let keeps = call.given_truth(2, &["keepdim"], false)?;
    let Ok(axes) = axes(call, 1)? else {
        return call.any();
    };
    if let (Some([axis]), false) = (axes.as_deref(), shape.axes.is_empty()) {
        let place = known_axis(call.pass, *axis, &shape)?;
        require_some(call, &shape, place)?;
    }
    let shape = reduced(call, &shape, axes, keeps)?;
    Ok(vec![Value::tensor(shape, Some(ElementType::Int64))])
}
