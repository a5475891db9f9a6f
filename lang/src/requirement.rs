//! What each family of operations requires of the rows of its tensors (§10, the audit of `shape.ml`).

use std::collections::BTreeMap;

use lozenge_vocabulary::operation::{Kind, Requirement, Shape, Side};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{DimTerm, DimVar, RowTerm, RowVar};

use crate::syntax::{Axis, Spec, Template, TemplateRow};

fn below(result: (usize, Kind), operand: (usize, Kind)) -> Requirement {
    Requirement::Below(
        Side::Slot(result.0, result.1),
        Side::Slot(operand.0, operand.1),
    )
}

/// Row by row: the result below each operand.
pub(crate) fn pointwise(operands: usize) -> Vec<Requirement> {
    (1..=operands)
        .flat_map(|slot| Kind::ALL.map(|kind| below((0, kind), (slot, kind))))
        .collect()
}

/// `a * b`: the input of `a` is contracted against the output of `b`, as in the composition of functions.
pub(crate) fn compose() -> Vec<Requirement> {
    vec![
        below((0, Kind::Batch), (1, Kind::Batch)),
        below((0, Kind::Batch), (2, Kind::Batch)),
        below((0, Kind::Input), (2, Kind::Input)),
        below((0, Kind::Output), (1, Kind::Output)),
        below((1, Kind::Input), (2, Kind::Output)),
    ]
}

/// Input and output change places.
pub(crate) fn transpose() -> Vec<Requirement> {
    vec![
        below((0, Kind::Batch), (1, Kind::Batch)),
        below((0, Kind::Input), (1, Kind::Output)),
        below((0, Kind::Output), (1, Kind::Input)),
    ]
}

/// For each kind, the result equal to its template and each operand's template equal to the operand; with the
/// positions that the spec fixes. `number` tells the variables of this operation from those of others.
pub(crate) fn einsum(spec: &Spec, number: usize) -> (Vec<Requirement>, BTreeMap<DimVar, Index>) {
    let mut variables = Variables {
        number,
        pins: BTreeMap::new(),
    };
    let result = variables.template(&spec.result);
    let mut requirements: Vec<_> = Kind::ALL
        .map(|kind| {
            let template = Side::Template(result.row(kind).clone());
            Requirement::Equal(Side::Slot(0, kind), template)
        })
        .into();
    for (operand, template) in spec.operands.iter().enumerate() {
        let template = variables.template(template);
        requirements.extend(Kind::ALL.map(|kind| {
            let tensor = Side::Slot(operand + 1, kind);
            Requirement::Equal(Side::Template(template.row(kind).clone()), tensor)
        }));
    }
    (requirements, variables.pins)
}

/// The template variables of one operation. A label, which has no prime, becomes `label'number`.
struct Variables {
    number: usize,
    pins: BTreeMap<DimVar, Index>,
}

impl Variables {
    fn template(&mut self, template: &Template) -> Shape<RowTerm> {
        template.map(|_, row| self.row(row))
    }

    fn row(&mut self, row: &TemplateRow) -> RowTerm {
        let number = self.number;
        let var = row.variable.as_ref();
        RowTerm {
            leading: row.leading.iter().map(|axis| self.axis(axis)).collect(),
            var: var.map(|v| RowVar::new(&format!("{}'{number}", v.name))),
            trailing: row.trailing.iter().map(|axis| self.axis(axis)).collect(),
        }
    }

    fn axis(&mut self, axis: &Axis) -> DimTerm {
        let number = self.number;
        match axis {
            Axis::Label(label) => DimVar::new(&format!("{}'{number}", label.name)).into(),
            // Each fixed position is an axis of its own: two of them may differ in size.
            Axis::Fixed(position) => {
                let occurrence = self.pins.len() + 1;
                let var = DimVar::new(&format!("at_{position}'{number}'{occurrence}"));
                self.pins.insert(var.clone(), Index::Fix(*position));
                var.into()
            }
        }
    }
}
