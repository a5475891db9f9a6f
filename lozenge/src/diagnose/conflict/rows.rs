//! The message that two operands of a spec differ in a row that the spec makes one, `...` or a named row. Neither
//! broadcasts there.

use std::collections::HashMap;

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::alignment::aligned;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Origin};
use lozenge_vocabulary::{Row, RowTerm, RowVar};

use super::unmet::with_shapes;
use crate::diagnose::fix::left_over::{self, Longer};
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::fix::unfit_rows::{with_numbers_of, with_sizes_behind, with_sizes_of};
use crate::diagnose::known::Known;
use crate::diagnose::words::axes::{another_meaning, cannot_be_one, count};
use crate::diagnose::words::text::Text;

/// The axes that an operand has in a row of a spec, as far as they are known without the operation.
#[derive(Clone)]
struct Operand {
    slot: usize,
    kind: Kind,
    row: Row,
    /// True if there may be more axes at the marker.
    is_open: bool,
}

/// The difference between two operands that have the same axes in a spec.
enum Difference {
    /// Two different axes at the same place.
    Axes(Dim, Dim),
    /// The number of axes.
    Count,
}

/// Returns the message about the first row of a spec in which two operands differ. Of `concat` these are the axes that
/// are not joined.
pub(crate) fn unequal(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    behind: &[Origin],
) -> Option<Proposed> {
    let (operands, difference) = first_unequal(known, step)?;
    Some(match step.word {
        "concat" => {
            let proposed = of_concat(known, text, step, &operands);
            match &difference {
                Difference::Axes(low, high) => {
                    with_the_rest_left_out(proposed, known, text, step, (&operands, [low, high]))
                }
                Difference::Count => proposed,
            }
        }
        _ => of_spec(known, text, step, (&operands, &difference), behind),
    })
}

/// Returns the first two operands that differ in a row of the spec.
fn first_unequal(known: &mut Known<'_>, step: &Assignment) -> Option<([Operand; 2], Difference)> {
    let mut first: HashMap<&RowVar, Operand> = HashMap::new();
    for requirement in step.operation.requirements.iter() {
        let Requirement::Equal(Side::Template(template), Side::Slot(slot, kind)) = requirement
        else {
            continue;
        };
        let Some(var) = &template.var else { continue };
        let tensor = step.operation.slots[*slot];
        let is_open = known.can_grow(tensor, *kind);
        let row = match is_open {
            true => between(&known.row(tensor, *kind), template),
            false => axes_of(known, tensor, *kind, template).map(|axes| Row {
                leading: axes,
                ..Row::default()
            }),
        };
        let Some(row) = row else { continue };
        let operand = Operand {
            slot: *slot,
            kind: *kind,
            row,
            is_open,
        };
        let Some(other) = first.get(var) else {
            first.insert(var, operand);
            continue;
        };
        if let Some(difference) = difference(other, &operand) {
            return Some(([other.clone(), operand], difference));
        }
    }
    None
}

/// Returns the axes of a tensor's row that the row variable of a template stands for, if the row can have no others.
pub(crate) fn axes_of(
    known: &mut Known<'_>,
    tensor: TensorId,
    kind: Kind,
    template: &RowTerm,
) -> Option<Vec<Dim>> {
    let axes = known.row(tensor, kind).flat();
    let rest = axes.len().checked_sub(template.explicit())?;
    if known.can_grow(tensor, kind) {
        return None;
    }
    let from = template.leading.len();
    Some(axes[from..from + rest].to_vec())
}

/// Returns a row without the written axes of a template, if its flanks have them all.
fn between(row: &Row, template: &RowTerm) -> Option<Row> {
    let trailing = row.trailing.len().checked_sub(template.trailing.len())?;
    Some(Row {
        leading: row.leading.get(template.leading.len()..)?.to_vec(),
        trailing: row.trailing[..trailing].to_vec(),
        ..Row::default()
    })
}

/// Returns a certain difference between two operands.
fn difference(one: &Operand, other: &Operand) -> Option<Difference> {
    let is_longer =
        |one: &Operand, other: &Operand| !other.is_open && one.row.rank() > other.row.rank();
    if is_longer(one, other) || is_longer(other, one) {
        return Some(Difference::Count);
    }
    let flats = [one.row.flat(), other.row.flat()];
    // All axes of a row that cannot grow are in its leading flank; they are divided where those of the other row are.
    let front = match (one.is_open, other.is_open) {
        (true, true) => [&one.row, &other.row].map(|row| row.leading.len()),
        (true, false) => [one.row.leading.len(); 2],
        (false, _) => [other.row.leading.len(); 2],
    };
    let [left, right] = [0, 1].map(|at| {
        let (leading, trailing) = flats[at].split_at(front[at]);
        [leading, trailing]
    });
    let mut facing = aligned(left, right).facing.into_iter();
    let is_size = |dim: &Dim| *dim != Dim::Unit;
    let (low, high) = facing.find(|(low, high)| low != high && is_size(low) && is_size(high))?;
    Some(Difference::Axes(low.clone(), high.clone()))
}

