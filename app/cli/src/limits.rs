//! The limits of the parties: a flag for each of them, with the name that it has in the library.

use std::time::Duration;

use clap::{Args, FromArgMatches};
use lozenge_solver::Limits;
use lozenge_vocabulary::program::ReadingLimits;

use crate::duration::time;

/// The limits of complete mode.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits of complete mode")]
pub struct Search {
    /// The most branches over the lengths of rows that are opened.
    #[arg(long, default_value_t = Limits::default().branches, value_name = "COUNT")]
    pub branches: u64,
    /// The most clashes of axes that are excluded, each for all lengths at which it exists.
    #[arg(long, default_value_t = Limits::default().clauses, value_name = "COUNT")]
    pub clauses: u64,
    /// The most steps of arithmetic that are taken, which bounds the time; 2^28 take some seconds.
    #[arg(long, default_value_t = Limits::default().work, value_name = "STEPS")]
    pub work: u64,
    /// The most runs of equal axes that the rows of one attempt may have together, which bounds the memory.
    #[arg(long, default_value_t = Limits::default().runs, value_name = "COUNT")]
    pub runs: u32,
    /// The most axes of a row that are spelled out in a solution. It limits no verdict.
    #[arg(long, default_value_t = Limits::default().rank, value_name = "AXES")]
    pub rank: u32,
}

impl Search {
    /// Returns the limits of the solver.
    pub fn with(self, solving: Solving) -> Limits {
        Limits {
            branches: self.branches,
            clauses: self.clauses,
            work: self.work,
            runs: self.runs,
            rank: self.rank,
            size_work: solving.size_work,
            policy_work: solving.policy_work,
            policy_records: solving.policy_records,
        }
    }
}

/// The limits of the production solver, in both modes.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits of solving")]
pub struct Solving {
    /// The most steps that one solve takes, closing included: axes, inequalities, equations and variables that are
    /// looked at; 2^32 take about half a minute.
    #[arg(long, default_value_t = Limits::default().policy_work, value_name = "STEPS")]
    pub policy_work: u64,
    /// The most axes, variables, constraints and conclusions that are held at once, which bounds the memory; 2^28 take
    /// some gigabytes.
    #[arg(long, default_value_t = Limits::default().policy_records, value_name = "COUNT")]
    pub policy_records: u64,
    /// The most steps of arithmetic that are taken for one question about sizes that windows, concatenations, products
    /// and bounds relate; 2^24 take some seconds.
    #[arg(long, default_value_t = Limits::default().size_work, value_name = "STEPS")]
    pub size_work: u64,
}

impl From<Solving> for Limits {
    fn from(solving: Solving) -> Limits {
        Limits {
            size_work: solving.size_work,
            policy_work: solving.policy_work,
            policy_records: solving.policy_records,
            ..Limits::default()
        }
    }
}

impl From<Solving> for lozenge_solver::Options {
    fn from(solving: Solving) -> lozenge_solver::Options {
        lozenge_solver::Options {
            limits: solving.into(),
            ..lozenge_solver::Options::default()
        }
    }
}

/// The limits of reading a program.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits of reading a program")]
pub struct Programs {
    /// The most statements and parts of expressions that are read, those of loops counted once per iteration.
    #[arg(long, default_value_t = ReadingLimits::default().parts, value_name = "COUNT")]
    pub max_parts: u64,
    /// The most operations that the program may come to.
    #[arg(long, default_value_t = ReadingLimits::default().operations, value_name = "COUNT")]
    pub max_operations: u64,
    /// The greatest depth of calls and blocks inside each other.
    #[arg(long, default_value_t = ReadingLimits::default().levels, value_name = "COUNT",
          value_parser = clap::value_parser!(u32).range(..=MOST_LEVELS))]
    pub max_levels: u32,
    /// The most values that a tensor of data may have; 2^28 take 1 GiB.
    #[arg(long, default_value_t = ReadingLimits::default().values, value_name = "COUNT")]
    pub max_values: u64,
    /// The most bytes that a line of a file of data may have.
    #[arg(long, default_value_t = ReadingLimits::default().line_bytes, value_name = "BYTES")]
    pub max_line_bytes: u64,
    /// The most files that a program may use.
    #[arg(long, default_value_t = ReadingLimits::default().files, value_name = "COUNT")]
    pub max_files: u64,
    /// The most bytes of a file that a program uses.
    #[arg(long, default_value_t = ReadingLimits::default().file_bytes, value_name = "BYTES")]
    pub max_file_bytes: u64,
    /// The most choices of parts of concatenations that one spec may have, each of which may be an operation.
    #[arg(long, default_value_t = ReadingLimits::default().choices, value_name = "COUNT")]
    pub max_choices: u64,
    /// The most parts that a line of an `op` may have when the lines that it uses are written out.
    #[arg(long, default_value_t = ReadingLimits::default().op_parts, value_name = "COUNT")]
    pub max_op_parts: u64,
}

