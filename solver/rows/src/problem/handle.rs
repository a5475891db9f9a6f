//! References to the terms, rows and constraints of a problem, for programs that embed the solver.
//!
//! Each reference carries the brand of its problem, so that a reference to another problem is an error and never
//! another value. A copy of a problem has a brand of its own and accepts what was made before the copy was taken.
//!
//! A rollback takes back terms, rows and constraints, and what is made next gets their numbers. So each rollback begins
//! a new *generation*, which is a part of the brand, and a reference of an earlier generation counts only as far as
//! every rollback since then has left the problem.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ids::{AssertedId, Id, room};
use crate::term::{RowId, Term};

/// A dimension term of one [`Problem`](crate::Problem): a variable, an atom or the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DimRef {
    pub(crate) term: Term,
    pub(crate) brand: Brand,
}

/// A row term of one [`Problem`](crate::Problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRef {
    pub(crate) row: RowId,
    pub(crate) brand: Brand,
}

/// A constraint of one [`Problem`](crate::Problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConstraintId {
    pub(crate) id: AssertedId,
    pub(crate) brand: Brand,
}

impl ConstraintId {
    /// Returns the number of the constraint, from 0, in the order of statement. A [`Cited`](crate::Cited) has the same
    /// number.
    pub fn index(self) -> usize {
        self.id.index()
    }
}

/// The reason why a problem does not accept what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemError {
    /// A reference to a term, a row or a constraint of another problem, or to one that a rollback has taken back.
    Foreign,
    /// A name that the notation does not allow.
    Name(String),
    /// The row is no variable alone.
    NotAVariable,
    /// The value of the variable is 0, which is no dimension.
    Zero,
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemError::Foreign => f.write_str(
                "the reference belongs to another problem, or a rollback has taken back what it refers to",
            ),
            ProblemError::Name(name) => write!(
                f,
                "{name:?} is no name: write a letter or `_`, then letters, digits, `_` or `'`"
            ),
            ProblemError::Zero => f.write_str("the variable is 0, which is no dimension"),
            ProblemError::NotAVariable => f.write_str("the row is not a variable alone"),
        }
    }
}

impl std::error::Error for ProblemError {}

/// The number of a problem, unique in the process, and the generation in which the reference was made: one word, the
/// generation in its low bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Brand(u64);

/// The number of bits of a brand that count generations. A problem that has had more of them gets another number.
const GENERATION_BITS: u32 = 24;

impl Brand {
    fn problem(self) -> u64 {
        self.0 >> GENERATION_BITS
    }

    fn generation(self) -> u64 {
        self.0 & ((1 << GENERATION_BITS) - 1)
    }

    /// Returns the next generation of the same problem; `None` after the last one.
    fn next(self) -> Option<Brand> {
        let next = Brand(self.0 + 1);
        (next.problem() == self.problem()).then_some(next)
    }
}

impl Default for Brand {
    fn default() -> Brand {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Brand(NEXT.fetch_add(1, Ordering::Relaxed) << GENERATION_BITS)
    }
}

/// The numbers of things in a problem to which there may be references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) dims: usize,
    pub(crate) rows: usize,
    pub(crate) terms: usize,
    pub(crate) constants: usize,
    pub(crate) constraints: usize,
}

impl Extent {
    /// Returns the part that both have.
    fn min(self, other: Extent) -> Extent {
        Extent {
            dims: self.dims.min(other.dims),
            rows: self.rows.min(other.rows),
            terms: self.terms.min(other.terms),
            constants: self.constants.min(other.constants),
            constraints: self.constraints.min(other.constraints),
        }
    }
}

/// The rollbacks of a problem that a later and deeper one has not made irrelevant: the first generation after each, and
/// what it left. Both increase along the list.
#[derive(Clone, Debug, Default)]
struct Rollbacks(Vec<(u64, Extent)>);

impl Rollbacks {
    fn add(&mut self, generation: u64, left: Extent) {
        while self
            .0
            .last()
            .is_some_and(|(_, before)| left.min(*before) == left)
        {
            self.0.pop();
        }
        self.0.push((generation, left));
    }

    /// Returns the part of a generation that the rollbacks after it have left.
    fn left(&self, generation: u64) -> Option<Extent> {
        let first = self.0.partition_point(|(next, _)| *next <= generation);
        self.0.get(first).map(|(_, left)| *left)
    }
}

/// The brand of a problem, and those of the problems that it is a copy of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    pub(crate) own: Brand,
    rollbacks: Rollbacks,
    ancestors: Vec<Ancestor>,
}

/// A problem when a copy was taken of it.
#[derive(Clone, Debug)]
struct Ancestor {
    brand: Brand,
    rollbacks: Rollbacks,
    /// The extent at that time, as far as the copy still has it.
    then: Extent,
}

impl Identity {
    /// Returns the identity of a copy that is taken of a problem with that much in it.
    pub(crate) fn of_copy(&self, now: Extent) -> Identity {
        let mut ancestors = self.ancestors.clone();
        ancestors.push(Ancestor {
            brand: self.own,
            rollbacks: self.rollbacks.clone(),
            then: now,
        });
        Identity {
            own: Brand::default(),
            rollbacks: Rollbacks::default(),
            ancestors,
        }
    }

