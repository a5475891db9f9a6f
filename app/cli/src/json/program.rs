//! The results of inference as data: shapes, loop nests, refusals and derivations.

use lozenge::{Because, Reason, Refusal};
use lozenge_backend::Device;
use lozenge_solver::{Cited as Constraint, Derivation};
use lozenge_vocabulary::Tag;
use lozenge_vocabulary::program::{Program, Span};
use schemars::JsonSchema;
use serde::Serialize;

use super::cited::Policy;
use super::{Cited, Number, ShapeData};

/// The shapes and loop nests of a program: an answer of `infer`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct InferAnswer {
    /// The tensors, in the order of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tensors: Vec<TensorData>,
    /// The operations, in the order in which they run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub operations: Vec<OperationData>,
    /// The functions that take several output axes of an argument together, such as a layer that contracts two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub taken_together: Vec<NoteData>,
    /// With `--schedule`: the kernels that would run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub schedule: Vec<PartData>,
    /// The parameters that have axes only because of lines that do not read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub notes: Vec<GrownData>,
}

/// A row of a parameter without a written shape that has axes only because of a line that does not read the parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Grown", deny_unknown_fields)]
pub struct GrownData {
    /// The parameter.
    pub tensor: String,
    /// The row: `batch`, `input` or `output`.
    pub row: &'static str,
    /// The line that asks for the axes.
    pub line: usize,
    /// The shape of the parameter.
    pub shape: ShapeData,
    /// Its shape without that line and those below it.
    pub before: ShapeData,
    /// The same in words.
    pub text: String,
}

/// A fact about a program that is accepted. It is no warning: the program may well mean it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Note", deny_unknown_fields)]
pub struct NoteData {
    /// The line of the place, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// The fact, in one line.
    pub message: String,
}

/// The kernels of a section, or of lines outside of sections.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlannedPart", deny_unknown_fields)]
pub struct PartData {
    /// The line of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Its kernels, in their order.
    pub kernels: Vec<KernelData>,
}

/// Operations that run as one kernel, or an operation that takes a few kernels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlannedKernel", deny_unknown_fields)]
pub struct KernelData {
    /// The operations that it computes, in this order.
    pub operations: Vec<PlannedData>,
    /// The schedule: a line for each kernel.
    pub schedule: Vec<String>,
    /// The largest rounding error of its sums; missing if it adds up nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounding: Option<RoundingData>,
}

/// By how much sums may differ from those without rounding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rounding", deny_unknown_fields)]
pub struct RoundingData {
    /// The largest error, as a part of the sum of the magnitudes of the values.
    pub relative: f64,
    /// The largest number of roundings that a value passes.
    pub roundings: u64,
    /// The precision in which it is added: `f32` or `f64`.
    pub precision: String,
}

impl RoundingData {
    /// Writes the same for people.
    pub fn text(&self) -> String {
        let (relative, roundings, precision) = (self.relative, self.roundings, &self.precision);
        format!(
            "sums within {relative:.1e} of their magnitudes: {roundings} roundings in {precision}"
        )
    }
}

#[cfg(feature = "opencl")]
impl From<lozenge_backend::opencl::Rounding> for RoundingData {
    fn from(rounding: lozenge_backend::opencl::Rounding) -> RoundingData {
        RoundingData {
            relative: rounding.relative(),
            roundings: rounding.roundings,
            precision: rounding.computed.to_string(),
        }
    }
}

/// A tensor that is computed from others.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlannedOperation", deny_unknown_fields)]
pub struct PlannedData {
    /// The written tensor. An intermediate tensor of a contraction of several operands is called `sum'1`, `sum'2` and
    /// so on.
    pub result: String,
    /// The tensors that are read.
    pub operands: Vec<String>,
    /// The number of points of its loops; `null` beyond 64 bits.
    pub points: Option<u64>,
}

/// A tensor and its shape.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tensor", deny_unknown_fields)]
pub struct TensorData {
    /// Its name; a part of an expression is `name'1`.
    pub name: String,
    /// Its shape.
    pub shape: ShapeData,
    /// `leaf`, `param` or `interior`.
    #[schemars(with = "String")]
    pub tag: Tag,
}

/// An operation and its loop nest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Operation", deny_unknown_fields)]
pub struct OperationData {
    /// The tensor that it writes.
    pub result: String,
    /// The family of the operation.
    pub family: &'static str,
    /// The loop nest.
    pub loop_nest: lozenge_backend::LoopNest,
    /// The loop nest as text.
    pub text: String,
    /// For each loop that the result does not mention, which axes it drives.
    pub contracted: Vec<String>,
}

