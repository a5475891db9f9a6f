//! Answers in the form in which they are shown. Their JSON is the command line's.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Ground, Order, Row, Var, Verdict};

use crate::answers::{Generality, Greatness, Soundness};
use crate::entailment::{Entailment, Equivalence};
use crate::forced::{Forced, ForcedValue};
use crate::limits::Reason;
use crate::satisfiability::Core;
use crate::solutions::Solutions;

/// An answer, with the reading and the bound for which it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleReport {
    /// The verdict for an exit status. For questions about the set it says whether there is a solution; for the others
    /// `sat` means yes and `unsat` no.
    pub verdict: Verdict,
    /// The reading of `<=` between rows.
    pub order: Order,
    /// The rank bound: solutions with more axes than this on a side of a row variable are not looked for.
    pub window: u32,
    /// The answer.
    pub answer: Answer,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The set has a solution, but it is not known which is the first.
    Solution,
    /// A solution.
    Model {
        /// Its values.
        model: Ground,
    },
    /// The set has no solution.
    NoSolution,
    /// Constraints that exclude each other.
    Core {
        /// Their indices, ascending.
        indices: Vec<usize>,
        /// Their texts.
        constraints: Vec<Constraint>,
        /// True if it is known that none can be left out.
        minimal: bool,
        /// The reason for which that is not known.
        doubt: Option<Reason>,
    },
    /// The set has no core, since it has a solution.
    NoCore,
    /// The values that all solutions have in common.
    Forced {
        /// Dimension variables and ranks.
        forced: BTreeMap<String, ForcedValue>,
        /// The flat content of row variables.
        contents: BTreeMap<String, Vec<Dim>>,
        /// Variables for which it is not known whether they vary, with the reason.
        undetermined: BTreeMap<String, Reason>,
    },
    /// The answer to whether a constraint is entailed.
    Entails(Claim),
    /// The answer to whether two sets have the same solutions.
    Equivalent {
        /// Every solution of the set is one of the other.
        forward: Claim,
        /// Every solution of the other is one of the set.
        backward: Claim,
    },
    /// The answer to whether a claimed solution is one.
    Sound(Claim),
    /// The answer to whether bindings and a store represent the solutions.
    MostGeneral {
        /// Every solution of the store satisfies the set.
        sound: Claim,
        /// Every solution of the set satisfies the store.
        general: Claim,
    },
    /// The answer to whether a solution is the greatest.
    Greatest {
        /// The claim that it is a solution.
        solution: Claim,
        /// The claim that it is above all solutions in the marked order.
        marked: Claim,
        /// The claim that it is above all solutions in the one-shot order.
        content: Claim,
    },
    /// Distinct solutions.
    Solutions {
        /// The number of solutions that were found.
        found: usize,
        /// True if these are all; `None` if that is not known.
        all: Option<bool>,
        /// The solutions, if the question was to list them.
        solutions: Vec<Ground>,
        /// The reason for which it is not known whether these are all.
        doubt: Option<Reason>,
    },
    /// A limit was reached.
    Unknown {
        /// The limit.
        reason: Reason,
    },
}

/// A statement that holds, does not hold, or is not decided.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Claim {
    /// True if it holds; `None` if that is not known.
    pub holds: Option<bool>,
    /// A solution that is a counterexample.
    pub counterexample: Option<Box<Ground>>,
    /// The constraint that fails.
    pub violated: Option<Box<Constraint>>,
    /// The reason for which it is not known.
    pub reason: Option<Reason>,
}

impl From<Entailment> for Claim {
    fn from(entailment: Entailment) -> Claim {
        let mut claim = Claim::default();
        match entailment {
            Entailment::Holds => claim.holds = Some(true),
            Entailment::Fails(ground) => {
                claim.holds = Some(false);
                claim.counterexample = Some(Box::new(ground));
            }
            Entailment::Unknown(reason) => claim.reason = Some(reason),
        }
        claim
    }
}

impl Claim {
    fn of_soundness(soundness: Soundness, set: &ConstraintSet) -> Claim {
        let mut claim = Claim::default();
        match soundness {
            Soundness::Sound(_) => claim.holds = Some(true),
            Soundness::Unsound(at) => {
                claim.holds = Some(false);
                claim.violated = at.map(|at| Box::new(set.constraints[at].clone()));
            }
            Soundness::Unknown(reason) => claim.reason = Some(reason),
        }
        claim
    }
}

