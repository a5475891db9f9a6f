//! Random einsums of two operands, with shapes that satisfy them.

use std::collections::{BTreeMap, BTreeSet};

use crate::machinery::{Effort, Finding, Witness};
use lozenge_spec::solve::{Options, solve};
use lozenge_testkit::random::Random;
use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::term::{DimVar, RowTerm, RowVar};

/// A random einsum of two operands over labels, each with an ellipsis, with the operands' shapes and the result's open
/// row.
pub(super) struct Example {
    pub op: Operation,
    operands: Vec<Row>,
    result: RowTerm,
}

/// Returns the labels of one operand, with its row and the requirement that relates the row to the labels.
fn operand(
    numbers: &mut Random,
    sizes: &[u64],
    middle: &[u64],
    slot: usize,
) -> (Vec<usize>, Row, Requirement) {
    let picks: Vec<usize> = (0..numbers.below(3)).map(|_| numbers.below(4)).collect();
    let ellipsis = slot == 1 || numbers.below(2) == 0;
    let (front, back) = picks.split_at(numbers.below(picks.len() + 1));
    let dims =
        |of: &[usize]| -> Vec<Dim> { of.iter().filter_map(|l| Dim::new(sizes[*l])).collect() };
    let inner: Vec<Dim> = middle
        .iter()
        .filter_map(|n| Dim::new(*n))
        .filter(|_| ellipsis)
        .collect();
    let row = Row::new(Vec::new(), [dims(front), inner, dims(back)].concat());
    let requirement = Requirement::Equal(
        Side::Template(spec(front, ellipsis, back)),
        Side::Slot(slot, Kind::Output),
    );
    (picks, row, requirement)
}

fn example(index: u64) -> Example {
    let mut numbers = Random::indexed(index);
    let labels = ["i", "j", "k", "l"];
    let sizes: Vec<u64> = labels.iter().map(|_| [1, 2, 3][numbers.below(3)]).collect();
    let middle: Vec<u64> = (0..numbers.below(3))
        .map(|_| [1, 2, 3][numbers.below(3)])
        .collect();
    let (mut operands, mut requirements, mut used) = (Vec::new(), Vec::new(), BTreeSet::new());
    for slot in 1..=2 {
        let (picks, row, requirement) = operand(&mut numbers, &sizes, &middle, slot);
        used.extend(picks);
        operands.push(row);
        requirements.push(requirement);
    }
    let kept: Vec<usize> = used
        .iter()
        .copied()
        .filter(|_| numbers.below(3) > 0)
        .collect();
    let summed: Vec<usize> = used.into_iter().filter(|l| !kept.contains(l)).collect();
    let (front, back) = kept.split_at(numbers.below(kept.len() + 1));
    requirements.push(Requirement::Equal(
        Side::Slot(0, Kind::Output),
        Side::Template(spec(front, true, back)),
    ));
    // Some labels that are summed over are sliced instead.
    let mut pins = BTreeMap::new();
    for label in summed {
        if numbers.below(4) == 0 {
            let at = numbers.below(sizes[label] as usize) as u64;
            pins.insert(DimVar::new(labels[label]), Index::Fix(at));
        }
    }
    let op = Operation {
        slots: (0..3).map(TensorId).collect(),
        requirements: requirements.into(),
        pins,
        region: Default::default(),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    };
    Example {
        op,
        operands,
        result: RowVar::new("result").into(),
    }
}

fn spec(front: &[usize], ellipsis: bool, back: &[usize]) -> RowTerm {
    let names = ["i", "j", "k", "l"];
    let terms = |of: &[usize]| of.iter().map(|l| DimVar::new(names[*l]).into()).collect();
    RowTerm {
        leading: terms(front),
        var: ellipsis.then(|| RowVar::new("e")),
        trailing: terms(back),
    }
}

impl Example {
    fn shapes(&self) -> Option<Vec<Shape<Row>>> {
        let output = |row: RowTerm| Shape {
            output: row,
            ..Shape::default()
        };
        let terms = |t: TensorId| {
            output(if t.0 == 0 {
                self.result.clone()
            } else {
                self.operands[t.0 - 1].clone().into()
            })
        };
        let set: ConstraintSet = self
            .op
            .constraints(terms)
            .expect("its own slots")
            .into_iter()
            .collect();
        let closed = solve(
            &set,
            &Options {
                close: true,
                traced: false,
                ..Options::default()
            },
        )
        .greatest()?;
        let result = closed.row(&self.result)?;
        let rows = std::iter::once(result).chain(self.operands.iter().cloned());
        Some(
            rows.map(|output| Shape {
                output,
                ..Shape::default()
            })
            .collect(),
        )
    }

    fn text(&self) -> String {
        let side = |side: &Side| match side {
            Side::Slot(0, _) => "<result>".to_string(),
            Side::Slot(slot, _) => self.operands[slot - 1].to_string(),
            Side::Template(row) => row.to_string(),
        };
        let line = |r: &Requirement| match r {
            Requirement::Equal(a, b) => format!("{} ~ {}", side(a), side(b)),
            Requirement::Below(a, b) => format!("{} <= {}", side(a), side(b)),
            Requirement::Template(c) => c.to_string(),
        };
        self.op
            .requirements
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

pub(super) fn each_example(
    effort: Effort,
    mut against: impl FnMut(&Example, &[Shape<Row>]) -> Option<&'static str>,
) -> Finding {
    let tried = if effort == Effort::Quick {
        2_000
    } else {
        20_000
    };
    let mut count = 0;
    for index in 0..tried {
        let example = example(index);
        let Some(shapes) = example.shapes() else {
            continue;
        };
        count += 1;
        if let Some(why) = against(&example, &shapes) {
            return Finding::sampled(
                "random einsums",
                count,
                Some(Witness {
                    text: example.text(),
                    why: why.into(),
                }),
            );
        }
    }
    let scope = format!(
        "{tried} random einsums of two operands with labels, ellipses and slices; {count} have shapes"
    );
    Finding::sampled(scope, count, None)
}
