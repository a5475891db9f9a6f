//! Random loop nests: the interpreter is compared with the definition, and OpenCL with the interpreter.
//!
//! `LOZENGE_CASES` sets how many are run on OpenCL, where each one needs a new kernel. They are the same in each run,
//! so that PoCL finds the kernels in its cache.

use crate::engines;
use crate::naive;

use lozenge_backend::agreement::{bound, ulps};
use lozenge_backend::arithmetic::apply;
use lozenge_backend::{Device, Engine, Limits, LoopNest, Symbols, Tensor, element_count, open};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use proptest::prelude::*;
use proptest::sample::{Index as Choice, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, FileFailurePersistence, RngAlgorithm, TestRng, TestRunner};

/// A loop nest with data: everything that a run needs.
#[derive(Clone, Debug)]
struct Case {
    projections: Projections,
    accumulator: Accumulator,
    function: Function,
    tensors: Vec<Tensor>,
    symbols: Symbols,
}

impl Case {
    fn nest(&self) -> LoopNest {
        let names = &["lhs", "x", "y"][..self.tensors.len()];
        LoopNest::new(
            &self.projections,
            self.accumulator,
            self.function.clone(),
            names,
        )
        .unwrap()
    }

    fn run(&self, device: &mut dyn Device) -> Tensor {
        let tensors: Vec<&Tensor> = self.tensors.iter().collect();
        engines::run(device, &self.nest(), &tensors, &self.symbols)
    }

    fn meaning(&self) -> Tensor {
        let tensors: Vec<&Tensor> = self.tensors.iter().collect();
        let (accumulator, function) = (self.accumulator, self.function.clone());
        naive::assign(
            &self.projections,
            accumulator,
            &function,
            &tensors,
            &self.symbols,
        )
    }
}

const ERASE_ADD: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Add,
};

fn functions() -> Vec<Function> {
    use Function::*;
    vec![
        Constant(0.1),
        Constant(f64::NEG_INFINITY),
        Identity,
        Negate,
        Relu,
        Exp,
        Log,
        Sqrt,
        Square,
        Reciprocal,
        Abs,
        Floor,
        Sin,
        Cos,
        Tanh,
        Sigmoid,
        Add,
        Subtract,
        Multiply,
        Divide,
        Max,
        Min,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        Power,
        Log1p,
        Expm1,
        Round,
        Fmod,
    ]
}

fn accumulators() -> Vec<Accumulator> {
    use Combine::*;
    let both = |combine| [true, false].map(|erase| Accumulator { erase, combine });
    [Replace, Add, Subtract, Max, Min]
        .into_iter()
        .flat_map(both)
        .collect()
}

/// Draws an axis: iterated by some factor, fixed, or indexed by a symbol, the latter two with a size of at most 4.
fn axis(factors: Vec<u64>) -> impl Strategy<Value = (Index, u64)> {
    let iterated = any::<Choice>().prop_map(move |choice| match factors.len() {
        0 => (Index::Fix(0), 1),
        count => {
            let factor = choice.index(count);
            (Index::Iter(factor), factors[factor])
        }
    });
    let fixed = (0..3u64, 1..3u64).prop_map(|(at, more)| (Index::Fix(at), at + more));
    let symbol = (0..3u64, 1..3u64)
        .prop_map(|(at, more)| (Index::Symbol(format!("at {at}").into()), at + more));
    prop_oneof![6 => iterated, 1 => fixed, 1 => symbol]
}

/// Draws numbers with all digits and small integers, occasionally a special value.
fn value() -> impl Strategy<Value = f32> {
    let special = vec![
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1e-40,
        3e38,
    ];
    prop_oneof![30 => -8.0..8.0f32, 10 => (-4i8..4).prop_map(f32::from), 1 => select(special)]
}

fn tensor(shape: Vec<u64>) -> impl Strategy<Value = Tensor> {
    let count = element_count(&shape).unwrap();
    prop::collection::vec(value(), count)
        .prop_map(move |values| Tensor::new(shape.clone(), values).unwrap())
}

