//! Closed branches: what refutes a branch, and which branches above it that closes.

use std::collections::BTreeSet;

use lozenge_sizes::Combination;

use super::{Child, Closed, Proof, Search, Source};
use crate::ids::{BranchId, Id, ProofId};

impl Search<'_> {
    pub(super) fn sum(&mut self, combination: Combination) -> Closed {
        let sources = combination.iter().map(|(source, _)| *source);
        let used = sources.filter(|source| self.sources[*source as usize] == Source::Assumed);
        let used = used.collect();
        let proof = self.proofs.push(Proof::Sum(combination));
        Closed { proof, used }
    }

    /// Closes a branch, and what lies above it as far as that follows.
    pub(super) fn close(&mut self, node: BranchId, closed: Closed) {
        let (mut node, mut closed) = (node, closed);
        loop {
            self.nodes[node].is_closed = true;
            let Some((parent, child)) = self.nodes[node].parent else {
                // The proof of the root is the last one.
                let proof = self.proofs[closed.proof].clone();
                self.proofs.push(proof);
                return;
            };
            match self.enter(parent, child, closed) {
                Some(above) => (node, closed) = (parent, above),
                None => return,
            }
        }
    }

    pub(super) fn close_child(&mut self, parent: BranchId, child: usize, closed: Closed) {
        if let Some(above) = self.enter(parent, child, closed) {
            self.close(parent, above);
        }
    }

    pub(super) fn assemble(&mut self, node: BranchId) {
        if !self.nodes[node].is_closed
            && let Some(closed) = self.assembled(node)
        {
            self.close(node, closed);
        }
    }

    /// Notes that a child is closed; what closes its parent, if that follows.
    fn enter(&mut self, parent: BranchId, child: usize, closed: Closed) -> Option<Closed> {
        if self.nodes[parent].is_closed {
            return None;
        }
        let division = self.nodes[parent].division.as_mut()?;
        let own = division.first..division.first + 2 * division.forms.len() as u32;
        if closed.used.range(own).next().is_none() {
            return Some(closed);
        }
        let assumption = division.first + 2 * child as u32;
        if child < division.forms.len() && !closed.used.contains(&assumption) {
            division.until = division.until.min(child + 1);
        }
        division.children[child] = Child::Closed(closed);
        self.assembled(parent)
    }

    /// Returns the refutation of a branch all of whose children are refuted.
    fn assembled(&mut self, node: BranchId) -> Option<Closed> {
        let division = self.nodes[node].division.as_ref()?;
        let needed = division.children.len().min(division.until);
        let is_open = |child: &Child| matches!(child, Child::Open);
        if division.children[..needed].iter().any(is_open) {
            return None;
        }
        let count = division.forms.len();
        let is_cut = division.until <= count;
        let mut proofs = Vec::new();
        // The last child first.
        let mut rest = match (division.clause, is_cut) {
            (Some(clause), false) => {
                proofs.push(Proof::Clash(clause));
                let used = (0..count as u32).map(|k| division.first + 2 * k + 1);
                Closed {
                    proof: ProofId::at(self.proofs.len()),
                    used: used.collect(),
                }
            }
            _ => match division.children.get(needed - 1) {
                Some(Child::Closed(closed)) => closed.clone(),
                _ => return None,
            },
        };
        let before = match (division.clause, is_cut) {
            (Some(_), false) => needed,
            _ => needed - 1,
        };
        for child in (0..before).rev() {
            let Child::Closed(closed) = &division.children[child] else {
                return None;
            };
            let assumed = division.first + 2 * child as u32;
            if !rest.used.contains(&(assumed + 1)) {
                continue;
            }
            let parts = [closed.proof, rest.proof];
            let mut used: BTreeSet<u32> = closed.used.union(&rest.used).copied().collect();
            used.remove(&assumed);
            used.remove(&(assumed + 1));
            rest = Closed {
                proof: ProofId::at(self.proofs.len() + proofs.len()),
                used,
            };
            proofs.push(Proof::Split {
                form: division.forms[child].clone(),
                assumed: [assumed, assumed + 1],
                parts,
            });
        }
        for proof in proofs {
            self.proofs.push(proof);
        }
        Some(rest)
    }
}
