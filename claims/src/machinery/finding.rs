//! The finding of a check: the kind of evidence, its bounds and scope, the number of decided instances, and a witness.

use serde::{Deserialize, Serialize};

use super::theorems::statement;

/// The kind of evidence for a claim, from the strongest to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Theorems of Coq without axioms say the statement, for rows of every length.
    Mechanised,
    /// Z3 showed that no counterexample exists, for symbolic sizes and bases, within the bounds that are named.
    Proved,
    /// Every instance in the scope was tried.
    Exhaustive,
    /// Random instances were tried.
    Sampled,
    /// An instance contradicts the claim.
    Falsified,
    /// Nothing can be run; the scope gives the reason.
    NotExecutable,
}

impl Evidence {
    /// Every kind, in the order of the legend.
    pub const ALL: [Evidence; 6] = [
        Evidence::Mechanised,
        Evidence::Proved,
        Evidence::Exhaustive,
        Evidence::Sampled,
        Evidence::Falsified,
        Evidence::NotExecutable,
    ];

    /// Returns the word that stands for it in JSON and in the tables.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Mechanised => "mechanised",
            Evidence::Proved => "proved",
            Evidence::Exhaustive => "exhaustive",
            Evidence::Sampled => "sampled",
            Evidence::Falsified => "falsified",
            Evidence::NotExecutable => "not-executable",
        }
    }

    /// Returns the meaning of this kind of evidence, for a legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Evidence::Mechanised => "a theorem of Coq without axioms, for rows of every length",
            Evidence::Proved => {
                "Z3 showed that no counterexample exists, for symbolic sizes and bases; bounds are named where there are any"
            }
            Evidence::Exhaustive => {
                "every instance in the scope was tried, and none is against the statement"
            }
            Evidence::Sampled => "random instances were tried, and none is against the statement",
            Evidence::Falsified => {
                "there is an instance against the statement as printed; a repaired statement follows"
            }
            Evidence::NotExecutable => "nothing can be run; the reason is given",
        }
    }
}

/// An instance that contradicts a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The instance, in the notation of the document.
    pub text: String,
    /// The contradiction between the instance and the claim.
    pub why: String,
}

impl Witness {
    /// Makes an instance, and in what way it contradicts the claim.
    pub fn new(text: impl Into<String>, why: impl Into<String>) -> Witness {
        Witness {
            text: text.into(),
            why: why.into(),
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of evidence.
    pub evidence: Evidence,
    /// The bounds of a proof that has any, in a few words: `flanks up to 3`.
    pub bounds: Option<String>,
    /// The scope of the search, or the reason for which nothing was searched.
    pub scope: String,
    /// The number of instances that were decided; for a proof, the number of questions that Z3 answered.
    pub instances: u64,
    /// The instance that contradicts the claim, present exactly when the claim is falsified.
    pub witness: Option<Witness>,
    /// The rules under which the instances were run, where rules were run.
    pub rules: Option<String>,
}

impl Finding {
    /// Returns the finding after trying every instance of a scope: none contradicts the claim, or this one does.
    pub fn exhaustive(
        scope: impl Into<String>,
        instances: u64,
        witness: Option<Witness>,
    ) -> Finding {
        Finding::tried(Evidence::Exhaustive, scope.into(), instances, witness)
    }

    /// Returns the finding after trying random instances: none contradicts the claim, or this one does.
    pub fn sampled(scope: impl Into<String>, instances: u64, witness: Option<Witness>) -> Finding {
        Finding::tried(Evidence::Sampled, scope.into(), instances, witness)
    }

    /// Returns the finding after asking Z3 this many questions for a counterexample: there is none, or this one.
    pub fn proved(scope: impl Into<String>, queries: u64, witness: Option<Witness>) -> Finding {
        Finding::tried(Evidence::Proved, scope.into(), queries, witness)
    }

    /// Returns the finding for a statement that these theorems say: what they state is in `proofs/statements.txt`.
    pub fn mechanised(theorems: &[&str]) -> Finding {
        let missing = theorems.iter().find(|name| statement(name).is_none());
        match missing {
            Some(name) => Finding::not_executable(format!("there is no theorem {name}")),
            None => Finding::tried(
                Evidence::Mechanised,
                theorems.join(", "),
                theorems.len() as u64,
                None,
            ),
        }
    }

    fn tried(
        evidence: Evidence,
        scope: String,
        instances: u64,
        witness: Option<Witness>,
    ) -> Finding {
        Finding {
            evidence: if witness.is_some() {
                Evidence::Falsified
            } else {
                evidence
            },
            bounds: None,
            scope,
            instances,
            witness,
            rules: None,
        }
    }

    /// Returns the finding for a claim for which nothing can be run.
    pub fn not_executable(why: impl Into<String>) -> Finding {
        Finding::tried(Evidence::NotExecutable, why.into(), 0, None)
    }

    /// Returns the same finding, for a proof with these bounds.
    pub fn within(self, bounds: impl Into<String>) -> Finding {
        Finding {
            bounds: Some(bounds.into()),
            ..self
        }
    }

    /// Returns the same finding, for instances that were run under these rules.
    pub fn under(self, rules: impl ToString) -> Finding {
        Finding {
            rules: Some(rules.to_string()),
            ..self
        }
    }

    /// Combines the findings of several checks of one claim. The first witness decides; without a witness the strongest
    /// evidence does, and the scope names the other kinds.
    pub fn together(findings: Vec<Finding>) -> Finding {
        let refuted = findings.iter().position(|f| f.witness.is_some());
        let strongest = || (0..findings.len()).min_by_key(|i| (findings[*i].evidence, *i));
        let Some(chosen) = refuted.or_else(strongest) else {
            return Finding::not_executable("the claim has no check");
        };
        let others = findings.iter().enumerate().filter(|(i, _)| *i != chosen);
        let others = others.map(|(_, other)| format!("; and {}", other.in_words()));
        let mut finding = findings[chosen].clone();
        finding.scope.extend(others);
        finding
    }

    fn in_words(&self) -> String {
        let under = self.rules.as_ref().map(|rules| format!(" {rules}"));
        let outcome = match &self.witness {
            Some(witness) => format!(", against it: {}", witness.text.replace('\n', "; ")),
            None => String::new(),
        };
        format!(
            "{}{}: {} ({} instances{outcome})",
            self.evidence.word(),
            under.unwrap_or_default(),
            self.scope,
            self.instances,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof() -> Finding {
        Finding::proved("any rows", 3, None).within("flanks up to 3")
    }

    #[test]
    fn the_strongest_evidence_is_kept_with_its_bounds_and_the_other_is_named() {
        let together = Finding::together(vec![Finding::exhaustive("few rows", 7, None), proof()]);
        assert_eq!(together.evidence, Evidence::Proved);
        assert_eq!(together.bounds.as_deref(), Some("flanks up to 3"));
        assert_eq!(
            together.scope,
            "any rows; and exhaustive: few rows (7 instances)"
        );
        assert_eq!(together.instances, 3);
    }

    #[test]
    fn one_witness_outweighs_a_proof() {
        let against = Finding::sampled("sets", 9, Some(Witness::new("x", "it is wrong")));
        let together = Finding::together(vec![proof(), against]);
        assert_eq!(together.evidence, Evidence::Falsified);
        assert_eq!(together.witness.map(|w| w.text).as_deref(), Some("x"));
    }
}
