//! The answers of `oracle` in JSON; `converted` makes them from the answers of the package `oracle`, which cite
//! constraints by their indices.

mod converted;

use std::collections::BTreeMap;

use lozenge_vocabulary::{Constraint, Dim, Ground, Order, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use super::Cited;

/// The JSON of [`Ground`]: an object from variables (`a`, `<r>`) to values in the notation.
type Values = BTreeMap<String, String>;

/// The answer of `oracle`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Oracle {
    /// One question about a constraint set.
    Answered(Box<Answered>),
    /// Several questions about a constraint set.
    Several {
        /// An answer for each.
        answers: Vec<Judged>,
    },
    /// The shapes of a program can be completed.
    Completed {
        /// A completion.
        first: Ground,
        /// The values that all completions share, of the rows of written tensors.
        forced: Values,
        /// Another completion, or why it is not known whether there is one; `null` where there is none.
        second: Option<Second>,
    },
    /// The shapes of a program cannot be completed.
    Excluded {
        /// The lines that exclude each other.
        core: Vec<String>,
        /// The reason why fewer may do.
        doubt: Option<Reason>,
    },
    /// Nothing is known of a program.
    Undecided(Limited),
}

/// Another completion of a program.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Second {
    /// The reason why it is not known whether there is one.
    Unknown(Doubt),
    /// The completion.
    Found(Ground),
}

/// The reason why it is not known whether there is another completion.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Doubt {
    /// The reason.
    unknown: Reason,
}

/// An answer with its verdict.
#[derive(Serialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Judged {
    /// For the questions about a set whether it has a solution; for the others `sat` is yes and `unsat` no.
    verdict: Verdict,
    #[serde(flatten)]
    answered: Answered,
}

/// An answer with what it holds for.
#[derive(Serialize, JsonSchema)]
pub struct Answered {
    /// The reading of `<=` between rows.
    order: Order,
    /// The number of axes on a side of a row variable that were looked at.
    window: u32,
    #[serde(flatten)]
    answer: Answer,
}

/// The answer to one question.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// There is a solution; which is the first one is not known.
    Solution,
    /// A solution.
    Model {
        /// Its values.
        model: Ground,
    },
    /// There is no solution.
    NoSolution,
    /// Constraints that exclude each other.
    Core {
        /// The constraints.
        core: Vec<Cited>,
        /// True if none can be left out.
        minimal: bool,
        /// The reason why that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        doubt: Option<Reason>,
    },
    /// There is no core: the set has a solution.
    NoCore,
    /// The values that all solutions share.
    Forced {
        /// Dimension variables with their values, `rank <r>` with a number of axes.
        forced: BTreeMap<String, ForcedValue>,
        /// The flat content of row variables.
        contents: BTreeMap<String, Vec<Dim>>,
        /// The variables of which it is not known whether they vary.
        undetermined: BTreeMap<String, Reason>,
    },
    /// The claim that a constraint is entailed.
    Entails(Claim),
    /// The claim that two sets have the same solutions.
    Equivalent {
        /// Every solution of the set is one of the other.
        forward: Claim,
        /// Every solution of the other is one of the set.
        backward: Claim,
    },
    /// The claim that a solution is one.
    Sound(Claim),
    /// The claim that bindings and a store represent the solutions.
    MostGeneral {
        /// The claim that everything that the store allows satisfies the set.
        sound: Claim,
        /// The claim that the store allows everything that satisfies the set.
        general: Claim,
    },
    /// The claim that a solution is the greatest.
    Greatest {
        /// It is a solution.
        solution: Claim,
        /// It is above all solutions in the marked order.
        marked: Claim,
        /// It is above all solutions in the one-shot order.
        content: Claim,
    },
    /// Distinct solutions.
    Solutions {
        /// The number of solutions that were found.
        found: usize,
        /// True if these are all; `null`: not known.
        all: Option<bool>,
        /// They themselves, if they were to be listed.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        solutions: Vec<Ground>,
        /// The reason why it is not known whether these are all.
        #[serde(skip_serializing_if = "Option::is_none")]
        doubt: Option<Reason>,
    },
    /// Nothing is known.
    Unknown(Limited),
}

/// The reason why nothing is known.
#[derive(Serialize, JsonSchema)]
pub struct Limited {
    /// The reason.
    reason: Reason,
    /// The same in words, with the flag that raises the limit where one was reached.
    limit: String,
}

/// Something that holds, does not, or is not known.
#[derive(Serialize, JsonSchema)]
pub struct Claim {
    /// True if it holds; `null`: not known.
    holds: Option<bool>,
    /// A solution against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Box<Ground>>,
    /// The constraint that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    violated: Option<Box<Constraint>>,
    /// The reason why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
}

/// A value that all solutions share.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ForcedValue {
    /// A dimension.
    Dim(Dim),
    /// `"0"`: the variable, which is declared `summand`, is 0.
    Zero(&'static str),
    /// A number of axes, or the size of a dimension whose basis is open.
    Number(u64),
}

/// The reason why there is no definite answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub enum Reason {
    /// The time limit was reached.
    Time,
    /// Z3 reached the memory limit.
    Memory,
    /// Somebody interrupted the question.
    Interrupted,
    /// No solution has at most so many axes on a side of a row variable, and longer ones are not excluded.
    Window(u32),
    /// So many clashes of axes were excluded, each at all lengths at which it exists, and lengths remain.
    Clashes(u32),
    /// The encoding would compare more axes than the limit allows.
    Size,
    /// The answer is of a form that is not decided.
    Form(String),
    /// Z3 gave up, in its words.
    Solver(String),
}
