//! Fixes for two tables of instances that are to be compared each with each: the result has the axes of both.

use lozenge_lang::Edit;
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Source, Span, Turns};

use super::proposed::Proposed;
use crate::diagnose::words::spec_text::{fresh, places_of};
use crate::diagnose::words::text::Text;

/// The spec that keeps the first batch axis of both operands.
const BOTH: &str = "n|... -> ...; c|... -> ... => n, c|... -> ...";

/// The use of an operation's result, which says whether a value for each pair can be meant.
enum Use {
    /// A spec reads both axes, or nothing reads it.
    OfPairs,
    /// A spec reads one batch axis: the place of the spec with its quotes.
    OfRows(Vec<Span>),
    /// The result is reduced over everything, as a loss is: a value for each pair would only be another number.
    Otherwise,
}

/// Returns the message with the change that keeps the batch axes of both operands, where a value for each pair of
/// instances can be meant. In a section that takes batches the two axes are a batch and the whole of the same
/// instances, and never pairs.
pub(crate) fn fixes(
    mut proposed: Proposed,
    text: Text<'_>,
    step: &Assignment,
    sizes: [u64; 2],
) -> Proposed {
    if takes_batches(text, step) || is_of_a_prediction(text, step) {
        return proposed;
    }
    let [one, other] = sizes;
    let (mapped, wrap) = text.mapped(step, BOTH);
    let pairs = format!("to keep both, a value for each pair of the {one} and the {other}");
    match use_of(text, step) {
        Use::OfPairs => proposed.or(format!("{pairs}: {mapped}"), wrap),
        Use::OfRows(specs) => {
            let changes: Option<Vec<(String, Edit)>> =
                specs.iter().map(|spec| of_pairs(text, spec)).collect();
            if let Some(changes) = changes.filter(|_| !wrap.is_empty()) {
                let (told, edits): (Vec<String>, Vec<Edit>) = changes.into_iter().unzip();
                let help = format!("{pairs}: {mapped} under {}", told.join(" and "));
                proposed = proposed.or(help, [wrap, edits].concat());
            }
            proposed
        }
        Use::Otherwise => proposed,
    }
}

/// Tells whether just one operand depends on a parameter, as a prediction does that is compared with what was observed.
/// A prediction is of one instance.
fn is_of_a_prediction(text: Text<'_>, step: &Assignment) -> bool {
    let program = text.program;
    let tensors = program.tensors.iter();
    let mut depends: Vec<bool> = tensors
        .map(|tensor| matches!(tensor.source, Source::Param(parameter) if !parameter.state))
        .collect();
    for earlier in &program.steps {
        if std::ptr::eq(earlier, step) {
            break;
        }
        let slots = &earlier.operation.slots;
        depends[slots[0].0] |= slots[1..].iter().any(|slot| depends[slot.0]);
    }
    let operands = step.operation.slots[1..].iter();
    let dependent = operands.filter(|slot| depends[slot.0]).count();
    dependent == 1
}

/// Tells whether an operation belongs to a section that takes batches of data.
pub(crate) fn takes_batches(text: Text<'_>, step: &Assignment) -> bool {
    let program = text.program;
    let mut sections = program.sections.iter();
    sections.any(|section| {
        let steps = program.steps.get(section.steps.clone()).unwrap_or_default();
        matches!(section.turns, Turns::Epochs { .. })
            && steps.iter().any(|other| std::ptr::eq(other, step))
    })
}

/// Finds the use that the operations behind `step` make of its result, through operations cell by cell.
fn use_of(text: Text<'_>, step: &Assignment) -> Use {
    let mut steps = text.program.steps.iter();
    steps.find(|other| std::ptr::eq(*other, step));
    let mut made = vec![step.operation.slots[0]];
    let mut of_rows: Vec<Span> = Vec::new();
    for reader in steps {
        let slots = &reader.operation.slots;
        if !slots[1..].iter().any(|slot| made.contains(slot)) || reader.record.is_some() {
            continue;
        }
        match reader.logic {
            Family::Pointwise => made.push(slots[0]),
            Family::Einsum => match (batch_axes(reader, &made), text.spec_after(reader)) {
                (Some(2), _) => return Use::OfPairs,
                (Some(1), Some((place, _))) if !of_rows.contains(&place) => of_rows.push(place),
                (Some(1), Some(_)) => {}
                _ => return Use::Otherwise,
            },
            _ => return Use::Otherwise,
        }
    }
    match of_rows.is_empty() {
        true => Use::OfPairs,
        false => Use::OfRows(of_rows),
    }
}

