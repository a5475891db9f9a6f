//! Axon programs on the command line.

use std::fs;

use serde_json::json;

use crate::terminal::{folder, in_folder, json_of, lozenge, root, text, with_input};

const WHERE: &str = "columns = fn(x, y) { reduce(+, 0f, matmul(x, y)) }\n";

/// Runs a command on a program, and returns its status and all that it said.
fn said(program: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = folder(&[("p.axon", program)]);
    let output = in_folder(&folder, arguments);
    (
        output.status.code(),
        text(&output.stdout) + &text(&output.stderr),
    )
}

#[test]
fn every_example_has_a_type_but_two_and_stands_in_its_layout() {
    let mut seen = 0;
    for folder in ["examples/axon", "examples/axon/paper"] {
        for entry in fs::read_dir(root().join(folder)).expect("the examples are there") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "axon") {
                continue;
            }
            let name = path.to_str().expect("the path is text");
            let refused = name.ends_with("paper/conv.axon") || name.ends_with("paper/claimed.axon");
            let inferred = lozenge(&["infer", name]);
            assert_eq!(inferred.status.code(), Some(i32::from(refused)), "{name}");
            assert!(
                lozenge(&["fmt", "--check", name]).status.success(),
                "{name}"
            );
            if fs::read_to_string(&path)
                .expect("a text")
                .contains("\nprint ")
            {
                let run = lozenge(&["run", name, "--device", "interpreter"]);
                assert!(run.status.success(), "{name}: {}", text(&run.stderr));
            }
            seen += 1;
        }
    }
    assert!(seen >= 18, "{seen}");
}

#[test]
fn the_printed_convolution_has_its_type_with_the_printed_signatures_alone() {
    let path = root().join("examples/axon/paper/conv.axon");
    let output = lozenge(&["infer", path.to_str().expect("text"), "--table", "printed"]);
    let said = text(&output.stdout);
    assert!(
        said.contains("t [4,8,1031,263], t [4,8,8,8] -> t [4,8,1024,256]"),
        "{said}"
    );
}

/// By hand: a product of 5 by 6 and 6 by 7 is 5 by 7, and a sum over its rows has 7 columns.
#[test]
fn a_function_at_given_shapes_has_its_shapes_bytes_and_loops() {
    let at = |shapes: &str| said(WHERE, &["infer", "p.axon", "--at", shapes]);
    let (status, text) = at("x=[5,6], y=[6,7]");
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.contains("result : [7]") && text.contains("for k in 0..6:"),
        "{text}"
    );
    assert!(text.contains("x    [5,6]  120 bytes"), "{text}");
    assert!(at("x=[2,5,6], y=[2,6,7]").1.contains("result : [5,7]"));
    let (status, text) = at("x=[5,6], y=[7,7]");
    assert_eq!(status, Some(1), "{text}");
    let (status, text) = at("x=[5,6]");
    assert_eq!(status, Some(2), "{text}");
    assert!(
        text.contains("takes `y`") && text.contains("y=[…]"),
        "{text}"
    );
    assert_eq!(at("x=[5,6], y=[6,7], z=[1]").0, Some(2));
    assert_eq!(at("x=5, y=[6,7]").0, Some(2));
}

