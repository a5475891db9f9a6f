//! Contractions with the elementwise operations behind them as one kernel: the results are those of one operation after
//! the other, bit for bit.

use std::collections::BTreeSet;

use crate::engines;
use crate::random::Random;
use crate::recorded::{Program, arithmetics};

use lozenge_backend::opencl::{
    Kernel, KernelSource, Pins, Planner, Profile, devices, pin, pins_file,
};
use lozenge_backend::{
    Arithmetic, Device, Engine, Limits, Numerics, Purpose, Symbols, Tensor, open,
};
use lozenge_vocabulary::operation::Function;

/// Makes `relu(x * w + b)`, where the letters are i rows, j columns and k values.
fn layer(sizes: [u64; 3]) -> Program {
    Program {
        sizes: ['i', 'j', 'k'].into_iter().zip(sizes).collect(),
        tensors: vec!["ik", "kj", "j", "ij", "ij", "ij"],
        calls: vec![
            (vec![3, 0, 1], "=:+", Function::Multiply),
            (vec![4, 3, 2], "=:", Function::Add),
            (vec![5, 4], "=:", Function::Relu),
        ],
        temporary: vec![3, 4],
        same: Vec::new(),
    }
}

/// Makes `p =- rate * g` for `g = x * y`, with a product in between that needs p as it was.
fn update(sizes: [u64; 3]) -> Program {
    Program {
        sizes: ['i', 'j', 'k'].into_iter().zip(sizes).collect(),
        tensors: vec!["ki", "kj", "", "ij", "ij", "jk", "ik"],
        calls: vec![
            (vec![4, 0, 1], "=:+", Function::Multiply),
            (vec![6, 3, 5], "=:+", Function::Multiply),
            (vec![3, 4, 2], "=-", Function::Multiply),
        ],
        temporary: vec![4],
        same: Vec::new(),
    }
}

#[test]
fn a_layer_and_an_update_are_kernels_of_contractions() {
    for arithmetic in arithmetics() {
        let plan = layer([512, 512, 512]).planned(Profile::Cpu, arithmetic);
        assert_eq!(plan.len(), 1, "{plan:?}");
        assert_eq!(plan[0].0, 3);
        assert!(plan[0].1[0].starts_with("packed "), "{plan:?}");
        let text = "], then max(total + t3, 0)";
        assert!(plan[0].1[0].ends_with(text), "{plan:?}");
        // The product that reads p runs before the gradient, whose kernel changes p.
        let plan = update([512, 512, 512]).planned(Profile::Cpu, arithmetic);
        let calls: Vec<usize> = plan.iter().map(|one| one.0).collect();
        assert_eq!(calls, [1, 2], "{plan:?}");
        assert!(plan[1].1[0].ends_with("then total * t3"), "{plan:?}");
    }
}

#[test]
fn totals_that_end_in_registers_are_those_that_went_through_memory() {
    for (number, arithmetic) in arithmetics().into_iter().enumerate() {
        let Some(mut device) = engines::opencl_with("epilogues", arithmetic) else {
            return;
        };
        let layers = [layer([390, 333, 300]), layer([700, 522, 100])];
        for program in [&layers[number], &update([390, 333, 300])] {
            let plan = program.planned(Profile::Cpu, arithmetic);
            assert!(
                plan.iter().any(|one| one.1[0].contains(", then ")),
                "{plan:?}"
            );
            program.check(device.as_mut(), &format!("{:?}", program.sizes));
        }
    }
}

