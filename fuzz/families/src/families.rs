//! Problems that grow with a number.

use lozenge_solver::{DimRef, Problem, RowRef};
use lozenge_vocabulary::{Constraint, DimVar, RowVar, Tag, Var};

use crate::stated::Stated;
use crate::{counted, layers};

/// A family of problems.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What its problems are like.
    pub about: &'static str,
    /// The problem with about that many constraints.
    pub build: fn(usize) -> Problem,
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "rows-down",
        about: "a chain of row inequalities, each result the operand of the one before, under a closed row",
        build: rows_down,
    },
    Family {
        name: "rows-up",
        about: "a chain of row inequalities, each operand the result of the one before, under a closed row",
        build: rows_up,
    },
    Family {
        name: "rows-between",
        about: "a chain of row inequalities between two closed rows: every axis of every row is written",
        build: rows_between,
    },
    Family {
        name: "equalities",
        about: "a chain of row equalities that ends in a closed row",
        build: equalities,
    },
    Family {
        name: "matmuls",
        about: "matrix products in a row, four constraints each",
        build: |n| matmuls(n, false),
    },
    Family {
        name: "matmuls-dims",
        about: "matrix products in a row with a dimension variable for each inner size",
        build: |n| matmuls(n, true),
    },
    Family {
        name: "transformer",
        about: "layers of attention and a two-layer perceptron, 24 constraints each",
        build: transformer,
    },
    Family {
        name: "deficits",
        about: "a chain of rows each one axis longer than the next",
        build: deficits,
    },
    Family {
        name: "caps",
        about: "different sizes below one dimension variable, which is below a chain",
        build: caps,
    },
    Family {
        name: "diamonds",
        about: "two rows between each row and the next",
        build: diamonds,
    },
    Family {
        name: "zero-cycle",
        about: "one cycle of row inequalities, under a closed row",
        build: zero_cycle,
    },
    Family {
        name: "crossed-layers",
        about: "two dimension variables a layer, every inequality between neighbouring layers",
        build: crossed_layers,
    },
    Family {
        name: "leaf-chain",
        about: "a chain of leaf rows above a closed row: each is closed to the bound that the one below forwards",
        build: leaf_chain,
    },
    Family {
        name: "leaf-layers",
        about: "a chain of interior rows above a closed row, and a leaf row above each of them",
        build: leaf_layers,
    },
    Family {
        name: "leaf-dims",
        about: "a chain of leaf dimensions above a size, and an interior one between any two",
        build: leaf_dims,
    },
    Family {
        name: "leaf-deficits",
        about: "deficits, and the longest row is a leaf",
        build: leaf_deficits,
    },
    Family {
        name: "leaf-cycle",
        about: "one cycle of leaf rows above a closed row",
        build: leaf_cycle,
    },
    Family {
        name: "rows-reversed",
        about: "rows-down, stated from the end",
        build: |n| reordered(rows_down(n), |order| order.reverse()),
    },
    Family {
        name: "rows-shuffled",
        about: "rows-down, stated in a random order",
        build: |n| reordered(rows_down(n), shuffle),
    },
    Family {
        name: "sliced-chain",
        about: "a chain of pointwise rows under a closed one, with a slice of every row",
        build: sliced_chain,
    },
    Family {
        name: "sliced-chain-reversed",
        about: "sliced-chain, stated from the end",
        build: |n| reordered(sliced_chain(n), |order| order.reverse()),
    },
    Family {
        name: "deficits-reversed",
        about: "deficits, stated from the end",
        build: |n| reordered(deficits(n), |order| order.reverse()),
    },
    Family {
        name: "deficits-shuffled",
        about: "deficits, stated in a random order",
        build: |n| reordered(deficits(n), shuffle),
    },
    Family {
        name: "matmuls-shuffled",
        about: "matmuls, stated in a random order",
        build: |n| reordered(matmuls(n, false), shuffle),
    },
    Family {
        name: "convolutions",
        about: "convolutions in a row that keep the size of an image, eight constraints each",
        build: layers::convolutions,
    },
    Family {
        name: "contractions",
        about: "as many contractions, which are these convolutions without windows: four constraints each",
        build: layers::contractions,
    },
    Family {
        name: "counted-open",
        about: "sizes that are products of an axis and of a row without written axes, two constraints each",
        build: counted::open_rows,
    },
    Family {
        name: "counted-below",
        about: "pairs of rows whose elements are counted, one below the other and above written axes, five constraints each",
        build: counted::rows_below,
    },
];

