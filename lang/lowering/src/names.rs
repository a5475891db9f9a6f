//! Names of tensors: those of the model, as far as the language has them.

use std::collections::HashSet;

/// The names that a program has so far.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
}

/// The longest part of a model's name that becomes a name.
const LONGEST: usize = 60;

/// Words that mean something in the lines that are written. A tensor may not be called like one of them.
const WORDS: &[&str] = &[
    "data", "param", "state", "const", "let", "size", "def", "op", "for", "in", "if", "else",
    "use", "as", "backward", "print", "save", "assert", "train", "repeat", "each", "carry", "inf",
    "nan", "sum", "max", "min", "map", "count", "concat", "range", "where", "relu", "exp", "log",
    "sqrt", "square", "recip", "neg", "abs", "floor", "sin", "cos", "tanh", "sigmoid", "erf",
    "log1p", "expm1", "round", "step", "epoch", "training",
];

impl Names {
    /// Makes a name that no other tensor has from a name of the model.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let name = plain(wanted);
        let mut number = 2;
        let mut unique = name.clone();
        while !self.taken.insert(unique.clone()) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        unique
    }
}

/// Makes a name of the language from a name of the model: its letters and digits, and `_` for anything else.
pub(crate) fn plain(wanted: &str) -> String {
    let kept = wanted.chars().take(LONGEST);
    let mut name: String = kept
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign
            } else {
                '_'
            }
        })
        .collect();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert_str(0, "t_");
    }
    if WORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Tells whether a line defines a tensor that is computed.
pub(crate) fn defines(line: &str, name: &str) -> bool {
    let rest = line.strip_prefix("let ");
    let rest = rest.and_then(|rest| rest.strip_prefix(name));
    rest.is_some_and(|rest| rest.starts_with(" :"))
}

/// Exchanges two names in lines. Words in quotes are labels.
pub(crate) fn exchanged(lines: &str, one: &str, other: &str) -> String {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let mut result = String::with_capacity(lines.len());
    for (place, mut rest) in lines.split('"').enumerate() {
        if place > 0 {
            result.push('"');
        }
        if place % 2 == 1 {
            result.push_str(rest);
            continue;
        }
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|sign| is_part(sign) != is_part(first));
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            result.push_str(match word {
                word if word == one => other,
                word if word == other => one,
                word => word,
            });
            rest = after;
        }
    }
    result
}
