//! The command line as users see it: answers, exit statuses, messages.

mod validated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

fn lozenge(arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    command.current_dir(root()).env("NO_COLOR", "1");
    command.args(arguments).output().unwrap()
}

fn with_input(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    command.args(arguments).write_stdin(input).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json_of(output: &Output) -> Value {
    validated::answer(&text(&output.stdout))
}

/// Runs a constraint set through a command.
fn on(set: &str, command: &str, more: &[&str]) -> Output {
    let arguments: Vec<&str> = [command, "-"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    with_input(&arguments, set)
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("it is not killed by a signal")
}

/// Writes files into an empty folder.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn in_folder(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    command
        .current_dir(folder.path())
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn exit_statuses_are_those_of_the_verdicts() {
    for (set, verdict, expected) in [
        ("3 <= a", "sat", 0),
        ("<r> ~ [3, 5]\n<r> ~ [3, 6]", "unsat", 1),
        ("<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>", "rejected", 1),
    ] {
        for by in ["solver", "spec"] {
            let output = on(set, "solve", &["--by", by, "--format", "json"]);
            assert_eq!(status(&output), expected, "{by}: {set}");
            assert_eq!(json_of(&output)["verdict"], verdict, "{by}: {set}");
        }
    }
    assert_eq!(status(&on("a = ", "solve", &[])), 2);
    assert_eq!(status(&lozenge(&["solve"])), 2);
    assert_eq!(status(&lozenge(&["--help"])), 0);
    let undecided = on("[3, 5 <r>] ~ [<r> 5, 3]", "oracle", &["--time", "0"]);
    assert_eq!(status(&undecided), 3, "{}", text(&undecided.stdout));
}

#[test]
fn the_parties_agree_on_every_example() {
    let mut seen = 0;
    for entry in fs::read_dir(root().join("examples/rows")).unwrap() {
        let path = entry.unwrap().path();
        let output = lozenge(&["check", path.to_str().unwrap(), "--format", "json"]);
        assert_eq!(status(&output), 0, "{}", text(&output.stdout));
        assert_eq!(json_of(&output)["agree"], json!(true));
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn complete_mode_finds_what_policy_refuses() {
    let output = on(
        "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>",
        "solve",
        &["--by", "complete", "--format", "json"],
    );
    assert_eq!(json_of(&output)["solution"], json!({"<r>": "[3 <> 5]"}));
    assert_eq!(status(&output), 0);
}

#[test]
fn closing_is_asked_for() {
    let set = "3 <= a\na <= b\n5 <= b\nleaf a, b";
    for by in ["solver", "spec"] {
        let closed = json_of(&on(
            set,
            "solve",
            &["--close", "--by", by, "--format", "json"],
        ));
        assert_eq!(closed["solution"], json!({"a": "3", "b": "1_"}), "{by}");
        let solved = json_of(&on(set, "solve", &["--by", by, "--format", "json"]));
        assert_eq!(solved["solution"], json!({"a": "1_", "b": "1_"}), "{by}");
    }
}

#[test]
fn every_refusal_names_rule_purpose_and_chain() {
    let set = "# comment\n<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>\nleaf <r>";
    let refusal = &json_of(&on(set, "solve", &["--format", "json"]))["refusal"];
    assert_eq!(refusal["rule"], "di_ground");
    assert_eq!(refusal["policy"]["rule"], "re_open_closed");
    assert_eq!(refusal["chain"][0]["line"], 2);
    assert_eq!(refusal["chain"][1]["line"], 3);
    assert_eq!(
        refusal["variables"][0],
        json!({"var": "<r>", "purpose": "leaf"})
    );
}

#[test]
fn the_one_shot_reading_is_a_choice_of_every_party() {
    let set = "[3 <r> 4] <= [3, 5, 4]";
    let order = ["--order", "one-shot", "--format", "json"];
    for by in ["spec", "solver", "complete"] {
        let args = [["--by", by].as_slice(), &order].concat();
        let answer = json_of(&on(set, "solve", &args));
        // Complete mode places the marker where the lengths allow it, which is anywhere.
        let value = answer["solution"]["<r>"].as_str().expect("a row");
        assert!(
            value == "[5]" || by == "complete" && value == "[5 <>]",
            "{by}"
        );
    }
    let args = [["--ask", "model"].as_slice(), &order].concat();
    assert_eq!(json_of(&on(set, "oracle", &args))["verdict"], "sat");
    // A row that the marked order refuses.
    let solver = on("[3 <> 5] <= [3, 5 <>]", "solve", &["--order", "one-shot"]);
    assert_eq!(status(&solver), 0);
}

#[test]
fn a_trace_shows_each_step() {
    let output = on("<r> <= [2 <s>]\n<s> <= [3 <r>]", "trace", &[]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("ri_deficit") && shown.contains("rank_cycle fails"),
        "{shown}"
    );
    assert!(
        shown.contains("binds <r> to [r'1 <r'2>]  and is taken up again\n"),
        "{shown}"
    );
    let steps = json_of(&on("a = 3", "trace", &["--format", "json"]));
    assert_eq!(steps["steps"][0]["rule"], "de_bind");
    for strategy in ["first", "last", "random", "adversarial"] {
        assert_eq!(
            status(&on("3 <= a\na <= b", "trace", &["--strategy", strategy])),
            0
        );
    }
}

#[test]
fn the_oracle_answers_questions() {
    let set = "[a <r>] ~ [3, 5]\na <= b";
    let ask = |question: &str| {
        let output = on(set, "oracle", &["--ask", question, "--format", "json"]);
        (json_of(&output), status(&output))
    };
    assert_eq!(ask("entails=a = 3").1, 0);
    assert_eq!(ask("entails=b = 3").1, 1);
    assert_eq!(ask("forced").0["verdict"], "sat");
    let core = on(
        "a = 3\nb = 4\na = 5",
        "oracle",
        &["--ask", "core", "--format", "json"],
    );
    assert_eq!(
        json_of(&core)["core"],
        json!([
            {"constraint": 1, "line": 1, "text": "a = 3"},
            {"constraint": 3, "line": 3, "text": "a = 5"}
        ]),
        "{}",
        text(&core.stdout)
    );
    let unknown = on(set, "oracle", &["--ask", "whatever"]);
    assert_eq!(status(&unknown), 2);
    assert!(text(&unknown.stderr).contains("the questions are sat, model"));
}

#[test]
fn explain_tells_a_numbered_story() {
    let output = lozenge(&["explain", "examples/rows/remark-6.3.rows", "--var", "b"]);
    let derivation = text(&output.stdout);
    assert!(derivation.starts_with("b = 1_ (leaf)\n1. "), "{derivation}");
    assert!(
        derivation.contains("di_cap") && derivation.contains("line 3: a <= b"),
        "{derivation}"
    );
    let missing = lozenge(&["explain", "examples/rows/remark-6.3.rows", "--var", "zzz"]);
    assert_eq!(status(&missing), 2);
    let near = on("alpha = 3", "explain", &["--var", "alhpa"]);
    assert!(text(&near.stderr).contains("did you mean alpha?"));
    // What nothing determines rests on no requirements that could be listed.
    let open = "data x : 4|->3 = range(12)\ndata t : 4|->5 = range(20)\nparam w\nparam v\nlet e = v * (w * x) - t\n";
    let open = text(&on(open, "explain", &[]).stdout);
    assert!(
        open.contains("how many hidden units") && !open.contains("hold together"),
        "{open}"
    );
}

#[test]
fn the_derivation_of_a_shape_speaks_of_the_tensors_and_their_lines() {
    let program = "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nparam w\nlet y = w * x\nlet e = y - t\n";
    let folder = folder(&[("p.loz", program)]);
    let output = in_folder(&folder, &["explain", "p.loz", "--var", "w.output"]);
    let expected = "w.output = [4] (the output row of parameter `w`)\n\
                    1. e.output has at least one axis\n     \
                    `e` has the output axes of `t`\n     line 5: let e = y - t\n\
                    2. w.output = [4], to which closing commits it, by 1\n     \
                    `y` has the output axes of `w`\n     line 4: let y = w * x\n     \
                    `e` has the output axes of `y`\n     line 5: let e = y - t\n\
                    So w.output = [4]: closing gives it what its uses ask for, and no more\n";
    assert_eq!(text(&output.stdout), expected);
    let why = in_folder(&folder, &["explain", "p.loz", "--var", "w.output", "--why"]);
    assert!(text(&why.stdout).contains("1. e.output has at least one axis [ri_deficit]\n"));
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
                  1. each input of `w` meets an output of `x`\n   line 3: let y = w * x\n";
    assert!(explained.ends_with(behind), "{explained}");
}

#[test]
fn the_limits_of_a_run_are_named_with_the_flags_that_raise_them() {
    let folder = folder(&[("p.loz", "data a : 1000 = range(1000)\nlet b = a + 1\n")]);
    let run = |flag: &str| {
        let output = in_folder(
            &folder,
            &["run", "p.loz", "--device", "interpreter", flag, "999"],
        );
        assert_eq!(status(&output), 2);
        text(&output.stderr)
    };
    assert!(run("--max-points").contains("1000 points, more than the 999 allowed"));
    assert!(run("--max-points").contains("raise the limit with --max-points"));
    assert!(run("--max-bytes").contains("raise the limit with --max-bytes"));
}

#[test]
fn batch_answers_line_by_line_in_order() {
    let lines = [
        r#"{"id": 1, "rows": "3 <= a"}"#,
        r#"{"id": "two", "rows": "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>"}"#,
        "",
        "no json",
        r#"{"id": 4, "rows": "a = 3\na = ["}"#,
        r#"{"id": 5, "rows": "a = 3\na = 5"}"#,
    ];
    let output = with_input(&["batch", "-"], &lines.join("\n"));
    let answers: Vec<Value> = text(&output.stdout)
        .lines()
        .map(validated::answer)
        .collect();
    assert_eq!(answers.len(), 5);
    assert_eq!(
        answers[0],
        json!({"id": 1, "spec": "sat", "solver": "sat", "complete": "sat", "oracle": "sat", "forced": {}, "agree": true})
    );
    assert_eq!(answers[1]["id"], "two");
    assert_eq!(
        (
            &answers[1]["spec"],
            &answers[1]["solver"],
            &answers[1]["complete"],
            &answers[1]["oracle"]
        ),
        (
            &json!("rejected"),
            &json!("rejected"),
            &json!("sat"),
            &json!("sat")
        )
    );
    assert_eq!(answers[1]["forced"], json!({"rank <r>": 2}));
    assert!(
        answers[2]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("line 4")
    );
    assert_eq!(answers[3]["error"]["line"], 2);
    assert_eq!(answers[3]["error"]["column"], 5);
    assert_eq!(
        (&answers[4]["oracle"], &answers[4]["agree"]),
        (&json!("unsat"), &json!(true))
    );
    assert_eq!(status(&output), 2, "bad lines are bad input");
    assert_eq!(status(&with_input(&["batch", "-"], lines[0])), 0);
}

#[test]
fn notation_errors_show_the_line_and_a_caret() {
    let output = on("a = 3\n<r> ~ [3, 5\n", "solve", &[]);
    let shown = text(&output.stderr);
    assert!(
        shown.contains("<stdin>:2:7") && shown.contains("^ expected `]`"),
        "{shown}"
    );
    assert!(output.stdout.is_empty());
    assert!(!shown.contains('\u{1b}'), "no colours off a terminal");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let missing = lozenge(&["solve", "no/such.rows"]);
    assert_eq!(status(&missing), 2);
    assert!(text(&missing.stderr).contains("no/such.rows cannot be read"));
    let folder = folder(&[("p.loz", "data a : 3 = range(3)\n")]);
    fs::write(folder.path().join("binary.rows"), [0xff, 0xfe]).unwrap();
    let binary = in_folder(&folder, &["solve", "binary.rows"]);
    assert!(text(&binary.stderr).contains("not UTF-8"));
    let program = in_folder(&folder, &["solve", "p.loz"]);
    assert!(text(&program.stderr).contains("lozenge infer"));
    let set = lozenge(&["infer", "examples/rows/remark-6.3.rows"]);
    assert_eq!(status(&set), 2);
    assert!(
        text(&set.stderr).contains("is a constraint set")
            && text(&set.stderr).contains("lozenge solve")
    );
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
fn shapes_are_a_line_each() {
    let shapes = lozenge(&["infer", "examples/first/layer.loz", "--shapes"]);
    let lines =
        "words : 6_word|->4\nwanted : 6_word|->3\nw : 4->3\nscores : 6_word|->3\nerror : ->\n";
    assert_eq!(text(&shapes.stdout), lines);
}

#[test]
fn names_come_in_their_natural_order() {
    let solved = on("3 <= a10\n3 <= a2\n<r10> ~ [3]\n<r9> ~ [3]", "solve", &[]);
    let shown = text(&solved.stdout);
    let values = shown.lines().filter_map(|line| line.strip_prefix("  "));
    let vars: Vec<&str> = values.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(vars, ["<r9>", "<r10>", "a2", "a10"]);
}

#[test]
fn forced_free_and_chosen_are_told_apart() {
    let set = "a = 3\n4 <= b\nb <= c\n5 <= d\n<r> ~ [2, 3]\nleaf d\n";
    let open = text(&on(set, "solve", &[]).stdout);
    let expected = "sat, a solution\n\
                    forced\n  a = 3\n\
                    forced but for the place of the marker\n  <r> ~ [2, 3]\n\
                    free, shown at its top\n  \
                    b = 1_                # bounded by 4 <= b; b <= c\n  \
                    c = 1_                # bounded by 4 <= b; b <= c\n  \
                    d = 1_                # bounded by 5 <= d\n";
    assert_eq!(open, expected);
    let closed = text(&on(set, "solve", &["--close"]).stdout);
    let chosen = "chosen by policy\n  d = 5\nthe choices\n  \
                  d = 5, to which closing commits it (close_leaf) because of line 4: 5 <= d\n";
    assert!(closed.contains(chosen), "{closed}");

    let data = json_of(&on(set, "solve", &["--close", "--format", "json"]));
    let rests_on = &data["rests_on"];
    assert_eq!(rests_on["chosen"], json!(["d"]));
    assert_eq!(rests_on["free"], json!(["b", "c"]));
    assert_eq!(rests_on["placed"], json!(["<r>"]));
    assert_eq!(rests_on["bounds"]["b"]["atom"], "4");
    assert_eq!(rests_on["choices"][0]["because"][0]["line"], 4);
}

#[test]
fn a_small_set_that_policy_refuses_is_shown_with_the_solution_of_other_choices() {
    let set = "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>";
    let found = "other choices have a solution (`--by complete`):\n  <r> ~ [3 <> 5]\n";
    for (command, by) in [("solve", "solver"), ("solve", "spec"), ("explain", "")] {
        let by: &[&str] = if by.is_empty() { &[] } else { &["--by", by] };
        let refused = on(set, command, by);
        assert_eq!(status(&refused), 1);
        let shown = text(&refused.stdout);
        assert!(shown.ends_with(found), "{command} {by:?}: {shown}");
        let data = json_of(&on(set, command, &[by, &["--format", "json"]].concat()));
        assert_eq!(
            data["other_choices"],
            json!({"<r>": "[3 <> 5]"}),
            "{command} {by:?}"
        );
    }
    let large = set.to_string() + &"\n3 <= a".repeat(200);
    let shown = text(&on(&large, "solve", &[]).stdout);
    assert!(
        shown.contains("`lozenge solve --by complete` looks at the others"),
        "{shown}"
    );
}

/// A refusal reads the same, whoever refuses: lines by their numbers, a choice of policy as one, and nothing of variables that are
/// what every variable is.
#[test]
fn a_refusal_reads_as_a_sentence() {
    let set = "# a cycle\n<r> <= [2 <s>]\n<s> <= [3 <r>]";
    for by in ["solver", "complete"] {
        let shown = text(&on(set, "solve", &["--by", by]).stdout);
        assert!(
            shown.contains("line 2: <r>") && shown.contains("line 3: <s>"),
            "{by}: {shown}"
        );
        assert!(!shown.contains("interior"), "{by}: {shown}");
    }
    let placed = text(&on("<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>", "solve", &[]).stdout);
    let choice = "  after a choice of policy: the marker of <r> is placed (re_open_closed)\n";
    assert!(placed.contains(choice), "{placed}");
    // No lengths of these rows fit, which propagation alone does not find out.
    let lengths = "# lengths\n[3, 3 <r>] ~ [<r> 5, 5]\n";
    let shown = text(&on(lengths, "solve", &["--by", "complete"]).stdout);
    assert!(shown.contains("  line 2: [3, 3 <r>]"), "{shown}");
    let data = json_of(&on(
        lengths,
        "solve",
        &["--by", "complete", "--format", "json"],
    ));
    let cited = data["cited"].get(0).unwrap_or(&data["refusal"]["chain"][0]);
    assert_eq!(
        (&cited["constraint"], &cited["line"]),
        (&json!(1), &json!(2)),
        "{data}"
    );
}

/// What only closing refuses does not pass as agreement about nothing.
#[test]
fn closings_are_held_against_each_other() {
    let shown = |set: &str| text(&on(set, "check", &[]).stdout);
    let both = shown("5 <= b\nc <= b\nleaf b");
    assert!(
        both.contains("  closing   the solver and the rules give the same values\n"),
        "{both}"
    );
    let refused = shown("3 <= a\n5 <= b\nc <= a\nc <= b\nleaf a, b");
    assert!(
        refused.contains("  closing   the solver and the rules refuse it: the dimensions")
            && refused.ends_with("  agree\n"),
        "{refused}"
    );
    assert!(!shown("3 <= a").contains("closing"), "nothing is declared");
    let program = "data x : 8|->3 = range(24)\nparam w\nparam v\nlet y = v * (w * x)\n";
    let shown = shown(program);
    assert!(
        shown.contains("  closing   the solver and the rules refuse it: "),
        "{shown}"
    );

    // Shapes that no loop nest can visit, since its points cannot be counted.
    let program = "param w : 4294967296, 4294967296\nlet b = w + 1\n";
    let output = on(program, "check", &[]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("  loops     none: ") && shown.contains("; the rules have none either\n"),
        "{shown}"
    );
    assert_eq!(status(&output), 0, "{shown}");
}

#[test]
fn the_version_names_z3() {
    let version = text(&lozenge(&["--version"]).stdout);
    assert!(
        version.starts_with("lozenge 0.1.0 (") && version.contains("Z3 5.4"),
        "{version}"
    );
}

#[test]
fn colours_are_a_choice() {
    let colour = |when: &str| {
        let output = with_input(&["solve", "-", "--color", when], "a = \n");
        text(&output.stderr).contains('\u{1b}')
    };
    assert!(colour("always") && !colour("never") && !colour("auto"));
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_the_work() {
    let page = [
        "campaign",
        "notation",
        "--count",
        "1000000000",
        "--html",
        "/nonexistent/page.html",
    ];
    let campaign = lozenge(&page);
    assert_eq!(status(&campaign), 2);
    assert!(text(&campaign.stderr).contains("/nonexistent/page.html cannot be written"));

    let program = "data x : n:4|->1 = [0, 1, 2, 3]\nlet line = dense(1)\ntrain 1000000 epochs by 2 of n:\n  \
                   let loss = mean(square(line(x)))\n  backward loss\n  for q in params(loss): sgd(0.1)(q, q.grad)\n";
    let saves = "data a : 3 = range(3)\nprint a\nsave a to \"/nonexistent/a.csv\"\n";
    let folder = folder(&[("p.loz", program), ("s.loz", saves)]);
    let on = ["--device", "interpreter"];
    let trained = [&["train", "p.loz", "--save", "/nonexistent/p"], &on[..]].concat();
    let trained = in_folder(&folder, &trained);
    assert_eq!(status(&trained), 2);
    assert!(text(&trained.stderr).contains("/nonexistent/p cannot be written"));
    assert!(trained.stdout.is_empty(), "{}", text(&trained.stdout));
    let ran = in_folder(&folder, &[&["run", "s.loz"], &on[..]].concat());
    assert_eq!(status(&ran), 2);
    let said = text(&ran.stderr);
    assert!(
        said.contains("/nonexistent/a.csv cannot be written") && said.contains("s.loz:3:"),
        "{said}"
    );
    assert!(ran.stdout.is_empty(), "nothing was run");
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

#[test]
fn every_command_has_help_with_an_example() {
    let help = text(&lozenge(&["--help"]).stdout);
    let (listed, _) = help.split_once("Options:\n").unwrap();
    let commands: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert!(commands.len() >= 9, "{commands:?}");
    for command in commands {
        let help = text(&lozenge(&[command, "--help"]).stdout);
        assert!(!help.contains('\u{1b}'), "colours off a terminal");
        assert!(help.contains("Example: "), "{command}:\n{help}");
        assert!(help.contains("--format"), "{command}:\n{help}");
    }
}

#[test]
fn long_input_ends() {
    let long = format!("[{}1] <= <r>\n", "2, ".repeat(200_000));
    assert_eq!(status(&on(&long, "solve", &["--format", "json"])), 0);
    let chain: String = (0..20_000)
        .map(|i| format!("<r{}> <= <r{i}>\n", i + 1))
        .collect();
    assert_eq!(status(&on(&chain, "solve", &["--format", "json"])), 0);
    // The slow transcription stops at its limit and says so.
    let slow = on(&chain, "solve", &["--by", "spec"]);
    assert!([0, 3].contains(&status(&slow)), "{}", text(&slow.stderr));
}

/// Whether a process has a handler for SIGINT, which has the number 2.
#[cfg(target_os = "linux")]
fn catches_interrupts(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 0b10 != 0)
}

/// Ctrl-C ends the current question with an answer, instead of ending the program without one.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_with_what_is_known() {
    use std::process::Stdio;
    let chain: String = (0..20_000)
        .map(|i| format!("<r{}> <= <r{i}>\n", i + 1))
        .collect();
    let folder = folder(&[("chain.rows", &chain)]);
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("lozenge"))
        .current_dir(folder.path())
        .args(["oracle", "chain.rows", "--time", "10m"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Before the handler is set the signal would end the program at once; afterwards it interrupts the question.
    while !catches_interrupts(child.id()) {
        std::thread::yield_now();
    }
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), "unknown: interrupted\n");
    assert_eq!(status(&output), 3);
}

/// Reasons share their parts, and a derivation visits each part once. Before that, this program took all memory.
#[test]
fn a_deep_program_is_explained_whole() {
    let output = lozenge(&["explain", "examples/transformer/stack.loz"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("So y.11.block.layer_norm.gain.output = [16]"));
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