/// Each level takes some of the stack, which has an end.
const MOST_LEVELS: i64 = 200;

impl From<Programs> for ReadingLimits {
    fn from(limits: Programs) -> ReadingLimits {
        ReadingLimits {
            parts: limits.max_parts,
            operations: limits.max_operations,
            levels: limits.max_levels,
            values: limits.max_values,
            line_bytes: limits.max_line_bytes,
            files: limits.max_files,
            file_bytes: limits.max_file_bytes,
            choices: limits.max_choices,
            op_parts: limits.max_op_parts,
        }
    }
}

/// The limit of the transcribed rules.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits of the transcribed rules")]
pub struct Rules {
    /// The most work that the rules do: each step counts with the size of the bindings that it may walk over.
    #[arg(long, default_value_t = lozenge_spec::Options::default().work, value_name = "STEPS")]
    pub rule_work: u64,
}

/// The limits of Z3.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits of Z3")]
pub struct Z3 {
    /// The time that Z3 may take at most for a question, such as 500ms or 10s.
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = time)]
    pub time: Duration,
    /// The most megabytes that Z3 may take.
    #[arg(long, default_value_t = 1024, value_name = "MB")]
    pub memory: u32,
    /// The most axes on each side of a row variable at which Z3 looks, where the rank bound asks for more.
    #[arg(long, default_value_t = 64, value_name = "AXES")]
    pub window: u32,
    /// The most axes that one question to Z3 may compare.
    #[arg(long, default_value_t = 1_000_000, value_name = "COUNT")]
    pub comparisons: usize,
    /// The most clashes of axes that are excluded, each at all lengths at which it exists.
    #[arg(long, default_value_t = 200, value_name = "COUNT")]
    pub clashes: u32,
}

#[cfg(feature = "oracle")]
impl From<Z3> for lozenge_oracle::Limits {
    fn from(limits: Z3) -> lozenge_oracle::Limits {
        lozenge_oracle::Limits {
            time: limits.time,
            memory: limits.memory,
            window: limits.window,
            comparisons: limits.comparisons,
            clashes: limits.clashes,
        }
    }
}

/// The limits of every party.
#[derive(Clone, Copy, Debug, Args)]
pub struct Parties {
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub solving: Solving,
    #[command(flatten)]
    pub rules: Rules,
    #[command(flatten)]
    pub z3: Z3,
}

/// The limits when no flag is given.
impl Default for Parties {
    fn default() -> Parties {
        let given = Parties::augment_args(clap::Command::new("")).try_get_matches_from([""]);
        let limits = given.and_then(|given| Parties::from_arg_matches(&given));
        limits.unwrap_or_else(|error| unreachable!("every flag has a default: {error}"))
    }
}

#[cfg(feature = "oracle")]
impl From<Parties> for lozenge_fuzz::subject::party::Effort {
    fn from(limits: Parties) -> lozenge_fuzz::subject::party::Effort {
        lozenge_fuzz::subject::party::Effort {
            rules: limits.rules.rule_work,
            native: limits.search.with(limits.solving),
            oracle: limits.z3.into(),
        }
    }
}

#[cfg(all(test, feature = "oracle"))]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;

    /// Returns the flags of a group, with their values when nothing is given.
    fn flags<A: Args>() -> BTreeMap<String, String> {
        let group = A::augment_args(clap::Command::new("group"));
        let flags = group.get_arguments().map(|argument| {
            let value = argument.get_default_values().first();
            let value = value.and_then(|value| value.to_str()).unwrap_or_default();
            (
                argument.get_long().unwrap_or_default().replace('-', "_"),
                value.to_string(),
            )
        });
        flags.collect()
    }

    /// Returns the fields of limits, with their values.
    fn fields(limits: &Value) -> BTreeMap<String, String> {
        let fields = limits.as_object().expect("limits have fields").iter();
        let value = |value: &Value| match value["secs"].as_u64() {
            Some(seconds) => format!("{seconds}s"),
            None => value.to_string(),
        };
        fields.map(|(name, of)| (name.clone(), value(of))).collect()
    }

    #[test]
    fn every_limit_of_a_party_has_a_flag_of_its_name_and_value() {
        let mut of_solver = flags::<Search>();
        of_solver.extend(flags::<Solving>());
        assert_eq!(of_solver, fields(&json!(Limits::default())));
        let z3 = json!(lozenge_oracle::Limits::default());
        assert_eq!(flags::<Z3>(), fields(&z3));
    }
}
