//! Nodes whose results are known before a run: constants, and what a model computes from sizes.

use lozenge_graph_vocabulary::{Argument, ElementType, Node};

use crate::attributes::{axes, axis, integer, integers, version};
use crate::axes::{cells, stretched};
use crate::held::{Held, Known, Numbers};
use crate::lowering::Lowering;
use crate::refusal::Why;

/// The most numbers of one result that are computed here.
const MOST: u64 = 1 << 16;

/// Gives what a node computes, if that is known before a run.
///
/// # Errors
/// When an argument is not there, or the node contradicts itself.
pub(crate) fn known(lowering: &mut Lowering, node: &Node) -> Result<Option<Held>, Why> {
    match node.operator.name.as_str() {
        "Constant" => return constant(lowering, node).map(Some),
        "ConstantOfShape" => return filled(lowering, node).map(Some),
        "Shape" => return shape(lowering, node).map(Some),
        "Size" => {
            let held = lowering.argument(node, 0)?.ok_or("argument 0 is missing")?;
            let count = held
                .sizes()
                .and_then(cells)
                .and_then(|count| i64::try_from(count).ok());
            let numbers = Numbers::Integers(vec![count.ok_or("the number of cells does not fit")?]);
            return Ok(Some(Held::Known(Known {
                sizes: Vec::new(),
                numbers,
            })));
        }
        _ => {}
    }
    let mut arguments = Vec::new();
    for at in 0..node.arguments.len() {
        match lowering.argument(node, at)? {
            None => arguments.push(None),
            Some(Held::Known(known)) => arguments.push(Some(known)),
            Some(Held::Filled(sizes, value)) if sizes.iter().all(|&size| size == 1) => arguments
                .push(Some(Known {
                    numbers: Numbers::Reals(vec![value; 1]),
                    sizes,
                })),
            Some(Held::Filled(..)) if at == 0 => return refilled(lowering, node),
            Some(_) => return Ok(None),
        }
    }
    let Some(Some(first)) = arguments.first() else {
        return Ok(None);
    };
    let result = match node.operator.name.as_str() {
        "Cast" => cast(node, first)?,
        "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" => moved(node, first, &arguments)?,
        "Concat" => joined(node, &arguments)?,
        "Slice" => slice(node, first, &arguments)?,
        "Gather" => gathered(node, first, &arguments)?,
        "Range" => range(&arguments)?,
        "ReduceProd" | "ReduceSum" | "ReduceMax" | "ReduceMin" => reduced(node, first)?,
        name => pointwise(name, &arguments)?,
    };
    match &result {
        Some(known) if cells(&known.sizes).is_none_or(|count| count > MOST) => {
            Err(format!("it computes more than {MOST} numbers from sizes").into())
        }
        _ => Ok(result.map(Held::Known)),
    }
}

/// Gives the type of elements that an attribute names by its number.
pub(crate) fn element_type(argument: &Argument) -> Option<ElementType> {
    // The numbers of `TensorProto.DataType`.
    Some(match argument.as_int()? {
        1 => ElementType::Float32,
        2 => ElementType::Uint8,
        3 => ElementType::Int8,
        4 => ElementType::Uint16,
        5 => ElementType::Int16,
        6 => ElementType::Int32,
        7 => ElementType::Int64,
        9 => ElementType::Bool,
        10 => ElementType::Float16,
        11 => ElementType::Float64,
        12 => ElementType::Uint32,
        13 => ElementType::Uint64,
        16 => ElementType::Bfloat16,
        _ => return None,
    })
}

fn constant(lowering: &mut Lowering, node: &Node) -> Result<Held, Why> {
    if let Some(Argument::Constant(id)) = node.attribute("value") {
        return Ok(lowering.constant(*id));
    }
    let scalar = |numbers| Known {
        sizes: Vec::new(),
        numbers,
    };
    if let Some(number) = node.attribute("value_int").and_then(Argument::as_int) {
        return Ok(Held::Known(scalar(Numbers::Integers(vec![number]))));
    }
    if let Some(numbers) = integers(node, "value_ints") {
        return Ok(Held::Known(Known::list(numbers)));
    }
    if let Some(Argument::Float(number)) = node.attribute("value_float") {
        return Ok(Held::Known(scalar(Numbers::Reals(vec![*number]))));
    }
    Err("a constant of this kind has no lines".into())
}

