//! Broadcasting compared with NumPy, an implementation that shares nothing with lozenge, not even a definition: the
//! shape of a result that is computed cell by cell from operands whose shapes are all known.
//!
//! `numpy/broadcast.txt` holds NumPy's own answers (written by `numpy/broadcast.py`). NumPy's documentation states the
//! rule as follows: dimensions are compared from the trailing one leftward; two are compatible when they are equal or
//! one of them is 1; a missing dimension counts as 1; the size of the result is the one that is not 1. NumPy's 1 is
//! lozenge's unit `1_`, and all axes are behind the marker.

use lozenge_solver::{Problem, Solver};
use lozenge_testkit::random::Random;
use lozenge_vocabulary::{Constraint, Dim, DimTerm, RowTerm, RowVar};

type Sizes = Vec<u64>;

/// Returns the rule of NumPy's documentation.
fn documented(operands: &[Sizes]) -> Option<Sizes> {
    let rank = operands.iter().map(Vec::len).max().unwrap_or(0);
    let size_from_the_back = |at: usize| {
        let sizes = operands
            .iter()
            .filter_map(|sizes| sizes.iter().rev().nth(at));
        let mut other_than_one = sizes.filter(|size| **size != 1);
        let size = other_than_one.next().copied().unwrap_or(1);
        other_than_one.all(|other| *other == size).then_some(size)
    };
    (0..rank).rev().map(size_from_the_back).collect()
}

/// Returns the shape that the solver infers for a result below all the operands.
fn inferred(operands: &[Sizes]) -> Option<Sizes> {
    let result = RowVar::new("result");
    let mut problem = Problem::new();
    for sizes in operands {
        let axis = |size: &u64| match size {
            1 => DimTerm::Const(Dim::Unit),
            _ => DimTerm::Const(Dim::new(*size).expect("a size from 1 on")),
        };
        let operand = RowTerm::closed(Vec::new(), sizes.iter().map(axis).collect());
        problem.push(&Constraint::RowLe(result.clone().into(), operand));
    }
    let mut solver = Solver::new(problem);
    solver.close().ok()?;
    let row = solver.solution().ground().rows[&result].clone();
    Some(row.flat().iter().map(Dim::size).collect())
}

fn sizes(text: &str) -> Sizes {
    match text {
        "()" => Vec::new(),
        text => text
            .split('x')
            .map(|size| size.parse().expect("a size"))
            .collect(),
    }
}

#[test]
fn results_have_the_shapes_that_numpy_gives_them() {
    let (mut fit, mut clash) = (0, 0);
    for line in include_str!("../numpy/broadcast.txt").lines().skip(1) {
        let (operands, answer) = line.split_once(" => ").expect("an arrow");
        let operands: Vec<Sizes> = operands.split(' ').map(sizes).collect();
        let answer = (answer != "clash").then(|| sizes(answer));
        assert_eq!(documented(&operands), answer, "the rule, {line}");
        assert_eq!(inferred(&operands), answer, "lozenge, {line}");
        *(if answer.is_some() {
            &mut fit
        } else {
            &mut clash
        }) += 1;
    }
    assert!(fit > 1000 && clash > 100, "{fit} fit, {clash} clash");
}

#[test]
fn more_results_have_the_shapes_of_the_documented_rule() {
    let mut random = Random::new(7);
    let mut clash = 0;
    for _ in 0..20_000 {
        let mut operand = || -> Sizes {
            let rank = random.below(6);
            (0..rank)
                .map(|_| *random.pick(&[1, 1, 2, 2, 2, 7]))
                .collect()
        };
        let operands = [operand(), operand(), operand()];
        let expected = documented(&operands);
        clash += usize::from(expected.is_none());
        assert_eq!(inferred(&operands), expected, "{operands:?}");
    }
    assert!((5_000..15_000).contains(&clash), "{clash} of 20000 clash");
}
