//! Operators that work element by element: the shape is kept, or the shapes are broadcast.

use super::elements::{self, Binary};
use super::{Call, Stop, content};
use crate::limit::Limit;
use crate::pass::Pass;
use crate::term::{Int, Term};
use crate::value::{Content, Shape, Tensor, Value};
use lozenge_graph_vocabulary::ElementType;

/// Keeps the shape of the first argument.
///
/// Preconditions: none. Size 0: kept. Versions: none that changed shapes.
pub(super) fn keep(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    Ok(vec![super::unknown(tensor)])
}

/// Keeps the shape and the elements: a copy, or a change of the type that no integer notices.
pub(super) fn identity(call: &mut Call) -> Result<Vec<Value>, Stop> {
    Ok(vec![call.at(0)])
}

/// Keeps the shape, and applies a function to elements that are known.
pub(super) fn unary(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    let name = call.node.operator.name.clone();
    let content = elements::unary(call.terms(), &name, &tensor);
    Ok(vec![Value::Tensor(Tensor { content, ..tensor })])
}

/// Computes `Clip`: keeps the shape, and moves elements that are known between both ends.
///
/// Preconditions: an end is one number. Size 0: kept. Versions: the ends became inputs at 11.
pub(super) fn clipped(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    let mut content = tensor.content.clone();
    for (place, name, operation) in [(1, "min", Binary::Max), (2, "max", Binary::Min)] {
        let is_stated = call.has(place) || call.node.attribute(name).is_some();
        let end = match call.tensor(place).map(|end| end.content) {
            Some(Content::Numbers(end)) if call.has(place) => end.first().copied(),
            _ => None,
        };
        let is_integer = tensor.element.is_some_and(ElementType::is_integer);
        content = match (&content, end, is_stated) {
            (_, _, false) => continue,
            (Content::Numbers(numbers), Some(end), _) => {
                let moved = numbers.iter().map(|number| {
                    elements::apply(call.pass.terms, operation, *number, end, is_integer)
                });
                let moved = moved.collect::<Option<_>>();
                moved.map_or(Content::Unknown, Content::Numbers)
            }
            _ => Content::Unknown,
        };
    }
    Ok(vec![Value::Tensor(Tensor { content, ..tensor })])
}

/// Broadcasts all arguments to one shape.
///
/// Preconditions: seen from the last axis, the sizes that are not 1 are equal. Size 0: 0 wins over 1. Versions: before
/// 7, ONNX needed the attribute `broadcast`, and aligned the second shape at `axis`.
pub(super) fn broadcast(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let tensors: Option<Vec<Tensor>> = (0..call.arguments.len())
        .map(|place| call.tensor(place))
        .collect();
    let Some(tensors) = tensors else {
        return call.any();
    };
    let name = call.node.operator.name.clone();
    let element = match name.as_str() {
        "Equal" | "Less" | "Greater" | "LessOrEqual" | "GreaterOrEqual" | "And" | "Or" | "Xor" => {
            Some(ElementType::Bool)
        }
        "Where" => tensors.get(1).and_then(|tensor| tensor.element),
        _ => tensors.first().and_then(|tensor| tensor.element),
    };
    let Some(shapes) = tensors
        .iter()
        .map(|tensor| tensor.shape.clone())
        .collect::<Option<Vec<_>>>()
    else {
        return Ok(vec![Value::Tensor(Tensor {
            shape: None,
            element,
            content: Content::Unknown,
        })]);
    };
    let shape = if call.version() < 7
        && matches!(
            name.as_str(),
            "Add"
                | "Sub"
                | "Mul"
                | "Div"
                | "Pow"
                | "And"
                | "Or"
                | "Xor"
                | "Equal"
                | "Less"
                | "Greater"
        ) {
        legacy(call, &shapes)?
    } else {
        shapes_together(call.pass, &shapes)?
    };
    // With this attribute a remainder has the sign of what is divided.
    let name = match name.as_str() {
        "Mod" if call.int_or("fmod", 0) != 0 => "Remainder",
        name => name,
    };
    if let ("Div" | "Mod" | "Remainder", [_, divisors]) = (name, &tensors[..]) {
        require_divisors(call.pass, divisors)?;
    }
    let content = elements::together(call.terms(), name, &tensors, &shape);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(shape),
        element,
        content,
    })])
}

/// Demands that integers by which something is divided, and which are functions of inputs, are not 0.
fn require_divisors(pass: &mut Pass, divisors: &Tensor) -> Result<(), Stop> {
    if !divisors.element.is_some_and(ElementType::is_integer) {
        return Ok(());
    }
    for divisor in divisors.integers().unwrap_or_default() {
        let is_zero = pass.terms.is(divisor, 0);
        if pass.terms.decided(is_zero).is_none() {
            let is_some = pass.terms.not(is_zero);
            pass.require_specified(is_some, |_| "an integer is divided by 0".to_owned())?;
        }
    }
    Ok(())
}

