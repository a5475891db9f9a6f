//! The parties that decide facts: the arithmetic of sizes, and Z3.

use std::fmt;

use super::{Answer, Arithmetic, Decide, Facts, answer, satisfiable};
use crate::outcome::{Disagreement, Outcome};
use crate::subject;
use crate::subject::party::{Asked, Effort, Party, Said};

/// The arithmetic of `lozenge-sizes`.
pub const NATIVE: Party<Arithmetic> = Party {
    name: "arithmetic",
    about: "the arithmetic of sizes",
    questions: &[Decide],
    checks: Some(Decide),
    make: |effort| Asked::boxed(effort, by_arithmetic, told),
};

/// Z3.
pub const Z3: Party<Arithmetic> = Party {
    name: "oracle",
    about: "Z3, from the meaning of the terms",
    questions: &[Decide],
    checks: Some(Decide),
    make: |effort| {
        Asked::boxed(effort, by_z3, |effort, question, facts| {
            by_z3(effort, question, facts).map_or_else(String::new, |verdict| verdict.to_string())
        })
    },
};

/// The most steps to find the fewest reasons of a refusal.
const MINIMISING: u64 = 1 << 20;

/// An answer about facts: satisfiable or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The verdict; `None` where a limit was reached.
    pub holds: Option<bool>,
    /// The solution that is claimed.
    pub solution: Option<Vec<i64>>,
    /// The limit that was reached.
    pub limit: Option<String>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", subject::Answer::word(self))?;
        let values = self.solution.iter().flatten().enumerate();
        for (variable, value) in values {
            writeln!(f, "v{variable} = {value}")?;
        }
        Ok(())
    }
}

impl subject::Answer for Verdict {
    fn word(&self) -> &'static str {
        match self.holds {
            Some(true) => "sat",
            Some(false) => "unsat",
            None => "unknown",
        }
    }

    fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }
}

fn by_arithmetic(_: &Effort, _: Decide, facts: &Facts) -> Option<Verdict> {
    let none = Verdict {
        holds: None,
        solution: None,
        limit: None,
    };
    Some(match answer(&facts.system, 0) {
        Answer::Satisfiable(solution) => Verdict {
            holds: Some(true),
            solution: Some(solution),
            ..none
        },
        Answer::Unsatisfiable { .. } => Verdict {
            holds: Some(false),
            ..none
        },
        Answer::Unknown(limit) => Verdict {
            limit: Some(limit.to_string()),
            ..none
        },
    })
}

/// Returns the solution, or the facts that exclude each other.
fn told(_: &Effort, _: Decide, facts: &Facts) -> String {
    match answer(&facts.system, MINIMISING) {
        Answer::Satisfiable(solution) => {
            let values = solution.iter().enumerate();
            let values = values.map(|(variable, value)| format!("v{variable} = {value}\n"));
            values.collect()
        }
        Answer::Unsatisfiable { reasons, .. } => {
            let cited = reasons.iter().map(|at| {
                let relations = facts.system.facts[*at].iter();
                let relations: Vec<String> = relations.map(ToString::to_string).collect();
                format!("  fact {}: {}\n", at + 1, relations.join(" or "))
            });
            format!("these exclude each other:\n{}", cited.collect::<String>())
        }
        Answer::Unknown(limit) => format!("unknown: {limit}\n"),
    }
}

fn by_z3(effort: &Effort, _: Decide, facts: &Facts) -> Option<Verdict> {
    let time = effort.oracle.time;
    let holds = satisfiable(&facts.system, time);
    let limit = format!("Z3 has no answer in {time:?}; --time raises it");
    Some(Verdict {
        holds,
        solution: None,
        limit: holds.is_none().then_some(limit),
    })
}

/// Reads the table: both say the same, or one reached a limit.
pub(super) fn compare(said: &[Said<Arithmetic>]) -> Outcome {
    let says = |holds: bool| said.iter().find(|said| said.answer.holds == Some(holds));
    let unknown = said.iter().find(|said| said.answer.holds.is_none());
    match (says(true), says(false), unknown) {
        (Some(sat), Some(unsat), _) => Disagreement::new("sat against unsat")
            .answered(sat.party, &sat.answer)
            .answered(unsat.party, &unsat.answer)
            .into(),
        (_, _, Some(unknown)) => {
            let limit = unknown.answer.limit.as_deref();
            Outcome::Unknown(format!("{}: {}", unknown.party, limit.unwrap_or("a limit")))
        }
        _ => Outcome::Agree,
    }
}
