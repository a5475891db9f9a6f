//! Operators that read some cells of an axis, or put cells around it.

use lozenge_graph_vocabulary::Node;

use super::layout::beside;
use super::{Outputs, one, wanted};
use crate::attributes::{axis, integer, integers, text};
use crate::axes::{joined, label, labels};
use crate::held::{Held, Tensor};
use crate::lowering::Lowering;
use crate::refusal::Why;

/// Adds the cells of one axis from a place on. The axis stays.
fn part(
    lowering: &mut Lowering,
    name: &str,
    x: &Tensor,
    along: usize,
    from: u64,
    length: u64,
) -> Result<Tensor, Why> {
    let whole = x.sizes[along];
    if from == 0 && length == whole {
        return Ok(x.clone());
    }
    let mut read = labels(x.sizes.len());
    read[along] = around(&label(along), from, whole - from - length);
    let mut sizes = x.sizes.clone();
    sizes[along] = length;
    let to = joined(&labels(sizes.len()));
    lowering.define(
        name,
        &sizes,
        &format!("map({}, \"{} => {to}\")", x.name, joined(&read)),
    )
}

/// Writes an axis with cells in front and behind that no loop visits.
fn around(label: &str, front: u64, behind: u64) -> String {
    let rest = |cells: u64| (cells > 0).then(|| format!("_:{cells}"));
    let parts = [rest(front), Some(label.to_string()), rest(behind)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("^")
}

/// Adds the parts of an axis.
pub(super) fn split(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let along = axis(integer(node, "axis", 0), x.sizes.len())?;
    let listed = match integers(node, "split") {
        Some(listed) => Some(listed),
        None => lowering.integers(node, 1)?,
    };
    let count = node.outputs.len() as u64;
    let whole = x.sizes[along];
    let lengths: Option<Vec<u64>> = match listed {
        Some(listed) => listed
            .iter()
            .map(|&length| u64::try_from(length).ok())
            .collect(),
        None => {
            let each = whole.div_ceil(count);
            Some(
                (0..count)
                    .map(|at| each.min(whole.saturating_sub(at * each)))
                    .collect(),
            )
        }
    };
    let lengths = lengths.ok_or("a part is smaller than 0")?;
    let sum = lengths
        .iter()
        .try_fold(0u64, |sum, &length| sum.checked_add(length));
    if lengths.len() as u64 != count || sum != Some(whole) {
        return Err(format!("parts of {lengths:?} do not make up an axis of {whole}").into());
    }
    let (mut from, mut parts) = (0, Vec::new());
    for (output, length) in node.outputs.iter().zip(lengths) {
        parts.push(match output {
            Some(id) => {
                let name = lowering.value_name(*id);
                Held::Tensor(part(lowering, &name, &x, along, from, length)?)
            }
            None => Held::Nothing(None),
        });
        from += length;
    }
    Ok(parts)
}

/// Adds every so many cells of some axes between two places.
pub(super) fn slice(lowering: &mut Lowering, node: &Node) -> Outputs {
    let mut x = lowering.operand(node, 0)?;
    let mut listed = Vec::new();
    for (at, name) in [(1, "starts"), (2, "ends"), (3, "axes"), (4, "steps")] {
        listed.push(match integers(node, name) {
            Some(list) => Some(list),
            None => lowering.integers(node, at)?,
        });
    }
    let [Some(starts), Some(ends), along, steps] = &listed[..] else {
        return Err("its places are missing".into());
    };
    let along = along
        .clone()
        .unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = steps.clone().unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), along.len(), steps.len()]
        .iter()
        .any(|&length| length != starts.len())
    {
        return Err("its lists are not equally long".into());
    }
    let name = wanted(lowering, node);
    for (((&start, &end), &number), &step) in starts.iter().zip(ends).zip(&along).zip(&steps) {
        let along = axis(number, x.sizes.len())?;
        let whole = x.sizes[along] as i64;
        let place = |number: i64| {
            if number < 0 {
                number.saturating_add(whole)
            } else {
                number
            }
        };
        x = match step {
            0 => return Err("its step is 0".into()),
            1 => {
                let (from, to) = (place(start).clamp(0, whole), place(end).clamp(0, whole));
                part(
                    lowering,
                    &name,
                    &x,
                    along,
                    from as u64,
                    (to - from).max(0) as u64,
                )?
            }
            _ => {
                let (low, high) = if step > 0 {
                    (0, whole)
                } else {
                    (-1, whole - 1)
                };
                let (from, to) = (
                    place(start).clamp(low.max(0), high),
                    place(end).clamp(low, high),
                );
                let step_size = step.unsigned_abs();
                let distance = if step > 0 { to - from } else { from - to };
                let count = u64::try_from(distance).unwrap_or(0).div_ceil(step_size);
                let cell = |at: u64| {
                    if step > 0 {
                        from as u64 + at * step_size
                    } else {
                        from as u64 - at * step_size
                    }
                };
                let places: Vec<u64> = (0..count).map(cell).collect();
                chosen(lowering, &name, &x, along, &places)?
            }
        };
    }
    one(x)
}

