//! Kernels that are planned for devices with many small work-items, on whatever device there is: groups of work-items
//! that contract blocks, sum in teams and turn squares, with every edge. Where the order of values is kept they agree
//! with the interpreter bit for bit, and on small whole numbers in any case.

use crate::engines;

use crate::cases::{Case, case_of, random, whole_numbers};
use lozenge_backend::opencl::{KernelSource, Profile};
use lozenge_backend::{Device, Engine, Limits, LoopNest, Numerics, Symbols, Tensor, open, precise};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};

/// Lists the first word of the schedule of each step.
fn words(case: &Case, numerics: Numerics) -> Vec<String> {
    let source = KernelSource::with(&case.nest(), Profile::Parallel, numerics);
    let word = |line: &String| line.split(' ').next().unwrap().to_string();
    source.schedule.iter().map(word).collect()
}

/// Runs the cases on the device and on the interpreter, which have to leave the same bits.
fn assert_identical(device: &mut dyn Device, cases: &[Case], whole: bool) {
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    let nests: Vec<LoopNest> = cases.iter().map(Case::nest).collect();
    device.prepare(&nests).unwrap();
    for case in cases {
        let mut tensors = case.tensors();
        if whole {
            whole_numbers(&mut tensors);
        }
        let expected = case.run(interpreter.as_mut(), &tensors);
        let found = case.run(device, &tensors);
        let pairs = expected.values().iter().zip(found.values()).enumerate();
        for (at, (x, y)) in pairs {
            let same = match whole {
                true => x == y,
                false => x.to_bits() == y.to_bits(),
            };
            assert!(same || x.is_nan() && y.is_nan(), "{at}: {x} {y} {case:?}");
        }
    }
}

/// Lists the contractions that blocks compute: with whole and broken blocks along every loop, with cells that keep what
/// they had.
fn contractions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (text, extents) in [
        ("ij ik kj", vec![64, 64, 32]),
        ("ij ik kj", vec![65, 17, 19]),
        ("ij ki jk", vec![33, 70, 11]),
        ("lij lik lkj", vec![40, 30, 21, 3]),
        ("lij lkj ik", vec![16, 81, 33, 2]),
        ("ij ikl lkj", vec![20, 35, 6, 18]),
        ("ij ik kj", vec![520, 530, 8]),
        ("ij ik kj", vec![5, 300, 40]),
        ("ij ik kj", vec![70, 6, 33]),
    ] {
        let (combine, erase) = match cases.len() % 2 {
            0 => (Combine::Add, true),
            _ => (Combine::Subtract, false),
        };
        let accumulator = Accumulator { erase, combine };
        cases.push(case_of(text, &extents, accumulator, Function::Multiply));
    }
    // A further value of 0 would change the least of positive ones.
    let least = Accumulator {
        erase: true,
        combine: Combine::Min,
    };
    cases.push(case_of("ij ik kj", &[65, 17, 17], least, Function::Max));
    cases
}

#[test]
fn contractions_in_blocks_keep_the_interpreters_bits() {
    let Some(mut device) = engines::parallel("blocks of contractions", Numerics::Exact) else {
        return;
    };
    let cases = contractions();
    for case in &cases {
        assert_eq!(words(case, Numerics::Exact), ["grid"], "{case:?}");
    }
    assert_identical(device.as_mut(), &cases, false);
}

/// Runs operations that store every cell once or subtract it, which all have this schedule.
fn assert_stored(word: &str, operations: [(&str, Vec<u64>, Function); 4]) {
    let Some(mut device) = engines::parallel(word, Numerics::Exact) else {
        return;
    };
    let mut cases = Vec::new();
    for (text, extents, function) in operations {
        for combine in [Combine::Replace, Combine::Subtract] {
            let accumulator = Accumulator {
                erase: true,
                combine,
            };
            let case = case_of(text, &extents, accumulator, function.clone());
            assert_eq!(words(&case, Numerics::Exact), [word], "{case:?}");
            cases.push(case);
        }
    }
    assert_identical(device.as_mut(), &cases, false);
}

