//! The verdict table: which verdicts of the parties about one constraint set are consistent with each other.

use std::time::Duration;

use lozenge_oracle::{Limits, Oracle};
use lozenge_solver::{Problem, Solver};
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};
use serde::Serialize;

use super::differences::{COMMITMENT, gap};
use super::{COMPLETE, RULES, SOLVER, Sets, Z3};
use crate::agreement::Agreement;
use crate::outcome::{Disagreement, Outcome};
use crate::subject::checked::Checked;
use crate::subject::party::{Party, Said};

/// The verdicts of the four parties on one constraint set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdicts {
    /// The transcribed rules, in policy mode.
    pub spec: Verdict,
    /// The production solver, in policy mode.
    pub solver: Verdict,
    /// The production solver, in complete mode.
    pub complete: Verdict,
    /// Z3.
    pub oracle: Verdict,
}

impl Verdicts {
    /// Reads the four from the answers about a set; `None` where a party did not answer.
    pub fn of(checked: &Checked) -> Option<Verdicts> {
        let verdict = |party: &Party<Sets>| Verdict::from_word(checked.word(party.name)?);
        Some(Verdicts {
            spec: verdict(&RULES)?,
            solver: verdict(&SOLVER)?,
            complete: verdict(&COMPLETE)?,
            oracle: verdict(&Z3)?,
        })
    }

    /// Returns the four, with the names of the parties.
    pub fn named(&self) -> [(&'static str, Verdict); 4] {
        [
            ("spec", self.spec),
            ("solver", self.solver),
            ("complete", self.complete),
            ("oracle", self.oracle),
        ]
    }

    /// Reads the verdict table. `sat` and `unsat` are claims about the set, whichever party makes them, so they
    /// contradict each other; `rejected` is a claim about policy, which only the policy modes may make.
    pub fn agreement(&self) -> Agreement {
        let says = |verdict| self.named().iter().any(|(_, v)| *v == verdict);
        let decides = |verdict: Verdict| matches!(verdict, Verdict::Sat | Verdict::Unsat);
        if says(Verdict::Sat) && says(Verdict::Unsat)
            || [self.complete, self.oracle].contains(&Verdict::Rejected)
        {
            Agreement::Disagree
        } else if says(Verdict::Unknown) || !decides(self.oracle) {
            Agreement::Unknown
        } else if says(Verdict::Sat) && says(Verdict::Rejected) {
            Agreement::PolicyGap
        } else {
            Agreement::Agree
        }
    }
}

/// Reads the table for the answers of the four.
pub(super) fn compare(said: &[Said<Sets>]) -> Outcome {
    let verdict = |party: &Party<Sets>| {
        let said = said.iter().find(|said| said.party == party.name);
        said.map_or(Verdict::Unknown, |said| said.answer.verdict)
    };
    let verdicts = Verdicts {
        spec: verdict(&RULES),
        solver: verdict(&SOLVER),
        complete: verdict(&COMPLETE),
        oracle: verdict(&Z3),
    };
    let differing = || {
        let all = said.iter();
        all.fold(
            Disagreement::new("verdicts that exclude each other"),
            |so_far, said| so_far.answered(said.party, &said.answer),
        )
    };
    match verdicts.agreement() {
        Agreement::Agree => Outcome::Agree,
        Agreement::PolicyGap | Agreement::StopsShort => Outcome::Differ(
            said.iter()
                .find_map(|said| gap(said.answer.gap?))
                .unwrap_or(&COMMITMENT),
        ),
        Agreement::Unknown => Outcome::Unknown("a party".into()),
        Agreement::Disagree => differing().into(),
    }
}

/// Asks the transcribed rules in policy mode: solved form with the policy's resolution of deferred equations.
pub fn spec(set: &ConstraintSet) -> Verdict {
    let untraced = Options {
        traced: false,
        ..Options::default()
    };
    solve(set, &untraced).verdict()
}

/// Asks the production solver in policy mode, up to the same point.
pub fn solver(set: &ConstraintSet) -> Verdict {
    Solver::new(Problem::from(set)).verdict()
}

/// Asks the production solver in complete mode.
pub fn complete(set: &ConstraintSet) -> Verdict {
    Solver::new(Problem::from(set)).decide().verdict
}

/// Makes Z3 with a limit on its time, in the marked order.
pub fn oracle(time: Duration) -> Oracle {
    Oracle::new(Order::Marked).with_limits(Limits {
        time,
        ..Limits::default()
    })
}

/// Returns the verdicts of all four.
pub fn verdicts(set: &ConstraintSet, oracle: &Oracle) -> Verdicts {
    Verdicts {
        spec: spec(set),
        solver: solver(set),
        complete: complete(set),
        oracle: oracle.sat(set).verdict(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::*;

    fn of(spec: Verdict, solver: Verdict, complete: Verdict, oracle: Verdict) -> Agreement {
        Verdicts {
            spec,
            solver,
            complete,
            oracle,
        }
        .agreement()
    }

    #[test]
    fn the_table() {
        assert_eq!(of(Sat, Sat, Sat, Sat), Agreement::Agree);
        assert_eq!(of(Unsat, Unsat, Unsat, Unsat), Agreement::Agree);
        assert_eq!(of(Rejected, Rejected, Sat, Sat), Agreement::PolicyGap);
        assert_eq!(of(Rejected, Rejected, Unsat, Unsat), Agreement::Agree);
        assert_eq!(of(Sat, Rejected, Sat, Sat), Agreement::PolicyGap);
        assert_eq!(of(Rejected, Unsat, Unsat, Unsat), Agreement::Agree);
        assert_eq!(of(Sat, Sat, Unknown, Sat), Agreement::Unknown);
    }

    #[test]
    fn everything_else_is_a_defect() {
        for wrong in [
            of(Unsat, Sat, Sat, Sat),
            of(Sat, Unsat, Sat, Sat),
            of(Sat, Sat, Unsat, Sat),
            of(Sat, Sat, Sat, Unsat),
            of(Rejected, Rejected, Unsat, Sat),
            of(Rejected, Rejected, Rejected, Sat),
            of(Sat, Sat, Sat, Rejected),
            of(Sat, Unknown, Unknown, Unsat),
        ] {
            assert_eq!(wrong, Agreement::Disagree);
        }
    }
}