/// The refusal of a program, or the limit that was reached.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Refused {
    /// The reason why it did not run. A program whose shapes fit and that is refused all the same has messages under
    /// `errors` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<ProgramRefusal>,
    /// The limit behind `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The refusal of a program that has no shapes or no loop nests.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProgramRefusal", deny_unknown_fields)]
pub struct ProgramRefusal {
    /// The error, in one line.
    message: String,
    /// The rule that failed, where constraints cannot hold together.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    /// The constraints that cannot hold together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    chain: Vec<Required>,
    /// True if the chain is known to be subset-minimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimal: Option<bool>,
    /// The first policy step upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Policy>,
    /// The operation that has no loop nest, by its place in the program from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<usize>,
    /// The flag that raises the limit that was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<&'static str>,
}

/// A constraint that an operation of a program requires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Required {
    /// Its number among the constraints of the program, from 1.
    constraint: usize,
    /// The constraint in the notation.
    text: String,
    /// The constraint in words, about the tensors.
    says: String,
    /// The operation that requires it, by its place in the program from 1.
    operation: usize,
    /// The line of the operation, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
}

/// The derivations of values: an answer of `explain`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Derivations {
    /// The derivation of each of the values.
    pub derivations: Vec<Derived>,
    /// Of a program without `--var`: the parameters that have axes only because of lines that do not read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub notes: Vec<GrownData>,
}

/// A rule, or a refusal of shapes that fit: what `explain` answers of a name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Named {
    /// A rule.
    Rule {
        /// The rule, its printed line and an example.
        rule: lozenge::RuleEntry,
    },
    /// A refusal of shapes that fit.
    Check {
        /// The refusal, by its code.
        check: lozenge::CheckEntry,
    },
}

/// The derivation of a value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Derived {
    /// The name that was asked for: a variable, or the row of a tensor.
    pub name: String,
    /// The variable of the constraints.
    var: String,
    /// Its value in the notation.
    value: String,
    /// The steps, each after those that it uses.
    steps: Vec<DerivationStep>,
}

/// A step of a derivation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DerivationStep {
    /// The rule that concludes.
    rule: &'static str,
    /// True if it is a choice of policy.
    policy: bool,
    /// The conclusion, in the notation.
    text: String,
    /// The steps that it uses, by their numbers from 1.
    uses: Vec<usize>,
    /// The constraints that it uses: of a constraint set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    constraints: Vec<Cited>,
    /// The constraints that it uses: of a program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    requirements: Vec<Required>,
}

/// The times of kernels; `None` if the device measures none.
pub type Times = Option<Vec<TimeData>>;

/// The memory that a device took at most, in bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MemoryData {
    /// Altogether.
    most: u64,
    /// Of it, what tensors share that are needed only for a while, and not at the same time.
    most_shared: u64,
    /// The least that these could share: what is needed at one kernel, for the kernel that needs most.
    least_shared: u64,
    /// Of it, copies, and values that one kernel of an operation passes to the next.
    most_passed: u64,
}

impl MemoryData {
    /// Returns the memory that a device took, if it counts it.
    pub fn of(device: &dyn Device) -> Option<MemoryData> {
        let memory = device.memory()?;
        Some(MemoryData {
            most: memory.most,
            most_shared: memory.most_shared,
            least_shared: memory.least_shared,
            most_passed: memory.most_passed,
        })
    }
}

/// The time that the kernels took that compute some operations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KernelTime", deny_unknown_fields)]
pub struct TimeData {
    /// The names of the tensors that they compute.
    pub results: Vec<String>,
    /// The lines of the program that these stem from, from 1.
    pub lines: Vec<usize>,
    /// The number of times that they ran.
    pub runs: u64,
    /// The time of all runs on the device, in seconds.
    pub seconds: f64,
    /// The arithmetic operations of a run by its loop nests, a multiply-add counted as two.
    pub operations: f64,
    /// The bytes of the parts of tensors that a run reads and writes in the device's memory, each counted once.
    pub bytes: f64,
}

/// The output of a section.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Section", deny_unknown_fields)]
pub struct SectionData {
    /// The line of its header, from 1.
    pub line: usize,
    /// The number of steps in all its epochs.
    pub steps: u64,
    /// The number of rows of a batch, of a section with batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// The number of rows that fill no batch and are left out of each epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_over: Option<u64>,
    /// True where the run that is resumed had done all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub done_before: bool,
    /// A point for each epoch; of a section of steps some twenty points.
    pub curve: Vec<CurvePoint>,
}

