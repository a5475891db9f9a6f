//! The functions that a file defines, which are inlined where they are used.

use std::collections::HashMap;
use std::rc::Rc;

use bytes::Bytes;

use super::generated::{AttributeProto, FunctionProto, OperatorSetIdProto, ValueInfoProto};
use super::source::Source;
use super::{domain, types};
use crate::error::quoted;
use crate::{Limits, ModelError};
use lozenge_graph_vocabulary::Type;

/// The versions of operator sets, by domain.
pub(super) type Versions = HashMap<String, i64>;

/// A function.
pub(super) struct Function {
    /// The name with its domain, for messages.
    pub(super) name: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    /// The nodes, encoded.
    pub(super) nodes: Rc<Vec<Bytes>>,
    /// The attributes that have a value unless a use gives another one, by name.
    pub(super) defaults: Vec<(String, Bytes)>,
    pub(super) versions: Rc<Versions>,
    pub(super) declared: Vec<(String, Type)>,
    /// The bytes of the function in the file.
    pub(super) bytes: u64,
}

/// The functions of a file.
pub(super) struct Functions {
    list: Vec<Function>,
    places: HashMap<(String, String, String), usize>,
}

impl Functions {
    pub(super) fn read(
        source: &Source,
        parts: &[Bytes],
        limits: &Limits,
    ) -> Result<Self, ModelError> {
        let mut functions = Self {
            list: Vec::new(),
            places: HashMap::new(),
        };
        limits.check_nodes(parts.len() as u64)?;
        for part in parts {
            let written: FunctionProto = source.decode(part, "a function")?;
            let domain = domain(written.domain()).to_string();
            let key = (
                domain,
                written.name().to_string(),
                written.overload().to_string(),
            );
            let name = format!("{}.{}", key.0, key.1);
            if functions.places.insert(key, functions.list.len()).is_some() {
                return Err(ModelError::new(format!(
                    "function {} is defined twice",
                    quoted(&name)
                )));
            }
            let function = Function::new(name, written, part.len() as u64, source, limits)?;
            functions.list.push(function);
        }
        Ok(functions)
    }

    /// Finds the function that an operator is.
    pub(super) fn find(&self, domain: &str, name: &str, overload: &str) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let key = (domain.to_string(), name.to_string(), overload.to_string());
        self.places.get(&key).copied()
    }

    pub(super) fn get(&self, place: usize) -> &Function {
        &self.list[place]
    }
}

impl Function {
    fn new(
        name: String,
        written: FunctionProto,
        bytes: u64,
        source: &Source,
        limits: &Limits,
    ) -> Result<Self, ModelError> {
        limits.check_nodes(written.node.len() as u64)?;
        let defaults = written.attribute_proto.iter().map(|part| {
            let attribute: AttributeProto = source.decode(part, "an attribute")?;
            Ok((attribute.name().to_string(), part.clone()))
        });
        let declared = written.value_info.iter().map(|part| {
            let value: ValueInfoProto = source.decode(part, "a declared value")?;
            Ok((
                value.name().to_string(),
                types::declared(value.r#type, limits)?,
            ))
        });
        Ok(Self {
            name,
            defaults: defaults.collect::<Result<_, ModelError>>()?,
            declared: declared.collect::<Result<_, ModelError>>()?,
            versions: Rc::new(versions(&written.opset_import)),
            inputs: written.input,
            outputs: written.output,
            nodes: Rc::new(written.node),
            bytes,
        })
    }
}

/// Gives the versions of the operator sets that a model or a function imports.
pub(super) fn versions(imports: &[OperatorSetIdProto]) -> Versions {
    let imports = imports.iter();
    imports
        .map(|import| (domain(import.domain()).to_string(), import.version()))
        .collect()
}
