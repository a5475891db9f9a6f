//! Messages about labels whose sizes are not determined, or cannot be found together: those of windows, parts and
//! products of a spec.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_solver::Refusal as SolverRefusal;
use lozenge_vocabulary::program::{Assignment, Program, Span};
use lozenge_vocabulary::{Constraint, DimTerm, Rule};

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::known::composite_axes::{
    axis_text, end_of_label, label, made, mentions, number_of, sizes, wholes,
};
use crate::diagnose::known::{Kept, Known};
use crate::diagnose::words::text::Text;

/// Sizes to propose for a label, the likeliest first: that of most windows, then those that fit on short axes.
const LIKELY: [u64; 4] = [3, 2, 1, 4];

/// Returns the message that the size of a label is not determined, if closing refused for that reason.
pub(crate) fn unsized_label(text: Text<'_>, refusal: &SolverRefusal) -> Option<Proposed> {
    if refusal.rule != Rule::CloseArith {
        return None;
    }
    let program = text.program;
    let mut steps = program.steps.iter();
    let step = steps.find(|step| {
        let open = |term: &DimTerm| {
            refusal
                .chain
                .iter()
                .any(|cited| mentions(&cited.text, term))
        };
        made(step)
            .iter()
            .any(|(_, labels)| labels.iter().any(|term| open(term)))
    })?;
    let proposed = proposed_size(text, program, step);
    let proposed = proposed.or_else(|| unsized_axis(text, refusal))?;
    Some(sized_together(proposed, text, refusal))
}

/// Returns the message that an axis that is made of labels has no size, though each of them has one.
fn unsized_axis(text: Text<'_>, refusal: &SolverRefusal) -> Option<Proposed> {
    let is_open = |axis: &&DimTerm| {
        let proposed = refusal.proposed.iter();
        let mut sized = proposed.filter_map(|stated| match stated {
            Constraint::DimEq(term, _) => Some(term),
            _ => None,
        });
        sized.any(|term| term == *axis)
    };
    text.program.steps.iter().find_map(|step| {
        let axis = wholes(step).find(is_open)?;
        let place = axis_text(text, step, number_of(axis))?;
        let headline = format!("nothing says how long `{}` is", text.at(place.clone()));
        let diagnostic = Diagnostic::new(place, headline, "several lengths fit");
        Some(Proposed::from(diagnostic))
    })
}

/// Returns the message with the sizes that the solver proposes written beside their labels: where several are open, one
/// is not enough.
fn sized_together(mut proposed: Proposed, text: Text<'_>, refusal: &SolverRefusal) -> Proposed {
    let places = refusal.proposed.iter().map(|stated| match stated {
        Constraint::DimEq(term, DimTerm::Const(dim)) => {
            let (label, end) = place_of(text, term)?;
            Some((end, label, dim.size()))
        }
        _ => None,
    });
    let Some(mut places) = places.collect::<Option<Vec<(usize, String, u64)>>>() else {
        if let Some(advice) = in_words(text, refusal) {
            proposed.diagnostic = proposed.diagnostic.help(advice);
        }
        return proposed;
    };
    // An operation in a function or a loop has one place, whatever it is a part of.
    places.sort();
    places.dedup_by_key(|(end, ..)| *end);
    let likely = LIKELY.into_iter().map(Some).filter(|_| places.len() > 1);
    for size in likely.chain([None]) {
        let sized = places.iter().map(|(end, label, own)| {
            let size = size.unwrap_or(*own);
            let edit = Edit {
                span: *end..*end,
                text: format!(":{size}"),
            };
            (format!("`{label}:{size}`"), edit)
        });
        let (told, edits): (Vec<String>, Vec<Edit>) = sized.unzip();
        let help = match &told[..] {
            [one] => format!("write its size, for example {one}"),
            all => format!("write their sizes, for example {}", all.join(", ")),
        };
        proposed = proposed.or(help, edits);
    }
    proposed
}

