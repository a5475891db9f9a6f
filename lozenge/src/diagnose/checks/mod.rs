//! The refusals of programs whose shapes fit but probably do not mean what was intended. They are checks on closed
//! shapes, after the verdict, so they do not change shapes.

mod across_markers;
mod certain_operations;
mod idle_calls;
mod nothing_to_contract;
mod one_for_several_sizes;
mod outer_index;
mod over_no_outputs;
mod over_nothing;
mod shared_in_updates;
mod undetermined_parameter;
mod unexplained_axis;
mod unread_batches;
mod width_of_a_partner;
mod written_twice;

use lozenge_backend::LoopNest;
use lozenge_lang::{Diagnostic, Severity};
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Kind, Shape, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Program, Source, Span};

pub(crate) use certain_operations::{apart, parameters_apart};

use crate::check::Check;
use crate::diagnose::fix::proposed::{Proposed, Stage, at, called, once};
use crate::diagnose::words::text::Text;
use crate::infer::{Inference, fit, shape_text};
use crate::options::{MAX_FOUND, MAX_REFUSALS, Options};

/// Returns the messages of the checks, at most [`MAX_REFUSALS`], with fixes that were not tried yet.
pub(crate) fn problems(
    program: &Program,
    source: &str,
    inference: &Inference,
    nests: &[LoopNest],
    options: &Options,
) -> Vec<Proposed> {
    if let Err(error) = fit(program, &inference.shapes, nests) {
        return vec![Diagnostic::new(0..0, error.to_string(), "").into()];
    }
    let text = Text::new(program, source);
    let mut found = Found {
        options,
        errors: Vec::new(),
        warnings: Vec::new(),
        looked_at: [0; 2],
    };
    let undetermined = undetermined_parameter::check(text, &inference.shapes, &mut |_| true);
    found.look_at_operations(text, inference, undetermined.is_empty());
    // Results of a parameter without axes have none either, so this check waits until all parameters are determined.
    if undetermined.is_empty() && found.wants(Check::R6) {
        for problem in over_no_outputs::check(text, &inference.shapes) {
            found.push(Check::R6, problem);
        }
    }
    for problem in undetermined {
        found.push(Check::R3, problem);
    }
    for problem in width_of_a_partner::check(text, &inference.shapes) {
        found.push(Check::R3, problem);
    }
    if let Some(problem) = one_for_several_sizes::check(text, &inference.shapes) {
        found.push(Check::R3, problem);
    }
    for problem in shared_in_updates::check(text, inference) {
        found.push(Check::R5, problem);
    }
    let mut problems = once(found.all());
    problems.truncate(MAX_REFUSALS);
    problems.extend(unnamed(text, inference, nests));
    problems.extend(written_twice::check(text, nests).take(MAX_REFUSALS));
    at(Stage::Closed, problems)
}

/// Lists the messages about losses with axes, indices of outer iterations, calls and reductions that do nothing and
/// batches that nothing reads, at most [`MAX_REFUSALS`]. These checks have no name, so no option allows what they
/// refuse.
fn unnamed(text: Text<'_>, inference: &Inference, nests: &[LoopNest]) -> Vec<Proposed> {
    let losses = text.program.losses.iter();
    let losses = losses.filter_map(|loss| with_axes(text, inference, loss));
    let mut problems: Vec<Proposed> = losses.take(MAX_REFUSALS).collect();
    for section in &text.program.sections {
        problems.extend(outer_index::check(text, nests, section));
    }
    problems.extend(idle_calls::check(text));
    problems.extend(over_nothing::check(text));
    problems.extend(unread_batches::check(text.program));
    problems.truncate(MAX_REFUSALS);
    problems
}

/// The messages found so far. Some of them cost an inference each, so that no more are looked for than are told. Errors
/// and warnings are counted apart, since many warnings must not hide an error.
struct Found<'o> {
    options: &'o Options,
    errors: Vec<Proposed>,
    warnings: Vec<Proposed>,
    /// The numbers of errors and of warnings that were found, duplicates included.
    looked_at: [usize; 2],
}

