//! A program that grows by one operation at a time agrees with the same program read at once: in what is known, the
//! loop nests, the result of closing, and the refusals.

use std::fmt::Write;

use lozenge::solver::{Problem, Solver};
use lozenge::vocabulary::operation::{Kind, TensorId};
use lozenge::vocabulary::program::Program;
use lozenge::{Growing, GrowingError, Options, infer, parse};
use lozenge_testkit::random::Random;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|errors| panic!("{text}\n{}", errors[0]))
}

/// Returns a random program: data, parameters, and operations on tensors that are defined by then.
fn random_program(random: &mut Random) -> String {
    let sizes = ["3", "3", "3", "5"];
    let mut text = String::new();
    let mut names: Vec<String> = Vec::new();
    for number in 0..1 + random.below(3) {
        let [batch, output] = [(); 2].map(|()| *random.pick(&sizes));
        let _ = writeln!(text, "data d{number} : {batch}|->{output} from \"d.csv\"");
        names.push(format!("d{number}"));
    }
    for number in 0..3 + random.below(8) {
        if random.below(3) == 0 {
            let _ = match random.below(3) {
                0 => writeln!(text, "param w{number} : ...->{}", random.pick(&sizes)),
                _ => writeln!(text, "param w{number}"),
            };
            names.push(format!("w{number}"));
        }
        let [a, b] = [(); 2].map(|()| random.pick(&names).clone());
        let _ = match random.below(11) {
            0 | 1 => writeln!(text, "let t{number} = {a} * {b}"),
            2 | 3 => writeln!(text, "let t{number} = {a} + {b}"),
            4 => writeln!(text, "let t{number} = relu({a}) - 1"),
            5 => writeln!(text, "let t{number} = transpose({a})"),
            6 => writeln!(text, "t{number} =:+ {a} \"n|->c => c|->n\""),
            7 => writeln!(text, "t{number} =:+ {a} * {b} \"n|->c; n|->d => c->d\""),
            8 => writeln!(text, "let t{number} = map({a}, \"n|->_^c:3 => n|->c\")"),
            9 => writeln!(text, "let t{number} = map({a}, \"n|->... => n|->(...)\")"),
            _ => writeln!(text, "let t{number} = exp({a} *. {b})"),
        };
        names.push(format!("t{number}"));
    }
    text
}

/// Returns the program with all its tensors, and no operation yet.
fn grown(program: &Program) -> Growing {
    let mut growing = Growing::default();
    for tensor in &program.tensors {
        growing.tensor(tensor.clone());
    }
    growing
}

/// Returns the solved form of the first operations of a program, in one go.
fn solved(program: &Program, steps: usize) -> Option<Solver> {
    let first = Program {
        tensors: program.tensors.clone(),
        steps: program.steps[..steps].to_vec(),
        ..Program::default()
    };
    let mut solver = Solver::new(Problem::from(&first.constraints().unwrap().set));
    solver.solve_so_far().ok().map(|()| solver)
}

#[test]
fn what_is_known_and_what_closing_gives_is_that_of_the_whole_program() {
    let (mut settled, mut closed, mut refused, mut unclosed) = (0, 0, 0, 0);
    for index in 0..2000 {
        let text = random_program(&mut Random::indexed(index));
        let program = program(&text);
        let mut growing = grown(&program);
        for (number, step) in program.steps.iter().enumerate() {
            let whole = solved(&program, number + 1);
            match (growing.push(step.clone()), &whole) {
                (Ok(pushed), Some(_)) => assert_eq!(pushed, number),
                (Err(GrowingError::Refused(_)), None) => {
                    refused += 1;
                    break;
                }
                (pushed, whole) => panic!("{text}\n{pushed:?} but {}", whole.is_some()),
            }
            let whole = whole.expect("solved");
            for slot in &step.operation.slots {
                let known = growing.known(*slot).expect("a tensor");
                for kind in Kind::ALL {
                    let row = program[*slot].shape.row(kind);
                    let Some(var) = &row.var else { continue };
                    let value = whole.solution().row(var.name()).unwrap_or_default();
                    assert_eq!(
                        known.row(kind).row,
                        value,
                        "{text}\n{var} after operation {number}"
                    );
                    settled += usize::from(known.row(kind).is_settled());
                }
            }
        }
        if growing.program().steps.len() < program.steps.len() {
            continue;
        }
        let inferred = infer(&program, &Options::default());
        match (growing.closed(), inferred) {
            (Ok(mut now), Ok(inferred)) => {
                for (id, shape) in inferred.shapes.iter().enumerate() {
                    assert_eq!(now.shape(TensorId(id)).as_ref(), Ok(shape), "{text}\n{id}");
                }
                for (operation, nest) in inferred.nests.iter().enumerate() {
                    assert_eq!(now.nest(operation).as_ref(), Ok(nest), "{text}");
                }
                closed += 1;
            }
            (Err(_), Err(_)) => unclosed += 1,
            (Ok(mut now), Err(refusal)) => {
                // Shapes without a loop nest.
                let nests = 0..program.steps.len();
                let all = nests
                    .into_iter()
                    .all(|operation| now.nest(operation).is_ok());
                assert!(!all, "{text}\n{refusal}");
            }
            (Err(refusal), Ok(_)) => panic!("{text}\n{refusal}"),
        }
    }
    assert!(
        settled > 1000 && closed > 300 && refused > 100 && unclosed > 5,
        "{settled} {closed} {refused} {unclosed}"
    );
}

