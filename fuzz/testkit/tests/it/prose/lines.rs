//! Lines of prose: comments of Rust, and text of Markdown outside of tables and examples.

use std::path::Path;

/// The number of characters that a line of prose may have.
pub const WIDEST: usize = 120;

/// Lists the lines of prose of a file by their numbers, from 1. Code is the work of rustfmt; tables, headings, links
/// and examples cannot be broken.
pub fn of_prose<'t>(path: &Path, text: &'t str) -> Vec<(usize, &'t str)> {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let is_markdown = match ending.as_deref() {
        Some("rs") => false,
        Some("md") => true,
        _ => return Vec::new(),
    };
    let (mut found, mut is_example) = (Vec::new(), false);
    for (at, line) in text.lines().enumerate() {
        let words = match (is_markdown, line.trim_start().strip_prefix("//")) {
            (true, _) => line.trim_start(),
            (false, Some(words)) => words.trim_start_matches(['/', '!']).trim_start(),
            (false, None) => {
                is_example = false;
                continue;
            }
        };
        is_example ^= words.starts_with("```");
        let is_whole = words.starts_with(['|', '#', '<', '[', '`']) || !words.contains(' ');
        if !is_example && !is_whole {
            found.push((at + 1, line));
        }
    }
    found
}

#[test]
fn tables_and_examples_are_no_prose() {
    let text = "Words.\n\n| a | b |\n```\nx = 1\n```\nMore words.\n# A heading\n";
    let found = of_prose(Path::new("a.md"), text);
    assert_eq!(found, [(7, "More words.")]);
    let code = "let x = 1;\n/// The number.\n/// | a | b |\n// More words.\n";
    let found = of_prose(Path::new("a.rs"), code);
    assert_eq!(found, [(2, "/// The number."), (4, "// More words.")]);
}
