//! Statements and blocks.

use std::rc::Rc;

use lozenge_vocabulary::operation::{Accumulator, Function as Scalar, TensorId};
use lozenge_vocabulary::program::{Request, Source, Span, Wish};

use super::Elaboration;
use super::operation::Want;
use super::plan::Plan;
use super::scope::{Builtin, Elements, Value};
use crate::diagnostic::{Diagnostic, brief};
use crate::syntax::Written;
use crate::syntax::operator::Primitive;
use crate::syntax::{Block, Expression, Logic, Name, NodeKind, Statement};

impl<'a> Elaboration<'a, '_> {
    /// Elaborates a block. If it is the body of a function, `result` is the destination of the value of its last line;
    /// other blocks have no result.
    pub(super) fn block(&mut self, block: &'a Block<'a>, result: Option<Want>) -> Value<'a> {
        let mut value = Value::Nothing;
        let last = block.len().saturating_sub(1);
        for (at, statement) in block.iter().enumerate() {
            if self.effort.stopped {
                break;
            }
            self.frame_mut().label.clear();
            match (statement, &result) {
                (Statement::Results(expressions), Some(want)) if at == last => {
                    value = self.results(expressions, want.clone());
                }
                _ => self.statement(statement),
            }
        }
        value
    }

    fn results(&mut self, expressions: &'a [Expression<'a>], want: Want) -> Value<'a> {
        match expressions {
            [one] => self.evaluate(one, want),
            several => {
                let values = several.iter().map(|one| self.evaluate(one, Want::Part));
                Value::Several(Rc::new(Elements(values.collect())))
            }
        }
    }

    pub(super) fn statement(&mut self, statement: &'a Statement<'a>) {
        let span = place_of(statement);
        if !self.works(&span) {
            return;
        }
        if let [name, ..] = statement.defines() {
            self.frame_mut().label = name.text.to_string();
        }
        if !matches!(statement, Statement::Let { .. })
            && let [name, ..] = statement.defines()
            && !self.is_new(name, statement)
        {
            return;
        }
        self.elaborate_statement(statement);
    }

    /// Elaborates a statement whose names are known to be new.
    fn elaborate_statement(&mut self, statement: &'a Statement<'a>) {
        match statement {
            Statement::Data {
                name,
                shape,
                values,
                everywhere,
                place,
            } => self.data(name, shape.as_deref(), values, *everywhere, place),
            Statement::Param {
                name,
                shape,
                initial,
                state,
            } => {
                let key = std::ptr::from_ref(statement) as usize;
                self.param(name, shape.as_deref(), initial.as_ref(), *state, key);
            }
            Statement::Constant { name, shape, value } => {
                self.constant(name, shape.as_deref(), *value);
            }
            Statement::Size { name, expression } => self.size(name, expression),
            Statement::Let {
                names,
                shape,
                expression,
            } => self.let_statement(names, shape.as_deref(), expression),
            Statement::Assign {
                name,
                accumulator,
                expression,
                logic,
                captures,
            } => {
                self.assignment(name, *accumulator, expression, logic.as_ref());
                if let Some(logic) = logic {
                    self.capture(captures, logic);
                }
            }
            Statement::Def(definition) => self.definition(definition),
            Statement::For(repetition) => self.repetition(repetition),
            Statement::Section(section) => self.section(section),
            Statement::EachEpoch(block) => self.each_epoch(block),
            Statement::Print(expressions) => {
                for expression in expressions {
                    self.request(expression, Wish::Print);
                }
            }
            Statement::Save { expression, path } => {
                self.request(expression, Wish::Save(path.into()));
            }
            Statement::Assert { expression, shape } => self.assertion(expression, shape.as_deref()),
            Statement::Backward(expression) => self.backward(expression),
            Statement::Use { path, place, alias } => {
                self.use_statement(path, place, alias.as_ref());
            }
            Statement::Op(definition) => self.operator_definition(definition),
            Statement::Results(expressions) => {
                for expression in expressions {
                    self.for_effect(expression);
                }
            }
        }
    }

    /// Elaborates an expression on a line of its own, whose value is not used.
    fn for_effect(&mut self, expression: &'a Expression<'a>) {
        let before = self.program.steps.len();
        let value = self.evaluate(expression, Want::Part);
        let does_something = matches!(value, Value::Nothing | Value::Broken);
        if !does_something && self.program.steps.len() >= before {
            let span = expression.root().span.clone();
            let inside = self.frames.len() > 1;
            let help = match inside {
                true => {
                    "the result of a function is its last line; another line defines or updates: `let y = …`"
                }
                false => "give it a name, `let y = …`, or show it, `print …`",
            };
            self.report(
                Diagnostic::new(span, "the value of this line goes nowhere", "not used").help(help),
            );
        }
    }

    /// Elaborates `NAME =:+ EXPRESSION "SPEC"`.
    fn assignment(
        &mut self,
        name: &'a Name<'a>,
        accumulator: Accumulator,
        expression: &'a Expression<'a>,
        logic: Option<&Logic>,
    ) {
        let overwrites = accumulator.erase
            && self
                .scopes
                .owner(self.scope, name.text)
                .is_some_and(|owner| self.is_parameter(owner, name.text));
        let defines = accumulator.erase && !overwrites;
        let label = name.text.to_string();
        self.frame_mut().label = label;
        let alternatives = logic.is_some() && self.joins(expression);
        let Some((primitive, operands)) = self.operands(expression, logic) else {
            if defines {
                self.bind(name.text, Value::Broken, &name.span, false);
            }
            return;
        };
        let want = if defines {
            let full = self.full_name(name.text);
            Want::Named(full, self.place(&name.span))
        } else {
            match self.updated(name) {
                Some(id) => {
                    // A number that is changed is known no longer.
                    self.tensors.statics.remove(&id);
                    Want::Into(id, self.place(&name.span))
                }
                None => return,
            }
        };
        let plan = Plan {
            alternatives,
            primitive,
            operands,
            logic: logic.cloned(),
            accumulator: Some(accumulator),
            span: expression.root().span.clone(),
        };
        let made = self.operation(want, plan);
        if defines {
            let value = made.map_or(Value::Broken, Value::Tensor);
            self.bind(name.text, value, &name.span, false);
        }
    }

    /// Tells whether an expression is `concat(x, y)`, whose spec follows it.
    fn joins(&self, expression: &'a Expression<'a>) -> bool {
        let root = expression.root();
        match &root.kind {
            NodeKind::Call(callee, arguments) if !root.grouped => {
                let is_text = |at: usize| matches!(expression.nodes[at].kind, NodeKind::Text(..));
                let named = matches!(
                    self.builtin(expression, *callee),
                    Some(Builtin::Named("concat"))
                );
                let mut arguments = arguments.iter();
                named && !arguments.any(|given| given.name.is_some() || is_text(given.value))
            }
            _ => false,
        }
    }

    /// Finds the operation at the root of an assignment's expression, with its operands. Parentheses around the whole
    /// expression request a separate tensor for it.
    fn operands(
        &mut self,
        expression: &'a Expression<'a>,
        logic: Option<&Logic>,
    ) -> Option<(Primitive, Vec<(TensorId, Span)>)> {
        let at = expression.nodes.len() - 1;
        let root = expression.root();
        let scalar = match root.grouped {
            true => None,
            false => self.scalar(expression, at),
        };
        let scalar = scalar
            .filter(|(primitive, _)| !(logic.is_some() && *primitive == Primitive::Transpose));
        let scalar = match logic {
            Some(Logic::Einsum(spec)) if spec.operands.len() > 2 => {
                Some(self.in_the_loop(expression, at, spec.operands.len()))
            }
            _ => scalar,
        };
        let identity = (Primitive::Function(&Scalar::Identity), vec![at]);
        let (primitive, parts) = match &root.kind {
            NodeKind::Call(_, arguments) if logic.is_some() && self.joins(expression) => {
                let tensors = arguments.iter().map(|argument| argument.value);
                (Primitive::Function(&Scalar::Identity), tensors.collect())
            }
            _ => scalar.unwrap_or(identity),
        };
        let values: Vec<Value<'a>> = parts
            .iter()
            .map(|part| self.evaluate_node(expression, *part, Want::Part))
            .collect();
        let mut operands = Vec::with_capacity(parts.len());
        for (value, part) in values.iter().zip(&parts) {
            let span = expression.nodes[*part].span.clone();
            operands.push((self.tensor_of(value, &span)?, span));
        }
        Some((primitive, operands))
    }

    /// Finds the tensor that an assignment without a colon updates: a parameter or an intermediate.
    fn updated(&mut self, name: &'a Name<'a>) -> Option<TensorId> {
        let known = self.scopes.owner(self.scope, name.text).is_some()
            || self.names.broken.contains(name.text)
            || self.names.later.contains_key(name.text);
        if !known {
            let message = format!("there is no tensor `{}` to update", brief(name.text));
            let help = match self.nearest(name.text) {
                Some(near) => format!(
                    "did you mean `{near}`? To define a new tensor, put a colon after the `=`"
                ),
                None => "to define a new tensor, put a colon after the `=`: `=:+`".into(),
            };
            self.report(Diagnostic::new(name.span.clone(), message, "not defined").help(help));
            return None;
        }
        let value = self.name(name.text, &name.span);
        let id = match value {
            Value::Tensor(id) => id,
            Value::Broken => return None,
            other => {
                let message = format!(
                    "`{}` is {} and cannot be written",
                    brief(name.text),
                    other.word()
                );
                self.report(
                    Diagnostic::new(name.span.clone(), message, "written here").help(
                        "use an assignment with a colon (`=:+`) and another name for a new tensor",
                    ),
                );
                return None;
            }
        };
        let id = self.batch_of(id).unwrap_or(id);
        let tensor = &self.program[id];
        let what = match &tensor.source {
            Source::Data(_) => "data",
            Source::Constant(_) => "a constant",
            Source::Param(_) | Source::Intermediate => return Some(id),
        };
        let error = Diagnostic::new(
            name.span.clone(),
            format!("`{}` is {what} and cannot be written", brief(name.text)),
            "written here",
        )
        .other(tensor.span.clone(), "defined here")
        .help("use an assignment with a colon (`=:+`) and another name for a new tensor");
        self.report(error);
        None
    }

    fn request(&mut self, expression: &'a Expression<'a>, what: Wish) {
        self.frame_mut().label = "print".into();
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        if let Some(tensor) = self.tensor_of(&value, &span) {
            let span = self.place(&span);
            self.program.requests.push(Request {
                after: self.program.steps.len(),
                tensor,
                span,
                what,
            });
        }
    }

    fn assertion(&mut self, expression: &'a Expression<'a>, shape: Option<&'a Written>) {
        self.frame_mut().label = "assert".into();
        let Some(written) = shape else {
            return self.request(expression, Wish::Assert);
        };
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        if let Some(id) = self.tensor_of(&value, &span) {
            self.check(id, written, &span, true);
        }
    }
}

/// Returns the place of a statement, for messages about the limit on work.
pub(super) fn place_of(statement: &Statement) -> Span {
    match statement {
        Statement::Def(definition) => definition.name.span.clone(),
        Statement::Op(definition) => definition.name.span.clone(),
        Statement::For(repetition) => repetition.header.clone(),
        Statement::Section(section) => section.header.clone(),
        Statement::EachEpoch(block) => block.header.clone(),
        Statement::Size { name, .. } | Statement::Assign { name, .. } => name.span.clone(),
        Statement::Use { place, .. } => place.clone(),
        Statement::Print(expressions) | Statement::Results(expressions) => expressions
            .first()
            .map_or(0..0, |expression| expression.root().span.clone()),
        Statement::Save { expression, .. }
        | Statement::Assert { expression, .. }
        | Statement::Backward(expression) => expression.root().span.clone(),
        statement => statement
            .defines()
            .first()
            .map_or(0..0, |name| name.span.clone()),
    }
}
