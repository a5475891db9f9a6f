//! The grammar for editors contains the words of the language, and an engine for TextMate grammars assigns the right
//! scope to every word, number, sign and comment of the examples.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use giallo::{HighlightOptions, Registry, ThemeVariant};
use lozenge_lang::{Words, words};
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn grammar_path() -> PathBuf {
    root().join("editors/lozenge.tmLanguage.json")
}

/// Makes a pattern that matches some words, the longest first, so that none hides another that begins with it.
fn pattern<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    format!("\\b(?:{})\\b", words.join("|"))
}

/// `LOZENGE_WRITE=1 cargo test -p lozenge-lang --test it editors` rewrites the words.
#[test]
fn the_grammar_knows_the_words_of_the_language() {
    let Words {
        keywords,
        functions,
        prelude,
        ..
    } = words();
    let text = std::fs::read_to_string(grammar_path()).unwrap();
    let mut grammar: Value = serde_json::from_str(&text).unwrap();
    let lists = [
        ("keyword", pattern(keywords)),
        ("function", pattern(functions)),
        ("prelude", pattern(prelude.iter().map(String::as_str))),
    ];
    for (name, expected) in lists {
        let found = &mut grammar["repository"][name]["match"];
        if std::env::var_os("LOZENGE_WRITE").is_none() {
            assert_eq!(found, &json!(expected), "{name}");
        }
        *found = json!(expected);
    }
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(grammar_path(), format!("{grammar:#}\n")).unwrap();
    }
}

/// The scopes, each with a distinct colour, because the engine reports colours and not scopes.
const SCOPES: [(&str, &str); 11] = [
    ("comment", "#000001"),
    ("string", "#000002"),
    ("keyword.operator.spec", "#000003"),
    ("keyword.control", "#000004"),
    ("keyword.other", "#000005"),
    ("entity.name", "#000006"),
    ("variable.other.member", "#000007"),
    ("support.function", "#000008"),
    ("support.function.prelude", "#000009"),
    ("constant.numeric", "#00000a"),
    ("keyword.operator", "#00000b"),
];

/// The engine with the grammar and the colours.
struct Engine {
    registry: Registry,
    scopes: BTreeMap<String, &'static str>,
}

impl Engine {
    fn new() -> Engine {
        let colours = SCOPES
            .map(|(scope, colour)| json!({"scope": scope, "settings": {"foreground": colour}}));
        let theme = json!({
            "name": "scopes",
            "type": "light",
            "colors": {"editor.foreground": "#ffffff", "editor.background": "#ffffff"},
            "tokenColors": colours,
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scopes.json");
        std::fs::write(&path, theme.to_string()).unwrap();
        let mut registry = Registry::default();
        registry.add_grammar_from_path(grammar_path()).unwrap();
        registry.add_theme_from_path(path).unwrap();
        registry.link_grammars();
        let colour = |hex: &str| format!("{:?}", giallo::Color::from_hex(hex).unwrap());
        let scopes = SCOPES.map(|(scope, hex)| (colour(hex), scope));
        Engine {
            registry,
            scopes: scopes.into(),
        }
    }

    /// Lists each character of a text with its scope; `None` if it has no colour.
    fn scopes(&self, text: &str) -> Vec<(char, Option<&'static str>)> {
        let options = HighlightOptions::new("lozenge", ThemeVariant::Single("scopes"))
            .merge_whitespace(false)
            .merge_same_style_tokens(false);
        let lines = self.registry.highlight(text, &options).unwrap().tokens;
        let mut found = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                found.push(('\n', None));
            }
            for token in line {
                let ThemeVariant::Single(style) = token.style else {
                    panic!("one theme");
                };
                let scope = self.scopes.get(&format!("{:?}", style.foreground)).copied();
                found.extend(
                    token
                        .text
                        .trim_end_matches('\n')
                        .chars()
                        .map(|c| (c, scope)),
                );
            }
        }
        found
    }
}

