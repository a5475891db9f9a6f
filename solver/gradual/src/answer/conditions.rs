//! Conditions on sizes beside the graph, as formulas on a path.

use super::Answer;
use crate::limit::Limit;
use crate::pass::{InputForm, InputKind, Inputs, Path, Stop};
use crate::term::{Formula, Int, Symbol, Term, Terms};
use crate::value::{Shape, Value};
use lozenge_gradual_vocabulary::{Condition, Quantity, Relation, Sum};
use lozenge_graph_vocabulary::Graph;
use std::collections::BTreeMap;

/// The meanings of the names of axes, ranks and integer inputs.
pub(crate) type Names = BTreeMap<String, Named>;

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(crate) enum Named {
    Term(Term),
    Rank(Symbol),
}

/// Returns what the names of `all` stand for in `now`, where some of its symbols may have become numbers.
pub(crate) fn names(all: &Inputs, all_terms: &Terms, now: &Inputs) -> Names {
    let mut names = Names::new();
    for (one, other) in all.forms.iter().zip(&now.forms) {
        let pairs: Vec<(Term, Term)> = match (&one.kind, &other.kind) {
            (
                InputKind::Tensor { axes, elements },
                InputKind::Tensor {
                    axes: now,
                    elements: now_elements,
                },
            ) => {
                let elements = elements.iter().flatten().copied();
                axes.iter()
                    .copied()
                    .zip(now.iter().copied())
                    .chain(elements.zip(now_elements.iter().flatten().copied()))
                    .collect()
            }
            (InputKind::Number(one), InputKind::Number(other)) => vec![(*one, *other)],
            _ => Vec::new(),
        };
        for (one, other) in pairs {
            if let Some(symbol) = all_terms.as_symbol(one) {
                names.insert(all_terms.name(symbol).to_owned(), Named::Term(other));
            }
        }
        if let (InputKind::AnyRank { rank, .. }, InputKind::AnyRank { rank: now, .. }) =
            (&one.kind, &other.kind)
        {
            names.insert(all_terms.name(*rank).to_owned(), Named::Rank(*now));
        }
    }
    names
}

/// The reader of conditions on one path.
pub(crate) struct Reader<'a> {
    pub(super) graph: &'a Graph,
    pub(super) inputs: &'a Inputs,
    pub(super) names: &'a Names,
    /// The sizes of the inputs of undeclared rank.
    pub(super) met: &'a BTreeMap<usize, Shape>,
    pub(super) values: &'a [Option<Value>],
}

impl Reader<'_> {
    /// Makes a condition a formula. An axis that a tensor does not have satisfies nothing.
    pub(super) fn formula(
        &self,
        terms: &mut Terms,
        condition: &Condition,
    ) -> Result<Formula, Limit> {
        let sides = (
            self.sum(terms, &condition.left)?,
            self.sum(terms, &condition.right)?,
        );
        let (Some(left), Some(right)) = sides else {
            return Ok(Formula::FALSE);
        };
        Ok(match condition.relation {
            Relation::Equal => terms.equal(left, right),
            Relation::Differs => terms.differ(left, right),
            Relation::Less => terms.less(left, right),
            Relation::AtMost => terms.at_most(left, right),
            Relation::Greater => terms.less(right, left),
            Relation::AtLeast => terms.at_most(right, left),
        })
    }

    fn sum(&self, terms: &mut Terms, sum: &Sum) -> Result<Option<Term>, Limit> {
        let mut total = terms.number(sum.number);
        for (quantity, factor) in &sum.parts {
            let Some(part) = self.quantity(terms, quantity)? else {
                return Ok(None);
            };
            let part = terms.scale(part, *factor);
            total = terms.add(total, part);
        }
        Ok(Some(total))
    }

    fn quantity(&self, terms: &mut Terms, quantity: &Quantity) -> Result<Option<Term>, Limit> {
        match quantity {
            Quantity::Named(name) => Ok(self.named(terms, name)),
            Quantity::Remainder(sum, by) => {
                Ok(self.sum(terms, sum)?.map(|sum| terms.modulo(sum, *by)))
            }
            Quantity::Rank(of) => match self.shape(of)? {
                None => Ok(self.named(terms, &format!("{of}.rank"))),
                Some(shape) => match self.inputs.rank_of_block(&shape) {
                    None if shape.block.is_none() => Ok(Some(
                        terms.number(Int::try_from(shape.axes.len()).unwrap_or(Int::MAX)),
                    )),
                    None => Err(Limit::Ranks),
                    Some((rank, known)) => {
                        let rank = terms.of(rank);
                        Ok(Some(terms.shift(
                            rank,
                            Int::try_from(shape.axes.len()).unwrap_or(0) - known,
                        )))
                    }
                },
            },
            Quantity::Axis { of, at } => {
                let Some(shape) = self.shape(of)? else {
                    return Err(Limit::Ranks);
                };
                axis(&shape, *at)
            }
        }
    }

    fn named(&self, terms: &mut Terms, name: &str) -> Option<Term> {
        Some(match *self.names.get(name)? {
            Named::Term(term) => term,
            Named::Rank(symbol) => terms.of(symbol),
        })
    }

    /// Returns the shape of an input, or of the first output of a node. Nothing for an input whose rank nobody asks
    /// for.
    fn shape(&self, name: &str) -> Result<Option<Shape>, Limit> {
        let main = self.graph.main();
        let position = main
            .inputs
            .iter()
            .position(|id| self.graph[*id].name == name);
        if let Some(shape) = position.and_then(|position| self.met.get(&position)) {
            return Ok(Some(shape.clone()));
        }
        if let Some(InputForm {
            kind: InputKind::Tensor { axes, .. },
            ..
        }) = position.map(|position| &self.inputs.forms[position])
        {
            return Ok(Some(Shape::new(axes.clone())));
        }
        let value =
            value_of(self.graph, name).and_then(|id| self.values.get(id).cloned().flatten());
        match value {
            Some(Value::Tensor(tensor)) => Ok(tensor.shape),
            Some(Value::Sizes(shape)) => Ok(Some(shape)),
            _ if position.is_some() => Ok(None),
            _ => Err(Limit::Ranks),
        }
    }
}

