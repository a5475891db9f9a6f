//! Calls of functions that a text defines, and instances of functions with parameters.

use hashbrown::HashMap;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Call, Predefined, Source, Span};

use super::operation::Want;
use super::scope::{Function, Instance, Ordinals, Path, Scope, Sort, Value};
use super::sizes::{self, Sizes};
use super::{Elaboration, Frame};
use crate::diagnostic::counterpart;
use crate::diagnostic::nearest_name::nearest;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::parse::files::{PRELUDE, PROGRAM};
use crate::syntax::{Axis, Definition, Expression, Formal, Name, Size, Statement};

/// An argument of a call: its name, its value and its place.
pub(super) type Given<'n, 'a> = (Option<&'n Name<'a>>, Value<'a>, Span);

/// Arguments by the names under which the function declares them.
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
            Value::Function(function) => {
                let tensors = self.tensors_given(&function, &given);
                self.noted(&function, tensors, span, |this| {
                    this.call_function(&function, given, span, want)
                })
            }
            Value::Instance(instance) => {
                let tensors = self.tensors_given(&instance.function, &given);
                self.noted(&instance.function, tensors, span, |this| {
                    this.call_instance(&instance, given, span, want)
                })
            }
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

    /// Lists the tensors that a call gives to a function of the prelude, with their places in the program.
    fn tensors_given(
        &self,
        function: &Function<'a>,
        given: &[Given<'_, 'a>],
    ) -> Vec<(TensorId, Span)> {
        if function.source != PRELUDE {
            return Vec::new();
        }
        let tensors = given.iter().filter_map(|(_, value, span)| match value {
            Value::Tensor(id) => Some((*id, self.place(span))),
            _ => None,
        });
        tensors.collect()
    }

    /// Makes a call, and notes it in the program if the function is of the prelude and the program, or another file,
    /// has written the call. The first list of a function with two makes nothing and is not noted.
    fn noted(
        &mut self,
        function: &Rc<Function<'a>>,
        arguments: Vec<(TensorId, Span)>,
        span: &Span,
        call: impl FnOnce(&mut Self) -> Parsed<Value<'a>>,
    ) -> Parsed<Value<'a>> {
        let is_noted = function.source == PRELUDE && self.frame().source != PRELUDE;
        let start = self.program.steps.len();
        let done = call(self);
        if is_noted && !matches!(done, Err(_) | Ok(Value::Instance(_))) {
            self.program.predefined.push(Predefined {
                function: function.definition.name.text.to_string(),
                span: self.place(span),
                call: self.frame().call,
                steps: start..self.program.steps.len(),
                arguments,
            });
        }
        done
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
        self.sizes_are_given(function, &arguments, span)?;
        // The parameters of an instance with a name are named after it; an instance without one is named after its
        // statement.
        let frame = self.frame();
        let path = match &want {
            Want::Named(name, _) if frame.path.is_empty() => Path::Named(name.to_string()),
            Want::Named(..) => {
                let owner = frame.owner.clone().unwrap_or_else(|| frame.path.clone());
                Path::Named(frame.within(&owner, &frame.label))
            }
            Want::Part | Want::Into(..) => self.inline(definition.name.text),
        };
        self.effort.instances += 1;
        Ok(Value::Instance(Rc::new(Instance {
            number: self.effort.instances,
            function: function.clone(),
            arguments,
            path,
            is_called: Cell::new(false),
        })))
    }

    /// Refuses a tensor as an argument that a function uses as a size in the shape of one of its parameters.
    fn sizes_are_given(
        &self,
        function: &Function<'a>,
        arguments: &Bound<'a>,
        span: &Span,
    ) -> Parsed<()> {
        let definition = function.definition;
        let tensor = arguments
            .iter()
            .find(|(name, value)| matches!(value, Value::Tensor(_)) && is_axis(definition, name));
        let Some((_, Value::Tensor(id))) = tensor else {
            return Ok(());
        };
        let shown = brief(definition.name.text);
        let given = brief(&self.program[*id].name);
        Err(Diagnostic::new(
            span.clone(),
            format!("`{shown}` takes a size here, `{given}` is a tensor"),
            "a size of its parameters",
        )
        .help(format!(
            "write `{shown}(128)({given})`: configuration first, then tensors"
        )))
    }

    /// Makes the path of an instance without a name of its own.
    fn inline(&self, function: &str) -> Path {
        let frame = self.frame();
        let owner = frame.owner.clone().unwrap_or_else(|| frame.path.clone());
        let statement = frame.within(&owner, &frame.label);
        Path::Inline {
            stem: match statement.is_empty() {
                true => function.to_string(),
                false => format!("{statement}.{function}"),
            },
            ordinals: frame.ordinals.clone(),
            numbered: OnceCell::new(),
        }
    }

    fn call_instance(
        &mut self,
        instance: &Rc<Instance<'a>>,
        given: Vec<Given<'_, 'a>>,
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        instance.is_called.set(true);
        let function = &instance.function;
        let formals = function.definition.tensors.as_deref().unwrap_or_default();
        let mut arguments = instance.arguments.clone();
        let tensors = self.bound(function, formals, given, span)?;
        let owner = match self.updated_parameter(instance, &tensors) {
            Some(parameter) => self.owner_for(parameter, instance, span),
            None => instance.path.get().to_string(),
        };
        arguments.extend(tensors);
        Ok(self.run(
            function,
            arguments,
            Some((owner, instance.number)),
            span,
            want,
        ))
    }

    /// Finds the parameter that a call of an instance without a name updates: that of an optimiser.
    fn updated_parameter(&self, instance: &Instance<'a>, tensors: &Bound<'a>) -> Option<TensorId> {
        if !matches!(instance.path, Path::Inline { .. }) {
            return None;
        }
        let body = &instance.function.definition.body;
        let updates = |name: &str| {
            body.iter().any(|line| match line {
                Statement::Assign { name: of, .. } => of.text == name,
                _ => false,
            })
        };
        tensors.iter().find_map(|(name, value)| match value {
            Value::Tensor(id) if updates(name) => {
                matches!(self.program[*id].source, Source::Param(_)).then_some(*id)
            }
            _ => None,
        })
    }

    /// Finds the path of the states with which a place of the program updates a parameter. In a loop the place updates
    /// it in each iteration, and its states go on from iteration to iteration as they do from step to step of a
    /// section, while each iteration makes layers of its own.
    fn owner_for(&mut self, parameter: TensorId, instance: &Instance<'a>, span: &Span) -> String {
        let outer =
            std::iter::successors(self.frame().call, |call| self.program.calls[*call].within);
        let outer = outer.map(|call| self.program.calls[call].span.clone());
        let place: Vec<Span> = std::iter::once(self.place(span)).chain(outer).collect();
        let key = (self.frame().source, place, parameter);
        let path = self.gradients.optimisers.entry(key);
        path.or_insert_with(|| instance.path.get().to_string())
            .clone()
    }

    /// Binds the arguments of a call by their names, with the defaults for those that the call omits.
    fn bound(
        &mut self,
        function: &Function<'a>,
        formals: &'a [Formal<'a>],
        given: Vec<Given<'_, 'a>>,
        span: &Span,
    ) -> Parsed<Bound<'a>> {
        let name = brief(function.definition.name.text);
        let takes = || in_words(formals);
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
                        match (&function.definition.tensors, value) {
                            (Some(_), _) => "configuration stands in the first list, tensors in the second: `dense(128)(x)`",
                            (None, Value::Text(_)) if function.source == PRELUDE => {
                                "leave it out; where it means only some of the outputs, `map` first moves the others to the batch"
                            }
                            (None, _) => "leave it out",
                        },
                    ));
                }
            }
        }
        let mut bound = Vec::with_capacity(formals.len());
        for (formal, value) in formals.iter().zip(values) {
            let value = match (value, &formal.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.default(function, default, span),
                (None, None) => {
                    let message = format!("`{name}` needs `{}`", formal.name.text);
                    let help = match ["argmax", "argmin", "one_hot"].contains(&&*name) {
                        true => format!("`k` is the number of classes, as in `{name}(x, 10)`"),
                        false => format!("it takes {}", takes()),
                    };
                    return Err(Diagnostic::new(span.clone(), message, "not given").help(help));
                }
            };
            bound.push((formal.name.text, value));
        }
        Ok(bound)
    }

    /// Evaluates the default of an argument, which is part of the text of the function.
    fn default(
        &mut self,
        function: &Function<'a>,
        default: &'a Expression<'a>,
        span: &Span,
    ) -> Value<'a> {
        let frame = Frame {
            source: function.source,
            place: (function.source != PROGRAM).then(|| self.place(span)),
            ..self.frame().clone()
        };
        self.frames.push(frame);
        let here = std::mem::replace(&mut self.scope, function.scope);
        let value = self.evaluate(default, Want::Part);
        self.scope = here;
        self.frames.pop();
        value
    }

    /// Elaborates the body of a function. `owner` is the path of the instance that is called, and its number.
    fn run(
        &mut self,
        function: &Function<'a>,
        arguments: Bound<'a>,
        owner: Option<(String, usize)>,
        span: &Span,
        want: Want,
    ) -> Value<'a> {
        let definition = function.definition;
        let name = definition.name.text;
        // An instance may have been given another one of the same function, as in `wrap(wrap(relu))`. The one inside is
        // made before the one around it, so that such calls come to an end.
        let (owner, number) = owner.unzip();
        let itself = |frame: &Frame<'a>| {
            let older = number.zip(frame.instance);
            let same = frame
                .definition
                .is_some_and(|inside| std::ptr::eq(inside, definition));
            same && older.is_none_or(|(this, around)| this >= around)
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
        let frame = Frame {
            instance: number,
            ..self.frame_of_call(function, owner, span)
        };
        self.frames.push(frame);
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
        self.effort.levels -= 1;
        result
    }

    /// Makes the frame in which the body of a called function is elaborated.
    fn frame_of_call(
        &mut self,
        function: &Function<'a>,
        owner: Option<String>,
        span: &Span,
    ) -> Frame<'a> {
        let name = function.definition.name.text;
        let frame = self.frame();
        let caller = frame.within(&frame.path, &frame.label);
        let path = match caller.is_empty() {
            true => name.to_string(),
            false => format!("{caller}.{name}"),
        };
        let at = self.place(span);
        let within = frame.call;
        let path = self.unique(path).to_string();
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
        Frame {
            source: function.source,
            place: (!own_text).then_some(at),
            call,
            definition: Some(function.definition),
            instance: None,
            path,
            owner,
            label: String::new(),
            turns: Vec::new(),
            ordinals: Ordinals::default(),
        }
    }

    /// Finds `of.name`: a parameter of an instance.
    pub(super) fn member(&self, of: &Value<'a>, name: &Name<'a>) -> Parsed<Value<'a>> {
        if name.text == "grad" {
            return self.gradient(of, name);
        }
        let shown = brief(name.text);
        match of {
            Value::Instance(instance) => {
                let full = format!("{}.{}", instance.path.get(), name.text);
                let first = self.params_from(&full).next();
                let found = first.filter(|((param, _), _)| **param == *full);
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
            Value::Module(module) => self.of_module(*module, name),
            other => Err(Diagnostic::new(
                name.span.clone(),
                format!("{} has no `{shown}`", other.word()),
                "behind the point",
            )
            .help(match other {
                Value::Tensor(id) => match self.layer_behind(*id) {
                    Some(layer) => of_layer(&layer, name.text),
                    None => in_front(name.text, &brief(&self.program[*id].name)),
                },
                Value::List(_) => OF_LIST.to_string(),
                _ => OF_INSTANCE.to_string(),
            })),
        }
    }

    /// Returns the function of a layer that was made, without a name of its own, where a tensor was computed.
    fn layer_behind(&self, tensor: TensorId) -> Option<String> {
        let prefix = format!("{}.", self.program[tensor].name);
        let ((param, _), _) = self.params_from(&prefix).next()?;
        let (layer, _) = param.strip_prefix(&prefix)?.split_once('.')?;
        Some(brief(layer))
    }
}