/// Finds the expected scope of each character of a text, by an independent reader: comments, texts, words, numbers; the
/// rest is left open.
fn expected(text: &str) -> Vec<(char, Expected)> {
    let known = words();
    let mut found: Vec<(char, Expected)> = Vec::new();
    for line in text.split('\n') {
        let (mut rest, mut before, mut definition) = (line, ' ', false);
        // The words of a section are keywords only in its header, and `epoch` only after `each`.
        let mut section: &[&str] = match line.split_whitespace().next() {
            Some("train" | "repeat") => &["epochs", "steps", "by", "of", "shuffled"],
            Some("each") => &["epoch"],
            Some("data") => &["rows", "shuffled"],
            _ => &[],
        };
        while let Some(first) = rest.chars().next() {
            let (length, what) = if first == '#' {
                (rest.len(), Expected::One("comment"))
            } else if first == '"' {
                (
                    rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                    Expected::Text,
                )
            } else if first.is_ascii_digit() {
                (
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))
                        .unwrap_or(rest.len()),
                    Expected::One("constant.numeric"),
                )
            } else if first.is_alphabetic() || first == '_' {
                let end = rest
                    .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .unwrap_or(rest.len());
                let word = &rest[..end];
                let accumulates = matches!(before, '=' | ':') && matches!(word, "max" | "min");
                let defines = std::mem::replace(
                    &mut definition,
                    [
                        "data", "param", "state", "const", "let", "size", "def", "op",
                    ]
                    .contains(&word),
                );
                let what = if accumulates {
                    Expected::One("keyword.operator")
                } else if defines {
                    Expected::One("entity.name")
                } else if before == '.' {
                    Expected::One("variable.other.member")
                } else if known.keywords.contains(&word) {
                    Expected::One("keyword.control")
                } else if known.functions.contains(&word) {
                    Expected::One("support.function")
                } else if known.prelude.iter().any(|name| name == word) {
                    Expected::One("support.function.prelude")
                } else if section.contains(&word) {
                    if word == "epoch" {
                        section = &[];
                    }
                    Expected::One("keyword.other")
                } else if ["from", "columns", "column", "header", "to"].contains(&word) {
                    Expected::One("keyword.other")
                } else {
                    Expected::Name
                };
                (end, what)
            } else {
                (first.len_utf8(), Expected::Open)
            };
            found.extend(rest[..length].chars().map(|c| (c, what)));
            before = rest[..length].chars().next_back().unwrap_or(' ');
            // `0..n` is not a member access.
            if rest.starts_with("..") {
                found.push(('.', Expected::Open));
                rest = &rest[1..];
                before = ' ';
            }
            rest = &rest[length..];
        }
        found.push(('\n', Expected::Open));
    }
    found.pop();
    found
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    One(&'static str),
    /// A quoted text, or a sign of a spec in it.
    Text,
    /// A name of the program: no scope.
    Name,
    Open,
}

fn examples() -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join("examples")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "loz") {
                found.push((
                    path.display().to_string(),
                    std::fs::read_to_string(&path).unwrap(),
                ));
            }
        }
    }
    let prelude = root().join("lang/loz/src/prelude.loz");
    found.push(("prelude".into(), std::fs::read_to_string(prelude).unwrap()));
    assert!(found.len() > 8);
    found
}

#[test]
fn every_token_of_the_examples_has_its_scope() {
    let engine = Engine::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, text) in examples() {
        let scopes = engine.scopes(&text);
        let expected = expected(&text);
        let shown: String = scopes.iter().map(|(c, _)| c).collect();
        assert_eq!(
            shown.trim_end(),
            text.trim_end(),
            "{name}: no character is lost"
        );
        for (at, ((c, scope), (_, what))) in scopes.iter().zip(&expected).enumerate() {
            let right = match what {
                Expected::One(wanted) => *scope == Some(wanted),
                Expected::Text => matches!(scope, Some("string" | "keyword.operator.spec")),
                Expected::Name => scope.is_none(),
                Expected::Open => true,
            };
            let before: String = text.chars().take(at + 1).collect();
            let line = before.lines().count();
            assert!(
                right || c.is_whitespace(),
                "{name}:{line}: `{c}` is {scope:?}, not {what:?}: {}",
                text.lines().nth(line - 1).unwrap()
            );
            if let Some(scope) = scope {
                *seen.entry(scope).or_default() += 1;
            }
        }
    }
    for (scope, _) in SCOPES {
        assert!(
            seen.contains_key(scope),
            "no example shows {scope}: {seen:?}"
        );
    }
}

