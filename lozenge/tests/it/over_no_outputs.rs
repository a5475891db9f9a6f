//! The changes that the refusal R6 proposes compute what was meant, and the notes about several outputs.

use std::path::Path;

use lozenge::backend::Interpreter;
use lozenge::lang::Edit;
use lozenge::{Check, Options, Reading};

/// Returns the program after the change that its only refusal proposes.
fn mended(source: &str) -> String {
    let errors = lozenge::read(source, &Options::default()).expect_err(source);
    let [error] = errors.as_slice() else {
        panic!("{errors:?}");
    };
    assert_eq!(error.code.as_deref(), Some("R6"), "{error:?}");
    let help = error.help.as_ref().expect("a help");
    assert!(!help.edits.is_empty(), "{help:?}");
    Edit::apply(&help.edits, source)
}

fn read(source: &str) -> Reading {
    let read = lozenge::read(source, &Options::default());
    read.unwrap_or_else(|errors| panic!("{source}\n{errors:?}"))
}

/// Returns the values of a tensor of a program.
fn values(source: &str, name: &str) -> Vec<f32> {
    let reading = read(source);
    let (program, inference) = (&reading.program, &reading.inference);
    let data = lozenge::load(program, Path::new("")).expect("data");
    let mut device = Interpreter::new(Default::default());
    let tensors = lozenge::run(program, inference, &data, &mut device).expect("it runs");
    let id = program.find(name).expect("the tensor");
    tensors[id.0].values().to_vec()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-5;
    assert!(
        found.iter().zip(expected).all(near),
        "{found:?} {expected:?}"
    );
}

const ROWS: &str = "data s : n:2, c:3| = [0, 1, 2, 0, 0, 3]\n";
/// The weights by NumPy: `exp(s) / exp(s).sum(-1, keepdims=True)`.
const WEIGHTS: [f32; 6] = [
    0.090_030_57,
    0.244_728_5,
    0.665_241,
    0.045_277_9,
    0.045_277_9,
    0.909_444_2,
];

#[test]
fn a_softmax_is_then_over_the_last_axis() {
    let mend = mended(&format!("{ROWS}let p = softmax(s)\n"));
    assert_near(&values(&mend, "p"), &WEIGHTS);
    // The result has the shape that the lines below read.
    let below = "let q = sum(p * v, \"n, c|; c|->e => n|->e\")\n";
    let values_of = "data v : c|->2 = [1, 0, 0, 1, 1, 1]\n";
    let mend = mended(&format!("{ROWS}{values_of}let p = softmax(s)\n{below}"));
    let expected = [0.755_271_6, 0.909_969_4, 0.954_722_1, 0.954_722_1];
    assert_near(&values(&mend, "q"), &expected);
    // The spec that makes the scores is changed where nothing else reads them.
    let made = "data q : n:2|->e:2 = [1, 0, 0, 1]\ndata k : c:3|->e = [1, 0, 0, 1, 1, 1]\n\
                let s = sum(q * k, \"n|->e; c|->e => n, c|\")\n";
    let mend = mended(&format!("{made}let p = softmax(s / 1)\n"));
    assert!(mend.contains("=> n|->c\""), "{mend}");
    let rows = [
        0.422_318_8,
        0.155_362_4,
        0.422_318_8,
        0.155_362_4,
        0.422_318_8,
        0.422_318_8,
    ];
    assert_near(&values(&mend, "p"), &rows);
    let mend = mended(&format!("{made}let p = softmax(s)\nprint s\n"));
    assert!(mend.contains("=> n, c|\""), "{mend}");
    assert_near(&values(&mend, "p"), &rows);
}

