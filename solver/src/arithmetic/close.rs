//! Closing sizes: what arithmetic forces is bound, and what it does not force is refused.
//!
//! Leaves are closed to the atoms below them. A class that a constraint of sizes mentions is never guessed: it is not closed to the
//! unit, and neither is anything below it, if that would force it to be the unit.

use lozenge_sizes::{Fact, Value};
use lozenge_vocabulary::{Dim, Rule};
use rustc_hash::FxHashSet;

use super::residue::Residue;
use crate::ids::AssertedId;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::term::Term;

/// How many sizes a refusal proposes.
const PROPOSED: usize = 8;

impl Engine {
    /// Binds the sizes that all constraints of sizes together force. False when there is none.
    pub(crate) fn close_forced(&mut self) -> Result<bool, Box<Failure>> {
        if !self.sizes.is_on {
            return Ok(false);
        }
        self.settle()?;
        if self.sizes.is_decided && self.sizes.is_examined {
            return Ok(false);
        }
        self.decide_sizes()?;
        self.sizes.is_examined = true;
        let Some(mut residue) = self.residue() else {
            return Ok(false);
        };
        let mut any = false;
        for class in residue.classes.clone() {
            if !self.is_open(class) {
                continue;
            }
            let (Some(size), Some(sum)) = (residue.forced(class), residue.size_of_class(class))
            else {
                continue;
            };
            let value = residue.store.number(size as i64);
            let Some(reasons) = residue.entailed(Fact::Equal(sum, value)) else {
                continue;
            };
            any = true;
            self.force(class, size, reasons)?;
        }
        if any {
            self.settle()?;
        }
        Ok(any)
    }

    /// Closes the sizes of a problem without leaves.
    pub(crate) fn close_sizes(&mut self) -> EngineResult {
        while self.close_forced()? || self.close_bases()? || self.close_counted(|_| false)? {}
        self.refuse_open_sizes()
    }

    /// Whether a constraint of sizes mentions a class of which the size is not known.
    fn is_open(&self, class: Term) -> bool {
        self.dims.peek(class) == class && self.sizes.is_used(class) && self.size_of(class).is_none()
    }

    /// Gives each class of known size and open basis the default one; of size 1, if it need not be an atom, the unit. False
    /// when there is none.
    pub(crate) fn close_bases(&mut self) -> Result<bool, Box<Failure>> {
        let mut any = false;
        let mut terms = Vec::new();
        for id in 0..self.sizes.all().len() {
            let constraint = self.sizes.all()[id];
            if !self.any_term(constraint, |term| self.dims.peek(term).is_var()) {
                continue;
            }
            self.list_terms(constraint, &mut terms);
            for term in &terms {
                let root = self.dims.find(*term);
                let known = self.sizes.known(root);
                let Some((size, reason)) = known.size.filter(|_| root.is_var()) else {
                    continue;
                };
                let value = match known.atom {
                    Some(_) => self.atom_of(size.get(), Term::UNIT),
                    None => Term::UNIT,
                };
                let conclusion = Conclusion::Cap(root, value);
                let fact =
                    self.inferences
                        .commit(Rule::CloseBasis, conclusion, [Some(reason), None]);
                self.dims
                    .equal(root, value, Rule::CloseBasis, fact, &mut self.inferences)?;
                self.settle()?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Whether closing a class to the unit would decide a size that is open: its own, or that of a class above it.
    pub(crate) fn decides_a_size(&self, root: Term) -> bool {
        if !self.sizes.is_on {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut due = vec![root];
        let mut edges = Vec::new();
        while let Some(class) = due.pop() {
            if !class.is_var() || !seen.insert(class.id()) {
                continue;
            }
            if self.sizes.is_used(class) {
                return true;
            }
            edges.clear();
            self.dims.above(class, &mut edges);
            due.extend(edges.iter().map(|(_, high, _)| self.dims.peek(*high)));
        }
        false
    }

    /// Refuses to close a problem in which a size is open.
    pub(crate) fn refuse_open_sizes(&mut self) -> EngineResult {
        if !self.sizes.is_on {
            return Ok(());
        }
        self.decide_sizes()?;
        let Some(mut residue) = self.residue() else {
            return Ok(());
        };
        let is_open = |engine: &Engine, id: AssertedId| {
            let terms = engine.terms_of_sizes(id);
            terms
                .into_iter()
                .find(|term| engine.size_of(*term).is_none())
        };
        let open = self.sizes.open.iter().copied();
        let first = open.clone().find_map(|id| Some((id, is_open(self, id)?)));
        let Some((id, term)) = first else {
            return Ok(());
        };
        let class = self.dims.peek(term);
        if let Some(sum) = residue.size_of_class(class)
            && let Value::Unknown(limit) = residue.store.value_of(sum)
        {
            // Whether something says it was left open.
            return Err(self.limit(limit));
        }
        let proposed = self.proposed(&mut residue);
        let mut message = format!("nothing says how long {} is", self.problem.show_dim(term));
        if !proposed.is_empty() {
            let proposed: Vec<String> = proposed.iter().map(|text| format!("`{text}`")).collect();
            message = format!("{message}: {} would do", proposed.join(" with "));
        }
        Err(Box::new(Failure {
            rule: Rule::CloseArith,
            reasons: vec![Reason::constraint(id)],
            terms: Vec::new(),
            message,
            is_limit: false,
        }))
    }

    /// What a size in a solution is stated as; `None` for 0, which cannot be written.
    fn as_stated(&self, class: Term, dim: &Dim) -> Option<Dim> {
        match dim {
            Dim::Atom { size, basis } if self.sizes.is_rest(class) => {
                Dim::based(size.get() - 1, basis.clone())
            }
            dim => Some(dim.clone()),
        }
    }

    /// Sizes that, stated, leave none open: of one class after the other, the one in the solution that is found then.
    fn proposed(&self, residue: &mut Residue) -> Vec<String> {
        let mut proposed = Vec::new();
        let open = self.sizes.open.iter();
        let all = open.flat_map(|id| self.terms_of_sizes(*id));
        // Rests come last, since most follow from the others.
        let (rests, others): (Vec<Term>, Vec<Term>) =
            all.partition(|term| self.sizes.is_rest(*term));
        for term in others.into_iter().chain(rests) {
            let class = self.dims.peek(term);
            if !class.is_var() || !self.is_open(class) {
                continue;
            }
            let Some(sum) = residue.size_of_class(class) else {
                continue;
            };
            if residue.store.value_of(sum) != Value::Open {
                continue;
            }
            let solution = residue.solution(self);
            let Some((_, dim)) = solution.iter().find(|(own, _)| *own == class) else {
                continue;
            };
            let Some(shown) = self.as_stated(class, dim) else {
                return Vec::new();
            };
            let size = residue.store.number(dim.size() as i64);
            let reason = residue.unreasoned();
            residue.store.assert(Fact::Equal(sum, size), reason);
            proposed.push(format!("{} = {shown}", self.problem.show_dim(term)));
            if proposed.len() > PROPOSED {
                return Vec::new();
            }
        }
        proposed
    }
}
