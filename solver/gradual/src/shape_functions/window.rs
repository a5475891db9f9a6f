//! Windows that move over axes: convolutions, their transposes, and pools.

use super::{Call, Stop, require_equal, require_rank};
use crate::pass::Pass;
use crate::term::{Int, Term, Terms};
use crate::value::{Shape, Tensor, Value};

/// A window along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) taps: Int,
    /// The number of entries where it is not a number. `taps` is 1 then.
    pub(super) open: Option<Term>,
    pub(super) stride: Int,
    pub(super) dilation: Int,
    pub(super) before: Int,
    pub(super) after: Int,
}

/// The padding of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    Given,
    /// Padding that makes the result the input over the stride, rounded up.
    Same,
    None,
}

impl Window {
    fn reach(self) -> Int {
        self.dilation
            .saturating_mul(self.taps - 1)
            .saturating_add(1)
    }

    /// Returns the entries of the axis from the first to the last one of the window.
    fn extent(self, terms: &mut Terms) -> Term {
        let Some(open) = self.open else {
            return terms.number(self.reach());
        };
        let steps = terms.shift(open, -1);
        let steps = terms.scale(steps, self.dilation);
        terms.shift(steps, 1)
    }
}

/// The counting of the last window where it does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// Rounded down, and at least one window fits.
    Down,
    /// Cut off, as ONNX's own inference and onnxruntime do for pools: a window that is larger than the axis by less
    /// than a stride counts, and where it is larger by less than two strides there is none.
    Cut,
    /// Rounded up, but a window starts inside the axis or its first padding.
    Up,
}

/// Returns the number of places of a window on an axis.
pub(super) fn places(
    pass: &mut Pass,
    size: Term,
    window: Window,
    padding: Padding,
    rounding: Rounding,
) -> Result<Term, Stop> {
    if window.stride < 1 || window.dilation < 1 || window.taps < 1 {
        return pass.refuse("a window, its stride and its dilation are at least 1");
    }
    if padding == Padding::Same {
        return Ok(pass.terms.ceil_divide(size, window.stride));
    }
    let padded = if padding == Padding::None {
        0
    } else {
        window.before.saturating_add(window.after)
    };
    let extent = window.extent(pass.terms);
    let room = pass.terms.shift(size, padded);
    let room = pass.terms.subtract(room, extent);
    let fits = pass.terms.at_least(
        room,
        if rounding == Rounding::Down {
            0
        } else {
            1 - 2 * window.stride
        },
    );
    pass.require(fits, |terms| {
        format!(
            "a window of {} does not fit into the size {}{}",
            terms.text(extent),
            terms.text(size),
            if padded > 0 {
                format!(" padded by {padded}")
            } else {
                String::new()
            }
        )
    })?;
    Ok(match rounding {
        Rounding::Down => {
            let steps = pass.terms.floor_divide(room, window.stride);
            pass.terms.shift(steps, 1)
        }
        Rounding::Cut => {
            let steps = cut_quotient(pass, room, window.stride);
            pass.terms.shift(steps, 1)
        }
        Rounding::Up => {
            let steps = pass.terms.ceil_divide(room, window.stride);
            let count = pass.terms.shift(steps, 1);
            // (count - 1)·stride < size + before, or else the last window is left out.
            let start = pass.terms.scale(steps, window.stride);
            let end = pass.terms.shift(size, window.before);
            let is_inside = pass.terms.less(start, end);
            pass.terms.select(is_inside, count, steps)
        }
    })
}

/// Returns the quotient of a room above minus two strides by the stride, cut off.
fn cut_quotient(pass: &mut Pass, room: Term, stride: Int) -> Term {
    if stride == 1 {
        return room;
    }
    let steps = pass.terms.floor_divide(room, stride);
    let zero = pass.terms.number(0);
    let steps = pass.terms.max(steps, zero);
    let is_near = pass.terms.at_least(room, 1 - stride);
    let none = pass.terms.number(-1);
    pass.terms.select(is_near, steps, none)
}

