//! Programs at given sizes to the text of a `.loz` program, which the one pipeline of the project infers and runs.
//!
//! The program is followed with shapes in place of values: functions are entered where they are called, `map` gives
//! every operation inside it one more axis, `reduce` by `+`, `max` or `min` is one operation, and `loop` and other
//! reductions repeat their function for each element. Each operation becomes a line with a spec that names all its
//! axes.

mod elements;
mod kept;
mod lines;
mod machine;
mod operators;
mod rows;
mod structure;
mod value;

use lozenge_diagnostic::Diagnostic;

use crate::Span;
use crate::syntax::{
    Data, Dim, FunctionId, Name, NameId, Node, NodeKind, Part, Pattern, Program, Shape, Source,
    Type, Word,
};
use crate::table::Table;

pub use value::Shown;

/// The text of a `.loz` program, with what it stands for.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The text.
    pub text: String,
    /// The values that the program shows, in its order: the tensors of each.
    pub printed: Vec<Shown>,
    /// The place in the Axon text of each line of the text.
    pub spans: Vec<Span>,
    /// The tensors without values, each with its name in the program and in the text, where a tensor that nothing shown
    /// depends on is left out.
    pub inputs: Vec<(String, String)>,
    /// The wish to compute in 64 bits: data are not all of `f32`. Integers are then exact.
    pub is_wide: bool,
    /// The fact that the text goes only as far as a mask on whose values the sizes behind it depend.
    pub is_partial: bool,
}

/// The reason for which a program is not followed to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// The message.
    pub message: Diagnostic,
    /// The fact that a limit was reached. Otherwise the program does not take the sizes of its data.
    pub is_limit: bool,
}

/// Follows a program at the sizes of its data.
///
/// # Errors
/// If arguments of an operator do not fit, or the program has too many operations at these sizes.
pub fn lower(program: &Program, table: Table) -> Result<Lowered, Stopped> {
    lower_with(program, table, &[])
}

/// Follows a program at the sizes of its data, with the values of masks that were computed before, in their order.
/// Where [`Lowered::is_partial`] says so, what is shown is the mask that is needed next.
///
/// # Errors
/// If arguments of an operator do not fit, or the program has too many operations at these sizes.
pub fn lower_with(program: &Program, table: Table, masks: &[Vec<f64>]) -> Result<Lowered, Stopped> {
    machine::Machine::new(program, table, masks).run()
}

/// Returns the names of the parameters of a function that a program binds at its top; none if it binds no such
/// function.
pub fn parameters(program: &Program, name: &str) -> Option<Vec<String>> {
    let (_, function) = bound(program, name)?;
    Some(named_parameters(program, function))
}

/// Returns the name of the last function that a program binds at its top.
pub fn last_function(program: &Program) -> Option<&str> {
    let last = bound_functions(program).last()?;
    Some(&program.names[last.0].text)
}

/// Returns the functions that a program binds at its top, in its order, each with the names of its parameters.
pub fn functions(program: &Program) -> Vec<(String, Vec<String>)> {
    let named = bound_functions(program).map(|(name, function)| {
        let name = program.names[name].text.to_string();
        (name, named_parameters(program, function))
    });
    named.collect()
}

fn named_parameters(program: &Program, function: FunctionId) -> Vec<String> {
    let parameters = program.functions[function].parameters.iter();
    let names = parameters.map(|parameter| program.names[parameter.name].text.to_string());
    names.collect()
}

fn bound_functions(program: &Program) -> impl Iterator<Item = (NameId, FunctionId)> {
    program.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Bind(Pattern::Name(bound), value) if program.names[*bound].owner.is_none() => {
            match program.nodes[*value].kind {
                NodeKind::Function(function) => Some((*bound, function)),
                _ => None,
            }
        }
        _ => None,
    })
}

fn bound(program: &Program, name: &str) -> Option<(NameId, FunctionId)> {
    let named = bound_functions(program).filter(|(bound, _)| *program.names[*bound].text == *name);
    named.last()
}

/// Returns a program that calls a function of another one with inputs of given shapes and shows the result. The inputs
/// have no values.
///
/// # Errors
/// If the name is no function of the program, or does not take these inputs.
pub fn applied(
    program: &Program,
    name: &str,
    inputs: &[(String, Vec<u64>)],
) -> Result<Program, String> {
    let Some((bound, function)) = bound(program, name) else {
        return Err(format!("the program binds no function `{name}` at its top"));
    };
    let mut made = without_prints(program);
    let span = program.names[bound].span.clone();
    let mut arguments = Vec::new();
    for parameter in &program.functions[function].parameters {
        let text = &program.names[parameter.name].text;
        let Some((_, shape)) = inputs.iter().find(|(input, _)| **input == **text) else {
            return Err(format!(
                "`{name}` takes `{text}`, of which no shape is given"
            ));
        };
        let place = program.names[parameter.name].span.clone();
        arguments.push(given(&mut made, text, shape, place));
    }
    let parameters = &program.functions[function].parameters;
    let is_parameter = |input: &str| {
        parameters
            .iter()
            .any(|known| *program.names[known.name].text == *input)
    };
    if let Some((unknown, _)) = inputs.iter().find(|(input, _)| !is_parameter(input)) {
        return Err(format!("`{name}` takes no `{unknown}`"));
    }
    let callee = add(&mut made, NodeKind::Name(bound), &span);
    let call = NodeKind::Call { callee, arguments };
    let call = add(&mut made, call, &span);
    add(&mut made, NodeKind::Print(vec![call]), &span);
    Ok(made)
}

/// Returns the program with its `print`s emptied, so that nothing else is renumbered.
fn without_prints(program: &Program) -> Program {
    let mut made = program.clone();
    for node in &mut made.nodes {
        if let NodeKind::Print(values) = &mut node.kind {
            values.clear();
        }
    }
    made
}

fn add(program: &mut Program, kind: NodeKind, span: &Span) -> usize {
    program.nodes.push(Node {
        kind,
        span: span.clone(),
    });
    program.nodes.len() - 1
}

/// Adds data of a shape without values, and returns a node that uses it.
fn given(program: &mut Program, text: &str, shape: &[u64], span: Span) -> usize {
    let name = program.names.len();
    program.names.push(Name {
        text: text.into(),
        span: span.clone(),
        owner: None,
    });
    let axes = shape.iter().map(|size| {
        let size = i64::try_from(*size).unwrap_or(i64::MAX);
        Dim::Number(size, span.clone())
    });
    let annotation = Type::Tensor {
        element: Word {
            text: format!("element of {text}").into(),
            is_rigid: false,
            span: span.clone(),
        },
        shape: Shape {
            parts: vec![Part::Axes(axes.collect())],
            span: span.clone(),
        },
    };
    program.data.push(Data {
        name,
        annotation,
        source: Source::Outside,
        span: span.clone(),
    });
    add(program, NodeKind::Data(program.data.len() - 1), &span);
    add(program, NodeKind::Name(name), &span)
}