impl Found<'_> {
    /// Adds the messages of the checks that look at one operation at a time, of each operation the first.
    fn look_at_operations(&mut self, text: Text<'_>, inference: &Inference, is_determined: bool) {
        let program = text.program;
        for (at, step) in program.steps.iter().enumerate() {
            if ![Check::R1, Check::R2, Check::R4]
                .iter()
                .any(|check| self.wants(*check))
            {
                break;
            }
            let slots = step.operation.slots.iter();
            let shapes: Vec<&Shape<Row>> = slots.map(|slot| &inference.shapes[slot.0]).collect();
            let operation = Operation {
                program,
                at,
                step,
                shapes: &shapes,
            };
            if self.wants(Check::R2)
                && let Some(problem) = nothing_to_contract::check(&operation, text, is_determined)
            {
                self.push(Check::R2, called(program, step.call, problem));
            } else if self.wants(Check::R1)
                && let Some(problem) = unexplained_axis::check(&operation, text, self.options)
            {
                self.push(Check::R1, called(program, step.call, problem));
            } else if self.wants(Check::R4)
                && let Some(problem) = across_markers::check(&operation, text)
            {
                self.push(Check::R4, called(program, step.call, problem));
            }
        }
    }

    /// Adds the message of a check, unless there are enough of its severity. A check may have messages of either.
    fn push(&mut self, check: Check, problem: Proposed) {
        let problem = coded(check, problem, self.options);
        let severity = problem.diagnostic.severity;
        if self.has_room(severity) {
            let (alike, looked_at) = self.alike(severity);
            *looked_at += 1;
            alike.push(problem);
        }
    }

    /// Tells whether a further message of a check may be told.
    fn wants(&mut self, check: Check) -> bool {
        self.has_room(match self.options.allow.contains(check) {
            true => Severity::Warning,
            false => Severity::Error,
        })
    }

    /// Tells whether a further message of this severity would be told.
    fn has_room(&mut self, severity: Severity) -> bool {
        let (alike, looked_at) = self.alike(severity);
        if alike.len() >= MAX_REFUSALS {
            *alike = once(std::mem::take(alike));
        }
        alike.len() < MAX_REFUSALS && *looked_at < MAX_FOUND
    }

    /// Returns the messages of a severity, and how many were found.
    fn alike(&mut self, severity: Severity) -> (&mut Vec<Proposed>, &mut usize) {
        let [errors, warnings] = &mut self.looked_at;
        match severity {
            Severity::Error => (&mut self.errors, errors),
            Severity::Warning => (&mut self.warnings, warnings),
        }
    }

    /// Returns all messages, the errors first.
    fn all(self) -> Vec<Proposed> {
        self.errors.into_iter().chain(self.warnings).collect()
    }
}

/// Returns the message of a check, with its name.
fn coded(check: Check, mut problem: Proposed, options: &Options) -> Proposed {
    problem.diagnostic.code = Some(check.to_string());
    if options.allow.contains(check) {
        problem.diagnostic.severity = Severity::Warning;
    }
    problem
}

/// Returns the message that a loss has axes.
fn with_axes(text: Text<'_>, inference: &Inference, loss: &(TensorId, Span)) -> Option<Proposed> {
    let (tensor, span) = loss;
    let shape = &inference.shapes[tensor.0];
    if shape.rows().iter().all(|row| row.rank() == 0) {
        return None;
    }
    let shape = shape_text(shape);
    let name = &text.program[*tensor].name;
    let headline = format!("a loss has no axes, `{name}` is `{shape}`");
    let diagnostic = Diagnostic::new(span.clone(), headline, "which of its values?").other(
        text.program[*tensor].span.clone(),
        format!("`{name}` is `{shape}`"),
    );
    Some(
        diagnostic
            .help(format!(
                "put `let loss = mean({name})` above it, and write `backward loss`"
            ))
            .into(),
    )
}

/// An operation with the closed shapes of its slots.
struct Operation<'p> {
    program: &'p Program,
    /// Its place in the program.
    at: usize,
    step: &'p Assignment,
    shapes: &'p [&'p Shape<Row>],
}

impl Operation<'_> {
    /// Returns the rows of operands that are above a row of the result.
    fn operands(&self, kind: Kind) -> Vec<&Row> {
        let row = |slot: usize, kind: Kind| self.shapes[slot].row(kind);
        match self.step.logic {
            Family::Pointwise => (1..self.shapes.len()).map(|slot| row(slot, kind)).collect(),
            Family::Compose => match kind {
                Kind::Batch => vec![row(1, kind), row(2, kind)],
                Kind::Input => vec![row(2, kind)],
                Kind::Output => vec![row(1, kind)],
            },
            Family::Transpose => vec![row(
                1,
                match kind {
                    Kind::Batch => Kind::Batch,
                    Kind::Input => Kind::Output,
                    Kind::Output => Kind::Input,
                },
            )],
            Family::Einsum | Family::Fill => Vec::new(),
        }
    }

    /// Tells whether its result is a new tensor, whose rows need only be below those of the operands.
    fn broadcasts(&self) -> bool {
        let family = matches!(
            self.step.logic,
            Family::Pointwise | Family::Compose | Family::Transpose
        );
        // The initial values of a parameter are a fill.
        let written = &self.program[self.step.operation.slots[0]].source;
        family && self.step.operation.accumulator.erase && !matches!(written, Source::Param(_))
    }
}
