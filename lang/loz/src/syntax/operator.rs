//! The operators and functions of expressions, in one table each.

use lozenge_vocabulary::operation::Function;

/// The meaning of an operator or function of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Primitive {
    /// A scalar function, pointwise unless a spec says otherwise.
    Function(&'static Function),
    /// `*`: composition in an expression, multiplication if there is a spec.
    Star,
    /// `transpose`: input and output are exchanged.
    Transpose,
    /// `a * b * c` with this number of factors, under a spec that has a shape for each.
    Product(usize),
}

impl Primitive {
    pub(crate) fn arity(self) -> usize {
        match self {
            Primitive::Function(function) => function.arity(),
            Primitive::Star => 2,
            Primitive::Transpose => 1,
            Primitive::Product(factors) => factors,
        }
    }

    /// Returns the sign or name with which the operator is written.
    pub(crate) fn word(self) -> &'static str {
        if let Primitive::Product(_) = self {
            return "*";
        }
        let infix = INFIX.iter().map(|(sign, primitive, _)| (*sign, *primitive));
        infix
            .chain(FUNCTIONS.iter().copied())
            .find(|(_, primitive)| *primitive == self)
            .map_or("", |(word, _)| word)
    }
}

/// The precedence of comparisons; they do not chain.
pub(crate) const COMPARISON: u8 = 1;
/// The precedence of the prefix `-`.
pub(crate) const PREFIX: u8 = 4;
/// The precedence of `**`, which is right-associative.
pub(crate) const POWER: u8 = 5;

/// The infix operators with their precedences.
pub(crate) const INFIX: [(&str, Primitive, u8); 12] = [
    ("==", Primitive::Function(&Function::Equal), COMPARISON),
    ("!=", Primitive::Function(&Function::NotEqual), COMPARISON),
    ("<", Primitive::Function(&Function::Less), COMPARISON),
    ("<=", Primitive::Function(&Function::LessEqual), COMPARISON),
    (">", Primitive::Function(&Function::Greater), COMPARISON),
    (
        ">=",
        Primitive::Function(&Function::GreaterEqual),
        COMPARISON,
    ),
    ("+", Primitive::Function(&Function::Add), 2),
    ("-", Primitive::Function(&Function::Subtract), 2),
    ("*", Primitive::Star, 3),
    ("*.", Primitive::Function(&Function::Multiply), 3),
    ("/", Primitive::Function(&Function::Divide), 3),
    ("**", Primitive::Function(&Function::Power), POWER),
];

/// The functions, written `name(operand, …)`.
pub(crate) const FUNCTIONS: [(&str, Primitive); 22] = [
    ("relu", Primitive::Function(&Function::Relu)),
    ("exp", Primitive::Function(&Function::Exp)),
    ("log", Primitive::Function(&Function::Log)),
    ("sqrt", Primitive::Function(&Function::Sqrt)),
    ("square", Primitive::Function(&Function::Square)),
    ("recip", Primitive::Function(&Function::Reciprocal)),
    ("neg", Primitive::Function(&Function::Negate)),
    ("abs", Primitive::Function(&Function::Abs)),
    ("floor", Primitive::Function(&Function::Floor)),
    ("sin", Primitive::Function(&Function::Sin)),
    ("cos", Primitive::Function(&Function::Cos)),
    ("tanh", Primitive::Function(&Function::Tanh)),
    ("sigmoid", Primitive::Function(&Function::Sigmoid)),
    ("erf", Primitive::Function(&Function::Erf)),
    ("log1p", Primitive::Function(&Function::Log1p)),
    ("expm1", Primitive::Function(&Function::Expm1)),
    ("round", Primitive::Function(&Function::Round)),
    ("fmod", Primitive::Function(&Function::Fmod)),
    ("max", Primitive::Function(&Function::Max)),
    ("min", Primitive::Function(&Function::Min)),
    ("where", Primitive::Function(&Function::Where)),
    ("transpose", Primitive::Transpose),
];

/// The functions that are not scalar functions of their operands.
pub(crate) const TENSOR_FUNCTIONS: [&str; 13] = [
    "sum",
    "count",
    "map",
    "range",
    "uniform",
    "normal",
    "stack",
    "concat",
    "append",
    "params",
    "fan_in",
    "class_numbers",
    "beside",
];

/// The functions, of the language and of its prelude, whose last argument may be a spec. The prelude is read with this
/// table, so it cannot be asked here; a test tries them all.
pub(crate) const OF_SPECS: [&str; 12] = [
    "sum",
    "count",
    "map",
    "max",
    "min",
    "concat",
    "mean",
    "var",
    "std",
    "norm",
    "prod",
    "logsumexp",
];

/// The operators, for messages.
pub(crate) const OPERATORS: &str =
    "the operators are `+ - * *. / **` and the comparisons `== != < <= > >=`";

/// Operators of other languages, with what to write here instead.
pub(crate) const MISTAKEN: [(&str, &str); 11] = [
    (
        "?",
        "a choice by cell is `where(c, a, b)`; one that is known before inference is `a if c else b`",
    ),
    ("^", "the power is `a ** b`, and `square(a)` is `a` squared"),
    (".*", "write `*.` for the pointwise product"),
    ("./", "`/` is pointwise already"),
    ("/.", "`/` is pointwise already"),
    ("+.", "`+` is pointwise already"),
    ("-.", "`-` is pointwise already"),
    (
        "@",
        "`w * x` composes `w` after `x` (a matrix product whose right operand comes first); a slice is `x @| i`",
    ),
    ("%", "the remainder of a division is `mod(a, b)`"),
    ("&", "write `*.` for `and` of comparisons"),
    ("'", "names have letters, digits and `_`"),
];
