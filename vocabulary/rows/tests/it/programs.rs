//! Programs that are put together by hand: when operations run, how requirements are said, which numbers refer to
//! nothing.

use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::program::{
    Assignment, Check, Cut, Evaluation, Family, First, Late, Parameter, Program, Record, Request,
    Section, Source, Start, Tensor, Turns, Values, Wish,
};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{DimVar, Tag};

/// Returns a tensor whose three rows are open.
fn tensor(name: &str, source: Source) -> Tensor {
    Tensor {
        name: name.into(),
        span: 0..0,
        source,
        shape: Shape::default().map(|kind, ()| {
            let row = format!("<{name}_{}>", kind.word());
            row.parse().expect("a row")
        }),
        tag: Tag::Param,
    }
}

/// Returns an operation that replaces the tensor in slot 0 and states nothing.
fn writes(slots: &[usize]) -> Assignment {
    Assignment {
        operation: Operation {
            slots: slots.iter().copied().map(TensorId).collect(),
            requirements: Vec::new().into(),
            pins: Default::default(),
            region: None,
            accumulator: Accumulator {
                erase: true,
                combine: Combine::Replace,
            },
            function: Function::Identity,
        },
        logic: Family::Pointwise,
        word: "",
        span: 0..100,
        slot_spans: slots.iter().map(|slot| *slot..slot + 1).collect(),
        call: None,
        late: None,
        record: None,
    }
}

fn section(program: &Program) -> Section {
    Section {
        span: 0..0,
        steps: 0..program.steps.len(),
        requests: 0..program.requests.len(),
        evaluations: Vec::new(),
        turns: Turns::Steps(3),
        training: true,
    }
}

/// Returns a program of intermediate tensors with these names.
fn intermediates(names: &[&str]) -> Program {
    let tensors = names.iter().map(|name| tensor(name, Source::Intermediate));
    Program {
        tensors: tensors.collect(),
        ..Program::default()
    }
}

const PARAMETER: Source = Source::Param(Parameter {
    start: Start::Computed,
    state: false,
});

#[test]
fn a_tensor_is_found_by_its_whole_name() {
    let program = intermediates(&["a", "ab", "b"]);
    assert_eq!(program.find("ab"), Some(TensorId(1)));
    assert_eq!(program.find("b"), Some(TensorId(2)));
    assert_eq!(program.find("c"), None);
}

#[test]
fn what_no_step_changes_runs_once() {
    let mut program = intermediates(&["data", "same", "again", "w", "moved", "sum"]);
    program.tensors[0].source = Source::Data(Values::Outside);
    program.tensors[3].source = PARAMETER;
    program.steps = vec![
        writes(&[3]),    // the first value of `w`
        writes(&[1, 0]), // of the data: the same at each step
        writes(&[2, 1]), // of what is the same
        writes(&[3, 2]), // a parameter, though of what is the same
        writes(&[4, 3]), // of a parameter that changes
        writes(&[5, 1]), // added to what was there
    ];
    program.steps[5].operation.accumulator.erase = false;
    program.firsts = vec![First {
        tensor: TensorId(3),
        steps: 0..1,
    }];
    let schedule = section(&program).schedule(&program).expect("its own");
    assert_eq!(schedule.once, [0, 1, 2]);
    assert_eq!(schedule.step, [3, 4, 5]);
    assert!(schedule.epoch.is_empty());
}

#[test]
fn values_that_a_step_determines_are_computed_at_each() {
    let mut program = intermediates(&["same", "late", "sliced", "gradient", "twice", "product"]);
    program.steps = [
        [0].as_slice(),
        &[1],
        &[2, 0],
        &[3, 0],
        &[4, 0],
        &[4, 0],
        &[5],
    ]
    .map(writes)
    .into();
    for late in [
        Late::Step,
        Late::Epoch,
        Late::Random {
            normal: true,
            key: 7,
        },
    ] {
        program.steps[1].late = Some(Box::new(late));
        let schedule = section(&program).schedule(&program).expect("its own");
        assert!(schedule.step.contains(&1), "{schedule:?}");
    }
    // The product of sizes is the same at each step.
    program.steps[6].late = Some(Box::new(Late::Product(Vec::new())));
    let pin = DimVar::new("i");
    program.steps[2]
        .operation
        .pins
        .insert(pin, Index::Symbol("step".into()));
    // A gradient is read where its forward operation is.
    program.steps[3].record = Some(Box::new(Record {
        step: 2,
        slots: vec![0, 1],
    }));
    let schedule = section(&program).schedule(&program).expect("its own");
    assert_eq!(schedule.once, [0, 6]);
    assert_eq!(schedule.step, [1, 2, 3, 4, 5]);
}

