//! Recordings whose calls run in groups: random sequences of operations on rows, columns and squares give exactly the
//! results of single calls, whatever is kept in local memory.

use crate::engines;
use crate::random::Random;

use std::collections::BTreeSet;

use lozenge_backend::{
    Arithmetic, BufferId, Call, Device, Engine, Limits, LoopNest, Numerics, Precision, Purpose,
    Symbols, Tensor, open, open_with,
};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::{self, Iter};
use lozenge_vocabulary::projections::{IndexMap, Projections};

/// The axes of a tensor, out of a space of rows and columns.
const SHAPES: [&[usize]; 5] = [&[0, 1], &[0, 1], &[0], &[1], &[]];

/// A sequence of operations: for each the tensors of its slots, its factors, its accumulator and its function.
struct Program {
    sizes: [u64; 2],
    shapes: Vec<&'static [usize]>,
    calls: Vec<(Vec<usize>, Accumulator, Function)>,
}

impl Program {
    fn random(random: &mut Random) -> Program {
        let rows = [16, 20, 33, 64, 96, 128][random.below(6)];
        let columns = [2, 5, 10, 16, 37, 64, 130][random.below(7)];
        let tensors = 4 + random.below(5);
        let shapes: Vec<&[usize]> = (0..tensors).map(|_| SHAPES[random.below(5)]).collect();
        let calls = (0..3 + random.below(8)).map(|_| {
            let arity = [0, 1, 1, 1, 2, 2, 2][random.below(7)];
            let slots: Vec<usize> = (0..=arity).map(|_| random.below(tensors)).collect();
            let function = match arity {
                0 => Function::Constant([0.0, -0.0, 1.0, 0.1][random.below(4)]),
                1 => [
                    Function::Identity,
                    Function::Negate,
                    Function::Square,
                    Function::Relu,
                ][random.below(4)]
                .clone(),
                _ => [
                    Function::Add,
                    Function::Multiply,
                    Function::Subtract,
                    Function::Max,
                ][random.below(4)]
                .clone(),
            };
            let combine = [
                Combine::Add,
                Combine::Add,
                Combine::Max,
                Combine::Replace,
                Combine::Subtract,
            ][random.below(5)];
            let erase = random.below(3) > 0;
            (slots, Accumulator { erase, combine }, function)
        });
        Program {
            sizes: [rows, columns],
            calls: calls.collect(),
            shapes,
        }
    }

    /// Draws tensors that are each computed from earlier ones, as rows and their sums, like one layer of a network.
    /// There are few operands, so that some operations are equal and some differ only in their function.
    fn chain(random: &mut Random) -> Program {
        let mut shapes: Vec<&[usize]> = vec![&[0, 1], &[1]];
        let mut calls = Vec::new();
        for _ in 0..5 + random.below(6) {
            let result = shapes.len();
            let rows = random.below(4) == 0;
            let arity = 1 + random.below(2);
            let recent = result.saturating_sub(4);
            let mut slots = vec![result];
            slots.extend((0..arity).map(|_| match random.below(3) {
                0 => 0,
                _ => recent + random.below(result - recent),
            }));
            let function = match arity {
                1 => [Function::Negate, Function::Square, Function::Relu][random.below(3)].clone(),
                _ => {
                    [Function::Add, Function::Multiply, Function::Subtract][random.below(3)].clone()
                }
            };
            let combine = match rows {
                true => [Combine::Add, Combine::Max][random.below(2)],
                false => Combine::Replace,
            };
            shapes.push(if rows { &[0] } else { &[0, 1] });
            let erase = true;
            calls.push((slots, Accumulator { erase, combine }, function));
        }
        Program {
            sizes: [
                [32, 48, 64][random.below(3)],
                [5, 16, 37, 64][random.below(4)],
            ],
            shapes,
            calls,
        }
    }

    fn shape(&self, tensor: usize) -> Vec<u64> {
        self.shapes[tensor]
            .iter()
            .map(|axis| self.sizes[*axis])
            .collect()
    }

