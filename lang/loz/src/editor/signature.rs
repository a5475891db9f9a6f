//! The headers of functions, as a person needs them who types a call: parameters, and what the function does to shapes.

use crate::parse::prelude::prelude_lines;

/// The header of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The function with its parameters, as `momentum(rate, keep = 0.9)(p, g)`.
    pub label: String,
    /// The parameters of each pair of parentheses, as they stand in the label.
    pub groups: Vec<Vec<String>>,
    /// The comment above the function, or what it does to shapes.
    pub comment: String,
}

/// The functions of the language itself, which no text defines: their parameters, and what they do to shapes.
const OF_LANGUAGE: [(&str, &str, &str); 13] = [
    (
        "sum",
        "x, spec",
        "Adds up: axes that stand only on the left of `=>` go; without a spec everything is added up, to `->`.",
    ),
    (
        "count",
        "x, spec",
        "The number of values that `sum` adds up in each cell; the shape is that of `sum`.",
    ),
    (
        "map",
        "x, spec",
        "Copies cells by a spec: the shape is what stands behind `=>`. Axes that change places, blocks and windows are written there.",
    ),
    (
        "range",
        "n",
        "0, 1, … below n, as one output axis: `->n`. `range(n_label)` names the axis.",
    ),
    (
        "uniform",
        "",
        "Random values in [0, 1), in the shape that is written or forced.",
    ),
    (
        "normal",
        "",
        "Random values of mean 0 and variance 1, in the shape that is written or forced.",
    ),
    (
        "stack",
        "xs",
        "One tensor of a list of equal shapes, with a new last batch axis of its length.",
    ),
    (
        "concat",
        "xs, spec",
        "One tensor whose axis, by the spec, is made of those of the parts, one behind the other.",
    ),
    ("append", "xs, x", "The list with one element more."),
    (
        "params",
        "loss",
        "The list of the parameters on which a number depends.",
    ),
    (
        "fan_in",
        "w",
        "The product of the input sizes of w, a number.",
    ),
    (
        "class_numbers",
        "x, k",
        "x itself, whose values must be whole numbers from 0 below k.",
    ),
    (
        "beside",
        "spec",
        "The spec that broadcasts a result of the given one back over what it was computed from.",
    ),
];

/// The functions of several operands that are computed cell by cell.
const OF_SEVERAL: [(&str, &str); 4] = [
    ("max", "a, b"),
    ("min", "a, b"),
    ("fmod", "a, b"),
    ("where", "c, a, b"),
];

/// Returns the header of a function of the language or of its prelude.
pub fn header_of_language(name: &str) -> Option<Header> {
    if let Some((_, parameters, comment)) = OF_LANGUAGE.iter().find(|(word, ..)| *word == name) {
        return Some(Header::of_one_group(name, parameters, comment));
    }
    if let Some(lines) = prelude_lines(name) {
        return header_at(lines, definition(lines, name)?);
    }
    if !super::words::is_function(name) {
        return None;
    }
    let several = OF_SEVERAL.iter().find(|(word, _)| *word == name);
    let parameters = several.map_or("x", |(_, parameters)| *parameters);
    let comment = match name {
        "transpose" => "Inputs and outputs change places: `2->3` becomes `3->2`.",
        "max" | "min" => {
            "Cell by cell, in the shape of both operands, which broadcast; with a spec in place of the second operand, of the values that meet in a cell."
        }
        _ => "Cell by cell: the result has the shape of the operands, which broadcast.",
    };
    Some(Header::of_one_group(name, parameters, comment))
}

/// Finds the place of a name behind `def` or `op` in lines of the prelude.
fn definition(lines: &str, name: &str) -> Option<usize> {
    let last = lines.rfind('\n').map_or(0, |at| at + 1);
    Some(last + lines[last..].find(name)?)
}

/// Reads the header of the function whose name begins at a byte of a text, behind `def` or `op`. `None` where no
/// parentheses follow.
pub fn header_at(text: &str, start: usize) -> Option<Header> {
    let line = text.get(start..)?.lines().next()?;
    let end = line.find('(')?;
    let mut groups = Vec::new();
    let mut rest = end;
    while line[rest..].starts_with('(') {
        let (group, length) = group(&line[rest..])?;
        groups.push(group);
        rest += length;
    }
    Some(Header {
        label: line[..rest].trim().to_string(),
        groups,
        comment: comment_above(text, start),
    })
}

/// Reads a pair of parentheses and what stands in it, parted at its commas; returns the number of its bytes as well.
fn group(text: &str) -> Option<(Vec<String>, usize)> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_u32, 1);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            let part = text[start..at].trim();
            parts.extend((!part.is_empty()).then(|| part.to_string()));
            start = at + 1;
        }
        if depth == 0 {
            return Some((parts, at + 1));
        }
    }
    None
}

/// Joins the lines of a comment that stand directly above the line of a byte.
fn comment_above(text: &str, byte: usize) -> String {
    let line = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    let mut lines: Vec<&str> = text[..line]
        .lines()
        .rev()
        .map_while(|line| line.trim().strip_prefix('#'))
        .map(str::trim)
        .collect();
    lines.reverse();
    lines.join(" ")
}

impl Header {
    fn of_one_group(name: &str, parameters: &str, comment: &str) -> Header {
        let parameters: Vec<String> = parameters
            .split(", ")
            .filter(|parameter| !parameter.is_empty())
            .map(str::to_string)
            .collect();
        Header {
            label: format!("{name}({})", parameters.join(", ")),
            groups: vec![parameters],
            comment: comment.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn every_function_has_a_header() {
        let words = words();
        for name in words.functions {
            let header = header_of_language(name).expect(name);
            assert!(header.label.starts_with(&format!("{name}(")), "{header:?}");
            assert!(!header.comment.is_empty(), "{name}");
        }
        for name in words.prelude {
            let lines = prelude_lines(&name).expect("it is defined there");
            let is_let = lines
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("let"));
            let header = header_of_language(&name);
            assert_eq!(header.is_none(), is_let, "{name}: {header:?}");
        }
    }

    #[test]
    fn a_header_has_groups_of_parameters_and_the_comment_above() {
        let text = "# First.\n\n# Keeps\n# a part.\ndef momentum(rate, keep = 0.9)(p, g):\n  p\n";
        let start = text.find("momentum").expect("it is there");
        let header = header_at(text, start).expect("a header");
        assert_eq!(header.label, "momentum(rate, keep = 0.9)(p, g)");
        assert_eq!(header.groups, [vec!["rate", "keep = 0.9"], vec!["p", "g"]]);
        assert_eq!(header.comment, "Keeps a part.");
        assert_eq!(header_at("let x = 3\n", 4), None);
    }
}