#[test]
fn a_batch_that_nothing_reads_is_not_cut_out() {
    let mut program = intermediates(&["whole", "batch", "used", "unused", "printed", "result"]);
    program.tensors[0].source = Source::Data(Values::Outside);
    program.tensors[1].source = Source::Data(Values::Batches(TensorId(0)));
    program.steps = [&[2, 1], &[3, 1], &[4, 1], &[5, 2]]
        .map(|slots| writes(slots))
        .into();
    program.requests = vec![Request {
        after: 3,
        tensor: TensorId(4),
        span: 0..0,
        what: Wish::Print,
    }];
    let section = section(&program);
    let schedule = section.schedule(&program).expect("its own");
    let all = [schedule.once, schedule.step, schedule.epoch].concat();
    assert_eq!(all, [0, 2, 3], "`unused` is not written");
    // An unread result that depends on no batch stays: here the operand is no batch any more.
    program.tensors[1].source = Source::Data(Values::Outside);
    let schedule = section.schedule(&program).expect("its own");
    assert_eq!(schedule.once, [0, 1, 2, 3]);
    program.tensors.truncate(1);
    assert_eq!(section.schedule(&program), None);
}

#[test]
fn lines_of_each_epoch_run_after_it() {
    let mut program = intermediates(&["w", "step", "epoch", "after"]);
    program.tensors[0].source = PARAMETER;
    program.steps = [&[0, 0], &[1, 0], &[2, 0], &[3, 0]]
        .map(|slots| writes(slots))
        .into();
    let mut section = section(&program);
    section.evaluations = vec![Evaluation {
        steps: 2..3,
        requests: 0..0,
    }];
    section.steps = 0..3;
    let schedule = section.schedule(&program).expect("its own");
    assert_eq!(schedule.step, [0, 1]);
    assert_eq!(schedule.epoch, [2]);
}

#[test]
fn turns_are_counted() {
    let cut = |whole: usize| Cut {
        whole: TensorId(whole),
        batches: TensorId(whole + 5),
        batch: TensorId(whole + 3),
    };
    let epochs = Turns::Epochs {
        epochs: 5,
        batch: 32,
        batches: 7,
        label: "n".into(),
        left_over: 1,
        shuffled: true,
        cuts: vec![cut(0), cut(1)],
    };
    assert_eq!((epochs.epochs(), epochs.steps()), (5, 7));
    let batches: Vec<TensorId> = epochs.batches().collect();
    assert_eq!(batches, [TensorId(3), TensorId(4)]);
    let steps = Turns::Steps(9);
    assert_eq!((steps.epochs(), steps.steps()), (1, 9));
    assert_eq!(steps.batches().count(), 0);
}

/// Returns `c` of `a` and `b`: a requirement on one operand, one on a row of a spec, and one that a written shape adds.
fn stating() -> Program {
    let mut program = intermediates(&["c", "a", "b"]);
    let side = |slot| Side::Slot(slot, Kind::Output);
    let written = || Side::Template("[3]".parse().expect("a row"));
    let mut step = writes(&[0, 1, 2]);
    step.operation.requirements = vec![
        Requirement::Below(side(0), side(2)),
        Requirement::Equal(side(1), written()),
        Requirement::Template("i = 3".parse().expect("a constraint")),
        Requirement::Equal(side(0), written()),
    ]
    .into();
    program.steps = vec![step];
    let check = Check {
        requirements: 3..4,
        span: 40..41,
        shape: 42..45,
        asserted: true,
        call: None,
    };
    program.checks.insert((0, 3), check);
    program
}

fn said(program: &Program, requirement: usize) -> String {
    let origin = program.origin(0, requirement).expect("it is stated");
    format!("{} at {:?}", origin.words, origin.span)
}

