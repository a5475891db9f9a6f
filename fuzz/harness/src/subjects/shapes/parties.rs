//! The parties that decide equations of shapes.

use std::fmt::Write;

use lozenge_axon_oracle as oracle;
use lozenge_axon_solver::Solver;
use lozenge_axon_spec::{Constraint, End, Options, Reading, run};
use lozenge_axon_vocabulary::{Decide as _, DimNode, Equation, Satisfiable, Simplified};

use super::{Decide, ShapeSet, Shapes, Verdict, differences, shown};
use crate::subject::party::{Asked, Effort, Party};

/// The printed rules, those that fail first, without the reading by which a list is an append.
pub const RULES: Party<Shapes> = Party {
    name: "spec",
    about: "the printed rules",
    questions: &[Decide],
    checks: Some(Decide),
    make: |effort| Asked::boxed(effort, by_rules, trace),
};

/// The native procedure.
pub const NATIVE: Party<Shapes> = Party {
    name: "solver",
    about: "the native procedure",
    questions: &[Decide],
    checks: Some(Decide),
    make: |effort| Asked::boxed(effort, natively, |e, q, set| told(natively(e, q, set))),
};

/// Z3, by windows and by sequences.
pub const Z3: Party<Shapes> = Party {
    name: "oracle",
    about: "Z3, from the definition of satisfaction",
    questions: &[Decide],
    checks: Some(Decide),
    make: |effort| Asked::boxed(effort, by_z3, |e, q, set| told(by_z3(e, q, set))),
};

/// All values of small ranks and sizes. It answers `sat` with a solution or, since there are larger ones, `unknown`; it
/// is silent about sets with ragged dimensions, which are no integers.
pub const ENUMERATION: Party<Shapes> = Party {
    name: "enumeration",
    about: "all values of small ranks and sizes",
    questions: &[Decide],
    checks: None,
    make: |effort| {
        Asked::boxed(effort, by_enumeration, |e, q, set| {
            told(by_enumeration(e, q, set))
        })
    },
};

fn told(answer: Option<Verdict>) -> String {
    answer.map_or_else(String::new, |answer| answer.to_string())
}

/// Returns the options of the printed rules within some effort. The default allows as many steps as the rules do
/// themselves.
fn options(effort: &Effort, reading: Reading) -> Options {
    let options = Options::default();
    Options {
        reading,
        steps: options
            .steps
            .min(usize::try_from(effort.rules).unwrap_or(usize::MAX)),
        ..options
    }
}

fn by_rules(effort: &Effort, _: Decide, set: &ShapeSet) -> Option<Verdict> {
    Some(printed(set, &options(effort, Reading::Literal)))
}

/// Runs the printed rules.
pub(super) fn printed(set: &ShapeSet, options: &Options) -> Verdict {
    let mut set = set.set();
    let run = run(&mut set, options);
    let show = |constraint: &Constraint| constraint.show(&set.pool).to_string();
    let last: Vec<String> = run.constraints.0.iter().map(show).collect();
    let text: String = last.iter().map(|line| format!("{line}\n")).collect();
    match run.end {
        End::Fail(rule) => Verdict {
            text: format!("FAIL by {rule}\n"),
            ..Verdict::only(Some(false))
        },
        End::Solved => Verdict {
            text,
            ..Verdict::only(Some(true))
        },
        End::Stuck => {
            let (difference, constraint) = differences::stopped(&set.pool, &run.constraints);
            Verdict {
                short: Some(difference),
                limit: Some(format!("no printed rule matches `{}`", show(constraint))),
                text,
                ..Verdict::only(None)
            }
        }
        End::NoFixedPoint => Verdict {
            limit: Some(format!(
                "the printed rules take more than {} steps",
                options.steps
            )),
            ..Verdict::only(None)
        },
    }
}

/// Returns the steps of the printed rules, and how they end.
fn trace(effort: &Effort, _: Decide, instance: &ShapeSet) -> String {
    let mut set = instance.set();
    let options = Options {
        traced: true,
        ..options(effort, Reading::Literal)
    };
    let mut text = String::new();
    for step in run(&mut set, &options).steps {
        let _ = writeln!(text, "{} at {}", step.rule.name, step.constraint);
        for line in step.set.iter().flatten() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text + &printed(instance, &options).to_string()
}

fn natively(_: &Effort, _: Decide, instance: &ShapeSet) -> Option<Verdict> {
    let mut set = instance.set();
    let answer = Solver::default().simplify(&mut set.pool, &set.equations);
    Some(match answer {
        Simplified::Unsatisfiable { reasons, clash, .. } => {
            let mut text = format!("{clash}\n");
            for index in &reasons {
                let equation = &set.equations[*index as usize];
                let _ = writeln!(text, "  {}", equation.show(&set.pool));
            }
            Verdict {
                cited: Some(reasons),
                text,
                ..Verdict::only(Some(false))
            }
        }
        Simplified::TooLarge(error) => Verdict {
            limit: Some(error.to_string()),
            ..Verdict::only(None)
        },
        Simplified::Solved { satisfiable, .. } => match satisfiable {
            Satisfiable::Unknown(why) => Verdict {
                limit: Some(why),
                ..Verdict::only(None)
            },
            Satisfiable::Yes(solution) => Verdict {
                text: shown(&set.pool, &solution),
                // A ragged dimension has no value, so such a solution cannot be checked.
                solution: (!has_ragged(instance)).then_some(solution),
                ..Verdict::only(Some(true))
            },
        },
    })
}

fn by_z3(effort: &Effort, _: Decide, set: &ShapeSet) -> Option<Verdict> {
    if has_ragged(set) {
        return None;
    }
    let oracle = oracle::Oracle {
        time: effort.oracle.time,
        ..oracle::Oracle::default()
    };
    Some(match oracle.decide(set.pool(), set.equations()) {
        oracle::Verdict::Satisfiable(solution) => Verdict {
            text: solution
                .as_ref()
                .map_or_else(String::new, |solution| shown(set.pool(), solution)),
            solution,
            ..Verdict::only(Some(true))
        },
        oracle::Verdict::Unsatisfiable => Verdict::only(Some(false)),
        oracle::Verdict::Unknown(why) => Verdict {
            limit: Some(why),
            ..Verdict::only(None)
        },
    })
}

fn by_enumeration(_: &Effort, _: Decide, set: &ShapeSet) -> Option<Verdict> {
    if has_ragged(set) {
        return None;
    }
    let bounds = oracle::Bounds::default();
    let found = oracle::enumerate(set.pool(), set.equations(), &bounds, 1);
    Some(match found.solutions.into_iter().next() {
        Some(solution) => Verdict {
            text: shown(set.pool(), &solution),
            solution: Some(solution),
            ..Verdict::only(Some(true))
        },
        None => Verdict {
            limit: Some(format!(
                "no solution of ranks to {} and sizes to {}",
                bounds.rank, bounds.size
            )),
            ..Verdict::only(None)
        },
    })
}

/// Tells whether a dimension is ragged.
pub(super) fn has_ragged(set: &ShapeSet) -> bool {
    let dims = set.equations().iter().flat_map(Equation::dims);
    let parts = set.pool().with_parts(dims);
    parts
        .into_iter()
        .any(|part| matches!(set.pool().node(part), DimNode::Ragged(_)))
}
