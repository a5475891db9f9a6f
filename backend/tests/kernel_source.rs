//! The text of kernels: what a reader sees, and that no name can break it.

mod engines;

use lozenge_backend::opencl::KernelSource;
use lozenge_backend::{LoopNest, Symbols, Tensor};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::{Fix, Iter, Symbol};
use lozenge_vocabulary::projections::{IndexMap, Projections};

fn matmul() -> Projections {
    Projections {
        factors: vec![2, 3, 4],
        maps: vec![
            IndexMap(vec![Iter(0), Iter(2)]),
            IndexMap(vec![Iter(0), Iter(1)]),
            IndexMap(vec![Iter(1), Iter(2)]),
        ],
        sizes: vec![vec![2, 4], vec![2, 3], vec![3, 4]],
    }
}

const ERASE_ADD: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Add,
};

#[test]
fn one_work_item_computes_one_cell() {
    let nest = LoopNest::new(&matmul(), ERASE_ADD, Function::Multiply, &["c", "a", "b"]).unwrap();
    let source = KernelSource::new(&nest);
    assert_eq!(
        source.text,
        "\
// # j is reduced: it does not occur in the index map of c
// c[*, *] = 0  # =:+ erases; a cell is written more than once
// for i in 0..2:
//   for j in 0..3:
//     for k in 0..4:
//       c[i, k] += a[i, j] * b[j, k]
#pragma OPENCL FP_CONTRACT OFF

__kernel void assign(
    __global float *lhs_c,
    __global const float *rhs1_a,
    __global const float *rhs2_b) {
    const ulong at_i = get_global_id(0) / 4UL % 2UL;
    const ulong at_k = get_global_id(0) % 4UL;
    float total = 0.0f;
    for (ulong at_j = 0; at_j < 3UL; ++at_j)
        total = total + (rhs1_a[at_i * 3UL + at_j] * rhs2_b[at_j * 4UL + at_k]);
    lhs_c[at_i * 4UL + at_k] = total;
}
"
    );
    assert_eq!((source.work_items, source.symbols.len()), (8, 0));
}

#[test]
fn fixed_positions_and_symbols_are_addresses() {
    let projections = Projections {
        factors: vec![],
        maps: vec![
            IndexMap(vec![Fix(1), Symbol("t".into())]),
            IndexMap(vec![Symbol("s".into()), Fix(0), Symbol("t".into())]),
        ],
        sizes: vec![vec![2, 3], vec![5, 4, 3]],
    };
    let keep_max = Accumulator {
        erase: false,
        combine: Combine::Max,
    };
    let nest = LoopNest::new(&projections, keep_max, Function::Relu, &["r", "m"]).unwrap();
    let source = KernelSource::new(&nest);
    let expected = "
    float total = lhs_r[1UL * 3UL + symbol1_t];
    total = larger(total, larger(rhs1_m[symbol0_s * 12UL + symbol1_t], 0.0f));
    lhs_r[1UL * 3UL + symbol1_t] = total;
";
    assert!(source.text.contains(expected), "{}", source.text);
    assert_eq!(source.symbols, ["s".into(), "t".into()]);
    assert_eq!(source.work_items, 1);
}

/// Words of the language, equal names, comments, characters that C does not know.
#[test]
fn names_cannot_break_a_kernel() {
    for mut device in engines::all("names") {
        for names in [
            ["float", "kernel", "exp"],
            ["*/", "//", "/*"],
            ["é", "è", "λ"],
            ["t", "t", "t"],
            ["#define", "%s", "\"??/"],
        ] {
            let nest = LoopNest::new(&matmul(), ERASE_ADD, Function::Multiply, &names)
                .unwrap()
                .with_factor_names(&["total", "+", "-"])
                .unwrap();
            let filled = |shape: &[u64], value| {
                let count = shape.iter().product::<u64>() as usize;
                Tensor::new(shape.to_vec(), vec![value; count]).unwrap()
            };
            let (c, a, b) = (
                filled(&[2, 4], 0.0),
                filled(&[2, 3], 2.0),
                filled(&[3, 4], 5.0),
            );
            let found = engines::run(device.as_mut(), &nest, &[&c, &a, &b], &Symbols::new());
            assert_eq!(found.values(), [30.0; 8], "{names:?}");
        }
    }
}
