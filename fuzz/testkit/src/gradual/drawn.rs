//! Programs from bytes. A shape is drawn for each input, operators mostly fit the shapes that they meet, and the
//! annotations forget a part of the shapes; so most programs run for some input, and many for few.

use arbitrary::{Result, Unstructured};
use lozenge_gradual_vocabulary::{Program, grad};

/// The text of an expression, with the shape that it has for the drawn inputs. None where it fails for these.
struct Expression {
    text: String,
    shape: Option<Vec<u64>>,
}

/// The names of inputs.
const NAMES: [&str; 2] = ["x", "y"];

/// Draws a program of one input or two and up to four operators.
///
/// # Errors
/// Never for lack of bytes: then the simplest choices are taken.
pub fn program(u: &mut Unstructured<'_>) -> Result<Program> {
    let inputs = if u.ratio(1, 3)? { 2 } else { 1 };
    let mut text = String::new();
    let mut variables = Vec::new();
    for name in &NAMES[..inputs] {
        let shape = shape(u)?;
        text += &format!("{name} : {}\n", annotation(u, &shape)?);
        variables.push((*name, shape));
    }
    if u.ratio(1, 6)? {
        text += &format!("where {}\n", demand(u, &variables)?);
    }
    let mut whole = variable(u, &variables)?;
    for _ in 0..u.int_in_range(1..=4)? {
        whole = match u.int_in_range(0..=7)? {
            0..=2 => reshape(u, &whole)?,
            3 | 4 => conv2d(u, &whole)?,
            5 | 6 => add(u, &whole, &variables)?,
            _ => conditional(u, &whole, &variables)?,
        };
    }
    text += &format!("return {}\n", whole.text);
    grad::read(&text)
        .map(|(program, _)| program)
        .map_err(|_| arbitrary::Error::IncorrectFormat)
}

fn shape(u: &mut Unstructured<'_>) -> Result<Vec<u64>> {
    // A convolution takes rank 4 alone, so that rank is drawn more often.
    let rank = [1, 2, 4, 4, 3, 2, 0, 4][u.int_in_range(0..=7)?];
    let mut size = || Ok([2, 1, 3, 4, 6, 0, 2, 1][u.int_in_range(0..=7)?]);
    (0..rank).map(|_| size()).collect()
}

/// Forgets some of the sizes, or all with the rank.
fn annotation(u: &mut Unstructured<'_>, shape: &[u64]) -> Result<String> {
    if u.ratio(1, 4)? {
        return Ok("?".into());
    }
    let mut size = |size: &u64| match u.ratio(1, 2)? {
        true => Ok("?".to_string()),
        false => Ok(size.to_string()),
    };
    let sizes = shape
        .iter()
        .map(&mut size)
        .collect::<Result<Vec<String>>>()?;
    Ok(format!("[{}]", sizes.join(", ")))
}

fn demand(u: &mut Unstructured<'_>, variables: &[(&str, Vec<u64>)]) -> Result<String> {
    let (name, shape) = &variables[u.int_in_range(0..=variables.len() - 1)?];
    let axis = u.int_in_range(-2i64..=2)?;
    let number = u.int_in_range(0..=4u64)?;
    let relation = relation(u)?;
    Ok(match u.int_in_range(0..=3)? {
        0 => format!("{name}.rank = {}", shape.len()),
        1 => format!("{name}[{axis}] {relation} {number}"),
        2 => format!("{name}[{axis}] static"),
        _ => format!("{name}[{axis}] % 2 = 0, {name}.rank <= 4"),
    })
}

