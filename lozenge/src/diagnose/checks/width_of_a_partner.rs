//! R3, as a warning: a layer has several output axes only because a product broadcasts its result to them.
//!
//! A width that comes from a sum or a difference is what people mean: a prediction has the shape of its target. In a
//! product with something that has more axes, such as `x *. sigmoid(linear()(s))`, the layer was rather meant to give
//! one number for each of the last axis, and it silently gets a number for each cell.

use std::collections::BTreeMap;

use lozenge_lang::{Diagnostic, Edit, Severity};
use lozenge_vocabulary::operation::{Function, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Program, Source};

use crate::diagnose::fix::proposed::{Proposed, called};
use crate::diagnose::words::text::Text;
use crate::infer::{Shapes, shape_text};

/// The layer of the prelude whose width comes from its context.
const WIDTH_FROM_CONTEXT: &str = "linear()";

/// Returns the warnings about parameters with these shapes.
pub(crate) fn check(text: Text<'_>, shapes: &Shapes) -> Vec<Proposed> {
    let program = text.program;
    let rank = |id: TensorId| shapes[id.0].output.rank();
    let widened: Vec<&Assignment> = program
        .steps
        .iter()
        .filter(|step| step.logic == Family::Compose && step.record.is_none())
        .filter(|step| {
            let [weight, operand] = [1, 2].map(|slot| step.operation.slots[slot]);
            is_open(program, weight) && rank(weight) > rank(operand).max(1)
        })
        .collect();
    if widened.is_empty() {
        return Vec::new();
    }
    let mut readers: BTreeMap<TensorId, Vec<usize>> = BTreeMap::new();
    for (at, step) in program.steps.iter().enumerate() {
        for slot in step.operation.slots[1..]
            .iter()
            .filter(|_| step.record.is_none())
        {
            readers.entry(*slot).or_default().push(at);
        }
    }
    let found = widened.into_iter().filter_map(|step| {
        let slots = &step.operation.slots;
        let product = broadcasting(program, shapes, &readers, slots[0])?;
        Some(called(
            program,
            step.call,
            message(text, shapes, slots[1], product),
        ))
    });
    found.collect()
}

/// Tells whether a tensor is a parameter whose output axes are not written.
fn is_open(program: &Program, id: TensorId) -> bool {
    let tensor = &program[id];
    let output = &tensor.shape.output;
    matches!(tensor.source, Source::Param(_)) && output.var.is_some() && output.explicit() == 0
}

/// Returns the product that gives the result of a layer its axes, if everything that reads the result says nothing of
/// them up to there.
fn broadcasting<'p>(
    program: &'p Program,
    shapes: &Shapes,
    readers: &BTreeMap<TensorId, Vec<usize>>,
    made: TensorId,
) -> Option<&'p Assignment> {
    let rank = shapes[made.0].output.rank();
    let (mut tensor, mut steps) = (made, program.steps.len());
    while steps > 0 {
        steps -= 1;
        let [at] = readers.get(&tensor).map_or(&[][..], Vec::as_slice) else {
            return None;
        };
        let step = &program.steps[*at];
        let is_checked = program
            .checks
            .range((*at, 0)..(*at + 1, 0))
            .next()
            .is_some();
        if step.logic != Family::Pointwise || is_checked || !step.operation.accumulator.erase {
            return None;
        }
        let mut others = step.operation.slots[1..].iter().filter(|id| {
            **id != tensor && shapes[id.0].output.rank() == rank && !is_open(program, **id)
        });
        if others.next().is_some() {
            return is_product(&step.operation.function).then_some(step);
        }
        tensor = step.operation.slots[0];
    }
    None
}

/// Tells whether a function of several operands is no sum, difference or comparison, whose operands are meant to have
/// one shape.
fn is_product(function: &Function) -> bool {
    matches!(
        function,
        Function::Multiply | Function::Divide | Function::Power | Function::Where
    )
}

fn message(text: Text<'_>, shapes: &Shapes, weight: TensorId, product: &Assignment) -> Proposed {
    let tensor = &text.program[weight];
    let name = &tensor.name;
    let shape = &shapes[weight.0];
    let written = text.excerpt(product.span.clone());
    let headline = format!(
        "`{name}` has {} output axes only because `{written}` broadcasts to them",
        shape.output.rank()
    );
    let label = format!("`{name}` is `{}`", shape_text(shape));
    let mut diagnostic = Diagnostic::new(tensor.span.clone(), headline, label).other(
        product.span.clone(),
        "nothing else says how wide the layer is",
    );
    diagnostic.severity = Severity::Warning;
    let last = shape.output.axes().last().map_or(1, |dim| dim.size());
    let proposed = Proposed::from(diagnostic);
    let made = tensor.span.clone();
    if let Some(offset) = text.at(made.clone()).find(WIDTH_FROM_CONTEXT) {
        let start = made.start + offset;
        let help = format!(
            "for a number for each of the last axis write `dense({last})` in place of `{WIDTH_FROM_CONTEXT}`"
        );
        let edit = Edit {
            span: start..start + WIDTH_FROM_CONTEXT.len(),
            text: format!("dense({last})"),
        };
        return proposed.or(help, vec![edit]);
    }
    let help = format!(
        "for a number for each of the last axis write `{} : ...->{last}`",
        text.declared(weight)
    );
    proposed.or(help, text.shape_edit(weight, &format!("...->{last}")))
}
