//! Dependencies of a document: used files, data, the folders that are open, and the editor itself.

use std::path::PathBuf;
use std::process::Command;

use lsp_server::Message;
use serde_json::{Value, json};

use super::client::Client;

/// A folder with files, and a client in which it is open.
struct Opened {
    _folder: tempfile::TempDir,
    root: PathBuf,
    client: Client,
}

impl Opened {
    fn with(files: &[(&str, &str)]) -> Opened {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let folders = json!([{"uri": format!("file://{}", root.display()), "name": "here"}]);
        let watches =
            json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
        let mut client = Client::start();
        let params = json!({"capabilities": watches, "workspaceFolders": folders});
        client.ask("initialize", params).unwrap();
        client.tell("initialized", json!({}));
        Opened {
            _folder: folder,
            root,
            client,
        }
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.root.join(name).display())
    }

    /// Opens a file as it stands on the disk.
    fn open(&mut self, name: &str) {
        let text = std::fs::read_to_string(self.root.join(name)).unwrap();
        let document =
            json!({"uri": self.uri(name), "languageId": "lozenge", "version": 1, "text": text});
        self.client
            .tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn edit(&mut self, name: &str, version: i32, text: &str) {
        let document = json!({"uri": self.uri(name), "version": version});
        let change = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.client.tell("textDocument/didChange", change);
    }

    fn tell_of_change(&mut self, name: &str) {
        let changes = json!([{"uri": self.uri(name), "type": 2}]);
        self.client.tell(
            "workspace/didChangeWatchedFiles",
            json!({"changes": changes}),
        );
    }

    /// Returns the next messages about a file, with their places. Its folder is left out.
    fn diagnostics(&mut self, name: &str) -> Value {
        let uri = self.uri(name);
        let told = self.client.wait(|message| match message {
            Message::Notification(told)
                if told.method == "textDocument/publishDiagnostics"
                    && told.params["uri"] == uri =>
            {
                Some(told.params["diagnostics"].clone())
            }
            _ => None,
        });
        let folder = self.root.display().to_string();
        serde_json::from_str(&told.to_string().replace(&folder, "")).unwrap()
    }

    /// Returns the next messages about a file.
    fn messages(&mut self, name: &str) -> Vec<String> {
        let told = self.diagnostics(name);
        let all = told.as_array().unwrap().iter();
        all.map(|one| one["message"].as_str().unwrap().to_string())
            .collect()
    }

    fn ask_at(
        &mut self,
        method: &str,
        name: &str,
        at: (u32, u32),
        more: Value,
    ) -> Result<Value, String> {
        let mut params = json!({
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": at.0, "character": at.1},
        });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.client
            .ask(method, params)
            .map_err(|(_, message)| message)
    }

    fn hover(&mut self, name: &str, at: (u32, u32)) -> String {
        let answer = self
            .ask_at("textDocument/hover", name, at, json!({}))
            .unwrap();
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    }

    fn labels(&mut self, name: &str, at: (u32, u32)) -> Vec<String> {
        let answer = self
            .ask_at("textDocument/completion", name, at, json!({}))
            .unwrap();
        let items = answer.as_array().unwrap().iter();
        items
            .map(|item| item["label"].as_str().unwrap().to_string())
            .collect()
    }
}

const LIBRARY: &str = "# Doubles.\ndef twice(a): a *. 2\nsize width = 4\n";
const PROGRAM: &str = "use \"lib.loz\"\ndata x : n|->c from \"x.csv\"\nlet y = twice(x)\n";
const FILES: [(&str, &str); 3] = [
    ("lib.loz", LIBRARY),
    ("main.loz", PROGRAM),
    ("x.csv", "1,2\n3,4\n"),
];

