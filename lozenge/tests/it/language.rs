//! Programs of the language, run by the interpreter: functions, loops, reductions, slices, lists and the prelude.

use std::collections::BTreeMap;
use std::path::Path;

use lozenge::backend::{Interpreter, Limits};
use lozenge::{Options, Surroundings, read_in, shape_text};

/// Returns the tensors that have names, with their shapes and values.
fn run(source: &str) -> BTreeMap<String, (String, Vec<f32>)> {
    let reading = lozenge::read(source, &Options::default()).unwrap_or_else(|errors| {
        let shown = errors
            .iter()
            .map(|error| error.render(source, "p.loz", false));
        panic!("{}", shown.collect::<Vec<_>>().join("\n"))
    });
    let program = &reading.program;
    let data = lozenge::load(program, Path::new("")).expect("the values stand in the program");
    let mut device = Interpreter::new(Limits::default());
    let tensors = lozenge::run(program, &reading.inference, &data, &mut device).expect("it runs");
    let named = program
        .tensors
        .iter()
        .zip(reading.inference.shapes.iter())
        .zip(tensors);
    named
        .map(|((tensor, shape), values)| {
            (
                tensor.name.to_string(),
                (shape_text(shape), values.values().to_vec()),
            )
        })
        .collect()
}

#[track_caller]
fn near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let fits = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-5 * y.abs().max(1.0);
    assert!(
        found.iter().zip(expected).all(fits),
        "{found:?} and {expected:?}"
    );
}

/// Returns the first error of a program.
fn error(source: &str) -> String {
    let errors = lozenge::read(source, &Options::default()).expect_err("the program is wrong");
    errors[0].render(source, "p.loz", false)
}

const X: &str = "data x : n:2|->c:3 = [1, 2, 4, 0, 5, 3]\n";

#[test]
fn reductions_stand_in_expressions() {
    let found = run(&format!(
        "{X}let all = sum(x)\nlet rows = sum(x, \"n|->c => n|\")\nlet top = max(x, \"n|->c => ->c\")\nlet low = min(x)\n\
         let swapped = map(x, \"n|->c => c|->n\")\nlet gram = sum(x * x, \"n|->c; n|->d => c->d\")\nlet half = sum(x / 2)\n\
         let squares = sum(square(x), \"n|->c => n|\")\nlet many = x *. 0 + count(x, \"n|->c => n|\")\n"
    ));
    assert_eq!(found["all"], ("->".into(), vec![15.0]));
    assert_eq!(found["rows"], ("2|->".into(), vec![7.0, 8.0]));
    assert_eq!(found["top"].1, [1.0, 5.0, 4.0]);
    assert_eq!(found["low"].1, [0.0]);
    assert_eq!(
        found["swapped"],
        ("3|->2".into(), vec![1.0, 0.0, 2.0, 5.0, 4.0, 3.0])
    );
    assert_eq!(
        found["gram"].1,
        [1.0, 2.0, 4.0, 2.0, 29.0, 23.0, 4.0, 23.0, 25.0]
    );
    assert_eq!(found["half"].1, [7.5]);
    assert_eq!(found["squares"].1, [21.0, 34.0]);
    assert_eq!(found["many"].1, [3.0; 6]);
}

