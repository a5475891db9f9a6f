//! What the value of a variable rests on: the constraints alone, a choice of policy, or nothing.

use crate::explain::solution::Solution;
use crate::ids::{IdVec, InferenceId, RowVarId};
use crate::state::engine::Engine;
use crate::state::inferences::Reason;
use crate::state::rows::Binding;
use crate::term::Term;
use lozenge_vocabulary::alignment::{Flank, PerFlank};

/// What the value of a variable rests on.
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
}

impl<'a> Sorter<'a> {
    pub(crate) fn new(engine: &'a Engine) -> Sorter<'a> {
        Sorter {
            engine,
            policy: engine.inferences.resting_on_policy(&engine.dims),
        }
    }

    pub(crate) fn dim(&self, term: Term) -> Footing {
        match () {
            () if self.engine.dims.peek(term).is_var() => Footing::Free,
            () if self.is_chosen(&[], &[term]) => Footing::Chosen,
            () => Footing::Forced,
        }
    }

    pub(crate) fn row(&self, var: RowVarId) -> Footing {
        let engine = self.engine;
        match () {
            () if !engine.rows.knows(var) || self.is_free(var) => Footing::Free,
            () if self.axes_are_chosen(var) => Footing::Chosen,
            () if engine.is_unplaced(var) => Footing::Placed,
            () => {
                let (reasons, terms) = engine.row_reasons(var);
                match self.is_chosen(&reasons, &terms) {
                    true => Footing::Placed,
                    false => Footing::Forced,
                }
            }
        }
    }

    fn is_chosen(&self, reasons: &[Reason], terms: &[Term]) -> bool {
        if self.policy.len() == 0 {
            return false;
        }
        let mut cited = Vec::new();
        let engine = self.engine;
        engine
            .inferences
            .cite(reasons.iter().copied(), None, &engine.dims, &mut cited);
        for term in terms {
            engine.dims.links(*term, None, &mut cited);
        }
        let inferences = cited.into_iter().filter_map(Reason::as_inference);
        inferences
            .into_iter()
            .any(|inference| self.policy[inference])
    }

    /// Whether the rank of a row is open, or one of its axes.
    pub(crate) fn is_free(&self, var: RowVarId) -> bool {
        let (engine, mut at) = (self.engine, var);
        let is_open = |term: Term| engine.dims.peek(term).is_var();
        loop {
            let node = engine.rows.nodes.at(at);
            let mut free = node.binding == Binding::Open;
            for flank in Flank::BOTH {
                Solution::new(engine).ends(at, flank, |end| free |= end.is_none_or(is_open));
            }
            if free {
                return true;
            }
            let (Binding::Content(content) | Binding::Alias(content)) = node.binding else {
                return false;
            };
            let row = engine.row(engine.rows.contents.at(content).row);
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            if engine.problem.terms[axes].iter().any(|term| is_open(*term)) {
                return true;
            }
            match row.var {
                None => return false,
                Some(inner) => at = inner,
            }
        }
    }

    /// Whether the axes of a row rest on a choice, the place of its marker left aside.
    fn axes_are_chosen(&self, var: RowVarId) -> bool {
        if self.policy.len() == 0 {
            return false;
        }
        let (engine, mut at) = (self.engine, var);
        loop {
            let node = engine.rows.nodes.at(at);
            let PerFlank([lead, trail]) = node.length_reasons;
            let reasons: Vec<Reason> = match node.flat {
                None => [lead, trail, node.fixed].into_iter().flatten().collect(),
                Some(flat) => vec![flat],
            };
            let written = |flank| engine.rows.axes_of(at, flank);
            let mut terms: Vec<Term> = Flank::BOTH.into_iter().flat_map(written).collect();
            let (Binding::Content(content) | Binding::Alias(content)) = node.binding else {
                return self.is_chosen(&reasons, &terms);
            };
            let content = engine.rows.contents.at(content);
            let row = engine.row(content.row);
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            terms.extend_from_slice(&engine.problem.terms[axes]);
            if self.is_chosen(&reasons, &terms) || self.is_chosen(content.reason.as_slice(), &[]) {
                return true;
            }
            match row.var {
                None => return false,
                Some(inner) => at = inner,
            }
        }
    }
}
