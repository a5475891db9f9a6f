//! The construction of a graph, whose order keeps its properties.

use crate::{
    Argument, Body, BodyId, Constant, ConstantId, Format, Graph, Node, NodeId, Origin, Output,
    Recorded, Type, Value, ValueId,
};

/// A graph in the making. A value comes into being with its producer, so that it has exactly one, and is not used
/// before.
#[derive(Clone, Debug)]
pub struct GraphBuilder {
    graph: Graph,
}

impl GraphBuilder {
    /// Makes a graph whose main body is empty.
    pub fn new(format: Format) -> Self {
        let mut builder = Self {
            graph: Graph {
                format,
                producer: String::new(),
                operator_sets: Vec::new(),
                bodies: Vec::new(),
                values: Vec::new(),
                constants: Vec::new(),
                recorded: Recorded::default(),
            },
        };
        builder.push_body("", None);
        builder
    }

    /// States which program wrote the file.
    pub fn set_producer(&mut self, producer: impl Into<String>) {
        self.graph.producer = producer.into();
    }

    /// States an operator set that the file imports.
    pub fn import(&mut self, domain: impl Into<String>, version: i64) {
        self.graph.operator_sets.push((domain.into(), version));
    }

    /// States the name of a body.
    pub fn set_body_name(&mut self, body: BodyId, name: impl Into<String>) {
        self.graph.bodies[body.index()].name = name.into();
    }

    /// Adds an empty body inside another one.
    pub fn body(&mut self, name: impl Into<String>, parent: BodyId) -> BodyId {
        self.push_body(name, Some(parent))
    }

    fn push_body(&mut self, name: impl Into<String>, parent: Option<BodyId>) -> BodyId {
        let id = BodyId(place(self.graph.bodies.len()));
        self.graph.bodies.push(Body {
            name: name.into(),
            parent,
            inputs: Vec::new(),
            constants: Vec::new(),
            nodes: Vec::new(),
            outputs: Vec::new(),
        });
        id
    }

    /// Adds an input to a body.
    pub fn input(&mut self, body: BodyId, name: impl Into<String>, declared: Type) -> ValueId {
        let position = place(self.graph.bodies[body.index()].inputs.len());
        let id = self.value(name.into(), declared, Origin::Input { body, position });
        self.graph.bodies[body.index()].inputs.push(id);
        id
    }

    /// Adds a constant that no value has: one that is written at a node.
    pub fn constant(&mut self, constant: Constant) -> ConstantId {
        let id = ConstantId(place(self.graph.constants.len()));
        self.graph.constants.push(constant);
        id
    }

    /// Adds a value that is a constant.
    pub fn constant_value(
        &mut self,
        body: BodyId,
        name: impl Into<String>,
        constant: Constant,
    ) -> ValueId {
        let sizes = constant.sizes.iter().copied();
        let declared = Type::tensor(
            constant.element,
            Some(sizes.map(crate::DeclaredSize::Known).collect()),
        );
        let constant = self.constant(constant);
        let id = self.value(name.into(), declared, Origin::Constant(constant));
        self.graph.bodies[body.index()].constants.push(id);
        id
    }

    /// Adds a node at the end of a body, with its outputs. Whatever `node.outputs` held is replaced.
    pub fn node(
        &mut self,
        body: BodyId,
        mut node: Node,
        outputs: impl IntoIterator<Item = Option<(String, Type)>>,
    ) -> (NodeId, Vec<Option<ValueId>>) {
        let index = place(self.graph.bodies[body.index()].nodes.len());
        let id = NodeId { body, index };
        let outputs = outputs.into_iter().enumerate();
        let outputs: Vec<_> = outputs
            .map(|(output, declared)| {
                let (name, declared) = declared?;
                let output = place(output);
                Some(self.value(name, declared, Origin::Node { node: id, output }))
            })
            .collect();
        node.outputs = outputs.clone();
        self.graph.bodies[body.index()].nodes.push(node);
        (id, outputs)
    }

    /// States the declared type of a value for which nothing is declared so far.
    pub fn declare(&mut self, id: ValueId, declared: Type) {
        let value = &mut self.graph.values[id.index()];
        if value.declared == Type::Any {
            value.declared = declared;
        }
    }

    /// Adds an output to a body.
    pub fn output(&mut self, body: BodyId, name: impl Into<String>, argument: Argument) {
        let name = name.into();
        let output = Output { name, argument };
        self.graph.bodies[body.index()].outputs.push(output);
    }

    /// Gives what the exporter recorded, to be filled in.
    pub fn recorded(&mut self) -> &mut Recorded {
        &mut self.graph.recorded
    }

    /// Gives the graph as it is so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Ends the construction.
    pub fn finish(self) -> Graph {
        self.graph
    }

    fn value(&mut self, name: String, declared: Type, origin: Origin) -> ValueId {
        let id = ValueId(place(self.graph.values.len()));
        self.graph.values.push(Value {
            name,
            declared,
            origin,
        });
        id
    }
}

/// Turns the length of a list into the place of what is added next. A list of 2³² entries does not fit into memory.
fn place(length: usize) -> u32 {
    u32::try_from(length).expect("a list of a graph has fewer than 2^32 entries")
}
