//! Operators that move a window over images.

use super::call::{Call, size};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_module.Conv2d", convolution),
    ("call_module.MaxPool2d", max_pool),
    ("call_module.AdaptiveAvgPool2d", adaptive_pool),
];

/// An image with what lies before its channels: a batch, or nothing.
struct Image<'s> {
    batch: &'s [u64],
    channels: u64,
    sides: [u64; 2],
}

fn image(shape: &[u64]) -> Result<Image<'_>, String> {
    match shape {
        [batch @ .., channels, height, width] if batch.len() <= 1 => Ok(Image {
            batch,
            channels: *channels,
            sides: [*height, *width],
        }),
        _ => Err(format!(
            "{shape:?} is neither an image nor a batch of images"
        )),
    }
}

fn shape_of(batch: &[u64], channels: u64, sides: [u64; 2]) -> Value {
    let mut shape = batch.to_vec();
    shape.push(channels);
    shape.extend(sides);
    Value::Tensor(shape)
}

/// A window along one side.
struct Window {
    kernel: i128,
    stride: i128,
    padding: i128,
    dilation: i128,
}

impl Window {
    /// The entries that the window covers from its first to its last.
    fn reach(&self) -> i128 {
        self.dilation * (self.kernel - 1) + 1
    }
}

fn windows(call: &Call, padding: [i128; 2]) -> Result<[Window; 2], String> {
    let kernel = call.pair("kernel_size")?;
    let stride = match call.parameter("stride") {
        Value::None => kernel,
        _ => call.pair("stride")?,
    };
    let dilation = call.pair("dilation").unwrap_or([1, 1]);
    let window = |at: usize| Window {
        kernel: kernel[at],
        stride: stride[at],
        padding: padding[at],
        dilation: dilation[at],
    };
    let windows = [window(0), window(1)];
    let exists = |w: &Window| w.kernel > 0 && w.stride > 0 && w.dilation > 0 && w.padding >= 0;
    match windows.iter().all(exists) {
        true => Ok(windows),
        false => Err("a window, its stride and its dilation are at least 1".to_string()),
    }
}

/// The channels are those of the module, the kernel fits into the padded image, and it moves by the stride. An image
/// without height or width stands only in a batch that is empty or where there are no channels.
fn convolution(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let of = image(shape)?;
    let wanted = call.number("in_channels")?;
    if of.channels != wanted {
        return Err(format!(
            "there are {} channels, and {wanted} are wanted",
            of.channels
        ));
    }
    let channels = call.number("out_channels")?;
    if channels == 0 {
        return Err("the result has no channels".to_string());
    }
    let is_same = *call.parameter("padding") == Value::Text("same".to_string());
    let padding = match call.parameter("padding") {
        Value::Text(_) | Value::None => [0, 0],
        _ => call.pair("padding")?,
    };
    let windows = windows(call, padding)?;
    let is_empty = of.sides.contains(&0);
    if is_empty && !of.batch.contains(&0) && of.channels > 0 {
        return Err(format!("{shape:?} has no elements"));
    }
    let mut sides = of.sides;
    for (side, window) in sides.iter_mut().zip(&windows) {
        if is_same {
            if window.stride != 1 {
                return Err("padding='same' goes with stride 1".to_string());
            }
            if *side == 0 {
                return Err("a kernel does not fit into nothing".to_string());
            }
            continue;
        }
        let room = i128::from(*side) + 2 * window.padding - window.reach();
        if room < 0 {
            return Err(format!(
                "a kernel that reaches {} does not fit into {side}",
                window.reach()
            ));
        }
        *side = size(room / window.stride + 1)?;
    }
    Ok(shape_of(of.batch, channels, sides))
}

/// The padding is at most half of the kernel, and there is at least one place for it. With `ceil_mode` a last window
/// may reach over the end, but starts inside the image or its first padding. Only a batch may be empty.
fn max_pool(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let of = image(shape)?;
    if of.channels == 0 || of.sides.contains(&0) {
        return Err(format!("{shape:?} has no elements"));
    }
    let windows = windows(call, call.pair("padding").unwrap_or([0, 0]))?;
    let ceils = *call.parameter("ceil_mode") == Value::Truth(true);
    let mut sides = of.sides;
    for (side, window) in sides.iter_mut().zip(&windows) {
        if 2 * window.padding > window.kernel {
            return Err("the padding is more than half of the kernel".to_string());
        }
        let room = i128::from(*side) + 2 * window.padding - window.reach();
        let up = if ceils { window.stride - 1 } else { 0 };
        let mut places = (room + up).div_euclid(window.stride) + 1;
        if ceils && (places - 1) * window.stride >= i128::from(*side) + window.padding {
            places -= 1;
        }
        if places < 1 {
            return Err(format!(
                "a window that reaches {} does not fit into {side}",
                window.reach()
            ));
        }
        *side = size(places)?;
    }
    Ok(shape_of(of.batch, of.channels, sides))
}

/// The image gets the sides that are asked for; `None` keeps one. Only what stands first, a batch or the channels of
/// one image, may be empty, and the channels of a batch.
fn adaptive_pool(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let of = image(shape)?;
    let wanted = match call.parameter("output_size") {
        Value::List(wanted) if wanted.len() == 2 => [wanted[0].clone(), wanted[1].clone()],
        Value::List(_) => return Err("the wanted sides are no pair".to_string()),
        one => [one.clone(), one.clone()],
    };
    if of.sides.contains(&0) {
        return Err(format!("{shape:?} has no elements"));
    }
    let mut sides = of.sides;
    for (side, wanted) in sides.iter_mut().zip(&wanted) {
        if let Some(wanted) = wanted.integer() {
            *side = size(wanted)?;
        }
    }
    Ok(shape_of(of.batch, of.channels, sides))
}
