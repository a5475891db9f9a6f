//! The checks that are left to be made for each input of a function, written over the sizes of its inputs.
//!
//! A name of a type that stands at several axes says that their sizes are equal; a term at an axis says that a size has
//! its form; a term elsewhere says that it is at least 1. A check that follows from the rest is left out, as far as it
//! is proved.

use std::sync::Arc;

use lozenge_axon_vocabulary::{
    Conclusion, DimId, DimNode, Equation, Goal, Linear, Piece, Pool, Variable, Word,
};
use rustc_hash::FxHashMap;

use super::nodes::Inference;
use super::print::Printer;
use super::types::{Type, TypeId, Types};
use super::{Role, Stated};
use crate::Span;
use crate::syntax::{NameId, NodeId, NodeKind};

use choices::Chosen;
use inputs::Inputs;

mod appended;
mod choices;
mod homes;
mod inputs;
mod late;
mod size;

/// A condition on the sizes of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The condition: `dim(x,0) % 2 = 0`.
    pub condition: String,
    /// The reason why it has to hold.
    pub why: String,
    /// The place in the text that needs it.
    pub span: Span,
    /// The time at which it can be decided.
    pub decided: &'static str,
}

/// The time at which the sizes of inputs are known.
const BEFORE: &str = "before any kernel runs";

/// Collects the tensors of a type, each with a name made of the name of the whole and of places in tuples.
pub(super) fn tensors(
    types: &Types,
    path: String,
    found: TypeId,
    tensors: &mut Vec<(String, TypeId)>,
) {
    const LARGEST: usize = 256;
    let mut waiting = vec![(path, found)];
    let mut looked_at = 0;
    while let Some((path, found)) = waiting.pop() {
        // Parts that are shared are looked at as often as they are meant.
        looked_at += 1;
        if looked_at > super::print::LARGEST {
            break;
        }
        match types.get(found) {
            Type::Tensor(..) => tensors.push((path, found)),
            Type::Tuple(parts) if tensors.len() + waiting.len() < LARGEST => {
                let parts = parts.iter().enumerate().rev();
                waiting.extend(parts.map(|(place, part)| (format!("{path}.{place}"), *part)));
            }
            _ => {}
        }
    }
}

/// Returns the tensors that a function takes; none for what is no function.
pub(super) fn inputs(
    inference: &Inference<'_>,
    name: NameId,
    found: TypeId,
) -> Vec<(String, TypeId)> {
    let mut inputs = Vec::new();
    if let Type::Function(parameters, _) = inference.types.get(found) {
        let names = parameter_names(inference, name, parameters.len());
        for (text, parameter) in names.into_iter().zip(parameters) {
            tensors(&inference.types, text, *parameter, &mut inputs);
        }
    }
    inputs
}

/// Returns the names of the parameters of a function, or numbers where it has none of its own.
fn parameter_names(inference: &Inference<'_>, name: NameId, count: usize) -> Vec<String> {
    let program = inference.program;
    match inference.functions[name] {
        Some(function) => {
            let parameters = program.functions[function].parameters.iter();
            let names = parameters.map(|parameter| &program.names[parameter.name].text);
            names.map(|text| text.to_string()).collect()
        }
        None => (0..count).map(|place| format!("argument{place}")).collect(),
    }
}

/// Prints the equations of shapes that are left.
pub(super) fn conditions(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    left: &[Stated],
) -> Vec<String> {
    let pool = &inference.types.pool;
    let left: Vec<&Stated> = left
        .iter()
        .filter(|stated| {
            let equation = &stated.equation;
            !is_positivity(equation)
                && !is_ragged(pool, equation)
                && !inference.types.is_late(equation)
        })
        .collect();
    let left = left.into_iter();
    let shown = left.map(|stated| printer.equation(&mut inference.types, &stated.equation));
    let mut shown: Vec<String> = shown.filter_map(Result::ok).collect();
    shown.dedup();
    shown
}

/// Tells whether an equation says only that a term is at least 1.
fn is_positivity(equation: &Equation) -> bool {
    matches!(equation, Equation::Dims(left, right) if left == right)
}

/// Tells whether an equation says that the lengths of two ragged axes are equal.
pub(super) fn is_ragged(pool: &Pool, equation: &Equation) -> bool {
    let is_ragged = |dim: DimId| matches!(pool.node(dim), DimNode::Ragged(_));
    matches!(equation, Equation::Dims(left, right) if is_ragged(*left) && is_ragged(*right))
}

