//! Possible fixes for two rows of an operation that do not fit together.

use hashbrown::HashSet;

use lozenge_lang::Edit;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Origin, Source, Span};
use lozenge_vocabulary::{Constraint, DimTerm};

use super::left_over::{self, Longer};
use super::proposed::Proposed;
use super::{instance, missing_axis, pairs};
use crate::diagnose::known::Known;
use crate::diagnose::known::mismatch::{Mismatch, What};
use crate::diagnose::words::axes::row_text;
use crate::diagnose::words::spec_text::broadcasting_axes;
use crate::diagnose::words::text::Text;

/// Two rows that do not fit together, and the operation that reads them.
pub(crate) struct Unfit<'a, 'k> {
    pub known: &'a mut Known<'k>,
    pub text: Text<'a>,
    pub step: &'a Assignment,
    pub found: &'a Mismatch,
    /// The requirements behind the refusal.
    pub behind: &'a [Origin],
    /// True if inputs of one tensor meet outputs of another in a composition.
    pub composed: bool,
    /// True if an operand of this composition has no axes.
    pub scalar: bool,
}

impl Unfit<'_, '_> {
    /// Returns the message with the fixes that may be meant.
    pub(crate) fn fixes(&mut self, mut proposed: Proposed) -> Proposed {
        let star = self.text.operator(self.step, "*");
        if let Some(star) = star.filter(|_| self.step.logic == Family::Compose) {
            proposed = self.of_composition(proposed, star);
        }
        let What::Axes(low, high) = &self.found.what else {
            return proposed;
        };
        let (text, step) = (self.text, self.step);
        proposed = self.as_one_axis(proposed, [low, high]);
        let (left, right) = (self.found.left, self.found.right);
        let slots = [left.slot, right.slot];
        if let Some(lacking) = missing_axis::lacking(self.known, step, slots, left.kind) {
            return lacking.fixes(proposed, self.known, text, step);
        }
        if left.kind == Kind::Batch && !self.composed && left.slot > 0 {
            proposed = self.with_other_results(proposed);
            proposed = pairs::fixes(proposed, text, step, [low.size(), high.size()]);
        }
        if left.kind == Kind::Output && !self.composed {
            proposed = self.as_instances(proposed);
        }
        if let Some(longer) = self.longer() {
            proposed = left_over::fixes(proposed, self.known, text, step, &longer);
        }
        for tensor in self.tensors() {
            if let Some((help, edits)) = instance::another(self.text, self.step, tensor) {
                proposed = proposed.or(help, edits);
            }
        }
        proposed = self.with_other_sizes(proposed, [low, high]);
        if low.size() != high.size() && proposed.diagnostic.help.is_none() {
            let help = self.in_words([low, high]);
            proposed.diagnostic = proposed.diagnostic.help(help);
        }
        proposed
    }

    /// Returns the longer of the two axes, where both belong to operands of an operation cell by cell.
    fn longer(&self) -> Option<Longer> {
        let What::Axes(low, high) = &self.found.what else {
            return None;
        };
        let places = [(self.found.left, low), (self.found.right, high)];
        let [(short, small), (long, large)] = match low.size() > high.size() {
            true => [places[1], places[0]],
            false => places,
        };
        let row = self
            .known
            .row(self.step.operation.slots[long.slot], long.kind);
        let is_pointwise = self.step.logic == Family::Pointwise && self.found.left.slot > 0;
        Some(Longer {
            axis: row.axes().position(|dim| dim == large)?,
            slot: long.slot,
            kind: long.kind,
            cells: [large.size(), small.size()],
            other: short.slot,
        })
        .filter(|_| is_pointwise && large.size() > small.size())
    }

    fn tensors(&self) -> [TensorId; 2] {
        let places = [self.found.left, self.found.right];
        places.map(|place| self.step.operation.slots[place.slot])
    }

    fn name(&self, tensor: TensorId) -> String {
        self.text.program[tensor].name.to_string()
    }

