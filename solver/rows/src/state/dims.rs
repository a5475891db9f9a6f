//! Dimension variables: classes of equal ones, one cap a class, and the inequalities between classes (Def. 4.2).
//!
//! Classes are a union-find forest by size. Each node keeps two parents: `link`, which keeps the reason and is never
//! shortened, and `short`, which lookups compress. Caps travel along the inequalities as soon as they are known (Rem.
//! 6.3), so that a store at rest is transitively closed.

mod rings;

use std::collections::VecDeque;

use lozenge_vocabulary::Rule;

use crate::ids::{DimVarId, EdgeId, Id, InferenceId, queue_room, room};
use crate::state::inferences::{Conclusion, EngineResult, Failure, Inferences, Reason};
use crate::term::Term;
use crate::tracked::Tracked;

/// A dimension variable.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Itself for a root, else the term that it was found equal to.
    link: Term,
    short: Term,
    /// The reason why it is equal to that term.
    reason: Option<Reason>,
    /// For a root: an atom that is below it, and why.
    cap: Option<(Term, Reason)>,
    /// For a root: the last of its inequalities as the lower side, in a ring.
    ups: Option<EdgeId>,
    /// For a root: the last of its inequalities as the upper side, in a ring.
    downs: Option<EdgeId>,
    size: u32,
}

/// `low ⊑ high`, in the ring of the class of each.
#[derive(Clone, Copy, Debug)]
struct Edge {
    low: Term,
    high: Term,
    reason: Reason,
    next_up: EdgeId,
    next_down: EdgeId,
}

/// The state of all dimension variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dims {
    nodes: Tracked<DimVarId, Node>,
    edges: Tracked<EdgeId, Edge>,
    todo: Vec<Task>,
    /// True if the classes that change are to be listed, and that list: each root that was bound, was merged into
    /// another class, or got a cap.
    watching: bool,
    touched: Vec<DimVarId>,
    /// The same for the arithmetic of sizes, for which a class also changes when another one comes to lie below it.
    following: bool,
    followed: VecDeque<DimVarId>,
}

/// The classes directly below a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beneath {
    /// No unsolved class.
    Nothing,
    /// One unsolved class.
    Class(DimVarId),
    /// More than one inequality has the class as its upper side.
    Several,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Equal(Term, Term, Rule, Reason),
    /// Carry what is known to be below the first up to the second.
    Cap(Term, Term, Reason),
}

impl Dims {
    /// Makes room for every variable below `len`.
    pub(crate) fn grow(&mut self, len: usize) {
        self.nodes.grow(len, |id| Node {
            link: Term::var(id),
            short: Term::var(id),
            reason: None,
            cap: None,
            ups: None,
            downs: None,
            size: 1,
        });
    }

    /// Returns all dimension variables, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = DimVarId> + Clone + use<> {
        self.nodes.ids()
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Begins to list the classes that change, or stops doing so.
    pub(crate) fn watch(&mut self, on: bool) {
        self.watching = on;
        self.touched = Vec::new();
    }

    /// Takes the list of the classes that have changed.
    pub(crate) fn take_touched(&mut self) -> Vec<DimVarId> {
        std::mem::take(&mut self.touched)
    }

    /// Returns the list of the classes that have changed.
    pub(crate) fn touched(&self) -> &[DimVarId] {
        &self.touched
    }

    /// Forgets which classes have changed.
    pub(crate) fn clear_touched(&mut self) {
        self.touched.clear();
    }

    /// Takes back the list, to be filled again, when nothing has changed meanwhile.
    pub(crate) fn give_touched(&mut self, list: Vec<DimVarId>) {
        if self.touched.is_empty() {
            self.touched = list;
        }
    }

    /// Says whether no class has changed since then.
    pub(crate) fn is_untouched(&self) -> bool {
        self.touched.is_empty()
    }

