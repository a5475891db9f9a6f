//! The footing of the value of a variable: the constraints alone, a choice of policy, or nothing.

use crate::explain::solution::Solution;
use crate::ids::{IdVec, InferenceId, RowVarId};
use crate::state::engine::Engine;
use crate::state::inferences::Reason;
use crate::state::rows::Binding;
use crate::term::Term;
use lozenge_vocabulary::alignment::{Flank, PerFlank};

/// The footing of the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Footing {
    /// Every solution has it.
    Forced,
    /// Every solution has the axes of the row. Policy chose where the marker stands among them.
    Placed,
    /// Policy chose it: another choice may give another value.
    Chosen,
    /// Nothing determines it, or not in all of its axes: what is open stands at its top.
    Free,
}

/// Sorts variables by what their values rest on.
#[derive(Debug)]
pub(crate) struct Sorter<'a> {
    engine: &'a Engine,
    /// Of each fact whether it rests on a choice of policy; empty when no fact does.
    policy: IdVec<InferenceId, bool>,
    /// The reasons for a value, in lists that are used again for each variable.
    reasons: Vec<Reason>,
    terms: Vec<Term>,
    cited: Vec<Reason>,
}

impl<'a> Sorter<'a> {
    pub(crate) fn new(engine: &'a Engine) -> Sorter<'a> {
        Sorter {
            engine,
            policy: engine.inferences.resting_on_policy(&engine.dims),
            reasons: Vec::new(),
            terms: Vec::new(),
            cited: Vec::new(),
        }
    }

    /// Makes the lists of reasons and terms empty.
    fn clear(&mut self) {
        self.reasons.clear();
        self.terms.clear();
    }

    pub(crate) fn dim(&mut self, term: Term) -> Footing {
        self.clear();
        self.terms.push(term);
        let problem = &self.engine.problem;
        match () {
            () if problem.zeros_are_open => Footing::Chosen,
            () if term.is_var() && problem.zeros.contains(&term.id()) => Footing::Forced,
            () if self.engine.dims.peek(term).is_var() => Footing::Free,
            () if self.is_chosen() => Footing::Chosen,
            () => Footing::Forced,
        }
    }

    pub(crate) fn row(&mut self, var: RowVarId) -> Footing {
        let engine = self.engine;
        match () {
            () if !engine.rows.knows(var) || engine.is_free_row(var) => Footing::Free,
            () if engine.problem.zeros_are_open || self.axes_are_chosen(var) => Footing::Chosen,
            () if engine.is_unplaced(var) => Footing::Placed,
            () => {
                self.clear();
                engine.add_row_reasons(var, &mut self.reasons, &mut self.terms);
                match self.is_chosen() {
                    true => Footing::Placed,
                    false => Footing::Forced,
                }
            }
        }
    }

    /// Says whether one of the reasons, or the value of one of the terms, rests on a choice.
    fn is_chosen(&mut self) -> bool {
        if self.policy.is_empty() {
            return false;
        }
        self.cited.clear();
        let engine = self.engine;
        let reasons = self.reasons.iter().copied();
        engine
            .inferences
            .cite(reasons, None, &engine.dims, &mut self.cited);
        for term in &self.terms {
            engine.dims.links(*term, None, &mut self.cited);
        }
        let mut inferences = self.cited.iter().filter_map(|reason| reason.as_inference());
        inferences.any(|inference| self.policy[inference])
    }

    /// Says whether the axes of a row rest on a choice, the place of its marker left aside.
    fn axes_are_chosen(&mut self, var: RowVarId) -> bool {
        if self.policy.is_empty() {
            return false;
        }
        let (engine, mut at) = (self.engine, var);
        loop {
            self.clear();
            let node = engine.rows.nodes.at(at);
            match node.flat {
                None => {
                    let PerFlank([lead, trail]) = node.length_reasons;
                    self.reasons
                        .extend([lead, trail, node.fixed].into_iter().flatten());
                }
                Some(flat) => self.reasons.push(flat),
            }
            let written = |flank| engine.rows.axes_of(at, flank);
            self.terms.extend(Flank::BOTH.into_iter().flat_map(written));
            let (Binding::Content(content) | Binding::Alias(content)) = node.binding else {
                return self.is_chosen();
            };
            let content = engine.rows.contents.at(content);
            self.reasons.extend(content.reason);
            let row = engine.row(content.row);
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            self.terms.extend_from_slice(&engine.problem.terms[axes]);
            if self.is_chosen() {
                return true;
            }
            match row.var {
                None => return false,
                Some(inner) => at = inner,
            }
        }
    }
}

impl Engine {
    /// Says whether the rank of a row is open, or one of its axes.
    pub(crate) fn is_free_row(&self, var: RowVarId) -> bool {
        let mut at = var;
        let is_open = |term: Term| self.dims.peek(term).is_var();
        loop {
            let node = self.rows.nodes.at(at);
            let mut free = node.binding == Binding::Open;
            for flank in Flank::BOTH {
                Solution::new(self).ends(at, flank, |end| free |= end.is_none_or(is_open));
            }
            if free {
                return true;
            }
            let (Binding::Content(content) | Binding::Alias(content)) = node.binding else {
                return false;
            };
            let row = self.row(self.rows.contents.at(content).row);
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            if self.problem.terms[axes].iter().any(|term| is_open(*term)) {
                return true;
            }
            match row.var {
                None => return false,
                Some(inner) => at = inner,
            }
        }
    }
}