/// Returns the broadcast of ONNX before version 7: the second shape is a part of the first.
fn legacy(call: &mut Call, shapes: &[Shape]) -> Result<Shape, Stop> {
    let [left, right] = shapes else {
        return call.pass.refuse("two inputs are wanted");
    };
    let (rank, part) = (super::rank_of(left)?, super::rank_of(right)?);
    let is_broadcast = call.int_or("broadcast", 0) != 0;
    let default = Int::try_from(rank).unwrap_or(0) - Int::try_from(part).unwrap_or(0);
    let start = if is_broadcast {
        call.int_or("axis", default)
    } else {
        0
    };
    let start = if start < 0 {
        start + Int::try_from(rank).unwrap_or(0)
    } else {
        start
    };
    if start < 0
        || usize::try_from(start).unwrap_or(rank) + part > rank
        || !is_broadcast && rank != part
    {
        return call
            .pass
            .refuse("the second shape is not a part of the first");
    }
    for (at, size) in right.axes.iter().enumerate() {
        let wanted = left.axes[usize::try_from(start).unwrap_or(0) + at];
        let formula = [
            call.terms().equal(*size, wanted),
            if is_broadcast {
                call.terms().is(*size, 1)
            } else {
                crate::term::Formula::FALSE
            },
        ];
        let formula = call.terms().any(&formula);
        call.pass.require(formula, |_| {
            "the second shape is not a part of the first".to_owned()
        })?;
    }
    Ok(left.clone())
}

/// Returns the shape to which all shapes are broadcast.
pub(super) fn shapes_together(pass: &mut Pass, shapes: &[Shape]) -> Result<Shape, Stop> {
    let Some(first) = shapes.first() else {
        return Ok(Shape::new([]));
    };
    if shapes.iter().all(|shape| shape == first) {
        return Ok(first.clone());
    }
    let block = shapes.iter().find_map(|shape| {
        shape
            .block
            .map(|block| (block, shape.axes.len() - block.at))
    });
    let rank = shapes
        .iter()
        .map(|shape| shape.axes.len())
        .max()
        .unwrap_or(0);
    if let Some((block, after)) = block {
        let fits = shapes.iter().all(|shape| match shape.block {
            Some(other) => {
                other == block && shape.axes.len() == rank && shape.axes.len() - other.at == after
            }
            None => shape.axes.len() <= after,
        });
        if !fits {
            return Err(Limit::Ranks.into());
        }
    }
    let mut axes = Vec::with_capacity(rank);
    for from_end in (1..=rank).rev() {
        let sizes: Vec<Term> = shapes
            .iter()
            .filter_map(|shape| {
                shape
                    .axes
                    .len()
                    .checked_sub(from_end)
                    .map(|at| shape.axes[at])
            })
            .collect();
        axes.push(axis_together(pass, &sizes, from_end)?);
    }
    Ok(Shape {
        axes: axes.into(),
        block: block.map(|(block, _)| block),
    })
}

/// Returns the size to which sizes of one axis are broadcast.
pub(super) fn axis_together(
    pass: &mut Pass,
    sizes: &[Term],
    from_end: usize,
) -> Result<Term, Stop> {
    if sizes.iter().all(|size| *size == sizes[0]) {
        return Ok(sizes[0]);
    }
    let compatible = pass.terms.compatible(sizes);
    let sizes = sizes.to_vec();
    pass.require(compatible, |terms| {
        let mut names: Vec<String> = sizes.iter().map(|size| terms.text(*size)).collect();
        names.dedup();
        format!(
            "axis -{from_end} has the sizes {}, which are neither equal nor 1",
            names.join(" and ")
        )
    })?;
    Ok(pass.terms.broadcast(&sizes))
}

/// Demands that a shape can be broadcast to another one, which stays as it is.
pub(super) fn one_way(pass: &mut Pass, from: &Shape, to: &Shape) -> Result<(), Stop> {
    if from == to {
        return Ok(());
    }
    if from.block.is_some()
        || to
            .block
            .is_some_and(|block| to.axes.len() - block.at < from.axes.len())
    {
        return Err(Limit::Ranks.into());
    }
    if to.block.is_none() && from.axes.len() > to.axes.len() {
        return pass.refuse(format!(
            "a tensor of rank {} does not fit into one of rank {}",
            from.axes.len(),
            to.axes.len()
        ));
    }
    for (own, wanted) in from.axes.iter().rev().zip(to.axes.iter().rev()) {
        let each = [pass.terms.equal(*own, *wanted), pass.terms.is(*own, 1)];
        let fits = pass.terms.any(&each);
        pass.require(fits, |terms| {
            format!(
                "size {} is broadcast to {}",
                terms.text(*own),
                terms.text(*wanted)
            )
        })?;
    }
    Ok(())
}

