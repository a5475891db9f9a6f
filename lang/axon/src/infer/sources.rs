//! The places from which a value has its type: the written types of the parameters and data from which it is computed,
//! or their uses.

use lozenge_diagnostic::brief;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Span;
use crate::syntax::{NameId, NodeId, NodeKind, Pattern, Program};

/// The number of uses of a name that are shown.
const USES: usize = 4;

/// The number of values that are followed.
const FOLLOWED: usize = 64;

/// Returns the places from which a parameter of a function that is used by its name has its type: the written one, or
/// its uses.
pub(super) fn parameter(program: &Program, callee: NodeId, place: usize) -> Vec<(Span, String)> {
    let NodeKind::Name(name) = &program.nodes[callee].kind else {
        return Vec::new();
    };
    let value = bound(program)
        .get(name)
        .map(|value| &program.nodes[*value].kind);
    let Some(NodeKind::Function(function)) = value else {
        return Vec::new();
    };
    let parameters = &program.functions[*function].parameters;
    let mut places = Vec::new();
    if let Some(parameter) = parameters.get(place)
        && parameter.annotation.is_none()
    {
        places.extend(uses(program, parameter.name).take(USES));
    }
    for parameter in parameters {
        let text = brief(&program.names[parameter.name].text);
        if let Some(annotation) = &parameter.annotation {
            places.push((annotation.span(), format!("the type of `{text}`")));
        }
    }
    if let Some(result) = &program.functions[*function].result_type {
        places.push((result.span(), "the type of its result".to_string()));
    }
    places
}

/// Returns the places where a name is used.
fn uses(program: &Program, name: NameId) -> impl Iterator<Item = (Span, String)> {
    let uses = program
        .nodes
        .iter()
        .filter(move |node| node.kind == NodeKind::Name(name));
    let text = brief(&program.names[name].text);
    uses.map(move |node| (node.span.clone(), format!("`{text}` is used here")))
}

/// Returns the places from which some nodes have their types, each with a few words, about `most`.
pub(super) fn types(program: &Program, nodes: &[NodeId], most: usize) -> Vec<(Span, String)> {
    let annotated = annotated(program);
    let bound = bound(program);
    let mut waiting: std::collections::VecDeque<NodeId> = nodes.iter().copied().collect();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(node) = waiting.pop_front() {
        if found.len() >= most || seen.len() == FOLLOWED {
            break;
        }
        if !seen.insert(node) {
            continue;
        }
        match &program.nodes[node].kind {
            NodeKind::Name(name) => match (annotated.get(name), bound.get(name)) {
                (Some(span), _) => {
                    let text = brief(&program.names[*name].text);
                    let place = (span.clone(), format!("the type of `{text}`"));
                    if !found.contains(&place) {
                        found.push(place);
                    }
                }
                (None, Some(value)) => waiting.push_back(*value),
                // A parameter without a written type has the type of its uses.
                (None, None) => found.extend(uses(program, *name).take(USES)),
            },
            NodeKind::Call { arguments, .. } => waiting.extend(arguments.iter().copied()),
            NodeKind::Tuple(parts) => waiting.extend(parts.iter().copied()),
            _ => {}
        }
    }
    found
}

/// Returns the places of the types that are written for names.
fn annotated(program: &Program) -> FxHashMap<NameId, Span> {
    let parameters = program
        .functions
        .iter()
        .flat_map(|function| &function.parameters);
    let parameters = parameters.filter_map(|parameter| {
        let annotation = parameter.annotation.as_ref()?;
        Some((parameter.name, annotation.span()))
    });
    let data = program
        .data
        .iter()
        .map(|data| (data.name, data.annotation.span()));
    parameters.chain(data).collect()
}

/// Returns the values that names are bound to, or are parts of.
fn bound(program: &Program) -> FxHashMap<NameId, NodeId> {
    let mut bound = FxHashMap::default();
    for node in &program.nodes {
        let NodeKind::Bind(pattern, value) = &node.kind else {
            continue;
        };
        let mut waiting = vec![pattern];
        while let Some(pattern) = waiting.pop() {
            match pattern {
                Pattern::Name(name) => {
                    bound.insert(*name, *value);
                }
                Pattern::Tuple(parts, _) => waiting.extend(parts),
                Pattern::Ignored(_) => {}
            }
        }
    }
    bound
}