fn relation(u: &mut Unstructured<'_>) -> Result<&'static str> {
    Ok(["=", "!=", "<", "<=", ">", ">="][u.int_in_range(0..=5)?])
}

fn variable(u: &mut Unstructured<'_>, variables: &[(&str, Vec<u64>)]) -> Result<Expression> {
    let (name, shape) = &variables[u.int_in_range(0..=variables.len() - 1)?];
    Ok(Expression {
        text: (*name).to_string(),
        shape: Some(shape.clone()),
    })
}

/// Reshapes to a target with the same number of elements, mostly, one size of which may be left open.
fn reshape(u: &mut Unstructured<'_>, of: &Expression) -> Result<Expression> {
    let elements: Option<u64> = of.shape.as_ref().map(|shape| shape.iter().product());
    let rank = [1, 2, 4, 3, 2, 4, 1, 0][u.int_in_range(0..=7)?];
    let mut target = Vec::new();
    match elements.filter(|_| !u.ratio(1, 8).unwrap_or(false)) {
        Some(mut left) if rank > 0 => {
            for _ in 1..rank {
                let factor = [1, 2, 1, 3][u.int_in_range(0..=3)?];
                let factor = if left % factor == 0 { factor } else { 1 };
                left /= factor;
                target.push(factor);
            }
            target.insert(u.int_in_range(0..=target.len())?, left);
        }
        _ => {
            for _ in 0..rank {
                target.push(u.int_in_range(0..=4u64)?);
            }
        }
    }
    let open = match u.ratio(1, 2)? {
        true => (!target.is_empty()).then(|| u.int_in_range(0..=target.len() - 1)),
        false => None,
    };
    let open = open.transpose()?;
    let sizes = target
        .iter()
        .enumerate()
        .map(|(at, size)| match Some(at) == open {
            true => "?".to_string(),
            false => size.to_string(),
        });
    let sizes: Vec<String> = sizes.collect();
    Ok(Expression {
        text: format!("reshape({}, [{}])", of.text, sizes.join(", ")),
        shape: of.shape.is_some().then_some(target),
    })
}

/// Convolves, mostly after a reshape to rank 4 where the rank is another.
fn conv2d(u: &mut Unstructured<'_>, of: &Expression) -> Result<Expression> {
    let is_image = of.shape.as_ref().is_some_and(|shape| shape.len() == 4);
    let image = match is_image || u.ratio(1, 6)? {
        true => None,
        false => Some(as_image(u, of)?),
    };
    let of = image.as_ref().unwrap_or(of);
    let sizes = match of.shape.as_deref() {
        Some([batch, channels, height, width]) => Some([*batch, *channels, *height, *width]),
        _ => None,
    };
    let fits = sizes.filter(|_| !u.ratio(1, 8).unwrap_or(false));
    let channels = match fits {
        Some([_, channels, ..]) => channels,
        None => u.int_in_range(0..=3u64)?,
    };
    let mut kernel = |size: Option<u64>| {
        let most = size.unwrap_or(3).clamp(1, 3);
        u.int_in_range(1..=most)
    };
    let kernel = [
        kernel(fits.map(|sizes| sizes[2]))?,
        kernel(fits.map(|sizes| sizes[3]))?,
    ];
    let out = [1, 2, 3, 1, 2, 3, 1, 0][u.int_in_range(0..=7)?];
    let shape = fits.map(|[batch, _, height, width]| {
        let left = |size: u64, kernel: u64| (size + 1).saturating_sub(kernel);
        vec![batch, out, left(height, kernel[0]), left(width, kernel[1])]
    });
    let [down, across] = kernel;
    Ok(Expression {
        text: format!("conv2d({channels}, {out}, ({down}, {across}), {})", of.text),
        shape,
    })
}

/// Reshapes to rank 4, with one size left open or all given.
fn as_image(u: &mut Unstructured<'_>, of: &Expression) -> Result<Expression> {
    let elements = of.shape.as_ref().map(|shape| shape.iter().product::<u64>());
    let channels = [1, 2][u.int_in_range(0..=1)?];
    let channels = match elements {
        Some(elements) if elements % channels != 0 => 1,
        _ => channels,
    };
    let left = elements.map(|elements| elements / channels);
    let size = match (left, u.ratio(1, 2)?) {
        (Some(left), true) => left.to_string(),
        _ => "?".to_string(),
    };
    Ok(Expression {
        text: format!("reshape({}, [1, {channels}, {size}, 1])", of.text),
        shape: left.map(|left| vec![1, channels, left, 1]),
    })
}

/// Adds an input, the same tensor once more, or a reshape of an input, which mostly fits.
fn add(
    u: &mut Unstructured<'_>,
    of: &Expression,
    variables: &[(&str, Vec<u64>)],
) -> Result<Expression> {
    let mut other = variable(u, variables)?;
    if u.ratio(1, 3)? {
        other = reshape(u, &other)?;
    }
    let sum = |other: &Expression| {
        let shapes = of.shape.as_deref().zip(other.shape.as_deref());
        shapes.and_then(|(own, other)| broadcast(own, other))
    };
    if sum(&other).is_none() && !u.ratio(1, 6)? {
        other = Expression {
            text: of.text.clone(),
            shape: of.shape.clone(),
        };
    }
    let sides = match u.ratio(1, 2)? {
        true => [&of.text, &other.text],
        false => [&other.text, &of.text],
    };
    Ok(Expression {
        text: format!("add({}, {})", sides[0], sides[1]),
        shape: sum(&other),
    })
}

/// Gives the sizes of each axis, counted from the end, where they are equal or one is 1.
fn broadcast(left: &[u64], right: &[u64]) -> Option<Vec<u64>> {
    let rank = left.len().max(right.len());
    let size = |shape: &[u64], back: usize| shape.len().checked_sub(back).map_or(1, |at| shape[at]);
    let sizes = (1..=rank)
        .rev()
        .map(|back| match (size(left, back), size(right, back)) {
            (1, size) | (size, 1) => Some(size),
            (left, right) => (left == right).then_some(left),
        });
    sizes.collect()
}
fn conditional(
    u: &mut Unstructured<'_>,
    of: &Expression,
    variables: &[(&str, Vec<u64>)],
) -> Result<Expression> {
    let seen = variable(u, variables)?.text;
    let other = variable(u, variables)?;
    let axis = u.int_in_range(-2i64..=3)?;
    let number = u.int_in_range(0..=4u64)?;
    let relation = relation(u)?;
    let condition = match u.ratio(1, 2)? {
        true => format!("dim({seen}) {relation} {number}"),
        false => format!("size({seen})[{axis}] {relation} {number}"),
    };
    Ok(Expression {
        text: format!("if {condition} then {} else {}", of.text, other.text),
        shape: of.shape.clone(),
    })
}
