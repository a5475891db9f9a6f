//! Reductions: `sum`, `max`, `min`, `map` and `count`, with the spec that states how the axes correspond, and the sizes
//! that a spec captures.

use hashbrown::HashSet;
use std::rc::Rc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function, Region};
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::{DimVar, RowTerm, RowVar};

use super::Elaboration;
use super::builtin::wrong_arguments;
use super::machine::{Machine, Reduction};
use super::operation::Want;
use super::plan::Plan;
use super::requirement;
use super::scope::{Builtin, Text, Value};
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::parse::einsum::{as_written, logic};
use crate::parse::files::PRELUDE;
use crate::syntax::operator::Primitive;
use crate::syntax::{Argument, Axis, Expression, Labelled, Logic, Name, NodeKind, Spec};

/// Makes the spec of a reduction that has none: everything is reduced to one cell.
fn whole<'a>() -> Text<'a> {
    Text {
        text: "...|... -> ... => ",
        span: 0..0,
        source: PRELUDE,
        beside: 0,
    }
}

/// Adds operands to a spec, each in the shape of its result.
fn with_results_beside(text: &str, count: usize) -> String {
    let Some((operands, result)) = text.split_once("=>") else {
        return text.to_string();
    };
    let shape = match result.trim() {
        "" => "->",
        shape => shape,
    };
    let beside = format!("; {shape}").repeat(count);
    format!("{operands}{beside} => {result}")
}

