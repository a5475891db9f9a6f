//! Constants are parts of the functions that read them: no kernel stores them, and none fills a tensor before the first
//! sum is added.

#![cfg(feature = "opencl")]

use crate::engines;

use std::collections::{BTreeMap, BTreeSet};

use lozenge_backend::opencl::Planner;
use lozenge_backend::{
    Arithmetic, BufferId, Call, Device, Limits, LoopNest, Numerics, Precision, Purpose, Symbols,
    Tensor,
};
use lozenge_vocabulary::operation::{Accumulator, Combine, Formula, Function, Instruction};
use lozenge_vocabulary::projections::Index::Iter;
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

const WRITE: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Replace,
};
const SUM: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Add,
};
const ADD: Accumulator = Accumulator {
    erase: false,
    combine: Combine::Add,
};

/// Makes the loop nest of slots whose axes are letters; a letter is a factor of this size.
fn nest(slots: &[&str], size: u64, accumulator: Accumulator, function: Function) -> LoopNest {
    let mut letters: Vec<char> = slots.iter().flat_map(|slot| slot.chars()).collect();
    letters.sort_unstable();
    letters.dedup();
    let factor = |letter: char| Iter(letters.iter().position(|one| *one == letter).unwrap());
    let projections = Projections {
        factors: vec![size; letters.len()],
        maps: slots
            .iter()
            .map(|slot| IndexMap(slot.chars().map(factor).collect::<Vec<Index>>()))
            .collect(),
        sizes: slots.iter().map(|slot| vec![size; slot.len()]).collect(),
    };
    let names = &["r", "a", "b", "c", "d"][..slots.len()];
    LoopNest::new(&projections, accumulator, function, names).unwrap()
}

/// Makes the product of so many operands.
fn product(count: usize) -> Function {
    let mut code = vec![Instruction::Read(0)];
    for at in 1..count {
        code.push(Instruction::Read(at));
        code.push(Instruction::Apply(Function::Multiply));
    }
    Function::Formula(Box::new(Formula::new(count, code).unwrap()))
}

fn fill(slot: &str, size: u64, number: f64) -> LoopNest {
    nest(&[slot], size, WRITE, Function::Constant(number))
}

/// Lists the operands of each kernel, and the text of its plan.
fn planned(
    arithmetic: impl Into<Arithmetic>,
    shapes: &[(&str, u64)],
    temporary: &[usize],
    calls: &[(LoopNest, Vec<usize>)],
) -> Vec<(Vec<String>, String)> {
    let mut planner = Planner::new(Limits::default(), arithmetic);
    let shape = |(slot, size): &(&str, u64)| vec![*size; slot.len()];
    let buffers: Vec<BufferId> = shapes
        .iter()
        .map(|one| planner.reserve(&shape(one)).unwrap())
        .collect();
    let calls = calls.iter().map(|(nest, slots)| Call {
        nest: nest.clone(),
        buffers: slots.iter().map(|slot| buffers[*slot]).collect(),
    });
    let purpose = Purpose {
        temporary: temporary.iter().map(|at| buffers[*at]).collect(),
        ..Purpose::default()
    };
    planner.record(calls.collect(), &purpose).unwrap();
    let planned = planner.plans().into_iter().flatten();
    let described = planned.map(|planned| {
        let slots = planned
            .calls
            .iter()
            .flat_map(|call| &call.nest.slots()[1..]);
        let operands = slots.map(|slot| slot.tensor.to_string()).collect();
        let plans: Vec<String> = planned.plans.iter().map(ToString::to_string).collect();
        (operands, plans.concat())
    });
    described.collect()
}

