//! Runs of the calculus: to solved form (Defs. 4.4 and 5.3), with the policy's resolution of deferred equations, and
//! through closing.

use crate::cause::Failure;
use crate::clash::Clash;
use crate::configuration::Configuration;
use crate::firing::{Firing, by};
use crate::residue::{self, Residue};
use crate::resolution::candidates;
use crate::rules::Rules;
use crate::rules::closing::{close_interiors, close_sizes};
use crate::strategy::{Chooser, Strategy};
use crate::zeros;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimVar, Var};
use lozenge_vocabulary::verdict::{Order, Verdict};

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The reading of `<=` between rows.
    pub order: Order,
    /// The choice of the constraint that is processed next.
    pub strategy: Strategy,
    /// True if to close every variable (§6) after solving.
    pub close: bool,
    /// True if to record a trace.
    pub traced: bool,
    /// The limit on work. A step costs 1 and the number of terms that a binding may have to walk over.
    pub work: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            order: Order::Marked,
            strategy: Strategy::First,
            close: false,
            traced: true,
            work: 20_000_000,
        }
    }
}

/// Returns the message for a set on which the limit on work is reached, with the flag of the command line that raises
/// it.
pub fn limit_reached(work: u64, set: &ConstraintSet) -> String {
    if set.has_sizes() {
        return "the transcribed rules try sizes, and came to no end with these".into();
    }
    format!(
        "the transcribed rules reached their limit of {work} units of work on {} constraints; --rule-work raises it",
        set.constraints.len()
    )
}

/// The state in which a run ended.
#[derive(Clone, Debug)]
pub enum End {
    /// The solved form, with nothing deferred, and closed if the options say so.
    Solved,
    /// The failure configuration.
    Failed(Box<Failure>),
    /// The limit on work was reached, or sizes could not be decided.
    Limit,
}

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Run {
    /// The state in which it ended.
    pub end: End,
    /// The configuration that it ended in.
    pub config: Configuration,
}

impl Run {
    /// Returns the verdict of the run.
    pub fn verdict(&self) -> Verdict {
        match &self.end {
            End::Solved => Verdict::Sat,
            End::Failed(failure) => failure.verdict(),
            End::Limit => Verdict::Unknown,
        }
    }

    /// Returns the failure, if it failed.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.end {
            End::Failed(failure) => Some(failure),
            End::Solved | End::Limit => None,
        }
    }

    /// Returns the greatest solution of the final configuration, `γ↑` (Prop. 5.4): every unsolved variable at its top.
    /// After closing it is the closed solution. Minted variables are left out. `None` unless the run reached solved
    /// form.
    pub fn greatest(&self) -> Option<Ground> {
        matches!(self.end, End::Solved).then(|| {
            let minted = &self.config.minted;
            let mut all = self.config.upward();
            all.dims
                .retain(|var, _| !minted.contains(&Var::Dim(var.clone())));
            all.rows
                .retain(|var, _| !minted.contains(&Var::Row(var.clone())));
            all
        })
    }
}

/// The reason for which a run stops before its end.
pub enum Stop {
    /// A rule failed.
    Failed(Box<Failure>),
    /// The limit on work was reached.
    Limit,
}

impl From<Box<Failure>> for Stop {
    fn from(failure: Box<Failure>) -> Stop {
        Stop::Failed(failure)
    }
}

/// The processing of Φ by the rules, with the limit on work.
pub struct Runner {
    rules: Rules,
    chooser: Chooser,
    work_left: u64,
}

impl Runner {
    /// Makes a runner at its start.
    pub fn new(rules: Rules, options: &Options) -> Runner {
        Runner {
            rules,
            chooser: Chooser::new(options.strategy),
            work_left: options.work,
        }
    }

