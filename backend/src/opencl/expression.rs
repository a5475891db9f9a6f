//! The scalar arithmetic of a kernel, on one value or on a vector of them.
//!
//! The texts reproduce `crate::arithmetic` operation by operation; on a vector they do the same in each lane.

use lozenge_vocabulary::operation::{Combine, Function};

use super::job::Job;
use crate::device::Numerics;

/// The type of `lanes` values.
pub(super) fn vector_type(lanes: u64) -> String {
    match lanes {
        1 => "float".to_string(),
        lanes => format!("float{lanes}"),
    }
}

/// Definitions of the functions that OpenCL C lacks, for the widths in which a text calls them.
pub(super) fn helpers(text: &str) -> String {
    let mut out = String::new();
    for (name, compare) in [("larger", ">="), ("smaller", "<=")] {
        for lanes in [1, 2, 4, 8, 16] {
            let called = suffixed(name, lanes);
            if !text.contains(&format!("{called}(")) {
                continue;
            }
            let float = vector_type(lanes);
            let body = match lanes {
                1 => format!("x {compare} y || x != x ? x : y"),
                _ => format!("select(y, x, x {compare} y || x != x)"),
            };
            out += &format!("inline {float} {called}({float} x, {float} y) {{ return {body}; }}\n");
        }
    }
    out
}

fn suffixed(name: &str, lanes: u64) -> String {
    match lanes {
        1 => name.to_string(),
        lanes => format!("{name}{lanes}"),
    }
}

/// The function applied to operands, which are expressions of vectors of `lanes` values, as many as its arity.
pub(super) fn value(function: &Function, lanes: u64, operands: &[String]) -> String {
    let operand = |at: usize| operands.get(at).map_or("", String::as_str);
    let (x, y) = (operand(0), operand(1));
    let constant = |value: f32| match lanes {
        1 => literal(value),
        _ => format!("(float{lanes})({})", literal(value)),
    };
    let truth = |condition: String| match lanes {
        1 => format!("{condition} ? 1.0f : 0.0f"),
        _ => format!("select({}, {}, {condition})", constant(0.0), constant(1.0)),
    };
    let call = |name: &str, x: &str, y: &str| format!("{}({x}, {y})", suffixed(name, lanes));
    match function {
        Function::Constant(value) => constant(*value as f32),
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
        Function::Where => {
            let z = operand(2);
            match lanes {
                1 => format!("{x} != 0.0f ? {y} : {z}"),
                _ => format!("select({z}, {y}, {x} != {})", constant(0.0)),
            }
        }
        Function::Formula(formula) => {
            let text = formula.fold(operands, |function, values| {
                format!("({})", value(function, lanes, values))
            });
            text.unwrap_or_default()
        }
    }
}

/// The expression that combines the `total` of a cell with a `value`.
pub(super) fn combined(how: Combine, lanes: u64, total: &str, value: &str) -> String {
    match how {
        Combine::Replace => value.to_string(),
        Combine::Add => format!("{total} + ({value})"),
        Combine::Subtract => format!("{total} - ({value})"),
        Combine::Max => format!("{}({total}, {value})", suffixed("larger", lanes)),
        Combine::Min => format!("{}({total}, {value})", suffixed("smaller", lanes)),
    }
}

/// The expression that combines the `total` of a cell with the function of some operands. Where rounding is free, a product and
/// a sum are one operation with one rounding; `fma` is written out, so that it does not depend on the compiler.
pub(super) fn met(job: &Job, lanes: u64, total: &str, operands: &[String]) -> String {
    let how = job.accumulator.combine;
    let plain = || combined(how, lanes, total, &value(&job.function, lanes, operands));
    if job.numerics == Numerics::Exact {
        return plain();
    }
    let (x, y) = match (&job.function, operands) {
        (Function::Multiply, [x, y]) => (x, y),
        (Function::Square, [x]) => (x, x),
        _ => return plain(),
    };
    match how {
        Combine::Add => format!("fma({x}, {y}, {total})"),
        Combine::Subtract => format!("fma(-{x}, {y}, {total})"),
        Combine::Replace | Combine::Max | Combine::Min => plain(),
    }
}

/// The statements that add a value to the sum `total`, whose accumulated error is `excess`
/// (`crate::arithmetic::compensated`).
pub(super) fn compensated(
    how: Combine,
    lanes: u64,
    [total, excess]: [&str; 2],
    value: &str,
) -> Vec<String> {
    let float = vector_type(lanes);
    let zero = match lanes {
        1 => "0.0f".to_string(),
        _ => format!("({float})(0.0f)"),
    };
    let sign = if how == Combine::Subtract { "-" } else { "" };
    vec![
        "{".to_string(),
        format!("const {float} wanted = {sign}({value}) - {excess};"),
        format!("const {float} sum = {total} + wanted;"),
        format!("const {float} over = (sum - {total}) - wanted;"),
        format!("{excess} = select({zero}, over, isequal(over, over));"),
        format!("{total} = sum;"),
        "}".to_string(),
    ]
}

/// The expression that a plain write stores.
pub(super) fn stored(how: Combine, value: &str) -> String {
    match how {
        Combine::Subtract => format!("-({value})"),
        Combine::Replace | Combine::Add | Combine::Max | Combine::Min => value.to_string(),
    }
}

/// A number as a C literal: the shortest decimal that reads back as the same `f32`.
pub(super) fn literal(value: f32) -> String {
    if value.is_nan() {
        "NAN".to_string()
    } else if value == f32::INFINITY {
        "INFINITY".to_string()
    } else if value == f32::NEG_INFINITY {
        "(-INFINITY)".to_string()
    } else if value.is_sign_negative() {
        format!("({value:?}f)")
    } else {
        format!("{value:?}f")
    }
}
