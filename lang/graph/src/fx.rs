//! The JSON of a torch.fx graph: the list of its nodes in the order of execution, with the parameters of its modules.

mod annotation;
mod argument;
mod rewritten;

use std::collections::HashMap;

use lozenge_graph_vocabulary::{
    Argument, BodyId, Constant, Data, Format, Graph, GraphBuilder, Module, Node, NodeId, Operator,
    Type, ValueId,
};
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::error::quoted;
use crate::order::{self, Step};
use crate::{Limits, ModelError, json};

pub(crate) use rewritten::with_decided;

/// The file. The rest of the file (shapes of recorded runs) is not part of the graph.
#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    nodes: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    torch: Option<String>,
    #[serde(default)]
    sample_input: Vec<Sample>,
    #[serde(default)]
    branches: Option<Vec<Branch>>,
}

/// An input of a recorded run.
#[derive(Deserialize)]
struct Sample {
    #[serde(default)]
    kind: String,
}

/// A condition that was met while the program was traced.
#[derive(Deserialize)]
struct Branch {
    node: String,
}

/// A node as written.
#[derive(Deserialize)]
struct Written {
    name: String,
    op: String,
    target: String,
    #[serde(default)]
    args: Vec<Json>,
    #[serde(default)]
    kwargs: serde_json::Map<String, Json>,
    #[serde(default)]
    module: Option<String>,
    #[serde(default)]
    params: serde_json::Map<String, Json>,
    #[serde(default)]
    attr: Option<Json>,
    #[serde(default)]
    annotation: Option<Json>,
}

/// Reads a torch.fx graph.
pub(crate) fn read(text: &[u8], limits: &Limits) -> Result<Graph, ModelError> {
    let most = limits.text_bytes();
    if text.len() as u64 > most {
        let message =
            format!("the JSON text has more than {most} bytes, an eighth of max_file_bytes");
        return Err(ModelError::new(message).by_limit("max_file_bytes", limits.max_file_bytes));
    }
    let file: File = json::read(text)?;
    let Some(nodes) = file.nodes else {
        let error = ModelError::new("the JSON has no `nodes`");
        return Err(error.with_help("examples/fx/export.py writes the JSON of a torch.fx graph"));
    };
    limits.check_nodes(nodes.len() as u64)?;
    let mut reader = Reader {
        builder: GraphBuilder::new(Format::Fx),
        limits,
        values: HashMap::new(),
        nodes: HashMap::new(),
        samples: file.sample_input,
    };
    if let Some(torch) = file.torch {
        reader.builder.set_producer(format!("torch {torch}"));
    }
    for (place, raw) in nodes.iter().enumerate() {
        let node = reader.written(text, raw, place)?;
        let name = node.name.clone();
        reader
            .node(node, &nodes[place..])
            .map_err(|error| error.at_node(&name))?;
    }
    for branch in file.branches.into_iter().flatten() {
        // A condition that the tracer folded has no node.
        if let Some(&node) = reader.nodes.get(&branch.node) {
            reader.builder.recorded().branches.push(node);
        }
    }
    Ok(reader.builder.finish())
}

/// A graph that is being read.
struct Reader<'a> {
    builder: GraphBuilder,
    limits: &'a Limits,
    values: HashMap<String, ValueId>,
    nodes: HashMap<String, NodeId>,
    samples: Vec<Sample>,
}