/// Returns the size of an axis, counted from the end if its place is negative. Nothing where there is no such axis.
fn axis(shape: &Shape, at: i64) -> Result<Option<Term>, Limit> {
    let place = match usize::try_from(at) {
        Ok(place) => Some(place),
        Err(_) => usize::try_from(at.unsigned_abs())
            .ok()
            .and_then(|back| shape.axes.len().checked_sub(back)),
    };
    match is_known(shape, at) {
        true => Ok(place.and_then(|place| shape.axes.get(place).copied())),
        false => Err(Limit::Ranks),
    }
}

/// Says whether the axis at a place is told apart from its neighbours, or a shape of known rank has none there.
pub(super) fn is_known(shape: &Shape, at: i64) -> bool {
    let Some(block) = shape.block else {
        return true;
    };
    match (usize::try_from(at), usize::try_from(at.unsigned_abs())) {
        (Ok(place), _) => place < block.at,
        (Err(_), Ok(back)) => back <= shape.axes.len() - block.at,
        (Err(_), Err(_)) => false,
    }
}

/// Returns the place of a value by its own name, or by that of the node whose first output it is.
fn value_of(graph: &Graph, name: &str) -> Option<usize> {
    let own = graph.values.iter().position(|value| value.name == name);
    own.or_else(|| {
        let mut nodes = graph.nodes();
        let (_, node) = nodes.find(|(_, node)| node.name() == name)?;
        node.outputs
            .first()
            .copied()
            .flatten()
            .map(lozenge_graph_vocabulary::ValueId::index)
    })
}

/// Adds conditions to what is asked of a path, and returns the first that does not hold whatever the sizes are. Of a
/// path that was refused nothing is asked, and of one that ended at a limit what can be read without the tensors that
/// it lacks.
pub(super) fn state<'c>(
    conditions: &'c [Condition],
    graph: &Graph,
    terms: &mut Terms,
    (names, inputs): (&Names, &Inputs),
    path: &mut Path,
) -> Result<Option<&'c Condition>, Limit> {
    let mut broken = None;
    let is_cut = matches!(path.end, Err((Stop::Unknown(_), _)));
    if path.end.is_err() && !is_cut {
        return Ok(broken);
    }
    for condition in conditions {
        let formula = Reader {
            graph,
            inputs,
            names,
            met: &path.met,
            values: &path.values,
        }
        .formula(terms, condition);
        let formula = match formula {
            Err(_) if is_cut => Formula::TRUE,
            formula => formula?,
        };
        if formula == Formula::FALSE {
            broken = broken.or(Some(condition));
        }
        path.asked.push(formula);
    }
    Ok(broken)
}

impl Answer {
    /// Returns the first name in the conditions that is neither an axis, an input, nor a node.
    #[must_use]
    pub fn unknown_name(graph: &Graph, options: &super::Options) -> Option<String> {
        let mut terms = Terms::new();
        let inputs = Inputs::new(graph, &mut terms, &|input| options.relax.frees(input));
        let is_named = |name: &str| terms.symbol_named(name).is_some();
        let is_tensor = |name: &str| value_of(graph, name).is_some();
        let mut sums: Vec<&Sum> = options
            .conditions
            .iter()
            .flat_map(|condition| [&condition.left, &condition.right])
            .collect();
        while let Some(sum) = sums.pop() {
            for (quantity, _) in &sum.parts {
                let name = match quantity {
                    Quantity::Remainder(sum, _) => {
                        sums.push(sum);
                        continue;
                    }
                    Quantity::Named(name) if is_named(name) && inputs.has_name(name) => continue,
                    Quantity::Axis { of, .. } | Quantity::Rank(of) if is_tensor(of) => continue,
                    Quantity::Named(name) => name,
                    Quantity::Axis { of, .. } | Quantity::Rank(of) => of,
                };
                return Some(name.clone());
            }
        }
        None
    }

    /// Returns the names of axes and of integer inputs, which conditions may use.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let inputs = &self.inputs;
        inputs
            .certain_symbols(&self.terms)
            .into_iter()
            .map(|symbol| self.terms.name(symbol).to_owned())
            .collect()
    }
}
