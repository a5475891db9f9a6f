//! The features that an input reaches: the coverage that reports show, and by which a corpus is kept small.

use std::collections::BTreeSet;

use crate::outcome::Comparison;

/// The rules that fire on an input and the rule that fails on it, by their names, and what else distinguishes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// The rules that fire, in this order.
    pub fired: Vec<&'static str>,
    /// The rule that fails.
    pub failed: Option<&'static str>,
    /// Further features in words, such as the messages about a text.
    pub others: Vec<String>,
}

impl Features {
    /// Returns the features that distinguish an input from others: its outcome and answer, rules, pairs of successive
    /// rules, and the rest.
    pub fn with(self, examined: &Comparison) -> BTreeSet<String> {
        let mut all = BTreeSet::from([
            examined.outcome.key(),
            format!("answer {}", examined.answer),
        ]);
        all.extend(self.fired.iter().map(|rule| format!("fires {rule}")));
        let neighbours = self.fired.windows(2);
        all.extend(neighbours.map(|pair| format!("{} then {}", pair[0], pair[1])));
        all.extend(self.failed.map(|rule| format!("fails {rule}")));
        all.extend(self.others);
        all
    }
}