/// Returns the words of the inputs.
fn words(inference: &Inference<'_>, name: NameId, found: TypeId) -> Vec<(String, Word)> {
    let inputs = inputs(inference, name, found).into_iter();
    let words = inputs.filter_map(|(path, id)| match inference.types.get(id) {
        Type::Tensor(_, word) => Some((path, word.clone())),
        _ => None,
    });
    words.collect()
}

/// The places of a shape up to which, and from which on, its parts are axes.
struct Ends {
    before: usize,
    behind: usize,
    parts: usize,
}

impl Ends {
    fn of(word: &Word) -> Ends {
        let is_shape = |piece: &Piece| matches!(piece, Piece::Shape(_));
        let parts = word.0.len();
        Ends {
            before: word.0.iter().position(is_shape).unwrap_or(parts),
            behind: word.0.iter().rposition(is_shape).unwrap_or(0),
            parts,
        }
    }

    /// Returns the text of an axis: its number from the left, or from the right where a shape of any rank stands before
    /// it.
    fn axis(&self, path: &str, place: usize) -> Option<String> {
        if place < self.before {
            return Some(format!("dim({path},{place})"));
        }
        (place > self.behind).then(|| format!("dim({path},-{})", self.parts - place))
    }

    /// Returns the text of the axes that a shape stands for; none where another shape stands beside it.
    fn part(&self, path: &str, place: usize) -> Option<String> {
        let is_alone = place == self.before && place == self.behind;
        is_alone.then(|| range(path, place, self.parts - place - 1))
    }
}

/// Returns the text of a shape without so many axes before and behind.
fn range(path: &str, before: usize, behind: usize) -> String {
    match (before, behind) {
        (0, 0) => format!("shape({path})"),
        (before, 0) => format!("shape({path})[{before}..]"),
        (0, behind) => format!("shape({path})[..-{behind}]"),
        (before, behind) => format!("shape({path})[{before}..-{behind}]"),
    }
}

/// Returns the parts of inputs on which a compiled form depends.
pub(super) fn key(inference: &Inference<'_>, name: NameId, found: TypeId) -> Vec<String> {
    let mut key = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for (path, word) in words(inference, name, found) {
        let ends = Ends::of(&word);
        for (place, piece) in word.0.iter().enumerate() {
            match piece {
                Piece::Shape(shape) if seen.insert(Variable::Shape(*shape)) => {
                    let text = ends
                        .part(&path, place)
                        .unwrap_or_else(|| format!("shape({path})"));
                    key.push(format!("rank and sizes of {text}"));
                }
                Piece::Axis(dim) => {
                    let names = inference.types.pool.variables(*dim).into_iter();
                    let is_new = names
                        .filter(|name| seen.insert(Variable::Dim(*name)))
                        .count()
                        > 0;
                    if is_new {
                        let text = ends.axis(&path, place);
                        key.push(text.unwrap_or_else(|| format!("shape({path})")));
                    }
                }
                Piece::Shape(_) => {}
            }
        }
    }
    key.dedup();
    key
}

/// Returns the checks of a function.
pub(super) fn checks(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    name: NameId,
    found: TypeId,
    left: &[Stated],
) -> Vec<Check> {
    let mut inputs = Inputs {
        words: words(inference, name, found),
        dims: FxHashMap::default(),
        shapes: FxHashMap::default(),
        given: FxHashMap::default(),
    };
    let span = inference.program.names[name].span.clone();
    let mut checks = Vec::new();
    homes::find(inference, &mut inputs);
    let appended = appended::conditions(&inputs, inference, printer, left);
    let chosen = choices::find(inference, printer, &inputs, left);
    for (condition, why) in equalities(&inputs, &chosen, inference, printer)
        .into_iter()
        .chain(appended)
    {
        checks.push(Check {
            condition,
            why,
            span: span.clone(),
            decided: BEFORE,
        });
    }
    positivity(inference, printer, &inputs, &chosen, left, &mut checks);
    lengths(inference, &inputs, left, &span, &mut checks);
    if matches!(inference.types.get(found), Type::Function(..)) {
        late::conditions(inference, printer, &inputs, left, &span, &mut checks);
    }
    checks
}

