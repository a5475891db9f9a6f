//! Fixes for two rows of which one lacks axes of the other, as the mean of each row lacks the axis that it is over. The
//! sizes are right then, and a spec says which axes pair.

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Family};
use lozenge_vocabulary::{DimTerm, RowTerm};

use super::proposed::Proposed;
use crate::diagnose::known::Known;
use crate::diagnose::words::text::Text;

/// Labels for axes that no spec of the program has named.
const LABELS: [&str; 12] = ["i", "j", "k", "m", "n", "p", "q", "r", "s", "t", "u", "v"];

/// Two operands of a pointwise operation, the first of which has all axes of a row and the second only some of them.
pub(crate) struct Lacking {
    /// The slots of the operand with all axes and of the other one.
    slots: [usize; 2],
    kind: Kind,
}

/// Returns the operands of a pointwise operation, if one of two rows consists of some of the other's axes, in their
/// order.
pub(crate) fn lacking(
    known: &Known<'_>,
    step: &Assignment,
    [left, right]: [usize; 2],
    kind: Kind,
) -> Option<Lacking> {
    let is_pointwise = step.logic == Family::Pointwise && left > 0 && right > 0;
    let rows = [left, right].map(|slot| known.row(step.operation.slots[slot], kind).flat());
    let slots = match rows[0].len() > rows[1].len() {
        true => [left, right],
        false => [right, left],
    };
    let [long, short] = slots.map(|slot| known.row(step.operation.slots[slot], kind).flat());
    let is_part = !short.is_empty() && short.len() < long.len();
    (is_pointwise && is_part && !placements(&long, &short).is_empty())
        .then_some(Lacking { slots, kind })
}

impl Lacking {
    /// Returns the message with the spec that pairs the axes, as a change where it is known which axes these are.
    pub(crate) fn fixes(
        &self,
        mut proposed: Proposed,
        known: &Known<'_>,
        text: Text<'_>,
        step: &Assignment,
    ) -> Proposed {
        let [long, short] = self.slots.map(|slot| text.name(step, slot));
        let kind = self.kind.word();
        let advice = format!(
            "`{short}` lacks an {kind} axis of `{long}`, and a spec says which axes pair, as in `map(a - b, \"i, j; i => i, j\")`"
        )
        .replace("an batch", "a batch");
        proposed.diagnostic = proposed.diagnostic.help(advice);
        let Some(spec) = self.spec(known, text, step) else {
            return proposed;
        };
        let (mapped, edits) = text.mapped(step, &spec);
        let help = format!("`{short}` lacks an axis of `{long}`; a spec says which pair: {mapped}");
        proposed.or(help, edits)
    }

    /// Returns the spec of the operation in which each axis of the one pairs with the axis of the other that is meant;
    /// `None` if that is not clear.
    fn spec(&self, known: &Known<'_>, text: Text<'_>, step: &Assignment) -> Option<String> {
        let slots = &step.operation.slots;
        let [long, short] = self.slots.map(|slot| slots[slot]);
        if slots.len() != 3 {
            return None;
        }
        let named = named(known, text, [long, short]);
        let mut free = LABELS.iter().map(|label| label.to_string());
        let mut shapes: [Vec<Vec<String>>; 3] = Default::default();
        for kind in Kind::ALL {
            let rows = [long, short].map(|tensor| known.row(tensor, kind).flat());
            let [all, some] = &rows;
            let is_longer = all.len() >= some.len();
            let (all, some) = if is_longer { (all, some) } else { (some, all) };
            let labels: Vec<String> = match &named {
                Some(named) => named.labels[kind as usize].clone(),
                None => free.by_ref().take(all.len()).collect(),
            };
            if labels.len() != all.len() {
                return None;
            }
            let kept = match &named {
                Some(named) => named.kept[kind as usize].clone(),
                None if some.is_empty() => Vec::new(),
                None => match &placements(all, some)[..] {
                    [only] => only.clone(),
                    _ => return None,
                },
            };
            let part: Vec<String> = kept.iter().map(|at| labels[*at].clone()).collect();
            let (of_long, of_short) = match is_longer {
                true => (labels.clone(), part),
                false => (part, labels.clone()),
            };
            shapes[0].push(of_long);
            shapes[1].push(of_short);
            shapes[2].push(labels);
        }
        if self.slots[0] > self.slots[1] {
            shapes.swap(0, 1);
        }
        let [one, other, result] = shapes.map(|rows| shape(&rows));
        Some(format!("{one}; {other} => {result}"))
    }
}

