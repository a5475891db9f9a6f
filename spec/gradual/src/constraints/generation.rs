//! `Gen` (Fig. 5): from a program to source constraints, a rule for each form.

use lozenge_gradual_vocabulary::{Declaration, Expression, ExpressionId, Program, Type};

use super::source::Source;
use super::target::{Dimensions, TypeVariable};
use crate::printed_functions::Convolution;
use crate::typing::convolution_of;

/// `Gen(P)`: the constraints of each declaration and of each expression. Nothing where Fig. 5 has no rule: for a name
/// that is not declared, and for a conditional.
#[must_use]
pub fn generate(program: &Program, dimensions: &mut Dimensions) -> Option<Vec<Vec<Source>>> {
    let mut all = Vec::new();
    for (place, declaration) in program.declarations.iter().enumerate() {
        all.push(t_decl(place, declaration));
    }
    for (at, expression) in program.body.iter() {
        all.push(match expression {
            Expression::Variable(name) => {
                let mut declared = program.declarations.iter();
                let place = declared.position(|declaration| declaration.name == *name)?;
                t_var(place, at)
            }
            Expression::Reshape { of, target } => t_reshape(at, *of, target),
            Expression::Conv2d { of, .. } => {
                t_conv(at, *of, convolution_of(expression)?, dimensions)
            }
            Expression::Add(left, right) => t_add(at, *left, *right),
            Expression::If { .. } => return None,
        });
    }
    Some(all)
}

/// `τ ⊑ x ∧ |x| ≤ 4`
fn t_decl(place: usize, declaration: &Declaration) -> Vec<Source> {
    let x = TypeVariable::Declared(place);
    vec![
        Source::Precise(declaration.annotation.clone(), x),
        Source::Bounded(x),
    ]
}

/// `x = [[x]]`
fn t_var(place: usize, at: ExpressionId) -> Vec<Source> {
    vec![Source::Same(
        TypeVariable::Declared(place),
        TypeVariable::Of(at),
    )]
}

/// `[[reshape(e, δ)]] = δ ∧ can-reshape([[e]], δ) ∧ |[[e]]| ≤ 4`
fn t_reshape(at: ExpressionId, of: ExpressionId, target: &Type) -> Vec<Source> {
    let of = TypeVariable::Of(of);
    vec![
        Source::Is(TypeVariable::Of(at), target.clone()),
        Source::CanReshape(of, target.clone()),
        Source::Bounded(of),
    ]
}

/// `[[e]] ▷ TensorType(ζ1, ζ2, ζ3, ζ4) ∧ c_in ~ ζ2 ∧ [[Conv2D(…, e)]] = calc-conv([[e]], c_out, κ)`
fn t_conv(
    at: ExpressionId,
    of: ExpressionId,
    convolution: Convolution,
    dimensions: &mut Dimensions,
) -> Vec<Source> {
    let zeta = [(); 4].map(|()| dimensions.fresh());
    vec![
        Source::Matches(TypeVariable::Of(of), zeta),
        Source::ConsistentNumber(convolution.in_channels, zeta[1]),
        Source::Convolved(TypeVariable::Of(at), zeta, convolution),
    ]
}

/// `[[add(e1, e2)]] = ⟨e1⟩ ⊔* ⟨e2⟩ ∧ (⟨e1⟩, ⟨e2⟩) = apply-broadcasting([[e1]], [[e2]]) ∧ ⟨e1⟩ ~ ⟨e2⟩ ∧ |[[e1]]| ≤ 4 ∧ |[[e2]]|
/// ≤ 4 ∧
/// |[[add(e1, e2)]]| ≤ 4`
fn t_add(at: ExpressionId, left: ExpressionId, right: ExpressionId) -> Vec<Source> {
    let sides = [TypeVariable::Left(at), TypeVariable::Right(at)];
    let of = [TypeVariable::Of(left), TypeVariable::Of(right)];
    let whole = TypeVariable::Of(at);
    vec![
        Source::Bound(whole, sides[0], sides[1]),
        Source::Broadcast { sides, of },
        Source::Consistent(sides[0], sides[1]),
        Source::Bounded(of[0]),
        Source::Bounded(of[1]),
        Source::Bounded(whole),
    ]
}
