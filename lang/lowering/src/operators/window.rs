//! Operators with windows: convolutions, pools, and the normalisation of neighbouring channels.

use lozenge_graph_vocabulary::Node;

use super::{Outputs, one, only_first, wanted};
use crate::attributes::{integer, integers, real, text};
use crate::axes::joined;
use crate::held::Tensor;
use crate::lowering::{Lowering, number};
use crate::refusal::Why;

/// The windows on one axis.
struct Windows {
    /// The number of windows.
    count: u64,
    /// The cells of one window that are read.
    taps: u64,
    stride: u64,
    dilation: u64,
    /// The cells in front of the axis that do not exist.
    front: u64,
    /// The cells behind it.
    behind: u64,
    /// True if every cell that the windows cover exists, and none is left over.
    is_exact: bool,
}

impl Windows {
    /// Writes the axis of the operand. The label of the windows is `y`, that of the taps `u`, with the number of the
    /// axis.
    fn read(&self, axis: usize) -> String {
        if self.is_plain() {
            return format!("y{axis}");
        }
        let times = |factor: u64| match factor {
            1 => String::new(),
            _ => format!("{factor}*"),
        };
        let window = format!(
            "{}y{axis} + {}u{axis}",
            times(self.stride),
            times(self.dilation)
        );
        match self.is_exact {
            true => window,
            false => format!("floor({window}, {}, {})", self.front, self.behind),
        }
    }

    /// Tells whether each window is one cell, and each cell a window.
    fn is_plain(&self) -> bool {
        self.taps == 1 && self.stride == 1 && self.is_exact
    }
}

/// The rounding of the number of windows, where the last one does not fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    /// Windows that do not fit are left out.
    Down,
    /// As `Down`, but a single window that does not fit stays, cut off at the end of the axis: onnxruntime divides
    /// towards 0.
    TowardsZero,
    /// One more window, if it begins on the axis.
    Up,
}

/// Finds the windows on the axes of a map.
fn on_axes(
    node: &Node,
    map: &[u64],
    kernel: &[u64],
    rounding: Rounding,
) -> Result<Vec<Windows>, Why> {
    let rank = map.len();
    let listed = |name: &str, default: i64, length: usize| {
        let list = integers(node, name).unwrap_or_else(|| vec![default; length]);
        let list = list.iter().map(|&number| u64::try_from(number).ok());
        let list = list.collect::<Option<Vec<u64>>>();
        list.filter(|list| list.len() == length).ok_or_else(|| {
            Why::Said(format!(
                "the attribute `{name}` does not fit {rank} axes, or is below 0"
            ))
        })
    };
    let (strides, dilations) = (listed("strides", 1, rank)?, listed("dilations", 1, rank)?);
    let pads = listed("pads", 0, 2 * rank)?;
    let auto = text(node, "auto_pad", "NOTSET");
    let one = |axis: usize| {
        let (cells, taps, stride, dilation) =
            (map[axis], kernel[axis], strides[axis], dilations[axis]);
        if taps == 0 || stride == 0 || dilation == 0 {
            return Err("a window, a stride or a dilation is 0".into());
        }
        let span = dilation.checked_mul(taps - 1);
        let span = span.and_then(|reach| reach.checked_add(1));
        let span = span.ok_or("a window is too large")?;
        let around = match auto {
            "SAME_UPPER" | "SAME_LOWER" => same_size(auto, cells, span, stride)?,
            "VALID" => (0, 0),
            _ => (pads[axis], pads[axis + rank]),
        };
        let (count, front, behind) = counted(cells, around, span, stride, rounding)?;
        Ok(Windows {
            count,
            taps,
            stride,
            dilation,
            front,
            behind,
            is_exact: front == 0 && behind == 0 && (cells - span).is_multiple_of(stride),
        })
    };
    (0..rank).map(one).collect()
}

/// Gives the cells around an axis with which there are as many windows as strides on the axis.
fn same_size(auto: &str, cells: u64, span: u64, stride: u64) -> Result<(u64, u64), Why> {
    let covered = (cells.div_ceil(stride) - 1).checked_mul(stride);
    let covered = covered.ok_or("a stride is too large")?;
    let missing = covered.saturating_add(span).saturating_sub(cells);
    let (less, more) = (missing / 2, missing - missing / 2);
    Ok(match auto {
        "SAME_UPPER" => (less, more),
        _ => (more, less),
    })
}

