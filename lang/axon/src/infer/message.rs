//! Messages about a wrong program: the arguments with their types as far as they are inferred, the signature, the
//! clash.

use lozenge_axon_vocabulary::{Equation, Simplified};
use lozenge_diagnostic::{Diagnostic, Label, brief};

use super::nodes::Inference;
use super::print::Printer;
use super::sources;
use super::types::{Mismatch, Renaming, Type, TypeId};
use super::{Origin, Role, Stated};
use crate::Span;
use crate::syntax::{NodeId, NodeKind};

/// The number of places of a message.
const PLACES: usize = 8;

/// Returns what a function is called.
fn called(inference: &Inference<'_>, callee: NodeId) -> String {
    let program = inference.program;
    match &program.nodes[callee].kind {
        NodeKind::Operator(name) => format!("`{name}`"),
        NodeKind::Name(name) => format!("`{}`", brief(&program.names[*name].text)),
        _ => "this function".to_string(),
    }
}

/// Returns the parts of a call.
fn call_of<'p>(inference: &Inference<'p>, node: NodeId) -> Option<(NodeId, &'p [NodeId])> {
    match &inference.program.nodes[node].kind {
        NodeKind::Call { callee, arguments } => Some((*callee, arguments)),
        _ => None,
    }
}

/// Returns the place of a reason, and a few words about it.
fn place(inference: &Inference<'_>, node: NodeId, role: &Role) -> (Span, String) {
    let program = inference.program;
    match (role, call_of(inference, node)) {
        (Role::Argument(place), Some((callee, arguments))) => {
            let argument = arguments.get(*place).copied().unwrap_or(node);
            let whose = called(inference, callee);
            (
                program.nodes[argument].span.clone(),
                format!("an argument of {whose}"),
            )
        }
        (Role::Declared, _) => match &program.nodes[node].kind {
            NodeKind::Function(function) => {
                let made = &program.functions[*function];
                let span = made.result_type.as_ref().map(crate::syntax::Type::span);
                let span = span.unwrap_or_else(|| made.span.clone());
                (span, "the type that is written for the result".to_string())
            }
            _ => (program.nodes[node].span.clone(), "here".to_string()),
        },
        (Role::Result, _) => {
            let whose = called(inference, node);
            (
                program.nodes[node].span.clone(),
                format!("the result of {whose}"),
            )
        }
        (Role::Written, _) => (
            program.nodes[node].span.clone(),
            "a type written here".to_string(),
        ),
        _ => {
            let whose = called(inference, node);
            (
                program.nodes[node].span.clone(),
                format!("this use of {whose}"),
            )
        }
    }
}

/// Makes the error for types that no shapes make equal.
pub(super) fn mismatched(
    inference: &Inference<'_>,
    node: NodeId,
    role: &Role,
    mismatch: Mismatch,
) -> Diagnostic {
    let (span, what) = place(inference, node, role);
    let message = match mismatch {
        Mismatch::Kinds(left, right) => {
            let verb = match inference.types.get(right) {
                Type::Tuple(_) => "are",
                _ => "is",
            };
            let (left, right) = (kind(inference, left), kind(inference, right));
            format!("{what} is {left} where {right} {verb} needed")
        }
        Mismatch::Counts(left, right) => {
            format!("{what} has {left} parts where {right} are needed")
        }
        Mismatch::Elements(left, right) => {
            format!("{what} has elements `{left}` where `{right}` are needed")
        }
        Mismatch::Infinite => format!("{what} would be a part of itself"),
    };
    let error = Diagnostic::new(span, message, what.clone());
    let error = match (role, call_of(inference, node)) {
        (Role::Argument(place), Some((_, arguments))) => {
            let mut printer = Printer::default();
            let others = arguments
                .iter()
                .enumerate()
                .filter(|(other, _)| other != place);
            others.take(PLACES).fold(error, |error, (_, argument)| {
                match inference.values[*argument] {
                    Some(found) => {
                        let span = inference.program.nodes[*argument].span.clone();
                        let shown = printer.rough(&inference.types, found);
                        error.other(span, format!("this is {shown}"))
                    }
                    None => error,
                }
            })
        }
        _ => error,
    };
    let error = with_sources(inference, error, &[(node, role.clone())]);
    error.help(signature_help(inference, node).unwrap_or_else(|| match mismatch {
        Mismatch::Infinite => "a value cannot be given to itself; give it to another function".into(),
        _ => "a parameter has one type in its function; what `NAME = fn …` binds has one for each use"
            .into(),
    }))
}

