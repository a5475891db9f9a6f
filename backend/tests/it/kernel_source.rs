//! The text of kernels, which is readable, and which no name can break.

use crate::engines;

use lozenge_backend::opencl::{KernelSource, Profile, program};
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
    let source = KernelSource::new(&nest, Profile::Parallel);
    assert_eq!(
        program(&[("matmul".to_string(), &source.kernels[0])]),
        "\
#pragma OPENCL FP_CONTRACT OFF

__kernel void matmul(__global float *lhs, __global const float *rhs1, __global const float *rhs2) {
    const uint i1 = (uint)get_global_id(0) % 4;
    const uint i0 = (uint)get_global_id(0) / 4;
    float total = 0.0f;
    for (uint k0 = 0; k0 < 3; ++k0) {
        total = total + (rhs1[i0 * 3 + k0] * rhs2[i1 + k0 * 4]);
    }
    lhs[i0 * 4 + i1] = total;
}
"
    );
    assert_eq!((source.kernels[0].work_items, source.symbols.len()), (8, 0));
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
    let source = KernelSource::new(&nest, Profile::Cpu);
    let expected = "
    float total = lhs[(uint)symbol1 + 3];
    total = larger(total, larger(rhs1[(uint)symbol0 * 12 + (uint)symbol1], 0.0f));
    lhs[(uint)symbol1 + 3] = total;
";
    let text = source.kernels[0].definition("one");
    assert!(text.contains(expected), "{text}");
    assert_eq!(source.symbols, ["s".into(), "t".into()]);
    assert_eq!(source.kernels[0].work_items, 1);
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
