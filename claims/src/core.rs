//! The claims table: every numbered statement of the formal core, as printed, with the code that decides it.
//!
//! A statement is here in few words but with all its quantifiers and parentheses. What needs Z3 or the other crates to be
//! decided is decided in `lozenge-fuzz`, which adds its evidence to these entries.

mod case;
mod closing;
mod dimension_lattice;
pub mod divergence;
mod effort;
mod einsums;
mod extensions;
mod literal_rules;
mod locality;
mod metatheory;
mod metatheory_claims;
mod numbers;
mod orders;
mod orders_claims;
mod principality;
mod projections;
mod rank_models;
mod robustness;
mod substitutions;
pub mod survey;
mod writing;

use serde::Serialize;

pub use case::{Case, Decide};
pub use effort::Effort;
pub use numbers::NUMBERS;

/// How a claim was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Z3 found the negation unsatisfiable, for symbolic sizes and bases, at every shape within the bounds.
    Proved,
    /// Every instance in the scope was tried.
    Exhaustive,
    /// Random instances were tried.
    Sampled,
    /// There is an instance against it.
    Falsified,
    /// Nothing can be run: the scope says why.
    NotExecutable,
}

impl Evidence {
    /// The word of the JSON.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Proved => "proved",
            Evidence::Exhaustive => "exhaustive",
            Evidence::Sampled => "sampled",
            Evidence::Falsified => "falsified",
            Evidence::NotExecutable => "not-executable",
        }
    }
}

/// An instance against a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The instance, in the notation.
    pub text: String,
    /// What is seen on it.
    pub why: String,
}

/// What a decision found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Of which kind it is.
    pub evidence: Evidence,
    /// What was searched, or why nothing was.
    pub scope: String,
    /// How many instances were decided.
    pub instances: u64,
    /// The instance against the claim: present exactly when it is falsified.
    pub witness: Option<Witness>,
}

impl Finding {
    /// Every instance of a scope was tried: none is against the claim, or this one is.
    pub fn exhaustive(
        scope: impl Into<String>,
        instances: u64,
        witness: Option<Witness>,
    ) -> Finding {
        Finding::tried(Evidence::Exhaustive, scope.into(), instances, witness)
    }

    /// Random instances were tried.
    pub fn sampled(scope: impl Into<String>, instances: u64, witness: Option<Witness>) -> Finding {
        Finding::tried(Evidence::Sampled, scope.into(), instances, witness)
    }

    /// Z3 was asked for counterexamples, this many times.
    pub fn proved(bounds: impl Into<String>, queries: u64, witness: Option<Witness>) -> Finding {
        Finding::tried(Evidence::Proved, bounds.into(), queries, witness)
    }

    fn tried(
        evidence: Evidence,
        scope: String,
        instances: u64,
        witness: Option<Witness>,
    ) -> Finding {
        let evidence = if witness.is_some() {
            Evidence::Falsified
        } else {
            evidence
        };
        Finding {
            evidence,
            scope,
            instances,
            witness,
        }
    }

    /// Nothing can be run.
    pub fn not_executable(why: impl Into<String>) -> Finding {
        Finding {
            evidence: Evidence::NotExecutable,
            scope: why.into(),
            instances: 0,
            witness: None,
        }
    }
}

/// What a property says of one constraint set: `None` when it does not speak of it, `Some(Err)` with what is seen.
pub type Property = fn(&Case) -> Option<Result<(), String>>;

/// How a claim is decided.
#[derive(Clone, Copy)]
pub enum Check {
    /// By a function of its own.
    Function(fn(Effort) -> Finding),
    /// On every constraint set of the survey.
    Sets(Property),
    /// On random constraint sets, larger than those of the survey.
    Random(Property),
    /// By a proof or a hunt in `lozenge-fuzz`.
    Elsewhere,
}

/// A numbered statement.
#[derive(Clone, Copy)]
pub struct Claim {
    /// Its kind and printed number and part, as in `Prop. 2.10(ii)`; a repair is named after what it repairs.
    pub id: &'static str,
    /// The statement.
    pub statement: &'static str,
    /// Over what it quantifies.
    pub universe: &'static str,
    /// How it is decided.
    pub check: Check,
}

impl Claim {
    /// The id of the repair, if the table has one.
    pub fn repair(&self) -> Option<String> {
        let id = format!("{} repaired", self.id);
        all().iter().any(|claim| claim.id == id).then_some(id)
    }

    /// The printed number without its part: `Prop. 2.10` of `Prop. 2.10(ii)`.
    pub fn number(&self) -> &'static str {
        let end = self.id.find('(').unwrap_or(self.id.len());
        self.id[..end].trim_end_matches(" repaired").trim_end()
    }
}

/// A claim that a function decides.
const fn claim(
    id: &'static str,
    statement: &'static str,
    universe: &'static str,
    check: fn(Effort) -> Finding,
) -> Claim {
    Claim {
        id,
        statement,
        universe,
        check: Check::Function(check),
    }
}

/// A claim that is a property of one constraint set.
const fn sets(id: &'static str, statement: &'static str, property: Property) -> Claim {
    Claim {
        id,
        statement,
        universe: "constraint sets",
        check: Check::Sets(property),
    }
}

/// Every claim, in the order of the document; a repair follows what it repairs.
pub fn all() -> Vec<Claim> {
    [
        orders_claims::CLAIMS,
        substitutions::CLAIMS,
        literal_rules::CLAIMS,
        metatheory_claims::CLAIMS,
        closing::CLAIMS,
        projections::CLAIMS,
        extensions::CLAIMS,
    ]
    .concat()
}
