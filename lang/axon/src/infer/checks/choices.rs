//! Axes whose size is a term with names that no input gives.
//!
//! Such names may be chosen. `[a*b]` is every size, `[a+b]` every size from 2 on, and `[a*n]` every multiple of `n` if
//! an input has `n`. A condition that has no such form says the choice: `dim(x,0) = (* a a) for some a`.

use std::collections::BTreeSet;
use std::sync::Arc;

use lozenge_axon_vocabulary::{
    Atom, DimId, DimNode, DimVar, Equation, Linear, Piece, Pool, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Stated;
use super::super::nodes::Inference;
use super::super::print::Printer;
use super::inputs::Inputs;
use super::size::{self, Homes, Multiple};

/// An axis whose size is a term with names that no input gives.
pub(super) struct Open {
    here: String,
    dim: DimId,
    form: Arc<Linear>,
    /// The names that no input gives.
    names: Vec<DimVar>,
}

/// The conditions on such axes.
#[derive(Default)]
pub(super) struct Chosen {
    /// The axes, in order.
    pub(super) open: Vec<Open>,
    /// The conditions on each.
    pub(super) conditions: FxHashMap<String, Vec<String>>,
    /// The terms that these conditions say to be at least 1.
    pub(super) said: FxHashSet<DimId>,
}

/// Finds the conditions on the axes whose names may be chosen.
pub(super) fn find(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    inputs: &Inputs,
    left: &[Stated],
) -> Chosen {
    let mut chosen = Chosen {
        open: open(inference, inputs),
        ..Chosen::default()
    };
    if chosen.open.is_empty() {
        return chosen;
    }
    let alone = apart(&inference.types.pool, inputs, &mut chosen);
    let ties = ties(inference, inputs, left, &chosen.open);
    let mut uses: FxHashMap<DimVar, usize> = FxHashMap::default();
    for at in &alone {
        let names = chosen.open[*at].names.iter();
        names.for_each(|name| *uses.entry(*name).or_default() += 1);
    }
    let mut together = Vec::new();
    for at in alone {
        let axis = &chosen.open[at];
        let is_free = |name: &DimVar| uses[name] == 1 && !ties.names.contains_key(name);
        let homes = Homes {
            pool: &inference.types.pool,
            axes: &inputs.dims,
        };
        let conditions = match axis.names.iter().all(is_free) {
            true => by_one_multiple(axis, &homes),
            false => None,
        };
        match conditions {
            Some(conditions) => {
                chosen.conditions.insert(axis.here.clone(), conditions);
            }
            None => together.push(at),
        }
    }
    jointly(inference, printer, inputs, &ties, together, &mut chosen);
    chosen
}

/// Returns the axes whose size is a term with names that no input gives.
fn open(inference: &mut Inference<'_>, inputs: &Inputs) -> Vec<Open> {
    let mut open = Vec::new();
    for (path, word) in &inputs.words {
        let ends = super::Ends::of(word);
        for (place, piece) in word.0.iter().enumerate() {
            let (Piece::Axis(dim), Some(here)) = (piece, ends.axis(path, place)) else {
                continue;
            };
            let is_later = matches!(inference.types.pool.node(*dim), DimNode::Ragged(_))
                || inference.types.is_late_term(*dim);
            let Ok(form) = inference.types.pool.linear(*dim) else {
                continue;
            };
            if is_later || form.as_number().is_some() || inputs.given.contains_key(&here) {
                continue;
            }
            let term = inference.types.pool.term(&form);
            let mut names = inference.types.pool.variables(term);
            names.retain(|name| !inputs.dims.contains_key(name));
            if !names.is_empty() {
                open.push(Open {
                    here,
                    dim: *dim,
                    form,
                    names,
                });
            }
        }
    }
    open
}

/// Ties each axis to an earlier one that has the same names in the same way, and returns the others.
fn apart(pool: &Pool, inputs: &Inputs, chosen: &mut Chosen) -> Vec<usize> {
    let homes = Homes {
        pool,
        axes: &inputs.dims,
    };
    let mut first: FxHashMap<Vec<(Atom, i64)>, usize> = FxHashMap::default();
    let mut alone = Vec::new();
    for (at, axis) in chosen.open.iter().enumerate() {
        let (rest, free) = split(&axis.form, &homes);
        let earlier = first.get(&free).map(|earlier| &chosen.open[*earlier]);
        let tied = earlier.and_then(|earlier| {
            let (of, _) = split(&earlier.form, &homes);
            size::differ(&axis.here, &rest, (&earlier.here, &of), &homes)
        });
        match tied {
            Some(condition) => {
                chosen.conditions.insert(axis.here.clone(), vec![condition]);
            }
            None => {
                first.insert(free, at);
                alone.push(at);
            }
        }
    }
    alone
}

/// Splits a form into what has a value over the sizes of inputs and the rest.
fn split(form: &Linear, homes: &Homes<'_>) -> (Linear, Vec<(Atom, i64)>) {
    let terms = form.terms.iter().cloned();
    let (known, free): (Vec<_>, Vec<_>) = terms.partition(|(atom, _)| size::has_value(atom, homes));
    let known = Linear {
        terms: known,
        constant: form.constant,
    };
    (known, free)
}

/// The equations that say more of names that no input gives.
#[derive(Default)]
struct Ties {
    equations: Vec<(Equation, Vec<DimVar>)>,
    /// The places of the equations that have a name.
    names: FxHashMap<DimVar, Vec<usize>>,
}

/// Collects what is said of names that no input gives beside the axes.
fn ties(inference: &mut Inference<'_>, inputs: &Inputs, left: &[Stated], open: &[Open]) -> Ties {
    let mut ties = Ties::default();
    let ours: FxHashSet<DimVar> = open
        .iter()
        .flat_map(|axis| axis.names.iter().copied())
        .collect();
    let mut note = |equation: Equation, pool: &Pool| {
        let names = equation.variables(pool).into_iter();
        let names = names.filter_map(|name| match name {
            Variable::Dim(name) if ours.contains(&name) => Some(name),
            _ => None,
        });
        let names: Vec<DimVar> = names.collect();
        for name in &names {
            ties.names
                .entry(*name)
                .or_default()
                .push(ties.equations.len());
        }
        if !names.is_empty() {
            ties.equations.push((equation, names));
        }
    };
    for stated in left {
        let is_size = match stated.equation {
            Equation::Dims(dim, other) if dim == other => {
                let form = inference.types.pool.linear(dim);
                form.is_ok_and(|form| {
                    let homes = Homes {
                        pool: &inference.types.pool,
                        axes: &inputs.dims,
                    };
                    at_least_one(&form, open, &homes).is_some()
                })
            }
            _ => false,
        };
        if !is_size {
            note(stated.equation.clone(), &inference.types.pool);
        }
    }
    // An axis that is not counted from an end has its names in the text of the whole shape.
    for (_, word) in &inputs.words {
        let ends = super::Ends::of(word);
        for (place, piece) in word.0.iter().enumerate() {
            if let (Piece::Axis(dim), None) = (piece, ends.axis("", place)) {
                note(Equation::Dims(*dim, *dim), &inference.types.pool);
            }
        }
    }
    ties
}

/// Returns the condition that a term is at least 1, over the sizes of inputs alone, if it has one.
pub(super) fn at_least_one(form: &Linear, open: &[Open], homes: &Homes<'_>) -> Option<String> {
    if let Some(condition) = size::at_least_one(form, homes) {
        return Some(condition);
    }
    let (_, free) = split(form, homes);
    let (atom, factor) = free.first()?;
    open.iter().find_map(|axis| {
        let own = axis.form.terms.iter().find(|(other, _)| other == atom)?;
        let times = (factor % own.1 == 0).then(|| factor / own.1)?;
        size::at_least_one_by(form, (&axis.here, &axis.form), times, homes)
    })
}

/// Returns the conditions on an axis none of whose names is used elsewhere, if together they are one multiple that may
/// be chosen.
fn by_one_multiple(axis: &Open, homes: &Homes<'_>) -> Option<Vec<String>> {
    let (rest, free) = split(&axis.form, homes);
    let mut seen = FxHashSet::default();
    let mut parts = Vec::new();
    for (atom, factor) in &free {
        parts.push(part(atom, *factor, homes, &mut seen)?);
    }
    // A name of what has a value may not be chosen.
    let multiple = match parts.as_slice() {
        [_] => parts.pop()?,
        parts => joined(parts)?,
    };
    size::is_multiple(&axis.here, &rest, &multiple, homes)
}

/// Returns the numbers that a part of a term takes as its names are chosen, each of which is met for the first time.
fn part(
    atom: &Atom,
    factor: i64,
    homes: &Homes<'_>,
    seen: &mut FxHashSet<DimVar>,
) -> Option<Multiple> {
    let free = |dim: &DimId| match homes.pool.node(*dim) {
        DimNode::Var(name) if !homes.axes.contains_key(&name) => Some(name),
        _ => None,
    };
    let whole = |least| Multiple {
        factor: factor.into(),
        by: None,
        least: Some(least),
    };
    match atom {
        Atom::Var(name) => seen.insert(*name).then(|| whole(1)),
        // Other names than one with the exponent 1 may be 1.
        Atom::Product(factors) => {
            let (open, known): (Vec<_>, Vec<_>) =
                factors.iter().partition(|(dim, _)| free(dim).is_some());
            let mut names = open.iter().filter_map(|(dim, _)| free(dim));
            let has_single = open.iter().any(|(_, exponent)| *exponent == 1);
            if !names.all(|name| seen.insert(name)) || !has_single {
                return None;
            }
            let by = match known.is_empty() {
                true => None,
                false => Some(homes.product(&known)?),
            };
            Some(Multiple { by, ..whole(1) })
        }
        // A name divided by anything is every number from 0 on.
        Atom::Quotient(dividend, divisor) => {
            let is_new = seen.insert(free(dividend)?);
            let is_size = match (homes.pool.node(*divisor), free(divisor)) {
                (DimNode::Number(number), _) => number > 0,
                (_, Some(name)) => seen.insert(name),
                (DimNode::Var(_), None) => true,
                _ => false,
            };
            (is_new && is_size).then(|| whole(0))
        }
        Atom::Ragged(_) => None,
    }
}

/// Returns a multiple that is every sum of some multiples, if there is one.
fn joined(parts: &[Multiple]) -> Option<Multiple> {
    if parts.iter().any(|part| part.by.is_some()) {
        return None;
    }
    let factors = || parts.iter().map(|part| part.factor);
    let common = factors().fold(0, size::gcd).abs();
    let is_mixed = factors().any(|factor| factor > 0) && factors().any(|factor| factor < 0);
    // Sums of 2 and 3 leave gaps, those of 2 and 4 do not.
    if !is_mixed && factors().all(|factor| factor.abs() != common) {
        return None;
    }
    let least = parts.iter().try_fold(0_i128, |least, part| {
        least.checked_add(part.least?.checked_mul(part.factor.abs() / common)?)
    });
    Some(Multiple {
        factor: common * factors().next()?.signum(),
        by: None,
        least: least.filter(|_| !is_mixed),
    })
}

/// The axes that have names in common, and the equations that say more of these.
#[derive(Default)]
struct Group {
    axes: BTreeSet<usize>,
    equations: BTreeSet<usize>,
    names: FxHashSet<DimVar>,
}

/// Says the rest as choices: what has names in common is said in one condition, at the first of its axes.
fn jointly(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    inputs: &Inputs,
    ties: &Ties,
    together: Vec<usize>,
    chosen: &mut Chosen,
) {
    let mut by_name: FxHashMap<DimVar, Vec<usize>> = FxHashMap::default();
    for at in &together {
        for name in &chosen.open[*at].names {
            by_name.entry(*name).or_default().push(*at);
        }
    }
    let mut done = FxHashSet::default();
    for first in together {
        if done.contains(&first) {
            continue;
        }
        let mut group = Group::default();
        let mut waiting = chosen.open[first].names.clone();
        while let Some(name) = waiting.pop() {
            if !group.names.insert(name) {
                continue;
            }
            for at in by_name.get(&name).into_iter().flatten() {
                group.axes.insert(*at);
                waiting.extend(&chosen.open[*at].names);
            }
            for at in ties.names.get(&name).into_iter().flatten() {
                group.equations.insert(*at);
                waiting.extend(&ties.equations[*at].1);
            }
        }
        let condition = choice(inference, printer, inputs, ties, &group, chosen);
        for at in &group.axes {
            let own = (*at == first).then(|| condition.clone());
            let here = chosen.open[*at].here.clone();
            chosen.conditions.insert(here, own.into_iter().collect());
        }
        done.extend(group.axes);
    }
}

/// Writes that there are values of names for which axes have their sizes.
fn choice(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    inputs: &Inputs,
    ties: &Ties,
    group: &Group,
    chosen: &mut Chosen,
) -> String {
    let mut shown: FxHashMap<DimVar, String> = FxHashMap::default();
    let mut names: Vec<DimVar> = group.names.iter().copied().collect();
    names.sort_unstable();
    for name in names {
        let term = inference.types.pool.var(name);
        let term = printer.term(&mut inference.types, term);
        shown.insert(name, term.unwrap_or_default());
    }
    let mut texts = Vec::new();
    for at in &group.axes {
        let axis = &chosen.open[*at];
        let term = term(inference, printer, inputs, axis.dim, &shown);
        texts.push(format!("{} = {term}", axis.here));
    }
    for at in &group.equations {
        let equation = &ties.equations[*at].0;
        match equation {
            Equation::Dims(one, other) if one == other => {
                if !matches!(inference.types.pool.node(*one), DimNode::Var(_)) {
                    let term = term(inference, printer, inputs, *one, &shown);
                    texts.push(format!("{term} >= 1"));
                }
                chosen.said.insert(*one);
            }
            _ => texts.extend(printer.equation(&mut inference.types, equation)),
        }
    }
    for_some(&texts, shown.into_values().collect())
}

/// Writes that conditions hold for some values of names.
pub(super) fn for_some(conditions: &[String], mut names: Vec<String>) -> String {
    // The letters come first, then the letters with numbers.
    names.sort_unstable_by_key(|name| (name.len(), name.clone()));
    format!("{} for some {}", conditions.join(" and "), names.join(", "))
}

/// Writes a term over the sizes of inputs and the names that are chosen.
fn term(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    inputs: &Inputs,
    dim: DimId,
    chosen: &FxHashMap<DimVar, String>,
) -> String {
    let homes = Homes {
        pool: &inference.types.pool,
        axes: &inputs.dims,
    };
    let mut names = homes.pool.variables(dim).into_iter();
    let is_mixed = names.any(|name| inputs.dims.contains_key(&name));
    let text = homes.text_with(dim, chosen).filter(|_| is_mixed);
    text.unwrap_or_else(|| printer.term(&mut inference.types, dim).unwrap_or_default())
}
