//! A message with changes that might mend the program. [`crate::reading`] tries them.

use lozenge_lang::{Diagnostic, Edit, Help};

/// A message, and changes that might mend the program, the best first.
#[derive(Clone, Debug)]
pub(crate) struct Proposed {
    pub diagnostic: Diagnostic,
    pub candidates: Vec<Help>,
}

impl From<Diagnostic> for Proposed {
    fn from(diagnostic: Diagnostic) -> Proposed {
        Proposed {
            diagnostic,
            candidates: Vec::new(),
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
