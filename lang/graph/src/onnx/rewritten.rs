//! ONNX with the branch that is taken in place of each decided `If`.
//!
//! The file is copied field by field, so that what no reader looks at stays as well.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::{Buf, Bytes};
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint, encode_key, encode_varint};

use super::generated::{AttributeProto, NodeProto, ValueInfoProto};
use crate::content::Rewritten;
use crate::{Limits, ModelError};

/// The numbers of fields.
mod tag {
    pub const MODEL_GRAPH: u32 = 7;
    pub const MODEL_FUNCTION: u32 = 25;
    pub const FUNCTION_NODE: u32 = 7;
    pub const GRAPH_NODE: u32 = 1;
    pub const GRAPH_INITIALIZER: u32 = 5;
    pub const GRAPH_OUTPUT: u32 = 12;
    pub const GRAPH_SPARSE_INITIALIZER: u32 = 15;
    pub const NODE_INPUT: u32 = 1;
    pub const NODE_OUTPUT: u32 = 2;
    pub const NODE_NAME: u32 = 3;
    pub const NODE_ATTRIBUTE: u32 = 5;
    pub const ATTRIBUTE_GRAPH: u32 = 6;
    pub const ATTRIBUTE_GRAPHS: u32 = 11;
    pub const TENSOR_NAME: u32 = 8;
    pub const SPARSE_VALUES: u32 = 1;
}

/// A field: its number, and its content where it is bytes; otherwise the whole field as it stands.
#[derive(Clone)]
struct Field {
    number: u32,
    content: Option<Bytes>,
    whole: Bytes,
}

/// Puts the nodes of the branch that is taken in place of decided `If`s, in the graph and in the bodies of its nodes.
/// An `If` in a function is left alone, for one use of the function may decide it and another one not.
pub(crate) fn with_decided(
    content: &[u8],
    decided: &BTreeMap<String, bool>,
    limits: &Limits,
) -> Result<Rewritten, ModelError> {
    let model = fields(&Bytes::copy_from_slice(content))?;
    let mut writer = Writer {
        decided,
        limits,
        names: HashMap::new(),
        replaced: 0,
    };
    for field in &model {
        let (nodes, content) = match (field.number, &field.content) {
            (tag::MODEL_GRAPH, Some(content)) => (tag::GRAPH_NODE, content),
            (tag::MODEL_FUNCTION, Some(content)) => (tag::FUNCTION_NODE, content),
            _ => continue,
        };
        writer.count(content, nodes, 0)?;
    }
    let mut written = Vec::with_capacity(content.len());
    for field in model {
        match (field.number, &field.content) {
            (tag::MODEL_GRAPH, Some(graph)) => {
                let graph = writer.graph(graph, 0)?;
                push(&mut written, tag::MODEL_GRAPH, &graph);
            }
            _ => written.extend_from_slice(&field.whole),
        }
    }
    Ok(Rewritten {
        content: written,
        replaced: writer.replaced,
    })
}

/// The text that is being written, with the decided branches.
struct Writer<'a> {
    decided: &'a BTreeMap<String, bool>,
    limits: &'a Limits,
    /// The number of `If`s that have a name.
    names: HashMap<String, usize>,
    replaced: usize,
}

