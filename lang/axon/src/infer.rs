//! Types of a program: those of Hindley and Milner, with constraints on shapes.
//!
//! Nodes are visited in their order. Where types of tensors have to be equal, an equation of their shapes is noted with
//! its origin. A function that a statement binds is generalised: its type and the equations that are left become a
//! scheme, of which every use is an instance. At the top of a program the equations are simplified first, by whoever
//! was given to [`infer`]; inside a function a scheme has them as they are.

mod always;
mod annotation;
mod checks;
mod late;
mod message;
mod names;
mod nodes;
mod peak;
mod places;
mod print;
mod scheme;
mod sources;
mod types;

use lozenge_axon_vocabulary::{Decide, Equation, Pool, Set};
use lozenge_diagnostic::Diagnostic;
use rustc_hash::FxHashSet;

use crate::Span;
use crate::syntax::{NameId, NodeId, Program};
use crate::table::Table;

pub use checks::Check;

/// The largest number of equations of a program: instances of schemes count with all of theirs.
const LARGEST: usize = 1_000_000;

/// The number of types, of values and of their parts, after which a program is refused.
const MOST_TYPES: usize = 2_000_000;

/// The choices of inference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The signatures of operators.
    pub table: Table,
    /// The wish for the types of all parts of the text, as editors show them.
    pub with_places: bool,
}

/// The result of inference.
#[derive(Clone, Debug, Default)]
pub struct Inferred {
    /// The types of what the program binds at its top, in its order. A wrong binding has none.
    pub bindings: Vec<Binding>,
    /// The reasons why the program is refused, if it is.
    pub errors: Vec<Diagnostic>,
    /// Doubts about a program that is accepted.
    pub warnings: Vec<Diagnostic>,
    /// The questions that could not be decided, each with its reason.
    pub unknown: Vec<Diagnostic>,
    /// The types of names where they are bound and of expressions, if they were wished for. The names in a type are
    /// those of the type that the statement around it has.
    pub places: Vec<(Span, String)>,
    /// The equations that statements made, before anything was solved.
    equations: Vec<Equation>,
    /// The names and terms of all equations.
    pool: Pool,
}

impl Inferred {
    /// Returns the equations that the statements of the program made, before anything was solved, each once.
    pub fn shapes(&self) -> Set {
        let mut set = Set {
            pool: self.pool.clone(),
            ..Set::default()
        };
        let mut seen = FxHashSet::default();
        let new = |equation: &&Equation| seen.insert((*equation).clone());
        let equations = self.equations.iter().filter(new);
        equations.for_each(|equation| set.push(equation.clone()));
        set
    }
}

/// A name at the top of a program, with its type.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The name.
    pub name: String,
    /// Its number.
    pub id: NameId,
    /// The place where it is bound.
    pub span: Span,
    /// The type, in the form of the paper.
    pub shown: String,
    /// The equations that the type does not say, over the names of the type.
    pub conditions: Vec<String>,
    /// The checks that are left to be made for each input.
    pub checks: Vec<Check>,
    /// The bytes of each input and result that is a tensor, as terms of the type: `4*a*b`.
    pub bytes: Vec<(String, String)>,
    /// The most bytes of inputs, results and values of calls that a function holds at one time, as such a term; none
    /// for what is no function, and where the term would be very large. What the functions that it calls hold inside is
    /// theirs.
    pub peak: Option<String>,
    /// The properties of an input on which a compiled form of it depends: a form is used again for inputs that agree in
    /// these.
    pub key: Vec<String>,
}

impl Binding {
    /// Returns the type with what it does not say behind `where`.
    pub fn scheme(&self) -> String {
        match self.conditions.is_empty() {
            true => self.shown.clone(),
            false => format!("{} where {}", self.shown, self.conditions.join(", ")),
        }
    }
}

/// An equation with the reason for which it has to hold.
#[derive(Clone, Debug)]
struct Stated {
    equation: Equation,
    origin: Origin,
}

/// The reason for an equation.
#[derive(Clone, Debug)]
struct Origin {
    /// The node that needs it.
    place: NodeId,
    role: Role,
    /// The reason inside the function of which `place` is a use.
    through: Option<std::sync::Arc<Origin>>,
}

/// The reason for which a node needs an equation.
#[derive(Clone, Debug, PartialEq)]
enum Role {
    /// As a call, for one of its arguments.
    Argument(usize),
    /// As an operator, an axis of whose result has to be at least 1.
    Result,
    /// As a function, for the type that is written for its result.
    Declared,
    /// As a function or data with a written type, an axis of which has to be at least 1.
    Written,
    /// As the use of a function.
    Use,
}

/// Finds the types of a program.
pub fn infer(program: &Program, options: &Options, decide: &dyn Decide) -> Inferred {
    let mut inference = nodes::Inference::new(program, options, decide);
    for node in 0..program.nodes.len() {
        inference.visit(node);
        if inference.is_too_large(node) {
            break;
        }
    }
    let mut result = inference.result;
    result.pool = inference.types.pool;
    result
}
