//! Tensors of 64 bits, and sums in 64 bits of tensors of 32: kernels agree with the interpreter bit for bit in the
//! order of the loop nest, and on whole numbers in every order.

#![cfg(feature = "opencl")]

use crate::engines;

use crate::cases::{ADD, Case, case_of, random};
use lozenge_backend::opencl::{KernelSource, OpenCl, Profile, devices};
use lozenge_backend::{
    Arithmetic, Engine, Error, Interpreter, Limits, LoopNest, Numerics, Precision, Symbols, Tensor,
    open_with, precise,
};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};

/// Makes the rules for tensors of this precision, with sums in 64 bits.
fn wide(numerics: Numerics, tensors: Precision) -> Arithmetic {
    Arithmetic {
        numerics,
        tensors,
        sums: Precision::F64,
    }
}

/// Makes the tensors of a case in a precision. In 64 bits they have digits that 32 bits do not hold.
fn tensors(case: &Case, precision: Precision) -> Vec<Tensor> {
    let digits = |tensor: Tensor| match precision {
        Precision::F32 => tensor,
        Precision::F64 => {
            let values = tensor.values().iter().map(|value| f64::from(*value) / 3.0);
            Tensor::wide(tensor.shape().to_vec(), values.collect()).unwrap()
        }
    };
    case.tensors().into_iter().map(digits).collect()
}

fn whole_numbers(tensors: &mut [Tensor]) {
    for tensor in tensors {
        for value in tensor.values_mut() {
            *value = (*value * 3.5).round();
        }
    }
}

/// Tells whether tensors are equal bit for bit, where all NaN count as equal.
fn identical(x: &Tensor, y: &Tensor) -> bool {
    let (one, other) = (x.wide_values(), y.wide_values());
    let mut pairs = one.iter().zip(other.iter());
    x.precision() == y.precision()
        && x.shape() == y.shape()
        && pairs.all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
}

/// Tells whether tensors are equal bit for bit, where all NaN, and 0 and -0, count as equal: what is subtracted in
/// parts from -0 leaves -0 where the parts cancel each other.
fn equal(x: &Tensor, y: &Tensor) -> bool {
    let without_sign = |tensor: &Tensor| {
        let values = tensor
            .wide_values()
            .iter()
            .map(|value| value + 0.0)
            .collect();
        Tensor::wide(tensor.shape().to_vec(), values).unwrap()
    };
    x.precision() == y.precision() && identical(&without_sign(x), &without_sign(y))
}

/// Runs all cases on OpenCL and on the interpreter. In another order than that of the loop nest, on whole numbers.
fn assert_identical(cases: &[Case], arithmetic: Arithmetic) {
    let Some(mut device) = engines::opencl_with("precision", arithmetic) else {
        return;
    };
    let mut interpreter = open_with(Engine::Interpreter, Limits::default(), arithmetic).unwrap();
    for together in cases.chunks(25) {
        let nests: Vec<LoopNest> = together.iter().map(Case::nest).collect();
        device.prepare(&nests).unwrap();
        for case in together {
            let mut tensors = tensors(case, arithmetic.tensors);
            if arithmetic.numerics == Numerics::Fast {
                whole_numbers(&mut tensors);
            }
            let expected = case.run(interpreter.as_mut(), &tensors);
            let found = case.run(device.as_mut(), &tensors);
            let source = KernelSource::with(&case.nest(), Profile::Cpu, arithmetic);
            let agree = match arithmetic.numerics {
                Numerics::Exact => identical(&expected, &found),
                Numerics::Fast => equal(&expected, &found),
            };
            assert!(
                agree,
                "{arithmetic:?} {case:?}\n{}\n{:?}",
                case.nest(),
                source.schedule
            );
        }
    }
}

fn words(cases: &[Case], arithmetic: Arithmetic) -> std::collections::BTreeSet<String> {
    let schedules = cases
        .iter()
        .flat_map(|case| KernelSource::with(&case.nest(), Profile::Cpu, arithmetic).schedule);
    let word = |line: String| line.split(' ').next().unwrap().to_string();
    schedules.map(word).collect()
}

/// Cases for the schedules that random ones do not have: packed, in parts, compensated, transposed.
fn large() -> Vec<Case> {
    let replace = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    let keep = Accumulator {
        erase: false,
        combine: Combine::Subtract,
    };
    let mut cases = vec![
        case_of("ji ij", &[133, 290], replace, Function::Negate),
        case_of("kij ijk", &[66, 2, 100], replace, Function::Identity),
    ];
    for (text, extents, accumulator, function) in [
        ("ij ki kj", vec![25, 37, 4_099], ADD, Function::Multiply),
        ("ij ik jk", vec![5, 9, 700], keep, Function::Multiply),
        ("ij ik kj", vec![7, 35, 16_400], keep, Function::Multiply),
        ("i ij", vec![3, 20_001], ADD, Function::Identity),
        ("i ij", vec![40, 5_003], keep, Function::Identity),
        ("j ij", vec![2_003, 137], ADD, Function::Identity),
        ("i jki", vec![33, 65, 127], keep, Function::Identity),
    ] {
        cases.push(case_of(text, &extents, accumulator, function));
    }
    cases
}

