//! The extracted program, which answers one request a line.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

pub struct Program {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/checker/lozenge-proved-checker")
}

impl Program {
    /// Starts the program; `None` where it is not built and not required.
    pub fn start() -> Option<Program> {
        let path = path();
        if !path.exists() {
            let required = std::env::var_os("LOZENGE_REQUIRE_PROOFS").is_some();
            assert!(
                !required,
                "{} is not built: make -C proofs checker",
                path.display()
            );
            println!("left out: the proved checker is not built (make -C proofs checker)");
            return None;
        }
        let mut child = Command::new(path)
            .arg("--requests")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        Some(Program {
            requests: child.stdin.take(),
            answers: BufReader::new(child.stdout.take().expect("piped")),
            child,
        })
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        let answer = self.ask_line(&request.to_string());
        assert!(answer["error"].is_null(), "{request}\n{answer}");
        answer
    }

    pub fn ask_line(&mut self, line: &str) -> Value {
        let requests = self.requests.as_mut().expect("open until the end");
        writeln!(requests, "{line}").expect("it reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("it answers");
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{line}\n{answer}: {error}"))
    }
}

impl Drop for Program {
    /// Ends the program by the end of its input.
    fn drop(&mut self) {
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}
