//! Statements in a problem whose names and handles are known to be right, so that none of them can fail.

use std::num::NonZeroU64;

use lozenge_solver::{DimRef, Problem, RowRef};

/// Statements of a family in its own problem.
pub(crate) trait Stated {
    fn own_dim(&mut self, name: &str) -> DimRef;
    fn own_size(&mut self, size: u64) -> DimRef;
    fn own_row(&mut self, leading: &[DimRef], var: Option<&str>, trailing: &[DimRef]) -> RowRef;
    fn dims_equal(&mut self, left: DimRef, right: DimRef);
    fn dims_below(&mut self, result: DimRef, operand: DimRef);
    fn rows_equal(&mut self, left: RowRef, right: RowRef);
    fn rows_below(&mut self, result: RowRef, operand: RowRef);
}

/// The reason why no statement fails.
const OWN: &str = "the name is a word, and the handles are of this problem";

impl Stated for Problem {
    fn own_dim(&mut self, name: &str) -> DimRef {
        self.dim(name).expect(OWN)
    }

    fn own_size(&mut self, size: u64) -> DimRef {
        self.size(NonZeroU64::new(size).unwrap_or(NonZeroU64::MIN))
    }

    fn own_row(&mut self, leading: &[DimRef], var: Option<&str>, trailing: &[DimRef]) -> RowRef {
        self.row(leading, var, trailing).expect(OWN)
    }

    fn dims_equal(&mut self, left: DimRef, right: DimRef) {
        self.equal_dims(left, right).expect(OWN);
    }

    fn dims_below(&mut self, result: DimRef, operand: DimRef) {
        self.below_dims(result, operand).expect(OWN);
    }

    fn rows_equal(&mut self, left: RowRef, right: RowRef) {
        self.equal_rows(left, right).expect(OWN);
    }

    fn rows_below(&mut self, result: RowRef, operand: RowRef) {
        self.below_rows(result, operand).expect(OWN);
    }
}
