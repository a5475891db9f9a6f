//! The walk over the nodes of a program and of the graphs in its arguments.

use std::collections::{HashMap, VecDeque};

use lozenge_graph_vocabulary::{
    Argument, BodyId, Constant, Data, DeclaredSize, Format, Graph, GraphBuilder, Node, Operator,
    RecordedInteger, RecordedRange, Type, ValueId,
};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::argument;
use super::schema::{self, Program};
use super::symbol;
use crate::error::quoted;
use crate::names::UniqueNames;
use crate::order::{self, Step};
use crate::{Limits, ModelError, python_place};

/// A program that is being read.
pub(super) struct Reader<'a> {
    limits: &'a Limits,
    builder: GraphBuilder,
    names: UniqueNames,
    nodes: u64,
}

/// A graph that is being read, or is still to be read.
struct Scope<'a> {
    body: BodyId,
    level: u32,
    graph: schema::Graph<'a>,
    values: HashMap<String, ValueId>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            builder: GraphBuilder::new(Format::TorchExport),
            names: UniqueNames::default(),
            nodes: 0,
        }
    }

    /// Reads a program: its graph, then the graphs in arguments. None of those sees the values of another one.
    pub(super) fn read(mut self, program: &Program<'_>) -> Result<Graph, ModelError> {
        if !program.torch_version.is_empty() {
            self.builder
                .set_producer(format!("torch {}", program.torch_version));
        }
        let module = &program.graph_module;
        let mut main = HashMap::new();
        self.program_inputs(module, &mut main)?;
        let mut waiting = VecDeque::new();
        self.graph(BodyId::MAIN, 0, &module.graph, &mut main, &mut waiting)?;
        self.program_outputs(module, &main)?;
        while let Some(mut scope) = waiting.pop_front() {
            self.limits.check_level(scope.level)?;
            let graph = &scope.graph;
            for input in &graph.inputs {
                self.input(scope.body, graph, input, &mut scope.values)?;
            }
            self.graph(
                scope.body,
                scope.level,
                graph,
                &mut scope.values,
                &mut waiting,
            )?;
            for output in &graph.outputs {
                self.output(scope.body, output, &scope.values)?;
            }
        }
        self.record(program);
        Ok(self.builder.finish())
    }

    /// Adds the inputs of the program: what the user gives as inputs, parameters and buffers as constants.
    fn program_inputs(
        &mut self,
        module: &schema::GraphModule<'_>,
        values: &mut HashMap<String, ValueId>,
    ) -> Result<(), ModelError> {
        let graph = &module.graph;
        let roles = &module.signature.input_specs;
        if roles.len() != graph.inputs.len() {
            let (given, stated) = (graph.inputs.len(), roles.len());
            return Err(ModelError::new(format!(
                "the graph has {given} inputs, and the signature states {stated}"
            )));
        }
        for (input, role) in graph.inputs.iter().zip(roles) {
            let (role, content) = argument::single(role)?;
            let weight = match role {
                "parameter" => content["parameter_name"].as_str(),
                "buffer" => content["buffer_name"].as_str(),
                "tensor_constant" => content["tensor_constant_name"].as_str(),
                _ => None,
            };
            match weight {
                Some(weight) => self.weight(graph, input, weight, values)?,
                None => self.input(BodyId::MAIN, graph, input, values)?,
            }
        }
        Ok(())
    }

    /// Adds a parameter or a buffer.
    fn weight(
        &mut self,
        graph: &schema::Graph<'_>,
        input: &Json,
        weight: &str,
        values: &mut HashMap<String, ValueId>,
    ) -> Result<(), ModelError> {
        let [Some(name)] = &argument::names(input)[..] else {
            return Err(ModelError::new(format!(
                "the input for {} has no name",
                quoted(weight)
            )));
        };
        let Type::Tensor { element, sizes } = self.tensor(graph, name)? else {
            return Err(ModelError::new(format!(
                "no sizes are stated for {}",
                quoted(weight)
            )));
        };
        let sizes = sizes.into_iter().flatten().map(|size| match size {
            DeclaredSize::Known(size) => Ok(size),
            other => Err(ModelError::new(format!(
                "{} has a size that is not known: {other}",
                quoted(weight)
            ))),
        });
        let constant = Constant {
            name: weight.to_string(),
            element,
            sizes: sizes.collect::<Result<_, _>>()?,
            data: Data::Absent,
        };
        let id = self.builder.constant_value(BodyId::MAIN, name, constant);
        bind(values, name, id)
    }

    /// Adds an input. An argument that has no name is a number that the exporter fixed.
    fn input(
        &mut self,
        body: BodyId,
        graph: &schema::Graph<'_>,
        input: &Json,
        values: &mut HashMap<String, ValueId>,
    ) -> Result<(), ModelError> {
        let (kind, _) = argument::single(input)?;
        for name in argument::names(input).into_iter().flatten() {
            let declared = self.declared(graph, kind, &name)?;
            let is_integer = declared == Type::Integer;
            let id = self.builder.input(body, &name, declared);
            bind(values, &name, id)?;
            if is_integer && let Some(size) = graph.sym_int_values.get(&name) {
                let size = size_of(size);
                let integers = &mut self.builder.recorded().integers;
                integers.push(RecordedInteger { value: id, size });
            }
        }
        Ok(())
    }

    fn program_outputs(
        &mut self,
        module: &schema::GraphModule<'_>,
        values: &HashMap<String, ValueId>,
    ) -> Result<(), ModelError> {
        let roles = &module.signature.output_specs;
        let outputs = &module.graph.outputs;
        if roles.len() != outputs.len() {
            let (given, stated) = (outputs.len(), roles.len());
            return Err(ModelError::new(format!(
                "the graph has {given} outputs, and the signature states {stated}"
            )));
        }
        for (output, role) in outputs.iter().zip(roles) {
            // The others are new values of buffers, which the user does not see.
            if argument::single(role)?.0 == "user_output" {
                self.output(BodyId::MAIN, output, values)?;
            }
        }
        Ok(())
    }

    fn output(
        &mut self,
        body: BodyId,
        output: &Json,
        values: &HashMap<String, ValueId>,
    ) -> Result<(), ModelError> {
        let find = |name: &str| {
            values
                .get(name)
                .copied()
                .ok_or_else(|| order::explain(name, &[]))
        };
        let argument = argument::read(output, &find).map_err(|error| error.at_value("output"))?;
        let place = self.builder.graph()[body].outputs.len();
        let name = match argument.as_value() {
            Some(id) => self.builder.graph()[id].name.clone(),
            None => format!("output_{place}"),
        };
        self.builder.output(body, name, argument);
        Ok(())
    }

    /// Adds the nodes of a graph.
    fn graph<'g>(
        &mut self,
        body: BodyId,
        level: u32,
        graph: &schema::Graph<'g>,
        values: &mut HashMap<String, ValueId>,
        waiting: &mut VecDeque<Scope<'g>>,
    ) -> Result<(), ModelError> {
        self.nodes += graph.nodes.len() as u64;
        self.limits.check_nodes(self.nodes)?;
        for (place, raw) in graph.nodes.iter().enumerate() {
            let written: schema::Node<'g> = serde_json::from_str(raw.get()).map_err(|error| {
                ModelError::new(format!("node {place} is not as expected: {error}"))
            })?;
            let outputs: Vec<_> = written.outputs.iter().flat_map(argument::names).collect();
            let first = outputs.iter().flatten().next();
            let name = written.name.as_ref().or(first).unwrap_or(&written.target);
            let name = self.names.give(name);
            let mut node = Node::new(&name, operator(&written.target));
            let find = |value: &str| {
                let found = values.get(value).copied();
                found.ok_or_else(|| order::explain(value, &steps(&graph.nodes[place..])))
            };
            self.arguments(body, level, &written, &mut node, &find, waiting)
                .map_err(|error| error.at_node(&name))?;
            for (key, text) in sorted(&written.metadata) {
                python_place::add(&mut node.place, key, text);
            }
            let kinds = written
                .outputs
                .iter()
                .map(|output| argument::single(output).map(|(kind, _)| kind));
            let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
            let kind = if kinds.len() == outputs.len() {
                None
            } else {
                kinds.first().copied()
            };
            let declared = outputs.iter().enumerate().map(|(place, output)| {
                let Some(output) = output else {
                    return Ok(None);
                };
                let kind = kind.or(kinds.get(place).copied()).unwrap_or_default();
                Ok(Some((output.clone(), self.declared(graph, kind, output)?)))
            });
            let declared = declared.collect::<Result<Vec<_>, ModelError>>();
            let declared = declared.map_err(|error| error.at_node(&name))?;
            let (_, ids) = self.builder.node(body, node, declared);
            for (output, id) in outputs.iter().zip(ids) {
                if let (Some(output), Some(id)) = (output, id) {
                    bind(values, output, id).map_err(|error| error.at_node(&name))?;
                }
            }
        }
        Ok(())
    }

    /// Reads the arguments of a node. Graphs in them are announced in `waiting`.
    fn arguments<'g>(
        &mut self,
        body: BodyId,
        level: u32,
        written: &schema::Node<'g>,
        node: &mut Node,
        find: &impl Fn(&str) -> Result<ValueId, ModelError>,
        waiting: &mut VecDeque<Scope<'g>>,
    ) -> Result<(), ModelError> {
        for named in &written.inputs {
            let argument = if named
                .arg
                .get()
                .trim_start_matches(['{', ' ', '\n'])
                .starts_with("\"as_graph\"")
            {
                let inner: schema::GraphArgument<'g> = serde_json::from_str(named.arg.get())
                    .map_err(|error| {
                        ModelError::new(format!(
                            "a graph in an argument is not as expected: {error}"
                        ))
                    })?;
                let id = self.builder.body(&inner.as_graph.name, body);
                waiting.push_back(Scope {
                    body: id,
                    level: level + 1,
                    graph: inner.as_graph.graph,
                    values: HashMap::new(),
                });
                Argument::Body(id)
            } else {
                let json: Json = serde_json::from_str(named.arg.get()).map_err(|error| {
                    ModelError::new(format!("an argument is not as expected: {error}"))
                })?;
                argument::read(&json, find)?
            };
            if named.name.is_empty() {
                node.arguments.push(argument);
            } else {
                node.keywords.push((named.name.clone(), argument));
            }
        }
        Ok(())
    }

    /// Gives the type that a program states for a value.
    fn declared(
        &self,
        graph: &schema::Graph<'_>,
        kind: &str,
        name: &str,
    ) -> Result<Type, ModelError> {
        Ok(match kind {
            "as_tensor" | "as_tensors" | "as_optional_tensors" | "as_optional_tensor" => {
                self.tensor(graph, name)?
            }
            "as_sym_int" | "as_sym_ints" => Type::Integer,
            "as_sym_bool" | "as_sym_bools" => Type::Boolean,
            "as_sym_float" | "as_sym_floats" => Type::Float,
            other => Type::Other(other.trim_start_matches("as_").to_string()),
        })
    }

    fn tensor(&self, graph: &schema::Graph<'_>, name: &str) -> Result<Type, ModelError> {
        let Some(tensor) = graph.tensor_values.get(name) else {
            return Ok(Type::tensor(None, None));
        };
        self.limits
            .check_entries(tensor.sizes.len(), "the stated shape")?;
        let sizes = tensor.sizes.iter().map(|size| match size.as_int {
            Some(number) if number < 0 => {
                let message = format!("{} has the size {number}, which is below 0", quoted(name));
                Err(ModelError::new(message).at_value(name))
            }
            _ => Ok(size_of(size)),
        });
        let sizes = sizes.collect::<Result<_, _>>()?;
        Ok(Type::tensor(argument::element(tensor.dtype), Some(sizes)))
    }

    fn record(&mut self, program: &Program<'_>) {
        let recorded = self.builder.recorded();
        recorded.guards.clone_from(&program.guards_code);
        for (symbol, range) in &program.range_constraints {
            recorded.ranges.push(RecordedRange {
                symbol: symbol.clone(),
                least: range["min_val"].as_i64(),
                greatest: range["max_val"].as_i64(),
            });
        }
    }
}