/// Programs in which some operations cannot be an epilogue, or several are one, each with the number of operations of
/// the kernel that has one, exactly and fast.
fn apart() -> Vec<(&'static str, Program, [usize; 2])> {
    let size = 400;
    let program = |tensors: &[&'static str], temporary: &[usize]| Program {
        sizes: "hijk"
            .chars()
            .map(|one| (one, if one == 'h' { 2 } else { size }))
            .collect(),
        tensors: ["ij", "ik", "kj"].iter().chain(tensors).copied().collect(),
        calls: vec![(vec![0, 1, 2], "=:+", Function::Multiply)],
        temporary: temporary.to_vec(),
        same: Vec::new(),
    };
    let with = |mut program: Program, calls: &[(&[usize], &'static str, Function)]| {
        let calls = calls
            .iter()
            .map(|(slots, writes, function)| (slots.to_vec(), *writes, function.clone()));
        program.calls.extend(calls);
        program
    };
    let (relu, add, multiply) = (Function::Relu, Function::Add, Function::Multiply);
    vec![
        (
            "the total is needed afterwards",
            with(program(&["ij"], &[]), &[(&[3, 0], "=:", relu.clone())]),
            [0, 0],
        ),
        (
            "two operations read the total",
            with(
                program(&["ij", "ij"], &[0]),
                &[
                    (&[3, 0], "=:", relu.clone()),
                    (&[4, 0], "=:", Function::Negate),
                ],
            ),
            [0, 0],
        ),
        (
            "each total is read more than once",
            with(
                program(&["hij", "h"], &[0]),
                &[(&[3, 0, 4], "=:", add.clone())],
            ),
            [0, 0],
        ),
        (
            "the written tensor is an operand of the contraction",
            with(program(&[], &[0]), &[(&[1, 0], "=+", Function::Identity)]),
            [0, 0],
        ),
        (
            "the written tensor is read at another cell",
            Program {
                sizes: vec![('h', 12), ('i', 12), ('j', 64), ('k', 4096)],
                tensors: vec!["hij", "hik", "kj", "hij", "ihj", "hij"],
                same: vec![(4, 5)],
                ..with(
                    program(&[], &[0, 3]),
                    &[
                        (&[3, 0, 4], "=:", add.clone()),
                        (&[5, 3], "=-", Function::Identity),
                    ],
                )
            },
            [2, 2],
        ),
        // The total is read by two operations, and what they leave by a third: `t / (1 + exp(-t)) + t`, with one
        // function that costs more than a read.
        (
            "operations that meet again",
            with(
                program(&["ij", "ij", "ij", "ij"], &[0, 3, 4]),
                &[
                    (&[3, 0], "=:", Function::Sigmoid),
                    (&[4, 0, 3], "=:", multiply.clone()),
                    (&[5, 4, 0], "=:", add.clone()),
                ],
            ),
            [4, 4],
        ),
        (
            "a costly function that two operations read",
            with(
                program(&["ij", "ij", "ij"], &[0, 3, 4]),
                &[
                    (&[3, 0], "=:", Function::Sigmoid),
                    (&[4, 0, 3], "=:", multiply.clone()),
                    (&[5, 4, 3], "=:", add.clone()),
                ],
            ),
            [0, 0],
        ),
        (
            "a cheap function that two operations read",
            with(
                program(&["ij", "ij", "ij"], &[0, 3, 4]),
                &[
                    (&[3, 0], "=:", relu.clone()),
                    (&[4, 0, 3], "=:", multiply.clone()),
                    (&[5, 4, 3], "=:", add.clone()),
                ],
            ),
            [4, 4],
        ),
        // In between, a sum reads what the last operation changes, and writes what it reads.
        (
            "an operation that can move neither up nor down",
            with(
                program(&["ij", "j"], &[0]),
                &[
                    (&[4, 3], "=:+", Function::Identity),
                    (&[1, 4], "=+", Function::Identity),
                    (&[3, 0, 4], "=-", multiply.clone()),
                ],
            ),
            [0, 0],
        ),
        // Added fast, a product is rounded once.
        (
            "a product of a product that is added",
            with(
                program(&["ij", "j", "", "ij"], &[0, 3]),
                &[
                    (&[3, 0, 4], "=:", multiply.clone()),
                    (&[6, 3, 5], "=+", multiply),
                ],
            ),
            [3, 2],
        ),
    ]
}

#[test]
fn what_does_not_fit_into_an_epilogue_runs_by_itself() {
    for (number, arithmetic) in arithmetics().into_iter().enumerate() {
        let Some(mut device) = engines::opencl_with("epilogues", arithmetic) else {
            return;
        };
        for (name, program, expected) in apart() {
            let found = program.planned(Profile::Cpu, arithmetic);
            let mut ended = found.iter().filter(|one| one.1[0].contains(", then "));
            let ended = ended.next().map_or(0, |one| one.0);
            assert_eq!(ended, expected[number], "{name}: {found:?}");
            // The others are single operations. PoCL takes seconds for a packed contraction.
            if number == 0 && ended > 0 {
                program.check(device.as_mut(), name);
            }
        }
    }
}

/// A source of random choices for a small contraction and the operation behind it.
struct Drawn(Random);

impl Drawn {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        self.0.one(of)
    }

    /// Draws a contraction with up to three free letters, and an operation that reads its result and up to two tensors
    /// of some of these letters, or the cell that it writes.
    fn program(&mut self) -> Program {
        let letters = ['h', 'i', 'j', 'k', 'l'];
        let sizes = letters.map(|letter| {
            (
                letter,
                2 + self.below(if letter == 'h' { 3 } else { 39 }) as u64,
            )
        });
        let contraction = self.one(&[
            ["ij", "ik", "kj"],
            ["ij", "ki", "jk"],
            ["hij", "hik", "hkj"],
            ["hij", "kj", "hik"],
            ["hij", "hk", "kij"],
            ["ij", "ikl", "lkj"],
        ]);
        let mut tensors = contraction.to_vec();
        let cells = contraction[0];
        let written = match cells {
            "ij" => self.one(&["ij", "ij", "ji"]),
            _ => self.one(&["hij", "hij", "ihj", "jhi"]),
        };
        tensors.push(written);
        let writes = self.one(&["=:", "=:", "=:-", "=+", "=-", "=max"]);
        let mut slots = vec![3];
        let arity = 1 + self.below(3);
        let total = 1 + self.below(arity);
        for slot in 1..=arity {
            slots.push(match self.below(6) {
                _ if slot == total => 0,
                0 => 0,
                1 => 3,
                _ => {
                    let parts = match cells {
                        "ij" => ["", "i", "j", "ij", "ji"],
                        _ => ["h", "j", "hj", "jih", "hij"],
                    };
                    tensors.push(self.one(&parts));
                    tensors.len() - 1
                }
            });
        }
        let function = match arity {
            1 => self.one(&[
                Function::Relu,
                Function::Identity,
                Function::Exp,
                Function::Square,
            ]),
            2 => self.one(&[
                Function::Add,
                Function::Multiply,
                Function::Subtract,
                Function::Max,
            ]),
            _ => Function::Where,
        };
        let sum = self.one(&["=:+", "=:+", "=:max"]);
        Program {
            sizes: sizes.to_vec(),
            tensors,
            calls: vec![
                (vec![0, 1, 2], sum, Function::Multiply),
                (slots, writes, function),
            ],
            temporary: vec![0],
            same: Vec::new(),
        }
    }

    /// Draws the kernel of both operations with a plan that is drawn from all legal ones.
    fn source(
        &mut self,
        program: &Program,
        profile: Profile,
        arithmetic: Arithmetic,
    ) -> Option<KernelSource> {
        let [contraction, operation] = [0, 1].map(|call| program.nest(&program.calls[call]));
        let slots = &program.calls[1].0;
        let reads: Vec<usize> = (1..slots.len()).filter(|slot| slots[*slot] == 0).collect();
        let mut choose = |options: usize| self.below(options);
        KernelSource::chosen_with(
            &contraction,
            (&operation, &reads),
            profile,
            arithmetic,
            &mut choose,
        )
    }
}

