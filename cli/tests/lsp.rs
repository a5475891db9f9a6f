//! The language server as an editor uses it: a process, frames, requests in any state of the text.

use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};

const URI: &str = "file:///a/program.loz";
/// How long a test waits before it fails. It is not a measurement.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client of one server.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<Message>,
    /// The messages that arrived while another one was expected.
    earlier: VecDeque<Message>,
    last_id: i32,
}

impl Client {
    fn start() -> Client {
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

    fn initialized() -> Client {
        let mut client = Client::start();
        let answer = client
            .ask("initialize", json!({"capabilities": {}}))
            .unwrap();
        assert_eq!(answer["capabilities"]["textDocumentSync"], 2, "incremental");
        client.tell("initialized", json!({}));
        client
    }

    fn opened(text: &str) -> Client {
        let mut client = Client::initialized();
        client.open(text);
        client
    }

    fn open(&mut self, text: &str) {
        let document = json!({"uri": URI, "languageId": "lozenge", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    fn send(&mut self, message: Message) {
        let mut bytes = Vec::new();
        message.write(&mut bytes).unwrap();
        self.raw(&bytes);
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.into(), params).into());
    }

    fn request(&mut self, method: &str, params: Value) -> i32 {
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
    fn wait<T>(&mut self, wanted: impl Fn(&Message) -> Option<T>) -> T {
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

    fn response(&mut self, id: i32) -> Result<Value, (i32, String)> {
        let Response {
            response_result, ..
        } = self.wait(|message| match message {
            Message::Response(response) if response.id == id.into() => Some(response.clone()),
            _ => None,
        });
        response_result.map_err(|error| (error.code, error.message))
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.request(method, params);
        self.response(id)
    }

    /// The answer to a request about a position of the text.
    fn at(
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

    fn hover(&mut self, line: u32, character: u32) -> String {
        let answer = self
            .at("textDocument/hover", line, character, json!({}))
            .unwrap();
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    }

    /// The messages about the text of a version.
    fn diagnostics(&mut self, version: i32) -> Vec<Value> {
        self.wait(|message| match message {
            Message::Notification(told) if told.method == "textDocument/publishDiagnostics" => {
                let fits = told.params["version"] == version;
                fits.then(|| told.params["diagnostics"].as_array().unwrap().clone())
            }
            _ => None,
        })
    }

    fn change(&mut self, version: i32, range: Option<[u32; 4]>, text: &str) {
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

    fn hints(&mut self) -> Vec<String> {
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

    /// Shuts the server down properly, and returns its exit status.
    fn end(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", Value::Null), Ok(Value::Null));
        assert_eq!(self.ask("shutdown", Value::Null).unwrap_err().0, -32600);
        self.tell("exit", Value::Null);
        self.server.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

const PROGRAM: &str = "data x : 8|->784 = range(6272)\ndata t : 8|->10 = range(80)\nparam w = 0.5\n\
                       let y = w * x\nlet e = y - t\n";

#[test]
fn a_hover_says_the_shape_and_why() {
    let mut client = Client::opened(PROGRAM);
    let said = client.hover(2, 6);
    assert!(said.contains("w : 784->10"), "{said}");
    assert!(
        said.contains("- input `784`: each input of `w` meets an output of `x` (line 4)"),
        "{said}"
    );
    assert!(said.contains("- output `10`: "), "{said}");
    assert!(
        client.hover(3, 10).contains("w * x : 8|->10"),
        "an expression"
    );
    assert!(client.hover(3, 12).contains("x : 8|->784"), "an operand");
    assert_eq!(client.hover(0, 1), "", "a keyword has no shape");
    assert_eq!(client.hover(400, 1), "");
    assert_eq!(
        client.hints(),
        ["2:7 : 784->10", "3:5 : 8|->10", "4:5 : 8|->10"]
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn functions_are_described_and_their_parts_have_the_shapes_of_their_calls() {
    let text = "data x : 8|->4 = range(32)\n# Twice.\ndef f(a): a *. 2\nlet y = f(x)\nlet z = f(softmax(y @| 0))\n";
    let mut client = Client::opened(text);
    assert!(client.hover(3, 8).contains("def f(a): a *. 2"));
    assert!(
        client
            .hover(4, 12)
            .contains("def softmax(x): exp(log_softmax(x))")
    );
    let said = client.hover(2, 10);
    assert!(
        said.contains("a : 8|->4") && said.contains("a : ->4"),
        "{said}"
    );
    assert_eq!(client.hints(), ["3:5 : 8|->4", "4:5 : ->4"]);
    assert_eq!(client.end(), 0);
}

#[test]
fn messages_have_places_related_places_and_changes_that_mend() {
    let text = "data x : 8|->3 = range(24)\ndata w : 5->3 = range(15)\nlet y = w * x\nlet z = x\n";
    let mut client = Client::opened(text);
    let messages = client.diagnostics(1);
    assert_eq!(messages.len(), 1, "{messages:?}");
    let message = messages[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("`w` takes 5 inputs, `x` gives 3\n"),
        "{message}"
    );
    assert_eq!(
        messages[0]["range"],
        json!({"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 13}})
    );
    let related = messages[0]["relatedInformation"].as_array().unwrap();
    let line = |place: &Value| place["location"]["range"]["start"]["line"].as_u64();
    let lines: Vec<_> = related.iter().filter_map(line).collect();
    assert_eq!(lines, [1, 0], "{related:?}");

    client.change(2, Some([2, 8, 2, 13]), "rleu(x)");
    let messages = client.diagnostics(2);
    assert!(
        messages[0]["message"]
            .as_str()
            .unwrap()
            .contains("help: did you mean `relu`?")
    );
    let range = messages[0]["range"].clone();
    let actions = client
        .ask(
            "textDocument/codeAction",
            json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []}}),
        )
        .unwrap();
    let edits = &actions[0]["edit"]["changes"][URI];
    assert_eq!(edits[0]["newText"], "relu");
    assert_eq!(
        edits[0]["range"]["start"],
        json!({"line": 2, "character": 8})
    );
    let elsewhere =
        json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let actions = client.ask("textDocument/codeAction", json!({"textDocument": {"uri": URI}, "range": elsewhere, "context": {"diagnostics": []}})).unwrap();
    assert_eq!(actions, json!([]));

    client.change(3, Some([2, 0, 3, 0]), "");
    assert_eq!(client.diagnostics(3), Vec::<Value>::new());
    assert_eq!(client.end(), 0);
}

#[test]
fn edits_in_utf_16_units_are_followed() {
    let text = "# 𝛼𝛽 is wide\r\ndata é : 3 = range(3)\r\nlet ü = é *. 2 # 𝛼\r\n";
    let mut client = Client::opened(text);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    // A 𝛼 is two UTF-16 units: the change is behind both of them.
    client.change(2, Some([0, 6, 0, 6]), "x\r\ndata 𝜁 : 2 = range(2)\r\n#");
    assert_eq!(client.diagnostics(2), Vec::<Value>::new());
    assert!(client.hover(1, 5).contains("𝜁 : ->2"));
    assert!(client.hover(3, 5).contains("é : ->3"));
    assert_eq!(client.end(), 0);
}

#[test]
fn a_program_with_letters_of_all_lengths_has_its_places() {
    let text = "data é : 3 = range(3) # 𝛼\nlet 名 = é *. 2; # x\n";
    let mut client = Client::opened(text);
    let messages = client.diagnostics(1);
    assert_eq!(
        messages[0]["range"]["start"],
        json!({"line": 1, "character": 14}),
        "{messages:?}"
    );
    client.change(2, Some([1, 14, 1, 15]), "");
    assert_eq!(client.diagnostics(2), Vec::<Value>::new());
    client.change(3, Some([0, 24, 0, 26]), "𝛼𝛼");
    assert_eq!(client.diagnostics(3), Vec::<Value>::new());
    assert!(client.hover(1, 4).contains("名 : ->3"));
    let places = client
        .at(
            "textDocument/references",
            1,
            8,
            json!({"context": {"includeDeclaration": true}}),
        )
        .unwrap();
    assert_eq!(
        places[1]["range"],
        json!({"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 9}})
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn while_a_text_is_broken_the_last_shapes_stay_at_their_places() {
    let mut client = Client::opened(PROGRAM);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    client.change(2, Some([0, 0, 0, 0]), "let broken = (\n\n");
    assert_eq!(client.diagnostics(2).len(), 1);
    let said = client.hover(4, 6);
    assert!(
        said.contains("w : 784->10") && said.contains("before the last changes"),
        "{said}"
    );
    assert_eq!(client.hover(0, 5), "", "what is new has no shape yet");
    assert_eq!(client.hints()[0], "4:7 : 784->10");
    client.change(3, Some([0, 0, 1, 0]), "data u : 2 = range(2)\n");
    assert_eq!(client.diagnostics(3), Vec::<Value>::new());
    assert!(!client.hover(4, 6).contains("before the last changes"));
    assert_eq!(client.end(), 0);
}

#[test]
fn names_are_found_and_changed_in_their_scopes() {
    let text = "data x : n:8|->4 = range(32)\ndef f(x): sum(x, \"n|->c => n|\")\nlet y = f(x)\nlet z = max(y, \"n| => \")\n";
    let mut client = Client::opened(text);
    let start = |answer: &Value| {
        (
            answer["range"]["start"]["line"].clone(),
            answer["range"]["start"]["character"].clone(),
        )
    };
    let found = client
        .at("textDocument/definition", 1, 14, json!({}))
        .unwrap();
    assert_eq!(start(&found), (json!(1), json!(6)), "the x of the function");
    let found = client
        .at("textDocument/definition", 2, 10, json!({}))
        .unwrap();
    assert_eq!(start(&found), (json!(0), json!(5)), "the x of the file");
    assert_eq!(
        client.at("textDocument/definition", 1, 11, json!({})),
        Ok(Value::Null),
        "`sum` is of the language"
    );
    let edits = client
        .at("textDocument/rename", 1, 18, json!({"newName": "row"}))
        .unwrap();
    let edits = edits["changes"][URI].as_array().unwrap().clone();
    assert_eq!(edits.len(), 2, "the labels of one spec: {edits:?}");
    assert!(
        edits
            .iter()
            .all(|edit| edit["newText"] == "row" && edit["range"]["start"]["line"] == 1)
    );
    let (code, why) = client
        .at("textDocument/rename", 2, 4, json!({"newName": "x"}))
        .unwrap_err();
    assert_eq!(code, -32803);
    assert!(why.contains("has a meaning here already"), "{why}");
    assert!(
        client
            .at("textDocument/prepareRename", 1, 11, json!({}))
            .is_err()
    );
    assert_eq!(
        client
            .at("textDocument/prepareRename", 2, 4, json!({}))
            .unwrap()["end"]["character"],
        5
    );
    let symbols = client
        .ask(
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": URI}}),
        )
        .unwrap();
    let names: Vec<&str> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["x", "f", "y", "z"]);
    assert_eq!(client.end(), 0);
}

#[test]
fn a_text_is_laid_out() {
    let mut client = Client::opened("let a=1\n");
    let ask =
        json!({"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": true}});
    let edits = client.ask("textDocument/formatting", ask.clone()).unwrap();
    assert_eq!(edits[0]["newText"], "let a = 1\n");
    assert_eq!(edits[0]["range"]["end"], json!({"line": 1, "character": 0}));
    client.change(2, None, "let a = 1\n");
    assert_eq!(
        client.ask("textDocument/formatting", ask.clone()),
        Ok(json!([]))
    );
    client.change(3, None, "let a = (\n");
    assert_eq!(client.ask("textDocument/formatting", ask), Ok(Value::Null));
    assert_eq!(client.end(), 0);
}

/// A program whose inference takes far longer than reading two messages.
fn slow() -> String {
    let mut text = String::from("data x : 8|->4 = range(32)\nparam w0 : 4->4\nlet y0 = w0 * x\n");
    for line in 1..3000 {
        text += &format!(
            "param w{line} : ...->4\nlet y{line} = relu(w{line} * y{})\n",
            line - 1
        );
    }
    text
}

#[test]
fn a_cancelled_request_is_answered_as_cancelled() {
    let mut client = Client::opened(&slow());
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
    let id = client.request(
        "textDocument/inlayHint",
        json!({"textDocument": {"uri": URI}, "range": range}),
    );
    client.tell("$/cancelRequest", json!({"id": id}));
    client.tell("$/cancelRequest", json!({"id": 4711}));
    assert_eq!(client.response(id).unwrap_err().0, -32800);
    assert_eq!(
        client.diagnostics(1),
        Vec::<Value>::new(),
        "the text is read all the same"
    );
    // Requests that are pending when a text is closed are answered, too.
    client.change(2, Some([0, 0, 0, 0]), "\n");
    let id = client.request("textDocument/inlayHint", json!({"textDocument": {"uri": URI}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}}));
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    assert_eq!(client.response(id).unwrap_err().0, -32801);
    assert_eq!(
        client
            .at("textDocument/hover", 0, 0, json!({}))
            .unwrap_err()
            .0,
        -32602,
        "it is not open"
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn wrong_input_is_answered_and_does_not_end_the_server() {
    let mut client = Client::start();
    assert_eq!(
        client.ask("textDocument/hover", json!({})).unwrap_err().0,
        -32002
    );
    client.tell("textDocument/didOpen", json!({"nonsense": true}));
    assert!(client.ask("initialize", json!({})).is_ok());
    assert_eq!(client.ask("initialize", json!({})).unwrap_err().0, -32600);
    assert_eq!(client.ask("no/such", json!({})).unwrap_err().0, -32601);
    assert_eq!(
        client
            .ask("textDocument/hover", json!({"position": 3}))
            .unwrap_err()
            .0,
        -32602
    );
    assert_eq!(
        client.ask("textDocument/hover", Value::Null).unwrap_err().0,
        -32602
    );
    client.tell("textDocument/didOpen", json!({"nonsense": true}));
    client.tell("textDocument/didChange", json!([]));
    client.change(7, Some([5, 5, 0, 0]), "of a text that is not open");
    client.open("let a = 1\n");
    client.change(2, Some([9, 9, 0, 4]), "b = 1\n");
    assert!(
        client.diagnostics(2).is_empty(),
        "a range the wrong way round, and past the end"
    );
    // A frame without a valid message is answered without an id, which the client's types cannot read.
    client.raw(b"Content-Length: 4\r\n\r\n{1}}");
    client.raw(b"Content-Length: 2\r\nContent-Type: x\r\n\r\n[]");
    drop(client);
}

#[test]
fn content_that_is_no_message_is_answered_without_an_id() {
    use std::io::Read;
    let mut server = Command::new(cargo_bin("lozenge"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    input.write_all(b"Content-Length: 3\r\n\r\n{1}").unwrap();
    drop(input);
    let mut said = String::new();
    server
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(
        said.contains("-32700") && said.contains("\"id\":null"),
        "{said}"
    );
    assert_eq!(
        server.wait().unwrap().code(),
        Some(1),
        "the client left without a word"
    );
}

#[test]
fn the_status_says_how_a_server_ended() {
    let mut client = Client::initialized();
    client.tell("exit", Value::Null);
    assert_eq!(client.server.wait().unwrap().code(), Some(1));
    let mut client = Client::initialized();
    client.input = None;
    assert_eq!(client.server.wait().unwrap().code(), Some(1));
    let mut client = Client::initialized();
    client.raw(b"hello\r\n\r\n");
    assert_eq!(client.server.wait().unwrap().code(), Some(2), "no frames");
}

/// The data and the used files of a document are looked for in its folder.
#[test]
fn files_beside_the_document_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let folder = folder.join("a b");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("x.csv"), "1,2,3\n4,5,6\n").unwrap();
    let layers = "size width = 8\n\ndef scaled(a): a *. 2\ndef wrong(a): a + nothing\n";
    std::fs::write(folder.join("layers.loz"), layers).unwrap();
    let root = folder.display().to_string().replace(' ', "%20");
    let uri = format!("file://{root}/program.loz");
    let text = "use \"layers.loz\"\ndata x : n|->c from \"x.csv\"\nlet y = scaled(x)\n";
    let mut client = Client::initialized();
    let document = json!({"uri": uri, "languageId": "lozenge", "version": 1, "text": text});
    client.tell("textDocument/didOpen", json!({"textDocument": document}));
    let at = |line: u32, character: u32| {
        json!({
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
        })
    };
    let hover = client.ask("textDocument/hover", at(2, 4)).unwrap();
    let shown = hover["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("y : 2|->3"), "{shown}");
    let place = client.ask("textDocument/definition", at(2, 9)).unwrap();
    assert_eq!(place["uri"], format!("file://{root}/layers.loz"));
    assert_eq!(place["range"]["start"], json!({"line": 2, "character": 4}));
    let place = client.ask("textDocument/definition", at(0, 6)).unwrap();
    assert_eq!(place["range"]["start"], json!({"line": 0, "character": 0}));

    // An error in the other file is shown at the line that uses it, with its place in the file.
    let changed = format!("{text}let z = wrong(y)\n");
    client.tell(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": uri, "version": 2},
            "contentChanges": [{"text": changed}],
        }),
    );
    let found = client.wait(|message| match message {
        Message::Notification(told)
            if told.method == "textDocument/publishDiagnostics" && told.params["version"] == 2 =>
        {
            Some(told.params["diagnostics"].clone())
        }
        _ => None,
    });
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.contains("there is no tensor `nothing`"),
        "{message}"
    );
    assert!(message.contains("layers.loz, line 4"), "{message}");
    assert_eq!(found[0]["range"]["start"]["line"], 3);
    let related = found[0]["relatedInformation"].as_array().unwrap();
    let elsewhere =
        |place: &&Value| place["location"]["uri"] == format!("file://{root}/layers.loz");
    let place = related.iter().find(elsewhere).unwrap();
    assert_eq!(
        place["location"]["range"]["start"],
        json!({"line": 3, "character": 18})
    );
    assert_eq!(client.end(), 0);
}

/// A name is renamed in every file of the folder that has it, open or not.
#[test]
fn a_name_is_changed_in_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    let layers = "size width = 8\ndef scaled(a): a *. 2\ndef twice(a): scaled(scaled(a))\n";
    let text = "use \"layers.loz\"\ndata x : 2|->width = range(16)\ndef f(scaled): scaled + 1\nlet y = scaled(f(x))\n";
    let other =
        "use \"layers.loz\" as l\ndata x : 3 = range(3)\nlet y = l.scaled(x)\nlet z = l.twice(y)\n";
    let apart = "def scaled(a): a\ndata x : 3 = range(3)\nlet y = scaled(x)\n";
    for (name, text) in [
        ("layers.loz", layers),
        ("program.loz", text),
        ("other.loz", other),
        ("apart.loz", apart),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let uri = |name: &str| format!("file://{}/{name}", folder.display());
    let mut client = Client::initialized();
    // The text in the editor has one line more than the file on the disk.
    let shown = format!("# A comment.\n{text}");
    let document =
        json!({"uri": uri("program.loz"), "languageId": "lozenge", "version": 1, "text": shown});
    client.tell("textDocument/didOpen", json!({"textDocument": document}));
    let at = |line: u32, character: u32| json!({"textDocument": {"uri": uri("program.loz")}, "position": {"line": line, "character": character}});
    let place = client.ask("textDocument/prepareRename", at(4, 9)).unwrap();
    assert_eq!(place["start"], json!({"line": 4, "character": 8}));
    let renamed = |client: &mut Client, mut asked: Value, name: &str| {
        asked["newName"] = json!(name);
        client.ask("textDocument/rename", asked)
    };
    let changes = renamed(&mut client, at(4, 9), "grown").unwrap()["changes"].clone();
    let changes = changes.as_object().unwrap();
    let places = |name: &str| -> Vec<(u64, u64)> {
        let edits = changes.get(&uri(name)).and_then(Value::as_array);
        let edits = edits.into_iter().flatten().map(|edit| {
            assert_eq!(edit["newText"], "grown");
            let start = &edit["range"]["start"];
            (
                start["line"].as_u64().unwrap(),
                start["character"].as_u64().unwrap(),
            )
        });
        edits.collect()
    };
    assert_eq!(places("layers.loz"), [(1, 4), (2, 14), (2, 21)]);
    assert_eq!(places("program.loz"), [(4, 8)], "the argument is another");
    assert_eq!(places("other.loz"), [(2, 10)]);
    assert_eq!(places("apart.loz"), [], "it uses nothing");
    // A size: of its label, only the name is replaced.
    let changes = renamed(&mut client, at(2, 14), "wide").unwrap()["changes"].clone();
    assert_eq!(changes.as_object().unwrap().len(), 2, "{changes}");
    // `twice` has a meaning in the file that defines `scaled`, and `y` in one that uses it.
    for taken in ["twice", "y"] {
        let (_, why) = renamed(&mut client, at(4, 9), taken).unwrap_err();
        assert!(why.contains("has a meaning"), "{why}");
    }
    assert_eq!(client.end(), 0);
}

/// A hover waits for the shapes of the current text, and shows no older ones.
#[test]
fn a_hover_right_after_an_edit_is_of_the_edited_text() {
    let mut text = String::from("data x : 8|->4 = range(32)\nlet y0 = x\n");
    for line in 1..400 {
        text += &format!("let y{line} = relu(y{}) + x\n", line - 1);
    }
    let mut client = Client::opened(&text);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    for (version, size) in [(2, "5"), (3, "6"), (4, "7")] {
        client.change(version, Some([0, 13, 0, 14]), size);
        let values = 8 * size.parse::<u32>().unwrap();
        let digits = [0, 23, 0, 25];
        client.change(version + 10, Some(digits), &values.to_string());
        let said = client.hover(400, 5);
        assert!(
            said.contains(&format!("y399 : 8|->{size}")) && !said.contains("before the last"),
            "{said}"
        );
    }
    assert_eq!(client.end(), 0);
}
