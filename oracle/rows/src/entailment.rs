//! The questions `entails` and `equivalent`: whether a constraint holds in every solution of a set, and whether two
//! sets have the same solutions.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_vocabulary::{
    Constraint, ConstraintSet, DimTerm, DimVar, Ground, Order, RowTerm, Substitution, Var,
};

use crate::limits::{Clock, Reason};
use crate::oracle::Oracle;
use crate::scope::Scope;
use crate::session::Session;

/// The answer to whether a statement holds in every solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entailment {
    /// The statement holds in every solution.
    Holds,
    /// The statement does not hold in this solution.
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

/// The answer to whether two sets have the same solutions on the variables that both have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalence {
    /// The answer to whether every solution of the first extends to one of the second.
    pub forward: Entailment,
    /// The answer to whether every solution of the second extends to one of the first.
    pub backward: Entailment,
}

/// States that what is asked of all solutions is not decided where variables may be 0.
pub(crate) fn with_zeros(sets: &[&ConstraintSet]) -> Option<Entailment> {
    let words = "a comparison of solutions in which variables may be 0 (`summand`)";
    let any = sets.iter().any(|set| !set.summands.is_empty());
    any.then(|| Entailment::Unknown(Reason::Form(words.into())))
}

impl Oracle {
    /// Tells whether the constraint holds in every solution of the set. Its variables need not occur in the set.
    pub fn entails(&self, set: &ConstraintSet, constraint: &Constraint) -> Entailment {
        let clock = self.start();
        let scope = Scope {
            vars: set.vars().into_iter().chain(constraint.vars()).collect(),
            ..Scope::of(set)
        };
        Entailment::of(self.counterexample_in(&clock, scope, constraint, self.order))
    }

    /// Returns a solution of the constraints in which the goal, read in `order`, does not hold.
    pub(crate) fn counterexample(
        &self,
        clock: &Clock,
        constraints: &[Constraint],
        goal: &Constraint,
        order: Order,
    ) -> Result<Option<Ground>, Reason> {
        let mut vars = goal.vars();
        constraints.iter().for_each(|c| vars.extend(c.vars()));
        self.counterexample_in(clock, Scope::new(constraints, vars), goal, order)
    }

    fn counterexample_in<'a>(
        &self,
        clock: &Clock,
        scope: Scope<'a>,
        goal: &'a Constraint,
        order: Order,
    ) -> Result<Option<Ground>, Reason> {
        self.counterexample_to_one(clock, scope, &[goal], order)
    }

    /// Returns a solution of the constraints in which at least one of the goals, read in `order`, does not hold.
    pub(crate) fn counterexample_to_one<'a>(
        &self,
        clock: &Clock,
        mut scope: Scope<'a>,
        goals: &[&'a Constraint],
        order: Order,
    ) -> Result<Option<Ground>, Reason> {
        scope.goals.extend(goals);
        let deny = |session: &mut Session<'_>| session.deny_one_of(goals, order);
        self.search(clock, &scope, deny, |session, sealed| {
            let ground = session.first_solution(sealed)?;
            let fails = |goal: &&Constraint| ground.satisfies(goal, order) == Some(false);
            match goals.iter().any(fails) {
                true => Ok(ground),
                false => {
                    let goals: Vec<String> = goals.iter().map(ToString::to_string).collect();
                    let goals = goals.join("; ");
                    Err(Reason::Solver(format!(
                        "its counterexample satisfies `{goals}`; this is a defect of the oracle"
                    )))
                }
            }
        })
    }

    /// Tells whether the two sets have the same solutions on the variables that they share: a variable that only one of
    /// them has may take any value in that one.
    pub fn equivalent(&self, a: &ConstraintSet, b: &ConstraintSet) -> Equivalence {
        if let Some(unknown) = with_zeros(&[a, b]) {
            return Equivalence {
                forward: unknown.clone(),
                backward: unknown,
            };
        }
        let clock = self.start();
        Equivalence {
            forward: self.extends(&clock, &a.constraints, &b.constraints, &a.vars()),
            backward: self.extends(&clock, &b.constraints, &a.constraints, &b.vars()),
        }
    }

    /// Tells whether every solution of `from` extends, on the variables that are not `given`, to a solution of `to`.
    pub(crate) fn extends(
        &self,
        clock: &Clock,
        from: &[Constraint],
        to: &[Constraint],
        given: &BTreeSet<Var>,
    ) -> Entailment {
        let premises = Premises {
            constraints: from.to_vec(),
            aligned: Vec::new(),
            known: given.clone(),
        };
        let (premises, rest) = match self.definitions(clock, premises, to) {
            Ok(split) => split,
            Err(reason) => return Entailment::Unknown(reason),
        };
        for goal in &rest {
            match self.counterexample_in(clock, premises.scope(), goal, self.order) {
                Ok(None) => {}
                Ok(Some(ground)) => return self.confirm(clock, &ground, to, given),
                Err(reason) => return Entailment::Unknown(reason),
            }
        }
        Entailment::Holds
    }

    /// Tests whether a solution of `from` that does not extend with the chosen definitions extends without them.
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

    /// Splits `to` into constraints that may be taken as definitions of its own variables, and the rest.
    ///
    /// A definition is a constraint that can be satisfied by choosing its new variables, whatever values the others
    /// have. So adding it to the premises loses no solution.
    fn definitions(
        &self,
        clock: &Clock,
        mut premises: Premises,
        to: &[Constraint],
    ) -> Result<(Premises, Vec<Constraint>), Reason> {
        let mut rest: Vec<Constraint> = to.to_vec();
        let mut at = 0;
        while at < rest.len() {
            match self.definition(clock, &premises, &rest[at])? {
                None => at += 1,
                Some(definition) => {
                    premises.add(definition);
                    at = 0;
                }
            }
        }
        rest.retain(|constraint| !premises.constraints.contains(constraint));
        Ok((premises, rest))
    }

    /// Returns the definition that the constraint gives, if it has new variables and determines them.
    fn definition(
        &self,
        clock: &Clock,
        premises: &Premises,
        constraint: &Constraint,
    ) -> Result<Option<Definition>, Reason> {
        if constraint.vars().is_subset(&premises.known) {
            return Ok(None);
        }
        let (a, b) = match constraint {
            Constraint::DimEq(a, b) if a != b => {
                return Ok(Some(Definition::Dim(a.clone(), b.clone())));
            }
            Constraint::RowEq(a, b) => (a, b),
            _ => return Ok(None),
        };
        for (whole, part) in [(a, b), (b, a)] {
            let Some(pattern) = premises.pattern(whole, part) else {
                continue;
            };
            if self.always_long(clock, premises, whole, &pattern)? {
                return Ok(Some(Definition::Row(whole.clone(), pattern)));
            }
        }
        Ok(None)
    }

    /// Tells whether in every solution `whole` is at least as long as the explicit axes of `part`.
    fn always_long(
        &self,
        clock: &Clock,
        premises: &Premises,
        whole: &RowTerm,
        part: &RowTerm,
    ) -> Result<bool, Reason> {
        let shorter = |session: &mut Session<'_>| {
            session.shorter_than(whole, part.explicit());
            Ok(())
        };
        let short = self.search(clock, &premises.scope(), shorter, |_, _| Ok(()))?;
        Ok(short.is_none())
    }
}

