//! The parties, each created when a thread first asks it. Each implements [`Party`], and no two of them share a rule.

pub mod closure;
mod devices;
mod enumeration;
mod production;
mod rules;
mod union_find;
mod z3;

use std::collections::BTreeMap;
use std::time::Duration;

use lozenge_backend::Engine;
use lozenge_oracle::{Limits, Oracle};
use lozenge_solver::{Problem, Solver};
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

use crate::agreement::Verdicts;
use crate::input::Input;
use crate::party::{Answer, Party, Question, SetAnswer};

pub use closure::Closure;
pub use devices::DeviceParty;
pub use enumeration::Enumeration;
pub use production::{Complete, SolverParty, answer_of};
pub use rules::Rules;
pub use union_find::UnionFind;
pub use z3::Z3;

/// The limits of each party.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The limit on work of the transcribed rules.
    pub rules: u64,
    /// The limits of complete mode.
    pub complete: lozenge_solver::Limits,
    /// The limits of Z3.
    pub oracle: Limits,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            rules: Options::default().work,
            complete: lozenge_solver::Limits::default(),
            oracle: Limits::default(),
        }
    }
}

impl Effort {
    /// The verdict of the transcribed rules within their limit.
    pub fn spec(&self, set: &ConstraintSet) -> Verdict {
        let untraced = Options {
            traced: false,
            work: self.rules,
            ..Options::default()
        };
        solve(set, &untraced).verdict()
    }

    /// The verdict of complete mode within its limits, and the limit behind `unknown`.
    pub fn complete(&self, set: &ConstraintSet) -> (Verdict, Option<String>) {
        let options = lozenge_solver::Options {
            limits: self.complete,
            ..lozenge_solver::Options::default()
        };
        let decision = Solver::with(Problem::from(set), options).decide();
        (decision.verdict, decision.limit)
    }

    /// Z3 within its limits, in the marked order.
    pub fn oracle(&self) -> Oracle {
        Oracle::new(Order::Marked).with_limits(self.oracle.clone())
    }
}

/// The transcribed rules in policy mode: solved form with the policy's resolution of deferred equations.
pub fn spec(set: &ConstraintSet) -> Verdict {
    Effort::default().spec(set)
}

/// The production solver in policy mode, up to the same point.
pub fn solver(set: &ConstraintSet) -> Verdict {
    Solver::new(Problem::from(set)).verdict()
}

/// The production solver in complete mode.
pub fn complete(set: &ConstraintSet) -> Verdict {
    Solver::new(Problem::from(set)).decide().verdict
}

/// Z3 with a limit on its time, in the marked order.
pub fn oracle(time: Duration) -> Oracle {
    Oracle::new(Order::Marked).with_limits(Limits {
        time,
        ..Limits::default()
    })
}

/// The verdicts of all four.
pub fn verdicts(set: &ConstraintSet, oracle: &Oracle) -> Verdicts {
    Verdicts {
        spec: spec(set),
        solver: solver(set),
        complete: complete(set),
        oracle: oracle.sat(set).verdict(),
    }
}

/// The parties by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartyId {
    /// The transcribed rules.
    Rules,
    /// The production solver in policy mode.
    Solver,
    /// The production solver in complete mode.
    Complete,
    /// Z3.
    Z3,
    /// Enumeration of a small universe.
    Enumeration,
    /// Projection equations solved by union-find.
    UnionFind,
    /// Projection equations solved by their naive closure.
    Closure,
    /// The reference engine.
    Interpreter,
    /// Kernels on an OpenCL device.
    OpenCl,
}

impl PartyId {
    /// Every party.
    pub const ALL: [PartyId; 9] = [
        PartyId::Rules,
        PartyId::Solver,
        PartyId::Complete,
        PartyId::Z3,
        PartyId::Enumeration,
        PartyId::UnionFind,
        PartyId::Closure,
        PartyId::Interpreter,
        PartyId::OpenCl,
    ];
}

/// At most how long Z3 may take over one question.
const TIME: Duration = Duration::from_secs(10);

/// One thread's parties.
#[derive(Default)]
pub struct Parties {
    parties: BTreeMap<PartyId, Result<Box<dyn Party>, String>>,
}

fn make(party: PartyId) -> Result<Box<dyn Party>, String> {
    Ok(match party {
        PartyId::Rules => Box::new(Rules),
        PartyId::Solver => Box::new(SolverParty),
        PartyId::Complete => Box::new(Complete),
        PartyId::Z3 => Box::new(Z3::new(TIME)),
        PartyId::Enumeration => Box::new(Enumeration),
        PartyId::UnionFind => Box::new(UnionFind),
        PartyId::Closure => Box::new(Closure),
        PartyId::Interpreter => Box::new(DeviceParty::new(Engine::Interpreter)?),
        PartyId::OpenCl => Box::new(DeviceParty::new(Engine::OpenCl)?),
    })
}

impl Parties {
    /// A party.
    ///
    /// # Errors
    /// The reason why this machine has no such party: OpenCL may have no device.
    pub fn party(&mut self, id: PartyId) -> Result<&mut dyn Party, &str> {
        match self.parties.entry(id).or_insert_with(|| make(id)) {
            Ok(party) => Ok(party.as_mut()),
            Err(reason) => Err(reason),
        }
    }

    /// Asks a party; [`Answer::Silent`] if this machine has no such party.
    pub fn ask(&mut self, party: PartyId, question: Question, input: &Input) -> Answer {
        match self.party(party) {
            Ok(party) => party.answer(question, input),
            Err(_) => Answer::Silent,
        }
    }

    /// The answer of a party about a constraint set.
    pub fn set_answer(
        &mut self,
        party: PartyId,
        question: Question,
        input: &Input,
    ) -> Option<SetAnswer> {
        match self.ask(party, question, input) {
            Answer::Set(said) => Some(said),
            _ => None,
        }
    }

    /// The derivations of all parties that answer a question.
    pub fn derivations(
        &mut self,
        question: Question,
        input: &Input,
    ) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        for id in PartyId::ALL {
            if let Ok(party) = self.party(id)
                && party.supports(question)
            {
                let derivation = party.derivation(question, input);
                if !derivation.is_empty() {
                    all.push((party.name(), derivation));
                }
            }
        }
        all
    }
}