/// `left <= right` or `left ~ right` of bare row variables.
fn bare(problem: &mut Problem, left: &str, right: &str, equal: bool) {
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

fn closed(problem: &mut Problem, lead: &[u64], trail: &[u64]) -> RowRef {
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

fn rows_down(n: usize) -> Problem {
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

fn rows_up(n: usize) -> Problem {
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

fn rows_between(n: usize) -> Problem {
    let mut problem = rows_up(n - 1);
    let bottom = closed(&mut problem, &[2, 3], &[4]);
    let row = problem.own_row(&[], Some(&format!("r{}", n - 2)), &[]);
    problem.rows_below(bottom, row);
    problem
}

fn equalities(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 1..n {
        bare(&mut problem, &format!("r{}", i - 1), &format!("r{i}"), true);
    }
    let row = problem.own_row(&[], Some(&format!("r{}", n - 1)), &[]);
    let top = closed(&mut problem, &[], &[2, 3, 4]);
    problem.rows_equal(row, top);
    problem
}

/// `x(i+1) = w(i) · x(i)`: the batch row is passed on, the weight's input is the input's output row, and the
/// result's output row is the weight's, of a stated size.
fn matmuls(n: usize, vars: bool) -> Problem {
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

fn transformer(n: usize) -> Problem {
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

/// Attention over `[batch.. time, model]` and a two-layer perceptron, each with a residual.
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

fn deficits(n: usize) -> Problem {
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
fn sliced_chain(n: usize) -> Problem {
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

fn caps(n: usize) -> Problem {
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

fn diamonds(n: usize) -> Problem {
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

fn zero_cycle(n: usize) -> Problem {
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

fn crossed_layers(n: usize) -> Problem {
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

fn leaf_row(problem: &mut Problem, name: &str) {
    // Each is declared once.
    let _ = problem.declare(&Var::Row(RowVar::new(name)), Tag::Leaf);
}

/// A closed row below `r0`.
fn above(problem: &mut Problem) {
    let (bottom, row) = (
        closed(problem, &[2, 3], &[4]),
        problem.own_row(&[], Some("r0"), &[]),
    );
    problem.rows_below(bottom, row);
}

fn leaf_chain(n: usize) -> Problem {
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

fn leaf_layers(n: usize) -> Problem {
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

fn leaf_dims(n: usize) -> Problem {
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

fn leaf_deficits(n: usize) -> Problem {
    let mut problem = deficits(n);
    leaf_row(&mut problem, "r0");
    problem
}

fn leaf_cycle(n: usize) -> Problem {
    let mut problem = Problem::new();
    above(&mut problem);
    for i in 0..n - 1 {
        let (low, high) = (format!("r{i}"), format!("r{}", (i + 1) % (n - 1)));
        bare(&mut problem, &low, &high, false);
        leaf_row(&mut problem, &low);
    }
    problem
}

/// Returns the same constraints in another order, in memory as well: rows are laid out as they are stated. The variables
/// keep their numbers.
fn reordered(problem: Problem, reorder: impl Fn(&mut [usize])) -> Problem {
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

/// Fisher and Yates, from a fixed seed.
fn shuffle(order: &mut [usize]) {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    for i in (1..order.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(i, (state % (i as u64 + 1)) as usize);
    }
}
