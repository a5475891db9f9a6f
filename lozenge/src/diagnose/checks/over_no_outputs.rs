//! R6: a function or a reduction is over the output axes of a tensor that has none.

use std::collections::BTreeSet;
use std::ops::Range;

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::RowTerm;
use lozenge_vocabulary::operation::{Kind, Operation, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Predefined, Program, Span};

use crate::diagnose::fix::proposed::{Proposed, called};
use crate::diagnose::words::text::Text;
use crate::infer::{Shapes, shape_text};
use crate::options::MAX_REFUSALS;

/// Returns the messages about the reductions of a program. A function of the prelude with several of them is told of
/// once.
pub(crate) fn check(text: Text<'_>, shapes: &Shapes) -> Vec<Proposed> {
    let program = text.program;
    let mut problems = Vec::new();
    let mut told = None;
    for (at, step) in program.steps.iter().enumerate() {
        if problems.len() == MAX_REFUSALS {
            break;
        }
        let Some(slot) = slot_without_outputs(step, shapes) else {
            continue;
        };
        let within = predefined(program, at);
        if within.is_some() && within == told {
            continue;
        }
        told = within;
        let found = match within {
            Some(number) => Found::of_call(text, shapes, &program.predefined[number]),
            None => Found::of_reduction(text, shapes, at, slot),
        };
        problems.push(called(program, found.call, found.message()));
    }
    problems
}

/// Returns the call of a function of the prelude that made an operation, by its place in [`Program::predefined`].
fn predefined(program: &Program, at: usize) -> Option<usize> {
    let calls = &program.predefined;
    let number = calls.partition_point(|call| call.steps.end <= at);
    calls
        .get(number)
        .is_some_and(|call| call.steps.contains(&at))
        .then_some(number)
}

/// Returns the first operand over whose outputs an operation reduces although it has none.
fn slot_without_outputs(step: &Assignment, shapes: &Shapes) -> Option<usize> {
    let operation = &step.operation;
    let mut slots = 1..operation.slots.len();
    let is_reduction = step.logic == Family::Einsum && step.record.is_none();
    slots.find(|slot| {
        is_reduction
            && shapes[operation.slots[*slot].0].output.rank() == 0
            && is_over_outputs(operation, *slot)
    })
}

/// Tells whether a spec keeps all batch axes of an operand, however many, and none of its outputs: `outputs` of the
/// prelude, or a spec of the same form. One that names its axes says itself how many there are.
fn is_over_outputs(operation: &Operation, slot: usize) -> bool {
    let bare = |row: Option<&RowTerm>| {
        let row = row.filter(|row| row.explicit() == 0)?;
        row.var.clone()
    };
    let template = |slot: usize, kind: Kind| row_of(operation, slot, kind);
    let is_empty =
        template(0, Kind::Output).is_some_and(|row| row.var.is_none() && row.explicit() == 0);
    let batch = bare(template(slot, Kind::Batch));
    let outputs = bare(template(slot, Kind::Output));
    let kept = [Kind::Batch, Kind::Input].map(|kind| bare(template(0, kind)));
    is_empty && batch.is_some() && batch == kept[0] && outputs.is_some() && outputs != kept[1]
}

/// Returns the row of a spec for a slot.
fn row_of(operation: &Operation, slot: usize, kind: Kind) -> Option<&RowTerm> {
    let mut requirements = operation.requirements.iter();
    requirements.find_map(|requirement| match requirement {
        Requirement::Equal(Side::Slot(of, row), Side::Template(term))
        | Requirement::Equal(Side::Template(term), Side::Slot(of, row))
            if (*of, *row) == (slot, kind) =>
        {
            Some(term)
        }
        _ => None,
    })
}

/// A reduction over outputs of a tensor without outputs.
struct Found<'f> {
    text: Text<'f>,
    shapes: &'f Shapes,
    /// The place of the reduction in the program: a call of a function of the prelude, or the operation.
    span: Span,
    /// Its name; `None` for an operation that is written without one.
    function: Option<String>,
    /// The operations that belong to it.
    steps: Range<usize>,
    /// The call of a function of the program in which it stands.
    call: Option<usize>,
    /// The tensors that it reads and that have no outputs, each with its place.
    read: Vec<(TensorId, Span)>,
    /// The other tensors that it is given.
    beside: Vec<TensorId>,
}

