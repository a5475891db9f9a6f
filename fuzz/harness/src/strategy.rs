//! The inputs of the targets as proptest strategies, drawn by the same generators and made smaller by the same steps.

use proptest::arbitrary::any;
use proptest::collection::vec;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::subject::Subject;
use crate::subject::target::Target;

/// The inputs of a target.
pub struct Inputs<S: Subject>(pub &'static Target<S>);

impl<S: Subject> std::fmt::Debug for Inputs<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "inputs of {}", self.0.name)
    }
}

impl<S: Subject> Strategy for Inputs<S> {
    type Tree = Shrinking<S>;
    type Value = S::Instance;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Inputs<S>> {
        let bytes = vec(any::<u8>(), self.0.bytes).new_tree(runner)?.current();
        let drawn = self.0.drawn(bytes).ok_or("the bytes make no input")?;
        Ok(Shrinking::of(drawn))
    }
}

/// An input that fails, and the smaller ones that are still to be tried.
pub struct Shrinking<S: Subject> {
    least: S::Instance,
    tried: Option<S::Instance>,
    untried: Vec<S::Instance>,
}

impl<S: Subject> Shrinking<S> {
    fn of(least: S::Instance) -> Shrinking<S> {
        let mut untried = S::smaller(&least);
        untried.reverse();
        Shrinking {
            least,
            tried: None,
            untried,
        }
    }
}

impl<S: Subject> ValueTree for Shrinking<S> {
    type Value = S::Instance;

    fn current(&self) -> S::Instance {
        self.tried.as_ref().unwrap_or(&self.least).clone()
    }

    /// Notes that the current input fails: go on with inputs smaller than this one.
    fn simplify(&mut self) -> bool {
        if let Some(failing) = self.tried.take() {
            *self = Shrinking::of(failing);
        }
        self.tried = self.untried.pop();
        self.tried.is_some()
    }

    /// Notes that the current input does not fail: try the next one of the same step.
    fn complicate(&mut self) -> bool {
        let was_tried = self.tried.is_some();
        self.tried = self.untried.pop();
        was_tried && self.tried.is_some()
    }
}
