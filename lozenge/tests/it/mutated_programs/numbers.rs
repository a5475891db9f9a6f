//! The numbers of a repaired program beside those of the program before the mistake.

use std::collections::BTreeMap;

use lozenge::lang::Help;
use lozenge::vocabulary::operation::TensorId;
use lozenge::vocabulary::program::{Program, Source, Start};
use lozenge::{Options, read, run_precise};

/// The numbers that a program computes. The files of data and the parameters have values that depend on their order and
/// the cell alone, so that two programs of the same shapes read the same, whatever the names are.
#[derive(Debug)]
pub struct Numbers {
    /// The values of the tensors that the program names, in their order.
    tensors: Vec<Vec<f64>>,
    /// The number of operations that leave cells of their results unwritten.
    partial: usize,
}

/// Returns the numbers of a program; `None` if it is refused.
pub fn numbers(source: &str) -> Option<Numbers> {
    let reading = read(source, &Options::default()).ok()?;
    let (program, inference) = (&reading.program, &reading.inference);
    let (mut given, mut leaves) = (BTreeMap::new(), 0);
    for at in 0..program.tensors.len() {
        if is_given(program, TensorId(at)) {
            let axes = inference.shapes[at].rows();
            let sizes = axes.iter().flat_map(|row| row.axes());
            let cells: u64 = sizes.map(|dim| dim.size()).product();
            given.insert(
                TensorId(at),
                (0..cells).map(|cell| value(leaves, cell)).collect(),
            );
            leaves += 1;
        }
    }
    let values = run_precise(program, inference, &given).expect("it is computed");
    let named = program.tensors.iter().zip(values);
    let named = named.filter(|(tensor, _)| is_name(&tensor.name));
    let tensors = named.map(|(_, values)| values);
    let nests = inference.nests.iter();
    Some(Numbers {
        tensors: tensors.collect(),
        partial: nests.filter(|nest| !nest.is_surjective()).count(),
    })
}

fn is_given(program: &Program, id: TensorId) -> bool {
    match &program[id].source {
        Source::Data(_) => true,
        Source::Param(param) => param.start == Start::Outside,
        _ => false,
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(char::is_alphabetic) && !name.contains('\'')
}

fn value(leaf: u64, cell: u64) -> f64 {
    let mixed = (1000 * leaf + cell).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (mixed % 257) as f64 / 128.0 - 1.0
}

/// The effect of a change on the numbers of a program with a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// The numbers of the program without the mistake.
    Right,
    /// Others, and the help says under which condition it is meant, or what is computed.
    Said,
    /// Others, without a word of it.
    Wrong,
}

/// Words of helps that say what the changed program computes, or under which condition that is meant.
const SAYING: [&str; 7] = [
    "if ",
    "for example",
    "to keep both",
    "broadcasts",
    "transposed",
    "to scale",
    "no line uses it",
];

/// Words of helps that say which cells are left out.
const LEAVING: [&str; 3] = ["leave", "without the last", "a part of"];

/// Compares the numbers of a program with a mistake, changed as a help says, with those of the program without the
/// mistake.
pub fn made(original: &Numbers, source: &str, changed: &Numbers, help: &Help) -> Made {
    let changes_a_spec = help.edits.iter().any(|edit| {
        let before = &source[..edit.span.start];
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        before[line..].matches('"').count() % 2 == 1
    });
    let says = |words: &[&str]| words.iter().any(|words| help.text.contains(words));
    let is_whole = !changes_a_spec || changed.partial <= original.partial || says(&LEAVING);
    match original.tensors == changed.tensors {
        true => Made::Right,
        false if is_whole && (says(&SAYING) || says(&LEAVING)) => Made::Said,
        false => Made::Wrong,
    }
}
