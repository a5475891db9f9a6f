//! The text of a program, in which each part that denotes a tensor is an HTML element.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Source};
use maud::{Escaper, Markup, PreEscaped};

/// A part of the text, with the tensors that it denotes. A part of a function denotes one tensor for each call.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    span: Range<usize>,
    tensors: Vec<TensorId>,
}

/// Returns the parts, outer before inner. Two parts are nested or disjoint: one that overlaps an earlier one partially
/// is left out.
fn parts(program: &Program) -> Vec<Part> {
    let mut found: BTreeMap<(usize, Reverse<usize>), Vec<TensorId>> = BTreeMap::new();
    let mut add = |span: &Range<usize>, tensor: TensorId| {
        let tensors = found.entry((span.start, Reverse(span.end))).or_default();
        if span.start < span.end && !tensors.contains(&tensor) {
            tensors.push(tensor);
        }
    };
    for step in &program.steps {
        let slots = &step.operation.slots;
        add(&step.span, slots[0]);
        for (span, tensor) in step.slot_spans.iter().zip(slots) {
            add(span, *tensor);
        }
    }
    for (number, tensor) in program.tensors.iter().enumerate() {
        add(&tensor.span, TensorId(number));
    }
    let mut open: Vec<usize> = Vec::new();
    let mut parts = Vec::new();
    for ((start, Reverse(end)), tensors) in found {
        while open.last().is_some_and(|outer| *outer <= start) {
            open.pop();
        }
        if tensors.is_empty() || open.last().is_some_and(|outer| *outer < end) {
            continue;
        }
        open.push(end);
        parts.push(Part {
            span: start..end,
            tensors,
        });
    }
    parts
}

/// The most tensors of one part that are named, since a part of a function that is called a thousand times denotes a
/// thousand tensors.
const TENSORS_OF_A_PART: usize = 24;

/// The number of different shapes behind a line for one name, which may have a shape of its own in each iteration of a
/// loop.
const SHAPES_OF_A_NAME: usize = 3;

/// The number of characters of a shape behind a line.
const CHARACTERS_OF_A_SHAPE: usize = 60;

/// Writes the note for the end of each line on which the program names a tensor that is not data: its name and its
/// shapes.
fn notes(
    program: &Program,
    source: &str,
    shape: impl Fn(TensorId) -> Option<String>,
) -> Vec<(usize, String)> {
    let mut named: BTreeMap<usize, (&str, Vec<String>)> = BTreeMap::new();
    for (number, tensor) in program.tensors.iter().enumerate() {
        let written = source.get(tensor.span.clone()).unwrap_or_default();
        let last = tensor
            .name
            .rsplit('.')
            .find(|part| part.parse::<u64>().is_err());
        let is_data = matches!(tensor.source, Source::Data(_));
        if written.is_empty() || last != Some(written) || is_data {
            continue;
        }
        let Some(shape) = shape(TensorId(number)) else {
            continue;
        };
        let (_, shapes) = named
            .entry(tensor.span.end)
            .or_insert((written, Vec::new()));
        if shapes.len() <= SHAPES_OF_A_NAME && !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    let mut notes: BTreeMap<usize, String> = BTreeMap::new();
    for (end, (name, mut shapes)) in named {
        if shapes.len() > SHAPES_OF_A_NAME {
            shapes[SHAPES_OF_A_NAME] = "…".to_string();
        }
        let line_end = source[end..].find('\n').map_or(source.len(), |at| end + at);
        let note = notes.entry(line_end).or_default();
        let comma = if note.is_empty() { "" } else { ",  " };
        let _ = write!(note, "{comma}{name} : {}", shapes.join(" or "));
    }
    notes.into_iter().collect()
}

/// Returns a shape for the end of a line.
pub fn brief(shape: &str) -> String {
    match shape.char_indices().nth(CHARACTERS_OF_A_SHAPE) {
        Some((end, _)) => format!("{}…", &shape[..end]),
        None => shape.to_string(),
    }
}

/// Writes a text piece by piece, with a note at the end of some lines. A note is no part of the text, which can be
/// copied without it.
struct Writer<'t> {
    out: String,
    source: &'t str,
    at: usize,
    notes: std::iter::Peekable<std::vec::IntoIter<(usize, String)>>,
    tokens: std::iter::Peekable<std::vec::IntoIter<(Range<usize>, &'static str)>>,
}

impl Writer<'_> {
    /// Writes the text up to this place.
    fn to(&mut self, end: usize) {
        while let Some((place, note)) = self.notes.next_if(|(place, _)| *place <= end) {
            self.plain(place);
            self.out.push_str("<span class=\"note\" data-note=\"");
            let _ = Escaper::new(&mut self.out).write_str(&note);
            self.out.push_str("\"></span>");
        }
        self.plain(end);
    }

    /// Writes text without notes, its words in their colours.
    fn plain(&mut self, end: usize) {
        while let Some((span, class)) = self.tokens.peek().cloned() {
            if span.start >= end {
                break;
            }
            self.escaped(span.start);
            let _ = write!(self.out, "<span class=\"{class}\">");
            self.escaped(span.end.min(end));
            self.out.push_str("</span>");
            if span.end > end {
                return;
            }
            self.tokens.next();
        }
        self.escaped(end);
    }

    fn escaped(&mut self, end: usize) {
        let text = self.source.get(self.at..end).unwrap_or_default();
        let _ = Escaper::new(&mut self.out).write_str(text);
        self.at = end.max(self.at);
    }
}

