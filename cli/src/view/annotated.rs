//! The text of a program, in which each part that denotes a tensor is an HTML element.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::Program;
use maud::{Escaper, Markup, PreEscaped};

/// A part of the text, with the tensors that it denotes. A part of a function denotes one tensor for each call.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    span: Range<usize>,
    tensors: Vec<TensorId>,
}

/// The parts, outer before inner. Two parts are nested or disjoint: one that overlaps an earlier one partially is left out.
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

/// At most how many tensors of one part are named, since a part of a function that is called a thousand times denotes a
/// thousand tensors.
const TENSORS_OF_A_PART: usize = 24;

/// The text with an element around each part. `shown` says which tensors have a card to show.
pub fn text(program: &Program, source: &str, shown: impl Fn(TensorId) -> bool) -> Markup {
    let mut out = String::with_capacity(source.len() * 4);
    let mut ends: Vec<usize> = Vec::new();
    let mut at = 0;
    let mut write = |out: &mut String, to: usize| {
        let text = source.get(at..to).unwrap_or_default();
        let _ = Escaper::new(out).write_str(text);
        at = to.max(at);
    };
    for part in parts(program) {
        while let Some(end) = ends.pop_if(|end| *end <= part.span.start) {
            write(&mut out, end);
            out.push_str("</span>");
        }
        write(&mut out, part.span.start);
        let tensors = part.tensors.iter().filter(|tensor| shown(**tensor));
        let tensors = tensors.take(TENSORS_OF_A_PART).map(|id| id.0.to_string());
        let tensors = tensors.collect::<Vec<_>>().join(" ");
        let _ = write!(
            out,
            "<span class=\"part\" tabindex=\"0\" role=\"button\" aria-controls=\"panel\" data-tensors=\"{tensors}\">"
        );
        ends.push(part.span.end);
    }
    while let Some(end) = ends.pop() {
        write(&mut out, end);
        out.push_str("</span>");
    }
    write(&mut out, source.len());
    PreEscaped(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_nested_and_the_text_is_kept() {
        let source = "data x : 3 = range(3)\nlet y = relu(x + 1) - x  # <&>\n";
        let program = lozenge::parse(source).expect("a program");
        let page = text(&program, source, |_| true).into_string();
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
}
