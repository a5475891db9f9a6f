//! Messages about tensors: what a program whose text is right does wrong, at its places.

pub(crate) mod known;
pub(crate) mod meeting;
mod spec;
pub(crate) mod suggestion;
pub(crate) mod text;
pub(crate) mod undetermined;

use lozenge_lang::{Diagnostic, Edit};
use lozenge_solver::Refusal as SolverRefusal;
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Family, Origin, Program, Source, Step};

use crate::reading::MAX_REFUSALS;
use crate::refusal::{Reason, Refusal};

use known::{Known, row_text};
use meeting::{Mismatch, What, mismatch};
use suggestion::Proposed;
use text::Text;

impl Refusal {
    /// The message, with its place in the text of the program.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        match &self.reason {
            Reason::Shapes(conflict) => {
                let behind: Vec<Origin> = conflict
                    .because
                    .iter()
                    .map(|because| because.origin.clone())
                    .collect();
                let text = Text {
                    program,
                    source: "",
                };
                general(text, &conflict.refusal, &behind).diagnostic
            }
            Reason::Projection { operation, .. } | Reason::Nest { operation, .. } => {
                let span = program.steps[*operation].span.clone();
                Diagnostic::new(
                    span,
                    self.reason.to_string(),
                    "this operation has no loop nest",
                )
            }
            Reason::Limit(limit) => Diagnostic::new(0..0, self.to_string(), "the program")
                .help(format!("raise it with {}", limit.flag)),
        }
    }
}

/// Every conflict of a program's operations that does not follow from another one, in their order; or what could not be
/// closed. `refusal` is the program's.
///
/// The operations are asserted one by one. One that cannot hold with those before it is reported and left out.
pub(crate) fn conflicts(program: &Program, source: &str, refusal: &Refusal) -> Vec<Proposed> {
    let text = Text { program, source };
    match &refusal.reason {
        Reason::Shapes(_) => {}
        Reason::Projection { operation, error } => {
            let proposed = spec::unread(text, &program.steps[*operation], error);
            return vec![proposed.unwrap_or_else(|| refusal.diagnostic(program).into())];
        }
        Reason::Nest { .. } | Reason::Limit(_) => return vec![refusal.diagnostic(program).into()],
    }
    let mut known = Known::new(program);
    let mut problems = Vec::new();
    for step in 0..program.steps.len() {
        if let Err(refusal) = known.assert(step) {
            problems.push(conflict(&mut known, text, step, &refusal));
        }
        if problems.len() == MAX_REFUSALS {
            return problems;
        }
    }
    if problems.is_empty() {
        problems = undetermined::hidden(&known, text);
    }
    if problems.is_empty() {
        problems.push(refusal.diagnostic(program).into());
    }
    problems
}

/// The message that an operation cannot hold with those before it.
fn conflict(known: &mut Known<'_>, text: Text<'_>, at: usize, refusal: &SolverRefusal) -> Proposed {
    let program = text.program;
    let step = &program.steps[at];
    let behind = known.behind(refusal, Some(at));
    let written = behind.iter().rev().find(|origin| {
        let requirement = &program.steps[origin.step].operation.requirements[origin.requirement];
        let checked = matches!(
            requirement,
            Requirement::Equal(Side::Slot(0, _), Side::Template(_))
        );
        origin.step == at && checked && step.logic != Family::Einsum
    });
    let mut proposed = if step.logic == Family::Einsum {
        spec::unfit(known, text, step)
    } else if let Some(mismatch) = mismatch(known, step) {
        Some(unmet(known, text, step, &mismatch))
    } else {
        written.map(|origin| other_shape(known, text, step, origin))
    }
    .unwrap_or_else(|| general(text, refusal, &behind));
    let shown: Vec<_> = proposed
        .diagnostic
        .labels
        .iter()
        .map(|label| label.span.clone())
        .collect();
    let mut more = 0;
    for origin in behind.iter().filter(|origin| origin.step != at) {
        let span = program.steps[origin.step].span.clone();
        if more < 3
            && !shown.contains(&span)
            && !proposed
                .diagnostic
                .labels
                .iter()
                .any(|label| label.span == span)
        {
            proposed.diagnostic = proposed.diagnostic.other(span, "these axes meet here, too");
            more += 1;
        }
    }
    proposed.diagnostic.why = why(refusal, &behind);
    proposed
}

/// The message that two rows of an operation cannot meet.
fn unmet(known: &mut Known<'_>, text: Text<'_>, step: &Step, found: &Mismatch) -> Proposed {
    let (left, right) = (found.left, found.right);
    let names = [text.name(step, left.slot), text.name(step, right.slot)];
    let tensors = [left, right].map(|place| step.operation.slots[place.slot]);
    let rows = [
        known.row(tensors[0], left.kind),
        known.row(tensors[1], right.kind),
    ];
    let composed =
        step.logic == Family::Compose && left.kind == Kind::Input && right.kind == Kind::Output;
    let headline = headline(
        found,
        &names,
        [&row_text(&rows[0]), &row_text(&rows[1])],
        composed,
    );
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
        let span = program_place(text, tensor);
        diagnostic = diagnostic.other(span, format!("`{name}` is `{shape}`"));
    }
    mends(diagnostic.into(), text, step, found, composed)
}

/// Where a tensor is defined.
fn program_place(text: Text<'_>, tensor: TensorId) -> std::ops::Range<usize> {
    text.program.tensor(tensor).span.clone()
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
        What::Missing => format!(
            "`{first}` has fewer {} axes than `{second}`, which updates it",
            found.left.kind.word()
        ),
    }
}

