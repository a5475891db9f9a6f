//! Operations and shapes, written as rows in the notation.

use std::collections::BTreeMap;

use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};

pub fn operation(slots: usize, requirements: Vec<Requirement>) -> Operation {
    Operation {
        slots: (0..slots).map(TensorId).collect(),
        requirements: requirements.into(),
        pins: BTreeMap::new(),
        region: Default::default(),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    }
}

pub fn output(row: &str) -> Shape<Row> {
    Shape {
        output: row.parse().unwrap(),
        ..Shape::default()
    }
}

pub fn template(row: &str) -> Side {
    Side::Template(row.parse().unwrap())
}

pub fn equal(slot: usize, row: &str) -> Requirement {
    match slot {
        0 => Requirement::Equal(Side::Slot(0, Kind::Output), template(row)),
        _ => Requirement::Equal(template(row), Side::Slot(slot, Kind::Output)),
    }
}

pub fn below(operand: usize) -> Requirement {
    Requirement::Below(
        Side::Slot(0, Kind::Output),
        Side::Slot(operand, Kind::Output),
    )
}
