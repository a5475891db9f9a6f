//! Programs on the command line: `infer`, `run` and `explain`, and their messages.

use serde_json::json;

use crate::terminal::{folder, in_folder, json_of, lozenge, on, status, text};

#[test]
fn the_derivation_of_a_shape_speaks_of_the_tensors_and_their_lines() {
    let program = "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nparam w\nlet y = w * x\nlet e = y - t\n";
    let folder = folder(&[("p.loz", program)]);
    let output = in_folder(&folder, &["explain", "p.loz", "--var", "w.output"]);
    let expected = "w.output = [4] (the output row of parameter `w`)\n\
                    1. e.output = [4]\n     \
                    `e` has the output axes of `t`: [4]\n     line 5: let e = y - t\n\
                    2. w.output = [4], by 1\n     \
                    `y` has the output axes of `w`\n     line 4: let y = w * x\n     \
                    `e` has the output axes of `y`\n     line 5: let e = y - t\n\
                    So w.output = [4]: its uses ask for this, and it gets no more than they ask for\n";
    assert_eq!(text(&output.stdout), expected);
    let why = in_folder(&folder, &["explain", "p.loz", "--var", "w.output", "--why"]);
    assert!(text(&why.stdout).contains("1. e.output = [4] [ri_deficit]\n"));
    assert!(text(&why.stdout).contains("     <e_output> <= [4]\n"));
    let said = |what: &str| {
        let output = in_folder(&folder, &["explain", "p.loz", "--var", what]);
        text(&output.stdout) + &text(&output.stderr)
    };
    assert!(said("w.outputs").contains("w has no row `outputs`; did you mean w.output?"));
    assert!(said("w.rank").contains("its rows are w.batch, w.input and w.output"));
    assert!(said("w[0]").contains("has axes in several rows: write w.input[0] or w.output[0]"));
    assert!(said("y.output[0]").starts_with("y.output[0] = 4, since\n"));
    assert!(said("y.output[1]").contains("has no axis 1"));
    assert!(said("x[0]").contains("no axis of it is inferred"));
    assert!(said("ww[0]").contains("no tensor and no variable of that name; did you mean w?"));
    let typo = in_folder(&folder, &["explain", "p.loz", "--var", "ww"]);
    assert!(
        text(&typo.stderr).contains("did you mean w?"),
        "{}",
        text(&typo.stderr)
    );
}

#[test]
fn a_refusal_is_explained_by_the_message_of_infer_and_the_requirements_behind_it() {
    let program =
        "data x : 100|->784 = range(78400)\ndata w : 768->10 = range(7680)\nlet y = w * x\n";
    let folder = folder(&[("p.loz", program)]);
    let inferred = in_folder(&folder, &["infer", "p.loz"]);
    let explained = text(&in_folder(&folder, &["explain", "p.loz"]).stdout);
    assert!(
        explained.starts_with(&text(&inferred.stdout)),
        "{explained}"
    );
    let behind = "These requirements cannot hold together:\n\
                  1. each input of `w` meets an output of `x`: [768] and [784]\n   line 3: let y = w * x\n";
    assert!(explained.ends_with(behind), "{explained}");
}

