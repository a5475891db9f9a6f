//! Calls: functions of the program, instances with their parameters, and the functions of the language.

use std::collections::HashMap;
use std::rc::Rc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function as Scalar, Shape, TensorId};
use lozenge_vocabulary::program::{Call, Late, Source, Span, Tensor, Values};
use lozenge_vocabulary::{DimTerm, RowTerm, RowVar, Tag};

use super::operation::{ERASE, Want};
use super::scope::{Builtin, Function, Instance, Scope, Sort, Value};
use super::{Elaboration, Frame, PROGRAM};
use crate::cursor::{Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::operator::Primitive;
use crate::plan::Plan;
use crate::requirement;
use crate::sizes::Sizes;
use crate::suggestion::nearest;
use crate::syntax::{Axis, Formal, Labelled, Logic, Name, Spec};

/// An argument of a call: its name, its value, its place.
pub(super) type Given<'n, 'a> = (Option<&'n Name<'a>>, Value<'a>, Span);

/// Arguments by the names that the function has for them.
type Bound<'a> = Vec<(&'a str, Value<'a>)>;

impl<'a> Elaboration<'a, '_> {
    pub(super) fn call(
        &mut self,
        function: Value<'a>,
        given: Vec<Given<'_, 'a>>,
        span: &Span,
        callee: &Span,
        want: Want,
    ) -> Value<'a> {
        let done = match function {
            Value::Broken => return Value::Broken,
            Value::Function(function) => self.call_function(&function, given, span, want),
            Value::Instance(instance) => self.call_instance(&instance, given, span, want),
            Value::Operator(operator) => self.call_operator(&operator, given, span, want),
            Value::Builtin(builtin) => self.call_builtin(builtin, given, span, want),
            other => Err(not_callable(&other, callee)),
        };
        match done {
            Ok(value) => value,
            Err(error) => {
                self.report(error);
                Value::Broken
            }
        }
    }

    fn call_function(
        &mut self,
        function: &Rc<Function<'a>>,
        given: Vec<Given<'_, 'a>>,
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        let definition = function.definition;
        let arguments = self.bound(function, &definition.config, given, span)?;
        if definition.tensors.is_none() {
            return Ok(self.run(function, arguments, None, span, want));
        }
        // An instance that gets a name has its parameters under it; another one is named after its statement.
        let frame = self.frame();
        let path = match &want {
            Want::Named(name, _) if frame.path.is_empty() => name.clone(),
            Want::Named(..) => {
                let owner = frame.owner.clone().unwrap_or_else(|| frame.path.clone());
                frame.within(&owner, &frame.label)
            }
            Want::Part | Want::Into(..) => self.inline(definition.name.text),
        };
        Ok(Value::Instance(Rc::new(Instance {
            function: function.clone(),
            arguments,
            path,
        })))
    }

    /// The path of an instance without a name of its own.
    fn inline(&mut self, function: &str) -> String {
        let frame = self.frame();
        let owner = frame.owner.clone().unwrap_or_else(|| frame.path.clone());
        let statement = frame.within(&owner, &frame.label);
        let path = match statement.is_empty() {
            true => function.to_string(),
            false => format!("{statement}.{function}"),
        };
        let ordinal = self.frame_mut().ordinals.entry(path.clone()).or_default();
        *ordinal += 1;
        match *ordinal {
            1 => path,
            ordinal => format!("{path}{ordinal}"),
        }
    }

    fn call_instance(
        &mut self,
        instance: &Rc<Instance<'a>>,
        given: Vec<Given<'_, 'a>>,
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        let function = &instance.function;
        let formals = function.definition.tensors.as_deref().unwrap_or_default();
        let mut arguments = instance.arguments.clone();
        arguments.extend(self.bound(function, formals, given, span)?);
        let owner = Some(instance.path.clone());
        Ok(self.run(function, arguments, owner, span, want))
    }

    /// The arguments of a call by their names, defaults where they are left out.
    fn bound(
        &mut self,
        function: &Function<'a>,
        formals: &'a [Formal<'a>],
        given: Vec<Given<'_, 'a>>,
        span: &Span,
    ) -> Parsed<Bound<'a>> {
        let name = brief(function.definition.name.text);
        let takes = || match formals {
            [] => "no arguments".to_string(),
            formals => {
                let names: Vec<String> = formals
                    .iter()
                    .map(|formal| format!("`{}`", formal.name.text))
                    .collect();
                names.join(", ")
            }
        };
        let mut values: Vec<Option<Value<'a>>> = formals.iter().map(|_| None).collect();
        for (position, (argument, value, place)) in given.into_iter().enumerate() {
            let at = match argument {
                None => position,
                Some(argument) => {
                    let found = formals
                        .iter()
                        .position(|formal| formal.name.text == argument.text);
                    found.ok_or_else(|| unknown_argument(&name, argument, formals, &takes()))?
                }
            };
            match values.get_mut(at) {
                Some(slot @ None) => *slot = Some(value),
                Some(Some(_)) => {
                    let message = format!("`{name}` is given `{}` twice", formals[at].name.text);
                    return Err(
                        Diagnostic::new(place, message, "the second").help("leave one of them out")
                    );
                }
                None => {
                    let message = format!("`{name}` takes {}", takes());
                    return Err(Diagnostic::new(place, message, "one too many").help(
                        match function.definition.tensors {
                            Some(_) => "configuration stands in the first list, tensors in the second: `dense(128)(x)`",
                            None => "leave it out",
                        },
                    ));
                }
            }
        }
        let mut bound = Vec::with_capacity(formals.len());
        for (formal, value) in formals.iter().zip(values) {
            let value = match (value, &formal.default) {
                (Some(value), _) => value,
                (None, Some(default)) => {
                    let here = std::mem::replace(&mut self.scope, function.scope);
                    let value = self.evaluate(default, Want::Part);
                    self.scope = here;
                    value
                }
                (None, None) => {
                    let message = format!("`{name}` needs `{}`", formal.name.text);
                    return Err(Diagnostic::new(span.clone(), message, "not given")
                        .help(format!("it takes {}", takes())));
                }
            };
            bound.push((formal.name.text, value));
        }
        Ok(bound)
    }

    /// Goes through the body of a function.
    fn run(
        &mut self,
        function: &Function<'a>,
        arguments: Bound<'a>,
        owner: Option<String>,
        span: &Span,
        want: Want,
    ) -> Value<'a> {
        let definition = function.definition;
        let name = definition.name.text;
        let itself = |frame: &Frame<'a>| {
            frame
                .definition
                .is_some_and(|inside| std::ptr::eq(inside, definition))
        };
        if self.frames.iter().any(itself) {
            let message = format!("`{}` calls itself", brief(name));
            self.report(
                Diagnostic::new(span.clone(), message, "called inside itself").help(
                    "a program has a fixed number of operations: write `for i in 0..12 carry y:`",
                ),
            );
            return Value::Broken;
        }
        if !self.deeper(span) {
            return Value::Broken;
        }
        let frame = self.frame();
        let caller = frame.within(&frame.path, &frame.label);
        let path = match caller.is_empty() {
            true => name.to_string(),
            false => format!("{caller}.{name}"),
        };
        let at = self.place(span);
        let within = frame.call;
        let path = self.unique(path);
        let own_text = function.source == PROGRAM;
        let call = if own_text {
            self.program.calls.push(Call {
                function: name.to_string(),
                span: at.clone(),
                within,
            });
            Some(self.program.calls.len() - 1)
        } else {
            within
        };
        self.frames.push(Frame {
            source: function.source,
            place: (!own_text).then_some(at),
            call,
            definition: Some(definition),
            path,
            owner,
            label: String::new(),
            turns: Vec::new(),
            ordinals: HashMap::new(),
        });
        let (scope, scopes) = (self.scope, self.scopes.all.len());
        let mut wrong = Vec::new();
        let sizes = Sizes::new(&definition.body, &mut wrong);
        for error in wrong {
            self.report(error);
        }
        self.scope = scopes;
        self.scopes.all.push(Scope {
            sort: Sort::Call,
            parent: Some(function.scope),
            sees: function.sees,
            names: HashMap::new(),
            sizes,
        });
        for (name, value) in arguments {
            self.bind(name, value, &definition.name.span, false);
        }
        let result = self.block(&definition.body, Some(want));
        self.scopes.all.truncate(scopes);
        self.scope = scope;
        self.frames.pop();
        self.levels -= 1;
        result
    }

    fn call_builtin(
        &mut self,
        builtin: Builtin,
        given: Vec<Given<'_, 'a>>,
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        if let Some((Some(name), ..)) = given.iter().find(|(name, ..)| name.is_some()) {
            return Err(Diagnostic::new(
                name.span.clone(),
                format!(
                    "`{}` has no argument `{}`",
                    builtin.word(),
                    brief(name.text)
                ),
                "no argument has a name here",
            )
            .help("leave the name out"));
        }
        let given: Vec<(Value<'a>, Span)> = given
            .into_iter()
            .map(|(_, value, place)| (value, place))
            .collect();
        let word = builtin.word();
        match builtin {
            Builtin::Primitive(_, primitive) => self.primitive(primitive, &given, span, want),
            Builtin::Named("count") => self.count(&given, span),
            Builtin::Named("fan_in") => self.fan_in(&given, span),
            Builtin::Named("range") => self.range(&given, span),
            Builtin::Named("uniform" | "normal") => self.random(word, &given, span),
            Builtin::Named("concat") => self.concat(&given, span, want),
            Builtin::Named("stack") => self.stack(&given, span, want),
            Builtin::Named("append") => match given.as_slice() {
                [(Value::List(list), _), (value, _)] => {
                    let mut longer = list.as_ref().clone();
                    longer.push(value.clone());
                    Ok(Value::List(Rc::new(longer)))
                }
                _ => Err(wrong_arguments(
                    word,
                    "a list and an element",
                    "append(xs, y)",
                    span,
                )),
            },
            Builtin::Named("params") => self.params(&given, span),
            Builtin::Named(_) => self.reduced(word, &given, span, want),
        }
    }

    /// A scalar function that is a value, such as a function's argument.
    fn primitive(
        &mut self,
        primitive: Primitive,
        given: &[(Value<'a>, Span)],
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        if given.len() != primitive.arity() {
            return Err(wrong_arity(primitive, given.len(), span.clone()));
        }
        let numbers: Option<Vec<f64>> = given
            .iter()
            .map(|(value, _)| self.static_number(value))
            .collect();
        if let Some(number) =
            numbers.and_then(|numbers| super::operation::fold(primitive, &numbers))
        {
            return Ok(Value::Number(number));
        }
        let mut operands = Vec::with_capacity(given.len());
        for (value, place) in given {
            match self.tensor_of(value, place) {
                Some(id) => operands.push((id, place.clone())),
                None => return Ok(Value::Broken),
            }
        }
        let plan = Plan {
            alternatives: false,
            primitive,
            operands,
            logic: None,
            accumulator: None,
            span: span.clone(),
        };
        Ok(self
            .operation(want, plan)
            .map_or(Value::Broken, Value::Tensor))
    }

    /// `sum` and the like as a value: of everything.
    fn reduced(
        &mut self,
        word: &str,
        given: &[(Value<'a>, Span)],
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        let [(value, place), rest @ ..] = given else {
            return Err(wrong_arguments(word, "a tensor", "sum(x)", span));
        };
        let text = match rest {
            [] => "...|... -> ... => ",
            [(Value::Text(text), _)] => text.text,
            _ => {
                return Err(wrong_arguments(
                    word,
                    "a tensor and a spec",
                    "sum(x, \"n|->c => n|\")",
                    span,
                ));
            }
        };
        let Some(id) = self.tensor_of(value, place) else {
            return Ok(Value::Broken);
        };
        let combine = if word == "map" {
            Combine::Replace
        } else {
            Combine::Add
        };
        let logic = crate::spec::logic(text, span.clone()).map_err(|error| {
            Diagnostic::new(span.clone(), error.message, "in this spec")
                .help("see the spec's own place")
        })?;
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Scalar::Identity),
            operands: vec![(id, place.clone())],
            logic: Some(logic),
            accumulator: Some(Accumulator {
                erase: true,
                combine,
            }),
            span: span.clone(),
        };
        Ok(self
            .operation(want, plan)
            .map_or(Value::Broken, Value::Tensor))
    }

    /// How many results meet in a cell: the sizes of what the spec leaves out.
    fn count(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        let (value, place, text) = match given {
            [(value, place)] => (value, place, "...|... -> ... => "),
            [(value, place), (Value::Text(text), _)] => (value, place, text.text),
            _ => {
                return Err(wrong_arguments(
                    "count",
                    "a tensor and a spec",
                    "count(x, \"n|->c => n|\")",
                    span,
                ));
            }
        };
        let Some(id) = self.tensor_of(value, place) else {
            return Ok(Value::Broken);
        };
        let logic = crate::spec::logic(text, place.clone()).map_err(|mut error| {
            error.labels.truncate(1);
            error.labels[0].span = place.clone();
            error
        })?;
        let Logic::Einsum(spec) = logic else {
            return Err(wrong_arguments(
                "count",
                "a tensor and a spec",
                "count(x, \"n|->c => n|\")",
                span,
            ));
        };
        if spec.operands.len() != 1 {
            return Err(Diagnostic::new(
                span.clone(),
                "`count` counts the results of one tensor",
                "several shapes",
            )
            .help("write one shape before `=>`"));
        }
        same_everywhere(&spec, place)?;
        let number = self.program.steps.len() + 1;
        let requirements = requirement::einsum(&spec, number, &self.meaning())?.requirements;
        let shape = self.program.tensor(id).shape.clone();
        let left = counted(&spec, number);
        let requirements = requirement::of_operand(requirements, &shape);
        Ok(Value::Tensor(self.late_number(&left, requirements, span)))
    }

    fn fan_in(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        match given {
            [(value, place)] => Ok(match self.tensor_of(value, place) {
                Some(id) => {
                    let row = self.program.tensor(id).shape.input.clone();
                    Value::Late(Rc::new(vec![row]))
                }
                None => Value::Broken,
            }),
            _ => Err(wrong_arguments("fan_in", "a tensor", "fan_in(w)", span)),
        }
    }

    /// 0, 1, 2 … as one output axis.
    fn range(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        const MOST: f64 = (1 << 24) as f64;
        let [(value, place)] = given else {
            return Err(wrong_arguments("range", "a size", "range(10)", span));
        };
        let dim = match (value, self.static_number(value)) {
            (Value::Size(dim), _) => dim.clone(),
            (_, Some(number)) if (1.0..=MOST).contains(&number) && number.fract() == 0.0 => {
                match crate::sizes::whole(number) {
                    Some(dim) => dim,
                    None => return Ok(Value::Broken),
                }
            }
            (_, Some(number)) => {
                return Err(Diagnostic::new(
                    place.clone(),
                    format!("there is no range of {number} values"),
                    "the bound",
                )
                .help(format!("a bound is a whole number from 1 to {MOST}")));
            }
            (Value::Broken, None) => return Ok(Value::Broken),
            (value, None) => return Err(self.not_early(value, place, "the bound of a range")),
        };
        let source = Source::Data(Values::Range(dim.size() as u32));
        let shape = Shape {
            output: RowTerm::closed(Vec::new(), vec![DimTerm::Const(dim)]),
            ..Shape::default()
        };
        let name = self.part_name();
        Ok(Value::Tensor(self.tensor(
            name,
            span,
            source,
            shape,
            Tag::Leaf,
        )))
    }

    /// Random values of a shape that the context decides. They are a function of the key and of the cell alone.
    fn random(
        &mut self,
        word: &str,
        given: &[(Value<'a>, Span)],
        span: &Span,
    ) -> Parsed<Value<'a>> {
        let name = self.part_name();
        let key = match given {
            [] => match &mut self.first_values_of {
                // First values do not depend on where an instance is called first.
                Some((parameter, drawn)) => {
                    *drawn += 1;
                    key_of(&format!("{parameter}'{drawn}"))
                }
                None => key_of(&name),
            },
            [(value, place)] => match self.static_number(value) {
                Some(number) => number.to_bits(),
                None => return Err(self.not_early(value, place, "a key")),
            },
            _ => return Err(wrong_arguments(word, "at most a key", "normal(7)", span)),
        };
        let id = self.unknown(name, span, Source::Intermediate, Tag::Leaf);
        let late = Late::Random {
            normal: word == "normal",
            key,
        };
        self.filled(id, Scalar::Constant(0.0), Some(late), Vec::new(), span);
        Ok(Value::Tensor(id))
    }

    /// The tensors of a list as one, with a new last batch axis.
    fn stack(&mut self, given: &[(Value<'a>, Span)], span: &Span, want: Want) -> Parsed<Value<'a>> {
        let [(Value::List(list), place)] = given else {
            return Err(wrong_arguments(
                "stack",
                "a list of tensors",
                "stack([a, b])",
                span,
            ));
        };
        let mut tensors = Vec::with_capacity(list.len());
        for value in list.iter() {
            match self.tensor_of(value, place) {
                Some(id) => tensors.push(id),
                None => return Ok(Value::Broken),
            }
        }
        let size = tensors.len() as u64;
        let mut whole: Option<TensorId> = None;
        for (position, id) in tensors.into_iter().enumerate() {
            let accumulator = Accumulator {
                erase: whole.is_none(),
                combine: Combine::Add,
            };
            let want = match whole {
                None => want.clone(),
                Some(whole) => Want::Into(whole, span.clone()),
            };
            let required = |step| requirement::stacked(position as u64, size, step);
            whole = Some(self.special(want, (id, place.clone()), accumulator, required, span));
        }
        whole.map(Value::Tensor).ok_or_else(|| {
            Diagnostic::new(
                place.clone(),
                "an empty list makes no tensor",
                "no elements",
            )
            .help("a tensor has at least one position on each axis")
        })
    }

    /// Tensors as the parts of one: along an axis that a spec names, or along their last output axis.
    fn concat(
        &mut self,
        given: &[(Value<'a>, Span)],
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        let (tensors, spec) = match given {
            [tensors @ .., (Value::Text(text), _)] => (tensors, Some(text)),
            tensors => (tensors, None),
        };
        let tensors: Vec<(Value<'a>, Span)> = match tensors {
            [(Value::List(list), place)] => {
                let all = list.iter().map(|value| (value.clone(), place.clone()));
                all.collect()
            }
            tensors => tensors.to_vec(),
        };
        if tensors.is_empty() {
            return Err(wrong_arguments("concat", "tensors", "concat(x, y)", span));
        }
        let mut operands = Vec::with_capacity(tensors.len());
        for (value, place) in &tensors {
            match self.tensor_of(value, place) {
                Some(id) => operands.push((id, place.clone())),
                None => return Ok(Value::Broken),
            }
        }
        let logic = match spec {
            Some(text) => crate::spec::logic(text.text, text.span.clone()),
            None => crate::spec::logic(&along_last_axis(operands.len()), span.clone()).map_err(
                |mut error| {
                    error.labels.truncate(1);
                    error.labels[0].span = span.clone();
                    error
                },
            ),
        }?;
        let Logic::Einsum(_) = logic else {
            return Err(wrong_arguments(
                "concat",
                "tensors and a spec",
                "concat(x, y, \"n|->a; n|->b => n|->a^b\")",
                span,
            ));
        };
        let plan = Plan {
            alternatives: true,
            primitive: Primitive::Function(&Scalar::Identity),
            operands,
            logic: Some(logic),
            accumulator: Some(ERASE),
            span: span.clone(),
        };
        Ok(self
            .operation(want, plan)
            .map_or(Value::Broken, Value::Tensor))
    }

    /// The parameters that a tensor depends on, or those of an instance, by name.
    fn params(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        let trained = |source: &Source| matches!(source, Source::Param(param) if !param.state);
        let chosen = |tensors: &[Tensor], fits: &dyn Fn(usize, &Tensor) -> bool| -> Vec<TensorId> {
            let all = tensors.iter().enumerate();
            let found = all.filter(|(id, tensor)| trained(&tensor.source) && fits(*id, tensor));
            found.map(|(id, _)| TensorId(id)).collect()
        };
        let mut found: Vec<TensorId> = match given {
            [(Value::Instance(instance), _)] => {
                let prefix = format!("{}.", instance.path);
                chosen(&self.program.tensors, &|_, tensor| {
                    tensor.name.starts_with(&prefix)
                })
            }
            [(Value::Broken, _)] => return Ok(Value::Broken),
            [(value @ Value::Tensor(_), place)] => {
                let of = self.tensor_of(value, place);
                let needed = of.map(|of| self.needed_for(of)).unwrap_or_default();
                let needed = |id: usize| needed.get(id).copied().unwrap_or(false);
                chosen(&self.program.tensors, &|id, _| needed(id))
            }
            _ => {
                return Err(wrong_arguments(
                    "params",
                    "a tensor or a function with its parameters",
                    "params(loss)",
                    span,
                ));
            }
        };
        found.sort_by(|a, b| {
            self.program
                .tensor(*a)
                .name
                .cmp(&self.program.tensor(*b).name)
        });
        Ok(Value::List(Rc::new(
            found.into_iter().map(Value::Tensor).collect(),
        )))
    }

    /// For each tensor whether another one depends on it. What parameters were filled or updated with does not count.
    pub(super) fn needed_for(&self, of: TensorId) -> Vec<bool> {
        let mut needed = vec![false; self.program.tensors.len()];
        needed[of.0] = true;
        for step in self.program.steps.iter().rev() {
            let slots = &step.operation.slots;
            let made = matches!(self.program.tensor(slots[0]).source, Source::Intermediate);
            if made && needed[slots[0].0] {
                for slot in &slots[1..] {
                    needed[slot.0] = true;
                }
            }
        }
        needed
    }

    /// `of.name`: a parameter of an instance.
    pub(super) fn member(&self, of: &Value<'a>, name: &Name<'a>) -> Parsed<Value<'a>> {
        if name.text == "grad" {
            return self.gradient(of, name);
        }
        let shown = brief(name.text);
        match of {
            Value::Instance(instance) => {
                let full = format!("{}.{}", instance.path, name.text);
                let found = self.params.iter().find(|((param, _), _)| *param == full);
                match found {
                    Some((_, id)) => Ok(Value::Tensor(*id)),
                    None => Err(Diagnostic::new(
                        name.span.clone(),
                        format!("there is no parameter `{shown}` here yet"),
                        "no such parameter",
                    )
                    .help("the first call of a function makes its parameters")),
                }
            }
            other => Err(Diagnostic::new(
                name.span.clone(),
                format!("{} has no `{shown}`", other.word()),
                "behind the point",
            )
            .help("`net.w` is a parameter of `let net = dense(8)`")),
        }
    }

    /// Gives names to sizes of labels of the last operation's spec.
    pub(super) fn capture(&mut self, captures: &'a [Name<'a>], logic: &Logic) {
        let number = self.program.steps.len();
        for name in captures {
            let has = match logic {
                Logic::Einsum(spec) => labels(spec).any(|label| label == name.text),
                _ => false,
            };
            let error = if !has {
                let message = format!("the spec has no label `{}`", brief(name.text));
                Some(
                    Diagnostic::new(name.span.clone(), message, "no such label")
                        .help("brackets behind a spec name the sizes of its labels"),
                )
            } else if self.scopes.size(self.scope, name.text).is_some() {
                let shown = brief(name.text);
                let message = format!("`{shown}` is a size already");
                Some(
                    Diagnostic::new(name.span.clone(), message, "named again").help(format!(
                        "to state that they are equal write `{shown}:{shown}` in the spec"
                    )),
                )
            } else {
                let term = lozenge_vocabulary::DimVar::new(&format!("{}'{number}", name.text));
                let label = Labelled {
                    name: name.text.into(),
                    span: name.span.clone(),
                };
                self.scopes.all[self.scope]
                    .sizes
                    .define(&label, term.into(), "a spec")
            };
            if let Some(error) = error {
                self.report(error);
            }
        }
    }
}

fn labels(spec: &Spec) -> impl Iterator<Item = &str> {
    let templates = spec.operands.iter().chain([&spec.result]);
    let axes = templates
        .flat_map(|template| template.rows())
        .flat_map(|row| row.axes());
    axes.flat_map(Axis::labels)
        .map(|(label, _)| label.name.as_str())
}

/// As many results meet in each cell: no window leaves its axis, and none is written.
fn same_everywhere(spec: &Spec, place: &Span) -> Parsed<()> {
    let outside = |axis: &Axis| match axis {
        Axis::Window(window) => !window.stays_inside(),
        Axis::Concat(_) => true,
        _ => false,
    };
    let written = |axis: &Axis| matches!(axis, Axis::Window(_) | Axis::Concat(_));
    let mut read = spec.operands.iter().flat_map(|shape| shape.rows());
    let mut result = spec.result.rows().into_iter();
    if read.any(|row| row.axes().any(outside)) || result.any(|row| row.axes().any(written)) {
        return Err(Diagnostic::new(
            place.clone(),
            "how many results meet in a cell differs from cell to cell",
            "a window that leaves its axis, a result with windows, or parts of an axis",
        )
        .help(
            "sum ones over the same spec, and divide by that: `sum(x, s) / sum(0 *. x + 1, s)`",
        ));
    }
    Ok(())
}

/// The labels and row variables of a spec's operand that its result leaves out, as rows over the variables of an operation.
fn counted(spec: &Spec, number: usize) -> Vec<RowTerm> {
    let variable = |name: &str| format!("{name}'{number}");
    let mut kept: Vec<&str> = Vec::new();
    let mut kept_rows: Vec<&str> = Vec::new();
    for row in spec.result.rows() {
        let all = row.axes().flat_map(Axis::labels);
        kept.extend(all.map(|(label, _)| label.name.as_str()));
        kept_rows.extend(row.variable().map(|variable| variable.name.as_str()));
    }
    let mut rows = Vec::new();
    let mut axes = Vec::new();
    for row in spec.operands.iter().flat_map(|operand| operand.rows()) {
        for (label, _) in row.axes().flat_map(Axis::labels) {
            if !kept.contains(&label.name.as_str()) {
                kept.push(&label.name);
                axes.push(lozenge_vocabulary::DimVar::new(&variable(&label.name)).into());
            }
        }
        if let Some(open) = row.variable()
            && !kept_rows.contains(&open.name.as_str())
        {
            kept_rows.push(&open.name);
            rows.push(RowTerm::from(RowVar::new(&variable(&open.name))));
        }
    }
    rows.push(RowTerm::closed(Vec::new(), axes));
    rows
}

/// The spec of `concat` without one: the last output axes are the parts of one.
fn along_last_axis(operands: usize) -> String {
    let label = |at: usize| format!("part{at}");
    let shape = |last: &str| format!("...|... -> ..., {last}");
    let shapes: Vec<String> = (1..=operands).map(|at| shape(&label(at))).collect();
    let labels: Vec<String> = (1..=operands).map(label).collect();
    format!("{} => {}", shapes.join("; "), shape(&labels.join("^")))
}

/// The key of a name: FNV-1a.
fn key_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |key, byte| {
        (key ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn not_callable(value: &Value, callee: &Span) -> Diagnostic {
    let message = format!("{} cannot be called", value.word());
    let error = Diagnostic::new(callee.clone(), message, "followed by parentheses");
    match value {
        Value::Tensor(_) | Value::Number(_) | Value::Size(_) | Value::Late(_) => {
            error.help("put an operator between them: `a *. (b + c)`")
        }
        _ => error.help("only a function is followed by parentheses"),
    }
}

fn unknown_argument(function: &str, name: &Name, formals: &[Formal], takes: &str) -> Diagnostic {
    let message = format!("`{function}` has no argument `{}`", brief(name.text));
    let error = Diagnostic::new(name.span.clone(), message, "no such argument");
    match nearest(name.text, formals.iter().map(|formal| formal.name.text)) {
        Some(near) => error.edit(format!("did you mean `{near}`?"), name.span.clone(), near),
        None => error.help(format!("it takes {takes}")),
    }
}

fn wrong_arguments(word: &str, takes: &str, example: &str, span: &Span) -> Diagnostic {
    Diagnostic::new(
        span.clone(),
        format!("`{word}` takes {takes}"),
        "something else is given",
    )
    .help(format!("write `{example}`"))
}

fn wrong_arity(primitive: Primitive, given: usize, span: Span) -> Diagnostic {
    let (word, arity) = (primitive.word(), primitive.arity());
    let plural = |n: usize| if n == 1 { "operand" } else { "operands" };
    let form = ["a", "a, b", "c, a, b"][arity - 1];
    Diagnostic::new(
        span,
        format!("`{word}` has {arity} {}", plural(arity)),
        format!("{given} {} given", plural(given)),
    )
    .help(format!("write `{word}({form})`"))
}

impl<'a> Elaboration<'a, '_> {
    /// The operation that copies a tensor.
    pub(super) fn copy(&mut self, of: TensorId, span: &Span, want: Want) -> Option<TensorId> {
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Scalar::Identity),
            operands: vec![(of, span.clone())],
            logic: None,
            accumulator: Some(ERASE),
            span: span.clone(),
        };
        self.operation(want, plan)
    }
}
