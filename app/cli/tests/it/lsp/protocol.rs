//! Requests in any state, cancelled ones, wrong input, and the end.

use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

use super::client::{Client, URI};

/// Returns a program whose inference takes far longer than reading two messages.
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
    use std::io::{Read, Write};
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
    assert_eq!(client.status(), Some(1));
    let mut client = Client::initialized();
    assert_eq!(client.left(), Some(1));
    let mut client = Client::initialized();
    client.raw(b"hello\r\n\r\n");
    assert_eq!(client.status(), Some(2), "no frames");
}
