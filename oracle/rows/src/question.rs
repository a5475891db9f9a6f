//! Questions as words: the values of `--ask`, and one function that answers any of them.

use std::fmt;
use std::str::FromStr;

use lozenge_vocabulary::notation::{self, NotationError};
use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, Ground, Row, RowTerm, Substitution,
};
use thiserror::Error;

use crate::oracle::Oracle;
use crate::report::{Answer, Answered, OracleReport};
use crate::satisfiability::Satisfiability;

/// A question about one constraint set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The first solution that is found within the limits, if there is one.
    Sat,
    /// The first solution, which has the least total rank.
    Model,
    /// The constraints that exclude each other.
    Core,
    /// The values that all solutions have in common.
    Forced,
    /// The constraint holds in every solution.
    Entails(Constraint),
    /// The other set has the same solutions, on the variables that both have.
    Equivalent(ConstraintSet),
    /// The values are a solution.
    Sound(Ground),
    /// The bindings and the store represent the solutions.
    MostGeneral(Substitution, Vec<Constraint>),
    /// The values are the greatest solution.
    Greatest(Ground),
    /// The set has at least this many solutions.
    Count(usize),
    /// The first solutions, up to this number.
    Enumerate(usize),
}

/// The number of solutions that `enumerate` lists when no number is given.
const LISTED: usize = 10;

/// The reason for which a question could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuestionError {
    /// A word that is no question.
    #[error("`{0}` is no question; the questions are {words}", words = WORDS)]
    Unknown(String),
    /// Something after `=` was expected.
    #[error("`{0}` needs a value: {0}={1}")]
    Missing(&'static str, &'static str),
    /// A value was given to a question that takes none.
    #[error("`{0}` takes no value")]
    Surplus(String),
    /// The number could not be read.
    #[error("`{0}` is not a number of solutions from 1 on")]
    Number(String),
    /// The value is not in the notation.
    #[error("{0}")]
    Notation(#[from] NotationError),
    /// The value is in the notation, but not of the form that the question takes.
    #[error("{0}")]
    Form(String),
}

/// The words of `--ask`, for help texts.
pub const WORDS: &str = "sat, model, core, forced, entails=CONSTRAINT, equivalent=SET, sound=SOLUTION, \
most-general=BINDINGS[;;STORE], greatest=SOLUTION, count=K, minimal-rank, enumerate[=K]";

impl FromStr for Question {
    type Err = QuestionError;

    /// Reads `WORD` or `WORD=VALUE`. Sets, solutions and bindings are in the notation, `;` for the end of a line.
    fn from_str(text: &str) -> Result<Question, QuestionError> {
        let (word, value) = match text.split_once('=') {
            Some((word, value)) => (word.trim(), Some(value.trim())),
            None => (text.trim(), None),
        };
        let need = |what| value.ok_or_else(|| missing(word, what));
        let plain = |ask: Question| match value {
            None => Ok(ask),
            Some(_) => Err(QuestionError::Surplus(word.to_owned())),
        };
        match word {
            "sat" => plain(Question::Sat),
            "model" | "minimal-rank" => plain(Question::Model),
            "core" => plain(Question::Core),
            "forced" => plain(Question::Forced),
            "entails" => single(&lines(need("CONSTRAINT")?)?).map(Question::Entails),
            "equivalent" => Ok(Question::Equivalent(lines(need("SET")?)?)),
            "sound" => Ok(Question::Sound(solution(&lines(need("SOLUTION")?)?)?)),
            "greatest" => Ok(Question::Greatest(solution(&lines(need("SOLUTION")?)?)?)),
            "most-general" => most_general(need("BINDINGS[;;STORE]")?),
            "count" => number(need("K")?).map(Question::Count),
            "enumerate" => value.map_or(Ok(LISTED), number).map(Question::Enumerate),
            _ => Err(QuestionError::Unknown(word.to_owned())),
        }
    }
}

fn missing(word: &str, what: &'static str) -> QuestionError {
    let words = [
        "entails",
        "equivalent",
        "sound",
        "greatest",
        "most-general",
        "count",
    ];
    let word = words.into_iter().find(|&w| w == word).unwrap_or("ask");
    QuestionError::Missing(word, what)
}

fn lines(value: &str) -> Result<ConstraintSet, QuestionError> {
    Ok(notation::parse(&value.replace(';', "\n"))?.set)
}

