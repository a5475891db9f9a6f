//! How the operator of an assignment and the function of a loop nest are written in JSON.

use schemars::JsonSchema;

/// An assignment operator.
#[derive(JsonSchema)]
#[schemars(rename = "Accumulator", deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "describes the JSON of the vocabulary's `Accumulator`"
)]
pub struct AccumulatorData {
    /// Whether what the tensor held is erased.
    erase: bool,
    /// How results are combined with what the tensor holds.
    combine: CombineData,
}

/// How results are combined.
#[derive(JsonSchema)]
#[schemars(rename = "Combine", rename_all = "lowercase")]
#[expect(dead_code, reason = "describes the JSON of the vocabulary's `Combine`")]
enum CombineData {
    Replace,
    Add,
    Subtract,
    Max,
    Min,
}

/// The scalar function of the values that are read, one for each operand slot.
#[derive(JsonSchema)]
#[schemars(rename = "Function", rename_all = "lowercase")]
#[expect(
    dead_code,
    reason = "describes the JSON of the vocabulary's `Function`"
)]
pub enum FunctionData {
    /// No operand: a constant.
    Constant(f64),
    Identity,
    Negate,
    Relu,
    Exp,
    Log,
    Sqrt,
    Square,
    Reciprocal,
    Abs,
    Floor,
    Sin,
    Cos,
    Tanh,
    Sigmoid,
    Add,
    Subtract,
    Multiply,
    Divide,
    Max,
    Min,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Power,
    Erf,
    Log1p,
    Expm1,
    /// The nearest whole number; of two that are equally near, the even one.
    Round,
    /// The remainder with the sign of the first.
    Fmod,
    /// The second where the first is not 0, else the third.
    Where,
    /// An expression of several functions, computed at one point.
    Formula(FormulaData),
}

/// Instructions of a stack machine.
#[derive(JsonSchema)]
#[schemars(rename = "Formula", deny_unknown_fields)]
#[expect(dead_code, reason = "describes the JSON of the vocabulary's `Formula`")]
pub struct FormulaData {
    /// How many operands it reads.
    arity: usize,
    code: Vec<InstructionData>,
}

/// An instruction of a formula.
#[derive(JsonSchema)]
#[schemars(rename = "Instruction", rename_all = "lowercase")]
#[expect(
    dead_code,
    reason = "describes the JSON of the vocabulary's `Instruction`"
)]
enum InstructionData {
    /// Puts the value of an operand slot on the stack, counted from 0.
    Read(usize),
    /// Takes as many values as the function has operands, the first of them lowest, and puts its value there.
    Apply(FunctionData),
}
