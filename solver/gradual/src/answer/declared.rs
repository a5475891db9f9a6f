//! Contradictions between the sizes given for inputs and those that the file declares.

use super::{Given, Options, Point};
use crate::pass::{Inputs, element_name};
use lozenge_graph_vocabulary::{DeclaredSize, ElementType, Type};
use std::fmt;

/// A part of a point that the declarations exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// No input has this name.
    NoInput(String),
    /// No element of an input has this name, and a number to be given.
    NoElement(String),
    /// A number is given for what is not one integer.
    Number(String),
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
            Self::NoElement(name) => write!(
                f,
                "`{name}` is no element of a list of integers whose length is known"
            ),
            Self::Number(name) => write!(f, "`{name}` is not one integer, and a number is given"),
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
    let is_input = |name: &str| inputs.forms.iter().any(|form| form.name == name);
    let mut found = Vec::new();
    for (name, given) in point {
        let Some(form) = inputs.forms.iter().find(|form| form.name == *name) else {
            let is_of_input = name
                .rsplit_once('(')
                .is_some_and(|(input, _)| is_input(input));
            if !is_of_input {
                found.push(Contradiction::NoInput(name.clone()));
            } else if !is_element(inputs, point, name) || !matches!(given, Given::Number(_)) {
                found.push(Contradiction::NoElement(name.clone()));
            }
            continue;
        };
        if matches!(given, Given::Number(_)) && !can_be_one_integer(&form.declared) {
            found.push(Contradiction::Number(name.clone()));
            continue;
        }
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

/// Says whether an input of a type can be one integer.
fn can_be_one_integer(declared: &Type) -> bool {
    match declared {
        Type::Tensor { element, sizes } => {
            let is_integer =
                |element: &ElementType| element.is_integer() || *element == ElementType::Bool;
            let is_one =
                |size: &DeclaredSize| !matches!(size, DeclaredSize::Known(size) if *size != 1);
            element.as_ref().is_none_or(is_integer)
                && sizes
                    .as_ref()
                    .is_none_or(|sizes| sizes.len() <= 1 && sizes.iter().all(is_one))
        }
        Type::Any | Type::Integer | Type::Boolean => true,
        Type::Float | Type::Other(_) => false,
    }
}

/// Says whether a name is that of an element of an input that is a list of integers, whose length is declared or given.
fn is_element(inputs: &Inputs, point: &Point, name: &str) -> bool {
    let Some((input, at)) = name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('))
    else {
        return false;
    };
    let Some(form) = inputs.forms.iter().find(|form| form.name == input) else {
        return false;
    };
    let declared = match form.declared.sizes() {
        Some([DeclaredSize::Known(length)]) => Some(*length),
        _ => None,
    };
    let length = match point.get(input) {
        Some(Given::Sizes(sizes)) => sizes.first().copied().filter(|_| sizes.len() == 1),
        _ => declared,
    };
    let is_integer = form
        .declared
        .element()
        .is_some_and(|element| element.is_integer() || element == ElementType::Bool);
    let (at, length) = (
        at.parse::<usize>(),
        length.and_then(|length| usize::try_from(length).ok()),
    );
    at.is_ok_and(|at| {
        is_integer && length.is_some_and(|length| at < length) && name == element_name(input, at)
    })
}
