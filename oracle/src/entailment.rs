//! `entails` and `equivalent`.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_spec::{Constraint, ConstraintSet, DimTerm, Ground, Order, RowTerm, Substitution, Var};

use crate::limits::{Clock, Reason};
use crate::oracle::{Oracle, Scope};

/// Whether something holds in every solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entailment {
    /// It does.
    Holds,
    /// It does not in this solution.
    Fails(Ground),
    /// A limit was reached.
    Unknown(Reason),
}

impl Entailment {
    pub(crate) fn of(counterexample: Result<Option<Ground>, Reason>) -> Entailment {
        match counterexample {
            Ok(None) => Entailment::Holds,
            Ok(Some(ground)) => Entailment::Fails(ground),
            Err(reason) => Entailment::Unknown(reason),
        }
    }
}

/// Whether two sets have the same solutions, the variables that only one of them has left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalence {
    /// Whether every solution of the first extends to one of the second.
    pub forward: Entailment,
    /// Whether every solution of the second extends to one of the first.
    pub backward: Entailment,
}

impl Oracle {
    /// Whether the constraint holds in every solution of the set. Its variables need not occur in the set.
    pub fn entails(&self, set: &ConstraintSet, constraint: &Constraint) -> Entailment {
        let clock = self.start();
        Entailment::of(self.counterexample(&clock, &set.constraints, constraint, self.order))
    }