/// Returns the advice for a parameter that is looked for behind the result of a layer without a name.
fn of_layer(layer: &str, param: &str) -> String {
    let param = brief(param);
    format!(
        "parameters belong to a layer and not to its result: `let f = {layer}(…)` names the layer, `f(x)` is its result, and `f.{param}` a parameter"
    )
}

const OF_INSTANCE: &str = "`net.w` is a parameter of `let net = dense(8)`";

const OF_LIST: &str = "a list does not change: `append(xs, y)` is a longer one, `[f(i) for i in 0..3]` makes it at once, and a loop that goes on with it has `carry xs`";

/// Returns the advice for a method or a property that tensors have in other languages.
fn in_front(method: &str, tensor: &str) -> String {
    match method {
        "gradient" | "gradients" | "grads" | "derivative" => format!("the gradient is `{tensor}.grad`, below a `backward`"),
        "backward" => format!("gradients are asked for by a line of their own: `backward {tensor}`"),
        "T" | "mT" | "t" | "transpose" => format!("write `transpose({tensor})`"),
        "shape" | "size" | "dim" | "ndim" => {
            "shapes are inferred: `lozenge infer --shapes` prints them, and a spec captures a size, `\"n|->c => n|\" [c]`".into()
        }
        "sum" | "mean" | "max" | "min" | "std" | "var" | "norm" | "exp" | "log" | "sqrt" | "square" | "abs" | "relu"
        | "tanh" | "sigmoid" | "softmax" | "sin" | "cos" => {
            format!("a function stands in front: `{method}({tensor})`")
        }
        "reshape" | "view" | "permute" | "flatten" => {
            format!("a spec says where each axis goes: `map({tensor}, \"n|->y, z => n|->(y, z)\")`")
        }
        _ => format!("functions stand in front, as in `exp({tensor})`; behind the point of a tensor stands `grad` alone"),
    }
}

/// Tells whether a name is a label in a shape that is written in the body of a function.
fn is_axis(definition: &Definition<'_>, name: &str) -> bool {
    let mut axes = definition.body.iter().flat_map(sizes::axes);
    axes.any(|axis| match axis {
        Axis::Label(label, None) => label.name == name,
        Axis::Label(_, Some(Size::Named(size))) => size.name == name,
        _ => false,
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
        None if counterpart::AXES.contains(&name.text) => error.help(counterpart::AXES_HELP),
        None => error.help(format!("it takes {takes}")),
    }
}

/// Lists the names of arguments, as they are listed in messages.
fn in_words(formals: &[Formal<'_>]) -> String {
    if formals.is_empty() {
        return "no arguments".to_string();
    }
    let names = formals
        .iter()
        .map(|formal| format!("`{}`", formal.name.text));
    names.collect::<Vec<String>>().join(", ")
}