    /// Proposes other readings of a composition: a scaling, the operands exchanged, or a product of matrices.
    fn of_composition(&self, mut proposed: Proposed, star: Span) -> Proposed {
        let (text, step) = (self.text, self.step);
        let mut operands = step.operation.slots[1..].iter();
        let number = self.scalar || operands.any(|slot| text.is_number(*slot));
        let is_missing = matches!(self.found.what, What::Missing);
        let [left, right] = [1, 2].map(|slot| text.as_written(step, slot));
        let scale = vec![Edit {
            span: star,
            text: "*.".into(),
        }];
        let exchange = text.exchanged(step);
        let scaled = format!("`*` composes; cell by cell is `{left} *. {right}`");
        let exchanged = format!("the other way round it fits: `{right} * {left}`");
        if is_missing {
            proposed = self.with_any_inputs(proposed);
            proposed = self.as_matrix(proposed);
        }
        proposed = match number {
            true => {
                let scaled = format!("to scale, write `{left} *. {right}`");
                return proposed.or(scaled, scale);
            }
            false => proposed.or(exchanged, exchange),
        };
        if self.composed {
            proposed = as_matrices(proposed, self.known, text, step, [&left, &right]);
        }
        match is_missing {
            true => proposed.or(scaled, scale),
            false => proposed,
        }
    }

    /// Proposes a parameter whose written shape has outputs only, with any inputs.
    fn with_any_inputs(&self, proposed: Proposed) -> Proposed {
        let [tensor, _] = self.tensors();
        let Some(shape) = self.text.written_shape(tensor) else {
            return proposed;
        };
        let written = self.text.at(shape.clone());
        let is_param = matches!(self.text.program[tensor].source, Source::Param(_));
        let (help, text) = match written.split_once("->") {
            None => (
                format!("a part of a shape that is left out has no axes: write `...->{written}`"),
                "...->",
            ),
            Some((inputs, outputs)) if inputs.trim().is_empty() && !outputs.trim().is_empty() => (
                format!(
                    "with nothing before `->` there are no inputs; `...{}` has those that it meets",
                    written.trim()
                ),
                "...",
            ),
            Some(_) => return proposed,
        };
        let insertion = Edit {
            span: shape.start..shape.start,
            text: text.into(),
        };
        match is_param {
            true => proposed.or(help, vec![insertion]),
            false => proposed,
        }
    }

    /// Proposes that the first axis of data is an input, where its written shape has outputs only.
    fn as_matrix(&self, proposed: Proposed) -> Proposed {
        let [tensor, _] = self.tensors();
        let is_data = matches!(self.text.program[tensor].source, Source::Data(_));
        let Some(shape) = self.text.written_shape(tensor).filter(|_| is_data) else {
            return proposed;
        };
        let written = self.text.at(shape.clone());
        let Some((input, outputs)) = written.split_once(',') else {
            return proposed;
        };
        if written.contains("->") || written.contains('|') {
            return proposed;
        }
        let matrix = format!("{input}->{}", outputs.trim_start());
        let help = format!("the inputs of a matrix stand before `->`: write `{matrix}`");
        let edit = Edit {
            span: shape,
            text: matrix,
        };
        proposed.or(help, vec![edit])
    }

    /// Proposes two axes that become one: without their bases, or where one of them broadcasts.
    fn as_one_axis(&self, mut proposed: Proposed, [low, high]: [&Dim; 2]) -> Proposed {
        let tensors = self.tensors();
        if low.size() == high.size() {
            let both: Vec<Edit> = [(tensors[0], low), (tensors[1], high)]
                .into_iter()
                .filter_map(|(tensor, dim)| {
                    let size = dim.size().to_string();
                    self.text.axis_edit(tensor, &dim.to_string(), &size)
                })
                .collect();
            proposed = proposed.or("leave the basis out where the meaning is the same", both);
        }
        for (tensor, dim) in [(tensors[0], low), (tensors[1], high)] {
            if dim.size() == 1 {
                let edit = self.text.axis_edit(tensor, &dim.to_string(), "1_");
                let help = format!(
                    "`1_` in the shape of `{}` is the one that broadcasts",
                    self.name(tensor)
                );
                proposed = proposed.or(help, edit.into_iter().collect());
            }
        }
        if low.size() == 1 || high.size() == 1 {
            proposed = self.as_broadcasting_axis(proposed);
        }
        proposed
    }

