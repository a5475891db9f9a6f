//! Messages about an operation with a spec.

use std::collections::HashMap;

use lozenge_lang::{Diagnostic, Edit};
use lozenge_solver::project::ProjectionError;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Requirement, Side};
use lozenge_vocabulary::program::{Assignment, Origin, Source, Span};
use lozenge_vocabulary::{Constraint, DimTerm, RowTerm};

use super::{number_operand, operand_of_function};
use crate::diagnose::fix::left_over::{self, Longer};
use crate::diagnose::fix::pairs;
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::fix::unfit_rows::with_sizes_behind;
use crate::diagnose::known::composite_axes::label as label_of;
use crate::diagnose::known::{Known, facing};
use crate::diagnose::words::axes::{count, row_text};
use crate::diagnose::words::text::Text;

/// Returns the message about a spec that does not fit its operands; `None` if each operand fits by itself and all
/// labels are consistent.
pub(crate) fn unfit(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    behind: &[Origin],
) -> Option<Proposed> {
    let mut labels: HashMap<&str, (Dim, usize)> = HashMap::new();
    for requirement in step.operation.requirements.iter() {
        if let Requirement::Template(Constraint::DimEq(DimTerm::Var(var), DimTerm::Const(dim))) =
            requirement
        {
            labels.insert(var.name(), (dim.clone(), 0));
        }
    }
    let templates =
        step.operation
            .requirements
            .iter()
            .filter_map(|requirement| match requirement {
                Requirement::Equal(Side::Template(row), Side::Slot(slot, kind))
                | Requirement::Equal(Side::Slot(slot, kind), Side::Template(row)) => {
                    Some((row, *slot, *kind))
                }
                _ => None,
            });
    for (template, slot, kind) in templates {
        if slot == 0 && step.operation.accumulator.erase {
            continue;
        }
        let tensor = step.operation.slots[slot];
        let row = known.row(tensor, kind);
        let grows = known.can_grow(tensor, kind);
        let few = row.rank() < template.explicit() && !grows;
        let many = row.rank() > template.explicit() && template.var.is_none();
        if few || many {
            return Some(ranks(known, text, step, (template, slot, kind)));
        }
        for (term, dim) in facing(template, &row, grows) {
            let DimTerm::Var(var) = term else { continue };
            match labels.get(var.name()) {
                Some((before, other)) if before != dim => {
                    let found = Found {
                        label: var.name(),
                        dim,
                        slot,
                        before,
                        other: *other,
                    };
                    let proposed = sizes(known, text, step, &found);
                    let proposed = found.in_function(proposed, known, text, step);
                    return Some(found.elsewhere(proposed, text, behind));
                }
                _ => {
                    labels.insert(var.name(), (dim.clone(), slot));
                }
            }
        }
    }
    None
}

/// A label that would have two sizes.
struct Found<'f> {
    label: &'f str,
    dim: &'f Dim,
    slot: usize,
    before: &'f Dim,
    /// The operand that had the label before; 0 if the spec states the size.
    other: usize,
}

impl Found<'_> {
    /// Returns the message with advice on the batch axes that a function reads, if the spec is that of a function.
    fn in_function(
        &self,
        mut proposed: Proposed,
        known: &Known<'_>,
        text: Text<'_>,
        step: &Assignment,
    ) -> Proposed {
        let slots = [self.slot, self.other].into_iter().filter(|slot| *slot > 0);
        let mut advice =
            slots.filter_map(|slot| operand_of_function::advice(known, text, step, slot));
        if let Some(help) = advice.next() {
            proposed.diagnostic = proposed.diagnostic.help(help);
        }
        proposed
    }

    /// Returns the message with another size in the shape of a tensor behind the refusal, where two operands have the
    /// label.
    fn elsewhere(&self, mut proposed: Proposed, text: Text<'_>, behind: &[Origin]) -> Proposed {
        let are_sizes = self.dim.size() != self.before.size();
        if self.other == 0 || !are_sizes {
            return proposed;
        }
        if proposed.diagnostic.help.is_none() {
            let help = "change one of the two sizes, or give one of the axes another label";
            proposed.diagnostic = proposed.diagnostic.help(help);
        }
        with_sizes_behind(proposed, text, behind, [self.before, self.dim])
    }
}