/// Returns a convolution.
///
/// Preconditions: rank 2 more than the windows have axes; the channels of the input are the groups times those of the
/// kernel; the groups divide the channels of the result; each window fits at least once. Size 0: a batch of 0 is kept;
/// other sizes 0 are not specified, and onnxruntime refuses them.
pub(super) fn convolution(
    pass: &mut Pass,
    shape: &Shape,
    channels: (Term, Int, Term),
    windows: &[(Window, Padding)],
    may_lack_batch: bool,
) -> Result<Shape, Stop> {
    let (per_group, groups, results) = channels;
    let axes = windows.len();
    let ranks: &[usize] = if may_lack_batch {
        &[axes + 2, axes + 1]
    } else {
        &[axes + 2]
    };
    let rank = require_rank(pass, shape, ranks, "the input of the convolution")?;
    let channel = rank - axes - 1;
    let wanted = pass.terms.scale(per_group, groups);
    require_equal(
        pass,
        shape.axes[channel],
        wanted,
        "the channels of the input and those of the kernel differ",
    )?;
    let mut result = shape.axes.to_vec();
    result[channel] = results;
    for (at, (window, padding)) in windows.iter().enumerate() {
        let size = shape.axes[channel + 1 + at];
        let is_some = pass.terms.at_least(size, 1);
        let words = |terms: &Terms| format!("the size {} is 0", terms.text(size));
        if may_lack_batch {
            pass.require(is_some, words)?
        } else {
            pass.require_specified(is_some, words)?
        }
        result[channel + 1 + at] = places(pass, size, *window, *padding, Rounding::Down)?;
    }
    pass.shape(result)
}

/// Computes the windows of an ONNX node, for as many axes as its kernel has.
fn onnx_windows(call: &mut Call, kernel: &[Term]) -> Result<Vec<(Window, Padding)>, Stop> {
    let axes = kernel.len();
    let strides = call.ints("strides").unwrap_or_else(|| vec![1; axes]);
    let dilations = call.ints("dilations").unwrap_or_else(|| vec![1; axes]);
    let pads = call.ints("pads").unwrap_or_else(|| vec![0; 2 * axes]);
    let padding = match call.text("auto_pad") {
        Some("SAME_UPPER" | "SAME_LOWER") => Padding::Same,
        Some("VALID") => Padding::None,
        _ => Padding::Given,
    };
    if strides.len() != axes || dilations.len() != axes || pads.len() != 2 * axes {
        return call.pass.refuse(format!(
            "strides, dilations and pads are wanted for {axes} axes"
        ));
    }
    let known: Vec<Option<Int>> = kernel
        .iter()
        .map(|taps| call.pass.terms.as_number(*taps))
        .collect();
    let window = |at: usize| Window {
        taps: known[at].unwrap_or(1),
        open: known[at].is_none().then_some(kernel[at]),
        stride: strides[at],
        dilation: dilations[at],
        before: pads[at],
        after: pads[axes + at],
    };
    Ok((0..axes).map(|at| (window(at), padding)).collect())
}

fn numbers(call: &Call, terms: &[Term]) -> Option<Vec<Int>> {
    terms
        .iter()
        .map(|term| call.pass.terms.as_number(*term))
        .collect()
}

/// Computes `Conv`, `ConvInteger`, `QLinearConv`: see [`convolution`].
pub(super) fn onnx_convolution(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (kernel_at, bias_at) = match call.node.operator.name.as_str() {
        "QLinearConv" => (3, Some(8)),
        "ConvInteger" => (1, None),
        _ => (1, Some(2)),
    };
    convolved(call, kernel_at, bias_at)
}

