//! Provenance of a conclusion: the inferences and the constraints from which it was concluded.

use std::collections::BTreeSet;

use crate::ids::{AssertedId, IdVec, InferenceId};
use crate::state::dims::Dims;
use crate::state::inferences::{Conclusion, Inferences, Reason};
use crate::term::Term;

/// The provenance of a conclusion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provenance {
    pub(crate) inferences: BTreeSet<InferenceId>,
    pub(crate) constraints: BTreeSet<AssertedId>,
}

impl Inferences {
    /// Finds everything behind some reasons and some terms: the inferences and the constraints, each in order.
    pub(crate) fn behind(&self, reasons: &[Reason], terms: &[Term], dims: &Dims) -> Provenance {
        let mut todo = Vec::new();
        self.cite(reasons.iter().copied(), None, dims, &mut todo);
        terms
            .iter()
            .for_each(|term| dims.links(*term, None, &mut todo));
        self.upstream(todo, dims)
    }

    /// Finds everything behind an inference as it was when the inference was made: what was learnt of a class later is
    /// not a part of it.
    pub(crate) fn behind_inference(&self, at: InferenceId, dims: &Dims) -> Provenance {
        let mut todo = Vec::new();
        let parents = self.get(at).parents.into_iter().flatten();
        self.cite(parents, Some(at), dims, &mut todo);
        self.upstream(todo, dims)
    }

    fn upstream(&self, mut todo: Vec<Reason>, dims: &Dims) -> Provenance {
        let mut behind = Provenance::default();
        while let Some(reason) = todo.pop() {
            if let Some(constraint) = reason.as_constraint() {
                behind.constraints.insert(constraint);
            } else if let Some(at) = reason.as_inference()
                && behind.inferences.insert(at)
            {
                let inference = self.get(at);
                let parents = inference.parents.into_iter().flatten();
                self.cite(parents, Some(at), dims, &mut todo);
                if let Conclusion::Equal(a, b) | Conclusion::Cap(a, b) = inference.conclusion {
                    dims.links(a, Some(at), &mut todo);
                    dims.links(b, Some(at), &mut todo);
                }
            }
        }
        behind
    }

    /// Says of each inference whether it is a choice of policy or rests on one; empty when none does.
    pub(crate) fn resting_on_policy(&self, dims: &Dims) -> IdVec<InferenceId, bool> {
        let inferences = self.ids();
        if !inferences.clone().any(|at| self.get(at).policy) {
            return IdVec::default();
        }
        let (mut rests, mut cited) = (IdVec::of(self.len(), false), Vec::new());
        for at in inferences {
            let inference = self.get(at);
            let parents = inference.parents.into_iter().flatten();
            self.cite(parents, Some(at), dims, &mut cited);
            if let Conclusion::Equal(a, b) | Conclusion::Cap(a, b) = inference.conclusion {
                dims.links(a, Some(at), &mut cited);
                dims.links(b, Some(at), &mut cited);
            }
            let earlier = cited.drain(..).filter_map(Reason::as_inference);
            let upstream = earlier.fold(false, |any, inference| any | rests[inference]);
            rests[at] = inference.policy || upstream;
        }
        rests
    }

    /// Adds reasons as they were used before inference `before`, if there is one; a cap, and what is known of a size,
    /// is used by way of its variable's class.
    pub(crate) fn cite(
        &self,
        reasons: impl IntoIterator<Item = Reason>,
        before: Option<InferenceId>,
        dims: &Dims,
        todo: &mut Vec<Reason>,
    ) {
        for reason in reasons {
            todo.push(reason);
            if let Some(at) = reason.as_inference()
                && let Conclusion::Cap(high, _)
                | Conclusion::Atom(high)
                | Conclusion::Size(high, _)
                | Conclusion::Basis(high, _) = self.get(at).conclusion
            {
                dims.links(high, before, todo);
            }
        }
    }
}
