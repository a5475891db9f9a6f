//! The shapes of a program, as far as some of its operations determine them.

pub(crate) mod composite_axes;
pub(crate) mod mismatch;
pub(crate) mod reach;

use lozenge_solver::{Problem, Refusal, Solver};
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Origin, Program};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, DimVar, Row, RowTerm, RowVar};

use crate::diagnose::words::axes::row_text;
use crate::infer::value;

/// A program, some of whose operations have been asserted.
pub(crate) struct Known<'p> {
    pub program: &'p Program,
    solver: Solver,
    /// The operation and the requirement of each asserted constraint.
    origins: Vec<(usize, usize)>,
    /// The operations that were asserted and not retracted.
    kept: Vec<Kept>,
}

/// Requirements of an operation that are asserted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub step: usize,
    pub part: Part,
}

/// A part of the requirements of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The operation's own requirements, without the shapes that are written for its tensors.
    Own,
    /// The operation's own requirements on batch rows alone, because the others contradict something.
    Batches,
    /// The requirements of the written shape that begins with this one.
    Written(usize),
}

impl Kept {
    /// Returns the requirements that are asserted, by their numbers in the operation.
    pub(crate) fn requirements(self, program: &Program) -> impl Iterator<Item = usize> + '_ {
        let all = &program.steps[self.step].operation.requirements;
        // An operation may have as many written shapes as the program has lines, so that each looks at its own
        // requirements only.
        let candidates = match self.part {
            Part::Own | Part::Batches => 0..all.len(),
            Part::Written(first) => program
                .check_of(self.step, first)
                .map_or(0..0, |check| check.requirements.clone()),
        };
        candidates.filter(move |number| match self.part {
            Part::Own => program.check_of(self.step, *number).is_none(),
            Part::Batches => is_on_batches(&all[*number]),
            Part::Written(_) => true,
        })
    }

    /// Returns an operation without the shapes that are written for its tensors.
    pub(crate) fn own(step: usize) -> Kept {
        Kept {
            step,
            part: Part::Own,
        }
    }

    /// Returns the requirements of an operation on batch rows.
    pub(crate) fn batches(step: usize) -> Kept {
        Kept {
            step,
            part: Part::Batches,
        }
    }

    /// Returns the shapes that are written for tensors of an operation.
    pub(crate) fn written(program: &Program, step: usize) -> impl Iterator<Item = Kept> + '_ {
        let checks = program.checks.range((step, 0)..(step + 1, 0));
        checks.map(move |((_, first), _)| Kept {
            step,
            part: Part::Written(*first),
        })
    }
}

/// Tells whether a requirement is on batch rows of tensors.
pub(crate) fn is_on_batches(requirement: &Requirement) -> bool {
    match requirement {
        Requirement::Equal(left, right) | Requirement::Below(left, right) => {
            let of_batch = |side: &Side| matches!(side, Side::Slot(_, Kind::Batch));
            of_batch(left) && of_batch(right)
        }
        Requirement::Template(_) => false,
    }
}