/// Computes a convolution whose kernel and bias are the arguments at these places.
pub(super) fn convolved(
    call: &mut Call,
    kernel_at: usize,
    bias_at: Option<usize>,
) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(kernel)) =
        (call.tensor(0), call.shape(0), call.shape(kernel_at))
    else {
        return call.any();
    };
    super::rank_of(&kernel)?;
    if kernel.axes.len() < 3 {
        return call
            .pass
            .refuse("the kernel has no axis beside those for channels");
    }
    let taps = &kernel.axes[2..];
    let words = "the attribute `kernel_shape` is not the shape of the kernel";
    if let Some(stated) = call.ints("kernel_shape") {
        if stated.len() != taps.len() {
            return call.pass.refuse(words);
        }
        for (own, stated) in taps.iter().zip(stated) {
            let equal = call.terms().is(*own, stated);
            call.pass.require(equal, |_| words.to_owned())?;
        }
    }
    for own in taps {
        let is_some = call.terms().at_least(*own, 1);
        call.pass
            .require_specified(is_some, |_| "the kernel has no entries".to_owned())?;
    }
    let windows = onnx_windows(call, taps)?;
    let groups = call.int_or("group", 1).max(1);
    let divides = call.terms().divides(groups, kernel.axes[0]);
    call.pass.require(divides, |_| {
        format!("{groups} groups do not divide the channels of the result")
    })?;
    let result = convolution(
        call.pass,
        &shape,
        (kernel.axes[1], groups, kernel.axes[0]),
        &windows,
        false,
    )?;
    if let Some(bias) = bias_at.and_then(|at| call.shape(at)) {
        require_rank(call.pass, &bias, &[1], "the bias")?;
        require_equal(
            call.pass,
            bias.axes[0],
            kernel.axes[0],
            "the bias and the channels of the result differ",
        )?;
    }
    call.one(result, &tensor)
}

/// Returns the size after a transposed convolution whose padding makes it the input times the stride. Nothing is padded
/// where the windows do not reach as far, as in ONNX's own inference and in onnxruntime, where the text gives a
/// negative padding.
fn same_transposed(terms: &mut Terms, size: Term, window: Window, extra: Int) -> Term {
    let wanted = terms.scale(size, window.stride);
    let before_last = terms.shift(wanted, extra.saturating_sub(window.stride));
    let extent = window.extent(terms);
    let all = terms.add(before_last, extent);
    terms.min(wanted, all)
}

/// Computes `ConvTranspose`: the transpose of a convolution.
///
/// Preconditions: as of the convolution, with the channels of the kernel the other way round. The size is
/// `stride·(size - 1) + output_padding + reach - pads`, at least 1. Size 0: not specified. Versions: none that changed
/// shapes.
pub(super) fn onnx_transposed(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(kernel)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    super::rank_of(&kernel)?;
    let Some(taps) = kernel.axes.get(2..).and_then(|axes| numbers(call, axes)) else {
        return call.any();
    };
    let windows = onnx_windows(call, &kernel.axes[2..])?;
    let groups = call.int_or("group", 1).max(1);
    let extra = call
        .ints("output_padding")
        .unwrap_or_else(|| vec![0; taps.len()]);
    let stated = call.ints("output_shape");
    if extra.len() != taps.len() {
        return call.pass.refuse("output_padding is wanted for each axis");
    }
    require_rank(
        call.pass,
        &shape,
        &[taps.len() + 2],
        "the input of the convolution",
    )?;
    require_equal(
        call.pass,
        shape.axes[1],
        kernel.axes[0],
        "the channels of the input and those of the kernel differ",
    )?;
    let mut axes = vec![shape.axes[0], call.terms().scale(kernel.axes[1], groups)];
    for (at, (window, padding)) in windows.iter().enumerate() {
        let size = shape.axes[at + 2];
        let stated = stated.as_ref().and_then(|sizes| {
            if sizes.len() == taps.len() {
                sizes.get(at)
            } else {
                sizes.get(at + 2)
            }
        });
        axes.push(match (stated, padding) {
            (Some(stated), _) => stated_places(call.pass, size, *window, *stated)?,
            (None, Padding::Same) => {
                require_some(call.pass, shape.axes[0], size)?;
                same_transposed(call.pass.terms, size, *window, extra[at])
            }
            (None, padding) => transposed_places(call.pass, size, *window, *padding, extra[at])?,
        });
    }
    if let Some(bias) = call.shape(2) {
        require_rank(call.pass, &bias, &[1], "the bias")?;
        require_equal(
            call.pass,
            bias.axes[0],
            axes[1],
            "the bias and the channels of the result differ",
        )?;
    }
    let result = call.pass.shape(axes)?;
    call.one(result, &tensor)
}