#[test]
fn the_users_of_a_file_are_read_again_when_it_changes() {
    let mut opened = Opened::with(&FILES);
    opened.open("main.loz");
    assert_eq!(opened.messages("main.loz"), [""; 0]);
    opened.open("lib.loz");
    assert_eq!(opened.messages("main.loz"), [""; 0], "the same text");
    // The text in the editor counts, saved or not.
    opened.edit("lib.loz", 2, &LIBRARY.replace("twice", "double"));
    let messages = opened.messages("main.loz");
    assert!(messages[0].contains("twice"), "{messages:?}");
    opened.edit("lib.loz", 3, &LIBRARY.replace("a *. 2", "[a, a][0]"));
    assert_eq!(opened.messages("main.loz"), [""; 0]);
    opened.edit("lib.loz", 4, "def twice(a): a +\n");
    let messages = opened.messages("main.loz");
    assert_eq!(messages.len(), 1, "{messages:?}");
    // Once it is closed the file on the disk counts.
    let document = json!({"uri": opened.uri("lib.loz")});
    opened
        .client
        .tell("textDocument/didClose", json!({"textDocument": document}));
    assert_eq!(opened.messages("main.loz"), [""; 0]);
    std::fs::write(opened.root.join("lib.loz"), "size width = 4\n").unwrap();
    opened.tell_of_change("lib.loz");
    assert!(opened.messages("main.loz")[0].contains("twice"));
    std::fs::remove_file(opened.root.join("lib.loz")).unwrap();
    opened.tell_of_change("lib.loz");
    assert!(opened.messages("main.loz")[0].contains("lib.loz"));
    std::fs::write(opened.root.join("lib.loz"), LIBRARY).unwrap();
    opened.tell_of_change("lib.loz");
    assert_eq!(opened.messages("main.loz"), [""; 0], "it is there again");
    assert_eq!(opened.client.end(), 0);
}

#[test]
fn data_that_changes_changes_the_shapes() {
    let mut opened = Opened::with(&FILES);
    let registered = opened.client.wait(|message| match message {
        Message::Request(asked) if asked.method == "client/registerCapability" => {
            Some(asked.params.clone())
        }
        _ => None,
    });
    assert!(registered.to_string().contains("csv"), "{registered}");
    opened.open("main.loz");
    assert!(opened.hover("main.loz", (2, 4)).contains("y : 2|->2"));
    std::fs::write(opened.root.join("x.csv"), "1,2,3\n4,5,6\n7,8,9\n").unwrap();
    opened.tell_of_change("x.csv");
    assert!(opened.hover("main.loz", (2, 4)).contains("y : 3|->3"));
    assert_eq!(opened.client.end(), 0);
}

#[test]
fn a_name_is_changed_in_the_whole_workspace() {
    let user = "use \"../lib.loz\"\ndata x : 3 = range(3)\nlet y = twice(x)\n";
    let hidden = "use \"../lib.loz\"\nlet y = twice(1)\n";
    let files = [
        &FILES[..],
        &[("sub/u3.loz", user), (".hidden/u.loz", hidden)],
    ]
    .concat();
    let mut opened = Opened::with(&files);
    opened.open("lib.loz");
    let renamed = |opened: &mut Opened, name: &str| {
        opened.ask_at(
            "textDocument/rename",
            "lib.loz",
            (1, 5),
            json!({"newName": name}),
        )
    };
    let changes = renamed(&mut opened, "double").unwrap();
    let mut files: Vec<&String> = changes["changes"].as_object().unwrap().keys().collect();
    files.sort();
    let expected = ["lib.loz", "main.loz", "sub/u3.loz"].map(|name| opened.uri(name));
    assert_eq!(files, expected.iter().collect::<Vec<_>>());
    // One name does not come to mean two things, of whatever kinds.
    for taken in ["width", "n", "c", "x"] {
        let why = renamed(&mut opened, taken).unwrap_err();
        assert!(why.contains("has a meaning"), "{taken}: {why}");
    }
    assert_eq!(opened.client.end(), 0);
}

#[test]
fn names_of_two_kinds_stay_apart() {
    let text = "size k = 4\ndata x : n:2|->c:3 = range(6)\ndef f(a): a + 1\nlet y = f(x)\n";
    let mut opened = Opened::with(&[("p.loz", text)]);
    opened.open("p.loz");
    // Places of a size, a label, a function and a tensor, each with names of the other kinds.
    let cases = [
        ((0, 5), ["x", "f", "y", "n"]),
        ((1, 9), ["x", "f", "y", "k"]),
        ((2, 4), ["x", "k", "y", "n"]),
        ((3, 4), ["k", "f", "n", "c"]),
    ];
    for (at, taken) in cases {
        for name in taken {
            let asked = json!({"newName": name});
            let why = opened
                .ask_at("textDocument/rename", "p.loz", at, asked)
                .unwrap_err();
            assert!(why.contains("has a meaning"), "{at:?} {name}: {why}");
        }
        let asked = json!({"newName": "fresh"});
        assert!(
            opened
                .ask_at("textDocument/rename", "p.loz", at, asked)
                .is_ok(),
            "{at:?}"
        );
    }
    assert_eq!(opened.client.end(), 0);
}

