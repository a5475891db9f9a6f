//! The party of Z3, which asks about one rank of each input at a time.

use lozenge_gradual_oracle::{Answer, Limits, runs};
use lozenge_gradual_spec::universe::choices;
use lozenge_gradual_vocabulary::{
    Condition, Declaration, Program, Quantity, Relation, Restriction, Sum,
};

use super::Stands;
use super::standing::Standing;
use crate::subject::party::Effort;

/// The largest rank that is tried for an input without a rank.
const RANK: usize = 4;

/// Answers. That a program never runs is said only where each input has a rank.
pub(super) fn standing(effort: &Effort, _: Stands, program: &Program) -> Option<Standing> {
    let milliseconds = effort.oracle.time.as_millis();
    let limits = Limits {
        milliseconds: u32::try_from(milliseconds).unwrap_or(u32::MAX),
        ..Limits::default()
    };
    let ranks = |declaration: &Declaration| match declaration.annotation.rank() {
        Some(rank) => vec![rank],
        None => (0..=RANK).collect(),
    };
    let mut standing = Standing::default();
    for profile in choices(&program.declarations, ranks) {
        match runs(&from_one(program, &profile), &profile, limits) {
            Answer::Holds(input) => {
                return Some(Standing {
                    runs: Some(true),
                    input: Some(input),
                    ..Standing::default()
                });
            }
            Answer::Never => {}
            Answer::Unknown(words) => standing.limit = Some(words),
        }
    }
    let has_ranks = |declaration: &Declaration| declaration.annotation.rank().is_some();
    if standing.limit.is_none() && program.declarations.iter().all(has_ranks) {
        standing.runs = Some(false);
    }
    Some(standing)
}

/// Demands of inputs of these ranks that no size is 0, unless it is declared.
fn from_one(program: &Program, ranks: &[usize]) -> Program {
    let mut program = program.clone();
    for (declaration, rank) in program.declarations.iter().zip(ranks) {
        let declared = declaration.annotation.dimensions().unwrap_or_default();
        let is_free = |axis: &usize| declared.get(*axis).is_none_or(|one| one.size().is_none());
        let axes = (0..*rank).filter(is_free);
        let axes = axes.filter_map(|axis| i64::try_from(axis).ok());
        let demands = axes.map(|at| {
            let axis = Quantity::Axis {
                of: declaration.name.clone(),
                at,
            };
            Restriction::Holds(Condition {
                left: Sum::of(axis),
                relation: Relation::AtLeast,
                right: Sum::number(1),
            })
        });
        program.restrictions.extend(demands);
    }
    program
}

/// Tells the input, or how far the ranks were tried.
pub(super) fn told(effort: &Effort, question: Stands, program: &Program) -> String {
    match standing(effort, question, program) {
        Some(standing) if standing.runs.is_none() && standing.limit.is_none() => {
            format!("no input runs whose ranks are those of the annotations, or at most {RANK}\n")
        }
        Some(standing) => standing.to_string(),
        None => String::new(),
    }
}
