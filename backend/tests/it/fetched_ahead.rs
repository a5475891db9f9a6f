//! Large tensors whose next values are fetched into the cache while others are computed: no value depends on it.

use lozenge_backend::opencl::{KernelSource, OpenCl, Profile};
use lozenge_backend::{Limits, Tensor};
use lozenge_vocabulary::operation::Function;

use crate::engines;
use crate::recorded::{Program, calls};

/// Makes the program that puts the axes of a tensor into another order.
fn permutation(from: &'static str, to: &'static str, sizes: [u64; 3]) -> Program {
    Program {
        sizes: "ijk".chars().zip(sizes).collect(),
        tensors: vec![from, to],
        calls: calls(&[(&[1, 0], "=:", Function::Identity)]),
        temporary: Vec::new(),
        same: Vec::new(),
    }
}

/// Returns the text of the only kernel.
fn text(program: &Program) -> String {
    let source = KernelSource::new(&program.nest(&program.calls[0]), Profile::Cpu);
    source.kernels.into_iter().map(|one| one.text).collect()
}

#[test]
fn short_runs_of_a_large_tensor_are_fetched_ahead() {
    // Eight runs of 256 bytes; sixteen of 64.
    for (sizes, distance) in [
        ([1024, 256, 64], 8 * 256 * 64),
        ([2048, 512, 16], 16 * 512 * 16),
    ] {
        let text = text(&permutation("ijk", "jik", sizes));
        let fetched = format!("ahead16({distance}, rhs1 + (at1))");
        assert!(text.contains(&fetched), "{text}");
    }
    // A small tensor, runs of a page, and runs one behind the other.
    for (to, sizes) in [
        ("jik", [32, 16, 64]),
        ("jik", [128, 128, 1024]),
        ("ijk", [1024, 256, 64]),
    ] {
        let text = text(&permutation("ijk", to, sizes));
        assert!(!text.contains("ahead"), "{to}, {sizes:?}: {text}");
    }
    // A block that is transposed has two more lines of each row on their way.
    let turned = text(&permutation("ijk", "ikj", [16, 1024, 1024]));
    assert!(turned.contains("ahead16(32, rhs1 + at1 + "), "{turned}");
}

#[test]
fn what_is_fetched_ahead_changes_no_value() {
    if engines::opencl("fetched ahead").is_none() {
        return;
    }
    let mut device = OpenCl::open(Limits::default()).unwrap();
    for (to, sizes) in [("jik", [1030, 136, 64]), ("ikj", [3, 1040, 1100])] {
        let program = permutation("ijk", to, sizes);
        let [from, found] = &program.results(&mut device, false)[..] else {
            panic!("two tensors");
        };
        assert!(found.values() == moved(from, to).as_slice(), "{to}");
    }
}

/// Returns the values of a tensor with the axes i, j and k in another order.
fn moved(from: &Tensor, to: &str) -> Vec<f32> {
    let [_, columns, depth] = from.shape()[..] else {
        panic!("three axes");
    };
    let strides = [columns * depth, depth, 1];
    let axes: Vec<usize> = to.chars().filter_map(|one| "ijk".find(one)).collect();
    let [a, b, c] = [0, 1, 2].map(|axis| (from.shape()[axes[axis]], strides[axes[axis]]));
    let mut values = Vec::new();
    for x in 0..a.0 {
        for y in 0..b.0 {
            let row = x * a.1 + y * b.1;
            values.extend((0..c.0).map(|z| from.values()[(row + z * c.1) as usize]));
        }
    }
    values
}
