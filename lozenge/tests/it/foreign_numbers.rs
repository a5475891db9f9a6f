//! A program that was put together by hand with a number that refers to nothing: every public function answers it
//! without a panic. Each number of some programs is replaced in turn.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use lozenge::backend::Interpreter;
use lozenge::vocabulary::operation::{Requirement, Side, TensorId};
use lozenge::vocabulary::program::{Program, Source, Turns, Values};
use lozenge::{
    Asserted, Growing, GrowingError, Inference, Options, Reason, Refusal, Settings, Watch,
};

/// Programs with every kind of number: sections, batches, evaluations, gradients, calls, regions, requests and losses.
const PROGRAMS: [&str; 3] = [
    "data x : 8|->3 = range(24)\nparam w = 0.5\ndef twice(y): y + y\ndef again(y): twice(twice(softmax(y)))\nlet y = again(w * x)\nprint y\nassert y == y",
    "data x : n:4|->1 = [0, 1, 2, 3]\ndata t : n|->1 = [1, 3, 5, 7]\nlet line = dense(1)\ntrain 2 epochs by 2 of n shuffled:\n  let loss = mse(line(x), t)\n  backward loss\n  for q in params(loss): sgd(0.05)(q, q.grad)\n  print loss\n  each epoch: print mean(line(x))\n",
    "data x : 6|->3 = range(18)\ndata h : 6|->5 = range(30)\nd =: concat(x, h) \"n|->y; n|->a => n|->y^a\"",
];

fn programs() -> Vec<(&'static str, Program)> {
    let read = |text| (text, lozenge::parse(text).expect(text));
    PROGRAMS.map(read).into()
}

fn of_range(range: &mut Range<usize>) -> [&mut usize; 2] {
    [&mut range.start, &mut range.end]
}

