//! The extracted program, which answers one request a line.

use std::path::{Path, PathBuf};

use lozenge_testkit::conversation::Conversation;
use serde_json::Value;

pub struct Program(Conversation);

/// Returns the path in `LOZENGE_PROVED_CHECKER`, or else the place in which it is built.
fn path() -> PathBuf {
    let built =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proofs/checker/lozenge-proved-checker");
    std::env::var_os("LOZENGE_PROVED_CHECKER").map_or(built, PathBuf::from)
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
        let started = Conversation::start(path.as_os_str(), &["--requests"]);
        Some(Program(started.expect("the program starts")))
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        let answer = self.ask_line(&request.to_string());
        assert!(answer["error"].is_null(), "{request}\n{answer}");
        answer
    }

    /// Returns the answers to requests, which are sent without waiting for the answers.
    pub fn ask_each(&mut self, requests: &[Value]) -> Vec<Value> {
        let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
        let answers = self.0.ask_each(&lines).expect("it answers");
        let read = lines.iter().zip(answers).map(|(line, answer)| {
            let read: Value = serde_json::from_str(&answer)
                .unwrap_or_else(|error| panic!("{line}\n{answer}: {error}"));
            assert!(read["error"].is_null(), "{line}\n{answer}");
            read
        });
        read.collect()
    }

    pub fn ask_line(&mut self, line: &str) -> Value {
        let answer = self.0.ask(line).expect("it answers");
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{line}\n{answer}: {error}"))
    }
}
