//! The sizes of inputs on which a refusal depends.

use crate::pass::{InputKind, Inputs};
use crate::term::{Int, Symbol, Term, Terms};
use serde::Serialize;

/// A size of an input, or the value of an integer input, on which a refusal depends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Origin {
    /// The name in the answer, such as `h`.
    pub axis: String,
    /// The input.
    pub input: String,
    /// The place of the axis; nothing for the value of an integer input and for a rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The size at the point that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<Int>,
}

/// Returns the inputs to which symbols belong, in the order of the inputs.
pub(super) fn origins(inputs: &Inputs, terms: &Terms, symbols: &[Symbol]) -> Vec<Origin> {
    let mut found = Vec::new();
    let is_wanted = |term: &Term| terms.as_symbol(*term).filter(|own| symbols.contains(own));
    for form in &inputs.forms {
        let mut add = |symbol: Symbol, at: Option<usize>| {
            found.push(Origin {
                axis: terms.name(symbol).to_owned(),
                input: form.name.clone(),
                at,
                given: None,
            });
        };
        let (axes, others): (&[Term], Vec<Term>) = match &form.kind {
            InputKind::Tensor { axes, elements } => (axes, elements.clone().unwrap_or_default()),
            InputKind::Number(term) => (&[], vec![*term]),
            InputKind::AnyRank { rank, axes, .. } => {
                if symbols.contains(rank) {
                    add(*rank, None);
                }
                (axes, Vec::new())
            }
            InputKind::Other => (&[], Vec::new()),
        };
        for (at, axis) in axes.iter().enumerate() {
            if let Some(symbol) = is_wanted(axis) {
                add(symbol, Some(at));
            }
        }
        for symbol in others.iter().filter_map(is_wanted) {
            add(symbol, None);
        }
    }
    found
}