fn bind(values: &mut HashMap<String, ValueId>, name: &str, id: ValueId) -> Result<(), ModelError> {
    match values.insert(name.to_string(), id) {
        None => Ok(()),
        Some(_) => Err(ModelError::new(format!("{} has two makers", quoted(name))).at_value(name)),
    }
}

fn size_of(size: &schema::Size) -> DeclaredSize {
    match (size.as_int, &size.as_expr) {
        (Some(number), _) => u64::try_from(number).map_or(DeclaredSize::Free, DeclaredSize::Known),
        (None, Some(expression)) => symbol::size(&expression.expr_str),
        (None, None) => DeclaredSize::Free,
    }
}

/// Gives the operator that a target names: `torch.ops.aten.conv2d.default` is `aten.conv2d`, `_operator.mul` is
/// `operator.mul`.
fn operator(target: &str) -> Operator {
    let (domain, name) = match target.strip_prefix("torch.ops.") {
        Some(path) => path.split_once('.').unwrap_or(("", path)),
        None => target.rsplit_once('.').unwrap_or(("", target)),
    };
    let name = name.strip_suffix(".default").unwrap_or(name);
    Operator::new(domain.trim_start_matches('_'), name, None)
}

/// Gives the texts of metadata in the order of their keys.
fn sorted(metadata: &HashMap<String, Json>) -> Vec<(&str, &str)> {
    let texts = metadata.iter();
    let mut texts: Vec<_> = texts
        .filter_map(|(key, text)| Some((key.as_str(), text.as_str()?)))
        .collect();
    texts.sort_unstable();
    texts
}

/// Gives what nodes use and make.
fn steps(nodes: &[&RawValue]) -> Vec<Step> {
    let nodes = nodes.iter();
    nodes
        .map_while(|raw| serde_json::from_str::<schema::Node>(raw.get()).ok())
        .map(|node| {
            let inputs = node.inputs.iter();
            let inputs =
                inputs.filter_map(|named| serde_json::from_str::<Json>(named.arg.get()).ok());
            let outputs: Vec<_> = node
                .outputs
                .iter()
                .flat_map(argument::names)
                .flatten()
                .collect();
            Step {
                name: node
                    .name
                    .or(outputs.first().cloned())
                    .unwrap_or(node.target),
                inputs: inputs
                    .flat_map(|json| argument::names(&json))
                    .flatten()
                    .collect(),
                outputs,
            }
        })
        .collect()
}
