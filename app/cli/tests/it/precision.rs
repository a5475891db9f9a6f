//! `--precision f64` and `--accumulate f64`: on both engines, from the beginning of a run to what it prints, saves and
//! resumes.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

/// A row whose sum 32 bits lose, a matrix product with all digits, and a softmax.
const PROGRAM: &str = "data x : 3 = [100000000, 1, -100000000]
let third = x / 3
param a : 30->40 = normal()
param b : 40->20 = normal()
let c = b * a
let s = exp(c / 10) / sum(exp(c / 10))
save third to \"third.npy\"
save third to \"third.csv\"
print sum(x)
print third
";

/// Training with digits that 32 bits do not hold.
const TRAINING: &str =
    "data x : n:10|->2 = [1, 2, -1, 0, 3, 1, 0, 2, -2, 1, 1, 1, 2, -1, 0, 0, 1, -2, -1, -1]
data t : n|->1 = [3, 0, 5, 2, -1, 2, 1, 0, -2, -1]
let net = dense(1)
train 8 epochs by 4 of n shuffled:
  let loss = mse(net(x), t)
  backward loss
  for q in params(loss): adam(0.1)(q, q.grad)
  print loss
print net.w
";

fn lozenge(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lozenge").expect("it is built");
    // Kernels that the user's cache has are not compiled.
    let command = command.current_dir(folder).env("XDG_CACHE_HOME", folder);
    let output = command.args(arguments).output();
    output.expect("it runs")
}

fn good(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    // clang says so where the driver first compiles something that is wrong.
    assert!(!said.contains(" generated."), "{said}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Returns the engines that there are.
fn engines(folder: &Path) -> Vec<&'static str> {
    let there = lozenge(folder, &["devices"]).status.success();
    let required = std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_some_and(|value| value == "1");
    assert!(there || !required, "there is no OpenCL device");
    let all = ["interpreter", "opencl"];
    all[..if there { 2 } else { 1 }].to_vec()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.loz"), PROGRAM).expect("written");
    fs::write(folder.path().join("t.loz"), TRAINING).expect("written");
    folder
}

#[test]
fn numbers_of_64_bits_are_printed_and_saved_with_all_their_digits() {
    let folder = folder();
    let at = folder.path();
    for device in engines(at) {
        let run = |more: &[&str]| {
            let arguments = [&["run", "p.loz", "--device", device], more].concat();
            good(&lozenge(at, &arguments))
        };
        let narrow = run(&["--exact"]);
        assert!(narrow.contains("sum(x) = 0\n"), "{narrow}");
        let wide = run(&["--precision", "f64"]);
        assert!(wide.contains("sum(x) = 1\n"), "{wide}");
        assert!(wide.contains("0.3333333333333333,"), "{wide}");
        let csv = fs::read_to_string(at.join("third.csv")).expect("saved");
        assert!(csv.contains("0.3333333333333333,"), "{csv}");
        let saved = fs::read(at.join("third.npy")).expect("saved");
        let saved = lozenge::lang::numpy::read_whole(&saved[..], 100).expect("an array");
        let double = saved.double.expect("of 64 bits");
        assert_eq!(double, [1e8 / 3.0, 1.0 / 3.0, -1e8 / 3.0]);
        let json = run(&["--precision", "f64", "--format", "json"]);
        assert!(json.contains("0.3333333333333333"), "{json}");
        let sums = run(&["--accumulate", "f64"]);
        assert!(sums.contains("sum(x) = 1\n"), "{sums}");
        assert!(sums.contains("0.33333334,"), "{sums}");
    }
}

/// Files and literals have all their digits from reading to saving.
#[test]
fn data_is_read_in_64_bits() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("d.csv"), "0.1,1700000000.25\n").expect("written");
    let program = "data x : n:1|->2 from \"d.csv\"
