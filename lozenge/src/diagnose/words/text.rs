//! The text of a program, for quotations and changes in messages.

use hashbrown::HashSet;

use lozenge_lang::Edit;
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Program, Source, Span};

use super::spec_text::is_whole_size;

/// A program with its text. A text that is not that of the program gives messages with other quotations, or none.
#[derive(Clone, Copy)]
pub(crate) struct Text<'p> {
    pub program: &'p Program,
    source: &'p str,
}

impl<'p> Text<'p> {
    pub(crate) fn new(program: &'p Program, source: &'p str) -> Text<'p> {
        Text { program, source }
    }

    /// Returns the text at a place; empty if the text has no such place.
    pub(crate) fn at(&self, span: Span) -> &'p str {
        self.source.get(span).unwrap_or_default()
    }

    /// Returns the lines of the text.
    pub(crate) fn lines(&self) -> std::str::Lines<'p> {
        self.source.lines()
    }

    /// Returns the rest of the line behind a byte.
    pub(crate) fn line_after(&self, byte: usize) -> &'p str {
        let rest = self.source.get(byte..).unwrap_or_default();
        rest.split('\n').next().unwrap_or_default()
    }

    /// Returns the name of an operand in messages: that of a tensor, or the text of a part of an expression.
    pub(crate) fn name(&self, step: &Assignment, slot: usize) -> String {
        let tensor = &self.program[step.operation.slots[slot]];
        match tensor.name.contains('\'') {
            false => tensor.name.to_string(),
            true => self.excerpt(self.written(step, slot)),
        }
    }

    /// Returns an operand as the program writes it, for a proposed change. Its name may tell the iteration of a loop,
    /// which no program writes.
    pub(crate) fn as_written(&self, step: &Assignment, slot: usize) -> String {
        self.excerpt(self.written(step, slot))
    }

    /// Returns the place of the operand in a slot. All operands of an operation in a function of the prelude have the
    /// place of the call; those that are made outside have a place of their own.
    fn written(&self, step: &Assignment, slot: usize) -> Span {
        let (written, made) = (
            &step.slot_spans[slot],
            self.place(step.operation.slots[slot]),
        );
        match *written == step.span && !made.is_empty() {
            true => made,
            false => written.clone(),
        }
    }

    /// Returns a part of the text, shortened if it is long.
    pub(crate) fn excerpt(&self, span: Span) -> String {
        const LONGEST: usize = 40;
        let text = self.at(span);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_string(),
        }
    }

    /// Returns the place at which a tensor is defined.
    pub(crate) fn place(&self, tensor: TensorId) -> Span {
        self.program[tensor].span.clone()
    }

    /// Tells whether the name of a tensor stands at its place. It does not for the tensors of functions of the prelude
    /// or of another file, whose place is the call.
    pub(crate) fn is_declared(&self, tensor: TensorId) -> bool {
        let tensor = &self.program[tensor];
        let written = self.at(tensor.span.clone());
        let mut parts = tensor.name.split(['.', '[']);
        !written.is_empty() && parts.any(|part| part == written)
    }

    /// Returns the change of a number that stands exactly once in a part of the text. There is none for a number of a
    /// spec on which it depends which cells are read or written.
    pub(crate) fn number_edit(&self, within: &Span, from: u64, to: u64) -> Option<Edit> {
        let text = self.at(within.clone());
        let from = from.to_string();
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let mut places = text.match_indices(&from).filter(|(offset, found)| {
            let before = text[..*offset].chars().next_back();
            let after = text[offset + found.len()..].chars().next();
            !before.is_some_and(word) && !after.is_some_and(word)
        });
        let (offset, _) = places.next()?;
        if places.next().is_some() {
            return None;
        }
        let start = within.start + offset;
        let span = start..start + from.len();
        is_whole_size(self.source, &span).then(|| Edit {
            span,
            text: to.to_string(),
        })
    }

    /// Returns the place at which the value of an operand is computed: a part of the expression, or what follows the
    /// name of a `let`.
    pub(crate) fn computed(&self, step: &Assignment, slot: usize) -> Option<Span> {
        let id = step.operation.slots[slot];
        let is_computed = matches!(self.program[id].source, Source::Intermediate);
        match self.is_declared(id) {
            _ if !is_computed => None,
            true => self.after_its_name(id),
            false => Some(step.slot_spans[slot].clone()),
        }
    }

    /// Returns the place at which the value of a tensor is computed: an expression, or what follows the name of a
    /// `let`.
    pub(crate) fn expression(&self, tensor: TensorId) -> Option<Span> {
        let is_computed = matches!(self.program[tensor].source, Source::Intermediate);
        match self.is_declared(tensor) {
            _ if !is_computed => None,
            true => self.after_its_name(tensor),
            false => Some(self.place(tensor)),
        }
    }

    /// Returns the expressions of the lines `let net = …` of the instances that these tensors are parameters of, in the
    /// order of the text.
    pub(crate) fn instances(&self, tensors: &[TensorId]) -> Vec<Span> {
        let params = tensors.iter().map(|id| &self.program[*id]);
        let params = params.filter(|tensor| matches!(tensor.source, Source::Param(_)));
        let names: HashSet<&str> = params
            .filter_map(|tensor| tensor.name.split_once('.'))
            .map(|(instance, _)| instance)
            .collect();
        let mut start = 0;
        let lines = self.source.split_inclusive('\n').map(|line| {
            start += line.len();
            (start - line.len(), line)
        });
        let expressions = lines.filter_map(|(start, line)| {
            let line = line.split('#').next()?;
            let (name, expression) = line.trim_start().strip_prefix("let ")?.split_once('=')?;
            let end = start + line.trim_end().len();
            names
                .contains(name.trim())
                .then(|| end - expression.trim_end().len()..end)
        });
        expressions.collect()
    }

    /// Returns the place of the text after `=` on the line of a tensor's name.
    fn after_its_name(&self, tensor: TensorId) -> Option<Span> {
        let name = self.place(tensor);
        let line = self.line_after(name.end).split('#').next()?;
        let start = name.end + line.find('=')? + 1;
        Some(start..name.end + line.len())
    }

    /// Tells whether the tensor is a number that is written in an expression.
    pub(crate) fn is_number(&self, tensor: TensorId) -> bool {
        let tensor = &self.program[tensor];
        matches!(tensor.source, Source::Constant(value) if *tensor.name == *value.to_string())
    }

    /// Returns the place of the operator between the two operands of an operation, if it is `sign`.
    pub(crate) fn operator(&self, step: &Assignment, sign: &str) -> Option<Span> {
        let from = step.slot_spans.get(1)?.end;
        let to = step.slot_spans.get(2)?.start;
        let between = self.at(from..to);
        let start = from + between.find(sign)?;
        (between.trim() == sign).then_some(start..start + sign.len())
    }

    /// Returns the change of `let s = 0` that gives the number as many axes as its uses ask for, `const s = 0`.
    pub(crate) fn as_constant(&self, tensor: TensorId) -> Option<Edit> {
        let name = &self.program[tensor].span;
        let line = self.line_after(name.end).split('#').next()?;
        line.trim().strip_prefix('=')?.trim().parse::<f64>().ok()?;
        let before = self.source.get(..name.start)?.trim_end_matches(' ');
        let start = before.strip_suffix("let")?.len();
        Some(Edit {
            span: start..before.len(),
            text: "const".into(),
        })
    }

    /// Returns the change that exchanges the two operands of an operation.
    pub(crate) fn exchanged(&self, step: &Assignment) -> Vec<Edit> {
        let (left, right) = (&step.slot_spans[1], &step.slot_spans[2]);
        let edit = |at: &Span, from: &Span| Edit {
            span: at.clone(),
            text: self.at(from.clone()).to_string(),
        };
        vec![edit(left, right), edit(right, left)]
    }

    /// Returns a parameter or a state as it is declared, without its shape: `param w`.
    pub(crate) fn declared(&self, tensor: TensorId) -> String {
        let tensor = &self.program[tensor];
        let keyword = match tensor.source {
            Source::Param(parameter) if parameter.state => "state",
            _ => "param",
        };
        format!("{keyword} {}", tensor.name)
    }

    /// Tells whether a line updates, prints, saves or asserts a tensor, its first value aside.
    pub(crate) fn is_mentioned(&self, tensor: TensorId) -> bool {
        let program = self.program;
        let mut firsts = program.firsts.iter();
        let first = firsts.find(|first| first.tensor == tensor);
        let is_first = |at: usize| first.is_some_and(|first| first.steps.contains(&at));
        let mut steps = program.steps.iter().enumerate();
        let mut requests = program.requests.iter();
        steps.any(|(at, step)| step.operation.slots[0] == tensor && !is_first(at))
            || requests.any(|request| request.tensor == tensor)
    }

    /// Returns the text of the shape that is written after a tensor's name.
    pub(crate) fn written_shape(&self, tensor: TensorId) -> Option<Span> {
        let name = &self.program[tensor].span;
        let line = self.line_after(name.end);
        let shape = line.trim_start().strip_prefix(':')?;
        let end = [" from", "=", "#"]
            .iter()
            .filter_map(|end| shape.find(end))
            .min()
            .unwrap_or(shape.len());
        let start = name.end + (line.len() - shape.len());
        let text = &shape[..end];
        let indent = text.len() - text.trim_start().len();
        Some(start + indent..start + text.trim_end().len())
    }

    /// Returns the change of an axis in the written shape of a tensor: replaces its first word `from`.
    pub(crate) fn axis_edit(&self, tensor: TensorId, from: &str, to: &str) -> Option<Edit> {
        let shape = self.written_shape(tensor)?;
        let text = self.at(shape.clone());
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let (offset, _) = text.match_indices(from).find(|(offset, found)| {
            let before = text[..*offset].chars().next_back();
            let after = text[offset + found.len()..].chars().next();
            !before.is_some_and(word) && !after.is_some_and(word)
        })?;
        let start = shape.start + offset;
        Some(Edit {
            span: start..start + from.len(),
            text: to.to_string(),
        })
    }

    /// Returns the change that gives a size to a label in the written shape of a tensor, if one row consists of just
    /// this label.
    pub(crate) fn label_edit(
        &self,
        tensor: TensorId,
        kind: Kind,
        size: u64,
    ) -> Option<(&'p str, Edit)> {
        let shape = self.written_shape(tensor)?;
        let text = self.at(shape.clone());
        let (inputs, outputs) = text.split_once("->").unwrap_or(("", text));
        let row = match kind {
            Kind::Output => outputs,
            _ => inputs.rsplit('|').next()?,
        };
        let label = row.trim();
        let name = |c: char| c.is_alphabetic() || c == '_';
        if !label.starts_with(name) || !label.chars().all(|c| name(c) || c.is_alphanumeric()) {
            return None;
        }
        let end = match kind {
            Kind::Output => shape.end,
            _ => shape.start + inputs.trim_end().len(),
        };
        let edit = Edit {
            span: end..end,
            text: format!(":{size}"),
        };
        Some((label, edit))
    }

    /// Returns the change that gives a parameter a written shape, if it has none.
    pub(crate) fn shape_edit(&self, tensor: TensorId, shape: &str) -> Vec<Edit> {
        if self.written_shape(tensor).is_some() {
            return Vec::new();
        }
        let end = self.program[tensor].span.end;
        vec![Edit {
            span: end..end,
            text: format!(" : {shape}"),
        }]
    }

    /// Returns the pointwise operation under a spec, as text and as a change.
    pub(crate) fn mapped(&self, step: &Assignment, spec: &str) -> (String, Vec<Edit>) {
        let Span { start, end } = step.span;
        let shown = format!("`map({}, \"{spec}\")`", self.excerpt(step.span.clone()));
        if step.logic != Family::Pointwise {
            return (shown, Vec::new());
        }
        let edit = |at: usize, text: String| Edit { span: at..at, text };
        let edits = vec![
            edit(start, "map(".into()),
            edit(end, format!(", \"{spec}\")")),
        ];
        (shown, edits)
    }

    /// Returns the place of the spec of a reduction that reads only the result of `step`, if there is one.
    pub(crate) fn spec_over(&self, step: &Assignment) -> Option<Span> {
        let made = step.operation.slots[0];
        self.program.steps.iter().find(|reader| {
            reader.logic == Family::Einsum
                && reader.record.is_none()
                && reader.operation.slots[1..] == [made]
                && reader.span.start <= step.span.start
                && step.span.end <= reader.span.end
        })?;
        self.spec_after(step).map(|(place, _)| place)
    }

    /// Returns the function of the prelude that makes an operation: all operands of this have the place of the call.
    pub(crate) fn function_around(&self, step: &Assignment) -> Option<&'p str> {
        let mut operands = step.slot_spans.iter().skip(1);
        let call = self.at(step.span.clone());
        let (name, _) = call.split_once('(')?;
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (is_word && operands.all(|span| *span == step.span)).then_some(name)
    }

    /// Returns the quoted spec of an operation, behind its operands in a call or behind the operation on the same line:
    /// its place with the quotes, and its text.
    pub(crate) fn spec_after(&self, step: &Assignment) -> Option<(Span, &'p str)> {
        let last = step.slot_spans.last()?.end;
        let open = match self.at(last..step.span.end).find('"') {
            Some(offset) => last + offset,
            None => step.span.end + self.line_after(step.span.end).find('"')?,
        };
        let spec = self.source.get(open + 1..)?.split('"').next()?;
        Some((open..open + spec.len() + 2, spec))
    }
}
