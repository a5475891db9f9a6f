//! Definitions and renaming in one file.

use serde_json::{Value, json};

use super::client::{Client, URI};

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

/// A function with two instances, a size, labels, and an `assert` with a shape. Letters outside the basic plane, which
/// are two UTF-16 units, stand before other names of their lines.
const LINES: [&str; 11] = [
    "size breite = 16",
    "data é : n:8|->4 = range(32) # 𝛼",
    "def layer(width)(a):",
    "  param w : ...->width = normal() / sqrt(fan_in(w))",
    "  relu(w * a)",
    "let 𝛽 = layer(breite)",
    "let other = layer(breite)",
    "let h = other(𝛽(é))",
    "let 𝛾 = 𝛽.w * é + other.w * h",
    "assert h : n|->breite",
    "let 𝜎 = sum(é, \"k|->c => k|\") + sum(h, \"m|->c => m|\")",
];

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\r\n")).collect()
}

/// Returns the line and the column, in UTF-16 units, at which a part of a line of `LINES` begins.
fn place(line: usize, part: &str) -> (u32, u32) {
    let before = &LINES[line][..LINES[line].find(part).unwrap()];
    (line as u32, before.encode_utf16().count() as u32)
}

/// Returns the lines after the edits of an answer, applied as an editor applies them: in UTF-16 units.
fn edited(answer: &Value) -> Vec<String> {
    let mut edits = answer["changes"][URI].as_array().unwrap().clone();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    edits.sort_by_key(|edit| number(&edit["range"]["start"]["character"]));
    let mut lines: Vec<Vec<u16>> = LINES.iter().map(|l| l.encode_utf16().collect()).collect();
    for edit in edits.iter().rev() {
        let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
        assert_eq!(start["line"], end["line"]);
        let new = edit["newText"].as_str().unwrap().encode_utf16();
        let columns = number(&start["character"])..number(&end["character"]);
        lines[number(&start["line"])].splice(columns, new);
    }
    let line = |line: &Vec<u16>| String::from_utf16(line).unwrap();
    lines.iter().map(line).collect()
}

#[test]
fn a_name_leads_to_its_definition_from_functions_instances_specs_and_shapes() {
    let mut client = Client::opened(&text(&LINES));
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    for (line, part, defined) in [
        (4, "w *", place(3, "w :")),
        (4, "a)", place(2, "a)")),
        (3, "width", place(2, "width")),
        (6, "layer", place(2, "layer")),
        (7, "é", place(1, "é")),
        (8, "𝛽", place(5, "𝛽")),
        (8, "w * é", place(3, "w :")),
        (8, "w * h", place(3, "w :")),
        (8, "other", place(6, "other")),
        (9, "n|", place(1, "n:")),
        (9, "breite", place(0, "breite")),
        (10, "k|\")", place(10, "k|->")),
        (10, "m|\")", place(10, "m|->")),
    ] {
        let (at_line, at) = place(line, part);
        let found = client
            .at("textDocument/definition", at_line, at, json!({}))
            .unwrap();
        let start = json!({"line": defined.0, "character": defined.1});
        assert_eq!(found["range"]["start"], start, "line {line}: {part}");
    }
    assert_eq!(client.end(), 0);
}

/// A line by its number, as it is after a renaming.
type Changed<'a> = (usize, &'a str);

