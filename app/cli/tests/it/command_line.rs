//! The command line as users see it, whatever it is asked: exit statuses, files, limits, help, interrupts.

use std::fs;

use crate::terminal::{folder, in_folder, json_of, lozenge, on, status, text, with_input};

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
    // The slow transcription stops at a limit and says so; a tenth of its own one, which takes 20 s here.
    let slow = on(&chain, "solve", &["--by", "spec", "--rule-work", "2000000"]);
    assert_eq!(status(&slow), 3, "{}", text(&slow.stderr));
}

/// Says whether a process has a handler for SIGINT, which has the number 2.
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
