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

#[test]
fn names_in_scope_and_operators_are_proposed_with_their_types() {
    let mut client = opened(TEXT);
    // Names are those of the last types that are known; an answer about one waits for them.
    client.hover(0, 2);
    let labels = |answer: serde_json::Value| -> Vec<(String, String)> {
        let items = answer.as_array().expect("a list").iter();
        let text =
            |item: &serde_json::Value, key: &str| item[key].as_str().unwrap_or("").to_string();
        items
            .map(|item| (text(item, "label"), text(item, "detail")))
            .collect()
    };
    let asked = client.at("textDocument/completion", 2, 2, json!({}));
    let found = labels(asked.expect("an answer"));
    let detail = |name: &str| {
        let found = found.iter().find(|(label, _)| label == name);
        found.map(|(_, detail)| detail.as_str())
    };
    assert_eq!(detail("x"), Some("f32 [a]@b"));
    assert_eq!(detail("z"), Some("f32 [a]@b"));
    assert_eq!(detail("matmul"), Some("t s@[a,b], t s@[b,c] -> t s@[a,c]"));
    assert_eq!(detail("fn"), Some(""));
    let first = client.at("textDocument/completion", 0, 0, json!({}));
    let first = labels(first.expect("an answer"));
    assert!(first.iter().all(|(label, _)| label != "z"), "{first:?}");
    assert_eq!(client.end(), 0);
}

#[test]
fn the_type_of_the_function_that_is_called_has_its_argument_marked() {
    let mut client = opened(TEXT);
    let asked = client.at("textDocument/signatureHelp", 1, 26, json!({}));
    let help = asked.expect("an answer");
    let signature = &help["signatures"][0];
    assert_eq!(
        signature["label"],
        "reduce : (t, t -> t), t, t [d]@s -> t s"
    );
    assert_eq!(help["activeParameter"], 1, "{help}");
    let parameters = signature["parameters"].as_array().expect("a list").iter();
    let parameters: Vec<&str> = parameters.filter_map(|one| one["label"].as_str()).collect();
    assert_eq!(parameters, ["(t, t -> t)", "t", "t [d]@s"]);
    assert_eq!(client.end(), 0);
}
