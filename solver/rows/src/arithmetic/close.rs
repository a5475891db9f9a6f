//! Closing sizes: what arithmetic forces is bound, and what it does not force is refused.
//!
//! Leaves are closed to the atoms below them. A class that a constraint of sizes mentions is never guessed: it is not
//! closed to the unit, and neither is anything below it, if that would force it to be the unit.

use lozenge_sizes::{Fact, Limit, Store, Term as Sum, Value, Verdict};
use lozenge_vocabulary::Rule;
use rustc_hash::FxHashSet;

use super::residue::Residue;
use crate::ids::{AssertedId, Id};
use crate::problem::Asserted;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::term::Term;

/// The multiple of the limit on the work of one question that all questions of a search may take together.
const QUESTIONS: u64 = 2;

/// In how many constraints of sizes a size may be open for the forced ones to be looked for when values are told.
const EXAMINED: usize = 1 << 10;

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
            if residue.is_spent(self) {
                return Err(self.limit(Limit::Work));
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

    /// Binds the sizes that all constraints of sizes together force in a solved problem, and what follows from them.
    /// Where that reaches a limit, everything stays as it was.
    pub(crate) fn conclude_sizes(&mut self) {
        if !self.sizes.is_on || self.sizes.open.len() > EXAMINED {
            return;
        }
        self.snapshot();
        self.begin_work();
        let mut step = self.close_forced();
        while let Ok(true) = step {
            step = self.solve().and_then(|()| self.close_forced());
        }
        match step {
            Ok(_) => self.commit(),
            Err(_) => {
                self.rollback();
            }
        }
        self.give_back_lists();
    }

    /// Closes the sizes of a problem without leaves.
    pub(crate) fn close_sizes(&mut self) -> EngineResult {
        while self.close_forced()? || self.close_bases()? || self.close_counted(|_| false)? {}
        self.refuse_open_sizes()
    }

    /// Says whether a constraint of sizes mentions a class of which the size is not known.
    fn is_open(&self, class: Term) -> bool {
        self.dims.peek(class) == class && self.sizes.is_used(class) && self.size_of(class).is_none()
    }

    /// Gives each class of known size and open basis the default one; of size 1, if it need not be an atom, the unit.
    /// False when there is none.
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

    /// Says whether closing a class to the unit would decide a size that is open: its own, or that of a class above it.
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
            // A limit of arithmetic is the reason why the size is open.
            return Err(self.limit(limit));
        }
        Err(Box::new(Failure {
            rule: Rule::CloseArith,
            reasons: vec![Reason::constraint(id)],
            terms: Vec::new(),
            message: format!("nothing says how long {} is", self.shown(term)),
            is_limit: false,
        }))
    }

    /// Chooses a size for each class whose size is open, and keeps these sizes as the solution. Returns a term of each.
    /// A size that is chosen is not 1 if there is another one, and a rest is not 0, which cannot be stated. `None`
    /// where no sizes are found.
    pub(crate) fn choose_sizes(&mut self) -> Option<Vec<Term>> {
        let Some(mut residue) = self.residue() else {
            return Some(Vec::new());
        };
        let open = self.open_terms(&residue);
        let liked = residue.liked(self, &open)?;
        let mut chosen = Vec::new();
        for ((term, sum), liked) in open.into_iter().zip(liked) {
            if residue.is_spent(self) {
                return None;
            }
            if residue.store.value_of(sum) != Value::Open {
                continue;
            }
            let is_zero = liked == 1 && self.sizes.is_rest(term);
            if is_zero || !residue.takes(|store| Fact::Equal(sum, store.number(liked))) {
                residue.takes(|store| Fact::AtMost(store.number(2), sum));
                let size = residue.store.model()?.value(sum)?;
                residue.takes(|store| Fact::Equal(sum, store.number(size)));
            }
            chosen.push(term);
        }
        let solution = residue.solution(self);
        if residue.is_too_large {
            return None;
        }
        self.keep_solution(solution);
        self.value_known_sizes();
        Some(chosen)
    }

    /// Terms of the classes whose sizes are open. Rests come last, since most follow from the others.
    fn open_terms(&self, residue: &Residue) -> Vec<(Term, Sum)> {
        let open = self.sizes.open.iter();
        let all = open.flat_map(|id| self.terms_to_state(*id));
        let (rests, others): (Vec<Term>, Vec<Term>) =
            all.partition(|term| self.sizes.is_rest(*term));
        let all = others.into_iter().chain(rests).filter_map(|term| {
            let class = self.dims.peek(term);
            let is_open = class.is_var() && self.is_open(class);
            let sum = is_open.then(|| residue.size_of_class(class))??;
            Some((term, sum))
        });
        let mut seen = FxHashSet::default();
        all.filter(|(_, sum)| seen.insert(*sum)).collect()
    }

    /// Returns the terms of a constraint of sizes, those first that whoever wrote it chooses: the taps of a window,
    /// whose number follows.
    fn terms_to_state(&self, id: AssertedId) -> Vec<Term> {
        let mut terms = self.terms_of_sizes(id);
        if let Asserted::Window(_) = self.problem.asserted[id.index()] {
            terms.rotate_left(2);
        }
        terms
    }
}

impl Residue {
    /// Says whether the questions so far have taken as much work as all of them may.
    fn is_spent(&self, engine: &Engine) -> bool {
        self.store.spent()
            > engine
                .problem
                .options
                .limits
                .size_work
                .saturating_mul(QUESTIONS)
    }

    /// Adds a fact, unless it has no common solution with the others. Whether it was added.
    fn takes(&mut self, fact: impl FnOnce(&mut Store) -> Fact) -> bool {
        let before = self.store.snapshot();
        let fact = fact(&mut self.store);
        let reason = self.unreasoned();
        self.store.assert(fact, reason);
        let fits = self.store.check() == Verdict::Satisfiable;
        // Nothing that was there before the snapshot has been dropped.
        fits || self.store.rollback(before).is_err()
    }

    /// Returns the sizes of a solution in which as many as possible are not 1, the first ones before others.
    fn liked(&mut self, engine: &Engine, open: &[(Term, Sum)]) -> Option<Vec<i64>> {
        let before = self.store.snapshot();
        for (_, sum) in open {
            if self.is_spent(engine) {
                break;
            }
            self.takes(|store| Fact::AtMost(store.number(2), *sum));
        }
        let model = self.store.model()?;
        let values = open.iter().map(|(_, sum)| model.value(*sum));
        let liked = values.collect();
        self.store.rollback(before).ok()?;
        liked
    }
}