/// Returns the message about operands of `concat`, which differ in axes that are not joined.
fn of_concat(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    operands: &[Operand; 2],
) -> Proposed {
    let slots = [&operands[0], &operands[1]].map(|operand| operand.slot);
    let [first, second] = slots.map(|slot| text.name(step, slot));
    let [one, two] = slots.map(|slot| {
        let shape = known.shape_text(step.operation.slots[slot]);
        format!("`{}` is `{shape}`", text.name(step, slot))
    });
    let message =
        format!("`{first}` and `{second}` differ in more axes than the one that is joined");
    let diagnostic = Diagnostic::new(step.slot_spans[slots[1]].clone(), message, two)
        .other(step.slot_spans[slots[0]].clone(), one)
        .help("a spec says which axis is joined: `concat(x, y, \"n|->a, c; n|->b, c => n|->a^b, c\")`");
    Proposed::from(diagnostic)
}

/// Returns the message with the change that leaves cells out which windows left over, where an operand is longer for
/// that reason.
fn with_the_rest_left_out(
    proposed: Proposed,
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    (operands, [low, high]): (&[Operand; 2], [&Dim; 2]),
) -> Proposed {
    let sides = [(&operands[0], low), (&operands[1], high)];
    let [(short, small), (long, large)] = match low.size() > high.size() {
        true => [sides[1], sides[0]],
        false => sides,
    };
    let row = known.row(step.operation.slots[long.slot], long.kind);
    let Some(axis) = row.axes().position(|dim| dim == large) else {
        return proposed;
    };
    let longer = Longer {
        slot: long.slot,
        kind: long.kind,
        axis,
        cells: [large.size(), small.size()],
        other: short.slot,
    };
    left_over::fixes(proposed, known, text, step, &longer)
}

/// Returns the message about any other operation with a spec.
fn of_spec(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    (operands, difference): (&[Operand; 2], &Difference),
    behind: &[Origin],
) -> Proposed {
    let [one, other] = operands;
    let tensors = [one, other].map(|operand| outside(known, text, step, operand));
    let names = tensors.map(|tensor| named(text, tensor));
    let headline = match difference {
        Difference::Axes(low, high) if low.size() == high.size() => another_meaning(low, high),
        Difference::Axes(low, high) if one.kind == other.kind => cannot_be_one(one.kind, low, high),
        Difference::Axes(low, high) => {
            let [one, other] = [one, other].map(|operand| operand.kind.word());
            format!("the {one} axis {low} and the {other} axis {high} cannot be one")
        }
        Difference::Count => {
            let [one, other] = [(0, one), (1, other)].map(|(at, operand)| {
                let axes = count(operand.row.rank(), operand.kind);
                match known.can_grow(tensors[at], operand.kind) {
                    true => format!("`{}` has at least {axes}", names[at]),
                    false => format!("`{}` has {axes}", names[at]),
                }
            });
            format!("{one}, and {other}")
        }
    };
    let words = match one.kind == other.kind {
        true => format!(
            "pairs the {} axes of both, and broadcasts none",
            one.kind.word()
        ),
        false => "pairs axes of both, and broadcasts none".to_string(),
    };
    let diagnostic = Diagnostic::new(step.span.clone(), headline, words);
    let diagnostic = with_shapes(diagnostic, known, text, step, tensors, &names);
    match difference {
        Difference::Axes(low, high) => {
            if let Some(numbers) = class_numbers(text, step, &names, [low, high]) {
                return numbers.proposed(diagnostic, text, step);
            }
            let diagnostic = diagnostic.help("change one of the two sizes");
            let proposed = with_numbers_of(diagnostic.into(), text, tensors, [low, high]);
            let proposed = with_sizes_of(proposed, text, tensors, [low, high]);
            with_sizes_behind(proposed, text, behind, [low, high])
        }
        Difference::Count => with_classes_of(diagnostic, text, step, operands, &names),
    }
}

