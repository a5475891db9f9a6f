//! A query with a number that belongs to another program is answered without a panic.

use lozenge::vocabulary::operation::TensorId;
use lozenge::{Inference, Options, Surroundings};

fn inferred(source: &str) -> (lozenge::vocabulary::program::Program, Inference) {
    let program = lozenge::parse_in(source, &Surroundings::default()).expect("a program");
    let inference = lozenge::infer(&program, &Options::default()).expect("shapes");
    (program, inference)
}

#[test]
fn numbers_of_another_program_have_an_answer() {
    let (small, of_small) = inferred("data a : ->2 = range(2)\nlet b = a + a");
    let (large, of_large) = inferred(
        "data x : 8|->3 = range(24)\nparam w = 0.5\nlet y = w * x\nlet z = y + y\ndata t : 8|->5 = range(40)\nlet e = z - t",
    );
    let composition = (0..large.steps.len())
        .find(|at| !of_large.contractions(&large, *at).is_empty())
        .expect("a contraction");
    let contraction = &of_large.contractions(&large, composition)[0];
    assert!(
        contraction
            .words(&large, &of_large, composition)
            .contains("of w")
    );
    let foreign = contraction.words(&small, &of_small, composition);
    assert!(foreign.contains("no tensor of the program"), "{foreign}");
    for number in [large.tensors.len(), usize::MAX] {
        let (tensor, nothing) = (TensorId(number), "axis 0 of no tensor of the program");
        assert_eq!(
            lozenge::axis_words(&large, &of_large.shapes, tensor, 0),
            nothing
        );
        assert!(of_large.shape(tensor).is_none());
        assert!(of_large.contractions(&large, number).is_empty());
        assert!(lozenge::requirement_words(&large, "", number, 0).is_none());
    }
    let of_another = of_large.asserted().origin(&small, usize::MAX);
    assert!(of_another.is_none(), "{of_another:?}");
}

const PROGRAMS: [&str; 3] = [
    "data a : ->2 = range(2)\nlet b = a + a",
    "data x : 8|->3 = range(24)\nparam w = 0.5\nlet y = w * x\nlet z = y + y\ndata t : 8|->5 = range(40)\nlet e = z - t",
    "data x : n:4|->1 = [0, 1, 2, 3]\ndata t : n|->1 = [1, 3, 5, 7]\nlet line = dense(1)\ntrain 2 epochs by 2 of n shuffled:\n  let loss = mse(line(x), t)\n  backward loss\n  for q in params(loss): sgd(0.05)(q, q.grad)\n  print loss\n",
];

#[test]
fn messages_of_another_program_have_an_answer() {
    let options = Options::default();
    let refused =
        "data p : 8|->3 = range(24)\ndata q : 8|->5 = range(40)\nlet r = p * p\nlet é = r + q";
    let wrong = lozenge::parse(refused).expect("a program");
    let refusal = lozenge::infer(&wrong, &options).expect_err("3 is not 5");
    let lozenge::Reason::Shapes(conflict) = refusal.reason.clone() else {
        panic!("{refusal}");
    };
    for source in PROGRAMS {
        let (program, inference) = inferred(source);
        assert!(!refusal.diagnostic(&program).message.is_empty());
        assert!(!lozenge::diagnose(&program, source, &refusal, &options).is_empty());
        let moved = inference
            .asserted()
            .refusal(&program, conflict.refusal.clone());
        assert_eq!(moved.verdict, refusal.verdict);
        for other in PROGRAMS {
            let messages = lozenge::refusals(&program, source, &inferred(other).1, &options);
            assert_eq!(messages.is_empty(), source == other, "{messages:?}");
        }
    }
}

/// Refused programs: by constraints, by a position past the end of an axis, and with more operations than the others
/// have.
const REFUSED: [&str; 3] = [
    "data p : 8|->3 = range(24)\ndata q : 8|->5 = range(40)\nlet r = p * p\nlet é = r + q",
    "data x : ->3 = range(3)\nlet a = x + x\nlet b = a + x\nlet c = b + x\ny =: c \"7=>\"",
    "data p : 8|->3 = range(24)\ndata q : 8|->5 = range(40)\nlet a = p + p\nlet b = a + p\nlet c = b + p\nlet d = c + q",
];