/// Computes `PRelu`: the slope is broadcast to the input.
///
/// Size 0: as for a broadcast. Versions: before 7 the slope had one axis for the channels.
pub(super) fn slope(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(from)) = (call.tensor(0), call.shape(1)) else {
        return call.any();
    };
    if let (Some(to), true) = (&tensor.shape, call.version() >= 7) {
        one_way(call.pass, &from, to)?;
    }
    Ok(vec![super::unknown(tensor)])
}

/// Computes softmax and its kin, `LpNormalization`: keeps the shape, and wants its axis to exist.
///
/// Size 0: kept. Versions: the default axis was 1 before 13.
pub(super) fn along_axis(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    if let Some(shape) = &tensor.shape {
        let axis = call.int_or(
            "axis",
            if call.node.operator.name != "LpNormalization" && call.version() < 13 {
                1
            } else {
                -1
            },
        );
        super::known_axis(call.pass, axis, shape)?;
    }
    Ok(vec![super::unknown(tensor)])
}

/// Computes `CumSum` and its kin: keeps the shape, and wants the axis that the second argument says to exist.
///
/// Size 0: kept. Versions: none.
pub(super) fn accumulate(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    let (Some(shape), Some(axis)) = (&tensor.shape, call.integers(1)) else {
        return Ok(vec![super::unknown(tensor)]);
    };
    let [axis] = *axis else {
        return call.pass.refuse("the axis is not one number");
    };
    if let Some(axis) = call.pass.terms.as_number(axis) {
        super::known_axis(call.pass, axis, shape)?;
        let operation = match call.node.operator.name.as_str() {
            "CumProd" => Binary::Multiply,
            _ => Binary::Add,
        };
        let ways = ["exclusive", "reverse"].map(|name| call.int_or(name, 0) != 0);
        let ways = (ways[0], ways[1]);
        let content = content::accumulated(call.terms(), &tensor, operation, ways);
        return Ok(vec![Value::Tensor(Tensor { content, ..tensor })]);
    }
    // The axis is an input: each of those that exist is fine.
    let rank = Int::try_from(super::rank_of(shape)?).unwrap_or(0);
    let end = call.pass.terms.number(rank);
    let exists = [
        call.pass.terms.at_least(axis, -rank),
        call.pass.terms.less(axis, end),
    ];
    let exists = call.pass.terms.all(&exists);
    call.pass.require(exists, |terms| {
        format!("axis {} does not exist among {rank}", terms.text(axis))
    })?;
    Ok(vec![super::unknown(tensor)])
}

/// Keeps the shape of an input of a certain rank: `Trilu` of stacks of matrices, `EyeLike` of a matrix, `LRN` of
/// pictures.
///
/// Preconditions: `LRN` wants rank 4, as ONNX's reference and onnxruntime do, where the text allows more. Size 0: kept.
pub(super) fn keep_rank(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    let Some(shape) = &tensor.shape else {
        return Ok(vec![super::unknown(tensor)]);
    };
    match call.node.operator.name.as_str() {
        "LRN" => drop(super::require_rank(call.pass, shape, &[4], "the input")?),
        "EyeLike" => drop(super::require_rank(call.pass, shape, &[2], "the input")?),
        _ if shape.block.is_none() && shape.axes.len() < 2 => {
            return call.pass.refuse("the input is no stack of matrices");
        }
        _ => {}
    }
    Ok(vec![super::unknown(tensor)])
}

/// Computes `MeanVarianceNormalization`: keeps the shape.
///
/// Preconditions: the axes exist; without them, they are 0, 2 and 3. Size 0: kept.
pub(super) fn over_axes(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    if let Some(shape) = &tensor.shape {
        for axis in call.ints("axes").unwrap_or_else(|| vec![0, 2, 3]) {
            super::known_axis(call.pass, axis, shape)?;
        }
    }
    Ok(vec![super::unknown(tensor)])
}