/// Says that a label has two sizes, with changes that leave it one.
fn sizes(known: &mut Known<'_>, text: Text<'_>, step: &Assignment, found: &Found<'_>) -> Proposed {
    let Found {
        label,
        dim,
        slot,
        before,
        other,
    } = found;
    let name = text.name(step, *slot);
    // The variable of a position is called so: `at_1'2'1`, in the second operation.
    let position = label
        .strip_prefix("at_")
        .filter(|rest| rest.matches('\'').count() > 1);
    let position = position.and_then(|rest| rest.split('\'').next());
    let label = label.rsplit("''").next().unwrap_or(label);
    let label = label.split('\'').next().unwrap_or(label);
    let shown = known.shape_text(step.operation.slots[*slot]);
    let headline = match other {
        _ if let Some(position) = position => format!(
            "the spec says that the axis of position {position} is {before} long, and it is {dim} in `{name}`"
        ),
        0 => format!("the spec says that `{label}` is {before}, and it is {dim} in `{name}`"),
        other => {
            let other = text.name(step, *other);
            format!("the label `{label}` is {before} in `{other}` and {dim} in `{name}`")
        }
    };
    let mut diagnostic = Diagnostic::new(
        step.slot_spans[*slot].clone(),
        headline,
        format!("`{shown}`"),
    );
    if *other > 0 && other != slot {
        let shown = known.shape_text(step.operation.slots[*other]);
        diagnostic = diagnostic.other(step.slot_spans[*other].clone(), format!("`{shown}`"));
    }
    let mut proposed = Proposed::from(diagnostic);
    if *other > 0 && other != slot {
        let sizes = [before.size(), dim.size()];
        proposed = with_the_rest_left_out(proposed, known, text, step, found);
        if let Some((help, edit)) = pairs::two_labels(text, step, (label, *slot, &name), sizes) {
            proposed = proposed.or(help, vec![edit]);
        }
    }
    if *other == 0 {
        proposed = with_the_size_restated(proposed, text, step, label, [before, dim]);
    }
    for (slot, from, to) in [(*slot, dim, before), (*other, before, dim)] {
        if slot == 0 {
            continue;
        }
        let tensor = step.operation.slots[slot];
        let edit = text.axis_edit(tensor, &from.to_string(), &to.to_string());
        let name = &text.program[tensor].name;
        proposed = proposed.or(
            format!("if they are meant to be the same, write {to} in the shape of `{name}`"),
            edit.into_iter().collect(),
        );
    }
    proposed
}

/// Adds the change of a size that a spec states beside a label into the size that the axis has.
fn with_the_size_restated(
    proposed: Proposed,
    text: Text<'_>,
    step: &Assignment,
    label: &str,
    [stated, own]: [&Dim; 2],
) -> Proposed {
    let Some((place, spec)) = text.spec_after(step) else {
        return proposed;
    };
    let Some(at) = spec.find(&format!("{label}:{stated}")) else {
        return proposed;
    };
    let start = place.start + 1 + at + label.len() + 1;
    let edit = Edit {
        span: start..start + stated.to_string().len(),
        text: own.to_string(),
    };
    let help = format!("a size in a spec states what the axis has: write `{label}:{own}`");
    match is_tap(step, label) {
        true => proposed.or_moving(
            format!("{help}, and each window has {} cells", own.size()),
            vec![edit],
        ),
        false => proposed.or(help, vec![edit]),
    }
}

/// Returns the message with the change that leaves cells out which windows left over, where a label is longer in one
/// operand for that reason.
fn with_the_rest_left_out(
    proposed: Proposed,
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    found: &Found<'_>,
) -> Proposed {
    let sides = [(found.slot, found.dim), (found.other, found.before)];
    let [(short, small), (long, large)] = match found.dim.size() > found.before.size() {
        true => [sides[1], sides[0]],
        false => sides,
    };
    let place = step
        .operation
        .requirements
        .iter()
        .find_map(|requirement| match requirement {
            Requirement::Equal(Side::Template(row), Side::Slot(slot, kind)) if *slot == long => {
                let is_label =
                    |term: &DimTerm| matches!(term, DimTerm::Var(var) if var.name() == found.label);
                let at = row.axes().position(is_label)?;
                row.var.is_none().then_some((*kind, at))
            }
            _ => None,
        });
    let place = place.or_else(|| {
        Kind::ALL.into_iter().find_map(|kind| {
            let row = known.row(step.operation.slots[long], kind);
            let at = row.axes().position(|dim| dim == large)?;
            Some((kind, at))
        })
    });
    let Some((kind, axis)) = place.filter(|_| large.size() > small.size()) else {
        return proposed;
    };
    let longer = Longer {
        slot: long,
        kind,
        axis,
        cells: [large.size(), small.size()],
        other: short,
    };
    left_over::fixes(proposed, known, text, step, &longer)
}

