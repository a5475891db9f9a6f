//! Kernels whose sums may be computed in any order. On small whole numbers, where every order gives the same, they
//! agree with the interpreter bit for bit; on other numbers they are within the rounding bound of the sum in `f64`.

use crate::engines;

use crate::cases::{ADD, Case, case_of, random, whole_numbers};
use lozenge_backend::opencl::{KernelSource, Profile};
use lozenge_backend::{Device, Engine, Limits, LoopNest, Numerics, Symbols, Tensor, open, precise};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};

fn fast(test: &str) -> Option<Box<dyn Device>> {
    engines::opencl_with(test, Numerics::Fast)
}

/// Lists the first word of the schedule of each step.
fn schedule(case: &Case) -> Vec<String> {
    let source = KernelSource::with(&case.nest(), Profile::Cpu, Numerics::Fast);
    let word = |line: &String| line.split(' ').next().unwrap().to_string();
    source.schedule.iter().map(word).collect()
}

/// Runs all cases on whole numbers, and where the function is a product or the value itself on others too.
fn assert_cases(device: &mut dyn Device, cases: &[Case]) {
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    for together in cases.chunks(25) {
        let nests: Vec<LoopNest> = together.iter().map(Case::nest).collect();
        device.prepare(&nests).unwrap();
        for case in together {
            let tensors = case.tensors();
            let mut whole = tensors.clone();
            whole_numbers(&mut whole);
            let expected = case.run(interpreter.as_mut(), &whole);
            let found = case.run(device, &whole);
            if case.function != Function::Divide {
                let pairs = expected.values().iter().zip(found.values());
                for (at, (x, y)) in pairs.enumerate() {
                    assert!(
                        x == y || (x.is_nan() && y.is_nan()),
                        "{at}: {x} {y} {case:?}"
                    );
                }
            }
            assert_bound(device, case, &tensors);
        }
    }
}

/// Asserts that each cell is the result in `f64`, up to as many roundings as values are combined in it.
fn assert_bound(device: &mut dyn Device, case: &Case, tensors: &[Tensor]) {
    let add = matches!(case.accumulator.combine, Combine::Add | Combine::Subtract);
    if !add || case.function == Function::Divide {
        return;
    }
    let nest = case.nest();
    let wide = |tensor: &Tensor| -> Vec<f64> {
        tensor
            .values()
            .iter()
            .map(|value| f64::from(*value))
            .collect()
    };
    let sizes = |values: &[f64]| -> Vec<f64> { values.iter().map(|value| value.abs()).collect() };
    let all: Vec<Vec<f64>> = tensors.iter().map(wide).collect();
    let mut exact = all[0].clone();
    let operands: Vec<&[f64]> = all[1..].iter().map(Vec::as_slice).collect();
    precise::run(&nest, &mut exact, &operands, &Symbols::new()).unwrap();
    // The same sum over magnitudes. A comparison and a difference are at most the sum of their operands' magnitudes,
    // plus 1.
    let larger: Vec<Vec<f64>> = all.iter().map(|values| sizes(values)).collect();
    let magnitude = Case {
        accumulator: Accumulator {
            erase: case.accumulator.erase,
            combine: Combine::Add,
        },
        function: match case.function {
            Function::Multiply | Function::Identity => case.function.clone(),
            _ => Function::Add,
        },
        ..case.clone()
    };
    let mut magnitudes = larger[0].clone();
    let operands: Vec<&[f64]> = larger[1..].iter().map(Vec::as_slice).collect();
    precise::run(
        &magnitude.nest(),
        &mut magnitudes,
        &operands,
        &Symbols::new(),
    )
    .unwrap();
    let values: u64 = nest
        .factors()
        .iter()
        .filter(|factor| factor.reduced)
        .map(|factor| factor.size)
        .product();
    let found = case.run(device, tensors);
    let source = KernelSource::with(&nest, Profile::Cpu, Numerics::Fast);
    // Other functions than these are computed from operands that cancel each other.
    let sums = matches!(case.function, Function::Multiply | Function::Identity);
    let stated = source.plans[0].rounding().filter(|_| sums);
    if let Some(rounding) = stated {
        for ((found, exact), size) in found.values().iter().zip(&exact).zip(&magnitudes) {
            let (error, allowed) = (f64::from(*found) - exact, rounding.relative() * size);
            assert!(error.abs() <= allowed, "{error} of {allowed}: {case:?}");
        }
    }
    for ((found, exact), size) in found.values().iter().zip(&exact).zip(&magnitudes) {
        let roundings = (values.min(2000) + 2) as f64;
        let allowed = roundings * (size + 1.0) * f64::from(f32::EPSILON) / 2.0;
        assert!(
            (f64::from(*found) - exact).abs() <= allowed,
            "{found} for {exact}, {allowed} allowed: {case:?}"
        );
    }
}

#[test]
fn every_fast_schedule_sums_the_same_values() {
    let Some(mut device) = fast("fast schedules") else {
        return;
    };
    let cases = random(30);
    let words: std::collections::BTreeSet<String> = cases.iter().flat_map(schedule).collect();
    for word in ["cell", "tile", "dot", "sweep"] {
        assert!(
            words.contains(word),
            "no case has the schedule {word}: {words:?}"
        );
    }
    assert_cases(device.as_mut(), &cases);
}

