//! The lines of the text that is written.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::value::TensorId;
use crate::Span;
use crate::syntax::Source;

/// The text so far.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<(Line, Span)>,
    /// The names of the tensors, where the program has one for them.
    names: Vec<Option<String>>,
    taken: FxHashSet<String>,
}

/// A line.
enum Line {
    /// A tensor with values, or without them.
    Data(TensorId, Vec<u64>, Source),
    /// An operation: what it writes, its accumulator, its expression, in which `{0}`, `{1}` stand for operands, and its
    /// spec.
    Operation {
        result: TensorId,
        accumulator: &'static str,
        expression: String,
        operands: Vec<TensorId>,
        spec: String,
    },
    Print(TensorId),
}

/// The words that name no tensor in the text.
const RESERVED: &[&str] = &[
    "data", "param", "const", "let", "print", "save", "assert", "state", "size", "use", "train",
    "epoch", "for", "in", "def", "return", "if", "else", "inf", "nan", "step", "range", "from",
    "and", "or", "not", "every", "section", "list", "fn", "count", "sum", "max", "min", "map",
];

impl Lines {
    /// Returns the number of lines.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Makes a tensor that nothing has written yet.
    pub(super) fn tensor(&mut self) -> TensorId {
        self.names.push(None);
        TensorId(self.names.len() - 1)
    }

    /// Gives a tensor a name, unless it has one, another one has it, or the text has another meaning for it.
    pub(super) fn name(&mut self, tensor: TensorId, name: &str) {
        let is_plain = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_numbered = name.strip_prefix("v_").is_some();
        let is_free =
            is_plain && !is_numbered && !RESERVED.contains(&name) && !name.starts_with('_');
        if is_free && self.names[tensor.0].is_none() && self.taken.insert(name.to_string()) {
            self.names[tensor.0] = Some(name.to_string());
        }
    }

    /// Returns the name of a tensor.
    pub(super) fn name_of(&self, tensor: TensorId) -> String {
        let name = self.names[tensor.0].clone();
        name.unwrap_or_else(|| format!("v_{}", tensor.0))
    }

    /// Adds a tensor with its values.
    pub(super) fn data(&mut self, tensor: TensorId, shape: &[u64], source: Source, span: &Span) {
        let line = Line::Data(tensor, shape.to_vec(), source);
        self.lines.push((line, span.clone()));
    }

    /// Adds an operation.
    pub(super) fn operation(
        &mut self,
        result: TensorId,
        accumulator: &'static str,
        expression: &str,
        operands: &[TensorId],
        spec: String,
        span: &Span,
    ) {
        let line = Line::Operation {
            result,
            accumulator,
            expression: expression.to_string(),
            operands: operands.to_vec(),
            spec,
        };
        self.lines.push((line, span.clone()));
    }

    /// Adds the wish to show a tensor.
    pub(super) fn print(&mut self, tensor: TensorId, span: &Span) {
        self.lines.push((Line::Print(tensor), span.clone()));
    }

    /// Leaves out every other wish to show something.
    pub(super) fn print_only(&mut self, tensor: TensorId, span: &Span) {
        self.lines
            .retain(|(line, _)| !matches!(line, Line::Print(_)));
        self.print(tensor, span);
    }

    /// Writes the lines that are needed for what is shown, and returns the text with the place of each line.
    pub(super) fn text(&self) -> (String, Vec<Span>) {
        let (mut text, mut spans) = (String::new(), Vec::new());
        let needed = self.needed();
        for ((line, span), needed) in self.lines.iter().zip(needed) {
            if needed {
                self.write(line, &mut text);
                text.push('\n');
                spans.push(span.clone());
            }
        }
        (text, spans)
    }

    /// Tells for each line whether what is shown depends on it. A tensor may be written by several lines, all of which
    /// are needed.
    fn needed(&self) -> Vec<bool> {
        let mut tensors = vec![false; self.names.len()];
        let mut needed = vec![false; self.lines.len()];
        for (place, (line, _)) in self.lines.iter().enumerate().rev() {
            needed[place] = match line {
                Line::Data(tensor, ..) => tensors[tensor.0],
                Line::Operation {
                    result, operands, ..
                } => {
                    let is_needed = tensors[result.0];
                    if is_needed {
                        operands
                            .iter()
                            .for_each(|operand| tensors[operand.0] = true);
                    }
                    is_needed
                }
                Line::Print(tensor) => {
                    tensors[tensor.0] = true;
                    true
                }
            };
        }
        needed
    }

    fn write(&self, line: &Line, text: &mut String) {
        match line {
            Line::Data(tensor, shape, source) => {
                let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
                let sizes = match sizes.is_empty() {
                    true => "->".to_string(),
                    false => sizes.join(", "),
                };
                let _ = write!(text, "data {} : {sizes}", self.name_of(*tensor));
                match source {
                    Source::Values(values) => {
                        let values: Vec<String> =
                            values.iter().map(|value| number(*value)).collect();
                        let _ = write!(text, " = [{}]", values.join(", "));
                    }
                    Source::Range(count) => {
                        let _ = write!(text, " = range({count})");
                    }
                    Source::File(file) => {
                        let _ = write!(text, " from \"{file}\"");
                    }
                    // The elements of a ragged tensor are tensors of their own.
                    Source::Rows(_) | Source::Outside => {}
                }
            }
            Line::Operation {
                result,
                accumulator,
                expression,
                operands,
                spec,
            } => {
                let mut expression = expression.clone();
                for (place, operand) in operands.iter().enumerate() {
                    expression =
                        expression.replace(&format!("{{{place}}}"), &self.name_of(*operand));
                }
                let result = self.name_of(*result);
                let _ = write!(text, "{result} {accumulator} {expression} \"{spec}\"");
            }
            Line::Print(tensor) => {
                let _ = write!(text, "print {}", self.name_of(*tensor));
            }
        }
    }
}

/// Writes a number as lists have it.
fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "nan".to_string(),
        f64::INFINITY => "inf".to_string(),
        f64::NEG_INFINITY => "-inf".to_string(),
        _ => value.to_string(),
    }
}
