//! Compiled kernels as a user sees them: their times, and the folder that keeps them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PROGRAM: &str = "data a : 64, 64 = range(4096)
let b = a + 1
c =:+ a * b \"i,j; j,k => i,k\"
let d = sum(c)
print d
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.loz"), PROGRAM).expect("written");
    folder
}

/// Runs lozenge on the first OpenCL device.
fn lozenge(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    let command = command.current_dir(folder).args(arguments);
    command.output().expect("it runs")
}

fn texts(output: &Output) -> [String; 2] {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    [text(&output.stdout), text(&output.stderr)]
}

fn run(folder: &Path, more: &[&str]) -> [String; 2] {
    let mut arguments = vec!["run", "p.loz", "--device", "opencl"];
    arguments.extend(more);
    let output = lozenge(folder, &arguments);
    assert!(output.status.success(), "{:?}", texts(&output));
    texts(&output)
}

/// Returns the files of the cache `kernels` in a folder, each of which keeps compiled kernels.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder.join("kernels")).expect("it was made");
    let all = all.map(|one| one.expect("readable").path());
    let large = |path: &PathBuf| fs::metadata(path).expect("it exists").len() > 1000;
    all.filter(large).collect()
}

#[test]
fn compiled_kernels_are_kept_and_damaged_ones_compiled_again() {
    let folder = folder();
    let at = folder.path();
    let cached = ["--kernel-cache", "kernels"];
    let first = run(at, &cached);
    assert_eq!(first[1], "");
    // A kernel that is compiled for the first time is only announced.
    assert_eq!(kept(at), [""; 0].map(PathBuf::from));
    assert_eq!(run(at, &cached), first);
    let files = kept(at);
    assert!(!files.is_empty());
    let good = fs::read(&files[0]).expect("read");
    assert_eq!(run(at, &cached), first);
    fs::write(&files[0], &good[..good.len() - 1]).expect("written");
    let [out, warning] = run(at, &cached);
    assert_eq!(out, first[0]);
    let name = files[0].file_name().expect("a name").to_string_lossy();
    assert!(
        warning.starts_with("warning: kernels") && warning.contains(&*name),
        "{warning}"
    );
    assert_eq!(fs::read(&files[0]).expect("read"), good);
    assert_eq!(run(at, &cached), first);
}

/// Files of the cache are programs of the driver, whose compiler takes longer to start than to compile a kernel.
#[test]
fn kernels_of_a_program_are_compiled_together() {
    let folder = folder();
    let at = folder.path();
    let layers = "data x : n:4|->3 = range(12)
let y = dense(2)(relu(dense(5)(x)))
print sum(y)
";
    fs::write(at.join("p.loz"), layers).expect("written");
    let cached = ["--kernel-cache", "kernels"];
    assert_eq!(run(at, &cached), run(at, &cached));
    assert_eq!(kept(at).len(), 1);
}

#[test]
fn processes_share_the_folder() {
    let folder = folder();
    let at = folder.path();
    let cached = ["--kernel-cache", "kernels"];
    let first = run(at, &cached);
    std::thread::scope(|scope| {
        let all = [0; 4].map(|_| scope.spawn(|| run(at, &cached)));
        for one in all {
            assert_eq!(one.join().expect("it ends"), first);
        }
    });
}

#[test]
fn a_folder_that_cannot_be_used_is_a_warning() {
    let folder = folder();
    let [out, warning] = run(folder.path(), &["--kernel-cache", "p.loz"]);
    assert!(out.contains("d = "), "{out}");
    assert!(warning.contains("cannot be kept there"), "{warning}");
    // The tests of this workspace switch it off by the variable.
    let [again, nothing] = run(folder.path(), &[]);
    assert_eq!([again, nothing], [out, String::new()]);
}