/// Returns the message that the labels of some axes have no sizes, though each axis alone may have some, if solving was
/// refused for that reason.
pub(crate) fn unfit_together(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    refusal: &SolverRefusal,
) -> Option<Proposed> {
    if refusal.rule != Rule::ArResidue {
        return None;
    }
    let sizes = sizes(known, step);
    let cells = |axis: &DimTerm| match axis {
        DimTerm::Var(var) => Some(sizes.get(var.name())?.0),
        DimTerm::Const(dim) => Some(dim.size()),
    };
    let axes = wholes(step).filter_map(|axis| {
        let place = axis_text(text, step, number_of(axis))?;
        Some((place, cells(axis)?))
    });
    let axes: Vec<(Span, u64)> = axes.collect();
    let (first, others) = axes.split_first()?;
    let told: Vec<String> = axes
        .iter()
        .map(|(place, cells)| format!("`{}` has {cells} cells", text.at(place.clone())))
        .collect();
    let headline = format!("no sizes of the labels fit: {}", told.join(" and "));
    let mut diagnostic = Diagnostic::new(first.0.clone(), headline, "these labels");
    for (place, _) in others {
        diagnostic = diagnostic.other(place.clone(), "and these");
    }
    Some(Proposed::from(diagnostic))
}

/// Returns the sizes that the solver proposes, in words: an axis that is made of labels has no place where its size
/// could be written.
fn in_words(text: Text<'_>, refusal: &SolverRefusal) -> Option<String> {
    let (mut written, mut long) = (Vec::new(), Vec::new());
    for stated in &refusal.proposed {
        let Constraint::DimEq(term, DimTerm::Const(dim)) = stated else {
            return None;
        };
        let size = dim.size();
        match (place_of(text, term), axis_of(text, term)) {
            (Some((label, _)), _) => written.push(format!("`{label}:{size}`")),
            (None, Some(axis)) => long.push(format!("`{axis}` has {size} cells")),
            (None, None) => return None,
        }
    }
    let long = long.join(" and ");
    Some(match written.is_empty() {
        true => format!("every size is known if {long}"),
        false => format!(
            "with {} every size is known, if {long}",
            written.join(" and ")
        ),
    })
}

/// Returns the text of an axis that is made of labels.
fn axis_of<'p>(text: Text<'p>, term: &DimTerm) -> Option<&'p str> {
    text.program.steps.iter().find_map(|step| {
        let axis = wholes(step).find(|axis| *axis == term)?;
        Some(text.at(axis_text(text, step, number_of(axis))?))
    })
}

/// Returns the label that a variable of an operation is, and where it ends in the spec.
fn place_of(text: Text<'_>, term: &DimTerm) -> Option<(String, usize)> {
    let label = label(term);
    text.program.steps.iter().find_map(|step| {
        let axes = made(step);
        let (number, _) = axes.iter().find(|(_, labels)| labels.contains(&term))?;
        let place = axis_text(text, step, *number)?;
        Some((label.clone(), end_of_label(text, place, &label)?))
    })
}

fn proposed_size(text: Text<'_>, program: &Program, step: &Assignment) -> Option<Proposed> {
    let mut known = Known::new(program);
    for (at, other) in program.steps.iter().enumerate() {
        if std::ptr::eq(other, step) {
            break;
        }
        // An error here is reported elsewhere.
        let _ = known.assert(Kept::own(at));
        for written in Kept::written(program, at) {
            let _ = known.assert(written);
        }
    }
    let sizes = sizes(&mut known, step);
    let open = |term: &DimTerm| match term {
        DimTerm::Var(var) => !sizes.contains_key(var.name()),
        DimTerm::Const(_) => false,
    };
    let made = made(step);
    let all = made.iter().flat_map(|(number, labels)| {
        let labels = labels.iter().filter(|term| open(term));
        labels.map(|term| (*number, *term))
    });
    // The rest `_` follows from the other parts, so a named part is looked for first.
    let is_rest = |(_, term): &(usize, &DimTerm)| label(term) == "_";
    let (number, term) = all
        .clone()
        .find(|one| !is_rest(one))
        .or(all.clone().next())?;
    let label = label(term);
    let place = axis_text(text, step, number);
    let headline = format!("nothing says how long `{label}` is");
    let span = place.clone().unwrap_or_else(|| step.span.clone());
    let mut proposed = Proposed::from(Diagnostic::new(span, headline, "several lengths fit"));
    if let Some(end) = place.and_then(|place| end_of_label(text, place, &label)) {
        for size in LIKELY {
            let edit = Edit {
                span: end..end,
                text: format!(":{size}"),
            };
            let help = format!("write its size, for example `{label}:{size}`");
            proposed = proposed.or(help, vec![edit]);
        }
    }
    Some(proposed)
}
