//! Constraint sets on the command line: `solve`, `trace`, `oracle`, `explain`, `check` and `batch`.

use crate::validated;

use std::fs;

use serde_json::{Value, json};

use crate::terminal::{json_of, lozenge, on, root, status, text, with_input};

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

/// A part that is 0 is a part of every answer, which would be no solution without it.
#[test]
fn every_party_prints_what_is_0() {
    let set = "t = b ^ c\nt = 5_x\nb = 5_x\nsummand c";
    let parties: [&[&str]; 5] = [
        &[],
        &["--close"],
        &["--by", "complete"],
        &["--by", "spec"],
        &["--by", "spec", "--close"],
    ];
    for args in parties {
        let written = text(&on(set, "solve", args).stdout).to_string();
        assert!(written.contains("c = 0"), "{args:?}: {written}");
        let args = [args, &["--format", "json"]].concat();
        assert_eq!(
            json_of(&on(set, "solve", &args))["solution"]["c"],
            json!("0"),
            "{args:?}"
        );
    }
}

/// Sizes that are open are bounded by the constraints that relate them.
#[test]
fn what_relates_an_open_size_bounds_it() {
    let set = "t = a ^ b\nu = a ^ c\nt = 5";
    let written = text(&on(set, "solve", &[]).stdout).to_string();
    assert!(
        written.contains("# bounded by t = a ^ b; u = a ^ c"),
        "{written}"
    );
}

/// Of sizes that no constraint forces by itself, those that all force together are no free ones.
#[test]
fn sizes_that_several_constraints_force_are_told_as_forced() {
    for (set, forced) in [
        ("t = a ^ b\nu = b ^ a ^ a\nt = 5\nu = 8", ["a = 3", "b = 2"]),
        (
            "a = b ^ c ^ d\na = 7_x\nb = 7_x\nsummand c, d",
            ["c = 0", "d = 0"],
        ),
    ] {
        let written = text(&on(set, "solve", &[]).stdout).to_string();
        assert!(!written.contains("free"), "{written}");
        assert!(!written.contains("bounded by"), "{written}");
        for line in forced {
            assert!(written.contains(line), "{written}");
        }
        let listed = text(&on(set, "explain", &["--open"]).stdout).to_string();
        assert!(!listed.contains("stands at its top"), "{listed}");
    }
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
    // A value that nothing determines rests on no requirements that could be listed.
    let open = "data x : 4|->3 = range(12)\ndata t : 4|->5 = range(20)\nparam w\nparam v\nlet e = v * (w * x) - t\n";
    let open = text(&on(open, "explain", &[]).stdout);
    assert!(
        open.contains("how many hidden units") && !open.contains("hold together"),
        "{open}"
    );
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
fn shapes_are_a_line_each() {
    let shapes = lozenge(&["infer", "examples/first/layer.loz", "--shapes"]);
    let lines = "words : 6|->4\nwanted : 6|->3\nw : 4->3\nscores : 6|->3\nerror : ->\n";
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

/// A refusal reads the same, whoever refuses: lines by their numbers, a choice of policy as one, and nothing of
/// variables that are what every variable is.
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

/// Shows that a refusal by closing alone does not pass as agreement about nothing.
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
    // Variables of which nothing is declared are closed, too.
    let open = shown("3 <= a");
    assert!(
        open.contains("  closing   the solver and the rules give the same values\n"),
        "{open}"
    );
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
