//! The lifting of a partial function on shapes to types: accepted iff some concretisation is, and as precise as the
//! results allow.

use lozenge_gradual_vocabulary::{Dimension, Type};

use crate::universe::Universe;

/// Lifts a partial function. The universe has to hold enough shapes: those that tell results apart.
pub fn lifted(
    universe: &Universe,
    of: &[&Type],
    function: impl Fn(&[Vec<u64>]) -> Option<Vec<u64>>,
) -> Option<Type> {
    let shapes: Vec<Vec<Vec<u64>>> = of.iter().map(|of| universe.concretisations(of)).collect();
    let arguments = crate::universe::choices(&shapes, Clone::clone);
    least_approximation(arguments.iter().filter_map(|shapes| function(shapes)))
}

/// Gives the most precise type of which all shapes are concretisations; nothing if there are no shapes.
pub fn least_approximation(shapes: impl IntoIterator<Item = Vec<u64>>) -> Option<Type> {
    let mut shapes = shapes.into_iter();
    let mut least = Type::of_shape(&shapes.next()?);
    for shape in shapes {
        least = joined(&least, &shape);
    }
    Some(least)
}

fn joined(known: &Type, shape: &[u64]) -> Type {
    let Type::Tensor(dimensions) = known else {
        return Type::Dyn;
    };
    if dimensions.len() != shape.len() {
        return Type::Dyn;
    }
    let pairs = dimensions.iter().zip(shape);
    let joined = pairs.map(|(known, size)| match known {
        Dimension::Size(known) if known == size => Dimension::Size(*size),
        _ => Dimension::Dyn,
    });
    Type::Tensor(joined.collect())
}
