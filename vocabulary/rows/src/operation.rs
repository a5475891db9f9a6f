//! One tensor operation: the tensors that take part, the constraints that it states on their rows, and its arithmetic.
//! Shape inference and projection inference read the same constraints (§7).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::constraint::Constraint;
use crate::projections::Index;
use crate::term::{DimVar, RowTerm};

/// The three rows of a shape, written `batch|input->output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Axes over independent instances.
    Batch,
    /// Axes that a composition contracts on the left tensor.
    Input,
    /// Axes that a composition contracts on the right tensor.
    Output,
}

impl Kind {
    /// The kinds in the order in which a shape is written, which is also the order of its axes in memory.
    pub const ALL: [Kind; 3] = [Kind::Batch, Kind::Input, Kind::Output];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Batch => "batch",
            Kind::Input => "input",
            Kind::Output => "output",
        }
    }
}

/// One value for each kind of row: row terms, ground rows or axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Shape<R> {
    /// The batch row.
    pub batch: R,
    /// The input row.
    pub input: R,
    /// The output row.
    pub output: R,
}

impl<R> Shape<R> {
    /// Returns the row of a kind.
    pub fn row(&self, kind: Kind) -> &R {
        match kind {
            Kind::Batch => &self.batch,
            Kind::Input => &self.input,
            Kind::Output => &self.output,
        }
    }

    /// Applies a function to each row.
    pub fn map<S>(&self, mut f: impl FnMut(Kind, &R) -> S) -> Shape<S> {
        Shape {
            batch: f(Kind::Batch, &self.batch),
            input: f(Kind::Input, &self.input),
            output: f(Kind::Output, &self.output),
        }
    }

    /// Returns the three rows in the order of [`Kind::ALL`].
    pub fn rows(&self) -> [&R; 3] {
        [&self.batch, &self.input, &self.output]
    }
}

/// A tensor of a program, by its number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TensorId(pub usize);

/// One side of a row constraint of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// A row of the tensor in a slot: slot 0 is written, the others are read.
    Slot(usize, Kind),
    /// A row of the operation's template, over variables that belong to the operation.
    Template(RowTerm),
}

/// A constraint that an operation states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// `left ≈ right`.
    Equal(Side, Side),
    /// `result ⊑ operand`.
    Below(Side, Side),
    /// A constraint over the template's variables.
    Template(Constraint),
}

/// The way in which results are combined with the values that the written tensor holds: the part of an assignment
/// operator after `=` and `:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// The last one stays.
    Replace,
    /// The results are added.
    Add,
    /// The results are subtracted.
    Subtract,
    /// The results are multiplied.
    Multiply,
    /// The largest stays.
    Max,
    /// The smallest stays.
    Min,
}

/// An assignment operator: `=:` replaces, `=+` adds to what is there, `=:+` adds to a cleared tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Accumulator {
    /// True if a colon erases what the tensor held.
    pub erase: bool,
    /// The way in which results are combined with the values that the tensor holds.
    pub combine: Combine,
}

impl fmt::Display for Accumulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.combine {
            Combine::Replace => "",
            Combine::Add => "+",
            Combine::Subtract => "-",
            Combine::Multiply => "*",
            Combine::Max => "max",
            Combine::Min => "min",
        };
        write!(f, "={}{sign}", if self.erase { ":" } else { "" })
    }
}

/// The scalar function of the values that are read, one for each operand slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Function {
    /// No operand: a constant.
    Constant(f64),
    /// The operand.
    Identity,
    /// `-x`
    Negate,
    /// `max(x, 0)`
    Relu,
    /// `e^x`
    Exp,
    /// The natural logarithm.
    Log,
    /// The square root.
    Sqrt,
    /// `x * x`
    Square,
    /// `1 / x`
    Reciprocal,
    /// The absolute value.
    Abs,
    /// The largest whole number that is not above the operand.
    Floor,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
    /// The hyperbolic tangent.
    Tanh,
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `x + y`
    Add,
    /// `x - y`
    Subtract,
    /// `x * y`
    Multiply,
    /// `x / y`
    Divide,
    /// The larger.
    Max,
    /// The smaller.
    Min,
    /// 1 where they are equal, else 0.
    Equal,
    /// 1 where they are not equal, else 0.
    NotEqual,
    /// 1 where the first is smaller, else 0.
    Less,
    /// 1 where the first is smaller or they are equal, else 0.
    LessEqual,
    /// 1 where the first is larger, else 0.
    Greater,
    /// 1 where the first is larger or they are equal, else 0.
    GreaterEqual,
    /// `x^y`
    Power,
    /// The error function, `2/√π ∫₀ˣ e^(-t²) dt`.
    Erf,
    /// `log(1 + x)`, with all digits where `x` is small.
    Log1p,
    /// `e^x - 1`, with all digits where `x` is small.
    Expm1,
    /// The nearest whole number; of two that are equally near, the even one.
    Round,
    /// The rest of the first value after division by the second; it has the sign of the first.
    Fmod,
    /// The second where the first is not 0, else the third.
    Where,
    /// An expression of several functions, computed at one point.
    Formula(Box<Formula>),
}

impl Function {
    /// Returns the number of operands that the function reads.
    pub fn arity(&self) -> usize {
        use Function::*;
        match self {
            Formula(formula) => formula.arity(),
            Constant(_) => 0,
            Identity | Negate | Relu | Exp | Log | Sqrt | Square | Reciprocal | Abs | Floor
            | Sin | Cos | Tanh | Sigmoid | Erf | Log1p | Expm1 | Round => 1,
            Add | Subtract | Multiply | Divide | Max | Min | Equal | NotEqual | Less
            | LessEqual | Greater | GreaterEqual | Power | Fmod => 2,
            Where => 3,
        }
    }
}