#[test]
fn what_may_be_written_is_proposed() {
    let text = "use \"lib.loz\" as l\nuse \"\ndata x : n:2|->c:3 = range(6)\ndef scaled(a, by = 2): a *. by\n\nlet net = dense(4)\nlet h = net(x)\nlet s = sum(h, \"n|->\nlet t = l.\nlet u = net.\nlet v = \n";
    let good = "data x : n:2|->c:3 = range(6)\nlet net = dense(4)\nlet h = net(x)\n";
    let mut opened = Opened::with(&[FILES[0], FILES[2], ("p.loz", good)]);
    opened.open("p.loz");
    assert!(opened.hover("p.loz", (2, 4)).contains("h : 2|->4"));
    opened.edit("p.loz", 2, text);
    assert_eq!(opened.labels("p.loz", (1, 5)), ["lib.loz", "p.loz"]);
    assert_eq!(opened.labels("p.loz", (7, 21)), ["c", "n"]);
    assert_eq!(opened.labels("p.loz", (8, 10)), ["twice", "width"]);
    assert_eq!(opened.labels("p.loz", (9, 12)), ["b", "w"]);
    let names = opened.labels("p.loz", (10, 8));
    for name in ["x", "net", "h", "scaled", "l", "softmax", "sum", "exp"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    assert!(
        !names.iter().any(|known| known == "a" || known == "v"),
        "{names:?}"
    );
    let begins = opened.labels("p.loz", (4, 0));
    assert!(begins.iter().any(|known| known == "train"), "{begins:?}");
    let answer = opened
        .ask_at("textDocument/completion", "p.loz", (10, 8), json!({}))
        .unwrap();
    let items = answer.as_array().unwrap();
    let scaled = items.iter().find(|item| item["label"] == "scaled").unwrap();
    assert_eq!(scaled["detail"], "scaled(a, by = 2)");
    let known = items.iter().find(|item| item["label"] == "x").unwrap();
    assert_eq!(known["detail"], "2|->3", "{known}");
    assert_eq!(opened.client.end(), 0);
}

#[test]
fn the_header_of_a_call_is_shown_with_what_it_does() {
    let text = "use \"lib.loz\"\ndata x : n:2|->c:3 = range(6)\nlet p = softmax(x)\nlet q = twice(x)\nlet z = momentum(0.1, 0.5)(x, \n";
    let mut opened = Opened::with(&[FILES[0], ("p.loz", text)]);
    opened.open("p.loz");
    let mut shown = |at: (u32, u32)| {
        let help = opened
            .ask_at("textDocument/signatureHelp", "p.loz", at, json!({}))
            .unwrap();
        let signature = help["signatures"][0].clone();
        let comment = signature["documentation"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_string();
        let label = signature["label"].as_str().unwrap_or_default().to_string();
        (label, comment, help["activeParameter"].clone())
    };
    let (label, _, active) = shown((2, 16));
    assert_eq!((label.as_str(), active), ("softmax(x)", json!(0)));
    let (label, comment, _) = shown((3, 14));
    assert_eq!(label, "twice(a)");
    assert!(comment.starts_with("Doubles."), "{comment}");
    let (label, _, active) = shown((4, 30));
    assert_eq!(
        (label.as_str(), active),
        ("momentum(rate, keep = 0.9)(p, g)", json!(1))
    );
    opened.edit(
        "p.loz",
        2,
        &text.replace("let z = momentum(0.1, 0.5)(x, \n", ""),
    );
    assert!(opened.hover("p.loz", (2, 4)).contains("p : 2|->3"));
    let help = opened
        .ask_at("textDocument/signatureHelp", "p.loz", (2, 16), json!({}))
        .unwrap();
    let comment = help["signatures"][0]["documentation"]["value"]
        .as_str()
        .unwrap()
        .to_string();
    assert!(comment.contains("here: `2|->3` gives `2|->3`"), "{comment}");
    assert_eq!(opened.client.end(), 0);
}

#[test]
fn a_carriage_return_alone_ends_a_line() {
    let mut opened = Opened::with(&[("p.loz", "data x : 2|->3 = range(6)\r\nlet y = x\n")]);
    opened.open("p.loz");
    assert!(opened.hover("p.loz", (1, 4)).contains("y : 2|->3"));
    opened.edit(
        "p.loz",
        2,
        "# one\r# two\ndata x : 2|->3 = range(6)\nlet y = x\n",
    );
    assert!(opened.hover("p.loz", (3, 4)).contains("y : 2|->3"));
    assert_eq!(opened.client.end(), 0);
}

#[test]
fn the_server_ends_with_its_editor() {
    let mut editor = Command::new("sleep").arg("2").spawn().unwrap();
    let mut client = Client::start();
    let params = json!({"processId": editor.id(), "capabilities": {}});
    client.ask("initialize", params).unwrap();
    editor.wait().unwrap();
    // Its input stays open.
    assert_eq!(client.status(), Some(1));
}

/// Returns a text of a used file. The numbers of edits choose among names, bodies, sizes and lines above.
fn library(number: u64) -> String {
    // Multiplying by an odd number visits the combinations in no order.
    let at = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let name = ["twice", "twice", "double"][(at % 3) as usize];
    let body = [
        "a *. 2",
        "a +",
        "[a, a][0]",
        "unknown(a)",
        "sum(a, \"n|->c => n|\")",
    ];
    let body = body[(at / 3 % 5) as usize];
    let size = ["size width = 2", "size width = 5", ""][(at / 15 % 3) as usize];
    let above = "# a line\n".repeat((at / 45 % 3) as usize);
    format!("{above}def {name}(a): {body}\n{size}\n")
}

/// `LOZENGE_EDITS=1000` makes so many edits in place of 60.
#[test]
fn after_many_edits_of_a_used_file_its_users_have_the_messages_of_a_fresh_start() {
    const USERS: [(&str, &str); 2] = [
        (
            "main.loz",
            "use \"lib.loz\"\ndata x : 2|->width = range(4)\nlet y = twice(x)\n",
        ),
        (
            "other.loz",
            "use \"between.loz\"\ndata x : 2|->2 = range(4)\nlet y = f(x) + x\n",
        ),
    ];
    let files = |text: &str| {
        let mut opened = Opened::with(&[
            ("lib.loz", text),
            ("between.loz", "use \"lib.loz\"\ndef f(a): twice(a)\n"),
            USERS[0],
            USERS[1],
        ]);
        USERS.iter().for_each(|(name, _)| opened.open(name));
        opened
    };
    let told = |opened: &mut Opened| USERS.map(|(name, _)| opened.diagnostics(name));
    let mut fresh: std::collections::BTreeMap<String, [Value; 2]> = Default::default();
    let edits = std::env::var("LOZENGE_EDITS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut edited = files(&library(0));
    told(&mut edited);
    edited.open("lib.loz");
    told(&mut edited);
    for number in 1..=edits.unwrap_or(60u64) {
        let text = library(number);
        edited.edit("lib.loz", 1 + number as i32, &text);
        let found = told(&mut edited);
        let expected = fresh.entry(text.clone()).or_insert_with(|| {
            let mut opened = files(&text);
            let expected = told(&mut opened);
            assert_eq!(opened.client.end(), 0);
            expected
        });
        assert_eq!(&found, expected, "edit {number}: {text}");
    }
    // Neither all nor none of the texts are right.
    let is_right = |all: &&[Value; 2]| all.iter().all(|one| one == &json!([]));
    let right = fresh.values().filter(is_right).count();
    assert!(
        fresh.len() > 20 && right > 0 && right < fresh.len(),
        "{right} of {}",
        fresh.len()
    );
    assert_eq!(edited.client.end(), 0);
}
