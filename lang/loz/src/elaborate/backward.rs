//! `backward`: for each operation that a loss depends on, the operations that add to the gradients of its operands.
//!
//! Each of them iterates over the record of the forward operation: the same product space, with its index maps in other
//! slots. So nothing is inferred, and the gradient of a broadcast tensor is summed by the index map of the tensor.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use lozenge_vocabulary::Constraint;
use lozenge_vocabulary::operation::{Accumulator, Combine, Operation, Requirement, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Record, Source, Span, Tensor};

use super::Elaboration;
use super::dependence::{Dependence, regions_of_one_statement, statement_of};
use super::derivative::{Derivative, Read, Term, attains, derivative, of_extreme};
use super::operation::{ADD, Want};
use super::scope::Value;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Expression, Name, NodeKind};

/// A backward program while its operations are written.
struct Pass<'s> {
    /// The tensors whose gradients are computed.
    active: HashSet<TensorId>,
    /// The place of `backward`.
    span: &'s Span,
    /// The tensors for statements that make maxima or minima, by the first operation of each: such a tensor counts the
    /// points that attain each of them.
    ties: HashMap<usize, TensorId>,
    /// The tensors whose gradients received a contribution, and the loss.
    reached: HashSet<TensorId>,
}

impl<'a> Elaboration<'a, '_> {
    pub(super) fn backward(&mut self, expression: &'a Expression<'a>) {
        self.frame_mut().label = "loss".into();
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        let Some(loss) = self.tensor_of(&value, &span) else {
            self.gradients.are_missing = true;
            return;
        };
        let Some(dependence) = self.dependence(loss, &span) else {
            return;
        };
        let active = self.active(&dependence);
        if !active.contains(&loss) {
            let what = match expression.root().kind {
                NodeKind::Name(name) => format!("`{}`", brief(name)),
                _ => "this loss".into(),
            };
            let message = format!("{what} depends on no parameter");
            self.gradients.are_missing = true;
            self.report(
                Diagnostic::new(span, message, "no gradients")
                    .help("a parameter is `param w`; `state` has no gradient"),
            );
            return;
        }
        self.program.losses.push((loss, self.place(&span)));
        let mut tensors: Vec<TensorId> = active.iter().copied().collect();
        tensors.sort_unstable();
        for tensor in tensors {
            let gradient = self.gradient_of(tensor);
            let value = if tensor == loss { 1.0 } else { 0.0 };
            self.fill(gradient, value, &span);
        }
        let mut pass = Pass {
            active,
            span: &span,
            ties: HashMap::new(),
            reached: HashSet::from([loss]),
        };
        for step in dependence.steps.into_iter().rev() {
            if !self.works(&span) {
                return;
            }
            if let Err(error) = self.contributions(step, &mut pass) {
                return self.report_placed(error);
            }
        }
    }

    /// Finds the tensors on which a loss depends whose gradients are computed: they depend on a parameter, or on a
    /// tensor whose gradient the program reads.
    fn active(&self, dependence: &Dependence) -> HashSet<TensorId> {
        let tensors = dependence.tensors.iter().copied();
        let mut active: HashSet<TensorId> = tensors
            .filter(|id| match &self.program[*id].source {
                Source::Param(parameter) => !parameter.state,
                _ => {
                    let tensor = &self.program[*id];
                    let name = tensor.name.strip_suffix(".batch");
                    self.gradients.read.contains(name.unwrap_or(&tensor.name))
                }
            })
            .collect();
        for step in &dependence.steps {
            let step = &self.program.steps[*step];
            let slots = &step.operation.slots;
            if step.record.is_none() && slots[1..].iter().any(|slot| active.contains(slot)) {
                active.insert(slots[0]);
            }
        }
        active
    }

    /// Returns the gradient tensor of a tensor.
    fn gradient_of(&mut self, id: TensorId) -> TensorId {
        if let Some(gradient) = self.gradients.of.get(&id) {
            return *gradient;
        }
        let name = format!("{}.grad", self.program[id].name);
        let gradient = self.with_rows_of(id, name.into());
        self.gradients.of.insert(id, gradient);
        gradient
    }

    /// Makes a tensor that has the rows of another one.
    fn with_rows_of(&mut self, id: TensorId, name: Arc<str>) -> TensorId {
        let tensor = Tensor {
            name,
            source: Source::Intermediate,
            ..self.program[id].clone()
        };
        self.program.tensors.push(tensor);
        self.tensors.last_use.push(None);
        TensorId(self.program.tensors.len() - 1)
    }

    /// Tells whether an operation writes a region of a statement whose first region has erased all cells, so that the
    /// cells that this operation writes hold nothing yet.
    fn is_later_region(&self, at: usize) -> bool {
        let mut steps = self.program.steps[..=at].iter().rev();
        let Some(step) = steps.next() else {
            return false;
        };
        steps
            .take_while(|other| regions_of_one_statement(step, other))
            .any(|step| step.operation.accumulator.erase)
    }

    /// Records the operations that add the contributions of one operation to the gradients of its operands. Nothing is
    /// added behind a tensor that no contribution has reached, since 0 times an infinite slope is NaN.
    fn contributions(&mut self, at: usize, pass: &mut Pass<'_>) -> Parsed<()> {
        let step = &self.program.steps[at];
        let slots = step.operation.slots.clone();
        let (function, accumulator) = (step.operation.function.clone(), step.operation.accumulator);
        let extreme = matches!(accumulator.combine, Combine::Max | Combine::Min);
        // `t =max v` hides the old value of `t` in some cells, so that its gradient is not that of the new value.
        let clamps = extreme && !accumulator.erase && !self.is_later_region(at);
        // An operator has lines for its gradients.
        let multiplies =
            accumulator.combine == Combine::Multiply && !self.operators.contains_key(&at);
        let inputs = match clamps || multiplies {
            true => &slots[..],
            false => &slots[1..],
        };
        if !inputs.iter().any(|slot| pass.active.contains(slot)) {
            return Ok(());
        }
        if step.record.is_some() || clamps || multiplies {
            let (what, help) = match step.record {
                None if multiplies => (
                    "a product that an assignment accumulates has no gradient",
                    "the function of the prelude has one: `let NAME = prod(x, \"…\")`; an update is `NAME =: NAME *. x`",
                ),
                Some(_) => (
                    "a gradient of a gradient is not there",
                    "a state holds it as numbers: write `state s : SHAPE = 0`, below this `backward` `s =: w.grad`, and `s` in the loss",
                ),
                None => (
                    "an update by `=max` or `=min` has no gradient",
                    "give the result a name of its own: `let NAME = max(t, …)`",
                ),
            };
            return Err(Diagnostic::new(step.span.clone(), what, "part of the loss")
                .other(self.place(pass.span), "the gradient that is asked for")
                .help(help));
        }
        if !pass.reached.contains(&slots[0]) {
            return Ok(());
        }
        let operator = self.operators.get(&at).cloned();
        for (operand, slot) in slots[1..].iter().enumerate() {
            if !pass.active.contains(slot) {
                continue;
            }
            let term = match &operator {
                Some(operator) => operator.gradients.get(operand).cloned().flatten(),
                None if extreme => of_extreme(&function, operand),
                None => derivative(&function, operand),
            };
            let Some(derivative) = term.and_then(Term::finished) else {
                continue;
            };
            let derivative = self.at_points(at, derivative, operand + 1, pass.span)?;
            if derivative.reads.contains(&Read::Ties) {
                self.count_ties(at, pass)?;
            }
            let combine = match accumulator.combine {
                Combine::Subtract => Combine::Subtract,
                _ => Combine::Add,
            };
            let gradient = self.gradient_of(*slot);
            self.over_record(at, (gradient, operand + 1), derivative, combine, pass);
            pass.reached.insert(*slot);
        }
        Ok(())
    }

    /// Moves a derivative to the points of the record of operation `at`, for an operation that writes with the index
    /// map of a slot.
    ///
    /// # Errors
    /// A value that it reads has changed.
    fn at_points(
        &self,
        at: usize,
        derivative: Derivative,
        slot: usize,
        span: &Span,
    ) -> Parsed<Derivative> {
        for read in &derivative.reads {
            if let Some(change) = self.changed_since(at, *read) {
                return Err(self.value_is_gone(at, *read, change, span));
            }
        }
        let operation = &self.program.steps[at].operation;
        let is_window = |requirement: &Requirement| {
            matches!(requirement, Requirement::Template(Constraint::Window(_)))
        };
        Ok(match operation.requirements.iter().any(is_window) {
            true => derivative.at_points_of_the_record(operation.slots.len() - 1, slot),
            false => derivative,
        })
    }

    /// Counts, once for each statement, at how many points each of its maxima or minima is attained.
    fn count_ties(&mut self, at: usize, pass: &mut Pass<'_>) -> Parsed<()> {
        let statement = statement_of(&self.program, at);
        if pass.ties.contains_key(&statement.start) {
            return Ok(());
        }
        let result = self.program.steps[at].operation.slots[0];
        let name = self.unique(format!("{}.ties", self.program[result].name));
        let ties = self.with_rows_of(result, name);
        pass.ties.insert(statement.start, ties);
        self.fill(ties, 0.0, pass.span);
        for region in statement {
            let function = &self.program.steps[region].operation.function;
            let Some(attains) = attains(function).finished() else {
                continue;
            };
            let attains = self.at_points(region, attains, 0, pass.span)?;
            self.over_record(region, (ties, 0), attains, Combine::Add, pass);
        }
        Ok(())
    }

    /// Returns the error where a derivative reads a value of operation `at` that operation `change` has changed.
    fn value_is_gone(&self, at: usize, read: Read, change: usize, span: &Span) -> Diagnostic {
        let step = &self.program.steps[at];
        let (tensor, use_) = match read {
            Read::Operand(operand) => (step.operation.slots[operand + 1], "read"),
            Read::Result | Read::Gradient | Read::Ties => (step.operation.slots[0], "computed"),
        };
        let name = brief(&self.program[tensor].name);
        let message = format!("the gradient needs a value of `{name}` that is not there any more");
        let is_param = matches!(self.program[tensor].source, Source::Param(_));
        let help = match is_param {
            true => "put `backward` above the change, or compute the loss once more below it",
            false => &format!("give the changed value a name of its own: `let NAME = {name} + …`"),
        };
        let place = step.span.clone();
        let error = match change == at {
            true => Diagnostic::new(place, message, format!("`{name}` is read and changed here")),
            false => Diagnostic::new(place, message, format!("`{name}` is {use_} here"))
                .other(self.program.steps[change].span.clone(), "changed here"),
        };
        error
            .other(self.place(span), "the gradient that is asked for")
            .help(help)
    }

    /// Records an operation over the record of operation `at`. It writes a tensor with the index map of a slot of the
    /// record.
    fn over_record(
        &mut self,
        at: usize,
        (written, slot): (TensorId, usize),
        derivative: Derivative,
        combine: Combine,
        pass: &Pass<'_>,
    ) {
        let slots = self.program.steps[at].operation.slots.clone();
        let mut tensors = vec![written];
        let mut maps = vec![slot];
        for read in &derivative.reads {
            let (tensor, map) = match read {
                Read::Gradient => (self.gradient_of(slots[0]), 0),
                Read::Ties => (pass.ties[&statement_of(&self.program, at).start], 0),
                Read::Result => (slots[0], 0),
                Read::Operand(operand) => (slots[operand + 1], operand + 1),
            };
            tensors.push(tensor);
            maps.push(map);
        }
        let accumulator = Accumulator { combine, ..ADD };
        let (span, call) = (self.place(pass.span), self.frame().call);
        let number = self.program.steps.len();
        for (slot, tensor) in tensors.iter().enumerate().rev() {
            self.tensors.last_use[tensor.0] = Some((number, slot));
        }
        self.program.steps.push(Assignment {
            slot_spans: vec![span.clone(); tensors.len()],
            operation: Operation {
                slots: tensors,
                requirements: Default::default(),
                pins: Default::default(),
                region: Default::default(),
                accumulator,
                function: derivative.function,
            },
            logic: Family::Einsum,
            word: "",
            span,
            call,
            late: None,
            record: Some(Box::new(Record {
                step: at,
                slots: maps,
            })),
        });
    }

    /// Returns the gradient tensor for `w.grad`.
    pub(super) fn gradient(&self, of: &Value<'a>, name: &Name<'a>) -> Parsed<Value<'a>> {
        let Value::Tensor(id) = of else {
            let message = format!("{} has no gradient", of.word());
            return Err(
                Diagnostic::new(name.span.clone(), message, "only tensors have one")
                    .help("write `w.grad` for a parameter `w`"),
            );
        };
        if let Some(gradient) = self.gradients.of.get(id) {
            return Ok(Value::Tensor(*gradient));
        }
        if self.gradients.are_missing || self.names.broken.contains("backward") {
            return Ok(Value::Broken);
        }
        let tensor = &self.program[*id].name;
        Err(match self.program.losses.last() {
            None => Diagnostic::new(
                name.span.clone(),
                "there is no gradient yet",
                "no `backward` above",
            )
            .help("put `backward loss` above it"),
            Some((loss, at)) => {
                let loss = &self.program[*loss].name;
                let message = format!("`{loss}` does not depend on `{tensor}`");
                Diagnostic::new(name.span.clone(), message, "there is no gradient")
                    .other(at.clone(), "the loss")
                    .help("only tensors that the loss depends on have a gradient")
            }
        })
    }
}