/// A scalar expression of the values that are read, as instructions of a stack machine, so that a deep expression needs
/// no recursion to evaluate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Formula {
    arity: usize,
    code: Vec<Instruction>,
}

/// An instruction of a [`Formula`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Instruction {
    /// Puts the value of an operand slot on the stack, counted from 0.
    Read(usize),
    /// Takes as many values as the function has operands, the first of them lowest, and puts its value there.
    Apply(Function),
}

impl Formula {
    /// Returns the formula of `arity` operands. `None` if the instructions do not leave exactly one value, read an
    /// operand that does not exist, or contain a formula.
    pub fn new(arity: usize, code: Vec<Instruction>) -> Option<Formula> {
        let mut height = 0usize;
        for instruction in &code {
            match instruction {
                Instruction::Read(operand) if *operand < arity => height += 1,
                Instruction::Apply(Function::Formula(_)) | Instruction::Read(_) => return None,
                Instruction::Apply(function) => height = height.checked_sub(function.arity())? + 1,
            }
        }
        (height == 1).then_some(Formula { arity, code })
    }

    /// Returns the number of operands that it reads.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Returns the instructions in their order.
    pub fn code(&self) -> &[Instruction] {
        &self.code
    }

    /// Evaluates the formula with the given meaning of operands and functions. The values may be numbers or, for
    /// instance, texts of expressions.
    pub fn fold<V: Clone>(
        &self,
        operands: &[V],
        apply: impl Fn(&Function, &[V]) -> V,
    ) -> Option<V> {
        let mut stack: Vec<V> = Vec::with_capacity(self.code.len());
        for instruction in &self.code {
            let value = match instruction {
                Instruction::Read(operand) => operands.get(*operand)?.clone(),
                Instruction::Apply(function) => {
                    let taken = stack.len().checked_sub(function.arity())?;
                    let value = apply(function, &stack[taken..]);
                    stack.truncate(taken);
                    value
                }
            };
            stack.push(value);
        }
        stack.pop()
    }
}

/// The part of a computation over concatenated axes that one operation does (§8). An operation visits one part of each
/// concatenation; there is one operation for each choice of parts, and they write different cells.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Region {
    /// The visited part of each concatenation, by the requirement that states it. A concatenation without an entry only
    /// relates sizes.
    pub visited: BTreeMap<usize, usize>,
    /// The slots that are used for their shapes only: their values are not read, and their axes are not traversed.
    pub unread: BTreeSet<usize>,
    /// The parts without a label and without a size: each is whatever the others leave of its axis, which may be
    /// nothing.
    pub rests: BTreeSet<DimVar>,
    /// True if the other regions write every cell that this one does not, so that erasing needs to clear only its own
    /// cells.
    pub completed: bool,
}

/// One operation of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The tensor in each slot; slot 0 is written. A tensor may be in several slots, each of which is an occurrence of
    /// it.
    pub slots: Vec<TensorId>,
    /// The requirements on their rows. Operations with the same requirements may share one list.
    pub requirements: Arc<Vec<Requirement>>,
    /// Template variables whose index is supplied from outside: `Sol(idx)` of Def. 7.1.
    pub pins: BTreeMap<DimVar, Index>,
    /// The part of concatenated axes that it visits, if there are any: [`Operation::region`].
    pub region: Option<Box<Region>>,
    /// The way in which results are written.
    pub accumulator: Accumulator,
    /// The function that is computed from the values read.
    pub function: Function,
}

/// An operation that is not of concatenated axes visits everything, and all of its values are used.
static EVERYTHING: Region = Region {
    visited: BTreeMap::new(),
    unread: BTreeSet::new(),
    rests: BTreeSet::new(),
    completed: false,
};

impl Operation {
    /// Returns the part of concatenated axes that it visits.
    pub fn region(&self) -> &Region {
        self.region.as_deref().unwrap_or(&EVERYTHING)
    }

    /// Returns the operation's constraints, once the shapes of its tensors are known as terms. `None` if a requirement
    /// mentions a slot that the operation does not have.
    pub fn constraints(
        &self,
        shape: impl Fn(TensorId) -> Shape<RowTerm>,
    ) -> Option<Vec<Constraint>> {
        let all = 0..self.requirements.len();
        all.map(|number| self.constraint(number, &shape)).collect()
    }

    /// Returns the constraint of one of its requirements, once the shapes of its tensors are known as terms. `None` if
    /// it has no such requirement, or if that mentions a slot that the operation does not have.
    pub fn constraint(
        &self,
        requirement: usize,
        shape: impl Fn(TensorId) -> Shape<RowTerm>,
    ) -> Option<Constraint> {
        let side = |side: &Side| match side {
            Side::Slot(slot, kind) => Some(shape(*self.slots.get(*slot)?).row(*kind).clone()),
            Side::Template(row) => Some(row.clone()),
        };
        Some(match self.requirements.get(requirement)? {
            Requirement::Equal(left, right) => Constraint::RowEq(side(left)?, side(right)?),
            Requirement::Below(result, operand) => Constraint::RowLe(side(result)?, side(operand)?),
            Requirement::Template(constraint) => constraint.clone(),
        })
    }
}