/// Draws programs until so many of them have a kernel for both operations, with no more local memory than any
/// device here has.
fn drawn(profile: Profile, arithmetic: Arithmetic, count: usize) -> Vec<(Program, KernelSource)> {
    let least = devices().unwrap().iter().map(|device| device.local).min();
    let fits = |kernel: &Kernel| Some(kernel.local * kernel.precision.bytes()) <= least;
    let mut drawn = Drawn(Random::new(5));
    let mut all: Vec<(Program, KernelSource)> = Vec::new();
    while all.len() < count {
        let program = drawn.program();
        let Some(source) = drawn.source(&program, profile, arithmetic) else {
            continue;
        };
        // Each plan can be pinned once.
        let twice = |(_, other): &(Program, KernelSource)| {
            other.plans[0].computation() == source.plans[0].computation()
        };
        if source.kernels.iter().all(fits) && !all.iter().any(twice) {
            all.push((program, source));
        }
    }
    all
}

/// Returns the results that the interpreter leaves of a program that is run twice.
fn interpreted(program: &Program) -> Vec<Tensor> {
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    program.results(interpreter.as_mut(), false)
}

/// Pins plans that are drawn, and checks that each is what its program is computed by, in a recording of all of them.
fn assert_drawn(device: &mut dyn Device, profile: Profile, arithmetic: Arithmetic) {
    let count = std::env::var("LOZENGE_CASES").map_or(8, |count| count.parse().unwrap());
    let all = drawn(profile, arithmetic, count);
    for (program, source) in &all {
        assert_eq!(source.defect, None, "{}", source.plans[0]);
        assert!(program.planned(profile, arithmetic).len() <= 2);
    }
    let plans = all.iter().map(|(_, source)| &source.plans[0]);
    let text = pins_file(plans.clone().map(|plan| (String::new(), plan)));
    let pins = Pins::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(pins.plans().iter().eq(plans), "{text}");
    pin(device, pins.clone());
    let mut calls = Vec::new();
    let mut buffers = Vec::new();
    let mut temporary = BTreeSet::new();
    for (program, _) in &all {
        let (own, more) = program.upload(device);
        temporary.extend(program.purpose(&own).temporary);
        calls.extend(more);
        buffers.push(own);
    }
    let purpose = Purpose {
        temporary,
        ..Purpose::default()
    };
    let recording = device.record(calls, &purpose).unwrap();
    assert_eq!(pins.unused(), Vec::<usize>::new(), "{text}");
    device.replay(recording, &Symbols::new()).unwrap();
    device.replay(recording, &Symbols::new()).unwrap();
    for ((program, source), buffers) in all.iter().zip(&buffers) {
        let remaining = buffers.iter().skip(1);
        for (expected, buffer) in interpreted(program).iter().zip(remaining) {
            let found = device.download(*buffer).unwrap();
            let pairs = expected.values().iter().zip(found.values());
            for (at, (x, y)) in pairs.enumerate() {
                // Drivers round `exp` differently, and a difference from what the cell held may be much smaller than
                // it.
                let near =
                    program.calls[1].2 == Function::Exp && (x - y).abs() <= 1e-5 * x.abs().max(1.0);
                let same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                assert!(
                    same || near,
                    "{at}: {x} {y}\n{}\n{:?}",
                    source.plans[0],
                    program.calls
                );
            }
        }
    }
    device.forget(recording).unwrap();
}

