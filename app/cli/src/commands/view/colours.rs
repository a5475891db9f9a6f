//! Colours: of the words of a program, of the axes of a tensor with the loops that go over them, and of the parts of a
//! message.

use std::ops::Range;

use maud::{Markup, html};

/// The number of colours for axes.
const AXES: usize = 6;

/// Tells whether a character may stand in a name.
fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Lists the words, texts, numbers and comments of a program with the class of their colour, in order.
pub fn tokens(source: &str) -> Vec<(Range<usize>, &'static str)> {
    let words = lozenge_lang::words();
    let is_function = |word: &str| {
        words.functions.contains(&word) || words.prelude.iter().any(|name| name == word)
    };
    let mut found = Vec::new();
    let (mut at, mut defines) = (0, false);
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let end_of =
            |part: &str, ends: &dyn Fn(char) -> bool| part.find(ends).unwrap_or(part.len());
        let (length, class) = if first == '#' {
            (end_of(rest, &|c| c == '\n'), "comment")
        } else if first == '"' {
            let end = end_of(&rest[1..], &|c| c == '"' || c == '\n');
            ((end + 2).min(rest.len()), "text")
        } else if first.is_ascii_digit() {
            (end_of(rest, &|c| !in_word(c)), "number")
        } else if in_word(first) {
            let length = end_of(rest, &|c| !in_word(c));
            let word = &rest[..length];
            let is_name = std::mem::replace(&mut defines, false);
            let class = if is_name {
                "name"
            } else if words.keywords.contains(&word) {
                defines = matches!(
                    word,
                    "data" | "param" | "state" | "const" | "let" | "size" | "def" | "op"
                );
                "keyword"
            } else if is_function(word) {
                "function"
            } else {
                ""
            };
            (length, class)
        } else {
            (first.len_utf8(), "")
        };
        if !class.is_empty() {
            found.push((at..at + length, class));
        }
        at += length;
    }
    found
}

/// Lists the variables of the loops of a nest, in their order.
fn variables(nest: &str) -> Vec<&str> {
    let loops = nest
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("for "));
    loops
        .filter_map(|line| line.split_once(' '))
        .map(|(name, _)| name)
        .collect()
}

/// Lists for each axis of the tensor that a nest writes the number of its colour, if one loop goes over it.
pub fn axes(nest: &str) -> Vec<Option<usize>> {
    let variables = variables(nest);
    let written = nest.lines().find_map(|line| {
        let line = line.trim_start();
        let is_assignment = !line.starts_with('#') && !line.starts_with("for ");
        let (_, index) = line.split_once('[').filter(|_| is_assignment)?;
        let (index, _) = index.split_once(']')?;
        // A whole tensor is erased there.
        let erased = index.split(", ").any(|place| place == "*");
        (!erased).then_some(index)
    });
    let places = written.into_iter().flat_map(|index| index.split(", "));
    let number = |place: &str| variables.iter().position(|name| *name == place);
    places
        .map(|place| number(place).map(|at| at % AXES))
        .collect()
}

/// Shows a loop nest, its variables in the colours of their axes. The reasons for its loops are left out if they stand
/// elsewhere.
pub fn nest(text: &str, without_reasons: bool) -> Markup {
    let variables = variables(text);
    let lines = text.trim_end().lines();
    let lines = lines.filter(|line| !(without_reasons && line.starts_with("# ")));
    html! {
        pre.nest {
            @for (number, line) in lines.enumerate() {
                @if number > 0 { "\n" }
                @let (code, comment) = line.split_at(line.find('#').unwrap_or(line.len()));
                @for piece in pieces(code) {
                    @match variables.iter().position(|name| *name == piece) {
                        Some(at) => { span class={ "axis" (at % AXES) } { (piece) } }
                        None => { (piece) }
                    }
                }
                @if !comment.is_empty() { span.comment { (comment) } }
            }
        }
    }
}

/// Splits a line into words and the signs between them.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let is_word = in_word(first);
        let end = rest.find(|c| in_word(c) != is_word).unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

/// Shows messages with the colours that a terminal has.
pub fn message(text: &str) -> Markup {
    html! {
        pre.message {
            @for (number, line) in text.trim_end().lines().enumerate() {
                @if number > 0 { "\n" }
                (message_line(line))
            }
        }
    }
}

fn message_line(line: &str) -> Markup {
    let head = ["error", "warning"]
        .iter()
        .any(|word| line.starts_with(word));
    if let (true, Some((severity, rest))) = (head, line.split_once(": ")) {
        let class = if severity.starts_with('e') {
            "bad"
        } else {
            "warned"
        };
        return html! { span class=(class) { (severity) } ": " strong { (rest) } };
    }
    let Some((gutter, rest)) = line.split_once('|') else {
        let class = if line.trim_start().starts_with("= ") {
            "helped"
        } else {
            ""
        };
        return html! { span class=(class) { (line) } };
    };
    let is_below = gutter.trim().is_empty();
    let marks = |c: char| matches!(c, '^' | '-' | '|' | ' ');
    let end = rest.find(|c| !marks(c)).unwrap_or(rest.len());
    let (signs, label) = rest.split_at(end);
    if !is_below || signs.trim().is_empty() {
        return html! { span.soft { (gutter) "|" } (rest) };
    }
    let class = if signs.contains('^') {
        "bad"
    } else {
        "pointed"
    };
    html! { span.soft { (gutter) "|" } span class=(class) { (signs) (label) } }
}

/// Shows a sentence with the parts in backticks as code.
pub fn words(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_classes_and_the_text_is_covered_once() {
        let source = "# é\nlet data_2 = relu(w *. 0.5) \"n|->c\" # end\ntrain 2 steps:\n";
        let found = tokens(source);
        let all: Vec<(&str, &str)> = found
            .iter()
            .map(|(span, class)| (&source[span.clone()], *class))
            .collect();
        let expected = [
            ("# é", "comment"),
            ("let", "keyword"),
            ("data_2", "name"),
            ("relu", "function"),
            ("0", "number"),
            ("5", "number"),
            ("\"n|->c\"", "text"),
            ("# end", "comment"),
            ("train", "keyword"),
            ("2", "number"),
        ];
        assert_eq!(all, expected);
        assert!(
            found
                .windows(2)
                .all(|pair| pair[0].0.end <= pair[1].0.start)
        );
        assert_eq!(
            tokens("let x = \"open").last().map(|(span, _)| span.end),
            Some(13)
        );
    }

    #[test]
    fn an_axis_has_the_colour_of_its_loop() {
        let nest = "y[*, *] = 0  # erases\nfor i in 0..6:\n  for j in 0..3:\n    for k in 0..4:\n      y[j, i] += w[k, j] * x[i, k]\n";
        assert_eq!(axes(nest), [Some(1), Some(0)]);
        let shown = super::nest(nest, true).into_string();
        assert!(
            shown.contains("y[<span class=\"axis1\">j</span>, <span class=\"axis0\">i</span>] +="),
            "{shown}"
        );
        assert_eq!(axes("for i in 0..3:\n  y[2*i] = x[i]\n"), [None]);
    }

    #[test]
    fn the_marks_of_a_message_are_coloured_and_its_text_is_kept() {
        let text = "error: no\n --> p:1:1\n  |\n2 | a < b\n  |     ^ here\n  = help: do\n";
        let shown = message(text).into_string();
        assert!(
            shown.contains("<span class=\"bad\">     ^ here</span>"),
            "{shown}"
        );
        assert!(shown.contains("2 |</span> a &lt; b"), "{shown}");
    }
}
