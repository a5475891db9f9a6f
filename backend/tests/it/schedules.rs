//! Kernels in which a work-item computes many cells, on extents around the widths of vectors, tiles and blocks: they
//! agree with the interpreter bit for bit.

use crate::engines;

use crate::cases::{ADD, Case, case_of, random};
use lozenge_backend::opencl::{KernelSource, Profile};
use lozenge_backend::{Device, Engine, Limits, LoopNest, Tensor, open};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};

fn identical(x: &Tensor, y: &Tensor) -> bool {
    let pairs = || x.values().iter().zip(y.values());
    x.shape() == y.shape()
        && pairs().all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
}

#[test]
fn every_schedule_gives_the_interpreters_bits() {
    let Some(mut device) = engines::opencl("schedules") else {
        return;
    };
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    for together in random(20).chunks(20) {
        let nests: Vec<LoopNest> = together.iter().map(Case::nest).collect();
        device.prepare(&nests).unwrap();
        for case in together {
            let tensors = case.tensors();
            let expected = case.run(interpreter.as_mut(), &tensors);
            let found = case.run(device.as_mut(), &tensors);
            assert!(identical(&expected, &found), "{case:?}\n{}", case.nest());
        }
    }
}

/// Transpositions and permutations, read in squares that are transposed in registers, with every tail.
#[test]
fn turned_operands_give_the_interpreters_bits() {
    let Some(mut device) = engines::opencl("turned operands") else {
        return;
    };
    let layouts = [
        ("ij ji", Function::Identity),
        ("ijk kij", Function::Identity),
        ("kij jik", Function::Negate),
        ("ij ji ij", Function::Subtract),
        ("ijk ki ij", Function::Divide),
    ];
    let mut cases = Vec::new();
    for (text, function) in layouts {
        for extents in [[4, 5, 3], [16, 33, 2], [37, 19, 16]] {
            for erase in [true, false] {
                let combine = Combine::Add;
                let accumulator = Accumulator { erase, combine };
                cases.push(case_of(text, &extents, accumulator, function.clone()));
            }
        }
    }
    assert_identical(device.as_mut(), &cases);
}

/// Kernels that differ only in the extent of their outermost loop have the same text, but groups of different sizes.
#[test]
fn kernels_of_one_text_and_different_groups_are_told_apart() {
    let Some(mut device) = engines::opencl("one text") else {
        return;
    };
    let accumulator = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    let of = |rows: u64| case_of("ij j", &[rows, 16], accumulator, Function::Identity);
    assert_identical(device.as_mut(), &[of(64), of(32), of(128), of(3)]);
}

/// Tensors that are too large for the cache are written past it, a whole line at a time where a line begins: rows that
/// begin at lines, rows that do not, and transposed ones.
#[test]
fn tensors_larger_than_the_cache_are_written_whole() {
    let Some(mut device) = engines::opencl("large tensors") else {
        return;
    };
    let accumulator = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    let cases = [
        ("ij ij j", [2048, 4096]),
        ("ij i ij", [2899, 2903]),
        ("ij ji", [2903, 2899]),
    ];
    for (layout, extents) in cases {
        let function = match layout.len() {
            5 => Function::Identity,
            _ => Function::Subtract,
        };
        let case = case_of(layout, &extents, accumulator, function);
        let source = KernelSource::new(&case.nest(), Profile::Cpu);
        let text = &source.kernels[0].text;
        assert!(text.contains("stream16("), "{text}");
        assert_identical(device.as_mut(), &[case]);
    }
}

/// Runs all cases on the device and on the interpreter.
fn assert_identical(device: &mut dyn Device, cases: &[Case]) {
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    let nests: Vec<LoopNest> = cases.iter().map(Case::nest).collect();
    device.prepare(&nests).unwrap();
    for case in cases {
        let tensors = case.tensors();
        let expected = case.run(interpreter.as_mut(), &tensors);
        let found = case.run(device, &tensors);
        assert!(identical(&expected, &found), "{case:?}\n{}", case.nest());
    }
}