#[test]
fn the_prelude_has_the_values_that_its_names_say() {
    let found = run(&format!(
        "{X}data t : n|->c = [0, 0, 1, 0, 1, 0]\nlet m = mean(x)\nlet v = var(x)\nlet vr = var(x, outputs)\nlet s = softmax(x)\n\
         let l = log_softmax(x)\nlet ce = cross_entropy(x, t)\nlet e = mse(x, t)\nlet a = accuracy(x, t)\n\
         data k : n| = [2, 0]\nlet o = one_hot(k, 3)\nlet g = gelu(x - 1)\nlet c = causal(3)\n"
    ));
    near(&found["m"].1, &[2.5]);
    near(&found["v"].1, &[55.0 / 6.0 - 6.25]);
    near(&found["vr"].1, &[14.0 / 9.0, 38.0 / 9.0]);
    let exp = [1f32, 2.0, 4.0].map(f32::exp);
    let total: f32 = exp.iter().sum();
    near(&found["s"].1[..3], &exp.map(|x| x / total));
    near(&found["l"].1[..3], &exp.map(|x| (x / total).ln()));
    near(&found["ce"].1[..1], &[-(exp[2] / total).ln()]);
    near(&found["e"].1, &[(1.0 + 4.0 + 9.0 + 0.0 + 16.0 + 9.0) / 6.0]);
    near(&found["a"].1, &[1.0]);
    assert_eq!(
        found["o"],
        ("2|->3".into(), vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    );
    near(&found["g"].1[..2], &[0.0, 0.841_344_8]);
    assert_eq!(
        found["c"],
        (
            "3|->3".into(),
            vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
        )
    );
}

#[test]
fn the_prelude_has_what_other_libraries_have() {
    let found = run(&format!(
        "{X}let s = std(x, outputs)\nlet n = norm(x, outputs)\nlet hi = argmax(x, 3)\nlet lo = argmin(x, 3)\nlet first = argmax(x *. 0, 3)\n\
         let c = clamp(x, 1, 3)\nlet z = x - 2\nlet a = silu(z)\nlet b = leaky_relu(z)\nlet d = elu(z)\nlet e = softplus(z)\nlet f = softplus(z *. 1000 + 500)\n"
    ));
    near(&found["s"].1, &[14f32.sqrt() / 3.0, 38f32.sqrt() / 3.0]);
    near(&found["n"].1, &[21f32.sqrt(), 34f32.sqrt()]);
    assert_eq!(found["hi"], ("2|->".into(), vec![2.0, 1.0]));
    assert_eq!(found["lo"].1, [0.0, 0.0]);
    assert_eq!(found["first"].1, [0.0, 0.0]);
    assert_eq!(found["c"].1, [1.0, 2.0, 3.0, 1.0, 3.0, 3.0]);
    let z = [-1f32, 0.0, 2.0, -2.0, 3.0, 1.0];
    near(&found["a"].1, &z.map(|z| z / (1.0 + (-z).exp())));
    near(
        &found["b"].1,
        &z.map(|z| if z > 0.0 { z } else { 0.01 * z }),
    );
    near(
        &found["d"].1,
        &z.map(|z| if z > 0.0 { z } else { z.exp_m1() }),
    );
    near(&found["e"].1, &z.map(|z| z.exp().ln_1p()));
    near(&found["f"].1, &z.map(|z| (z * 1000.0 + 500.0).max(0.0)));
}

#[test]
fn an_instance_has_its_parameters_once_and_a_call_anew() {
    let found = run(&format!(
        "{X}let f = dense(2)\nlet a = f(x)\nlet b = f(x)\nlet c = dense(2)(x)\nlet first = f.w\n"
    ));
    assert_eq!(found["a"].1, found["b"].1, "one set of parameters");
    assert_ne!(found["a"].1, found["c"].1, "another set");
    assert_eq!(found["f.w"].0, "3->2");
    assert!(found.contains_key("c.dense.w") && !found.contains_key("b.dense.w"));
    let w = &found["f.w"].1;
    assert!(
        w.windows(2).all(|two| two[0] != two[1]),
        "random values differ from cell to cell: {w:?}"
    );
    assert_eq!(found["first"].1, *w);
    near(&found["a"].1[..1], &[w[0] + 2.0 * w[2] + 4.0 * w[4]]);
}

#[test]
fn loops_are_written_out_and_carry_a_name() {
    let found = run(&format!(
        "{X}def twice(a): a + a\nlet y = x\nfor i in 0..3 carry y:\n  let y = twice(y) + i\nlet z = y\n\
         let many = [x *. k for k in 1..4]\nlet last = many[2]\nlet all = stack(many)\nlet one = all @| 1\n\
         let more = append(many, x)\nlet s = sum(stack(more))\n"
    ));
    assert_eq!(found["z"].1[0], 8.0 + 2.0 * 2.0 * 0.0 + 2.0 * 1.0 + 2.0);
    assert_eq!(found["last"].1[1], 6.0);
    assert_eq!(found["all"].0, "2, 3|->3");
    assert_eq!(
        found["one"],
        (
            "3|->3".into(),
            vec![0.0, 5.0, 3.0, 0.0, 10.0, 6.0, 0.0, 15.0, 9.0]
        )
    );
    assert_eq!(found["s"].1, [15.0 * 7.0]);
    assert!(found.contains_key("y.2"));
}

/// The result of a call is shown under the name of the `let`, whatever its name in the function.
#[test]
fn results_have_the_name_that_the_program_gives_them() {
    let found = run(&format!(
        "{X}def parts(a):\n  let m = a *. 2\n  m, a + 1, a, m\nlet e = parts(x)\nlet p, q, r, s = parts(x)\n\
         def one(a):\n  let inside = a *. 3\n  inside\nlet y = one(x)\nlet z = e[1] + 1\nlet l = [x *. k for k in 1..3]\n\
         let count = range(3)\nlet noise : 2|->2 = normal()\n"
    ));
    for (name, first) in [
        ("e[0]", 8.0),
        ("e[1]", 5.0),
        ("p", 8.0),
        ("q", 5.0),
        ("r", 4.0),
        ("s", 8.0),
        ("y", 12.0),
        ("z", 6.0),
        ("l[0]", 4.0),
        ("l[1]", 8.0),
    ] {
        assert_eq!(found[name].1[2], first, "{name}");
    }
    assert_eq!(found["count"], ("->3".into(), vec![0.0, 1.0, 2.0]));
    assert_eq!(found["noise"].0, "2|->2");
    assert!(!found.contains_key("e.parts.m") && !found.contains_key("y.one.inside"));
}

#[test]
fn slices_of_further_batch_axes() {
    let found = run(
        "data x : 2, 3, 2|->2 = range(24)\nlet a = x @| (_, 1, _)\nlet b = x @| (1, 2, 0)\nlet c = x @| (0, _, 1)\n\
         let d = [x @| (_, i, _) for i in 0..3]\nlet e = d[2]\nlet f = x @| (_, _, 0)\n\
         data y : 2, 2|->2 = range(8)\nlet g = a + y\n",
    );
    assert_eq!(
        found["a"],
        (
            "2, 2|->2".into(),
            vec![4.0, 5.0, 6.0, 7.0, 16.0, 17.0, 18.0, 19.0]
        )
    );
    assert_eq!(found["b"], ("->2".into(), vec![20.0, 21.0]));
    assert_eq!(
        found["c"],
        ("3|->2".into(), vec![2.0, 3.0, 6.0, 7.0, 10.0, 11.0])
    );
    assert_eq!(found["e"].1, [8.0, 9.0, 10.0, 11.0, 20.0, 21.0, 22.0, 23.0]);
    assert_eq!(found["f"].0, "2, 3|->2");
    assert_eq!(found["f"].1[2], 4.0);
    assert_eq!(found["g"].1[7], 26.0, "it pairs as data does");
    let refused = lozenge::read(
        "data x : 2, 3|->2 = range(12)\nlet y = x @| (_, 3)\n",
        &Options::default(),
    );
    let errors = refused.expect_err("there are three positions");
    assert!(
        errors[0].message.contains("0 to 2"),
        "{}",
        errors[0].message
    );
}

#[test]
fn several_results_defaults_names_choices_and_captured_sizes() {
    let found = run(&format!(
        "{X}def both(a, by = 2, up = 1): a *. by, a + up\nlet p, q = both(x, up = 10)\n\
         let big = x if 2 > 1 else unknown_name_is_not_read(x)\nlet chosen = where(x > 2, x, -1)\n\
         let rows = sum(x, \"n|->d => n|\" [d])\nlet means = rows / d\nassert means : n|\nassert chosen\n"
    ));
    assert_eq!(found["p"].1[0], 2.0);
    assert_eq!(found["q"].1[0], 11.0);
    assert_eq!(found["chosen"].1, [-1.0, -1.0, 4.0, -1.0, 5.0, 3.0]);
    near(&found["means"].1, &[7.0 / 3.0, 8.0 / 3.0]);
}

#[test]
fn an_error_inside_a_function_names_the_place_and_the_call() {
    let shown = error(&format!(
        "{X}data m : 5 = range(5)\ndef f(a):\n  let b = a + 1\n  b + m\nlet y = f(x)\n"
    ));
    assert!(shown.contains("p.loz:5:"), "{shown}");
    assert!(shown.contains("called here, `f`"), "{shown}");
    let shown = error(&format!("{X}def f(a): g + a\nlet y = f(x)\n"));
    assert!(
        shown.contains("there is no tensor `g`") && shown.contains("called here"),
        "{shown}"
    );
    // An error in a function of the prelude is reported at the call.
    let shown = error(&format!("{X}data t : 4| = range(4)\nlet y = mse(x, t)\n"));
    assert!(shown.contains("p.loz:3:9"), "{shown}");
}

#[test]
fn what_is_not_known_early_is_refused_where_it_is_needed() {
    for (text, message) in [
        (
            "let s = sum(x, \"n|->d => n|\" [d])\nfor i in 0..d:\n  print x\n",
            "`d` is known only after inference",
        ),
        (
            "for i in 0..1000000000:\n  print x\n",
            "a loop of 1000000000 turns is too long",
        ),
        ("def f(a): f(a)\nlet y = f(x)\n", "`f` calls itself"),
        (
            "def f(a):\n  param w\n  w * a\nlet y = f(x)\n",
            "so it needs two lists",
        ),
        (
            "let y = x\nfor i in 0..2:\n  let y = x\n",
            "would be new in each turn",
        ),
        (
            "let y = x[0]\n",
            "brackets read a list, and `x` is a tensor",
        ),
        (
            "let y = map(x, \"n|->c => n|\")\n",
            "`map` writes each cell once, and `c` is left out",
        ),
        (
            "let y = dense(x)(x)\n",
            "`dense` takes a size here, `x` is a tensor",
        ),
        ("let y = sum(x, axis = 1)\n", "`sum` has no `axis`"),
        (
            "let y = x if x > 1 else x\n",
            "a condition is needed before inference",
        ),
    ] {
        let shown = error(&format!("{X}{text}"));
        assert!(shown.contains(message), "{text}\n{shown}");
    }
}

/// Every program of the reference, with the files that it uses beside it, has shapes and loops and no refusal.
#[test]
fn every_program_of_the_reference_is_inferred() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/language.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let folder = tempfile::tempdir().expect("a folder");
    let mut programs = Vec::new();
    for block in text.split("```loz").skip(1) {
        let (info, rest) = block.split_once('\n').expect("a line");
        let program = rest.split("```").next().expect("the end of the block");
        match info.trim() {
            "" => programs.push(program),
            "fails" => {}
            name => std::fs::write(folder.path().join(name), program).expect("it is written"),
        }
    }
    assert!(programs.len() > 20, "{}", programs.len());
    let surroundings = Surroundings::folder(folder.path());
    for program in programs {
        let read = read_in(program, &surroundings, &Options::default());
        let reading = read.unwrap_or_else(|errors| {
            panic!("{}", errors[0].render(program, "language.md", false));
        });
        assert_eq!(reading.inference.nests.len(), reading.program.steps.len());
    }
}