/// Long reductions: in blocks, in parts, with every tail, along each axis, with and without erasing the previous
/// values.
#[test]
fn long_reductions_sum_the_same_values() {
    let Some(mut device) = fast("long reductions") else {
        return;
    };
    let mut cases = Vec::new();
    for (number, (text, extents, words)) in [
        ("i ij", vec![3, 70_001], vec!["dot", "tile", "tile"]),
        ("i ij", vec![40, 5_003], vec!["dot"]),
        ("j ij", vec![2_003, 1_037], vec!["sweep", "sweep", "sweep"]),
        ("j ij", vec![2_048, 64], vec!["sweep", "sweep"]),
        (
            "ij ik kj",
            vec![7, 35, 16_411],
            vec!["tile", "tile", "sweep"],
        ),
        ("ij ki kj", vec![14, 33, 9_402], vec!["packed", "sweep"]),
        ("i ij j", vec![301, 4_099], vec!["dot"]),
        ("ij ik jk", vec![5, 9, 700], vec!["dot"]),
        ("i jki", vec![33, 65, 127], vec!["tile", "tile"]),
    ]
    .into_iter()
    .enumerate()
    {
        let function = match text.split(' ').count() {
            2 => Function::Identity,
            _ => Function::Multiply,
        };
        let further = [
            (Combine::Subtract, false),
            (Combine::Max, false),
            (Combine::Min, true),
        ];
        // Each text in a sum, and some in one of the others.
        let sum = (Combine::Add, true);
        let other = (number % 2 == 0).then(|| further[number / 2 % 3]);
        for (combine, erase) in [sum].into_iter().chain(other) {
            let accumulator = Accumulator { erase, combine };
            let case = case_of(text, &extents, accumulator, function.clone());
            if combine == Combine::Add {
                assert_eq!(schedule(&case), words, "{case:?}");
            }
            cases.push(case);
        }
    }
    assert_cases(device.as_mut(), &cases);
}

/// Transposed operands through local memory, with blocks that overlap at every edge.
#[test]
fn staged_blocks_are_stored_once() {
    let Some(mut device) = fast("staged blocks") else {
        return;
    };
    let replace = |erase| Accumulator {
        erase,
        combine: Combine::Replace,
    };
    let mut cases = Vec::new();
    for (text, extents) in [
        ("ji ij", vec![300, 520]),
        ("ikj ijk", vec![3, 65, 333]),
        ("kij ijk", vec![66, 2, 100]),
        ("ji ij", vec![64, 64]),
    ] {
        for function in [Function::Identity, Function::Negate] {
            cases.push(case_of(text, &extents, replace(true), function));
        }
    }
    for case in &cases {
        assert_eq!(schedule(case), ["staged"], "{case:?}");
    }
    assert_cases(device.as_mut(), &cases);
}

#[test]
fn nan_and_infinity_reach_the_sum() {
    let Some(mut device) = fast("what is not finite") else {
        return;
    };
    for (text, extents) in [("i ij", vec![4, 1_000]), ("j ij", vec![1_000, 80])] {
        for (value, expected) in [
            (f32::NAN, f32::NAN),
            (f32::INFINITY, f32::INFINITY),
            (f32::NEG_INFINITY, f32::NEG_INFINITY),
        ] {
            let case = case_of(text, &extents, ADD, Function::Identity);
            let mut tensors = case.tensors();
            let columns = extents[1] as usize;
            tensors[1].values_mut()[2 * columns + 3] = value;
            let found = case.run(device.as_mut(), &tensors);
            let at = if text == "i ij" { 2 } else { 3 };
            for (cell, found) in found.values().iter().enumerate() {
                let same = *found == expected || (found.is_nan() && expected.is_nan());
                assert_eq!(same, cell == at, "{text} {value} {cell}: {found}");
            }
        }
    }
}

/// The stated rounding of a sum is about the error that equal values reach, whose errors all have the same sign.
#[test]
fn the_stated_rounding_of_a_sum_is_nearly_reached() {
    for (numerics, text, extents, roundings) in [
        (Numerics::Exact, "i ij", vec![4, 10_000], 10_001),
        // 156 steps of 4 vectors of 16, one more vector, a tree of 8, single values, and what was there.
        (Numerics::Fast, "i ij", vec![40, 10_000], 167),
        (Numerics::Fast, "ij ki kj", vec![14, 33, 9_402], 170),
    ] {
        let case = case_of(text, &extents, ADD, Function::Identity);
        let function = match text {
            "i ij" => Function::Identity,
            _ => Function::Multiply,
        };
        let case = Case { function, ..case };
        let source = KernelSource::with(&case.nest(), Profile::Cpu, numerics);
        let stated = source.plans[0].rounding().expect("a sum");
        assert_eq!(stated.roundings, roundings, "{:?}", source.schedule);
        let Some(mut device) = engines::opencl_with("stated rounding", numerics) else {
            return;
        };
        let mut tensors = case.tensors();
        for tensor in &mut tensors {
            tensor.values_mut().fill(0.1);
        }
        let found = case.run(device.as_mut(), &tensors);
        let values = extents[extents.len() - 1] as f64;
        let one = f64::from(0.1_f32).powi(tensors.len() as i32 - 1);
        let error = f64::from(found.values()[0]) / (values * one) - 1.0;
        let allowed = stated.relative();
        assert!(error.abs() <= allowed, "{error} of {allowed}");
        if numerics == Numerics::Exact {
            assert!(error.abs() * 10.0 >= allowed, "{error} of {allowed}");
        }
    }
}