fn filled(lowering: &mut Lowering, node: &Node) -> Result<Held, Why> {
    let sizes = lowering.integers(node, 0)?.ok_or("argument 0 is missing")?;
    let sizes: Option<Vec<u64>> = sizes.iter().map(|&size| u64::try_from(size).ok()).collect();
    let sizes = sizes.ok_or("a size is below 0")?;
    let Some(Argument::Constant(id)) = node.attribute("value") else {
        return Ok(Held::Filled(sizes, 0.0));
    };
    let Held::Known(known) = lowering.constant(*id) else {
        return Err("its value is not one number".into());
    };
    match known.numbers {
        Numbers::Reals(numbers) if numbers.len() == 1 => Ok(Held::Filled(sizes, numbers[0])),
        Numbers::Integers(numbers) if numbers.len() == 1 => {
            let count = cells(&sizes).filter(|&count| count <= MOST);
            let count = count.ok_or("it fills too many integers")? as usize;
            let numbers = Numbers::Integers(vec![numbers[0]; count]);
            Ok(Held::Known(Known { sizes, numbers }))
        }
        _ => Err("its value is not one number".into()),
    }
}

/// Changes the axes of a tensor that has one number in every cell.
fn refilled(lowering: &mut Lowering, node: &Node) -> Result<Option<Held>, Why> {
    let Some(Held::Filled(sizes, value)) = lowering.argument(node, 0)? else {
        return Ok(None);
    };
    let arguments = [None, lowering_known(lowering, node, 1)?];
    let sizes = match node.operator.name.as_str() {
        "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" => changed(node, &sizes, &arguments)?,
        "Identity" => sizes,
        _ => return Ok(None),
    };
    Ok(Some(Held::Filled(sizes, value)))
}

fn lowering_known(lowering: &mut Lowering, node: &Node, at: usize) -> Result<Option<Known>, Why> {
    Ok(lowering.integers(node, at)?.map(Known::list))
}

fn shape(lowering: &mut Lowering, node: &Node) -> Result<Held, Why> {
    let held = lowering.argument(node, 0)?.ok_or("argument 0 is missing")?;
    let sizes = held.sizes().ok_or(Why::Upstream)?;
    let rank = sizes.len() as i64;
    let place = |name, default| {
        let number = integer(node, name, default);
        let from_front = if number < 0 {
            number.saturating_add(rank)
        } else {
            number
        };
        from_front.clamp(0, rank) as usize
    };
    let (start, end) = (place("start", 0), place("end", rank));
    let kept = sizes.get(start..end).unwrap_or(&[]).iter();
    let kept: Result<Vec<i64>, _> = kept.map(|&size| i64::try_from(size)).collect();
    Ok(Held::Known(Known::list(
        kept.map_err(|_| "a size does not fit")?,
    )))
}

