//! The messages for a refused program: their flags, and the explanation of a rule.

use assert_cmd::Command;

fn lozenge(args: &[&str]) -> (String, Option<i32>) {
    let output = Command::cargo_bin("lozenge")
        .expect("the binary")
        .args(args)
        .output()
        .expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).expect("text"), output.status.code())
}

fn program(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new()
        .suffix(".loz")
        .tempfile()
        .expect("a file");
    std::fs::write(file.path(), text).expect("it is written");
    file
}

#[test]
fn a_refusal_of_shapes_that_fit_can_be_allowed() {
    let file = program("data w : 3->4 = range(12)\nlet half = w * 2\n");
    let path = file.path().to_str().expect("a path");
    let (text, code) = lozenge(&["infer", path]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("error[R2]") && text.contains("`w *. 2`"),
        "{text}"
    );
    let (text, code) = lozenge(&["infer", path, "--allow", "R2"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("warning[R2]") && text.contains("half  ->4"),
        "{text}"
    );
    let (text, code) = lozenge(&["infer", path, "--allow", "R9"]);
    assert_eq!(code, Some(2), "{text}");
}

/// However many warnings come before it, and an error of another check is found as well.
#[test]
fn warnings_hide_no_error() {
    let mut lines = vec!["data w : 3->4 = range(12)".to_string()];
    lines.extend((0..30).map(|at| format!("let half{at} = w * {}", at + 2)));
    let apart = "data t : 2 <> = range(2)\ndata a : 2 = range(2)\nlet s = t + a\n";
    let open = "data x : 100|->784 = range(78400)\nparam p\nlet y = p * x\n";
    for (more, error) in [(apart, "error[R4]"), (open, "error[R3]")] {
        let file = program(&format!("{}\n{more}", lines.join("\n")));
        let path = file.path().to_str().expect("a path");
        let (text, code) = lozenge(&["infer", path, "--allow", "R2"]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(error), "{text}");
    }
    // Some messages of R4 are warnings without being allowed.
    let warned = format!("{apart}data b : 3 = range(3)\n").replace("let s = t + a\n", "");
    let warned = warned
        + &(0..30)
            .map(|at| format!("let u{at} = t + b\n"))
            .collect::<String>();
    for (more, error) in [("let s = t + a\n", "error[R4]"), (open, "error[R3]")] {
        let file = program(&format!("{warned}{more}"));
        let (text, code) = lozenge(&["infer", file.path().to_str().expect("a path")]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(error), "{text}");
    }
}

#[test]
fn the_rule_is_shown_on_request() {
    let file = program(
        "data x : 100|->784 = range(78400)\ndata w : 768->10 = range(7680)\nlet y = w * x\n",
    );
    let path = file.path().to_str().expect("a path");
    let (text, code) = lozenge(&["infer", path]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("`w` takes 768 inputs, `x` gives 784"),
        "{text}"
    );
    assert!(!text.contains("di_ground"), "{text}");
    let (text, _) = lozenge(&["infer", path, "--why"]);
    assert!(text.contains("di_ground"), "{text}");
}

#[test]
fn a_rule_is_explained_by_its_name() {
    let (text, code) = lozenge(&["explain", "di_ground"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("Def. 4.2") && text.contains("784 <= 768"),
        "{text}"
    );
    for code in ["R1", "R2", "R3", "R4", "R5", "R6"] {
        let (text, status) = lozenge(&["explain", code]);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.starts_with(&format!("{code} (")), "{text}");
        assert!(text.contains(&format!("--allow {code}")), "{text}");
    }
    let (text, code) = lozenge(&["explain", "rule"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("R1, R2, R3, R4, R5, R6"), "{text}");
    let (text, code) = lozenge(&["explain", "di_gruond"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("did you mean `di_ground`?"), "{text}");
}

/// Returns the program that a refusal's explanation shows as an example.
fn example(code: &str) -> String {
    let (text, _) = lozenge(&["explain", code]);
    let (_, rest) = text.split_once("example\n").expect("an example");
    let (example, _) = rest.split_once("accepted").expect("the one that was meant");
    example
        .lines()
        .map(|line| format!("{}\n", line.trim()))
        .collect()
}

#[test]
fn every_command_that_answers_for_a_program_shares_the_refusals_of_shapes_that_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let page = page.to_str().expect("a path");
    let run: &[&str] = &["--device", "interpreter", "--init", "normal"];
    let commands: [(&str, &[&str]); 5] = [
        ("infer", &[]),
        ("run", run),
        ("train", run),
        ("explain", &[]),
        ("view", &["--html", page]),
    ];
    for code in ["R1", "R2", "R3", "R4", "R5", "R6"] {
        let file = program(&example(code));
        let path = file.path().to_str().expect("a path");
        let mut headlines = Vec::new();
        for (command, flags) in commands {
            let (text, status) = lozenge(&[&[command, path], flags].concat());
            assert_eq!(status, Some(1), "{command} {code}: {text}");
            headlines.push(text.lines().next().unwrap_or_default().to_string());
        }
        let [first, others @ ..] = &headlines[..] else {
            panic!("commands")
        };
        assert!(first.starts_with(&format!("error[{code}]: ")), "{first}");
        assert!(others.iter().all(|line| line == first), "{headlines:?}");
    }
}

#[test]
fn a_code_is_found_in_small_letters() {
    let (text, code) = lozenge(&["explain", "r2"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("R2 ("), "{text}");
}

/// Returns the text of a page.
fn without_tags(page: &str) -> String {
    let pieces = page.split('<');
    pieces
        .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text))
        .collect()
}

/// A run that says nothing of a warning would print numbers that nobody asked for.
#[test]
fn every_command_that_accepts_a_program_says_its_warnings() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let page = page.to_str().expect("a path");
    let run: &[&str] = &["--device", "interpreter"];
    let commands: [(&str, &[&str]); 6] = [
        ("infer", &[]),
        ("infer", &["--shapes"]),
        ("run", run),
        ("train", run),
        ("explain", &[]),
        ("view", &["--html", page]),
    ];
    let section = "repeat 1 steps:\n  print sum(t)\n";
    let overlap = "data t : 2, 4 = range(8)\nlet m = map(t, \"a, b => 2*a + b\")\n";
    let apart = "data t : 2 <> = range(2)\ndata a : 3 = range(3)\nlet s = max(t, a)\n";
    for (lines, warning) in [
        (overlap, "warning: windows of `m` overlap"),
        (
            apart,
            "warning[R4]: the output axes of `t` and `a` do not pair",
        ),
    ] {
        let file = program(&format!("{lines}{section}"));
        let path = file.path().to_str().expect("a path");
        for (command, flags) in commands {
            let (text, status) = lozenge(&[&[command, path], flags].concat());
            assert_eq!(status, Some(0), "{command}: {text}");
            let shown = match command {
                "view" => without_tags(&std::fs::read_to_string(page).expect("a page")),
                _ => text,
            };
            assert!(shown.contains(warning), "{command} {flags:?}: {shown}");
            if command == "view" || flags.contains(&"--shapes") {
                continue;
            }
            let (text, _) = lozenge(&[&[command, path, "--format", "json"], flags].concat());
            let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let message = json["errors"][0]["message"].as_str().unwrap_or_default();
            let (_, headline) = warning.split_once(": ").expect("a headline");
            assert!(message.starts_with(headline), "{command}: {text}");
        }
    }
}

