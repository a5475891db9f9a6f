//! The questions that can be asked, and the trait of the parties that answer them. A party says which questions it answers.

use std::fmt;

use lozenge_backend::Tensor;
use lozenge_vocabulary::projections::Projections;
use lozenge_vocabulary::{Ground, Rule, Verdict};

use crate::input::Input;

/// A question about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// A constraint set: its solved form, with deferred equations resolved by policy.
    Solve,
    /// A constraint set: solved and closed by the tags of its variables.
    Close,
    /// A constraint set: whether there is a solution at all.
    Decide,
    /// Projection equations: product space and index maps.
    Project,
    /// A program: the values of its tensors.
    Run,
}

impl Question {
    /// All questions.
    pub const ALL: [Question; 5] = [
        Question::Solve,
        Question::Close,
        Question::Decide,
        Question::Project,
        Question::Run,
    ];
}

/// The answer of a party about a constraint set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAnswer {
    /// The verdict.
    pub verdict: Verdict,
    /// The solution that it claims.
    pub ground: Option<Ground>,
    /// The policy steps that were taken on the way.
    pub policy_steps: usize,
    /// The policy rule upstream of a refusal.
    pub gap: Option<Rule>,
    /// The limit that was reached.
    pub limit: Option<String>,
    /// The indices of the constraints that an `unsat` cites, if the party gives them.
    pub cited: Vec<usize>,
}

impl SetAnswer {
    /// A verdict and nothing else.
    pub fn only(verdict: Verdict) -> SetAnswer {
        SetAnswer {
            verdict,
            ground: None,
            policy_steps: 0,
            gap: None,
            limit: None,
            cited: Vec::new(),
        }
    }
}

impl fmt::Display for SetAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.verdict)?;
        if let Some(limit) = &self.limit {
            writeln!(f, "{limit}")?;
        }
        self.ground.iter().try_for_each(|ground| ground.fmt(f))
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To [`Question::Solve`], [`Question::Close`] and [`Question::Decide`].
    Set(SetAnswer),
    /// To [`Question::Project`]: the loop nest up to names of loops, or the conflict.
    Nest(Result<Projections, String>),
    /// To [`Question::Run`]: every tensor, or why there are none.
    Values(Result<Vec<Tensor>, String>),
    /// None: the party does not answer this question, or not about this input.
    Silent,
}

/// An implementation that answers questions about inputs.
pub trait Party {
    /// The name in reports.
    fn name(&self) -> &'static str;

    /// Whether it answers a question, at least about some inputs.
    fn supports(&self, question: Question) -> bool;

    /// The answer.
    fn answer(&mut self, question: Question, input: &Input) -> Answer;

    /// An explanation of its answer for people: a derivation, or only the answer itself.
    fn derivation(&mut self, question: Question, input: &Input) -> String;
}
