//! The form of answers that are composed of answers of other packages: types from which `lozenge schema` generates schemas.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::Word;
use super::oracle::ForcedValue;

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
    /// The answer for an input of another subject.
    Other(BatchOther),
    /// The answer to a line that cannot be used.
    Refused(BatchError),
}

/// The answer for an input of another subject.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct BatchOther {
    /// The `id` that was asked.
    id: Value,
    #[schemars(flatten)]
    checked: CheckOther,
}

/// The answer for one constraint set.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
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
    forced: BTreeMap<String, ForcedValue>,
    /// The limit that was reached before everything in `forced` was known. Absent when all of it is known.
    #[schemars(skip_serializing_if = "Option::is_none")]
    forced_incomplete: Option<Incomplete>,
    /// Why a party says `unknown`, with the flag that raises its limit; absent where none does.
    #[schemars(skip_serializing_if = "Option::is_none")]
    limits: Option<BTreeMap<String, String>>,
    /// Whether the four are consistent; `null` where one says `unknown` and nobody contradicts anybody.
    agree: Option<bool>,
}

/// What hides a part of `forced`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
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
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct BatchError {
    /// The `id` that was asked, where one could be read.
    id: Value,
    /// What is wrong with the line.
    error: BatchMessage,
}

/// What is wrong with a line, and where in its `rows`, if there.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct BatchMessage {
    /// What is wrong.
    message: String,
    /// What would have been right there.
    #[schemars(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// The line of `rows`, from 1.
    #[schemars(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The column, in characters from 1.
    #[schemars(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The bytes of `rows` at fault.
    #[schemars(skip_serializing_if = "Option::is_none")]
    span: Option<Bytes>,
}

/// A range of bytes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Bytes {
    /// The first.
    start: usize,
    /// The one after the last.
    end: usize,
}

/// What `bench` answers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Bench {
    /// The families that were measured.
    families: Option<Vec<Family>>,
    /// With `backend`: what kernels cost.
    backend: Option<BackendBench>,
    /// With `gradual`: the tables of the paper on gradual types.
    #[schemars(skip_serializing_if = "Option::is_none")]
    gradual: Option<super::gradual_tables::Tables>,
}

/// What `tune` answers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Tune {
    /// The device.
    device: String,
    /// The kernels of single operations, that which takes most time first. Those that were not reached have no timing.
    kernels: Vec<TunedKernel>,
}

/// A kernel and its plans.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct TunedKernel {
    /// What it computes.
    computes: String,
    /// The schedules of the default plan.
    default: Vec<String>,
    /// The time of the default plan.
    timing: Option<Timing>,
    /// The schedules of the plan that is taken in its place, if one is.
    better: Option<Vec<String>>,
    /// Its time.
    better_timing: Option<Timing>,
    /// How many plans were measured beside the default.
    measured: usize,
}

/// The seconds that a kernel takes, over some rounds.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Timing {
    /// The least.
    least: f64,
    /// The median.
    median: f64,
    /// The most.
    most: f64,
    /// In how many rounds it was measured.
    rounds: usize,
}

/// What `devices` answers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Devices {
    /// The OpenCL devices, in the order of their numbers.
    devices: Vec<OpenClDevice>,
}

/// An OpenCL device.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct OpenClDevice {
    /// Its number.
    number: usize,
    /// Its name.
    name: String,
    /// Its platform.
    platform: String,
    /// `cpu`, `gpu` or `accelerator`.
    kind: String,
    /// How many compute units it has.
    units: u32,
    /// Bytes of its memory.
    memory: u64,
    /// Bytes of the local memory of a group.
    local_memory: u64,
    /// Whether it computes in 64 bits.
    double: bool,
    /// With `--measure`: operations a second of chains of multiply-adds, each counted as two.
    multiply_add: Option<f64>,
    /// With `--measure`: bytes a second, read and written, of a copy of 64 MB.
    copy_64_mb: Option<f64>,
    /// The same of 256 MB.
    copy_256_mb: Option<f64>,
}

/// What kernels of programs cost.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct BackendBench {
    /// The device.
    device: Option<String>,
    /// The programs that were measured, or listed.
    workloads: Vec<Workload>,
    /// The time of a launch of a small kernel among many, if all programs were measured.
    launch: Option<f64>,
    /// The time of such a launch by the driver alone.
    launch_of_driver: Option<f64>,
}

/// A program that is measured.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Workload {
    /// Its name.
    name: String,
    /// Its text.
    program: String,
    /// The tensor that it computes.
    result: String,
    /// Floating-point operations of a run, a multiply-add counted as two; 0 where bytes count.
    flops: f64,
    /// Bytes of operands and result; 0 where operations count.
    bytes: f64,
    /// The speed that the workload is required to reach, in words; empty where none is required.
    figure: String,
    /// The same in NumPy.
    numpy: String,
    /// The same in PyTorch.
    torch: String,
    /// The least time of a run.
    seconds: Option<f64>,
    /// Operations a second of chains of multiply-adds, or bytes a second of a copy, in the same seconds.
    ceiling: Option<f64>,
    /// The share of the ceiling that is reached.
    of_ceiling: Option<f64>,
    /// The same from the time that threads were on a core.
    of_ceiling_by_cpu: Option<f64>,
    /// Whether the ceilings before and after differ by more than a sixth, however often it was repeated.
    busy: Option<bool>,
    /// How many operations of the program run.
    operations: Option<usize>,
}

