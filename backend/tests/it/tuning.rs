//! Tuning of a contraction with the operations around it, which are one kernel: other plans of it give its numbers, and
//! what is measured can be pinned.

use std::time::Instant;

use lozenge_backend::opencl::{OpenCl, Pins, PlanText, Planner, Profile, pins_file};
use lozenge_backend::{Device, Error, Limits, Numerics};
use lozenge_vocabulary::operation::Function;

use crate::engines;
use crate::recorded::{Program, Written, calls};

/// Makes `relu(square(x) * w + b)`, and a softmax, which is a group.
fn program() -> Program {
    use Function::{Add, Divide, Exp, Identity, Multiply, Relu, Square};
    let written: [Written<'_>; 7] = [
        (&[3, 0], "=:", Square),
        (&[4, 3, 1], "=:+", Multiply),
        (&[5, 4, 2], "=:", Add),
        (&[6, 5], "=:", Relu),
        (&[7, 6], "=:", Exp),
        (&[8, 7], "=:+", Identity),
        (&[9, 7, 8], "=:", Divide),
    ];
    Program {
        sizes: vec![('i', 390), ('j', 333), ('k', 300)],
        tensors: vec!["ik", "kj", "j", "ik", "ij", "ij", "ij", "ij", "i", "ij"],
        calls: calls(&written),
        temporary: vec![3, 4, 5, 7, 8],
        same: Vec::new(),
    }
}

fn plans(pins: Pins) -> Vec<PlanText> {
    let program = program();
    let planner = Planner::new(Limits::default(), Numerics::Exact);
    let mut planner = planner.planned_for(Profile::Cpu).pinned(pins);
    let (buffers, calls) = program.upload(&mut planner);
    let purpose = program.purpose(&buffers);
    planner.record(calls, &purpose).unwrap();
    let planned = planner.plans().remove(0);
    planned.into_iter().flat_map(|one| one.plans).collect()
}

#[test]
fn a_contraction_with_the_operations_around_it_is_tuned_as_one_kernel() {
    if engines::opencl("tuning").is_none() {
        return;
    }
    let plans = plans(Pins::default());
    let (whole, parts): (Vec<_>, Vec<_>) = plans.into_iter().partition(PlanText::is_whole);
    let [plan] = &whole[..] else {
        panic!("{whole:?}");
    };
    let mut device = OpenCl::open(Limits::default()).unwrap();
    // One round, since the time is up at once.
    let tuned = device.tune(plan, Instant::now(), &|| false).unwrap();
    assert_eq!(&tuned.default.0, plan);
    assert_eq!((tuned.better, tuned.wrong), (None, 0));
    assert!(tuned.measured > 1);
    let refused = device.tune(&parts[0], Instant::now(), &|| false);
    assert!(matches!(refused, Err(Error::Schedule(_))), "{refused:?}");
}

#[test]
fn a_pinned_plan_of_a_contraction_with_operations_is_taken() {
    let first = plans(Pins::default());
    let plan = first.iter().find(|plan| plan.is_whole()).unwrap();
    let text = pins_file([(String::new(), plan)]);
    let changed = text.replacen("blocks of 24 rows", "blocks of 48 rows", 1);
    assert_ne!(changed, text, "{text}");
    let pins = Pins::parse(&changed).unwrap();
    let second = plans(pins.clone());
    assert!(pins.unused().is_empty());
    let schedules =
        |all: &[PlanText]| -> Vec<String> { all.iter().flat_map(PlanText::schedules).collect() };
    assert!(schedules(&second)[0].contains("blocks of 48 rows"));
    assert_eq!(schedules(&second)[1..], schedules(&first)[1..]);
}