    fn nest(
        &self,
        (slots, accumulator, function): &(Vec<usize>, Accumulator, Function),
    ) -> LoopNest {
        let used: BTreeSet<usize> = slots
            .iter()
            .flat_map(|slot| self.shapes[*slot].iter().copied())
            .collect();
        let used: Vec<usize> = used.into_iter().collect();
        let factor = |axis: &usize| Iter(used.iter().position(|one| one == axis).unwrap());
        let map = |slot: &usize| {
            IndexMap(
                self.shapes[*slot]
                    .iter()
                    .map(factor)
                    .collect::<Vec<Index>>(),
            )
        };
        let projections = Projections {
            factors: used.iter().map(|axis| self.sizes[*axis]).collect(),
            maps: slots.iter().map(map).collect(),
            sizes: slots.iter().map(|slot| self.shape(*slot)).collect(),
        };
        LoopNest::new(
            &projections,
            *accumulator,
            function.clone(),
            &["c", "a", "b"][..slots.len()],
        )
        .unwrap()
    }

    fn upload(&self, device: &mut dyn Device) -> (Vec<BufferId>, Vec<Call>) {
        let value = |at: usize| ((at * 37 + 11) % 29) as f32 / 8.0 - 1.5;
        let buffers: Vec<BufferId> = (0..self.shapes.len())
            .map(|tensor| {
                let shape = self.shape(tensor);
                let count = shape.iter().product::<u64>() as usize;
                let values = (0..count).map(|at| value(at + 100 * tensor)).collect();
                device.upload(&Tensor::new(shape, values).unwrap()).unwrap()
            })
            .collect();
        let calls = self.calls.iter().map(|call| Call {
            nest: self.nest(call),
            buffers: call.0.iter().map(|slot| buffers[*slot]).collect(),
        });
        let calls = calls.collect();
        (buffers, calls)
    }

    /// Finds the tensors that are completely written before they are read: any of them may be declared temporary.
    fn made_here(&self) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut made = BTreeSet::new();
        for call in &self.calls {
            let (slots, accumulator, _) = call;
            let nest = self.nest(call);
            let whole = accumulator.erase && nest.is_surjective();
            if whole && !seen.contains(&slots[0]) && !slots[1..].contains(&slots[0]) {
                made.insert(slots[0]);
            }
            seen.extend(slots.iter().copied());
        }
        made
    }
}

/// Opens the device, and the device that plans its kernels as for a GPU, each with the factor of the rows from which on
/// there are groups of rows.
fn devices(test: &str, arithmetic: impl Into<Arithmetic>) -> Vec<(Box<dyn Device>, u64)> {
    let arithmetic = arithmetic.into();
    let own = engines::opencl_with(test, arithmetic).map(|device| (device, 1));
    let parallel = engines::parallel(test, arithmetic).map(|device| (device, 4));
    own.into_iter().chain(parallel).collect()
}

fn same(x: &Tensor, y: &Tensor) -> bool {
    let (x, y) = (x.wide_values(), y.wide_values());
    let mut pairs = x.iter().zip(y.iter());
    pairs.all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
}

#[test]
fn calls_that_run_together_leave_what_they_leave_one_by_one() {
    for (mut device, factor) in devices("groups", Numerics::Exact) {
        // Kernels of many work-items take PoCL long to compile.
        assert_groups(device.as_mut(), 10 / factor, factor);
    }
}