/// Operations on so many cells that each item computes a few, with and without cells beyond the edge.
#[test]
fn spread_cells_keep_the_interpreters_bits() {
    let operations = [
        ("i i i", vec![1 << 19], Function::Add),
        ("ij j ij", vec![773, 701], Function::Subtract),
        ("ij i j", vec![1024, 513], Function::LessEqual),
        ("ijk jik", vec![90, 81, 73], Function::Identity),
    ];
    assert_stored("spread", operations);
}

#[test]
fn permutations_in_squares_keep_the_interpreters_bits() {
    let operations = [
        ("ij ji", vec![64, 96], Function::Negate),
        ("ij ji", vec![33, 70], Function::Identity),
        ("ijk kij", vec![17, 3, 40], Function::Square),
        ("kij kji", vec![31, 45, 3], Function::Identity),
    ];
    assert_stored("turned", operations);
}

/// Sums by teams and in parts, along either loop, of few and many values.
fn sums() -> Vec<(Case, Vec<&'static str>)> {
    let mut cases = Vec::new();
    for (number, (text, extents, words)) in [
        ("i ij", vec![5, 70_001], vec!["team", "cell", "cell"]),
        ("i ij", vec![700, 130], vec!["team"]),
        ("i ij", vec![77, 64], vec!["team"]),
        ("j ij", vec![2_003, 1_037], vec!["cell", "cell", "cell"]),
        ("i jki", vec![1_030, 33, 127], vec!["cell", "cell"]),
        ("i ij j", vec![301, 4_099], vec!["team"]),
        ("ij ik jk", vec![5, 9, 700], vec!["team"]),
        ("ij ik kj", vec![4_100, 3, 130], vec!["team"]),
        (
            "ij ki kj",
            vec![20, 33, 4_202],
            vec!["grid", "grid", "cell"],
        ),
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
            cases.push((case, words.clone()));
        }
    }
    cases
}

#[test]
fn teams_and_parts_sum_the_same_values() {
    let Some(mut device) = engines::parallel("teams", Numerics::Fast) else {
        return;
    };
    let cases = sums();
    for (case, expected) in &cases {
        assert_eq!(words(case, Numerics::Fast), *expected, "{case:?}");
    }
    let cases: Vec<Case> = cases.into_iter().map(|(case, _)| case).collect();
    assert_identical(device.as_mut(), &cases, true);
    for case in &cases {
        assert_bound(device.as_mut(), case);
    }
}

/// Asserts that each sum is within the stated rounding of the sum in `f64`.
fn assert_bound(device: &mut dyn Device, case: &Case) {
    if !matches!(case.accumulator.combine, Combine::Add | Combine::Subtract) {
        return;
    }
    let nest = case.nest();
    let source = KernelSource::with(&nest, Profile::Parallel, Numerics::Fast);
    let stated = source.plans[0].rounding().expect("a sum").relative();
    let tensors = case.tensors();
    let wide = |sizes: bool| -> Vec<f64> {
        let of = |tensor: &Tensor| -> Vec<f64> {
            let values = tensor.values().iter().map(|one| f64::from(*one));
            values
                .map(|one| if sizes { one.abs() } else { one })
                .collect()
        };
        let all: Vec<Vec<f64>> = tensors.iter().map(of).collect();
        let add = case_of_sizes(case, sizes);
        let operands: Vec<&[f64]> = all[1..].iter().map(Vec::as_slice).collect();
        let mut written = all[0].clone();
        precise::run(&add, &mut written, &operands, &Symbols::new()).unwrap();
        written
    };
    let (exact, sizes) = (wide(false), wide(true));
    let found = case.run(device, &tensors);
    for (at, value) in found.values().iter().enumerate() {
        let error = (f64::from(*value) - exact[at]).abs();
        assert!(error <= stated * sizes[at], "{at}: {error} {case:?}");
    }
}

/// Makes the loop nest of a case; for the magnitudes of its values, nothing is subtracted.
fn case_of_sizes(case: &Case, sizes: bool) -> LoopNest {
    let mut case = case.clone();
    if sizes {
        case.accumulator.combine = Combine::Add;
    }
    case.nest()
}

#[test]
fn random_operations_have_the_interpreters_values() {
    let cases = random(8);
    for numerics in [Numerics::Exact, Numerics::Fast] {
        let Some(mut device) = engines::parallel("random operations", numerics) else {
            return;
        };
        let is_exact = numerics == Numerics::Exact;
        assert_identical(device.as_mut(), &cases, !is_exact);
    }
}
