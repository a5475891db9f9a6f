//! Fix for two operands that have the same sizes in another order: a spec that puts their axes beside each other.

use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Assignment, Family};

use super::proposed::Proposed;
use crate::diagnose::known::Known;
use crate::diagnose::words::text::Text;

/// The names of axes in the spec, as many as the longest shape that is looked at has axes.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The sizes of the axes of an operand without inputs: those of its batch and its outputs, in this order.
struct Sizes {
    batch: usize,
    all: Vec<u64>,
}

impl Sizes {
    fn of(known: &mut Known<'_>, step: &Assignment, slot: usize) -> Option<Sizes> {
        let tensor = step.operation.slots[slot];
        let mut sizes = |kind| {
            let row = known.row(tensor, kind);
            row.axes().map(|dim| dim.size()).collect::<Vec<u64>>()
        };
        let [batch, inputs, outputs] = [Kind::Batch, Kind::Input, Kind::Output].map(&mut sizes);
        inputs.is_empty().then(|| Sizes {
            batch: batch.len(),
            all: [batch, outputs].concat(),
        })
    }

    /// Returns the shape in a spec, with these names of the axes.
    fn named(&self, names: &[&str]) -> String {
        let (batch, outputs) = names.split_at(self.batch);
        match batch.is_empty() {
            true => outputs.join(", "),
            false => format!("{}|->{}", batch.join(", "), outputs.join(", ")),
        }
    }
}

/// Returns the message with the change, where each size occurs once in both shapes, so that there is one way only to
/// put the axes beside each other.
pub(crate) fn fixes(
    proposed: Proposed,
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
) -> Proposed {
    if step.logic != Family::Pointwise || step.operation.slots.len() != 3 {
        return proposed;
    }
    let [Some(first), Some(second)] = [1, 2].map(|slot| Sizes::of(known, step, slot)) else {
        return proposed;
    };
    let Some(names) = names_of_second(&first.all, &second.all) else {
        return proposed;
    };
    let own = first.named(&NAMES[..first.all.len()]);
    let spec = format!("{own}; {} => {own}", second.named(&names));
    let (mapped, edits) = text.mapped(step, &spec);
    let [one, other] = [1, 2].map(|slot| text.as_written(step, slot));
    let help =
        format!("`{other}` has the axes of `{one}` in another order; a spec turns it: {mapped}");
    proposed.or(help, edits)
}

/// Returns the names of the second operand's axes, where those of the first are named in order; `None` unless both have
/// the same sizes, each once, in another order.
fn names_of_second(first: &[u64], second: &[u64]) -> Option<Vec<&'static str>> {
    let is_once = |size: &u64| first.iter().filter(|other| *other == size).count() == 1;
    let is_turned = first != second && first.len() == second.len() && first.len() <= NAMES.len();
    if !is_turned || !first.iter().all(is_once) {
        return None;
    }
    let place = |size: &u64| first.iter().position(|other| other == size);
    let mut names: Vec<&str> = Vec::new();
    for size in second {
        names.push(NAMES[place(size)?]);
    }
    let is_each_once = NAMES[..first.len()].iter().all(|name| names.contains(name));
    is_each_once.then_some(names)
}
