//! The parties of one thread, each made when it is first asked.

use std::collections::BTreeMap;
use std::time::Duration;

use lozenge_backend::Engine;

use crate::input::Input;
use crate::parties::{Closure, Complete, Enumeration, Machine, Production, Rules, UnionFind, Z3};
use crate::party::{Answer, Party, Question, Said};

/// The parties by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Who {
    /// The transcribed rules.
    Rules,
    /// The production solver in policy mode.
    Production,
    /// The production solver in complete mode.
    Complete,
    /// Z3.
    Z3,
    /// Trying everything in a small universe.
    Enumeration,
    /// Projection equations by union and find.
    UnionFind,
    /// Projection equations by their naive closure.
    Closure,
    /// The reference engine.
    Interpreter,
    /// Kernels on an OpenCL device.
    OpenCl,
}

impl Who {
    /// Every party.
    pub const ALL: [Who; 9] = [
        Who::Rules,
        Who::Production,
        Who::Complete,
        Who::Z3,
        Who::Enumeration,
        Who::UnionFind,
        Who::Closure,
        Who::Interpreter,
        Who::OpenCl,
    ];
}

/// At most how long Z3 may take over one question.
const TIME: Duration = Duration::from_secs(10);

/// One thread's parties.
#[derive(Default)]
pub struct Worker {
    parties: BTreeMap<Who, Result<Box<dyn Party>, String>>,
}

fn make(who: Who) -> Result<Box<dyn Party>, String> {
    Ok(match who {
        Who::Rules => Box::new(Rules),
        Who::Production => Box::new(Production),
        Who::Complete => Box::new(Complete),
        Who::Z3 => Box::new(Z3::new(TIME)),
        Who::Enumeration => Box::new(Enumeration),
        Who::UnionFind => Box::new(UnionFind),
        Who::Closure => Box::new(Closure),
        Who::Interpreter => Box::new(Machine::new(Engine::Interpreter)?),
        Who::OpenCl => Box::new(Machine::new(Engine::OpenCl)?),
    })
}

impl Worker {
    /// Somebody, or why there is no such party on this machine.
    ///
    /// # Errors
    /// OpenCL may have no device.
    pub fn party(&mut self, who: Who) -> Result<&mut dyn Party, &str> {
        match self.parties.entry(who).or_insert_with(|| make(who)) {
            Ok(party) => Ok(party.as_mut()),
            Err(reason) => Err(reason),
        }
    }

    /// Asks somebody; silence where there is no such party here.
    pub fn ask(&mut self, who: Who, question: Question, input: &Input) -> Answer {
        match self.party(who) {
            Ok(party) => party.answer(question, input),
            Err(_) => Answer::Silent,
        }
    }

    /// What somebody says of a constraint set.
    pub fn said(&mut self, who: Who, question: Question, input: &Input) -> Option<Said> {
        match self.ask(who, question, input) {
            Answer::Set(said) => Some(said),
            _ => None,
        }
    }

    /// Every answer to a question, with a derivation of each.
    pub fn derivations(
        &mut self,
        question: Question,
        input: &Input,
    ) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        for who in Who::ALL {
            if let Ok(party) = self.party(who)
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