#[test]
fn what_reduces_is_then_over_the_last_axis() {
    let mend = mended(&format!("{ROWS}let p = argmax(s, 3)\n"));
    assert_eq!(values(&mend, "p"), [2.0, 2.0]);
    let mend = mended(&format!("{ROWS}let p = max(s, outputs)\n"));
    assert_eq!(values(&mend, "p"), [2.0, 3.0]);
    let mend = mended(&format!("{ROWS}def f(a): mean(a, outputs)\nlet p = f(s)\n"));
    assert_near(&values(&mend, "p"), &[1.0, 1.0]);
    let mend = mended(&format!(
        "{ROWS}data t : n, c| = [0, 0, 1, 1, 0, 0]\nlet p = cross_entropy(s, t)\n"
    ));
    assert_near(&values(&mend, "p"), &[0.407_605_9, 3.094_922_5]);
}

/// Numbers of classes beside scores, without outputs or with one, are refused by their shapes, so that nothing allows
/// them.
#[test]
fn numbers_of_classes_become_targets() {
    for (shape, targets) in [
        ("2|", "one_hot(t, 3)"),
        ("2|->1", "one_hot(max(t, outputs), 3)"),
    ] {
        let data = format!("data y : 2|->3 = [0, 1, 2, 0, 3, 0]\ndata t : {shape} = [2, 0]\n");
        // By NumPy; the loss is the mean of `-log_softmax(y)[range(2), t]`.
        for (call, value) in [
            ("accuracy(y, t)", 0.5),
            ("mean(cross_entropy(y, t))", 1.751_264_2),
        ] {
            let source = format!("{data}let p = {call}\n");
            let mut options = Options::default();
            options.allow = options.allow.and(Check::R6);
            let errors = lozenge::read(&source, &options).expect_err(&source);
            let [error] = errors.as_slice() else {
                panic!("{errors:?}");
            };
            let help = error.help.as_ref().expect("a help");
            let mend = Edit::apply(&help.edits, &source);
            assert!(mend.contains(targets), "{mend}");
            assert_near(&values(&mend, "p"), &[value]);
        }
    }
}

#[test]
fn a_layer_in_a_loop_is_told_of_once_and_may_be_allowed() {
    let source =
        format!("{ROWS}let y = s\nfor i in 0..3 carry y:\n  let y = y + layer_norm()(y)\n");
    let errors = lozenge::read(&source, &Options::default()).expect_err(&source);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let mut options = Options::default();
    options.allow = options.allow.and(Check::R6);
    let reading = lozenge::read(&source, &options).expect("only a warning");
    assert_eq!(reading.warnings[0].code.as_deref(), Some("R6"));
}

fn noted(source: &str) -> Vec<String> {
    let reading = read(source);
    let notes = lozenge::notes(&reading.program, source, &reading.inference.shapes);
    notes.into_iter().map(|note| note.message).collect()
}

#[test]
fn several_outputs_that_are_taken_together_are_noted() {
    let x = "data x : n:2|->t:5, d:8 = range(80)\n";
    let of = |line: &str| noted(&format!("{x}let y = {line}\n"));
    let apart = "over the last alone it is of `map(x, \"...|->a1, c => ..., a1|->c\")`";
    assert_eq!(
        of("dense(4)(x)"),
        [format!(
            "`dense` contracts 2 output axes of `x` together, 5, 8; {apart}"
        )]
    );
    assert_eq!(
        of("x + attention(2, 4)(x)"),
        [format!(
            "`attention` contracts 2 output axes of `x` together, 5, 8, and its positions are the last batch axis, 2; {apart}"
        )]
    );
    for (line, name) in [
        ("softmax(x)", "softmax"),
        ("layer_norm()(x)", "layer_norm"),
        ("argmax(x, 8)", "argmax"),
        ("cross_entropy(x, x)", "cross_entropy"),
    ] {
        let expected = format!("`{name}` is over 2 output axes of `x` together, 5, 8; {apart}");
        assert_eq!(of(line), [expected]);
    }
    // The change that the note proposes is accepted, and has no note.
    let quiet = noted(&format!(
        "{x}let y = dense(4)(map(x, \"...|->a1, c => ..., a1|->c\"))\n"
    ));
    assert_eq!(quiet, [""; 0]);
    for line in ["gelu(x)", "mean(x)", "mse(x, x + 1)", "sum(x)"] {
        assert_eq!(of(line), [""; 0], "{line}");
    }
}