/// Returns what is said by names that stand at several places of the inputs, and by terms at their axes.
fn equalities(
    inputs: &Inputs,
    chosen: &Chosen,
    inference: &mut Inference<'_>,
    printer: &mut Printer,
) -> Vec<(String, String)> {
    let mut said = Vec::new();
    for (path, word) in &inputs.words {
        let ends = Ends::of(word);
        for (place, piece) in word.0.iter().enumerate() {
            match piece {
                Piece::Shape(shape) => {
                    let (home, here) = (inputs.shapes.get(shape), ends.part(path, place));
                    if let (Some(home), Some(here)) = (home, here)
                        && *home != here
                    {
                        said.push((format!("{home} = {here}"), "one shape of two inputs".into()));
                    }
                }
                Piece::Axis(dim) => {
                    let Some(here) = ends.axis(path, place) else {
                        continue;
                    };
                    let Ok(form) = inference.types.pool.linear(*dim) else {
                        continue;
                    };
                    let is_home = form.as_var().is_some_and(|name| {
                        inputs.dims.get(&name).is_some_and(|home| home.is(&here))
                    });
                    // Dimensions that are ragged or known late are checked elsewhere.
                    let is_later = matches!(inference.types.pool.node(*dim), DimNode::Ragged(_))
                        || inference.types.is_late_term(*dim);
                    if is_home || is_later || form.as_number().is_some() {
                        continue;
                    }
                    let term = printer.term(&mut inference.types, *dim).unwrap_or_default();
                    let why = format!("the axis has the size `{term}`");
                    let homes = size::Homes {
                        pool: &inference.types.pool,
                        axes: &inputs.dims,
                    };
                    let plain = || {
                        let equal = size::equal(&here, &form, &homes);
                        vec![equal.unwrap_or_else(|| format!("{here} = {term}"))]
                    };
                    let known = inputs.given.get(&here).map(|given| {
                        let both = given.is_whole.iter().chain(&given.is_size);
                        both.cloned().collect()
                    });
                    let known = known.or_else(|| chosen.conditions.get(&here).cloned());
                    let conditions = known.unwrap_or_else(plain).into_iter();
                    said.extend(conditions.map(|condition| (condition, why.clone())));
                }
            }
        }
    }
    said.dedup();
    said
}

/// Returns what is known beside the sizes of terms: the equations that are left, and that the axes of inputs are sizes.
fn known(inputs: &Inputs, left: &[Stated]) -> Vec<Equation> {
    let left = left.iter().map(|stated| stated.equation.clone());
    let left = left.filter(|equation| !is_positivity(equation));
    let axes = inputs.words.iter().flat_map(|(_, word)| word.dims());
    left.chain(axes.map(|dim| Equation::Dims(dim, dim)))
        .collect()
}

/// Adds that terms are at least 1, unless that is proved to follow.
fn positivity(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    inputs: &Inputs,
    chosen: &Chosen,
    left: &[Stated],
    checks: &mut Vec<Check>,
) {
    let known = known(inputs, left);
    let mut terms = smallest(inference, left);
    // A later statement often follows from an earlier one, and the other way round; the later ones are tried first.
    let mut needed = Vec::new();
    while let Some(stated) = terms.pop() {
        let dim = match stated.equation {
            Equation::Dims(dim, _) => dim,
            Equation::Shapes(..) => continue,
        };
        let others = terms
            .iter()
            .chain(&needed)
            .map(|stated| stated.equation.clone());
        let given: Vec<Equation> = known.iter().cloned().chain(others).collect();
        let goal = Goal::AtLeast(dim, 1);
        if inference
            .decide
            .entails(&mut inference.types.pool, &given, &goal)
            != Conclusion::Yes
        {
            needed.push(stated);
        }
    }
    inference.types.note_names(1);
    for stated in needed.into_iter().rev() {
        let Equation::Dims(dim, _) = stated.equation else {
            continue;
        };
        let Ok(form) = inference.types.pool.linear(dim) else {
            continue;
        };
        let term = printer.term(&mut inference.types, dim).unwrap_or_default();
        let homes = size::Homes {
            pool: &inference.types.pool,
            axes: &inputs.dims,
        };
        let condition = choices::at_least_one(&form, &chosen.open, &homes);
        if condition.is_none() && chosen.said.contains(&dim) {
            continue;
        }
        let (place, what) = innermost(inference, stated);
        checks.push(Check {
            condition: condition.unwrap_or_else(|| format!("{term} >= 1")),
            why: format!("{what} has an axis of the size `{term}`"),
            span: inference.program.nodes[place].span.clone(),
            decided: BEFORE,
        });
    }
}

