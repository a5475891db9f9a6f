//! Def. 7.2: an operation's constraints, read again at closed shapes as projection equations, by P1 to P6.
//!
//! Sizes are global, but identities are local: every axis of every occurrence has its own identifier. The rules read
//! ground constraints, in which [`solve_locally`] has replaced the variables of the operation's template by axes.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::clash::Clash;
use crate::local_solve::{LocalSolution, Unsolved, solve_locally};
use crate::projection_solver::{self, Conflict, Solved};
use crate::windows;
use lozenge_vocabulary::alignment::{aligned, total};
use lozenge_vocabulary::constraint::Constraint::{self, DimEq, DimLe, RowEq, RowLe};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Operation, Shape, TensorId};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar, Var};

use Premise::{Requirement, TerminalAxis};

/// The reason for which an operation has no loop nest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProjectionError {
    /// The rows of a constraint do not align: the shapes do not satisfy the operation.
    #[error("requirement {requirement} of the operation does not hold of its shapes: {reason}")]
    Misaligned {
        /// The requirement, by its place in the operation.
        requirement: usize,
        /// The clash of the two rows.
        reason: Clash,
    },
    /// A template variable faces no axis of any tensor.
    #[error("requirement {requirement} of the operation leaves `{var}` without an axis")]
    Undetermined {
        /// The requirement, by its place in the operation.
        requirement: usize,
        /// A variable of its template.
        var: Var,
    },
    /// The sizes of a window, a concatenation or a product do not fit.
    #[error(
        "requirement {requirement} of the operation does not hold of its shapes: the sizes do not fit"
    )]
    Windows {
        /// The requirement, by its place in the operation.
        requirement: usize,
    },
    /// A requirement is about a slot that the operation does not have.
    #[error("the operation has a requirement about a slot that it does not have")]
    NoSlot,
    /// The local re-solve reached its limit on work.
    #[error("the operation is too large: its template was not solved within the limit on work")]
    Limit,
    /// A supplied index is outside of the axis (the side condition of Def. 7.2).
    #[error("index {index} is outside of slot {}'s axis {} of size {size}", axis.slot, axis.axis)]
    OutOfBounds {
        /// The axis.
        axis: AxisId,
        /// The index.
        index: u64,
        /// The axis's size.
        size: u64,
    },
    /// The equations conflict.
    #[error(transparent)]
    Conflict(#[from] Conflict),
}

/// The projection equations of one operation, each with the rule that gave it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Elaborated {
    /// The equations.
    pub equations: Vec<(Rule, Equation)>,
    /// The sizes of the axes, by slot; then those of the labels that stand on no axis.
    pub sizes: Vec<Vec<u64>>,
    /// The number of slots of the operation.
    pub slots: usize,
}

impl Elaborated {
    /// Returns the loop nest.
    ///
    /// # Errors
    /// The conflict, when the equations have one (Thm. 7.4).
    pub fn solve(&self) -> Result<Solved, Conflict> {
        let equations: Vec<Equation> = self.equations.iter().map(|(_, e)| e.clone()).collect();
        let mut solved = projection_solver::solve(&equations, &self.sizes)?;
        solved.projections.maps.truncate(self.slots);
        solved.projections.sizes.truncate(self.slots);
        Ok(solved)
    }
}

/// Reads an operation's constraints as projection equations, at the closed shapes of its tensors.
///
/// # Errors
/// When the shapes do not satisfy the operation, or a template variable faces no axis.
pub fn elaborate(
    op: &Operation,
    shape: impl Fn(TensorId) -> Shape<Row>,
) -> Result<Elaborated, ProjectionError> {
    let shapes: Vec<Shape<Row>> = op.slots.iter().map(|tensor| shape(*tensor)).collect();
    let sizes = |shape: &Shape<Row>| {
        let dims = shape.rows().into_iter().flat_map(Row::flat);
        dims.map(|dim| dim.size()).collect()
    };
    let sizes: Vec<Vec<u64>> = shapes.iter().map(sizes).collect();
    let local = solve_locally(op, &shapes)?;
    let axes = Axes(&local.axes);
    let mut equations = Vec::new();
    for (requirement, constraint) in local.constraints.iter().enumerate() {
        if constraint.is_of_sizes() {
            continue;
        }
        if let Some(stated) = local.on_no_axis(constraint) {
            stated.map_err(|reason| ProjectionError::Misaligned {
                requirement,
                reason,
            })?;
            continue;
        }
        if let Some(var) = axes.unknown(constraint) {
            return Err(ProjectionError::Undetermined { requirement, var });
        }
        axes.check(constraint)
            .map_err(|reason| ProjectionError::Misaligned {
                requirement,
                reason,
            })?;
        equations.extend(axes.read(&Premise::Requirement(constraint)));
    }
    let windows = windows::read(op, &local)?;
    equations.extend(windows.equations);
    for (label, index) in &op.pins {
        equations.extend(axes.pinned(&local, label, index)?);
    }
    // The axes of a slot that is used for its shape only are not terminal.
    let is_read = |slot: &usize| !op.region().unread.contains(slot);
    for (slot, sizes) in sizes.iter().enumerate().filter(|(slot, _)| is_read(slot)) {
        let ids = (0..sizes.len()).map(|axis| AxisId { slot, axis });
        equations.extend(ids.flat_map(|id| axes.read(&Premise::TerminalAxis(id))));
    }
    // P10   labels that stand on no axis have their own identifiers, numbered after those of the tensors
    let sizes = sizes.into_iter().chain([windows.virtual_sizes]);
    Ok(Elaborated {
        equations,
        sizes: sizes.collect(),
        slots: op.slots.len(),
    })
}

