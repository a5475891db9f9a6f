//! The prelude: the functions of every program that are written in the language itself.

use super::block::{Read, read};

/// The text of the prelude.
pub const PRELUDE: &str = include_str!("../prelude.loz");

thread_local! {
    /// The syntax of the prelude, which each thread parses once.
    static READ: Read<'static> = {
        let mut errors = Vec::new();
        let prelude = read(PRELUDE, &mut errors);
        debug_assert!(errors.is_empty(), "{errors:?}");
        prelude
    };
}

/// Calls a function with the statements of the prelude.
pub(crate) fn with<T>(use_it: impl FnOnce(&Read) -> T) -> T {
    READ.with(use_it)
}

/// Finds the line of the prelude that defines a name, with the comment above it.
pub fn prelude_lines(name: &str) -> Option<&'static str> {
    let mut start = 0;
    let mut at = 0;
    for line in PRELUDE.split_inclusive('\n') {
        let end = at + line.len();
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let defines = matches!(words.next(), Some("def" | "let" | "op"));
        if defines && words.next() == Some(name) {
            return Some(PRELUDE[start..end].trim_end());
        }
        at = end;
        if !line.starts_with('#') {
            start = end;
        }
    }
    None
}