#[test]
fn epilogues_of_all_legal_plans_compute_what_the_interpreter_computes() {
    let Some(mut device) = engines::opencl("epilogues") else {
        return;
    };
    assert_drawn(device.as_mut(), Profile::Cpu, Numerics::Exact.into());
}

#[test]
fn epilogues_of_groups_of_items_compute_what_the_interpreter_computes() {
    let Some(mut device) = engines::parallel("epilogues", Numerics::Exact) else {
        return;
    };
    assert_drawn(device.as_mut(), Profile::Parallel, Numerics::Exact.into());
}

#[test]
fn a_group_of_items_computes_an_epilogue_too() {
    let plan = layer([2048, 1024, 512]).planned(Profile::Parallel, Numerics::Fast.into());
    assert_eq!(plan.len(), 1, "{plan:?}");
    assert!(plan[0].1[0].starts_with("grid "), "{plan:?}");
    assert!(plan[0].1[0].contains(", then "), "{plan:?}");
}

#[test]
fn epilogues_damaged_by_hand_are_refused() {
    let program = layer([64, 80, 96]);
    let [contraction, add] = [0, 1].map(|call| program.nest(&program.calls[call]));
    let arithmetic = Arithmetic::default();
    let source = KernelSource::chosen_with(
        &contraction,
        (&add, &[1]),
        Profile::Cpu,
        arithmetic,
        &mut |_| 0,
    );
    let text = pins_file(
        source
            .unwrap()
            .plans
            .iter()
            .map(|plan| (String::new(), plan)),
    );
    assert!(Pins::parse(&text).is_ok(), "{text}");
    for (from, to, expected) in [
        ("  ends =: stored\n", "", "the line `ends` is missing"),
        ("  then add of total t3\n", "", "the line `then` is missing"),
        (
            "of total",
            "total",
            "`then` needs a function and its operands, as in `add of total t3`",
        ),
        (
            "of total",
            "of totals",
            "`totals`, where `total` or a slot such as t3 was expected",
        ),
        (
            "then add",
            "then added",
            "`added`, where a function such as multiply, or `formula` was expected",
        ),
        (
            "of total t3",
            "of total",
            "4 buffers, and the value needs 3",
        ),
        (
            "of total t3",
            "of total t4",
            "points: an epilogue of other operands",
        ),
        (
            "of total t3",
            "of total total",
            "4 buffers, and the value needs 3",
        ),
        (
            "then add",
            "then relu",
            "points: an epilogue of other operands",
        ),
        (
            "  step\n",
            "  step\n    then subtract of total t3\n",
            "values: another epilogue",
        ),
        (
            "  step\n",
            "  step\n    ends =+ combined\n",
            "values: another epilogue",
        ),
        (
            "schedule packed",
            "schedule cell # ",
            "points: an epilogue, which only the schedules packed and grid compute",
        ),
    ] {
        assert!(text.contains(from), "{from} is not in\n{text}");
        let error = Pins::parse(&text.replacen(from, to, 1))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
    }
}

/// A pin says how the contraction alone is computed, so it is computed alone.
#[test]
fn a_contraction_that_is_pinned_has_no_epilogue() {
    let program = layer([512, 512, 512]);
    let contraction = KernelSource::new(&program.nest(&program.calls[0]), Profile::Cpu);
    let text = pins_file(contraction.plans.iter().map(|plan| (String::new(), plan)));
    let pins = Pins::parse(&text).unwrap();
    let mut planner = Planner::new(Limits::default(), Arithmetic::default()).pinned(pins.clone());
    let (buffers, calls) = program.upload(&mut planner);
    planner.record(calls, &program.purpose(&buffers)).unwrap();
    let plans = planner.plans().remove(0);
    assert_eq!(plans[0].calls.len(), 1);
    assert!(!plans[0].schedule[0].contains("then"), "{plans:?}");
    assert_eq!(pins.unused(), Vec::<usize>::new());
}
