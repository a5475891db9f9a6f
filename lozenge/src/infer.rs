//! From a program to its shapes.

use lozenge_solver::{Solution, Solver};
use lozenge_vocabulary::operation::{Kind, Shape};
use lozenge_vocabulary::program::Program;
use lozenge_vocabulary::{Dim, DimTerm, Row, RowTerm, Verdict};

use crate::asserted::Asserted;
use crate::inference::Inference;
use crate::options::Options;
use crate::refusal::{Because, Limit, Reason, Refusal, ShapeConflict};

/// Infers the shape of every tensor of a program.
///
/// # Errors
/// The refusal: constraints that cannot hold together, or a limit.
pub fn infer(program: &Program, options: &Options) -> Result<Inference, Box<Refusal>> {
    let mut asserted = Asserted::new(program);
    let mut solver = Solver::new(std::mem::take(&mut asserted.problem));
    if let Err(refusal) = solver.close() {
        return Err(Box::new(conflict(program, &asserted, *refusal)));
    }
    let shapes = shapes(program, &solver.solution(), options)?;
    Ok(Inference {
        shapes,
        asserted,
        solver,
    })
}

fn conflict(program: &Program, asserted: &Asserted, refusal: lozenge_solver::Refusal) -> Refusal {
    let because = refusal.chain.iter().filter_map(|cited| {
        Some(Because {
            constraint: cited.clone(),
            origin: asserted.origin(program, cited.index)?,
        })
    });
    Refusal {
        verdict: refusal.verdict,
        reason: Reason::Shapes(Box::new(ShapeConflict {
            because: because.collect(),
            refusal,
        })),
    }
}

fn shapes(
    program: &Program,
    solution: &Solution<'_>,
    options: &Options,
) -> Result<Vec<Shape<Row>>, Box<Refusal>> {
    let mut axes = 0;
    let mut shapes = Vec::with_capacity(program.tensors.len());
    for tensor in &program.tensors {
        for kind in Kind::ALL {
            let row = tensor.shape.row(kind);
            axes += row.explicit() as u64;
            axes += row
                .var
                .as_ref()
                .and_then(|var| solution.rank(var.name()))
                .unwrap_or_default();
        }
        if axes > options.max_axes {
            return Err(Box::new(Refusal {
                verdict: Verdict::Unknown,
                reason: Reason::Limit(Limit {
                    counts: "axes",
                    limit: options.max_axes,
                    place: format!("the tensor {}", tensor.name),
                    flag: "--max-axes",
                }),
            }));
        }
        shapes.push(tensor.shape.map(|_, row| value(solution, row)));
    }
    Ok(shapes)
}

/// The value of a row term: that of its variable between the flanks that are written out.
fn value(solution: &Solution<'_>, term: &RowTerm) -> Row {
    let axis = |axis: &DimTerm| match axis {
        DimTerm::Const(dim) => dim.clone(),
        DimTerm::Var(var) => solution.dim(var.name()).unwrap_or(Dim::Unit),
    };
    let inner = term.var.as_ref().and_then(|var| solution.row(var.name()));
    let mut row = inner.unwrap_or_default();
    if term.explicit() > 0 {
        row.leading.splice(0..0, term.leading.iter().map(axis));
        row.trailing.extend(term.trailing.iter().map(axis));
    }
    row
}