/// An axis with its meaning first.
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

/// What might mend two rows that cannot meet.
fn mends(
    mut proposed: Proposed,
    text: Text<'_>,
    step: &Step,
    found: &Mismatch,
    composed: bool,
) -> Proposed {
    let tensors = [found.left, found.right].map(|place| step.operation.slots[place.slot]);
    let name = |tensor: TensorId| text.program.tensor(tensor).name.clone();
    if let Some(star) = text
        .operator(step, "*")
        .filter(|_| step.logic == Family::Compose)
    {
        let number = step.operation.slots[1..]
            .iter()
            .any(|slot| text.is_number(*slot));
        let [left, right] = [1, 2].map(|slot| text.name(step, slot));
        let scale = vec![Edit {
            span: star,
            text: "*.".into(),
        }];
        let exchange = text.exchanged(step);
        let scaled = format!("`*` composes; cell by cell is `{left} *. {right}`");
        let exchanged = format!("the other way round it fits: `{right} * {left}`");
        if let (What::Missing, Some(shape)) = (&found.what, text.written_shape(tensors[0])) {
            let written = &text.source[shape.clone()];
            let insertion = vec![Edit {
                span: shape.start..shape.start,
                text: "...->".into(),
            }];
            if !written.contains("->")
                && matches!(text.program.tensor(tensors[0]).source, Source::Param(_))
            {
                let help = format!(
                    "a part of a shape that is left out has no axes: write `...->{written}`"
                );
                proposed = proposed.or(help, insertion);
            }
        }
        proposed = match number {
            true => proposed.or(format!("to scale, write `{left} *. {right}`"), scale),
            false => proposed.or(exchanged, exchange).or(scaled, scale),
        };
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
        let help = format!("to keep both, give each its place with a spec: `\"{spec}\"`");
        proposed = proposed.or(help, text.with_spec(step, spec));
    }
    for (tensor, from, to) in [(tensors[0], low, high), (tensors[1], high, low)] {
        let edit = text.axis_edit(tensor, &from.to_string(), &to.to_string());
        let help = format!(
            "if one of the two sizes is wrong, write {to} in the shape of `{}`",
            name(tensor)
        );
        proposed = proposed.or(help, edit.into_iter().collect());
    }
    proposed
}

/// The message that the shape which is written for a tensor is not the one that its expression has.
fn other_shape(known: &mut Known<'_>, text: Text<'_>, step: &Step, origin: &Origin) -> Proposed {
    let tensor = step.operation.slots[0];
    let name = &text.program.tensor(tensor).name;
    let requirement = &step.operation.requirements[origin.requirement];
    let kind = match requirement {
        Requirement::Equal(Side::Slot(_, kind), _) => *kind,
        _ => Kind::Output,
    };
    let operands: Vec<String> = (1..step.operation.slots.len())
        .map(|slot| {
            let shape = known.shape_text(step.operation.slots[slot]);
            format!("`{}` is `{shape}`", text.name(step, slot))
        })
        .collect();
    let headline = format!(
        "the {} axes written for `{name}` are not those of its expression",
        kind.word()
    );
    let mut diagnostic = Diagnostic::new(step.span.clone(), headline, operands.join(", "));
    if let Some(shape) = text.written_shape(tensor) {
        diagnostic = diagnostic.other(shape.clone(), "the shape that is written");
        let removed = vec![Edit {
            span: text.program.tensor(tensor).span.end..shape.end,
            text: String::new(),
        }];
        return Proposed::from(diagnostic).or("leave the shape out: it is inferred", removed);
    }
    diagnostic.into()
}

/// The message about a conflict of which no two rows stand out: every place that takes part.
pub(crate) fn general(text: Text<'_>, refusal: &SolverRefusal, behind: &[Origin]) -> Proposed {
    let program = text.program;
    let mut names: Vec<&str> = Vec::new();
    for origin in behind {
        for slot in &program.steps[origin.step].operation.slots {
            let name = program.tensor(*slot).name.as_str();
            if !name.contains('\'') && !text.is_number(*slot) && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let headline = match names.is_empty() {
        true => format!("the shapes do not fit: {}", refusal.message),
        false => format!("the shapes of {} do not fit together", names.join(", ")),
    };
    let mut places = behind
        .iter()
        .rev()
        .map(|origin| program.steps[origin.step].span.clone());
    let mut diagnostic = match places.next() {
        Some(span) => Diagnostic::new(span, headline, "these axes have no common size or number"),
        None => Diagnostic::new(0..0, headline, refusal.message.clone()),
    };
    for span in places {
        if diagnostic.labels.len() < 5 && !diagnostic.labels.iter().any(|label| label.span == span)
        {
            diagnostic = diagnostic.other(span, "takes part");
        }
    }
    diagnostic.why = why(refusal, behind);
    diagnostic.into()
}

/// The rule that failed, and the constraints that lead to it.
pub(crate) fn why(refusal: &SolverRefusal, behind: &[Origin]) -> Vec<String> {
    let rule = refusal.rule;
    let mut lines = vec![format!(
        "{}: {} ({rule}, {})",
        refusal.verdict,
        refusal.message,
        rule.source()
    )];
    for (origin, cited) in behind.iter().zip(&refusal.chain) {
        lines.push(format!("{}: {}", origin.words, cited.text));
    }
    if let Some(step) = &refusal.policy {
        lines.push(format!("after the choice {} ({})", step.text, step.rule));
    }
    lines
}
