//! The tensors that a section cuts into batches: data whose first axis has the label of the section, and tensors of the
//! lines above that are computed from it.
//!
//! Shapes are not inferred yet, so the batch axes of a tensor of the lines above are followed from the data through the
//! operations. Where that says nothing, the tensor is left whole, and its axis then meets that of the batch.

use hashbrown::HashMap;

use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Program};
use lozenge_vocabulary::{DimTerm, DimVar, RowTerm, RowVar};

/// The batch axes of a tensor as far as they are known: a flag for each, true for the axis that is cut. `None` if
/// nothing says how many there are.
type Axes = Option<Vec<bool>>;

/// Finds the tensors that operations of a program write whose first batch axis is the first axis of some data, with the
/// number of their batch axes.
pub(super) fn led_by(program: &Program, data: &[TensorId]) -> HashMap<TensorId, usize> {
    let mut known: HashMap<TensorId, Axes> = HashMap::new();
    for step in &program.steps {
        let target = step.operation.slots[0];
        let reads = |slot: usize| {
            let id = step.operation.slots[slot];
            let found = known.get(&id).cloned();
            found.unwrap_or_else(|| unwritten(program, data, id))
        };
        let axes = match step.logic {
            // An update, or a later region of the same statement, adds no axes.
            _ if known.contains_key(&target) => continue,
            Family::Fill => unwritten(program, data, target),
            Family::Einsum => by_spec(step, reads),
            Family::Pointwise | Family::Compose | Family::Transpose => {
                together((1..step.operation.slots.len()).map(reads))
            }
        };
        known.insert(target, axes);
    }
    let led = known.into_iter().filter_map(|(id, axes)| {
        let axes = axes?;
        (axes.first() == Some(&true)).then_some((id, axes.len()))
    });
    led.collect()
}

/// Determines the batch axes of a tensor that no operation has written. A leaf whose row is open adapts to what is
/// beside it.
fn unwritten(program: &Program, data: &[TensorId], id: TensorId) -> Axes {
    let row = &program[id].shape.batch;
    if row.var.is_some() {
        return Some(Vec::new());
    }
    // With a marker behind its axes a row pairs from the front.
    if !row.leading.is_empty() {
        return None;
    }
    let mut axes = vec![false; row.trailing.len()];
    if let Some(first) = axes.first_mut() {
        *first = data.contains(&id);
    }
    Some(axes)
}

/// Determines the batch axes of the result of operands that broadcast: they pair from the last.
fn together(operands: impl Iterator<Item = Axes>) -> Axes {
    let mut result: Vec<bool> = Vec::new();
    for operand in operands {
        let operand = operand?;
        if operand.len() > result.len() {
            let more = operand.len() - result.len();
            result.splice(0..0, std::iter::repeat_n(false, more));
        }
        for (axis, is_cut) in result.iter_mut().rev().zip(operand.iter().rev()) {
            *axis |= is_cut;
        }
    }
    Some(result)
}

/// Determines the batch axes of the result of a spec: each has a label that an operand has, or is made of several.
fn by_spec(step: &Assignment, reads: impl Fn(usize) -> Axes) -> Axes {
    let mut axes: HashMap<&DimVar, bool> = HashMap::new();
    let mut rows: HashMap<&RowVar, Vec<bool>> = HashMap::new();
    for slot in 1..step.operation.slots.len() {
        let operand = reads(slot)?;
        let row = template(step, slot)?;
        let (before, behind) = (row.leading.len(), row.trailing.len());
        let middle = operand.len().checked_sub(before + behind)?;
        if row.var.is_none() && middle > 0 {
            return None;
        }
        let (front, rest) = operand.split_at(before);
        let (inside, back) = rest.split_at(middle);
        let labels = row.leading.iter().chain(&row.trailing);
        for (label, is_cut) in labels.zip(front.iter().chain(back)) {
            if let DimTerm::Var(label) = label {
                *axes.entry(label).or_default() |= is_cut;
            }
        }
        if let Some(var) = &row.var {
            let known = rows.entry(var).or_insert_with(|| inside.to_vec());
            *known = together([Some(known.clone()), Some(inside.to_vec())].into_iter())?;
        }
    }
    let result = template(step, 0)?;
    let label = |label: &DimTerm| match label {
        DimTerm::Var(label) => axes.get(label).copied().unwrap_or(false),
        DimTerm::Const(_) => false,
    };
    let mut written: Vec<bool> = result.leading.iter().map(label).collect();
    if let Some(var) = &result.var {
        written.extend(rows.get(var)?);
    }
    written.extend(result.trailing.iter().map(label));
    Some(written)
}

/// Returns the batch row of a spec for a slot.
fn template(step: &Assignment, slot: usize) -> Option<&RowTerm> {
    let mut requirements = step.operation.requirements.iter();
    requirements.find_map(|requirement| match requirement {
        Requirement::Equal(Side::Slot(of, Kind::Batch), Side::Template(row))
        | Requirement::Equal(Side::Template(row), Side::Slot(of, Kind::Batch))
            if *of == slot =>
        {
            Some(row)
        }
        _ => None,
    })
}