/// A program, the status and words of the message.
#[test]
fn programs_are_refused_at_their_place() {
    let cases: &[(&str, &str, i32, &[&str])] = &[
        (
            "data a : 2, 3 from \"none.csv\"\nlet c = a + a",
            "run",
            2,
            &["none.csv", ":1:6", "cannot be opened"],
        ),
        (
            "data a : 2, 3 from \"short.csv\"\nlet c = a + a",
            "run",
            2,
            &["short.csv, line 2", ":1:6"],
        ),
        (
            "data a : 2, 4 from \"full.csv\"\nlet c = a + a",
            "run",
            2,
            &["6 of 8 values"],
        ),
        (
            "data a : 2, 3 from \"full.csv\"\nlet c = a @ 2",
            "infer",
            2,
            &["`@` is not an operator", ":2:11"],
        ),
        (
            "data a : 2, 3 = range(6)\ndata b : 4, 5 = range(20)\nlet c = a + b",
            "infer",
            1,
            &["3 and 5", ":3:9"],
        ),
        (
            "data x : 5|->3 = range(15)\nparam w\nparam v\nh =:+ w * x \"i->h; n|->i => n|->h\"\nr =:+ v * h \"h->; n|->h => n|\"",
            "infer",
            1,
            &["nothing says", "`w`"],
        ),
        (
            "data x : 5|->3 = range(15)\ndata t : 5|->2 = range(10)\nparam w\nlet y = w * x - t",
            "run",
            2,
            &["no value to run with", "param w = 0.5"],
        ),
    ];
    for (program, command, expected, words) in cases {
        let folder = folder(&[
            ("p.loz", program),
            ("short.csv", "1,2,3\n4,5\n"),
            ("full.csv", "1,2,3\n4,5,6\n"),
        ]);
        let output = in_folder(&folder, &[command, "p.loz"]);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(status(&output), *expected, "{shown}");
        for word in *words {
            assert!(shown.contains(word), "no {word:?} in\n{shown}");
        }
    }
}

#[test]
fn a_program_is_inferred_and_run() {
    let program =
        "data a : 2, 3 = range(6)\ndata b : 3, 2 = range(6)\nc =:+ a * b \"i, j; j, k => i, k\"\n";
    let folder = folder(&[("p.loz", program)]);
    let inferred = json_of(&in_folder(&folder, &["infer", "p.loz", "--format", "json"]));
    assert_eq!(
        inferred["tensors"][2]["shape"]["output"],
        json!({"axes": [{"size": 2, "basis": "default"}, {"size": 2, "basis": "default"}], "marker": 0})
    );
    let contracted = inferred["operations"][0]["contracted"][0].as_str().unwrap();
    assert!(
        contracted.contains("axis 1 of a and output axis 0 of b, and no axis of c"),
        "{contracted}"
    );
    let ran = json_of(&in_folder(
        &folder,
        &[
            "run",
            "p.loz",
            "--device",
            "interpreter",
            "--format",
            "json",
        ],
    ));
    assert_eq!(
        ran["tensors"]["c"]["values"],
        json!([10.0, 13.0, 28.0, 40.0])
    );
    assert_eq!(
        status(&in_folder(&folder, &["run", "p.loz", "--show", "d"])),
        2
    );
    assert_eq!(status(&in_folder(&folder, &["check", "p.loz"])), 0);
    assert_eq!(status(&in_folder(&folder, &["oracle", "p.loz"])), 0);
}

#[test]
fn the_digits_are_classified() {
    let digits = "examples/digits/digits.loz";
    let output = lozenge(&[
        "run",
        digits,
        "--device",
        "interpreter",
        "--explain",
        "--format",
        "json",
    ]);
    let answer = json_of(&output);
    let accuracy = answer["tensors"]["accuracy"]["values"][0].as_f64().unwrap();
    assert!(accuracy > 0.85, "{accuracy}");
    assert_eq!(answer["verdicts"]["agree"], json!(true));
    let shapes = &answer["verdicts"]["shapes"];
    assert_eq!(
        (&shapes["spec"], &shapes["oracle"]),
        (&json!(true), &json!(true))
    );
    let opencl = lozenge(&[
        "run",
        digits,
        "--device",
        "opencl",
        "--compare",
        "--format",
        "json",
    ]);
    if status(&opencl) == 2 && std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none() {
        println!("skipped, no OpenCL device: {}", text(&opencl.stderr));
        return;
    }
    let difference = json_of(&opencl)["largest_difference"]["absolute"].as_f64();
    assert!(
        difference.is_some_and(|d| d < 1e-3),
        "{}",
        text(&opencl.stderr)
    );
}

