//! Random operations with closed shapes, and their index maps found in three independent ways: by the solver, by the
//! transcribed rules, and by Def. 7.2 from the values with which the operation was generated.
//!
//! An operation is generated from values: each label of its spec has a size and each row variable a row, and the shapes
//! of its tensors follow. The third way uses these values, so it has nothing to solve: for every requirement it writes
//! down the equations of P1 to P6, with a separate axis for each label and for each axis of a row variable, and passes
//! them to the naive closure.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge_solver::project::Projector;
use lozenge_spec::elaboration::elaborate;
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::projections::{Index, Projections};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, DimVar, Row, RowTerm, RowVar};

use crate::subjects::systems::closure::{AXES, close};
use lozenge_testkit::system::System;

mod drawing;
mod of_program;
mod sums;
mod windows;

pub use drawing::{draw, draw_sized};
use sums::sums;
use windows::is;

/// An operation with the shapes of its tensors, and the values from which it was generated.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedOperation {
    /// The operation; its tensor in slot n is tensor n.
    pub operation: Operation,
    /// The shape of each slot.
    pub shapes: Vec<Shape<Row>>,
    /// True if the shapes are those that follow from the values. If an axis was changed afterwards, the third way does
    /// not apply.
    pub(super) fits: bool,
    /// The value of each label.
    pub(super) labels: Vec<(DimVar, Dim)>,
    /// The value of each row variable.
    pub(super) variables: Vec<(RowVar, Row)>,
}

/// The index maps found in one way, or the reason why there are none.
pub type Found = Result<Projections, String>;

/// The results of the three ways on one operation.
#[derive(Clone, Debug)]
pub enum Compared {
    /// All find these index maps.
    Solved(Projections),
    /// All find that there are none.
    Refused,
    /// The shapes do not satisfy the operation, because an axis of size 7 is not below the atom of size 1. The rules
    /// refuse that. The solver expects inferred shapes and reads only their sizes, which alone would be in order.
    OtherBasis,
    /// They differ. The text has the operation and the three results.
    Differ(String),
}

/// Returns the smallest witness of [`Compared::OtherBasis`]: an axis of size 7 would have to be below the atom of size
/// 1.
pub fn of_another_basis() -> ClosedOperation {
    let output = |size: u64| Shape {
        output: Row::new(Dim::new(size).into_iter().collect(), Vec::new()),
        ..Shape::default()
    };
    let [result, operand] = [0, 1].map(|slot| Side::Slot(slot, Kind::Output));
    ClosedOperation {
        operation: Operation {
            slots: vec![TensorId(0), TensorId(1)],
            requirements: Arc::new(vec![Requirement::Below(result, operand)]),
            pins: BTreeMap::new(),
            region: Default::default(),
            accumulator: Accumulator {
                erase: true,
                combine: Combine::Add,
            },
            function: Function::Identity,
        },
        shapes: vec![output(7), output(1)],
        fits: false,
        labels: Vec::new(),
        variables: Vec::new(),
    }
}

impl ClosedOperation {
    /// Returns a product that is summed, with these values and without a slot.
    pub(super) fn without_slots(
        labels: Vec<(DimVar, Dim)>,
        variables: Vec<(RowVar, Row)>,
    ) -> ClosedOperation {
        ClosedOperation {
            operation: Operation {
                slots: Vec::new(),
                requirements: Arc::default(),
                pins: BTreeMap::new(),
                region: Default::default(),
                accumulator: Accumulator {
                    erase: true,
                    combine: Combine::Add,
                },
                function: Function::Multiply,
            },
            shapes: Vec::new(),
            fits: true,
            labels,
            variables,
        }
    }

    /// Computes them by the production solver. The projector is reused from one operation to the next.
    pub fn by_solver(&self, projector: &mut Projector) -> Found {
        let found = projector.project(&self.operation, |tensor| &self.shapes[tensor.0]);
        found.map_err(|error| error.to_string())
    }

