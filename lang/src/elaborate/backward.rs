//! `backward`: for each operation that a loss depends on, the operations that add to the gradients of its operands.
//!
//! Each of them iterates over the record of the forward operation: the same product space, with its index maps in other slots.
//! So nothing is inferred, and the gradient of a broadcast tensor is summed by the index map of the tensor.

use hashbrown::HashMap;
use std::rc::Rc;

use lozenge_vocabulary::Constraint;
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Operation, Requirement, TensorId,
};
use lozenge_vocabulary::program::{Assignment, Family, Record, Source, Span, Tensor};

use super::Elaboration;
use super::derivative::{Derivative, Read, Term, derivative, of_extreme};
use super::operation::{ERASE, Want};
use super::scope::{Operator, Value};
use crate::cursor::{Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::operator::Primitive;
use crate::plan::Plan;
use crate::syntax::{Expression, Name, NodeKind, OperatorDefinition, OperatorLine};

/// Results are added to the present value.
const ADD: Accumulator = Accumulator {
    erase: false,
    combine: Combine::Add,
};

impl<'a> Elaboration<'a, '_> {
    pub(super) fn backward(&mut self, expression: &'a Expression<'a>) {
        self.frame_mut().label = "loss".into();
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        let Some(loss) = self.tensor_of(&value, &span) else {
            self.gradients_are_missing = true;
            return;
        };
        let active = self.active(loss);
        if !active[loss.0] {
            let what = match expression.root().kind {
                NodeKind::Name(name) => format!("`{}`", brief(name)),
                _ => "this loss".into(),
            };
            let message = format!("{what} depends on no parameter");
            self.gradients_are_missing = true;
            self.report(
                Diagnostic::new(span, message, "no gradients")
                    .help("a parameter is `param w`; `state` has no gradient"),
            );
            return;
        }
        self.program.losses.push((loss, self.place(&span)));
        let steps = self.program.steps.len();
        for tensor in (0..active.len()).filter(|tensor| active[*tensor]) {
            let gradient = self.gradient_of(TensorId(tensor));
            let value = if tensor == loss.0 { 1.0 } else { 0.0 };
            self.fill(gradient, value, &span);
        }
        for step in (0..steps).rev() {
            if !self.works(&span) {
                return;
            }
            if let Err(mut error) = self.contributions(step, &active, &span) {
                for label in &mut error.labels[1..] {
                    label.span = self.place(&label.span);
                }
                return self.report_placed(error);
            }
        }
    }

    /// For each tensor whether its gradient is computed: this is so if the loss depends on it, and it depends on a parameter or on
    /// a tensor whose gradient the program reads.
    fn active(&self, loss: TensorId) -> Vec<bool> {
        let tensors = self.program.tensors.iter();
        let mut depends: Vec<bool> = tensors
            .map(|tensor| match &tensor.source {
                Source::Param(parameter) => !parameter.state,
                _ => {
                    let name = tensor.name.strip_suffix(".batch");
                    let name = name.unwrap_or(&tensor.name);
                    self.gradients_read.contains(name)
                }
            })
            .collect();
        for step in &self.program.steps {
            let slots = &step.operation.slots;
            let made = matches!(self.program[slots[0]].source, Source::Intermediate);
            if made && step.record.is_none() && slots[1..].iter().any(|slot| depends[slot.0]) {
                depends[slots[0].0] = true;
            }
        }
        let needed = self.needed_for(loss);
        depends
            .iter()
            .zip(needed)
            .map(|(depends, needed)| *depends && needed)
            .collect()
    }

    /// The gradient tensor of a tensor; it has the rows of the tensor itself.
    fn gradient_of(&mut self, id: TensorId) -> TensorId {
        if let Some(gradient) = self.gradients.get(&id) {
            return *gradient;
        }
        let tensor = &self.program[id];
        let gradient = Tensor {
            name: format!("{}.grad", tensor.name).into(),
            source: Source::Intermediate,
            ..tensor.clone()
        };
        self.program.tensors.push(gradient);
        self.last_use.push(None);
        let gradient = TensorId(self.program.tensors.len() - 1);
        self.gradients.insert(id, gradient);
        gradient
    }

    /// Whether an operation is a region of a statement whose first region has erased all cells, so that those that this one
    /// writes hold nothing yet.
    fn is_later_region(&self, at: usize) -> bool {
        let mut steps = self.program.steps[..=at].iter().rev();
        let Some(step) = steps.next().filter(|step| step.operation.region.is_some()) else {
            return false;
        };
        let of_statement = |other: &&Assignment| {
            other.operation.region.is_some() && other.span == step.span && other.call == step.call
        };
        steps
            .take_while(of_statement)
            .any(|step| step.operation.accumulator.erase)
    }

    /// The operations that add the contributions of one operation to the gradients of its operands.
    fn contributions(&mut self, at: usize, active: &[bool], span: &Span) -> Parsed<()> {
        let step = &self.program.steps[at];
        let slots = step.operation.slots.clone();
        let is_active = |id: &TensorId| active.get(id.0).copied().unwrap_or(false);
        let made = matches!(self.program[slots[0]].source, Source::Intermediate);
        if !made || !is_active(&slots[0]) || !slots[1..].iter().any(is_active) {
            return Ok(());
        }
        let (function, accumulator) = (step.operation.function.clone(), step.operation.accumulator);
        let extreme = matches!(accumulator.combine, Combine::Max | Combine::Min);
        let windowed =
            step.operation.requirements.iter().any(|requirement| {
                matches!(requirement, Requirement::Template(Constraint::Window(_)))
            });
        if step.record.is_some() || (extreme && !accumulator.erase && !self.is_later_region(at)) {
            let what = match step.record {
                Some(_) => "a gradient of a gradient is not there",
                None => "an update by `=max` or `=min` has no gradient",
            };
            return Err(Diagnostic::new(step.span.clone(), what, "part of the loss")
                .other(span.clone(), "the gradient that is asked for")
                .help("compute this part of the loss by another operation"));
        }
        let operator = self.operators.get(&at).cloned();
        for (operand, slot) in slots[1..].iter().enumerate() {
            if !is_active(slot) {
                continue;
            }
            let term = match &operator {
                Some(operator) => operator.gradients.get(operand).cloned().flatten(),
                None if extreme => of_extreme(&function, operand),
                None => derivative(&function, operand),
            };
            let Some(mut derivative) = term.and_then(Term::finished) else {
                continue;
            };
            if windowed {
                derivative = derivative.at_points_of_the_record(slots.len() - 1, operand);
            }
            let subtracts = accumulator.combine == Combine::Subtract;
            self.contribution(at, &slots, operand, derivative, subtracts, span);
        }
        Ok(())
    }

    fn contribution(
        &mut self,
        at: usize,
        slots: &[TensorId],
        operand: usize,
        derivative: Derivative,
        subtracts: bool,
        span: &Span,
    ) {
        let gradient = self.gradient_of(slots[0]);
        let mut tensors = vec![self.gradient_of(slots[operand + 1])];
        let mut maps = vec![operand + 1];
        for read in &derivative.reads {
            let (tensor, map) = match read {
                Read::Gradient => (gradient, 0),
                Read::Result => (slots[0], 0),
                Read::Operand(operand) => (slots[operand + 1], operand + 1),
            };
            tensors.push(tensor);
            maps.push(map);
        }
        let accumulator = Accumulator {
            combine: if subtracts {
                Combine::Subtract
            } else {
                Combine::Add
            },
            ..ADD
        };
        let (span, call) = (self.place(span), self.frame().call);
        let number = self.program.steps.len();
        for (slot, tensor) in tensors.iter().enumerate().rev() {
            self.last_use[tensor.0] = Some((number, slot));
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

    /// `w.grad`
    pub(super) fn gradient(&self, of: &Value<'a>, name: &Name<'a>) -> Parsed<Value<'a>> {
        let Value::Tensor(id) = of else {
            let message = format!("{} has no gradient", of.word());
            return Err(
                Diagnostic::new(name.span.clone(), message, "only tensors have one")
                    .help("write `w.grad` for a parameter `w`"),
            );
        };
        if let Some(gradient) = self.gradients.get(id) {
            return Ok(Value::Tensor(*gradient));
        }
        if self.gradients_are_missing || self.broken.contains("backward") {
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

    /// `op NAME(…) "SPEC":`
    pub(super) fn operator_definition(&mut self, definition: &'a OperatorDefinition<'a>) {
        let name = &definition.name;
        match self.operator(definition) {
            Ok(operator) => self.bind(
                name.text,
                Value::Operator(Rc::new(operator)),
                &name.span,
                false,
            ),
            Err(error) => {
                self.report(error);
                self.bind(name.text, Value::Broken, &name.span, false);
            }
        }
    }

    fn operator(&self, definition: &'a OperatorDefinition<'a>) -> Parsed<Operator<'a>> {
        let mut lines = Lines {
            forward: None,
            between: HashMap::new(),
            gradients: vec![None; definition.operands.len()],
        };
        for line in &definition.lines {
            self.operator_line(line, definition, &mut lines)?;
        }
        let (function, accumulator) = forward(definition, lines.forward)?;
        Ok(Operator {
            definition,
            function,
            accumulator,
            gradients: lines.gradients,
        })
    }

    fn operator_line(
        &self,
        line: &'a OperatorLine<'a>,
        definition: &OperatorDefinition<'a>,
        lines: &mut Lines<'a>,
    ) -> Parsed<()> {
        let written = line.name.text;
        let number = written
            .strip_prefix('g')
            .and_then(|number| number.parse::<usize>().ok());
        let gradient = number.and_then(|number| lines.gradients.get_mut(number.wrapping_sub(1)));
        if written == "v" {
            let term = self.term(&line.expression, definition, &lines.between, false)?;
            if !line.accumulator.erase {
                return Err(Diagnostic::new(
                    line.name.span.clone(),
                    "the value of an operator is written anew",
                    format!("`{}` keeps what is there", line.accumulator),
                )
                .help("write `v =: …` or `v =:+ …`"));
            }
            lines.forward = Some((term, line.accumulator));
        } else if let Some(gradient) = gradient {
            if line.accumulator != ADD {
                return Err(Diagnostic::new(
                    line.name.span.clone(),
                    "a gradient is added to",
                    format!("`{}` does something else", line.accumulator),
                )
                .help(format!("write `{written} =+ …`")));
            }
            *gradient = Some(self.term(&line.expression, definition, &lines.between, true)?);
        } else if line.accumulator == ERASE && !lines.between.contains_key(written) {
            let after = lines.forward.is_some();
            let term = self.term(&line.expression, definition, &lines.between, after)?;
            let longest = self.program.surroundings.limits.op_parts;
            if term.length() as u64 > longest {
                return Err(Diagnostic::new(
                    line.name.span.clone(),
                    format!("`{}` is too long when it is written out", brief(written)),
                    format!("more than {longest} parts"),
                )
                .help("make several operators of this one; --max-op-parts raises the limit"));
            }
            lines.between.insert(written, term);
        } else {
            let message = format!("an operator does not write `{}` so", brief(written));
            return Err(
                Diagnostic::new(line.name.span.clone(), message, "written here")
                    .help("its value is `v`, `g1` is the gradient of its first operand, and a value between is `t =: …`, once"),
            );
        }
        Ok(())
    }

    /// A scalar expression of an operator.
    fn term(
        &self,
        expression: &'a Expression<'a>,
        definition: &OperatorDefinition<'a>,
        between: &HashMap<&str, Term>,
        backward: bool,
    ) -> Parsed<Term> {
        let mut terms: Vec<Option<Term>> = Vec::with_capacity(expression.nodes.len());
        for (at, node) in expression.nodes.iter().enumerate() {
            let term = match &node.kind {
                NodeKind::Number(value) => Some(Term::number(*value)),
                NodeKind::Name(name) => {
                    let operand = definition
                        .operands
                        .iter()
                        .position(|operand| operand.text == *name);
                    match (operand, *name) {
                        (Some(operand), _) => Some(Term::read(Read::Operand(operand))),
                        (None, "g") if backward => Some(Term::read(Read::Gradient)),
                        (None, "v") if backward => Some(Term::read(Read::Result)),
                        (None, name) if between.contains_key(name) => between.get(name).cloned(),
                        // The name of a function is looked up by the call.
                        _ => None,
                    }
                }
                _ => {
                    let scalar = self.scalar(expression, at);
                    scalar.and_then(|(primitive, operands)| {
                        let function = match primitive {
                            Primitive::Function(function) => function.clone(),
                            Primitive::Star => Function::Multiply,
                            Primitive::Transpose | Primitive::Product(_) => return None,
                        };
                        let operands: Option<Vec<Term>> = operands
                            .iter()
                            .map(|operand| terms[*operand].clone())
                            .collect();
                        Some(Term::of(function, operands?))
                    })
                }
            };
            terms.push(term);
        }
        // The error is about the first part that is not scalar: it also explains the parts that contain it.
        let called = |at: usize| {
            let calls = expression.nodes.iter();
            calls
                .into_iter()
                .any(|node| matches!(node.kind, NodeKind::Call(callee, _) if callee == at))
        };
        let wrong = (0..terms.len()).find(|at| terms[*at].is_none() && !called(*at));
        match (wrong, terms.pop().flatten()) {
            (None, Some(term)) => Ok(term),
            (wrong, _) => {
                let node = &expression.nodes[wrong.unwrap_or(expression.nodes.len() - 1)];
                let names: Vec<&str> = definition
                    .operands
                    .iter()
                    .map(|operand| operand.text)
                    .collect();
                Err(Diagnostic::new(
                    node.span.clone(),
                    "this is no scalar expression of an operator",
                    "not computed at one point",
                )
                .help(format!(
                    "it has numbers, scalar functions, {}{}",
                    names.join(", "),
                    if backward { ", `g` and `v`" } else { "" }
                )))
            }
        }
    }

    pub(super) fn call_operator(
        &mut self,
        operator: &Rc<Operator<'a>>,
        given: Vec<super::call::Given<'_, 'a>>,
        span: &Span,
        want: Want,
    ) -> Parsed<Value<'a>> {
        let definition = operator.definition;
        let shown = brief(definition.name.text);
        if given.len() != definition.operands.len() {
            let message = format!("`{shown}` has {} operands", definition.operands.len());
            return Err(
                Diagnostic::new(span.clone(), message, format!("{} given", given.len())).help(
                    format!(
                        "write `{shown}({})`",
                        vec!["x"; definition.operands.len()].join(", ")
                    ),
                ),
            );
        }
        let mut operands = Vec::with_capacity(given.len());
        for (_, value, place) in &given {
            match self.tensor_of(value, place) {
                Some(id) => operands.push((id, place.clone())),
                None => return Ok(Value::Broken),
            }
        }
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Function::Identity),
            operands,
            logic: Some(definition.logic.clone()),
            accumulator: Some(operator.accumulator),
            span: span.clone(),
        };
        let Some(id) = self.operation(want, plan) else {
            return Ok(Value::Broken);
        };
        let step = self.program.steps.len() - 1;
        self.program.steps[step].operation.function = operator.function.clone();
        self.operators.insert(step, operator.clone());
        Ok(Value::Tensor(id))
    }
}

