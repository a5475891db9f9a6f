//! Contradictions between the sizes given for inputs and those that the file declares.

use super::{Given, Options, Point};
use crate::pass::Inputs;
use lozenge_graph_vocabulary::{DeclaredSize, Type};
use std::fmt;

/// A part of a point that the declarations exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// No input has this name.
    NoInput(String),
    /// Another number of sizes is given than the rank that is declared.
    Rank {
        input: String,
        declared: usize,
        given: usize,
    },
    /// Another size is given than the number that is declared.
    Size {
        input: String,
        at: usize,
        declared: u64,
        given: u64,
    },
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInput(name) => write!(f, "the model has no input `{name}`"),
            Self::Rank {
                input,
                declared,
                given,
            } => write!(
                f,
                "`{input}` is declared with rank {declared}, and {given} sizes are given"
            ),
            Self::Size {
                input,
                at,
                declared,
                given,
            } => write!(
                f,
                "axis {at} of `{input}` is declared as {declared}, and {given} is given"
            ),
        }
    }
}

/// Returns all that contradicts the declarations that bind, in the order of the inputs of the point.
pub(super) fn contradictions(
    inputs: &Inputs,
    options: &Options,
    point: &Point,
) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for (name, given) in point {
        let Some(form) = inputs.forms.iter().find(|form| form.name == *name) else {
            found.push(Contradiction::NoInput(name.clone()));
            continue;
        };
        let (
            Type::Tensor {
                sizes: Some(declared),
                ..
            },
            Given::Sizes(sizes),
        ) = (&form.declared, given)
        else {
            continue;
        };
        if declared.len() != sizes.len() {
            found.push(Contradiction::Rank {
                input: name.clone(),
                declared: declared.len(),
                given: sizes.len(),
            });
            continue;
        }
        if options.relax.frees(name) {
            continue;
        }
        let axes = declared.iter().zip(sizes).enumerate();
        found.extend(axes.filter_map(|(at, (declared, given))| match declared {
            DeclaredSize::Known(declared) if declared != given => Some(Contradiction::Size {
                input: name.clone(),
                at,
                declared: *declared,
                given: *given,
            }),
            _ => None,
        }));
    }
    found
}
