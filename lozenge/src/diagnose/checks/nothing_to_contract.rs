//! R2: a composition in which an axis of one side has no counterpart on the other, or which contracts no axis.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::program::{Family, Source};

use super::Operation;
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::axes::row_text;
use crate::diagnose::words::text::Text;
use crate::infer::shape_text;

/// Returns the message about a composition. If a parameter is undetermined, `determined` is false. Then a composition
/// may contract nothing only because the parameter has no axes yet, which is not reported.
pub(crate) fn check(
    operation: &Operation<'_>,
    text: Text<'_>,
    determined: bool,
) -> Option<Proposed> {
    let step = operation.step;
    if step.logic != Family::Compose || operation.shapes.len() != 3 {
        return None;
    }
    let (input, output) = (&operation.shapes[1].input, &operation.shapes[2].output);
    let unmet =
        input.leading.len() > output.leading.len() || input.trailing.len() > output.trailing.len();
    let slots = &step.operation.slots;
    let static_numbers = slots[1..].iter().all(|slot| text.is_number(*slot));
    if !unmet && input.rank() > 0 || static_numbers {
        return None;
    }
    let number = slots[1..].iter().any(|slot| text.is_number(*slot));
    if !unmet && !number && !determined {
        return None;
    }
    let diagnostic = diagnostic(operation, text, unmet);
    Some(with_fixes(diagnostic.into(), operation, text))
}

/// Returns the message without fixes. `unmet` says whether an input meets no output.
fn diagnostic(operation: &Operation<'_>, text: Text<'_>, unmet: bool) -> Diagnostic {
    let step = operation.step;
    let (input, output) = (&operation.shapes[1].input, &operation.shapes[2].output);
    let [left, right] = [1, 2].map(|slot| text.name(step, slot));
    let numbers = [1, 2].map(|slot| text.is_number(step.operation.slots[slot]));
    let (headline, label) = match (unmet, numbers[0], numbers[1]) {
        (false, true, _) => (
            "`*` composes, and a number has no inputs".to_string(),
            format!("composes `{left}` with `{right}`"),
        ),
        (_, _, true) => (
            "`*` composes, and a number has no outputs".to_string(),
            format!("sums `{left}` over its inputs, and multiplies by `{right}`"),
        ),
        (false, _, _) => (
            format!("`{left}` has no inputs for `{right}` to fill"),
            "`*` contracts no axis here".to_string(),
        ),
        (true, _, _) => (
            format!(
                "`{left}` takes {} inputs, and `{right}` gives {}",
                row_text(input),
                gives(&row_text(output))
            ),
            "an input that meets no output is summed with nothing".to_string(),
        ),
    };
    let mut diagnostic = Diagnostic::new(step.span.clone(), headline, label);
    for slot in 1..3 {
        let tensor = step.operation.slots[slot];
        if !text.is_number(tensor) {
            let shape = shape_text(operation.shapes[slot]);
            let name = text.name(step, slot);
            let span = text.program[tensor].span.clone();
            diagnostic = diagnostic.other(span, format!("`{name}` is `{shape}`"));
        }
    }
    diagnostic
}

/// Proposes a scaling in place of the composition, or its operands exchanged.
fn with_fixes(mut proposed: Proposed, operation: &Operation<'_>, text: Text<'_>) -> Proposed {
    let step = operation.step;
    let slots = &step.operation.slots;
    if let Some(edit) = text.as_constant(slots[2]) {
        let name = text.at(text.place(slots[2]));
        let help = format!("`const {name} = …` has as many axes as its uses ask for");
        proposed = proposed.or(help, vec![edit]);
    }
    let Some(star) = text.operator(step, "*") else {
        return proposed;
    };
    let [left, right] = [1, 2].map(|slot| text.as_written(step, slot));
    let scale = vec![Edit {
        span: star,
        text: "*.".into(),
    }];
    if slots[1..].iter().any(|slot| text.is_number(*slot)) {
        return proposed.or(format!("to scale, write `{left} *. {right}`"), scale);
    }
    proposed = with_rows_of_a_table(proposed, operation, text, [&left, &right]);
    proposed = with_all_pairs(proposed, operation, text, &left);
    let exchange = text.exchanged(step);
    let exchanged = format!("the other way round it fits: `{right} * {left}`");
    let cells = format!("cell by cell is `{left} *. {right}`");
    let without_axes = operation.shapes[2].rows().iter().all(|row| row.rank() == 0);
    match text.program[slots[2]].source {
        // The shape of the parameter is not known yet, so the operations behind it may be wrong as well.
        Source::Param(_) if without_axes => {
            let order =
                format!("a parameter stands before what it is applied to: `{right} * {left}`");
            proposed.diagnostic = proposed.diagnostic.help(order);
            proposed.or(exchanged, exchange)
        }
        Source::Param(_) => proposed.or(exchanged, exchange).or(cells, scale),
        _ => proposed.or(cells, scale).or(exchanged, exchange),
    }
}

/// Proposes the rows of a table whose numbers a tensor holds, one for each instance.
fn with_rows_of_a_table(
    proposed: Proposed,
    operation: &Operation<'_>,
    text: Text<'_>,
    [table, numbers]: [&str; 2],
) -> Proposed {
    let (shapes, step) = (&operation.shapes, operation.step);
    let cells = &shapes[2];
    let is_of_numbers = cells.input.rank() + cells.output.rank() == 0 && cells.batch.rank() > 0;
    let rows: Vec<_> = shapes[1].input.axes().collect();
    let [size] = rows[..] else { return proposed };
    if !is_of_numbers {
        return proposed;
    }
    let place = step.slot_spans[2].clone();
    let number = text.at(place.clone());
    let size = size.size();
    let help = format!(
        "the rows of `{table}` whose numbers `{numbers}` holds are `{table} * one_hot({numbers}, {size})`"
    );
    let edit = Edit {
        span: place,
        text: format!("one_hot({number}, {size})"),
    };
    proposed.or(help, vec![edit])
}

/// Proposes a product of two tables of instances, the second of which is transposed: a number for each pair of
/// instances.
fn with_all_pairs(
    proposed: Proposed,
    operation: &Operation<'_>,
    text: Text<'_>,
    left: &str,
) -> Proposed {
    let (shapes, step) = (&operation.shapes, operation.step);
    let spans = [1, 2].map(|slot| step.slot_spans[slot].clone());
    let right = text.at(spans[1].clone());
    let transposed = right.strip_prefix("transpose(");
    let Some(right) = transposed.and_then(|rest| rest.strip_suffix(')')) else {
        return proposed;
    };
    let tables = [&shapes[1].output, &shapes[2].input];
    let alike = [1, 2]
        .iter()
        .all(|slot| shapes[*slot].batch.rank() == 1 && tables[*slot - 1].rank() == 1);
    if !alike {
        return proposed;
    }
    let product = format!("sum({left} * {right}, \"n|->c; m|->c => n|->m\")");
    let help = format!("a number for each pair of instances is `{product}`");
    let edits = vec![Edit {
        span: spans[0].start..spans[1].end,
        text: product,
    }];
    proposed.or(help, edits)
}

fn gives(row: &str) -> &str {
    if row.is_empty() { "none" } else { row }
}
