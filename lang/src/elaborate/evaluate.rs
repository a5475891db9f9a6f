//! Expressions: a machine with a stack of its own, so that depth costs memory and no stack.

use std::rc::Rc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function, TensorId};
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::projections::Index;

use super::Elaboration;
use super::operation::{Want, fold};
use super::scope::{Binding, Builtin, Scope, Sort, Text, Value};
use crate::cursor::{Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::operator::Primitive;
use crate::plan::Plan;
use crate::requirement;
use crate::sizes::Sizes;
use crate::spec::logic;
use crate::suggestion::nearest;
use crate::syntax::{Argument, Expression, Logic, Name, NodeKind};

/// How many turns a loop may have.
const MOST_TURNS: f64 = 10_000_000.0;

/// What is to be done next with a part of an expression.
enum Task {
    Visit(usize),
    /// The operands of an operator or of a scalar function are there.
    Apply(usize, Primitive, Vec<usize>),
    /// The operands of a reduction are there.
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
struct Reduction {
    accumulator: Accumulator,
    primitive: Primitive,
    operands: Vec<usize>,
    logic: Logic,
    captures: Option<usize>,
}

/// The spec of a reduction that has none: everything meets in one cell.
const WHOLE: &str = "...|... -> ... => ";

impl<'a> Elaboration<'a, '_> {
    pub(super) fn evaluate(&mut self, expression: &'a Expression<'a>, want: Want) -> Value<'a> {
        self.evaluate_node(expression, expression.nodes.len() - 1, want)
    }

    /// The value of a part of an expression; an operation at its root goes where `want` says.
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

    /// The value of a part without parts; else what is to be done for it is noted.
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
            NodeKind::Slice(of, index) => {
                machine.then(Task::Slice(at), &[*of, *index]);
                None
            }
            NodeKind::List(items) => {
                machine.then(Task::List(at), items);
                None
            }
            NodeKind::Each { from, to, .. } => {
                let parts: Vec<usize> = [*from].into_iter().chain(*to).collect();
                machine.then(Task::Each(at), &parts);
                None
            }
            NodeKind::Choice { condition, .. } => {
                machine.then(Task::Choice(at), &[*condition]);
                None
            }
        }
    }

    /// The function of the language that a call names directly.
    pub(super) fn builtin(&self, expression: &Expression<'a>, callee: usize) -> Option<Builtin> {
        let NodeKind::Name(name) = &expression.nodes[callee].kind else {
            return None;
        };
        match self.scopes.find(self.scope, name) {
            Some(binding) => match &binding.value {
                Value::Builtin(builtin) => Some(*builtin),
                _ => None,
            },
            None => Builtin::named(name),
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
                        let parts: Vec<usize> = [callee].into_iter().chain(operands).collect();
                        machine.then(Task::Call(at), &parts);
                        None
                    }
                    Err(error) => {
                        self.report(error);
                        Some(Value::Broken)
                    }
                }
            }
            Some(Builtin::Primitive(_, primitive))
                if unnamed && operands.len() == primitive.arity() =>
            {
                machine.then(Task::Apply(at, primitive, operands.clone()), &operands);
                None
            }
            _ => {
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

    /// The error that a call names nothing that there is.
    fn unknown_function(&self, expression: &Expression<'a>, callee: usize) -> Option<Diagnostic> {
        let node = &expression.nodes[callee];
        let NodeKind::Name(name) = node.kind else {
            return None;
        };
        let known = self.scopes.find(self.scope, name).is_some()
            || Builtin::named(name).is_some()
            || self.broken.contains(name)
            || super::section::is_word(name)
            || self.scopes.size(self.scope, name).is_some();
        if known {
            return None;
        }
        let message = format!("unknown function `{}`", brief(name));
        let error = Diagnostic::new(node.span.clone(), message, "not of the language");
        let mut own: Vec<(usize, &str)> = Vec::new();
        for (place, _) in self.scopes.outwards(self.scope) {
            let names = self.scopes.all[place].names.iter();
            let functions = names.filter(|(_, binding)| {
                matches!(binding.value, Value::Function(_) | Value::Instance(_))
            });
            own.extend(functions.map(|(name, binding)| (binding.order, *name)));
        }
        own.sort_unstable();
        let words = crate::operator::FUNCTIONS.iter().map(|(word, _)| *word);
        let words = words.chain(crate::operator::TENSOR_FUNCTIONS);
        let all = words.chain(own.into_iter().map(|(_, name)| name));
        Some(match nearest(name, all) {
            Some(near) => error.edit(format!("did you mean `{near}`?"), node.span.clone(), near),
            None => error.help(format!(
                "define it above: `def {}(x):`; the language has {}",
                brief(name),
                crate::operator::FUNCTIONS
                    .map(|(word, _)| format!("`{word}`"))
                    .join(", ")
            )),
        })
    }

    /// Whether a call of this function is a reduction: its second argument is a spec, or it has only one.
    fn is_reduction(
        &self,
        expression: &Expression<'a>,
        builtin: Builtin,
        arguments: &[Argument<'a>],
    ) -> bool {
        let spec = |argument: &Argument<'a>| match &expression.nodes[argument.value].kind {
            NodeKind::Text(..) => true,
            NodeKind::Name(name) => matches!(
                self.scopes
                    .find(self.scope, name)
                    .map(|binding| &binding.value),
                Some(Value::Text(_))
            ),
            _ => false,
        };
        match (builtin.word(), arguments) {
            ("sum" | "map" | "count", _) => true,
            ("max" | "min", [_]) => true,
            ("max" | "min", [_, second]) => spec(second),
            _ => false,
        }
    }

    /// What a reduction does; nothing for `count`.
    fn reduction(
        &mut self,
        expression: &'a Expression<'a>,
        at: usize,
        word: &'static str,
        arguments: &'a [Argument<'a>],
    ) -> Parsed<Option<Reduction>> {
        let span = &expression.nodes[at].span;
        if let Some(name) = arguments.iter().find_map(|argument| argument.name.as_ref()) {
            return Err(Diagnostic::new(
                name.span.clone(),
                format!("`{word}` has no `{}`", brief(name.text)),
                "no argument has a name here",
            )
            .help(format!(
                "say the axes in a spec: `{word}(x, \"n|->c => n|\")`"
            )));
        }
        let (of, spec) = match arguments {
            [of] => (of.value, None),
            [of, spec] => (of.value, Some(spec.value)),
            _ => {
                return Err(Diagnostic::new(
                    span.clone(),
                    format!("`{word}` reads an expression and a spec"),
                    format!("{} arguments", arguments.len()),
                )
                .help(format!("write `{word}(x, \"n|->c => n|\")`")));
            }
        };
        if spec.is_none() && word == "map" {
            return Err(Diagnostic::new(
                span.clone(),
                "`map` needs a spec",
                "nothing says where each cell goes",
            )
            .help("write `map(x, \"n|->c => c|->n\")`"));
        }
        if word == "count" {
            return Ok(None);
        }
        let logic = match spec {
            None => logic(WHOLE, span.clone()).map_err(|mut error| {
                error.labels.truncate(1);
                error
            })?,
            Some(spec) => self.spec_of(expression, spec)?,
        };
        let combine = match word {
            "sum" => Combine::Add,
            "max" => Combine::Max,
            "min" => Combine::Min,
            _ => Combine::Replace,
        };
        if let (Logic::Einsum(spec), Combine::Replace) = (&logic, combine) {
            nothing_lost(spec)?;
        }
        let shapes = match &logic {
            Logic::Einsum(spec) => spec.operands.len(),
            Logic::Compose(_) => 2,
            Logic::Transpose(_) | Logic::Pointwise => 1,
        };
        let (primitive, operands) = self.in_the_loop(expression, of, shapes);
        if operands.len() != shapes {
            return Err(self.operand_count(expression, of, shapes, &logic));
        }
        Ok(Some(Reduction {
            accumulator: Accumulator {
                erase: true,
                combine,
            },
            primitive,
            operands,
            logic,
            captures: spec,
        }))
    }

    /// What a reduction computes at each point, and of which parts of its expression: as many as its spec has shapes.
    fn in_the_loop(
        &self,
        expression: &Expression<'a>,
        of: usize,
        shapes: usize,
    ) -> (Primitive, Vec<usize>) {
        let identity = (Primitive::Function(&Function::Identity), vec![of]);
        if expression.nodes[of].grouped {
            return identity;
        }
        match self.scalar(expression, of) {
            Some((Primitive::Star, operands)) if shapes == 2 => {
                (Primitive::Function(&Function::Multiply), operands)
            }
            Some((Primitive::Function(function), operands)) if operands.len() == shapes => {
                (Primitive::Function(function), operands)
            }
            _ => identity,
        }
    }

    /// The scalar function at the root of an expression, with the places of its operands.
    pub(super) fn scalar(
        &self,
        expression: &Expression<'a>,
        of: usize,
    ) -> Option<(Primitive, Vec<usize>)> {
        match &expression.nodes[of].kind {
            NodeKind::Apply(primitive, operands) => Some((*primitive, operands.clone())),
            NodeKind::Call(callee, arguments) => {
                let builtin = self.builtin(expression, *callee)?;
                let Builtin::Primitive(_, primitive) = builtin else {
                    return None;
                };
                let fits = arguments.len() == primitive.arity()
                    && arguments.iter().all(|argument| argument.name.is_none())
                    && !self.is_reduction(expression, builtin, arguments);
                let operands = arguments.iter().map(|argument| argument.value).collect();
                fits.then_some((primitive, operands))
            }
            _ => None,
        }
    }

    fn operand_count(
        &self,
        expression: &Expression<'a>,
        of: usize,
        shapes: usize,
        logic: &Logic,
    ) -> Diagnostic {
        let node = &expression.nodes[of];
        let plural = |n: usize| if n == 1 { "operand" } else { "operands" };
        let error = Diagnostic::new(
            node.span.clone(),
            format!(
                "the spec is for {shapes} {}, and this is one tensor",
                plural(shapes)
            ),
            "1 operand",
        );
        let error = match logic {
            Logic::Einsum(spec) => {
                error.other(spec.span.clone(), format!("{shapes} {}", plural(shapes)))
            }
            _ => error,
        };
        match node.grouped {
            true => error.help("leave the parentheses out: they make one tensor of what stands in them"),
            false => error.help("write an operator between the operands, `sum(a * b, \"i, j; j => i\")`, or one shape in the spec"),
        }
    }

    /// The spec that a part of an expression is.
    pub(super) fn spec_of(&mut self, expression: &'a Expression<'a>, at: usize) -> Parsed<Logic> {
        let node = &expression.nodes[at];
        let value = match &node.kind {
            NodeKind::Name(name) => self.name(name, &node.span),
            NodeKind::Text(text, _) => Value::Text(Text {
                text,
                span: node.span.clone(),
            }),
            _ => Value::Nothing,
        };
        match value {
            Value::Text(text) => {
                let same_text = text.span.start >= node.span.start && text.span.end <= node.span.end;
                logic(text.text, text.span.clone()).map_err(|error| match same_text {
                    true => error,
                    // The spec stands elsewhere, perhaps in another text.
                    false => Diagnostic::new(node.span.clone(), error.message, "this spec")
                        .help(error.help.map_or(String::new(), |help| help.text)),
                })
            }
            _ => Err(Diagnostic::new(
                node.span.clone(),
                "a spec is needed here",
                "no spec",
            )
            .help("a spec is a text, `\"n|->c => n|\"`, or a name that was given one: `let rows = \"n|->c => n|\"`")),
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
                Value::List(Rc::new(machine.take(items.len())))
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

    fn made(&mut self, want: Want, plan: Plan) -> Value<'a> {
        self.operation(want, plan)
            .map_or(Value::Broken, Value::Tensor)
    }

    fn reduce(&mut self, machine: &mut Machine<'a>, at: usize, reduction: Reduction) -> Value<'a> {
        let values = machine.take(reduction.operands.len());
        let expression = machine.expression;
        let mut operands = Vec::with_capacity(values.len());
        for (value, operand) in values.iter().zip(&reduction.operands) {
            let span = &expression.nodes[*operand].span;
            match self.tensor_of(value, span) {
                Some(id) => operands.push((id, span.clone())),
                None => return Value::Broken,
            }
        }
        let captures = reduction
            .captures
            .map(|spec| match &expression.nodes[spec].kind {
                NodeKind::Text(_, captures) => captures.as_slice(),
                _ => &[],
            });
        let logic = reduction.logic.clone();
        let plan = Plan {
            alternatives: false,
            primitive: reduction.primitive,
            operands,
            logic: Some(reduction.logic),
            accumulator: Some(reduction.accumulator),
            span: expression.nodes[at].span.clone(),
        };
        let want = machine.want_of(at);
        let result = self.made(want, plan);
        if let (Value::Tensor(_), Some(captures)) = (&result, captures) {
            self.capture(captures, &logic);
        }
        result
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
            (argument.name.as_ref(), value, span)
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
            (Value::List(list), Some(number)) => {
                let found = match number.fract() == 0.0 && number >= 0.0 {
                    true => list.get(number as usize),
                    false => None,
                };
                match found {
                    Some(value) => return value.clone(),
                    None => Diagnostic::new(
                        place.clone(),
                        format!("the list has no element {number}"),
                        format!("{} elements", list.len()),
                    )
                    .help("elements are counted from 0"),
                }
            }
            (Value::List(_), None) => self.not_early(&values[1], place, "the number of an element"),
            (Value::Tensor(_), _) => Diagnostic::new(
                whole.start..whole.end,
                "brackets do not read a part of a tensor",
                "brackets read a list, and this is a tensor",
            )
            .edit(
                "a slice of the first batch axis is `x @| 0`",
                expression.nodes[*of].span.end..whole.end,
                match self.static_number(&values[1]) {
                    Some(number) if number >= 0.0 && number.fract() == 0.0 => {
                        format!(" @| {number}")
                    }
                    _ => " @| 0".to_string(),
                },
            ),
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
        let NodeKind::Slice(of, index) = &expression.nodes[at].kind else {
            return Value::Broken;
        };
        let values = machine.take(2);
        let span = &expression.nodes[*of].span;
        let Some(id) = self.tensor_of(&values[0], span) else {
            return Value::Broken;
        };
        let place = &expression.nodes[*index].span;
        let position = match self.outer_index(&values[1]) {
            Some(symbol) => Some(Index::Symbol(symbol.into())),
            None => match self.static_number(&values[1]) {
                Some(number) if number.fract() == 0.0 && (0.0..=1e15).contains(&number) => {
                    Some(Index::Fix(number as u64))
                }
                _ => None,
            },
        };
        match (position, self.static_number(&values[1])) {
            (Some(position), _) => {
                let want = machine.want_of(at);
                let slice = |step| requirement::slice(position, step);
                let whole = expression.nodes[at].span.clone();
                let operand = (id, span.clone());
                Value::Tensor(self.special(want, operand, super::operation::ERASE, slice, &whole))
            }
            (None, Some(number)) => {
                self.report(
                    Diagnostic::new(place.clone(), format!("{number} is no index"), "an index")
                        .help("an index is a whole number, counted from 0"),
                );
                Value::Broken
            }
            (None, None) => {
                let error = self.not_early(&values[1], place, "an index");
                if !matches!(values[1], Value::Broken) {
                    self.report(error);
                }
                Value::Broken
            }
        }
    }

    /// The error that something is not known before inference.
    pub(super) fn not_early(&self, value: &Value<'a>, place: &Span, what: &str) -> Diagnostic {
        let (label, help) = match value {
            Value::Late(_) => (
                "known only after inference",
                "give it a value: `size d = 16`, or `d:16` in the spec",
            ),
            Value::Tensor(_) => (
                "a tensor has its values only when the program runs",
                "write a number, a size or the name of a loop",
            ),
            _ => ("no number", "write a number, a size or the name of a loop"),
        };
        Diagnostic::new(
            place.clone(),
            format!(
                "{what} is needed before inference, and this is {}",
                value.word()
            ),
            label,
        )
        .help(help)
    }

    /// The turns of a loop, as values with their names.
    pub(super) fn turns(
        &mut self,
        from: (&Value<'a>, &Span),
        to: Option<(&Value<'a>, &Span)>,
    ) -> Option<Vec<(String, Value<'a>)>> {
        let Some(to) = to else {
            return match from.0 {
                Value::List(list) => Some(
                    list.iter()
                        .enumerate()
                        .map(|(at, value)| (self.turn_name(at, value), value.clone()))
                        .collect(),
                ),
                Value::Broken => None,
                other => {
                    let message = format!(
                        "a loop runs over a list or a range, and this is {}",
                        other.word()
                    );
                    self.report(
                        Diagnostic::new(from.1.clone(), message, "no list")
                            .help("write `for i in 0..12:` or `for w in params(loss):`"),
                    );
                    None
                }
            };
        };
        let mut bounds = [0.0; 2];
        for (bound, (value, span)) in bounds.iter_mut().zip([from, to]) {
            match self.static_number(value) {
                Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => *bound = number,
                Some(number) => {
                    self.report(
                        Diagnostic::new(
                            span.clone(),
                            format!("{number} bounds no loop"),
                            "a bound",
                        )
                        .help("a bound is a whole number"),
                    );
                    return None;
                }
                None => {
                    if !matches!(value, Value::Broken) {
                        let error = self.not_early(value, span, "the bound of a loop");
                        self.report(error);
                    }
                    return None;
                }
            }
        }
        let count = bounds[1] - bounds[0];
        if count > MOST_TURNS {
            self.report(
                Diagnostic::new(
                    from.1.start..to.1.end,
                    format!("a loop of {count} turns is too long to be written out"),
                    format!("at most {MOST_TURNS} turns"),
                )
                .help("a loop is written out before inference: let a spec run over an axis in its place"),
            );
            return None;
        }
        let (from, to) = (bounds[0] as i64, bounds[1] as i64);
        Some(
            (from..to)
                .map(|turn| (turn.to_string(), Value::Number(turn as f64)))
                .collect(),
        )
    }

    /// A turn over a list is named after the tensor that it is about.
    fn turn_name(&self, at: usize, value: &Value<'a>) -> String {
        match value {
            Value::Tensor(id) => self.program.tensor(*id).name.to_string(),
            _ => at.to_string(),
        }
    }

    fn each(&mut self, machine: &mut Machine<'a>, at: usize) -> Value<'a> {
        let expression = machine.expression;
        let node = &expression.nodes[at];
        let NodeKind::Each {
            element,
            name,
            from,
            to,
        } = &node.kind
        else {
            return Value::Broken;
        };
        let bounds = machine.take(1 + usize::from(to.is_some()));
        let place = |at: usize| &expression.nodes[at].span;
        let to = to.and_then(|to| Some((bounds.get(1)?, place(to))));
        let Some(turns) = self.turns((&bounds[0], place(*from)), to) else {
            return Value::Broken;
        };
        if !self.deeper(&node.span) {
            return Value::Broken;
        }
        let mut made = Vec::new();
        for (turn, value) in turns {
            if !self.works(&node.span) {
                break;
            }
            self.enter_turn(turn, name, value);
            made.push(self.evaluate_node(expression, *element, Want::Part));
            self.leave_turn();
        }
        self.levels -= 1;
        match made.iter().any(|value| matches!(value, Value::Broken)) {
            true => Value::Broken,
            false => Value::List(Rc::new(made)),
        }
    }

    pub(super) fn enter_turn(&mut self, turn: String, name: &Name<'a>, value: Value<'a>) {
        self.frame_mut().turns.push(turn);
        let parent = self.scope;
        self.scope = self.scopes.all.len();
        self.scopes.all.push(Scope {
            sort: Sort::Turn,
            parent: Some(parent),
            sees: usize::MAX,
            names: Default::default(),
            sizes: Sizes::default(),
        });
        self.bind(name.text, value, &name.span, false);
    }

    pub(super) fn leave_turn(&mut self) {
        self.frame_mut().turns.pop();
        if let Some(scope) = self.scopes.all.pop() {
            self.scope = scope.parent.unwrap_or(0);
        }
    }

    /// Gives a name a meaning in the innermost scope.
    pub(super) fn bind(&mut self, name: &'a str, value: Value<'a>, span: &Span, carried: bool) {
        let order = self.defined;
        self.defined += 1;
        let span = span.clone();
        let binding = Binding {
            value,
            span,
            order,
            carried,
        };
        self.scopes.all[self.scope].names.insert(name, binding);
    }

    /// Goes on with the chosen side in the place of the whole: the other one is not elaborated.
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

    /// What a name means in an expression.
    pub(super) fn name(&mut self, name: &'a str, span: &Span) -> Value<'a> {
        let owner = self.scopes.owner(self.scope, name);
        let size = self.scopes.size(self.scope, name);
        match (owner, size) {
            (Some(owner), Some((term, place))) if owner == place => {
                let binding = &self.scopes.all[owner].names[name];
                if super::scope::as_size(&binding.value).is_some() {
                    return binding.value.clone();
                }
                let _ = term;
                let error = self.ambiguous(name, owner, span);
                self.report(error);
                Value::Broken
            }
            // The innermost of two.
            (Some(owner), Some((term, place))) if owner < place => sized(term),
            (Some(owner), _) => {
                let value = self.scopes.all[owner].names[name].value.clone();
                self.in_section(value)
            }
            (None, Some((term, _))) => sized(term),
            (None, None) => {
                if let Some(value) = self.of_section(name, span) {
                    return value;
                }
                if let Some(builtin) = Builtin::named(name) {
                    return Value::Builtin(builtin);
                }
                if !self.broken.contains(name) {
                    let error = self.unknown_name(name, span);
                    self.report(error);
                }
                Value::Broken
            }
        }
    }

    fn ambiguous(&self, name: &str, owner: usize, span: &Span) -> Diagnostic {
        let shown = brief(name);
        let scope = &self.scopes.all[owner];
        let mut error = Diagnostic::new(
            span.clone(),
            format!("`{shown}` is a tensor and a size"),
            "which of them?",
        )
        .other(scope.names[name].span.clone(), "the tensor");
        if let Some(known) = scope.sizes.get(name) {
            error = error.other(known.span.clone(), "the size");
        }
        error.help("give one of them another name")
    }

    fn unknown_name(&self, name: &str, span: &Span) -> Diagnostic {
        let shown = brief(name);
        let main = self.frame().source == super::PROGRAM;
        if let (Some(later), true) = (self.later.get(name), main) {
            return Diagnostic::new(
                span.clone(),
                format!("`{shown}` is used before it is defined"),
                "used here",
            )
            .other(later.clone(), "defined here")
            .help("lines run in order: put the definition first");
        }
        let error = Diagnostic::new(
            span.clone(),
            format!("there is no tensor `{shown}`"),
            "not defined",
        );
        match self.nearest(name) {
            // The suggestion is tried: only a name that is defined above can be read here.
            Some(near) if self.scopes.owner(self.scope, &near).is_some() => {
                error.edit(format!("did you mean `{near}`?"), span.clone(), near)
            }
            Some(near) => error.help(format!("did you mean `{near}`? It is defined further down")),
            None => error.help(format!(
                "define it first, for example `param {shown}` for a parameter whose shape is to be inferred"
            )),
        }
    }

    /// The name that was probably meant. Nobody reads the errors past the last that is shown: they are cheap.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        if self.errors.len() >= crate::MAX_ERRORS {
            return None;
        }
        let mut inner: Vec<(usize, &str)> = Vec::new();
        for (place, _) in self.scopes.outwards(self.scope) {
            let scope = &self.scopes.all[place];
            if scope.sort != Sort::File {
                let names = scope.names.iter();
                inner.extend(names.map(|(name, binding)| (binding.order, *name)));
            }
        }
        inner.sort_unstable();
        let inner = inner.into_iter().map(|(_, name)| name);
        nearest(name, inner.chain(self.written.iter().copied())).map(String::from)
    }
}

fn sized<'a>(term: lozenge_vocabulary::DimTerm) -> Value<'a> {
    use lozenge_vocabulary::{DimTerm, RowTerm};
    match term {
        DimTerm::Const(dim) => Value::Size(dim),
        term => Value::Late(Rc::new(vec![RowTerm::closed(Vec::new(), vec![term])])),
    }
}

/// `map` writes each cell once: every label and row variable of an operand is in the result.
fn nothing_lost(spec: &crate::syntax::Spec) -> Parsed<()> {
    use crate::syntax::Axis;
    use std::collections::HashSet;
    let rows = || spec.result.rows().into_iter();
    let labels: HashSet<&str> = rows()
        .flat_map(|row| row.axes())
        .flat_map(Axis::labels)
        .map(|(label, _)| label.name.as_str())
        .collect();
    let variables: HashSet<&str> = rows()
        .filter_map(|row| row.variable())
        .map(|variable| variable.name.as_str())
        .collect();
    for row in spec.operands.iter().flat_map(|operand| operand.rows()) {
        let mut all = row.axes().flat_map(Axis::labels).map(|(label, _)| label);
        let axis = all.find(|label| !labels.contains(label.name.as_str()));
        let variable = row
            .variable()
            .filter(|variable| !variables.contains(variable.name.as_str()));
        if let Some(lost) = axis.or(variable) {
            let name = brief(&lost.name);
            return Err(Diagnostic::new(
                lost.span.clone(),
                format!("`map` writes each cell once, and `{name}` is left out"),
                "not in the result",
            )
            .help(format!(
                "`sum`, `max` or `min` over `{name}`, or a position in its place"
            )));
        }
    }
    Ok(())
}

/// What is being evaluated.
struct Machine<'a> {
    expression: &'a Expression<'a>,
    /// The part whose operation goes where `want` says.
    root: usize,
    want: Want,
    tasks: Vec<Task>,
    values: Vec<Value<'a>>,
}

impl<'a> Machine<'a> {
    /// Notes a task, and before it the parts that it needs, the first of them first.
    fn then(&mut self, task: Task, parts: &[usize]) {
        self.tasks.push(task);
        self.tasks
            .extend(parts.iter().rev().map(|part| Task::Visit(*part)));
    }

    fn take(&mut self, count: usize) -> Vec<Value<'a>> {
        self.values.split_off(self.values.len() - count)
    }

    fn want_of(&self, at: usize) -> Want {
        match at == self.root {
            true => self.want.clone(),
            false => Want::Part,
        }
    }
}
