//! `op`: operators that a program defines, with a line for the value and one for the gradient of each operand.

use hashbrown::HashMap;
use std::rc::Rc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::program::Span;

use super::Elaboration;
use super::derivative::{Read, Term};
use super::operation::{ADD, ERASE, Want};
use super::plan::Plan;
use super::reduction::used_at;
use super::scope::{Operator, Value};
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::operator::Primitive;
use crate::syntax::{Expression, NodeKind, OperatorDefinition, OperatorLine};

impl<'a> Elaboration<'a, '_> {
    /// Elaborates `op NAME(…) "SPEC":`.
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
            source: self.frame().source,
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

    /// Reads a scalar expression of an operator.
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
                // The name of a function is looked up by the call.
                NodeKind::Name(name) => named(name, definition, between, backward),
                _ => self.applied(expression, at, &terms),
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
                Err(not_scalar(&node.span, definition, backward))
            }
        }
    }

    /// Applies the scalar function of a node to the terms of its operands. `None` if it has none, or an operand is not
    /// scalar.
    fn applied(
        &self,
        expression: &'a Expression<'a>,
        at: usize,
        terms: &[Option<Term>],
    ) -> Option<Term> {
        let (primitive, operands) = self.scalar(expression, at)?;
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
        let (given, logic) = match given.as_slice() {
            // Without a combination of results, a spec that leaves an axis out would keep the last of them.
            [operands @ .., (None, Value::Text(text), place)]
                if operator.accumulator.combine != Combine::Replace =>
            {
                (operands, self.spec_in(text, place)?)
            }
            operands => {
                let logic = definition.logic.clone();
                match operator.source == self.frame().source {
                    true => (operands, logic),
                    false => (operands, used_at(logic, span)),
                }
            }
        };
        if given.len() != definition.operands.len() {
            let message = match definition.operands.len() {
                1 => format!("`{shown}` has 1 operand"),
                count => format!("`{shown}` has {count} operands"),
            };
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
        for (_, value, place) in given {
            match self.tensor_of(value, place) {
                Some(id) => operands.push((id, place.clone())),
                None => return Ok(Value::Broken),
            }
        }
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Function::Identity),
            operands,
            logic: Some(logic),
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

/// Finds the value that a name in an expression of an operator denotes: an operand, an intermediate value, or in the
/// line of a gradient the gradient, the value or the ties of the result.
fn named(
    name: &str,
    definition: &OperatorDefinition<'_>,
    between: &HashMap<&str, Term>,
    backward: bool,
) -> Option<Term> {
    let mut operands = definition.operands.iter();
    if let Some(operand) = operands.position(|operand| operand.text == name) {
        return Some(Term::read(Read::Operand(operand)));
    }
    match name {
        "g" if backward => Some(Term::read(Read::Gradient)),
        "v" if backward => Some(Term::read(Read::Result)),
        "ties" if backward && is_extreme(definition) => Some(Term::read(Read::Ties)),
        name => between.get(name).cloned(),
    }
}

/// Returns the error that a part of an expression is not scalar, with the names that such an expression may have.
fn not_scalar(span: &Span, definition: &OperatorDefinition<'_>, backward: bool) -> Diagnostic {
    let operands = definition.operands.iter();
    let names: Vec<&str> = operands.map(|operand| operand.text).collect();
    let more = match (backward, is_extreme(definition)) {
        (false, _) => "",
        (true, false) => ", `g` and `v`",
        (true, true) => ", `g`, `v` and `ties`",
    };
    Diagnostic::new(
        span.clone(),
        "this is no scalar expression of an operator",
        "not computed at one point",
    )
    .help(format!(
        "it has numbers, scalar functions, {}{more}",
        names.join(", ")
    ))
}

/// Tells whether the value of an operator is a maximum or a minimum: `v =:max …`.
fn is_extreme(definition: &OperatorDefinition<'_>) -> bool {
    let mut values = definition.lines.iter().filter(|line| line.name.text == "v");
    values.any(|line| matches!(line.accumulator.combine, Combine::Max | Combine::Min))
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

/// Makes the function of the line for `v`, which reads every operand, in order.
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
