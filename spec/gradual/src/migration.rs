//! Migrations (§4): the programs that are more precise and ok.

use lozenge_gradual_vocabulary::{Program, Type};

use crate::typing::{Calculus, Reading};
use crate::universe::{Universe, choices};

/// `Mig(P)`, as far as the annotations lie in a universe: `P ⊑ P'` and `⊢ P' ok`.
#[must_use]
pub fn migrations(
    calculus: &Calculus,
    reading: &Reading,
    universe: &Universe,
    program: &Program,
) -> Vec<Program> {
    let mut all = annotated(universe, program);
    all.retain(|program| calculus.accepts(reading, program));
    all
}

/// Lists every program of a universe that is at least as precise.
#[must_use]
pub fn annotated(universe: &Universe, program: &Program) -> Vec<Program> {
    let choices = choices(&program.declarations, |declaration| {
        universe.migrations(&declaration.annotation)
    });
    let with = |annotations: Vec<Type>| with_annotations(program, annotations);
    choices.into_iter().map(with).collect()
}

/// Gives the program with other annotations.
#[must_use]
pub fn with_annotations(program: &Program, annotations: Vec<Type>) -> Program {
    let mut program = program.clone();
    for (declaration, annotation) in program.declarations.iter_mut().zip(annotations) {
        declaration.annotation = annotation;
    }
    program
}