/// Counts the windows on an axis, and gives the cells around it that they need.
fn counted(
    cells: u64,
    (front, mut behind): (u64, u64),
    span: u64,
    stride: u64,
    rounding: Rounding,
) -> Result<(u64, u64, u64), Why> {
    let too_much = "the padding is too large";
    let padded = front.checked_add(behind).ok_or(too_much)?;
    let room = cells.checked_add(padded).ok_or(too_much)?;
    if room < span {
        let is_cut = rounding != Rounding::Down && span - room < stride && front < span;
        return match is_cut {
            true => Ok((1, front, span.saturating_sub(cells + front))),
            false => Err(Why::Said(format!(
                "a window spans {span} cells of an axis of {cells}, padded by {padded}"
            ))),
        };
    }
    let mut count = (room - span) / stride + 1;
    let is_left_over = !(room - span).is_multiple_of(stride);
    if rounding == Rounding::Up && is_left_over && count * stride < cells + front {
        behind = (count * stride + span).saturating_sub(cells + front);
        count += 1;
    }
    Ok((count, front, behind))
}

/// Adds a convolution, with groups of channels.
pub(super) fn convolution(lowering: &mut Lowering, node: &Node) -> Outputs {
    let (x, w) = (lowering.operand(node, 0)?, lowering.operand(node, 1)?);
    let rank = x.sizes.len();
    if rank < 3 || w.sizes.len() != rank {
        return Err("it has no axes of a map, or weights of another rank".into());
    }
    let (channels, features) = (x.sizes[1], w.sizes[0]);
    let groups = u64::try_from(integer(node, "group", 1)).unwrap_or(0);
    if groups == 0
        || !features.is_multiple_of(groups)
        || w.sizes[1].checked_mul(groups) != Some(channels)
    {
        let message = format!(
            "{channels} channels in {groups} groups do not fit weights of {} channels for {features} features",
            w.sizes[1]
        );
        return Err(message.into());
    }
    let found = on_axes(node, &x.sizes[2..], &w.sizes[2..], Rounding::Down)?;
    let (inside, each) = (w.sizes[1], features / groups);
    let (of_x, of_w, to) = match (groups, inside, each) {
        (1, ..) => ("c".into(), "o, c", "o"),
        (_, 1, 1) => ("g".into(), "g, 0", "g"),
        (_, 1, _) => ("g".into(), "(g, o), 0", "(g, o)"),
        (_, _, 1) => (format!("(g:{groups}, c)"), "g, c", "g"),
        _ => (format!("(g:{groups}, c)"), "(g, o), c", "(g, o)"),
    };
    let (mut from_x, mut from_w) = (vec!["n".to_string(), of_x], vec![of_w.to_string()]);
    let mut result = vec!["n".to_string(), to.to_string()];
    for (axis, windows) in found.iter().enumerate() {
        from_x.push(windows.read(axis));
        from_w.push(if windows.is_plain() {
            "0".into()
        } else {
            format!("u{axis}")
        });
        result.push(format!("y{axis}"));
    }
    let mut sizes = vec![x.sizes[0], features];
    sizes.extend(found.iter().map(|windows| windows.count));
    let name = wanted(lowering, node);
    let spec = format!(
        "{}; {} => {}",
        joined(&from_x),
        joined(&from_w),
        joined(&result)
    );
    let product = format!("sum({} *. {}, \"{spec}\")", x.name, w.name);
    let product = lowering.define(&name, &sizes, &product)?;
    let Some(bias) = lowering.operand_or_none(node, 2)? else {
        return one(product);
    };
    one(by_channel(lowering, &name, &product, &bias, "+")?)
}

/// Adds the lines of an operation between the cells of each channel and a number of the channel.
pub(super) fn by_channel(
    lowering: &mut Lowering,
    name: &str,
    x: &Tensor,
    numbers: &Tensor,
    sign: &str,
) -> Result<Tensor, Why> {
    if x.sizes.len() < 2 || numbers.sizes != [x.sizes[1]] {
        return Err("the numbers of channels are not as many as the channels".into());
    }
    let all = joined(&crate::axes::labels(x.sizes.len()));
    let expression = format!(
        "map({} {sign} {}, \"{all}; a1 => {all}\")",
        x.name, numbers.name
    );
    lowering.define(name, &x.sizes.clone(), &expression)
}

