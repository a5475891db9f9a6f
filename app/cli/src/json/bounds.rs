//! The footings of the values of a solution, and the bounds of its free variables.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;

use lozenge_solver::{Standing, Values};
use lozenge_vocabulary::{Dim, Var};
use schemars::JsonSchema;
use serde::Serialize;

use super::Cited;
use super::cited::Policy;

/// The footing of the values of a solution. A variable that is in none of `placed`, `chosen` and `free` is forced:
/// every solution gives it this value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RestsOn {
    /// Row variables whose axes are forced; policy chose where the marker stands among them.
    placed: Vec<String>,
    /// Variables whose values policy chose.
    chosen: Vec<String>,
    /// Variables that nothing determines, or not in all of their axes: what is open stands at its top.
    free: Vec<String>,
    /// The bounds that the free variables still have. In a large set only some have an entry.
    bounds: BTreeMap<String, Bounds>,
    /// The choices of policy, the first hundred of them.
    choices: Vec<Policy>,
}

/// The bounds that a free variable still has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Bounds {
    /// The atom that lies below a dimension variable, in the notation: it is this atom or the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    atom: Option<String>,
    /// The size of a dimension variable, if every solution has it and its basis alone is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<NonZeroU64>,
    /// The least numbers of leading and trailing axes of a row variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<[u32; 2]>,
    /// The constraints that bound it.
    constraints: Vec<Cited>,
}

impl Bounds {
    pub(super) fn of(var: &Var, standing: &Standing) -> Option<Bounds> {
        let Standing::Free {
            atom,
            size,
            at_least,
            bounds,
        } = standing
        else {
            return None;
        };
        Some(Bounds {
            atom: atom.as_ref().map(Dim::to_string),
            size: *size,
            at_least: matches!(var, Var::Row(_)).then_some(*at_least),
            constraints: bounds.iter().map(Cited::from).collect(),
        })
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(size) = self.size {
            let cells = if size.get() == 1 { "cell" } else { "cells" };
            write!(f, "{size} {cells} in every solution, its basis is open; ")?;
        }
        match self.constraints.as_slice() {
            [] => write!(f, "nothing bounds it"),
            constraints => {
                let texts: Vec<&str> = constraints.iter().map(|cited| &*cited.text).collect();
                write!(f, "bounded by {}", texts.join("; "))
            }
        }
    }
}

/// The bounds of the free variables of a solution, to be asked for in the order in which the solution has them.
pub(super) struct Notes {
    bounds: std::iter::Peekable<std::vec::IntoIter<(Var, Standing)>>,
}

impl Notes {
    pub(super) fn of(values: &Values<'_>) -> Notes {
        Notes {
            bounds: values.bounds().into_iter().peekable(),
        }
    }

    /// Returns the bounds of the next free variable, if it is the requested one and they are listed.
    pub(super) fn next_of(&mut self, is_asked_for: impl Fn(&Var) -> bool) -> Option<Bounds> {
        let (var, standing) = self.bounds.next_if(|(var, _)| is_asked_for(var))?;
        Bounds::of(&var, &standing)
    }
}
