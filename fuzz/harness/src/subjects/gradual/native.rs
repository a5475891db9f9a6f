//! The party of the native procedure, which takes a program as the graph of a model.

use std::sync::Arc;

use lozenge_gradual_solver::{Answer, CaseReport, Options, Report, Sizes, Verdict};
use lozenge_gradual_vocabulary::{Condition, Program, Quantity, Relation, Restriction, Sum};
use lozenge_graph::{Limits, read};
use lozenge_graph_vocabulary::Graph;

use super::Stands;
use super::standing::{Input, Standing};
use crate::subject::party::Effort;

/// Answers; nothing for a program that has no graph.
pub(super) fn standing(_: &Effort, _: Stands, program: &Program) -> Option<Standing> {
    let mut answer = answer(program)?;
    let unknown = Standing::default();
    Some(match answer.verdict() {
        Verdict::Sat => Standing {
            runs: Some(true),
            input: example(&answer.report()),
            ..unknown
        },
        Verdict::Unsat => Standing {
            runs: Some(false),
            ..unknown
        },
        Verdict::Unknown => {
            let limits: Vec<String> = answer.limits().iter().map(ToString::to_string).collect();
            Standing {
                limit: Some(limits.join("; ")),
                ..unknown
            }
        }
    })
}

/// Tells the set of inputs, or the expressions that leave none.
pub(super) fn told(_: &Effort, _: Stands, program: &Program) -> String {
    answer(program).map_or_else(String::new, |mut answer| answer.text())
}

/// Returns the admitted sizes of a program.
pub(super) fn answer(program: &Program) -> Option<Answer> {
    let graph = graph(program)?;
    let options = Options {
        conditions: conditions(program),
        ..Options::default()
    };
    Some(Sizes::of(Arc::new(graph), &options))
}

/// Returns the program as a graph; nothing for one that asks for a shape of no rank, or a kernel of other than two
/// sizes.
pub(super) fn graph(program: &Program) -> Option<Graph> {
    read(program.to_string().into_bytes(), &Limits::default()).ok()
}

/// Returns the demands of a program as conditions. Each size of an input that runs is a number, so that an axis can be
/// static says that it exists.
pub(super) fn conditions(program: &Program) -> Vec<Condition> {
    let demands = program.restrictions.iter();
    let conditions = demands.filter_map(|demand| match demand {
        Restriction::Holds(condition) => Some(condition.clone()),
        Restriction::Static { axis: None, .. } => None,
        Restriction::Static {
            of,
            axis: Some(axis),
        } => {
            let least = if *axis < 0 {
                axis.unsigned_abs()
            } else {
                axis.unsigned_abs() + 1
            };
            Some(Condition {
                left: Sum::of(Quantity::Rank(of.clone())),
                relation: Relation::AtLeast,
                right: Sum::number(least.into()),
            })
        }
    });
    conditions.collect()
}

/// Returns an input of the set, where the answer gives an example for each of its sizes.
fn example(report: &Report) -> Option<Input> {
    let case = report.cases.iter().find(|case| !case.boxes.is_empty())?;
    let found = case.boxes.first()?;
    input_of(case, &|name| {
        let symbol = found.symbols.iter().find(|symbol| symbol.name == name)?;
        Some(symbol.example)
    })
}

/// Lists the sizes of which the answer says that they may be 0 beside an example of the others, each with that input.
pub(super) fn zeros(report: &Report) -> Vec<(String, Input)> {
    let mut zeros = Vec::new();
    for case in &report.cases {
        for symbols in case.boxes.iter().map(|found| &found.symbols) {
            for zero in symbols.iter().filter(|symbol| symbol.zero == Some(true)) {
                let input = input_of(case, &|name| {
                    let symbol = symbols.iter().find(|symbol| symbol.name == name)?;
                    Some(if name == zero.name {
                        Some(0)
                    } else {
                        symbol.example
                    })
                });
                zeros.extend(input.map(|input| (zero.name.clone(), input)));
            }
        }
    }
    zeros
}

/// Returns an input of a case whose symbols have values; nothing where one has none, or where the shape of an input has
/// axes without a name. `value` gives nothing for a text that is no symbol.
fn input_of(case: &CaseReport, value: &dyn Fn(&str) -> Option<Option<i128>>) -> Option<Input> {
    let size = |text: &str| match value(text) {
        Some(value) => u64::try_from(value?).ok(),
        None => text.parse().ok(),
    };
    let inputs = case.inputs.iter().map(|input| {
        let sizes = input.shape.strip_prefix('[')?.strip_suffix(']')?;
        let sizes = sizes.split(", ").filter(|text| !text.is_empty());
        let sizes: Option<Vec<u64>> = sizes.map(size).collect();
        Some((input.name.clone(), sizes?))
    });
    inputs.collect()
}
