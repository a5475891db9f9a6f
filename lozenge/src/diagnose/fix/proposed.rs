//! A message with changes that might fix the program. [`super::trial`] tests them.

use lozenge_lang::{Diagnostic, Edit, Help, Label};
use lozenge_vocabulary::program::Program;

/// The stage at which a mistake is found. A mistake of one stage may hide mistakes of a later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The text.
    #[default]
    Text,
    /// The requirements of the operations.
    Shapes,
    /// The closing of the shapes.
    Closing,
    /// The loop nests, and shapes that fit.
    Closed,
}

/// A message, and changes that might fix the program, the best first.
#[derive(Clone, Debug)]
pub(crate) struct Proposed {
    pub diagnostic: Diagnostic,
    pub candidates: Vec<Candidate>,
    pub stage: Stage,
}

/// A change that might fix a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub help: Help,
    /// True if the help says which other cells a spec reads or writes afterwards. A change that does so without saying
    /// it is not proposed.
    pub moves: bool,
}

impl From<Help> for Candidate {
    fn from(help: Help) -> Candidate {
        Candidate { help, moves: false }
    }
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
    /// Returns the same message with one more change that might fix the program; the edits may be in any order.
    pub(crate) fn or(self, text: impl Into<String>, edits: Vec<Edit>) -> Proposed {
        self.or_candidate(text.into(), edits, false)
    }

    /// Returns the same message with one more change that might fix the program. Its text says which other cells are
    /// read or written then.
    pub(crate) fn or_moving(self, text: impl Into<String>, edits: Vec<Edit>) -> Proposed {
        self.or_candidate(text.into(), edits, true)
    }

    fn or_candidate(mut self, text: String, mut edits: Vec<Edit>, moves: bool) -> Proposed {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        if !edits.is_empty() {
            let help = Help { text, edits };
            self.candidates.push(Candidate { help, moves });
        }
        self
    }
}

impl Proposed {
    /// Returns the same message with more changes that might fix the program.
    pub(crate) fn or_all(mut self, candidates: Vec<Candidate>) -> Proposed {
        self.candidates.extend(candidates);
        self
    }

    /// Tells whether two messages are duplicates. A mistake in the body of a loop is found once per iteration, where
    /// the same tensor has another name. A mistake in a function is found once per call; it is reported once if one
    /// change fixes all of them.
    fn shows_the_same(&self, other: &Proposed) -> bool {
        let (this, that) = (&self.diagnostic, &other.diagnostic);
        if !self.candidates.is_empty()
            && self.candidates == other.candidates
            && this.code == that.code
            && this.span() == that.span()
        {
            return true;
        }
        let is_help = match (&this.help, &that.help) {
            (Some(one), Some(other)) => {
                one.edits == other.edits && without_turns(&one.text) == without_turns(&other.text)
            }
            (one, other) => one == other,
        };
        are_the_same(&this.labels, &that.labels)
            && this.elsewhere == that.elsewhere
            && this.code == that.code
            && is_help
            && self.candidates == other.candidates
    }
}

/// Tells whether labels stand at the same places with the same texts, but for the iterations of loops in the names of
/// tensors.
fn are_the_same(labels: &[Label], others: &[Label]) -> bool {
    labels.len() == others.len()
        && labels.iter().zip(others).all(|(one, other)| {
            one.span() == other.span() && without_turns(&one.text) == without_turns(&other.text)
        })
}

/// Returns a text in which the names of tensors do not say in which iteration of a loop they were made: `h` for `h.3`
/// and `h.3.1`.
fn without_turns(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_name = first.is_alphabetic() || first == '_';
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || (!is_name && c == '.');
        let word = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        let word = word.max(first.len_utf8());
        kept += &rest[..word];
        rest = &rest[word..];
        while is_name && let Some(number) = rest.strip_prefix('.') {
            let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
            if after.len() == number.len() {
                break;
            }
            rest = after;
        }
    }
    kept
}

/// Returns the messages, each mistake once.
pub(crate) fn once(problems: Vec<Proposed>) -> Vec<Proposed> {
    let mut told: Vec<Proposed> = Vec::new();
    for problem in problems {
        if !told.iter().any(|earlier| earlier.shows_the_same(&problem)) {
            told.push(problem);
        }
    }
    told
}

/// Returns the messages as those of a stage.
pub(crate) fn at(stage: Stage, mut problems: Vec<Proposed>) -> Vec<Proposed> {
    for problem in &mut problems {
        problem.stage = stage;
    }
    problems
}

/// Returns the message about an operation, with the call of the function that made it.
pub(crate) fn called(program: &Program, call: Option<usize>, mut problem: Proposed) -> Proposed {
    let Some(call) = call.and_then(|call| program.calls.get(call)) else {
        return problem;
    };
    let labels = &mut problem.diagnostic.labels;
    if labels.iter().all(|label| label.span() != call.span) {
        let text = format!("called here, `{}`", call.function);
        labels.push(Label::new(call.span.clone(), text));
    }
    problem
}