/// Calls a function with every number of a program, in a fixed order.
fn numbers(program: &mut Program, see: &mut dyn FnMut(&'static str, &mut usize)) {
    for tensor in &mut program.tensors {
        if let Source::Data(Values::Batches(whole)) = &mut tensor.source {
            see("whole", &mut whole.0);
        }
    }
    for step in &mut program.steps {
        step.operation
            .slots
            .iter_mut()
            .for_each(|id| see("tensor", &mut id.0));
        let mut requirements = (*step.operation.requirements).clone();
        for side in requirements.iter_mut().flat_map(|stated| match stated {
            Requirement::Equal(a, b) | Requirement::Below(a, b) => vec![a, b],
            Requirement::Template(_) => Vec::new(),
        }) {
            if let Side::Slot(slot, _) = side {
                see("slot", slot);
            }
        }
        step.operation.requirements = Arc::new(requirements);
        step.call.iter_mut().for_each(|call| see("call", call));
        if let Some(record) = &mut step.record {
            see("record", &mut record.step);
            record
                .slots
                .iter_mut()
                .for_each(|slot| see("record slot", slot));
        }
    }
    for call in &mut program.calls {
        call.within
            .iter_mut()
            .for_each(|outer| see("within", outer));
    }
    for one in &mut program.predefined {
        one.call
            .iter_mut()
            .for_each(|call| see("predefined call", call));
        of_range(&mut one.steps)
            .into_iter()
            .for_each(|at| see("predefined steps", at));
        for (argument, _) in &mut one.arguments {
            see("argument", &mut argument.0);
        }
    }
    program
        .losses
        .iter_mut()
        .for_each(|(id, _)| see("loss", &mut id.0));
    program
        .requests
        .iter_mut()
        .for_each(|request| see("request", &mut request.tensor.0));
    for first in &mut program.firsts {
        see("first", &mut first.tensor.0);
        of_range(&mut first.steps)
            .into_iter()
            .for_each(|at| see("first steps", at));
    }
    for section in &mut program.sections {
        of_range(&mut section.steps)
            .into_iter()
            .for_each(|at| see("section steps", at));
        of_range(&mut section.requests)
            .into_iter()
            .for_each(|at| see("section requests", at));
        for evaluation in &mut section.evaluations {
            of_range(&mut evaluation.steps)
                .into_iter()
                .for_each(|at| see("evaluation steps", at));
            of_range(&mut evaluation.requests)
                .into_iter()
                .for_each(|at| see("evaluation requests", at));
        }
        if let Turns::Epochs { cuts, .. } = &mut section.turns {
            for cut in cuts {
                see("whole", &mut cut.whole.0);
                see("batches", &mut cut.batches.0);
                see("batch", &mut cut.batch.0);
            }
        }
    }
}

/// Returns the program with one number replaced, and what kind of number that is; `None` behind the last number.
fn replaced(program: &Program, at: usize, by: usize) -> Option<(&'static str, Program)> {
    let mut changed = program.clone();
    let (mut place, mut kind) = (0, None);
    numbers(&mut changed, &mut |of, number| {
        if place == at {
            *number = by;
            kind = Some(of);
        }
        place += 1;
    });
    Some((kind?, changed))
}

/// Asks everything that takes a program.
fn ask(program: &Program, text: &str, inference: &Inference, refusals: &[&Refusal]) {
    let options = Options::default();
    assert!(program.check().is_err());
    assert!(program.constraints().is_err());
    assert!(Asserted::new(program).is_err());
    let refused = lozenge::infer(program, &options).expect_err("a foreign number");
    assert!(matches!(refused.reason, Reason::Foreign(_)), "{refused}");
    for refusal in refusals.iter().copied().chain([&*refused]) {
        refusal.diagnostic(program);
        assert!(!lozenge::diagnose(program, text, refusal, &options).is_empty());
    }
    assert!(!lozenge::refusals(program, text, inference, &options).is_empty());
    for at in 0..program.steps.len() {
        for contraction in inference.contractions(program, at) {
            contraction.words(program, inference, at);
        }
        for requirement in 0..program.steps[at].operation.requirements.len() {
            program.origin(at, requirement);
            lozenge::requirement_words(program, text, at, requirement);
        }
    }
    for tensor in 0..=program.tensors.len() {
        lozenge::axis_words(program, &inference.shapes, TensorId(tensor), 0);
    }
    assert!(lozenge::grown(program, inference, &options).is_empty());
    assert!(lozenge::notes(program, "", &inference.shapes).is_empty());
    for (step, nest) in program.steps.iter().zip(&inference.nests) {
        assert!(!lozenge::nest_text(step, nest).is_empty());
    }
    for section in &program.sections {
        section.schedule(program);
    }
    program.tags();
    let data = lozenge::load(program, Path::new("")).expect("data that is in the program");
    let mut device = Interpreter::new(Default::default());
    assert!(lozenge::run(program, inference, &data, &mut device).is_err());
    let (shapes, nests) = (&inference.shapes, &inference.nests);
    assert!(lozenge::run_nests(program, shapes, nests, &data, &mut device).is_err());
    let (settings, watch) = (Settings::default(), &mut Silent);
    let settled = lozenge::run_with(program, shapes, nests, &data, &mut device, &settings, watch);
    assert!(settled.is_err());
    assert!(lozenge::train(program, inference, &data, &mut device, &settings, watch).is_err());
    assert!(shapes.get(usize::MAX).is_none());
    assert!(lozenge::run_precise(program, inference, &Default::default()).is_err());
}

/// Watches a run and does nothing.
struct Silent;

impl Watch for Silent {}

/// Adds a program piece by piece, as far as that goes.
fn grow(program: &Program) {
    let mut growing = Growing::default();
    for tensor in &program.tensors {
        growing.tensor(tensor.clone());
    }
    for step in &program.steps {
        match growing.push(step.clone()) {
            Ok(operation) => drop(growing.nest(operation)),
            Err(GrowingError::Tensor(_) | GrowingError::Slot(_) | GrowingError::Refused(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert!(growing.known(TensorId(usize::MAX)).is_err());
    if let Ok(closed) = growing.closed() {
        let _ = closed.shape(TensorId(program.tensors.len()));
    }
    let _ = growing.finish(&Options::default());
}

#[test]
fn a_number_that_refers_to_nothing_is_refused_wherever_it_is() {
    let wrong =
        lozenge::parse("data p : 8|->3 = range(24)\ndata q : 8|->5 = range(40)\nlet r = p + q")
            .expect("a program");
    let conflict = lozenge::infer(&wrong, &Options::default()).expect_err("3 is not 5");
    let mut kinds = std::collections::BTreeMap::new();
    for (text, program) in programs() {
        let inference = lozenge::infer(&program, &Options::default()).expect("shapes");
        assert!(program.check().is_ok());
        for by in [1_000_000, usize::MAX] {
            let changed = (0..).map_while(|at| replaced(&program, at, by));
            for (kind, changed) in changed {
                ask(&changed, text, &inference, &[&conflict]);
                grow(&changed);
                *kinds.entry(kind).or_insert(0) += 1;
            }
        }
    }
    let kinds: Vec<&str> = kinds.into_keys().collect();
    assert_eq!(
        kinds,
        [
            "argument",
            "batch",
            "batches",
            "call",
            "evaluation requests",
            "evaluation steps",
            "first",
            "first steps",
            "loss",
            "predefined call",
            "predefined steps",
            "record",
            "record slot",
            "request",
            "section requests",
            "section steps",
            "slot",
            "tensor",
            "whole",
            "within",
        ]
    );
}

#[test]
fn an_operation_without_a_result_and_one_without_places_are_refused() {
    let (_, program) = programs().remove(0);
    let mut without_slots = program.clone();
    without_slots.steps[0].operation.slots.clear();
    let mut without_places = program.clone();
    without_places.steps[0].slot_spans.clear();
    let mut twice = programs().remove(1).1;
    let section = twice.sections[0].clone();
    twice.sections.push(section);
    for program in [without_slots, without_places, twice] {
        let refused = lozenge::infer(&program, &Options::default()).expect_err("refused");
        assert!(matches!(refused.reason, Reason::Foreign(_)), "{refused}");
        grow(&program);
    }
}