fn case() -> impl Strategy<Value = Case> {
    let factors = prop::collection::vec(2..=4u64, 0..=4);
    let head = (factors, select(accumulators()), select(functions()));
    let slots = head.prop_flat_map(|(factors, accumulator, function)| {
        let slot = prop::collection::vec(axis(factors.clone()), 0..=3);
        let slots = prop::collection::vec(slot, function.arity() + 1);
        (Just(factors), Just(accumulator), Just(function), slots)
    });
    slots.prop_flat_map(|(factors, accumulator, function, slots)| {
        let (maps, sizes): (Vec<_>, Vec<_>) = slots
            .into_iter()
            .map(|slot| {
                let (map, sizes): (Vec<_>, Vec<u64>) = slot.into_iter().unzip();
                (IndexMap(map), sizes)
            })
            .unzip();
        let tensors: Vec<_> = sizes.iter().cloned().map(tensor).collect();
        tensors.prop_map(move |mut tensors| {
            if accumulator.erase {
                tensors[0].values_mut().fill(f32::NAN);
            }
            Case {
                projections: Projections {
                    factors: factors.clone(),
                    maps: maps.clone(),
                    sizes: sizes.clone(),
                },
                accumulator,
                function: function.clone(),
                tensors,
                symbols: (0..3).map(|at| (format!("at {at}").into(), at)).collect(),
            }
        })
    })
}

/// Tells whether tensors are equal up to the sign of zeros: a plain write, unlike an addition, keeps the sign of -0.
fn same(x: &Tensor, y: &Tensor) -> bool {
    let mut pairs = x.values().iter().zip(y.values());
    x.shape() == y.shape() && pairs.all(|(x, y)| ulps(*x, *y) == 0)
}

/// Configures the test: a failing case is stored beside this file and tried first in the next run.
fn config() -> Config {
    Config {
        cases: 2000,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..Config::default()
    }
}

fn interpreter() -> Box<dyn Device> {
    open(Engine::Interpreter, Limits::default()).unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn index_maps_stay_in_bounds(case in case()) {
        for point in naive::points(&case.projections.factors) {
            for (slot, sizes) in case.projections.sizes.iter().enumerate() {
                let cell = naive::cell(&case.projections, slot, &point, &case.symbols);
                prop_assert_eq!(cell.len(), sizes.len());
                prop_assert!(cell.iter().zip(sizes).all(|(position, size)| position < size));
            }
        }
        case.nest();
    }

    #[test]
    fn the_interpreter_computes_the_meaning(case in case()) {
        let (found, meaning) = (case.run(interpreter().as_mut()), case.meaning());
        prop_assert!(same(&meaning, &found), "{}{:?}\n{:?}", case.nest(), meaning, found);
    }

    /// Integers are summed exactly, so the order of the factors does not matter at all. Replacement is left out,
    /// because there the last point wins.
    #[test]
    fn the_order_of_the_loops_does_not_matter(mut case in case(), first in any::<Choice>()) {
        if case.accumulator.combine == Combine::Replace {
            case.accumulator.combine = Combine::Add;
        }
        case.function = match case.function.arity() {
            0 => Function::Constant(3.0),
            1 => Function::Negate,
            _ => Function::Multiply,
        };
        for tensor in &mut case.tensors {
            for value in tensor.values_mut() {
                *value = if value.is_finite() { value.clamp(-8.0, 8.0).round() } else { 1.0 };
            }
        }
        let mut turned = case.clone();
        let count = case.projections.factors.len();
        let by = if count == 0 { 0 } else { first.index(count) };
        turned.projections.factors.rotate_left(by);
        for index in turned.projections.maps.iter_mut().flat_map(|map| &mut map.0) {
            if let Index::Iter(factor) = index {
                *factor = (*factor + count - by) % count;
            }
        }
        let mut device = interpreter();
        prop_assert!(same(&case.run(device.as_mut()), &turned.run(device.as_mut())));
    }
}

/// Tells whether numbers are equal bit for bit, where all NaN count as equal.
fn identical(x: f32, y: f32) -> bool {
    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
}