    /// Computes them by the transcribed rules.
    pub fn by_rules(&self) -> Found {
        elaborate(&self.operation, |tensor| self.shapes[tensor.0].clone())
            .and_then(|elaborated| Ok(elaborated.solve()?.projections))
            .map_err(|error| error.to_string())
    }

    /// Computes them by Def. 7.2 on the values and the naive closure. `None` when a shape does not follow from the
    /// values, or for more axes than the closure's table has.
    pub fn by_values(&self) -> Option<Found> {
        let axes = Reading::new(self).system.axes().count();
        (self.fits && axes <= AXES).then(|| self.read())
    }

    /// Compares the three ways.
    pub fn compared(&self, projector: &mut Projector) -> Compared {
        let (solver, rules) = (self.by_solver(projector), self.by_rules());
        let values = self.by_values();
        let same = |way: &Found| match (&solver, way) {
            (Ok(found), Ok(other)) => found == other,
            (Err(_), Err(_)) => true,
            _ => false,
        };
        match &solver {
            Ok(_) if rules.is_err() && !self.fits => Compared::OtherBasis,
            _ if ![Some(&rules), values.as_ref()]
                .into_iter()
                .flatten()
                .all(same) =>
            {
                Compared::Differ(format!("{self}{solver:?}\n{rules:?}\n{values:?}"))
            }
            Ok(found) => Compared::Solved(found.clone()),
            Err(_) => Compared::Refused,
        }
    }

    fn read(&self) -> Found {
        let mut reading = Reading::new(self);
        for requirement in self.operation.requirements.iter() {
            reading.requirement(requirement)?;
        }
        for (label, index) in &self.operation.pins {
            reading.pin(label, index)?;
        }
        reading.sums();
        let slots = self.shapes.len();
        for (slot, sizes) in reading.system.sizes[..slots].iter().enumerate() {
            if self.operation.region().unread.contains(&slot) {
                continue;
            }
            let axes =
                (0..sizes.len()).map(|axis| Equation::Iter(Atom::Proj(AxisId { slot, axis })));
            reading.system.equations.extend(axes);
        }
        let mut found = close(&reading.system)?;
        found.maps.truncate(slots);
        found.sizes.truncate(slots);
        // A loop over an axis that only the spec has is not a loop of the operation, unless a window reads it. It was
        // numbered last.
        let mentioned = |factor: &usize| found.maps.iter().any(|map| map.mentions(*factor));
        let count = (0..found.factors.len()).filter(mentioned).count();
        found.factors.truncate(count);
        Ok(found)
    }
}

/// An axis with its size.
type Sized = (AxisId, u64);

/// A row as its axes before and after the marker.
type Axes = (Vec<Sized>, Vec<Sized>);

/// Returns the sizes of the axes of a row.
fn flat(row: &Row) -> Vec<u64> {
    row.flat().iter().map(Dim::size).collect()
}

/// The equations of an operation, derived from its values.
struct Reading<'a> {
    of: &'a ClosedOperation,
    /// The slots, then one with the labels as sums mention them, one with the labels, then one for each row variable.
    system: System,
}

