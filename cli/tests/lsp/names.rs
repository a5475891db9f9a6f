//! Definitions and renaming in one file.

use serde_json::{Value, json};

use crate::client::{Client, URI};

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
