//! Facts about integers: the arithmetic of sizes compared with Z3 and with enumeration of a box.
//!
//! A system of facts does not depend on any procedure; each party reads it independently.

mod native;
mod parties;
mod smt;
mod target;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use arbitrary::{Result as Drawn, Unstructured};
use lozenge_sizes::Limit;
use lozenge_testkit::arithmetic::{Below, Expression, Relation, System, system};

use crate::outcome::{Disagreement, Outcome};
use crate::subject::Subject;
use crate::subject::party::{Party, Said};
use crate::subject::target::{Hunted, Target};

pub use native::{Answer, answer};
pub use parties::{NATIVE, Verdict, Z3};
pub use smt::satisfiable;

/// Facts about integers.
pub struct Arithmetic;

/// A system of facts of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The facts.
    pub system: System,
    /// True if a campaign asks Z3 about it, which takes many times as long as the rest.
    pub asks_z3: bool,
}

/// The line that stands for [`Facts::asks_z3`].
const ASKS_Z3: &str = "ask Z3";

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.asks_z3 {
            writeln!(f, "{ASKS_Z3}")?;
        }
        self.system.fmt(f)
    }
}

impl FromStr for Facts {
    type Err = String;

    fn from_str(text: &str) -> Result<Facts, String> {
        let asks_z3 = text.lines().any(|line| line.trim() == ASKS_Z3);
        // The line becomes empty, so that the lines behind it keep their numbers.
        let facts = text.lines().map(|line| match line.trim() == ASKS_Z3 {
            true => "\n".to_string(),
            false => format!("{line}\n"),
        });
        Ok(Facts {
            system: facts.collect::<String>().parse()?,
            asks_z3,
        })
    }
}

/// The question about facts: whether there is a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decide;

impl Subject for Arithmetic {
    const NOUN: &'static str = "a system of facts about integers";
    const EXTENSION: &'static str = "facts";
    const UNIT: &'static str = "facts";

    type Instance = Facts;
    type Question = Decide;
    type Answer = Verdict;

    const PARTIES: &'static [Party<Arithmetic>] = &[NATIVE, Z3];
    const TARGETS: &'static [Target<Arithmetic>] = TARGETS;

    fn compare(_: &Facts, said: &[Said<Arithmetic>]) -> Outcome {
        parties::compare(said)
    }

    fn check(facts: &Facts, verdict: &Verdict) -> Result<(), String> {
        match &verdict.solution {
            Some(solution) if !facts.system.holds(solution) => {
                Err(format!("{solution:?} does not satisfy the facts"))
            }
            _ => Ok(()),
        }
    }

    fn smaller(facts: &Facts) -> Vec<Facts> {
        let systems = smaller(&facts.system).into_iter();
        let smaller = |system| Facts {
            system,
            asks_z3: facts.asks_z3,
        };
        systems.map(smaller).collect()
    }

    fn size(facts: &Facts) -> usize {
        facts.system.facts.len()
    }
}

/// The targets.
const TARGETS: &[Target<Arithmetic>] = &[Target {
    name: "sizes",
    about: "facts about integers: the arithmetic of sizes, trying a box of values, and of one in 32 Z3",
    questions: &[Decide],
    hunted: Hunted::WhenAsked,
    bytes: 256,
    generate: facts,
    examine: target::sizes,
}];

/// Draws a system, and whether Z3 is asked about it: about one in 32.
fn facts(u: &mut Unstructured<'_>) -> Drawn<Facts> {
    let mut numbers = Bytes(u);
    let asks_z3 = numbers.below(32) == 0;
    let system = system(&mut numbers);
    Ok(Facts { system, asks_z3 })
}

/// Returns the systems without a fact or without an alternative of one, and with a simpler term.
fn smaller(system: &System) -> Vec<System> {
    let mut all = Vec::new();
    let mut put = |change: &dyn Fn(&mut System)| {
        let mut other = system.clone();
        change(&mut other);
        all.push(other);
    };
    for (at, fact) in system.facts.iter().enumerate() {
        put(&|other| drop(other.facts.remove(at)));
        for (alternative, relation) in fact.iter().enumerate() {
            if fact.len() > 1 {
                put(&|other| drop(other.facts[at].remove(alternative)));
            }
            for simpler in simpler_relations(relation) {
                put(&|other| other.facts[at][alternative] = simpler.clone());
            }
        }
    }
    all
}

