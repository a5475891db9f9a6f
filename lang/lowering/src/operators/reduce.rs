//! Reductions of axes.

use lozenge_graph_vocabulary::Node;

use super::{Outputs, one, wanted};
use crate::attributes::{axes, integer, integers};
use crate::axes::{cells, joined, label};
use crate::held::{Held, Tensor};
use crate::lowering::Lowering;
use crate::refusal::Why;

/// Adds a reduction of an expression over axes, which the result lacks, with an expression behind it.
pub(super) fn over(
    lowering: &mut Lowering,
    name: &str,
    function: &str,
    expression: &str,
    sizes: &[u64],
    reduced: &[usize],
    behind: &str,
) -> Result<Tensor, Why> {
    reduction(
        lowering, name, function, expression, sizes, reduced, false, behind,
    )
}

#[allow(
    clippy::too_many_arguments,
    reason = "a line of a reduction has so many parts"
)]
fn reduction(
    lowering: &mut Lowering,
    name: &str,
    function: &str,
    expression: &str,
    sizes: &[u64],
    reduced: &[usize],
    keeps: bool,
    behind: &str,
) -> Result<Tensor, Why> {
    let (mut from, mut to, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for (axis, &size) in sizes.iter().enumerate() {
        from.push(label(axis));
        match (reduced.contains(&axis), keeps) {
            (false, _) => {
                to.push(label(axis));
                left.push(size);
            }
            (true, true) => {
                to.push("0:1".into());
                left.push(1);
            }
            (true, false) => {}
        }
    }
    let line = format!(
        "{function}({expression}, \"{} => {}\"){behind}",
        joined(&from),
        joined(&to)
    );
    lowering.define(name, &left, &line)
}

/// Adds the mean or the largest of each channel.
pub(super) fn global_pool(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    if x.sizes.len() < 3 {
        return Err("it has no axes of a map".into());
    }
    let reduced: Vec<usize> = (2..x.sizes.len()).collect();
    let count = cells(&x.sizes[2..]).ok_or("it has too many cells")?;
    let (function, behind) = match node.operator.name.as_str() {
        "GlobalMaxPool" => ("max", String::new()),
        _ => ("sum", format!(" / {count}")),
    };
    let name = wanted(lowering, node);
    one(reduction(
        lowering, &name, function, &x.name, &x.sizes, &reduced, true, &behind,
    )?)
}

/// Adds a reduction over the axes that a node names.
pub(super) fn reduce(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let listed = match integers(node, "axes") {
        Some(listed) => Some(listed),
        None => lowering.integers(node, 1)?,
    };
    let listed = listed.filter(|listed| !listed.is_empty());
    let reduced = match listed {
        Some(listed) => axes(&listed, x.sizes.len())?,
        None if integer(node, "noop_with_empty_axes", 0) != 0 => return Ok(vec![Held::Tensor(x)]),
        None => (0..x.sizes.len()).collect(),
    };
    let count: Vec<u64> = reduced.iter().map(|&axis| x.sizes[axis]).collect();
    let count = cells(&count).ok_or("it has too many cells")?;
    let name = &x.name;
    let (function, expression, before, behind) = match node.operator.name.as_str() {
        "ReduceSum" => ("sum", name.clone(), "", String::new()),
        "ReduceMean" => ("sum", name.clone(), "", format!(" / {count}")),
        "ReduceMax" => ("max", name.clone(), "", String::new()),
        "ReduceMin" => ("min", name.clone(), "", String::new()),
        "ReduceL1" => ("sum", format!("abs({name})"), "", String::new()),
        "ReduceL2" => ("sum", format!("square({name})"), "sqrt", String::new()),
        "ReduceSumSquare" => ("sum", format!("square({name})"), "", String::new()),
        "ReduceLogSum" => ("sum", name.clone(), "log", String::new()),
        _ => return Err("this operator is missing".into()),
    };
    let keeps = integer(node, "keepdims", 1) != 0;
    let name = wanted(lowering, node);
    let result = reduction(
        lowering,
        &name,
        function,
        &expression,
        &x.sizes,
        &reduced,
        keeps,
        &behind,
    )?;
    match before {
        "" => one(result),
        function => one(lowering.define(
            &name,
            &result.sizes,
            &format!("{function}({})", result.name),
        )?),
    }
}
