//! Nodes: an operator, its arguments, its outputs, and where it comes from.

use std::fmt;

use serde::Serialize;

use crate::{BodyId, ConstantId, ElementType, ValueId};

/// An application of an operator.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Node {
    /// The operator.
    pub operator: Operator,
    /// The arguments without a name, in order. An optional input of ONNX that is left out is [`Argument::None`].
    pub arguments: Vec<Argument>,
    /// The arguments with a name. In a `.pt2` file all have one.
    pub keywords: Vec<(String, Argument)>,
    /// The settings that belong to the operator rather than to this use of it: the attributes of ONNX, the parameters
    /// of a PyTorch module.
    pub attributes: Vec<(String, Argument)>,
    /// The outputs. An output that is left out is nothing.
    pub outputs: Vec<Option<ValueId>>,
    /// The origin of the node.
    pub place: Place,
}

impl Node {
    /// Makes a node without arguments and outputs.
    pub fn new(name: impl Into<String>, operator: Operator) -> Self {
        Self {
            operator,
            arguments: Vec::new(),
            keywords: Vec::new(),
            attributes: Vec::new(),
            outputs: Vec::new(),
            place: Place {
                node: name.into(),
                module: None,
                source: None,
            },
        }
    }

    /// Gives the name, which no other node of the graph has.
    pub fn name(&self) -> &str {
        &self.place.node
    }

    /// Finds the argument that has the name, or else the one at the position. Python knows an argument by either.
    pub fn argument(&self, position: usize, name: &str) -> Option<&Argument> {
        self.keyword(name).or_else(|| self.arguments.get(position))
    }

    /// Finds the argument with a name.
    pub fn keyword(&self, name: &str) -> Option<&Argument> {
        find(&self.keywords, name)
    }

    /// Finds an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Argument> {
        find(&self.attributes, name)
    }

    /// Gives all arguments and attributes in order.
    pub fn all_arguments(&self) -> impl Iterator<Item = &Argument> {
        let named = self.keywords.iter().chain(&self.attributes);
        self.arguments
            .iter()
            .chain(named.map(|(_, argument)| argument))
    }
}

fn find<'a>(list: &'a [(String, Argument)], name: &str) -> Option<&'a Argument> {
    let found = list.iter().find(|(key, _)| key == name);
    found.map(|(_, argument)| argument)
}

/// The name of an operator with its origin. It prints as `onnx.Reshape@14`, `aten.view`, `fx.call_module.Linear`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Operator {
    /// The family: `onnx` for the standard operators of ONNX, the domain as written for others of its operators
    /// (`com.microsoft`), `aten`, `operator` and `higher_order` for targets of a `.pt2` file, `fx` for torch.fx.
    pub domain: String,
    /// The name within the family. An overload of ATen other than `default` belongs to it: `mean.dim`.
    pub name: String,
    /// The version of the operator set that the file imports. Only ONNX has versions.
    pub version: Option<i64>,
}

impl Operator {
    /// Makes the name of an operator.
    pub fn new(
        domain: impl Into<String>,
        name: impl Into<String>,
        version: impl Into<Option<i64>>,
    ) -> Self {
        Self {
            domain: domain.into(),
            name: name.into(),
            version: version.into(),
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.domain, self.name)?;
        match self.version {
            Some(version) => write!(formatter, "@{version}"),
            None => Ok(()),
        }
    }
}

/// An argument of a node. Readers bound how deep lists, tuples and dictionaries nest (at most 128 levels), so recursion
/// over one is safe.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// Python's `None`, or an input of ONNX that is left out.
    None,
    /// A value of the graph.
    Value(ValueId),
    /// A tensor that is written at the node.
    Constant(ConstantId),
    /// A body: a branch of an `If`, what a `Loop` repeats.
    Body(BodyId),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A text.
    String(String),
    /// A type of elements.
    ElementType(ElementType),
    /// A list.
    List(Vec<Argument>),
    /// A tuple of Python.
    Tuple(Vec<Argument>),
    /// A dictionary of Python whose keys are texts.
    Dictionary(Vec<(String, Argument)>),
    /// A slice of Python: start, end, step.
    Slice(Box<[Argument; 3]>),
    /// Python's `...`.
    Ellipsis,
    /// Something that has no influence on sizes or that no reader knows, as the file writes it: a device, a layout, a
    /// type.
    Opaque(String),
}

impl Argument {
    /// Gives the value, if the argument is one.
    pub fn as_value(&self) -> Option<ValueId> {
        match self {
            Self::Value(id) => Some(*id),
            _ => None,
        }
    }

    /// Gives the integer, if the argument is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Gives the elements, if the argument is a list or a tuple.
    pub fn as_list(&self) -> Option<&[Argument]> {
        match self {
            Self::List(elements) | Self::Tuple(elements) => Some(elements),
            _ => None,
        }
    }

    /// Gives the integers, if the argument is a list or a tuple of nothing else.
    pub fn as_ints(&self) -> Option<Vec<i64>> {
        self.as_list()?.iter().map(Self::as_int).collect()
    }

    /// Gives the text, if the argument is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Gives every value of the graph that occurs in the argument, in order.
    pub fn values(&self) -> Vec<ValueId> {
        let mut found = Vec::new();
        let mut waiting = vec![self];
        while let Some(argument) = waiting.pop() {
            match argument {
                Self::Value(id) => found.push(*id),
                Self::List(elements) | Self::Tuple(elements) => {
                    waiting.extend(elements.iter().rev())
                }
                Self::Dictionary(entries) => {
                    waiting.extend(entries.iter().rev().map(|(_, entry)| entry))
                }
                Self::Slice(parts) => waiting.extend(parts.iter().rev()),
                _ => {}
            }
        }
        found
    }
}

/// The origin of a node, for messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// The name of the node, which no other node of the graph has. It is the file's, or, where the file has none, that
    /// of its first output.
    pub node: String,
    /// The module of PyTorch to which the node belongs, where the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<Module>,
    /// The line of Python that made the node, where the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// A module of PyTorch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Module {
    /// The path: `encoder.layers.0.attention`. It is empty for the model itself.
    pub path: String,
    /// The class: `torch.nn.modules.conv.Conv2d`. It may be empty.
    pub class: String,
}

/// A line of Python.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The file as the exporting machine knew it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.node)?;
        if let Some(module) = &self.module
            && !module.path.is_empty()
        {
            write!(formatter, " in {}", module.path)?;
        }
        match &self.source {
            Some(source) => write!(formatter, " ({}:{})", source.file, source.line),
            None => Ok(()),
        }
    }
}