impl<'p> Known<'p> {
    /// Returns the program with nothing asserted.
    pub(crate) fn new(program: &'p Program) -> Known<'p> {
        Known {
            program,
            solver: declared(program),
            origins: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Asserts requirements. If they contradict those before, they are retracted.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) fn assert(&mut self, kept: Kept) -> Result<(), Box<Refusal>> {
        self.solver.snapshot();
        let before = self.origins.len();
        self.push(kept);
        if self.solver.solve_so_far().is_ok() {
            self.solver.keep();
            self.kept.push(kept);
            return Ok(());
        }
        self.solver.rollback();
        self.origins.truncate(before);
        // Solving operation by operation may make choices that solving all at once does not make.
        let mut whole = Known::new(self.program);
        whole.kept = self.kept.clone();
        whole.kept.push(kept);
        for kept in whole.kept.clone() {
            whole.push(kept);
        }
        match whole.solver.solve_so_far() {
            Ok(()) => {
                *self = whole;
                Ok(())
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Asserts the requirements of an operation on batch rows, if they contradict nothing.
    pub(crate) fn assert_batches(&mut self, step: usize) -> bool {
        let kept = Kept::batches(step);
        let mut more = Known::new(self.program);
        more.kept = self.kept.clone();
        more.kept.push(kept);
        let mut more = more.again(&[]);
        let possible = more.solver.solve_so_far().is_ok();
        if possible {
            *self = more;
        }
        possible
    }

    fn push(&mut self, kept: Kept) {
        let program = self.program;
        let operation = &program.steps[kept.step].operation;
        for rest in &operation.region().rests {
            self.solver.problem_mut().summand(rest);
        }
        for requirement in kept.requirements(program) {
            // The program was checked, so the operation has the slots that it mentions.
            let stated = operation.constraint(requirement, |id| program[id].shape.clone());
            if let Some(constraint) = stated {
                self.solver.add(&constraint);
                self.origins.push((kept.step, requirement));
            }
        }
    }

    /// Solves the asserted constraints.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) fn solve(&mut self) -> Result<(), Box<Refusal>> {
        self.solver.solve_so_far()
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

    /// Tells whether the requirements of an operation are asserted only in part.
    pub(crate) fn is_cut(&self, step: usize) -> bool {
        self.kept
            .iter()
            .any(|kept| kept.step == step && kept.part == Part::Batches)
    }

    /// Returns the same operations except one.
    pub(crate) fn without(mut self, step: usize) -> Known<'p> {
        self.kept.retain(|kept| kept.step != step);
        let mut without = self.again(&[]);
        // The remaining constraints are a part of those that were solved before, so they have no conflict.
        let _ = without.solver.solve_so_far();
        without
    }

    /// Returns the program with every operation asserted.
    pub(crate) fn of_all(mut self) -> Known<'p> {
        let program = self.program;
        let steps = 0..program.steps.len();
        let all = steps
            .flat_map(|step| std::iter::once(Kept::own(step)).chain(Kept::written(program, step)));
        self.kept = all.collect();
        self.again(&[])
    }

    /// Returns the same operations in a new solver, with assumptions.
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

    /// Counts the constraints that the asserted operations state.
    pub(crate) fn constraints(&self) -> usize {
        let kept = self.kept.iter();
        kept.map(|kept| kept.requirements(self.program).count())
            .sum()
    }

    /// Returns the origins of the constraints behind a refusal: those that are asserted, then those of `last`.
    pub(crate) fn behind(&self, refusal: &Refusal, last: Option<Kept>) -> Vec<Origin> {
        let all: Vec<(usize, usize)> = self
            .kept
            .iter()
            .copied()
            .chain(last)
            .flat_map(|kept| {
                let requirements = kept.requirements(self.program);
                requirements.map(move |requirement| (kept.step, requirement))
            })
            .collect();
        refusal
            .chain
            .iter()
            .filter_map(|cited| all.get(cited.index))
            .filter_map(|(step, requirement)| self.program.origin(*step, *requirement))
            .collect()
    }

    /// Returns the greatest possible value of a row of a tensor.
    pub(crate) fn row(&self, tensor: TensorId, kind: Kind) -> Row {
        value(
            &self.solver.solution(),
            self.program[tensor].shape.row(kind),
        )
    }

    /// Tells whether a row can be longer than it is known to be.
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
        let possible = self.solver.solve_so_far().is_ok();
        self.solver.rollback();
        possible
    }

    /// Returns the known shape of a tensor, with `...` for the unknown part of a row.
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

/// Returns the written axes of a template, each with the axis of the row that it denotes, as far as this is known of a
/// row that may have more axes at its marker.
pub(crate) fn facing<'t, 'r>(
    template: &'t RowTerm,
    row: &'r Row,
    is_open: bool,
) -> Vec<(&'t DimTerm, &'r Dim)> {
    let axes: Vec<&Dim> = row.axes().collect();
    let terms: Vec<&DimTerm> = template.axes().collect();
    // A row that cannot grow is known from both ends, and a template without a row variable as well.
    let (front, back) = match is_open {
        true => axes.split_at(row.leading.len()),
        false => (&axes[..], &axes[..]),
    };
    let (leading, trailing) = match template.var {
        Some(_) => terms.split_at(template.leading.len()),
        None => (&terms[..], &terms[..]),
    };
    let fronts = leading.iter().zip(front);
    let backs = trailing.iter().rev().zip(back.iter().rev());
    let pairs = fronts.chain(backs).map(|(term, dim)| (*term, *dim));
    pairs.collect()
}

/// Returns the constraints of an operation of a checked program.
pub(crate) fn stated(program: &Program, step: usize) -> Vec<Constraint> {
    let operation = &program.steps[step].operation;
    let stated = operation.constraints(|id| program[id].shape.clone());
    stated.unwrap_or_default()
}

/// Returns a solver with the tags of the program's variables and no constraints.
fn declared(program: &Program) -> Solver {
    let mut problem = Problem::new();
    for (var, tag) in program.tags() {
        // Each variable has one tag, so this cannot fail.
        let _ = problem.declare(&var, tag);
    }
    Solver::new(problem)
}
