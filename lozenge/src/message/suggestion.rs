//! A message with changes that might mend the program. [`crate::reading`] tries them.

use lozenge_lang::{Diagnostic, Edit, Help};

/// Where a mistake is found. What a stage finds may hide what a later one would find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// In the text.
    #[default]
    Text,
    /// In the requirements of the operations.
    Shapes,
    /// When the shapes are closed.
    Closing,
    /// In loop nests, and in shapes that fit.
    Closed,
}

/// A message, and changes that might mend the program, the best first.
#[derive(Clone, Debug)]
pub(crate) struct Proposed {
    pub diagnostic: Diagnostic,
    pub candidates: Vec<Help>,
    pub stage: Stage,
}

impl From<Diagnostic> for Proposed {
    fn from(diagnostic: Diagnostic) -> Proposed {
        Proposed {
            diagnostic,
            candidates: Vec::new(),
            stage: Stage::default(),
        }
    }
}

impl Proposed {
    /// The same message with one more change that might mend the program; the edits may be in any order.
    pub(crate) fn or(mut self, text: impl Into<String>, mut edits: Vec<Edit>) -> Proposed {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        if !edits.is_empty() {
            self.candidates.push(Help {
                text: text.into(),
                edits,
            });
        }
        self
    }
}

impl Proposed {
    /// Whether it shows the same places with the same help. A mistake in a loop is found in each turn, where the same tensor has
    /// another name.
    fn shows_the_same(&self, other: &Proposed) -> bool {
        let (this, that) = (&self.diagnostic, &other.diagnostic);
        let places = this.labels == that.labels && this.elsewhere == that.elsewhere;
        places
            && this.code == that.code
            && this.help == that.help
            && self.candidates == other.candidates
    }
}

/// The messages, each mistake once.
pub(crate) fn once(problems: Vec<Proposed>) -> Vec<Proposed> {
    let mut told: Vec<Proposed> = Vec::new();
    for problem in problems {
        if !told.iter().any(|earlier| earlier.shows_the_same(&problem)) {
            told.push(problem);
        }
    }
    told
}