#[test]
fn a_parameter_that_grows_is_told_with_the_line() {
    let text = "data d : 3|-> = range(3)\ndata e : ->4 = range(4)\nparam w = 1\nlet y = d + w\nlet t = y + e\n";
    let note = "`w` is `->4`: line 5 asks for its output axes and does not read it; without that line it is `->`";
    let file = program(text);
    let path = file.path().to_str().expect("a path");
    for command in ["infer", "explain"] {
        let (shown, status) = lozenge(&[command, path]);
        assert_eq!(status, Some(0), "{shown}");
        assert!(shown.contains(&format!("note: {note}")), "{shown}");
        let (json, _) = lozenge(&[command, path, "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["notes"][0]["line"], 5, "{json}");
        assert_eq!(json["notes"][0]["tensor"], "w", "{json}");
    }
    // A written shape, another tensor with the axes, and a line that reads the parameter are no reasons for a note.
    for (from, to) in [
        ("param w = 1", "param w : ->4 = 1"),
        ("d : 3|->", "d : 3|->4"),
        ("y + e", "y + e + w"),
    ] {
        let file = program(
            &text
                .replace(from, to)
                .replace("3|->4 = range(3)", "3|->4 = range(12)"),
        );
        let (shown, status) = lozenge(&["infer", file.path().to_str().expect("a path")]);
        assert_eq!(status, Some(0), "{shown}");
        assert!(!shown.contains("note: "), "{shown}");
    }
}

/// The line is found by bisection, so the search goes back to shorter prefixes of the program.
#[test]
fn a_parameter_that_grows_late_is_told_with_the_line() {
    for at in 5..12 {
        let other = |line: usize| match line == at {
            true => format!("let q{line} = y + e\n"),
            false => format!("let q{line} = d *. {line}\n"),
        };
        let others: String = (5..16).map(other).collect();
        let start =
            "data d : 3|-> = range(3)\ndata e : ->4 = range(4)\nparam w = 1\nlet y = d + w\n";
        let file = program(&format!("{start}{others}"));
        let (shown, status) = lozenge(&["infer", file.path().to_str().expect("a path")]);
        assert_eq!(status, Some(0), "{shown}");
        let note = format!("`w` is `->4`: line {at} asks for its output axes");
        assert!(shown.contains(&note), "{at}: {shown}");
    }
}