fn cast(node: &Node, known: &Known) -> Result<Option<Known>, Why> {
    let Some(to) = node.attribute("to").and_then(element_type) else {
        return Ok(None);
    };
    let numbers = match (&known.numbers, to) {
        (Numbers::Integers(numbers), ElementType::Bool) => Numbers::Integers(
            numbers
                .iter()
                .map(|&number| i64::from(number != 0))
                .collect(),
        ),
        (Numbers::Integers(numbers), to)
            if to == ElementType::Int64 || to == ElementType::Int32 =>
        {
            let fits = |number: &i64| to == ElementType::Int64 || i32::try_from(*number).is_ok();
            match numbers.iter().all(fits) {
                true => Numbers::Integers(numbers.clone()),
                false => return Err("a number does not fit into 32 bits".into()),
            }
        }
        (Numbers::Integers(numbers), ElementType::Float32) => Numbers::Reals(
            numbers
                .iter()
                .map(|&number| f64::from(number as f32))
                .collect(),
        ),
        (Numbers::Reals(numbers), ElementType::Float32) => Numbers::Reals(
            numbers
                .iter()
                .map(|&number| f64::from(number as f32))
                .collect(),
        ),
        (Numbers::Reals(numbers), ElementType::Int64)
            if numbers.iter().all(|number| number.abs() < 1e15) =>
        {
            Numbers::Integers(
                numbers
                    .iter()
                    .map(|&number| number.trunc() as i64)
                    .collect(),
            )
        }
        _ => return Err(format!("a cast to {to} has no lines").into()),
    };
    let sizes = known.sizes.clone();
    Ok(Some(Known { sizes, numbers }))
}

/// Gives the sizes to which an operator changes those of its first argument without moving a number.
///
/// # Errors
/// When the axes or the sizes do not fit.
pub(crate) fn changed(
    node: &Node,
    sizes: &[u64],
    arguments: &[Option<Known>],
) -> Result<Vec<u64>, Why> {
    let second = arguments.get(1).and_then(Option::as_ref);
    let listed = match second {
        Some(known) => Some(
            known
                .integers()
                .ok_or("argument 1 holds no integers")?
                .to_vec(),
        ),
        None => integers(
            node,
            if node.operator.name == "Reshape" {
                "shape"
            } else {
                "axes"
            },
        ),
    };
    match node.operator.name.as_str() {
        "Reshape" => reshaped(
            sizes,
            &listed.ok_or("the sizes are missing")?,
            integer(node, "allowzero", 0) != 0,
        ),
        "Flatten" => {
            let at = match integer(node, "axis", 1) {
                at if at == sizes.len() as i64 => sizes.len(),
                at => axis(at, sizes.len())?,
            };
            let product = |part: &[u64]| cells(part).ok_or(Why::Said("a size does not fit".into()));
            Ok(vec![product(&sizes[..at])?, product(&sizes[at..])?])
        }
        "Squeeze" => {
            let gone = match listed {
                Some(listed) => axes(&listed, sizes.len())?,
                None => (0..sizes.len()).filter(|&axis| sizes[axis] == 1).collect(),
            };
            if let Some(axis) = gone.iter().find(|&&axis| sizes[axis] != 1) {
                return Err(format!(
                    "axis {axis} is to be left out and has the size {}",
                    sizes[*axis]
                )
                .into());
            }
            let kept = (0..sizes.len()).filter(|axis| !gone.contains(axis));
            Ok(kept.map(|axis| sizes[axis]).collect())
        }
        _ => {
            let listed = listed.ok_or("the axes are missing")?;
            let rank = sizes.len() + listed.len();
            let new = axes(&listed, rank)?;
            let mut old = sizes.iter();
            let all = (0..rank).map(|axis| {
                if new.contains(&axis) {
                    Some(1)
                } else {
                    old.next().copied()
                }
            });
            Ok(all.flatten().collect())
        }
    }
}

/// Gives the sizes of a reshape: 0 keeps the size of the axis at this place, -1 takes what is left.
fn reshaped(sizes: &[u64], wanted: &[i64], zero_is_a_size: bool) -> Result<Vec<u64>, Why> {
    let mut result = Vec::new();
    let mut open = None;
    for (axis, &size) in wanted.iter().enumerate() {
        result.push(match size {
            0 if !zero_is_a_size => *sizes
                .get(axis)
                .ok_or("it keeps the size of an axis that is not there")?,
            -1 if open.is_none() => {
                open = Some(axis);
                1
            }
            size => u64::try_from(size).map_err(|_| format!("the size {size} is below 0"))?,
        });
    }
    let have = cells(sizes).ok_or("a size does not fit")?;
    let named = cells(&result).ok_or("a size does not fit")?;
    if let Some(axis) = open.filter(|_| named != 0 && have.is_multiple_of(named)) {
        result[axis] = have / named;
    }
    match cells(&result) == Some(have) {
        true => Ok(result),
        false => Err(format!("{have} cells do not fit into the sizes {wanted:?}").into()),
    }
}