/// Returns what says that a term is at least 1, without what follows from another one that stands shortly behind it, by
/// the signs of their difference alone.
fn smallest<'s>(inference: &mut Inference<'_>, left: &'s [Stated]) -> Vec<&'s Stated> {
    const NEAR: usize = 8;
    let pool = &mut inference.types.pool;
    let mut kept: Vec<(&Stated, Option<Arc<Linear>>)> = Vec::new();
    for stated in left.iter().rev() {
        let dim = match stated.equation {
            Equation::Dims(dim, other) if dim == other => dim,
            _ => continue,
        };
        // A term that is not in its normal form may divide by what the form has lost.
        let form = pool.linear(dim).ok();
        let form = form.filter(|form| pool.term(form) == dim);
        let mut near = kept.iter().rev().take(NEAR);
        let follows = near.any(|(_, other)| match (&form, other) {
            (Some(form), Some(other)) => form.is_never_below(other),
            _ => false,
        });
        if !follows {
            kept.push((stated, form));
        }
    }
    kept.into_iter().rev().map(|(stated, _)| stated).collect()
}

/// Adds that the lengths of ragged axes of inputs are equal, where equations say so, perhaps through axes that no input
/// has.
fn lengths(
    inference: &Inference<'_>,
    inputs: &Inputs,
    left: &[Stated],
    span: &Span,
    checks: &mut Vec<Check>,
) {
    let pool = &inference.types.pool;
    // One ragged axis of two inputs is one that they both have to have.
    let of_inputs = inputs.words.iter().flat_map(|(_, word)| word.dims());
    let of_inputs = of_inputs.filter(|dim| matches!(pool.node(*dim), DimNode::Ragged(_)));
    let mut classes: Vec<(Vec<DimId>, Option<NodeId>)> = Vec::new();
    for dim in of_inputs {
        if classes.iter().all(|(class, _)| !class.contains(&dim)) {
            classes.push((vec![dim], None));
        }
    }
    for stated in left
        .iter()
        .filter(|stated| is_ragged(pool, &stated.equation))
    {
        let Equation::Dims(one, other) = stated.equation else {
            continue;
        };
        let mut joined = (vec![one, other], Some(innermost(inference, stated).0));
        classes.retain(|(class, place)| {
            let is_apart = !class.contains(&one) && !class.contains(&other);
            if !is_apart {
                joined.0.extend_from_slice(class);
                joined.1 = joined.1.max(*place);
            }
            is_apart
        });
        classes.push(joined);
    }
    for (class, place) in classes {
        let homes: Vec<String> = inputs
            .words
            .iter()
            .flat_map(|(path, word)| {
                let (ends, axes) = (Ends::of(word), word.0.iter().enumerate());
                axes.filter(|(_, piece)| matches!(piece, Piece::Axis(dim) if class.contains(dim)))
                    .filter_map(move |(place, _)| ends.axis(path, place))
            })
            .map(|axis| axis.replacen("dim", "lengths", 1))
            .collect();
        for pair in homes.windows(2) {
            checks.push(Check {
                condition: format!("{} = {}", pair[0], pair[1]),
                why: "two ragged axes have to be one".to_string(),
                span: match place {
                    Some(place) => inference.program.nodes[place].span.clone(),
                    None => span.clone(),
                },
                decided: "when the lengths are known",
            });
        }
    }
}

/// Returns the node from which an equation came, and what it is in words.
fn innermost(inference: &Inference<'_>, stated: &Stated) -> (NodeId, String) {
    let mut origin = &stated.origin;
    while let Some(inner) = &origin.through {
        origin = inner;
    }
    let what = match (&origin.role, &inference.program.nodes[origin.place].kind) {
        (Role::Result, NodeKind::Operator(name)) => format!("the result of `{name}`"),
        (Role::Written | Role::Declared, _) => "a written type".to_string(),
        _ => "a tensor".to_string(),
    };
    (origin.place, what)
}
