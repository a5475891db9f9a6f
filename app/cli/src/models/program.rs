//! A model as a program: what `lozenge infer`, `lozenge run` and `lozenge graph --loz` make of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lozenge_backend::{Precision, Tensor};
use lozenge_graph_program::{FreeAxis, Lacking, Lowered, Refusal, lower};
use lozenge_graph_vocabulary::Graph;
use lozenge_lang::{Diagnostic, Place};
use lozenge_vocabulary::program::{Source as Origin, Values, Wish};

use crate::args::{InputFile, Outside};
use crate::execution::parameters;
use crate::json::Message;
use crate::limits::Programs;
use crate::loaded::{self, Loaded};
use crate::report::Problem;
use crate::source::Source;

/// Reads a program or, where the file is a model, the program of the model.
///
/// # Errors
/// When the file is neither, when sizes are free, and when the model has nodes that become no lines.
pub fn program(path: &Path, outside: &Outside, limits: Programs) -> Result<Loaded, Problem> {
    match super::is_model(path) {
        true => Ok(OfModel::read(path, outside, &[])?
            .loaded(path, outside, limits)?
            .0),
        false => loaded::program_with(path, outside, limits),
    }
}

/// Reads a program to run it. Where the file is a model, its data is the weights of the file and the inputs that are
/// given.
///
/// # Errors
/// As [`program`]; when an input has no values, or a file of values is none or has other sizes than the model.
pub fn program_to_run(
    path: &Path,
    outside: &Outside,
    inputs: &[InputFile],
    limits: Programs,
) -> Result<Loaded, Problem> {
    if !super::is_model(path) {
        return match inputs {
            [] => loaded::program_with(path, outside, limits),
            _ => Err(Problem::new(format!(
                "--input: {} is no model, and a program says itself where its data is: `data x : 2, 3 from \"x.npy\"`",
                path.display()
            ))),
        };
    }
    let given = inputs
        .iter()
        .map(|input| Ok((input, parameters::array(&input.path, Precision::F64)?)));
    let given = given.collect::<Result<Vec<_>, Problem>>()?;
    let model = OfModel::read(path, outside, &given)?;
    let (mut loaded, lowered) = model.loaded(path, outside, limits)?;
    let mut values = weights(path, &model.graph, &lowered)?;
    for input in &lowered.inputs {
        let Some(tensor) = model.named(&given)?.remove(input.name.as_str()) else {
            return Err(model.without_values(path, &input.name));
        };
        if tensor.shape() != input.sizes {
            return Err(Problem::new(format!(
                "--input {}: the array has the sizes {:?}, and the model takes {:?}",
                input.name,
                tensor.shape(),
                input.sizes
            )));
        }
        values.insert(input.tensor.clone(), tensor.wide_values().into_owned());
    }
    let prints = loaded.program.requests.iter();
    let prints = prints.filter(|request| request.what == Wish::Print);
    let names = lowered.outputs.iter().map(|output| output.name.clone());
    loaded.called = prints
        .map(|request| request.span.start)
        .zip(names)
        .collect();
    for tensor in &mut loaded.program.tensors {
        if let Some(values) = values.remove(&*tensor.name) {
            tensor.source = Origin::Data(Values::Listed(values));
        }
    }
    Ok(loaded)
}

/// Writes the program of a model.
///
/// # Errors
/// When sizes are free, and when the model has nodes that become no lines.
pub fn text(path: &Path, graph: &Graph, sizes: &[(String, u64)]) -> Result<String, Problem> {
    let sizes = sizes.iter().cloned().collect();
    let lowered = lower(graph, &sizes).map_err(|refusal| refused(path, &refusal))?;
    Ok(lowered.text)
}

/// A model, and the sizes that are given for it.
struct OfModel {
    graph: Graph,
    sizes: BTreeMap<String, u64>,
}

/// Arrays for inputs, as they were named.
type Given<'a> = [(&'a InputFile, Tensor)];

impl OfModel {
    /// Reads a model. The arrays of its inputs give the sizes that it leaves free.
    fn read(path: &Path, outside: &Outside, given: &Given) -> Result<OfModel, Problem> {
        if outside.init.is_some() {
            return Err(Problem::new(
                "--init: a model has its parameters in its file",
            ));
        }
        let graph = super::read_plainly(path)?;
        let sizes = outside.set.iter().cloned().collect();
        let mut model = OfModel { graph, sizes };
        let mut free = Vec::new();
        if let Err(Refusal::Free(axes)) = lower(&model.graph, &model.sizes) {
            let named = model.named(given)?;
            free.extend(axes.into_iter().filter_map(|axis| {
                let size = named.get(axis.input.as_str())?.shape().get(axis.axis)?;
                Some((format!("{}[{}]", axis.input, axis.axis), *size))
            }));
        }
        model.sizes.extend(free);
        Ok(model)
    }