#[test]
fn a_renamed_program_is_the_same_program() {
    let mut client = Client::opened(&text(&LINES));
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    let weight = [
        (
            3,
            "  param weight : ...->width = normal() / sqrt(fan_in(weight))",
        ),
        (4, "  relu(weight * a)"),
        (8, "let 𝛾 = 𝛽.weight * é + other.weight * h"),
    ];
    let specs = |labels: [&str; 4]| {
        let [k, c, m, d] = labels;
        format!("let 𝜎 = sum(é, \"{k}|->{c} => {k}|\") + sum(h, \"{m}|->{d} => {m}|\")")
    };
    let (of_k, of_c) = (specs(["𝛿", "c", "m", "c"]), specs(["k", "𝛿", "m", "c"]));
    let of_second_c = specs(["k", "c", "m", "𝛿"]);
    let of_data = specs(["k", "c", "m", "c"]).replace('é', "𝜁𝜁");
    let cases: [(usize, &str, &str, &[Changed<'_>]); 11] = [
        (3, "w :", "weight", &weight),
        (8, "w * é", "weight", &weight),
        (8, "w * h", "weight", &weight),
        (
            2,
            "width",
            "wide",
            &[
                (2, "def layer(wide)(a):"),
                (3, "  param w : ...->wide = normal() / sqrt(fan_in(w))"),
            ],
        ),
        (
            4,
            "a)",
            "b",
            &[(2, "def layer(width)(b):"), (4, "  relu(w * b)")],
        ),
        (
            9,
            "breite",
            "𝛿",
            &[
                (0, "size 𝛿 = 16"),
                (5, "let 𝛽 = layer(𝛿)"),
                (6, "let other = layer(𝛿)"),
                (9, "assert h : n|->𝛿"),
            ],
        ),
        (
            9,
            "n|",
            "rows",
            &[
                (1, "data é : rows:8|->4 = range(32) # 𝛼"),
                (9, "assert h : rows|->breite"),
            ],
        ),
        (
            8,
            "é",
            "𝜁𝜁",
            &[
                (1, "data 𝜁𝜁 : n:8|->4 = range(32) # 𝛼"),
                (7, "let h = other(𝛽(𝜁𝜁))"),
                (8, "let 𝛾 = 𝛽.w * 𝜁𝜁 + other.w * h"),
                (10, &of_data),
            ],
        ),
        (10, "k|\")", "𝛿", &[(10, &of_k)]),
        (10, "c =>", "𝛿", &[(10, &of_c)]),
        (10, "c => m", "𝛿", &[(10, &of_second_c)]),
    ];
    for (version, (line, part, name, changed)) in (2..).zip(cases) {
        let (at_line, at) = place(line, part);
        let answer = client
            .at("textDocument/rename", at_line, at, json!({"newName": name}))
            .unwrap();
        let mut expected: Vec<&str> = LINES.to_vec();
        for (line, new) in changed {
            expected[*line] = new;
        }
        assert_eq!(edited(&answer), expected, "line {line}: {part} to {name}");
        client.change(2 * version, None, &text(&expected));
        let messages = client.diagnostics(2 * version);
        assert_eq!(messages, Vec::<Value>::new(), "{name} for {part}");
        client.change(2 * version + 1, None, &text(&LINES));
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn a_name_that_cannot_be_taken_is_refused_with_its_reason() {
    let mut client = Client::opened(&text(&LINES));
    for (line, part, name, reason) in [
        (7, "h =", "é", "`é` has a meaning here already"),
        (7, "h =", "other", "`other` has a meaning here already"),
        (7, "h =", "sum", "`sum` has a meaning here already"),
        (7, "h =", "let", "`let` is a word of the language"),
        (7, "h =", "param", "`param` is a word of the language"),
        (7, "h =", "2h", "`2h` is no name: letters, digits and `_`"),
        (7, "h =", "", "`` is no name: letters, digits and `_`"),
        (7, "h =", "a b", "`a b` is no name: letters, digits and `_`"),
        (4, "w *", "a", "`a` has a meaning here already"),
        (4, "w *", "width", "`width` has a meaning here already"),
        (10, "k|->", "c", "`c` has a meaning here already"),
        (9, "breite", "n", "`n` has a meaning here already"),
        (4, "relu", "r", "`relu` is a name of the language"),
    ] {
        let (at_line, at) = place(line, part);
        let (code, why) = client
            .at("textDocument/rename", at_line, at, json!({"newName": name}))
            .unwrap_err();
        assert_eq!(code, -32803);
        assert!(why.contains(reason), "line {line}: {part} to {name}: {why}");
    }
    assert_eq!(client.end(), 0);
}
