//! The attributes of nodes.

use std::collections::HashMap;

use bytes::Bytes;
use lozenge_graph_vocabulary::{Argument, BodyId, ConstantId, GraphBuilder};

use super::generated::AttributeProto;
use super::generated::attribute_proto::AttributeType;
use super::source::Source;
use super::tensor;
use crate::error::quoted;
use crate::{Limits, ModelError};

/// The part of a reader that attributes need.
pub(super) struct Attributes {
    /// The constants that were read, by the place of their bytes. A function that is used a hundred times has its
    /// constants once.
    constants: HashMap<u64, ConstantId>,
}

/// An attribute that was read.
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) content: Content,
}

/// The content of an attribute.
pub(super) enum Content {
    /// An argument.
    Argument(Argument),
    /// The name of an attribute of the function around the node.
    OfFunction(String),
}

/// A body that is still to be read, and its bytes.
pub(super) type Waiting = (BodyId, Bytes);

/// The place where attributes are read: the body of their node, which is around the bodies that they hold.
pub(super) struct Site<'a> {
    pub(super) source: &'a Source,
    pub(super) limits: &'a Limits,
    pub(super) builder: &'a mut GraphBuilder,
    pub(super) body: BodyId,
    pub(super) waiting: &'a mut Vec<Waiting>,
}

impl Attributes {
    pub(super) fn new() -> Self {
        Self {
            constants: HashMap::new(),
        }
    }

    /// Reads an attribute. Bodies in it are only announced.
    pub(super) fn read(
        &mut self,
        part: &Bytes,
        site: &mut Site<'_>,
    ) -> Result<Attribute, ModelError> {
        let written: AttributeProto = site.source.decode(part, "an attribute")?;
        let name = written.name().to_string();
        if let Some(outer) = &written.ref_attr_name
            && !outer.is_empty()
        {
            let content = Content::OfFunction(outer.clone());
            return Ok(Attribute { name, content });
        }
        let argument = self.argument(written, site).map_err(|mut error| {
            error.message = format!("attribute {}: {}", quoted(&name), error.message);
            error
        })?;
        let content = Content::Argument(argument);
        Ok(Attribute { name, content })
    }

    fn argument(
        &mut self,
        written: AttributeProto,
        site: &mut Site<'_>,
    ) -> Result<Argument, ModelError> {
        let ints = |list: &[i64]| list.iter().map(|&number| Argument::Int(number)).collect();
        let floats = |list: &[f32]| {
            list.iter()
                .map(|&number| Argument::Float(f64::from(number)))
                .collect()
        };
        let strings = |list: &[Bytes]| {
            list.iter()
                .map(|bytes| Argument::String(text(bytes)))
                .collect()
        };
        let entries = [
            written.ints.len(),
            written.floats.len(),
            written.strings.len(),
            written.tensors.len(),
            written.graphs.len(),
        ];
        site.limits
            .check_entries(entries.into_iter().max().unwrap_or(0), "the list")?;
        Ok(match kind(&written) {
            AttributeType::Float => Argument::Float(f64::from(written.f())),
            AttributeType::Int => Argument::Int(written.i()),
            AttributeType::String => Argument::String(text(written.s())),
            AttributeType::Tensor => self.constant(&written.t.unwrap_or_default(), site)?,
            AttributeType::Graph => body(&written.g.unwrap_or_default(), site),
            AttributeType::Floats => Argument::List(floats(&written.floats)),
            AttributeType::Ints => Argument::List(ints(&written.ints)),
            AttributeType::Strings => Argument::List(strings(&written.strings)),
            AttributeType::Tensors => {
                let tensors = written.tensors.iter();
                Argument::List(
                    tensors
                        .map(|part| self.constant(part, site))
                        .collect::<Result<_, _>>()?,
                )
            }
            AttributeType::Graphs => {
                let graphs = written.graphs.iter();
                Argument::List(graphs.map(|part| body(part, site)).collect())
            }
            AttributeType::SparseTensor => {
                let constant = tensor::sparse(
                    site.source,
                    &written.sparse_tensor.unwrap_or_default(),
                    site.limits,
                )?;
                Argument::Constant(site.builder.constant(constant))
            }
            AttributeType::SparseTensors => Argument::Opaque("sparse tensors".to_string()),
            AttributeType::TypeProto | AttributeType::TypeProtos => {
                Argument::Opaque("type".to_string())
            }
            AttributeType::Undefined => {
                let message = "it has no type that is known";
                return Err(ModelError::new(message));
            }
        })
    }

    fn constant(&mut self, part: &Bytes, site: &mut Site<'_>) -> Result<Argument, ModelError> {
        let place = site.source.range(part).map(|range| range.start);
        if let Some(id) = place.and_then(|place| self.constants.get(&place)) {
            return Ok(Argument::Constant(*id));
        }
        let constant = tensor::constant(site.source, part, site.limits)?;
        let id = site.builder.constant(constant);
        if let Some(place) = place {
            self.constants.insert(place, id);
        }
        Ok(Argument::Constant(id))
    }
}

/// Announces a body.
fn body(part: &Bytes, site: &mut Site<'_>) -> Argument {
    let id = site.builder.body("", site.body);
    site.waiting.push((id, part.clone()));
    Argument::Body(id)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Gives the type of an attribute. Files of the first version leave it out, and one field is set.
fn kind(written: &AttributeProto) -> AttributeType {
    if written.r#type.is_some_and(|kind| kind != 0) {
        return written.r#type();
    }
    let set = [
        (written.f.is_some(), AttributeType::Float),
        (written.i.is_some(), AttributeType::Int),
        (written.s.is_some(), AttributeType::String),
        (written.t.is_some(), AttributeType::Tensor),
        (written.g.is_some(), AttributeType::Graph),
        (!written.floats.is_empty(), AttributeType::Floats),
        (!written.strings.is_empty(), AttributeType::Strings),
        (!written.tensors.is_empty(), AttributeType::Tensors),
        (!written.graphs.is_empty(), AttributeType::Graphs),
    ];
    let found = set.into_iter().find(|(is_set, _)| *is_set);
    // An empty list leaves no trace, and most lists are of integers.
    found.map_or(AttributeType::Ints, |(_, kind)| kind)
}
