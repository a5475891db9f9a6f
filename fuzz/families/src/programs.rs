//! Constraints of programs: matrix products in a row, and transformers.

use lozenge_solver::{DimRef, Problem};

use super::chains::{bare, closed};
use super::stated::Stated;

/// Makes `x(i+1) = w(i) · x(i)`: the batch row is passed on, the weight's input is the input's output row, and the
/// result's output row is the weight's, of a stated size.
pub(super) fn matmuls(n: usize, vars: bool) -> Problem {
    let mut problem = Problem::new();
    let first = problem.own_row(&[], Some("o0"), &[]);
    let size = closed(&mut problem, &[], &[784]);
    problem.rows_equal(first, size);
    for i in 0..n / 4 {
        bare(
            &mut problem,
            &format!("b{}", i + 1),
            &format!("b{i}"),
            false,
        );
        bare(&mut problem, &format!("k{i}"), &format!("o{i}"), true);
        bare(
            &mut problem,
            &format!("o{}", i + 1),
            &format!("p{i}"),
            false,
        );
        let weight = problem.own_row(&[], Some(&format!("p{i}")), &[]);
        let inner = if vars {
            problem.own_dim(&format!("h{i}"))
        } else {
            problem.own_size(16 + (i % 7) as u64)
        };
        let inner = problem.own_row(&[], None, &[inner]);
        problem.rows_equal(weight, inner);
    }
    problem
}

pub(super) fn transformer(n: usize) -> Problem {
    let mut problem = Problem::new();
    let (batch, time, model) = ("batch".to_string(), "time".to_string(), "model".to_string());
    let first = problem.own_row(&[], Some("x0"), &[]);
    let (b, t, m) = (
        problem.own_dim(&batch),
        problem.own_dim(&time),
        problem.own_dim(&model),
    );
    let shape = problem.own_row(&[], None, &[b, t, m]);
    problem.rows_equal(first, shape);
    for (var, size) in [(b, 32), (t, 128), (m, 512)] {
        let size = problem.own_size(size);
        problem.dims_equal(var, size);
    }
    for layer in 0..n / 24 {
        transformer_layer(&mut problem, layer);
    }
    problem
}

/// Adds attention over `[batch.. time, model]` and a two-layer perceptron, each with a residual.
fn transformer_layer(problem: &mut Problem, layer: usize) {
    let name = |part: &str| format!("{part}{layer}");
    let (head, width, hidden) = (
        problem.own_dim(&name("head")),
        problem.own_dim(&name("width")),
        problem.own_dim(&name("hidden")),
    );
    for (var, size) in [(head, 8), (width, 64), (hidden, 2048)] {
        let size = problem.own_size(size);
        problem.dims_equal(var, size);
    }
    let (time, model) = (problem.own_dim("time"), problem.own_dim("model"));
    let batch = name("b");
    let template = |problem: &mut Problem, row: &str, trail: &[DimRef], equal: bool| {
        let left = problem.own_row(&[], Some(row), &[]);
        let right = problem.own_row(&[], Some(&batch), trail);
        if equal {
            problem.rows_equal(left, right);
        } else {
            problem.rows_below(left, right);
        }
    };
    let x = format!("x{layer}");
    template(problem, &x, &[time, model], true);
    for part in ["q", "k", "v"] {
        template(problem, &name(part), &[time, head, width], true);
        let weight = problem.own_row(&[], Some(&name(&format!("w{part}"))), &[]);
        let spec = problem.own_row(&[], None, &[head, width, model]);
        problem.rows_equal(weight, spec);
    }
    template(problem, &name("scores"), &[head, time, time], true);
    bare(problem, &name("weights"), &name("scores"), false);
    bare(problem, &name("mask"), &name("scores"), false);
    template(problem, &name("mixed"), &[time, head, width], true);
    template(problem, &name("attended"), &[time, model], true);
    bare(problem, &name("sum"), &name("attended"), false);
    bare(problem, &name("sum"), &x, false);
    bare(problem, &name("normed"), &name("sum"), false);
    template(problem, &name("up"), &[time, hidden], true);
    bare(problem, &name("active"), &name("up"), false);
    template(problem, &name("down"), &[time, model], true);
    let next = format!("x{}", layer + 1);
    bare(problem, &next, &name("down"), false);
    bare(problem, &next, &name("sum"), false);
}
