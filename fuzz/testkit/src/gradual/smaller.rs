//! Programs that are one step smaller.

use lozenge_gradual_vocabulary::{Body, Dimension, Expression, ExpressionId, Program, Type};

/// Returns every program that is one step smaller, the largest steps first: an expression becomes a part of it, a
/// demand or an input that is not used goes, a number becomes smaller, and what is known of an input is forgotten.
#[must_use]
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let with_body = |body: Body| Program {
        body,
        ..program.clone()
    };
    for (at, expression) in program.body.iter().rev() {
        let parts = expression.parts().into_iter();
        all.extend(parts.map(|part| with_body(program.body.with(at, &program.body.part(part)))));
    }
    for at in 0..program.restrictions.len() {
        let mut other = program.clone();
        other.restrictions.remove(at);
        all.push(other);
    }
    all.extend(without_unused_inputs(program));
    for (at, expression) in program.body.iter() {
        let simpler = simpler(expression).into_iter();
        all.extend(
            simpler.filter_map(|simpler| Some(with_body(changed(&program.body, at, simpler)?))),
        );
    }
    for at in 0..program.declarations.len() {
        for annotation in forgotten(&program.declarations[at].annotation) {
            let mut other = program.clone();
            other.declarations[at].annotation = annotation;
            all.push(other);
        }
    }
    all
}

fn without_unused_inputs(program: &Program) -> Vec<Program> {
    let uses = |name: &str| {
        let mut expressions = program.body.expressions().iter();
        expressions.any(|one| matches!(one, Expression::Variable(used) if used == name))
    };
    let unused =
        (0..program.declarations.len()).filter(|at| !uses(&program.declarations[*at].name));
    let without = unused.filter_map(|at| {
        let mut other = program.clone();
        other.declarations.remove(at);
        // A demand may name the input, and then the program is none.
        other.to_string().parse().ok()
    });
    without.collect()
}

/// Gives the body with another expression, which has the same parts, at a place.
fn changed(body: &Body, at: ExpressionId, expression: Expression) -> Option<Body> {
    let mut list = body.expressions().to_vec();
    list[at.index()] = expression;
    Body::from_list(list)
}

/// Returns the same expression with a smaller number.
fn simpler(expression: &Expression) -> Vec<Expression> {
    match expression {
        Expression::Reshape { of, target } => {
            let targets = smaller_types(target).into_iter();
            let reshape = |target| Expression::Reshape { of: *of, target };
            targets.map(reshape).collect()
        }
        Expression::Conv2d {
            in_channels,
            out_channels,
            kernel,
            of,
        } => {
            let conv2d = |inner: u64, outer: u64, kernel: Vec<u64>| Expression::Conv2d {
                in_channels: inner,
                out_channels: outer,
                kernel,
                of: *of,
            };
            let (inner, outer) = (*in_channels, *out_channels);
            let mut all = Vec::new();
            all.extend(less(inner).map(|inner| conv2d(inner, outer, kernel.clone())));
            all.extend(less(outer).map(|outer| conv2d(inner, outer, kernel.clone())));
            for (at, size) in kernel.iter().enumerate() {
                all.extend(less(*size).map(|size| {
                    let mut kernel = kernel.clone();
                    kernel[at] = size;
                    conv2d(inner, outer, kernel)
                }));
            }
            all
        }
        _ => Vec::new(),
    }
}

/// Gives half of a number, and one less.
fn less(number: u64) -> impl Iterator<Item = u64> {
    let half = (number > 2).then_some(number / 2);
    half.into_iter().chain(number.checked_sub(1))
}

/// Returns the type without a dimension, and with a smaller one.
fn smaller_types(of: &Type) -> Vec<Type> {
    let Type::Tensor(dimensions) = of else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (at, dimension) in dimensions.iter().enumerate() {
        let mut fewer = dimensions.clone();
        fewer.remove(at);
        all.push(Type::Tensor(fewer));
        let sizes = dimension.size().into_iter().flat_map(less);
        all.extend(sizes.map(|size| {
            let mut dimensions = dimensions.clone();
            dimensions[at] = Dimension::Size(size);
            Type::Tensor(dimensions)
        }));
    }
    all
}

/// Returns the smaller types, and those that know less.
fn forgotten(of: &Type) -> Vec<Type> {
    let Type::Tensor(dimensions) = of else {
        return Vec::new();
    };
    let mut all = smaller_types(of);
    let known = (0..dimensions.len()).filter(|at| dimensions[*at] != Dimension::Dyn);
    all.extend(known.map(|at| {
        let mut dimensions = dimensions.clone();
        dimensions[at] = Dimension::Dyn;
        Type::Tensor(dimensions)
    }));
    if dimensions
        .iter()
        .all(|dimension| *dimension == Dimension::Dyn)
    {
        all.push(Type::Dyn);
    }
    all
}