/// Returns the text with an element around each part. `shown` says which tensors have a card to show, and `shape` what
/// stands behind the line of a tensor's name.
pub fn text(
    program: &Program,
    source: &str,
    shown: impl Fn(TensorId) -> bool,
    shape: impl Fn(TensorId) -> Option<String>,
) -> Markup {
    let mut writer = Writer {
        out: String::with_capacity(source.len() * 4),
        source,
        at: 0,
        notes: notes(program, source, shape).into_iter().peekable(),
        tokens: super::colours::tokens(source).into_iter().peekable(),
    };
    let mut ends: Vec<usize> = Vec::new();
    for part in parts(program) {
        while let Some(end) = ends.pop_if(|end| *end <= part.span.start) {
            writer.to(end);
            writer.out.push_str("</span>");
        }
        writer.to(part.span.start);
        let tensors = part.tensors.iter().filter(|tensor| shown(**tensor));
        let tensors = tensors.take(TENSORS_OF_A_PART).map(|id| id.0.to_string());
        let tensors = tensors.collect::<Vec<_>>().join(" ");
        let _ = write!(
            writer.out,
            "<span class=\"part\" tabindex=\"0\" role=\"button\" aria-controls=\"panel\" data-tensors=\"{tensors}\">"
        );
        ends.push(part.span.end);
    }
    while let Some(end) = ends.pop() {
        writer.to(end);
        writer.out.push_str("</span>");
    }
    writer.to(source.len());
    PreEscaped(writer.out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_nested_and_the_text_is_kept() {
        let source = "data x : 3 = range(3)\nlet y = relu(x + 1) - x  # <&>\n";
        let program = lozenge::parse(source).expect("a program");
        let page = text(&program, source, |_| true, |_| None).into_string();
        assert_eq!(
            page.matches("<span").count(),
            page.matches("</span>").count()
        );
        let mut plain = String::new();
        for piece in page.split('<') {
            plain.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
        }
        let plain = plain
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        assert_eq!(plain, source);
        let inner = page.split("data-tensors").count() - 1;
        assert!(
            inner >= 6,
            "x, y, the difference, relu, the sum, 1 and x: {page}"
        );
    }

    #[test]
    fn the_shapes_of_names_stand_behind_their_lines() {
        let source = "data x : 3 = range(3)\ndef f(a):\n  let q = a + 1\n  q *. 2\nlet y = f(x)\nlet z = f(x) # <\n";
        let program = lozenge::parse(source).expect("a program");
        let shape = |id: TensorId| Some(format!("<{}>", program[id].name));
        let page = text(&program, source, |_| true, shape).into_string();
        let notes: Vec<&str> = page.split("data-note=\"").skip(1).collect();
        let notes: Vec<&str> = notes
            .iter()
            .filter_map(|note| note.split('"').next())
            .collect();
        assert_eq!(
            notes,
            [
                "q : &lt;y.f.q&gt; or &lt;z.f.q&gt;",
                "y : &lt;y&gt;",
                "z : &lt;z&gt;"
            ]
        );
        assert!(
            page.contains("data-note=\"z : &lt;z&gt;\"></span>\n"),
            "{page}"
        );
    }
}
