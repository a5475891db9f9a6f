//! The shapes of a program: its constraints are solved and closed, and the shapes are read off.

use lozenge_solver::{Solution, Solver};
use lozenge_vocabulary::operation::{Kind, Shape, TensorId};
use lozenge_vocabulary::program::{Foreign, Program, Tensor};
use lozenge_vocabulary::{Dim, DimTerm, Row, RowTerm, Verdict};

use super::asserted::Asserted;
use super::result::Inference;
use super::shapes::Shapes;
use crate::options::Options;
use crate::refusal::{Limit, Reason, Refusal};

/// Infers the shape of every tensor of a program, and no loop nest.
pub(crate) fn infer_shapes(
    program: &Program,
    options: &Options,
) -> Result<Inference, Box<Refusal>> {
    let mut asserted = Asserted::new(program).map_err(foreign)?;
    // No more operations are added to it, so the rows are not needed.
    asserted.rows = Vec::new();
    let mut solver = Solver::with(std::mem::take(&mut asserted.problem), options.of_solver());
    if let Err(refusal) = solver.close() {
        return Err(Box::new(asserted.refusal(program, *refusal)));
    }
    solver.shrink();
    let solution = solver.solution();
    let shapes = shapes(program, &solution, options)?;
    Ok(Inference {
        shapes,
        nests: Vec::new(),
        asserted,
        solver,
    })
}

fn foreign(foreign: Foreign) -> Box<Refusal> {
    Box::new(Refusal {
        verdict: Verdict::Unknown,
        reason: Reason::Foreign(foreign),
    })
}

fn shapes(
    program: &Program,
    solution: &Solution<'_>,
    options: &Options,
) -> Result<Shapes, Box<Refusal>> {
    let mut axes = 0;
    let tensors = program.tensors.iter().enumerate();
    let shapes = tensors.map(|(number, tensor)| {
        let mut row = |kind: Kind| {
            let term = tensor.shape.row(kind);
            axes += term.explicit() as u64;
            let inner = within(solution, term, options.max_axes.checked_sub(axes)?)?;
            axes += inner.rank() as u64;
            Some(around(solution, term, inner))
        };
        let mut shape = || {
            Some(Shape {
                batch: row(Kind::Batch)?,
                input: row(Kind::Input)?,
                output: row(Kind::Output)?,
            })
        };
        shape().ok_or_else(|| too_many_axes(tensor, number, options.max_axes))
    });
    shapes.collect()
}

fn too_many_axes(tensor: &Tensor, number: usize, limit: u64) -> Box<Refusal> {
    Box::new(Refusal {
        verdict: Verdict::Unknown,
        reason: Reason::Limit(Limit {
            counts: "axes",
            limit,
            place: format!("the tensor {}", tensor.name),
            tensor: TensorId(number),
            flag: "--max-axes",
        }),
    })
}

/// Returns the value of the variable of a row term; `None` if it has more axes than that.
fn within(solution: &Solution<'_>, term: &RowTerm, most: u64) -> Option<Row> {
    let var = term.var.as_ref();
    match var.and_then(|var| solution.row_up_to(var.name(), most)) {
        None => Some(Row::default()),
        Some(row) => row.ok(),
    }
}

/// Returns the value of a row term: that of its variable between the flanks that are written out.
pub(crate) fn value(solution: &Solution<'_>, term: &RowTerm) -> Row {
    let inner = term.var.as_ref().and_then(|var| solution.row(var.name()));
    around(solution, term, inner.unwrap_or_default())
}

/// Returns the value of the variable of a row term between the flanks that are written out.
fn around(solution: &Solution<'_>, term: &RowTerm, mut row: Row) -> Row {
    let axis = |axis: &DimTerm| match axis {
        DimTerm::Const(dim) => dim.clone(),
        DimTerm::Var(var) => solution.dim(var.name()).unwrap_or(Dim::Unit),
    };
    if term.explicit() > 0 {
        row.leading.splice(0..0, term.leading.iter().map(axis));
        row.trailing.extend(term.trailing.iter().map(axis));
    }
    row
}