fn assert_groups(device: &mut dyn Device, count: u64, factor: u64) {
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    let count = std::env::var("LOZENGE_CASES").map_or(count, |count| count.parse().unwrap());
    let mut random = Random::new(7);
    let mut dropped = 0;
    for number in 0..count {
        let mut program = Program::random(&mut random);
        program.sizes[0] *= factor;
        let temporary: BTreeSet<usize> = match number % 3 {
            0 => BTreeSet::new(),
            _ => program.made_here(),
        };
        dropped += temporary.len();
        let (expected, calls) = program.upload(interpreter.as_mut());
        // Twice, because a replay starts from the values that the last one left.
        for _ in 0..2 {
            for call in &calls {
                interpreter
                    .run(&call.nest, &call.buffers, &Symbols::new())
                    .unwrap();
            }
        }
        let (found, calls) = program.upload(device);
        let purpose = Purpose {
            temporary: temporary.iter().map(|tensor| found[*tensor]).collect(),
            repeated: number % 2 == 0,
            ..Purpose::default()
        };
        let recording = device.record(calls, &purpose).unwrap();
        device.replay(recording, &Symbols::new()).unwrap();
        device.replay(recording, &Symbols::new()).unwrap();
        for tensor in (0..found.len()).filter(|tensor| !temporary.contains(tensor)) {
            let expected = interpreter.download(expected[tensor]).unwrap();
            let found = device.download(found[tensor]).unwrap();
            let nests: Vec<String> = program
                .calls
                .iter()
                .map(|call| format!("{:?}\n{}", call.0, program.nest(call)))
                .collect();
            assert!(
                same(&expected, &found),
                "program {number}, tensor {tensor}\n{}\n{:?}\n{:?}",
                nests.join("\n"),
                expected.values(),
                found.values()
            );
        }
        device.forget(recording).unwrap();
    }
    assert!(
        dropped > count as usize / 4,
        "{dropped} tensors of {count} programs were temporary"
    );
}

/// Only the last tensors of a chain are needed: the others are kept in local memory, inlined, or not computed twice.
#[test]
fn a_chain_leaves_its_last_tensors() {
    assert_chains(Arithmetic::default(), 9);
}

/// The same in 64 bits, and with sums in 64 bits.
#[test]
fn a_chain_in_64_bits_leaves_its_last_tensors() {
    for tensors in Precision::ALL {
        let arithmetic = Arithmetic {
            tensors,
            sums: Precision::F64,
            ..Arithmetic::default()
        };
        assert_chains(arithmetic, 5);
    }
}

/// The eighth power of a number has more digits than 32 bits hold. It is rounded to these before a sum in 64 bits reads
/// it, whether it is stored or not.
#[test]
fn what_a_sum_in_64_bits_reads_was_rounded() {
    let arithmetic = Arithmetic {
        sums: Precision::F64,
        ..Arithmetic::default()
    };
    let Some(mut device) = engines::opencl_with("rounded powers", arithmetic) else {
        return;
    };
    let mut interpreter = open_with(Engine::Interpreter, Limits::default(), arithmetic).unwrap();
    let [write, add] = [Combine::Replace, Combine::Add].map(|combine| Accumulator {
        erase: true,
        combine,
    });
    let program = Program {
        sizes: [64, 37],
        shapes: vec![&[0, 1], &[0, 1], &[0, 1], &[0, 1], &[0], &[0, 1]],
        calls: vec![
            (vec![1, 0], write, Function::Square),
            (vec![2, 1], write, Function::Square),
            (vec![3, 2], write, Function::Square),
            (vec![4, 3], add, Function::Identity),
            (vec![5, 0, 4], write, Function::Divide),
        ],
    };
    let (expected, calls) = program.upload(interpreter.as_mut());
    for call in &calls {
        let symbols = Symbols::new();
        interpreter
            .run(&call.nest, &call.buffers, &symbols)
            .unwrap();
    }
    let (found, calls) = program.upload(device.as_mut());
    let purpose = Purpose {
        temporary: found[1..5].iter().copied().collect(),
        repeated: false,
        ..Purpose::default()
    };
    let recording = device.record(calls, &purpose).unwrap();
    device.replay(recording, &Symbols::new()).unwrap();
    let found = device.download(found[5]).unwrap();
    assert!(same(&interpreter.download(expected[5]).unwrap(), &found));
}

fn assert_chains(arithmetic: Arithmetic, count: u64) {
    for (mut device, factor) in devices("chains", arithmetic) {
        assert_chains_on(device.as_mut(), arithmetic, count / factor, factor);
    }
}

