//! The places from which a value has its type: the written types of the parameters and data from which it is computed,
//! or their uses.

use lozenge_diagnostic::brief;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Span;
use crate::syntax::{FunctionId, NameId, NodeId, NodeKind, Pattern, Program};

/// The number of uses of a name that are shown.
const USES: usize = 4;

/// The number of parameters to which one is followed that is handed on.
const FUNCTIONS: usize = 8;

/// The number of values that are followed.
const FOLLOWED: usize = 64;

/// Returns the places from which a parameter of a function that is used by its name has its type: the written one, or
/// its uses, in the function and in those that it hands the parameter on to.
pub(super) fn parameter(program: &Program, callee: NodeId, place: usize) -> Vec<(Span, String)> {
    let bound = bound(program);
    let mut places = Vec::new();
    let mut waiting = std::collections::VecDeque::from([(callee, place)]);
    let mut seen = FxHashSet::default();
    while let Some((callee, place)) = waiting.pop_front() {
        let Some(function) = function(program, &bound, callee) else {
            continue;
        };
        if seen.len() == FUNCTIONS || !seen.insert((function, place)) {
            continue;
        }
        let made = &program.functions[function];
        let handed = made.parameters.get(place);
        if let Some(parameter) = handed.filter(|parameter| parameter.annotation.is_none()) {
            let uses: Vec<NodeId> = uses(program, parameter.name).take(USES).collect();
            places.extend(uses.iter().map(|node| used(program, *node)));
            waiting.extend(calls(program, &uses));
        }
        for parameter in &made.parameters {
            let text = brief(&program.names[parameter.name].text);
            if let Some(annotation) = &parameter.annotation {
                places.push((annotation.span(), format!("the type of `{text}`")));
            }
        }
        if let Some(result) = &made.result_type {
            places.push((result.span(), "the type of its result".to_string()));
        }
    }
    places
}

/// Returns the function that a node names, if it names one.
fn function(
    program: &Program,
    bound: &FxHashMap<NameId, NodeId>,
    callee: NodeId,
) -> Option<FunctionId> {
    let NodeKind::Name(name) = &program.nodes[callee].kind else {
        return None;
    };
    match program.nodes[*bound.get(name)?].kind {
        NodeKind::Function(function) => Some(function),
        _ => None,
    }
}

/// Returns the calls of which some nodes are arguments, each as what is called and the place of the argument.
fn calls<'p>(program: &'p Program, of: &'p [NodeId]) -> impl Iterator<Item = (NodeId, usize)> + 'p {
    program.nodes.iter().flat_map(move |node| {
        let (callee, arguments) = match &node.kind {
            NodeKind::Call { callee, arguments } => (*callee, arguments.as_slice()),
            _ => (0, Default::default()),
        };
        let places = arguments.iter().enumerate();
        places.filter_map(move |(place, argument)| of.contains(argument).then_some((callee, place)))
    })
}

/// Returns the place of the use of a name, with a few words.
fn used(program: &Program, node: NodeId) -> (Span, String) {
    let text = match &program.nodes[node].kind {
        NodeKind::Name(name) => brief(&program.names[*name].text),
        _ => Default::default(),
    };
    (
        program.nodes[node].span.clone(),
        format!("`{text}` is used here"),
    )
}

/// Returns the nodes where a name is used.
fn uses(program: &Program, name: NameId) -> impl Iterator<Item = NodeId> {
    let uses = program.nodes.iter().enumerate();
    let uses = uses.filter(move |(_, node)| node.kind == NodeKind::Name(name));
    uses.map(|(node, _)| node)
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
                (None, None) => {
                    let uses = uses(program, *name).take(USES);
                    found.extend(uses.map(|node| used(program, node)));
                }
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
