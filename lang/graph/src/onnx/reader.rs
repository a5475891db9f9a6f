//! The walk over the nodes of a file.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use bytes::Bytes;
use lozenge_graph_vocabulary::{
    Argument, BodyId, Format, Graph, GraphBuilder, Node, Operator, Type, ValueId,
};

use super::attribute::{Attributes, Content, Site, Waiting};
use super::frame::{Context, Frame, Kind};
use super::function::{Functions, versions};
use super::generated::{GraphProto, NodeProto, OperatorSetIdProto, ValueInfoProto};
use super::source::Source;
use super::{domain, tensor, types};
use crate::error::quoted;
use crate::names::UniqueNames;
use crate::order::{self, Step};
use crate::python_place;
use crate::{Limits, ModelError};

/// The longest text before the names of an inlined function. Longer ones would make a small file large.
const LONGEST_PREFIX: usize = 200;

/// The share of `max_file_bytes` that all calls of functions may take together, counted in bytes of the functions.
const SHARE_OF_CALLS: u64 = 32;

/// The number of nodes as which a call of a function counts, besides those of the function. It takes about twice the
/// time of a node.
const NODES_OF_A_CALL: u64 = 2;

/// A file that is being read.
pub(super) struct Reader<'a> {
    source: Source,
    functions: Functions,
    limits: &'a Limits,
    builder: GraphBuilder,
    attributes: Attributes,
    names: UniqueNames,
    frames: Vec<Frame>,
    /// The nodes so far, calls of functions counted as well.
    nodes: u64,
    /// The bytes of the functions that were called, each time anew.
    called_bytes: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: Source, functions: Functions, limits: &'a Limits) -> Self {
        Self {
            source,
            functions,
            limits,
            builder: GraphBuilder::new(Format::Onnx),
            attributes: Attributes::new(),
            names: UniqueNames::default(),
            frames: Vec::new(),
            nodes: 0,
            called_bytes: 0,
        }
    }

    pub(super) fn set_producer(&mut self, producer: &str) {
        self.builder.set_producer(producer);
    }

    /// Reads the graph of the model and everything in it.
    pub(super) fn read(
        mut self,
        graph: GraphProto,
        imports: &[OperatorSetIdProto],
    ) -> Result<Graph, ModelError> {
        for import in imports {
            self.builder
                .import(domain(import.domain()), import.version());
        }
        let context = Rc::new(Context {
            versions: Rc::new(versions(imports)),
            prefix: String::new(),
            attributes: HashMap::new(),
        });
        self.enter_body(BodyId::MAIN, graph, None, context)?;
        while let Some(top) = self.frames.len().checked_sub(1) {
            let frame = &mut self.frames[top];
            frame.settle();
            match frame.nodes.get(frame.next).cloned() {
                Some(part) => {
                    frame.next += 1;
                    self.node(top, &part)?;
                }
                None => self.leave(top)?,
            }
        }
        Ok(self.builder.finish())
    }

    /// Begins a body.
    fn enter_body(
        &mut self,
        body: BodyId,
        graph: GraphProto,
        enclosing: Option<usize>,
        context: Rc<Context>,
    ) -> Result<(), ModelError> {
        self.limits
            .check_nodes(self.nodes + graph.node.len() as u64)?;
        self.builder.set_body_name(body, graph.name());
        let mut frame = Frame {
            body,
            enclosing,
            level: enclosing.map_or(0, |enclosing| self.frames[enclosing].level + 1),
            kind: Kind::Body {
                outputs: Vec::new(),
            },
            context,
            nodes: Rc::new(Vec::new()),
            next: 0,
            values: HashMap::new(),
            made: Vec::new(),
            declared: HashMap::new(),
        };
        self.limits.check_level(frame.level)?;
        for part in &graph.value_info {
            let (name, declared) = self.value_info(part)?;
            frame.declared.insert(name, declared);
        }
        let mut outputs = Vec::with_capacity(graph.output.len());
        for part in &graph.output {
            let (name, declared) = self.value_info(part)?;
            if declared != Type::Any {
                frame.declared.insert(name.clone(), declared);
            }
            outputs.push(name);
        }
        frame.kind = Kind::Body { outputs };
        self.inputs_and_constants(&graph, &mut frame)?;
        frame.nodes = Rc::new(graph.node);
        self.frames.push(frame);
        Ok(())
    }

    /// Adds the inputs and constants of a body. An input that has a value in the file is a constant: nobody has to give
    /// it.
    fn inputs_and_constants(
        &mut self,
        graph: &GraphProto,
        frame: &mut Frame,
    ) -> Result<(), ModelError> {
        let mut constants = Vec::with_capacity(graph.initializer.len());
        for part in &graph.initializer {
            constants.push(tensor::constant(&self.source, part, self.limits)?);
        }
        for part in &graph.sparse_initializer {
            constants.push(tensor::sparse(&self.source, part, self.limits)?);
        }
        let with_value: HashSet<&str> = constants
            .iter()
            .map(|constant| constant.name.as_str())
            .collect();
        for part in &graph.input {
            let (name, declared) = self.value_info(part)?;
            if with_value.contains(name.as_str()) {
                continue;
            }
            let id = self.builder.input(frame.body, name.clone(), declared);
            bind(frame, name, id, "two inputs have the name")?;
        }
        for constant in constants {
            let name = constant.name.clone();
            let id = self
                .builder
                .constant_value(frame.body, name.clone(), constant);
            bind(frame, name, id, "two constants have the name")?;
        }
        Ok(())
    }

    fn value_info(&self, part: &Bytes) -> Result<(String, Type), ModelError> {
        let value: ValueInfoProto = self.source.decode(part, "a declared value")?;
        let name = value.name().to_string();
        match types::declared(value.r#type, self.limits) {
            Ok(declared) => Ok((name, declared)),
            Err(error) => Err(error.at_value(&name)),
        }
    }

    /// Reads a node of a frame.
    fn node(&mut self, at: usize, part: &Bytes) -> Result<(), ModelError> {
        let written: NodeProto = self.source.decode(part, "a node")?;
        let function = self.functions.find(
            domain(written.domain()),
            written.op_type(),
            written.overload(),
        );
        self.nodes += if function.is_some() {
            NODES_OF_A_CALL
        } else {
            1
        };
        self.limits.check_nodes(self.nodes)?;
        let name = self.name_of(at, &written);
        let result = match function {
            Some(function) => self.call(at, &name, &written, function),
            None => self.apply(at, &name, &written),
        };
        result.map_err(|error| error.at_node(&name))
    }

    /// Gives a node its name: the file's, or that of its first output, or that of its operator.
    fn name_of(&mut self, at: usize, written: &NodeProto) -> String {
        let outputs = written.output.iter().map(String::as_str);
        let candidates = [written.name()].into_iter().chain(outputs);
        let name = candidates.into_iter().find(|name| !name.is_empty());
        let prefix = &self.frames[at].context.prefix;
        self.names
            .give(&format!("{prefix}{}", name.unwrap_or(written.op_type())))
    }

    /// Adds the application of an operator.
    fn apply(&mut self, at: usize, name: &str, written: &NodeProto) -> Result<(), ModelError> {
        if written.op_type().is_empty() {
            return Err(ModelError::new("the node has no operator"));
        }
        let arguments = self.arguments(at, written)?;
        let mut waiting = Vec::new();
        let attributes = self.attributes_of(at, written, &mut waiting)?;
        let domain = domain(written.domain());
        let version = self.frames[at].context.versions.get(domain).copied();
        let operator = Operator::new(domain, written.op_type(), version);
        let mut node = Node::new(name, operator);
        node.arguments = arguments;
        node.attributes = attributes;
        let properties = written.metadata_props.iter();
        for (key, value) in properties.map(|property| (property.key(), property.value())) {
            python_place::add(&mut node.place, key, value);
        }
        let outputs = self.new_outputs(at, written)?;
        let (_, ids) = self.builder.node(self.frames[at].body, node, outputs);
        let names = written.output.iter().cloned();
        let made = names.zip(ids).filter(|(_, id)| id.is_some());
        self.frames[at].made.extend(made);
        self.enter_waiting(at, waiting)
    }

    /// Gives the names and types of the outputs of a node, after the check that nothing else has these names.
    fn new_outputs(
        &mut self,
        at: usize,
        written: &NodeProto,
    ) -> Result<Vec<Option<(String, Type)>>, ModelError> {
        self.check_new(at, written)?;
        let frame = &mut self.frames[at];
        let outputs = written.output.iter().map(|name| {
            let declared = frame.declared.remove(name).unwrap_or(Type::Any);
            (!name.is_empty()).then(|| (format!("{}{name}", frame.context.prefix), declared))
        });
        Ok(outputs.collect())
    }

    fn check_new(&self, at: usize, written: &NodeProto) -> Result<(), ModelError> {
        let mut own = HashSet::new();
        for name in written.output.iter().filter(|name| !name.is_empty()) {
            if self.frames[at].has(name) || !own.insert(name) {
                let message = format!("it makes {}, which has a maker already", quoted(name));
                return Err(ModelError::new(message));
            }
        }
        Ok(())
    }

    fn arguments(&self, at: usize, written: &NodeProto) -> Result<Vec<Argument>, ModelError> {
        let inputs = written.input.iter();
        inputs.map(|name| self.argument(at, name)).collect()
    }

    fn argument(&self, at: usize, name: &str) -> Result<Argument, ModelError> {
        if name.is_empty() {
            return Ok(Argument::None);
        }
        match self.find(at, name) {
            Some(Some(id)) => Ok(Argument::Value(id)),
            Some(None) => Ok(Argument::None),
            None => Err(self.missing(at, name)),
        }
    }

    /// Finds a value by its name, in the frame or in those around it that it sees.
    fn find(&self, at: usize, name: &str) -> Option<Option<ValueId>> {
        let mut at = Some(at);
        while let Some(place) = at {
            let frame = &self.frames[place];
            if let Some(found) = frame.values.get(name) {
                return Some(*found);
            }
            at = match frame.kind {
                Kind::Body { .. } => frame.enclosing,
                Kind::Call { .. } => None,
            };
        }
        None
    }

    /// Explains why a value is not there.
    fn missing(&self, at: usize, name: &str) -> ModelError {
        let frame = &self.frames[at];
        let rest = &frame.nodes[frame.next.saturating_sub(1).min(frame.nodes.len())..];
        let rest = rest
            .iter()
            .map_while(|part| self.source.decode(part, "a node").ok());
        let steps: Vec<Step> = rest
            .map(|node: NodeProto| Step {
                name: match node.name() {
                    "" => node.output.first().cloned().unwrap_or_default(),
                    name => name.to_string(),
                },
                inputs: node.input,
                outputs: node.output,
            })
            .collect();
        order::explain(name, &steps)
    }

    /// Reads the attributes of a node. Bodies in them are announced in `waiting`.
    fn attributes_of(
        &mut self,
        at: usize,
        written: &NodeProto,
        waiting: &mut Vec<Waiting>,
    ) -> Result<Vec<(String, Argument)>, ModelError> {
        let frame = &self.frames[at];
        let mut site = Site {
            source: &self.source,
            limits: self.limits,
            builder: &mut self.builder,
            body: frame.body,
            waiting,
        };
        let mut attributes = Vec::with_capacity(written.attribute.len());
        for part in &written.attribute {
            let attribute = self.attributes.read(part, &mut site)?;
            let argument = match attribute.content {
                Content::Argument(argument) => Some(argument),
                // An attribute that neither the call nor the function gives is left out.
                Content::OfFunction(outer) => frame.context.attributes.get(&outer).cloned(),
            };
            attributes.extend(argument.map(|argument| (attribute.name, argument)));
        }
        Ok(attributes)
    }

    /// Begins the bodies that a node's attributes hold, the first one on top.
    fn enter_waiting(&mut self, at: usize, waiting: Vec<Waiting>) -> Result<(), ModelError> {
        for (body, part) in waiting.into_iter().rev() {
            let graph = self.source.decode(&part, "a body")?;
            let context = Rc::clone(&self.frames[at].context);
            self.enter_body(body, graph, Some(at), context)?;
        }
        Ok(())
    }

    /// Begins the nodes of a function in place of its call.
    fn call(
        &mut self,
        at: usize,
        name: &str,
        written: &NodeProto,
        place: usize,
    ) -> Result<(), ModelError> {
        self.check_call(at, place)?;
        self.check_new(at, written)?;
        let arguments = self.arguments(at, written)?;
        let mut waiting = Vec::new();
        let given = self.attributes_of(at, written, &mut waiting)?;
        let mut attributes: HashMap<String, Argument> = given.into_iter().collect();
        let function = self.functions.get(place);
        let body = self.frames[at].body;
        let mut site = Site {
            source: &self.source,
            limits: self.limits,
            builder: &mut self.builder,
            body,
            waiting: &mut waiting,
        };
        for (name, part) in &function.defaults {
            if !attributes.contains_key(name)
                && let Content::Argument(argument) = self.attributes.read(part, &mut site)?.content
            {
                attributes.insert(name.clone(), argument);
            }
        }
        if arguments.len() > function.inputs.len() {
            let (given, taken) = (arguments.len(), function.inputs.len());
            let message = format!(
                "it gives {given} inputs to function {}, which takes {taken}",
                function.name
            );
            return Err(ModelError::new(message));
        }
        let given = arguments
            .iter()
            .map(Argument::as_value)
            .chain(std::iter::repeat(None));
        let cut = name
            .char_indices()
            .nth(LONGEST_PREFIX)
            .map_or(name.len(), |(end, _)| end);
        let frame = Frame {
            body,
            enclosing: Some(at),
            level: self.frames[at].level + 1,
            kind: Kind::Call {
                function: place,
                outputs: written.output.clone(),
            },
            context: Rc::new(Context {
                versions: Rc::clone(&function.versions),
                prefix: format!("{}/", &name[..cut]),
                attributes,
            }),
            nodes: Rc::clone(&function.nodes),
            next: 0,
            values: function.inputs.iter().cloned().zip(given).collect(),
            made: Vec::new(),
            declared: function.declared.iter().cloned().collect(),
        };
        self.frames.push(frame);
        self.enter_waiting(at, waiting)
    }

    /// Checks that a function does not call itself, and that all calls together do not exceed the limits.
    fn check_call(&mut self, at: usize, place: usize) -> Result<(), ModelError> {
        let function = self.functions.get(place);
        let mut enclosing = Some(at);
        while let Some(frame) = enclosing.map(|place| &self.frames[place]) {
            if matches!(frame.kind, Kind::Call { function, .. } if function == place) {
                return Err(ModelError::new(format!(
                    "function {} calls itself",
                    quoted(&function.name)
                )));
            }
            enclosing = frame.enclosing;
        }
        self.limits.check_level(self.frames[at].level + 1)?;
        self.called_bytes += function.bytes;
        let most = self.limits.max_file_bytes / SHARE_OF_CALLS;
        if self.called_bytes > most {
            let message = format!(
                "the functions of the file take more than {most} bytes where they are inlined"
            );
            return Err(
                ModelError::new(message).by_limit("max_file_bytes", self.limits.max_file_bytes)
            );
        }
        Ok(())
    }

    /// Ends a frame: its outputs become those of the body, or of the call.
    fn leave(&mut self, at: usize) -> Result<(), ModelError> {
        let kind = std::mem::replace(
            &mut self.frames[at].kind,
            Kind::Body {
                outputs: Vec::new(),
            },
        );
        match kind {
            Kind::Body { outputs } => {
                let body = self.frames[at].body;
                for name in outputs {
                    let argument = self
                        .argument(at, &name)
                        .map_err(|error| error.at_value(&name))?;
                    self.builder.output(body, name, argument);
                }
            }
            Kind::Call { function, outputs } => self.leave_call(at, function, outputs)?,
        }
        self.frames.pop();
        Ok(())
    }

    fn leave_call(
        &mut self,
        at: usize,
        function: usize,
        outputs: Vec<String>,
    ) -> Result<(), ModelError> {
        let function = self.functions.get(function);
        if outputs.len() > function.outputs.len() {
            let message = format!(
                "function {} has fewer outputs than a use of it",
                quoted(&function.name)
            );
            return Err(ModelError::new(message));
        }
        let caller = self.frames[at].enclosing.expect("a call has a caller");
        for (inner, outer) in function.outputs.iter().zip(outputs) {
            let Some(id) = self.frames[at].values.get(inner).copied() else {
                let message = format!(
                    "function {} does not make its output",
                    quoted(&function.name)
                );
                return Err(ModelError::new(message).at_value(inner));
            };
            if outer.is_empty() {
                continue;
            }
            if let (Some(id), Some(declared)) = (id, self.frames[caller].declared.remove(&outer)) {
                self.builder.declare(id, declared);
            }
            self.frames[caller].made.push((outer, id));
        }
        Ok(())
    }
}

/// Gives a name to a value of a frame.
fn bind(frame: &mut Frame, name: String, id: ValueId, twice: &str) -> Result<(), ModelError> {
    if frame.values.insert(name.clone(), Some(id)).is_some() {
        return Err(ModelError::new(format!("{twice} {}", quoted(&name))).at_value(&name));
    }
    Ok(())
}
