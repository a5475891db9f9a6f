//! Drawing of an operation: its labels and row variables get values, and the shapes of its tensors follow.

use std::sync::Arc;

use arbitrary::{Result as Drawn, Unstructured};
use lozenge_vocabulary::operation::{Kind, Requirement, Shape, Side, TensorId};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, DimVar, Row, RowTerm, RowVar};

use super::ClosedOperation;
use super::windows::{self, is};

/// Draws an operation: a spec over up to 4 labels, 2 axes with windows and 2 row variables, or inequalities between
/// rows, or both. Occasionally a size or a position does not fit.
///
/// # Errors
/// Never for lack of bytes.
pub fn draw(u: &mut Unstructured<'_>) -> Drawn<ClosedOperation> {
    draw_sized(u, dim)
}

/// Draws the same with labels whose dimensions are drawn in this way.
///
/// # Errors
/// The errors of `dim`.
pub fn draw_sized(
    u: &mut Unstructured<'_>,
    dim: impl Fn(&mut Unstructured<'_>) -> Drawn<Dim>,
) -> Drawn<ClosedOperation> {
    let mut labels = Vec::new();
    for name in ["i", "j", "k", "l"] {
        labels.push((DimVar::new(&format!("{name}'1")), dim(u)?));
    }
    let windows = windows::draw(u, &mut labels)?;
    let mut variables = Vec::new();
    for name in ["r'1", "s'1"] {
        variables.push((RowVar::new(name), Row::new(dims(u, 2)?, dims(u, 2)?)));
    }
    let mut drawing = Drawing {
        made: ClosedOperation::without_slots(labels, variables),
        used: Vec::new(),
    };
    drawing.slots(u)?;
    drawing.between_labels(u)?;
    drawing.put(u, windows)?;
    drawing.shuffled(u)?;
    Ok(drawing.made)
}

fn dim(u: &mut Unstructured<'_>) -> Drawn<Dim> {
    Ok(match u.int_in_range(0..=5)? {
        0 => Dim::Unit,
        1 => Dim::new(1).unwrap_or(Dim::Unit),
        size => Dim::new(size % 3 + 2).unwrap_or(Dim::Unit),
    })
}

/// Returns a size that no value has.
fn odd() -> Dim {
    Dim::new(7).unwrap_or(Dim::Unit)
}

fn dims(u: &mut Unstructured<'_>, most: usize) -> Drawn<Vec<Dim>> {
    let count = u.int_in_range(0..=most)?;
    (0..count).map(|_| dim(u)).collect()
}

struct Drawing {
    made: ClosedOperation,
    /// The labels that stand on an axis of a tensor.
    used: Vec<usize>,
}

impl Drawing {
    fn slots(&mut self, u: &mut Unstructured<'_>) -> Drawn<()> {
        for slot in 0..u.int_in_range(1..=3)? {
            self.made.operation.slots.push(TensorId(slot));
            self.made.shapes.push(Shape::default());
            for kind in Kind::ALL {
                // Most operations are about one of the rows; the others are empty.
                if kind != Kind::Output && u.ratio(2, 3)? {
                    continue;
                }
                let row = match slot > 0 && u.ratio(2, 5)? {
                    true => self.below(u, slot, kind)?,
                    false => self.by_spec(u, slot, kind)?,
                };
                let shape = &mut self.made.shapes[slot];
                match kind {
                    Kind::Batch => shape.batch = row,
                    Kind::Input => shape.input = row,
                    Kind::Output => shape.output = row,
                }
            }
        }
        Ok(())
    }

    /// Draws a row equal to a row of the spec, its marker anywhere.
    fn by_spec(&mut self, u: &mut Unstructured<'_>, slot: usize, kind: Kind) -> Drawn<Row> {
        let (leading, trailing) = (self.flank(u)?, self.flank(u)?);
        let var = match u.int_in_range(0..=3)? {
            place @ 0..=1 => Some(place),
            _ => None,
        };
        let label = |at: &usize| DimTerm::Var(self.made.labels[*at].0.clone());
        let row = RowTerm {
            leading: leading.iter().map(label).collect(),
            var: var.map(|at| self.made.variables[at].0.clone()),
            trailing: trailing.iter().map(label).collect(),
        };
        let value = |at: &usize| self.made.labels[*at].1.clone();
        let mut flat: Vec<Dim> = leading.iter().map(value).collect();
        flat.extend(
            var.map(|at| self.made.variables[at].1.flat())
                .unwrap_or_default(),
        );
        flat.extend(trailing.iter().map(value));
        if !flat.is_empty() && u.ratio(1, 40)? {
            let at = u.int_in_range(0..=flat.len() - 1)?;
            flat[at] = odd();
            self.made.fits = false;
        }
        self.used.extend(leading.iter().chain(&trailing));
        self.fixed(u, slot, &leading)?;
        let (tensor, template) = (Side::Slot(slot, kind), Side::Template(row));
        let requirement = match u.arbitrary()? {
            true => Requirement::Equal(tensor, template),
            false => Requirement::Equal(template, tensor),
        };
        Arc::make_mut(&mut self.made.operation.requirements).push(requirement);
        let split = u.int_in_range(0..=flat.len())?;
        let trailing = flat.split_off(split);
        Ok(Row::new(flat, trailing))
    }

    fn flank(&self, u: &mut Unstructured<'_>) -> Drawn<Vec<usize>> {
        let count = u.int_in_range(0..=2)?;
        let last = self.made.labels.len() - 1;
        (0..count).map(|_| u.int_in_range(0..=last)).collect()
    }

    /// Fixes a label of an operand at a position, occasionally.
    fn fixed(&mut self, u: &mut Unstructured<'_>, slot: usize, flank: &[usize]) -> Drawn<()> {
        if let (1.., Some(at)) = (slot, flank.first())
            && u.ratio(1, 6)?
        {
            let (label, dim) = &self.made.labels[*at];
            let index = match u.int_in_range(0..=9)? {
                0 => Index::Symbol("step".into()),
                1 => Index::Fix(dim.size()),
                place => Index::Fix(place % dim.size()),
            };
            self.made.operation.pins.insert(label.clone(), index);
        }
        Ok(())
    }

    /// Draws a row above a row of the result: with fewer axes at the marker, and some of its axes units.
    fn below(&mut self, u: &mut Unstructured<'_>, slot: usize, kind: Kind) -> Drawn<Row> {
        let from = *u.choose(&Kind::ALL)?;
        let mut row = self.made.shapes[0].row(from).clone();
        row.leading.truncate(u.int_in_range(0..=row.leading.len())?);
        let dropped = u.int_in_range(0..=row.trailing.len())?;
        row.trailing.drain(..dropped);
        for axis in row.leading.iter_mut().chain(&mut row.trailing) {
            if u.ratio(1, 4)? {
                *axis = Dim::Unit;
            } else if u.ratio(1, 40)? {
                *axis = odd();
            }
        }
        let sides = (Side::Slot(0, from), Side::Slot(slot, kind));
        let requirement = Requirement::Below(sides.0, sides.1);
        Arc::make_mut(&mut self.made.operation.requirements).push(requirement);
        Ok(row)
    }

    /// Relates two labels that stand on axes, occasionally.
    fn between_labels(&mut self, u: &mut Unstructured<'_>) -> Drawn<()> {
        if self.used.is_empty() || !u.ratio(1, 4)? {
            return Ok(());
        }
        let (left, right) = (*u.choose(&self.used)?, *u.choose(&self.used)?);
        let label = |at: usize| DimTerm::Var(self.made.labels[at].0.clone());
        let value = |at: usize| &self.made.labels[at].1;
        let constraint = match value(left) == value(right) && u.arbitrary()? {
            true => Constraint::DimEq(label(left), label(right)),
            false if value(left).below(value(right)) => {
                Constraint::DimLe(label(left), label(right))
            }
            false => return Ok(()),
        };
        let requirement = Requirement::Template(constraint);
        Arc::make_mut(&mut self.made.operation.requirements).push(requirement);
        Ok(())
    }

    /// Adds the windows whose axis stands on an axis of a tensor. The sizes of most labels of windows are stated, even
    /// of those that stand on axes; a size that is not stated may follow from the window.
    fn put(&mut self, u: &mut Unstructured<'_>, windows: Vec<Window>) -> Drawn<()> {
        for window in windows {
            let used = |term: &DimTerm| {
                let labels = &self.made.labels;
                self.used.iter().any(|at| is(term, &labels[*at].0))
            };
            if !used(&window.axis) {
                continue;
            }
            let mut stated = Vec::new();
            for (_, term) in window.terms() {
                if !used(term) || u.ratio(1, 4)? {
                    let mut labels = self.made.labels.iter();
                    let dim = labels.find(|(label, _)| is(term, label));
                    let dim = dim.map_or(Dim::Unit, |(_, dim)| dim.clone());
                    let stated_size = Constraint::DimEq(term.clone(), dim.into());
                    stated.push(Requirement::Template(stated_size));
                }
            }
            // An exact window determines the size of one of its labels.
            if window.mode == Mode::Exact && stated.len() == 1 && u.arbitrary()? {
                stated.clear();
            }
            let requirements = Arc::make_mut(&mut self.made.operation.requirements);
            requirements.extend(stated);
            requirements.push(Requirement::Template(Constraint::Window(window)));
        }
        Ok(())
    }

    fn shuffled(&mut self, u: &mut Unstructured<'_>) -> Drawn<()> {
        let requirements = Arc::make_mut(&mut self.made.operation.requirements);
        for last in (1..requirements.len()).rev() {
            let other = u.int_in_range(0..=last)?;
            requirements.swap(last, other);
        }
        Ok(())
    }
}
