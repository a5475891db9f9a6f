//! Normalisations, and the softmax.

use lozenge_graph_vocabulary::Node;

use super::reduce::over;
use super::window::by_channel as channelwise;
use super::{Outputs, one, only_first, wanted};
use crate::attributes::{axis, integer, real};
use crate::axes::{cells, joined, labels};
use crate::fold::before;
use crate::held::Tensor;
use crate::lowering::{Lowering, Operand, number};
use crate::refusal::Why;

/// Adds the normalisation of each channel by numbers of the file, as batch normalisation does in inference.
pub(super) fn by_channel(lowering: &mut Lowering, node: &Node) -> Outputs {
    if integer(node, "training_mode", 0) != 0 || integer(node, "spatial", 1) == 0 {
        return Err("only inference with one number for each channel has lines".into());
    }
    let x = lowering.operand(node, 0)?;
    let mut numbers = Vec::new();
    for at in 1..5 {
        numbers.push(lowering.operand(node, at)?);
    }
    let [scale, shift, mean, variance] = &numbers[..] else {
        return Err(Why::Upstream);
    };
    if numbers.iter().any(|tensor| tensor.sizes != scale.sizes) {
        return Err("its numbers of channels are not equally many".into());
    }
    let name = wanted(lowering, node);
    let epsilon = number(real(node, "epsilon", 1e-5));
    let factor = format!("{} / sqrt({} + {epsilon})", scale.name, variance.name);
    let factor = lowering.define(&format!("{name}_factor"), &scale.sizes, &factor)?;
    let centred = channelwise(lowering, &name, &x, mean, "-")?;
    let scaled = channelwise(lowering, &name, &centred, &factor, "*.")?;
    let result = channelwise(lowering, &name, &scaled, shift, "+")?;
    // Operator sets before 14 have further outputs, which inference leaves out.
    only_first(node)?;
    one(result)
}

/// Adds the normalisation of each channel of each instance.
pub(super) fn by_instance(lowering: &mut Lowering, node: &Node) -> Outputs {
    let (x, scale, shift) = (
        lowering.operand(node, 0)?,
        lowering.operand(node, 1)?,
        lowering.operand(node, 2)?,
    );
    let name = wanted(lowering, node);
    let reduced: Vec<usize> = (2..x.sizes.len()).collect();
    let normal = standard(lowering, &name, &x, &reduced, real(node, "epsilon", 1e-5))?;
    let scaled = channelwise(lowering, &name, &normal, &scale, "*.")?;
    one(channelwise(lowering, &name, &scaled, &shift, "+")?)
}

/// Adds the normalisation over the last axes.
pub(super) fn by_layer(lowering: &mut Lowering, node: &Node) -> Outputs {
    only_first(node)?;
    let (x, scale) = (lowering.operand(node, 0)?, lowering.operand(node, 1)?);
    let first = axis(integer(node, "axis", -1), x.sizes.len())?;
    let name = wanted(lowering, node);
    let reduced: Vec<usize> = (first..x.sizes.len()).collect();
    let normal = standard(lowering, &name, &x, &reduced, real(node, "epsilon", 1e-5))?;
    let (normal, scale) = (Operand::Tensor(normal), Operand::Tensor(scale));
    let mut result = lowering.pointwise(&name, normal, scale, |a, b| format!("{a} *. {b}"))?;
    if let Some(shift) = lowering.operand_or_none(node, 2)? {
        let (left, shift) = (Operand::Tensor(result), Operand::Tensor(shift));
        result = lowering.pointwise(&name, left, shift, |a, b| format!("{a} + {b}"))?;
    }
    match result.sizes == x.sizes {
        true => one(result),
        false => Err("its factors have axes that the tensor lacks".into()),
    }
}

/// Subtracts the mean over axes, and divides by the root of the variance.
fn standard(
    lowering: &mut Lowering,
    name: &str,
    x: &Tensor,
    reduced: &[usize],
    epsilon: f64,
) -> Result<Tensor, Why> {
    let count = reduced
        .iter()
        .map(|&axis| x.sizes[axis])
        .collect::<Vec<_>>();
    let count = cells(&count).ok_or("it has too many cells")?;
    let mean = over(
        lowering,
        name,
        "sum",
        &x.name,
        &x.sizes,
        reduced,
        &format!(" / {count}"),
    )?;
    let centred = back(lowering, name, x, &mean, reduced, "-")?;
    let squares = format!("square({})", centred.name);
    let variance = over(
        lowering,
        name,
        "sum",
        &squares,
        &x.sizes,
        reduced,
        &format!(" / {count}"),
    )?;
    let root = format!("sqrt({} + {})", variance.name, number(epsilon));
    let root = lowering.define(name, &variance.sizes, &root)?;
    back(lowering, name, &centred, &root, reduced, "/")
}

/// Adds the lines of an operation between a tensor and what a reduction of some of its axes left.
fn back(
    lowering: &mut Lowering,
    name: &str,
    x: &Tensor,
    reduction: &Tensor,
    reduced: &[usize],
    sign: &str,
) -> Result<Tensor, Why> {
    let all = labels(x.sizes.len());
    let kept: Vec<&String> = all
        .iter()
        .enumerate()
        .filter(|(axis, _)| !reduced.contains(axis))
        .map(|(_, label)| label)
        .collect();
    let (all, kept) = (joined(&all), joined(&kept));
    let expression = format!(
        "map({} {sign} {}, \"{all}; {kept} => {all}\")",
        x.name, reduction.name
    );
    lowering.define(name, &x.sizes, &expression)
}

/// Adds a softmax, or its logarithm. Before operator set 13 it is over all axes from the named one on.
pub(super) fn softmax(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let is_old = before(node, 13);
    let first = axis(
        integer(node, "axis", if is_old { 1 } else { -1 }),
        x.sizes.len(),
    )?;
    let reduced: Vec<usize> = match is_old {
        true => (first..x.sizes.len()).collect(),
        false => vec![first],
    };
    let name = wanted(lowering, node);
    let largest = over(lowering, &name, "max", &x.name, &x.sizes, &reduced, "")?;
    let centred = back(lowering, &name, &x, &largest, &reduced, "-")?;
    let powers = lowering.define(&name, &x.sizes, &format!("exp({})", centred.name))?;
    let sum = over(lowering, &name, "sum", &powers.name, &x.sizes, &reduced, "")?;
    if node.operator.name == "Softmax" {
        return one(back(lowering, &name, &powers, &sum, &reduced, "/")?);
    }
    let logarithm = lowering.define(&name, &sum.sizes, &format!("log({})", sum.name))?;
    one(back(lowering, &name, &centred, &logarithm, &reduced, "-")?)
}