#[test]
fn kernels_in_64_bits_give_the_interpreters_bits() {
    let cases = [random(12), large()].concat();
    let exact = wide(Numerics::Exact, Precision::F64);
    let found = words(&cases, exact);
    for word in ["cell", "tile", "packed", "staged"] {
        assert!(found.contains(word), "{word}: {found:?}");
    }
    assert_identical(&cases, exact);
}

#[test]
fn kernels_with_sums_in_64_bits_give_the_interpreters_bits() {
    let cases = [random(12), large()].concat();
    let exact = wide(Numerics::Exact, Precision::F32);
    assert!(words(&cases, exact).contains("packed"));
    assert_identical(&cases, exact);
}

#[test]
fn every_order_in_64_bits_gives_the_same_whole_numbers() {
    let cases = [random(12), large()].concat();
    for tensors in Precision::ALL {
        let fast = wide(Numerics::Fast, tensors);
        let found = words(&cases, fast);
        for word in ["cell", "tile", "packed", "dot", "sweep"] {
            assert!(found.contains(word), "{word}: {found:?}");
        }
        assert_identical(&cases, fast);
    }
}

/// A sum that 32 bits lose: on both engines 64 bits keep it, in the tensors or in the sums alone.
#[test]
fn a_sum_keeps_the_digits_that_32_bits_lose() {
    let case = case_of("i ij", &[2, 4_000], ADD, Function::Identity);
    let mut values = vec![1.0; 8_000];
    (values[0], values[2_000]) = (1e9, -1e9);
    let operands = [
        Tensor::new(vec![2], vec![0.0; 2]).unwrap(),
        Tensor::new(vec![2, 4_000], values).unwrap(),
    ];
    for numerics in [Numerics::Exact, Numerics::Fast] {
        for tensors in Precision::ALL {
            for engine in Engine::ALL {
                let arithmetic = wide(numerics, tensors);
                let device = match engine {
                    Engine::Interpreter => open_with(engine, Limits::default(), arithmetic).ok(),
                    Engine::OpenCl => engines::opencl_with("lost digits", arithmetic),
                };
                let Some(mut device) = device else { continue };
                let found = case.run(device.as_mut(), &operands);
                assert_eq!(found.precision(), tensors);
                assert_eq!(
                    found.values(),
                    [3_998.0, 4_000.0],
                    "{}",
                    device.description()
                );
            }
        }
    }
    let narrow = case.run(&mut Interpreter::new(Limits::default()), &operands);
    assert_ne!(narrow.values()[0], 3_998.0);
}

/// The sum of products of tensors of 32 bits is the nearest number to the sum in 64 bits: it is rounded once.
#[test]
fn a_sum_in_64_bits_is_rounded_once() {
    let exact = wide(Numerics::Exact, Precision::F32);
    let Some(mut device) = engines::opencl_with("rounded once", exact) else {
        return;
    };
    for (text, extents) in [
        ("ij ik kj", vec![17, 33, 301]),
        ("ij ki kj", vec![25, 37, 4_099]),
        ("i ij j", vec![5, 999]),
    ] {
        let case = case_of(text, &extents, ADD, Function::Multiply);
        let tensors = case.tensors();
        let wide: Vec<_> = tensors.iter().map(Tensor::wide_values).collect();
        let operands: Vec<&[f64]> = wide[1..].iter().map(|values| &**values).collect();
        let mut sums = wide[0].to_vec();
        precise::run(&case.nest(), &mut sums, &operands, &Symbols::new()).unwrap();
        let rounded: Vec<f32> = sums.iter().map(|sum| *sum as f32).collect();
        assert_eq!(case.run(device.as_mut(), &tensors).values(), rounded);
    }
}

#[test]
fn a_device_without_64_bits_says_so() {
    let Ok(mut all) = devices() else { return };
    let mut info = all.swap_remove(0);
    info.double = false;
    let name = info.name.clone();
    for tensors in Precision::ALL {
        let device = OpenCl::on(info.clone(), Limits::default()).unwrap();
        let refused = device.computing(wide(Numerics::Exact, tensors)).err();
        assert_eq!(
            refused,
            Some(Error::NoDouble {
                device: name.clone()
            })
        );
    }
    let device = OpenCl::on(info, Limits::default()).unwrap();
    assert!(device.computing(Numerics::Fast).is_ok());
}

/// Memory is counted by the bytes of the tensors.
#[test]
fn a_tensor_of_64_bits_takes_twice_the_memory() {
    let limits = Limits {
        bytes: 4 * 1000,
        ..Limits::default()
    };
    for engine in Engine::ALL {
        let open = |tensors| open_with(engine, limits, wide(Numerics::Exact, tensors));
        let Ok(mut narrow) = open(Precision::F32) else {
            continue;
        };
        assert!(narrow.allocate(&[1000], 0.0).is_ok());
        let mut wide = open(Precision::F64).unwrap();
        assert!(matches!(
            wide.allocate(&[501], 0.0),
            Err(Error::Memory { .. })
        ));
        assert!(wide.allocate(&[500], 0.0).is_ok());
    }
}