    /// Processes one constraint; `false` when none is in flight.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn step(&mut self, config: &mut Configuration) -> Result<bool, Stop> {
        let again = config.next.take();
        let Some(taken) = again.or_else(|| self.chooser.take(&mut config.pending)) else {
            return Ok(false);
        };
        let this = config.substituted(&taken);
        self.spend(1 + config.size() as u64 + length(&this.constraint))?;
        let firing = self.rules.fire(&this.constraint, config);
        config.apply(firing, Some(&this))?;
        Ok(true)
    }

    /// Processes constraints until none is in flight.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn reach_fixpoint(&mut self, config: &mut Configuration) -> Result<(), Stop> {
        while self.step(config)? {}
        Ok(())
    }

    /// Takes one step towards solved form: processes a constraint or, where none is in flight, resolves one that waits;
    /// `false` when none waits either.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn advance(&mut self, config: &mut Configuration) -> Result<bool, Stop> {
        if self.step(config)? {
            return Ok(true);
        }
        let Some(resolution) = self.resolution(config) else {
            return Ok(false);
        };
        config.apply(resolution, None)?;
        Ok(true)
    }

    /// Reaches solved form: a fixpoint in which no constraint is deferred. Deferred ones are resolved one by one.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn reach_solved_form(&mut self, config: &mut Configuration) -> Result<(), Stop> {
        while self.advance(config)? {}
        self.decide_sizes(config)
    }

    /// AR-residue   waiting constraints of sizes   decide them as a whole, fail if no sizes satisfy them (§8)
    fn decide_sizes(&self, config: &mut Configuration) -> Result<(), Stop> {
        config.sizes_found.clear();
        config.is_unwitnessed = false;
        let records = |(bound, _): (&Constraint, _)| bound.is_of_sizes();
        if config.deferred.is_empty() && !config.bounds.iter().any(records) {
            return Ok(());
        }
        match residue::decide(config) {
            Residue::Satisfied(found) => config.sizes_found = found,
            Residue::Open => return Err(Stop::Limit),
            Residue::Unwitnessed => config.is_unwitnessed = true,
            Residue::Refuted(rule, cause) => {
                let words = match rule {
                    Rule::CoCycle => "an axis would be longer than itself",
                    _ => "no sizes satisfy what is left open",
                }
                .to_string();
                let firing = by(rule).because(&cause).fails(Clash::Sizes(words));
                config.apply(firing, None)?;
            }
        }
        Ok(())
    }

    /// Returns the resolution of the oldest deferred equation that closes a shortest variable. Constraints of sizes go
    /// on waiting.
    fn resolution(&self, config: &Configuration) -> Option<Firing> {
        candidates(&config.deferred).find_map(|waiting| {
            let firing = (self.rules.resolve)(&waiting.constraint, config.fresh())?;
            Some(firing.because(&waiting.cause))
        })
    }

    /// Closes every variable (Def. 6.1): leaves in rounds, each followed by solving, then interiors all at once.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn close(&mut self, config: &mut Configuration) -> Result<(), Stop> {
        while self.close_leaves(config)? {
            self.reach_solved_form(config)?;
        }
        self.close_interiors(config)?;
        self.reach_solved_form(config)
    }

    /// Closes the leaves of the next round, or a size when no leaf is left; `false` when there is neither. The caller
    /// solves afterwards.
    ///
    /// # Errors
    /// A rule that fails.
    pub fn close_leaves(&self, config: &mut Configuration) -> Result<bool, Stop> {
        let mut round = (self.rules.close)(config);
        if round.is_empty() {
            round = close_sizes(config);
        }
        let any = !round.is_empty();
        for firing in round {
            config.apply(firing, None)?;
        }
        Ok(any)
    }

    /// Closes every variable that is left once the leaves are closed. The caller solves afterwards.
    ///
    /// # Errors
    /// A rule that fails.
    pub fn close_interiors(&self, config: &mut Configuration) -> Result<(), Stop> {
        for firing in close_interiors(config) {
            config.apply(firing, None)?;
        }
        Ok(())
    }

    fn spend(&mut self, work: u64) -> Result<(), Stop> {
        self.work_left = self.work_left.checked_sub(work).ok_or(Stop::Limit)?;
        Ok(())
    }
}

/// Counts the axes that are written out in a constraint between rows.
fn length(constraint: &Constraint) -> u64 {
    match constraint {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => (a.explicit() + b.explicit()) as u64,
        _ => 0,
    }
}