#[test]
fn a_message_with_the_text_of_another_program_is_no_panic() {
    let options = Options::default();
    let texts = || {
        PROGRAMS
            .into_iter()
            .chain(REFUSED)
            .chain(["", "é", "\"é\n\""])
    };
    for source in PROGRAMS {
        let (program, inference) = inferred(source);
        for text in texts() {
            for message in lozenge::refusals(&program, text, &inference, &options) {
                message.render(text, "other.loz", false);
            }
            for operation in 0..program.steps.len() {
                for requirement in 0..program.steps[operation].operation.requirements.len() {
                    lozenge::requirement_words(&program, text, operation, requirement);
                }
            }
        }
    }
    for source in REFUSED {
        let refused = lozenge::parse(source).expect("a program");
        let refusal = lozenge::infer(&refused, &options).expect_err(source);
        let programs = PROGRAMS.into_iter().chain(REFUSED);
        let programs = programs.map(|other| lozenge::parse(other).expect("a program"));
        for program in programs {
            for text in texts() {
                let messages = lozenge::diagnose(&program, text, &refusal, &options);
                assert!(!messages.is_empty());
                for message in messages.iter().chain([&refusal.diagnostic(&program)]) {
                    message.render(text, "other.loz", false);
                    message.place(text);
                    if let Some(help) = &message.help {
                        lozenge::lang::Edit::apply(&help.edits, text);
                    }
                }
            }
        }
    }
}

#[test]
fn contractions_of_another_program_are_none() {
    let (small, of_small) = inferred("data a : ->2 = range(2)\nlet b = a + a\nlet c = b + a");
    let (large, _) = inferred(PROGRAMS[1]);
    assert!(small.tensors.len() < large.tensors.len());
    for operation in 0..large.steps.len() {
        let found = of_small.contractions(&large, operation);
        assert!(found.is_empty(), "{found:?}");
    }
    assert!(small.tensor(TensorId(small.tensors.len())).is_none());
}

/// The last operation of the first program reads its parameter without axes: none is left to ask for those that it has
/// in the second.
#[test]
fn parameters_that_grew_in_another_program_are_none() {
    let options = Options::default();
    let pair =
        ["", " : ->3"].map(|shape| inferred(&format!("param w{shape} = 0.5\nlet y = w + w")));
    let [(one, of_one), (other, of_other)] = pair;
    assert_ne!(of_one.shapes, of_other.shapes);
    assert_eq!(of_one.shapes.len(), of_other.shapes.len());
    for (program, inference) in [(&one, &of_other), (&other, &of_one)] {
        assert_eq!(lozenge::grown(program, inference, &options), []);
    }
    for (source, other) in PROGRAMS
        .into_iter()
        .flat_map(|one| PROGRAMS.map(|other| (one, other)))
    {
        let ((program, _), (_, foreign)) = (inferred(source), inferred(other));
        let grown = lozenge::grown(&program, &foreign, &options);
        assert!(grown.is_empty() || source == other, "{grown:?}");
        for (step, nest) in program.steps.iter().zip(&foreign.nests) {
            assert!(!lozenge::nest_text(step, nest).is_empty());
        }
    }
}

#[test]
fn a_run_with_shapes_of_another_program_is_no_panic() {
    for (source, other) in PROGRAMS
        .into_iter()
        .flat_map(|one| PROGRAMS.map(|other| (one, other)))
    {
        let ((program, own), (of_other, foreign)) = (inferred(source), inferred(other));
        let nowhere = std::path::Path::new("");
        let data = lozenge::load(&program, nowhere).expect("data");
        let data_of_other = lozenge::load(&of_other, nowhere).expect("data");
        for (inference, data) in [
            (&foreign, &data),
            (&own, &data_of_other),
            (&foreign, &data_of_other),
        ] {
            let mut device = lozenge::backend::Interpreter::new(Default::default());
            let ran = lozenge::run(&program, inference, data, &mut device);
            let fits = source == other;
            assert!(ran.is_ok() || !fits, "{source}\n{ran:?}");
            let given = data
                .iter()
                .map(|(tensor, values)| (*tensor, values.iter().copied().map(f64::from).collect()));
            let precise = lozenge::run_precise(&program, inference, &given.collect());
            let sections = !program.sections.is_empty();
            assert!(
                precise.is_ok() || sections || !fits,
                "{source}\n{precise:?}"
            );
        }
    }
}
