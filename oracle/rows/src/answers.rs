//! Checks of somebody else's answers: a solution, bindings with a residual store, a greatest solution.

use std::collections::BTreeSet;

use lozenge_vocabulary::{
    Constraint, ConstraintSet, DimTerm, Ground, Order, RowTerm, Substitution, Var,
};

use crate::entailment::{Entailment, substitution, with_zeros};
use crate::limits::Reason;
use crate::oracle::Oracle;
use crate::scope::Scope;

/// The answer to whether a claimed solution is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Soundness {
    /// The claimed values are a solution; for variables that they left out, these are suitable values.
    Sound(Ground),
    /// The claimed values are not a solution. The index is that of a constraint that does not hold; `None` if the
    /// variables that they left out have no suitable values.
    Unsound(Option<usize>),
    /// A limit was reached.
    Unknown(Reason),
}

/// The answer to whether bindings with a residual store stand for a set's solutions (Thm. 5.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generality {
    /// Every solution of the store satisfies the set under the bindings. A counterexample is a solution of the store.
    pub sound: Entailment,
    /// The constraint that fails in the counterexample, by its index in the set.
    pub violated: Option<usize>,
    /// Every solution of the set can be extended to the other variables so that it satisfies the store and the
    /// bindings, where bindings are read up to the placement of markers (`≈`). A counterexample is a solution of the
    /// set.
    pub general: Entailment,
}

/// The answer to whether a solution is the greatest (Props. 5.4 and 6.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greatness {
    /// The answer to whether it is a solution.
    pub solution: Soundness,
    /// Every solution is below it at every variable, in the marked order. A counterexample is a solution that is not.
    pub marked: Entailment,
    /// Every solution is below it at every variable, row values in the one-shot order.
    pub content: Entailment,
}

impl Oracle {
    /// Tells whether the ground substitution is a solution of the set, or extends to one where it leaves variables out.
    pub fn sound(&self, set: &ConstraintSet, claimed: &Ground) -> Soundness {
        let wrong = |c: &Constraint| claimed.satisfies(c, self.order) == Some(false);
        if let Some(at) = set.constraints.iter().position(wrong) {
            return Soundness::Unsound(Some(at));
        }
        if !set.summands.is_empty() {
            return self.sound_with_zeros(set, claimed);
        }
        let by = substitution(claimed);
        let rest: Vec<Constraint> = set.constraints.iter().map(|c| c.substituted(&by)).collect();
        let given = |var: &Var| match var {
            Var::Dim(var) => claimed.dims.contains_key(var),
            Var::Row(var) => claimed.rows.contains_key(var),
        };
        let vars = set.vars().into_iter().filter(|var| !given(var)).collect();
        match self.solve(&self.start(), &Scope::new(&rest, vars)) {
            Ok(None) => Soundness::Unsound(None),
            Err(reason) => Soundness::Unknown(reason),
            Ok(Some(mut ground)) => {
                ground.dims.extend(claimed.dims.clone());
                ground.rows.extend(claimed.rows.clone());
                Soundness::Sound(ground)
            }
        }
    }

    /// Does the same where variables may be 0: the claimed values are asked for together with the set.
    fn sound_with_zeros(&self, set: &ConstraintSet, claimed: &Ground) -> Soundness {
        if !claimed.has_zeros_of(set) {
            return Soundness::Unsound(None);
        }
        let mut stated = set.clone();
        stated.constraints.extend(equations(&substitution(claimed)));
        let mut scope = Scope::of(&stated);
        scope.zeros.clone_from(&claimed.zeros);
        match self.solve(&self.start(), &scope) {
            Ok(None) => Soundness::Unsound(None),
            Err(reason) => Soundness::Unknown(reason),
            Ok(Some(ground)) => Soundness::Sound(ground),
        }
    }

    /// Tells whether the bindings and the store represent the solutions of the set (Thm. 5.6(1) to (3)).
    pub fn most_general(
        &self,
        set: &ConstraintSet,
        bindings: &Substitution,
        store: &[Constraint],
    ) -> Generality {
        if let Some(unknown) = with_zeros(&[set]) {
            return Generality {
                sound: unknown.clone(),
                violated: None,
                general: unknown,
            };
        }
        let clock = self.start();
        let store: Vec<Constraint> = store.iter().map(|c| c.substituted(bindings)).collect();
        let mut answer = Generality {
            sound: Entailment::Holds,
            violated: None,
            general: Entailment::Holds,
        };
        for (at, constraint) in set.constraints.iter().enumerate() {
            let goal = constraint.substituted(bindings);
            let outcome = self.counterexample(&clock, &store, &goal, self.order);
            answer.sound = Entailment::of(outcome);
            if answer.sound != Entailment::Holds {
                answer.violated = Some(at);
                break;
            }
        }
        let mut claims = equations(bindings);
        claims.extend(store);
        answer.general = self.extends(&clock, &set.constraints, &claims, &set.vars());
        answer
    }

    /// Tells whether the ground substitution is the greatest solution of the set. It must give every variable of the
    /// set a value.
    pub fn greatest(&self, set: &ConstraintSet, claimed: &Ground) -> Greatness {
        Greatness {
            solution: self.sound(set, claimed),
            marked: self.above_all(set, claimed, Order::Marked),
            content: self.above_all(set, claimed, Order::OneShot),
        }
    }

    fn above_all(&self, set: &ConstraintSet, claimed: &Ground, order: Order) -> Entailment {
        self.above_at(set, claimed, &set.vars(), order)
    }

    /// Tells whether no solution of the set is above a claimed one, or beside it, at one of these variables. Values are
    /// compared in `order`, while the set is read in the oracle's own order.
    pub fn above_at(
        &self,
        set: &ConstraintSet,
        claimed: &Ground,
        vars: &BTreeSet<Var>,
        order: Order,
    ) -> Entailment {
        if let Some(unknown) = with_zeros(&[set]) {
            return unknown;
        }
        let clock = self.start();
        let mut goals = Vec::new();
        for var in vars {
            let Some(goal) = below_value(var, claimed) else {
                return Entailment::Unknown(Reason::Form(format!("no value is given for {var}")));
            };
            goals.push(goal);
        }
        if goals.is_empty() {
            return Entailment::Holds;
        }
        // One search for all variables: a solution that is not below the claimed one at some of them.
        let goals: Vec<&Constraint> = goals.iter().collect();
        let outcome = self.counterexample_to_one(&clock, Scope::of(set), &goals, order);
        Entailment::of(outcome)
    }
}

/// Returns `x ⊑ value`.
fn below_value(var: &Var, claimed: &Ground) -> Option<Constraint> {
    match var {
        Var::Dim(var) => {
            let value = claimed.dims.get(var)?.clone();
            Some(Constraint::DimLe(var.clone().into(), value.into()))
        }
        Var::Row(var) => {
            let value = claimed.rows.get(var)?.clone();
            Some(Constraint::RowLe(var.clone().into(), value.into()))
        }
    }
}

/// Returns the bindings as constraints.
fn equations(bindings: &Substitution) -> Vec<Constraint> {
    let dims = bindings.dims.iter();
    let dims = dims.map(|(var, term)| Constraint::DimEq(DimTerm::Var(var.clone()), term.clone()));
    let rows = bindings.rows.iter();
    let rows = rows.map(|(var, term)| Constraint::RowEq(RowTerm::from(var.clone()), term.clone()));
    dims.chain(rows).collect()
}
