//! `lozenge train --resume`: it continues the run of the checkpoint, or says what differs.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

const TABLE: &str =
    "a,b,t\n1,2,3\n-1,0,0\n3,1,5\n0,2,2\n-2,1,-1\n1,1,2\n2,-1,1\n0,0,0\n1,-2,-2\n-1,-1,-1\n";

const PROGRAM: &str = "data x : n|->2 from \"t.csv\" header columns 0..2
data t : n|->1 from \"t.csv\" header column 2
let net = dense(1)
train 3 epochs by 4 of n shuffled:
  let loss = mse(net(x), t)
  backward loss
  for q in params(loss): momentum(0.1, 0.9)(q, q.grad)
  print loss
";

/// Returns a folder with the table, the program, and the checkpoint of its three epochs.
fn trained() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.csv"), TABLE).expect("written");
    fs::write(folder.path().join("p.loz"), PROGRAM).expect("written");
    let (code, text) = train(folder.path(), &["p.loz", "--save", "c.st"]);
    assert_eq!(code, 0, "{text}");
    folder
}

/// Trains on the interpreter, and returns the status and what is printed on both outputs.
fn train(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("lozenge").expect("it is built");
    command.current_dir(folder).arg("train").args(arguments);
    if !arguments.contains(&"--device") {
        command.args(["--device", "interpreter"]);
    }
    let output = command.output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    (output.status.code().expect("a status"), text)
}

/// Resumes the run with another program.
fn resumed_as(folder: &Path, program: &str, more: &[&str]) -> (i32, String) {
    fs::write(folder.join("q.loz"), program).expect("written");
    let arguments = [&["q.loz", "--epochs", "4", "--resume", "c.st"], more].concat();
    train(folder, &arguments)
}

#[test]
fn a_checkpoint_of_another_run_is_refused_with_what_differs() {
    let folder = trained();
    let at = folder.path();
    let refused = |program: &str, more: &[&str], expected: &str| {
        let (code, text) = resumed_as(at, program, more);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("the checkpoint is of another run"), "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(text.contains("--load in place of --resume"), "{text}");
        assert!(!text.contains("epoch 4"), "nothing was computed: {text}");
    };
    let changed = |from: &str, to: &str| {
        assert!(PROGRAM.contains(from));
        PROGRAM.replace(from, to)
    };
    let batches = "a section has other batches, another order of rows";
    refused(&changed("by 4", "by 2"), &[], batches);
    refused(&changed(" shuffled", ""), &[], batches);
    let program = "the program computes something else";
    refused(&changed("(0.1, 0.9)", "(0.1, 0.5)"), &[], program);
    refused(&changed("(0.1, 0.9)", "(0.05, 0.9)"), &[], program);
    refused(
        &changed("mse(net(x), t)", "mse(2 *. net(x), t)"),
        &[],
        program,
    );
    let plain = changed("momentum(0.1, 0.9)", "sgd(0.1)");
    refused(&plain, &[], program);
    refused(&plain, &[], "the program lacks `net.b.momentum");
    refused(PROGRAM, &["--precision", "f64"], "rounded differently");
    fs::write(at.join("t.csv"), TABLE.replace("3,1,5", "3,1,4")).expect("written");
    refused(PROGRAM, &[], "the data has other values");
    // Values of the checkpoint begin another run, as before.
    let (code, text) = train(at, &["q.loz", "--epochs", "1", "--load", "c.st"]);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn a_run_goes_on_where_only_the_text_differs() {
    let folder = trained();
    let at = folder.path();
    let (code, expected) = train(at, &["p.loz", "--epochs", "4"]);
    assert_eq!(code, 0);
    let fourth = |text: &str| {
        let lines = text.lines().filter(|line| line.starts_with("epoch 4"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(fourth(&expected).len(), 1, "{expected}");
    let same = |program: &str| {
        let (code, text) = resumed_as(at, program, &[]);
        assert_eq!(code, 0, "{text}");
        assert_eq!(fourth(&text), fourth(&expected), "{text}");
    };
    same(PROGRAM);
    same(&format!("# A comment.\n{PROGRAM}"));
    same(&PROGRAM.replace("3 epochs", "9 epochs"));
    same(&PROGRAM.replace("let net = dense(1)", "let net = dense(1) # one output\n"));
    // A further line that only shows something decides nothing.
    let (code, text) = resumed_as(at, &format!("{PROGRAM}print sum(x)\n"), &[]);
    assert_eq!((code, fourth(&text)), (0, fourth(&expected)), "{text}");
    let above = PROGRAM.replace("let net", "let shown = x *. 2\nlet net");
    let (code, text) = resumed_as(at, &format!("{above}print shown\n"), &[]);
    assert_eq!((code, fourth(&text)), (0, fourth(&expected)), "{text}");
}

#[test]
fn a_run_with_nothing_left_says_so() {
    let folder = trained();
    let at = folder.path();
    for epochs in ["3", "2"] {
        let (code, text) = train(at, &["p.loz", "--epochs", epochs, "--resume", "c.st"]);
        assert_eq!(code, 0, "{text}");
        let expected = "line 4: the run had done these epochs already: nothing is left to do here";
        assert!(text.contains(expected), "{text}");
    }
    let arguments = ["p.loz", "--resume", "c.st", "--format", "json"];
    let (_, text) = train(at, &arguments);
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(answer["sections"][0]["done_before"], true, "{answer}");
    let (_, text) = train(at, &["p.loz", "--epochs", "5", "--resume", "c.st"]);
    assert!(!text.contains("nothing is left"), "{text}");
}

#[test]
fn no_number_of_a_checkpoint_changes_unnoticed() {
    let folder = trained();
    let at = folder.path();
    let bytes = fs::read(at.join("c.st")).expect("a checkpoint");
    let text = String::from_utf8_lossy(&bytes[..1000.min(bytes.len())]).into_owned();
    let numbers = [
        "checksum ",
        "seed ",
        "section ",
        "epoch ",
        "step ",
        "program ",
        "data ",
    ];
    for name in numbers {
        let place = text.find(name).expect(name) + name.len();
        let mut changed = bytes.clone();
        changed[place] = if changed[place] == b'1' { b'2' } else { b'1' };
        fs::write(at.join("changed.st"), changed).expect("written");
        let (code, text) = train(at, &["p.loz", "--epochs", "4", "--resume", "changed.st"]);
        assert_eq!(code, 2, "{name}: {text}");
        assert!(text.contains("the file is damaged"), "{name}: {text}");
    }
}
