//! The scalar arithmetic of a kernel, on one value or on a vector of them.
//!
//! The texts reproduce `crate::arithmetic` operation by operation; on a vector they do the same in each lane.

use lozenge_vocabulary::operation::{Combine, Function};

use crate::formula::{Product, product};
use crate::opencl::plan::job::Job;
use crate::opencl::plan::prepared::Prepared;
use crate::precision::Precision;
use crate::rules::Numerics;

/// Names the type of `lanes` values.
pub(crate) fn vector_type(precision: Precision, lanes: u64) -> String {
    let one = match precision {
        Precision::F32 => "float",
        Precision::F64 => "double",
    };
    match lanes {
        1 => one.to_string(),
        lanes => format!("{one}{lanes}"),
    }
}

/// Definitions of the functions that OpenCL C lacks, for the widths in which a text calls them.
pub(crate) fn helpers(text: &str) -> String {
    let mut out = String::new();
    let widths = [1, 2, 4, 8, 16].into_iter();
    let types = widths.flat_map(|lanes| Precision::ALL.map(|precision| (precision, lanes)));
    let types: Vec<(Precision, u64)> = types.collect();
    for (name, compare) in [("larger", ">="), ("smaller", "<=")] {
        for (precision, lanes) in &types {
            let called = suffixed(name, *precision, *lanes);
            if !text.contains(&format!("{called}(")) {
                continue;
            }
            let float = vector_type(*precision, *lanes);
            let body = match lanes {
                1 => format!("x {compare} y || x != x ? x : y"),
                _ => format!("select(y, x, x {compare} y || x != x)"),
            };
            out += &format!("inline {float} {called}({float} x, {float} y) {{ return {body}; }}\n");
        }
    }
    out
}

fn suffixed(name: &str, precision: Precision, lanes: u64) -> String {
    match (precision, lanes) {
        (Precision::F32, 1) => name.to_string(),
        (Precision::F32, lanes) => format!("{name}{lanes}"),
        (Precision::F64, lanes) => format!("{name}_double{lanes}"),
    }
}

/// Writes the function applied to operands, which are expressions of vectors of `lanes` values, as many as its arity.
pub(crate) fn value(
    function: &Function,
    precision: Precision,
    lanes: u64,
    operands: &[String],
) -> String {
    let operand = |at: usize| operands.get(at).map_or("", String::as_str);
    let (x, y) = (operand(0), operand(1));
    let constant = |value: f64| constant(precision, lanes, value);
    let truth = |condition: String| truth(precision, lanes, &condition);
    let call =
        |name: &str, x: &str, y: &str| format!("{}({x}, {y})", suffixed(name, precision, lanes));
    match function {
        Function::Constant(value) => constant(*value),
        Function::Identity => x.to_string(),
        Function::Negate => format!("-{x}"),
        Function::Relu => call("larger", x, &constant(0.0)),
        Function::Exp => format!("exp({x})"),
        Function::Log => format!("log({x})"),
        Function::Sqrt => format!("sqrt({x})"),
        Function::Square => format!("{x} * {x}"),
        Function::Reciprocal => format!("{} / {x}", constant(1.0)),
        Function::Abs => format!("fabs({x})"),
        Function::Floor => format!("floor({x})"),
        Function::Sin => format!("sin({x})"),
        Function::Cos => format!("cos({x})"),
        Function::Tanh => format!("tanh({x})"),
        Function::Sigmoid => {
            let one = constant(1.0);
            format!("{one} / ({one} + exp(-{x}))")
        }
        Function::Add => format!("{x} + {y}"),
        Function::Subtract => format!("{x} - {y}"),
        Function::Multiply => format!("{x} * {y}"),
        Function::Divide => format!("{x} / {y}"),
        Function::Max => call("larger", x, y),
        Function::Min => call("smaller", x, y),
        Function::Equal => truth(format!("{x} == {y}")),
        Function::NotEqual => truth(format!("{x} != {y}")),
        Function::Less => truth(format!("{x} < {y}")),
        Function::LessEqual => truth(format!("{x} <= {y}")),
        Function::Greater => truth(format!("{x} > {y}")),
        Function::GreaterEqual => truth(format!("{x} >= {y}")),
        Function::Power => format!("pow({x}, {y})"),
        Function::Erf => format!("erf({x})"),
        Function::Log1p => format!("log1p({x})"),
        Function::Expm1 => format!("expm1({x})"),
        // `round` of OpenCL C rounds halves away from 0.
        Function::Round => format!("rint({x})"),
        Function::Fmod => format!("fmod({x}, {y})"),
        Function::Where => {
            let z = operand(2);
            match lanes {
                1 => format!("{x} != {} ? {y} : {z}", constant(0.0)),
                _ => format!("select({z}, {y}, {x} != {})", constant(0.0)),
            }
        }
        Function::Formula(formula) => {
            let text = formula.fold(operands, |function, values| {
                format!("({})", value(function, precision, lanes, values))
            });
            text.unwrap_or_default()
        }
    }
}

/// Writes the function of the operand in a slot, applied to an expression of its value.
pub(super) fn prepared(
    functions: &Prepared,
    slot: usize,
    precision: Precision,
    operand: String,
) -> String {
    match &functions.each[slot - 1] {
        Some(function) => value(function, precision, 1, &[operand]),
        None => operand,
    }
}

