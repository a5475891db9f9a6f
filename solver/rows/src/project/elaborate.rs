//! Def. 7.2: the equations of one operation, P1 to P6.
//!
//! Equalities come first: they lay the rows of the spec upon the rows of tensors, and so say what its variables stand
//! for. One whose row variable is unknown on both sides waits until another says what it stands for. Inequalities come
//! after them: which of P2 and P3 applies depends on the size of the operand's axis. Windows come last, when sizes are
//! known.

use std::collections::VecDeque;

use lozenge_vocabulary::operation::{Operation, Requirement, Side};
use lozenge_vocabulary::projection_language::AxisId;
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{Constraint, DimTerm, RowTerm, RowVar, Rule, Var};

use super::classes::{Classes, Conflict, Node, Reason};
use super::error::{ProjectionError, mentioning, undetermined};
use super::lines::{Line, Lines};
use super::windows::{self, Derived};

type Elaborated = Result<(), ProjectionError>;

/// One side of a requirement.
#[derive(Clone, Copy)]
enum Of<'o> {
    /// Its nodes are known.
    Known(Line),
    /// A row of the spec whose variable has this number and stands for nothing yet.
    Unknown(&'o RowTerm, &'o RowVar, usize),
}

struct Elaboration<'a> {
    lines: &'a mut Lines,
    classes: &'a mut Classes,
    /// For each row variable the equalities that wait for it.
    waiting: Vec<Vec<usize>>,
}

/// Puts the equations of every requirement into the classes, and gives back the indices that windows derive.
pub(crate) fn elaborate(
    operation: &Operation,
    lines: &mut Lines,
    classes: &mut Classes,
) -> Result<Vec<Derived>, ProjectionError> {
    let mut elaboration = Elaboration {
        lines,
        classes,
        waiting: Vec::new(),
    };
    elaboration.equalities(operation)?;
    elaboration.inequalities(operation)?;
    let derived = windows::derive(operation, elaboration.lines, elaboration.classes)?;
    if let Some(variable) = elaboration.lines.loose_label(elaboration.classes) {
        return Err(undetermined(operation, variable));
    }
    elaboration.pins(operation)?;
    // P6: every axis of a tensor that takes part is traversed, unless only its shape does.
    let mut node = 0;
    for (slot, sizes) in elaboration.lines.slots.iter().enumerate() {
        for _ in sizes {
            if !operation.region().unread.contains(&slot) {
                elaboration.classes.iterate(node);
            }
            node += 1;
        }
    }
    Ok(derived)
}

impl<'a> Elaboration<'a> {
    /// Applies P1 and P4.
    fn equalities(&mut self, operation: &Operation) -> Elaborated {
        let mut due: VecDeque<usize> = (0..operation.requirements.len()).collect();
        while let Some(requirement) = due.pop_front() {
            let (left, right) = match &operation.requirements[requirement] {
                Requirement::Equal(left, right) => (self.side(left)?, self.side(right)?),
                Requirement::Template(Constraint::RowEq(left, right)) => {
                    (self.template(left), self.template(right))
                }
                Requirement::Template(Constraint::DimEq(left, right)) => {
                    let reason = reason(Rule::P1, requirement);
                    let [left, right] = [left, right].map(|term| self.dim(term));
                    self.unite(left, right, reason)?;
                    continue;
                }
                Requirement::Below(..) | Requirement::Template(_) => continue,
            };
            match (left, right) {
                (Of::Known(left), Of::Known(right)) => self.p4(left, right, requirement)?,
                (Of::Unknown(row, _, var), Of::Known(line))
                | (Of::Known(line), Of::Unknown(row, _, var)) => {
                    self.lay_upon(row, var, line, requirement)?;
                    due.extend(
                        self.waiting
                            .get_mut(var)
                            .map(std::mem::take)
                            .unwrap_or_default(),
                    );
                    due.push_front(requirement);
                }
                (Of::Unknown(_, _, left), Of::Unknown(_, _, right)) => {
                    self.wait(left, requirement);
                    if left != right {
                        self.wait(right, requirement);
                    }
                }
            }
        }
        match self.lines.loose_row() {
            Some(variable) => Err(undetermined(operation, variable)),
            None => Ok(()),
        }
    }

    fn wait(&mut self, var: usize, requirement: usize) {
        if self.waiting.len() <= var {
            self.waiting.resize_with(var + 1, Vec::new);
        }
        self.waiting[var].push(requirement);
    }

