//! The form of the answers of `claims` and `campaign`: types from which `lozenge schema` generates schemas.
//!
//! The answers themselves are types of the packages `claims` and `fuzz`, which also keep them in files. The schemas are not derived there, because a
//! build without Z3 lacks these packages and must print the same schemas. `app/cli/tests/it/schemas.rs` validates every kind of answer
//! against them.

use std::collections::BTreeMap;

use schemars::JsonSchema;

/// What `claims` answers.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
pub enum Claims {
    /// The table, or a part of it.
    Table {
        /// The claims, in the order of the document.
        entries: Vec<Entry>,
    },
    /// What `--long --survey` finds.
    Survey {
        /// The claims that were tried on every set of a scope.
        entries: Vec<Surveyed>,
    },
    /// What `--long` finds: the strategies against each other.
    Strategies {
        /// How many sets were tried.
        sets: u64,
        /// How many of them the strategies disagree on.
        disagreements: u64,
    },
}

/// A claim that was tried on every set of a scope.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Surveyed {
    /// The kind, the printed number and part.
    id: String,
    /// How it was decided, in a word.
    evidence: String,
    /// What was searched.
    scope: String,
    /// How many sets were decided.
    instances: u64,
    /// A smallest set against it.
    witness: Option<String>,
}

/// A claim, decided.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Entry {
    /// The kind, the printed number and part.
    id: String,
    /// The section of the document.
    section: String,
    /// The statement, as printed or repaired.
    statement: String,
    /// How it was decided.
    evidence: Evidence,
    /// The bounds of a proof that has any.
    bounds: Option<String>,
    /// The rules under which instances were run, where rules were run.
    rules: Option<String>,
    /// What was searched, or why nothing was.
    scope: String,
    /// How many instances were decided; for proofs, how many questions Z3 answered.
    instances: u64,
    /// For a falsified statement, a minimal instance against it.
    witness: Option<String>,
    /// In what way the witness contradicts the statement.
    why: Option<String>,
    /// What each set of rules makes of the witness.
    readings: Vec<Read>,
    /// For a falsified statement, the id of the repaired one.
    repaired_by: Option<String>,
    /// For a repaired statement, the id of the printed one.
    repairs: Option<String>,
    /// How long it took, in seconds.
    seconds: f64,
}

/// How a claim was decided.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[expect(dead_code, reason = "describes answers")]
pub enum Evidence {
    /// Theorems of Coq without axioms say it, for rows of every length.
    Mechanised,
    /// Z3 showed that no counterexample exists, within the bounds that are named.
    Proved,
    /// Every instance in the scope was tried.
    Exhaustive,
    /// Random instances were tried.
    Sampled,
    /// There is an instance against the claim.
    Falsified,
    /// Nothing can be run; the scope gives the reason.
    NotExecutable,
}

/// What some rules make of a witness.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Read {
    /// The rules.
    rules: String,
    /// What they make of it, in a few words.
    outcome: String,
    /// Whether the witness refutes the statement under these rules; `null` when the statement does not apply.
    refutes: Option<bool>,
}

/// What `campaign` answers: where a campaign stands, or what is listed or replayed.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
pub enum Campaign {
    /// Where a campaign stands.
    State {
        /// The number from which all inputs are made.
        seed: u64,
        /// Which part of a campaign it is.
        shard: Shard,
        /// Seconds of all sessions together.
        seconds: f64,
        /// The counts of each target.
        tallies: BTreeMap<String, Tally>,
    },
    /// What `--list` lists.
    List {
        /// The targets.
        targets: Vec<Target>,
        /// The named differences.
        classes: Vec<Class>,
    },
    /// What `--replay` finds.
    Replay {
        /// The input in its readable form.
        input: String,
        /// For each target how the answers stand to each other.
        outcomes: BTreeMap<String, String>,
    },
}

/// A target.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Target {
    /// Its name.
    name: String,
    /// What is held against what.
    about: String,
}

/// A named difference.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Class {
    /// Its name.
    name: String,
    /// The target in which it was met.
    target: String,
    /// Why the difference is no defect of either party.
    argument: String,
    /// An input that shows it.
    witness: String,
}

/// A part of a campaign: every `of`-th input of each target, from the `number`-th on, counted from 0.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Shard {
    /// The first input of the part.
    number: u64,
    /// How many parts there are.
    of: u64,
}

/// The counts of one target.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Tally {
    /// The inputs examined.
    inputs: u64,
    /// Those that got past the first step.
    useful: u64,
    /// How often each answer came.
    answers: BTreeMap<String, u64>,
    /// How often each outcome came: agreement, named differences, `unknown`.
    outcomes: BTreeMap<String, u64>,
    /// The limits behind `unknown`.
    limits: BTreeMap<String, u64>,
    /// How many inputs there were of each size.
    sizes: BTreeMap<String, u64>,
    /// How often each rule fired, on one input in sixteen.
    fired: BTreeMap<String, u64>,
    /// How often each rule failed, on one input in sixteen.
    failed: BTreeMap<String, u64>,
    /// The first disagreements.
    found: Vec<Found>,
    /// Seconds that the target ran.
    seconds: f64,
    /// Seconds and inputs after some of the rounds.
    samples: Vec<(f64, u64)>,
}

/// A disagreement.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Found {
    /// The number of the input.
    index: u64,
    /// The input in its readable form.
    input: String,
    /// What disagrees.
    disagreement: Disagreement,
    /// Whether a party never answered.
    stuck: bool,
}

/// Two answers that cannot both be right.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Disagreement {
    /// Which check failed.
    check: String,
    /// What each party said.
    answers: Vec<(String, String)>,
}