/// Adds the cells of an axis at given places, in their order.
///
/// No index of a loop runs backwards or jumps, so each place is compared with those of the axis, and the one cell where
/// they agree is the sum. A cell that is not chosen counts as 0 whatever it holds, so that an infinity there changes
/// nothing.
fn chosen(
    lowering: &mut Lowering,
    name: &str,
    x: &Tensor,
    along: usize,
    places: &[u64],
) -> Result<Tensor, Why> {
    let whole = x.sizes[along];
    let wanted = lowering.places(&format!("{name}_places"), places)?;
    let sizes = [places.len() as u64, whole];
    let table = format!("map({} == range({whole}), \"i; j => i, j\")", wanted.name);
    let table = lowering.define(&format!("{name}_chosen"), &sizes, &table)?;
    let mut read = labels(x.sizes.len());
    let mut to = read.clone();
    read[along] = "j".into();
    to[along] = "i".into();
    let mut sizes = x.sizes.clone();
    sizes[along] = places.len() as u64;
    let spec = format!("i, j; {};  => {}", joined(&read), joined(&to));
    lowering.define(
        name,
        &sizes,
        &format!("sum(where({}, {}, 0), \"{spec}\")", table.name, x.name),
    )
}

/// Adds the cells of an axis at places that the file gives.
pub(super) fn gather(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let along = axis(integer(node, "axis", 0), x.sizes.len())?;
    let Some(Held::Known(known)) = lowering.argument(node, 1)? else {
        return Err("its places are known only in a run".into());
    };
    let whole = x.sizes[along] as usize;
    let places = known.integers().ok_or("its places are no integers")?.iter();
    let places: Vec<u64> = places
        .map(|&place| Ok(axis(place, whole)? as u64))
        .collect::<Result<_, Why>>()?;
    let name = wanted(lowering, node);
    match (&known.sizes[..], &places[..]) {
        ([], [place]) => {
            let mut read = labels(x.sizes.len());
            let (mut to, mut sizes) = (read.clone(), x.sizes.clone());
            read[along] = place.to_string();
            to.remove(along);
            sizes.remove(along);
            one(lowering.define(
                &name,
                &sizes,
                &format!("map({}, \"{} => {}\")", x.name, joined(&read), joined(&to)),
            )?)
        }
        ([_], _) => one(chosen(lowering, &name, &x, along, &places)?),
        _ => Err("its places have several axes".into()),
    }
}

/// Adds cells around a tensor: zeros, or a reflection of the cells at its borders, or these cells again.
pub(super) fn pad(lowering: &mut Lowering, node: &Node) -> Outputs {
    let mut x = lowering.operand(node, 0)?;
    let listed = match integers(node, "pads") {
        Some(listed) => Some(listed),
        None => lowering.integers(node, 1)?,
    };
    let rank = x.sizes.len();
    let along = match lowering.integers(node, 3)? {
        Some(listed) => listed
            .iter()
            .map(|&number| axis(number, rank))
            .collect::<Result<_, _>>()?,
        None => (0..rank).collect::<Vec<_>>(),
    };
    let listed = listed.filter(|listed| listed.len() == 2 * along.len());
    let listed = listed.ok_or("its numbers of cells do not fit the axes")?;
    let listed: Option<Vec<u64>> = listed
        .iter()
        .map(|&cells| u64::try_from(cells).ok())
        .collect();
    let listed = listed.ok_or("it takes cells away")?;
    let mode = text(node, "mode", "constant");
    if mode == "constant" && padding(lowering, node)? != 0.0 {
        return Err("it puts other numbers than 0 around".into());
    }
    let name = wanted(lowering, node);
    for (at, &axis) in along.iter().enumerate() {
        let (front, behind) = (listed[at], listed[at + along.len()]);
        x = match (mode, front, behind) {
            (_, 0, 0) => x,
            ("constant", ..) => zeros_around(lowering, &name, &x, axis, front, behind)?,
            ("reflect", ..) => mirrored(lowering, &name, &x, axis, front, behind)?,
            _ => return Err(format!("the mode `{}` is missing", mode.escape_debug()).into()),
        };
    }
    one(x)
}

fn padding(lowering: &mut Lowering, node: &Node) -> Result<f64, Why> {
    match node.attribute("value") {
        Some(_) => Ok(crate::attributes::real(node, "value", 0.0)),
        None => Ok(lowering.number(node, 2)?.unwrap_or(0.0)),
    }
}

fn zeros_around(
    lowering: &mut Lowering,
    name: &str,
    x: &Tensor,
    along: usize,
    front: u64,
    behind: u64,
) -> Result<Tensor, Why> {
    let mut to = labels(x.sizes.len());
    to[along] = around(&label(along), front, behind);
    let mut sizes = x.sizes.clone();
    let longer = sizes[along]
        .checked_add(front)
        .and_then(|size| size.checked_add(behind));
    sizes[along] = longer.ok_or("a size does not fit")?;
    let from = joined(&labels(sizes.len()));
    lowering.define(
        name,
        &sizes,
        &format!("map({}, \"{from} => {}\")", x.name, joined(&to)),
    )
}

/// Adds the cells next to each border in the opposite order, without the border itself.
fn mirrored(
    lowering: &mut Lowering,
    name: &str,
    x: &Tensor,
    along: usize,
    front: u64,
    behind: u64,
) -> Result<Tensor, Why> {
    let whole = x.sizes[along];
    if front >= whole || behind >= whole {
        return Err(format!("an axis of {whole} cells is too short for its reflection").into());
    }
    let mut parts = Vec::new();
    if front > 0 {
        let near = part(lowering, name, x, along, 1, front)?;
        let places: Vec<u64> = (0..front).rev().collect();
        parts.push(chosen(lowering, name, &near, along, &places)?);
    }
    parts.push(x.clone());
    if behind > 0 {
        let near = part(lowering, name, x, along, whole - 1 - behind, behind)?;
        let places: Vec<u64> = (0..behind).rev().collect();
        parts.push(chosen(lowering, name, &near, along, &places)?);
    }
    beside(lowering, name, &parts, along)
}