/// Returns the stated size of an axis after the transpose of a convolution. The cells that the windows leave open
/// at the end are fewer than a step.
fn stated_places(pass: &mut Pass, size: Term, window: Window, stated: Int) -> Result<Term, Stop> {
    let is_some = pass.terms.at_least(size, 1);
    pass.require(is_some, |terms| {
        format!("the size {} is 0", terms.text(size))
    })?;
    let scaled = pass.terms.scale(size, window.stride);
    let most = pass.terms.shift(
        scaled,
        window
            .reach()
            .saturating_sub(window.stride)
            .saturating_add(window.stride.max(window.dilation) - 1),
    );
    let stated = pass.terms.number(stated);
    let reaches = pass.terms.at_most(stated, most);
    pass.require(reaches, |terms| {
        format!(
            "the windows of {} places do not reach the stated size {}",
            terms.text(size),
            terms.text(stated)
        )
    })?;
    Ok(stated)
}

/// Returns the size of an axis after the transpose of a convolution.
pub(super) fn transposed_places(
    pass: &mut Pass,
    size: Term,
    window: Window,
    padding: Padding,
    extra: Int,
) -> Result<Term, Stop> {
    let is_some = pass.terms.at_least(size, 1);
    pass.require(is_some, |terms| {
        format!("the size {} is 0", terms.text(size))
    })?;
    let padded = if padding == Padding::None {
        0
    } else {
        window.before.saturating_add(window.after)
    };
    let scaled = pass.terms.scale(size, window.stride);
    let result = pass.terms.shift(
        scaled,
        extra
            .saturating_sub(window.stride)
            .saturating_add(window.reach())
            .saturating_sub(padded),
    );
    let is_positive = pass.terms.at_least(result, 1);
    pass.require(is_positive, |terms| {
        format!("the size {} of the result is below 1", terms.text(result))
    })?;
    Ok(result)
}

/// Computes `MaxPool`, `AveragePool`, `LpPool`: windows without channels.
///
/// Preconditions: rank 2 more than the windows have axes; no window is larger than its axis by two strides. One that is
/// larger by less than a stride fits once, otherwise the result has size 0. Size 0: only where the batch is 0.
/// Versions: `ceil_mode` since 10; dilations of an average since 19.
pub(super) fn onnx_pool(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let Some(taps) = call.ints("kernel_shape") else {
        return call.pass.refuse("the attribute `kernel_shape` is missing");
    };
    let entries: Vec<Term> = taps.iter().map(|taps| call.terms().number(*taps)).collect();
    let windows = onnx_windows(call, &entries)?;
    require_rank(
        call.pass,
        &shape,
        &[taps.len() + 2],
        "the input of the pool",
    )?;
    require_channels(call.pass, shape.axes[1])?;
    let rounding = if call.int_or("ceil_mode", 0) != 0 {
        Rounding::Up
    } else {
        Rounding::Cut
    };
    let mut axes = shape.axes.to_vec();
    for (at, (window, padding)) in windows.iter().enumerate() {
        let size = shape.axes[at + 2];
        require_some(call.pass, shape.axes[0], size)?;
        axes[at + 2] = places(call.pass, size, *window, *padding, rounding)?;
    }
    let result = call.pass.shape(axes)?;
    let indices = Value::tensor(
        result.clone(),
        Some(lozenge_graph_vocabulary::ElementType::Int64),
    );
    Ok(vec![Value::tensor(result, tensor.element), indices])
}

/// Demands that an axis is not empty, unless the batch is: onnxruntime then computes nothing.
fn require_some(pass: &mut Pass, batch: Term, size: Term) -> Result<(), Stop> {
    let each = [pass.terms.is(batch, 0), pass.terms.at_least(size, 1)];
    let fine = pass.terms.any(&each);
    pass.require(fine, |terms| format!("the size {} is 0", terms.text(size)))
}