data y : 2 = [0.1, 1700000000.25]
param w = 0.1
let z = x + 0 *. w
train 2 epochs by 1 of n shuffled: print max(x, \"n|->c => \")
save x to \"x.csv\"
save y to \"y.npy\"
print x, y, 0.1, w *. 1
print z
";
    fs::write(at.join("d.loz"), program).expect("written");
    for device in engines(at) {
        let run = |more: &[&str]| {
            let arguments = [&["run", "d.loz", "--device", device], more].concat();
            good(&lozenge(at, &arguments))
        };
        let wide = run(&["--precision", "f64"]);
        assert_eq!(wide.matches("[0.1, 1700000000.25]").count(), 3, "{wide}");
        assert!(
            wide.contains("epoch 2/2  max(x, \"n|->c => \") 1700000000.250000\n"),
            "the batches have all digits: {wide}"
        );
        let csv = fs::read_to_string(at.join("x.csv")).expect("saved");
        assert_eq!(csv, "0.1,1700000000.25\n");
        let saved = fs::read(at.join("y.npy")).expect("saved");
        let saved = lozenge::lang::numpy::read_whole(&saved[..], 100).expect("an array");
        assert_eq!(saved.double.expect("of 64 bits"), [0.1, 1700000000.25]);
        assert!(!run(&[]).contains("1700000000.25"));
    }
}

#[test]
fn both_engines_agree_in_64_bits() {
    let folder = folder();
    let at = folder.path();
    if engines(at).len() < 2 {
        return;
    }
    for precision in [["--precision", "f64"], ["--accumulate", "f64"]] {
        let arguments = [
            "run",
            "p.loz",
            "--device",
            "opencl",
            "--exact",
            "--compare",
            "--show",
            "c",
        ];
        let compared = good(&lozenge(at, &[&arguments[..], &precision[..]].concat()));
        let line = compared
            .lines()
            .find(|line| line.contains("largest difference"));
        let line = line.expect("they are compared");
        // `exp` differs in its last digits.
        let units = line
            .split('(')
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        let units = units.and_then(|units| units.parse::<u64>().ok());
        let is_near = units.is_some_and(|units| units < 20);
        assert!(is_near || line.contains(": 0,"), "{line}");
    }
}

#[test]
fn training_in_64_bits_goes_on_to_the_same_bits() {
    let folder = folder();
    let at = folder.path();
    for device in engines(at) {
        for file in ["half.safetensors", "half.npz"] {
            let train = |more: &[&str]| {
                let common = ["train", "t.loz", "--device", device, "--precision", "f64"];
                good(&lozenge(at, &[&common[..], more].concat()))
            };
            let whole = train(&["--save", "whole.safetensors"]);
            train(&["--epochs", "3", "--save", file]);
            let resumed = train(&["--resume", file, "--save", "resumed.safetensors"]);
            let last = |text: &str| text.lines().last().map(str::to_string);
            assert_eq!(last(&whole), last(&resumed));
            assert!(last(&whole).is_some_and(|line| line.len() > 50), "{whole}");
            let read = |name: &str| fs::read(at.join(name)).expect("saved");
            assert_eq!(read("whole.safetensors"), read("resumed.safetensors"));
        }
    }
}

#[test]
fn an_unknown_precision_is_refused() {
    let folder = folder();
    let refused = lozenge(folder.path(), &["run", "p.loz", "--precision", "f16"]);
    let said = String::from_utf8_lossy(&refused.stderr).to_string();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("f32, f64"), "{said}");
}

/// The centred cells add up to nearly nothing, and the rounding of their sum is large beside it.
#[test]
fn a_difference_stands_beside_the_values_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let program =
        "data x : 64, 512 = range(32768)\nlet c = x / 1000 - mean(x / 1000)\nlet t = sum(c)\n";
    fs::write(folder.path().join("p.loz"), program).unwrap();
    let at = folder.path();
    if engines(at).len() < 2 {
        return;
    }
    let compared = good(&lozenge(
        at,
        &["run", "p.loz", "--device", "opencl", "--compare"],
    ));
    let difference = compared
        .lines()
        .position(|line| line.contains("largest difference"));
    let lines: Vec<&str> = compared
        .lines()
        .skip(difference.expect("they are compared"))
        .collect();
    assert!(
        lines[0].contains(" in t, whose values go up to "),
        "{compared}"
    );
    assert!(lines[1].contains("`infer --schedule` states"), "{compared}");
    let schedule = good(&lozenge(at, &["infer", "p.loz", "--schedule"]));
    assert!(schedule.contains("of their magnitudes"), "{schedule}");
}