impl<'a> Reading<'a> {
    fn new(of: &'a ClosedOperation) -> Reading<'a> {
        let slots = of
            .shapes
            .iter()
            .map(|shape| shape.rows().map(flat).concat());
        let in_sums = sums(&of.operation, &SizesOf(of)).into_iter();
        let in_sums = in_sums.flat_map(|summed| summed.terms.into_iter().map(|(_, size)| size));
        let in_sums = in_sums.collect();
        let labels = of.labels.iter().map(|(_, dim)| dim.size()).collect();
        let variables = of.variables.iter().map(|(_, row)| flat(row));
        Reading {
            system: System {
                sizes: slots.chain([in_sums, labels]).chain(variables).collect(),
                equations: Vec::new(),
            },
            of,
        }
    }

    fn sized(&self, slot: usize, axis: usize) -> Sized {
        (AxisId { slot, axis }, self.system.sizes[slot][axis])
    }

    fn slot(&self, slot: usize, kind: Kind) -> Axes {
        let shape = &self.of.shapes[slot];
        let before = Kind::ALL.into_iter().take_while(|other| *other != kind);
        let before: usize = before.map(|kind| shape.row(kind).rank()).sum();
        let row = shape.row(kind);
        let leading = before..before + row.leading.len();
        let trailing = leading.end..before + row.rank();
        let axes =
            |range: std::ops::Range<usize>| range.map(|axis| self.sized(slot, axis)).collect();
        (axes(leading), axes(trailing))
    }

    fn label(&self, term: &DimTerm) -> Sized {
        let slot = self.of.shapes.len() + 1;
        let place = self
            .of
            .labels
            .iter()
            .position(|(label, _)| *term == DimTerm::Var(label.clone()));
        self.sized(slot, place.expect("a label of the operation"))
    }

    fn template(&self, row: &RowTerm) -> Axes {
        let mut leading: Vec<Sized> = row.leading.iter().map(|term| self.label(term)).collect();
        let mut trailing: Vec<Sized> = Vec::new();
        if let Some(var) = &row.var {
            let mut variables = self.of.variables.iter();
            let place = variables
                .position(|(own, _)| own == var)
                .expect("a variable");
            let (slot, value) = (
                self.of.shapes.len() + 2 + place,
                &self.of.variables[place].1,
            );
            let split = value.leading.len();
            leading.extend((0..split).map(|axis| self.sized(slot, axis)));
            trailing.extend((split..value.rank()).map(|axis| self.sized(slot, axis)));
        }
        trailing.extend(row.trailing.iter().map(|term| self.label(term)));
        (leading, trailing)
    }

    fn side(&self, side: &Side) -> Axes {
        match side {
            Side::Slot(slot, kind) => self.slot(*slot, *kind),
            Side::Template(row) => self.template(row),
        }
    }

    fn requirement(&mut self, requirement: &Requirement) -> Result<(), String> {
        match requirement {
            Requirement::Equal(left, right) => {
                let (left, right) = (self.side(left), self.side(right));
                self.same(left, right)?;
            }
            Requirement::Template(Constraint::RowEq(left, right)) => {
                let (left, right) = (self.template(left), self.template(right));
                self.same(left, right)?;
            }
            Requirement::Template(Constraint::RowLe(result, operand)) => {
                let (result, operand) = (self.template(result), self.template(operand));
                self.below(result, operand)?;
            }
            Requirement::Below(result, operand) => {
                let (result, operand) = (self.side(result), self.side(operand));
                self.below(result, operand)?;
            }
            // A size that is stated is the one that the label has.
            Requirement::Template(
                Constraint::DimEq(_, DimTerm::Const(_)) | Constraint::DimEq(DimTerm::Const(_), _),
            ) => {}
            // Requirements on sums are read elsewhere, and a least size says nothing of indices.
            Requirement::Template(
                Constraint::Window(_)
                | Constraint::Composite(_)
                | Constraint::Elements(_)
                | Constraint::Flat(_)
                | Constraint::AtLeast { .. },
            ) => {}
            Requirement::Template(Constraint::DimEq(left, right)) => {
                let ((left, _), (right, _)) = (self.label(left), self.label(right));
                self.equal(left, right);
            }
            Requirement::Template(Constraint::DimLe(result, operand)) => {
                let (result, (operand, size)) = (self.label(result), self.label(operand));
                match size {
                    1 => self.at(operand, &Index::Fix(0)),
                    _ => self.equal(result.0, operand),
                }
            }
        }
        Ok(())
    }

    fn same(&mut self, left: Axes, right: Axes) -> Result<(), String> {
        let [left, right] = [left, right].map(|(leading, trailing)| [leading, trailing].concat());
        if left.len() != right.len() {
            return Err("equal rows of different ranks".into());
        }
        for ((left, _), (right, _)) in left.into_iter().zip(right) {
            self.equal(left, right);
        }
        Ok(())
    }

    /// Returns the index of each axis that is a sum of others.
    fn sums(&mut self) {
        let slot = self.of.shapes.len();
        let mut mentioned = 0;
        for summed in sums(&self.of.operation, &*self) {
            let mut terms = Vec::new();
            for (coefficient, (term, _)) in &summed.terms {
                let id = AxisId {
                    slot,
                    axis: mentioned,
                };
                mentioned += 1;
                self.equal(id, *term);
                self.system.equations.push(Equation::Iter(Atom::Proj(id)));
                terms.push((*coefficient, id));
            }
            let sum = Sum {
                terms,
                offset: summed.offset,
            };
            let derived = Equation::Derive(summed.axis.0, sum);
            self.system.equations.push(derived);
        }
    }

    fn below(&mut self, result: Axes, operand: Axes) -> Result<(), String> {
        let (leads, trails) = (operand.0.len(), operand.1.len());
        if leads > result.0.len() || trails > result.1.len() {
            return Err("a flank of the operand is longer".into());
        }
        let surplus = result.1.len() - trails;
        let inner = result.0[leads..].iter().chain(&result.1[..surplus]);
        let inner: Vec<Sized> = inner.copied().collect();
        let facing = result.0.into_iter().zip(operand.0);
        let facing = facing.chain(result.1.into_iter().skip(surplus).zip(operand.1));
        for ((lower, _), (upper, size)) in facing.collect::<Vec<_>>() {
            match size {
                1 => {
                    self.system
                        .equations
                        .push(Equation::Iter(Atom::Proj(lower)));
                    self.at(upper, &Index::Fix(0));
                }
                _ => self.equal(lower, upper),
            }
        }
        let iterated = inner
            .into_iter()
            .map(|(axis, _)| Equation::Iter(Atom::Proj(axis)));
        self.system.equations.extend(iterated);
        Ok(())
    }

    fn pin(&mut self, label: &DimVar, index: &Index) -> Result<(), String> {
        let (axis, size) = self.label(&DimTerm::Var(label.clone()));
        if matches!(index, Index::Fix(position) if *position >= size) {
            return Err("a position beyond its axis".into());
        }
        self.at(axis, index);
        Ok(())
    }

    fn equal(&mut self, left: AxisId, right: AxisId) {
        let equation = Equation::Eq(Atom::Proj(left), Atom::Proj(right));
        self.system.equations.push(equation);
    }

    fn at(&mut self, axis: AxisId, index: &Index) {
        let equation = Equation::Eq(Atom::Proj(axis), Atom::Sol(index.clone()));
        self.system.equations.push(equation);
    }
}

/// The axes of sums by their places in the system.
impl sums::Axes<Sized> for Reading<'_> {
    fn axis(&self, term: &DimTerm) -> Sized {
        self.label(term)
    }

    fn row(&self, row: &RowTerm) -> Vec<Sized> {
        let (leading, trailing) = self.template(row);
        [leading, trailing].concat()
    }

    fn size(&self, axis: &Sized) -> u64 {
        axis.1
    }
}

/// The axes of sums by their sizes.
struct SizesOf<'a>(&'a ClosedOperation);

impl sums::Axes<u64> for SizesOf<'_> {
    fn axis(&self, term: &DimTerm) -> u64 {
        let mut labels = self.0.labels.iter();
        let dim = labels.find(|(label, _)| is(term, label));
        dim.map_or(1, |(_, dim)| dim.size())
    }

    fn row(&self, row: &RowTerm) -> Vec<u64> {
        let variables = self.0.variables.iter();
        let inner = variables.filter(|(var, _)| row.var.as_ref() == Some(var));
        let inner = inner.flat_map(|(_, row)| flat(row));
        let [leading, trailing] = [&row.leading, &row.trailing].map(|axes| {
            axes.iter()
                .map(|term| self.axis(term))
                .collect::<Vec<u64>>()
        });
        leading.into_iter().chain(inner).chain(trailing).collect()
    }

    fn size(&self, axis: &u64) -> u64 {
        *axis
    }
}
