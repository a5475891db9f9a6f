//! Answers in the form in which they are shown and serialised.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use lozenge_vocabulary::{Cited, Constraint, ConstraintSet, Dim, Ground, Order, Row, Var, Verdict};
use serde::Serialize;

use crate::answers::{Generality, Greatness, Soundness};
use crate::entailment::{Entailment, Equivalence};
use crate::forced::{Forced, ForcedValue};
use crate::limits::Reason;
use crate::satisfiability::Core;
use crate::solutions::Solutions;

/// An answer with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Judged", extend("unevaluatedProperties" = false))
)]
pub struct OracleReport {
    /// For the questions about a set whether it has a solution; for the others `sat` is yes and `unsat` no.
    pub verdict: Verdict,
    /// The answer, with what it holds for.
    #[serde(flatten)]
    pub answered: Answered,
}

/// An answer with what it holds for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answered {
    /// The reading of `<=` between rows.
    pub order: Order,
    /// The number of axes on a side of a row variable that were looked at.
    pub window: u32,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limited {
    /// The reason.
    pub reason: Reason,
    /// The same in words, with the flag that raises the limit where one was reached.
    pub limit: String,
}

impl From<Reason> for Limited {
    fn from(reason: Reason) -> Limited {
        Limited {
            limit: reason.to_string(),
            reason,
        }
    }
}

/// Something that holds, does not, or is not known.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// True if it holds; `null`: not known.
    pub holds: Option<bool>,
    /// A solution against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Box<Ground>>,
    /// The constraint that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violated: Option<Box<Constraint>>,
    /// The reason why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
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

impl OracleReport {
    /// Adds the lines of the constraints that are cited, by their numbers from 1, where the set was read from a text.
    pub fn placed(mut self, line: impl Fn(usize) -> Option<usize>) -> OracleReport {
        if let Answer::Core { core, .. } = &mut self.answered.answer {
            for cited in core {
                cited.line = line(cited.constraint);
            }
        }
        self
    }
}

/// Cites a constraint of a set by its index from 0.
fn cited(set: &ConstraintSet, index: usize) -> Cited {
    Cited {
        constraint: index + 1,
        line: None,
        text: set.constraints[index].to_string(),
    }
}

impl Answer {
    pub(crate) fn of_model(answer: Result<Option<Ground>, Reason>) -> Answer {
        match answer {
            Ok(Some(model)) => Answer::Model { model },
            Ok(None) => Answer::NoSolution,
            Err(reason) => Answer::Unknown(reason.into()),
        }
    }

    pub(crate) fn of_core(answer: Result<Option<Core>, Reason>, set: &ConstraintSet) -> Answer {
        match answer {
            Ok(None) => Answer::NoCore,
            Err(reason) => Answer::Unknown(reason.into()),
            Ok(Some(core)) => Answer::Core {
                core: core.constraints.iter().map(|&at| cited(set, at)).collect(),
                minimal: core.doubt.is_none(),
                doubt: core.doubt,
            },
        }
    }

    pub(crate) fn of_forced(answer: Result<Option<Forced>, Reason>) -> Answer {
        match answer {
            Ok(None) => Answer::NoSolution,
            Err(reason) => Answer::Unknown(reason.into()),
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
            Answer::Unknown(_) => Verdict::Unknown,
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
        self.answered.answer.fmt(f)
    }
}

impl Display for Answer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Solution => writeln!(f, "sat"),
            Answer::Model { model } => write!(f, "sat\n{model}"),
            Answer::NoSolution => writeln!(f, "unsat"),
            Answer::NoCore => writeln!(f, "sat: there is no core"),
            Answer::Core { core, doubt, .. } => show_core(f, core, doubt.as_ref()),
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
            Answer::Unknown(limited) => writeln!(f, "unknown: {}", limited.limit),
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

fn show_core(f: &mut Formatter<'_>, core: &[Cited], doubt: Option<&Reason>) -> fmt::Result {
    writeln!(f, "unsat: these constraints exclude each other")?;
    for cited in core {
        writeln!(f, "  {cited}")?;
    }
    match doubt {
        Some(reason) => writeln!(f, "fewer may do: {reason}"),
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
