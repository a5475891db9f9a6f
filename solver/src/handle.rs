//! What a program that embeds the solver holds of a problem: references to terms, rows and constraints.
//!
//! Each reference carries the brand of its problem, so that a reference to another problem is an error and never another
//! value. A copy of a problem has a brand of its own and accepts what was made before the copy was taken.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

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
    pub(crate) index: u32,
    pub(crate) brand: Brand,
}

impl ConstraintId {
    /// The number of the constraint, from 0, in the order of statement. A [`Cited`](crate::Cited) has the same number.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

/// Why a problem does not accept what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemError {
    /// A reference to a term, a row or a constraint of another problem, or to one that a rollback has taken back.
    Foreign,
    /// A name that the notation does not allow.
    Name(String),
    /// The row is no variable alone.
    NotAVariable,
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
            ProblemError::NotAVariable => f.write_str("the row is not a variable alone"),
        }
    }
}

impl std::error::Error for ProblemError {}

/// The number of a problem, unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Brand(u64);

impl Default for Brand {
    fn default() -> Brand {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Brand(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// How much of a problem there is to refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) dims: usize,
    pub(crate) rows: usize,
    pub(crate) terms: usize,
    pub(crate) constants: usize,
    pub(crate) constraints: usize,
}

/// The brand of a problem, and those of the problems that it is a copy of, each with what there was at the time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    pub(crate) own: Brand,
    ancestors: Vec<(Brand, Extent)>,
}

impl Identity {
    /// The identity of a copy that is taken of a problem with that much in it.
    pub(crate) fn of_copy(&self, now: Extent) -> Identity {
        let mut ancestors = self.ancestors.clone();
        ancestors.push((self.own, now));
        Identity {
            own: Brand::default(),
            ancestors,
        }
    }

    /// The bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.ancestors.capacity() * size_of::<(Brand, Extent)>()
    }

    /// What a brand may refer to in a problem with `now` in it; `None` for a foreign one.
    fn visible(&self, brand: Brand, now: Extent) -> Option<Extent> {
        if brand == self.own {
            return Some(now);
        }
        let (_, then) = self.ancestors.iter().find(|(other, _)| *other == brand)?;
        Some(Extent {
            dims: then.dims.min(now.dims),
            rows: then.rows.min(now.rows),
            terms: then.terms.min(now.terms),
            constants: then.constants.min(now.constants),
            constraints: then.constraints.min(now.constraints),
        })
    }

    /// The term that a reference refers to.
    pub(crate) fn term(&self, dim: DimRef, now: Extent) -> Result<Term, ProblemError> {
        let visible = self.visible(dim.brand, now).ok_or(ProblemError::Foreign)?;
        let len = if dim.term.is_var() {
            visible.dims
        } else {
            visible.constants
        };
        if (dim.term.id() as usize) < len {
            Ok(dim.term)
        } else {
            Err(ProblemError::Foreign)
        }
    }

    /// The row that a reference refers to.
    pub(crate) fn row(&self, row: RowRef, now: Extent) -> Result<RowId, ProblemError> {
        let visible = self.visible(row.brand, now).ok_or(ProblemError::Foreign)?;
        let RowId {
            start,
            lead,
            trail,
            var,
        } = row.row;
        let end = start as usize + lead as usize + trail as usize;
        let known = var == crate::term::NONE || (var as usize) < visible.rows;
        if known && end <= visible.terms {
            Ok(row.row)
        } else {
            Err(ProblemError::Foreign)
        }
    }

    /// The number of the constraint that an id refers to.
    pub(crate) fn constraint(&self, id: ConstraintId, now: Extent) -> Result<u32, ProblemError> {
        let visible = self.visible(id.brand, now).ok_or(ProblemError::Foreign)?;
        if (id.index as usize) < visible.constraints {
            Ok(id.index)
        } else {
            Err(ProblemError::Foreign)
        }
    }
}
