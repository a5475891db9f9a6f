//! The scalar arithmetic in `f32`, as the interpreter does it and the kernels repeat it.
//!
//! Where OpenCL C leaves something open, it is settled here: the larger and the smaller of two numbers are NaN where one of
//! them is, and the first where they are equal (which tells -0 from 0).

use lozenge_spec::operation::{Combine, Function};

/// The larger; NaN where either is.
pub fn larger(x: f32, y: f32) -> f32 {
    if x >= y || x.is_nan() { x } else { y }
}

/// The smaller; NaN where either is.
pub fn smaller(x: f32, y: f32) -> f32 {
    if x <= y || x.is_nan() { x } else { y }
}

/// A function of the values that were read; the first two count, as many as its arity.
pub fn apply(function: Function, [x, y]: [f32; 2]) -> f32 {
    match function {
        Function::Constant(value) => value as f32,
        Function::Identity => x,
        Function::Negate => -x,
        Function::Relu => larger(x, 0.0),
        Function::Exp => x.exp(),
        Function::Log => x.ln(),
        Function::Sqrt => x.sqrt(),
        Function::Square => x * x,
        Function::Reciprocal => 1.0 / x,
        Function::Add => x + y,
        Function::Subtract => x - y,
        Function::Multiply => x * y,
        Function::Divide => x / y,
        Function::Max => larger(x, y),
        Function::Min => smaller(x, y),
        Function::Equal => f32::from(x == y),
        Function::Less => f32::from(x < y),
    }
}

/// What a cell holds when a value meets what it held.
pub fn combine(combine: Combine, held: f32, value: f32) -> f32 {
    match combine {
        Combine::Replace => value,
        Combine::Add => held + value,
        Combine::Subtract => held - value,
        Combine::Max => larger(held, value),
        Combine::Min => smaller(held, value),
    }
}

/// What an erased cell holds: combined with a value, it gives the value (for `-`, its negation). Replacing has no neutral
/// element of its own, since it never reads; a cell that `=:` erases and does not write holds 0.
pub fn neutral(combine: Combine) -> f32 {
    match combine {
        Combine::Replace | Combine::Add | Combine::Subtract => 0.0,
        Combine::Max => f32::NEG_INFINITY,
        Combine::Min => f32::INFINITY,
    }
}

/// `combine(combine, neutral(combine), value)` without reading: what a plain write stores. The two differ in the sign of a
/// zero at most (0 + -0 is 0, a plain write stores -0).
pub fn first(combine: Combine, value: f32) -> f32 {
    match combine {
        Combine::Subtract => -value,
        Combine::Replace | Combine::Add | Combine::Max | Combine::Min => value,
    }
}