/// The lines of an operator that have been read.
struct Lines<'a> {
    /// The line for `v`.
    forward: Option<(Term, Accumulator)>,
    /// The intermediate values, by their names: they are computed at the same point.
    between: HashMap<&'a str, Term>,
    /// The lines for `g1` and the like, one for each operand.
    gradients: Vec<Option<Term>>,
}

/// The function of the line for `v`, which reads every operand, in order.
fn forward(
    definition: &OperatorDefinition<'_>,
    line: Option<(Term, Accumulator)>,
) -> Parsed<(Function, Accumulator)> {
    let (term, accumulator) = line.ok_or_else(|| {
        Diagnostic::new(
            definition.name.span.clone(),
            "this operator has no value",
            "no line for `v`",
        )
        .help("write `v =:+ v1 * v2`, or `v =: …` where one result comes to each cell")
    })?;
    let derivative = term.finished().ok_or_else(|| {
        Diagnostic::new(
            definition.name.span.clone(),
            "this value cannot be computed",
            "an operator",
        )
        .help("write an expression of its operands")
    })?;
    let operands = 0..definition.operands.len();
    let reads = operands.map(Read::Operand).collect::<Vec<_>>();
    if derivative.reads != reads {
        return Err(Diagnostic::new(
            definition.name.span.clone(),
            "the value of an operator reads each operand, first the first",
            "another order",
        )
        .help("name the operands in the order in which the line for `v` reads them"));
    }
    Ok((derivative.function, accumulator))
}
