//! R5: a parameter has axes only because its update reads another parameter that has them only because of updates.
//!
//! `w =- rate *. w` and `b =- rate *. b` with `param rate = 0.1` make the rate as large as w, and then b as large as
//! the rate: a bias gets the inputs of the weights, although no definition requires that. So the shapes are compared
//! with those that the program has if its updates require nothing.

use std::collections::{HashMap, HashSet};

use lozenge_lang::Diagnostic;
use lozenge_solver::Solver;
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Program, Source};

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;
use crate::infer::{Asserted, Inference, shape_text};
use crate::options::MAX_REFUSALS;

pub(crate) fn check(text: Text<'_>, inference: &Inference) -> Vec<Proposed> {
    let program = text.program;
    let updates: Vec<&Assignment> = program
        .steps
        .iter()
        .filter(|step| is_update(program, step))
        .collect();
    if updates.is_empty() {
        return Vec::new();
    }
    let parts = Parts::new(program);
    let updates: Vec<(&Assignment, Vec<TensorId>)> = updates
        .into_iter()
        .map(|step| (step, parts.open_parameters(program, step)))
        .collect();
    if updates.iter().all(|(_, read)| read.is_empty()) {
        return Vec::new();
    }
    let Some(grown) = Grown::new(program, inference) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    let mut refused = HashSet::new();
    for (step, read) in updates {
        let target = step.operation.slots[0];
        let Some(kind) = grown.kind(program, target) else {
            continue;
        };
        let mut read = read.into_iter();
        let shared = read.find(|shared| grown.kind(program, *shared).is_some());
        if let Some(shared) = shared
            && refused.insert(target)
            && problems.len() < MAX_REFUSALS
        {
            problems.push(message(text, inference, step, shared, kind));
        }
    }
    problems
}

fn is_update(program: &Program, step: &Assignment) -> bool {
    let target = &program[step.operation.slots[0]];
    matches!(target.source, Source::Param(_)) && !step.operation.accumulator.erase
}

/// The operations that compute parts of expressions, that is, tensors without a name in the program.
struct Parts<'p> {
    made: HashMap<TensorId, &'p Assignment>,
}

impl<'p> Parts<'p> {
    fn new(program: &'p Program) -> Parts<'p> {
        let unnamed = program.steps.iter().filter_map(|step| {
            let id = step.operation.slots[0];
            program[id].name.contains('\'').then_some((id, step))
        });
        Parts {
            made: unnamed.collect(),
        }
    }

    /// Returns the parameters without a written shape that an update reads, directly or in a part of its expression,
    /// other than the updated one.
    fn open_parameters(&self, program: &Program, step: &Assignment) -> Vec<TensorId> {
        let target = step.operation.slots[0];
        let mut todo: Vec<TensorId> = step.operation.slots[1..].to_vec();
        let (mut found, mut seen) = (Vec::new(), HashSet::from([target]));
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let tensor = &program[id];
            let open = |kind: &Kind| tensor.shape.row(*kind).var.is_some();
            if matches!(tensor.source, Source::Param(_)) && Kind::ALL.iter().any(open) {
                found.push(id);
            }
            if let Some(made) = self.made.get(&id) {
                todo.extend(&made.operation.slots[1..]);
            }
        }
        found
    }
}

/// The rows of parameters that are longer than they would be if updates required nothing.
struct Grown {
    without: HashMap<(TensorId, Kind), u64>,
}

impl Grown {
    /// Returns `None` if the program has no shapes without the requirements of its updates.
    fn new(program: &Program, inference: &Inference) -> Option<Grown> {
        let mut other = program.clone();
        for step in &mut other.steps {
            if is_update(program, step) {
                step.operation.requirements = Default::default();
            }
        }
        let mut solver = Solver::new(Asserted::new(&other).ok()?.problem);
        solver.close().ok()?;
        let mut without = HashMap::new();
        for (at, tensor) in program.tensors.iter().enumerate() {
            if !matches!(tensor.source, Source::Param(_)) {
                continue;
            }
            for kind in Kind::ALL {
                let row = tensor.shape.row(kind);
                let Some(var) = &row.var else { continue };
                let rank = solver.solution().rank(var.name()).unwrap_or_default();
                let rank = rank + row.explicit() as u64;
                if rank < inference.shapes[at].row(kind).rank() as u64 {
                    without.insert((TensorId(at), kind), rank);
                }
            }
        }
        Some(Grown { without })
    }

    /// Returns a row of a parameter that is longer only because of updates.
    fn kind(&self, program: &Program, id: TensorId) -> Option<Kind> {
        let is_parameter = matches!(program[id].source, Source::Param(_));
        let grown = |kind: &Kind| self.without.contains_key(&(id, *kind));
        is_parameter
            .then(|| Kind::ALL.into_iter().find(grown))
            .flatten()
    }
}

fn message(
    text: Text<'_>,
    inference: &Inference,
    step: &Assignment,
    shared: TensorId,
    kind: Kind,
) -> Proposed {
    let target = step.operation.slots[0];
    let [name, other] = [target, shared].map(|id| &text.program[id].name);
    let shape = |id: TensorId| shape_text(&inference.shapes[id.0]);
    let headline = format!(
        "`{name}` would get {} axes only because its update reads `{other}`",
        kind.word()
    );
    let diagnostic = Diagnostic::new(
        step.span.clone(),
        headline,
        format!("`{name}` would be `{}`", shape(target)),
    )
    .other(
        text.place(shared),
        format!(
            "`{other}` would be `{}`, to scale another parameter",
            shape(shared)
        ),
    );
    Proposed::from(diagnostic).or(
        format!("write `{other}` as a number"),
        text.shape_edit(shared, "->"),
    )
}