/// Gives the parts of the spec of a pool, and the sizes of its result.
fn pool(node: &Node, x: &Tensor) -> Result<(Vec<Windows>, String, Vec<u64>), Why> {
    let kernel = integers(node, "kernel_shape").ok_or("it has no size of a window")?;
    let kernel: Option<Vec<u64>> = kernel
        .iter()
        .map(|&taps| u64::try_from(taps).ok())
        .collect();
    let kernel = kernel.filter(|kernel| kernel.len() + 2 == x.sizes.len());
    let kernel = kernel.ok_or("the size of its window does not fit the map")?;
    let rounding = match integer(node, "ceil_mode", 0) {
        0 => Rounding::TowardsZero,
        _ => Rounding::Up,
    };
    let found = on_axes(node, &x.sizes[2..], &kernel, rounding)?;
    let read = found.iter().enumerate();
    let read: Vec<String> = read.map(|(axis, windows)| sized(windows, axis)).collect();
    let result: Vec<String> = (0..found.len()).map(|axis| format!("y{axis}")).collect();
    let spec = format!("n, c, {} => n, c, {}", joined(&read), joined(&result));
    let mut sizes = x.sizes[..2].to_vec();
    sizes.extend(found.iter().map(|windows| windows.count));
    Ok((found, spec, sizes))
}

/// Writes the axis of the operand with the number of taps, which no other operand states.
fn sized(windows: &Windows, axis: usize) -> String {
    let tap = format!("u{axis}");
    windows
        .read(axis)
        .replace(&tap, &format!("{tap}:{}", windows.taps))
}

/// Adds the largest of each window.
pub(super) fn max_pool(lowering: &mut Lowering, node: &Node) -> Outputs {
    only_first(node)?;
    let x = lowering.operand(node, 0)?;
    let (_, spec, sizes) = pool(node, &x)?;
    let name = wanted(lowering, node);
    one(lowering.define(&name, &sizes, &format!("max({}, \"{spec}\")", x.name))?)
}

/// Adds the mean of each window: of the cells that exist or, if the attribute says so, of all.
pub(super) fn average_pool(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let (found, spec, sizes) = pool(node, &x)?;
    let name = wanted(lowering, node);
    let is_whole = found
        .iter()
        .all(|windows| windows.front == 0 && windows.behind == 0);
    let counts_padding = integer(node, "count_include_pad", 0) != 0;
    if is_whole || counts_padding {
        let is_cut = found
            .iter()
            .zip(&x.sizes[2..])
            .any(|(windows, &cells)| windows.count == 1 && cells + windows.front < windows.taps);
        if counts_padding && !is_whole && (is_cut || integer(node, "ceil_mode", 0) != 0) {
            return Err("it counts padded cells and rounds up".into());
        }
        let taps: u64 = found.iter().map(|windows| windows.taps).product();
        return one(lowering.define(
            &name,
            &sizes,
            &format!("sum({}, \"{spec}\") / {taps}", x.name),
        )?);
    }
    let sum = lowering.define(&name, &sizes, &format!("sum({}, \"{spec}\")", x.name))?;
    // One for each cell that exists. The sums over the same windows count them.
    let ones = lowering.ones(&x.sizes[2..]);
    let read = found
        .iter()
        .enumerate()
        .map(|(axis, windows)| sized(windows, axis));
    let read = joined(&read.collect::<Vec<_>>());
    let to = joined(
        &(0..found.len())
            .map(|axis| format!("y{axis}"))
            .collect::<Vec<_>>(),
    );
    let count = lowering.define(
        "count",
        &sizes[2..],
        &format!("sum({}, \"{read} => {to}\")", ones.name),
    )?;
    let mean = format!(
        "map({} / {}, \"n, c, {to}; {to} => n, c, {to}\")",
        sum.name, count.name
    );
    one(lowering.define(&name, &sizes, &mean)?)
}

/// Adds the normalisation of a cell by the squares of the same cell in neighbouring channels.
pub(super) fn local_response(lowering: &mut Lowering, node: &Node) -> Outputs {
    let x = lowering.operand(node, 0)?;
    let size = u64::try_from(integer(node, "size", 0)).unwrap_or(0);
    if size == 0 || x.sizes.len() < 2 {
        return Err("it has no neighbouring channels".into());
    }
    let (alpha, beta, bias) = (
        real(node, "alpha", 0.0001),
        real(node, "beta", 0.75),
        real(node, "bias", 1.0),
    );
    let all = crate::axes::labels(x.sizes.len());
    let mut read = all.clone();
    read[1] = format!("floor(a1 + u:{size}, {}, {})", (size - 1) / 2, size / 2);
    let name = wanted(lowering, node);
    let squares = format!(
        "sum(square({}), \"{} => {}\")",
        x.name,
        joined(&read),
        joined(&all)
    );
    let squares = lowering.define(&name, &x.sizes, &squares)?;
    let (bias, each, beta) = (number(bias), number(alpha / size as f64), number(beta));
    one(lowering.define(
        &name,
        &x.sizes,
        &format!(
            "{} / ({bias} + {each} *. {}) ** {beta}",
            x.name, squares.name
        ),
    )?)
}
