//! Chains of layers with axes that are written: convolutions, and the contractions that they are without windows.

use std::num::NonZeroU64;

use lozenge_solver::Problem;
use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, DimVar, RowTerm, RowVar};

fn axis(name: &str, layer: usize) -> DimTerm {
    DimVar::new(&format!("{name}{layer}")).into()
}

/// Returns a row, named by its tensor and its layer, that has these axes.
fn row(name: &str, layer: usize, axes: Vec<DimTerm>) -> Constraint {
    let row = RowTerm::from(RowVar::new(&format!("{name}{layer}")));
    Constraint::RowEq(row, RowTerm::closed(Vec::new(), axes))
}

fn sized(axis: DimTerm, size: u64) -> Constraint {
    Constraint::DimEq(axis, Dim::new(size).unwrap_or(Dim::Unit).into())
}

/// Makes `axis = same(over + tap)`
fn same(axis: DimTerm, over: DimTerm, tap: DimTerm) -> Constraint {
    Constraint::Window(Window {
        axis,
        stride: NonZeroU64::MIN,
        over,
        taps: vec![(NonZeroU64::MIN, tap)],
        phase: 0,
        mode: Mode::Same,
        low: 0,
        high: 0,
    })
}

/// Makes n / 8 layers of `"n|->same(y+u:3), same(z+v:3), c; u,v,c->f:16 => n|->y,z,f"` on images of 28 by 28.
pub(super) fn convolutions(n: usize) -> Problem {
    layers(n / 8, true)
}

/// Makes as many layers of `"n|->y, z, c; c->f:16 => n|->y, z, f"`.
pub(super) fn contractions(n: usize) -> Problem {
    layers(n / 8, false)
}

fn layers(count: usize, with_windows: bool) -> Problem {
    let mut problem = Problem::new();
    let image = [28, 28, 3].map(|size| Dim::new(size).unwrap_or(Dim::Unit).into());
    problem.push(&row("x", 0, image.into()));
    for layer in 0..count {
        let [a, b, c, y, z, u, v, f] =
            ["a", "b", "c", "y", "z", "u", "v", "f"].map(|name| axis(name, layer));
        let (mut kernel, mut result) = (vec![c.clone()], vec![a.clone(), b.clone(), f.clone()]);
        problem.push(&row("x", layer, vec![a.clone(), b.clone(), c]));
        problem.push(&sized(f, 16));
        if with_windows {
            problem.push(&sized(u.clone(), 3));
            problem.push(&sized(v.clone(), 3));
            problem.push(&same(a, y.clone(), u.clone()));
            problem.push(&same(b, z.clone(), v.clone()));
            kernel.splice(0..0, [u, v]);
            result.splice(0..2, [y, z]);
        }
        problem.push(&row("k", layer, kernel));
        problem.push(&row("x", layer + 1, result));
    }
    problem
}