    #[inline]
    fn touch(&mut self, root: Term) {
        if self.watching {
            self.touched.push(root.id());
        }
        if self.following {
            self.followed.push_back(root.id());
        }
    }

    /// Begins to note which classes change, for what is known of sizes, or stops doing so.
    pub(crate) fn follow(&mut self, on: bool) {
        self.following = on;
        self.followed.clear();
    }

    /// Notes a class by its root, as if it had changed.
    pub(crate) fn call_up(&mut self, root: Term) {
        self.followed.push_back(root.id());
    }

    /// Returns the next class that has changed, for what is known of sizes.
    pub(crate) fn next_followed(&mut self) -> Option<DimVarId> {
        self.followed.pop_front()
    }

    /// Counts the inequalities on record.
    pub(crate) fn inequalities(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn snapshot(&mut self) {
        self.nodes.snapshot();
        self.edges.snapshot();
    }

    pub(crate) fn rollback(&mut self) {
        self.todo.clear();
        self.followed.clear();
        self.nodes.rollback();
        self.edges.rollback();
    }

    pub(crate) fn commit(&mut self) {
        self.nodes.commit();
        self.edges.commit();
    }

    pub(crate) fn shrink(&mut self) {
        self.nodes.shrink();
        self.edges.shrink();
        self.todo.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        let tables = [
            self.nodes.bytes(),
            self.edges.bytes(),
            room(&self.todo),
            room(&self.touched),
            queue_room(&self.followed),
        ];
        tables.iter().sum()
    }

    /// Returns the representative: a constant, or the root of the class.
    #[inline]
    pub(crate) fn find(&mut self, term: Term) -> Term {
        let mut at = term;
        while at.is_var() {
            let up = self.nodes.at(at.id()).short;
            if up == at {
                return at;
            }
            if up.is_var() {
                let upper = self.nodes.at(up.id()).short;
                if upper != up {
                    self.nodes.edit(at.id()).short = upper;
                }
                at = upper;
            } else {
                at = up;
            }
        }
        at
    }

    /// Returns the representative, without shortening any path.
    pub(crate) fn peek(&self, term: Term) -> Term {
        let mut at = term;
        while at.is_var() && at.id().index() < self.nodes.len() {
            let up = self.nodes.at(at.id()).short;
            if up == at {
                return at;
            }
            at = up;
        }
        at
    }

    /// Returns the atom that is known to be below an unsolved variable.
    pub(crate) fn cap(&self, root: Term) -> Option<Term> {
        self.nodes.at(root.id()).cap.map(|(atom, _)| atom)
    }

    /// Adds the reasons of the links from `term` to its representative, as it was before inference `before`, if there
    /// is one.
    pub(crate) fn links(&self, term: Term, before: Option<InferenceId>, into: &mut Vec<Reason>) {
        let is_later = |inference| before.is_some_and(|before| inference >= before);
        let mut at = term;
        while at.is_var() && at.id().index() < self.nodes.len() {
            let node = self.nodes.at(at.id());
            let Some(reason) = node.reason else { return };
            if reason.as_inference().is_none_or(is_later) {
                return;
            }
            into.push(reason);
            at = node.link;
        }
    }

    /// Returns the same, with its reason.
    pub(crate) fn reasoned_cap(&self, root: Term) -> Option<(Term, Reason)> {
        self.nodes.at(root.id()).cap
    }

    /// Returns the reason of a class's cap.
    pub(crate) fn cap_reason(&self, root: Term) -> Option<Reason> {
        self.nodes.at(root.id()).cap.map(|(_, reason)| reason)
    }

    /// States `a = b`.
    pub(crate) fn equal(
        &mut self,
        a: Term,
        b: Term,
        rule: Rule,
        reason: Reason,
        inferences: &mut Inferences,
    ) -> EngineResult {
        self.equal_now(a, b, rule, reason, inferences)?;
        self.run(inferences)
    }

    /// Says whether `low ⊑ high` is known to hold already, so that nothing has to be concluded from it (DI-top,
    /// DI-refl).
    #[inline]
    pub(crate) fn holds(&mut self, low: Term, high: Term) -> bool {
        let high = self.find(high);
        high == Term::UNIT || high == self.find(low)
    }

    /// States `low ⊑ high`.
    #[inline]
    pub(crate) fn below(
        &mut self,
        low: Term,
        high: Term,
        reason: Reason,
        inferences: &mut Inferences,
    ) -> EngineResult {
        if self.holds(low, high) {
            return Ok(());
        }
        let (l, h) = (self.find(low), self.find(high));
        match (l.is_var(), h.is_var()) {
            (false, false) => return Err(clash(Rule::DiGround, &[reason], &[low, high])),
            (true, false) => self.equal_now(low, high, Rule::DiPin, reason, inferences)?,
            (false, true) => self.cap_now(low, high, reason, inferences)?,
            (true, true) => {
                let capped = self.cap(l).is_some();
                self.adjoin(low, high, l, h, reason);
                if capped {
                    self.cap_now(low, high, reason, inferences)?;
                }
            }
        }
        self.run(inferences)
    }

    fn run(&mut self, inferences: &mut Inferences) -> EngineResult {
        while let Some(task) = self.todo.pop() {
            let step = match task {
                Task::Equal(a, b, rule, reason) => self.equal_now(a, b, rule, reason, inferences),
                Task::Cap(low, high, reason) => self.cap_now(low, high, reason, inferences),
            };
            if step.is_err() {
                self.todo.clear();
                return step;
            }
        }
        Ok(())
    }

    fn equal_now(
        &mut self,
        a: Term,
        b: Term,
        rule: Rule,
        reason: Reason,
        inferences: &mut Inferences,
    ) -> EngineResult {
        let (ra, rb) = (self.find(a), self.find(b));
        if ra == rb {
            return Ok(());
        }
        match (ra.is_var(), rb.is_var()) {
            // A class that is pinned by an inequality has not been given another value: its caps were carried up
            // before.
            (false, false) => Err(clash(Rule::DeClash, &[reason], &[a, b])),
            (true, false) => {
                let inference =
                    inferences.record(rule, Conclusion::Equal(a, b), [Some(reason), None]);
                self.bind(ra, rb, inference)
            }
            (false, true) => {
                let inference =
                    inferences.record(rule, Conclusion::Equal(b, a), [Some(reason), None]);
                self.bind(rb, ra, inference)
            }
            (true, true) => {
                let inference =
                    inferences.record(rule, Conclusion::Equal(a, b), [Some(reason), None]);
                self.merge(ra, rb, inference, inferences);
                Ok(())
            }
        }
    }

    /// Binds a class to a constant, and emits its cap and its inequalities again (Def. 4.1).
    fn bind(&mut self, root: Term, value: Term, inference: Reason) -> EngineResult {
        self.touch(root);
        let node = self.nodes.edit(root.id());
        (node.link, node.short, node.reason) = (value, value, Some(inference));
        let (cap, ups, downs) = (node.cap, node.ups, node.downs);
        if let Some((cap, cap_reason)) = cap
            && value != Term::UNIT
            && cap != value
        {
            return Err(clash(
                Rule::DiGround,
                &[cap_reason, inference],
                &[cap, value],
            ));
        }
        self.each_up(ups, |dims, edge| {
            dims.todo.push(if value == Term::UNIT {
                Task::Equal(edge.high, edge.low, Rule::DiPinTop, edge.reason)
            } else {
                Task::Cap(edge.low, edge.high, edge.reason)
            });
        });
        if value != Term::UNIT {
            self.each_down(downs, |dims, edge| {
                dims.todo
                    .push(Task::Equal(edge.low, edge.high, Rule::DiPin, edge.reason));
            });
        }
        Ok(())
    }

    fn merge(&mut self, a: Term, b: Term, inference: Reason, inferences: &mut Inferences) {
        let (na, nb) = (self.nodes.get(a.id()), self.nodes.get(b.id()));
        let (child, root, nc, nr) = if na.size < nb.size {
            (a, b, na, nb)
        } else {
            (b, a, nb, na)
        };
        self.touch(child);
        let low = self.nodes.edit(child.id());
        (low.link, low.short, low.reason) = (root, root, Some(inference));
        match (nc.cap, nr.cap) {
            (Some(_), None) => {
                self.each_up(nr.ups, |dims, e| {
                    dims.todo.push(Task::Cap(e.low, e.high, e.reason))
                });
            }
            (None, Some(_)) => {
                self.each_up(nc.ups, |dims, e| {
                    dims.todo.push(Task::Cap(e.low, e.high, e.reason))
                });
            }
            (Some((one, reason)), Some((other, other_reason))) if one != other => {
                let caps = inferences.with(Rule::DiCap, reason, Some(other_reason));
                self.todo
                    .push(Task::Equal(root, Term::UNIT, Rule::DiCap, caps));
            }
            _ => {}
        }
        let ups = self.join_rings(nc.ups, nr.ups, true);
        let downs = self.join_rings(nc.downs, nr.downs, false);
        let high = self.nodes.edit(root.id());
        (high.ups, high.downs) = (ups, downs);
        high.size += nc.size;
        high.cap = high.cap.or(nc.cap);
        self.touch(root);
    }

    /// States that the atom that is below `low`, or is its value, is below `high`.
    fn cap_now(
        &mut self,
        low: Term,
        high: Term,
        reason: Reason,
        inferences: &mut Inferences,
    ) -> EngineResult {
        let (l, h) = (self.find(low), self.find(high));
        let (cap, cap_reason) = match l.is_var() {
            false => (l, None),
            true => match self.nodes.at(l.id()).cap {
                Some((cap, reason)) => (cap, Some(reason)),
                None => return Ok(()),
            },
        };
        if h == Term::UNIT || h == cap {
            return Ok(());
        }
        if cap == Term::UNIT {
            return self.equal_now(high, low, Rule::DiPinTop, reason, inferences);
        }
        if !h.is_var() {
            let reasons: Vec<Reason> = [reason].into_iter().chain(cap_reason).collect();
            return Err(clash(Rule::DiGround, &reasons, &[low, high]));
        }
        let before = self.nodes.get(h.id());
        if before.cap.is_some_and(|(known, _)| known == cap) {
            return Ok(());
        }
        let inference = inferences.record(
            Rule::DiCap,
            Conclusion::Cap(high, low),
            [Some(reason), cap_reason],
        );
        if let Some((_, known)) = before.cap {
            let both = inferences.with(Rule::DiCap, inference, Some(known));
            return self.equal_now(high, Term::UNIT, Rule::DiCap, both, inferences);
        }
        let node = self.nodes.edit(h.id());
        node.cap = Some((cap, inference));
        self.touch(h);
        self.each_up(before.ups, |dims, e| {
            dims.todo.push(Task::Cap(e.low, e.high, e.reason))
        });
        Ok(())
    }

    /// Says whether all inequalities between unsolved classes lead from smaller to larger numbers, or all of them from
    /// larger to smaller ones. There is no cycle of several classes then. In most sets it is so.
    pub(crate) fn go_one_way(&self) -> bool {
        let (mut rising, mut falling) = (false, false);
        for edge in self.edges.as_slice() {
            let (low, high) = (self.peek(edge.low), self.peek(edge.high));
            if low.is_var() && high.is_var() {
                rising |= low < high;
                falling |= low > high;
            }
            if rising && falling {
                return false;
            }
        }
        true
    }
}

#[cold]
fn clash(rule: Rule, reasons: &[Reason], terms: &[Term]) -> Box<Failure> {
    Box::new(Failure {
        rule,
        reasons: reasons.to_vec(),
        terms: terms.to_vec(),
        message: String::new(),
        is_limit: false,
    })
}
