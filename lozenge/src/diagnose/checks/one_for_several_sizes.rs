//! R3, as a warning: the uses of a parameter have different sizes at one axis, so that it has the unit `1_` there.
//!
//! Nothing contradicts it: the unit broadcasts to all of them (Def. 6.1 takes the join of what the uses ask for). But
//! `mse(f(x), t) + mse(f(x), u)` with targets of 2 and 4 outputs trains one number for each instance, where one of the
//! targets was meant to be as wide as the other.

use std::collections::BTreeMap;

use lozenge_lang::{Diagnostic, Severity};
use lozenge_vocabulary::DimTerm;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Program, Source, Span};

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;
use crate::infer::{Shapes, shape_text};

/// Returns the warning about the first such parameter of a program in which no unit is written.
pub(crate) fn check(text: Text<'_>, shapes: &Shapes) -> Option<Proposed> {
    let program = text.program;
    let (id, kind) = ids(program).find_map(|id| {
        let is_param = matches!(program[id].source, Source::Param(_));
        let kinds = [Kind::Input, Kind::Output].into_iter();
        let kind = kinds
            .filter(|kind| is_param && program[id].shape.row(*kind).var.is_some())
            .find(|kind| has_unit(shapes, id, *kind))?;
        Some((id, kind))
    })?;
    if writes_a_unit(program) {
        return None;
    }
    let uses = uses(program, shapes);
    let mut sizes = uses.iter();
    let (Some((one, first)), Some((other, second))) = (sizes.next(), sizes.next()) else {
        return None;
    };
    let name = &program[id].name;
    let headline = format!(
        "`{name}` has an {} axis `1_`: its uses have {one} and {other} there, and one number serves all",
        kind.word()
    );
    let shape = shape_text(&shapes[id.0]);
    let mut diagnostic = Diagnostic::new(
        program[id].span.clone(),
        headline,
        format!("`{name}` is `{shape}`"),
    )
    .other((*first).clone(), format!("it meets {one}"))
    .other((*second).clone(), format!("it meets {other}"))
    .help("write the size that is meant, or a parameter for each use");
    diagnostic.severity = Severity::Warning;
    Some(diagnostic.into())
}

fn has_unit(shapes: &Shapes, id: TensorId, kind: Kind) -> bool {
    shapes[id.0].row(kind).axes().any(|dim| *dim == Dim::Unit)
}

/// Tells whether a shape or a spec of the program has a unit.
fn writes_a_unit(program: &Program) -> bool {
    let is_unit = |term: &DimTerm| *term == DimTerm::Const(Dim::Unit);
    let in_shapes = ids(program).any(|id| {
        let rows = program[id].shape.rows();
        rows.iter().any(|row| row.axes().any(is_unit))
    });
    in_shapes
        || program.steps.iter().any(|step| {
            let mut requirements = step.operation.requirements.iter();
            requirements.any(|requirement| match requirement {
                Requirement::Equal(one, other) => [one, other].into_iter().any(|side| match side {
                    Side::Template(row) => row.axes().any(is_unit),
                    Side::Slot(..) => false,
                }),
                Requirement::Template(constraint) => {
                    matches!(constraint, lozenge_vocabulary::Constraint::DimEq(one, other) if is_unit(one) || is_unit(other))
                }
                _ => false,
            })
        })
}

/// Returns the sizes that meet a unit in pointwise operations, each with the first place.
fn uses<'p>(program: &'p Program, shapes: &Shapes) -> BTreeMap<u64, &'p Span> {
    let mut uses = BTreeMap::new();
    let steps = program.steps.iter();
    for step in steps.filter(|step| step.logic == Family::Pointwise && step.record.is_none()) {
        for size in meeting_units(step, shapes) {
            uses.entry(size).or_insert(&step.span);
        }
    }
    uses
}

/// Returns the sizes of outputs that face a unit of another operand.
fn meeting_units(step: &Assignment, shapes: &Shapes) -> Vec<u64> {
    let slots = step.operation.slots[1..].iter();
    let rows: Vec<Vec<Dim>> = slots.map(|id| shapes[id.0].output.flat()).collect();
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut sizes = Vec::new();
    for place in 1..=longest {
        let at = |row: &Vec<Dim>| row.len().checked_sub(place).map(|at| row[at].clone());
        let dims: Vec<Dim> = rows.iter().filter_map(at).collect();
        if dims.contains(&Dim::Unit) {
            sizes.extend(dims.iter().filter(|dim| **dim != Dim::Unit).map(Dim::size));
        }
    }
    sizes
}

fn ids(program: &Program) -> impl Iterator<Item = TensorId> {
    (0..program.tensors.len()).map(TensorId)
}