/// Reasons share their parts, and a derivation visits each part once. Before that, this program took all memory.
#[test]
fn a_deep_program_is_explained_whole() {
    let output = lozenge(&["explain", "examples/transformer/stack.loz", "--all"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("So y.11.block.layer_norm.gain.output = [16]"));
    // Without the flag a page fits on a screen, and says how to see more.
    let output = lozenge(&["explain", "examples/transformer/stack.loz"]);
    let short = String::from_utf8_lossy(&output.stdout);
    let lines = short.lines().count();
    assert!((20..60).contains(&lines), "{lines}");
    assert!(short.contains("--var NAME explains a tensor step by step, and --all every row"));
}

/// The knowledge of the solver on the way to a row is no statement about the row.
#[test]
fn every_statement_of_a_derivation_is_true_and_says_something() {
    let program = "data x : 8|->6 = range(48)\nlet y = dense(2)(dense(3)(x)) + dense(2)(x)\nlet loss = sum(square(y), \"n|->c => \")\n";
    let folder = folder(&[("p.loz", program)]);
    let shapes = text(&in_folder(&folder, &["infer", "p.loz", "--shapes"]).stdout);
    let explained = text(&in_folder(&folder, &["explain", "p.loz", "--all"]).stdout);
    assert!(explained.lines().count() > 40, "{explained}");
    let row = |name: &str, kind: &str| {
        let line = shapes
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} : ")));
        let shape = line.unwrap_or_else(|| panic!("{name} in {shapes}"));
        let (batch, rest) = shape.split_once('|').unwrap_or(("", shape));
        let (input, output) = rest.split_once("->").unwrap_or(("", rest));
        let axes = match kind {
            "batch" => batch,
            "input" => input,
            _ => output,
        };
        format!("[{axes}]")
    };
    let mut statements = 0;
    for line in explained.lines() {
        for words in [
            "closing",
            "marker",
            "interior",
            "axes known",
            "at least",
            "flank",
        ] {
            assert!(!line.contains(words), "{line}");
        }
        let parts: Vec<&str> = line.split('`').collect();
        if let ["     ", one, " has the output axes of ", other, ..] = parts[..] {
            assert_ne!(one, other, "{line}");
        }
        let numbered = line.split_once(". ");
        let numbered = numbered.filter(|(number, _)| number.parse::<u32>().is_ok());
        let Some(statement) = numbered.map(|(_, rest)| rest).or(line.strip_prefix("So ")) else {
            continue;
        };
        let (name, value) = statement.split_once(" = ").expect("a value");
        let end = value.find(']').map_or(value.len(), |at| at + 1);
        let value = &value[..end];
        let Some((tensor, kind)) = name.rsplit_once('.').filter(|_| !name.contains('(')) else {
            continue;
        };
        assert_eq!(value, row(tensor, kind), "{line}");
        statements += 1;
    }
    assert!(statements > 5, "{explained}");
}

#[test]
fn a_program_on_standard_input_is_taken_for_one() {
    let program = "data x : 3 = range(3)\nlet y = x + 1\n";
    for command in [
        "check",
        "oracle",
        "explain",
        "trace",
        "infer",
        "constraints",
    ] {
        let output = on(program, command, &[]);
        assert_eq!(status(&output), 0, "{command}: {}", text(&output.stderr));
    }
    let wrong = text(&on("data x : 3\nlet y = z\n", "check", &[]).stderr);
    assert!(wrong.contains("there is no tensor `z`"), "{wrong}");
    let output = on(program, "solve", &[]);
    let said = text(&output.stderr);
    assert_eq!(status(&output), 2);
    assert!(
        said.contains("standard input is a program") && said.contains("`lozenge infer -`"),
        "{said}"
    );
}

