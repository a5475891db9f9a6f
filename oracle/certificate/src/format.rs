//! The format of certificates: JSON, version 1. Unknown fields are refused. The solver, which writes certificates, has
//! types of its own for the same format, since the checker must not depend on it.

use std::collections::BTreeMap;

use lozenge_vocabulary::{Ground, Order};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A linear form: for each variable its coefficient, and under `1` the constant.
pub(crate) type Linear = BTreeMap<String, i64>;

/// A solution of the set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    pub(crate) version: u32,
    pub(crate) order: Order,
    pub(crate) model: Ground,
}

/// The kind of a certificate: a solution, an entailment, or else a refutation.
#[derive(Debug, Deserialize)]
pub(crate) struct Kind {
    pub(crate) model: Option<IgnoredAny>,
    pub(crate) entails: Option<IgnoredAny>,
}

/// A refutation: the argument that the set has no solution.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Certificate {
    pub(crate) version: u32,
    pub(crate) order: Order,
    pub(crate) quotients: Vec<Quotient>,
    pub(crate) clashes: Vec<Clash>,
    pub(crate) tree: Vec<Node>,
}

/// An entailment: the argument that a constraint holds in every solution of the set, by the cases in which it does not.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entailment {
    pub(crate) version: u32,
    pub(crate) order: Order,
    pub(crate) entails: String,
    pub(crate) cases: Vec<Refutation>,
}

/// The argument that there is no solution in one case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refutation {
    pub(crate) quotients: Vec<Quotient>,
    pub(crate) clashes: Vec<Clash>,
    pub(crate) tree: Vec<Node>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quotient {
    pub(crate) form: Linear,
    pub(crate) by: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Clash {
    pub(crate) walks: Vec<Vec<Part>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Part {
    Step(Step),
    Loop {
        steps: Vec<Step>,
        drift: i64,
        times: Linear,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) constraint: usize,
    pub(crate) from: Side,
    pub(crate) enter: At,
    pub(crate) by: By,
    pub(crate) land: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum At {
    Leading(u32),
    Content,
    Trailing(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    Leading,
    Trailing,
    Equal,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Node {
    Sum(Vec<(Inequality, i64)>),
    Clash(usize),
    Split {
        form: Linear,
        negative: usize,
        other: usize,
    },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Inequality {
    Length(usize, usize),
    Natural(String),
    Quotient(usize, usize),
    Case(usize),
    Assumed(usize),
}
