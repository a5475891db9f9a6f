//! Equations over the integers, solved for variables.
//!
//! An equation with a unit coefficient is solved for a variable with that coefficient. In any other equation, Euclid's
//! algorithm on the coefficients, as a change of variables, produces a unit coefficient: with `a` the smallest
//! coefficient and `v` its variable, `v = t - Σ qᵢ·vᵢ`, where `qᵢ` is the nearest integer to `aᵢ / a`, replaces `v` by
//! a new variable `t` and every other coefficient by a remainder of at most `|a| / 2`. Each change is unimodular, so
//! the integer solutions of the old and the new equations correspond one to one. An equation without integer solutions
//! ends with a divisor of its coefficients that does not divide its constant. The changes together are those of the
//! Hermite normal form (A. Schrijver, *Theory of Linear and Integer Programming*, 1986, §4.1 and §5.3); the step for
//! one equation is that of D. E. Knuth, *The Art of Computer Programming* 2, §4.5.2, and of W. Pugh, *The Omega Test*,
//! Supercomputing 1991, §2.2.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::constraint::{Derived, Linear};
use crate::form::{Form, Fresh, Variable, sum};
use crate::limit::{Limit, Meter};
use crate::number::{Overflow, nearest};
use crate::origin::{Origin, Origins};

/// The reason for which a procedure ends without a solution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// A contradiction with its origin.
    Contradiction(Origin),
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

impl From<Overflow> for Stop {
    fn from(overflow: Overflow) -> Stop {
        Stop::Limit(overflow.into())
    }
}

/// The result of one step of solving an equation `form = 0`.
#[derive(Debug)]
pub(crate) enum Solved {
    /// A constraint that always holds.
    Trivial,
    /// A constraint that never holds for integers.
    Impossible,
    /// The variable equals the form.
    Bound(Variable, Form),
    /// The variable equals the form, which has a new variable, and the other form is the equation that is left.
    Renewed(Variable, Form, Form),
}

/// Takes one step of solving `form = 0`. Among the variables with suitable coefficients it takes the one that `rank`
/// puts first.
pub(crate) fn solve<Rank: Ord>(
    form: &Form,
    fresh: &mut Fresh,
    rank: impl Fn(Variable) -> Rank,
) -> Result<Solved, Overflow> {
    let divisor = form.content();
    if divisor == 0 {
        return Ok(match form.constant {
            0 => Solved::Trivial,
            _ => Solved::Impossible,
        });
    }
    if form.constant % divisor != 0 {
        return Ok(Solved::Impossible);
    }
    let primitive = form.map(|number| number / divisor);
    let pivots = primitive.terms().iter();
    let pivot = pivots.min_by_key(|(variable, coefficient)| (coefficient.abs(), rank(*variable)));
    let Some((variable, coefficient)) = pivot.copied() else {
        return Ok(Solved::Trivial);
    };
    let rest = primitive.without(variable);
    if coefficient.abs() == 1 {
        return Ok(Solved::Bound(variable, rest.scaled(-coefficient)?));
    }
    let new = Form::variable(fresh.next());
    let quotients = rest.map(|number| nearest(number, coefficient));
    let value = new.plus(-1, &quotients)?;
    let equation = primitive.substituted(variable, &value)?;
    Ok(Solved::Renewed(variable, value, equation))
}

/// The form that a variable equals, in variables that are not solved for.
#[derive(Clone, Debug)]
struct Row {
    form: Form,
    origin: Origin,
}

/// A set of equations in solved form.
///
/// An equation is solved for the variable that the fewest rows and constraints mention. Then in a chain of equations,
/// each of which has a new size, rows keep a constant length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equations {
    rows: FxHashMap<Variable, Row>,
    /// The solved variables whose rows mention a variable.
    users: FxHashMap<Variable, BTreeSet<Variable>>,
    /// The number of constraints in which each variable occurs.
    degrees: FxHashMap<Variable, u32>,
}

impl Equations {
    /// Counts the occurrences in a constraint, which guide the choice of the variable to solve for.
    pub(crate) fn count(&mut self, form: &Form) {
        for variable in form.variables() {
            *self.degrees.entry(variable).or_default() += 1;
        }
    }

