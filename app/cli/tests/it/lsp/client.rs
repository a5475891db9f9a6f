//! A client of one server process: what is sent, and the wait for an answer.

use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};

/// The document that most tests are about.
pub const URI: &str = "file:///a/program.loz";
/// The time that a test waits before it fails. It is not a measurement.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client of one server.
pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<Message>,
    /// The messages that arrived while another one was expected.
    earlier: VecDeque<Message>,
    last_id: i32,
}

impl Client {
    pub fn start() -> Client {
        let mut server = Command::new(cargo_bin("lozenge"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = server.stdout.take().unwrap();
        let (messages, output) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Ok(Some(message)) = Message::read(&mut stdout) {
                if messages.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            input: server.stdin.take(),
            server,
            output,
            earlier: VecDeque::new(),
            last_id: 0,
        }
    }

    pub fn initialized() -> Client {
        let mut client = Client::start();
        let answer = client
            .ask("initialize", json!({"capabilities": {}}))
            .unwrap();
        assert_eq!(answer["capabilities"]["textDocumentSync"], 2, "incremental");
        client.tell("initialized", json!({}));
        client
    }

    pub fn opened(text: &str) -> Client {
        let mut client = Client::initialized();
        client.open(text);
        client
    }

    pub fn open(&mut self, text: &str) {
        self.open_as(text, "lozenge");
    }

    /// Opens a text of another language.
    pub fn open_as(&mut self, text: &str, language: &str) {
        let document = json!({"uri": URI, "languageId": language, "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    pub fn send(&mut self, message: Message) {
        let mut bytes = Vec::new();
        message.write(&mut bytes).unwrap();
        self.raw(&bytes);
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.into(), params).into());
    }

    pub fn request(&mut self, method: &str, params: Value) -> i32 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(Request::new(id.into(), method.into(), params).into());
        id
    }

    fn next(&mut self) -> Message {
        self.output
            .recv_timeout(PATIENCE)
            .expect("the server says something")
    }

    /// Waits for the first message for which `wanted` has an answer; others are kept for later.
    pub fn wait<T>(&mut self, wanted: impl Fn(&Message) -> Option<T>) -> T {
        if let Some((at, found)) = self
            .earlier
            .iter()
            .enumerate()
            .find_map(|(at, m)| Some((at, wanted(m)?)))
        {
            self.earlier.remove(at);
            return found;
        }
        loop {
            let message = self.next();
            match wanted(&message) {
                Some(found) => return found,
                None => self.earlier.push_back(message),
            }
        }
    }

    pub fn response(&mut self, id: i32) -> Result<Value, (i32, String)> {
        let Response {
            response_result, ..
        } = self.wait(|message| match message {
            Message::Response(response) if response.id == id.into() => Some(response.clone()),
            _ => None,
        });
        response_result.map_err(|error| (error.code, error.message))
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.request(method, params);
        self.response(id)
    }

    /// Returns the answer to a request about a position of the text.
    pub fn at(
        &mut self,
        method: &str,
        line: u32,
        character: u32,
        more: Value,
    ) -> Result<Value, (i32, String)> {
        let mut params = json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.ask(method, params)
    }

    pub fn hover(&mut self, line: u32, character: u32) -> String {
        let answer = self
            .at("textDocument/hover", line, character, json!({}))
            .unwrap();
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    }

    /// Returns the messages about the text of a version.
    pub fn diagnostics(&mut self, version: i32) -> Vec<Value> {
        self.wait(|message| match message {
            Message::Notification(told) if told.method == "textDocument/publishDiagnostics" => {
                let fits = told.params["version"] == version;
                fits.then(|| told.params["diagnostics"].as_array().unwrap().clone())
            }
            _ => None,
        })
    }

    pub fn change(&mut self, version: i32, range: Option<[u32; 4]>, text: &str) {
        let mut change = json!({"text": text});
        if let Some([line, character, end_line, end]) = range {
            change["range"] = json!({"start": {"line": line, "character": character}, "end": {"line": end_line, "character": end}});
        }
        let document = json!({"uri": URI, "version": version});
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [change]}),
        );
    }

    pub fn hints(&mut self) -> Vec<String> {
        let range =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}});
        let answer = self
            .ask(
                "textDocument/inlayHint",
                json!({"textDocument": {"uri": URI}, "range": range}),
            )
            .unwrap();
        let hint = |hint: &Value| {
            let (line, character) = (&hint["position"]["line"], &hint["position"]["character"]);
            format!("{line}:{character} {}", hint["label"].as_str().unwrap())
        };
        answer.as_array().unwrap().iter().map(hint).collect()
    }

    /// Sends nothing more, and returns the exit status.
    pub fn left(&mut self) -> Option<i32> {
        self.input = None;
        self.status()
    }

    /// Waits until the server has ended, and returns its exit status.
    pub fn status(&mut self) -> Option<i32> {
        self.server.wait().unwrap().code()
    }

    /// Shuts the server down properly, and returns its exit status.
    pub fn end(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", Value::Null), Ok(Value::Null));
        assert_eq!(self.ask("shutdown", Value::Null).unwrap_err().0, -32600);
        self.tell("exit", Value::Null);
        self.status().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