impl<'a> Elaboration<'a, '_> {
    /// Tells whether a call of this function is a reduction: its second argument is a spec, or it has only one
    /// argument.
    pub(super) fn is_reduction(
        &self,
        expression: &Expression<'a>,
        builtin: Builtin,
        arguments: &[Argument<'a>],
    ) -> bool {
        let spec = |argument: &Argument<'a>| match &expression.nodes[argument.value].kind {
            NodeKind::Text(..) => true,
            NodeKind::Call(callee, _) => self.is_beside(expression, *callee),
            NodeKind::Name(name) => matches!(
                self.scopes
                    .find(self.scope, name)
                    .map(|binding| &binding.value),
                Some(Value::Text(_))
            ),
            NodeKind::Field(of, name) => match &expression.nodes[*of].kind {
                NodeKind::Name(file) => matches!(
                    self.scopes.find(self.scope, file).map(|found| &found.value),
                    Some(Value::Module(module))
                        if matches!(self.of_module(*module, name), Ok(Value::Text(_)))
                ),
                _ => false,
            },
            _ => false,
        };
        match (builtin.word(), arguments) {
            ("sum" | "map" | "count", _) => true,
            ("max" | "min", [_]) => true,
            ("max" | "min", [_, second]) => spec(second),
            _ => false,
        }
    }

    /// Tells whether a callee is the function that makes a longer spec of a spec.
    fn is_beside(&self, expression: &Expression<'a>, callee: usize) -> bool {
        let builtin = self.builtin(expression, callee);
        builtin.is_some_and(|builtin| builtin.word() == "beside")
    }

    /// Determines the accumulation of a reduction; `None` for `count`.
    ///
    /// # Errors
    /// The error, or `None` if it is already reported.
    pub(super) fn reduction(
        &mut self,
        expression: &'a Expression<'a>,
        at: usize,
        word: &'static str,
        arguments: &'a [Argument<'a>],
    ) -> Result<Option<Reduction>, Option<Diagnostic>> {
        let span = &expression.nodes[at].span;
        let (of, spec) = read(word, arguments, span)?;
        if word == "count" {
            return Ok(None);
        }
        let logic = match spec {
            None => self.spec_in(&whole(), span)?,
            Some(spec) => self.spec_of(expression, spec)?,
        };
        let combine = match word {
            "sum" => Combine::Add,
            "max" => Combine::Max,
            "min" => Combine::Min,
            _ => Combine::Replace,
        };
        if let (Logic::Einsum(spec), Combine::Replace) = (&logic, combine) {
            let counted = |name: &str| {
                let found = self.scopes.find(self.scope, name);
                found.is_some_and(|found| matches!(found.value, Value::Number(_)))
            };
            nothing_lost(spec, counted).map_err(|error| spec.placed(error))?;
        }
        let shapes = match &logic {
            Logic::Einsum(spec) => spec.operands.len(),
            Logic::Compose(_) => 2,
            Logic::Transpose(_) | Logic::Pointwise => 1,
        };
        let (primitive, operands) = self.in_the_loop(expression, of, shapes);
        if operands.len() != shapes {
            return Err(Some(self.operand_count(expression, of, shapes, &logic)));
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

    /// Finds the function that a reduction or an assignment computes at each point, and the parts of its expression
    /// that are the operands: as many as its spec has operand shapes.
    pub(super) fn in_the_loop(
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
            _ if shapes > 2 => self.product(expression, of, shapes).unwrap_or(identity),
            _ => identity,
        }
    }

    /// Reads a product of as many factors as a spec has operand shapes: `a * b * c`. A product in parentheses is a
    /// single factor.
    fn product(
        &self,
        expression: &Expression<'a>,
        of: usize,
        shapes: usize,
    ) -> Option<(Primitive, Vec<usize>)> {
        let mut factors = Vec::with_capacity(shapes);
        let mut rest = of;
        while factors.len() + 1 < shapes {
            let node = &expression.nodes[rest];
            let (
                NodeKind::Apply(
                    Primitive::Star | Primitive::Function(Function::Multiply),
                    operands,
                ),
                false,
            ) = (&node.kind, node.grouped)
            else {
                return None;
            };
            factors.push(operands[1]);
            rest = operands[0];
        }
        factors.push(rest);
        factors.reverse();
        Some((Primitive::Product(shapes), factors))
    }

    /// Finds the scalar function at the root of an expression, with the places of its operands.
    pub(super) fn scalar(
        &self,
        expression: &Expression<'a>,
        of: usize,
    ) -> Option<(Primitive, Vec<usize>)> {
        match &expression.nodes[of].kind {
            NodeKind::Apply(primitive, operands) => Some((*primitive, operands.to_vec())),
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
        let definition = self.frame().definition;
        if let (Some(definition), NodeKind::Name(_)) = (definition, &node.kind) {
            let function = brief(definition.name.text);
            let headline = format!(
                "`{function}` combines one tensor, and the spec is for {shapes} {}",
                plural(shapes)
            );
            return Diagnostic::new(node.span.clone(), headline, "1 operand").help(
                "only `sum`, `max` and `min` read several operands, as in `sum(a * b, \"i, j; j => i\")`",
            );
        }
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
                let at = spec.used_at.as_ref().unwrap_or(&spec.span);
                error.other(at.clone(), format!("{shapes} {}", plural(shapes)))
            }
            _ => error,
        };
        match node.grouped {
            true => error.help("leave the parentheses out: they make one tensor of what stands in them"),
            false if let Some((primitive, operands)) = self.scalar(expression, of)
                && operands.len() > 1 =>
            {
                let word = primitive.word();
                let operands = operands.len();
                error.help(format!(
                    "`{word}` has {operands} operands: write a shape for each, with `;` between them, and an empty one for a number, as in `map(where(c, a, 0), \"n|; n|->c; => n|->c\")`"
                ))
            }
            false if shapes == 2 && matches!(node.kind, NodeKind::Call(..)) => error.help(
                "the function would be applied to one tensor: combine both before it with a spec of their own, `let d = map(a - b, \"i; j => i, j\")`",
            ),
            false => error.help("write an operator between the operands, `sum(a * b, \"i, j; j => i\")`, or one shape in the spec"),
        }
    }

    /// Reads the spec given by a part of an expression.
    fn spec_of(
        &mut self,
        expression: &'a Expression<'a>,
        at: usize,
    ) -> Result<Logic, Option<Diagnostic>> {
        let node = &expression.nodes[at];
        let value = match &node.kind {
            NodeKind::Name(_) | NodeKind::Field(..) | NodeKind::Text(..) => {
                self.evaluate_node(expression, at, Want::Part)
            }
            NodeKind::Call(callee, _) if self.is_beside(expression, *callee) => {
                self.evaluate_node(expression, at, Want::Part)
            }
            _ => Value::Nothing,
        };
        match value {
            Value::Text(text) => Ok(self.spec_in(&text, &node.span)?),
            Value::Broken => Err(None),
            _ => {
                let error = Diagnostic::new(node.span.clone(), "a spec is needed here", "no spec");
                Err(Some(error.help(
                    "a spec is a text, `\"n|->c => n|\"`, or a name that was given one: `let rows = \"n|->c => n|\"`",
                )))
            }
        }
    }

    /// Reads a spec that is used at a place. If it is part of another text, errors about it are reported at that place.
    pub(super) fn spec_in(&self, text: &Text<'a>, place: &Span) -> Parsed<Logic> {
        let found = match text.beside {
            0 => logic(text.text, text.span.clone()),
            count => logic(&with_results_beside(text.text, count), text.span.clone()),
        };
        // The text of a longer spec stands nowhere, so that its parts have no places.
        if text.source == self.frame().source && text.beside == 0 {
            return found;
        }
        match found {
            Ok(logic) => Ok(used_at(logic, place)),
            Err(error) => Err(Diagnostic::new(place.clone(), error.message, "this spec")
                .help(error.help.map_or(String::new(), |help| help.text))),
        }
    }

    pub(super) fn reduce(
        &mut self,
        machine: &mut Machine<'a>,
        at: usize,
        reduction: Reduction,
    ) -> Value<'a> {
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

    /// Applies `sum` and the like as a function value: a reduction of everything.
    pub(super) fn reduced(
        &mut self,
        word: &str,
        given: &[(Value<'a>, Span)],
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        let [(value, place), rest @ ..] = given else {
            return Err(wrong_arguments(word, "a tensor", "sum(x)", span));
        };
        let logic = match rest {
            [] => self.spec_in(&whole(), span)?,
            [(Value::Text(text), at)] => self.spec_in(text, at)?,
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
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Function::Identity),
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

    /// Computes the number of results that are combined in a cell: the product of the sizes that the spec omits from
    /// its result.
    pub(super) fn count(&mut self, given: &[(Value<'a>, Span)], span: &Span) -> Parsed<Value<'a>> {
        let (value, place, logic) = match given {
            [(value, place)] => (value, place, self.spec_in(&whole(), place)?),
            [(value, place), (Value::Text(text), at)] => (value, place, self.spec_in(text, at)?),
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
        let Logic::Einsum(spec) = logic else {
            return Err(wrong_arguments(
                "count",
                "a tensor and a spec",
                "count(x, \"n|->c => n|\")",
                span,
            ));
        };
        // In `mean` the sum beside it has said so.
        if spec.operands.len() != 1 && self.frame().source == PRELUDE {
            return Ok(Value::Broken);
        }
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
        let stated = requirement::einsum(&spec, number, &self.meaning());
        let stated = stated.map_err(|error| spec.placed(error))?;
        let rests = stated.rests();
        let requirements = stated.requirements;
        let shape = self.program[id].shape.clone();
        let left = counted(&spec, number);
        let requirements = requirement::of_operand(requirements, &shape);
        let counted = self.late_number(&left, requirements, span);
        if let (false, Some(step)) = (rests.is_empty(), self.program.steps.last_mut()) {
            let region = Region {
                rests,
                ..Region::default()
            };
            step.operation.region = Some(Box::new(region));
        }
        Ok(Value::Tensor(counted))
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
                let term = DimVar::new(&format!("{}'{number}", name.text));
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

/// Marks a spec of another text with the place where it is used, so that errors about it are reported there.
pub(super) fn used_at(logic: Logic, place: &Span) -> Logic {
    match logic {
        Logic::Einsum(mut spec) => {
            Rc::make_mut(&mut spec).used_at = Some(place.clone());
            Logic::Einsum(spec)
        }
        Logic::Compose(_) => Logic::Compose(place.clone()),
        Logic::Transpose(_) => Logic::Transpose(place.clone()),
        Logic::Pointwise => Logic::Pointwise,
    }
}

/// Finds the argument that a reduction reads, and that of its spec if it has one.
fn read(word: &str, arguments: &[Argument<'_>], span: &Span) -> Parsed<(usize, Option<usize>)> {
    if let Some(name) = arguments
        .iter()
        .find_map(|argument| argument.name.as_deref())
    {
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
            .help(match arguments.len() {
                3.. => format!(
                    "an operator stands between two tensors, `{word}(a + b, \"n|->c; n| => n|->c\")`; `concat(a, b, \"n|->c; n|->d => n|->c^d\")` puts them beside each other"
                ),
                _ => format!("write `{word}(x, \"n|->c => n|\")`"),
            }));
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
    Ok((of, spec))
}

fn labels(spec: &Spec) -> impl Iterator<Item = &str> {
    let templates = spec.operands.iter().chain([&spec.result]);
    let axes = templates
        .flat_map(|template| template.rows())
        .flat_map(|row| row.axes());
    axes.flat_map(Axis::labels)
        .map(|(label, _)| label.name.as_str())
}

/// Checks that equally many results are combined in each cell: no window leaves its axis, and none is written.
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

/// Returns the labels and row variables of a spec's operand that its result omits, as rows over the variables of an
/// operation.
fn counted(spec: &Spec, number: usize) -> Vec<RowTerm> {
    let variable = |name: &str| format!("{name}'{number}");
    let mut kept: Vec<&str> = Vec::new();
    let mut kept_rows: Vec<&str> = Vec::new();
    for row in spec.result.rows() {
        let all = row.axes().flat_map(Axis::labels);
        kept.extend(all.map(|(label, _)| label.name.as_str()));
        kept_rows.extend(row.variables().map(|variable| variable.name.as_str()));
    }
    let mut rows = Vec::new();
    let mut axes = Vec::new();
    for row in spec.operands.iter().flat_map(|operand| operand.rows()) {
        for (label, _) in row.axes().flat_map(Axis::labels) {
            if !kept.contains(&label.name.as_str()) {
                kept.push(&label.name);
                axes.push(DimVar::new(&variable(&label.name)).into());
            }
        }
        for open in row.variables() {
            if !kept_rows.contains(&open.name.as_str()) {
                kept_rows.push(&open.name);
                rows.push(RowTerm::from(RowVar::new(&variable(&open.name))));
            }
        }
    }
    rows.push(RowTerm::closed(Vec::new(), axes));
    rows
}

/// Checks that `map` writes each cell once: every label and row variable of an operand is in the result. `counted` are
/// names of numbers, which somebody may have meant as positions.
fn nothing_lost(spec: &Spec, counted: impl Fn(&str) -> bool) -> Parsed<()> {
    let rows = || spec.result.rows().into_iter();
    let labels: HashSet<&str> = rows()
        .flat_map(|row| row.axes())
        .flat_map(Axis::labels)
        .map(|(label, _)| label.name.as_str())
        .collect();
    let variables: HashSet<&str> = rows()
        .flat_map(|row| row.variables())
        .map(|variable| variable.name.as_str())
        .collect();
    for row in spec.operands.iter().flat_map(|operand| operand.rows()) {
        let mut all = row.axes().flat_map(|axis| {
            let labels = axis.labels().into_iter();
            labels.map(move |(label, _)| (axis, label))
        });
        if let Some((axis, lost)) = all.find(|(_, label)| !labels.contains(label.name.as_str())) {
            let name = brief(&lost.name);
            let help = match axis {
                _ if counted(&lost.name) => format!(
                    "a spec does not read the number `{name}`: a slice of the first batch axis is `x @| {name}`, of the second one `x @| (_, {name})`"
                ),
                Axis::Concat(_) => format!(
                    "a part that is not read is `_`: write `_` in place of `{name}`, with its size behind a colon if it has one"
                ),
                _ => format!("`sum`, `max` or `min` over `{name}`, or a position in its place"),
            };
            return Err(left_out(lost, &format!("`{name}`"), help));
        }
        let mut all = row.variables();
        if let Some(lost) = all.find(|row| !variables.contains(row.name.as_str())) {
            let name = as_written(lost);
            let help = format!("`sum`, `max` or `min` over these axes, or {name} in the result");
            return Err(left_out(lost, &name, help));
        }
    }
    Ok(())
}

/// Returns the error that the result of `map` lacks a label or a row variable.
fn left_out(lost: &Labelled, name: &str, help: String) -> Diagnostic {
    let message = format!("`map` writes each cell once, and {name} is left out");
    Diagnostic::new(lost.span.clone(), message, "not in the result").help(help)
}