    /// Finds the array of each input. One without a name belongs to the only input.
    fn named<'g>(&self, given: &'g Given) -> Result<BTreeMap<String, &'g Tensor>, Problem> {
        let inputs: Vec<&str> = self
            .graph
            .main()
            .inputs
            .iter()
            .map(|id| self.graph[*id].name.as_str())
            .collect();
        let mut found = BTreeMap::new();
        for (file, tensor) in given {
            let name = match (&file.name, &inputs[..]) {
                (Some(name), inputs) if inputs.contains(&name.as_str()) => name.clone(),
                (None, [only]) => (*only).to_string(),
                (name, _) => {
                    let which = name
                        .as_ref()
                        .map_or("several inputs".into(), |name| format!("no input `{name}`"));
                    return Err(Problem::new(format!(
                        "--input: the model has {which}: write --input NAME={}; its inputs are {}",
                        file.path.display(),
                        inputs.join(", ")
                    )));
                }
            };
            if found.insert(name.clone(), tensor).is_some() {
                return Err(Problem::new(format!("--input {name}: it is given twice")));
            }
        }
        Ok(found)
    }

    /// Makes the program.
    fn loaded(
        &self,
        path: &Path,
        outside: &Outside,
        limits: Programs,
    ) -> Result<(Loaded, Lowered), Problem> {
        let lowered = lower(&self.graph, &self.sizes).map_err(|refusal| refused(path, &refusal))?;
        let source = Source {
            name: format!("{} as a program", path.display()),
            text: lowered.text.clone(),
        };
        let outside = Outside {
            set: Vec::new(),
            ..outside.clone()
        };
        Ok((Loaded::of_text(source, path, &outside, limits)?, lowered))
    }

    fn without_values(&self, path: &Path, input: &str) -> Problem {
        let message = format!(
            "{}: the input `{input}` has no values to run with",
            path.display()
        );
        let shown = format!(
            "error: {message}\n  = help: give it those of an array that NumPy wrote: --input '{input}=FILE.npy'"
        );
        Problem::at(shown, vec![Message::plain(message)])
    }
}

/// Reads the weights of a program from the file of the model.
fn weights(
    path: &Path,
    graph: &Graph,
    lowered: &Lowered,
) -> Result<BTreeMap<String, Vec<f64>>, Problem> {
    let failed = |error| Problem::new(format!("{}: cannot be read: {error}", path.display()));
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let mut values = BTreeMap::new();
    for weight in &lowered.weights {
        let numbers = lozenge_graph::read_numbers(&mut file, &graph[weight.constant]);
        let numbers = numbers.map_err(|error| super::unreadable(path, &error))?;
        values.insert(weight.tensor.clone(), numbers);
    }
    Ok(values)
}

/// The most nodes without lines that a message lists.
const LISTED: usize = 20;

/// Makes the message about a model that becomes no program.
fn refused(path: &Path, refusal: &Refusal) -> Problem {
    let name = path.display();
    if let Refusal::Lacking(nodes) = refusal
        && let Some(message) = about_nodes(path, nodes)
    {
        return super::at_nodes(path, &message);
    }
    let (message, help) = match refusal {
        Refusal::Free(axes) => (format!("{name}: {refusal}"), flags(axes, path)),
        Refusal::Given(why) => (format!("{name}: {why}"), String::new()),
        Refusal::Lacking(nodes) => {
            let head =
                format!("{name}: the model becomes no program, since parts of it have no lines");
            (
                listed(head, nodes),
                format!("`lozenge sizes {name}` says which sizes the model takes"),
            )
        }
    };
    let shown = match help.is_empty() {
        true => format!("error: {message}"),
        false => format!("error: {message}\n  = help: {help}"),
    };
    Problem::at(shown, vec![Message::plain(message)])
}

/// Makes the message about nodes that have no lines, at their places; nothing where one of them is no node.
fn about_nodes(path: &Path, nodes: &[Lacking]) -> Option<Diagnostic> {
    let name = path.display();
    let mut places = nodes.iter().take(LISTED).map(|node| {
        let words = format!("{}: {}", node.operator, node.why);
        (!node.node.is_empty()).then(|| (Place::Node(node.node.clone()), words))
    });
    let message = format!("{name}: the model becomes no program, since parts of it have no lines");
    let message = match nodes.len().checked_sub(LISTED) {
        None | Some(0) => message,
        Some(more) => format!("{message}; the first {LISTED} of them, and there are {more} more"),
    };
    let (first, words) = places.next()??;
    let mut diagnostic = Diagnostic::new(first, message, words);
    for place in places {
        let (node, words) = place?;
        diagnostic = diagnostic.other(node, words);
    }
    Some(diagnostic.help(format!(
        "`lozenge sizes {name}` says which sizes the model takes"
    )))
}

fn listed(mut message: String, nodes: &[Lacking]) -> String {
    for node in nodes.iter().take(LISTED) {
        let _ = write!(message, "\n  {node}");
    }
    if nodes.len() > LISTED {
        let _ = write!(message, "\n  and {} more", nodes.len() - LISTED);
    }
    message
}

/// Writes the flags that give sizes to axes. No size is proposed, since the model need not take it.
fn flags(axes: &[FreeAxis], path: &Path) -> String {
    let mut names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
    names.dedup();
    let flags: Vec<String> = names
        .iter()
        .map(|name| format!("--set '{name}=…'"))
        .collect();
    format!(
        "give each a size: {}; `lozenge sizes {}` says which the model takes",
        flags.join(" "),
        path.display()
    )
}
