//! Checks of inputs whose shape has several parts of any rank: the axes of such a part are not counted from an end.

use lozenge_axon_vocabulary::{Piece, Variable, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Stated;
use super::super::nodes::Inference;
use super::super::print::Printer;
use super::inputs::Inputs;
use super::{choices, size};

/// The reason for such a check.
const WHY: &str = "a part of its shape is that of another input";

/// Returns the conditions on inputs whose shapes have several parts of any rank, each with its reason.
pub(super) fn conditions(
    inputs: &Inputs,
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    left: &[Stated],
) -> Vec<(String, String)> {
    let mut said = Vec::new();
    let inner: Vec<(String, Word)> = inputs.words.iter().filter_map(inner).collect();
    let uses = uses(inference, inputs, &inner, left);
    let mut seen: FxHashMap<&Word, &str> = FxHashMap::default();
    let mut together = Vec::new();
    for (here, word) in &inner {
        let open = open(inputs, inference, word);
        if let (Some(other), false) = (seen.get(word), open.is_empty()) {
            said.push((format!("{here} = {other}"), WHY.to_string()));
            continue;
        }
        seen.insert(word, here);
        let is_once = |name: &Variable| uses.get(name) == Some(&1);
        match shape_alone(inputs, word) {
            None => said.push((
                format!("{here} = {}", text(&word.0, inputs, inference, printer)),
                WHY.to_string(),
            )),
            Some(Some(only)) if open.len() == 1 && open.iter().all(is_once) => {
                let (before, behind) = (&word.0[..only], &word.0[only + 1..]);
                for (part, verb) in [(before, "begins"), (behind, "ends")] {
                    if !part.is_empty() {
                        let part = text(part, inputs, inference, printer);
                        said.push((format!("{here} {verb} with {part}"), WHY.to_string()));
                    }
                }
            }
            // Any shape is several shapes of which nothing else is said.
            _ if open.iter().all(is_once)
                && word.0.iter().all(is_shape)
                && open.len() == word.0.len() => {}
            _ => together.push((here, word, open)),
        }
    }
    jointly(inputs, inference, printer, left, together, &mut said);
    said
}

/// Returns the part of an input from the first of its shapes to the last one, with its text, if there are several. The
/// axes before and behind are counted from an end, and checked by themselves.
fn inner((path, word): &(String, Word)) -> Option<(String, Word)> {
    let first = word.0.iter().position(is_shape)?;
    let last = word.0.iter().rposition(is_shape)?;
    let here = super::range(path, first, word.0.len() - last - 1);
    (first < last).then(|| (here, Word(word.0[first..=last].to_vec())))
}

fn is_shape(piece: &Piece) -> bool {
    matches!(piece, Piece::Shape(_))
}

/// Returns the place of the one shape of a word that no input has by itself; the outer value is none if there is no
/// such shape, and the inner one if there are several.
fn shape_alone(inputs: &Inputs, word: &Word) -> Option<Option<usize>> {
    let places = word.0.iter().enumerate();
    let mut open = places.filter(
        |(_, piece)| matches!(piece, Piece::Shape(shape) if !inputs.shapes.contains_key(shape)),
    );
    let (first, _) = open.next()?;
    Some(open.next().is_none().then_some(first))
}

/// Returns the names of a word that no input gives.
fn open(inputs: &Inputs, inference: &Inference<'_>, word: &Word) -> Vec<Variable> {
    let mut names = word.variables(&inference.types.pool);
    names.retain(|name| match name {
        Variable::Shape(shape) => !inputs.shapes.contains_key(shape),
        Variable::Dim(dim) => !inputs.dims.contains_key(dim),
    });
    names
}

/// Counts how often each name stands in the inputs and in equations.
fn uses(
    inference: &Inference<'_>,
    inputs: &Inputs,
    inner: &[(String, Word)],
    left: &[Stated],
) -> FxHashMap<Variable, usize> {
    let pool = &inference.types.pool;
    let mut uses: FxHashMap<Variable, usize> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let whole = inputs
        .words
        .iter()
        .filter(|input| self::inner(input).is_none());
    let words = whole.chain(inner.iter().filter(|(_, word)| seen.insert(word)));
    for (_, word) in words {
        for piece in &word.0 {
            let names = Word(vec![*piece]).variables(pool).into_iter();
            names.for_each(|name| *uses.entry(name).or_default() += 1);
        }
    }
    for stated in left {
        let names = stated.equation.variables(pool).into_iter();
        names.for_each(|name| *uses.entry(name).or_default() += 1);
    }
    uses
}

/// Returns the shapes that have names in common, with these names, by the first of them.
fn grouped(together: &[(&String, &Word, Vec<Variable>)]) -> Vec<(FxHashSet<Variable>, Vec<usize>)> {
    let mut groups: Vec<(FxHashSet<Variable>, Vec<usize>)> = Vec::new();
    for (at, (_, _, open)) in together.iter().enumerate() {
        let mut group: (FxHashSet<Variable>, Vec<usize>) =
            (open.iter().copied().collect(), vec![at]);
        groups.retain(|(names, members)| {
            let is_apart = names.is_disjoint(&group.0);
            if !is_apart {
                group.0.extend(names);
                group.1.extend(members);
            }
            is_apart
        });
        groups.push(group);
    }
    groups.sort_unstable_by_key(|(_, members)| members.iter().min().copied());
    groups
}

/// Says shapes as choices: those that have names in common are said in one condition, with the equations of these.
fn jointly(
    inputs: &Inputs,
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    left: &[Stated],
    together: Vec<(&String, &Word, Vec<Variable>)>,
    said: &mut Vec<(String, String)>,
) {
    for (mut names, mut members) in grouped(&together) {
        members.sort_unstable();
        let mut texts = Vec::new();
        for at in members {
            let (here, word, _) = &together[at];
            texts.push(format!(
                "{here} = {}",
                text(&word.0, inputs, inference, printer)
            ));
        }
        for stated in left {
            let own = stated.equation.variables(&inference.types.pool);
            if super::is_positivity(&stated.equation)
                || !own.iter().any(|name| names.contains(name))
            {
                continue;
            }
            names.extend(own.into_iter().filter(|name| match name {
                Variable::Shape(shape) => !inputs.shapes.contains_key(shape),
                Variable::Dim(dim) => !inputs.dims.contains_key(dim),
            }));
            texts.extend(printer.equation(&mut inference.types, &stated.equation));
        }
        let mut names: Vec<Variable> = names.into_iter().collect();
        names.sort_unstable();
        let names = names.into_iter().map(|name| {
            let piece = match name {
                Variable::Shape(shape) => Piece::Shape(shape),
                Variable::Dim(dim) => Piece::Axis(inference.types.pool.var(dim)),
            };
            let shown = printer.shape_text(&mut inference.types, &Word(vec![piece]));
            shown
                .unwrap_or_default()
                .trim_matches(['[', ']'])
                .to_string()
        });
        let condition = choices::for_some(&texts, names.collect());
        said.push((condition, WHY.to_string()));
    }
}

/// Writes parts of a shape by the inputs that have them, and by their names where no input has them.
fn text(
    pieces: &[Piece],
    inputs: &Inputs,
    inference: &mut Inference<'_>,
    printer: &mut Printer,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut axes: Vec<String> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Axis(dim) => {
                let homes = size::Homes {
                    pool: &inference.types.pool,
                    axes: &inputs.dims,
                };
                let own = homes.text_with(*dim, &FxHashMap::default());
                let own = own.or_else(|| printer.term(&mut inference.types, *dim).ok());
                axes.push(own.unwrap_or_default());
            }
            Piece::Shape(shape) => {
                if !axes.is_empty() {
                    parts.push(format!("[{}]", std::mem::take(&mut axes).join(",")));
                }
                let home = inputs.shapes.get(shape).cloned();
                let mut own = || printer.shape_text(&mut inference.types, &Word(vec![*piece]));
                parts.push(home.unwrap_or_else(|| own().unwrap_or_default()));
            }
        }
    }
    if !axes.is_empty() {
        parts.push(format!("[{}]", axes.join(",")));
    }
    parts.join("@")
}