fn moved(node: &Node, first: &Known, arguments: &[Option<Known>]) -> Result<Option<Known>, Why> {
    Ok(Some(Known {
        sizes: changed(node, &first.sizes, arguments)?,
        numbers: first.numbers.clone(),
    }))
}

fn joined(node: &Node, arguments: &[Option<Known>]) -> Result<Option<Known>, Why> {
    let all: Option<Vec<&Known>> = arguments.iter().map(Option::as_ref).collect();
    let Some(all) = all.filter(|all| all.iter().all(|known| known.sizes.len() == 1)) else {
        return Ok(None);
    };
    axis(integer(node, "axis", 0), 1)?;
    let numbers: Option<Vec<&[i64]>> = all.iter().map(|known| known.integers()).collect();
    Ok(numbers.map(|numbers| Known::list(numbers.concat())))
}

fn slice(node: &Node, first: &Known, arguments: &[Option<Known>]) -> Result<Option<Known>, Why> {
    let (Some(numbers), [length]) = (first.integers(), &first.sizes[..]) else {
        return Ok(None);
    };
    let length = *length as i64;
    let listed = |at: usize, name: &str| match arguments.get(at) {
        Some(Some(known)) => known.integers().map(<[i64]>::to_vec),
        _ => integers(node, name),
    };
    let one = |list: Option<Vec<i64>>| list.filter(|list| list.len() == 1).map(|list| list[0]);
    let (Some(start), Some(end)) = (one(listed(1, "starts")), one(listed(2, "ends"))) else {
        return Ok(None);
    };
    if one(listed(4, "steps")).unwrap_or(1) != 1 {
        return Ok(None);
    }
    let place = |number: i64| {
        let from_front = if number < 0 {
            number.saturating_add(length)
        } else {
            number
        };
        from_front.clamp(0, length) as usize
    };
    let kept = numbers.get(place(start)..place(end)).unwrap_or(&[]);
    Ok(Some(Known::list(kept.to_vec())))
}

fn gathered(node: &Node, first: &Known, arguments: &[Option<Known>]) -> Result<Option<Known>, Why> {
    let (Some(numbers), 1) = (first.integers(), first.sizes.len()) else {
        return Ok(None);
    };
    let Some(Some(places)) = arguments.get(1) else {
        return Ok(None);
    };
    axis(integer(node, "axis", 0), 1)?;
    let found = places.integers().unwrap_or(&[]).iter();
    let found = found.map(|&place| axis(place, numbers.len()).map(|place| numbers[place]));
    Ok(Some(Known {
        sizes: places.sizes.clone(),
        numbers: Numbers::Integers(found.collect::<Result<_, _>>()?),
    }))
}

fn range(arguments: &[Option<Known>]) -> Result<Option<Known>, Why> {
    let number = |at: usize| arguments.get(at)?.as_ref()?.integers()?.first().copied();
    let (Some(start), Some(end), Some(step)) = (number(0), number(1), number(2)) else {
        return Ok(None);
    };
    if step == 0 {
        return Err("its step is 0".into());
    }
    let count = (i128::from(end) - i128::from(start))
        .unsigned_abs()
        .div_ceil(u128::from(step.unsigned_abs()));
    let forward = (end > start) == (step > 0) && start != end;
    let count = match (forward, u64::try_from(count)) {
        (false, _) => 0,
        (true, Ok(count)) if count <= MOST => count as i64,
        _ => return Err(format!("it computes more than {MOST} numbers from sizes").into()),
    };
    Ok(Some(Known::list(
        (0..count).map(|at| start + at * step).collect(),
    )))
}