    /// A solution of the constraints in which the goal, read in `order`, does not hold.
    pub(crate) fn counterexample(
        &self,
        clock: &Clock,
        constraints: &[Constraint],
        goal: &Constraint,
        order: Order,
    ) -> Result<Option<Ground>, Reason> {
        let mut vars = goal.vars();
        constraints.iter().for_each(|c| vars.extend(c.vars()));
        let mut scope = Scope::new(constraints, vars);
        scope.goals.push(goal);
        let deny = |session: &mut crate::session::Session<'_>| {
            let denial = session.denial(goal, order)?;
            session.setting.smt.assert(&denial);
            Ok(())
        };
        self.search(clock, &scope, deny, |session| {
            let ground = session.solution()?.ground;
            match ground.satisfies(goal, order) {
                Some(false) => Ok(ground),
                _ => Err(Reason::Solver(format!(
                    "its counterexample satisfies `{goal}`; this is a defect of the oracle"
                ))),
            }
        })
    }

    /// Whether the two sets have the same solutions on the variables that they share:
    /// a variable that only one of them has may take any value in that one.
    pub fn equivalent(&self, a: &ConstraintSet, b: &ConstraintSet) -> Equivalence {
        let clock = self.start();
        Equivalence {
            forward: self.extends(&clock, &a.constraints, &b.constraints, &a.vars()),
            backward: self.extends(&clock, &b.constraints, &a.constraints, &b.vars()),
        }
    }

    /// Whether every solution of `from` extends, on the variables that are not `given`, to a solution of `to`.
    pub(crate) fn extends(
        &self,
        clock: &Clock,
        from: &[Constraint],
        to: &[Constraint],
        given: &BTreeSet<Var>,
    ) -> Entailment {
        let (assumed, rest) = match self.definitions(clock, from, to, given) {
            Ok(split) => split,
            Err(reason) => return Entailment::Unknown(reason),
        };
        for goal in &rest {
            match self.counterexample(clock, &assumed, goal, self.order) {
                Ok(None) => {}
                Ok(Some(ground)) => return self.confirm(clock, &ground, to, given),
                Err(reason) => return Entailment::Unknown(reason),
            }
        }
        Entailment::Holds
    }

    /// A solution of `from` did not extend with the definitions that were chosen: does it with others?
    fn confirm(
        &self,
        clock: &Clock,
        ground: &Ground,
        to: &[Constraint],
        given: &BTreeSet<Var>,
    ) -> Entailment {
        let mut shared = ground.clone();
        shared
            .dims
            .retain(|var, _| given.contains(&Var::Dim(var.clone())));
        shared
            .rows
            .retain(|var, _| given.contains(&Var::Row(var.clone())));
        let by = substitution(&shared);
        let left: Vec<Constraint> = to.iter().map(|c| c.substituted(&by)).collect();
        match self.solve(clock, &Scope::new(&left, BTreeSet::new())) {
            Ok(None) => Entailment::Fails(shared),
            Ok(Some(_)) => Entailment::Unknown(Reason::Form(
                "the variables that only one side has are not determined by the others".to_owned(),
            )),
            Err(reason) => Entailment::Unknown(reason),
        }
    }

    /// Splits `to` into constraints that may be taken for definitions of its own variables, and the rest.
    ///
    /// A definition is a constraint that some value of its new variables satisfies, whatever a solution so far gives to the others:
    /// adding it to `from` loses no solution. Returns `from` with the definitions, and the rest.
    fn definitions(
        &self,
        clock: &Clock,
        from: &[Constraint],
        to: &[Constraint],
        given: &BTreeSet<Var>,
    ) -> Result<(Vec<Constraint>, Vec<Constraint>), Reason> {
        let mut assumed = from.to_vec();
        let mut known = given.clone();
        let mut rest: Vec<Constraint> = to.to_vec();
        loop {
            let mut found = None;
            for (at, constraint) in rest.iter().enumerate() {
                if let Some(vars) = self.defined(clock, &assumed, constraint, &known)? {
                    found = Some((at, vars));
                    break;
                }
            }
            let Some((at, vars)) = found else {
                return Ok((assumed, rest));
            };
            assumed.push(rest.remove(at));
            known.extend(vars);
        }
    }

    /// The new variables of the constraint, if it defines them.
    fn defined(
        &self,
        clock: &Clock,
        assumed: &[Constraint],
        constraint: &Constraint,
        known: &BTreeSet<Var>,
    ) -> Result<Option<BTreeSet<Var>>, Reason> {
        let new: BTreeSet<Var> = constraint.vars().difference(known).cloned().collect();
        if new.is_empty() {
            return Ok(None);
        }
        let total = match constraint {
            Constraint::DimEq(a, b) => a != b,
            Constraint::RowEq(a, b) => {
                self.row_defined(clock, assumed, a, b, &new)?
                    || self.row_defined(clock, assumed, b, a, &new)?
            }
            Constraint::DimLe(..) | Constraint::RowLe(..) => false,
        };
        Ok(total.then_some(new))
    }

    /// Whether `whole ≈ pattern` has a solution for the new variables, which are all in the pattern, whatever `whole` is:
    /// each new variable occurs once, nothing else does, and `whole` is long enough in every solution.
    fn row_defined(
        &self,
        clock: &Clock,
        assumed: &[Constraint],
        whole: &RowTerm,
        pattern: &RowTerm,
        new: &BTreeSet<Var>,
    ) -> Result<bool, Reason> {
        let mut seen = BTreeSet::new();
        let dims = pattern.axes().map(|axis| match axis {
            DimTerm::Var(var) => Some(Var::Dim(var.clone())),
            DimTerm::Const(_) => None,
        });
        let row = pattern.var.iter().cloned().map(|var| Some(Var::Row(var)));
        let mut linear = dims.chain(row).map(|var| match var {
            Some(var) => new.contains(&var) && seen.insert(var),
            None => false,
        });
        let linear = linear.all(|fresh| fresh) && pattern.var.is_some();
        let apart = Constraint::RowEq(whole.clone(), RowTerm::default()).vars();
        if !linear || !apart.is_disjoint(&seen) || seen.len() != new.len() {
            return Ok(false);
        }
        self.always_long(clock, assumed, whole, pattern.explicit())
    }

    /// Whether the row has at least so many axes in every solution.
    fn always_long(
        &self,
        clock: &Clock,
        assumed: &[Constraint],
        row: &RowTerm,
        axes: usize,
    ) -> Result<bool, Reason> {
        let mut vars = BTreeSet::new();
        assumed.iter().for_each(|c| vars.extend(c.vars()));
        vars.extend(row.var.clone().map(Var::Row));
        let shorter = |session: &mut crate::session::Session<'_>| {
            session.shorter_than(row, axes);
            Ok(())
        };
        let short = self.search(clock, &Scope::new(assumed, vars), shorter, |_| Ok(()))?;
        Ok(short.is_none())
    }
}

/// The ground substitution as a substitution.
pub(crate) fn substitution(ground: &Ground) -> Substitution {
    let dims = ground.dims.iter();
    let rows = ground.rows.iter();
    Substitution {
        dims: dims
            .map(|(var, dim)| (var.clone(), dim.clone().into()))
            .collect::<BTreeMap<_, _>>(),
        rows: rows
            .map(|(var, row)| (var.clone(), row.clone().into()))
            .collect(),
    }
}