/// Returns the signature of the operator, or the type of the function of the program, that a call is about, in words.
fn signature_help(inference: &Inference<'_>, node: NodeId) -> Option<String> {
    let operator = match call_of(inference, node) {
        Some((callee, _)) => callee,
        None => node,
    };
    let name = match &inference.program.nodes[operator].kind {
        NodeKind::Operator(name) => name,
        NodeKind::Name(name) => {
            let mut bindings = inference.result.bindings.iter().rev();
            let binding = bindings.find(|binding| binding.id == *name)?;
            return Some(format!("`{} : {}`", brief(&binding.name), binding.scheme()));
        }
        _ => return None,
    };
    let signature = inference.options.table.signature(name)?;
    let lower = match &**name {
        "-" | "/" => "; the right side has the rank of the left one or a lower one",
        _ => "",
    };
    Some(format!("`{name} : {}`{lower}", signature.text))
}

fn kind(inference: &Inference<'_>, id: TypeId) -> &'static str {
    match inference.types.get(id) {
        Type::Tensor(..) => "a tensor",
        Type::Tuple(_) => "several values",
        Type::Function(..) => "a function",
        Type::Unknown(_) | Type::Same(_) => "anything",
    }
}

impl Inference<'_> {
    pub(super) fn no_function(&self, callee: NodeId) -> Diagnostic {
        let span = self.program.nodes[callee].span.clone();
        let what = called(self, callee);
        Diagnostic::new(
            span,
            format!("{what} is called and is no function"),
            "this value",
        )
        .help("a tensor times another one is written `x * y`")
    }

    pub(super) fn wrong_count(
        &self,
        node: NodeId,
        callee: NodeId,
        takes: usize,
        given: usize,
    ) -> Diagnostic {
        let what = called(self, callee);
        let arguments = if takes == 1 { "argument" } else { "arguments" };
        let error = Diagnostic::new(
            self.program.nodes[node].span.clone(),
            format!("{what} takes {takes} {arguments} and is given {given}"),
            "this call",
        );
        match signature_help(self, node) {
            Some(help) => error.help(help),
            None => error.help("several values in parentheses, `f((a, b))`, are one argument"),
        }
    }

    pub(super) fn not_these_parts(
        &self,
        span: &Span,
        count: usize,
        found: TypeId,
        mismatch: Mismatch,
    ) -> Diagnostic {
        let message = match mismatch {
            Mismatch::Counts(_, parts) => {
                format!("{count} names are bound to a value of {parts} parts")
            }
            _ => format!(
                "{count} names are bound to {}, which has no parts",
                kind(self, found)
            ),
        };
        Diagnostic::new(span.clone(), message, "these names")
            .help("write a name for each part, and `_` for one that is not used")
    }
}

/// The last step of a refutation.
pub(super) struct Clash {
    /// The step in words.
    pub(super) text: String,
    /// The two sides that are never equal, where the step has such.
    pub(super) sides: Option<Equation>,
}

impl Clash {
    /// Returns the step for a reader. The names are those of the types that were shown before it; if it has others,
    /// they are as signatures and annotations have them.
    fn shown(
        &self,
        inference: &mut Inference<'_>,
        renaming: &mut Renaming,
        printer: &mut Printer,
    ) -> String {
        let types = &mut inference.types;
        let sides = match &self.sides {
            Some(sides) => types.copied_equation(sides, renaming),
            None => return plain(&self.text),
        };
        let is_known = printer.knows(&types.pool, &sides);
        let shown = match is_known {
            true => printer.equation(types, &sides).ok(),
            false => None,
        };
        let (text, reason) = match self.text.split_once(", and ") {
            Some((text, reason)) => (text, format!(", and {reason}")),
            None => (self.text.as_str(), String::new()),
        };
        let text = shown.unwrap_or_else(|| plain(text));
        match text.split_once(" = ") {
            Some((left, right)) => format!("{left} and {right} have to be equal{reason}"),
            None => plain(&self.text),
        }
    }
}

