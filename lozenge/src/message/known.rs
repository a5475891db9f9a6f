//! The shapes of a program, as far as some of its operations determine them.

use lozenge_solver::{Problem, Refusal, Solver};
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Origin, Program};
use lozenge_vocabulary::{Constraint, DimVar, Row, RowTerm, RowVar};

use crate::infer::value;

/// A program, some of whose operations have been asserted.
pub(crate) struct Known<'p> {
    pub program: &'p Program,
    solver: Solver,
    /// For each asserted constraint, its operation and its requirement.
    origins: Vec<(usize, usize)>,
    /// The operations that were asserted and not retracted.
    kept: Vec<usize>,
}

impl<'p> Known<'p> {
    /// The program with nothing asserted.
    pub(crate) fn new(program: &'p Program) -> Known<'p> {
        Known {
            program,
            solver: declared(program),
            origins: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Asserts an operation. If it contradicts those before, it is retracted.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) fn assert(&mut self, step: usize) -> Result<(), Box<Refusal>> {
        self.solver.snapshot();
        let before = self.origins.len();
        self.push(step);
        if self.solver.solve().is_ok() {
            self.solver.keep();
            self.kept.push(step);
            return Ok(());
        }
        self.solver.rollback();
        self.origins.truncate(before);
        // Solving operation by operation may make choices that solving all at once does not make.
        let mut whole = Known::new(self.program);
        whole.kept = self.kept.clone();
        whole.kept.push(step);
        for step in whole.kept.clone() {
            whole.push(step);
        }
        match whole.solver.solve() {
            Ok(()) => {
                *self = whole;
                Ok(())
            }
            Err(refusal) => Err(refusal),
        }
    }

    fn push(&mut self, step: usize) {
        for (requirement, constraint) in stated(self.program, step).iter().enumerate() {
            self.solver.add(constraint);
            self.origins.push((step, requirement));
        }
    }

    /// Solves the asserted constraints.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) fn solve(&mut self) -> Result<(), Box<Refusal>> {
        self.solver.solve()
    }

    /// Closes the asserted constraints.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) fn close(&mut self) -> Result<(), Box<Refusal>> {
        self.solver.close()
    }

    /// Asserts a constraint that belongs to no operation.
    pub(crate) fn assume(&mut self, constraint: &Constraint) {
        self.solver.add(constraint);
    }

    /// The same operations except one.
    pub(crate) fn without(mut self, step: usize) -> Known<'p> {
        self.kept.retain(|kept| *kept != step);
        let mut without = self.again(&[]);
        // It is a part of what was solved before.
        let _ = without.solver.solve();
        without
    }

    /// The program with every operation asserted.
    pub(crate) fn of_all(mut self) -> Known<'p> {
        self.kept = (0..self.program.steps.len()).collect();
        self.again(&[])
    }

    /// The same operations in a new solver, with assumptions.
    pub(crate) fn again(&self, assumed: &[Constraint]) -> Known<'p> {
        let mut again = Known::new(self.program);
        again.kept = self.kept.clone();
        for step in &self.kept {
            again.push(*step);
        }
        for constraint in assumed {
            again.assume(constraint);
        }
        again
    }

    /// How many constraints the asserted operations state.
    pub(crate) fn constraints(&self) -> usize {
        let steps = self.kept.iter().map(|step| &self.program.steps[*step]);
        steps.map(|step| step.operation.requirements.len()).sum()
    }

    /// The origins of the constraints behind a refusal: those of the asserted operations, then those of `step`.
    pub(crate) fn behind(&self, refusal: &Refusal, step: Option<usize>) -> Vec<Origin> {
        let last = step.map(|step| {
            let requirements = self.program.steps[step].operation.requirements.len();
            (0..requirements).map(move |requirement| (step, requirement))
        });
        let all: Vec<(usize, usize)> = self
            .kept
            .iter()
            .flat_map(|step| {
                let requirements = self.program.steps[*step].operation.requirements.len();
                (0..requirements).map(move |requirement| (*step, requirement))
            })
            .chain(last.into_iter().flatten())
            .collect();
        refusal
            .chain
            .iter()
            .filter_map(|cited| all.get(cited.index))
            .filter_map(|(step, requirement)| self.program.origin(*step, *requirement))
            .collect()
    }

    /// The greatest possible value of a row of a tensor.
    pub(crate) fn row(&self, tensor: TensorId, kind: Kind) -> Row {
        value(
            &self.solver.solution(),
            self.program[tensor].shape.row(kind),
        )
    }

    /// Whether a row can be longer than it is known to be.
    pub(crate) fn can_grow(&mut self, tensor: TensorId, kind: Kind) -> bool {
        let term = self.program[tensor].shape.row(kind).clone();
        if term.var.is_none() {
            return false;
        }
        let longer = RowTerm {
            leading: (0..=self.row(tensor, kind).rank())
                .map(|axis| DimVar::new(&format!("axis'{axis}")).into())
                .collect(),
            var: Some(RowVar::new("other'axes")),
            trailing: Vec::new(),
        };
        self.solver.snapshot();
        self.solver.add(&Constraint::RowEq(term, longer));
        let possible = self.solver.solve().is_ok();
        self.solver.rollback();
        possible
    }

    /// The known shape of a tensor, with `...` for the unknown part of a row.
    pub(crate) fn shape_text(&mut self, tensor: TensorId) -> String {
        let [batch, input, output] = Kind::ALL.map(|kind| {
            let row = self.row(tensor, kind);
            match row.rank() {
                0 if self.can_grow(tensor, kind) => "...".to_string(),
                _ => row_text(&row),
            }
        });
        match batch.is_empty() {
            true => format!("{input}->{output}"),
            false => format!("{batch}|{input}->{output}"),
        }
    }
}

/// The axes of a row with commas between them.
pub(crate) fn row_text(row: &Row) -> String {
    let text = row.to_string();
    text.trim_start_matches('[')
        .trim_end_matches(']')
        .to_string()
}

/// The constraints of an operation of a checked program.
pub(super) fn stated(program: &Program, step: usize) -> Vec<Constraint> {
    let operation = &program.steps[step].operation;
    let stated = operation.constraints(|id| program[id].shape.clone());
    stated.unwrap_or_default()
}

/// A solver with the tags of the program's variables and no constraints.
fn declared(program: &Program) -> Solver {
    let mut problem = Problem::new();
    for (var, tag) in program.tags() {
        // Each variable has one tag, so this cannot fail.
        let _ = problem.declare(&var, tag);
    }
    Solver::new(problem)
}