impl<'f> Found<'f> {
    fn of_call(text: Text<'f>, shapes: &'f Shapes, call: &Predefined) -> Found<'f> {
        let arguments = call.arguments.iter().cloned();
        let (read, beside): (Vec<_>, Vec<_>) =
            arguments.partition(|(argument, _)| shapes[argument.0].output.rank() == 0);
        Found {
            text,
            shapes,
            span: call.span.clone(),
            function: Some(call.function.clone()),
            steps: call.steps.clone(),
            call: call.call,
            read,
            beside: beside.into_iter().map(|(argument, _)| argument).collect(),
        }
    }

    fn of_reduction(text: Text<'f>, shapes: &'f Shapes, at: usize, slot: usize) -> Found<'f> {
        let step = &text.program.steps[at];
        let written = text.at(step.span.clone()).split_once('(');
        let is_word =
            |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
        Found {
            text,
            shapes,
            span: step.span.clone(),
            function: written
                .map(|(word, _)| word)
                .filter(is_word)
                .map(String::from),
            steps: at..at + 1,
            call: step.call,
            read: vec![(step.operation.slots[slot], step.slot_spans[slot].clone())],
            beside: Vec::new(),
        }
    }

    fn message(&self) -> Proposed {
        let what = match &self.function {
            Some(name) => format!("`{name}`"),
            None => "the spec".to_string(),
        };
        let (shown, shape) = match self.read.first() {
            // A function of another file has no argument in this text.
            Some((tensor, span)) => (
                Some(self.text.excerpt(span.clone())).filter(|_| *span != self.span),
                shape_text(&self.shapes[tensor.0]),
            ),
            None => (None, "->".to_string()),
        };
        let shown = shown.map_or("what it is given".to_string(), |shown| format!("`{shown}`"));
        let headline = format!("{what} is over the output axes, and {shown} has none");
        let label = format!("{shown} is `{shape}`");
        self.with_fixes(Diagnostic::new(self.span.clone(), headline, label))
    }

    fn with_fixes(&self, diagnostic: Diagnostic) -> Proposed {
        let rank = |kind: Kind| match self.read.first() {
            Some((tensor, _)) => self.shapes[tensor.0].row(kind).rank(),
            None => 0,
        };
        let help = match (rank(Kind::Batch), rank(Kind::Input)) {
            (0, 0) => "it has no axes at all: give it those over which to go",
            (0, _) => "its axes are inputs: `transpose` makes them outputs",
            _ => {
                "let the spec that makes it end in `…|->u` in place of `…, u|`: outputs stand behind the `->`"
            }
        };
        let mut proposed = Proposed::from(diagnostic.help(help));
        if rank(Kind::Batch) == 0 {
            return proposed;
        }
        if let Some((help, edits)) = self.as_classes() {
            return proposed.or(help, edits);
        }
        if let Some((spec, edit)) = self.spec_with_outputs() {
            let help = format!("write the spec `{spec}`: then the last axis is the output");
            proposed = proposed.or(help, vec![edit]);
        }
        if let Some(edits) = self.moved() {
            let within = edits.iter().map(|edit| Edit {
                span: edit.span.start - self.span.start..edit.span.end - self.span.start,
                text: edit.text.clone(),
            });
            let within: Vec<Edit> = within.collect();
            let changed = Edit::apply(&within, self.text.at(self.span.clone()));
            proposed = proposed.or(format!("over the last axis it is `{changed}`"), edits);
        }
        proposed
    }

    /// Returns the change of class numbers into outputs, beside scores with the same batch axes.
    fn as_classes(&self) -> Option<(String, Vec<Edit>)> {
        let [(numbers, span)] = self.read.as_slice() else {
            return None;
        };
        let scores = &self.shapes[self.beside.first()?.0];
        let outputs = scores.output.flat();
        let [classes] = outputs.as_slice() else {
            return None;
        };
        let is_inside = self.span.start < span.start && span.end < self.span.end;
        if !is_inside || self.shapes[numbers.0].batch != scores.batch {
            return None;
        }
        let written = self.text.at(span.clone());
        let text = format!("one_hot({written}, {})", classes.size());
        let help = format!("the numbers of classes become outputs by `{text}`");
        let span = span.clone();
        Some((help, vec![Edit { span, text }]))
    }

    /// Returns the spec that makes the tensor with its last batch axis as output, if nothing else reads the tensor.
    fn spec_with_outputs(&self) -> Option<(String, Edit)> {
        let program = self.text.program;
        let (mut tensor, _) = *self.read.first()?;
        let mut readers = self.steps.clone();
        loop {
            let mut steps = program.steps.iter().enumerate();
            let reads = |step: &Assignment| step.operation.slots[1..].contains(&tensor);
            let is_requested = program
                .requests
                .iter()
                .any(|request| request.tensor == tensor);
            if is_requested || steps.any(|(at, step)| reads(step) && !readers.contains(&at)) {
                return None;
            }
            let mut steps = program.steps[..readers.start].iter();
            let at = steps.rposition(|step| step.operation.slots[0] == tensor)?;
            let maker = &program.steps[at];
            if maker.logic != Family::Pointwise {
                return self.with_an_output(maker);
            }
            let has_axes = |id: &&TensorId| {
                let rows = self.shapes[id.0].rows();
                rows.iter().any(|row| row.rank() > 0)
            };
            let mut operands = maker.operation.slots[1..].iter().filter(has_axes);
            tensor = *operands.next()?;
            if operands.next().is_some() {
                return None;
            }
            readers = at..at + 1;
        }
    }

    /// Returns the spec of an operation in which the last batch axis of the result is its output.
    fn with_an_output(&self, maker: &Assignment) -> Option<(String, Edit)> {
        let (place, spec) = self.text.spec_after(maker)?;
        let (operands, result) = spec.split_once("=>")?;
        let result = result.trim();
        let batch = result.strip_suffix("->").unwrap_or(result).trim_end();
        let batch = batch.strip_suffix('|')?;
        let (kept, last) = batch.rsplit_once(',').unwrap_or(("", batch));
        let result = format!("=> {}|->{}", kept.trim(), last.trim());
        let edit = Edit {
            span: place,
            text: format!("\"{} {result}\"", operands.trim_end()),
        };
        Some((format!("… {result}"), edit))
    }

    /// Returns the changes that make the last batch axis of what is read its output and, if the result has the axes of
    /// what is read, the output of the result its last batch axis.
    fn moved(&self) -> Option<Vec<Edit>> {
        let (first, _) = self.read.first()?;
        let shape = &self.shapes[first.0];
        let rank = shape.batch.rank();
        let [before, behind] = match shape.input.rank() {
            0 => ["..., u|", "...|->u"],
            _ => ["..., u|... -> ", "...|... -> u"],
        };
        let mut edits = Vec::new();
        for (tensor, span) in &self.read {
            let is_inside = self.span.start < span.start && span.end < self.span.end;
            let written = self.text.at(span.clone());
            let own = self.shapes[tensor.0].batch.rank();
            let text = match own {
                _ if !is_inside || written.is_empty() => return None,
                _ if own == rank => format!("map({written}, \"{before} => {behind}\")"),
                // The numbers of classes have one axis less than the scores.
                _ if own + 1 == rank => {
                    format!("one_hot({written}, {})", shape.batch.axes().last()?.size())
                }
                _ => return None,
            };
            let span = span.clone();
            edits.push(Edit { span, text });
        }
        if self.keeps_axes() {
            let insert = |at: usize, text: String| Edit { span: at..at, text };
            edits.insert(0, insert(self.span.start, "map(".into()));
            let back = format!(", \"{behind} => {before}\")");
            edits.push(insert(self.span.end, back));
        }
        Some(edits)
    }

    /// Tells whether the result depends on what is read otherwise than through the reduction, so that it has the axes
    /// of that.
    fn keeps_axes(&self) -> bool {
        let steps = &self.text.program.steps[self.steps.clone()];
        let mut kept: BTreeSet<TensorId> = self.read.iter().map(|(id, _)| *id).collect();
        for step in steps.iter().filter(|step| step.logic == Family::Pointwise) {
            let slots = &step.operation.slots;
            if slots[1..].iter().any(|slot| kept.contains(slot)) {
                kept.insert(slots[0]);
            }
        }
        let last = steps.last();
        last.is_some_and(|step| kept.contains(&step.operation.slots[0]))
    }
}
