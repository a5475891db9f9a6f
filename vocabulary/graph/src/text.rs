//! The text of a graph: one line a node.

use std::fmt::{self, Display, Formatter, Write};

use crate::{Argument, BodyId, Data, DeclaredSize, Graph, Node, Type, ValueId};

impl Display for Graph {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.format)?;
        if !self.producer.is_empty() {
            write!(formatter, " of {}", self.producer)?;
        }
        for (domain, version) in &self.operator_sets {
            write!(formatter, ", {domain}@{version}")?;
        }
        writeln!(formatter)?;
        for (body, content) in (0..).map(BodyId).zip(&self.bodies) {
            if body != BodyId::MAIN {
                writeln!(formatter, "body {} {}", body.0, content.name)?;
            }
            for &id in &content.inputs {
                writeln!(formatter, "input {} : {}", self.name(id), self[id].declared)?;
            }
            for &id in &content.constants {
                writeln!(
                    formatter,
                    "constant {} : {}",
                    self.name(id),
                    self[id].declared
                )?;
            }
            for node in &content.nodes {
                writeln!(formatter, "{}", InGraph(self, node))?;
            }
            for output in &content.outputs {
                writeln!(
                    formatter,
                    "output {} = {}",
                    output.name,
                    InGraph(self, &output.argument)
                )?;
            }
        }
        for range in &self.recorded.ranges {
            let least = range
                .least
                .map_or(String::new(), |number| format!("{number} <= "));
            let greatest = range
                .greatest
                .map_or(String::new(), |number| format!(" <= {number}"));
            writeln!(formatter, "recorded {least}{}{greatest}", range.symbol)?;
        }
        for integer in &self.recorded.integers {
            writeln!(
                formatter,
                "recorded {} = {}",
                self.name(integer.value),
                integer.size
            )?;
        }
        for guard in &self.recorded.guards {
            writeln!(formatter, "recorded {guard}")?;
        }
        for &branch in &self.recorded.branches {
            writeln!(formatter, "recorded branch {}", self[branch].name())?;
        }
        Ok(())
    }
}

impl Graph {
    fn name(&self, id: ValueId) -> &str {
        &self[id].name
    }
}

/// A part of a graph with the graph, which knows the names of its values.
struct InGraph<'a, T>(&'a Graph, &'a T);

impl Display for InGraph<'_, Node> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(graph, node) = *self;
        let names: Vec<_> = node
            .outputs
            .iter()
            .map(|output| output.map_or("_", |id| graph.name(id)))
            .collect();
        let names = names.join(", ");
        if names != node.name() {
            write!(formatter, "{}: ", node.name())?;
        }
        if !names.is_empty() {
            write!(formatter, "{names} = ")?;
        }
        write!(formatter, "{}(", node.operator)?;
        let mut separator = "";
        for argument in &node.arguments {
            write!(formatter, "{separator}{}", InGraph(graph, argument))?;
            separator = ", ";
        }
        for (name, argument) in node.keywords.iter().chain(&node.attributes) {
            write!(formatter, "{separator}{name}={}", InGraph(graph, argument))?;
            separator = ", ";
        }
        formatter.write_char(')')?;
        if let Some(module) = &node.place.module
            && !module.path.is_empty()
        {
            write!(formatter, "  # {}", module.path)?;
        }
        if let Some(source) = &node.place.source {
            write!(formatter, "  # {}:{}", source.file, source.line)?;
        }
        Ok(())
    }
}

impl Display for InGraph<'_, Argument> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(graph, argument) = *self;
        let list = |formatter: &mut Formatter<'_>, elements: &[Argument]| {
            for (position, element) in elements.iter().enumerate() {
                let separator = if position == 0 { "" } else { "," };
                write!(formatter, "{separator}{}", InGraph(graph, element))?;
            }
            Ok(())
        };
        match argument {
            Argument::None => formatter.write_str("None"),
            Argument::Value(id) => formatter.write_str(graph.name(*id)),
            Argument::Constant(id) => match &graph[*id].data {
                Data::Integers(values) if graph[*id].sizes.len() <= 1 && values.len() <= SHOWN => {
                    write!(formatter, "{values:?}")
                }
                _ => write!(
                    formatter,
                    "constant {}{:?}",
                    element(graph[*id].element),
                    graph[*id].sizes
                ),
            },
            Argument::Body(id) => write!(formatter, "body {}", id.0),
            Argument::Bool(truth) => write!(formatter, "{truth}"),
            Argument::Int(number) => write!(formatter, "{number}"),
            Argument::Float(number) => write!(formatter, "{number:?}"),
            Argument::String(text) => write!(formatter, "{text:?}"),
            Argument::ElementType(element) => write!(formatter, "{element}"),
            Argument::List(elements) => {
                formatter.write_char('[')?;
                list(formatter, elements)?;
                formatter.write_char(']')
            }
            Argument::Tuple(elements) => {
                formatter.write_char('(')?;
                list(formatter, elements)?;
                formatter.write_char(')')
            }
            Argument::Dictionary(entries) => {
                formatter.write_char('{')?;
                for (position, (key, entry)) in entries.iter().enumerate() {
                    let separator = if position == 0 { "" } else { "," };
                    write!(formatter, "{separator}{key:?}:{}", InGraph(graph, entry))?;
                }
                formatter.write_char('}')
            }
            Argument::Slice(parts) => {
                formatter.write_str("slice(")?;
                list(formatter, &parts[..])?;
                formatter.write_char(')')
            }
            Argument::Ellipsis => formatter.write_str("..."),
            Argument::Opaque(text) => formatter.write_str(text),
        }
    }
}

/// The number of values of a constant that a line shows.
const SHOWN: usize = 16;

fn element(element: Option<crate::ElementType>) -> &'static str {
    element.map_or("?", crate::ElementType::name)
}

impl Display for Type {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => formatter.write_str("any"),
            Self::Tensor {
                element: kind,
                sizes,
            } => {
                formatter.write_str(element(*kind))?;
                let Some(sizes) = sizes else {
                    return formatter.write_str("[...]");
                };
                formatter.write_char('[')?;
                for (position, size) in sizes.iter().enumerate() {
                    let separator = if position == 0 { "" } else { "," };
                    write!(formatter, "{separator}{size}")?;
                }
                formatter.write_char(']')
            }
            Self::Integer => formatter.write_str("integer"),
            Self::Float => formatter.write_str("float"),
            Self::Boolean => formatter.write_str("boolean"),
            Self::Other(name) => formatter.write_str(name),
        }
    }
}

impl Display for DeclaredSize {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(size) => write!(formatter, "{size}"),
            Self::Named(text) | Self::Expression(text) => formatter.write_str(text),
            Self::Free => formatter.write_char('·'),
        }
    }
}
