//! Parameters whose number of axes, or the size of an axis, is not determined; found while closing.

use lozenge_lang::Diagnostic;
use lozenge_solver::Refusal;
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Source, Tensor};
use lozenge_vocabulary::{Constraint, Dim, RowTerm, Rule, Var};

use super::instance::{self, Rows};
use super::known::Known;
use super::suggestion::Proposed;
use super::text::Text;
use super::why;

/// At most how many parameters with hidden sizes are reported.
const MOST: usize = 10;

/// Closes the asserted constraints. Each hidden size is reported, and then assumed to be 1 in order to find the next one.
pub(crate) fn hidden(known: &mut Known<'_>, text: Text<'_>) -> Vec<Proposed> {
    let mut problems: Vec<Proposed> = Vec::new();
    let mut assumed: Vec<Constraint> = Vec::new();
    let mut seen: Vec<TensorId> = Vec::new();
    while problems.len() < MOST {
        let mut closing = known.again(&assumed);
        let Err(refusal) = closing.close() else {
            break;
        };
        let Some((tensor, kind)) = owner(text, known, &refusal) else {
            problems.push(rejected(known, text, &refusal));
            break;
        };
        if seen.contains(&tensor) {
            break;
        }
        seen.push(tensor);
        problems.push(message(known, text, &refusal, (tensor, kind)));
        for var in refusal.variables.iter().map(|involved| &involved.var) {
            assumed.push(match var {
                Var::Dim(var) => Constraint::DimEq(var.clone().into(), Dim::Unit.into()),
                Var::Row(var) => Constraint::RowEq(var.clone().into(), RowTerm::default()),
            });
        }
    }
    problems
}

/// The parameter whose closing failed, and which of its rows.
fn owner(text: Text<'_>, known: &mut Known<'_>, refusal: &Refusal) -> Option<(TensorId, Kind)> {
    let program = text.program;
    if refusal.rule != Rule::CloseLeaf {
        return None;
    }
    let mentions = |var: &Var, term: &RowTerm| match var {
        Var::Row(var) => term.var.as_ref() == Some(var),
        Var::Dim(_) => term.mentions(var),
    };
    let parameters = || {
        let all = program.tensors.iter().enumerate();
        all.filter(|(_, tensor)| matches!(tensor.source, Source::Param(_)))
    };
    for involved in &refusal.variables {
        for (id, tensor) in parameters() {
            for kind in Kind::ALL {
                if mentions(&involved.var, tensor.shape.row(kind)) {
                    return Some((TensorId(id), kind));
                }
            }
        }
    }
    // The row may have been bound to this variable. Then an axis of the row, or the number of its axes, is still open.
    let mut open = |(id, _): (usize, &Tensor)| {
        let id = TensorId(id);
        let kinds = [Kind::Output, Kind::Input];
        let place = kinds.into_iter().find(|kind| {
            let row = known.row(id, *kind);
            row.flat().contains(&Dim::Unit) || row.rank() == 0 && known.can_grow(id, *kind)
        });
        place.map(|kind| (id, kind))
    };
    let found: Vec<(TensorId, Kind)> = parameters().filter_map(&mut open).collect();
    let between = found
        .iter()
        .find(|(id, kind)| other_side(text, *id, *kind).is_some());
    between.or(found.first()).copied()
}

fn message(
    known: &Known<'_>,
    text: Text<'_>,
    refusal: &Refusal,
    (tensor, kind): (TensorId, Kind),
) -> Proposed {
    let program = text.program;
    let name = &program[tensor].name;
    let other = other_side(text, tensor, kind);
    let headline = match (&other, kind) {
        (Some(other), _) => {
            let (before, after) = match kind {
                Kind::Input => (&*other.0, &**name),
                _ => (&**name, &*other.0),
            };
            format!("nothing says how many hidden units there are between `{before}` and `{after}`")
        }
        (None, kind) => format!("nothing says which {}s `{name}` has", kind.word()),
    };
    let span = program[tensor].span.clone();
    let label = match instance::maker(text, tensor) {
        Some(layer) => format!("its {}s; `{layer}` made it", kind.word()),
        None => format!("its {}s", kind.word()),
    };
    let mut diagnostic = Diagnostic::new(span, headline, label);
    if let Some((_, id)) = &other {
        let words = match kind {
            Kind::Input => "its outputs",
            _ => "its inputs",
        };
        diagnostic = diagnostic.other(program[*id].span.clone(), words);
    }
    diagnostic.why = why(refusal, &known.behind(refusal, None));
    propose(
        diagnostic.into(),
        text,
        (tensor, kind),
        other.map(|(_, id)| id),
        &|tensor, kind| known.row(tensor, kind),
    )
}