    /// Proposes an axis of length 1 that a spec makes, as one that broadcasts.
    fn as_broadcasting_axis(&self, mut proposed: Proposed) -> Proposed {
        let behind = self
            .behind
            .iter()
            .map(|origin| &self.text.program.steps[origin.step]);
        let mut seen: HashSet<Span> = HashSet::new();
        for step in behind {
            let Some((place, _)) = self.text.spec_after(step) else {
                continue;
            };
            if step.logic != Family::Einsum || !seen.insert(place.clone()) {
                continue;
            }
            for (axis, edit) in broadcasting_axes(self.text.at(place.clone()), place.start) {
                let help = format!("`{axis}` in the spec is an axis of length 1 that broadcasts");
                proposed = proposed.or(help, vec![edit]);
            }
        }
        proposed
    }

    /// Proposes a written shape of outputs alone, as one of a number for each instance, where the other tensor has
    /// instances.
    fn as_instances(&self, mut proposed: Proposed) -> Proposed {
        let [left, right] = self.tensors();
        for (tensor, other) in [(left, right), (right, left)] {
            if self.known.row(other, Kind::Batch).rank() == 0 {
                continue;
            }
            let Some(shape) = self.text.written_shape(tensor) else {
                continue;
            };
            let written = self.text.at(shape.clone());
            if written.contains(['|', '>', '.']) {
                continue;
            }
            let help = format!(
                "if `{}` has a number for each instance, its shape is `{written}|`",
                self.name(tensor)
            );
            let edit = Edit {
                span: shape.end..shape.end,
                text: "|".into(),
            };
            proposed = proposed.or(help, vec![edit]);
        }
        proposed
    }

    /// Proposes the axes that the spec of a reduction keeps among the instances, as outputs: what is reduced over all
    /// instances belongs to no instance.
    fn with_other_results(&self, mut proposed: Proposed) -> Proposed {
        for place in [self.found.left, self.found.right] {
            let Some(computed) = self.text.computed(self.step, place.slot) else {
                continue;
            };
            let written = self.text.at(computed.clone());
            let Some((spec, result)) = written.rsplit_once("=>") else {
                continue;
            };
            let Some((axes, "\"")) = result.trim_end_matches([')', ' ']).split_once('|') else {
                continue;
            };
            let start = computed.start + spec.len() + "=>".len();
            let kept = axes.trim();
            let edit = Edit {
                span: start..start + axes.len() + 1,
                text: format!(" ->{kept}"),
            };
            let help = format!(
                "if `{kept}` is an output of each instance, the result of the spec is `->{kept}`"
            );
            proposed = proposed.or(help, vec![edit]);
        }
        proposed
    }

    /// Proposes another size, where a size is computed or written in a shape.
    fn with_other_sizes(&self, mut proposed: Proposed, [low, high]: [&Dim; 2]) -> Proposed {
        let (text, found) = (self.text, self.found);
        for (place, from, to) in [(found.left, low, high), (found.right, high, low)] {
            if let Some(computed) = text.computed(self.step, place.slot) {
                proposed = with_number(proposed, text, computed, from, to);
            }
        }
        proposed = with_sizes_of(proposed, text, self.tensors(), [low, high]);
        with_sizes_behind(proposed, text, self.behind, [low, high])
    }

    /// Proposes a change in words where there is no edit: another size alone is not enough where the values are written
    /// beside it.
    fn in_words(&self, [low, high]: [&Dim; 2]) -> String {
        let outputs = self
            .tensors()
            .map(|tensor| self.known.row(tensor, Kind::Output));
        if self.composed && outputs[0] == outputs[1] {
            let places = [self.found.left, self.found.right];
            let [left, right] = places.map(|place| self.text.name(self.step, place.slot));
            return format!(
                "change one of the two sizes; or, if the outputs {} of both are to be contracted, transpose one: `transpose({left}) * {right}`",
                row_text(&outputs[0])
            );
        }
        if let Some(help) = self.in_another_order() {
            return help;
        }
        let help = match low.size() == 1 || high.size() == 1 {
            true => {
                "axes of two operands are kept apart by a spec with a shape for each, as in `map(a - b, \"m|->c; n|->c => m, n|->c\")`"
            }
            false => "change one of the two sizes",
        };
        help.to_string()
    }

