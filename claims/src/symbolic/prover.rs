//! Dimensions, rows and constraints with symbolic sizes and bases, and the question whether a counterexample exists.

use crate::machinery::{Finding, Witness};
use z3::ast::{Bool, Int};
use z3::{SatResult, Solver};

/// A dimension: its size and its basis as numbers; the unit has size 0.
#[derive(Clone)]
pub struct Dim {
    /// The size, 0 for the unit.
    pub size: Int,
    /// The basis.
    pub basis: Int,
}

impl Dim {
    /// Returns the unit.
    pub fn unit() -> Dim {
        Dim {
            size: Int::from_i64(0),
            basis: Int::from_i64(0),
        }
    }

    /// Returns a dimension of any size and basis.
    pub fn any(name: &str) -> Dim {
        Dim {
            size: Int::new_const(format!("{name}.size")),
            basis: Int::new_const(format!("{name}.basis")),
        }
    }

    /// States that sizes are not negative, and that the unit has one form.
    pub fn well_formed(&self) -> Bool {
        let one_unit = self
            .size
            .eq(Int::from_i64(0))
            .implies(self.basis.eq(Int::from_i64(0)));
        Bool::and(&[self.size.ge(Int::from_i64(0)), one_unit])
    }

    /// States identity.
    pub fn equals(&self, other: &Dim) -> Bool {
        Bool::and(&[self.size.eq(&other.size), self.basis.eq(&other.basis)])
    }

    /// Tells whether it is the unit.
    pub fn is_unit(&self) -> Bool {
        self.size.eq(Int::from_i64(0))
    }

    /// States Def. 1.2.
    pub fn below(&self, other: &Dim) -> Bool {
        Bool::or(&[other.is_unit(), self.equals(other)])
    }

    /// Returns the number of positions of the axis.
    pub fn positions(&self) -> Int {
        self.is_unit().ite(&Int::from_i64(1), &self.size)
    }

    /// Returns the first where a condition holds, else the second.
    pub fn select(when: &Bool, then: &Dim, other: &Dim) -> Dim {
        Dim {
            size: when.ite(&then.size, &other.size),
            basis: when.ite(&then.basis, &other.basis),
        }
    }

    /// Returns Prop. 1.3's join of dimensions.
    pub fn join(&self, other: &Dim) -> Dim {
        Dim::select(&self.equals(other), self, &Dim::unit())
    }
}

/// A row whose shape is known and whose axes are symbolic.
#[derive(Clone, Default)]
pub struct Row {
    /// The leading flank.
    pub leading: Vec<Dim>,
    /// The trailing flank.
    pub trailing: Vec<Dim>,
}

impl Row {
    /// Returns a row of this shape with new symbolic axes.
    pub fn any(name: &str, (leading, trailing): (usize, usize)) -> Row {
        Row {
            leading: (0..leading)
                .map(|i| Dim::any(&format!("{name}.l{i}")))
                .collect(),
            trailing: (0..trailing)
                .map(|i| Dim::any(&format!("{name}.t{i}")))
                .collect(),
        }
    }

    /// Returns the axes in order.
    pub fn flat(&self) -> Vec<Dim> {
        self.leading.iter().chain(&self.trailing).cloned().collect()
    }

    /// Returns the expansion of Def. 2.2; `n` is at least the rank.
    pub fn expansion(&self, n: usize) -> Vec<Dim> {
        let units = n - self.leading.len() - self.trailing.len();
        let middle = std::iter::repeat_with(Dim::unit).take(units);
        self.leading
            .iter()
            .cloned()
            .chain(middle)
            .chain(self.trailing.iter().cloned())
            .collect()
    }

    /// States Def. 2.3; `None` where flanks do not fit.
    pub fn below(&self, other: &Row) -> Option<Bool> {
        let fits = other.leading.len() <= self.leading.len()
            && other.trailing.len() <= self.trailing.len();
        fits.then(|| {
            pointwise(
                &self.flat(),
                &other.expansion(self.leading.len() + self.trailing.len()),
            )
        })
    }

    /// States Def. 2.9; `None` where ranks differ.
    pub fn same_content(&self, other: &Row) -> Option<Bool> {
        let (a, b) = (self.flat(), other.flat());
        let pairs: Vec<Bool> = a.iter().zip(&b).map(|(a, b)| a.equals(b)).collect();
        (a.len() == b.len()).then(|| Bool::and(&pairs))
    }
}

/// States that each axis is below the other at its place.
pub fn pointwise(low: &[Dim], high: &[Dim]) -> Bool {
    Bool::and(
        &low.iter()
            .zip(high)
            .map(|(a, b)| a.below(b))
            .collect::<Vec<_>>(),
    )
}

/// Asks Z3 for counterexamples and counts the questions.
pub struct Prover {
    solver: Solver,
    queries: u64,
    witness: Option<Witness>,
}

impl Prover {
    /// Makes a prover that has not put a question yet.
    pub fn new() -> Prover {
        Prover {
            solver: Solver::new(),
            queries: 0,
            witness: None,
        }
    }

    /// Asks whether the assumptions hold and the goal does not: only `unsat` is a proof.
    pub fn prove(&mut self, assumptions: &[Bool], goal: &Bool, what: impl Fn() -> String) {
        self.queries += 1;
        self.solver.push();
        assumptions.iter().for_each(|a| self.solver.assert(a));
        self.solver.assert(goal.not());
        let answer = self.solver.check();
        if answer != SatResult::Unsat && self.witness.is_none() {
            let model = self
                .solver
                .get_model()
                .map(|m| m.to_string())
                .unwrap_or_default();
            self.witness = Some(Witness {
                text: what(),
                why: format!("Z3 answers {answer:?}: {model}"),
            });
        }
        self.solver.pop(1);
    }

    /// Returns the finding so far; each question counts as an instance.
    pub fn finding(self, bounds: &str) -> Finding {
        let scope = format!("symbolic sizes and bases; {bounds}");
        Finding::proved(scope, self.queries, self.witness)
    }
}