    /// Returns the form with every solved variable replaced, and the origin of the replacements.
    pub(crate) fn reduce(
        &self,
        form: &Form,
        origin: Origin,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<(Form, Origin), Limit> {
        if form
            .variables()
            .all(|variable| !self.rows.contains_key(&variable))
        {
            meter.spend(form.len())?;
            return Ok((form.clone(), origin));
        }
        let constant = Form::constant(form.constant);
        let mut origin = origin;
        let mut free = Vec::new();
        let mut rows = Vec::new();
        let mut terms = 0;
        for (variable, coefficient) in form.terms() {
            if let Some(row) = self.rows.get(variable) {
                rows.push((*coefficient, &row.form));
                origin = origins.join(origin, row.origin);
                terms += row.form.len();
            } else {
                free.push((*coefficient, Form::variable(*variable)));
            }
        }
        meter.spend(form.len() + terms)?;
        let free = free.iter().map(|(coefficient, form)| (*coefficient, form));
        let parts = rows.into_iter().chain(free).chain([(1, &constant)]);
        Ok((sum(parts)?, origin))
    }

    /// Adds an equation `form = 0`.
    pub(crate) fn assert(
        &mut self,
        equation: (&Form, Origin),
        fresh: &mut Fresh,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let (mut form, origin) = self.reduce(equation.0, equation.1, origins, meter)?;
        loop {
            let rank = |variable| (self.uses(variable), self.degree(variable), variable);
            match solve(&form, fresh, rank)? {
                Solved::Trivial => return Ok(()),
                Solved::Impossible => return Err(Stop::Contradiction(origin)),
                Solved::Bound(variable, value) => {
                    return Ok(self.bind(
                        variable,
                        Row {
                            form: value,
                            origin,
                        },
                        origins,
                        meter,
                    )?);
                }
                Solved::Renewed(variable, value, equation) => {
                    let row = Row {
                        form: value,
                        origin: None,
                    };
                    self.bind(variable, row, origins, meter)?;
                    form = equation;
                }
            }
        }
    }

    /// Returns the form that a variable is solved as.
    #[cfg(test)]
    pub(crate) fn solved(&self, variable: Variable) -> Option<&Form> {
        self.rows.get(&variable).map(|row| &row.form)
    }

    /// Tells whether the equations give a value to every variable of a form.
    pub(crate) fn fixes(&self, form: &Form) -> bool {
        let mut variables = form.variables();
        variables.all(|variable| {
            self.rows
                .get(&variable)
                .is_some_and(|row| row.form.len() == 0)
        })
    }

    /// Returns the solved variables with their forms, in no order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (Variable, &Form)> {
        self.rows
            .iter()
            .map(|(variable, row)| (*variable, &row.form))
    }

    fn uses(&self, variable: Variable) -> usize {
        self.users.get(&variable).map_or(0, BTreeSet::len)
    }

    fn degree(&self, variable: Variable) -> u32 {
        self.degrees.get(&variable).copied().unwrap_or(0)
    }

    /// Stores a row and puts it into the rows that mention its variable.
    fn bind(
        &mut self,
        variable: Variable,
        row: Row,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        for user in self.users.remove(&variable).unwrap_or_default() {
            let Some(old) = self.rows.remove(&user) else {
                continue;
            };
            meter.spend(old.form.len() + row.form.len())?;
            let new = Row {
                form: old.form.substituted(variable, &row.form)?,
                origin: origins.join(old.origin, row.origin),
            };
            for dropped in old
                .form
                .variables()
                .filter(|old| new.form.coefficient(*old) == 0)
            {
                if let Some(users) = self.users.get_mut(&dropped) {
                    users.remove(&user);
                }
            }
            for added in row
                .form
                .variables()
                .filter(|added| new.form.coefficient(*added) != 0)
            {
                self.users.entry(added).or_default().insert(user);
            }
            self.rows.insert(user, new);
        }
        for used in row.form.variables() {
            self.users.entry(used).or_default().insert(variable);
        }
        self.rows.insert(variable, row);
        Ok(())
    }
}

/// Returns the equations among some constraints, shortest first, in solved form.
pub(crate) fn solved<'a>(
    constraints: impl Iterator<Item = &'a Derived> + Clone,
    fresh: &mut Fresh,
    origins: &mut Origins,
    meter: &mut Meter,
) -> Result<Equations, Stop> {
    let mut equations = Equations::default();
    let mut order = Vec::new();
    for derived in constraints {
        equations.count(derived.linear.form());
        if let Linear::Zero(form) = &derived.linear {
            order.push((form, derived.origin));
        }
    }
    order.sort_by_key(|(form, _)| form.len());
    for equation in order {
        equations.assert(equation, fresh, origins, meter)?;
    }
    Ok(equations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(equations: &[(&[(u32, i128)], i128)]) -> Result<Equations, Stop> {
        let mut derived = Vec::new();
        for (terms, constant) in equations {
            let constant = Form::constant(*constant);
            let forms: Vec<Form> = terms
                .iter()
                .map(|(v, _)| Form::variable(Variable(*v)))
                .collect();
            let parts = terms.iter().zip(&forms).map(|((_, a), form)| (*a, form));
            let form = sum(parts.chain([(1, &constant)])).expect("small numbers");
            derived.push(Derived {
                linear: Linear::Zero(form),
                origin: None,
            });
        }
        let (mut origins, mut meter) = (Origins::new(), Meter::new(1 << 20));
        solved(derived.iter(), &mut Fresh(100), &mut origins, &mut meter)
    }

    #[test]
    fn a_system_with_one_solution_binds_every_variable_to_a_number() {
        // x + y = 5, x - y = 1.
        let equations = system(&[(&[(0, 1), (1, 1)], -5), (&[(0, 1), (1, -1)], -1)]);
        let equations = equations.expect("it has a solution");
        assert_eq!(equations.solved(Variable(0)), Some(&Form::constant(3)));
        assert_eq!(equations.solved(Variable(1)), Some(&Form::constant(2)));
    }

    #[test]
    fn equations_without_an_integer_solution_are_refused() {
        // 6x + 10y + 15z = 1 has one; 6x + 10y = 1 has none; nor have x + y = 1, x - y = 0.
        assert!(system(&[(&[(0, 6), (1, 10), (2, 15)], -1)]).is_ok());
        assert!(system(&[(&[(0, 6), (1, 10)], -1)]).is_err());
        assert!(system(&[(&[(0, 1), (1, 1)], -1), (&[(0, 1), (1, -1)], 0)]).is_err());
    }
}