    /// Says that the two rows have the same axes in another order, where they do. Sizes alone do not show whether these
    /// are the same axes, so that no change is proposed.
    fn in_another_order(&self) -> Option<String> {
        let places = [self.found.left, self.found.right];
        let rows = places.map(|place| {
            let tensor = self.step.operation.slots[place.slot];
            self.known.row(tensor, place.kind).flat()
        });
        let mut sorted = rows.clone();
        sorted.iter_mut().for_each(|row| row.sort());
        let [left, right] = places.map(|place| self.text.name(self.step, place.slot));
        (!self.composed && rows[0] != rows[1] && sorted[0] == sorted[1]).then(|| {
            format!(
                "`{left}` and `{right}` have axes of the same sizes in another order; a spec gives them one order, as in `map(x, \"i, j => j, i\")`"
            )
        })
    }
}

/// Proposes another size, where it is written in the shape of one of the two tensors whose axes cannot be one.
pub(crate) fn with_sizes_of(
    mut proposed: Proposed,
    text: Text<'_>,
    tensors: [TensorId; 2],
    [low, high]: [&Dim; 2],
) -> Proposed {
    for (tensor, from, to) in [(tensors[0], low, high), (tensors[1], high, low)] {
        proposed = with_size(proposed, text, tensor, from, to);
    }
    proposed
}

/// Proposes another size, where it is written in the shape of a tensor of an operation behind a refusal, or in the call
/// that made an instance with such a tensor: the axis of `h` may be that of a parameter that made `h`.
pub(crate) fn with_sizes_behind(
    mut proposed: Proposed,
    text: Text<'_>,
    behind: &[Origin],
    [low, high]: [&Dim; 2],
) -> Proposed {
    let steps = behind.iter().map(|origin| &text.program.steps[origin.step]);
    let slots = steps.flat_map(|step| &step.operation.slots);
    let mut seen = HashSet::new();
    let tensors: Vec<TensorId> = slots.copied().filter(|id| seen.insert(*id)).collect();
    let sizes = [(low, high), (high, low)];
    for instance in text.instances(&tensors) {
        for (from, to) in sizes {
            proposed = with_number(proposed, text, instance.clone(), from, to);
        }
    }
    for tensor in tensors {
        for (from, to) in sizes {
            proposed = with_size(proposed, text, tensor, from, to);
        }
    }
    proposed
}

/// Proposes another size, where it is a number in the expression that makes one of the two tensors whose axes cannot be
/// one.
pub(crate) fn with_numbers_of(
    mut proposed: Proposed,
    text: Text<'_>,
    tensors: [TensorId; 2],
    [low, high]: [&Dim; 2],
) -> Proposed {
    for (tensor, from, to) in [(tensors[0], low, high), (tensors[1], high, low)] {
        if let Some(expression) = text.expression(tensor) {
            proposed = with_number(proposed, text, expression, from, to);
        }
    }
    proposed
}

fn with_number(proposed: Proposed, text: Text<'_>, within: Span, from: &Dim, to: &Dim) -> Proposed {
    let edit = text.number_edit(&within, from.size(), to.size());
    let help = format!(
        "if one of the two sizes is wrong, write {} in place of {} in `{}`",
        to.size(),
        from.size(),
        text.excerpt(within).trim()
    );
    proposed.or(help, edit.into_iter().collect())
}

