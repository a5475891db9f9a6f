//! Statements that define something: parameters, constants, sizes, the names of `let`, and functions.

use hashbrown::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Function as Scalar, TensorId};
use lozenge_vocabulary::program::{First, Late, Parameter, Source, Span, Start};
use lozenge_vocabulary::{DimTerm, Tag};

use super::builtin::key_of;
use super::operation::Want;
use super::plan::Plan;
use super::scope::{Function, Sort, Value, as_size};
use super::sizes;
use super::{Elaboration, Frame};
use crate::diagnostic::{Diagnostic, brief};
use crate::syntax::Written;
use crate::syntax::operator::Primitive;
use crate::syntax::{Definition, Expression, Few, Labelled, Name, NodeKind, Statement};

/// The depth to which lists may be nested whose elements get a name from the `let` that binds the whole list.
const NAMED_LEVELS: usize = 8;

impl<'a> Elaboration<'a, '_> {
    /// Tells whether a name may be defined here; if not, the error is reported.
    pub(super) fn is_new(&mut self, name: &Name<'a>, statement: &Statement<'a>) -> bool {
        let Some(owner) = self.scopes.owner(self.scope, name.text) else {
            return true;
        };
        let sort = self.scopes.all[self.scope].sort;
        let binding = &self.scopes.all[owner].names[name.text];
        if owner == self.scope && binding.carried {
            return true;
        }
        // A name of a function hides one of its file, and a name of a file one of the prelude.
        let crosses = |from: usize| {
            let mut at = from;
            while at != owner {
                if self.scopes.all[at].sort != Sort::Turn {
                    return true;
                }
                at = self.scopes.all[at].parent.unwrap_or(owner);
            }
            false
        };
        if owner != self.scope && crosses(self.scope) {
            return true;
        }
        let shown = brief(name.text);
        let before = binding.span.clone();
        let error = if owner != self.scope && sort == Sort::Turn {
            if let Statement::Assign { accumulator, .. } = statement
                && accumulator.erase
                && self.is_parameter(owner, name.text)
            {
                return true;
            }
            if let Some(error) = self.new_in_section(name, &before) {
                self.report(error);
                return false;
            }
            Diagnostic::new(
                name.span.clone(),
                format!("`{shown}` is defined above and would be new in each turn"),
                "new in each turn",
            )
            .other(before, "defined above")
            .help(format!("to go on with it in the next turn write `carry {shown}` behind the range: `for i in 0..12 carry {shown}:`"))
        } else {
            if let Statement::Assign { accumulator, .. } = statement
                && accumulator.erase
                && self.is_parameter(owner, name.text)
            {
                return true;
            }
            Diagnostic::new(
                name.span.clone(),
                format!("`{shown}` is defined twice"),
                "defined again",
            )
            .other(before, "first defined here")
            .help("use another name; `=+`, `=-`, `=*`, `=max` and `=min` update a tensor that is there")
        };
        self.names.is_doubled = true;
        self.report(error);
        false
    }

    pub(super) fn is_parameter(&self, owner: usize, name: &str) -> bool {
        match self.scopes.all[owner].names[name].value {
            Value::Tensor(id) => matches!(self.program[id].source, Source::Param(_)),
            _ => false,
        }
    }

    /// Reports why a tensor cannot be defined; uses of it are not reported again.
    pub(super) fn breaks(&mut self, name: &Name<'a>, error: Diagnostic) {
        self.report(error);
        self.bind(name.text, Value::Broken, &name.span, false);
    }

    /// Returns the full name of a tensor that a statement defines.
    pub(super) fn full_name(&mut self, name: &str) -> Arc<str> {
        let frame = self.frame();
        let full = frame.within(&frame.path, name);
        self.unique(full)
    }

    pub(super) fn constant(&mut self, name: &Name<'a>, shape: Option<&Written>, value: f64) {
        let full = self.full_name(name.text);
        let source = Source::Constant(value);
        let id = match shape {
            None => self.unknown(full, &name.span, source, Tag::Leaf),
            Some(written) => match self.declared(name, &full, written, Tag::Leaf) {
                Ok(shape) => self.tensor(full, &name.span, source, shape, Tag::Leaf),
                Err(error) => return self.breaks(name, error),
            },
        };
        self.bind(name.text, Value::Tensor(id), &name.span, false);
        self.fill(id, value, &name.span);
    }

    pub(super) fn param(
        &mut self,
        name: &Name<'a>,
        shape: Option<&Written>,
        initial: Option<&'a Expression<'a>>,
        state: bool,
        key: usize,
    ) {
        let frame = self.frame();
        let Some(owner) = frame.owner.clone() else {
            let error = one_list_only(frame, name, state);
            // One message for a function serves all its parameters.
            let function = frame
                .definition
                .map_or(0, |definition| definition.lists.start);
            let key = (frame.source, function, error.message.clone());
            if self.reports.reported.insert(key) {
                self.report(error);
            }
            self.bind(name.text, Value::Broken, &name.span, false);
            return;
        };
        let full = frame.within(&owner, name.text);
        let registered: Arc<str> = full.as_str().into();
        if let Some(id) = self.tensors.params.get(&(registered.clone(), key)) {
            let id = *id;
            self.bind(name.text, Value::Tensor(id), &name.span, false);
            return;
        }
        let full = self.unique(full);
        // One text serves both where they are equal.
        let registered = match full == registered {
            true => full.clone(),
            false => registered,
        };
        let value = initial.and_then(|initial| match initial.nodes.as_slice() {
            [node] if let NodeKind::Number(value) = node.kind => Some(value),
            _ => None,
        });
        let drawn = initial.is_none() && !state && self.program.surroundings.normal;
        let start = match (initial, value) {
            (None, _) if drawn => Start::Computed,
            (None, _) => Start::Outside,
            (_, Some(value)) => Start::Value(value),
            (Some(_), None) => Start::Computed,
        };
        let source = Source::Param(Parameter { start, state });
        let id = match shape {
            None => self.unknown(full, &name.span, source, Tag::Param),
            Some(written) => match self.declared(name, &full, written, Tag::Param) {
                Ok(shape) => self.tensor(full, &name.span, source, shape, Tag::Param),
                Err(error) => return self.breaks(name, error),
            },
        };
        self.tensors.params.insert((registered, key), id);
        // Its own initial value may refer to it, to ask for the number of its inputs.
        self.bind(name.text, Value::Tensor(id), &name.span, false);
        let start = self.program.steps.len();
        match (initial, value) {
            (_, Some(value)) => self.fill(id, value, &name.span),
            (Some(initial), None) => self.initial(id, initial, &name.span),
            (None, None) if drawn => self.draw(id, &name.span),
            (None, None) => {}
        }
        self.program.firsts.push(First {
            tensor: id,
            steps: start..self.program.steps.len(),
        });
    }

    /// Gives a parameter the values that `= normal()` would give to it.
    fn draw(&mut self, id: TensorId, span: &Span) {
        let key = key_of(&format!("{}'1", self.program[id].name));
        let late = Late::Random { normal: true, key };
        self.filled(id, Scalar::Constant(0.0), Some(late), Vec::new(), span);
    }

    /// Records the operations that compute the initial values of a parameter.
    fn initial(&mut self, id: TensorId, initial: &'a Expression<'a>, span: &Span) {
        let parameter = self.program[id].name.to_string();
        self.tensors.first_values_of = Some((parameter, 0));
        let value = self.evaluate(initial, Want::Into(id, self.place(span)));
        self.tensors.first_values_of = None;
        match value {
            Value::Number(value) => {
                if let Source::Param(parameter) = &mut self.program.tensors[id.0].source {
                    parameter.start = Start::Value(value);
                }
                self.fill(id, value, span);
            }
            value => {
                let place = initial.root().span.clone();
                let Some(from) = self.tensor_of(&value, &place) else {
                    return;
                };
                if from != id {
                    self.copy(from, &place, Want::Into(id, self.place(span)));
                }
            }
        }
    }

    pub(super) fn size(&mut self, name: &Name<'a>, expression: &'a Expression<'a>) {
        self.a_size_is_wanted = true;
        let value = self.evaluate(expression, Want::Part);
        self.a_size_is_wanted = false;
        let span = expression.root().span.clone();
        let label = Labelled {
            name: name.text.into(),
            span: name.span.clone(),
        };
        let error = match (as_size(&value), self.static_number(&value)) {
            // The sizes of the block were collected before.
            (Some(DimTerm::Const(_)), _) if sizes::literal(&expression.root().kind).is_some() => {
                None
            }
            (Some(DimTerm::Const(dim)), _) => {
                self.scopes.all[self.scope]
                    .sizes
                    .define(&label, dim.into(), "")
            }
            _ if matches!(value, Value::Broken) => None,
            (_, Some(number)) => Some(if number == 0.0 {
                Diagnostic::new(span, "a size is zero", "an axis with no positions")
                    .help("the least size is 1")
            } else {
                Diagnostic::new(
                    span,
                    "a size is a whole number",
                    format!("{number} is no size"),
                )
                .help("write it with digits only")
            }),
            _ => Some(self.not_early(&value, &span, "a size")),
        };
        if let Some(error) = error {
            self.report(error);
        }
    }

    pub(super) fn let_statement(
        &mut self,
        names: &'a [Name<'a>],
        shape: Option<&'a Written>,
        expression: &'a Expression<'a>,
    ) {
        let statement = Statement::Results(Few::new());
        let new: Vec<bool> = names
            .iter()
            .map(|name| self.is_new(name, &statement))
            .collect();
        if new.contains(&false) {
            return;
        }
        let [name] = names else {
            return self.let_several(names, expression);
        };
        let full = match self.section {
            // Two sections may have the same names.
            Some(_) => self.full_name(name.text),
            None => {
                let frame = self.frame();
                frame.within(&frame.path, name.text).into()
            }
        };
        let want = Want::Named(full.clone(), self.place(&name.span));
        let (errors, before) = (self.reports.errors.len(), self.program.tensors.len());
        let value = self.evaluate(expression, want);
        let value = self.named(value, &full, name, expression, before);
        if errors < self.reports.errors.len() || matches!(value, Value::Broken) {
            self.bind(name.text, Value::Broken, &name.span, false);
            return;
        }
        if let (Some(written), Value::Tensor(id)) = (shape, &value) {
            self.check(*id, written, &name.span, false);
        } else if let Some((_, at)) = shape {
            let message = format!(
                "`{}` has no shape: it is {}",
                brief(name.text),
                value.word()
            );
            self.report(
                Diagnostic::new(at.clone(), message, "a shape").help("leave the shape out"),
            );
        }
        self.names.taken.insert(full);
        self.bind(name.text, value, &name.span, false);
    }

    /// Makes a value the one that a `let` binds. A tensor that already has a name is copied; so is a number at the left
    /// margin, into a tensor. The result of a call gets the name of the `let`; several results or the elements of a
    /// list get it with their numbers, so that no part of a program remains unnamed. `before` is the number of tensors
    /// before the expression.
    fn named(
        &mut self,
        value: Value<'a>,
        full: &str,
        name: &Name<'a>,
        expression: &'a Expression<'a>,
        before: usize,
    ) -> Value<'a> {
        let root = expression.root();
        let want = Want::Named(full.into(), self.place(&name.span));
        match &value {
            Value::Number(number) if self.frames.len() == 1 && self.frame().turns.is_empty() => {
                let number = *number;
                let from = self.number(number, &root.span);
                match self.let_copy(from, &root.span, want) {
                    Some(id) => {
                        self.tensors.statics.insert(id, number);
                        Value::Tensor(id)
                    }
                    None => Value::Broken,
                }
            }
            Value::Late(_) if self.frames.len() == 1 => {
                let from = self.tensor_of(&value, &root.span);
                let id = from.and_then(|from| self.let_copy(from, &root.span, want));
                id.map_or(Value::Broken, Value::Tensor)
            }
            // `let y = x` copies, and so does `let w = f.w`; a call's result is only named.
            Value::Tensor(id)
                if matches!(
                    root.kind,
                    NodeKind::Name(_)
                        | NodeKind::Field(..)
                        | NodeKind::Index(..)
                        | NodeKind::Choice { .. }
                ) && *self.program[*id].name != *full =>
            {
                let copy = self.let_copy(*id, &root.span, want);
                copy.map_or(Value::Broken, Value::Tensor)
            }
            Value::Tensor(id) if *self.program[*id].name != *full => {
                self.adopted(*id, full.into(), name, &root.span, before)
            }
            Value::Several(_) | Value::List(_) => {
                self.number_parts(&value, full, name, before);
                value
            }
            _ => value,
        }
    }

    /// Makes the result of a call the tensor that a `let` binds. A tensor that the call has computed gets the name, and
    /// a parameter stays the parameter; a tensor that existed before, or one that no operation computes, is copied.
    fn adopted(
        &mut self,
        id: TensorId,
        full: Arc<str>,
        name: &Name<'a>,
        span: &Span,
        before: usize,
    ) -> Value<'a> {
        if self.is_result(id, before) {
            self.rename(id, full, name);
        } else if !matches!(self.program[id].source, Source::Param(_)) {
            let want = Want::Named(full, self.place(&name.span));
            let copy = self.let_copy(id, span, want);
            return copy.map_or(Value::Broken, Value::Tensor);
        }
        Value::Tensor(id)
    }

    /// Names the tensors of several results or of a list by their indices in it.
    fn number_parts(&mut self, value: &Value<'a>, full: &str, name: &Name<'a>, before: usize) {
        let mut parts = vec![(full.to_string(), value.clone(), 0)];
        while let Some((full, value, depth)) = parts.pop() {
            match value {
                Value::Several(values) | Value::List(values) if depth < NAMED_LEVELS => {
                    let numbered = values.iter().enumerate();
                    parts
                        .extend(numbered.map(|(at, value)| {
                            (format!("{full}[{at}]"), value.clone(), depth + 1)
                        }));
                }
                Value::Tensor(id) if self.is_result(id, before) => {
                    let full = self.unique(full);
                    self.rename(id, full, name);
                }
                _ => {}
            }
        }
    }

    /// Tells whether a tensor was computed by an operation of the expression that a `let` has just elaborated.
    /// Parameters are excluded, because they keep the names under which checkpoints store them.
    fn is_result(&self, id: TensorId, before: usize) -> bool {
        let tensor = &self.program[id];
        id.0 >= before && matches!(tensor.source, Source::Intermediate)
    }

    /// Gives a tensor the name of the `let` that binds it.
    fn rename(&mut self, id: TensorId, full: Arc<str>, name: &Name<'a>) {
        let span = self.place(&name.span);
        let tensor = &mut self.program.tensors[id.0];
        tensor.name = full;
        tensor.span = span;
    }

    fn let_copy(&mut self, from: TensorId, span: &Span, want: Want) -> Option<TensorId> {
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Scalar::Identity),
            operands: vec![(from, span.clone())],
            logic: None,
            accumulator: None,
            span: span.clone(),
        };
        self.operation(want, plan)
    }

    fn let_several(&mut self, names: &'a [Name<'a>], expression: &'a Expression<'a>) {
        let before = self.program.tensors.len();
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        let is_list = matches!(value, Value::List(_));
        let found = match &value {
            Value::Several(values) if values.len() == names.len() => {
                let mut named = HashSet::new();
                for (name, value) in names.iter().zip(values.iter()) {
                    let mut value = value.clone();
                    if let Value::Tensor(id) = value {
                        let full = self.full_name(name.text);
                        // A second name for the same tensor is a copy.
                        let since = if named.insert(id) { before } else { usize::MAX };
                        value = self.adopted(id, full, name, &span, since);
                    }
                    self.bind(name.text, value, &name.span, false);
                }
                return;
            }
            Value::Several(values) => values.len(),
            Value::Broken => 0,
            _ => 1,
        };
        if found > 0 {
            let results = match found {
                1 => "1 result".to_string(),
                _ => format!("{found} results"),
            };
            let help = match is_list {
                true => "a list has one name, and its elements are read by number: `xs[0]`",
                false => "write a name for each result, with commas between them",
            };
            let message = format!("{} names for {results}", names.len());
            self.report(Diagnostic::new(span, message, results).help(help));
        }
        for name in names {
            self.bind(name.text, Value::Broken, &name.span, false);
        }
    }

    /// Adds the constraint that a tensor has the written shape.
    pub(super) fn check(&mut self, id: TensorId, written: &Written, span: &Span, asserted: bool) {
        let number = self.program.steps.len();
        let name = self.program[id].name.to_string();
        match self.stated(written, &name, number) {
            Ok(shape) => self.require(id, shape, (span, &written.1, asserted)),
            Err(error) => self.report(error),
        }
    }

    pub(super) fn definition(&mut self, definition: &'a Definition<'a>) {
        let name = &definition.name;
        if self.scopes.all[self.scope].sort != Sort::File {
            let error = Diagnostic::new(
                name.span.clone(),
                "a function inside a function or a loop",
                "defined in a block",
            )
            .help("put it at the left margin; what it needs is an argument");
            return self.breaks(name, error);
        }
        if let Some(before) = self.scopes.all[self.scope].names.get(name.text) {
            let error = Diagnostic::new(
                name.span.clone(),
                format!("`{}` is defined twice", brief(name.text)),
                "defined again",
            )
            .other(before.span.clone(), "first defined here")
            .help("use another name");
            return self.report(error);
        }
        let function = Function {
            definition,
            scope: self.scope,
            // The function sees its own name, so that a recursive call is reported as such.
            sees: self.defined + 1,
            source: self.frame().source,
        };
        self.bind(
            name.text,
            Value::Function(Rc::new(function)),
            &name.span,
            false,
        );
    }
}

/// Returns the message about a parameter in a function with one list of arguments, which has no instances that could
/// own it.
fn one_list_only(frame: &Frame<'_>, name: &Name<'_>, state: bool) -> Diagnostic {
    let function = frame
        .definition
        .map_or("this", |definition| definition.name.text);
    let shown = brief(function);
    let what = if state { "states" } else { "parameters" };
    let mut error = Diagnostic::new(
        name.span.clone(),
        format!("`{shown}` makes {what}, so it needs two lists"),
        format!("one of its {what}"),
    );
    if let Some(definition) = frame.definition {
        error = error.other(definition.lists.clone(), "only one list");
    }
    error.help(format!(
        "write `def {shown}()(…):`, and `{shown}()(x)` or `let g = {shown}()` to use it"
    ))
}
