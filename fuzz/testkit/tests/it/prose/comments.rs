//! Comments in the languages of the repository, found line by line.

use std::path::Path;

/// The marks of comments in a language.
struct Marks {
    /// Marks that go on from line to line: a line with the mark of the line before continues its comment.
    lines: &'static [&'static str],
    /// Marks that begin a comment up to another mark.
    blocks: &'static [&'static str],
    /// True if a comment may lie between [`QUOTES`], on several lines.
    has_quotes: bool,
}

/// The mark on both sides of a comment of Python, and of a long text.
const QUOTES: &str = "\"\"\"";

const C: Marks = Marks {
    lines: &["///", "//!", "//"],
    blocks: &["/**", "/*"],
    has_quotes: false,
};
const SHELL: Marks = Marks {
    lines: &["#"],
    blocks: &[],
    has_quotes: false,
};
const PYTHON: Marks = Marks {
    lines: &["#"],
    blocks: &[QUOTES],
    has_quotes: true,
};
const ML: Marks = Marks {
    lines: &[],
    blocks: &["(**", "(*"],
    has_quotes: false,
};

/// Returns the marks of comments in a file; none for a file without comments.
fn marks(path: &Path) -> Option<Marks> {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    Some(match ending.as_deref() {
        Some("rs" | "js" | "c" | "cl" | "css") => C,
        Some("py" | "pyi") => PYTHON,
        Some("ml" | "v") => ML,
        Some("toml" | "sh" | "yaml" | "yml") => SHELL,
        Some("loz" | "rows" | "grad" | "axon" | "shapes") => SHELL,
        None if is_for_ci(path) => SHELL,
        _ => return None,
    })
}

/// Says whether a file lies in the folder of continuous integration, whose scripts have no ending.
fn is_for_ci(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == ".ci")
}

/// Lists the comments of a file by their lines, from 1, each with its first line of words.
pub fn of<'t>(path: &Path, text: &'t str) -> Vec<(usize, &'t str)> {
    let Some(marks) = marks(path) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    let (mut before, mut is_quoted) = (None, false);
    for (at, line) in lines.iter().enumerate() {
        let was_quoted = is_quoted;
        is_quoted ^= marks.has_quotes && line.matches(QUOTES).count() % 2 == 1;
        if was_quoted {
            continue;
        }
        let begun = |mark: &&&str| line.starts_with(**mark);
        let own = marks.lines.iter().find(begun).copied();
        let words = match (own, marks.blocks.iter().find(begun)) {
            (Some(_), _) if before == own => None,
            (Some(mark), _) => Some(&line[mark.len()..]),
            (None, Some(mark)) => match line[mark.len()..].trim() {
                "" => lines.get(at + 1).copied(),
                words => Some(words),
            },
            (None, None) => behind_code(line, &marks),
        };
        before = own;
        found.extend(words.map(|words| (at + 1, words.trim())));
    }
    found
}

/// Returns the words of a comment behind code on its line.
fn behind_code<'t>(line: &'t str, marks: &Marks) -> Option<&'t str> {
    let mut all = marks.lines.iter().chain(marks.blocks);
    all.find_map(|mark| Some(line.split_once(&format!(" {mark} "))?.1))
}

/// Says whether words begin with one of some phrases, as whole words.
pub fn begins_with_one_of(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let rest = words.strip_prefix(phrase);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    })
}

#[test]
fn comments_are_found_by_their_first_words() {
    let rust = "//! One.\n//! More.\n\n/// Two.\nfn f() {} // Three\n//\n// More\n";
    let found = of(Path::new("a.rs"), rust);
    assert_eq!(found, [(1, "One."), (4, "Two."), (5, "Three"), (6, "")]);
    let python = "def f():\n    \"\"\"\n    One.\n    \"\"\"\n    x = 1  # Two\n";
    let found = of(Path::new("a.py"), python);
    assert_eq!(found, [(2, "One."), (5, "Two")]);
    let coq = "(** One *)\nDefinition a := 1. (* Two *)\n";
    let found = of(Path::new("a.v"), coq);
    assert_eq!(found, [(1, "One *)"), (2, "Two *)")]);
    assert_eq!(of(Path::new("a.txt"), "// One\n"), []);
}

#[test]
fn only_whole_words_are_questions() {
    assert!(begins_with_one_of("What is it?", &["What"]));
    assert!(begins_with_one_of("What", &["What"]));
    assert!(!begins_with_one_of("Whatever it is", &["What"]));
    assert!(!begins_with_one_of("The answer to what", &["What"]));
}