/// Computes for each cell the sum of the magnitudes that are combined in it, in `f64`, and their number.
fn magnitudes(case: &Case) -> (Vec<f64>, Vec<f64>) {
    let written = &case.tensors[0];
    let held = |value: &f32| {
        if case.accumulator.erase {
            0.0
        } else {
            f64::from(value.abs())
        }
    };
    let mut sums: Vec<f64> = written.values().iter().map(held).collect();
    let mut counts = vec![1.0; sums.len()];
    let addresses: Vec<_> = case.tensors.iter().map(naive::Addresses::of).collect();
    for point in naive::points(&case.projections.factors) {
        let mut read = [0.0; 2];
        for (value, (slot, tensor)) in read.iter_mut().zip(case.tensors.iter().enumerate().skip(1))
        {
            let cell = naive::cell(&case.projections, slot, &point, &case.symbols);
            *value = tensor.values()[addresses[slot].at(&cell)];
        }
        let cell = naive::cell(&case.projections, 0, &point, &case.symbols);
        let address = addresses[0].at(&cell);
        sums[address] += f64::from(apply(&case.function, &read).abs());
        counts[address] += 1.0;
    }
    (sums, counts)
}

/// Tells whether two results are close. Where one value may differ by `bound` units in the last place, a sum of n of
/// them may differ by (bound + n) relative roundings of the sum of their magnitudes.
fn close(case: &Case, bound: u32, expected: &Tensor, found: &Tensor) -> bool {
    let pairs = || expected.values().iter().zip(found.values());
    match case.accumulator.combine {
        _ if bound == 0 => pairs().all(|(x, y)| identical(*x, *y)),
        Combine::Replace | Combine::Max | Combine::Min => {
            pairs().all(|(x, y)| ulps(*x, *y) <= bound)
        }
        // Each factor and each multiplication is rounded once more.
        Combine::Multiply => {
            let (_, counts) = magnitudes(case);
            pairs().zip(counts).all(|((x, y), count)| {
                let allowed = (f64::from(bound) + 1.0) * count * f64::from(f32::EPSILON);
                ulps(*x, *y) <= bound
                    || f64::from((x - y).abs()) <= allowed * f64::from(x.abs().max(y.abs()))
            })
        }
        Combine::Add | Combine::Subtract => {
            let (sums, counts) = magnitudes(case);
            pairs()
                .zip(sums.iter().zip(counts))
                .all(|((x, y), (sum, count))| {
                    let allowed = (f64::from(bound) + count) * f64::from(f32::EPSILON) * sum;
                    ulps(*x, *y) <= bound || f64::from((x - y).abs()) <= allowed
                })
        }
    }
}

/// Runs cases on both engines, and counts those that agree to the last bit. Kernels are compiled in batches, because
/// starting the compiler for each one would take most of the test.
fn check_on_opencl(cases: impl Iterator<Item = Case>, device: &mut dyn Device) -> usize {
    let cases: Vec<Case> = cases.collect();
    let together = cases.chunks(30);
    together.map(|cases| check_together(cases, device)).sum()
}

fn check_together(cases: &[Case], device: &mut dyn Device) -> usize {
    let nests: Vec<LoopNest> = cases.iter().map(Case::nest).collect();
    device.prepare(&nests).unwrap();
    let mut interpreter = interpreter();
    let exact = device.exact_division();
    let mut bit_equal = 0;
    for case in cases {
        let (expected, found) = (case.run(interpreter.as_mut()), case.run(device));
        let bound = bound(&case.function, exact);
        assert!(
            close(case, bound, &expected, &found),
            "more than {bound} ulp apart\n{}{:?}\ninterpreter {expected:?}\nopencl {found:?}",
            case.nest(),
            case.tensors
        );
        bit_equal += usize::from(close(case, 0, &expected, &found));
    }
    bit_equal
}

fn runner() -> TestRunner {
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(Config::default(), random)
}

fn draw(strategy: impl Strategy<Value = Case>, runner: &mut TestRunner) -> Case {
    strategy.new_tree(runner).unwrap().current()
}

