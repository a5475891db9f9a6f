//! Fixes for parameters that no line of the program declares: those of layers of the prelude and of other files.

use lozenge_lang::Edit;
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Span};

use super::proposed::Proposed;
use crate::diagnose::words::axes::row_text;
use crate::diagnose::words::text::Text;

/// The layer of the prelude whose width comes from its context, and the one whose width is written.
const WIDTH_FROM_CONTEXT: &str = "linear()";
const WIDTH_WRITTEN: &str = "dense(10)";

/// The value of a row of a tensor, as far as it is known.
pub(crate) type Rows<'a> = dyn Fn(TensorId, Kind) -> Row + 'a;

/// Returns the place at which the function is called that made an operation: the outermost call, or the operation
/// itself, whose place is the call for a function of the prelude.
fn call(text: Text<'_>, step: &Assignment) -> Span {
    let calls = &text.program.calls;
    let mut call = step.call.and_then(|call| calls.get(call));
    while let Some(outer) = call.and_then(|call| calls.get(call.within?)) {
        call = Some(outer);
    }
    call.map_or(step.span.clone(), |call| call.span.clone())
}

/// Returns the layer of the prelude that made a parameter, by the name of the parameter: `linear` for `y.linear.w`.
pub(crate) fn maker<'p>(text: Text<'p>, tensor: TensorId) -> Option<&'p str> {
    if text.is_declared(tensor) {
        return None;
    }
    let name = &text.program[tensor].name;
    let layer = name.rsplit('.').nth(1)?;
    let layer = layer.trim_end_matches(|c: char| c.is_ascii_digit());
    lozenge_lang::prelude_lines(layer)
        .is_some()
        .then_some(layer)
}

/// Proposes changes that state the number of outputs of a parameter that a layer made: a layer with a written width, or
/// a shape of the value that the layer computes.
pub(crate) fn wider(
    mut proposed: Proposed,
    text: Text<'_>,
    tensor: TensorId,
    rows: &Rows<'_>,
) -> Proposed {
    let made = text.place(tensor);
    let linear = text.at(made.clone()).find(WIDTH_FROM_CONTEXT);
    if let Some(start) = linear.map(|offset| made.start + offset) {
        let help = format!(
            "write how many, for example `{WIDTH_WRITTEN}` in place of `{WIDTH_FROM_CONTEXT}`"
        );
        let edit = Edit {
            span: start..start + WIDTH_FROM_CONTEXT.len(),
            text: WIDTH_WRITTEN.into(),
        };
        proposed = proposed.or(help, vec![edit]);
    }
    let mut readers = text.program.steps.iter();
    let reader = readers.find(|step| step.operation.slots[1..].contains(&tensor));
    let Some(value) = reader.and_then(|reader| named_value(text, &reader.span)) else {
        let help = "give the result a name and a shape: `let y : ...|->10 = …`";
        proposed.diagnostic = proposed.diagnostic.help(help);
        return proposed;
    };
    let name = &text.program[value].name;
    let shape = written(rows, value, "10");
    let edits = text.shape_edit(value, &shape);
    proposed.or(
        format!("write the shape, for example `let {name} : {shape}`"),
        edits,
    )
}

/// Returns a shape in which the outputs are these.
fn written(rows: &Rows<'_>, tensor: TensorId, outputs: &str) -> String {
    let batch = row_text(&rows(tensor, Kind::Batch));
    let input = row_text(&rows(tensor, Kind::Input));
    match batch.is_empty() {
        true => format!("{input}->{outputs}"),
        false => format!("{batch}|{input}->{outputs}"),
    }
}

/// Returns the tensor that a `let` defines by an expression with this part.
fn named_value(text: Text<'_>, part: &Span) -> Option<TensorId> {
    let steps = text.program.steps.iter();
    let around = steps.filter(|step| step.span.start <= part.start && part.end <= step.span.end);
    let mut made = around.map(|step| step.operation.slots[0]);
    made.find(|tensor| {
        let before = text.at(0..text.place(*tensor).start).trim_end();
        text.is_declared(*tensor) && before.ends_with("let")
    })
}

/// Returns the change that gives the call of an instance parameters of its own: the expression of the instance in place
/// of its name.
pub(crate) fn another(
    text: Text<'_>,
    step: &Assignment,
    tensor: TensorId,
) -> Option<(String, Vec<Edit>)> {
    let (instance, _) = text.program[tensor].name.split_once('.')?;
    let call = call(text, step);
    let written = text.at(call.clone());
    let arguments = written.strip_prefix(instance)?;
    if !arguments.starts_with('(') {
        return None;
    }
    let definition = |line: &str| {
        let expression = line.trim_start().strip_prefix("let ")?.trim_start();
        let expression = expression.strip_prefix(instance)?.trim_start();
        let expression = expression.strip_prefix('=')?;
        Some(expression.split('#').next()?.trim().to_string())
    };
    let expression = text.lines().find_map(definition)?;
    let help = format!(
        "all calls of `{instance}` share its parameters; another layer is `{expression}{arguments}`"
    );
    let edit = Edit {
        span: call.start..call.start + instance.len(),
        text: expression,
    };
    Some((help, vec![edit]))
}