#[test]
fn what_is_settled_stays_as_it_is() {
    let mut compared = 0;
    for index in 0..200 {
        let text = random_program(&mut Random::indexed(1000 + index));
        let program = program(&text);
        let mut growing = grown(&program);
        let mut before: Vec<(TensorId, Kind, String)> = Vec::new();
        for step in &program.steps {
            if growing.push(step.clone()).is_err() {
                break;
            }
            for (tensor, kind, value) in &before {
                let known = growing.known(*tensor).expect("a tensor");
                assert_eq!(&known.row(*kind).row.to_string(), value, "{text}");
                compared += 1;
            }
            for slot in &step.operation.slots {
                let known = growing.known(*slot).expect("a tensor");
                for kind in Kind::ALL {
                    if known.row(kind).is_settled() {
                        before.push((*slot, kind, known.row(kind).row.to_string()));
                    }
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn a_rollback_leads_back_to_what_was_known() {
    let mut compared = 0;
    for index in 0..200 {
        let mut random = Random::indexed(2000 + index);
        let text = random_program(&mut random);
        let program = program(&text);
        let mut growing = grown(&program);
        let ids = || (0..program.tensors.len()).map(TensorId);
        for step in &program.steps {
            // An operation is added and taken back, and closing in between changes nothing.
            let known: Vec<_> = ids().map(|id| growing.known(id)).collect();
            growing.mark();
            let _ = growing.push(step.clone());
            let _ = growing.closed().map(|_| ());
            assert!(growing.rollback());
            let again: Vec<_> = ids().map(|id| growing.known(id)).collect();
            assert_eq!(known, again, "{text}");
            compared += 1;
            if growing.push(step.clone()).is_err() {
                // A refused operation leaves everything as it was.
                let after: Vec<_> = ids().map(|id| growing.known(id)).collect();
                assert_eq!(known, after, "{text}");
                break;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn an_operation_on_a_tensor_that_is_not_there_is_an_error() {
    let program = program("data x : 8|->3 = range(24)\nlet y = x + x");
    let mut growing = Growing::default();
    growing.tensor(program.tensors[0].clone());
    let missing = TensorId(1);
    let step = program.steps[0].clone();
    assert_eq!(
        growing.push(step.clone()),
        Err(GrowingError::Tensor(missing))
    );
    assert_eq!(growing.known(missing), Err(GrowingError::Tensor(missing)));
    assert_eq!(growing.nest(0), Err(GrowingError::Operation(0)));
    growing.tensor(program.tensors[1].clone());
    let mut few = step.clone();
    few.operation.slots.truncate(1);
    assert_eq!(growing.push(few), Err(GrowingError::Slot(1)));
    assert_eq!(growing.push(step), Ok(0));
    assert!(!growing.rollback() && !growing.keep());
}

#[test]
fn a_refusal_names_the_operations_behind_it() {
    let program = program(
        "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nlet y = x + 1\nlet z = y + t",
    );
    let mut growing = grown(&program);
    let mut pushed: Vec<_> = program
        .steps
        .iter()
        .map(|step| growing.push(step.clone()))
        .collect();
    let Some(Err(GrowingError::Refused(refusal))) = pushed.pop() else {
        panic!("the sum of 3 and 4 is refused");
    };
    let batch = infer(&program, &Options::default()).expect_err("refused");
    assert_eq!(refusal.to_string(), batch.to_string());
    assert_eq!(growing.program().steps.len(), program.steps.len() - 1);
}

#[test]
fn a_dimension_is_a_parameters_when_one_of_its_tensors_is_a_parameter() {
    let text = "data x : 8|->3 = range(24)\nlet y = x + 1\nparam w\nlet z = w * y";
    let program = program(text);
    let mut growing = grown(&program);
    growing.mark();
    for step in &program.steps {
        assert!(growing.push(step.clone()).is_ok());
    }
    assert!(growing.keep());
    assert!(growing.finish(&Options::default()).is_ok());
}
