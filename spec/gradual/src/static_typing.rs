//! The static calculus (Figs. 11 and 12): the same expressions, without `Dyn`.

use lozenge_gradual_vocabulary::{Expression, Program, Type};

use crate::printed_functions::{apply_broadcasting, calc_conv};
use crate::products::known_product;
use crate::relations::context;
use crate::typing::convolution_of;

/// Tells whether a program is one of the static calculus: no annotation and no target has a `Dyn`.
#[must_use]
pub fn is_static(program: &Program) -> bool {
    let mut annotations = program.declarations.iter().map(|d| &d.annotation);
    let is_static = |expression: &Expression| match expression {
        Expression::Reshape { target, .. } => target.is_static(),
        Expression::If { .. } => false,
        _ => true,
    };
    annotations.all(Type::is_static) && program.body.expressions().iter().all(is_static)
}

/// `⊢st p ok` by ok-prog-s: the type of what the program returns.
#[must_use]
pub fn static_type_of(program: &Program) -> Option<Type> {
    let context = context(&program.declarations)?;
    let mut types: Vec<Option<Type>> = Vec::new();
    for expression in program.body.expressions() {
        let found = match expression {
            Expression::Variable(name) => context.get(name.as_str()).map(|t| (*t).clone()),
            _ => by_rule(expression, &types),
        };
        types.push(found);
    }
    types.pop()?
}

/// Applies the one rule that an expression has.
fn by_rule(expression: &Expression, types: &[Option<Type>]) -> Option<Type> {
    match expression {
        // x : T ∈ Γ, which the caller looks up.
        Expression::Variable(_) | Expression::If { .. } => None,
        // t-reshape-s: Γ ⊢st e : TensorType(D1, …, Dn)    ∏ D = ∏ U
        Expression::Reshape { of, target } => {
            let of = types[of.index()].as_ref()?;
            let same = known_product(of.dimensions()?) == known_product(target.dimensions()?);
            same.then(|| target.clone())
        }
        // t-conv: Γ ⊢st e : T    T = TensorType(D1, D2, D3, D4)    S = calc-conv(T, c_out, κ)    c_in = D2
        Expression::Conv2d { of, .. } => {
            let convolution = convolution_of(expression)?;
            let of = types[of.index()].as_ref()?.dimensions()?;
            let of = <[_; 4]>::try_from(of).ok()?;
            let result = calc_conv(&of, &convolution)?;
            (of[1].size() == Some(convolution.in_channels)).then_some(result)
        }
        // t-add: Γ ⊢st e1 : T1    Γ ⊢st e2 : T2    (S1, S2) = apply-broadcasting(T1, T2)    S1 = S2
        Expression::Add(left, right) => {
            let left = types[left.index()].as_ref()?;
            let right = types[right.index()].as_ref()?;
            let (left, right) = apply_broadcasting(left, right);
            (left == right).then_some(left)
        }
    }
}
