//! The run reading of programs: what a program returns for inputs of given shapes, by the documented operations.

use std::collections::BTreeMap;

use lozenge_gradual_vocabulary::{
    Body, Condition, Declaration, Expression, ExpressionId, Observation, Program, Quantity,
    Restriction, Sum, Type,
};

use crate::operations::{add, conv2d, reshape};
use crate::relations::precise;
use crate::typing::convolution_of;

/// The shape of an expression, or the first expression that fails on the way to it.
pub type Ran = Result<Vec<u64>, ExpressionId>;

/// Gives what each expression of a body is for inputs of these shapes. Of a conditional only the chosen branch has to
/// run.
#[must_use]
pub fn run_all(inputs: &BTreeMap<&str, Vec<u64>>, body: &Body) -> Vec<Ran> {
    let mut ran: Vec<Ran> = Vec::with_capacity(body.expressions().len());
    for (at, expression) in body.iter() {
        let part = |part: &ExpressionId| ran[part.index()].clone();
        let result = match expression {
            Expression::Variable(name) => inputs.get(name.as_str()).cloned().ok_or(at),
            Expression::Reshape { of, target } => {
                part(of).and_then(|of| reshape(&of, target).ok_or(at))
            }
            Expression::Conv2d { of, .. } => part(of).and_then(|of| {
                let result = convolution_of(expression).and_then(|with| conv2d(&of, &with));
                result.ok_or(at)
            }),
            Expression::Add(left, right) => part(left)
                .and_then(|left| Ok((left, part(right)?)))
                .and_then(|(left, right)| add(&left, &right).ok_or(at)),
            Expression::If {
                condition,
                then,
                otherwise,
            } => {
                let left = observed(&condition.left, &ran, at);
                let right = left.and_then(|left| Ok((left, observed(&condition.right, &ran, at)?)));
                right.and_then(
                    |(left, right)| match condition.relation.holds(left, right) {
                        true => part(then),
                        false => part(otherwise),
                    },
                )
            }
        };
        ran.push(result);
    }
    ran
}

/// Gives what a body is for inputs of these shapes, or the expression that fails.
///
/// # Errors
/// The first expression that fails.
pub fn run(inputs: &BTreeMap<&str, Vec<u64>>, body: &Body) -> Ran {
    run_all(inputs, body).pop().unwrap_or(Err(body.root()))
}

/// Gives the number that a condition looks at. An axis that the tensor does not have is a failure of the conditional,
/// as of `size()[i]`.
fn observed(
    observation: &Observation,
    ran: &[Ran],
    at: ExpressionId,
) -> Result<i128, ExpressionId> {
    match observation {
        Observation::Number(number) => Ok(i128::from(*number)),
        Observation::Rank(of) => ran[of.index()].clone().map(|shape| shape.len() as i128),
        Observation::Size { of, axis } => {
            let shape = ran[of.index()].clone()?;
            size(&shape, *axis).ok_or(at)
        }
    }
}

fn size(shape: &[u64], axis: i64) -> Option<i128> {
    let place = match usize::try_from(axis) {
        Ok(place) => place,
        Err(_) => shape
            .len()
            .checked_sub(usize::try_from(axis.unsigned_abs()).ok()?)?,
    };
    shape.get(place).map(|size| i128::from(*size))
}

/// Tells whether shapes are concretisations of the annotations of a program and fulfil what it demands of its inputs.
#[must_use]
pub fn is_allowed(program: &Program, inputs: &BTreeMap<&str, Vec<u64>>) -> bool {
    let fits = |declaration: &Declaration| {
        let shape = inputs.get(declaration.name.as_str());
        shape.is_some_and(|shape| precise(&declaration.annotation, &Type::of_shape(shape)))
    };
    let fulfils = |restriction: &Restriction| match restriction {
        Restriction::Holds(condition) => holds(condition, inputs).unwrap_or(false),
        // Each size of an input that runs is a number.
        Restriction::Static { of, axis } => inputs
            .get(of.as_str())
            .is_some_and(|shape| axis.is_none_or(|axis| size(shape, axis).is_some())),
    };
    program.declarations.iter().all(fits) && program.restrictions.iter().all(fulfils)
}

/// Tells whether a comparison holds; nothing where it speaks of an axis that the input does not have.
fn holds(condition: &Condition, inputs: &BTreeMap<&str, Vec<u64>>) -> Option<bool> {
    let left = value(&condition.left, inputs)?;
    let right = value(&condition.right, inputs)?;
    Some(condition.relation.holds(left, right))
}

/// Returns the value of a sum. The reader limits how deep remainders nest.
fn value(sum: &Sum, inputs: &BTreeMap<&str, Vec<u64>>) -> Option<i128> {
    let mut value = sum.number;
    for (quantity, times) in &sum.parts {
        let part = match quantity {
            Quantity::Axis { of, at } => size(inputs.get(of.as_str())?, *at)?,
            Quantity::Rank(of) => inputs.get(of.as_str())?.len() as i128,
            Quantity::Named(_) => return None,
            Quantity::Remainder(sum, by) => self::value(sum, inputs)?.checked_rem_euclid(*by)?,
        };
        value = value.checked_add(part.checked_mul(*times)?)?;
    }
    Some(value)
}