    /// Notes that a rollback has left so much of the problem, all its constants among it: a new generation begins.
    pub(crate) fn rolled_back(&mut self, left: Extent) {
        for ancestor in &mut self.ancestors {
            ancestor.then = ancestor.then.min(left);
        }
        match self.own.next() {
            Some(next) => {
                self.own = next;
                self.rollbacks.add(next.generation(), left);
            }
            None => *self = self.of_copy(left),
        }
    }

    /// Returns the bytes held.
    pub(crate) fn bytes(&self) -> usize {
        [room(&self.ancestors), room(&self.rollbacks.0)]
            .iter()
            .sum()
    }

    /// Returns the extent to which a brand may refer in a problem with `now` in it; `None` for a foreign one.
    fn visible(&self, brand: Brand, now: Extent) -> Option<Extent> {
        if brand == self.own {
            return Some(now);
        }
        let (rollbacks, most) = if brand.problem() == self.own.problem() {
            (&self.rollbacks, now)
        } else {
            let mut ancestors = self.ancestors.iter();
            let ancestor = ancestors.find(|ancestor| {
                ancestor.brand.problem() == brand.problem()
                    && brand.generation() <= ancestor.brand.generation()
            })?;
            (&ancestor.rollbacks, ancestor.then.min(now))
        };
        let left = rollbacks.left(brand.generation()).unwrap_or(most);
        Some(left.min(most))
    }

    /// Returns the term that a reference refers to.
    pub(crate) fn term(&self, dim: DimRef, now: Extent) -> Result<Term, ProblemError> {
        let visible = self.visible(dim.brand, now).ok_or(ProblemError::Foreign)?;
        let (index, len) = if dim.term.is_var() {
            (dim.term.id().index(), visible.dims)
        } else {
            (dim.term.constant_id().index(), visible.constants)
        };
        if index < len {
            Ok(dim.term)
        } else {
            Err(ProblemError::Foreign)
        }
    }

    /// Returns the row that a reference refers to.
    pub(crate) fn row(&self, row: RowRef, now: Extent) -> Result<RowId, ProblemError> {
        let visible = self.visible(row.brand, now).ok_or(ProblemError::Foreign)?;
        let RowId {
            start,
            lead,
            trail,
            var,
        } = row.row;
        let end = start as usize + lead as usize + trail as usize;
        let known = var.is_none_or(|var| var.index() < visible.rows);
        if known && end <= visible.terms {
            Ok(row.row)
        } else {
            Err(ProblemError::Foreign)
        }
    }

    /// Returns the number of the constraint that an id refers to.
    pub(crate) fn constraint(
        &self,
        id: ConstraintId,
        now: Extent,
    ) -> Result<AssertedId, ProblemError> {
        let visible = self.visible(id.brand, now).ok_or(ProblemError::Foreign)?;
        if id.index() < visible.constraints {
            Ok(id.id)
        } else {
            Err(ProblemError::Foreign)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::DimVarId;

    fn extent(dims: usize) -> Extent {
        Extent {
            dims,
            ..Extent::default()
        }
    }

    fn dim(id: u32, brand: Brand) -> DimRef {
        let term = Term::var(DimVarId::of(id));
        DimRef { term, brand }
    }

    #[test]
    fn the_deepest_rollback_since_a_reference_was_made_counts() {
        let mut identity = Identity::default();
        let first = identity.own;
        let accepts =
            |identity: &Identity, id, brand| identity.term(dim(id, brand), extent(100)).is_ok();
        identity.rolled_back(extent(5));
        let second = identity.own;
        identity.rolled_back(extent(8));
        let third = identity.own;
        assert_eq!(
            [4, 5].map(|id| accepts(&identity, id, first)),
            [true, false]
        );
        assert_eq!(
            [7, 8].map(|id| accepts(&identity, id, second)),
            [true, false]
        );
        assert!(accepts(&identity, 99, third));
        identity.rolled_back(extent(2));
        for brand in [first, second, third] {
            assert_eq!(
                [1, 2].map(|id| accepts(&identity, id, brand)),
                [true, false]
            );
        }
        // Rollbacks that a deeper one has made irrelevant are forgotten.
        assert_eq!(identity.rollbacks.0.len(), 1);
    }

    #[test]
    fn a_problem_of_many_generations_gets_another_number() {
        let mut identity = Identity::default();
        // One before the last generation.
        let first = Brand(identity.own.0 + (1 << GENERATION_BITS) - 2);
        identity.own = first;
        identity.rolled_back(extent(4));
        assert_eq!(identity.own.problem(), first.problem());
        identity.rolled_back(extent(3));
        assert_ne!(identity.own.problem(), first.problem());
        let accepts = |id| identity.term(dim(id, first), extent(100)).is_ok();
        assert_eq!([2, 3].map(accepts), [true, false]);
        assert_eq!(identity.ancestors.len(), 1);
    }
}
