//! Messages about a concatenation or a product: the sizes of the parts do not make that of the whole, or joined operands differ in
//! another axis.

use std::collections::HashMap;

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::operation::{Requirement, Side};
use lozenge_vocabulary::program::{Assignment, Span};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, RowVar};

use super::known::Known;
use super::suggestion::Proposed;
use super::text::Text;
use super::windows::{Sizes, axis_text, label, number_of, sizes};

/// How many other sizes are tried for a part whose size does not fit.
const TRIED: u64 = 64;

/// The message about the first concatenation or product of an operation whose sizes do not fit, as far as they are known.
pub(crate) fn unfit(known: &mut Known<'_>, text: Text<'_>, step: &Assignment) -> Option<Proposed> {
    let sizes = sizes(known, step);
    let mut requirements = step.operation.requirements.iter();
    requirements.find_map(|requirement| match requirement {
        Requirement::Template(Constraint::Composite(composite)) => {
            unfit_composite(text, step, &sizes, composite)
        }
        _ => None,
    })
}

/// The message that two operands of `concat` differ where they have to agree: in the axes of a row variable of its spec.
pub(crate) fn unequal(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
) -> Option<Proposed> {
    if step.word != "concat" {
        return None;
    }
    let mut first: HashMap<RowVar, (usize, Vec<Dim>)> = HashMap::new();
    for requirement in step.operation.requirements.iter() {
        let Requirement::Equal(Side::Template(row), Side::Slot(slot, kind)) = requirement else {
            continue;
        };
        let (Some(var), tensor) = (&row.var, step.operation.slots[*slot]) else {
            continue;
        };
        let axes = known.row(tensor, *kind).flat();
        let rest = axes.len().checked_sub(row.explicit());
        let (Some(rest), false) = (rest, known.can_grow(tensor, *kind)) else {
            continue;
        };
        let from = row.leading.len();
        let inner = axes[from..from + rest].to_vec();
        let Some((other, before)) = first.insert(var.clone(), (*slot, inner.clone())) else {
            continue;
        };
        if before != inner {
            let [one, two] = [other, *slot].map(|slot| {
                let shape = known.shape_text(step.operation.slots[slot]);
                format!("`{}` is `{shape}`", text.name(step, slot))
            });
            let message = format!(
                "`{}` and `{}` differ in more axes than the one that is joined",
                text.name(step, other),
                text.name(step, *slot)
            );
            let diagnostic = Diagnostic::new(step.slot_spans[*slot].clone(), message, two)
                .other(step.slot_spans[other].clone(), one)
                .help("a spec says which axis is joined: `concat(x, y, \"n|->a, c; n|->b, c => n|->a^b, c\")`");
            return Some(Proposed::from(diagnostic));
        }
    }
    None
}

fn unfit_composite(
    text: Text<'_>,
    step: &Assignment,
    sizes: &Sizes<'_>,
    composite: &Composite,
) -> Option<Proposed> {
    let size = |term: &DimTerm| match term {
        DimTerm::Var(var) => sizes.get(var.name()).copied(),
        DimTerm::Const(dim) => Some((dim.size(), 0)),
    };
    let (cells, slot) = size(&composite.whole)?;
    let whole = u128::from(cells);
    let known: Vec<u64> = composite
        .parts
        .iter()
        .filter_map(|part| Some(size(part)?.0))
        .collect();
    let total = composite.composition.total(known.iter().copied())?;
    let open = composite.parts.iter().find(|part| size(part).is_none());
    let own = misfit(composite.composition, cells, &known, total, open)?;
    let place = axis_text(text, step, number_of(&composite.whole));
    let span = place.clone().unwrap_or_else(|| step.span.clone());
    let what = match composite.composition {
        Composition::Concat => "these parts do not make the axis",
        Composition::Product => "these factors do not make the axis",
    };
    let mut diagnostic = Diagnostic::new(span, own, what);
    if slot > 0 && !text.is_number(step.operation.slots[slot]) {
        let tensor = &text.program[step.operation.slots[slot]];
        diagnostic = diagnostic.other(
            tensor.span.clone(),
            format!("`{}` has the axis", tensor.name),
        );
    }
    let mut proposed = Proposed::from(diagnostic);
    let Some(place) = place else {
        return Some(proposed);
    };
    for (name, span, written) in stated_sizes(text, &place) {
        let others = others(composite.composition, total, written);
        let fits = |size: &u64| match composite.composition {
            Composition::Concat if open.is_none() => others + u128::from(*size) == whole,
            Composition::Concat => others + u128::from(*size) < whole,
            Composition::Product if open.is_none() => others * u128::from(*size) == whole,
            Composition::Product => whole % (others * u128::from(*size)) == 0,
        };
        // The nearest sizes come first, the smaller before the larger.
        let near =
            (1..TRIED).flat_map(|by| [written.saturating_sub(by), written.saturating_add(by)]);
        for size in near.filter(|size| *size > 0).filter(fits).take(2) {
            let edit = Edit {
                span: span.clone(),
                text: size.to_string(),
            };
            proposed = proposed.or(format!("write `{name}:{size}`"), vec![edit]);
        }
    }
    Some(proposed)
}

/// In what the known parts, of this total, do not make an axis of so many cells. `None` if they do, or if the part whose size
/// is open can make up for it.
fn misfit(
    composition: Composition,
    cells: u64,
    known: &[u64],
    total: u128,
    open: Option<&DimTerm>,
) -> Option<String> {
    let whole = u128::from(cells);
    let sign = match composition {
        Composition::Concat => " + ",
        Composition::Product => " * ",
    };
    let shown: Vec<String> = known.iter().map(u64::to_string).collect();
    let shown = shown.join(sign);
    Some(match (composition, open) {
        (_, None) if total == whole => return None,
        (Composition::Concat, None) => {
            format!("the parts have {shown} cells, which are {total}, and the axis has {cells}")
        }
        (Composition::Product, None) => format!("{cells} is not {shown}, which is {total}"),
        (Composition::Concat, Some(_)) if total < whole => return None,
        (Composition::Concat, Some(part)) => {
            let part = label(part);
            format!("the axis has {cells} cells, and {shown} of them leave none for `{part}`")
        }
        (Composition::Product, Some(_)) if whole % total == 0 => return None,
        (Composition::Product, Some(_)) => {
            let rest = whole % total;
            format!("{cells} is not {total} times anything (remainder {rest})")
        }
    })
}

/// The total without one of the parts.
fn others(composition: Composition, total: u128, one: u64) -> u128 {
    match composition {
        Composition::Concat => total.saturating_sub(u128::from(one)),
        Composition::Product => total / u128::from(one.max(1)),
    }
}

/// The sizes that are written in an axis of a spec, each with the label before it and its place.
fn stated_sizes<'p>(text: Text<'p>, place: &Span) -> Vec<(&'p str, Span, u64)> {
    let written = text.at(place.clone());
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let sizes = written.match_indices(':').filter_map(|(at, _)| {
        let before = &written[..at];
        let start = before.len()
            - before
                .chars()
                .rev()
                .take_while(|c| part(*c))
                .map(char::len_utf8)
                .sum::<usize>();
        let after = &written[at + 1..];
        let digits = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        let size: u64 = after[..digits].parse().ok()?;
        let first = place.start + at + 1;
        Some((&before[start..], first..first + digits, size))
    });
    sizes.filter(|(_, _, size)| *size > 0).collect()
}
