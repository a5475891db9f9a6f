//! Documents with other files beside them.

use lsp_server::Message;
use serde_json::{Value, json};

use super::client::Client;

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