#[test]
fn constraints_has_the_sizes_that_are_given() {
    let program = "size h = 3\ndata x : n|->h\nlet y = relu(x)\n";
    let output = on(program, "constraints", &["--set", "n=7", "--set", "h=5"]);
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("<y_batch> <= [7]"), "{shown}");
    assert!(shown.contains("<y_output> <= [5]"), "{shown}");
    let wrong = on(program, "constraints", &["--set", "m=7"]);
    assert_eq!(status(&wrong), 2);
    assert!(
        text(&wrong.stderr).contains("no size `m`"),
        "{}",
        text(&wrong.stderr)
    );
}

#[test]
fn a_product_of_several_tensors_is_summed_in_the_cheapest_order() {
    let program = "data a : 64, 64 = range(4096)\ndata b : 64, 64 = range(4096)\ndata c : 64, 64 = range(4096)\n\
                   let x = a > 4000\nlet y = b > 2000\nlet z = c < 100\n\
                   d =:+ x * y * z \"i,j; j,k; k,l => i,l\"\nlet total = sum(d)\n";
    let folder = folder(&[("p.loz", program)]);
    let planned = in_folder(
        &folder,
        &["infer", "p.loz", "--schedule", "--format", "json"],
    );
    let planned = json_of(&planned);
    let operations = planned["schedule"][0]["kernels"]
        .as_array()
        .expect("kernels");
    let operations: Vec<_> = operations
        .iter()
        .flat_map(|kernel| kernel["operations"].as_array().expect("operations"))
        .collect();
    let result = |at: usize| operations[operations.len() - at]["result"].as_str();
    assert_eq!(
        [result(3), result(2), result(1)],
        [Some("sum'1"), Some("d"), Some("total")]
    );
    assert_eq!(
        operations[operations.len() - 2]["points"],
        json!(64 * 64 * 64)
    );
    let sections = in_folder(&folder, &["infer", "p.loz", "--schedule"]);
    assert!(text(&sections.stdout).contains("kernels of the lines outside of sections\n"));
    // Whole numbers, so that every order gives the same sum.
    let run = |device: &str| {
        let arguments = ["run", "p.loz", "--device", device, "--format", "json"];
        in_folder(&folder, &arguments)
    };
    let opencl = run("opencl");
    if status(&opencl) == 2 && std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none() {
        println!("skipped, no OpenCL device: {}", text(&opencl.stderr));
        return;
    }
    let total = |output: &std::process::Output| json_of(output)["tensors"]["total"].clone();
    assert!(total(&opencl).is_object());
    assert_eq!(total(&run("interpreter")), total(&opencl));
}

#[test]
fn memory_that_tensors_share_counts_against_the_limit() {
    let program = "data x : n:64|->32 = range(2048)\nlet net = dense(32)\ntrain 2 steps:\n  let loss = sum(net(net(x)))\n  backward loss\n  \
                   for q in params(loss): sgd(0)(q, q.grad)\n  print loss\n";
    let folder = folder(&[("p.loz", program)]);
    let train = |bytes: &str| {
        in_folder(
            &folder,
            &[
                "train",
                "p.loz",
                "--max-bytes",
                bytes,
                "--format",
                "json",
                "--device",
                "opencl",
            ],
        )
    };
    let answer = json_of(&train("1000000"));
    let Some(memory) = answer["memory"].as_object() else {
        assert!(std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none());
        return;
    };
    let bytes = |key: &str| memory[key].as_u64().expect("bytes");
    assert!(bytes("least_shared") > 0 && bytes("most_shared") >= bytes("least_shared"));
    let enough = bytes("most");
    assert_eq!(status(&train(&enough.to_string())), 0);
    let refused = train(&(enough - 1).to_string());
    assert_eq!(status(&refused), 2);
    let said = text(&refused.stdout) + &text(&refused.stderr);
    assert!(
        said.contains("intermediate values that are needed at one time take")
            && said.contains("--max-bytes"),
        "{said}"
    );
}
