//! Constraint sets: the solver, as Rust programs have it.

use std::sync::{Arc, Mutex, MutexGuard};

use lozenge_solver::{
    Decision, Entailment, Footing, Forced, Ground, Limits, Options, Problem, Refusal, Solver, Var,
};
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::notation::{NotationError, parse};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors;
use crate::waiting;

/// A set of constraints that grows, with its solution.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Constraints {
    solver: Arc<Mutex<Solver>>,
    /// The text with which it began.
    text: String,
}

/// Returns the solver, whoever asked before.
fn held(solver: &Mutex<Solver>) -> MutexGuard<'_, Solver> {
    solver.lock().unwrap_or_else(|held| held.into_inner())
}

#[pymethods]
impl Constraints {
    /// Reads a set of constraints.
    #[new]
    fn new(
        py: Python<'_>,
        text: String,
        branches: Option<u64>,
        work: Option<u64>,
    ) -> PyResult<Self> {
        let defaults = Limits::default();
        let limits = Limits {
            branches: branches.unwrap_or(defaults.branches),
            work: work.unwrap_or(defaults.work),
            ..defaults
        };
        let about = text.clone();
        let read = waiting::answer(py, &about, move |_| {
            let problem = Problem::parse(&text).map_err(|error| shown(&error, &text))?;
            Ok(Solver::with(
                problem,
                Options {
                    limits,
                    ..Options::default()
                },
            ))
        })?;
        let solver = read.map_err(|message: String| errors::notation(py, &message))?;
        Ok(Self {
            solver: Arc::new(Mutex::new(solver)),
            text: about,
        })
    }

    /// Adds constraints.
    fn add(&self, py: Python<'_>, text: String) -> PyResult<()> {
        let added = self.ask(py, move |solver| {
            solver
                .problem_mut()
                .read(&text)
                .map_err(|error| shown(&error, &text))
        })?;
        added.map_err(|message| errors::notation(py, &message))
    }

    /// Marks a place to which `rollback` returns.
    fn snapshot(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, Solver::snapshot)
    }

    /// Returns to the last place that was marked; false if there is none.
    fn rollback(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, Solver::rollback)
    }

    /// Counts the constraints.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |solver| solver.problem().len())
    }

    /// Returns the constraints as a text.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |solver| solver.problem().to_set().to_string())
    }

    /// Solves or closes, and returns the values with what they rest on, or the refusal, as JSON.
    fn solve(&self, py: Python<'_>, close: bool) -> PyResult<String> {
        self.ask(py, move |solver| {
            let done = match close {
                true => solver.close(),
                false => solver.solve().map(|()| solver.conclude_sizes()),
            };
            match done {
                Err(refusal) => refused(&refusal).to_string(),
                Ok(()) if solver.solution().has_more_axes_than(MOST_AXES) => {
                    json!({"verdict": "unknown", "limit": format!("a solution with more than {MOST_AXES} axes is not written down")}).to_string()
                }
                Ok(()) => values(solver).to_string(),
            }
        })
    }

    /// Decides in complete mode whether there is a solution, as JSON, with what all solutions share if that is asked
    /// for.
    fn decide(&self, py: Python<'_>, with_forced: bool) -> PyResult<String> {
        self.ask(py, move |solver| {
            let decision = solver.decide();
            let forced =
                (with_forced && decision.verdict == Verdict::Sat).then(|| solver.forced(&decision));
            decided(solver, &decision, forced.as_ref()).to_string()
        })
    }

    /// Decides whether a constraint holds in all solutions, as JSON, with the certificate.
    fn entails(&self, py: Python<'_>, text: String) -> PyResult<(String, Option<String>)> {
        let found = self.ask(py, move |solver| {
            let read = parse(&text).map_err(|error| shown(&error, &text))?;
            let [constraint] = &read.set.constraints[..] else {
                return Err(format!(
                    "`{text}` is {} constraints: ask about one",
                    read.set.constraints.len()
                ));
            };
            let (entailment, certificate) = solver.entails(constraint);
            let answer = match &entailment {
                Entailment::Holds(cited) => json!({"holds": true, "because": cited}),
                Entailment::Fails(ground) => json!({"holds": false, "in": ground_json(ground)}),
                Entailment::Unknown(limit) => json!({"holds": null, "limit": limit}),
            };
            let certificate = certificate.map(|certificate| json!(certificate).to_string());
            Ok((answer.to_string(), certificate))
        })?;
        found.map_err(|message| errors::notation(py, &message))
    }

    /// Returns the certificate of what complete mode decides, as JSON, if there is one.
    fn certify(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.ask(py, |solver| {
            let (_, certificate) = solver.certify();
            certificate.map(|certificate| json!(certificate).to_string())
        })
    }

    /// Returns the derivation of a value; nothing where there is none.
    fn explain(&self, py: Python<'_>, name: String) -> PyResult<Option<String>> {
        let var: Var = name.parse().map_err(|_| {
            PyValueError::new_err(format!("`{name}` is no variable: write n or <x>"))
        })?;
        self.ask(py, move |solver| {
            solver
                .explain(&var)
                .map(|derivation| derivation.to_string())
        })
    }
}

