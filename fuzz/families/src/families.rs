//! The table of families.

use lozenge_solver::Problem;

use crate::{chains, counted, layers, leaves, order, programs};

/// A family of problems.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// A line about the problems of the family, for reports.
    pub about: &'static str,
    /// The problem with about that many constraints.
    pub build: fn(usize) -> Problem,
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "rows-down",
        about: "a chain of row inequalities, each result the operand of the one before, under a closed row",
        build: chains::rows_down,
    },
    Family {
        name: "rows-up",
        about: "a chain of row inequalities, each operand the result of the one before, under a closed row",
        build: chains::rows_up,
    },
    Family {
        name: "rows-between",
        about: "a chain of row inequalities between two closed rows: every axis of every row is written",
        build: chains::rows_between,
    },
    Family {
        name: "equalities",
        about: "a chain of row equalities that ends in a closed row",
        build: chains::equalities,
    },
    Family {
        name: "matmuls",
        about: "matrix products in a row, four constraints each",
        build: |n| programs::matmuls(n, false),
    },
    Family {
        name: "matmuls-dims",
        about: "matrix products in a row with a dimension variable for each inner size",
        build: |n| programs::matmuls(n, true),
    },
    Family {
        name: "transformer",
        about: "layers of attention and a two-layer perceptron, 24 constraints each",
        build: programs::transformer,
    },
    Family {
        name: "deficits",
        about: "a chain of rows each one axis longer than the next",
        build: chains::deficits,
    },
    Family {
        name: "caps",
        about: "different sizes below one dimension variable, which is below a chain",
        build: chains::caps,
    },
    Family {
        name: "diamonds",
        about: "two rows between each row and the next",
        build: chains::diamonds,
    },
    Family {
        name: "zero-cycle",
        about: "one cycle of row inequalities, under a closed row",
        build: chains::zero_cycle,
    },
    Family {
        name: "crossed-layers",
        about: "two dimension variables a layer, every inequality between neighbouring layers",
        build: chains::crossed_layers,
    },
    Family {
        name: "leaf-chain",
        about: "a chain of leaf rows above a closed row: each is closed to the bound that the one below forwards",
        build: leaves::leaf_chain,
    },
    Family {
        name: "leaf-layers",
        about: "a chain of interior rows above a closed row, and a leaf row above each of them",
        build: leaves::leaf_layers,
    },
    Family {
        name: "leaf-dims",
        about: "a chain of leaf dimensions above a size, and an interior one between any two",
        build: leaves::leaf_dims,
    },
    Family {
        name: "leaf-deficits",
        about: "deficits, and the longest row is a leaf",
        build: leaves::leaf_deficits,
    },
    Family {
        name: "leaf-cycle",
        about: "one cycle of leaf rows above a closed row",
        build: leaves::leaf_cycle,
    },
    Family {
        name: "rows-reversed",
        about: "rows-down, stated from the end",
        build: |n| order::reordered(chains::rows_down(n), |order| order.reverse()),
    },
    Family {
        name: "rows-shuffled",
        about: "rows-down, stated in a random order",
        build: |n| order::reordered(chains::rows_down(n), order::shuffle),
    },
    Family {
        name: "sliced-chain",
        about: "a chain of pointwise rows under a closed one, with a slice of every row",
        build: chains::sliced_chain,
    },
    Family {
        name: "sliced-chain-reversed",
        about: "sliced-chain, stated from the end",
        build: |n| order::reordered(chains::sliced_chain(n), |order| order.reverse()),
    },
    Family {
        name: "deficits-reversed",
        about: "deficits, stated from the end",
        build: |n| order::reordered(chains::deficits(n), |order| order.reverse()),
    },
    Family {
        name: "deficits-shuffled",
        about: "deficits, stated in a random order",
        build: |n| order::reordered(chains::deficits(n), order::shuffle),
    },
    Family {
        name: "matmuls-shuffled",
        about: "matmuls, stated in a random order",
        build: |n| order::reordered(programs::matmuls(n, false), order::shuffle),
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
