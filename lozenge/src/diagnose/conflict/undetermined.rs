//! Parameters whose number of axes, or the size of an axis, is not determined; found while closing.

use lozenge_lang::Diagnostic;
use lozenge_solver::{Cited, Refusal};
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Program, Source, Tensor};
use lozenge_vocabulary::{Constraint, Dim, Row, RowTerm, Rule, Var};

use super::general::{general, why};
use crate::diagnose::fix::instance::{self, Rows};
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::known::Known;
use crate::diagnose::known::reach::Reach;
use crate::diagnose::words::text::Text;

/// The largest number of parameters with hidden sizes that are reported.
const MOST: usize = 10;

/// The shapes of which a hidden size is an example.
const WIDTH: u64 = 128;
const OUTPUTS: u64 = 10;

/// The messages about hidden sizes, and the closed constraints if they close once each hidden size has a value.
pub(crate) struct Hidden<'p> {
    pub problems: Vec<Proposed>,
    /// The rows that were given a value.
    pub assumed: Vec<(TensorId, Kind)>,
    pub closed: Option<Known<'p>>,
}

/// A hidden size that was assumed to be as its message proposes.
struct Assumption {
    constraints: Vec<Constraint>,
    problem: Option<Proposed>,
}

/// Closes the asserted constraints. Each hidden size is reported, and then assumed to be as the message proposes in
/// order to find the next one. A contradiction of an assumption follows from the message about it, and is not reported;
/// neither is a size that could be another one once a retracted operation is fixed.
pub(crate) fn hidden<'p>(known: &mut Known<'p>, text: Text<'_>, reach: &mut Reach) -> Hidden<'p> {
    let mut found = Hidden {
        problems: Vec::new(),
        assumed: Vec::new(),
        closed: None,
    };
    let stated = known.constraints();
    let mut assumptions: Vec<Assumption> = Vec::new();
    let mut closing = known.again(&[]);
    let mut outcome = closing.close();
    let mut rejection = None;
    while assumptions.len() < MOST {
        let refusal = match &outcome {
            Ok(()) => {
                found.closed = Some(closing);
                break;
            }
            Err(refusal) => refusal,
        };
        let mut so_far = known.again(&all_of(&assumptions));
        // Closing has solved the same constraints.
        let _ = so_far.solve();
        let Some((tensor, kind)) = owner(text, &mut so_far, refusal, &found.assumed) else {
            let mut vars = refusal.variables.iter().map(|involved| &involved.var);
            if !vars.any(|var| reach.touches(var)) {
                rejection = Some(rejected(known, text, refusal));
            }
            break;
        };
        let reported = !reach.reaches(text.program[tensor].shape.row(kind));
        let problem = reported.then(|| message(&so_far, text, refusal, (tensor, kind)));
        let size = match other_side(text, tensor, kind) {
            Some(_) => WIDTH,
            None => OUTPUTS,
        };
        let before = all_of(&assumptions);
        let guesses = guesses(&so_far, text, (tensor, kind), size);
        let next = guesses.into_iter().find_map(|(ids, value)| {
            let row = |id: &TensorId| text.program[*id].shape.row(kind).clone();
            let equal = ids
                .iter()
                .map(|id| Constraint::RowEq(row(id), value.clone()));
            let guess: Vec<Constraint> = equal.collect();
            let mut again = known.again(&[&before[..], &guess[..]].concat());
            let outcome = again.close();
            let contradicted = matches!(&outcome, Err(refusal) if follows(refusal, stated));
            (!contradicted).then_some((ids, guess, again, outcome))
        });
        let Some((ids, constraints, again, after)) = next else {
            found.assumed.push((tensor, kind));
            found.problems.extend(problem);
            break;
        };
        (closing, outcome) = (again, after);
        found.assumed.extend(ids.into_iter().map(|id| (id, kind)));
        assumptions.push(Assumption {
            constraints,
            problem,
        });
    }
    if found.closed.is_some() {
        assumptions = needed(known, assumptions);
    }
    let problems = assumptions
        .into_iter()
        .filter_map(|assumption| assumption.problem);
    found.problems.splice(0..0, problems);
    found.problems.extend(rejection);
    found
}

fn all_of(assumptions: &[Assumption]) -> Vec<Constraint> {
    let all = assumptions
        .iter()
        .map(|assumption| &assumption.constraints[..]);
    all.collect::<Vec<_>>().concat()
}

