//! Solving by the transcribed rules, step by step, with the bindings and bounds after each step.

use std::collections::BTreeMap;

use lozenge_spec::configuration::Configuration;
use lozenge_spec::solve::{Runner, Stop};
use lozenge_spec::{Options, Rules, limit_reached};
use lozenge_vocabulary::{ConstraintSet, Order};
use serde::Serialize;

use crate::limits;

/// A run, as the page shows it.
#[derive(Debug, Serialize)]
pub struct Steps {
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// The end of the run, or a note that the rest is left out.
    pub end: String,
    /// The meanings of the rules that occur, by their names.
    pub rules: BTreeMap<&'static str, &'static str>,
}

/// A step: one rule applied to one constraint, or the closing of a round of variables.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The firings of the step, one on each line: the rule, the constraint that it consumed, and the effect.
    pub lines: Vec<Line>,
    /// The bindings that are new or have changed, as variable and value.
    pub bound: Vec<(String, String)>,
    /// The number of bounds that are stored after it.
    pub bounds: usize,
    /// The number of constraints that are left to be processed.
    pub left: usize,
}

/// One firing of a rule.
#[derive(Debug, Serialize)]
pub struct Line {
    /// The rule.
    pub rule: &'static str,
    /// The constraint that it consumed.
    pub on: String,
    /// The effect of the step.
    pub effect: String,
}

/// Runs the rules on a set, to closing, with at most so much work, and keeps the first `limit` steps. `words` writes
/// the names of variables as a reader knows them.
pub fn steps(
    set: &ConstraintSet,
    rules: limits::Rules,
    limit: usize,
    words: &dyn Fn(&str) -> String,
) -> Steps {
    let options = Options {
        work: rules.rule_work,
        close: true,
        ..Options::default()
    };
    let mut recorder = Recorder {
        runner: Runner::new(Rules::of(Order::Marked), &options),
        config: Configuration::new(set, true),
        words,
        known: BTreeMap::new(),
        lines: 0,
        steps: Vec::new(),
        rules: BTreeMap::new(),
        limit,
    };
    let end = match recorder.run() {
        Ok(()) => "closed: every variable has its value".to_string(),
        Err(End::Stopped(Stop::Failed(failure))) => words(&failure.to_string()),
        Err(End::Stopped(Stop::Limit)) => limit_reached(rules.rule_work, set),
        Err(End::Enough) => {
            format!("the steps after the first {limit} are left out: --max-steps shows more")
        }
    };
    Steps {
        steps: recorder.steps,
        end,
        rules: recorder.rules,
    }
}

/// The reason why there are no more steps.
enum End {
    Stopped(Stop),
    Enough,
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        End::Stopped(stop)
    }
}

struct Recorder<'a> {
    runner: Runner,
    config: Configuration,
    words: &'a dyn Fn(&str) -> String,
    /// The bindings after the last step.
    known: BTreeMap<String, String>,
    /// The number of lines of the trace in `steps`.
    lines: usize,
    steps: Vec<Step>,
    rules: BTreeMap<&'static str, &'static str>,
    limit: usize,
}

impl Recorder<'_> {
    fn run(&mut self) -> Result<(), End> {
        self.solve()?;
        loop {
            let more = self.runner.close_leaves(&mut self.config);
            self.record()?;
            if !more? {
                break;
            }
            self.solve()?;
        }
        let closed = self.runner.close_interiors(&mut self.config);
        self.record()?;
        closed?;
        self.solve()
    }

    fn solve(&mut self) -> Result<(), End> {
        loop {
            let more = self.runner.advance(&mut self.config);
            self.record()?;
            if !more? {
                // The constraints that no rule reads are decided here.
                return Ok(self.runner.reach_solved_form(&mut self.config)?);
            }
        }
    }

    /// Records the effect of the last step, if it had one.
    fn record(&mut self) -> Result<(), End> {
        let trace = self.config.trace.as_deref().unwrap_or_default();
        let new = &trace[self.lines.min(trace.len())..];
        if new.is_empty() {
            return Ok(());
        }
        if self.steps.len() == self.limit {
            return Err(End::Enough);
        }
        let lines = new.iter().map(|step| self.line(step)).collect();
        let rules = new
            .iter()
            .map(|step| (step.rule.name(), step.rule.meaning()));
        self.rules.extend(rules);
        self.lines = trace.len();
        let bound = self.newly_bound();
        self.steps.push(Step {
            lines,
            bound,
            bounds: self.config.bounds.len(),
            left: self.config.pending.len() + self.config.deferred.len(),
        });
        Ok(())
    }

    fn line(&self, step: &lozenge_spec::trace::TraceEntry) -> Line {
        let text = step.to_string();
        let on = step
            .constraint
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let effect = text[step.rule.name().len()..].trim_start();
        let effect = effect.strip_prefix(on.as_str()).unwrap_or(effect).trim();
        Line {
            rule: step.rule.name(),
            on: (self.words)(&on),
            effect: (self.words)(effect),
        }
    }

    fn newly_bound(&mut self) -> Vec<(String, String)> {
        let bindings = &self.config.bindings;
        let dims = bindings
            .dims
            .iter()
            .map(|(var, term)| (var.to_string(), term.to_string()));
        let rows = bindings
            .rows
            .iter()
            .map(|(var, term)| (var.to_string(), term.to_string()));
        let mut changed = Vec::new();
        for (var, value) in dims.chain(rows) {
            if self.known.get(&var) != Some(&value) {
                changed.push(((self.words)(&var), (self.words)(&value)));
                self.known.insert(var, value);
            }
        }
        changed
    }
}
