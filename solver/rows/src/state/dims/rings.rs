//! The inequalities of each class, in two rings: those of which it is the lower side, and those of which it is the
//! upper one.

use super::{Beneath, Dims, Edge};
use crate::ids::{DimVarId, EdgeId, Id};
use crate::state::inferences::Reason;
use crate::term::Term;

impl Dims {
    /// Goes through the inequalities directly below an unsolved class: the lower side, the upper side, the reason.
    pub(crate) fn below_class(&self, root: Term, into: &mut Vec<(Term, Term, Reason)>) {
        let last = self.nodes.at(root.id()).downs;
        let mut next = last;
        while let Some(at) = next {
            let edge = self.edges.at(at);
            into.push((edge.low, edge.high, edge.reason));
            next = after(edge.next_down, last);
        }
    }

    /// Records an inequality between two unsolved classes.
    pub(super) fn adjoin(&mut self, low: Term, high: Term, l: Term, h: Term, reason: Reason) {
        let at = EdgeId::at(self.edges.len());
        self.edges.push(Edge {
            low,
            high,
            reason,
            next_up: at,
            next_down: at,
        });
        let ups = self.nodes.at(l.id()).ups;
        let ring = self.join_rings(Some(at), ups, true);
        self.nodes.edit(l.id()).ups = ring;
        let downs = self.nodes.at(h.id()).downs;
        let ring = self.join_rings(Some(at), downs, false);
        self.nodes.edit(h.id()).downs = ring;
        if self.following {
            self.followed.push_back(h.id());
        }
    }

    /// Joins two rings, each given by its last element.
    pub(super) fn join_rings(
        &mut self,
        a: Option<EdgeId>,
        b: Option<EdgeId>,
        up: bool,
    ) -> Option<EdgeId> {
        let (Some(a), Some(b)) = (a, b) else {
            return a.or(b);
        };
        if up {
            let (first, second) = (self.edges.at(a).next_up, self.edges.at(b).next_up);
            self.edges.edit(a).next_up = second;
            self.edges.edit(b).next_up = first;
        } else {
            let (first, second) = (self.edges.at(a).next_down, self.edges.at(b).next_down);
            self.edges.edit(a).next_down = second;
            self.edges.edit(b).next_down = first;
        }
        Some(a)
    }

    pub(super) fn each_up(&mut self, last: Option<EdgeId>, mut f: impl FnMut(&mut Dims, Edge)) {
        let mut next = last;
        while let Some(at) = next {
            let edge = self.edges.get(at);
            f(self, edge);
            next = after(edge.next_up, last);
        }
    }

    pub(super) fn each_down(&mut self, last: Option<EdgeId>, mut f: impl FnMut(&mut Dims, Edge)) {
        let mut next = last;
        while let Some(at) = next {
            let edge = self.edges.get(at);
            f(self, edge);
            next = after(edge.next_down, last);
        }
    }

    /// Goes through the unsolved classes directly above an unsolved one, with the reason of each inequality.
    pub(crate) fn above(&self, root: Term, into: &mut Vec<(Term, Term, Reason)>) {
        let last = self.nodes.at(root.id()).ups;
        let mut next = last;
        while let Some(at) = next {
            let edge = self.edges.at(at);
            if self.peek(edge.high).is_var() {
                into.push((edge.low, edge.high, edge.reason));
            }
            next = after(edge.next_up, last);
        }
    }

    /// Returns the class directly below an unsolved class, if there is exactly one.
    pub(crate) fn only_beneath(&self, root: Term) -> Beneath {
        let last = self.nodes.at(root.id()).downs;
        let Some(last) = last else {
            return Beneath::Nothing;
        };
        let edge = self.edges.at(last);
        let low = self.peek(edge.low);
        match (edge.next_down == last, low.is_var()) {
            (false, _) => Beneath::Several,
            (true, false) => Beneath::Nothing,
            (true, true) => Beneath::Class(low.id()),
        }
    }

    /// Goes through the unsolved classes directly below an unsolved one, each not ready to be closed yet.
    pub(crate) fn beneath(&self, root: Term, into: &mut Vec<(DimVarId, bool)>) {
        let last = self.nodes.at(root.id()).downs;
        let mut next = last;
        while let Some(at) = next {
            let edge = self.edges.at(at);
            let low = self.peek(edge.low);
            if low.is_var() {
                into.push((low.id(), false));
            }
            next = after(edge.next_down, last);
        }
    }
}

/// Returns the edge that follows in a ring; none once it has come round to the last one.
fn after(next: EdgeId, last: Option<EdgeId>) -> Option<EdgeId> {
    (Some(next) != last).then_some(next)
}
