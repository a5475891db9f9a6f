//! Operators that arrange cells anew.

use lozenge_graph_vocabulary::Node;

use super::{Outputs, one, wanted};
use crate::attributes::{axis, integer, integers};
use crate::axes::{cells, joined, label, labels, stretched};
use crate::fold::changed;
use crate::held::{Known, Tensor};
use crate::lowering::Lowering;
use crate::refusal::Why;

/// Adds a reshape, by products of axes.
pub(super) fn reshape(lowering: &mut Lowering, node: &Node) -> Outputs {
    rearranged(lowering, node)
}

/// Adds the product of the axes before one and of the axes from it on.
pub(super) fn flatten(lowering: &mut Lowering, node: &Node) -> Outputs {
    rearranged(lowering, node)
}

/// Leaves out axes of size 1.
pub(super) fn squeeze(lowering: &mut Lowering, node: &Node) -> Outputs {
    rearranged(lowering, node)
}

/// Adds axes of size 1.
pub(super) fn unsqueeze(lowering: &mut Lowering, node: &Node) -> Outputs {
    rearranged(lowering, node)
}

fn rearranged(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let second = lowering.integers(node, 1)?.map(Known::list);
    let sizes = changed(node, &x.sizes, &[None, second])?;
    let name = wanted(lowering, node);
    one(arranged(lowering, &name, x, &sizes)?)
}

/// Adds the lines that give the cells of a tensor, in their order, other axes.
fn arranged(lowering: &mut Lowering, name: &str, x: Tensor, sizes: &[u64]) -> Result<Tensor, Why> {
    if x.sizes == sizes {
        return Ok(x);
    }
    if let Some((from, to)) = factors(&x.sizes, sizes) {
        return lowering.define(name, sizes, &format!("map({}, \"{from} => {to}\")", x.name));
    }
    // The boundaries of the axes cross, so that no factors make both: one axis of all cells stands between.
    let all = [cells(sizes).ok_or("a size does not fit")?];
    let flat = arranged(lowering, name, x, &all)?;
    arranged(lowering, name, flat, sizes)
}

/// Finds factors of which both lists of axes are made, and writes both; nothing if there are none.
fn factors(from: &[u64], to: &[u64]) -> Option<(String, String)> {
    let (first, second) = (boundaries(from)?, boundaries(to)?);
    let mut all: Vec<u64> = first.iter().chain(&second).copied().collect();
    all.sort_unstable();
    all.dedup();
    // Each boundary has to be a multiple of the one behind it.
    if !all.windows(2).all(|pair| pair[1].is_multiple_of(pair[0])) {
        return None;
    }
    Some((written(from, &all, "0"), written(to, &all, "0:1")))
}

/// Gives the number of cells behind each axis, and that of all cells.
fn boundaries(sizes: &[u64]) -> Option<Vec<u64>> {
    let mut behind = vec![1u64];
    for size in sizes.iter().rev() {
        behind.push(behind.last()?.checked_mul(*size)?);
    }
    Some(behind)
}

/// Writes axes as products of the factors between boundaries, an axis of size 1 as given.
fn written(sizes: &[u64], boundaries: &[u64], unit: &str) -> String {
    let mut behind = 1;
    let mut axes = Vec::new();
    for &size in sizes.iter().rev() {
        let ahead = behind * size;
        let inside = boundaries.windows(2).enumerate();
        let inside = inside.filter(|(_, pair)| behind <= pair[0] && pair[1] <= ahead);
        let mut parts: Vec<String> = inside
            .map(|(factor, pair)| format!("{}:{}", label(factor), pair[1] / pair[0]))
            .collect();
        parts.reverse();
        axes.push(match &parts[..] {
            [] => unit.to_string(),
            [part] => part.clone(),
            _ => format!("({})", joined(&parts)),
        });
        behind = ahead;
    }
    axes.reverse();
    joined(&axes)
}

/// Adds the axes in another order.
pub(super) fn transpose(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let rank = x.sizes.len();
    let order = integers(node, "perm").unwrap_or_else(|| (0..rank as i64).rev().collect());
    let order: Vec<usize> = order
        .iter()
        .map(|&place| axis(place, rank))
        .collect::<Result<_, _>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..rank).collect::<Vec<_>>() {
        return Err("its order does not name each axis once".into());
    }
    let name = wanted(lowering, node);
    let sizes: Vec<u64> = order.iter().map(|&axis| x.sizes[axis]).collect();
    let to: Vec<String> = order.iter().map(|&axis| label(axis)).collect();
    let line = format!(
        "map({}, \"{} => {}\")",
        x.name,
        joined(&labels(rank)),
        joined(&to)
    );
    one(lowering.define(&name, &sizes, &line)?)
}

/// Stretches axes of size 1, and adds axes in front.
pub(super) fn expand(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let wanted_sizes = lowering.integers(node, 1)?.ok_or("the sizes are missing")?;
    let sizes: Option<Vec<u64>> = wanted_sizes
        .iter()
        .map(|&size| u64::try_from(size).ok())
        .collect();
    let sizes = stretched(&[&x.sizes, &sizes.ok_or("a size is below 0")?])?;
    let name = wanted(lowering, node);
    one(lowering.stretch(&name, x, &sizes)?)
}

/// Adds tensors one behind the other.
pub(super) fn concat(lowering: &mut Lowering, node: &Node) -> Outputs {
    let mut parts = Vec::new();
    for at in 0..node.arguments.len() {
        parts.push(lowering.operand(node, at)?);
    }
    let first = parts.first().ok_or("it joins nothing")?.clone();
    let along = axis(integer(node, "axis", 1), first.sizes.len())?;
    let name = wanted(lowering, node);
    one(beside(lowering, &name, &parts, along)?)
}

/// Adds the line that joins tensors along an axis.
pub(super) fn beside(
    lowering: &mut Lowering,
    name: &str,
    parts: &[Tensor],
    along: usize,
) -> Result<Tensor, Why> {
    let [first, others @ ..] = parts else {
        return Err("it joins nothing".into());
    };
    if others.is_empty() {
        return Ok(first.clone());
    }
    let mut sizes = first.sizes.clone();
    sizes[along] = 0;
    let rank = sizes.len();
    let mut read = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let fits = part.sizes.len() == rank
            && (0..rank).all(|axis| axis == along || part.sizes[axis] == sizes[axis]);
        if !fits {
            return Err(format!(
                "tensors of the sizes {:?} and {:?} do not stand beside each other",
                first.sizes, part.sizes
            )
            .into());
        }
        sizes[along] = sizes[along]
            .checked_add(part.sizes[along])
            .ok_or("a size does not fit")?;
        let mut axes = labels(rank);
        axes[along] = format!("p{at}");
        read.push(joined(&axes));
    }
    let mut axes = labels(rank);
    let all: Vec<String> = (0..parts.len()).map(|at| format!("p{at}")).collect();
    axes[along] = all.join("^");
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let line = format!(
        "concat({}, \"{} => {}\")",
        names.join(", "),
        read.join("; "),
        joined(&axes)
    );
    lowering.define(name, &sizes, &line)
}
