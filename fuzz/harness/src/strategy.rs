//! The inputs of the targets as proptest strategies, drawn by the same generators and made smaller by the same steps.

use proptest::arbitrary::any;
use proptest::collection::vec;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::input::Input;
use crate::minimise::smaller;
use crate::target::Target;

/// The inputs of a target.
#[derive(Clone, Copy)]
pub struct Inputs(pub &'static Target);

impl std::fmt::Debug for Inputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "inputs of {}", self.0.name)
    }
}

impl Strategy for Inputs {
    type Tree = Shrinking;
    type Value = Input;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Inputs> {
        let bytes = vec(any::<u8>(), self.0.bytes).new_tree(runner)?.current();
        let input = self.0.drawn(bytes);
        let drawn = input.ok_or("the bytes make no input")?;
        Ok(Shrinking::of(drawn))
    }
}

/// An input that fails, and the smaller ones that are still to be tried.
#[derive(Clone, Debug)]
pub struct Shrinking {
    least: Input,
    tried: Option<Input>,
    untried: Vec<Input>,
}

impl Shrinking {
    fn of(least: Input) -> Shrinking {
        let mut untried = smaller(&least);
        untried.reverse();
        Shrinking {
            least,
            tried: None,
            untried,
        }
    }
}

impl ValueTree for Shrinking {
    type Value = Input;

    fn current(&self) -> Input {
        self.tried.as_ref().unwrap_or(&self.least).clone()
    }

    /// The current input fails: go on with inputs smaller than this one.
    fn simplify(&mut self) -> bool {
        if let Some(failing) = self.tried.take() {
            *self = Shrinking::of(failing);
        }
        self.tried = self.untried.pop();
        self.tried.is_some()
    }

    /// The current input does not fail: try the next one of the same step.
    fn complicate(&mut self) -> bool {
        let was_tried = self.tried.is_some();
        self.tried = self.untried.pop();
        was_tried && self.tried.is_some()
    }
}