fn with_size(
    proposed: Proposed,
    text: Text<'_>,
    tensor: TensorId,
    from: &Dim,
    to: &Dim,
) -> Proposed {
    let edit = text.axis_edit(tensor, &from.to_string(), &to.to_string());
    let edits: Vec<Edit> = edit.into_iter().collect();
    let mut others = proposed.candidates.iter();
    if others.any(|other| other.help.edits == edits) {
        return proposed;
    }
    let help = format!(
        "if one of the two sizes is wrong, write {to} in the shape of `{}`{}",
        text.program[tensor].name,
        match decides_cells(text, tensor, from) {
            true => ", which makes the windows of a spec longer or shorter",
            false => "",
        }
    );
    proposed.or(help, edits)
}

/// Tells whether an axis of a tensor with this size is the tap of a window: its size decides which cells the windows
/// read.
fn decides_cells(text: Text<'_>, tensor: TensorId, size: &Dim) -> bool {
    let is_tap = |step: &Assignment, term: &DimTerm| {
        let mut requirements = step.operation.requirements.iter();
        requirements.any(|requirement| match requirement {
            Requirement::Template(Constraint::Window(window)) => {
                window.taps.iter().any(|(_, tap)| tap == term)
            }
            _ => false,
        })
    };
    text.program.steps.iter().any(|step| {
        let mut requirements = step.operation.requirements.iter();
        requirements.any(|requirement| match requirement {
            Requirement::Equal(Side::Template(row), Side::Slot(slot, kind))
                if *slot > 0 && step.operation.slots[*slot] == tensor =>
            {
                let own = text.program[tensor].shape.row(*kind);
                let mut facing = row.axes().zip(own.axes());
                facing
                    .any(|(term, axis)| *axis == DimTerm::Const(size.clone()) && is_tap(step, term))
            }
            _ => false,
        })
    })
}

/// Proposes the changes of someone to whom a composition is a product of matrices: a transposition that is missing, or
/// a table of rows that is to be a matrix.
fn as_matrices(
    mut proposed: Proposed,
    known: &Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    [left, right]: [&str; 2],
) -> Proposed {
    let Some(star) = text.operator(step, "*") else {
        return proposed;
    };
    let spans = [1, 2].map(|slot| step.slot_spans[slot].clone());
    let written = |first: String, second: String| {
        let edit = |span: &Span, text: String| Edit {
            span: span.clone(),
            text,
        };
        vec![edit(&spans[0], first), edit(&spans[1], second)]
    };
    let [a, b] = [0, 1].map(|at: usize| text.at(spans[at].clone()));
    let equal = |kind: Kind| {
        let [a, b] = [1, 2].map(|slot| known.row(step.operation.slots[slot], kind));
        a.rank() > 0 && a == b
    };
    let ways = [
        (Kind::Output, format!("transpose({a})"), b.to_string()),
        (Kind::Input, a.to_string(), format!("transpose({b})")),
        (Kind::Output, format!("transpose({b})"), a.to_string()),
        (Kind::Input, b.to_string(), format!("transpose({a})")),
    ];
    let has_instances = |slot: usize| known.row(step.operation.slots[slot], Kind::Batch).rank() > 0;
    let mut ways: Vec<_> = ways.into_iter().filter(|(kind, ..)| equal(*kind)).collect();
    if has_instances(1) && !has_instances(2) {
        // The matrix is transposed, and not the table of instances that stands before it.
        ways.reverse();
    }
    for (_, first, second) in ways {
        let help = format!("with one of the two transposed it fits: `{first} * {second}`");
        proposed = proposed.or(help, written(first, second));
    }
    let table = step.operation.slots[2];
    let unmet = known.row(step.operation.slots[1], Kind::Input).rank() == 0;
    let bar = text
        .written_shape(table)
        .filter(|_| unmet)
        .and_then(|shape| {
            let at = shape.start + text.at(shape.clone()).find("|->")?;
            (shape.end <= star.start).then_some(at..at + 1)
        });
    if let Some(span) = bar {
        let mut edits = written(b.to_string(), a.to_string());
        edits.push(Edit {
            span,
            text: String::new(),
        });
        let help = format!(
            "`{right}` is a table of instances; as a matrix its shape has no `|`, and it stands before `{left}`: `{right} * {left}`"
        );
        proposed = proposed.or(help, edits);
    }
    proposed
}
