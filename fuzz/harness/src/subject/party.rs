//! The parties: implementations that answer questions about the instances of a subject, each made when a thread first
//! asks it.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt::Debug;

use lozenge_oracle::{Limits, Oracle};
use lozenge_spec::Options;
use lozenge_vocabulary::Order;

use super::Subject;

/// The limits of the three kinds of parties.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The limit on work of transcribed rules.
    pub rules: u64,
    /// The limits of native procedures.
    pub native: lozenge_solver::Limits,
    /// The limits of Z3.
    pub oracle: Limits,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            rules: Options::default().work,
            native: lozenge_solver::Limits::default(),
            oracle: Limits::default(),
        }
    }
}

impl Effort {
    /// Makes Z3 within its limits, in the marked order.
    pub fn oracle(&self) -> Oracle {
        Oracle::new(Order::Marked).with_limits(self.oracle.clone())
    }
}

/// An implementation that answers questions, as a value.
pub struct Party<S: Subject> {
    /// The name in reports.
    pub name: &'static str,
    /// A line about it.
    pub about: &'static str,
    /// The questions that it answers, at least about some instances.
    pub questions: &'static [S::Question],
    /// The question that `check` puts to it, if it takes part there.
    pub checks: Option<S::Question>,
    /// Makes it with these limits. An error is the reason why this machine has no such party.
    pub make: fn(&Effort) -> Made<S>,
}

/// A party that was made, or the reason why this machine has none.
pub type Made<S> = Result<Box<dyn Answers<S>>, String>;

/// A function from limits, a question and an instance to an answer.
pub type AnswerOf<S> = fn(
    &Effort,
    <S as Subject>::Question,
    &<S as Subject>::Instance,
) -> Option<<S as Subject>::Answer>;

/// A party that was made.
pub trait Answers<S: Subject> {
    /// Returns the answer; `None` where it does not answer this question, or not about this instance.
    fn answer(&mut self, question: S::Question, instance: &S::Instance) -> Option<S::Answer>;

    /// Returns an explanation of the answer for people: a derivation, or only the answer itself.
    fn derivation(&mut self, question: S::Question, instance: &S::Instance) -> String {
        self.answer(question, instance)
            .map_or_else(String::new, |answer| answer.to_string())
    }
}

/// A party that needs nothing but its limits: functions of them, the question and the instance.
pub struct Asked<S: Subject> {
    effort: Effort,
    answer: AnswerOf<S>,
    derivation: fn(&Effort, S::Question, &S::Instance) -> String,
}

impl<S: Subject> Asked<S> {
    /// Makes a party of two functions.
    ///
    /// # Errors
    /// Never: every machine has it.
    pub fn boxed(
        effort: &Effort,
        answer: AnswerOf<S>,
        derivation: fn(&Effort, S::Question, &S::Instance) -> String,
    ) -> Made<S> {
        Ok(Box::new(Asked {
            effort: effort.clone(),
            answer,
            derivation,
        }))
    }
}

impl<S: Subject> Answers<S> for Asked<S> {
    fn answer(&mut self, question: S::Question, instance: &S::Instance) -> Option<S::Answer> {
        (self.answer)(&self.effort, question, instance)
    }

    fn derivation(&mut self, question: S::Question, instance: &S::Instance) -> String {
        (self.derivation)(&self.effort, question, instance)
    }
}

/// The answer of a party to a question.
#[derive(Clone, Debug)]
pub struct Said<S: Subject> {
    /// The name of the party.
    pub party: &'static str,
    /// The question.
    pub question: S::Question,
    /// The answer.
    pub answer: S::Answer,
}

/// One thread's parties, of all subjects.
#[derive(Default)]
pub struct Parties {
    effort: Effort,
    made: BTreeMap<(TypeId, &'static str), Box<dyn Any>>,
}

impl Parties {
    /// Parties with these limits, none of which is made yet.
    pub fn within(effort: Effort) -> Parties {
        Parties {
            effort,
            made: BTreeMap::new(),
        }
    }

    /// Makes every party anew, with the same limits: after a panic one may be in an inconsistent state.
    pub fn renew(&mut self) {
        self.made.clear();
    }

    /// Returns a party.
    ///
    /// # Errors
    /// The reason why this machine has no such party: OpenCL may have no device.
    pub fn party<S: Subject>(&mut self, party: &Party<S>) -> Result<&mut dyn Answers<S>, &str> {
        let (effort, key) = (&self.effort, (TypeId::of::<S>(), party.name));
        let made = self.made.entry(key).or_insert_with(|| {
            let made: Made<S> = (party.make)(effort);
            Box::new(made)
        });
        match made.downcast_mut::<Made<S>>() {
            Some(Ok(party)) => Ok(party.as_mut()),
            Some(Err(reason)) => Err(reason),
            None => Err("another party has its name"),
        }
    }

    /// Asks a party; `None` if this machine has no such party, or it is silent.
    pub fn ask<S: Subject>(
        &mut self,
        party: &Party<S>,
        question: S::Question,
        instance: &S::Instance,
    ) -> Option<S::Answer> {
        self.party(party).ok()?.answer(question, instance)
    }

    /// Returns the derivations of all parties of a subject that answer a question.
    pub fn derivations<S: Subject>(
        &mut self,
        question: S::Question,
        instance: &S::Instance,
    ) -> Vec<(&'static str, String)> {
        let asked = S::PARTIES
            .iter()
            .filter(|party| party.questions.contains(&question));
        let told = asked.filter_map(|party| {
            let derivation = self.party(party).ok()?.derivation(question, instance);
            (!derivation.is_empty()).then_some((party.name, derivation))
        });
        told.collect()
    }
}