/// Returns a shape of a spec with these labels in its three rows.
fn shape(rows: &[Vec<String>]) -> String {
    let [batch, input, output] = [0, 1, 2].map(|at| rows[at].join(", "));
    match (batch.is_empty(), input.is_empty()) {
        (true, true) => output,
        (false, true) => format!("{batch}|->{output}"),
        (true, false) => format!("{input}->{output}"),
        (false, false) => format!("{batch}|{input}->{output}"),
    }
}

/// The labels of a tensor's axes in the three rows, and which of them another tensor has that is computed from it.
struct Named {
    labels: [Vec<String>; 3],
    kept: [Vec<usize>; 3],
}

/// Returns the labels that the spec of a reduction gives to the axes of a tensor, where `short` is made from its result
/// cell by cell.
fn named(known: &Known<'_>, text: Text<'_>, [long, short]: [TensorId; 2]) -> Option<Named> {
    let program = text.program;
    let mut from = vec![short];
    for step in program.steps.iter().rev() {
        let slots = &step.operation.slots;
        if !from.contains(&slots[0]) {
            continue;
        }
        if step.logic == Family::Pointwise {
            from.extend(&slots[1..]);
        } else if step.logic == Family::Einsum && slots.len() == 2 {
            let labels = labels_of(step, 1)?;
            let results = labels_of(step, 0)?;
            let fits = |tensor: TensorId, labels: &[Vec<String>; 3]| {
                Kind::ALL
                    .into_iter()
                    .all(|kind| known.row(tensor, kind).rank() == labels[kind as usize].len())
            };
            let mut kept: [Vec<usize>; 3] = Default::default();
            for kind in Kind::ALL {
                let own = &labels[kind as usize];
                let place = |label: &String| own.iter().position(|other| other == label);
                let places = results[kind as usize].iter().map(place);
                kept[kind as usize] = places.collect::<Option<_>>()?;
            }
            let is_read = fits(long, &labels) && fits(short, &results);
            return is_read.then_some(Named { labels, kept });
        }
    }
    None
}

/// Returns the labels of a slot of an operation with a spec; `None` if an axis is no label, or if one occurs twice.
fn labels_of(step: &Assignment, slot: usize) -> Option<[Vec<String>; 3]> {
    let mut rows: [Vec<String>; 3] = Default::default();
    for requirement in step.operation.requirements.iter() {
        let (row, kind): (&RowTerm, Kind) = match requirement {
            Requirement::Equal(Side::Template(row), Side::Slot(own, kind))
            | Requirement::Equal(Side::Slot(own, kind), Side::Template(row))
                if *own == slot =>
            {
                (row, *kind)
            }
            _ => continue,
        };
        if row.var.is_some() {
            return None;
        }
        for axis in row.axes() {
            let DimTerm::Var(var) = axis else { return None };
            let (label, rest) = var.name().split_once('\'')?;
            if rest.contains('\'') {
                return None;
            }
            rows[kind as usize].push(label.to_string());
        }
    }
    let mut all: Vec<&String> = rows.iter().flatten().collect();
    let count = all.len();
    all.sort();
    all.dedup();
    (all.len() == count).then_some(rows)
}

/// Returns the ways in which a row consists of some axes of another one, in their order: each as the places of these
/// axes. At most two are found, since more say no more.
fn placements(all: &[Dim], some: &[Dim]) -> Vec<Vec<usize>> {
    // The first places are those that are found from the front, the last those from the back; if they are the same
    // there is one way.
    let from_front = greedy(all.iter().enumerate(), some.iter());
    let from_back = greedy(all.iter().enumerate().rev(), some.iter().rev());
    match (from_front, from_back) {
        (Some(front), Some(mut back)) => {
            back.reverse();
            if front == back {
                vec![front]
            } else {
                vec![front, back]
            }
        }
        _ => Vec::new(),
    }
}

fn greedy<'d>(
    mut all: impl Iterator<Item = (usize, &'d Dim)>,
    some: impl Iterator<Item = &'d Dim>,
) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for dim in some {
        places.push(all.find(|(_, other)| *other == dim)?.0);
    }
    Some(places)
}
