//! Chains and cycles with leaves, which closing gives their shapes.

use lozenge_solver::Problem;
use lozenge_vocabulary::{DimVar, RowVar, Tag, Var};

use super::chains::{bare, closed, deficits};
use super::stated::Stated;

fn leaf_row(problem: &mut Problem, name: &str) {
    // Each is declared once.
    let _ = problem.declare(&Var::Row(RowVar::new(name)), Tag::Leaf);
}

/// Adds a closed row below `r0`.
fn above(problem: &mut Problem) {
    let (bottom, row) = (
        closed(problem, &[2, 3], &[4]),
        problem.own_row(&[], Some("r0"), &[]),
    );
    problem.rows_below(bottom, row);
}

pub(super) fn leaf_chain(n: usize) -> Problem {
    let mut problem = Problem::new();
    above(&mut problem);
    leaf_row(&mut problem, "r0");
    for i in 1..n {
        let (low, high) = (format!("r{}", i - 1), format!("r{i}"));
        bare(&mut problem, &low, &high, false);
        leaf_row(&mut problem, &high);
    }
    problem
}

pub(super) fn leaf_layers(n: usize) -> Problem {
    let mut problem = Problem::new();
    above(&mut problem);
    for i in 0..n / 2 {
        let (low, leaf) = (format!("r{i}"), format!("w{i}"));
        bare(&mut problem, &low, &leaf, false);
        bare(&mut problem, &low, &format!("r{}", i + 1), false);
        leaf_row(&mut problem, &leaf);
    }
    problem
}

pub(super) fn leaf_dims(n: usize) -> Problem {
    let mut problem = Problem::new();
    let (size, first) = (problem.own_size(3), problem.own_dim("a0"));
    problem.dims_below(size, first);
    for i in 1..n {
        let (low, high) = (
            problem.own_dim(&format!("a{}", i - 1)),
            problem.own_dim(&format!("a{i}")),
        );
        problem.dims_below(low, high);
        if i % 2 == 0 {
            let var = Var::Dim(DimVar::new(&format!("a{i}")));
            let _ = problem.declare(&var, Tag::Leaf);
        }
    }
    problem
}

pub(super) fn leaf_deficits(n: usize) -> Problem {
    let mut problem = deficits(n);
    leaf_row(&mut problem, "r0");
    problem
}

pub(super) fn leaf_cycle(n: usize) -> Problem {
    let mut problem = Problem::new();
    above(&mut problem);
    for i in 0..n - 1 {
        let (low, high) = (format!("r{i}"), format!("r{}", (i + 1) % (n - 1)));
        bare(&mut problem, &low, &high, false);
        leaf_row(&mut problem, &low);
    }
    problem
}
