//! A run of a graph on numbers: the shape of every value, and the node at which it ends if it is refused.

use crate::answer::{Point, Refusal};
use crate::pass::{Inputs, Pass, Stop};
use crate::term::Terms;
use crate::value::Value;
use lozenge_graph_vocabulary::{Graph, ValueId};
use serde::Serialize;

/// A value as far as a run on numbers knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Replayed {
    /// A tensor with its sizes.
    Tensor(Vec<i128>),
    /// An integer.
    Integer(i128),
    /// A truth value.
    Truth(bool),
    /// A list.
    List(Vec<Replayed>),
    /// No value: Python's `None`.
    None,
    /// Something of which nothing is known.
    Unknown,
}

/// The findings of a run.
#[derive(Clone, Debug)]
pub struct Run {
    values: Vec<Option<Replayed>>,
    /// The node that refuses, if one does.
    pub refusal: Option<Refusal>,
    /// True if the run ended at a limit or a branch that data decide.
    pub is_open: bool,
}

impl Run {
    /// Returns the value with the id, if the run came so far.
    #[must_use]
    pub fn value(&self, id: ValueId) -> Option<&Replayed> {
        self.values[id.index()].as_ref()
    }
}

/// Runs a graph on the sizes of a point, which gives every input. Declared sizes are not asked.
#[must_use]
pub fn replay(graph: &Graph, point: &Point) -> Run {
    let mut terms = Terms::new();
    terms.allow(crate::answer::steps(graph));
    let mut inputs = Inputs::at(graph, &mut terms, &|_| true, point);
    let mut pass = Pass::new(graph, &mut terms, &mut inputs, Vec::new());
    let end = pass.run();
    let (refusal, mut is_open) = match end {
        Ok(_) => (None, false),
        Err(Stop::Excluded(words) | Stop::Refused(words) | Stop::Unspecified(words)) => (
            Some(Refusal::new(graph, pass.node, &words, &[pass.node])),
            false,
        ),
        Err(Stop::Unknown(_)) => (None, true),
    };
    is_open |= !pass.assumed.is_empty() || !pass.demands.is_empty();
    let values = std::mem::take(&mut pass.values);
    Run {
        values: values
            .iter()
            .map(|value| value.as_ref().map(|value| replayed(&terms, value)))
            .collect(),
        refusal,
        is_open,
    }
}

/// Lists lie in one another as deep as the file says, which readers bound.
fn replayed(terms: &Terms, value: &Value) -> Replayed {
    match value {
        Value::Tensor(tensor) => {
            let sizes = tensor.shape.as_ref().and_then(|shape| {
                shape
                    .axes
                    .iter()
                    .map(|size| terms.as_number(*size))
                    .collect()
            });
            sizes.map_or(Replayed::Unknown, Replayed::Tensor)
        }
        Value::Integer(term) => terms
            .as_number(*term)
            .map_or(Replayed::Unknown, Replayed::Integer),
        Value::Truth(formula) => terms
            .decided(*formula)
            .map_or(Replayed::Unknown, Replayed::Truth),
        Value::List(list) => {
            Replayed::List(list.iter().map(|value| replayed(terms, value)).collect())
        }
        Value::None => Replayed::None,
        _ => Replayed::Unknown,
    }
}