#[test]
fn a_product_with_ones_is_a_sum_that_reads_no_ones() {
    let calls = [
        (fill("jk", 8, 1.0), vec![1]),
        (
            nest(&["ik", "ij", "jk"], 8, SUM, Function::Multiply),
            vec![2, 0, 1],
        ),
    ];
    let shapes = [("ij", 8), ("jk", 8), ("ik", 8)];
    let found = planned(Numerics::Exact, &shapes, &[1], &calls);
    let [(operands, plan)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(*operands, ["a"]);
    assert!(plan.contains("\n  value identity\n"), "{plan}");
    // A value that is needed afterwards is stored, and no kernel reads it.
    let found = planned(Numerics::Exact, &shapes, &[], &calls);
    let mut operands: Vec<_> = found.into_iter().map(|(operands, _)| operands).collect();
    operands.sort();
    assert_eq!(operands, [vec![], vec!["a"]]);
}

#[test]
fn the_first_sum_of_a_gradient_writes_it() {
    let calls = |number: f64| {
        [
            (fill("ik", 64, number), vec![2]),
            (
                nest(&["ik", "ij", "jk"], 64, ADD, Function::Multiply),
                vec![2, 0, 1],
            ),
            (
                nest(&["ik", "ij", "jk"], 64, ADD, Function::Add),
                vec![2, 0, 1],
            ),
        ]
    };
    let shapes = [("ij", 64), ("jk", 64), ("ik", 64)];
    for numerics in [Numerics::Exact, Numerics::Fast] {
        let writes = |number: f64| -> Vec<String> {
            let found = planned(numerics, &shapes, &[], &calls(number));
            let plans: String = found.into_iter().map(|(_, plan)| plan).collect();
            let lines = plans.lines().filter(|line| line.contains("writes"));
            lines.map(|line| line.trim().to_string()).collect()
        };
        assert_eq!(writes(0.0), ["writes =:+ combined", "writes =+ combined"]);
        // A sum that begins with another number is added to it.
        assert_eq!(writes(0.5).len(), 3);
    }
}

/// A number of an earlier recording need not be in memory: its buffer is never written here.
#[test]
fn a_number_that_is_known_is_not_read() {
    let Some(mut device) = engines::opencl("a known number") else {
        return;
    };
    let a = Tensor::new(vec![8, 8], (0..64).map(|at| at as f32).collect()).unwrap();
    let a = device.upload(&a).unwrap();
    let [third, result] = [(); 2].map(|()| device.reserve(&[8, 8]).unwrap());
    let call = Call {
        nest: nest(&["ij", "ij", "ij"], 8, WRITE, Function::Multiply),
        buffers: vec![result, a, third],
    };
    let purpose = Purpose {
        temporary: BTreeSet::from([third]),
        constants: BTreeMap::from([(third, 1.0 / 3.0)]),
        ..Purpose::default()
    };
    let recording = device.record(vec![call], &purpose).unwrap();
    device.replay(recording, &Symbols::new()).unwrap();
    let found = device.download(result).unwrap();
    let expected = (0..64).map(|at| at as f32 * (1.0_f32 / 3.0));
    assert!(expected.eq(found.values().iter().copied()), "{found:?}");
}

/// Makes a tensor of small whole numbers, whose sums are exact in any order.
fn whole(shape: Vec<u64>, salt: usize) -> Tensor {
    let count: u64 = shape.iter().product();
    let value = |at: usize| ((at * at + 3 * at + salt) % 7 % 5) as f32 - 2.0;
    Tensor::new(shape, (0..count as usize).map(value).collect()).unwrap()
}

/// Products of two and of three matrices with a number are packed, and ordered, as without it.
#[test]
fn a_number_changes_no_schedule_of_a_contraction() {
    let cases: [(&[&str], u64, &str); 2] = [
        (&["ik", "ij", "jk", ""], 512, "packed"),
        (&["il", "ij", "jk", "kl", ""], 40, "sum'1"),
    ];
    for (slots, size, word) in cases {
        let contraction = nest(slots, size, SUM, product(slots.len() - 1));
        let number = slots.len() - 1;
        let shapes: Vec<(&str, u64)> = slots.iter().map(|slot| (*slot, size)).collect();
        let calls = [
            (fill("", size, 3.0), vec![number]),
            (contraction.clone(), (0..slots.len()).collect()),
        ];
        let found = planned(Numerics::Fast, &shapes, &[number], &calls);
        assert!(format!("{found:?}").contains(word), "{found:?}");
        let Some(mut device) = engines::opencl_with("a number", Numerics::Fast) else {
            return;
        };
        let run = |device: &mut dyn Device| {
            let mut buffers: Vec<BufferId> = slots
                .iter()
                .enumerate()
                .map(|(at, slot)| {
                    let tensor = whole(vec![size; slot.len()], at);
                    device.upload(&tensor).unwrap()
                })
                .collect();
            buffers[0] = device.reserve(&vec![size; slots[0].len()]).unwrap();
            let call = |nest: &LoopNest, own: &[usize]| Call {
                nest: nest.clone(),
                buffers: own.iter().map(|at| buffers[*at]).collect(),
            };
            let calls: Vec<Call> = calls.iter().map(|(nest, own)| call(nest, own)).collect();
            let purpose = Purpose::default();
            let recording = device.record(calls, &purpose).unwrap();
            device.replay(recording, &Symbols::new()).unwrap();
            device.download(buffers[0]).unwrap()
        };
        let found = run(device.as_mut());
        // Row i and column j of the product, in whole numbers.
        let expected = naive(slots, size);
        assert!(expected.iter().filter(|value| **value != 0.0).count() > expected.len() / 2);
        let pairs = found.values().iter().zip(&expected);
        for (at, (found, expected)) in pairs.enumerate() {
            assert_eq!(f64::from(*found), 3.0 * expected, "{at} of {slots:?}");
        }
    }
}

/// Computes the product of all matrices of a chain, from left to right.
fn naive(slots: &[&str], size: u64) -> Vec<f64> {
    let size = size as usize;
    let matrix = |at: usize| -> Vec<f64> {
        let tensor = whole(vec![size as u64; 2], at);
        tensor
            .values()
            .iter()
            .map(|value| (*value).into())
            .collect()
    };
    let mut product = matrix(1);
    for at in 2..slots.len() - 1 {
        let factor = matrix(at);
        let mut next = vec![0.0; size * size];
        for row in 0..size {
            for inner in 0..size {
                let left = product[row * size + inner];
                let cells = &mut next[row * size..(row + 1) * size];
                let others = &factor[inner * size..(inner + 1) * size];
                for (cell, other) in cells.iter_mut().zip(others) {
                    *cell += left * other;
                }
            }
        }
        product = next;
    }
    product
}

/// A third in 32 bits is another number than one in 64, also in a sum that is computed in 64 bits.
#[test]
fn a_number_has_the_precision_of_the_tensors() {
    for tensors in Precision::ALL {
        let arithmetic = Arithmetic {
            tensors,
            sums: Precision::F64,
            ..Arithmetic::default()
        };
        let shapes = [("ij", 8), ("", 8), ("i", 8)];
        let calls = [
            (fill("", 8, 1.0 / 3.0), vec![1]),
            (
                nest(&["i", "ij", ""], 8, SUM, Function::Multiply),
                vec![2, 0, 1],
            ),
        ];
        let found = planned(arithmetic, &shapes, &[1], &calls);
        let number = match tensors {
            Precision::F32 => f64::from(1.0_f32 / 3.0),
            Precision::F64 => 1.0 / 3.0,
        };
        let value = format!("value formula 1 $0 ={number:?} multiply");
        assert!(format!("{found:?}").contains(&value), "{found:?}");
    }
}

/// In the order of the loop nest a sum that begins with a number has the interpreter's bits, also those of the sign of
/// a zero.
#[test]
fn what_is_added_to_a_number_has_the_bits_of_the_sum() {
    let values = vec![0.0, -0.0, 1.5, -0.3, f32::INFINITY, f32::NAN, 7.0, 1e-30];
    let tensor = Tensor::new(vec![8], values).unwrap();
    let mut cases = Vec::new();
    for begin in [0.0, -0.0, 0.1, f64::NEG_INFINITY] {
        for combine in [
            Combine::Add,
            Combine::Subtract,
            Combine::Multiply,
            Combine::Max,
            Combine::Min,
        ] {
            for function in [Function::Identity, Function::Negate] {
                cases.push((begin, combine, function));
            }
        }
    }
    // One recording of all, which is one program for the compiler.
    let results = engines::all("sums with a number")
        .into_iter()
        .map(|mut device| {
            let mut calls = Vec::new();
            let mut written = Vec::new();
            for (begin, combine, function) in &cases {
                let keep = Accumulator {
                    erase: false,
                    combine: *combine,
                };
                let a = device.upload(&tensor).unwrap();
                let r = device.reserve(&[8]).unwrap();
                let mut call = |nest: LoopNest, buffers: &[BufferId]| {
                    calls.push(Call {
                        nest,
                        buffers: buffers.to_vec(),
                    });
                };
                call(fill("i", 8, *begin), &[r]);
                call(nest(&["i", "i"], 8, keep, function.clone()), &[r, a]);
                written.push(r);
            }
            let recording = device.record(calls, &Purpose::default()).unwrap();
            device.replay(recording, &Symbols::new()).unwrap();
            let bits = |value: &f32| (!value.is_nan()).then(|| value.to_bits());
            let found = written.into_iter().map(|r| device.download(r).unwrap());
            let found = found.map(|found| found.values().iter().map(bits).collect());
            found.collect::<Vec<Vec<Option<u32>>>>()
        });
    let results: Vec<_> = results.collect();
    for (at, case) in cases.iter().enumerate() {
        let same = results.iter().all(|one| one[at] == results[0][at]);
        assert!(same, "{case:?}: {results:?}");
    }
}

/// The slots and sizes of some buffers, those that are temporary, and calls.
type Program = (
    Vec<(&'static str, u64)>,
    Vec<usize>,
    Vec<(LoopNest, Vec<usize>)>,
);

/// Products of one tensor and as many numbers, each of which is filled before.
fn multiples(count: usize, size: u64) -> Program {
    let mut shapes = vec![("ij", size)];
    let (mut temporary, mut calls) = (Vec::new(), Vec::new());
    for turn in 0..count {
        let (number, result) = (2 * turn + 1, 2 * turn + 2);
        shapes.extend([("", size), ("ij", size)]);
        temporary.push(number);
        calls.push((fill("", size, 0.1 + turn as f64), vec![number]));
        let product = nest(&["ij", "ij", ""], size, WRITE, Function::Multiply);
        calls.push((product, vec![result, 0, number]));
    }
    (shapes, temporary, calls)
}

/// A kernel for each number would be compiled for longer than it runs, unless it is large.
#[test]
fn small_operations_with_many_numbers_read_them() {
    let read = |count: usize, size: u64| {
        let (shapes, temporary, calls) = multiples(count, size);
        let found = planned(Numerics::Fast, &shapes, &temporary, &calls);
        let operands = found.iter().flat_map(|(operands, _)| operands);
        operands.filter(|name| *name == "b").count()
    };
    assert_eq!(read(4, 8), 0);
    assert_eq!(read(5, 8), 5);
    assert_eq!(read(5, 512), 0);
}

#[test]
fn numbers_that_are_read_are_there() {
    let Some(mut device) = engines::opencl("many numbers") else {
        return;
    };
    let (shapes, temporary, calls) = multiples(6, 8);
    let a = device.upload(&whole(vec![8, 8], 1)).unwrap();
    let rest = shapes[1..].iter().map(|(slot, size)| {
        let shape = vec![*size; slot.len()];
        device.reserve(&shape).unwrap()
    });
    let buffers: Vec<BufferId> = std::iter::once(a).chain(rest.collect::<Vec<_>>()).collect();
    let calls = calls.into_iter().map(|(nest, slots)| Call {
        nest,
        buffers: slots.iter().map(|slot| buffers[*slot]).collect(),
    });
    let purpose = Purpose {
        temporary: temporary.iter().map(|at| buffers[*at]).collect(),
        ..Purpose::default()
    };
    let recording = device.record(calls.collect(), &purpose).unwrap();
    device.replay(recording, &Symbols::new()).unwrap();
    for turn in 0..6 {
        let found = device.download(buffers[2 * turn + 2]).unwrap();
        let number = (0.1 + turn as f64) as f32;
        let whole = whole(vec![8, 8], 1);
        let expected = whole.values().iter().map(|value| value * number);
        assert!(expected.eq(found.values().iter().copied()), "{found:?}");
    }
}
