//! Statements and blocks.

use std::rc::Rc;

use lozenge_vocabulary::operation::{Accumulator, Function as Scalar, TensorId};
use lozenge_vocabulary::program::{First, Parameter, Request, Source, Span, Start, Wish};
use lozenge_vocabulary::{DimTerm, Tag};

use super::Elaboration;
use super::operation::Want;
use super::scope::{Builtin, Function, Sort, Value, as_size};
use crate::cursor::brief;
use crate::diagnostic::Diagnostic;
use crate::operator::Primitive;
use crate::plan::Plan;
use crate::shape::Written;
use crate::sizes;
use crate::syntax::{
    Block, Definition, Expression, Labelled, Logic, Name, NodeKind, Repetition, Statement,
};

impl<'a> Elaboration<'a, '_> {
    /// Goes through a block. `result` says where the value of a function's last line goes; without it the block is no
    /// function's.
    pub(super) fn block(&mut self, block: &'a Block<'a>, result: Option<Want>) -> Value<'a> {
        let mut value = Value::Nothing;
        let last = block.len().saturating_sub(1);
        for (at, statement) in block.iter().enumerate() {
            if self.stopped {
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
                Value::Several(Rc::new(values.collect()))
            }
        }
    }

    fn statement(&mut self, statement: &'a Statement<'a>) {
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
        match statement {
            Statement::Data {
                name,
                shape,
                values,
                place,
            } => self.data(name, shape.as_deref(), values, place),
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
            Statement::Backward(name) => self.backward(name),
            Statement::Op(definition) => self.operator_definition(definition),
            Statement::Results(expressions) => {
                for expression in expressions {
                    self.for_effect(expression);
                }
            }
        }
    }

    /// An expression on a line of its own, whose value goes nowhere.
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

    /// Whether a name may be defined here.
    fn is_new(&mut self, name: &Name<'a>, statement: &Statement<'a>) -> bool {
        let Some(owner) = self.scopes.owner(self.scope, name.text) else {
            return true;
        };
        let sort = self.scopes.all[self.scope].sort;
        let binding = &self.scopes.all[owner].names[name.text];
        if owner == self.scope && binding.carried {
            return true;
        }
        // A function hides what its file has, and a file what the prelude has.
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
            .help("use another name; `=+`, `=-`, `=max` and `=min` update a tensor that is there")
        };
        self.report(error);
        false
    }

    fn is_parameter(&self, owner: usize, name: &str) -> bool {
        match self.scopes.all[owner].names[name].value {
            Value::Tensor(id) => matches!(self.program.tensor(id).source, Source::Param(_)),
            _ => false,
        }
    }

    /// Reports why a tensor cannot be defined; to use it is no further error.
    pub(super) fn breaks(&mut self, name: &Name<'a>, error: Diagnostic) {
        self.report(error);
        self.bind(name.text, Value::Broken, &name.span, false);
    }

    /// The full name of a tensor that a statement defines.
    pub(super) fn full_name(&mut self, name: &str) -> String {
        let frame = self.frame();
        let full = frame.within(&frame.path, name);
        self.unique(full)
    }

    fn constant(&mut self, name: &Name<'a>, shape: Option<&Written>, value: f64) {
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

    fn param(
        &mut self,
        name: &Name<'a>,
        shape: Option<&Written>,
        initial: Option<&'a Expression<'a>>,
        state: bool,
        key: usize,
    ) {
        let frame = self.frame();
        let Some(owner) = frame.owner.clone() else {
            let function = frame
                .definition
                .map_or("this", |definition| definition.name.text);
            let lists = frame.definition.map(|definition| definition.lists.clone());
            let shown = brief(function);
            let what = if state { "states" } else { "parameters" };
            let mut error = Diagnostic::new(
                name.span.clone(),
                format!("`{shown}` makes {what}, so it needs two lists"),
                format!("one of its {what}"),
            );
            if let Some(lists) = lists {
                error = error.other(lists, "only one list");
            }
            let error = error.help(format!(
                "write `def {shown}()(…):`, and `{shown}()(x)` or `let g = {shown}()` to use it"
            ));
            return self.breaks(name, error);
        };
        let full = frame.within(&owner, name.text);
        if let Some(id) = self.params.get(&(full.clone(), key)) {
            let id = *id;
            self.bind(name.text, Value::Tensor(id), &name.span, false);
            return;
        }
        let registered = full.clone();
        let full = self.unique(full);
        let value = initial.and_then(|initial| match initial.nodes.as_slice() {
            [node] => match node.kind {
                NodeKind::Number(value) => Some(value),
                _ => None,
            },
            _ => None,
        });
        let start = match (initial, value) {
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
        self.params.insert((registered, key), id);
        // Its own initial value may ask how many inputs it has.
        self.bind(name.text, Value::Tensor(id), &name.span, false);
        let start = self.program.steps.len();
        match (initial, value) {
            (_, Some(value)) => self.fill(id, value, &name.span),
            (Some(initial), None) => self.initial(id, initial, &name.span),
            (None, None) => {}
        }
        self.program.firsts.push(First {
            tensor: id,
            steps: start..self.program.steps.len(),
        });
    }

    /// The operations that compute the first values of a parameter.
    fn initial(&mut self, id: TensorId, initial: &'a Expression<'a>, span: &Span) {
        let parameter = self.program.tensor(id).name.to_string();
        self.first_values_of = Some((parameter, 0));
        let value = self.evaluate(initial, Want::Into(id, span.clone()));
        self.first_values_of = None;
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
                    self.copy(from, &place, Want::Into(id, span.clone()));
                }
            }
        }
    }

    fn size(&mut self, name: &Name<'a>, expression: &'a Expression<'a>) {
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        let label = Labelled {
            name: name.text.into(),
            span: name.span.clone(),
        };
        let error = match (as_size(&value), self.static_number(&value)) {
            // The block was looked through for these before.
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

    fn let_statement(
        &mut self,
        names: &'a [Name<'a>],
        shape: Option<&'a Written>,
        expression: &'a Expression<'a>,
    ) {
        let statement = Statement::Results(Vec::new());
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
                frame.within(&frame.path, name.text)
            }
        };
        let want = Want::Named(full.clone(), name.span.clone());
        let errors = self.errors.len();
        let value = self.evaluate(expression, want);
        let value = self.named(value, &full, name, expression);
        if errors < self.errors.len() || matches!(value, Value::Broken) {
            self.bind(name.text, Value::Broken, &name.span, false);
            return;
        }
        if let (Some(written), Value::Tensor(id)) = (shape, &value) {
            self.check(*id, written, &name.span);
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
        self.taken.insert(full);
        self.bind(name.text, value, &name.span, false);
    }

    /// What a `let` binds: at the left margin a number, and everywhere a tensor that has a name, is a tensor of its own.
    fn named(
        &mut self,
        value: Value<'a>,
        full: &str,
        name: &Name<'a>,
        expression: &'a Expression<'a>,
    ) -> Value<'a> {
        let root = expression.root();
        let want = Want::Named(full.to_string(), name.span.clone());
        match &value {
            Value::Number(number) if self.frames.len() == 1 && self.frame().turns.is_empty() => {
                let number = *number;
                let from = self.number(number, &root.span);
                match self.let_copy(from, &root.span, want) {
                    Some(id) => {
                        self.statics.insert(id, number);
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
                ) && *self.program.tensor(*id).name != *full =>
            {
                let copy = self.let_copy(*id, &root.span, want);
                copy.map_or(Value::Broken, Value::Tensor)
            }
            _ => value,
        }
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
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        let found = match &value {
            Value::Several(values) if values.len() == names.len() => {
                for (name, value) in names.iter().zip(values.iter()) {
                    if let Value::Tensor(id) = value
                        && self.program.tensor(*id).name.contains('\'')
                    {
                        self.program.tensors[id.0].name = self.full_name(name.text).into();
                    }
                    self.bind(name.text, value.clone(), &name.span, false);
                }
                return;
            }
            Value::Several(values) => values.len(),
            Value::Broken => 0,
            _ => 1,
        };
        if found > 0 {
            let message = format!("{} names for {found} results", names.len());
            self.report(
                Diagnostic::new(span, message, format!("{found} results"))
                    .help("write a name for each result, with commas between them"),
            );
        }
        for name in names {
            self.bind(name.text, Value::Broken, &name.span, false);
        }
    }

    /// States that a tensor has the shape that is written.
    fn check(&mut self, id: TensorId, written: &Written, span: &Span) {
        let number = self.program.steps.len();
        match self.stated(written, number) {
            Ok(shape) => self.require(id, shape, span),
            Err(error) => self.report(error),
        }
    }

    /// `NAME =:+ EXPRESSION "SPEC"`.
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
        let Some((primitive, operands)) = self.operands(expression, logic.is_some()) else {
            if defines {
                self.bind(name.text, Value::Broken, &name.span, false);
            }
            return;
        };
        let want = if defines {
            let full = self.full_name(name.text);
            Want::Named(full, name.span.clone())
        } else {
            match self.updated(name) {
                Some(id) => Want::Into(id, name.span.clone()),
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

    /// Whether an expression is `concat(x, y)`, whose spec stands behind it.
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

    /// The operation at the root of an assignment's expression, with its operands. Parentheses around the whole ask for a
    /// tensor of its own.
    fn operands(
        &mut self,
        expression: &'a Expression<'a>,
        has_spec: bool,
    ) -> Option<(Primitive, Vec<(TensorId, Span)>)> {
        let at = expression.nodes.len() - 1;
        let root = expression.root();
        let scalar = match root.grouped {
            true => None,
            false => self.scalar(expression, at),
        };
        let scalar =
            scalar.filter(|(primitive, _)| !(has_spec && *primitive == Primitive::Transpose));
        let identity = match &root.kind {
            NodeKind::Call(_, arguments) if has_spec && self.joins(expression) => {
                let tensors = arguments.iter().map(|argument| argument.value);
                (Primitive::Function(&Scalar::Identity), tensors.collect())
            }
            _ => (Primitive::Function(&Scalar::Identity), vec![at]),
        };
        let (primitive, parts) = scalar.unwrap_or(identity);
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

    /// The tensor that an assignment without a colon updates: a parameter or an intermediate.
    fn updated(&mut self, name: &'a Name<'a>) -> Option<TensorId> {
        let known = self.scopes.owner(self.scope, name.text).is_some()
            || self.broken.contains(name.text)
            || self.later.contains_key(name.text);
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
        let tensor = self.program.tensor(id);
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

    fn definition(&mut self, definition: &'a Definition<'a>) {
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
            // It sees itself, so that a call of itself is said to be one.
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

    fn repetition(&mut self, repetition: &'a Repetition<'a>) {
        let from = self.evaluate(&repetition.from, Want::Part);
        let to = repetition
            .to
            .as_ref()
            .map(|to| (self.evaluate(to, Want::Part), to));
        let from_span = &repetition.from.root().span;
        let to = to.as_ref().map(|(value, to)| (value, &to.root().span));
        let Some(turns) = self.turns((&from, from_span), to) else {
            for name in &repetition.carry {
                self.bind(name.text, Value::Broken, &name.span, false);
            }
            return;
        };
        let mut carried: Vec<Value<'a>> = Vec::new();
        for name in &repetition.carry {
            if self.scopes.owner(self.scope, name.text).is_none() {
                let message = format!("`{}` is not defined before the loop", brief(name.text));
                self.report(
                    Diagnostic::new(name.span.clone(), message, "carried from turn to turn")
                        .help("the first turn needs a value: define it above the loop"),
                );
                carried.push(Value::Broken);
            } else {
                carried.push(self.name(name.text, &name.span));
            }
        }
        if !self.deeper(&repetition.header) {
            return;
        }
        for (turn, value) in turns {
            if !self.works(&repetition.header) {
                break;
            }
            self.enter_turn(turn, &repetition.name, value);
            let mut wrong = Vec::new();
            self.scopes.all[self.scope].sizes = sizes::Sizes::new(&repetition.body, &mut wrong);
            for error in wrong {
                self.report(error);
            }
            for (name, value) in repetition.carry.iter().zip(&carried) {
                self.bind(name.text, value.clone(), &name.span, true);
            }
            self.block(&repetition.body, None);
            for (name, value) in repetition.carry.iter().zip(&mut carried) {
                if let Some(binding) = self.scopes.all[self.scope].names.get(name.text) {
                    *value = binding.value.clone();
                }
            }
            self.leave_turn();
        }
        self.levels -= 1;
        for (name, value) in repetition.carry.iter().zip(carried) {
            let before = self.scopes.all[self.scope].names.get(name.text);
            let carried = before.is_some_and(|binding| binding.carried);
            self.bind(name.text, value, &name.span, carried);
        }
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
            self.check(id, written, &span);
        }
    }
}

/// A place of a statement, for messages about its work.
fn place_of(statement: &Statement) -> Span {
    match statement {
        Statement::Def(definition) => definition.name.span.clone(),
        Statement::Op(definition) => definition.name.span.clone(),
        Statement::For(repetition) => repetition.header.clone(),
        Statement::Section(section) => section.header.clone(),
        Statement::EachEpoch(block) => block.header.clone(),
        Statement::Size { name, .. }
        | Statement::Assign { name, .. }
        | Statement::Backward(name) => name.span.clone(),
        Statement::Print(expressions) | Statement::Results(expressions) => expressions
            .first()
            .map_or(0..0, |expression| expression.root().span.clone()),
        Statement::Save { expression, .. } | Statement::Assert { expression, .. } => {
            expression.root().span.clone()
        }
        statement => statement
            .defines()
            .first()
            .map_or(0..0, |name| name.span.clone()),
    }
}