/// The most axes of a solution that is written down.
const MOST_AXES: u64 = 1 << 20;

impl Constraints {
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut Solver) -> T + Send + 'static,
    ) -> PyResult<T> {
        let solver = self.solver.clone();
        waiting::answer(py, &self.text, move |_| question(&mut held(&solver)))
    }
}

/// Returns a message with its place in the text.
fn shown(error: &NotationError, text: &str) -> String {
    let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or("");
    let space = " ".repeat(error.column.saturating_sub(1));
    format!("{error}\n  {line}\n  {space}^")
}

/// Returns the values of a solution, each with what it rests on.
fn values(solver: &Solver) -> Value {
    let solution = solver.solution();
    let named = solution.values();
    let on = [
        ("forced", Footing::Forced),
        ("placed", Footing::Placed),
        ("chosen", Footing::Chosen),
        ("free", Footing::Free),
    ];
    let mut standing = serde_json::Map::new();
    for (word, footing) in on {
        let dims = named.dim_names(footing).map(str::to_owned);
        let rows = named.row_names(footing).map(|name| format!("<{name}>"));
        for name in dims.chain(rows) {
            standing.insert(name, json!(word));
        }
    }
    let mut answer = ground_json(&solution.ground());
    answer["verdict"] = json!("sat");
    answer["standing"] = Value::Object(standing);
    answer["greatest"] = json!(solution.is_greatest());
    answer
}

fn ground_json(ground: &Ground) -> Value {
    let dims = ground.dims.iter();
    let zeros = ground
        .zeros
        .iter()
        .map(|var| (var.to_string(), "0".to_owned()));
    let dims: std::collections::BTreeMap<String, String> = dims
        .map(|(var, dim)| (var.to_string(), dim.to_string()))
        .chain(zeros)
        .collect();
    let rows = ground.rows.iter();
    let rows: std::collections::BTreeMap<String, String> = rows
        .map(|(var, row)| (var.to_string(), row.to_string()))
        .collect();
    json!({"dims": dims, "rows": rows})
}

fn refused(refusal: &Refusal) -> Value {
    json!({
        "verdict": refusal.verdict,
        "refusal": refusal,
        "text": refusal.to_string(),
    })
}

fn decided(solver: &Solver, decision: &Decision, forced: Option<&Forced>) -> Value {
    let mut answer = match (&decision.solution, &decision.refusal) {
        (Some(ground), _) => ground_json(ground),
        (None, Some(refusal)) => refused(refusal),
        (None, None) => json!({}),
    };
    answer["verdict"] = json!(decision.verdict);
    answer["limit"] = json!(decision.limit);
    answer["cited"] = json!(solver.cited(&decision.cited));
    if let Some(forced) = forced {
        answer["forced"] = ground_json(&forced.values);
        let undecided: std::collections::BTreeMap<String, &String> = forced
            .undecided
            .iter()
            .map(|(var, limit)| (var.to_string(), limit))
            .collect();
        answer["undecided"] = json!(undecided);
    }
    answer
}
