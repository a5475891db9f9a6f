//! Chains, cycles and layers of variables, each related to the next.

use lozenge_solver::{DimRef, Problem, RowRef};

use super::stated::Stated;

/// Makes `left <= right` or `left ~ right` of bare row variables.
pub(super) fn bare(problem: &mut Problem, left: &str, right: &str, equal: bool) {
    let (left, right) = (
        problem.own_row(&[], Some(left), &[]),
        problem.own_row(&[], Some(right), &[]),
    );
    if equal {
        problem.rows_equal(left, right);
    } else {
        problem.rows_below(left, right);
    }
}

pub(super) fn closed(problem: &mut Problem, lead: &[u64], trail: &[u64]) -> RowRef {
    let lead: Vec<DimRef> = lead.iter().map(|size| problem.own_size(*size)).collect();
    let trail: Vec<DimRef> = trail.iter().map(|size| problem.own_size(*size)).collect();
    problem.own_row(&lead, None, &trail)
}

fn under(problem: &mut Problem, var: &str) {
    let (row, top) = (
        problem.own_row(&[], Some(var), &[]),
        closed(problem, &[2, 3], &[4]),
    );
    problem.rows_below(row, top);
}

pub(super) fn rows_down(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 1..n {
        bare(
            &mut problem,
            &format!("r{}", i - 1),
            &format!("r{i}"),
            false,
        );
    }
    under(&mut problem, &format!("r{}", n - 1));
    problem
}

pub(super) fn rows_up(n: usize) -> Problem {
    let mut problem = Problem::new();
    under(&mut problem, "r0");
    for i in 1..n {
        bare(
            &mut problem,
            &format!("r{i}"),
            &format!("r{}", i - 1),
            false,
        );
    }
    problem
}

pub(super) fn rows_between(n: usize) -> Problem {
    let mut problem = rows_up(n - 1);
    let bottom = closed(&mut problem, &[2, 3], &[4]);
    let row = problem.own_row(&[], Some(&format!("r{}", n - 2)), &[]);
    problem.rows_below(bottom, row);
    problem
}

pub(super) fn equalities(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 1..n {
        bare(&mut problem, &format!("r{}", i - 1), &format!("r{i}"), true);
    }
    let row = problem.own_row(&[], Some(&format!("r{}", n - 1)), &[]);
    let top = closed(&mut problem, &[], &[2, 3, 4]);
    problem.rows_equal(row, top);
    problem
}

pub(super) fn deficits(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 0..n {
        let axis = problem.own_size(2 + (i % 5) as u64);
        let left = problem.own_row(&[], Some(&format!("r{i}")), &[]);
        let right = problem.own_row(&[axis], Some(&format!("r{}", i + 1)), &[]);
        problem.rows_below(left, right);
    }
    problem
}

/// Rows each below the one before, and of each a slice `[a <r>]`, which says nothing of the row's marker.
pub(super) fn sliced_chain(n: usize) -> Problem {
    let mut problem = Problem::new();
    let first = problem.own_row(&[], Some("y0"), &[]);
    let sizes = [4, 3].map(|size| problem.own_size(size));
    let shape = problem.own_row(&[], None, &sizes);
    problem.rows_equal(first, shape);
    for i in 0..n / 2 {
        let axis = problem.own_dim(&format!("a{i}"));
        let sliced = problem.own_row(&[axis], Some(&format!("r{i}")), &[]);
        let row = problem.own_row(&[], Some(&format!("y{i}")), &[]);
        problem.rows_equal(sliced, row);
        bare(
            &mut problem,
            &format!("y{}", i + 1),
            &format!("y{i}"),
            false,
        );
    }
    problem
}

pub(super) fn caps(n: usize) -> Problem {
    let mut problem = Problem::new();
    let var = problem.own_dim("a0");
    for i in 0..n / 2 {
        let cap = problem.own_size(2 + i as u64);
        problem.dims_below(cap, var);
    }
    for i in 1..=n / 2 {
        let (low, high) = (
            problem.own_dim(&format!("a{}", i - 1)),
            problem.own_dim(&format!("a{i}")),
        );
        problem.dims_below(low, high);
    }
    problem
}

pub(super) fn diamonds(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 0..n / 4 {
        let (low, high) = (format!("r{i}"), format!("r{}", i + 1));
        for side in ["s", "t"] {
            let middle = format!("{side}{i}");
            bare(&mut problem, &low, &middle, false);
            bare(&mut problem, &middle, &high, false);
        }
    }
    under(&mut problem, &format!("r{}", n / 4));
    problem
}

pub(super) fn zero_cycle(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 0..n - 1 {
        bare(
            &mut problem,
            &format!("r{i}"),
            &format!("r{}", (i + 1) % (n - 1)),
            false,
        );
    }
    under(&mut problem, "r0");
    problem
}

pub(super) fn crossed_layers(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 0..n / 4 {
        for low in ["a", "b"] {
            for high in ["a", "b"] {
                let low = problem.own_dim(&format!("{low}{i}"));
                let high = problem.own_dim(&format!("{high}{}", i + 1));
                problem.dims_below(low, high);
            }
        }
    }
    for (size, var) in [(2, "a0"), (3, "b0")] {
        let (size, var) = (problem.own_size(size), problem.own_dim(var));
        problem.dims_below(size, var);
    }
    problem
}
