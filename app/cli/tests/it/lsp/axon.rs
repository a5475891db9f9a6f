//! Axon programs in an editor.

use serde_json::json;

use super::client::{Client, URI};

const TEXT: &str =
    "softmax = fn(x) {\n  z = exp(x - reduce(max, -inf, x));\n  z / reduce(+, 0f, z)\n}\n";

fn opened(text: &str) -> Client {
    let mut client = Client::initialized();
    client.open_as(text, "axon");
    client
}

#[test]
fn a_hover_says_the_type_in_the_names_of_the_function_around_it() {
    let mut client = opened(TEXT);
    assert!(
        client
            .hover(0, 2)
            .contains("softmax : f32 [a]@b -> f32 [a]@b")
    );
    assert!(client.hover(1, 2).contains("z : f32 [a]@b"));
    let reduce = client.hover(1, 15);
    assert!(
        reduce.contains("reduce : (f32, f32 -> f32), f32, f32 [a]@b -> f32 b"),
        "{reduce}"
    );
    assert_eq!(client.hints(), ["0:7 : f32 [a]@b -> f32 [a]@b"]);
    assert_eq!(client.end(), 0);
}

#[test]
fn messages_have_places_and_change_with_the_text() {
    let mut client = opened("f = fn(x : f32 [7,2,3], y : f32 [6,3,4]) {\n  matmul(x, y)\n}\n");
    let messages = client.diagnostics(1);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["range"]["start"]["line"], 1);
    assert!(
        messages[0]["message"]
            .as_str()
            .expect("text")
            .contains("6 and 7")
    );
    client.change(2, Some([0, 33, 0, 34]), "7");
    assert_eq!(client.diagnostics(2), [] as [serde_json::Value; 0]);
    client.change(3, None, "f = fn(x { x }\n");
    assert_eq!(client.diagnostics(3).len(), 1);
    assert_eq!(client.end(), 0);
}

#[test]
fn names_lead_to_where_they_are_bound_and_can_be_others() {
    let mut client = opened(TEXT);
    let bound = client
        .at("textDocument/definition", 2, 2, json!({}))
        .expect("an answer");
    assert_eq!(bound["range"]["start"], json!({"line": 1, "character": 2}));
    let context = json!({"context": {"includeDeclaration": true}});
    let uses = client
        .at("textDocument/references", 1, 2, context)
        .expect("an answer");
    assert_eq!(uses.as_array().expect("a list").len(), 3);
    let renamed = client
        .at("textDocument/rename", 1, 2, json!({"newName": "e"}))
        .expect("an answer");
    assert_eq!(renamed["changes"][URI].as_array().expect("a list").len(), 3);
    let refused = client.at("textDocument/rename", 1, 2, json!({"newName": "reduce"}));
    assert!(refused.is_err(), "{refused:?}");
    let outline = client.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": URI}}),
    );
    assert_eq!(outline.expect("an answer")[0]["name"], "softmax");
    assert_eq!(client.end(), 0);
}

#[test]
fn a_text_is_laid_out_as_its_language_is() {
    let mut client = opened("f=fn (x){x}\n");
    let ask =
        json!({"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": true}});
    let edits = client
        .ask("textDocument/formatting", ask)
        .expect("an answer");
    assert_eq!(edits[0]["newText"], "f = fn(x) {\n  x\n}\n");
    assert_eq!(client.end(), 0);
}