/// Makes the error for equations without a common solution.
pub(super) fn contradiction(
    inference: &mut Inference<'_>,
    stated: &[Stated],
    reasons: &[u32],
    clash: &Clash,
) -> Diagnostic {
    let reasons: Vec<usize> = reasons.iter().map(|reason| *reason as usize).collect();
    let known = |reason: &usize| stated.get(*reason);
    let Some(last) = reasons
        .iter()
        .filter_map(known)
        .max_by_key(|stated| stated.origin.place)
    else {
        let clash = plain(&clash.text);
        return Diagnostic::new(
            0..0,
            format!("the shapes do not fit: {clash}"),
            "this program",
        );
    };
    let main = last.origin.place;
    let before = stated.iter().position(|stated| stated.origin.place == main);
    let mut renaming = so_far(inference, &stated[..before.unwrap_or(0)]);
    let whose = match call_of(inference, main) {
        Some((callee, _)) => format!("the arguments of {} do not fit", called(inference, callee)),
        None => match last.origin.role {
            Role::Declared => "the result does not have the type that is written".to_string(),
            Role::Result => format!("{} has no result for these shapes", called(inference, main)),
            _ => format!("{} does not fit", called(inference, main)),
        },
    };
    let mut labels = Vec::new();
    let mut printer = Printer::default();
    let mut chosen: Vec<&Stated> = reasons.iter().filter_map(known).collect();
    chosen.sort_by_key(|stated| std::cmp::Reverse(stated.origin.place));
    for stated in chosen.into_iter().take(PLACES) {
        label(inference, stated, &mut renaming, &mut printer, &mut labels);
    }
    let (span, text) = match labels.first() {
        Some(first) => (first.span(), first.text.clone()),
        None => place(inference, main, &last.origin.role),
    };
    let clash = clash.shown(inference, &mut renaming, &mut printer);
    let mut error = Diagnostic::new(span, format!("{whose}: {clash}"), text);
    error.labels.extend(labels.into_iter().skip(1));
    let mut needed: Vec<(NodeId, Role)> =
        reasons.iter().filter_map(known).flat_map(places).collect();
    needed.push((main, last.origin.role.clone()));
    let error = with_sources(inference, error, &needed);
    let needs = innermost(&last.origin);
    match signature_help(inference, needs.place) {
        Some(help) => error.help(help),
        None => error.help("change one of the marked places so that the shapes agree"),
    }
}

/// Returns the nodes that need an equation: inside the function of a use, and the use itself.
fn places(stated: &Stated) -> [(NodeId, Role); 2] {
    let origins = [innermost(&stated.origin), &stated.origin];
    origins.map(|origin| (origin.place, origin.role.clone()))
}

