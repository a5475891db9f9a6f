//! The evaluation of expressions by a machine with an explicit stack, so that deep expressions do not overflow the call
//! stack.

use std::rc::Rc;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::projections::Index;

use super::Elaboration;
use super::machine::{Machine, Task};
use super::operation::{Want, fold};
use super::plan::Plan;
use super::requirement;
use super::scope::{Builtin, Elements, Text, Value};
use crate::diagnostic::{Diagnostic, brief};
use crate::syntax::operator::Primitive;
use crate::syntax::{Argument, Expression, NodeKind, Place};

impl<'a> Elaboration<'a, '_> {
    pub(super) fn evaluate(&mut self, expression: &'a Expression<'a>, want: Want) -> Value<'a> {
        self.evaluate_node(expression, expression.nodes.len() - 1, want)
    }

    /// Computes the value of a part of an expression; the result of an operation at its root is written to `want`.
    pub(super) fn evaluate_node(
        &mut self,
        expression: &'a Expression<'a>,
        root: usize,
        want: Want,
    ) -> Value<'a> {
        let mut machine = Machine {
            expression,
            root,
            want,
            tasks: vec![Task::Visit(root)],
            values: Vec::new(),
        };
        while let Some(task) = machine.tasks.pop() {
            let value = match task {
                Task::Visit(node) => self.visit(&mut machine, node),
                Task::Choice(node) => self.choice(&mut machine, node),
                task => Some(self.finish(&mut machine, task)),
            };
            machine.values.extend(value);
        }
        machine.values.pop().unwrap_or(Value::Broken)
    }

    /// Computes the value of a part that has no parts itself; for another part, pushes the tasks that compute it and
    /// returns `None`.
    fn visit(&mut self, machine: &mut Machine<'a>, at: usize) -> Option<Value<'a>> {
        let node = &machine.expression.nodes[at];
        if !self.works(&node.span) {
            return Some(Value::Broken);
        }
        match &node.kind {
            NodeKind::Number(value) => Some(Value::Number(*value)),
            NodeKind::Size(dim) => Some(Value::Size(dim.clone())),
            NodeKind::Text(text, _) => Some(Value::Text(Text {
                text,
                span: node.span.clone(),
                source: self.frame().source,
                beside: 0,
            })),
            NodeKind::Name(name) => Some(self.name(name, &node.span)),
            NodeKind::Apply(primitive, operands) => {
                machine.then(Task::Apply(at, *primitive, operands.clone()), operands);
                None
            }
            NodeKind::Call(callee, arguments) => self.visit_call(machine, at, *callee, arguments),
            NodeKind::Field(of, _) => {
                machine.then(Task::Field(at), &[*of]);
                None
            }
            NodeKind::Index(of, index) => {
                machine.then(Task::Index(at), &[*of, *index]);
                None
            }
            NodeKind::Slice(of, places) => {
                let mut parts = vec![*of];
                parts.extend(positions(places));
                machine.then(Task::Slice(at), &parts);
                None
            }
            NodeKind::List(items) => {
                machine.then(Task::List(at), items);
                None
            }
            NodeKind::Each(each) => {
                let parts: Vec<usize> = [each.from].into_iter().chain(each.to).collect();
                machine.then(Task::Each(at), &parts);
                None
            }
            NodeKind::Choice { condition, .. } => {
                machine.then(Task::Choice(at), &[*condition]);
                None
            }
        }
    }

    fn visit_call(
        &mut self,
        machine: &mut Machine<'a>,
        at: usize,
        callee: usize,
        arguments: &'a [Argument<'a>],
    ) -> Option<Value<'a>> {
        let expression = machine.expression;
        let operands: Vec<usize> = arguments.iter().map(|argument| argument.value).collect();
        let unnamed = arguments.iter().all(|argument| argument.name.is_none());
        match self.builtin(expression, callee) {
            Some(builtin) if self.is_reduction(expression, builtin, arguments) => {
                match self.reduction(expression, at, builtin.word(), arguments) {
                    Ok(Some(reduction)) => {
                        let operands = reduction.operands.clone();
                        machine.then(Task::Reduce(at, Box::new(reduction)), &operands);
                        None
                    }
                    // `count` is a number and no operation.
                    Ok(None) => {
                        machine.values.push(Value::Builtin(builtin));
                        machine.then(Task::Call(at), &operands);
                        None
                    }
                    Err(error) => {
                        if let Some(error) = error {
                            self.report(error);
                        }
                        Some(Value::Broken)
                    }
                }
            }
            Some(Builtin::Primitive(_, primitive))
                if unnamed && operands.len() == primitive.arity() =>
            {
                machine.then(
                    Task::Apply(at, primitive, operands.as_slice().into()),
                    &operands,
                );
                None
            }
            Some(builtin) => {
                machine.values.push(Value::Builtin(builtin));
                machine.then(Task::Call(at), &operands);
                None
            }
            None => {
                if let Some(error) = self.unknown_function(expression, callee) {
                    self.report(error);
                    machine.values.push(Value::Broken);
                    machine.then(Task::Call(at), &operands);
                    return None;
                }
                let parts: Vec<usize> = [callee].into_iter().chain(operands).collect();
                machine.then(Task::Call(at), &parts);
                None
            }
        }
    }

    fn finish(&mut self, machine: &mut Machine<'a>, task: Task) -> Value<'a> {
        match task {
            Task::Visit(_) | Task::Choice(_) => Value::Broken,
            Task::Apply(at, primitive, operands) => self.apply(machine, at, primitive, &operands),
            Task::Reduce(at, reduction) => self.reduce(machine, at, *reduction),
            Task::Call(at) => self.finish_call(machine, at),
            Task::Field(at) => self.field(machine, at),
            Task::Index(at) => self.index(machine, at),
            Task::Slice(at) => self.slice(machine, at),
            Task::List(at) => {
                let NodeKind::List(items) = &machine.expression.nodes[at].kind else {
                    return Value::Broken;
                };
                Value::List(Rc::new(Elements(machine.take(items.len()))))
            }
            Task::Each(at) => self.each(machine, at),
        }
    }

    fn apply(
        &mut self,
        machine: &mut Machine<'a>,
        at: usize,
        primitive: Primitive,
        operands: &[usize],
    ) -> Value<'a> {
        let values = machine.take(operands.len());
        let numbers: Option<Vec<f64>> = values
            .iter()
            .map(|value| self.static_number(value))
            .collect();
        if let Some(number) = numbers.and_then(|numbers| fold(primitive, &numbers)) {
            return Value::Number(number);
        }
        let expression = machine.expression;
        let spans = operands.iter().map(|at| expression.nodes[*at].span.clone());
        let read: Vec<Option<TensorId>> = values
            .iter()
            .zip(spans.clone())
            .map(|(value, span)| self.tensor_of(value, &span))
            .collect();
        let Some(read) = read.into_iter().collect::<Option<Vec<_>>>() else {
            return Value::Broken;
        };
        let plan = Plan {
            alternatives: false,
            primitive,
            operands: read.into_iter().zip(spans).collect(),
            logic: None,
            accumulator: None,
            span: expression.nodes[at].span.clone(),
        };
        let want = machine.want_of(at);
        self.made(want, plan)
    }

    pub(super) fn made(&mut self, want: Want, plan: Plan) -> Value<'a> {
        self.operation(want, plan)
            .map_or(Value::Broken, Value::Tensor)
    }

    fn finish_call(&mut self, machine: &mut Machine<'a>, at: usize) -> Value<'a> {
        let expression = machine.expression;
        let NodeKind::Call(callee, arguments) = &expression.nodes[at].kind else {
            return Value::Broken;
        };
        let values = machine.take(arguments.len());
        let function = machine.values.pop().unwrap_or(Value::Broken);
        if values.iter().any(|value| matches!(value, Value::Broken)) {
            return Value::Broken;
        }
        let given = arguments.iter().zip(values).map(|(argument, value)| {
            let span = expression.nodes[argument.value].span.clone();
            (argument.name.as_deref(), value, span)
        });
        let given = given.collect();
        let span = expression.nodes[at].span.clone();
        let want = machine.want_of(at);
        self.call(
            function,
            given,
            &span,
            &expression.nodes[*callee].span,
            want,
        )
    }

    fn field(&mut self, machine: &mut Machine<'a>, at: usize) -> Value<'a> {
        let NodeKind::Field(_, name) = &machine.expression.nodes[at].kind else {
            return Value::Broken;
        };
        let of = machine.values.pop().unwrap_or(Value::Broken);
        match self.member(&of, name) {
            Ok(value) => value,
            Err(error) => {
                if !matches!(of, Value::Broken) {
                    self.report(error);
                }
                Value::Broken
            }
        }
    }

    fn index(&mut self, machine: &mut Machine<'a>, at: usize) -> Value<'a> {
        let expression = machine.expression;
        let NodeKind::Index(of, index) = &expression.nodes[at].kind else {
            return Value::Broken;
        };
        let values = machine.take(2);
        let (place, whole) = (&expression.nodes[*index].span, &expression.nodes[at].span);
        let error = match (&values[0], self.static_number(&values[1])) {
            (Value::Broken, _) => return Value::Broken,
            (Value::List(list) | Value::Several(list), Some(number)) => {
                let found = match number.fract() == 0.0 && number >= 0.0 {
                    true => list.get(number as usize),
                    false => None,
                };
                match found.cloned() {
                    Some(value) => return self.in_section(value, whole),
                    None => Diagnostic::new(
                        place.clone(),
                        format!(
                            "{} has no element {number}",
                            match values[0] {
                                Value::List(_) => "the list",
                                _ => "this result",
                            }
                        ),
                        format!("{} elements", list.len()),
                    )
                    .help("elements are counted from 0"),
                }
            }
            (Value::List(_) | Value::Several(_), None) => {
                self.not_early(&values[1], place, "the number of an element")
            }
            (Value::Tensor(id), _) => {
                let name = brief(&self.program[*id].name);
                let error = Diagnostic::new(
                    whole.clone(),
                    format!("brackets read a list, and `{name}` is a tensor"),
                    "this is no list",
                );
                // Only a position that is known is read as a slice; another one would be another row.
                match (self.static_number(&values[1]), &values[1]) {
                    (Some(number), _) if number >= 0.0 && number.fract() == 0.0 => error.edit(
                        format!("a slice of the first batch axis is `{name} @| {number}`"),
                        expression.nodes[*of].span.end..whole.end,
                        format!(" @| {number}"),
                    ),
                    (Some(_), _) => error.help(
                        "a slice of the first batch axis is `x @| 0`; positions are counted from 0, and the last of 8 is `x @| 7`",
                    ),
                    (None, Value::Tensor(_)) => error.help(
                        "a slice of the first batch axis is `x @| 0`; rows are looked up by numbers in a layer: `table * one_hot(ids, 1000)`",
                    ),
                    (None, _) => error.help("a slice of the first batch axis is `x @| 0`"),
                }
            }
            (other, _) => Diagnostic::new(
                whole.clone(),
                format!("{} has no elements", other.word()),
                "brackets read a list",
            )
            .help("a list is `[a, b]`"),
        };
        self.report(error);
        Value::Broken
    }

    fn slice(&mut self, machine: &mut Machine<'a>, at: usize) -> Value<'a> {
        let expression = machine.expression;
        let NodeKind::Slice(of, places) = &expression.nodes[at].kind else {
            return Value::Broken;
        };
        let mut values = machine.take(1 + positions(places).count()).into_iter();
        let span = &expression.nodes[*of].span;
        let of = values.next().unwrap_or(Value::Broken);
        let Some(id) = self.tensor_of(&of, span) else {
            return Value::Broken;
        };
        let mut taken = Vec::with_capacity(places.len());
        for place in places {
            let position = match place {
                Place::Whole => None,
                Place::At(index) => {
                    let value = values.next().unwrap_or(Value::Broken);
                    let Some(position) = self.position(&value, &expression.nodes[*index].span)
                    else {
                        return Value::Broken;
                    };
                    Some(position)
                }
            };
            taken.push(position);
        }
        let want = machine.want_of(at);
        let slice = |step| requirement::slice(taken, step);
        let whole = expression.nodes[at].span.clone();
        let operand = (id, span.clone());
        Value::Tensor(self.special(want, operand, super::operation::ERASE, slice, &whole))
    }

    /// Makes a value a position of an axis, which is known before inference or comes from a section.
    fn position(&mut self, value: &Value<'a>, place: &Span) -> Option<Index> {
        if let Some(symbol) = self.outer_index(value) {
            return Some(Index::Symbol(symbol.into()));
        }
        match self.static_number(value) {
            Some(number) if number.fract() == 0.0 && (0.0..=1e15).contains(&number) => {
                return Some(Index::Fix(number as u64));
            }
            Some(number) => self.report(
                Diagnostic::new(place.clone(), format!("{number} is no index"), "an index")
                    .help("an index is a whole number, counted from 0"),
            ),
            None if matches!(value, Value::Broken) => {}
            None => {
                let error = self.not_early(value, place, "an index");
                self.report(error);
            }
        }
        None
    }

    /// Returns the error that a value is not known before inference.
    pub(super) fn not_early(&self, value: &Value<'a>, place: &Span, what: &str) -> Diagnostic {
        const SIZE: &str = "give it a value: `size d = 16`, or `d:16` in the spec";
        let (label, help) = match value {
            Value::Late(_) => ("known only after inference", SIZE),
            Value::Tensor(_) => (
                "a tensor has its values only when the program runs",
                "write a number, a size or the name of a loop",
            ),
            Value::Text(_) => (
                "no number",
                "specs belong to `sum`, `max`, `min`, `map` and what is made of them, such as `mean`; write a number here",
            ),
            _ => ("no number", "write a number, a size or the name of a loop"),
        };
        let late = match value {
            Value::Tensor(id) => self.late_behind(*id).map(|late| (late, SIZE)),
            _ => self.late_name(value).map(|late| (late, help)),
        };
        if let Some(((name, defined), help)) = late {
            let message = format!("`{}` is known only after inference", brief(&name));
            return Diagnostic::new(place.clone(), message, format!("{what} is needed before"))
                .other(defined, "inference finds this size")
                .help(help);
        }
        let message = match value {
            Value::Text(_) => "a number is needed here, and this is a spec".to_string(),
            _ => format!(
                "{what} is needed before inference, and this is {}",
                value.word()
            ),
        };
        Diagnostic::new(place.clone(), message, label).help(help)
    }

    /// Continues with the chosen branch in place of the whole; the other one is not elaborated.
    fn choice(&mut self, machine: &mut Machine<'a>, at: usize) -> Option<Value<'a>> {
        let NodeKind::Choice {
            then,
            condition,
            otherwise,
        } = &machine.expression.nodes[at].kind
        else {
            return Some(Value::Broken);
        };
        let value = machine.values.pop().unwrap_or(Value::Broken);
        let Some(number) = self.static_number(&value) else {
            if !matches!(value, Value::Broken) {
                let place = &machine.expression.nodes[*condition].span;
                let mut error = self.not_early(&value, place, "a condition");
                if let Value::Tensor(_) = value {
                    error = error.help("to choose by cell write `where(condition, a, b)`");
                }
                self.report(error);
            }
            return Some(Value::Broken);
        };
        let chosen = if number != 0.0 { *then } else { *otherwise };
        if machine.root == at {
            machine.root = chosen;
        }
        machine.tasks.push(Task::Visit(chosen));
        None
    }
}

/// Lists the positions at which a slice is taken, as parts of its expression.
fn positions(places: &[Place]) -> impl Iterator<Item = usize> + '_ {
    places.iter().filter_map(|place| match place {
        Place::Whole => None,
        Place::At(index) => Some(*index),
    })
}
