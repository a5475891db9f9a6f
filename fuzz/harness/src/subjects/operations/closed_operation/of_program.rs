//! The operations of a whole program as closed operations: what each is made from are the values of a solution.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge::Shapes;
use lozenge_vocabulary::operation::{Operation, Requirement, Side};
use lozenge_vocabulary::program::Program;
use lozenge_vocabulary::{Constraint, Dim, DimTerm, DimVar, Factor, Ground, RowTerm, Var};

use super::ClosedOperation;

impl ClosedOperation {
    /// Returns an operation of a program whose constraints have this solution; `None` when the solution gives one of
    /// its variables no value. An operation whose value is known late states a shape that it does not read, and has no
    /// constraints of its own.
    pub fn of_program(
        program: &Program,
        number: usize,
        shapes: &Shapes,
        solution: &Ground,
    ) -> Option<ClosedOperation> {
        let step = &program.steps[number];
        let mut operation = step.operation.clone();
        if step.late.is_some() {
            operation.requirements = Arc::default();
        }
        leave_out_empty_parts(&mut operation, solution);
        let mut own = Own::default();
        own.name_constants(&mut operation);
        let vars = operation.requirements.iter().flat_map(variables);
        let pinned = operation.pins.keys().cloned().map(Var::Dim);
        for var in vars.chain(pinned) {
            match var {
                Var::Dim(var) if own.labels.contains_key(&var) => {}
                Var::Dim(var) => {
                    let value = solution.dims.get(&var)?.clone();
                    own.labels.insert(var, value);
                }
                Var::Row(var) => {
                    let value = solution.rows.get(&var)?.clone();
                    own.variables.insert(var, value);
                }
            }
        }
        Some(ClosedOperation {
            shapes: operation
                .slots
                .iter()
                .map(|id| shapes[id.0].clone())
                .collect(),
            operation,
            fits: true,
            labels: own.labels.into_iter().collect(),
            variables: own.variables.into_iter().collect(),
        })
    }
}

/// Leaves the parts out that have no cells: nothing but the places of the others counts them.
fn leave_out_empty_parts(operation: &mut Operation, solution: &Ground) {
    let is_empty =
        |part: &DimTerm| matches!(part, DimTerm::Var(var) if solution.zeros.contains(var));
    let mut region = operation.region().clone();
    for (number, requirement) in Arc::make_mut(&mut operation.requirements)
        .iter_mut()
        .enumerate()
    {
        let Requirement::Template(Constraint::Composite(composite)) = requirement else {
            continue;
        };
        if let Some(visited) = region.visited.get_mut(&number) {
            *visited -= composite.parts[..*visited]
                .iter()
                .filter(|part| is_empty(part))
                .count();
        }
        composite.parts.retain(|part| !is_empty(part));
    }
    operation.region = operation.region.is_some().then(|| region.into());
}

/// The variables of an operation's template with their values.
#[derive(Default)]
struct Own {
    labels: BTreeMap<DimVar, Dim>,
    variables: BTreeMap<lozenge_vocabulary::RowVar, lozenge_vocabulary::Row>,
}

impl Own {
    /// Puts a label with its value for each size that is written in a row or a sum: two axes of one size are two axes.
    fn name_constants(&mut self, operation: &mut Operation) {
        for requirement in Arc::make_mut(&mut operation.requirements) {
            match requirement {
                Requirement::Equal(left, right) | Requirement::Below(left, right) => {
                    self.side(left);
                    self.side(right);
                }
                Requirement::Template(
                    Constraint::RowEq(left, right) | Constraint::RowLe(left, right),
                ) => {
                    self.row(left);
                    self.row(right);
                }
                Requirement::Template(Constraint::DimLe(result, operand)) => {
                    self.term(result);
                    self.term(operand);
                }
                Requirement::Template(Constraint::Window(window)) => {
                    *window = window.map(|term| self.named(term));
                }
                Requirement::Template(Constraint::Composite(composite)) => {
                    *composite = composite.map(|term| self.named(term));
                }
                Requirement::Template(Constraint::Elements(elements)) => {
                    for factor in &mut elements.factors {
                        match factor {
                            Factor::Axis(axis) => *axis = self.named(axis),
                            Factor::Row(row) => self.row(row),
                        }
                    }
                    elements.whole = self.named(&elements.whole);
                }
                // A label with a stated size stays as it is.
                Requirement::Template(
                    Constraint::DimEq(..) | Constraint::AtLeast { .. } | Constraint::Flat(_),
                ) => {}
            }
        }
    }

    fn side(&mut self, side: &mut Side) {
        if let Side::Template(row) = side {
            self.row(row);
        }
    }

    fn row(&mut self, row: &mut RowTerm) {
        for term in row.leading.iter_mut().chain(&mut row.trailing) {
            self.term(term);
        }
    }

    fn term(&mut self, term: &mut DimTerm) {
        *term = self.named(term);
    }

    fn named(&mut self, term: &DimTerm) -> DimTerm {
        let DimTerm::Const(dim) = term else {
            return term.clone();
        };
        // No label of a spec begins so.
        let label = DimVar::new(&format!("_'{}", self.labels.len()));
        self.labels.insert(label.clone(), dim.clone());
        label.into()
    }
}

/// Returns the variables that a requirement mentions.
fn variables(requirement: &Requirement) -> Vec<Var> {
    let of_row = |side: &Side| match side {
        Side::Slot(..) => Vec::new(),
        Side::Template(row) => Constraint::RowEq(row.clone(), RowTerm::default()).occurrences(),
    };
    match requirement {
        Requirement::Equal(left, right) | Requirement::Below(left, right) => {
            [of_row(left), of_row(right)].concat()
        }
        Requirement::Template(constraint) => constraint.occurrences(),
    }
}
