//! The verdict table: which answers of the parties are consistent with each other.

use std::fmt;

use lozenge_vocabulary::Verdict;
use serde::Serialize;

/// The verdicts of the four parties on one constraint set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
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

/// How the verdicts are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// All agree about satisfiability.
    Agree,
    /// Policy refuses a satisfiable set, in both policy solvers or in one of them (they commit in different orders).
    PolicyGap,
    /// A party reached a limit, and no two parties contradict each other. This never counts as agreement.
    Unknown,
    /// A defect in one of the parties.
    Disagree,
}

impl Agreement {
    /// Whether the verdicts are consistent; `None` when a limit was reached before that could be decided.
    pub fn consistent(self) -> Option<bool> {
        match self {
            Agreement::Agree | Agreement::PolicyGap => Some(true),
            Agreement::Unknown => None,
            Agreement::Disagree => Some(false),
        }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Agreement::Agree => "agree",
            Agreement::PolicyGap => "agree, with a policy gap",
            Agreement::Unknown => "unknown",
            Agreement::Disagree => "disagree",
        })
    }
}

impl Verdicts {
    /// The four, with the names of the parties.
    pub fn named(&self) -> [(&'static str, Verdict); 4] {
        [
            ("spec", self.spec),
            ("solver", self.solver),
            ("complete", self.complete),
            ("oracle", self.oracle),
        ]
    }

    /// Reads the verdict table. `sat` and `unsat` are claims about the set, whichever party makes them, so they contradict each
    /// other; `rejected` is a claim about policy, which only the policy modes may make.
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