/// Returns the message with the help for operands of which one has outputs and the other a number for each instance.
fn with_classes_of(
    message: Diagnostic,
    text: Text<'_>,
    step: &Assignment,
    [one, other]: &[Operand; 2],
    names: &[String; 2],
) -> Proposed {
    for (empty, full, numbers) in [(one, other, &names[0]), (other, one, &names[1])] {
        if let ([], [classes]) = (&empty.row.flat()[..], &full.row.flat()[..])
            && takes_targets(text, step).is_some()
        {
            return with_classes(message, text, step, numbers, classes.size());
        }
    }
    message.into()
}

/// Returns the message with the help that a number for each instance becomes outputs, where a loss takes outputs.
pub(crate) fn with_classes(
    message: Diagnostic,
    text: Text<'_>,
    step: &Assignment,
    numbers: &str,
    classes: u64,
) -> Proposed {
    match takes_targets(text, step) {
        Some(_) => {
            let numbers = ClassNumbers {
                numbers,
                have_an_axis: false,
                classes,
            };
            numbers.proposed(message, text, step)
        }
        None => message.into(),
    }
}

/// Returns the arguments of a call whose last one is one-hot targets.
fn takes_targets<'t>(text: Text<'t>, step: &Assignment) -> Option<&'t str> {
    let call = text.at(step.span.clone());
    let functions = ["cross_entropy(", "accuracy("];
    functions
        .into_iter()
        .find_map(|function| call.strip_prefix(function))
}

/// The numbers of classes, where one-hot targets are taken.
struct ClassNumbers<'n> {
    /// The text that stands for them.
    numbers: &'n str,
    /// True if they have an output axis of length 1.
    have_an_axis: bool,
    /// The number of classes, by the scores beside them.
    classes: u64,
}

impl ClassNumbers<'_> {
    /// Returns a message with the change that makes targets of them.
    fn proposed(&self, message: Diagnostic, text: Text<'_>, step: &Assignment) -> Proposed {
        let (numbers, classes) = (self.numbers, self.classes);
        let (targets, help) = match self.have_an_axis {
            true => {
                let targets = format!("one_hot(max({numbers}, outputs), {classes})");
                let help = format!(
                    "if the one output of `{numbers}` is the number of a class, write `{targets}`"
                );
                (targets, help)
            }
            false => {
                let targets = format!("one_hot({numbers}, {classes})");
                let help = format!(
                    "`{numbers}` has no output axis: the numbers of classes become one axis by `{targets}`"
                );
                (targets, help)
            }
        };
        let mut calls = text.program.predefined.iter();
        let arguments = calls
            .find(|call| call.span == step.span)
            .map_or(&[][..], |call| &call.arguments);
        let mut places = arguments.iter().map(|(_, span)| span.clone());
        let place = places.find(|span| *span != step.span && text.at(span.clone()) == numbers);
        let edits = place.map(|span| Edit {
            span,
            text: targets,
        });
        let proposed = Proposed::from(message.help(help.clone()));
        proposed.or(help, edits.into_iter().collect())
    }
}

/// Returns the targets of a call, where they have an axis of length 1 and there are scores of several classes: they are
/// probably the numbers of the classes.
fn class_numbers<'n>(
    text: Text<'_>,
    step: &Assignment,
    names: &'n [String; 2],
    [low, high]: [&Dim; 2],
) -> Option<ClassNumbers<'n>> {
    let arguments = takes_targets(text, step)?;
    let targets = arguments.strip_suffix(')')?.trim_end();
    let classes = low.size().max(high.size());
    let has_one = low.size() == 1 || high.size() == 1;
    let numbers = names.iter().find(|name| targets.ends_with(name.as_str()))?;
    (has_one && classes > 1).then_some(ClassNumbers {
        numbers,
        have_an_axis: true,
        classes,
    })
}

/// Returns the tensor to show for an operand. Inside a function of the prelude it is made from tensors of the program,
/// of which the one is shown that the axes come from.
fn outside(known: &Known<'_>, text: Text<'_>, step: &Assignment, operand: &Operand) -> TensorId {
    let program = text.program;
    let mut tensor = step.operation.slots[operand.slot];
    let row = known.row(tensor, operand.kind);
    for maker in program.steps.iter().rev() {
        if text.place(tensor) != step.span {
            break;
        }
        if maker.operation.slots[0] != tensor {
            continue;
        }
        let mut from = maker.operation.slots[1..].iter();
        if let Some(from) = from.find(|from| known.row(**from, operand.kind) == row) {
            tensor = *from;
        }
    }
    tensor
}

/// Returns the name of a tensor, or the text that it is made by.
fn named(text: Text<'_>, tensor: TensorId) -> String {
    let tensor = &text.program[tensor];
    match tensor.name.contains('\'') {
        true => text.excerpt(tensor.span.clone()),
        false => tensor.name.to_string(),
    }
}