/// Tells whether a label of a spec runs over the cells of a window.
fn is_tap(step: &Assignment, label: &str) -> bool {
    let mut requirements = step.operation.requirements.iter();
    requirements.any(|requirement| match requirement {
        Requirement::Template(Constraint::Window(window)) => {
            let mut taps = window.taps.iter();
            taps.any(|(_, tap)| label_of(tap) == label)
        }
        _ => false,
    })
}

fn ranks(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    (template, slot, kind): (&RowTerm, usize, Kind),
) -> Proposed {
    let tensor = step.operation.slots[slot];
    let (name, shown) = (text.name(step, slot), known.shape_text(tensor));
    let has = count(known.row(tensor, kind).rank(), kind);
    let diagnostic = Diagnostic::new(
        step.slot_spans[slot].clone(),
        format!(
            "`{name}` has {has}, and {}",
            demand(text, step, template, kind)
        ),
        format!("`{shown}`"),
    );
    if sliced(text, step, 0).is_some() {
        return diagnostic
            .help("a slice is of batch axes; a place on another axis is a number in a spec: `map(x, \"0, ... => ...\")`")
            .into();
    }
    if text.function_around(step).is_some() {
        let advice = match kind {
            Kind::Batch => operand_of_function::advice(known, text, step, slot),
            Kind::Output => operand_of_function::without_output(known, text, step, slot),
            Kind::Input => None,
        };
        return match advice {
            Some(help) => diagnostic.help(help).into(),
            None => diagnostic.into(),
        };
    }
    let Some((quoted, spec)) = text.spec_after(step) else {
        return diagnostic.into();
    };
    let row = row_text(&known.row(tensor, kind));
    let label = match row.is_empty() {
        true => format!("reads {} axes that `{name}` does not have", kind.word()),
        false => format!("no place for the {} row `{row}`", kind.word()),
    };
    let mut diagnostic = diagnostic.other(quoted.clone(), label);
    let is_param = matches!(text.program[tensor].source, Source::Param(_));
    if is_param && kind == Kind::Batch {
        diagnostic = diagnostic.help(format!(
            "a parameter has no batch axes: it is the same for all instances. Read the axes of `{name}` as outputs, behind the `|`"
        ));
    }
    let mut proposed = Proposed::from(diagnostic);
    if number_operand::is_number(text, step, slot) {
        proposed.diagnostic = proposed.diagnostic.help(number_operand::ADVICE);
        return match number_operand::without_a_shape(text, step, slot) {
            Some((help, edits)) => proposed.or(help, edits),
            None => proposed,
        };
    }
    for (changed, words) in respelled(spec) {
        proposed = proposed.or(
            format!("write \"{changed}\", {words}"),
            vec![Edit {
                span: quoted.start + 1..quoted.end - 1,
                text: changed,
            }],
        );
    }
    proposed
}

/// Tells how many axes of a kind are read, and by whom.
fn demand(text: Text<'_>, step: &Assignment, template: &RowTerm, kind: Kind) -> String {
    let reads = count(template.explicit(), kind);
    if sliced(text, step, 0).is_some() {
        return format!("the slice takes {reads}");
    }
    let function = text.function_around(step);
    let reader = function.map_or("the spec".to_string(), |name| format!("`{name}`"));
    let at_least = if template.var.is_some() {
        "at least "
    } else {
        ""
    };
    format!("{reader} reads {at_least}{reads}")
}

/// Returns the message about a spec whose operands fit and which has no loop nest: a position past the end of its axis.
pub(crate) fn unread(
    text: Text<'_>,
    step: &Assignment,
    error: &ProjectionError,
) -> Option<Proposed> {
    let ProjectionError::Position {
        position,
        size,
        axis,
    } = error
    else {
        return None;
    };
    let slot = axis
        .as_ref()
        .map(|axis| axis.slot)
        .filter(|slot| *slot > 0)?;
    let tensor = *step.operation.slots.get(slot)?;
    let name = text.name(step, slot);
    let headline = format!(
        "position {position} is past the end: the axis of `{name}` has {}",
        match size {
            1 => "one place, 0".to_string(),
            _ => format!("{size} places, 0 to {}", size - 1),
        }
    );
    if let Some((place, number)) = sliced(text, step, *position) {
        let diagnostic = Diagnostic::new(place.clone(), headline, "a position, counted from 0")
            .other(text.place(step.operation.slots[slot]), format!("`{name}`"));
        let last = (size - 1).to_string();
        let help = format!("if the last position is meant, it is {last}");
        let edits = match number {
            true => vec![Edit {
                span: place,
                text: last,
            }],
            false => Vec::new(),
        };
        return Some(Proposed::from(diagnostic).or_moving(help, edits));
    }
    let place = position_in_spec(text, step, *position)?;
    let diagnostic = Diagnostic::new(
        place.clone(),
        headline,
        "a number in a spec is a position, counted from 0",
    )
    .other(text.program[tensor].span.clone(), format!("`{name}`"));
    let edit = |text: String| {
        vec![Edit {
            span: place.clone(),
            text,
        }]
    };
    let sized = format!("n:{position}");
    let help = format!("a size is written with a label: `{sized}`");
    let last = (size - 1).to_string();
    let other = format!(
        "if the last place is meant, it is {last}; a size is written with a label, `{sized}`"
    );
    let proposed = Proposed::from(diagnostic);
    Some(
        proposed
            .or_moving(help, edit(sized))
            .or_moving(other, edit(last)),
    )
}

