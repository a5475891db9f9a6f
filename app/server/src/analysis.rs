//! The inferred shapes of a text, by the places of the tensors in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge::{Inference, Options, Reading, Surroundings, Untried, shape_text};
use lozenge_lang::{Diagnostic, partly_written};
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Shape, TensorId};
use lozenge_vocabulary::program::{Program, Span, Tensor};

/// A text with its shapes. The inference thread continues to work on it while it is shown.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub(crate) text: Arc<str>,
    reading: Arc<Reading>,
    surroundings: Arc<Surroundings>,
}

/// Messages about a text whose proposed changes are still to be tested.
#[derive(Debug)]
pub struct Pending {
    text: Arc<str>,
    surroundings: Arc<Surroundings>,
    untried: Untried,
}

impl Pending {
    /// Returns the messages.
    pub fn messages(self) -> Vec<Diagnostic> {
        let options = Options::default();
        self.untried.tried(&self.text, &self.surroundings, &options)
    }
}

/// The tensors at a place.
pub(crate) struct Found {
    pub span: Span,
    /// More than one if a function or a loop is elaborated several times.
    pub tensors: Vec<TensorId>,
}

impl Analysis {
    /// Reads a text in its surroundings, and infers its shapes.
    ///
    /// # Errors
    /// The errors of the text.
    pub fn of(text: String, surroundings: Surroundings) -> Result<Analysis, Pending> {
        let text: Arc<str> = text.into();
        let surroundings = Arc::new(surroundings);
        match lozenge::read_shapes(&text, &surroundings, &Options::default()) {
            Ok(reading) => Ok(Analysis {
                text,
                reading: Arc::new(reading),
                surroundings,
            }),
            Err(untried) => Err(Pending {
                text,
                surroundings,
                untried,
            }),
        }
    }

    /// Returns the messages about a text whose shapes are inferred.
    pub fn rest(&self) -> Pending {
        Pending {
            text: self.text.clone(),
            surroundings: self.surroundings.clone(),
            untried: self.reading.rest(&self.text, &Options::default()),
        }
    }

    pub(crate) fn program(&self) -> &Program {
        &self.reading.program
    }

    pub(crate) fn inference(&self) -> &Inference {
        &self.reading.inference
    }

    pub(crate) fn shape(&self, tensor: TensorId) -> &Shape<Row> {
        &self.inference().shapes[tensor.0]
    }

    /// Returns the smallest part of the text around a byte that denotes a tensor.
    pub(crate) fn at(&self, byte: usize) -> Option<Found> {
        let around = |span: &Span| span.start <= byte && byte <= span.end;
        // A part is read by an operation, defined by a statement, or computed by an operation; the first of these that
        // applies is used.
        let mut parts: [BTreeMap<(usize, usize, usize), Vec<TensorId>>; 3] = Default::default();
        let mut note = |how: usize, span: &Span, tensor: TensorId| {
            let key = (span.len(), span.start, span.end);
            parts[how].entry(key).or_default().push(tensor);
        };
        for step in &self.program().steps {
            // A function of the prelude reads its own tensors at the place of its call.
            let read = step.slot_spans.iter().zip(&step.operation.slots).skip(1);
            for (span, tensor) in read.filter(|(span, _)| around(span) && **span != step.span) {
                note(0, span, *tensor);
            }
            // The first slot is the place of the name of the result.
            let (written, result) = (&step.slot_spans[0], step.operation.slots[0]);
            if around(written) && *written != step.span && is_name(&self.text[written.clone()]) {
                note(1, written, result);
            }
            if around(&step.span) {
                note(2, &step.span, step.operation.slots[0]);
            }
        }
        for (number, tensor) in self.program().tensors.iter().enumerate() {
            if around(&tensor.span) && self.is_named_at_its_place(tensor) {
                note(1, &tensor.span, TensorId(number));
            }
        }
        let smallest = parts.iter().filter_map(|part| part.keys().next()).min()?;
        let (_, start, end) = *smallest;
        let mut found = parts
            .iter()
            .enumerate()
            .filter_map(|(how, part)| Some((how, part.get(smallest)?)));
        let (how, tensors) = found.next()?;
        let tensors = match how {
            // Of the operations that a call creates at one place the last one computes its value.
            2 => self.last_of_each_call(tensors),
            _ => tensors.clone(),
        };
        Some(Found {
            span: start..end,
            tensors,
        })
    }

    fn last_of_each_call(&self, made: &[TensorId]) -> Vec<TensorId> {
        let steps = self.program().steps.iter();
        let mut last = BTreeMap::new();
        for step in steps.filter(|step| made.contains(&step.operation.slots[0])) {
            last.insert(step.call, step.operation.slots[0]);
        }
        last.into_values().collect()
    }

    /// Says whether the text at the place of a tensor is its name. Numbers and parts of expressions have no name, and
    /// the tensors of the prelude do not occur in the text.
    fn is_named_at_its_place(&self, tensor: &Tensor) -> bool {
        let written = &self.text[tensor.span.clone()];
        let mut parts = tensor.name.split(['.', '[']);
        is_name(written) && parts.any(|part| part == written)
    }

    /// Returns the definitions whose shape is not written, or leaves axes or sizes open, each with its shape, if this
    /// is the same each time the definition is elaborated.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        let partial: BTreeMap<usize, Span> = partly_written(&self.text)
            .into_iter()
            .map(|(name, shape)| (name.start, shape))
            .collect();
        let mut hints: BTreeMap<(usize, usize), Option<String>> = BTreeMap::new();
        for (number, tensor) in self.program().tensors.iter().enumerate() {
            let behind = self.text[tensor.span.end..].trim_start();
            let whole = behind.starts_with(':') && !partial.contains_key(&tensor.span.start);
            if whole || !self.is_named_at_its_place(tensor) {
                continue;
            }
            let shape = shape_text(self.shape(TensorId(number)));
            let key = (tensor.span.start, tensor.span.end);
            match hints.get(&key) {
                None => hints.insert(key, Some(shape)),
                Some(Some(same)) if *same == shape => None,
                Some(_) => hints.insert(key, None),
            };
        }
        let hint = |((start, end), shape): ((usize, usize), Option<String>)| {
            let shape = shape?;
            Some(match partial.get(&start) {
                None => Hint {
                    behind: start..end,
                    label: format!(": {shape}"),
                },
                Some(written) => Hint {
                    behind: written.clone(),
                    label: format!("is {shape}"),
                },
            })
        };
        hints.into_iter().filter_map(hint).collect()
    }
}

/// A shape to be shown behind a part of the text.
pub(crate) struct Hint {
    pub behind: Span,
    pub label: String,
}

/// Says whether a part of the text is a name.
fn is_name(written: &str) -> bool {
    let mut letters = written.chars();
    letters
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
}
