//! The state of the evaluation of an expression: the tasks that remain, and the values computed so far.

use lozenge_vocabulary::operation::Accumulator;

use super::operation::Want;
use super::scope::Value;
use crate::syntax::operator::Primitive;
use crate::syntax::{Expression, Logic, Operands};

/// A task for a part of an expression.
pub(super) enum Task {
    Visit(usize),
    /// The operands of an operator or of a scalar function have been evaluated: apply it.
    Apply(usize, Primitive, Operands),
    /// The operands of a reduction have been evaluated: reduce them.
    Reduce(usize, Box<Reduction>),
    Call(usize),
    Field(usize),
    Index(usize),
    Slice(usize),
    List(usize),
    Each(usize),
    Choice(usize),
}

/// `sum`, `max`, `min` or `map` with a spec.
pub(super) struct Reduction {
    pub accumulator: Accumulator,
    pub primitive: Primitive,
    pub operands: Vec<usize>,
    pub logic: Logic,
    pub captures: Option<usize>,
}

/// The state of an evaluation.
pub(super) struct Machine<'a> {
    pub expression: &'a Expression<'a>,
    /// The part whose result is written to `want`.
    pub root: usize,
    pub want: Want,
    pub tasks: Vec<Task>,
    pub values: Vec<Value<'a>>,
}

impl<'a> Machine<'a> {
    /// Pushes a task, and on top of it the visits of the parts that it needs, so that these are done before it, in
    /// order.
    pub(super) fn then(&mut self, task: Task, parts: &[usize]) {
        self.tasks.push(task);
        self.tasks
            .extend(parts.iter().rev().map(|part| Task::Visit(*part)));
    }

    pub(super) fn take(&mut self, count: usize) -> Vec<Value<'a>> {
        self.values.split_off(self.values.len() - count)
    }

    pub(super) fn want_of(&self, at: usize) -> Want {
        match at == self.root {
            true => self.want.clone(),
            false => Want::Part,
        }
    }
}
