//! Runs: to solved form (Defs. 4.4 and 5.3), through the policy's resolution of what was deferred, and to closing.

use crate::cause::Failure;
use crate::closing;
use crate::configuration::Configuration;
use crate::deferred;
use crate::dimension_rules;
use crate::literal::Literal;
use crate::printed_inequality;
use crate::row_equality;
use crate::row_inequality;
use crate::strategy::{Chooser, Strategy};
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::Var;
use lozenge_vocabulary::verdict::{Order, Verdict};

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The reading of `<=` between rows.
    pub order: Order,
    /// Which constraint is processed next.
    pub strategy: Strategy,
    /// Whether to close every variable (§6) after solving.
    pub close: bool,
    /// Whether to record a trace.
    pub traced: bool,
    /// At most how much work: each step counts with the size of what a binding may walk over.
    pub work: u64,
    /// Printed rules to run although a definition contradicts them: for the claims table only.
    pub literal: Literal,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            order: Order::Marked,
            strategy: Strategy::First,
            close: false,
            traced: true,
            work: 20_000_000,
            literal: Literal::default(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum End {
    /// In solved form, with nothing deferred; closed if that was asked.
    Solved,
    /// In the failure configuration.
    /// A rule failed.
    Failed(Box<Failure>),
    /// At the limit on work.
    Limit,
}

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// The configuration that it ended in.
    pub config: Configuration,
}

impl Run {
    /// The verdict of the run.
    pub fn verdict(&self) -> Verdict {
        match &self.end {
            End::Solved => Verdict::Sat,
            End::Failed(failure) => failure.verdict(),
            End::Limit => Verdict::Unknown,
        }
    }

    /// The failure, if it failed.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.end {
            End::Failed(failure) => Some(failure),
            End::Solved | End::Limit => None,
        }
    }

    /// The greatest solution of the final configuration, `γ↑` (Prop. 5.4): every unsolved variable at its top.
    /// After closing it is the closed solution. Minted variables are left out. `None` unless the run reached solved form.
    pub fn greatest(&self) -> Option<Ground> {
        matches!(self.end, End::Solved).then(|| {
            let mut all = closing::upward(&self.config);
            all.dims
                .retain(|var, _| !self.config.minted.contains(&Var::Dim(var.clone())));
            all.rows
                .retain(|var, _| !self.config.minted.contains(&Var::Row(var.clone())));
            all
        })
    }
}

/// Why a run stops before its end.
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

/// The processing of Φ, with the limit on work.
pub struct Runner {
    chooser: Chooser,
    work_left: u64,
}

impl Runner {
    /// A runner at its start.
    pub fn new(options: &Options) -> Runner {
        Runner {
            chooser: Chooser::new(options.strategy),
            work_left: options.work,
        }
    }

    /// Processes constraints until none is in flight.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn reach_fixpoint(&mut self, config: &mut Configuration) -> Result<(), Stop> {
        while self.step(config)? {}
        Ok(())
    }

    /// Reaches solved form: a fixpoint in which no word equation waits. Those that do are resolved one by one.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn reach_solved_form(&mut self, config: &mut Configuration) -> Result<(), Stop> {
        self.reach_fixpoint(config)?;
        while deferred::resolve_one(config) {
            self.reach_fixpoint(config)?;
        }
        Ok(())
    }

    /// Processes one constraint; `false` when none is in flight.
    ///
    /// # Errors
    /// A rule that fails, or the limit on work.
    pub fn step(&mut self, config: &mut Configuration) -> Result<bool, Stop> {
        let Some(taken) = self.chooser.take(&mut config.pending) else {
            return Ok(false);
        };
        self.spend(1 + config.size() as u64)?;
        let this = config.substituted(&taken);
        match &this.constraint {
            Constraint::DimEq(a, b) => dimension_rules::equality(config, &this, a, b)?,
            Constraint::DimLe(a, b) => dimension_rules::inequality(config, &this, a, b)?,
            Constraint::RowEq(a, b) => {
                self.spend((a.explicit() + b.explicit()) as u64)?;
                row_equality::equality(config, &this, a, b)?;
            }
            Constraint::RowLe(a, b) => {
                self.spend((a.explicit() + b.explicit()) as u64)?;
                match config.order {
                    Order::Marked if config.literal.totals => {
                        printed_inequality::inequality(config, &this, a, b)?
                    }
                    Order::Marked => row_inequality::inequality(config, &this, a, b)?,
                    Order::OneShot => row_inequality::one_shot(config, &this, a, b)?,
                }
            }
        }
        Ok(true)
    }

    fn spend(&mut self, work: u64) -> Result<(), Stop> {
        self.work_left = self.work_left.checked_sub(work).ok_or(Stop::Limit)?;
        Ok(())
    }
}

/// Runs the calculus on a constraint set in policy mode: to solved form, then the deferred equations one by one,
/// each followed by a fixpoint, then closing if it is asked for.
pub fn solve(set: &ConstraintSet, options: &Options) -> Run {
    let mut config = Configuration::new(set, options.order, options.traced);
    config.literal = options.literal;
    let mut runner = Runner::new(options);
    let end = match run(&mut config, &mut runner, options) {
        Ok(()) => End::Solved,
        Err(Stop::Failed(failure)) => End::Failed(failure),
        Err(Stop::Limit) => End::Limit,
    };
    Run { end, config }
}

fn run(config: &mut Configuration, runner: &mut Runner, options: &Options) -> Result<(), Stop> {
    runner.reach_solved_form(config)?;
    if options.close {
        closing::close(config, runner)?;
    }
    Ok(())
}
