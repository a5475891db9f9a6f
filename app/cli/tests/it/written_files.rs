//! Files that commands write: none of them is one that is read, and a process that is killed leaves the former file or
//! the new one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

const PROGRAM: &str = "data x : n:8|->2 from \"x.csv\"\nparam w = 0\ntrain 2 epochs by 4 of n:\n  let loss = mean(square(w *. x))\n  backward loss\n  for q in params(loss): sgd(0.1)(q, q.grad)\n  print loss\n";

/// Returns a folder with a program, its data, a file that it uses, and a constraint set.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("it can be written")
    };
    write("x.csv", &"1,2\n".repeat(8));
    write("used.loz", "def twice(a): a *. 2\n");
    write("p.loz", &format!("use \"used.loz\"\n{PROGRAM}"));
    write("s.rows", "<r> ~ [3]\n");
    write("save.loz", "data x : 2 = [1, 2]\nsave x to \"save.loz\"\n");
    folder
}

fn lozenge(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lozenge"))
        .args(args)
        .current_dir(folder)
        .env("LOZENGE_DEVICE", "interpreter")
        .output()
        .expect("it runs")
}

/// Returns the names and contents of all files.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let mut all: Vec<(String, Vec<u8>)> = entries
        .map(|path| {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            (name, fs::read(&path).unwrap_or_default())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn no_output_is_a_file_that_is_read() {
    let folder = folder();
    let at = folder.path();
    #[cfg(unix)]
    std::os::unix::fs::symlink("p.loz", at.join("link.loz")).expect("a link");
    let before = contents(at);
    for command in [
        "train p.loz --save x.csv",
        "train p.loz --save ./used.loz",
        "train p.loz --save p.loz",
        "train link.loz --save p.loz",
        "train p.loz --save link.loz",
        "train p.loz --curve new.svg --save new.svg",
        "view p.loz --html p.loz",
        "view p.loz --html used.loz",
        "solve s.rows --certificate s.rows",
        "entails s.rows <r>~[3] --certificate ../s.rows/../s.rows",
        "run save.loz",
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        // The last words of one command name a way round through the folder.
        let around = format!(
            "../{}/s.rows",
            at.file_name().unwrap_or_default().to_string_lossy()
        );
        let args: Vec<&str> = args
            .into_iter()
            .map(|word| {
                if word.contains("../s.rows") {
                    around.as_str()
                } else {
                    word
                }
            })
            .map(|word| if word == "<r>~[3]" { "<r> ~ [3]" } else { word })
            .collect();
        let output = lozenge(at, &args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        let is_told = said.contains("would write over") || said.contains("are one file");
        assert!(is_told && said.contains("name "), "{command}: {said}");
        assert_eq!(contents(at), before, "{command}");
    }
    // A run may write the checkpoint from which it is resumed.
    for args in [
        ["train", "p.loz", "--save", "a.st", "--epochs", "1"].as_slice(),
        &["train", "p.loz", "--save", "a.st", "--resume", "a.st"],
    ] {
        let output = lozenge(at, args);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A program that saves a large table.
const SAVES: &str =
    "data x : 30000 = range(30000)\nlet y = x + 1\nsave y to \"y.csv\"\nsave y to \"y.npy\"\n";

#[cfg(unix)]
#[test]
fn a_killed_process_leaves_the_former_file_or_the_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("p.loz"), SAVES).expect("it can be written");
    let run = || lozenge(at, &["run", "p.loz"]);
    assert!(run().status.success());
    // The moments of the kills lie between the beginning of a run and twice its duration, however busy the machine is.
    let begin = Instant::now();
    assert!(run().status.success());
    let longest = 2 * begin.elapsed();
    let new = contents(at);
    let (mut former, mut whole) = (0, 0);
    for number in 0..100u64 {
        for name in ["y.csv", "y.npy"] {
            fs::write(at.join(name), "former").expect("it can be written");
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_lozenge"))
            .args(["run", "p.loz"])
            .current_dir(at)
            .env("LOZENGE_DEVICE", "interpreter")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(longest.mul_f64((number * 997 % 1000) as f64 / 1000.0));
        let _ = child.kill();
        let _ = child.wait();
        for name in ["y.csv", "y.npy"] {
            let found = fs::read(at.join(name)).expect("it is there");
            let is_new = new
                .iter()
                .any(|(known, bytes)| known == name && *bytes == found);
            assert!(
                is_new || found == b"former",
                "{name}, kill {number}: {} bytes",
                found.len()
            );
            former += u64::from(!is_new);
            whole += u64::from(is_new);
        }
    }
    assert!(former > 0, "no process was killed before it wrote");
    assert!(whole > 0, "no process was killed when it had written");
    println!("former {former}, new {whole}");
    assert!(run().status.success());
    let names = |all: &[(String, Vec<u8>)]| -> Vec<String> {
        all.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&contents(at)), names(&new), "nothing else is left");
}