/// Runs the calculus on a constraint set in policy mode: to solved form, with the deferred equations resolved one by
/// one, and through closing if the options say so.
pub fn solve(set: &ConstraintSet, options: &Options) -> Run {
    solve_by(Rules::of(options.order), set, options)
}

/// Runs a calculus with other rules.
///
/// Where variables may be 0 there is a run for each way in which some of them are (see [`crate::zeros`]), and the set
/// is solved where one of these is. Closing guesses no 0: it needs all but one to fail, and not for want of a size.
pub fn solve_by(rules: Rules, set: &ConstraintSet, options: &Options) -> Run {
    if set.summands.is_empty() {
        return run_by(rules, set, options);
    }
    let limit = || Run {
        end: End::Limit,
        config: Configuration::new(set, options.traced),
    };
    let Some(choices) = zeros::choices(set) else {
        return limit();
    };
    let mut failed: Vec<Run> = Vec::new();
    let mut solved: Vec<Run> = Vec::new();
    for choice in choices {
        let mut run = run_by(rules, &choice.set, options);
        run.config.zeros = choice.zeros;
        match run.end {
            End::Solved if !options.close => return run,
            End::Solved => solved.push(run),
            _ => failed.push(run),
        }
    }
    let wants_a_size = |run: &Run| run.failure().is_some_and(|of| of.rule == Rule::CloseArith);
    let is_open = |run: &Run| wants_a_size(run) || matches!(run.end, End::Limit);
    match (solved.len(), failed.iter().any(is_open)) {
        (1, false) => solved.swap_remove(0),
        (0 | 1, _) => worst(failed, wants_a_size).unwrap_or_else(limit),
        _ => open_zero(solved, set),
    }
}

/// Returns, of runs that failed, the one that says most of all of them together: that a size is open, a limit, what
/// policy refuses, what has no solution.
fn worst(failed: Vec<Run>, wants_a_size: impl Fn(&Run) -> bool) -> Option<Run> {
    let weight = |run: &Run| match run.verdict() {
        _ if wants_a_size(run) => 0,
        Verdict::Unknown => 1,
        Verdict::Rejected => 2,
        _ => 3,
    };
    failed.into_iter().min_by_key(weight)
}

/// CLOSE-arith   α is 0 in one closed solution and not in another   fail
fn open_zero(mut solved: Vec<Run>, set: &ConstraintSet) -> Run {
    let first = solved.swap_remove(0);
    let is_open = |var: &&DimVar| {
        let zero = first.config.zeros.contains(*var);
        solved
            .iter()
            .any(|run| run.config.zeros.contains(*var) != zero)
    };
    let Some(var) = set.summands.iter().find(is_open) else {
        return first;
    };
    let own = Var::Dim(var.clone());
    let mut stated = set.constraints.iter().enumerate();
    let Some((at, constraint)) = stated.find(|(_, constraint)| constraint.mentions(&own)) else {
        return first;
    };
    let clash = Clash::OpenSize(var.clone());
    let failure = Failure {
        rule: Rule::CloseArith,
        constraint: constraint.clone(),
        reason: clash.to_string(),
        clash,
        inputs: vec![at],
        commitments: Vec::new(),
    };
    Run {
        end: End::Failed(Box::new(failure)),
        ..first
    }
}

/// Makes one run.
fn run_by(rules: Rules, set: &ConstraintSet, options: &Options) -> Run {
    let mut config = Configuration::new(set, options.traced);
    let mut runner = Runner::new(rules, options);
    let mut run = runner.reach_solved_form(&mut config);
    if options.close {
        run = run.and_then(|()| runner.close(&mut config));
    }
    // Constraints that are left open have no solution with the rows at their tops, and perhaps none at all.
    if run.is_ok() && config.is_unwitnessed {
        run = Err(Stop::Limit);
    }
    let end = match run {
        Ok(()) => End::Solved,
        Err(Stop::Failed(failure)) => End::Failed(failure),
        Err(Stop::Limit) => End::Limit,
    };
    Run { end, config }
}