fn single(set: &ConstraintSet) -> Result<Constraint, QuestionError> {
    match set.constraints.as_slice() {
        [constraint] => Ok(constraint.clone()),
        other => Err(QuestionError::Form(format!(
            "one constraint was expected, and {} were given",
            other.len()
        ))),
    }
}

fn number(value: &str) -> Result<usize, QuestionError> {
    let number = value.parse().ok().filter(|&n| n > 0);
    number.ok_or_else(|| QuestionError::Number(value.to_owned()))
}

fn most_general(value: &str) -> Result<Question, QuestionError> {
    let (bindings, store) = value.split_once(";;").unwrap_or((value, ""));
    Ok(Question::MostGeneral(
        self::bindings(&lines(bindings)?)?,
        lines(store)?.constraints,
    ))
}

/// Reads `a = 3` and `<r> ~ [3 <> 5]` as values.
///
/// # Errors
/// When a line is anything else, or a variable has two values.
pub fn solution(set: &ConstraintSet) -> Result<Ground, QuestionError> {
    let bindings = bindings(set)?;
    let mut ground = Ground::default();
    for (var, term) in bindings.dims {
        let value: Option<Dim> = term.ground().cloned();
        let value = value.ok_or_else(|| not_ground(&var, &term))?;
        ground.dims.insert(var, value);
    }
    for (var, term) in bindings.rows {
        let value: Option<Row> = term.ground();
        let value = value.ok_or_else(|| not_ground(&var, &term))?;
        ground.rows.insert(var, value);
    }
    Ok(ground)
}

fn not_ground(var: &impl fmt::Display, term: &impl fmt::Display) -> QuestionError {
    QuestionError::Form(format!("the value of {var} has variables in it: {term}"))
}

/// Reads `a = t` and `<r> ~ R` as bindings.
///
/// # Errors
/// When a line is anything else, or a variable is bound twice.
pub fn bindings(set: &ConstraintSet) -> Result<Substitution, QuestionError> {
    let mut bindings = Substitution::default();
    for constraint in &set.constraints {
        let twice = match constraint {
            Constraint::DimEq(DimTerm::Var(var), term) => {
                bindings.dims.insert(var.clone(), term.clone()).is_some()
            }
            Constraint::RowEq(
                RowTerm {
                    leading,
                    var: Some(var),
                    trailing,
                },
                term,
            ) if leading.is_empty() && trailing.is_empty() => {
                bindings.rows.insert(var.clone(), term.clone()).is_some()
            }
            _ => {
                let text = format!("`{constraint}` is no binding: write `a = t` or `<r> ~ R`");
                return Err(QuestionError::Form(text));
            }
        };
        if twice {
            let text = format!("`{constraint}` binds a variable for the second time");
            return Err(QuestionError::Form(text));
        }
    }
    Ok(bindings)
}

impl Oracle {
    /// Answers a question about the set.
    pub fn ask(&self, set: &ConstraintSet, question: &Question) -> OracleReport {
        let answer = match question {
            Question::Sat => match self.sat(set) {
                Satisfiability::Sat(_) => match self.model(set) {
                    Ok(Some(model)) => Answer::Model { model },
                    _ => Answer::Solution,
                },
                Satisfiability::Unsat => Answer::NoSolution,
                Satisfiability::Unknown(reason) => Answer::Unknown(reason.into()),
            },
            Question::Model => Answer::of_model(self.model(set)),
            Question::Core => Answer::of_core(self.core(set), set),
            Question::Forced => Answer::of_forced(self.forced(set)),
            Question::Entails(constraint) => Answer::of_entailment(self.entails(set, constraint)),
            Question::Equivalent(other) => Answer::of_equivalence(self.equivalent(set, other)),
            Question::Sound(ground) => Answer::of_soundness(self.sound(set, ground), set),
            Question::MostGeneral(bindings, store) => {
                Answer::of_generality(self.most_general(set, bindings, store), set)
            }
            Question::Greatest(ground) => Answer::of_greatness(self.greatest(set, ground), set),
            Question::Count(k) => Answer::of_solutions(self.count(set, *k), false),
            Question::Enumerate(k) => Answer::of_solutions(self.enumerate(set, *k), true),
        };
        OracleReport {
            verdict: answer.verdict(),
            answered: Answered {
                order: self.order,
                window: self.rank_bound(set),
                answer,
            },
        }
    }
}

impl Question {
    /// Tells whether the answer is a verdict about the set itself, rather than about a further argument of the
    /// question.
    pub fn is_about_the_set(&self) -> bool {
        matches!(
            self,
            Question::Sat | Question::Model | Question::Core | Question::Forced
        )
    }
}