/// Demands that the input of a pool has a channel, as onnxruntime does.
fn require_channels(pass: &mut Pass, channels: Term) -> Result<(), Stop> {
    let is_some = pass.terms.at_least(channels, 1);
    pass.require_specified(is_some, |_| "a pool of no channels".to_owned())
}

/// Computes `GlobalAveragePool` and its kin: each axis behind the channels becomes 1.
///
/// Preconditions: rank at least 3, as onnxruntime has it. Size 0: only where the batch is 0.
pub(super) fn global(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    if super::rank_of(&shape)? < 3 {
        return call
            .pass
            .refuse("the input of a global pool has an axis beside batch and channels");
    }
    require_channels(call.pass, shape.axes[1])?;
    let mut axes = shape.axes.to_vec();
    let one = call.terms().number(1);
    for size in &mut axes[2..] {
        require_some(call.pass, shape.axes[0], *size)?;
        *size = one;
    }
    let result = call.pass.shape(axes)?;
    call.one(result, &tensor)
}

/// Returns a pool of PyTorch: one axis may be missing in front.
///
/// Preconditions: the padding is at most half a window; each result is at least 1. Size 0: a batch of 0 is allowed,
/// other sizes 0 are not.
pub(super) fn torch_pool(
    pass: &mut Pass,
    tensor: &Tensor,
    shape: &Shape,
    windows: &[Window],
    is_up: bool,
) -> Result<Value, Stop> {
    let axes = windows.len();
    let rank = require_rank(pass, shape, &[axes + 1, axes + 2], "the input of the pool")?;
    let mut result = shape.axes.to_vec();
    for size in result.iter().skip(rank - axes - 1) {
        let is_some = pass.terms.at_least(*size, 1);
        let size = *size;
        pass.require(is_some, |terms| {
            format!("the size {} is 0", terms.text(size))
        })?;
    }
    for (at, window) in windows.iter().enumerate() {
        if window.before * 2 > window.taps {
            return pass.refuse(format!(
                "a padding of {} is more than half a window of {}",
                window.before, window.taps
            ));
        }
        let place = rank - axes + at;
        let size = result[place];
        let count = if is_up {
            let room = pass
                .terms
                .shift(size, window.before + window.after - window.reach());
            let steps = pass.terms.ceil_divide(room, window.stride);
            let count = pass.terms.shift(steps, 1);
            let start = pass.terms.scale(steps, window.stride);
            let end = pass.terms.shift(size, window.before);
            let is_inside = pass.terms.less(start, end);
            let count = pass.terms.select(is_inside, count, steps);
            let fits = pass.terms.at_least(count, 1);
            pass.require(fits, |terms| {
                format!(
                    "a window of {} does not fit into the size {}",
                    window.reach(),
                    terms.text(size)
                )
            })?;
            count
        } else {
            places(pass, size, *window, Padding::Given, Rounding::Down)?
        };
        result[place] = count;
    }
    let shape = pass.shape(result)?;
    Ok(Value::tensor(shape, tensor.element))
}

/// Returns a pool of PyTorch that states the sizes of the result.
///
/// Preconditions: rank as for a pool; the sizes behind the batch are not 0. Size 0: a batch of 0 is allowed.
pub(super) fn adaptive(
    pass: &mut Pass,
    tensor: &Tensor,
    shape: &Shape,
    sizes: &[Option<Term>],
) -> Result<Value, Stop> {
    let axes = sizes.len();
    let rank = require_rank(pass, shape, &[axes + 1, axes + 2], "the input of the pool")?;
    let mut result = shape.axes.to_vec();
    let channel = rank - axes - 1;
    for (place, size) in shape
        .axes
        .iter()
        .enumerate()
        .skip(channel + usize::from(axes > 0))
    {
        let is_some = pass.terms.at_least(*size, 1);
        pass.require(is_some, |terms| {
            format!("the size {} is 0", terms.text(*size))
        })?;
        if let Some(stated) = sizes[place - channel - 1] {
            result[place] = stated;
        }
    }
    let shape = pass.shape(result)?;
    Ok(Value::tensor(shape, tensor.element))
}
