//! Problems that grow with a number.

use std::num::NonZeroU64;

use lozenge_vocabulary::{DimVar, RowVar, Tag, Var};

use super::{counted, layers};
use crate::ids::{Id, RowTermId};
use crate::problem::{Asserted, Problem};
use crate::term::Term;

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

fn sized(problem: &mut Problem, size: u64) -> Term {
    problem.intern_size(NonZeroU64::new(size).unwrap_or(NonZeroU64::MIN))
}

/// `left <= right` or `left ~ right` of bare row variables.
fn bare(problem: &mut Problem, left: &str, right: &str, equal: bool) {
    let (left, right) = (
        problem.intern_row(&[], Some(left), &[]),
        problem.intern_row(&[], Some(right), &[]),
    );
    if equal {
        problem.assert_row_eq(left, right);
    } else {
        problem.assert_row_le(left, right);
    }
}

fn closed(problem: &mut Problem, lead: &[u64], trail: &[u64]) -> crate::term::RowId {
    let lead: Vec<Term> = lead.iter().map(|size| sized(problem, *size)).collect();
    let trail: Vec<Term> = trail.iter().map(|size| sized(problem, *size)).collect();
    problem.intern_row(&lead, None, &trail)
}

fn under(problem: &mut Problem, var: &str) {
    let (row, top) = (
        problem.intern_row(&[], Some(var), &[]),
        closed(problem, &[2, 3], &[4]),
    );
    problem.assert_row_le(row, top);
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
    let row = problem.intern_row(&[], Some(&format!("r{}", n - 2)), &[]);
    problem.assert_row_le(bottom, row);
    problem
}

fn equalities(n: usize) -> Problem {
    let mut problem = Problem::new();
    for i in 1..n {
        bare(&mut problem, &format!("r{}", i - 1), &format!("r{i}"), true);
    }
    let row = problem.intern_row(&[], Some(&format!("r{}", n - 1)), &[]);
    let top = closed(&mut problem, &[], &[2, 3, 4]);
    problem.assert_row_eq(row, top);
    problem
}

/// `x(i+1) = w(i) · x(i)`: the batch row is passed on, the weight's input is the input's output row, and the
/// result's output row is the weight's, of a stated size.
fn matmuls(n: usize, vars: bool) -> Problem {
    let mut problem = Problem::new();
    let first = problem.intern_row(&[], Some("o0"), &[]);
    let size = closed(&mut problem, &[], &[784]);
    problem.assert_row_eq(first, size);
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
        let weight = problem.intern_row(&[], Some(&format!("p{i}")), &[]);
        let inner = if vars {
            problem.intern_dim(&format!("h{i}"))
        } else {
            sized(&mut problem, 16 + (i % 7) as u64)
        };
        let inner = problem.intern_row(&[], None, &[inner]);
        problem.assert_row_eq(weight, inner);
    }
    problem
}

fn transformer(n: usize) -> Problem {
    let mut problem = Problem::new();
    let (batch, time, model) = ("batch".to_string(), "time".to_string(), "model".to_string());
    let first = problem.intern_row(&[], Some("x0"), &[]);
    let (b, t, m) = (
        problem.intern_dim(&batch),
        problem.intern_dim(&time),
        problem.intern_dim(&model),
    );
    let shape = problem.intern_row(&[], None, &[b, t, m]);
    problem.assert_row_eq(first, shape);
    for (var, size) in [(b, 32), (t, 128), (m, 512)] {
        let size = sized(&mut problem, size);
        problem.assert_dim_eq(var, size);
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
        problem.intern_dim(&name("head")),
        problem.intern_dim(&name("width")),
        problem.intern_dim(&name("hidden")),
    );
    for (var, size) in [(head, 8), (width, 64), (hidden, 2048)] {
        let size = sized(problem, size);
        problem.assert_dim_eq(var, size);
    }
    let (time, model) = (problem.intern_dim("time"), problem.intern_dim("model"));
    let batch = name("b");
    let template = |problem: &mut Problem, row: &str, trail: &[Term], equal: bool| {
        let left = problem.intern_row(&[], Some(row), &[]);
        let right = problem.intern_row(&[], Some(&batch), trail);
        if equal {
            problem.assert_row_eq(left, right);
        } else {
            problem.assert_row_le(left, right);
        }
    };
    let x = format!("x{layer}");
    template(problem, &x, &[time, model], true);
    for part in ["q", "k", "v"] {
        template(problem, &name(part), &[time, head, width], true);
        let weight = problem.intern_row(&[], Some(&name(&format!("w{part}"))), &[]);
        let spec = problem.intern_row(&[], None, &[head, width, model]);
        problem.assert_row_eq(weight, spec);
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
        let axis = sized(&mut problem, 2 + (i % 5) as u64);
        let left = problem.intern_row(&[], Some(&format!("r{i}")), &[]);
        let right = problem.intern_row(&[axis], Some(&format!("r{}", i + 1)), &[]);
        problem.assert_row_le(left, right);
    }
    problem
}