#[test]
fn a_requirement_is_said_in_words() {
    let mut program = stating();
    let below = "result `c`'s output row below operand `b`'s output row, by";
    let equal = "operand `a`'s output row equal to the spec's [3], by";
    assert_eq!(said(&program, 0), format!("{below} pointwise at 2..3"));
    assert_eq!(said(&program, 1), format!("{equal} pointwise at 1..2"));
    assert_eq!(
        said(&program, 2),
        "i = 3 in the spec, by pointwise at 0..100"
    );
    let by_assert = "`c`'s output row equal to the written [3], by assert at 40..41";
    assert_eq!(said(&program, 3), by_assert);
    program.steps[0].word = "+";
    assert_eq!(said(&program, 0), format!("{below} pointwise `+` at 2..3"));
    program.steps[0].logic = Family::Transpose;
    assert_eq!(said(&program, 0), format!("{below} transpose at 2..3"));
    for (family, word) in [
        (Family::Compose, "compose"),
        (Family::Einsum, "einsum"),
        (Family::Fill, "fill"),
        (Family::Transpose, "transpose"),
    ] {
        program.steps[0].logic = family;
        program.steps[0].word = "";
        assert_eq!(said(&program, 0), format!("{below} {word} at 2..3"));
    }
    for check in program.checks.values_mut() {
        check.asserted = false;
    }
    assert!(said(&program, 3).contains("by let"));
    assert!(program.check_of(0, 3).is_some());
    for (step, requirement) in [(0, 2), (0, 4), (1, 3)] {
        assert_eq!(program.check_of(step, requirement), None);
    }
    assert_eq!(program.origin(0, 4), None);
    assert_eq!(program.origin(1, 0), None);
}

/// Def. 6.1: a variable of a parameter is one wherever else it stands.
#[test]
fn a_variable_has_the_tag_of_a_parameter_if_one_of_its_tensors_is_one() {
    for tags in [
        [Tag::Param, Tag::Leaf],
        [Tag::Leaf, Tag::Param],
        [Tag::Leaf, Tag::Leaf],
    ] {
        let mut program = intermediates(&["a", "b"]);
        for (tensor, tag) in program.tensors.iter_mut().zip(tags) {
            tensor.tag = tag;
            tensor.shape.output = "[n]".parse().expect("a row");
        }
        let expected = tags.into_iter().find(|tag| *tag == Tag::Param);
        let found = program.tags();
        assert_eq!(
            found["n".parse().as_ref().unwrap()],
            expected.unwrap_or(Tag::Leaf)
        );
        assert_eq!(found["<a_input>".parse().as_ref().unwrap()], tags[0]);
    }
}

#[test]
fn each_constraint_has_its_origin() {
    let program = stating();
    let constraints = program.constraints().expect("its own numbers");
    let stated: Vec<String> = constraints
        .set
        .constraints
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        stated,
        [
            "<c_output> <= <b_output>",
            "<a_output> ~ [3]",
            "i = 3",
            "<c_output> ~ [3]"
        ]
    );
    let requirements: Vec<usize> = constraints
        .origins
        .iter()
        .map(|origin| origin.requirement)
        .collect();
    assert_eq!(requirements, [0, 1, 2, 3]);
    assert_eq!(constraints.set.tags.len(), 9);
}

#[test]
fn the_first_foreign_number_is_named() {
    let foreign = |change: &dyn Fn(&mut Program)| {
        let mut program = stating();
        assert_eq!(program.check(), Ok(()));
        change(&mut program);
        let error = program.check().expect_err("a foreign number");
        assert!(program.constraints().is_err());
        error.to_string()
    };
    let said = foreign(&|program| program.steps[0].operation.slots[2] = TensorId(3));
    assert_eq!(
        said,
        "operation 0: there is no tensor 3: there are 3, from 0"
    );
    let said = foreign(&|program| program.steps[0].call = Some(0));
    assert_eq!(said, "operation 0: there is no call 0: there are 0, from 0");
    let said = foreign(&|program| program.steps[0].slot_spans.truncate(2));
    assert!(said.contains("there is no slot 2: there are 2"), "{said}");
    let said = foreign(&|program| {
        program.tensors[0].source = Source::Data(Values::Batches(TensorId(9)));
    });
    assert_eq!(said, "tensor 0: there is no tensor 9: there are 3, from 0");
    let said = foreign(&|program| {
        program.steps[0].record = Some(Box::new(Record {
            step: 0,
            slots: vec![0],
        }));
    });
    assert_eq!(
        said,
        "the record of operation 0: there is no operation 0: there are 0, from 0"
    );
    assert!(stating().check_operation(1).is_err());
    let mut program = stating();
    program.steps.push(writes(&[1, 0]));
    let part = |steps| Section {
        steps,
        ..section(&program)
    };
    let sections = |parts: &[std::ops::Range<usize>]| Program {
        sections: parts.iter().cloned().map(part).collect(),
        ..program.clone()
    };
    assert_eq!(sections(&[0..1, 1..2]).check(), Ok(()));
    assert!(sections(&[0..2, 1..2]).check().is_err());
    assert!(sections(&[1..2, 0..1]).check().is_err());
    assert!(sections(&[0..1, 1..3]).check().is_err());
}