fn reduced(node: &Node, first: &Known) -> Result<Option<Known>, Why> {
    let (Some(numbers), 1) = (first.integers(), first.sizes.len()) else {
        return Ok(None);
    };
    let mut rest = numbers.iter().copied();
    let overflow = "a number computed from sizes does not fit";
    let start = match node.operator.name.as_str() {
        "ReduceProd" => 1,
        "ReduceSum" => 0,
        _ => rest.next().ok_or("it reduces no numbers")?,
    };
    let result = rest.try_fold(start, |so_far: i64, next| {
        match node.operator.name.as_str() {
            "ReduceProd" => so_far.checked_mul(next),
            "ReduceSum" => so_far.checked_add(next),
            "ReduceMax" => Some(so_far.max(next)),
            _ => Some(so_far.min(next)),
        }
    });
    let keeps = integer(node, "keepdims", 1) != 0;
    Ok(Some(Known {
        sizes: if keeps { vec![1] } else { Vec::new() },
        numbers: Numbers::Integers(vec![result.ok_or(overflow)?]),
    }))
}

/// Computes an operator of each cell on integers.
fn pointwise(name: &str, arguments: &[Option<Known>]) -> Result<Option<Known>, Why> {
    let form: fn(&[i64]) -> Option<i64> = match (name, arguments.len()) {
        ("Add", 2) => |v| v[0].checked_add(v[1]),
        ("Sub", 2) => |v| v[0].checked_sub(v[1]),
        ("Mul", 2) => |v| v[0].checked_mul(v[1]),
        ("Div", 2) => |v| v[0].checked_div(v[1]),
        ("Max", 2) => |v| Some(v[0].max(v[1])),
        ("Min", 2) => |v| Some(v[0].min(v[1])),
        ("Equal", 2) => |v| Some(i64::from(v[0] == v[1])),
        ("Less", 2) => |v| Some(i64::from(v[0] < v[1])),
        ("Greater", 2) => |v| Some(i64::from(v[0] > v[1])),
        ("Where", 3) => |v| Some(if v[0] != 0 { v[1] } else { v[2] }),
        ("Neg", 1) => |v| v[0].checked_neg(),
        ("Abs", 1) => |v| v[0].checked_abs(),
        ("Not", 1) => |v| Some(i64::from(v[0] == 0)),
        ("Identity", 1) => |v| Some(v[0]),
        _ => return Ok(None),
    };
    let all: Option<Vec<&Known>> = arguments.iter().map(Option::as_ref).collect();
    let Some(all) = all.filter(|all| all.iter().all(|known| known.integers().is_some())) else {
        return Ok(None);
    };
    let sizes = stretched(&all.iter().map(|known| &known.sizes[..]).collect::<Vec<_>>())?;
    let count = cells(&sizes).filter(|&count| count <= MOST);
    let count = count.ok_or("it computes too many numbers from sizes")?;
    let mut result = Vec::new();
    for cell in 0..count {
        let values: Option<Vec<i64>> = all
            .iter()
            .map(|known| at_cell(known, &sizes, cell))
            .collect();
        let value = values.and_then(|values| form(&values));
        result.push(value.ok_or("a number computed from sizes does not fit")?);
    }
    let numbers = Numbers::Integers(result);
    Ok(Some(Known { sizes, numbers }))
}

/// Gives the number that a tensor has in a cell of a larger one to which it is stretched.
fn at_cell(known: &Known, sizes: &[u64], cell: u64) -> Option<i64> {
    let (mut place, mut stride, mut rest) = (0, 1, cell);
    let mut own = known.sizes.iter().rev();
    for &size in sizes.iter().rev() {
        let coordinate = rest % size;
        rest /= size;
        if let Some(&own) = own.next() {
            place += if own == 1 { 0 } else { coordinate * stride };
            stride *= own;
        }
    }
    known.integers()?.get(place as usize).copied()
}

/// Tells whether the operator set of a node is older than a version.
pub(crate) fn before(node: &Node, limit: i64) -> bool {
    version(node) < limit
}