#[test]
fn times_name_the_lines_of_kernels() {
    let folder = folder();
    let [out, _] = run(folder.path(), &["--times"]);
    assert!(out.contains("kernels by their time, "), "{out}");
    let [json, _] = run(folder.path(), &["--times", "--format", "json"]);
    let answer: Value = serde_json::from_str(&json).expect("JSON");
    let times = answer["times"].as_array().expect("times");
    let lines = times
        .iter()
        .flat_map(|time| time["lines"].as_array().expect("lines"));
    let mut lines: Vec<u64> = lines.filter_map(Value::as_u64).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines, [2, 3, 4], "{times:?}");
    let product = times.iter().find(|time| {
        let results = time["results"].as_array().expect("results");
        results.iter().any(|name| name == "c")
    });
    let product = product.expect("the product ran");
    assert!(
        product["operations"].as_f64() >= Some(2.0 * 64f64.powi(3)),
        "{product}"
    );
    assert!(
        product["bytes"].as_f64() >= Some(2.0 * 4.0 * 4096.0),
        "{product}"
    );
    for time in times {
        assert_eq!(time["runs"], 1, "{time}");
        let seconds = time["seconds"].as_f64().expect("a number");
        assert!(seconds > 0.0 && seconds < 1.0, "{time}");
    }
}

#[test]
fn an_interpreter_measures_no_kernels() {
    let folder = folder();
    let arguments = ["run", "p.loz", "--device", "interpreter", "--times"];
    let [out, _] = texts(&lozenge(folder.path(), &arguments));
    assert!(
        out.ends_with("times: this device does not measure kernels\n"),
        "{out}"
    );
}

#[test]
fn a_tensor_that_is_larger_than_the_device_allows_is_named() {
    let folder = folder();
    let text = "data a : 60000 = range(60000)\nb =: a * a \"i; j => i, j\"\nsave b to \"b.npy\"\n";
    fs::write(folder.path().join("p.loz"), text).expect("written");
    let more = [
        "run",
        "p.loz",
        "--device",
        "opencl",
        "--max-bytes",
        "1000000000000",
    ];
    let output = lozenge(folder.path(), &more);
    let [_, error] = texts(&output);
    // A device that has the room does it.
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("p.loz:2:1"), "{error}");
        assert!(error.contains("14400000000 bytes"), "{error}");
    }
}