#[test]
fn statuses_tell_a_type_from_none_and_from_no_program() {
    assert_eq!(said(WHERE, &["infer", "p.axon"]).0, Some(0));
    assert_eq!(
        said("f = fn(x : f32 [3]) { matmul(x, x) }", &["check", "p.axon"]).0,
        Some(1)
    );
    let (status, text) = said("f = fn(x { x }", &["infer", "p.axon"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("p.axon:1:10"), "{text}");
    let (status, text) = said("f = fn(x) { x }", &["run", "p.axon"]);
    assert_eq!(status, Some(2));
    assert!(
        text.contains("shows nothing") && text.contains("print NAME"),
        "{text}"
    );
    let (status, text) = said(WHERE, &["infer", "p.axon", "--shapes"]);
    assert_eq!(status, Some(2), "{text}");
    let (status, text) = said(WHERE, &["trace", "p.axon"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("`lozenge infer p.axon`"), "{text}");
}

#[test]
fn sizes_that_do_not_fit_when_they_are_known_are_refused_like_others() {
    let run = |program: &str| said(program, &["run", "p.axon", "--device", "interpreter"]);
    for (program, message) in [
        (
            "data x : f32 [2] = [1,2]\ndata y : f32 [3] = [1,2,3]\nprint x + compress(y, y)\n",
            "`+` is given [2] and [3]",
        ),
        (
            "data x : f32 [2,*] = [[1,2],[3]]\ndata y : f32 [2,*] = [[1],[3]]\nprint x + y\n",
            "`+` is given [2] and [1]",
        ),
        (
            "data x : f32 [2] = [0,0]\nprint compress(x, x)\n",
            "the mask keeps no element",
        ),
    ] {
        let (status, text) = run(program);
        assert_eq!(status, Some(1), "{text}");
        assert!(text.contains(message), "{text}");
    }
    let long = "f = fn(x : f32 [n]) { s, y = loop(0f, fn(s, e) { n = s + e; n, n }, x); y }\n\
                data x : f32 [60000] = range(60000)\nprint f(x)\n";
    let (status, text) = run(long);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("more than 50000 operations"), "{text}");
    assert_eq!(run("f = fn(x) { x }\n").0, Some(2));
}

/// An element of `reverse` is an operation, and so is one of `loop`, which has several here.
#[test]
fn operations_that_repeat_are_shown_once() {
    let at = |program: &str, shapes: &str| {
        let (status, text) = said(program, &["infer", "p.axon", "--at", shapes]);
        assert_eq!(status, Some(0), "{text}");
        text.lines()
            .filter(|line| line.starts_with("line "))
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        at("f = fn(x) { reverse(x) }\n", "x=[40]"),
        ["line 1", "line 1, the first of 39 that differ in numbers"]
    );
    let sums = "f = fn(x) { s, y = loop(0f, fn(s, e) { n = s + exp(e); n, n }, x); y }\n";
    assert!(at(sums, "x=[40]").len() < 20, "{:?}", at(sums, "x=[40]"));
}

#[test]
fn the_printed_rules_stop_where_the_native_procedure_has_an_answer() {
    let batched = "f = fn(x : f32 [7,2,3], y : f32 [7,3,4]) { matmul(x, y) }";
    assert_eq!(said(batched, &["infer", "p.axon"]).0, Some(0));
    let (status, text) = said(batched, &["infer", "p.axon", "--by", "spec", "--trace"]);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("no printed rule matches"), "{text}");
    let reading = ["infer", "p.axon", "--by", "spec", "--reading", "unit"];
    let (status, text) = said(batched, &reading);
    assert_eq!(status, Some(0), "{text}");
    let (status, text) = said(batched, &["check", "p.axon"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.starts_with("well-typed\n") && text.contains("oracle    sat"),
        "{text}"
    );
}

#[test]
fn answers_for_programs_have_types_checks_and_the_key_of_a_compiled_form() {
    let folder = folder(&[("p.axon", WHERE)]);
    let answer = json_of(&in_folder(
        &folder,
        &["infer", "p.axon", "--format", "json"],
    ));
    let binding = &answer["bindings"][0];
    assert_eq!(binding["type"], "f32 a@[b,c], f32 a@[c,d] -> f32 e");
    assert_eq!(binding["where"], json!(["a@[b,d] = [f]@e"]));
    assert_eq!(binding["checks"][1]["condition"], "dim(x,-1) = dim(y,-2)");
    assert_eq!(binding["bytes"]["x"], "4*size(a)*b*c");
    assert_eq!(binding["key"][0], "rank and sizes of shape(x)[..-2]");
    let solved = in_folder(&folder, &["constraints", "p.axon"]);
    let equations = text(&solved.stdout);
    assert!(
        equations.contains('@') && equations.contains(" = "),
        "{equations}"
    );
}

/// By hand, as the paper has it: the sizes of the input of a convolution follow from its filter and its result.
#[test]
fn equations_are_a_file_that_solve_reads_also_behind_a_warning() {
    let conv = root().join("examples/axon/paper/conv.axon");
    let conv = conv.to_str().expect("text");
    let equations = lozenge(&["infer", conv, "--table", "printed", "--constraints"]);
    let equations = text(&equations.stdout);
    assert!(equations.starts_with("# warning: `i`"), "{equations}");
    let folder = folder(&[("p.shapes", &equations)]);
    let solved = in_folder(&folder, &["solve", "p.shapes", "--forced"]);
    let solved = text(&solved.stdout);
    assert!(
        solved.contains("[4,8,1031,263], in every solution"),
        "{solved}"
    );
}

#[test]
fn a_page_has_the_types_and_the_checks() {
    let folder = folder(&[("p.axon", WHERE)]);
    let output = in_folder(&folder, &["view", "p.axon", "--html", "p.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(folder.path().join("p.html")).expect("the page");
    assert!(page.contains("where a@[b,d] = [f]@e") && page.contains("dim(x,-1) = dim(y,-2)"));
}

#[test]
fn a_program_on_standard_input_is_told_by_its_first_function() {
    let output = with_input(&["infer", "-"], WHERE);
    assert!(
        text(&output.stdout).starts_with("columns : f32 a@[b,c]"),
        "{}",
        text(&output.stderr)
    );
}

/// The values were computed with NumPy from the formulas, in 64 bits.
#[test]
fn the_examples_compute_what_their_formulas_say_on_every_device() {
    let cases: [(&str, &[&[f64]]); 7] = [
        (
            "softmax",
            &[
                &[
                    0.09003057,
                    0.24472847,
                    0.66524096,
                    1.0 / 3.0,
                    1.0 / 3.0,
                    1.0 / 3.0,
                ],
                &[
                    0.00669285, 0.01798621, 0.04742587, 0.99330715, 0.98201379, 0.95257413,
                ],
            ],
        ),
        ("attention", &[&[1.0], &[3.0, 4.0, 2.75825568, 3.75825568]]),
        (
            "batched",
            &[&[
                2.0, 3.0, 1.75825568, 2.75825568, 8.80986319, 9.80986319, 8.0, 9.0,
            ]],
        ),
        (
            "lstm",
            &[
                &[
                    0.17426972,
                    0.27606824,
                    -0.01798051,
                    0.68596932,
                    0.02533904,
                    0.84123437,
                ],
                &[0.02533904, 0.84123437],
                &[0.0475051, 1.86284554],
            ],
        ),
        (
            "bidirectional",
            &[&[0.0, 1.0, 6.0, 9.0, 2.0, 4.0, 6.0, 8.0, 6.0, 9.0, 4.0, 5.0]],
        ),
        (
            "residual",
            &[
                &[0.0, 2.0, 4.0, 6.5, 9.0, 11.75],
                &[0.0, 4.0, 8.0, 14.0, 20.0, 27.25],
            ],
        ),
        ("where", &[&[38.0, 53.0], &[48.0, 58.0, 72.0, 90.0]]),
    ];
    for (name, expected) in cases {
        let path = root().join(format!("examples/axon/{name}.axon"));
        let path = path.to_str().expect("the path is text");
        // Without a device of its own `run` takes OpenCL where there is one.
        for device in [&["--device", "interpreter"][..], &["--compare"]] {
            let arguments = [&["run", path, "--format", "json"], device].concat();
            let answer = json_of(&lozenge(&arguments));
            for (place, expected) in expected.iter().enumerate() {
                let tensor = &answer["printed"][place]["tensors"][0];
                let values = tensor["values"].as_array().expect("values");
                assert_eq!(values.len(), expected.len(), "{name}: {tensor}");
                for (value, expected) in values.iter().zip(*expected) {
                    let value = value.as_f64().expect("a number");
                    let error = (value - expected).abs() / expected.abs().max(1e-2);
                    assert!(error < 1e-5, "{name} {device:?}: {value} for {expected}");
                }
            }
        }
    }
}

/// By hand: at Q = K = V = [[1]] the sums of the printed program are those of `e`, which is 1, so it gives e where the
/// formula gives 1.
#[test]
fn the_printed_attention_sums_the_wrong_values() {
    let path = root().join("examples/axon/paper/attention.axon");
    let path = path.to_str().expect("the path is text");
    let answer = json_of(&lozenge(&[
        "run",
        path,
        "--device",
        "interpreter",
        "--format",
        "json",
    ]));
    let value = answer["printed"][0]["tensors"][0]["values"][0]
        .as_f64()
        .expect("a number");
    assert!((value - std::f64::consts::E).abs() < 1e-5, "{value}");
}

/// By hand: products and sums of whole numbers.
#[test]
fn integers_are_exact_or_refused_and_doubles_have_their_digits() {
    let text = "data x : i32 [3] = [1, 2, 3]
data y : i64 [2,2] = [1000000, 2, 3, 4]
data z : f64 [2] = [0.1, 1e-12]
print x + x, matmul(y, y), z + z, reduce(+, 0, x)
";
    let run = |text: &str| said(text, &["run", "p.axon", "--device", "interpreter"]);
    let (status, answer) = run(text);
    assert_eq!(status, Some(0), "{answer}");
    for line in [
        "x + x : [3] = [2, 4, 6]",
        "matmul(y, y) : [2,2] = [[1000000000006, 2000008], [3000012, 22]]",
        "z + z : [2] = [0.2, 0.000000000002]",
        "reduce(+, 0, x) = 6",
    ] {
        assert!(answer.contains(line), "{line}: {answer}");
    }
    for (text, reason) in [
        (
            "data y : i64 [1] = [4000000000]\nprint y * y\n",
            "may exceed 2^53",
        ),
        (
            "data y : i32 [1] = [65536]\nprint y * y\n",
            "the largest `i32`",
        ),
        ("data y : i32 [1] = [4]\nprint y / y\n", "no such operation"),
        ("data y : i32 [1] = [2.5]\nprint y\n", "`2.5`"),
        (
            "data y : i32 [1] from \"y.csv\"\nprint y\n",
            "written in the text",
        ),
    ] {
        let (status, answer) = run(text);
        assert_ne!(status, Some(0), "{text}: {answer}");
        assert!(answer.contains(reason), "{text}: {answer}");
    }
}

/// By hand: what NumPy's `compress` and a loop over the rows give.
#[test]
fn ragged_tensors_run_element_by_element() {
    let text = "data x : f32 [3,*] = [[1, 2], [3], [4, 5, 6]]
data w : f32 [2,*,2] = [[1, 2], [3, 4, 5, 6]]
data v : f32 [2,2] = [1, 0, 1, 1]
print x + x, x - 1f, map(reverse, x), map(fn(r) { concat(r, r) }, x)
print map(fn(r) { matmul(r, v) }, w), concat(x, x), reverse(x)
print loop(0f, fn(s, r) { t = s + reduce(+, 0f, r); t, r - t }, x)
print map(fn(r) { reduce(max, -inf, r) }, x)
";
    let run = |text: &str| said(text, &["run", "p.axon", "--device", "interpreter"]);
    let (status, answer) = run(text);
    assert_eq!(status, Some(0), "{answer}");
    for line in [
        "x + x : [3,*] = [[2, 4], [6], [8, 10, 12]]",
        "x - 1f : [3,*] = [[0, 1], [2], [3, 4, 5]]",
        "map(reverse, x) : [3,*] = [[2, 1], [3], [6, 5, 4]]",
        "map(fn(r) { concat(r, r) }, x) : [3,*] = [[1, 2, 1, 2], [3, 3], [4, 5, 6, 4, 5, 6]]",
        "map(fn(r) { matmul(r, v) }, w) : [2,*,2] = [[[3, 2]], [[7, 4], [11, 6]]]",
        "concat(x, x) : [6,*] = [[1, 2], [3], [4, 5, 6], [1, 2], [3], [4, 5, 6]]",
        "reverse(x) : [3,*] = [[4, 5, 6], [3], [1, 2]]",
        ".0 = 21",
        ".1 : [3,*] = [[-2, -1], [-3], [-17, -16, -15]]",
        "map(fn(r) { reduce(max, -inf, r) }, x) : [3] = [2, 3, 6]",
    ] {
        assert!(answer.contains(line), "{line}: {answer}");
    }
    let data = "data x : f32 [2,*] = [[1, 2], [3]]\ndata y : f32 [2,*] = [[1], [2, 3]]\n";
    for wrong in [
        "reduce(+, 0f, x)",
        "x + y",
        "transpose(x)",
        "map(fn(r) { y }, y)",
    ] {
        let (status, answer) = run(&format!("{data}print {wrong}\n"));
        assert_ne!(status, Some(0), "{wrong}: {answer}");
        assert!(answer.contains("error"), "{wrong}: {answer}");
    }
}

/// By hand, as NumPy's `compress` is defined.
#[test]
fn sizes_that_are_known_late_are_found_by_running() {
    let run = |text: &str| said(text, &["run", "p.axon", "--device", "interpreter"]);
    let data = "data x : f32 [5] = [3, -1, 4, -1, 5]\ndata m : f32 [3,2] = range(6)\n";
    let text = "p = compress(relu(x), x)
q = compress(relu(p - 3.5f), p)
print p, q, matmul(transpose(compress(reduce(+, 0f, transpose(m)) - 5f, m)), compress(p, m))
print compress(reduce(+, 0f, transpose(m)) - 5f, m)
";
    let (status, answer) = run(&format!("{data}{text}"));
    assert_ne!(status, Some(0), "{answer}");
    let text = "p = compress(relu(x), x)
q = compress(relu(p - 3.5f), p)
print p, q, compress(reduce(+, 0f, transpose(m)) - 5f, m)
";
    let (status, answer) = run(&format!("{data}{text}"));
    assert_eq!(status, Some(0), "{answer}");
    for line in [
        "p : [3] = [3, 4, 5]",
        "q : [2] = [4, 5]",
        "m) : [2,2] = [[0, 1], [4, 5]]",
    ] {
        assert!(answer.contains(line), "{line}: {answer}");
    }
    for (wrong, reason) in [
        ("compress(relu(x - 9f), x)", "keeps no element"),
        ("map(fn(r) { compress(r, r) }, m)", "inside `map`"),
        ("compress(x, x) + compress(relu(x), x)", "does not fit"),
    ] {
        let (status, answer) = run(&format!("{data}print {wrong}\n"));
        assert_ne!(status, Some(0), "{wrong}: {answer}");
        assert!(answer.contains(reason), "{wrong}: {answer}");
    }
    let at = "kept = fn(x) { compress(x, x) }\n";
    let (status, answer) = said(at, &["infer", "p.axon", "--at", "x=[4]"]);
    assert_eq!(status, Some(1), "{answer}");
    assert!(answer.contains("known when it has run"), "{answer}");
}

#[test]
fn the_table_broadcast_runs() {
    let text = "affine = fn(x, w, b) { x * w + b }
data x : f32 [2,2] = [1, 2, 3, 4]
data b : f32 [2] = [10, 20]
print affine(x, 2f, b), max(x, b - 18f)
";
    let run = ["run", "p.axon", "--device", "interpreter"];
    let (status, answer) = said(text, &run);
    assert_eq!(status, Some(1), "{answer}");
    let (status, answer) = said(text, &[&run[..], &["--table", "broadcast"]].concat());
    assert_eq!(status, Some(0), "{answer}");
    assert!(answer.contains("= [[12, 24], [16, 28]]"), "{answer}");
    assert!(answer.contains("= [[1, 2], [3, 4]]"), "{answer}");
}