/// What a family cost.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
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
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Measurement {
    /// The number of constraints.
    constraints: usize,
    /// Seconds to solve and close; the least of the runs.
    seconds: f64,
    /// Seconds of the very first solve, which asks the system for all of its memory.
    first_seconds: f64,
    /// Nanoseconds a constraint.
    nanoseconds_each: f64,
    /// Millions of constraints a second.
    millions_per_second: f64,
    /// Bytes of state a constraint, beyond the input.
    bytes_each: f64,
    /// Seconds of a pass that only reads the constraints as the solver gets them.
    read_seconds: f64,
    /// Solving over that.
    read_ratio: f64,
    /// Seconds of a pass that only reads the constraints as terms with names.
    vocabulary_seconds: f64,
    /// Solving over that.
    vocabulary_ratio: f64,
    /// Whether it was solved and closed.
    solved: bool,
}

/// The answer of each party about an input of another subject in a word, by its name, and whether they are consistent.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct CheckOther {
    /// Whether they are consistent; `null` where one reached a limit and nobody contradicts anybody.
    agree: Option<bool>,
    /// How they stand to each other.
    class: Class,
    /// The answers, and the limits behind those that are unknown.
    #[schemars(flatten)]
    answers: BTreeMap<String, AnswerOrLimits>,
}

/// The answer of a party, or limits by the parties that reached them.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
enum AnswerOrLimits {
    /// An answer in a word, or whether something holds.
    Word(String),
    /// Whether something holds.
    Holds(Option<bool>),
    /// The limits.
    Limits(BTreeMap<String, String>),
    /// Values by name, each the same in every solution.
    Values(BTreeMap<String, SizeOrShape>),
    /// The errors of the envelope, with which these keys are merged.
    Errors(Vec<super::Message>),
}

/// The value of a name.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes answers")]
enum SizeOrShape {
    /// A size.
    Size(i64),
    /// The sizes of a shape.
    Shape(Vec<i64>),
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
    /// Why a party says `unknown`, or why a program has no shapes to compare (`shapes`), with the flag that raises the limit.
    #[schemars(skip_serializing_if = "Option::is_none")]
    limits: Option<BTreeMap<String, String>>,
    /// Whether they are consistent; `null` where one says `unknown` and nobody contradicts anybody.
    agree: Option<bool>,
    /// How they stand to each other.
    class: Class,
    /// Of a program with shapes: how the parties' shapes and loop nests stand to each other.
    #[schemars(skip_serializing_if = "Option::is_none")]
    shapes: Option<ComparedShapes>,
    /// Of a set with declarations, and of a program that a party refuses to close: how the closings stand to each other.
    #[schemars(skip_serializing_if = "Option::is_none")]
    closing: Option<ComparedClosing>,
    /// Of a program that has shapes and no loop nests: why, and whether the rules have none either.
    #[schemars(skip_serializing_if = "Option::is_none")]
    without_loop_nests: Option<WithoutNests>,
}

/// How the closings of the transcribed rules and of the production solver stand to each other.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct ComparedClosing {
    /// Whether they are consistent; `null` where a limit was reached.
    agree: Option<bool>,
    /// The same in words.
    says: String,
}

/// Why there are no loop nests.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct WithoutNests {
    /// The message of the pipeline.
    says: String,
    /// Whether the transcribed rules have none either; `null` where they reached their limit.
    spec: Option<bool>,
}

/// How the verdicts of the parties stand to each other.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[expect(dead_code, reason = "describes answers")]
pub enum Class {
    /// All say the same of satisfiability.
    Agree,
    /// Policy refuses a set that has a solution.
    PolicyGap,
    /// The printed rules of a document stop short, or accept what is refused.
    StopsShort,
    /// A party reached a limit, and nobody contradicts anybody.
    Unknown,
    /// A defect in one of the parties.
    Disagree,
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

/// What `constraints` answers: the constraints that the operations of a program state.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Constraints {
    /// The constraints, in the order of the program.
    constraints: Vec<Asserted>,
    /// All of them as a set in the notation.
    rows: String,
}

/// A constraint that an operation of a program states.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Asserted {
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
    counts: BTreeMap<String, u64>,
}

/// What `trace` answers.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes answers")]
pub struct Trace {
    /// The steps of the rules, in order.
    steps: Vec<TraceEntry>,
    /// Why there is no solution, where there is none.
    failure: Option<Failure>,
    /// The greatest solution, where there is one.
    solution: Option<BTreeMap<String, String>>,
    /// The limit behind `unknown`, with the flag that raises it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
}

/// A step of the rules. Constraints are in the notation.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct TraceEntry {
    /// The rule.
    rule: String,
    /// The constraint that it consumed; a closing step consumes none.
    constraint: Option<String>,
    /// The input constraints behind it, by their numbers from 0.
    inputs: Vec<usize>,
    /// What it emitted.
    emitted: Vec<String>,
    /// The variable that it bound, and to what.
    bound: Option<(String, String)>,
    /// What it stored.
    stored: Option<String>,
}

/// Why the rules fail.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Failure {
    /// The rule that failed.
    rule: String,
    /// The constraint on which it failed, as it then was.
    constraint: String,
    /// What is wrong, in words.
    reason: String,
    /// The input constraints that led there, by their numbers from 0.
    inputs: Vec<usize>,
    /// The policy commitments upstream, oldest first.
    commitments: Vec<Commitment>,
}

/// A policy step that was taken.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "describes answers")]
pub struct Commitment {
    /// The policy rule.
    rule: String,
    /// The variable.
    var: String,
    /// Its value.
    value: String,
    /// The input constraints that asked for it, by their numbers from 0.
    inputs: Vec<usize>,
}