/// Adds the functions that are called at some nodes, and the places from which their arguments have their types, those
/// that are needed first.
fn with_sources(
    inference: &Inference<'_>,
    mut error: Diagnostic,
    needed: &[(NodeId, Role)],
) -> Diagnostic {
    let program = inference.program;
    let (mut first, mut others, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (node, role) in needed.iter().rev() {
        match (call_of(inference, *node), &program.nodes[*node].kind) {
            (Some((callee, arguments)), _) => {
                places.push((
                    program.nodes[callee].span.clone(),
                    "this function".to_string(),
                ));
                if let Role::Argument(place) = role {
                    places.extend(sources::parameter(program, callee, *place));
                    first.extend(arguments.get(*place));
                }
                others.extend_from_slice(arguments);
            }
            (None, NodeKind::Function(function)) => first.push(program.functions[*function].result),
            (None, NodeKind::Bind(_, value)) => first.push(*value),
            (None, _) => {}
        }
    }
    places.extend(sources::types(program, &first, PLACES));
    places.extend(sources::types(program, &others, PLACES));
    for (span, text) in places {
        if error.labels.len() < 2 * PLACES && error.labels.iter().all(|label| label.span() != span)
        {
            error.labels.push(Label::new(span, text));
        }
    }
    error
}

/// Returns what names stand for by the equations before a place.
fn so_far(inference: &mut Inference<'_>, before: &[Stated]) -> Renaming {
    let equations: Vec<Equation> = before
        .iter()
        .map(|stated| stated.equation.clone())
        .collect();
    let simplified = inference
        .decide
        .simplify(&mut inference.types.pool, &equations);
    let level = inference.level();
    inference.types.note_names(level);
    let mut renaming = Renaming::default();
    if let Simplified::Solved { solved, .. } = simplified {
        renaming.dims.extend(solved.dims);
        renaming.shapes.extend(solved.shapes);
    }
    renaming
}

fn innermost(origin: &Origin) -> &Origin {
    let mut origin = origin;
    while let Some(inner) = &origin.through {
        origin = inner;
    }
    origin
}

/// Adds the places of a reason: where the program needs it, and where the function does that it uses.
fn label(
    inference: &mut Inference<'_>,
    stated: &Stated,
    renaming: &mut Renaming,
    printer: &mut Printer,
    labels: &mut Vec<Label>,
) {
    let origins = [Some(&stated.origin), Some(innermost(&stated.origin))];
    for origin in origins.into_iter().flatten() {
        let (span, what) = place(inference, origin.place, &origin.role);
        if labels.iter().any(|label| label.span() == span) {
            continue;
        }
        let found = argument(inference, origin).and_then(|node| inference.values[node]);
        let text = match found {
            Some(found) if origin.through.is_none() => {
                let found = inference.types.copied(found, renaming);
                let shown = printer.type_of(&mut inference.types, found);
                let about = match origin.role {
                    Role::Declared => "; it is ",
                    _ => ": ",
                };
                shown.map_or_else(|_| what.clone(), |shown| format!("{what}{about}{shown}"))
            }
            _ => what,
        };
        labels.push(Label::new(span, text));
    }
}

/// Returns the node whose type a reason is about.
fn argument(inference: &Inference<'_>, origin: &Origin) -> Option<NodeId> {
    match (&origin.role, call_of(inference, origin.place)) {
        (Role::Argument(place), Some((_, arguments))) => arguments.get(*place).copied(),
        (Role::Declared, _) => match inference.program.nodes[origin.place].kind {
            NodeKind::Function(function) => Some(inference.program.functions[function].result),
            _ => None,
        },
        _ => None,
    }
}

/// Makes the error for a size that does not fit 64 bits.
pub(super) fn too_large(inference: &Inference<'_>, stated: &[Stated], what: &str) -> Diagnostic {
    let (span, text) = match stated.last() {
        Some(stated) => place(inference, stated.origin.place, &stated.origin.role),
        None => (0..0, "this program".to_string()),
    };
    let limit = format!("the largest size is {}", i64::MAX);
    Diagnostic::new(span, plain(what), text).help(limit)
}

/// Makes the message for equations of which it is not known whether they have a solution.
pub(super) fn undecided(inference: &Inference<'_>, stated: &[Stated], why: &str) -> Diagnostic {
    let last = stated.last().map(|stated| &stated.origin);
    let (span, text) = match last {
        Some(origin) => place(inference, origin.place, &origin.role),
        None => (0..0, "this program".to_string()),
    };
    let why = plain(why);
    Diagnostic::new(
        span,
        format!("it is not known whether any shapes fit: {why}"),
        text,
    )
    .help("write a type for a parameter, or try shapes with `--at`")
}

/// Leaves out the numbers of names: `s'12` is `s` to a reader.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\'') {
        let (before, behind) = rest.split_at(at);
        let digits = behind[1..].bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(before);
        if digits == 0 {
            out.push('\'');
        }
        rest = &behind[1 + digits..];
    }
    out.push_str(rest);
    out
}
