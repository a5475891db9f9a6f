//! Rem. 6.7(iv): placements and word-equation witnesses as branches. The production solver's complete mode searches them;
//! whether it decides is asked of Z3, which knows no rule.

use std::time::Duration;

use crate::core::{Effort, Finding, Witness};
use lozenge_testkit::sampling::{LARGER, set};
use lozenge_vocabulary::Verdict;

use lozenge_fuzz::parties::{complete, oracle};

/// Random sets, decided by both.
pub fn hunt(effort: Effort) -> Finding {
    let tried = effort.samples() / 20;
    let oracle = oracle(Duration::from_secs(5));
    let (mut decided, mut unknown) = (0, 0);
    for index in 0..tried {
        let set = set(&LARGER, index);
        let (ours, theirs) = (complete(&set), oracle.sat(&set).verdict());
        if ours == Verdict::Unknown || theirs == Verdict::Unknown {
            unknown += 1;
            continue;
        }
        decided += 1;
        if ours != theirs {
            let why = format!("{ours} by the search over branches, {theirs} by Z3");
            let text = set.to_string().trim_end().to_string();
            return Finding::sampled(
                "random constraint sets",
                decided,
                Some(Witness { text, why }),
            );
        }
    }
    let scope = format!(
        "{tried} random sets of 2 to 4 constraints by the solver's complete mode and by Z3: {decided} decided by both, {unknown} left \
         unknown by one"
    );
    Finding::sampled(scope, decided, None)
}
