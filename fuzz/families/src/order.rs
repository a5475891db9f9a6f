//! The constraints of a problem in another order.

use lozenge_solver::Problem;
use lozenge_vocabulary::{Constraint, Var};

use super::stated::Stated;

/// Returns the same constraints in another order, in memory as well: rows are laid out as they are stated. The
/// variables keep their numbers.
pub(super) fn reordered(problem: Problem, reorder: impl Fn(&mut [usize])) -> Problem {
    let mut order: Vec<usize> = (0..problem.len()).collect();
    let mut other = Problem::new();
    let constraints = |order: &[usize]| {
        let constraints = order.iter().filter_map(|index| problem.constraint(*index));
        constraints.collect::<Vec<Constraint>>()
    };
    for var in constraints(&order).iter().flat_map(Constraint::vars) {
        match &var {
            Var::Dim(var) => drop(other.own_dim(var.name())),
            Var::Row(var) => drop(other.own_row(&[], Some(var.name()), &[])),
        }
    }
    reorder(&mut order);
    for constraint in constraints(&order) {
        other.push(&constraint);
    }
    other
}

/// Shuffles as Fisher and Yates did, from a fixed seed.
pub(super) fn shuffle(order: &mut [usize]) {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    for i in (1..order.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(i, (state % (i as u64 + 1)) as usize);
    }
}
