//! Messages about a concatenation or a product: the sizes of the parts do not make that of the whole.

use std::collections::HashMap;

use lozenge_lang::{Diagnostic, Edit};
use lozenge_solver::Refusal as SolverRefusal;
use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::elements::{Elements, Factor};
use lozenge_vocabulary::operation::{Kind, Requirement, Side};
use lozenge_vocabulary::program::{Assignment, Span};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, RowTerm, RowVar};

use super::rows::axes_of;
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::known::Known;
use crate::diagnose::known::composite_axes::{Sizes, axis_text, label, mentions, number_of, sizes};
use crate::diagnose::words::axes::row_text;
use crate::diagnose::words::text::Text;

/// The number of other sizes that are tried for a part whose size does not fit.
const TRIED: u64 = 64;

/// Returns the message about the first concatenation or product of an operation whose sizes do not fit, as far as they
/// are known.
pub(crate) fn unfit(known: &mut Known<'_>, text: Text<'_>, step: &Assignment) -> Option<Proposed> {
    let sizes = sizes(known, step);
    let mut requirements = step.operation.requirements.iter();
    requirements.find_map(|requirement| match requirement {
        Requirement::Template(Constraint::Composite(composite)) => {
            unfit_composite(text, step, &sizes, composite)
        }
        Requirement::Template(Constraint::Elements(elements)) => {
            unfit_elements(known, text, step, &sizes, elements)
        }
        _ => None,
    })
}

/// Returns the message that nothing says which axes a row among factors has, if a refusal of closing cites such a
/// product.
pub(crate) fn uncounted(
    known: &mut Known<'_>,
    text: Text<'_>,
    refusal: &SolverRefusal,
) -> Option<Proposed> {
    let cites = |elements: &Elements| {
        let mut texts = refusal.chain.iter().map(|cited| &cited.text);
        texts.any(|text| mentions(text, &elements.whole))
    };
    let mut steps = text.program.steps.iter();
    steps.find_map(|step| {
        let sizes = sizes(known, step);
        step.operation.requirements.iter().find_map(|requirement| {
            let Requirement::Template(Constraint::Elements(elements)) = requirement else {
                return None;
            };
            let rows = elements.rows().filter(|_| cites(elements));
            let vars: Vec<RowVar> = rows.filter_map(|row| row.var.clone()).collect();
            let open = vars.iter().find(|row| inner(known, step, row).is_none())?;
            Some(unknown_axes(known, text, step, (&sizes, elements, open)))
        })
    })
}

/// Returns the message about a product with rows among its factors whose sizes do not fit. Where nothing says which
/// axes such a row has, this is the message.
fn unfit_elements(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    sizes: &Sizes<'_>,
    elements: &Elements,
) -> Option<Proposed> {
    let rows: Vec<RowVar> = elements.rows().filter_map(|row| row.var.clone()).collect();
    let mut axes: HashMap<RowVar, Vec<Dim>> = HashMap::new();
    for row in rows {
        match inner(known, step, &row) {
            Some(found) => axes.insert(row, found),
            None => return Some(unknown_axes(known, text, step, (sizes, elements, &row))),
        };
    }
    let product = elements.product(
        |axis| Some(axis.clone()),
        |row| {
            let inner = row.var.as_ref().and_then(|var| axes.get(var));
            let inner = inner.into_iter().flatten().cloned().map(DimTerm::from);
            Some(row.axes().cloned().chain(inner).collect())
        },
    )?;
    unfit_composite(text, step, sizes, &product)
}

/// Returns the axes of a row variable of a spec, where an operand or the result that has them has no further ones.
fn inner(known: &mut Known<'_>, step: &Assignment, var: &RowVar) -> Option<Vec<Dim>> {
    step.operation.requirements.iter().find_map(|requirement| {
        let (row, slot, kind) = of_slot(requirement)?;
        let erased = slot == 0 && step.operation.accumulator.erase;
        match row.var.as_ref() == Some(var) && !erased {
            true => axes_of(known, step.operation.slots[slot], kind, row),
            false => None,
        }
    })
}