/// Returns the place of a position in the spec of a step, or the whole spec if the position is not found there.
fn position_in_spec(text: Text<'_>, step: &Assignment, position: u64) -> Option<Span> {
    let (quoted, spec) = text.spec_after(step)?;
    let start = spec
        .match_indices(&position.to_string())
        .find(|(start, found)| {
            let digit = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            !spec[..*start].ends_with(digit) && !spec[start + found.len()..].starts_with(digit)
        });
    Some(match start {
        Some((start, found)) => quoted.start + 1 + start..quoted.start + 1 + start + found.len(),
        None => quoted,
    })
}

/// Returns the place of a position of a slice, `x @| 8` or `x @| (_, 8)`, and whether it is written as this number.
/// `None` if the operation is no slice.
fn sliced(text: Text<'_>, step: &Assignment, position: u64) -> Option<(Span, bool)> {
    let after = step.slot_spans.get(1)?.end;
    let rest = text.at(after..step.span.end);
    let closed = rest.trim_start_matches(|c: char| c == ')' || c.is_whitespace());
    let index = closed.strip_prefix("@|")?.trim_start();
    let place = step.span.end - index.len()..step.span.end;
    let written = text.number_edit(&place, position, position);
    Some(match written {
        Some(edit) => (edit.span, true),
        None => (place, false),
    })
}

/// Lists other ways to write a spec, each with what it says: with the axes before `->` as batch axes, and with `...`
/// for rows that are left out.
fn respelled(spec: &str) -> Vec<(String, &'static str)> {
    let Some((operands, result)) = spec.split_once("=>") else {
        return Vec::new();
    };
    let shapes = |change: &dyn Fn(&str) -> String| -> String {
        let operands: Vec<String> = operands
            .split(';')
            .map(|shape| change(shape.trim()))
            .collect();
        format!("{} => {}", operands.join("; "), change(result.trim()))
    };
    let operand_shapes = |change: &dyn Fn(&str) -> String| -> String {
        let operands: Vec<String> = operands
            .split(';')
            .map(|shape| change(shape.trim()))
            .collect();
        format!("{} => {}", operands.join("; "), result.trim())
    };
    let bar = |shape: &str| match shape.contains('|') {
        true => shape.to_string(),
        false => shape.replacen("->", "|->", 1),
    };
    let open_batch = |shape: &str| match shape.contains('|') {
        true => shape.to_string(),
        false => format!("...|{shape}"),
    };
    let open_input = |shape: &str| match (shape.contains("->"), shape.split_once('|')) {
        (true, _) => shape.to_string(),
        (false, Some((batch, output))) => format!("{batch}|... -> {output}"),
        (false, None) => format!("... -> {shape}"),
    };
    let batch_label = |shape: &str| match shape.split_once("->") {
        None if !shape.contains('|') && !shape.is_empty() => format!("{shape}|"),
        _ => shape.to_string(),
    };
    let first_of = |shape: &str| match shape.split_once(',') {
        Some((first, rest)) if !shape.contains(['|', '>']) => {
            format!("{first}|->{}", rest.trim_start())
        }
        _ => shape.to_string(),
    };
    let first = operands.split(',').next().map(str::trim);
    let instances = match Some(result.trim()) == first {
        true => format!("{}|", result.trim()),
        false => first_of(result.trim()),
    };
    let (batch, kept) = (
        "which reads them as batch axes",
        "which reads and keeps them as batch axes",
    );
    vec![
        (operand_shapes(&bar), batch),
        (shapes(&bar), kept),
        (shapes(&open_batch), "which keeps the batch axes"),
        (shapes(&open_input), "which keeps the input axes"),
        (
            shapes(&|shape| open_batch(&open_input(shape))),
            "which keeps the batch and the input axes",
        ),
        (operand_shapes(&batch_label), batch),
        (shapes(&batch_label), kept),
        (
            format!("{} => {instances}", first_of(operands.trim())),
            "which reads the first of them as a batch axis",
        ),
    ]
}