/// Returns the assumptions without those that follow from the others: a size that is determined once another one is
/// known is not hidden.
fn needed(known: &Known<'_>, mut assumptions: Vec<Assumption>) -> Vec<Assumption> {
    for at in (0..assumptions.len()).rev() {
        let removed = assumptions.remove(at);
        if assumptions.is_empty() || known.again(&all_of(&assumptions)).close().is_err() {
            assumptions.insert(at, removed);
        }
    }
    assumptions
}

/// Returns values for a hidden row: first for all parameters that the same place of the text makes, as in the
/// iterations of a loop, then for this one alone.
fn guesses(
    known: &Known<'_>,
    text: Text<'_>,
    (tensor, kind): (TensorId, Kind),
    size: u64,
) -> Vec<(Vec<TensorId>, RowTerm)> {
    let together = alike(text.program, tensor);
    let values = examples(known.row(tensor, kind), size);
    [together, vec![tensor]]
        .into_iter()
        .flat_map(|ids| values.iter().map(move |value| (ids.clone(), value.clone())))
        .collect()
}

/// Returns the parameters that the same place of the text makes under the same last name.
fn alike(program: &Program, tensor: TensorId) -> Vec<TensorId> {
    let last = |id: TensorId| program[id].name.rsplit('.').next().map(str::to_string);
    let (span, name) = (&program[tensor].span, last(tensor));
    let all = (0..program.tensors.len()).map(TensorId);
    all.filter(|id| {
        let other = &program[*id];
        matches!(other.source, Source::Param(_)) && other.span == *span && last(*id) == name
    })
    .collect()
}

/// Tells whether a refusal follows from an assumption; `stated` is the number of constraints before the assumptions. A
/// size that is hidden still is no contradiction.
fn follows(refusal: &Refusal, stated: usize) -> bool {
    let is_assumed = |cited: &Cited| cited.index >= stated;
    refusal.rule != Rule::CloseLeaf && refusal.chain.iter().any(is_assumed)
}

/// Returns values that a row with a hidden size may have: with this size, or with one axis more, or without.
fn examples(row: Row, size: u64) -> Vec<RowTerm> {
    let Some(size) = Dim::new(size) else {
        return Vec::new();
    };
    let known = row.flat();
    let filled = |hole: &Dim| -> RowTerm {
        let axis = |dim: &Dim| {
            if *dim == Dim::Unit {
                hole.clone()
            } else {
                dim.clone()
            }
        };
        RowTerm {
            trailing: known.iter().map(|dim| axis(dim).into()).collect(),
            ..RowTerm::default()
        }
    };
    let mut longer = filled(&size);
    longer.trailing.push(size.clone().into());
    match known.contains(&Dim::Unit) {
        true => vec![filled(&size), filled(&Dim::Unit), longer],
        false => vec![longer, filled(&size)],
    }
}

/// Returns the parameter whose closing failed, and which of its rows, other than those that were `assumed`.
fn owner(
    text: Text<'_>,
    known: &mut Known<'_>,
    refusal: &Refusal,
    assumed: &[(TensorId, Kind)],
) -> Option<(TensorId, Kind)> {
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
                let place = (TensorId(id), kind);
                if mentions(&involved.var, tensor.shape.row(kind)) && !assumed.contains(&place) {
                    return Some(place);
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
            !assumed.contains(&(id, *kind))
                && (row.flat().contains(&Dim::Unit) || row.rank() == 0 && known.can_grow(id, *kind))
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

/// Proposes shapes that would state the missing size: for the outputs of a parameter, or the inputs of the one behind
/// it.
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
            let size = if other.is_some() { WIDTH } else { OUTPUTS };
            if let Some((label, edit)) = text.label_edit(tensor, kind, size) {
                let help = format!("write the size, for example `{label}:{size}`");
                proposed = proposed.or(help, vec![edit]);
            }
            let declared = text.declared(tensor);
            let shape = shape(kind, size);
            let edits = text.shape_edit(tensor, &shape);
            proposed = proposed.or(
                format!("write the size, for example `{declared} : {shape}`"),
                edits,
            );
        }
    }
    proposed
}

/// Returns the parameter on the other side of a hidden size, with its name: the one that is composed with the output of
/// `tensor`, or whose output `tensor` is composed with, through operations that keep the axes.
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

/// Returns the message about a refusal of closing that does not concern a single parameter.
fn rejected(known: &Known<'_>, text: Text<'_>, refusal: &Refusal) -> Proposed {
    let behind = known.behind(refusal, None);
    general(text, refusal, &behind)
}