/// The output of an epoch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CurvePoint {
    /// The number of epochs that are done.
    pub epoch: u64,
    /// The number of steps that are done.
    pub step: u64,
    /// The printed values, in the order of the program.
    pub printed: Vec<PrintedData>,
}

/// Something that was printed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Printed", deny_unknown_fields)]
pub struct PrintedData {
    /// The text behind `print`.
    pub text: String,
    /// The number; in a section its mean over the steps of the epoch, and behind `each epoch:` the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Number>,
    /// The shape of a tensor with axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeData>,
    /// The values of a tensor with axes, in the order of memory: the last axis runs fastest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Number>>,
}

/// The values of a tensor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Values", deny_unknown_fields)]
pub struct ValuesData {
    /// The shape of the tensor.
    pub shape: ShapeData,
    /// The values in the order of memory: the last axis runs fastest.
    pub values: Vec<Number>,
}

/// The largest difference between two devices.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Difference {
    /// The difference of two values.
    pub absolute: Number,
    /// The same in units in the last place of one value.
    pub ulps: u64,
    /// The tensor that has them.
    pub tensor: String,
    /// The largest finite absolute value of the tensor.
    pub largest_value: f64,
}

/// The program that an answer is about: what it was read from, and where things stand in it.
pub struct About<'a> {
    pub program: &'a Program,
    pub source: &'a str,
    /// The line and the column of a part of the text, from 1.
    pub place: &'a dyn Fn(&Span) -> (usize, usize),
}

impl Refused {
    /// Returns the answer for a refusal.
    pub fn of(refusal: ProgramRefusal) -> Refused {
        Refused {
            refusal: Some(refusal),
            reason: None,
        }
    }
}

impl ProgramRefusal {
    pub fn of(about: &About<'_>, refusal: &Refusal) -> ProgramRefusal {
        let mut data = ProgramRefusal {
            message: refusal.reason.to_string(),
            rule: None,
            chain: Vec::new(),
            minimal: None,
            policy: None,
            operation: None,
            flag: None,
        };
        match &refusal.reason {
            Reason::Shapes(conflict) => {
                data.rule = Some(conflict.refusal.rule.name());
                let chain = conflict.because.iter();
                data.chain = chain.map(|because| Required::of(about, because)).collect();
                data.minimal = Some(conflict.refusal.minimal);
                data.policy = conflict.refusal.policy.as_ref().map(Policy::from);
            }
            Reason::Projection { operation, .. } | Reason::Nest { operation, .. } => {
                data.operation = Some(operation + 1);
            }
            Reason::Limit(limit) => data.flag = Some(limit.flag),
            _ => {}
        }
        data
    }
}

impl Required {
    pub fn of(about: &About<'_>, because: &Because) -> Required {
        let origin = &because.origin;
        let (line, column) = (about.place)(&origin.span);
        let (program, source) = (about.program, about.source);
        let says = lozenge::requirement_words(program, source, origin.step, origin.requirement);
        Required {
            constraint: because.constraint.index + 1,
            text: because.constraint.text.clone(),
            says: says.unwrap_or_else(|| origin.words.clone()),
            operation: origin.step + 1,
            line,
            column,
        }
    }
}

impl Derived {
    /// Returns a derivation of a constraint set.
    pub fn of_set(derivation: &Derivation) -> Derived {
        Derived::with(derivation.var.to_string(), derivation, |cited| {
            (Some(Cited::from(cited)), None)
        })
    }

    /// Returns a derivation of a row of a program; `required` says which requirement a constraint is.
    pub fn of_program(
        name: &str,
        derivation: &Derivation,
        required: impl Fn(&Constraint) -> Option<Required>,
    ) -> Derived {
        Derived::with(name.to_string(), derivation, |cited| {
            (None, required(cited))
        })
    }

    fn with(
        name: String,
        derivation: &Derivation,
        cite: impl Fn(&Constraint) -> (Option<Cited>, Option<Required>),
    ) -> Derived {
        let step = |step: &lozenge_solver::DerivationStep| {
            let (constraints, requirements): (Vec<_>, Vec<_>) =
                step.constraints.iter().map(&cite).unzip();
            DerivationStep {
                rule: step.rule.name(),
                policy: step.policy,
                text: step.text.clone(),
                uses: step.uses.clone(),
                constraints: constraints.into_iter().flatten().collect(),
                requirements: requirements.into_iter().flatten().collect(),
            }
        };
        Derived {
            name,
            var: derivation.var.to_string(),
            value: derivation.value.clone(),
            steps: derivation.steps.iter().map(step).collect(),
        }
    }
}
