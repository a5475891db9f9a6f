//! Rows whose elements are counted.

use lozenge_solver::Problem;
use lozenge_vocabulary::elements::{Elements, Factor};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, DimVar, RowTerm, RowVar};

fn axis(name: &str, number: usize) -> DimTerm {
    DimVar::new(&format!("{name}{number}")).into()
}

fn row(name: &str, number: usize) -> RowTerm {
    RowVar::new(&format!("{name}{number}")).into()
}

fn sized(size: u64) -> DimTerm {
    Dim::new(size).unwrap_or(Dim::Unit).into()
}

/// Makes `n = a * |<r>|` and `n = 12`, n / 2 times: nothing says how many axes a row has, so closing makes it empty.
pub(super) fn open_rows(n: usize) -> Problem {
    let mut problem = Problem::new();
    for number in 0..n / 2 {
        problem.push(&Constraint::Elements(Elements {
            whole: axis("n", number),
            factors: vec![
                Factor::Axis(axis("a", number)),
                Factor::Row(row("r", number)),
            ],
        }));
        problem.push(&Constraint::DimEq(axis("n", number), sized(12)));
    }
    problem
}

/// Makes `[4, 3] <= <r>`, `<r> <= <s>`, `n = |<r>|`, `m = a * |<s>|` and `m = 24`, n / 5 times: what a row counts
/// divides what a row below it counts.
pub(super) fn rows_below(n: usize) -> Problem {
    let mut problem = Problem::new();
    for number in 0..n / 5 {
        let (low, high) = (row("r", number), row("s", number));
        let bottom = RowTerm::closed(Vec::new(), vec![sized(4), sized(3)]);
        problem.push(&Constraint::RowLe(bottom, low.clone()));
        problem.push(&Constraint::RowLe(low.clone(), high.clone()));
        problem.push(&Constraint::Elements(Elements {
            whole: axis("n", number),
            factors: vec![Factor::Row(low)],
        }));
        problem.push(&Constraint::Elements(Elements {
            whole: axis("m", number),
            factors: vec![Factor::Axis(axis("a", number)), Factor::Row(high)],
        }));
        problem.push(&Constraint::DimEq(axis("m", number), sized(24)));
    }
    problem
}
