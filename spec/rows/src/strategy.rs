//! Def. 4.4: which constraint in flight is processed next. It is a parameter, so that tests can vary the order.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::cause::Pending;
use lozenge_vocabulary::constraint::Constraint;

/// A way to choose the next constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The oldest: a queue.
    #[default]
    First,
    /// The youngest: a stack.
    Last,
    /// A random one, by a generator with this seed.
    Random(u64),
    /// Growth first: row inequalities before everything, equalities last.
    Adversarial,
}

/// A strategy with the state that it needs during a run.
#[derive(Clone, Debug)]
pub struct Chooser {
    strategy: Strategy,
    state: u64,
}

impl Chooser {
    /// Returns the strategy at the start of a run.
    pub fn new(strategy: Strategy) -> Chooser {
        let state = if let Strategy::Random(seed) = strategy {
            seed
        } else {
            0
        };
        Chooser { strategy, state }
    }

    /// Takes the next constraint out of Φ.
    pub fn take(&mut self, pending: &mut VecDeque<Pending>) -> Option<Pending> {
        match self.strategy {
            Strategy::First => pending.pop_front(),
            Strategy::Last => pending.pop_back(),
            Strategy::Random(_) => {
                let length = pending.len() as u64;
                (length > 0)
                    .then(|| (self.random() % length) as usize)
                    .and_then(|at| pending.remove(at))
            }
            Strategy::Adversarial => {
                let at = (0..pending.len()).min_by_key(|at| urgency(&pending[*at].constraint))?;
                pending.remove(at)
            }
        }
    }

    /// Draws a number by SplitMix64: the same numbers on every machine.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn urgency(constraint: &Constraint) -> u8 {
    match constraint {
        Constraint::RowLe(..) => 0,
        Constraint::DimLe(..) => 1,
        Constraint::DimEq(..) => 2,
        Constraint::RowEq(..) => 3,
        Constraint::Window(..)
        | Constraint::Composite(..)
        | Constraint::Elements(..)
        | Constraint::Flat(..)
        | Constraint::AtLeast { .. } => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Cause;

    #[test]
    fn random_choices_are_those_of_splitmix64() {
        // The published first numbers of the generator from the seed 0.
        let mut chooser = Chooser::new(Strategy::Random(0));
        let numbers = [(); 3].map(|()| chooser.random());
        assert_eq!(
            numbers,
            [
                0xe220_a839_7b1d_cdaf,
                0x6e78_9e6a_a1b9_65f4,
                0x06c4_5d18_8009_454f
            ]
        );
    }

    #[test]
    fn the_adversary_grows_rows_first_and_equates_them_last() {
        let texts = ["<r> ~ []", "a = 3", "<r> <= []", "a <= 3"];
        let mut pending: VecDeque<Pending> = texts
            .map(|text| Pending {
                constraint: text.parse().unwrap(),
                cause: Cause::default(),
            })
            .into();
        let mut chooser = Chooser::new(Strategy::Adversarial);
        let taken = std::iter::from_fn(|| chooser.take(&mut pending));
        let taken: Vec<String> = taken.map(|p| p.constraint.to_string()).collect();
        assert_eq!(taken, ["<r> <= []", "a <= 3", "a = 3", "<r> ~ []"]);
    }
}
