//! A device that goes away during a run: what is told, and that nothing is lost. The driver really runs; a library in
//! front of it, which is compiled here with the linker's C compiler, refuses launches from some place on.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const PROGRAM: &str = "data x : n:12|->2 = range(24)
data t : n|->1 = range(12)
let net = dense(1)
train 6 epochs by 4 of n shuffled:
  let loss = mse(net(x), t)
  backward loss
  for q in params(loss): adam(0.1)(q, q.grad)
  print loss
";

struct Case {
    folder: tempfile::TempDir,
    library: PathBuf,
}

impl Case {
    /// Makes a case; `None` where there is no OpenCL device.
    fn new() -> Option<Case> {
        let mut devices = Command::new(env!("CARGO_BIN_EXE_lozenge"));
        if !devices
            .arg("devices")
            .output()
            .expect("it runs")
            .status
            .success()
        {
            assert!(std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none());
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("p.loz"), PROGRAM).expect("written");
        let library = folder.path().join("failing.so");
        let source = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/lost_device/failing.c"
        );
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", source, "-ldl", "-o"]);
        let compiled = compiler.arg(&library).status();
        assert!(compiled.expect("the linker's compiler").success());
        Some(Case { folder, library })
    }

    fn at(&self) -> &Path {
        self.folder.path()
    }

    /// Runs lozenge on OpenCL, whose device goes away after so many launches if there is a number.
    fn lozenge(&self, arguments: &[&str], launches: Option<u32>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
        command.current_dir(self.at()).args(arguments);
        command.args(["--device", "opencl"]);
        if let Some(launches) = launches {
            command.env("LD_PRELOAD", &self.library);
            command.env("LOZENGE_TEST_LAUNCHES", launches.to_string());
        }
        command.output().expect("it runs")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn a_run_whose_device_goes_away_says_so_and_goes_on_from_its_checkpoint() {
    let Some(case) = Case::new() else {
        return;
    };
    let whole = case.lozenge(&["train", "p.loz", "--save", "whole.npz"], None);
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let save = ["train", "p.loz", "--save", "part.safetensors"];
    // Enough launches for the first values and some epochs, whatever is fused.
    let mut launches = 1;
    let (stopped, epochs) = loop {
        let stopped = case.lozenge(&save, Some(launches));
        assert_eq!(stopped.status.code(), Some(2), "{launches} launches");
        let epochs = text(&stopped.stdout).matches("epoch ").count();
        if epochs > 1 {
            break (stopped, epochs);
        }
        launches += 2;
    };
    assert!(epochs < 6);
    let told = text(&stopped.stderr);
    let why = "; drivers answer so when a device is gone, or when a kernel took longer than they allow; part.safetensors has the values after the last epoch that ended: \
               `--resume part.safetensors` goes on from there, to the same bits\n";
    assert!(told.starts_with("error: OpenCL could not "), "{told}");
    assert!(
        told.contains(" answers CL_DEVICE_NOT_AVAILABLE (-2)"),
        "{told}"
    );
    assert!(told.ends_with(why), "{told}");
    let resume = [
        "train",
        "p.loz",
        "--resume",
        "part.safetensors",
        "--save",
        "rest.npz",
    ];
    let rest = case.lozenge(&resume, None);
    assert!(rest.status.success(), "{}", text(&rest.stderr));
    let files = ["whole.npz", "rest.npz"].map(|name| fs::read(case.at().join(name)));
    let [whole, rest] = files.map(|file| file.expect("it was saved"));
    assert!(whole == rest, "a resumed run comes to the same bits");
}

#[test]
fn without_a_checkpoint_another_way_is_named() {
    let Some(case) = Case::new() else {
        return;
    };
    let stopped = case.lozenge(&["train", "p.loz"], Some(0));
    assert_eq!(stopped.status.code(), Some(2));
    let told = text(&stopped.stderr);
    let way = "; run it again, or with --device interpreter\n";
    assert!(told.ends_with(way), "{told}");
}

/// PoCL calls `exit` where its folder for kernels is full, and `abort` where a file in it is damaged.
#[test]
fn a_driver_that_ends_the_process_does_not_answer_in_our_place() {
    let Some(case) = Case::new() else {
        return;
    };
    for end in ["exit", "abort", "segv"] {
        for (command, format) in [("run", "text"), ("run", "json"), ("train", "jsonl")] {
            let mut lozenge = Command::new(env!("CARGO_BIN_EXE_lozenge"));
            lozenge.current_dir(case.at());
            lozenge.args([command, "p.loz", "--device", "opencl", "--format", format]);
            lozenge.env("LD_PRELOAD", &case.library);
            lozenge.env("LOZENGE_TEST_END", end);
            lozenge.env("POCL_CACHE_DIR", case.at().join("of the driver"));
            let output = lozenge.output().expect("it runs");
            assert_eq!(output.status.code(), Some(2), "{end} {command} {format}");
            let (out, told) = (text(&output.stdout), text(&output.stderr));
            let message = match format {
                "text" => told.clone(),
                _ => {
                    assert_eq!(told, "", "{end} {command} {format}");
                    let last = if format == "json" {
                        &out
                    } else {
                        out.lines().last().expect("a line")
                    };
                    let answer: Value = serde_json::from_str(last).expect("JSON");
                    let message = answer["errors"][0]["message"].as_str().expect("a message");
                    message.to_string()
                }
            };
            assert!(
                message.contains("the OpenCL driver ended the run"),
                "{message}"
            );
            assert!(
                message.contains("of the driver"),
                "the folder is named: {message}"
            );
            assert!(message.contains("--device interpreter"), "{message}");
        }
    }
}

/// The folder of PoCL is damaged in earnest: it answers with another error, or ends the process, by file and version.
#[test]
fn a_damaged_folder_of_the_driver_is_named() {
    let Some(case) = Case::new() else {
        return;
    };
    let folder = case.at().join("pocl");
    fs::create_dir(&folder).expect("created");
    let run = || {
        let mut lozenge = Command::new(env!("CARGO_BIN_EXE_lozenge"));
        lozenge
            .current_dir(case.at())
            .args(["run", "p.loz", "--device", "opencl"]);
        lozenge
            .env("POCL_CACHE_DIR", &folder)
            .output()
            .expect("it runs")
    };
    let first = run();
    assert!(first.status.success(), "{}", text(&first.stderr));
    let mut open = vec![folder.clone()];
    let mut damaged = 0;
    while let Some(inner) = open.pop() {
        for one in fs::read_dir(inner).expect("a folder") {
            let path = one.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "so") {
                fs::write(path, "no kernel").expect("written");
                damaged += 1;
            }
        }
    }
    let second = run();
    if damaged == 0 {
        // Another driver has no such folder.
        assert!(second.status.success());
        return;
    }
    assert_eq!(second.status.code(), Some(2), "{}", text(&second.stdout));
    let told = text(&second.stderr);
    assert!(told.contains(&*folder.to_string_lossy()), "{told}");
}

#[test]
fn a_variable_that_means_nothing_is_refused_by_name() {
    let Some(case) = Case::new() else {
        return;
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    command.current_dir(case.at());
    command.args(["train", "p.loz", "--device", "opencl"]);
    let output = command.env("LOZENGE_KERNEL_OPTIMISATION", "none").output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let told = "error: LOZENGE_KERNEL_OPTIMISATION is \"none\": set it to on or off\n";
    assert_eq!(text(&output.stderr), told);
}