#[test]
fn every_form_of_the_language_has_its_scopes() {
    let engine = Engine::new();
    let scope_of = |text: &str, part: &str| {
        let start = text.find(part).unwrap();
        let scopes = engine.scopes(text);
        let found: Vec<_> = scopes[start..start + part.len()]
            .iter()
            .map(|(_, scope)| *scope)
            .collect();
        assert!(
            found.iter().all(|scope| *scope == found[0]),
            "{text}: {found:?}"
        );
        found[0]
    };
    let cases = [
        (
            "data images : 1797_image|->64 from \"a.csv\" columns 0..64 header",
            "1797_image",
            Some("constant.numeric"),
        ),
        (
            "data images : 1797|->64 from \"a.csv\" columns 0..64 header",
            "columns",
            Some("keyword.other"),
        ),
        (
            "data images : 1797|->64 from \"a.csv\" columns 0..64 header",
            "header",
            Some("keyword.other"),
        ),
        ("let from = columns", "columns", None),
        ("let y = w.grad @| 0", "grad", Some("variable.other.member")),
        ("let y = w.grad @| 0", "@|", Some("keyword.operator")),
        (
            "y =:max a \"n|->c => n|\"",
            "=:max",
            Some("keyword.operator"),
        ),
        ("y =:* a \"n|->c => n|\"", "=:*", Some("keyword.operator")),
        ("p =* 2", "=*", Some("keyword.operator")),
        (
            "y =:max a \"n|->c => n|\"",
            "->",
            Some("keyword.operator.spec"),
        ),
        (
            "y =:+ a \"..., k|..from.. -> \"",
            "..from..",
            Some("keyword.operator.spec"),
        ),
        ("def f(x): maximum(x)", "maximum", None),
        ("for i in 0..n carry y:", "carry", Some("keyword.control")),
        ("for i in 0..many carry y:", "many", None),
        ("let y = x *. 1e-5", "1e-5", Some("constant.numeric")),
        ("let y = \"open # no comment", "# no", Some("string")),
        ("save y to \"y.csv\"", "to", Some("keyword.other")),
        (
            "train 20 epochs by 32 of n shuffled:",
            "epochs",
            Some("keyword.other"),
        ),
        (
            "train 20 epochs by 32 of n shuffled:",
            "shuffled",
            Some("keyword.other"),
        ),
        ("repeat many steps:", "steps", Some("keyword.other")),
        ("repeat many steps:", "many", None),
        ("each epoch: print steps", "epoch", Some("keyword.other")),
        ("each epoch: print steps", "steps", None),
        ("let epochs = by + of", "by", None),
        (
            "data x : n| from \"x.csv\" column \"a\" header rows 0..3 shuffled 3",
            "rows",
            Some("keyword.other"),
        ),
        (
            "data x : n| from \"x.csv\" header separator tab comments \"#\" missing -1",
            "header",
            Some("keyword.other"),
        ),
        (
            "data x : n| from \"x.csv\" header separator tab comments \"#\" missing -1",
            "tab",
            Some("keyword.other"),
        ),
        (
            "data x : n| from \"x.csv\" header separator tab comments \"#\" missing -1",
            "comments",
            Some("keyword.other"),
        ),
        (
            "data x : n| from \"x.csv\" missing nan",
            "missing",
            Some("keyword.other"),
        ),
        ("let y = missing + tab", "missing", None),
        ("let y = missing + tab", "tab", None),
        ("backward mean(e)", "backward", Some("keyword.control")),
        (
            "use \"layers.loz\" as layers",
            "as",
            Some("keyword.control"),
        ),
    ];
    for (text, part, scope) in cases {
        assert_eq!(scope_of(text, part), scope, "{part} in {text}");
    }
}
