//! The axes of inputs from which names have their values.

use std::sync::Arc;

use lozenge_axon_vocabulary::{
    Atom, Conclusion, DimId, DimNode, DimVar, Equation, Goal, Linear, Op, Piece,
};
use rustc_hash::FxHashMap;

use super::super::nodes::Inference;
use super::Ends;
use super::inputs::Inputs;
use super::size::{self, Homes, Size};

/// Finds for every name an axis of an input that has its size, or whose term gives its value.
pub(super) fn find(inference: &mut Inference<'_>, inputs: &mut Inputs) {
    own(inference, inputs);
    let terms = terms(inference, inputs);
    by_terms(inference, inputs, &terms);
    leave_out(inference, inputs, &terms);
    leave_out_bounds(inference, inputs, &terms);
}

/// Leaves out that a value is at least 1 where that is proved to follow from the other axes that have the name.
fn leave_out_bounds(
    inference: &mut Inference<'_>,
    inputs: &mut Inputs,
    terms: &[(String, Arc<Linear>)],
) {
    let mut by_name: FxHashMap<DimVar, Vec<(&String, DimId)>> = FxHashMap::default();
    for (here, form) in terms {
        let pool = &mut inference.types.pool;
        let term = pool.term(form);
        for name in pool.variables(term) {
            by_name.entry(name).or_default().push((here, term));
        }
    }
    for (here, given) in &mut inputs.given {
        let others = by_name.get(&given.name).into_iter().flatten();
        let others: Vec<DimId> = others
            .filter(|(other, _)| *other != here)
            .map(|(_, term)| *term)
            .collect();
        if given.is_size.is_none() || others.is_empty() {
            continue;
        }
        // The difference of two sizes is any whole number.
        let pool = &mut inference.types.pool;
        let [one, other] = ["one", "other"].map(|hint| pool.fresh_dim(hint));
        let (one, other) = (pool.var(one), pool.var(other));
        let any = pool.op(Op::Subtract, one, other);
        let known = others.into_iter().map(|term| {
            let term = pool.substituted(term, |name| (name == given.name).then_some(any));
            Equation::Dims(term, term)
        });
        let known: Vec<Equation> = known.collect();
        let follows = inference
            .decide
            .entails(pool, &known, &Goal::AtLeast(any, 1));
        if follows == Conclusion::Yes {
            given.is_size = None;
        }
    }
    inference.types.note_names(1);
}

/// Finds the names that are alone at an axis, or between the ends of a shape.
fn own(inference: &mut Inference<'_>, inputs: &mut Inputs) {
    for (path, word) in &inputs.words {
        let ends = Ends::of(word);
        for (place, piece) in word.0.iter().enumerate() {
            match piece {
                Piece::Axis(dim) => {
                    let form = inference.types.pool.linear(*dim);
                    let name = form.ok().and_then(|form| form.as_var());
                    let name = name.filter(|name| !inference.types.is_runtime(*name));
                    if let (Some(name), Some(text)) = (name, ends.axis(path, place)) {
                        inputs.dims.entry(name).or_insert_with(|| Size::of(text));
                    }
                }
                Piece::Shape(shape) => {
                    if let Some(text) = ends.part(path, place) {
                        inputs.shapes.entry(*shape).or_insert(text);
                    }
                }
            }
        }
    }
}

/// Returns the axes whose size is a term of names.
fn terms(inference: &mut Inference<'_>, inputs: &Inputs) -> Vec<(String, Arc<Linear>)> {
    let mut terms = Vec::new();
    for (path, word) in &inputs.words {
        let ends = Ends::of(word);
        for (place, piece) in word.0.iter().enumerate() {
            let (Piece::Axis(dim), Some(here)) = (piece, ends.axis(path, place)) else {
                continue;
            };
            let is_later = matches!(inference.types.pool.node(*dim), DimNode::Ragged(_))
                || inference.types.is_late_term(*dim);
            let form = inference.types.pool.linear(*dim).ok();
            let form = form.filter(|form| !is_later && form.as_var().is_none());
            terms.extend(form.map(|form| (here, form)));
        }
    }
    terms
}

/// Solves for names that are alone at no axis, a name of a multiple last.
fn by_terms(inference: &Inference<'_>, inputs: &mut Inputs, terms: &[(String, Arc<Linear>)]) {
    // A value may be needed by the next one; longer chains than this are left to the text of the terms.
    const ROUNDS: usize = 16;
    let mut with_multiples = false;
    for _ in 0..ROUNDS {
        let before = inputs.dims.len();
        for (here, form) in terms {
            let homes = Homes {
                pool: &inference.types.pool,
                axes: &inputs.dims,
            };
            let given = size::given(here, form, &homes);
            let given = given.filter(|given| with_multiples || given.value.is_whole());
            if let Some(given) = given {
                inputs.dims.insert(given.name, given.value.clone());
                inputs.given.insert(here.clone(), given);
            }
        }
        match (inputs.dims.len() > before, with_multiples) {
            (false, true) => break,
            (has_more, _) => with_multiples = !has_more,
        }
    }
}

/// Leaves out the conditions on values that follow from the other axes of the same names.
fn leave_out(inference: &Inference<'_>, inputs: &mut Inputs, terms: &[(String, Arc<Linear>)]) {
    let homes = Homes {
        pool: &inference.types.pool,
        axes: &inputs.dims,
    };
    let givers: FxHashMap<DimVar, String> = inputs
        .given
        .iter()
        .map(|(here, given)| (given.name, here.clone()))
        .collect();
    for (here, form) in terms {
        // An axis that gives a value is no equation.
        if inputs.given.contains_key(here) {
            continue;
        }
        for (atom, _) in &form.terms {
            let Atom::Var(name) = atom else { continue };
            let giver = givers
                .get(name)
                .and_then(|giver| inputs.given.get_mut(giver));
            if let (Some(given), Some(follows)) = (giver, size::follows(form, *name, &homes)) {
                given.is_whole = given.is_whole.take().filter(|_| !follows.is_whole);
                given.is_size = given.is_size.take().filter(|_| !follows.is_size);
            }
        }
    }
}
