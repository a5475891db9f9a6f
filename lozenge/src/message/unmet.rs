//! The message that two rows of an operation do not fit together, with possible mends.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Source, Span};

use super::instance;
use super::known::{Known, row_text};
use super::meeting::{Mismatch, What};
use super::suggestion::Proposed;
use super::text::Text;

/// The message that two rows of an operation do not fit together.
pub(super) fn unmet(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    found: &Mismatch,
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
    let mut declared = tensors.to_vec();
    declared.dedup();
    for (tensor, name) in declared.into_iter().zip(&names) {
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
    if matches!(found.what, What::Missing) && left.slot == 0 && left.kind == Kind::Batch {
        let (tensor, update) = (&names[0], &names[1]);
        diagnostic = diagnostic.help(format!(
            "sum `{update}` over its batch axes first, or use `{tensor}.grad`"
        ));
    }
    let scalar = composed && number_of_axes(known, step) == Some(0);
    mends(
        diagnostic.into(),
        known,
        text,
        step,
        found,
        [composed, scalar],
    )
}

/// The least number of axes that an operand of an operation has, if none of its rows can grow.
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

/// The message that a product is composed because the spec of its reduction reads one tensor.
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
        What::Axes(low, high) if low.size() == high.size() => format!(
            "{} meets {}: the same size, another meaning",
            based(low),
            based(high)
        ),
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
        What::Axes(low, high) => format!(
            "the {} axes {low} and {high} cannot be one",
            found.left.kind.word()
        ),
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

/// An axis in words, with its basis first.
fn based(dim: &Dim) -> String {
    match dim {
        Dim::Atom {
            size,
            basis: Basis::Named(name),
        } => format!("{size} of `{name}`"),
        Dim::Atom {
            size,
            basis: Basis::Default,
        } => format!("{size} without a basis"),
        Dim::Unit => "1_".to_string(),
    }
}

/// Possible mends for two rows that do not fit together.
fn mends(
    mut proposed: Proposed,
    known: &Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    found: &Mismatch,
    [composed, scalar]: [bool; 2],
) -> Proposed {
    let tensors = [found.left, found.right].map(|place| step.operation.slots[place.slot]);
    let name = |tensor: TensorId| text.program[tensor].name.clone();
    if let Some(star) = text
        .operator(step, "*")
        .filter(|_| step.logic == Family::Compose)
    {
        let mut operands = step.operation.slots[1..].iter();
        let number = scalar || operands.any(|slot| text.is_number(*slot));
        let [left, right] = [1, 2].map(|slot| text.name(step, slot));
        let scale = vec![Edit {
            span: star,
            text: "*.".into(),
        }];
        let exchange = text.exchanged(step);
        let scaled = format!("`*` composes; cell by cell is `{left} *. {right}`");
        let exchanged = format!("the other way round it fits: `{right} * {left}`");
        if let (What::Missing, Some(shape)) = (&found.what, text.written_shape(tensors[0])) {
            let written = text.at(shape.clone());
            let insertion = vec![Edit {
                span: shape.start..shape.start,
                text: "...->".into(),
            }];
            if !written.contains("->")
                && matches!(text.program[tensors[0]].source, Source::Param(_))
            {
                let help = format!(
                    "a part of a shape that is left out has no axes: write `...->{written}`"
                );
                proposed = proposed.or(help, insertion);
            }
        }
        proposed = match number {
            true => proposed.or(format!("to scale, write `{left} *. {right}`"), scale),
            false if matches!(found.what, What::Missing) => {
                proposed.or(exchanged, exchange).or(scaled, scale)
            }
            false => proposed.or(exchanged, exchange),
        };
        if composed && !number {
            proposed = as_matrices(proposed, known, text, step, [&left, &right]);
        }
    }
    let What::Axes(low, high) = &found.what else {
        return proposed;
    };
    if low.size() == high.size() {
        let both: Vec<Edit> = [(tensors[0], low), (tensors[1], high)]
            .into_iter()
            .filter_map(|(tensor, dim)| {
                text.axis_edit(tensor, &dim.to_string(), &dim.size().to_string())
            })
            .collect();
        proposed = proposed.or("leave the basis out where the meaning is the same", both);
    }
    for (tensor, dim) in [(tensors[0], low), (tensors[1], high)] {
        if dim.size() == 1 {
            let edit = text.axis_edit(tensor, &dim.to_string(), "1_");
            let help = format!(
                "`1_` in the shape of `{}` is the one that broadcasts",
                name(tensor)
            );
            proposed = proposed.or(help, edit.into_iter().collect());
        }
    }
    if found.left.kind == Kind::Batch && !composed && found.left.slot > 0 {
        let spec = "n|... -> ...; c|... -> ... => n, c|... -> ...";
        let (mapped, edits) = text.mapped(step, spec);
        proposed = proposed.or(format!("to keep both: {mapped}"), edits);
    }
    for tensor in tensors {
        if let Some((help, edits)) = instance::another(text, step, tensor) {
            proposed = proposed.or(help, edits);
        }
    }
    for (place, from, to) in [(found.left, low, high), (found.right, high, low)] {
        let Some(computed) = text.computed(step, place.slot) else {
            continue;
        };
        let edit = text.number_edit(&computed, from.size(), to.size());
        let help = format!(
            "if one of the two sizes is wrong, write {} in place of {} in `{}`",
            to.size(),
            from.size(),
            text.excerpt(computed).trim()
        );
        proposed = proposed.or(help, edit.into_iter().collect());
    }
    for (tensor, from, to) in [(tensors[0], low, high), (tensors[1], high, low)] {
        let edit = text.axis_edit(tensor, &from.to_string(), &to.to_string());
        let help = format!(
            "if one of the two sizes is wrong, write {to} in the shape of `{}`",
            name(tensor)
        );
        proposed = proposed.or(help, edit.into_iter().collect());
    }
    if low.size() != high.size() && proposed.diagnostic.help.is_none() {
        // Another size alone does not do where the values are written beside it.
        let outputs = tensors.map(|tensor| known.row(tensor, Kind::Output));
        let [left, right] = [found.left, found.right].map(|place| text.name(step, place.slot));
        let to_contract = format!(
            "change one of the two sizes; or, if the outputs {} of both are to be contracted, transpose one: `transpose({left}) * {right}`",
            row_text(&outputs[0])
        );
        let help = match low.size() == 1 || high.size() == 1 {
            _ if composed && outputs[0] == outputs[1] => &to_contract,
            true => {
                "axes of two operands are kept apart by a spec with a shape for each, as in `map(a - b, \"m|->c; n|->c => m, n|->c\")`"
            }
            false => "change one of the two sizes",
        };
        proposed.diagnostic = proposed.diagnostic.help(help);
    }
    proposed
}

/// The changes of someone to whom a composition is a product of matrices: a transposition that is missing, or a table of rows that is
/// to be a matrix.
fn as_matrices(
    mut proposed: Proposed,
    known: &Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    [left, right]: [&str; 2],
) -> Proposed {
    let Some(star) = text.operator(step, "*") else {
        return proposed;
    };
    let spans = [1, 2].map(|slot| step.slot_spans[slot].clone());
    let written = |first: String, second: String| {
        let edit = |span: &Span, text: String| Edit {
            span: span.clone(),
            text,
        };
        vec![edit(&spans[0], first), edit(&spans[1], second)]
    };
    let [a, b] = [0, 1].map(|at: usize| text.at(spans[at].clone()));
    let equal = |kind: Kind| {
        let [a, b] = [1, 2].map(|slot| known.row(step.operation.slots[slot], kind));
        a.rank() > 0 && a == b
    };
    let ways = [
        (Kind::Output, format!("transpose({a})"), b.to_string()),
        (Kind::Input, a.to_string(), format!("transpose({b})")),
        (Kind::Output, format!("transpose({b})"), a.to_string()),
        (Kind::Input, b.to_string(), format!("transpose({a})")),
    ];
    for (_, first, second) in ways.into_iter().filter(|(kind, ..)| equal(*kind)) {
        let help = format!("with one of the two transposed it fits: `{first} * {second}`");
        proposed = proposed.or(help, written(first, second));
    }
    let table = step.operation.slots[2];
    let unmet = known.row(step.operation.slots[1], Kind::Input).rank() == 0;
    let bar = text
        .written_shape(table)
        .filter(|_| unmet)
        .and_then(|shape| {
            let at = shape.start + text.at(shape.clone()).find("|->")?;
            (shape.end <= star.start).then_some(at..at + 1)
        });
    if let Some(span) = bar {
        let mut edits = written(b.to_string(), a.to_string());
        edits.push(Edit {
            span,
            text: String::new(),
        });
        let help = format!(
            "`{right}` is a table of instances; as a matrix its shape has no `|`, and it stands before `{left}`: `{right} * {left}`"
        );
        proposed = proposed.or(help, edits);
    }
    proposed
}
