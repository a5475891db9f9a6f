//! Messages at their places, edits, and the layout.

use serde_json::{Value, json};

use super::client::{Client, URI};

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

/// A quick fix is a change that computes what was meant: of all rows of data and a batch of them none is offered.
#[test]
fn no_quick_fix_pairs_a_batch_with_all_instances() {
    let (paired, in_batches) = (
        "data a : 4|->3 = range(12)\ndata b : 5|->3 = range(15)\nlet d = a - b\n",
        "data x : n:8|->2 = range(16)\ndata noise : 8| = range(8)\nparam w = 0\n\
         train 2 epochs by 4 of n shuffled:\n  let loss = mean(square(w * x - noise))\n  backward loss\n  for q in params(loss): sgd(0.05)(q, q.grad)\n",
    );
    for (text, is_offered) in [(paired, true), (in_batches, false)] {
        let mut client = Client::opened(text);
        assert!(!client.diagnostics(1).is_empty(), "{text}");
        let whole =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
        let actions = client
            .ask(
                "textDocument/codeAction",
                json!({"textDocument": {"uri": URI}, "range": whole, "context": {"diagnostics": []}}),
            )
            .unwrap()
            .to_string();
        assert_eq!(actions.contains("map("), is_offered, "{actions}");
        assert_eq!(client.end(), 0);
    }
}
