//! What lies behind a conclusion: the facts and the constraints that it was concluded from.

use std::collections::BTreeSet;

use crate::state::dims::Dims;
use crate::state::facts::{Claim, Facts, Why};
use crate::term::{NONE, Term};

/// What lies behind a conclusion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behind {
    pub(crate) facts: BTreeSet<u32>,
    pub(crate) constraints: BTreeSet<u32>,
}

impl Facts {
    /// Everything behind some reasons and some terms: the facts and the constraints, each in order.
    pub(crate) fn behind(&self, reasons: &[Why], terms: &[Term], dims: &Dims) -> Behind {
        let mut behind = Behind::default();
        let mut todo = Vec::new();
        self.cite(reasons, NONE, dims, &mut todo);
        terms
            .iter()
            .for_each(|term| dims.links(*term, NONE, &mut todo));
        while let Some(why) = todo.pop() {
            if let Some(constraint) = why.as_constraint() {
                behind.constraints.insert(constraint);
            } else if let Some(at) = why.as_fact()
                && behind.facts.insert(at)
            {
                let fact = self.get(at);
                self.cite(&fact.parents, at, dims, &mut todo);
                if let Claim::Equal(a, b) | Claim::Cap(a, b) = fact.claim {
                    dims.links(a, at, &mut todo);
                    dims.links(b, at, &mut todo);
                }
            }
        }
        behind
    }

    /// Of each fact whether it is a choice of policy or rests on one; empty when none does.
    pub(crate) fn resting_on_policy(&self, dims: &Dims) -> Vec<bool> {
        let facts = 0..self.len() as u32;
        if !facts.clone().any(|at| self.get(at).policy) {
            return Vec::new();
        }
        let (mut rests, mut cited) = (Vec::with_capacity(self.len()), Vec::new());
        for at in facts {
            let fact = self.get(at);
            self.cite(&fact.parents, at, dims, &mut cited);
            if let Claim::Equal(a, b) | Claim::Cap(a, b) = fact.claim {
                dims.links(a, at, &mut cited);
                dims.links(b, at, &mut cited);
            }
            let earlier = cited.drain(..).filter_map(Why::as_fact);
            let upstream = earlier.fold(false, |any, fact| any | rests[fact as usize]);
            rests.push(fact.policy || upstream);
        }
        rests
    }

    /// Adds reasons as they were used before fact `before`; a cap, and what is known of a size, is used by
    /// way of its variable's class.
    pub(crate) fn cite(&self, reasons: &[Why], before: u32, dims: &Dims, todo: &mut Vec<Why>) {
        for why in reasons {
            todo.push(*why);
            if let Some(at) = why.as_fact()
                && let Claim::Cap(high, _)
                | Claim::Atom(high)
                | Claim::Size(high, _)
                | Claim::Basis(high, _) = self.get(at).claim
            {
                dims.links(high, before, todo);
            }
        }
    }
}