impl Reader<'_> {
    fn written(&self, text: &[u8], raw: &RawValue, place: usize) -> Result<Written, ModelError> {
        serde_json::from_str(raw.get()).map_err(|error| {
            let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
            ModelError::new(format!("node {place} is not as expected: {error}"))
                .at_byte(start as u64)
        })
    }

    /// Adds a node. The nodes from it on are there for the explanation of a value that is missing.
    fn node(&mut self, written: Written, rest: &[&RawValue]) -> Result<(), ModelError> {
        let main = BodyId::MAIN;
        if self.values.contains_key(&written.name) {
            return Err(ModelError::new(format!(
                "two nodes have the name {}",
                quoted(&written.name)
            )));
        }
        match written.op.as_str() {
            "placeholder" => {
                let place = self.builder.graph().main().inputs.len();
                let declared = match self
                    .samples
                    .get(place)
                    .map_or("tensor", |sample| sample.kind.as_str())
                {
                    "int" => Type::Integer,
                    "float" => Type::Float,
                    "bool" => Type::Boolean,
                    "tensor" => {
                        let annotation = written.annotation.as_ref().and_then(Json::as_str);
                        let sizes = annotation.and_then(annotation::sizes);
                        let count = sizes.as_ref().map_or(0, Vec::len);
                        self.limits.check_entries(count, "the annotation")?;
                        Type::tensor(None, sizes)
                    }
                    _ => Type::Any,
                };
                let id = self.builder.input(main, &written.name, declared);
                self.values.insert(written.name, id);
            }
            "get_attr" => self.attribute(written)?,
            "call_module" | "call_function" | "call_method" => self.call(written, rest)?,
            "output" => self.outputs(&written, rest)?,
            other => {
                return Err(ModelError::new(format!(
                    "{} is no kind of node",
                    quoted(other)
                )));
            }
        }
        Ok(())
    }

    /// Adds a parameter or a buffer.
    fn attribute(&mut self, written: Written) -> Result<(), ModelError> {
        let recorded = written.attr.as_ref().map(|attr| &attr["value"]);
        let sizes = recorded.and_then(|value| value["shape"].as_array());
        let Some(sizes) = sizes else {
            let operator = Operator::new("fx", "get_attr", None);
            let mut node = Node::new(&written.name, operator);
            node.attributes
                .push(("target".to_string(), Argument::String(written.target)));
            return self.push(written.name, node);
        };
        self.limits
            .check_entries(sizes.len(), "the shape of the attribute")?;
        let sizes = sizes.iter().map(|size| {
            size.as_u64()
                .ok_or_else(|| ModelError::new(format!("{size} is no size of an attribute")))
        });
        let element = recorded.and_then(|value| value["dtype"].as_str());
        let constant = Constant {
            name: written.target,
            element: element.and_then(argument::element),
            sizes: sizes.collect::<Result<_, _>>()?,
            data: Data::Absent,
        };
        let id = self
            .builder
            .constant_value(BodyId::MAIN, &written.name, constant);
        self.values.insert(written.name, id);
        Ok(())
    }

    /// Adds a call of a module, a function or a method.
    fn call(&mut self, written: Written, rest: &[&RawValue]) -> Result<(), ModelError> {
        let target = match (written.op.as_str(), &written.module) {
            ("call_module", Some(class)) => class
                .strip_prefix("torch.nn.modules.")
                .map_or(class.as_str(), |path| {
                    path.rsplit('.').next().unwrap_or(path)
                }),
            ("call_module", None) => {
                return Err(ModelError::new(
                    "the node calls a module and names no class",
                ));
            }
            _ => &written.target,
        };
        let operator = Operator::new("fx", format!("{}.{target}", written.op), None);
        let mut node = Node::new(&written.name, operator);
        node.arguments = self.arguments(&written.args, rest)?;
        node.keywords = self.named(&written.kwargs, rest)?;
        node.attributes = self.named(&written.params, rest)?;
        if let Some(class) = written.module {
            node.place.module = Some(Module {
                path: written.target,
                class,
            });
        }
        self.push(written.name, node)
    }

    fn push(&mut self, name: String, node: Node) -> Result<(), ModelError> {
        let outputs = [Some((name.clone(), Type::Any))];
        let (id, values) = self.builder.node(BodyId::MAIN, node, outputs);
        self.nodes.insert(name.clone(), id);
        self.values.extend(values[0].map(|value| (name, value)));
        Ok(())
    }

    /// Adds the outputs. A tuple or a dictionary gives several, named by keys and places: `past.0.1`.
    fn outputs(&mut self, written: &Written, rest: &[&RawValue]) -> Result<(), ModelError> {
        let mut arguments = self.arguments(&written.args, rest)?;
        if arguments.len() != 1 {
            return Err(ModelError::new(
                "the output has one argument, which may be a tuple",
            ));
        }
        let mut waiting = vec![(String::new(), arguments.remove(0))];
        while let Some((name, argument)) = waiting.pop() {
            let inner = |key: &str| match name.as_str() {
                "" => key.to_string(),
                _ => format!("{name}.{key}"),
            };
            match argument {
                Argument::List(elements) | Argument::Tuple(elements) => {
                    let elements = elements.into_iter().enumerate().rev();
                    waiting.extend(
                        elements.map(|(place, element)| (inner(&place.to_string()), element)),
                    );
                }
                Argument::Dictionary(entries) => {
                    let entries = entries.into_iter().rev();
                    waiting.extend(entries.map(|(key, entry)| (inner(&key), entry)));
                }
                single => {
                    let name = if name.is_empty() {
                        &written.name
                    } else {
                        &name
                    };
                    self.builder.output(BodyId::MAIN, name, single);
                }
            }
        }
        Ok(())
    }

    fn arguments(&self, written: &[Json], rest: &[&RawValue]) -> Result<Vec<Argument>, ModelError> {
        let find = |name: &str| self.find(name, rest);
        written
            .iter()
            .map(|json| argument::read(json, &find))
            .collect()
    }

    fn named(
        &self,
        written: &serde_json::Map<String, Json>,
        rest: &[&RawValue],
    ) -> Result<Vec<(String, Argument)>, ModelError> {
        let find = |name: &str| self.find(name, rest);
        let entries = written.iter();
        entries
            .map(|(name, json)| Ok((name.clone(), argument::read(json, &find)?)))
            .collect()
    }

    fn find(&self, name: &str, rest: &[&RawValue]) -> Result<ValueId, ModelError> {
        self.values
            .get(name)
            .copied()
            .ok_or_else(|| order::explain(name, &steps(rest)))
    }
}

/// Gives what nodes use and make.
fn steps(nodes: &[&RawValue]) -> Vec<Step> {
    let nodes = nodes.iter();
    nodes
        .map_while(|raw| serde_json::from_str::<Written>(raw.get()).ok())
        .map(|node| {
            let arguments = node.args.iter().chain(node.kwargs.values());
            Step {
                inputs: arguments.flat_map(argument::names).collect(),
                outputs: vec![node.name.clone()],
                name: node.name,
            }
        })
        .collect()
}