/// Writes a number, in every lane.
fn constant(precision: Precision, lanes: u64, value: f64) -> String {
    let one = literal(precision, value);
    match lanes {
        1 => one,
        _ => format!("({})({one})", vector_type(precision, lanes)),
    }
}

/// Makes a number of a condition: 1 where it holds, else 0.
fn truth(precision: Precision, lanes: u64, condition: &str) -> String {
    let number = |value: f64| constant(precision, lanes, value);
    match lanes {
        // Compilers for GPUs were seen to turn the negation of a choice between 1 and 0 into one between -1 and 0, not
        // -0.
        1 => format!("({})({condition})", vector_type(precision, 1)),
        _ => format!("select({}, {}, {condition})", number(0.0), number(1.0)),
    }
}

/// Writes the expression that combines the `total` of a cell with a `value`.
pub(crate) fn combined(
    how: Combine,
    precision: Precision,
    lanes: u64,
    total: &str,
    value: &str,
) -> String {
    match how {
        Combine::Replace => value.to_string(),
        Combine::Add => format!("{total} + ({value})"),
        Combine::Subtract => format!("{total} - ({value})"),
        Combine::Multiply => format!("{total} * ({value})"),
        Combine::Max => {
            format!("{}({total}, {value})", suffixed("larger", precision, lanes))
        }
        Combine::Min => {
            format!(
                "{}({total}, {value})",
                suffixed("smaller", precision, lanes)
            )
        }
    }
}

/// Writes the expression that combines the `total` of a cell with the function of some operands. Where rounding is
/// free, a product and a sum are one operation with one rounding; `fma` is written out, so that it does not depend on
/// the compiler.
pub(super) fn met(job: &Job, lanes: u64, total: &str, operands: &[String]) -> String {
    let how = job.accumulator.combine;
    combined_with(job, (how, &job.function), lanes, total, operands)
}

/// Writes the same expression for another operator and another function than those of the job.
pub(super) fn combined_with(
    job: &Job,
    (how, function): (Combine, &Function),
    lanes: u64,
    total: &str,
    operands: &[String],
) -> String {
    let plain = || {
        let value = value(function, job.precision, lanes, operands);
        combined(how, job.precision, lanes, total, &value)
    };
    if job.numerics == Numerics::Exact {
        return plain();
    }
    let Some(Product {
        operands: read,
        number,
    }) = product(function)
    else {
        return plain();
    };
    let factor = || value(&Function::Constant(number), job.precision, lanes, &[]);
    let (x, y) = match read[..] {
        [x, y] if number == 1.0 => (&operands[x], operands[y].clone()),
        [x, y] => (&operands[x], format!("({} * {})", operands[y], factor())),
        [x] if number != 1.0 => (&operands[x], factor()),
        _ => return plain(),
    };
    match how {
        Combine::Add => format!("fma({x}, {y}, {total})"),
        Combine::Subtract => format!("fma(-{x}, {y}, {total})"),
        Combine::Replace | Combine::Multiply | Combine::Max | Combine::Min => plain(),
    }
}

/// Writes the statements that add a value to the sum `total`, whose accumulated error is `excess`
/// (`crate::arithmetic::compensated`).
pub(crate) fn compensated(
    how: Combine,
    precision: Precision,
    lanes: u64,
    [total, excess]: [&str; 2],
    value: &str,
) -> Vec<String> {
    let float = vector_type(precision, lanes);
    let zero = literal(precision, 0.0);
    let kept = match (precision, lanes) {
        // The test of one number is an `int`, which does not select between numbers of 64 bits.
        (Precision::F64, 1) => format!("over == over ? over : {zero}"),
        (Precision::F32, 1) => format!("select({zero}, over, isequal(over, over))"),
        _ => format!("select(({float})({zero}), over, isequal(over, over))"),
    };
    let sign = if how == Combine::Subtract { "-" } else { "" };
    vec![
        "{".to_string(),
        format!("const {float} wanted = {sign}({value}) - {excess};"),
        format!("const {float} sum = {total} + wanted;"),
        format!("const {float} over = (sum - {total}) - wanted;"),
        format!("{excess} = {kept};"),
        format!("{total} = sum;"),
        "}".to_string(),
    ]
}

/// Writes the expression that a plain write stores.
pub(super) fn stored(how: Combine, value: &str) -> String {
    match how {
        Combine::Subtract => format!("-({value})"),
        Combine::Replace | Combine::Add | Combine::Multiply | Combine::Max | Combine::Min => {
            value.to_string()
        }
    }
}

/// Writes the nearest number of this precision as a C literal: the shortest decimal that reads back as the same number.
pub(super) fn literal(precision: Precision, value: f64) -> String {
    let rounded = match precision {
        Precision::F32 => f64::from(value as f32),
        Precision::F64 => value,
    };
    if rounded.is_nan() {
        return "NAN".to_string();
    }
    if rounded.is_infinite() {
        let text = if rounded > 0.0 {
            "INFINITY"
        } else {
            "(-INFINITY)"
        };
        return text.to_string();
    }
    let text = match precision {
        Precision::F32 => format!("{:?}f", value as f32),
        Precision::F64 => format!("{value:?}"),
    };
    match rounded.is_sign_negative() {
        true => format!("({text})"),
        false => text,
    }
}