/// The knowledge about the solutions that are to be extended.
struct Premises {
    constraints: Vec<Constraint>,
    /// Pairs of rows that decide where the markers of new row variables are placed.
    aligned: Vec<(RowTerm, RowTerm)>,
    /// The variables that have values.
    known: BTreeSet<Var>,
}

impl Premises {
    fn scope(&self) -> Scope<'_> {
        Scope {
            aligned: self.aligned.clone(),
            ..Scope::new(&self.constraints, self.known.clone())
        }
    }

    /// Returns `part` with a fresh unknown for each axis that is not a new variable, if the row variable of `part` is
    /// new and `whole` has no new variables. If `whole` is long enough, `whole ≈ pattern` then has exactly one
    /// solution, up to a marker.
    fn pattern(&self, whole: &RowTerm, part: &RowTerm) -> Option<RowTerm> {
        let whole = Constraint::RowEq(whole.clone(), RowTerm::default());
        let new = |var: &Var| !self.known.contains(var);
        let row = part.var.clone().filter(|var| new(&Var::Row(var.clone())))?;
        if !whole.vars().is_subset(&self.known) {
            return None;
        }
        let mut seen = BTreeSet::new();
        let mut axis = |axis: &DimTerm| match axis {
            DimTerm::Var(var) if new(&Var::Dim(var.clone())) && seen.insert(var.clone()) => {
                axis.clone()
            }
            _ => {
                // No name of the notation contains a space, so this one is not taken.
                let unknown = format!("unknown {} {}", self.known.len(), seen.len());
                seen.insert(DimVar::new(&unknown));
                DimVar::new(&unknown).into()
            }
        };
        let leading = part.leading.iter().map(&mut axis).collect();
        let trailing = part.trailing.iter().map(&mut axis).collect();
        Some(RowTerm::open(leading, row, trailing))
    }

    fn add(&mut self, definition: Definition) {
        let constraint = match definition {
            Definition::Dim(a, b) => Constraint::DimEq(a, b),
            Definition::Row(whole, pattern) => {
                self.aligned.push((whole.clone(), pattern.clone()));
                Constraint::RowEq(whole, pattern)
            }
        };
        self.known.extend(constraint.vars());
        self.constraints.push(constraint);
    }
}

/// An equation that can be solved by choosing its new variables, whatever values the others have.
enum Definition {
    Dim(DimTerm, DimTerm),
    Row(RowTerm, RowTerm),
}

/// Returns the ground substitution as a substitution.
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