impl Writer<'_> {
    /// Counts the names of all `If`s in nodes, those of functions and bodies too. The depth is bounded by the limit on
    /// levels.
    fn count(&mut self, content: &Bytes, nodes: u32, level: u32) -> Result<(), ModelError> {
        self.limits.check_level(level)?;
        for field in fields(content)?
            .into_iter()
            .filter(|field| field.number == nodes)
        {
            let Some(content) = field.content else {
                continue;
            };
            let node = decoded::<NodeProto>(&content)?;
            if node.op_type() == "If" {
                *self.names.entry(name(&node).to_owned()).or_default() += 1;
            }
            for attribute in &node.attribute {
                for graph in bodies(attribute)? {
                    self.count(&graph, tag::GRAPH_NODE, level + 1)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a graph. The values that the taken branches bring along become its own.
    fn graph(&mut self, content: &Bytes, level: u32) -> Result<Vec<u8>, ModelError> {
        self.limits.check_level(level)?;
        let mut written = Vec::with_capacity(content.len());
        for field in fields(content)? {
            match (field.number, &field.content) {
                (tag::GRAPH_NODE, Some(node)) => self.node(node, level, &mut written)?,
                _ => written.extend_from_slice(&field.whole),
            }
        }
        Ok(written)
    }

    /// Writes a node as fields of its graph, or the nodes and constants of the branch that is taken.
    fn node(
        &mut self,
        content: &Bytes,
        level: u32,
        written: &mut Vec<u8>,
    ) -> Result<(), ModelError> {
        let node = decoded::<NodeProto>(content)?;
        let taken = self.taken(&node);
        let mut branch = None;
        let mut copy = Vec::with_capacity(content.len());
        for field in fields(content)? {
            let Some(attribute) = field
                .content
                .as_ref()
                .filter(|_| field.number == tag::NODE_ATTRIBUTE)
            else {
                copy.extend_from_slice(&field.whole);
                continue;
            };
            let is_taken =
                taken.is_some() && taken == decoded::<AttributeProto>(attribute)?.name.as_deref();
            if is_taken {
                branch = bodies(attribute)?.pop();
            }
            let attribute = self.attribute(attribute, level, taken.is_some())?;
            push(&mut copy, tag::NODE_ATTRIBUTE, &attribute);
        }
        match branch {
            Some(branch) => {
                self.replaced += 1;
                let branch = Bytes::from(self.graph(&branch, level + 1)?);
                inline(&node, &branch, written)
            }
            None => {
                push(written, tag::GRAPH_NODE, &copy);
                Ok(())
            }
        }
    }

    /// Returns the name of the attribute with the branch that an `If` takes, if that is decided.
    fn taken(&self, node: &NodeProto) -> Option<&'static str> {
        let is_one = node.op_type() == "If" && self.names.get(name(node)) == Some(&1);
        let value = self.decided.get(name(node)).filter(|_| is_one)?;
        Some(if *value { "then_branch" } else { "else_branch" })
    }

    /// Writes an attribute with its bodies. The branches of an `If` that goes are not looked at.
    fn attribute(
        &mut self,
        content: &Bytes,
        level: u32,
        goes: bool,
    ) -> Result<Vec<u8>, ModelError> {
        let mut written = Vec::with_capacity(content.len());
        for field in fields(content)? {
            match (field.number, &field.content) {
                (tag::ATTRIBUTE_GRAPH | tag::ATTRIBUTE_GRAPHS, Some(graph)) if !goes => {
                    let graph = self.graph(graph, level + 1)?;
                    push(&mut written, field.number, &graph);
                }
                _ => written.extend_from_slice(&field.whole),
            }
        }
        Ok(written)
    }
}

/// Writes the nodes and constants of a branch as fields of the graph around it. The values that the branch makes get
/// names that no other value has, and the outputs of the `If` are copies of them.
fn inline(node: &NodeProto, branch: &Bytes, written: &mut Vec<u8>) -> Result<(), ModelError> {
    let all = fields(branch)?;
    let mut own: BTreeSet<String> = BTreeSet::new();
    let mut outputs = Vec::new();
    for field in &all {
        let Some(content) = &field.content else {
            continue;
        };
        match field.number {
            tag::GRAPH_NODE => own.extend(decoded::<NodeProto>(content)?.output),
            tag::GRAPH_INITIALIZER => own.extend(constant_name(content)?),
            tag::GRAPH_SPARSE_INITIALIZER => own.extend(sparse_name(content)?),
            tag::GRAPH_OUTPUT => {
                outputs.push(decoded::<ValueInfoProto>(content)?.name().to_owned())
            }
            _ => {}
        }
    }
    own.remove("");
    let prefix = name(node).to_owned();
    let rename = |value: &str| match own.contains(value) {
        true => format!("{prefix}/branch/{value}"),
        false => value.to_owned(),
    };
    for field in &all {
        let Some(content) = &field.content else {
            continue;
        };
        let renamed = match field.number {
            tag::GRAPH_NODE => renamed_node(content, &rename, &prefix)?,
            tag::GRAPH_INITIALIZER => renamed_constant(content, &rename)?,
            tag::GRAPH_SPARSE_INITIALIZER => renamed_sparse(content, &rename)?,
            _ => continue,
        };
        push(written, field.number, &renamed);
    }
    for (output, inner) in node.output.iter().zip(&outputs) {
        if output.is_empty() {
            continue;
        }
        let copy = NodeProto {
            input: vec![rename(inner)],
            output: vec![output.clone()],
            name: Some(format!("{prefix}/{output}")),
            op_type: Some("Identity".to_owned()),
            ..NodeProto::default()
        };
        push(written, tag::GRAPH_NODE, &copy.encode_to_vec());
    }
    Ok(())
}

/// Returns a node whose values have other names, in its bodies too. Its own name gets that of the `If` in front.
fn renamed_node(
    content: &Bytes,
    rename: &dyn Fn(&str) -> String,
    prefix: &str,
) -> Result<Vec<u8>, ModelError> {
    let mut written = Vec::with_capacity(content.len());
    for field in fields(content)? {
        match (field.number, &field.content) {
            (tag::NODE_INPUT | tag::NODE_OUTPUT, Some(value)) => {
                push(&mut written, field.number, rename(text(value)?).as_bytes());
            }
            (tag::NODE_NAME, Some(own)) if !own.is_empty() && !prefix.is_empty() => {
                push(
                    &mut written,
                    tag::NODE_NAME,
                    format!("{prefix}/{}", text(own)?).as_bytes(),
                );
            }
            (tag::NODE_ATTRIBUTE, Some(attribute)) => {
                let attribute = renamed_bodies(attribute, rename)?;
                push(&mut written, tag::NODE_ATTRIBUTE, &attribute);
            }
            _ => written.extend_from_slice(&field.whole),
        }
    }
    Ok(written)
}

/// Returns an attribute in whose bodies values have other names. No body may give a name of its own that is one around
/// it, so names mean the same everywhere.
fn renamed_bodies(content: &Bytes, rename: &dyn Fn(&str) -> String) -> Result<Vec<u8>, ModelError> {
    let mut written = Vec::with_capacity(content.len());
    for field in fields(content)? {
        let graph = match (field.number, &field.content) {
            (tag::ATTRIBUTE_GRAPH | tag::ATTRIBUTE_GRAPHS, Some(graph)) => graph,
            _ => {
                written.extend_from_slice(&field.whole);
                continue;
            }
        };
        let mut body = Vec::with_capacity(graph.len());
        for part in fields(graph)? {
            match (part.number, &part.content) {
                (tag::GRAPH_NODE, Some(node)) => {
                    push(&mut body, tag::GRAPH_NODE, &renamed_node(node, rename, "")?);
                }
                (tag::GRAPH_OUTPUT, Some(output)) => {
                    let mut output = decoded::<ValueInfoProto>(output)?;
                    output.name = Some(rename(output.name()));
                    push(&mut body, tag::GRAPH_OUTPUT, &output.encode_to_vec());
                }
                _ => body.extend_from_slice(&part.whole),
            }
        }
        push(&mut written, field.number, &body);
    }
    Ok(written)
}

fn renamed_constant(
    content: &Bytes,
    rename: &dyn Fn(&str) -> String,
) -> Result<Vec<u8>, ModelError> {
    let mut written = Vec::with_capacity(content.len());
    for field in fields(content)? {
        match (field.number, &field.content) {
            (tag::TENSOR_NAME, Some(name)) => {
                push(
                    &mut written,
                    tag::TENSOR_NAME,
                    rename(text(name)?).as_bytes(),
                );
            }
            _ => written.extend_from_slice(&field.whole),
        }
    }
    Ok(written)
}

fn renamed_sparse(content: &Bytes, rename: &dyn Fn(&str) -> String) -> Result<Vec<u8>, ModelError> {
    let mut written = Vec::with_capacity(content.len());
    for field in fields(content)? {
        match (field.number, &field.content) {
            (tag::SPARSE_VALUES, Some(values)) => {
                push(
                    &mut written,
                    tag::SPARSE_VALUES,
                    &renamed_constant(values, rename)?,
                );
            }
            _ => written.extend_from_slice(&field.whole),
        }
    }
    Ok(written)
}

fn constant_name(content: &Bytes) -> Result<Option<String>, ModelError> {
    let name = fields(content)?
        .into_iter()
        .find(|field| field.number == tag::TENSOR_NAME);
    name.and_then(|name| name.content)
        .map(|name| text(&name).map(str::to_owned))
        .transpose()
}

fn sparse_name(content: &Bytes) -> Result<Option<String>, ModelError> {
    let values = fields(content)?
        .into_iter()
        .find(|field| field.number == tag::SPARSE_VALUES);
    match values.and_then(|values| values.content) {
        Some(values) => constant_name(&values),
        None => Ok(None),
    }
}

/// Returns the bodies that an attribute holds.
fn bodies(attribute: &Bytes) -> Result<Vec<Bytes>, ModelError> {
    let is_body =
        |field: &Field| matches!(field.number, tag::ATTRIBUTE_GRAPH | tag::ATTRIBUTE_GRAPHS);
    let found = fields(attribute)?.into_iter().filter(is_body);
    Ok(found.filter_map(|field| field.content).collect())
}

/// Returns the name of a node as the reader gives it: the file's, or that of its first output.
fn name(node: &NodeProto) -> &str {
    let outputs = node.output.iter().map(String::as_str);
    let names = [node.name()].into_iter().chain(outputs);
    names
        .into_iter()
        .find(|name| !name.is_empty())
        .unwrap_or("If")
}

fn text(bytes: &Bytes) -> Result<&str, ModelError> {
    std::str::from_utf8(bytes).map_err(|_| damaged())
}

fn decoded<M: Message + Default>(content: &Bytes) -> Result<M, ModelError> {
    M::decode(content.clone()).map_err(|_| damaged())
}

fn damaged() -> ModelError {
    ModelError::new("the file is damaged: a field does not end where it says")
}

/// Writes a field that is bytes.
fn push(written: &mut Vec<u8>, number: u32, content: &[u8]) {
    encode_key(number, WireType::LengthDelimited, written);
    encode_varint(content.len() as u64, written);
    written.extend_from_slice(content);
}

/// Returns the fields of a message, in order.
fn fields(content: &Bytes) -> Result<Vec<Field>, ModelError> {
    let mut rest = content.clone();
    let mut found = Vec::new();
    while rest.has_remaining() {
        let start = content.len() - rest.len();
        let (number, kind) = decode_key(&mut rest).map_err(|_| damaged())?;
        let length = match kind {
            WireType::Varint => {
                decode_varint(&mut rest).map_err(|_| damaged())?;
                0
            }
            WireType::ThirtyTwoBit => 4,
            WireType::SixtyFourBit => 8,
            WireType::LengthDelimited => decode_varint(&mut rest).map_err(|_| damaged())?,
            WireType::StartGroup | WireType::EndGroup => return Err(damaged()),
        };
        let length = usize::try_from(length).map_err(|_| damaged())?;
        if length > rest.len() {
            return Err(damaged());
        }
        let inner = rest.split_to(length);
        let end = content.len() - rest.len();
        found.push(Field {
            number,
            content: (kind == WireType::LengthDelimited).then_some(inner),
            whole: content.slice(start..end),
        });
    }
    Ok(found)
}