/// Returns the message that nothing says which axes a row among factors has. The shape of the result would.
fn unknown_axes(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    (sizes, elements, row): (&Sizes<'_>, &Elements, &RowVar),
) -> Proposed {
    let written = match row.name().split('\'').next() {
        Some(name) if !name.is_empty() && name != "..." => format!("..{name}.."),
        _ => "...".to_string(),
    };
    let whole = number_of(&elements.whole);
    let span = axis_text(text, step, whole).unwrap_or_else(|| step.span.clone());
    let result = step.operation.slots[0];
    let name = &text.program[result].name;
    let message = format!("nothing says which axes `{written}` stands for");
    let label = "these are their elements, in one axis";
    let diagnostic = Diagnostic::new(span, message, label)
        .help("write the shape of the result, or a label with a size for each of the axes");
    let mut proposed = Proposed::from(diagnostic);
    let size = |term: &DimTerm| match term {
        DimTerm::Var(var) => Some(sizes.get(var.name())?.0),
        DimTerm::Const(dim) => Some(dim.size()),
    };
    let others: Option<u64> = elements
        .factors
        .iter()
        .filter_map(|factor| match factor {
            Factor::Axis(axis) => Some(size(axis)),
            Factor::Row(_) => None,
        })
        .product();
    let (Some(whole), Some(others)) = (size(&elements.whole), others) else {
        return proposed;
    };
    let rest = whole / others.max(1);
    let rows = Kind::ALL.map(|kind| {
        let mut of_result = step.operation.requirements.iter().filter_map(of_slot);
        let template = of_result.find(|(_, slot, own)| (*slot, *own) == (0, kind));
        let row_of = template.filter(|(template, ..)| template.var.as_ref() == Some(row));
        match row_of {
            Some((template, ..)) => {
                let flank = |axes: &[DimTerm]| -> Option<Vec<String>> {
                    axes.iter()
                        .map(|axis| Some(size(axis)?.to_string()))
                        .collect()
                };
                let (before, after) = (flank(&template.leading)?, flank(&template.trailing)?);
                Some([before, vec![rest.to_string()], after].concat().join(", "))
            }
            None => Some(row_text(&known.row(result, kind))),
        }
    });
    if let [Some(batch), Some(input), Some(output)] = rows {
        let batch = match batch.is_empty() {
            true => batch,
            false => format!("{batch}|"),
        };
        let arrow = if input.is_empty() && batch.is_empty() {
            ""
        } else {
            "->"
        };
        let shape = format!("{batch}{input}{arrow}{output}");
        let edits = text.shape_edit(result, &shape);
        proposed = proposed.or(
            format!("write `{name} : {shape}`, if they are one axis"),
            edits,
        );
    }
    proposed
}

/// Returns the template, the slot and the row that a requirement of a spec says are equal.
fn of_slot(requirement: &Requirement) -> Option<(&RowTerm, usize, Kind)> {
    match requirement {
        Requirement::Equal(Side::Template(row), Side::Slot(slot, kind))
        | Requirement::Equal(Side::Slot(slot, kind), Side::Template(row)) => {
            Some((row, *slot, *kind))
        }
        _ => None,
    }
}

/// Says that the sizes of the parts do not make that of the whole, with sizes that would. `None` if they do, or could.
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
    let rests = &step.operation.region().rests;
    let is_rest = |part: &&DimTerm| matches!(part, DimTerm::Var(var) if rests.contains(var));
    let open = composite.parts.iter().filter(|part| size(part).is_none());
    let named = open.clone().find(|part| !is_rest(part));
    // The rest may have no cells.
    if named.is_none() && open.clone().any(|part| is_rest(&part)) && total <= whole {
        return None;
    }
    let own = match named.or(open.clone().next()) {
        Some(rest) if is_rest(&rest) => {
            let shown: Vec<String> = known.iter().map(u64::to_string).collect();
            let shown = shown.join(" + ");
            format!("the parts have {shown} cells, which are {total}, and the axis has {cells}")
        }
        open => misfit(composite.composition, cells, &known, total, open)?,
    };
    let open = named.or(open.clone().next());
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
        let wanted = Wanted {
            composition: composite.composition,
            cells,
            others: others(composite.composition, total, written),
            is_open: open.is_some(),
        };
        for size in wanted.sizes_near(written) {
            let edit = Edit {
                span: span.clone(),
                text: size.to_string(),
            };
            proposed = proposed.or_moving(wanted.help(name, size), vec![edit]);
        }
    }
    Some(proposed)
}

/// The requirement on one part of a concatenation or a product under which the parts make the axis.
struct Wanted {
    composition: Composition,
    /// The size of the axis.
    cells: u64,
    /// The total of the other parts that are known.
    others: u128,
    /// True if there is another part whose size is not known.
    is_open: bool,
}

impl Wanted {
    /// Lists the sizes that fit and are next to the written one, at most two: the nearest first, the smaller before the
    /// larger.
    fn sizes_near(&self, written: u64) -> Vec<u64> {
        let near =
            (1..TRIED).flat_map(|by| [written.saturating_sub(by), written.saturating_add(by)]);
        let near = near.filter(|size| *size > 0);
        near.filter(|size| self.fits(*size)).take(2).collect()
    }

    /// Tells whether a part of this size makes the axis, or leaves a size to the open part.
    fn fits(&self, size: u64) -> bool {
        let (whole, size) = (u128::from(self.cells), u128::from(size));
        match (self.composition, self.is_open) {
            (Composition::Concat, false) => self.others + size == whole,
            (Composition::Concat, true) => self.others + size < whole,
            (Composition::Product, false) => self.others * size == whole,
            (Composition::Product, true) => whole % (self.others * size) == 0,
        }
    }

    /// Says to write a size that fits.
    fn help(&self, name: &str, size: u64) -> String {
        match self.composition {
            Composition::Product if self.is_open => {
                let rest = u128::from(self.cells) / (self.others * u128::from(size));
                format!("write `{name}:{size}`, and the open factor is {rest}")
            }
            Composition::Product => {
                format!("write `{name}:{size}`, a factor of {}", self.cells)
            }
            Composition::Concat => {
                let cells = if size == 1 { "cell" } else { "cells" };
                format!("write `{name}:{size}`, a part of {size} {cells}")
            }
        }
    }
}

/// Says in what the known parts, of this total, do not make an axis of so many cells. `None` if they do, or if the part
/// whose size is open can make up for it.
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

/// Returns the total without one of the parts.
fn others(composition: Composition, total: u128, one: u64) -> u128 {
    match composition {
        Composition::Concat => total.saturating_sub(u128::from(one)),
        Composition::Product => total / u128::from(one.max(1)),
    }
}

/// Returns the sizes that are written in an axis of a spec, each with the label before it and its place.
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