/// A slice takes the first axis of a batch, and says nothing of where the axes of the batch pair with others.
#[test]
fn a_slice_leaves_the_tensor_that_it_reads_as_it_was() {
    let programs = [
        (
            "data x : 8|->3\nlet m = map(x, \"n|->c => n|->c\")\nlet z = x - m\n",
            "let first = m @| 0\n",
        ),
        (
            "data x : 2, 8|->3\nlet u = x + 1\nlet m = u @| 0\nlet d = m + 1\nlet z = x + d\n",
            "let first = m @| 0\nlet other = d @| 1\n",
        ),
        (
            "data x : 2, 8|->3\nlet u = x + 1\nlet m = u @| 0\nlet d = m - mean(m, \"...|... -> c => ...|... -> \")\nlet z = x + d\n",
            "let first = d @| 0\n",
        ),
    ];
    for (program, uses) in programs {
        let shape = |text: &str, tensor: &str| {
            let reading = lozenge::read(text, &Options::default()).expect("the shapes fit");
            let named = reading
                .program
                .tensors
                .iter()
                .zip(reading.inference.shapes.iter());
            let mut found = named.filter(|(one, _)| &*one.name == tensor);
            shape_text(found.next().expect("it is defined").1)
        };
        for tensor in ["m", "z"] {
            let without = shape(program, tensor);
            assert_eq!(
                without,
                shape(&format!("{program}{uses}"), tensor),
                "{program}"
            );
            assert!(!without.contains("<>"), "{without}");
        }
    }
}

/// Each part of a concatenation visits its own operand only, whatever windows and products the others have.
#[test]
fn a_part_does_not_traverse_the_windows_of_another_one() {
    let data = "data t : 4| = [3, 1, 4, 2]\ndata r : 3| = [1, 1, 1]\n";
    for left in ["2*i + u:2|", "(i:2, u)|"] {
        let found = run(&format!(
            "{data}q =:+ concat(t, r) \"{left}; j| => i^j|\"\n"
        ));
        near(&found["q"].1, &[4.0, 6.0, 1.0, 1.0, 1.0]);
        let found = run(&format!(
            "{data}q =:+ concat(r, t) \"j|; {left} => j^i|\"\n"
        ));
        near(&found["q"].1, &[1.0, 1.0, 1.0, 4.0, 6.0]);
    }
}
