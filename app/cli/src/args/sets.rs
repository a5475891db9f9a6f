//! The arguments of the commands about constraint sets.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use lozenge_spec::Strategy;
use lozenge_vocabulary::Order;

use super::{Asked, InferenceLimits};
use crate::limits;

#[derive(Debug, ClapArgs)]
pub struct Solve {
    /// A constraint set, or a set of equations of shapes.
    pub file: PathBuf,
    /// Close every variable: leaves to the join of what is below them, everything else to its top (Def. 6.1).
    #[arg(long)]
    pub close: bool,
    /// The party that solves.
    #[arg(long, value_enum, default_value_t = Party::Solver)]
    pub by: Party,
    /// With --by complete: say which values are the same in every solution.
    #[arg(long)]
    pub forced: bool,
    /// Write into this file why there is no solution, or a solution, for `lozenge verify`.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Of equations of shapes, with --by spec: show every step.
    #[arg(long)]
    pub trace: bool,
    /// Of equations of shapes, with --by spec: what the rules about appended shapes make of a list.
    #[arg(long = "reading", value_enum, default_value_t = Lists::Literal)]
    pub lists: Lists,
    #[command(flatten)]
    pub reading: Reading,
    /// The most axes that all values of a solution may have together: a chain of rows each one axis longer than the
    /// next has quadratically many.
    #[arg(long, default_value_t = 1 << 26, value_name = "AXES")]
    pub max_axes: u64,
    #[command(flatten)]
    pub search: limits::Search,
    #[command(flatten)]
    pub solving: limits::Solving,
    #[command(flatten)]
    pub rules: limits::Rules,
}

#[derive(Debug, ClapArgs)]
pub struct Entails {
    /// A constraint set.
    pub file: PathBuf,
    /// The constraint that may hold in every solution, in the notation. Its variables need not occur in the set.
    pub constraint: String,
    /// If it does, write into this file why, for `lozenge verify`.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub search: limits::Search,
    #[command(flatten)]
    pub solving: limits::Solving,
}

#[derive(Debug, ClapArgs)]
pub struct Verify {
    /// The certificate.
    pub certificate: PathBuf,
    /// The constraint set.
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// The parties that solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Party {
    /// The production solver, with the document's policy.
    Solver,
    /// The production solver, branching where policy would choose: decides satisfiability.
    Complete,
    /// The transcribed rules.
    Spec,
}

/// The reading of a list in the printed rules about appended shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lists {
    /// A list is no append, as printed.
    Literal,
    /// A list is also appended to nothing, and nothing to it.
    Unit,
}

#[derive(Clone, Copy, Debug, ClapArgs)]
pub struct Reading {
    /// The meaning of `<=` between rows.
    #[arg(long, value_enum, default_value_t = RowOrder::Marked)]
    pub order: RowOrder,
}

/// The readings of `<=` between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RowOrder {
    /// The marked row order (Def. 2.3).
    Marked,
    /// By flat content, the operand expanded at its marker (Rem. 2.15).
    OneShot,
}

impl From<RowOrder> for Order {
    fn from(order: RowOrder) -> Order {
        match order {
            RowOrder::Marked => Order::Marked,
            RowOrder::OneShot => Order::OneShot,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub struct Trace {
    /// A constraint set, or a program.
    pub file: PathBuf,
    /// Close every variable after solving.
    #[arg(long)]
    pub close: bool,
    /// The choice of the constraint that is processed next.
    #[arg(long, value_enum, default_value_t = Choice::First)]
    pub strategy: Choice,
    /// The seed of `--strategy random`.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub programs: limits::Programs,
    #[command(flatten)]
    pub rules: limits::Rules,
}

/// The strategies of the transcribed rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// The oldest constraint.
    First,
    /// The youngest.
    Last,
    /// Any, by the seed.
    Random,
    /// Growth first, equalities last.
    Adversarial,
}

impl Trace {
    /// Returns the chosen strategy.
    pub fn strategy(&self) -> Strategy {
        match self.strategy {
            Choice::First => Strategy::First,
            Choice::Last => Strategy::Last,
            Choice::Random => Strategy::Random(self.seed),
            Choice::Adversarial => Strategy::Adversarial,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub struct Oracle {
    /// A constraint set, or a program.
    pub file: PathBuf,
    /// A question; may be given again. Sets and solutions are in the notation, with ; between lines.
    #[arg(long, value_name = "QUESTION", long_help = questions())]
    pub ask: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub programs: limits::Programs,
    #[command(flatten)]
    pub limits: limits::Z3,
}

/// Returns the help of `--ask`, with the words that the oracle knows.
fn questions() -> String {
    let help = "A question; may be given again. Sets and solutions are in the notation, with ; between lines.";
    #[cfg(feature = "oracle")]
    return format!("{help} The questions are {}", lozenge_oracle::WORDS);
    #[cfg(not(feature = "oracle"))]
    help.to_string()
}

#[derive(Debug, ClapArgs)]
pub struct Explain {
    /// A constraint set, a program, a model, the name of a rule such as di_ground, or the code of a refusal such as R2.
    pub file: PathBuf,
    /// The value to explain: a dimension variable as a, a row variable as '<r>', and of a program a tensor as w, its
    /// row as w.input, or an axis of it as w.input[0]. Without it everything is explained, or the refusal.
    #[arg(long, value_name = "WHAT")]
    pub var: Option<String>,
    /// Explain the solved form, before anything is closed.
    #[arg(long)]
    pub open: bool,
    /// Explain every row of a program, however many lines that takes. Without it a large one has a line for each of the
    /// first rows.
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub asked: Asked,
    #[command(flatten)]
    pub limits: InferenceLimits,
}
