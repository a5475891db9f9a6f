//! The operational semantics (Fig. 1) and its procedures (Appendix C, Algorithms 3 to 6), as printed. Of a tensor its
//! shape is kept: no procedure looks at an element.

use std::collections::BTreeMap;

use lozenge_gradual_vocabulary::{Body, Dimension, Expression, Type};
use num_bigint::BigUint;

use crate::printed_functions::Convolution;
use crate::products::{known_product, product, unknowns};
use crate::typing::convolution_of;

/// A tensor constant R and an error state E. `true` stands for E = 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Evaluated {
    /// The shape of the tensor.
    pub shape: Vec<u64>,
    /// True if the evaluation failed.
    pub failed: bool,
}

impl Evaluated {
    fn well(shape: Vec<u64>) -> Evaluated {
        Evaluated {
            shape,
            failed: false,
        }
    }

    /// The scalar 0 with E = 1, which the procedures give where they fail.
    fn failed() -> Evaluated {
        Evaluated {
            shape: Vec::new(),
            failed: true,
        }
    }
}

/// An environment Σ: the shape of each input.
pub type Environment<'e> = BTreeMap<&'e str, Vec<u64>>;

/// `Σ, e →* R, E`: evaluates a body. Nothing means that no rule applies, or that a procedure has no result.
#[must_use]
pub fn evaluate(environment: &Environment<'_>, body: &Body) -> Option<Evaluated> {
    let mut results: Vec<Option<Evaluated>> = Vec::with_capacity(body.expressions().len());
    for expression in body.expressions() {
        let part = |at: &lozenge_gradual_vocabulary::ExpressionId| results[at.index()].clone();
        let result = match expression {
            // Var and Var Fail
            Expression::Variable(name) => Some(match environment.get(name.as_str()) {
                Some(shape) => Evaluated::well(shape.clone()),
                None => Evaluated::failed(),
            }),
            Expression::Reshape { of, target } => part(of).and_then(|of| reshape_rules(of, target)),
            Expression::Conv2d { of, .. } => part(of)
                .zip(convolution_of(expression))
                .map(|(of, convolution)| convolution_rules(of, &convolution)),
            Expression::Add(left, right) => part(left)
                .zip(part(right))
                .map(|(left, right)| addition_rules(left, right)),
            // Fig. 1 has no rule for the conditional of §5.
            Expression::If { .. } => None,
        };
        results.push(result);
    }
    results.pop()?
}

/// Reshape Fail and Reshape. Both are about `reshape(e, TensorType(d1, …, dn))`, so neither applies where the target is
/// `Dyn`.
fn reshape_rules(of: Evaluated, target: &Type) -> Option<Evaluated> {
    let target = target.dimensions()?;
    match of.failed {
        true => Some(of),
        false => reshape(&of.shape, target),
    }
}

/// Conv2D Fail and Conv.
fn convolution_rules(of: Evaluated, convolution: &Convolution) -> Evaluated {
    match of.failed {
        true => of,
        false => conv2d(&of.shape, convolution),
    }
}

/// Add Fail, which gives the second tensor, and Add.
fn addition_rules(left: Evaluated, right: Evaluated) -> Evaluated {
    match left.failed || right.failed {
        true => Evaluated {
            failed: true,
            ..right
        },
        false => add(&left.shape, &right.shape),
    }
}

/// Algorithm 3. Nothing where line 20 divides by 0.
#[must_use]
pub fn reshape(shape: &[u64], target: &[Dimension]) -> Option<Evaluated> {
    if unknowns(target) > 1 {
        return Some(Evaluated::failed());
    }
    let elements = product(shape.iter().copied());
    let mut sizes: Vec<u64> = target.iter().filter_map(|d| d.size()).collect();
    if let Some(open) = target.iter().position(|d| *d == Dimension::Dyn) {
        let known = known_product(target);
        if known == BigUint::ZERO {
            return None;
        }
        // Where the quotient is no integer, the products of line 23 differ.
        if &elements % &known != BigUint::ZERO {
            return Some(Evaluated::failed());
        }
        sizes.insert(open, u64::try_from(elements.clone() / known).ok()?);
    }
    match elements == product(sizes.iter().copied()) {
        true => Some(Evaluated::well(sizes)),
        false => Some(Evaluated::failed()),
    }
}

/// Algorithm 4. The loop of line 21 ends before L1, the rank that the first tensor had before it was padded, and the
/// sizes of the result are the larger ones.
#[must_use]
pub fn add(left: &[u64], right: &[u64]) -> Evaluated {
    let (before, other) = (left.len(), right.len());
    let left = pad_with_ones(left, other.saturating_sub(before));
    let right = pad_with_ones(right, before.saturating_sub(other));
    let mut checked = left.iter().zip(&right).take(before);
    if checked.any(|(left, right)| *left != 1 && *right != 1 && left != right) {
        return Evaluated::failed();
    }
    let larger = left
        .iter()
        .zip(&right)
        .map(|(left, right)| *left.max(right));
    Evaluated::well(larger.collect())
}

/// Algorithm 5. It does not say which shapes are "valid for convolution" (line 16); the documentation of the operation
/// does.
#[must_use]
pub fn conv2d(shape: &[u64], convolution: &Convolution) -> Evaluated {
    match crate::operations::conv2d(shape, convolution) {
        Some(shape) => Evaluated::well(shape),
        None => Evaluated::failed(),
    }
}

/// PADWITHONES of Algorithm 6.
#[must_use]
pub fn pad_with_ones(shape: &[u64], count: usize) -> Vec<u64> {
    let mut padded = vec![1; count];
    padded.extend_from_slice(shape);
    padded
}
