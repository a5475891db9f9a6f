//! The message that two rows of an operation do not fit together, with possible fixes.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Origin, Span};

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::fix::unfit_rows::Unfit;
use crate::diagnose::known::Known;
use crate::diagnose::known::mismatch::{Mismatch, What};
use crate::diagnose::words::axes::{another_meaning, cannot_be_one, row_text};
use crate::diagnose::words::text::Text;

/// Returns the message that two rows of an operation do not fit together.
pub(crate) fn unmet(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    found: &Mismatch,
    behind: &[Origin],
) -> Proposed {
    let (left, right) = (found.left, found.right);
    if let Some(spec) = text
        .spec_over(step)
        .filter(|_| step.logic == Family::Compose && matches!(found.what, What::Missing))
    {
        return composed_first(text, step, &spec);
    }
    let names = [text.name(step, left.slot), text.name(step, right.slot)];
    let tensors = [left, right].map(|place| step.operation.slots[place.slot]);
    let rows = [
        known.row(tensors[0], left.kind),
        known.row(tensors[1], right.kind),
    ];
    let composed =
        step.logic == Family::Compose && left.kind == Kind::Input && right.kind == Kind::Output;
    let number = composed && text.is_number(tensors[0]);
    let texts = [&row_text(&rows[0]), &row_text(&rows[1])];
    let headline = match (&found.what, number) {
        (What::Missing, true) => "`*` composes, and a number has no inputs".to_string(),
        _ => headline(found, &names, texts.map(String::as_str), composed),
    };
    let words = match (composed, step.logic) {
        (true, _) => format!(
            "each input of `{}` meets an output of `{}`",
            names[0], names[1]
        ),
        (false, Family::Compose) => "the batch axes of both are paired from the last".to_string(),
        (false, _) => format!("pairs the {} axes of both from the last", left.kind.word()),
    };
    let mut diagnostic = Diagnostic::new(step.span.clone(), headline, words);
    diagnostic = with_shapes(diagnostic, known, text, step, tensors, &names);
    if matches!(found.what, What::Missing) && left.slot == 0 && left.kind == Kind::Batch {
        let (tensor, update) = (&names[0], &names[1]);
        diagnostic = diagnostic.help(format!(
            "sum `{update}` over its batch axes first, or use `{tensor}.grad`"
        ));
    }
    let scalar = composed && number_of_axes(known, step) == Some(0);
    let mut unfit = Unfit {
        known,
        text,
        step,
        found,
        behind,
        composed,
        scalar,
    };
    unfit.fixes(diagnostic.into())
}

/// Returns the diagnostic with the shapes of both tensors.
pub(crate) fn with_shapes(
    mut diagnostic: Diagnostic,
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    tensors: [TensorId; 2],
    names: &[String; 2],
) -> Diagnostic {
    let mut declared = tensors.to_vec();
    declared.dedup();
    for (tensor, name) in declared.into_iter().zip(names) {
        if text.is_number(tensor) {
            continue;
        }
        let shape = known.shape_text(tensor);
        let span = text.place(tensor);
        // A tensor of a function of the prelude has the place of the call, whose value it is not.
        let is_inside = span == step.span;
        let words = match is_inside {
            true => format!("one of its operands inside is `{shape}`"),
            false => format!("`{name}` is `{shape}`"),
        };
        diagnostic = diagnostic.other(span, words);
    }
    diagnostic
}

/// Returns the least number of axes that an operand of an operation has, if none of its rows can grow.
fn number_of_axes(known: &mut Known<'_>, step: &Assignment) -> Option<usize> {
    let operands = step.operation.slots[1..].iter();
    let axes = operands.filter_map(|tensor| {
        let open = Kind::ALL
            .into_iter()
            .any(|kind| known.can_grow(*tensor, kind));
        let rank = |kind: &Kind| known.row(*tensor, *kind).rank();
        (!open).then(|| Kind::ALL.iter().map(rank).sum())
    });
    axes.min()
}

/// Returns the message that a product is composed because the spec of its reduction reads one tensor.
fn composed_first(text: Text<'_>, step: &Assignment, spec: &Span) -> Proposed {
    let product = text.excerpt(step.span.clone());
    let message = format!("the spec reads one tensor, so `{product}` is composed first");
    let diagnostic = Diagnostic::new(step.span.clone(), message, "composed, and it does not fit")
        .other(spec.clone(), "one shape");
    let written = text.at(spec.start + 1..spec.end - 1);
    let shapes = written.split_once("=>").map(|(operand, result)| {
        let operand = operand.trim();
        format!("\"{operand}; {operand} => {}\"", result.trim())
    });
    let Some(shapes) = shapes else {
        return diagnostic.into();
    };
    let help = format!("to multiply in the loop give both shapes: `{shapes}`");
    let edit = Edit {
        span: spec.clone(),
        text: shapes,
    };
    Proposed::from(diagnostic).or(help, vec![edit])
}

fn headline(found: &Mismatch, names: &[String; 2], rows: [&str; 2], composed: bool) -> String {
    let [first, second] = names;
    match &found.what {
        What::Axes(low, high) if low.size() == high.size() => another_meaning(low, high),
        What::Axes(low, high) if low.size() == 1 || high.size() == 1 => {
            let other = if low.size() == 1 { high } else { low };
            format!("an axis that is 1 wide does not broadcast to {other}")
        }
        What::Axes(..) if composed => format!(
            "`{first}` takes {} inputs, `{second}` gives {}",
            rows[0], rows[1]
        ),
        What::Axes(low, high) if found.left.slot == 0 => format!(
            "the {} axis {low} of `{first}` cannot be updated by {high} values of `{second}`",
            found.left.kind.word()
        ),
        What::Axes(low, high) => cannot_be_one(found.left.kind, low, high),
        What::Missing if composed && rows[0].is_empty() => {
            format!("`{first}` has no inputs for `{second}` to fill")
        }
        What::Missing if composed => {
            format!(
                "`{first}` takes {} inputs only, `{second}` gives {}",
                rows[0], rows[1]
            )
        }
        What::Missing if rows[0].is_empty() && found.left.kind == Kind::Batch => format!(
            "`{first}` is one for all instances, and `{second}` has the batch axes {}",
            rows[1]
        ),
        What::Missing => format!(
            "`{first}` has fewer {} axes than `{second}`, which updates it",
            found.left.kind.word()
        ),
    }
}