/// Rows each below the one before, and of each a slice `[a <r>]`, which says nothing of the row's marker.
fn sliced_chain(n: usize) -> Problem {
    let mut problem = Problem::new();
    let first = problem.intern_row(&[], Some("y0"), &[]);
    let sizes = [4, 3].map(|size| sized(&mut problem, size));
    let shape = problem.intern_row(&[], None, &sizes);
    problem.assert_row_eq(first, shape);
    for i in 0..n / 2 {
        let axis = problem.intern_dim(&format!("a{i}"));
        let sliced = problem.intern_row(&[axis], Some(&format!("r{i}")), &[]);
        let row = problem.intern_row(&[], Some(&format!("y{i}")), &[]);
        problem.assert_row_eq(sliced, row);
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
    let var = problem.intern_dim("a0");
    for i in 0..n / 2 {
        let cap = sized(&mut problem, 2 + i as u64);
        problem.assert_dim_le(cap, var);
    }
    for i in 1..=n / 2 {
        let (low, high) = (
            problem.intern_dim(&format!("a{}", i - 1)),
            problem.intern_dim(&format!("a{i}")),
        );
        problem.assert_dim_le(low, high);
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
                let low = problem.intern_dim(&format!("{low}{i}"));
                let high = problem.intern_dim(&format!("{high}{}", i + 1));
                problem.assert_dim_le(low, high);
            }
        }
    }
    for (size, var) in [(2, "a0"), (3, "b0")] {
        let (size, var) = (sized(&mut problem, size), problem.intern_dim(var));
        problem.assert_dim_le(size, var);
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
        problem.intern_row(&[], Some("r0"), &[]),
    );
    problem.assert_row_le(bottom, row);
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
    let (size, first) = (sized(&mut problem, 3), problem.intern_dim("a0"));
    problem.assert_dim_le(size, first);
    for i in 1..n {
        let (low, high) = (
            problem.intern_dim(&format!("a{}", i - 1)),
            problem.intern_dim(&format!("a{i}")),
        );
        problem.assert_dim_le(low, high);
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

/// The same constraints in another order, in memory as well: the rows are laid out as they are stated.
fn reordered(problem: Problem, reorder: impl Fn(&mut [usize])) -> Problem {
    let mut order: Vec<usize> = (0..problem.len()).collect();
    reorder(&mut order);
    let mut other = problem.clone();
    (other.asserted, other.rows, other.terms) = Default::default();
    for index in order {
        let mut copy = |at: RowTermId| {
            let start = RowTermId::at(other.rows.len());
            for row in &problem.rows[at.index()..at.index() + 2] {
                let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
                let mut row = *row;
                row.start = other.terms.len() as u32;
                other.terms.extend_from_slice(&problem.terms[axes]);
                other.rows.push(row);
            }
            start
        };
        let stated = match problem.asserted[index] {
            Asserted::RowEq(at) => Asserted::RowEq(copy(at)),
            Asserted::RowLe(at) => Asserted::RowLe(copy(at)),
            dims => dims,
        };
        other.asserted.push(stated);
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