fn assert_chains_on(device: &mut dyn Device, arithmetic: Arithmetic, count: u64, factor: u64) {
    let mut interpreter = open_with(Engine::Interpreter, Limits::default(), arithmetic).unwrap();
    let count = std::env::var("LOZENGE_CASES").map_or(count, |count| count.parse().unwrap());
    let mut random = Random::new(11);
    for number in 0..count {
        let mut program = Program::chain(&mut random);
        program.sizes[0] *= factor;
        let (expected, calls) = program.upload(interpreter.as_mut());
        for call in &calls {
            interpreter
                .run(&call.nest, &call.buffers, &Symbols::new())
                .unwrap();
        }
        let (found, calls) = program.upload(device);
        let last = found.len() - 2;
        let purpose = Purpose {
            temporary: found[2..last].iter().copied().collect(),
            repeated: false,
            ..Purpose::default()
        };
        let recording = device.record(calls, &purpose).unwrap();
        device.replay(recording, &Symbols::new()).unwrap();
        for tensor in last..found.len() {
            let expected = interpreter.download(expected[tensor]).unwrap();
            let found = device.download(found[tensor]).unwrap();
            let nests: Vec<String> = program
                .calls
                .iter()
                .map(|call| format!("{:?}\n{}", call.0, program.nest(call)))
                .collect();
            assert!(
                same(&expected, &found),
                "chain {number}, tensor {tensor}\n{}",
                nests.join("\n")
            );
        }
        device.forget(recording).unwrap();
    }
}

/// A softmax runs as one kernel, which stores nothing but its result: one that stays in the cache, and one that is
/// written past it, whose rows do not begin where lines of the cache do.
#[test]
fn a_softmax_is_one_kernel() {
    for (mut device, factor) in devices("softmax", Numerics::Exact) {
        assert_one_kernel(device.as_mut(), [64 * factor, 130]);
        // The interpreter takes seconds for the large one.
        if factor == 1 {
            assert_one_kernel(device.as_mut(), [8200, 1030]);
        }
    }
    // Sums by teams, of numbers that have few digits.
    if let Some(mut device) = engines::parallel("softmax", Numerics::Fast) {
        assert_one_kernel(device.as_mut(), [256, 37]);
        assert_one_kernel(device.as_mut(), [300, 130]);
    }
}

fn assert_one_kernel(device: &mut dyn Device, sizes: [u64; 2]) {
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    let add = Accumulator {
        erase: true,
        combine: Combine::Add,
    };
    let largest = Accumulator {
        erase: true,
        combine: Combine::Max,
    };
    let write = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    let program = Program {
        sizes,
        shapes: vec![&[0, 1], &[0], &[0, 1], &[0], &[0, 1]],
        calls: vec![
            (vec![1, 0], largest, Function::Identity),
            (vec![2, 0, 1], write, Function::Subtract),
            (vec![3, 2], add, Function::Square),
            (vec![4, 2, 3], write, Function::Divide),
        ],
    };
    let (expected, calls) = program.upload(interpreter.as_mut());
    for call in &calls {
        interpreter
            .run(&call.nest, &call.buffers, &Symbols::new())
            .unwrap();
    }
    let (found, calls) = program.upload(device);
    let purpose = Purpose {
        temporary: [1, 2, 3].map(|tensor| found[tensor]).into(),
        repeated: false,
        ..Purpose::default()
    };
    let before: Vec<Tensor> = [1, 2, 3]
        .map(|tensor| device.download(found[tensor]).unwrap())
        .into();
    let recording = device.record(calls, &purpose).unwrap();
    device.replay(recording, &Symbols::new()).unwrap();
    let result = device.download(found[4]).unwrap();
    assert!(same(&interpreter.download(expected[4]).unwrap(), &result));
    for (before, tensor) in before.iter().zip([1, 2, 3]) {
        let after = device.download(found[tensor]).unwrap();
        assert!(same(before, &after), "tensor {tensor} was stored");
    }
}