#[test]
fn a_benchmark_measures_the_device_that_is_chosen() {
    let folder = folder();
    let arguments = [
        "bench",
        "backend",
        "--only",
        "matmul 64",
        "--rounds",
        "1",
        "--format",
        "json",
    ];
    let measured = |more: &[&str]| {
        let output = lozenge(folder.path(), &[&arguments[..], more].concat());
        assert!(output.status.success(), "{:?}", texts(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        answer["backend"].clone()
    };
    let first = measured(&[]);
    let chosen = measured(&["--device", "opencl:0"]);
    assert!(chosen["device"].is_string());
    assert_eq!(first["device"], chosen["device"]);
    assert!(chosen["workloads"][0]["seconds"].as_f64() > Some(0.0));
    let refused = |wrong: &str, message: &str| {
        let device = ["--device", wrong];
        let output = lozenge(folder.path(), &[&arguments[..6], &device].concat());
        assert_eq!(output.status.code(), Some(2));
        let [_, error] = texts(&output);
        assert!(error.contains(message), "{error}");
    };
    refused("interpreter", "the interpreter has no kernels");
    refused("opencl:no such device", "no OpenCL device is called");
}

#[test]
fn a_benchmark_that_serves_answers_with_times_and_values() {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    let mut served = command
        .current_dir(folder.path())
        .args(["bench", "backend", "--serve", "--only", "matmul 64"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let lines = "matmul 64\nvalues\tresult\tmatmul 64\nforget matmul 64\n";
    let mut input = served.stdin.take().expect("piped");
    input.write_all(lines.as_bytes()).expect("written");
    drop(input);
    let [out, _] = texts(&served.wait_with_output().expect("it ends"));
    let answers: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [times, values] = &answers[..] else {
        panic!("{out}");
    };
    assert!(times["device"].is_string() && times["seconds"].as_f64() > Some(0.0));
    assert_eq!(values["shape"], serde_json::json!([64, 64]));
    let bytes = fs::read(folder.path().join("result")).expect("it was written");
    assert_eq!(bytes.len(), 4 * 64 * 64);
    assert!(bytes.iter().any(|byte| *byte != bytes[0]));
}

/// PoCL takes the number of its threads from a variable. Another driver ignores it, and the test then says only that
/// two runs agree.
#[test]
fn bits_do_not_depend_on_the_number_of_cores() {
    const SUMS: &str = "data a : 40, 3000 = range(120000)
let s = exp(a / 120000) - 1.7
p =:+ s * s \"i,k; j,k => i,j\"
q =:+ s \"i,k => k\"
let r = sum(s)
print p, q, r
";
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("sums.loz"), SUMS).expect("written");
    let with = |threads: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
        command
            .current_dir(at)
            .args(["run", "sums.loz", "--device", "opencl", "--format", "json"])
            .env("POCL_MAX_PTHREAD_COUNT", threads);
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{:?}", texts(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        answer["printed"].clone()
    };
    let one = with("1");
    assert_eq!(one.as_array().map(Vec::len), Some(3));
    // PoCL ends the process where it has more threads than there are cores.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in 2..=cores.min(4) {
        assert_eq!(with(&threads.to_string()), one, "{threads} threads");
    }
}

#[test]
fn a_run_keeps_what_it_shows_and_no_more() {
    const CHAIN: &str = "data a : 64->64 = range(4096)
let s = a / 4096
let b = s * s
let c = b * s
let d = c * s
let total = sum(d)
print total
";
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("chain.loz"), CHAIN).expect("written");
    let run = |program: &str| {
        let output = lozenge(
            at,
            &["run", program, "--device", "opencl", "--format", "json"],
        );
        assert!(output.status.success(), "{:?}", texts(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let bytes = |key: &str| answer["memory"][key].as_u64().expect("bytes");
        ["most", "most_shared", "least_shared"].map(bytes)
    };
    let tensor = 4 * 64 * 64;
    let [most, shared, least] = run("chain.loz");
    assert_eq!([shared, least], [2 * tensor; 2]);
    assert!((3 * tensor..3 * tensor + 64).contains(&most), "{most}");
    // With a `print` of its own a tensor stays.
    fs::write(at.join("shown.loz"), format!("{CHAIN}print b\n")).expect("written");
    let [more, ..] = run("shown.loz");
    assert!(more >= most + tensor, "{more} {most}");
}

#[test]
fn the_rounding_of_a_sum_is_an_element_of_the_answer() {
    let folder = folder();
    let rounding = |more: &[&str]| {
        let mut arguments = vec!["infer", "p.loz", "--schedule", "--format", "json"];
        arguments.extend(more);
        let output = lozenge(folder.path(), &arguments);
        assert!(output.status.success(), "{:?}", texts(&output));
        let text = String::from_utf8(output.stdout).expect("text");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        let mut found = Vec::new();
        let mut open = vec![&answer];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(fields) if fields.contains_key("roundings") => found.push((
                    value["roundings"].as_u64().expect("a number"),
                    value["precision"].as_str().expect("a word").to_string(),
                )),
                Value::Object(fields) => open.extend(fields.values()),
                Value::Array(values) => open.extend(values),
                _ => {}
            }
        }
        found.sort();
        found
    };
    let narrow = rounding(&[]);
    assert!(!narrow.is_empty());
    assert!(
        narrow
            .iter()
            .all(|(count, precision)| *count > 0 && precision == "f32")
    );
    let wide = rounding(&["--precision", "f64"]);
    assert!(!wide.is_empty() && wide.iter().all(|(_, precision)| precision == "f64"));
}