/// Returns the number of batch axes that the spec of an operation reads of one of these tensors; `None` if it reads any
/// number of them.
fn batch_axes(step: &Assignment, made: &[TensorId]) -> Option<usize> {
    step.operation
        .requirements
        .iter()
        .find_map(|requirement| match requirement {
            Requirement::Equal(Side::Template(row), Side::Slot(slot, Kind::Batch))
                if made.contains(&step.operation.slots[*slot]) =>
            {
                Some(row.var.is_none().then_some(row.explicit()))
            }
            _ => None,
        })
        .flatten()
}

/// Returns a spec of one operand with one batch axis more, which the result keeps beside the first: `n, m|->c => n, m|`
/// for `n|->c => n|`.
fn of_pairs(text: Text<'_>, place: &Span) -> Option<(String, Edit)> {
    let spec = text.at(place.start + 1..place.end - 1);
    let (operand, result) = spec.split_once("=>")?;
    let label = operand.split_once('|')?.0.trim();
    let kept = result.split_once('|')?.0;
    let is_kept = places_of(label, kept).len() == 1;
    let other = fresh(label, spec).filter(|_| is_kept && !operand.contains(';'))?;
    let both = format!("{label}, {other}");
    let paired = |shape: &str| {
        let at = places_of(label, shape).first().copied()?;
        Some(format!(
            "{}{both}{}",
            &shape[..at],
            &shape[at + label.len()..]
        ))
    };
    let changed = format!("\"{}=>{}\"", paired(operand)?, paired(result)?);
    let edit = Edit {
        span: place.clone(),
        text: changed.clone(),
    };
    Some((format!("`{changed}`"), edit))
}

/// Tells whether a label of a shape is a batch axis.
fn is_batch(shape: &str, label: &str) -> bool {
    let batch = shape.split_once('|').map_or("", |(batch, _)| batch);
    !places_of(label, batch).is_empty()
}

/// Returns the spec of two operands in which a label of two sizes is two labels, where the result shows that two axes
/// are meant: it has the label twice, or keeps it, for a value for each pair. Returns the help and the edit.
pub(crate) fn two_labels(
    text: Text<'_>,
    step: &Assignment,
    (label, slot, name): (&str, usize, &str),
    sizes: [u64; 2],
) -> Option<(String, Edit)> {
    let (place, spec) = text.spec_after(step).filter(|_| step.word != "concat")?;
    let (operands, result) = spec.split_once("=>")?;
    let shapes: Vec<&str> = operands.split(';').collect();
    let own = shapes.get(slot.checked_sub(1)?)?;
    let other = fresh(label, spec)?;
    let renamed = |shape: &str, at: usize, with: &str| {
        format!("{}{with}{}", &shape[..at], &shape[at + label.len()..])
    };
    let [own_place] = places_of(label, own)[..] else {
        return None;
    };
    let (words, result) = match places_of(label, result)[..] {
        [_, second] => (
            format!(
                "a label is one axis wherever it stands; with another one for that of `{name}`"
            ),
            renamed(result, second, &other),
        ),
        [only] if is_batch(own, label) && is_batch(result, label) && !takes_batches(text, step) => {
            (
                format!("for each pair of the {} and the {}", sizes[0], sizes[1]),
                renamed(result, only, &format!("{label}, {other}")),
            )
        }
        _ => return None,
    };
    let own = renamed(own, own_place, &other);
    let mut shapes = shapes;
    shapes[slot - 1] = &own;
    let changed = format!("{}=>{result}", shapes.join(";"));
    let edit = Edit {
        span: place.start + 1..place.end - 1,
        text: changed.clone(),
    };
    Some((format!("{words}: `\"{changed}\"`"), edit))
}
