//! What the answers of the commands look like that are put together from the answers of other packages: types from which
//! the answers of `lozenge schema` are generated.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::{Cited, Word};

/// A body without keys.
#[derive(JsonSchema)]
pub struct Nothing {}

/// A line that `batch` answers. It has no envelope.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
pub enum BatchLine {
    /// The answer for one constraint set.
    Answered(BatchAnswer),
    /// The answer to a line that cannot be used.
    Refused(BatchError),
}

/// The answer for one constraint set.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct BatchAnswer {
    /// The `id` that was asked.
    id: Value,
    /// The transcribed rules, policy mode.
    spec: Word,
    /// The production solver, policy mode.
    solver: Word,
    /// The production solver, complete mode.
    complete: Word,
    /// Z3.
    oracle: Word,
    /// What every solution shares: dimension variables with their values, `rank <r>` with a number of axes.
    forced: BTreeMap<String, Value>,
    /// The limit that was reached before everything in `forced` was known. Absent when all of it is known.
    #[schemars(skip_serializing_if = "Option::is_none")]
    forced_incomplete: Option<Incomplete>,
    /// Whether the four are consistent; `null` where one says `unknown` and nobody contradicts anybody.
    agree: Option<bool>,
}

/// What hides a part of `forced`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Incomplete {
    /// The limit.
    limit: String,
    /// The variables that are not decided; absent when none is.
    #[schemars(skip_serializing_if = "Option::is_none")]
    variables: Option<Vec<String>>,
}

/// The answer to a line that cannot be used.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct BatchError {
    /// The `id` that was asked, where one could be read.
    id: Value,
    /// What is wrong with the line.
    error: BatchMessage,
}

/// What is wrong with a line.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct BatchMessage {
    /// What is wrong.
    message: String,
}

/// What `bench` answers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Bench {
    /// The families that were measured.
    families: Vec<Family>,
}

/// What a family cost.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Family {
    /// Its name.
    family: String,
    /// From small to large.
    measurements: Vec<Measurement>,
    /// The exponent of growth of the time, fitted to the sizes of at least 10000.
    exponent: Option<f64>,
}

/// What one problem cost.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Measurement {
    /// The number of constraints.
    constraints: usize,
    /// Seconds to solve and close; the least of the runs.
    seconds: f64,
    /// Bytes of state a constraint, beyond the input.
    bytes_each: f64,
    /// Whether it was solved and closed.
    solved: bool,
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
        /// Seconds of all sessions together.
        seconds: f64,
        /// The counts of each target.
        tallies: BTreeMap<String, Tally>,
    },
    /// What `--list` lists.
    List {
        /// The targets.
        targets: Vec<Map<String, Value>>,
        /// The named differences.
        classes: Vec<Map<String, Value>>,
    },
    /// What `--replay` finds.
    Replay {
        /// The input in its readable form.
        input: String,
        /// For each target how the answers stand to each other.
        outcomes: BTreeMap<String, String>,
    },
}

/// The counts of one target.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Tally {
    /// The inputs examined.
    inputs: u64,
    /// Those that got past the first step.
    useful: u64,
    /// How often each outcome came: agreement, named differences, `unknown`.
    outcomes: BTreeMap<String, u64>,
}

/// What `check` answers: the verdict of each party, and whether they are consistent.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Check {
    /// The transcribed rules, policy mode.
    spec: Word,
    /// The production solver, policy mode.
    solver: Word,
    /// The production solver, complete mode.
    complete: Word,
    /// Z3.
    oracle: Word,
    /// Whether they are consistent; `null` where one says `unknown` and nobody contradicts anybody.
    agree: Option<bool>,
    /// How they stand to each other.
    class: String,
    /// Of a program with shapes: how the parties' shapes and loop nests stand to each other.
    #[schemars(skip_serializing_if = "Option::is_none")]
    shapes: Option<ComparedShapes>,
}

/// How the shapes and loop nests that the parties infer stand to each other.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct ComparedShapes {
    /// Whether the transcribed rules infer the same.
    spec: Option<bool>,
    /// Whether the oracle says that the shapes are a solution.
    oracle: Option<bool>,
    /// The tensors whose shapes differ; `null` where the rules have none.
    differing_shapes: Option<Vec<String>>,
    /// The results of the operations whose loop nests differ; `null` where the rules have none.
    differing_loop_nests: Option<Vec<String>>,
}

/// What `claims` answers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Claims {
    /// The claims, in the order of the document.
    entries: Vec<Map<String, Value>>,
}

/// What `constraints` answers: what the operations of a program require.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Constraints {
    /// The constraints, in the order of the program.
    constraints: Vec<Stated>,
    /// All of them as a set in the notation.
    rows: String,
}

/// A constraint that an operation of a program states.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Stated {
    /// Its number, from 1.
    number: usize,
    /// The constraint in the notation.
    constraint: String,
    /// The operation that states it, by its place in the program, from 1.
    operation: usize,
    /// What it says, in words.
    says: String,
    /// The line of the operation, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
}

/// What `corpus` answers: how many files or inputs for each target.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Corpus {
    /// The number for each target.
    #[schemars(flatten)]
    counts: BTreeMap<String, Value>,
}

/// What `oracle` answers. A question has further keys of its own.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Oracle {
    /// The reading of `<=` between rows.
    #[schemars(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    /// How many axes of a row were looked at.
    #[schemars(skip_serializing_if = "Option::is_none")]
    window: Option<u32>,
    /// The question that is answered.
    #[schemars(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// Constraints that exclude each other, of a question for a core.
    #[schemars(skip_serializing_if = "Option::is_none")]
    core: Option<Vec<Cited>>,
    #[schemars(flatten)]
    more: Map<String, Value>,
}

/// What `trace` answers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Trace {
    /// The steps of the rules, in order.
    steps: Vec<Map<String, Value>>,
    /// Why there is no solution, where there is none.
    failure: Option<Map<String, Value>>,
    /// The greatest solution, where there is one.
    solution: Option<BTreeMap<String, String>>,
}