impl From<windows::Unread> for ProjectionError {
    fn from(unread: windows::Unread) -> ProjectionError {
        let requirement = unread.requirement;
        match unread.var {
            Some(var) => ProjectionError::Undetermined { requirement, var },
            None => ProjectionError::Windows { requirement },
        }
    }
}

impl From<Unsolved> for ProjectionError {
    fn from(unsolved: Unsolved) -> ProjectionError {
        match unsolved {
            Unsolved::Failed {
                requirement,
                failure,
            } => ProjectionError::Misaligned {
                requirement,
                reason: failure.clash,
            },
            Unsolved::NoSlot => ProjectionError::NoSlot,
            Unsolved::Limit => ProjectionError::Limit,
        }
    }
}

/// The input of a rule of Def. 7.2.
enum Premise<'a> {
    /// A ground constraint of Φ_op that holds.
    Requirement(&'a Constraint),
    /// An axis of a terminal tensor.
    TerminalAxis(AxisId),
}

/// The axes of an operation: the variable of each, its identifier and its dimension.
struct Axes<'a>(&'a BTreeMap<DimVar, (AxisId, Dim)>);

impl Axes<'_> {
    /// Applies the rules of Def. 7.2, each arm below its printed line.
    fn read(&self, premise: &Premise<'_>) -> Vec<(Rule, Equation)> {
        match premise {
            // P1. d₁ = d₂ ⇝ Eq(⟦d₁⟧, ⟦d₂⟧).
            Requirement(DimEq(a, b)) => self.eq(Rule::P1, a, b),
            // P2. d_res ⊑ d_op with sz(d_op) = 1 ⇝ Eq(⟦d_op⟧, Sol(Fix 0)) (sever and pin).
            Requirement(DimLe(_, operand)) if self.dim(operand).size() == 1 => {
                self.at(Rule::P2, operand, Index::Fix(0))
            }
            // P3. d_res ⊑ d_op otherwise ⇝ Eq(⟦d_res⟧, ⟦d_op⟧).
            Requirement(DimLe(result, operand)) => self.eq(Rule::P3, result, operand),
            // P4. R₁ ≈ R₂: outer-edge alignment; P1 per aligned pair (ranks match — shapes are closed and the equality
            // held).
            Requirement(RowEq(a, b)) => {
                let pairs = a.axes().zip(b.axes());
                let equal = |(a, b): (&DimTerm, &DimTerm)| DimEq(a.clone(), b.clone());
                pairs
                    .flat_map(|pair| self.read(&Requirement(&equal(pair))))
                    .collect()
            }
            // P5. R_res ⊑ R_op: outer-edge alignment; P2/P3 per aligned pair, with P2's severance applied row-wise
            // (result side of the pair ⇝ Iter, operand pinned); each surplus interior result axis ⇝ Iter(⟦·⟧).
            Requirement(RowLe(result, operand)) => {
                let rows = aligned(result.flanks(), operand.flanks());
                let pairs = rows.facing.into_iter().flat_map(|(low, high)| {
                    let is_severed = self.dim(high).size() == 1;
                    let severed = self.iter(Rule::P2, low).filter(|_| is_severed);
                    let below = DimLe(low.clone(), high.clone());
                    severed.into_iter().chain(self.read(&Requirement(&below)))
                });
                let surplus = rows.left.into_iter().flatten();
                let surplus = surplus.flat_map(|axis| self.iter(Rule::P5, axis));
                pairs.chain(surplus).collect()
            }
            // P6. each terminal axis ⇝ Iter(⟦·⟧).
            TerminalAxis(axis) => vec![(Rule::P6, Equation::Iter(Atom::Proj(*axis)))],
            // P7 to P9 read the constraints of sizes.
            Requirement(
                Constraint::Window(_)
                | Constraint::Composite(_)
                | Constraint::Elements(_)
                | Constraint::Flat(_)
                | Constraint::AtLeast { .. },
            ) => Vec::new(),
        }
    }

    /// Checks that a ground constraint holds, which the document assumes of all that the rules read.
    fn check(&self, constraint: &Constraint) -> Result<(), Clash> {
        match constraint {
            DimEq(a, b) => match (self.dim(a), self.dim(b)) {
                (a, b) if a != b => Err(Clash::Unequal(a.clone(), b.clone())),
                _ => Ok(()),
            },
            DimLe(low, high) => match (self.dim(low), self.dim(high)) {
                (low, high) if !low.below(high) => Err(Clash::not_below(low, high)),
                _ => Ok(()),
            },
            // The local re-solve has found that the ranks are equal.
            RowEq(a, b) => {
                let mut pairs = a.axes().zip(b.axes());
                pairs.try_for_each(|(a, b)| self.check(&DimEq(a.clone(), b.clone())))
            }
            RowLe(result, operand) => {
                let rows = aligned(result.flanks(), operand.flanks());
                if total(rows.right) > 0 {
                    return Err(Clash::short(result, operand));
                }
                let mut pairs = rows.facing.into_iter();
                pairs.try_for_each(|(low, high)| self.check(&DimLe(low.clone(), high.clone())))
            }
            Constraint::Window(_)
            | Constraint::Composite(_)
            | Constraint::Elements(_)
            | Constraint::Flat(_)
            | Constraint::AtLeast { .. } => Ok(()),
        }
    }

    /// Reads a label with a supplied index at that index: `label = Sol(idx)` by P1. The index must lie within the axis
    /// (the side condition of Def. 7.2).
    fn pinned(
        &self,
        local: &LocalSolution,
        label: &DimVar,
        index: &Index,
    ) -> Result<Vec<(Rule, Equation)>, ProjectionError> {
        let label = local.template.dim(&label.clone().into());
        match (&label, index) {
            (DimTerm::Var(var), Index::Fix(at))
                if self.0.get(var).is_some_and(|(_, dim)| *at >= dim.size()) =>
            {
                let (axis, dim) = &self.0[var];
                Err(ProjectionError::OutOfBounds {
                    axis: *axis,
                    index: *at,
                    size: dim.size(),
                })
            }
            _ => Ok(self.at(Rule::P1, &label, index.clone())),
        }
    }

    /// Returns a variable that no axis stands for.
    fn unknown(&self, constraint: &Constraint) -> Option<Var> {
        let known = |var: &Var| matches!(var, Var::Dim(var) if self.0.contains_key(var));
        constraint.occurrences().into_iter().find(|var| !known(var))
    }

    fn dim<'t>(&'t self, term: &'t DimTerm) -> &'t Dim {
        match term {
            DimTerm::Const(dim) => dim,
            DimTerm::Var(var) => &self.0[var].1,
        }
    }

    /// Returns `⟦d⟧`, or `None` for a size that a template states, which has no index.
    fn atom(&self, term: &DimTerm) -> Option<Atom> {
        match term {
            DimTerm::Const(_) => None,
            DimTerm::Var(var) => self.0.get(var).map(|(id, _)| Atom::Proj(*id)),
        }
    }

    fn eq(&self, rule: Rule, a: &DimTerm, b: &DimTerm) -> Vec<(Rule, Equation)> {
        let atoms = self.atom(a).zip(self.atom(b));
        atoms
            .map(|(a, b)| (rule, Equation::Eq(a, b)))
            .into_iter()
            .collect()
    }

    fn at(&self, rule: Rule, term: &DimTerm, index: Index) -> Vec<(Rule, Equation)> {
        let atom = self.atom(term);
        atom.map(|atom| (rule, Equation::Eq(atom, Atom::Sol(index))))
            .into_iter()
            .collect()
    }

    fn iter(&self, rule: Rule, term: &DimTerm) -> Option<(Rule, Equation)> {
        self.atom(term).map(|atom| (rule, Equation::Iter(atom)))
    }
}

/// Returns the kind of the row in which an axis of a shape lies, and its place in that row.
pub fn kind_of_axis(shape: &Shape<Row>, axis: usize) -> Option<(Kind, usize)> {
    let mut start = 0;
    for kind in Kind::ALL {
        let rank = shape.row(kind).rank();
        if axis < start + rank {
            return Some((kind, axis - start));
        }
        start += rank;
    }
    None
}
