//! The message that a written shape is not that of its expression.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_solver::Refusal as SolverRefusal;
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Assignment, Check, Origin};

use super::general::why;
use crate::diagnose::fix::proposed::{Proposed, called};
use crate::diagnose::known::{Kept, Known, Part};
use crate::diagnose::words::axes::row_text;
use crate::diagnose::words::text::Text;

/// Returns the message that the written shape of a tensor differs from that of its expression.
pub(crate) fn other_shape(
    known: &mut Known<'_>,
    text: Text<'_>,
    kept: Kept,
    refusal: &SolverRefusal,
) -> Option<Proposed> {
    let program = text.program;
    let Part::Written(first) = kept.part else {
        return None;
    };
    let check = program.checks.get(&(kept.step, first))?;
    let step = &program.steps[kept.step];
    let behind = known.behind(refusal, Some(kept));
    let own = |origin: &&Origin| {
        origin.step == kept.step && check.requirements.contains(&origin.requirement)
    };
    let place = behind.iter().rev().find(own);
    let place = place.map_or(check.requirements.start, |origin| origin.requirement);
    let (slot, kind) = match step.operation.requirements.get(place)? {
        Requirement::Equal(Side::Slot(slot, kind), _) => (*slot, *kind),
        _ => return None,
    };
    let tensor = step.operation.slots[slot];
    let shape = known.shape_text(tensor);
    let name = match program[tensor].name.contains('\'') {
        false => program[tensor].name.to_string(),
        true => text.excerpt(check.span.clone()),
    };
    let (headline, span, words) = match (check.asserted, slot) {
        (true, _) => (
            format!(
                "the {} axes asserted for `{name}` are not those that it has",
                kind.word()
            ),
            check.span.clone(),
            format!("`{name}` is `{shape}`"),
        ),
        (false, 0) if step.call == check.call => {
            let operands = operand_shapes(known, text, step);
            (of_its_expression(kind, &name), step.span.clone(), operands)
        }
        (false, _) => (
            of_its_expression(kind, &name),
            check.span.clone(),
            format!("the expression is `{shape}`"),
        ),
    };
    let mut diagnostic = Diagnostic::new(span, headline, words)
        .other(check.shape.clone(), "the shape that is written");
    diagnostic.why = why(refusal, &behind);
    let shape = filled(known, text, tensor, check).unwrap_or(shape);
    let proposed = with_its_shape(diagnostic.into(), check, shape);
    Some(called(program, check.call, proposed))
}

/// Returns the shapes of the operands of a step, in words.
fn operand_shapes(known: &mut Known<'_>, text: Text<'_>, step: &Assignment) -> String {
    let operands = step.operation.slots.iter().enumerate().skip(1);
    let shapes = operands.map(|(slot, tensor)| {
        let shape = known.shape_text(*tensor);
        format!("`{}` is `{shape}`", text.name(step, slot))
    });
    shapes.collect::<Vec<String>>().join(", ")
}

/// Returns the shape of a tensor, with the written rows in place of those of which nothing is known; `None` if it is
/// known.
fn filled(
    known: &mut Known<'_>,
    text: Text<'_>,
    tensor: TensorId,
    check: &Check,
) -> Option<String> {
    let written = text.at(check.shape.clone());
    let (batch, rest) = written.split_once('|').unwrap_or(("", written));
    let (input, output) = rest.split_once("->").unwrap_or(("", rest));
    let mut filled = 0;
    let [batch, input, output] = [
        (Kind::Batch, batch),
        (Kind::Input, input),
        (Kind::Output, output),
    ]
    .map(|(kind, written)| {
        let row = known.row(tensor, kind);
        let is_open = row.rank() == 0 && known.can_grow(tensor, kind);
        filled += usize::from(is_open);
        match is_open {
            true => written.trim().to_string(),
            false => row_text(&row),
        }
    });
    (filled > 0).then(|| match batch.is_empty() {
        true => format!("{input}->{output}"),
        false => format!("{batch}|{input}->{output}"),
    })
}

/// Returns the message with the shape that fits in place of the written one, or with none if nothing is asserted.
fn with_its_shape(mut proposed: Proposed, check: &Check, shape: String) -> Proposed {
    if !shape.contains("...") {
        let help = format!("write `{shape}`");
        let edit = Edit {
            span: check.shape.clone(),
            text: shape,
        };
        proposed = proposed.or(help, vec![edit]);
    }
    if check.asserted {
        return proposed;
    }
    let removed = vec![Edit {
        span: check.span.end..check.shape.end,
        text: String::new(),
    }];
    proposed.or("leave the shape out: it is inferred", removed)
}

fn of_its_expression(kind: Kind, name: &str) -> String {
    let kind = kind.word();
    format!("the {kind} axes written for `{name}` are not those of its expression")
}