fn simpler_relations(relation: &Relation) -> Vec<Relation> {
    let both = |a: &Expression, b: &Expression, make: fn(Expression, Expression) -> Relation| {
        let left = simpler(a).into_iter().map(|a| make(a, b.clone()));
        let right = simpler(b).into_iter().map(|b| make(a.clone(), b));
        left.chain(right).collect()
    };
    match relation {
        Relation::Equal(a, b) => both(a, b, Relation::Equal),
        Relation::Differ(a, b) => both(a, b, Relation::Differ),
        Relation::AtMost(a, b) => both(a, b, Relation::AtMost),
        Relation::Less(a, b) => both(a, b, Relation::Less),
        Relation::Divides(by, of) => {
            let simpler = simpler(of).into_iter();
            simpler.map(|of| Relation::Divides(*by, of)).collect()
        }
        Relation::DoesNotDivide(by, of) => {
            let simpler = simpler(of).into_iter();
            simpler.map(|of| Relation::DoesNotDivide(*by, of)).collect()
        }
    }
}

/// Returns a term without a part of its sum, or a part in place of the whole.
fn simpler(expression: &Expression) -> Vec<Expression> {
    match expression {
        Expression::Number(_) | Expression::Variable(_) => Vec::new(),
        Expression::Sum(parts) => {
            let shorter = (0..parts.len()).map(|at| {
                let mut parts = parts.clone();
                parts.remove(at);
                Expression::Sum(parts)
            });
            let alone = parts.iter().map(|(_, part)| part.clone());
            shorter.chain(alone).collect()
        }
        Expression::Floor(of, _) | Expression::Ceil(of, _) => vec![(**of).clone()],
        Expression::Min(of) | Expression::Max(of) | Expression::Product(of) => of.to_vec(),
    }
}

/// The largest value that enumeration tries.
const BOX: i64 = 5;

/// The verdicts of two parties about a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Both have the same verdict: whether there is a solution.
    Same(bool),
    /// The arithmetic has an answer and Z3 has none in its time.
    OnlyNative,
    /// Z3 has an answer and the arithmetic has none.
    OnlyZ3,
    /// Neither has an answer.
    Neither,
}

/// Asks the arithmetic about a system, and about the same system in a box, of which enumeration knows every solution.
///
/// # Errors
/// A wrong answer: a solution that is none, or one that is missed.
pub fn against_enumeration(system: &System) -> Result<Answer, Disagreement> {
    let small = system.solutions(BOX).next();
    // Nobody reads the reasons of a refusal in the box.
    for (system, minimising) in [(system.boxed(BOX), 0), (system.clone(), 1 << 20)] {
        let is_boxed = minimising == 0;
        let native = answer(&system, minimising);
        let wrong = match &native {
            Answer::Satisfiable(point) if !system.holds(point) => "a solution is none",
            Answer::Satisfiable(_) if is_boxed && small.is_none() => "a solution is in no box",
            Answer::Unsatisfiable { .. } if small.is_some() => "a solution is missed",
            Answer::Unknown(Limit::Unverified) => "a solution did not pass its own check",
            _ if is_boxed => continue,
            _ => return Ok(native),
        };
        return Err(Disagreement::new(wrong)
            .answered("arithmetic", format!("{native:?}"))
            .answered("enumeration", format!("{small:?}")));
    }
    unreachable!("the system without a box returns")
}

/// Compares the answer of the arithmetic with that of Z3, which has this much time for each question. The facts that a
/// refusal cites have to be enough for Z3 too.
///
/// # Errors
/// A difference.
pub fn against_z3(
    system: &System,
    native: &Answer,
    time: Duration,
) -> Result<Compared, Disagreement> {
    let wrong = |what: &str, z3: Option<bool>| {
        Err(Disagreement::new(what)
            .answered("arithmetic", format!("{native:?}"))
            .answered("Z3", format!("{z3:?}")))
    };
    if let Answer::Unsatisfiable { reasons, .. } = native {
        let cited = reasons.iter().map(|fact| system.facts[*fact].clone());
        let cited = System {
            facts: cited.collect(),
            ..system.clone()
        };
        if satisfiable(&cited, time) == Some(true) {
            return wrong("the cited facts have a solution", Some(true));
        }
    }
    let native = match native {
        Answer::Satisfiable(_) => Some(true),
        Answer::Unsatisfiable { .. } => Some(false),
        Answer::Unknown(_) => None,
    };
    match (native, satisfiable(system, time)) {
        (Some(native), Some(truth)) if native != truth => {
            wrong("the arithmetic and Z3 differ", Some(truth))
        }
        (Some(native), Some(_)) => Ok(Compared::Same(native)),
        (Some(_), None) => Ok(Compared::OnlyNative),
        (None, Some(_)) => Ok(Compared::OnlyZ3),
        (None, None) => Ok(Compared::Neither),
    }
}

/// Bytes as a source of numbers. When they are used up, every number is 0.
struct Bytes<'a, 'b>(&'a mut Unstructured<'b>);

impl Below for Bytes<'_, '_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0
            .int_in_range(0..=bound.saturating_sub(1))
            .unwrap_or(0)
    }
}