    fn side<'o>(&mut self, side: &'o Side) -> Result<Of<'o>, ProjectionError> {
        Ok(match side {
            Side::Slot(slot, kind) => Of::Known(self.lines.slot(*slot, *kind)?),
            Side::Template(row) => self.template(row),
        })
    }

    fn template<'o>(&mut self, row: &'o RowTerm) -> Of<'o> {
        let Some(name) = &row.var else {
            return Of::Known(self.lines.spell(row, None, self.classes));
        };
        let var = self.lines.row_variable(name);
        match self.lines.values[var] {
            Some(value) => Of::Known(self.lines.spell(row, Some(value), self.classes)),
            None => Of::Unknown(row, name, var),
        }
    }

    fn dim(&mut self, term: &DimTerm) -> Node {
        self.lines.dim(term, self.classes)
    }

    /// Lets the variable of a row stand for what its flanks leave over of the row that it equals. Its marker is where
    /// that row's is, or else at the edge that is nearer to it (Def. 4.3(b)).
    fn lay_upon(
        &mut self,
        row: &RowTerm,
        var: usize,
        line: Line,
        requirement: usize,
    ) -> Elaborated {
        let (explicit, leading) = (row.explicit() as u32, row.leading.len() as u32);
        let Some(rank) = line.rank.checked_sub(explicit) else {
            return Err(ranks(requirement, explicit, line.rank));
        };
        let marker = line.leading.saturating_sub(leading).min(rank);
        self.lines.values[var] = Some(line.part(leading, rank, marker));
        Ok(())
    }

    /// Applies P4: equal rows share their indices axis by axis.
    fn p4(&mut self, left: Line, right: Line, requirement: usize) -> Elaborated {
        if left.rank != right.rank {
            return Err(ranks(requirement, left.rank, right.rank));
        }
        let reason = reason(Rule::P4, requirement);
        for axis in 0..left.rank {
            let (left, right) = (self.lines.node(left, axis), self.lines.node(right, axis));
            self.unite(left, right, reason)?;
        }
        Ok(())
    }

    /// Applies P2, P3 and P5.
    fn inequalities(&mut self, operation: &Operation) -> Elaborated {
        for (requirement, stated) in operation.requirements.iter().enumerate() {
            let (result, operand) = match stated {
                Requirement::Below(result, operand) => (self.side(result)?, self.side(operand)?),
                Requirement::Template(Constraint::RowLe(result, operand)) => {
                    (self.template(result), self.template(operand))
                }
                Requirement::Template(Constraint::DimLe(result, operand)) => {
                    let [result, operand] = [result, operand].map(|term| self.dim(term));
                    self.facing(result, operand, requirement, false)?;
                    continue;
                }
                Requirement::Equal(..) | Requirement::Template(_) => continue,
            };
            let (result, operand) = (known(result, requirement)?, known(operand, requirement)?);
            self.p5(result, operand, requirement)?;
        }
        Ok(())
    }

    /// Rows in order are aligned at their outer edges; the axes of the result in between face nothing.
    fn p5(&mut self, result: Line, operand: Line, requirement: usize) -> Elaborated {
        let trailing = operand.rank - operand.leading;
        if operand.leading > result.leading || trailing > result.rank - result.leading {
            return Err(ranks(requirement, result.rank, operand.rank));
        }
        for axis in 0..operand.rank {
            let from_back = if axis < operand.leading {
                0
            } else {
                result.rank - operand.rank
            };
            let upper = self.lines.node(operand, axis);
            let lower = self.lines.node(result, axis + from_back);
            self.facing(lower, upper, requirement, true)?;
        }
        for axis in operand.leading..result.rank - trailing {
            let surplus = self.lines.node(result, axis);
            self.classes.iterate(surplus);
        }
        Ok(())
    }

    /// Applies P2, which cuts an operand's axis of size 1 loose and reads it at 0, in a row with the result's axis
    /// traversed; P3 ties any other to the result's.
    fn facing(
        &mut self,
        result: Node,
        operand: Node,
        requirement: usize,
        in_row: bool,
    ) -> Elaborated {
        if self.classes.size(operand) != Some(1) {
            return self.unite(result, operand, reason(Rule::P3, requirement));
        }
        if in_row {
            self.classes.iterate(result);
        }
        let pinned = self
            .classes
            .pin(operand, &Index::Fix(0), reason(Rule::P2, requirement));
        pinned.map_err(|conflict| self.conflict(conflict, requirement))
    }

    fn unite(&mut self, left: Node, right: Node, reason: Reason) -> Elaborated {
        let united = self.classes.unite(left, right, reason);
        united.map_err(|conflict| self.conflict(conflict, reason.requirement as usize))
    }

    /// Adds the indices that are supplied from outside, each within its axis.
    fn pins(&mut self, operation: &Operation) -> Elaborated {
        for (label, index) in &operation.pins {
            let Some(node) = self.lines.label_node(label) else {
                continue;
            };
            let requirement = mentioning(operation, &Var::Dim(label.clone()));
            if let (Index::Fix(position), Some(size)) = (index, self.classes.size(node))
                && *position >= size
            {
                return Err(ProjectionError::Position {
                    position: *position,
                    size,
                    axis: self.first_axis(node),
                });
            }
            let pinned = self.classes.pin(node, index, reason(Rule::P1, requirement));
            pinned.map_err(|conflict| self.conflict(conflict, requirement))?;
        }
        Ok(())
    }

    /// Returns the first axis of a tensor in the class of a node.
    fn first_axis(&mut self, node: Node) -> Option<AxisId> {
        let root = self.classes.root(node);
        let mut axes = 0..self.lines.axis_count();
        let first = axes.find(|axis| self.classes.root(*axis) == root)?;
        self.lines.axis_of(first)
    }

    fn conflict(&mut self, conflict: Conflict, requirement: usize) -> ProjectionError {
        match conflict {
            Conflict::Sizes(p, m, q, n) => ProjectionError::Sizes {
                requirement,
                sizes: [m, n],
                axes: [self.first_axis(p), self.first_axis(q)],
            },
            Conflict::Pins(p, first, second) => ProjectionError::Pins {
                places: [first, second],
                axis: self.first_axis(p),
            },
        }
    }
}

fn reason(rule: Rule, requirement: usize) -> Reason {
    Reason {
        rule,
        requirement: requirement as u32,
    }
}

fn ranks(requirement: usize, left: u32, right: u32) -> ProjectionError {
    ProjectionError::Ranks {
        requirement,
        left: left as usize,
        right: right as usize,
    }
}

fn known(side: Of<'_>, requirement: usize) -> Result<Line, ProjectionError> {
    match side {
        Of::Known(line) => Ok(line),
        Of::Unknown(_, var, _) => Err(ProjectionError::Undetermined {
            variable: Var::Row(var.clone()),
            requirement,
        }),
    }
}