impl Answer {
    pub(crate) fn of_model(answer: Result<Option<Ground>, Reason>) -> Answer {
        match answer {
            Ok(Some(model)) => Answer::Model { model },
            Ok(None) => Answer::NoSolution,
            Err(reason) => Answer::Unknown { reason },
        }
    }

    pub(crate) fn of_core(answer: Result<Option<Core>, Reason>, set: &ConstraintSet) -> Answer {
        match answer {
            Ok(None) => Answer::NoCore,
            Err(reason) => Answer::Unknown { reason },
            Ok(Some(core)) => Answer::Core {
                constraints: core
                    .constraints
                    .iter()
                    .map(|&at| set.constraints[at].clone())
                    .collect(),
                indices: core.constraints,
                minimal: core.doubt.is_none(),
                doubt: core.doubt,
            },
        }
    }

    pub(crate) fn of_forced(answer: Result<Option<Forced>, Reason>) -> Answer {
        match answer {
            Ok(None) => Answer::NoSolution,
            Err(reason) => Answer::Unknown { reason },
            Ok(Some(forced)) => Answer::Forced {
                forced: forced.map(),
                contents: forced
                    .contents
                    .into_iter()
                    .map(|(var, content)| (var.to_string(), content))
                    .collect(),
                undetermined: forced
                    .undetermined
                    .into_iter()
                    .map(|(var, reason): (Var, Reason)| (var.to_string(), reason))
                    .collect(),
            },
        }
    }

    pub(crate) fn of_entailment(answer: Entailment) -> Answer {
        Answer::Entails(answer.into())
    }

    pub(crate) fn of_equivalence(answer: Equivalence) -> Answer {
        Answer::Equivalent {
            forward: answer.forward.into(),
            backward: answer.backward.into(),
        }
    }

    pub(crate) fn of_soundness(answer: Soundness, set: &ConstraintSet) -> Answer {
        Answer::Sound(Claim::of_soundness(answer, set))
    }

    pub(crate) fn of_generality(answer: Generality, set: &ConstraintSet) -> Answer {
        let mut sound = Claim::from(answer.sound);
        sound.violated = answer
            .violated
            .map(|at| Box::new(set.constraints[at].clone()));
        Answer::MostGeneral {
            sound,
            general: answer.general.into(),
        }
    }

    pub(crate) fn of_greatness(answer: Greatness, set: &ConstraintSet) -> Answer {
        Answer::Greatest {
            solution: Claim::of_soundness(answer.solution, set),
            marked: answer.marked.into(),
            content: answer.content.into(),
        }
    }

    pub(crate) fn of_solutions(answer: Solutions, listed: bool) -> Answer {
        Answer::Solutions {
            found: answer.found.len(),
            all: answer.more.map(|more| !more),
            solutions: if listed { answer.found } else { Vec::new() },
            doubt: answer.doubt,
        }
    }

    /// Returns the verdict of [`OracleReport::verdict`].
    pub fn verdict(&self) -> Verdict {
        match self {
            Answer::Solution | Answer::Model { .. } | Answer::NoCore | Answer::Forced { .. } => {
                Verdict::Sat
            }
            Answer::NoSolution | Answer::Core { .. } => Verdict::Unsat,
            Answer::Entails(claim) | Answer::Sound(claim) => yes(claim.holds),
            Answer::Equivalent { forward, backward } => yes(both(forward, backward)),
            Answer::MostGeneral { sound, general } => yes(both(sound, general)),
            Answer::Greatest {
                solution, content, ..
            } => yes(both(solution, content)),
            Answer::Solutions { found, all, .. } => match (found, all) {
                (0, Some(_)) => Verdict::Unsat,
                (0, None) => Verdict::Unknown,
                _ => Verdict::Sat,
            },
            Answer::Unknown { .. } => Verdict::Unknown,
        }
    }
}

/// Returns the verdict that stands for a yes or a no in an exit status.
fn yes(holds: Option<bool>) -> Verdict {
    match holds {
        Some(true) => Verdict::Sat,
        Some(false) => Verdict::Unsat,
        None => Verdict::Unknown,
    }
}

fn both(a: &Claim, b: &Claim) -> Option<bool> {
    match (a.holds, b.holds) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

impl Display for OracleReport {
    /// Writes the verdict on its own line, followed by the details.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.answer.fmt(f)
    }
}