/// Shapes that would state the missing size: for the outputs of a parameter, or the inputs of the one behind it.
pub(crate) fn propose(
    mut proposed: Proposed,
    text: Text<'_>,
    (tensor, kind): (TensorId, Kind),
    other: Option<TensorId>,
    rows: &Rows<'_>,
) -> Proposed {
    let shape = |kind: Kind, size: u64| match kind {
        Kind::Input => format!("{size}->..."),
        _ => format!("...->{size}"),
    };
    let opposite = match kind {
        Kind::Input => Kind::Output,
        _ => Kind::Input,
    };
    let places = [(other, opposite), (Some(tensor), kind)];
    // The outputs of a layer are a better place than the inputs of the next one.
    for output in [true, false] {
        for (tensor, kind) in places {
            let Some(tensor) = tensor.filter(|_| (kind == Kind::Output) == output) else {
                continue;
            };
            if !text.is_declared(tensor) {
                if output {
                    proposed = instance::wider(proposed, text, tensor, rows);
                }
                continue;
            }
            let size = if other.is_some() { 128 } else { 10 };
            if let Some((label, edit)) = text.label_edit(tensor, kind, size) {
                let help = format!("write the size, for example `{label}:{size}`");
                proposed = proposed.or(help, vec![edit]);
            }
            let name = &text.program[tensor].name;
            let shape = shape(kind, size);
            let edits = text.shape_edit(tensor, &shape);
            proposed = proposed.or(
                format!("write the size, for example `param {name} : {shape}`"),
                edits,
            );
        }
    }
    proposed
}

/// The parameter on the other side of a hidden size, with its name: the one that is composed with the output of `tensor`, or
/// whose output `tensor` is composed with, through operations that keep the axes.
fn other_side(text: Text<'_>, tensor: TensorId, kind: Kind) -> Option<(String, TensorId)> {
    let program = text.program;
    let parameter = |id: TensorId| matches!(program[id].source, Source::Param(_));
    let mut carries = vec![false; program.tensors.len()];
    carries[tensor.0] = true;
    if kind == Kind::Output {
        for step in &program.steps {
            let slots = &step.operation.slots;
            let carried = slots[1..].iter().position(|slot| carries[slot.0]);
            match (carried, slots.len()) {
                (Some(1), 3) if parameter(slots[1]) && slots[1] != tensor => {
                    return Some((program[slots[1]].name.to_string(), slots[1]));
                }
                (Some(_), _) => carries[slots[0].0] = true,
                (None, _) => {}
            }
        }
        return None;
    }
    for step in program.steps.iter().rev() {
        let slots = &step.operation.slots;
        if slots.len() == 3 && slots[1] == tensor {
            carries[slots[2].0] = true;
        }
        if carries[slots[0].0] {
            let maker = slots[1..]
                .iter()
                .find(|slot| parameter(**slot) && **slot != tensor);
            if let Some(id) = maker {
                return Some((program[*id].name.to_string(), *id));
            }
            slots[1..].iter().for_each(|slot| carries[slot.0] = true);
        }
    }
    None
}

/// The message about a refusal of closing that does not concern a single parameter.
fn rejected(known: &Known<'_>, text: Text<'_>, refusal: &Refusal) -> Proposed {
    let behind = known.behind(refusal, None);
    super::general(text, refusal, &behind)
}