#[test]
fn opencl_agrees_with_the_interpreter_on_random_nests() {
    let Some(mut device) = engines::opencl("random nests") else {
        return;
    };
    let cases = std::env::var("LOZENGE_CASES").map_or(36, |count| count.parse().unwrap());
    let mut runner = runner();
    let drawn = (0..cases).map(|_| draw(case(), &mut runner));
    let bit_equal = check_on_opencl(drawn, device.as_mut());
    let description = device.description();
    eprintln!("{description}: {bit_equal} of {cases} bit for bit");
}

/// Draws random data on given index maps over given factors.
fn on_maps(
    factors: &[u64],
    maps: &[&[usize]],
    accumulator: Accumulator,
    function: Function,
) -> impl Strategy<Value = Case> + use<> {
    let maps = &maps[..=function.arity()];
    let map = |axes: &[usize]| IndexMap(axes.iter().map(|factor| Index::Iter(*factor)).collect());
    let shape = |axes: &[usize]| axes.iter().map(|factor| factors[*factor]).collect();
    let projections = Projections {
        factors: factors.to_vec(),
        maps: maps.iter().map(|axes| map(axes)).collect(),
        sizes: maps.iter().map(|axes| shape(axes)).collect(),
    };
    let tensors: Vec<_> = projections.sizes.iter().cloned().map(tensor).collect();
    tensors.prop_map(move |mut tensors| {
        if let Function::Log | Function::Sqrt = function {
            let values = tensors[1].values_mut().iter_mut();
            values.for_each(|value| *value = value.abs());
        }
        Case {
            projections: projections.clone(),
            accumulator,
            function: function.clone(),
            tensors,
            symbols: Symbols::new(),
        }
    })
}

/// Lists every accumulator with a product, on a contraction whose 143 cells do not fill their work-groups and on a
/// diagonal, and every function with `=:+` on the contraction.
fn table() -> Vec<Case> {
    let matmul: (&[u64], [&[usize]; 3]) = (&[13, 3, 11], [&[0, 2], &[0, 1], &[1, 2]]);
    let diagonal: (&[u64], [&[usize]; 3]) = (&[5], [&[0, 0], &[0], &[0]]);
    let mut runner = runner();
    let mut cases = Vec::new();
    for accumulator in accumulators() {
        for (factors, maps) in [matmul, diagonal] {
            let case = on_maps(factors, &maps, accumulator, Function::Multiply);
            cases.push(draw(case, &mut runner));
        }
    }
    for function in functions() {
        let case = on_maps(matmul.0, &matmul.1, ERASE_ADD, function);
        cases.push(draw(case, &mut runner));
    }
    cases
}

#[test]
fn every_accumulator_and_every_function_has_its_meaning() {
    for case in table() {
        let (found, meaning) = (case.run(interpreter().as_mut()), case.meaning());
        assert!(same(&meaning, &found), "{}", case.nest());
    }
}

#[test]
fn opencl_agrees_on_every_accumulator_and_every_function() {
    let Some(mut device) = engines::opencl("accumulators and functions") else {
        return;
    };
    let cases = table();
    let count = cases.len();
    let bit_equal = check_on_opencl(cases.into_iter(), device.as_mut());
    let description = device.description();
    eprintln!("{description}: {bit_equal} of {count} bit for bit");
}

/// The two functions that need not be exact, on many values at a time.
#[test]
fn exp_and_log_stay_within_their_bound() {
    let Some(mut device) = engines::opencl("exp and log") else {
        return;
    };
    let erase = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    for function in [Function::Exp, Function::Log] {
        let case = on_maps(&[20_000], &[&[0], &[0]], erase, function.clone());
        let case = draw(case, &mut runner());
        let expected = case.run(interpreter().as_mut());
        let found = case.run(device.as_mut());
        let pairs = expected.values().iter().zip(found.values());
        let distances: Vec<u32> = pairs.map(|(x, y)| ulps(*x, *y)).collect();
        let (largest, differ) = (
            distances.iter().max().unwrap(),
            distances.iter().filter(|distance| **distance > 0).count(),
        );
        eprintln!("{function:?}: {differ} of 20000 differ, by {largest} ulp at most");
        assert!(*largest <= bound(&function, device.exact_division()));
    }
}