impl Display for Answer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Solution => writeln!(f, "sat"),
            Answer::Model { model } => write!(f, "sat\n{model}"),
            Answer::NoSolution => writeln!(f, "unsat"),
            Answer::NoCore => writeln!(f, "sat: there is no core"),
            Answer::Core {
                indices,
                constraints,
                doubt,
                ..
            } => show_core(f, indices, constraints, doubt.as_ref()),
            Answer::Forced {
                forced,
                contents,
                undetermined,
            } => show_forced(f, forced, contents, undetermined),
            Answer::Entails(claim) => show(f, "entailed", claim),
            Answer::Sound(claim) => show(f, "sound", claim),
            Answer::Equivalent { forward, backward } => {
                show(f, "every solution is one of the other set", forward)?;
                show(f, "every solution of the other set is one", backward)
            }
            Answer::MostGeneral { sound, general } => {
                show(f, "sound", sound)?;
                show(f, "covers every solution", general)
            }
            Answer::Greatest {
                solution,
                marked,
                content,
            } => {
                show(f, "a solution", solution)?;
                show(f, "above every solution, markers read", marked)?;
                show(f, "above every solution, results read flat", content)
            }
            Answer::Solutions {
                found,
                all,
                solutions,
                doubt,
            } => show_solutions(f, *found, *all, solutions, doubt.as_ref()),
            Answer::Unknown { reason } => writeln!(f, "unknown: {reason}"),
        }
    }
}

fn show(f: &mut Formatter<'_>, what: &str, claim: &Claim) -> fmt::Result {
    match (claim.holds, &claim.reason) {
        (Some(true), _) => writeln!(f, "{what}: yes")?,
        (Some(false), _) => writeln!(f, "{what}: no")?,
        (None, Some(reason)) => writeln!(f, "{what}: unknown: {reason}")?,
        (None, None) => writeln!(f, "{what}: unknown")?,
    }
    if let Some(violated) = &claim.violated {
        writeln!(f, "violated: {violated}")?;
    }
    match &claim.counterexample {
        Some(ground) => write!(f, "counterexample:\n{ground}"),
        None => Ok(()),
    }
}

fn show_core(
    f: &mut Formatter<'_>,
    indices: &[usize],
    constraints: &[Constraint],
    doubt: Option<&Reason>,
) -> fmt::Result {
    writeln!(f, "unsat")?;
    for (index, constraint) in indices.iter().zip(constraints) {
        writeln!(f, "{index}: {constraint}")?;
    }
    match doubt {
        Some(reason) => writeln!(f, "perhaps fewer suffice: {reason}"),
        None => Ok(()),
    }
}

fn show_forced(
    f: &mut Formatter<'_>,
    forced: &BTreeMap<String, ForcedValue>,
    contents: &BTreeMap<String, Vec<Dim>>,
    undetermined: &BTreeMap<String, Reason>,
) -> fmt::Result {
    writeln!(f, "sat")?;
    for (what, value) in forced {
        match value {
            ForcedValue::Dim(dim) => writeln!(f, "{what} = {dim}")?,
            ForcedValue::Zero => writeln!(f, "{what} = 0")?,
            ForcedValue::Rank(rank) => writeln!(f, "{what} = {rank}")?,
            ForcedValue::Size(size) => writeln!(f, "{what} = {size}")?,
        }
    }
    for (var, content) in contents {
        let row = Row::new(Vec::new(), content.clone());
        writeln!(f, "content {var} = {row}")?;
    }
    for (var, reason) in undetermined {
        writeln!(f, "{var} is undetermined: {reason}")?;
    }
    Ok(())
}

fn show_solutions(
    f: &mut Formatter<'_>,
    found: usize,
    all: Option<bool>,
    solutions: &[Ground],
    doubt: Option<&Reason>,
) -> fmt::Result {
    match (all, doubt) {
        (Some(true), _) => writeln!(f, "solutions: {found}")?,
        (Some(false), _) => writeln!(f, "solutions: at least {found}")?,
        (None, Some(reason)) => writeln!(f, "solutions: at least {found}; {reason}")?,
        (None, None) => writeln!(f, "solutions: at least {found}")?,
    }
    for (at, ground) in solutions.iter().enumerate() {
        write!(f, "solution {}\n{ground}", at + 1)?;
    }
    Ok(())
}