/// Sums of so many values that they are compensated: alone, in tiles with every tail, and along either axis.
#[test]
fn long_sums_are_compensated_alike() {
    let Some(mut device) = engines::opencl("long sums") else {
        return;
    };
    let mut cases = Vec::new();
    for (text, extents) in [
        ("i ij", vec![3, 20_001]),
        ("j ij", vec![20_001, 37]),
        ("ij ik kj", vec![7, 35, 16_400]),
        ("ij ki jk", vec![2, 3, 16_384]),
    ] {
        let function = match text.split(' ').count() {
            2 => Function::Identity,
            _ => Function::Multiply,
        };
        for (combine, erase) in [(Combine::Add, true), (Combine::Subtract, false)] {
            let accumulator = Accumulator { erase, combine };
            cases.push(case_of(text, &extents, accumulator, function.clone()));
        }
    }
    assert_identical(device.as_mut(), &cases);
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    for case in &cases {
        assert!(case.nest().is_compensated(), "{case:?}");
        let tensors = case.tensors();
        let found = case.run(interpreter.as_mut(), &tensors);
        assert_exact(case, &tensors, &found);
    }
}

/// Asserts that each cell is the sum in `f64`, up to the rounding of the last digit of the summands and of the sum.
fn assert_exact(case: &Case, tensors: &[Tensor], found: &Tensor) {
    let [written, operands @ ..] = tensors else {
        panic!("there is a written tensor");
    };
    let nest = case.nest();
    let mut sums: Vec<f64> = written
        .values()
        .iter()
        .map(|value| f64::from(*value))
        .collect();
    let mut sizes = vec![0.0; sums.len()];
    if case.accumulator.erase {
        sums.fill(0.0);
    }
    let points: u64 = case.extents.iter().product();
    for number in 0..points {
        let mut rest = number;
        let mut point = vec![0; case.extents.len()];
        for (at, extent) in point.iter_mut().zip(&case.extents).rev() {
            *at = rest % extent;
            rest /= extent;
        }
        let address = |slot: usize| {
            let axes = case.slots[slot].iter().zip(&*nest.slots()[slot].sizes);
            axes.fold(0, |address, (one, size)| address * size + point[*one]) as usize
        };
        let value: f32 = operands
            .iter()
            .enumerate()
            .map(|(at, operand)| operand.values()[address(at + 1)])
            .product();
        let value = f64::from(value);
        let cell = address(0);
        sums[cell] += if case.accumulator.combine == Combine::Subtract {
            -value
        } else {
            value
        };
        sizes[cell] += value.abs();
    }
    for ((found, exact), size) in found.values().iter().zip(&sums).zip(&sizes) {
        let allowed = 1e-7 * exact.abs() + 2e-9 * size;
        assert!(
            (f64::from(*found) - exact).abs() <= allowed,
            "{found} for {exact}: {case:?}"
        );
    }
}

/// Products for the packed schedule, with every tail: more rows, columns and points than a tile, a panel and a block
/// have, and not multiples of these.
#[test]
fn large_products_are_packed_and_give_the_interpreters_bits() {
    let Some(mut device) = engines::opencl("large products") else {
        return;
    };
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    let keep = Accumulator {
        erase: false,
        combine: Combine::Add,
    };
    for (extents, slots, accumulator) in [
        (
            vec![14, 32, 4_096],
            vec![vec![0, 1], vec![0, 2], vec![2, 1]],
            ADD,
        ),
        (
            vec![25, 37, 4_099],
            vec![vec![0, 1], vec![0, 2], vec![2, 1]],
            ADD,
        ),
        (
            vec![25, 37, 4_099],
            vec![vec![0, 1], vec![2, 0], vec![1, 2]],
            keep,
        ),
        (
            vec![22, 70, 4_100],
            vec![vec![0, 1], vec![2, 1], vec![2, 0]],
            keep,
        ),
        (
            vec![2, 14, 35, 4_097],
            vec![vec![0, 1, 2], vec![0, 1, 3], vec![0, 3, 2]],
            ADD,
        ),
        (
            vec![2, 14, 35, 4_097],
            vec![vec![0, 1, 2], vec![0, 1, 3], vec![3, 2]],
            ADD,
        ),
        (
            vec![3, 14, 34, 60, 70],
            vec![vec![1, 0, 2], vec![0, 3, 1, 4], vec![4, 2, 3]],
            ADD,
        ),
    ] {
        let case = Case {
            extents,
            slots,
            accumulator,
            function: Function::Multiply,
            seed: 7,
        };
        let source = KernelSource::new(&case.nest(), Profile::Cpu);
        assert_eq!(source.kernels.len(), 2, "packed: {case:?}");
        let tensors = case.tensors();
        let expected = case.run(interpreter.as_mut(), &tensors);
        let found = case.run(device.as_mut(), &tensors);
        assert!(identical(&expected, &found), "{case:?}");
    }
}
