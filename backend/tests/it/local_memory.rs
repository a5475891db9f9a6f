//! Devices with little local memory: kernels that need more are planned without it, and one that is pinned is refused.

use lozenge_backend::opencl::{KernelSource, OpenCl, Pins, Planner, Profile, pins_file};
use lozenge_backend::{Device, Error, Limits, Numerics, Symbols};
use lozenge_vocabulary::operation::Function;

use crate::engines;
use crate::recorded::{Program, Written, calls};

/// Makes a matrix product with an operation behind it, a transposed tensor, a softmax by rows and a sum over the first
/// axis.
fn program() -> Program {
    use Function::{Add, Divide, Exp, Identity, Multiply};
    let written: [Written<'_>; 7] = [
        (&[2, 0, 1], "=:+", Multiply),
        (&[3, 2, 4], "=:", Add),
        (&[5, 0], "=:", Identity),
        (&[6, 3], "=:", Exp),
        (&[7, 6], "=:+", Identity),
        (&[8, 6, 7], "=:", Divide),
        (&[9, 8], "=:+", Identity),
    ];
    Program {
        sizes: vec![('i', 390), ('j', 333), ('k', 300)],
        tensors: vec!["ik", "kj", "ij", "ij", "j", "ki", "ij", "i", "ij", "j"],
        calls: calls(&written),
        temporary: vec![2, 3, 6, 7],
        same: Vec::new(),
    }
}

/// Lists the words with which the lines of the schedules begin.
fn templates(local: u64) -> Vec<String> {
    let planner = Planner::new(Limits::default(), Numerics::Fast).with_local_memory(local);
    let plans = program().planned_by(planner);
    let lines = plans.iter().flat_map(|(_, lines)| lines);
    let first = lines.filter_map(|line| line.split(' ').next());
    first.map(str::to_string).collect()
}

#[test]
fn what_does_not_fit_is_planned_without_local_memory() {
    let all = templates(u64::MAX);
    for template in ["packed", "staged"] {
        assert!(all.iter().any(|one| one == template), "{template}: {all:?}");
    }
    let none = templates(0);
    let local = ["packed", "staged", "sweep"];
    assert!(none.iter().all(|one| !local.contains(&&**one)), "{none:?}");
}

#[test]
fn little_local_memory_changes_no_exact_bit() {
    if engines::opencl("local memory").is_none() {
        return;
    }
    let program = program();
    let results = |local| {
        let device = OpenCl::open(Limits::default()).unwrap();
        program.results(&mut device.with_local_memory(local), true)
    };
    let expected = results(u64::MAX);
    for local in [0, 1000, 1 << 14] {
        for (expected, found) in expected.iter().zip(results(local)) {
            assert_eq!(expected.values(), found.values(), "{local} bytes");
        }
    }
}

#[test]
fn a_pinned_plan_with_more_local_memory_than_there_is_is_refused() {
    if engines::opencl("local memory").is_none() {
        return;
    }
    let program = program();
    let nest = program.nest(&program.calls[0]);
    let plans = KernelSource::new(&nest, Profile::Cpu).plans;
    let text = pins_file(plans.iter().map(|plan| (String::new(), plan)));
    let run = |local| {
        let device = OpenCl::open(Limits::default()).unwrap();
        let mut device = device.with_local_memory(local);
        device.pin(Pins::parse(&text).unwrap());
        let (_, calls) = program.upload(&mut device);
        device.run(&calls[0].nest, &calls[0].buffers, &Symbols::new())
    };
    assert_eq!(run(u64::MAX), Ok(()));
    let Err(Error::Schedule(why)) = run(1000) else {
        panic!("a kernel with more local memory than there is");
    };
    let mend = "of which the device has 1000: pin another `schedule` for it, or none";
    assert!(why.starts_with("limits: ") && why.ends_with(mend), "{why}");
    // The plan in its place runs, whether nothing is pinned or another schedule.
    let device = OpenCl::open(Limits::default()).unwrap();
    let mut device = device.with_local_memory(1000);
    let (_, calls) = program.upload(&mut device);
    let run = |device: &mut OpenCl| device.run(&calls[0].nest, &calls[0].buffers, &Symbols::new());
    assert_eq!(run(&mut device), Ok(()));
    let mut planner = Planner::new(Limits::default(), Numerics::Exact).with_local_memory(1000);
    let (_, calls_of_planner) = program.upload(&mut planner);
    let call = &calls_of_planner[0];
    planner
        .run(&call.nest, &call.buffers, &Symbols::new())
        .unwrap();
    let other = planner.plans().concat();
    let other = pins_file(other[0].plans.iter().map(|plan| (String::new(), plan)));
    let pins = Pins::parse(&other).unwrap();
    device.pin(pins.clone());
    assert_eq!(run(&mut device), Ok(()));
    assert!(pins.unused().is_empty());
}