/// Computes `QuantizeLinear`, `DequantizeLinear`: keeps the shape.
///
/// Preconditions: the scale is one number, or as long as the axis; with blocks since 21 it has the rank of the input.
/// Size 0: kept.
pub(super) fn scaled(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    if let (Some(shape), Some(scale)) = (&tensor.shape, call.shape(1))
        && scale.block.is_none()
        && call.int_or("block_size", 0) == 0
    {
        match *scale.axes {
            [] => {}
            [length] => {
                let one = call.terms().is(length, 1);
                if !call.pass.decide(one)? {
                    let place = super::known_axis(call.pass, call.int_or("axis", 1), shape)?;
                    super::require_equal(
                        call.pass,
                        length,
                        shape.axes[place],
                        "the scale and the axis differ",
                    )?;
                }
            }
            _ => return call.pass.refuse("the scale has more than one axis"),
        }
    }
    Ok(vec![super::unknown(tensor)])
}

/// Computes `ReverseSequence`: keeps the shape.
///
/// Preconditions: rank at least 2; a length for each entry of the batch, not above that of the axis. Size 0: kept.
pub(super) fn reversed(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    if let (Some(shape), Some(lengths)) = (&tensor.shape, call.shape(1)) {
        if shape.block.is_none() && shape.axes.len() < 2 {
            return call.pass.refuse("the input has no axes for batch and time");
        }
        super::require_rank(call.pass, &lengths, &[1], "the lengths")?;
        let batch = super::known_axis(call.pass, call.int_or("batch_axis", 1), shape)?;
        super::require_equal(
            call.pass,
            lengths.axes[0],
            shape.axes[batch],
            "the lengths and the batch differ",
        )?;
        let time = super::known_axis(call.pass, call.int_or("time_axis", 0), shape)?;
        for length in call.integers(1).unwrap_or_default() {
            let fits = call.pass.terms.at_most(length, shape.axes[time]);
            call.pass.require(fits, |terms| {
                format!(
                    "the length {} is more than the size {}",
                    terms.text(length),
                    terms.text(shape.axes[time])
                )
            })?;
        }
    }
    Ok(vec![super::unknown(tensor)])
}

/// Computes `Cast`: keeps the shape, and the elements where they are integers before and after.
pub(super) fn cast(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    let element = match call.node.attribute("to") {
        Some(lozenge_graph_vocabulary::Argument::ElementType(element)) => Some(*element),
        Some(lozenge_graph_vocabulary::Argument::Int(code)) => onnx_element(*code),
        _ if call.node.operator.name == "CastLike" => {
            call.tensor(1).and_then(|tensor| tensor.element)
        }
        _ => None,
    };
    let content = elements::cast(call.terms(), &tensor.content, element);
    Ok(vec![Value::Tensor(Tensor {
        element,
        content,
        ..tensor
    })])
}

/// Returns the type of elements of a number in ONNX.
pub(super) fn onnx_element(code: i64) -> Option<ElementType> {
    Some(match code {
        1 => ElementType::Float32,
        2 => ElementType::Uint8,
        3 => ElementType::Int8,
        4 => ElementType::Uint16,
        5 => ElementType::Int16,
        6 => ElementType::Int32,
        7 => ElementType::Int64,
        8 => ElementType::String,
        9 => ElementType::Bool,
        10 => ElementType::Float16,
        11 => ElementType::Float64,
        12 => ElementType::Uint32,
        13 => ElementType::Uint64,
        16 => ElementType::Bfloat16,
        _ => return None,
    })
}

/// Returns the operators on known numbers by their ONNX names.
pub(super) fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "Add" | "Sum" => Binary::Add,
        "Sub" => Binary::Subtract,
        "Mul" => Binary::Multiply,
        "Div" => Binary::Divide,
        "Min" => Binary::Min,
        "Max" => Binary::Max,
        "Mod" => Binary::Modulo,
        "Remainder" => Binary::Remainder,
        "Pow" => Binary::Power,
        "Equal" => Binary::Equal,
        "Less" => Binary::Less,
        "LessOrEqual" => Binary::LessOrEqual,
        "Greater" => Binary::Greater,
        "GreaterOrEqual" => Binary::GreaterOrEqual,
        "And" => Binary::And,
        "Or" => Binary::Or,
        "Xor" => Binary::Xor,
        _ => return None,
    })
}

/// Computes `SwiGLU`: a gate times a value.
///
/// Preconditions: both have one shape; nothing is stretched. Size 0: kept.
pub(super) fn gated(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(gate), Some(value)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    if gate != value {
        let (own, other) = (super::rank_of(&gate)?, super::rank_of(&value)?);
        if own != other {
            return call.pass.refuse(format!(
                "the gate has rank {own}, and the value rank {other}"
            ));
        }
        for (own, other) in gate.axes.iter().zip(value.axes.iter()) {
            super::require_equal(call.pass, *own, *other, "gate and value differ in a size")?;
        }
    }
    Ok(vec![super::unknown(tensor)])
}
