//! The types that a file declares.

use lozenge_graph_vocabulary::{DeclaredSize, ElementType, Type};

use super::generated::tensor_proto::DataType;
use super::generated::tensor_shape_proto::dimension::Value as Size;
use super::generated::type_proto::Value as Kind;
use super::generated::{TensorShapeProto, TypeProto};
use crate::{Limits, ModelError};

/// Gives the type that a file declares.
pub(super) fn declared(written: Option<TypeProto>, limits: &Limits) -> Result<Type, ModelError> {
    let Some(kind) = written.and_then(|written| written.value) else {
        return Ok(Type::Any);
    };
    match kind {
        Kind::TensorType(tensor) => {
            let element = tensor.elem_type.and_then(element);
            let sizes = tensor.shape.map(|shape| sizes(shape, limits)).transpose()?;
            Ok(Type::Tensor { element, sizes })
        }
        other => Ok(Type::Other(name(other))),
    }
}

fn sizes(shape: TensorShapeProto, limits: &Limits) -> Result<Vec<DeclaredSize>, ModelError> {
    limits.check_entries(shape.dim.len(), "the declared shape")?;
    let sizes = shape.dim.into_iter().enumerate();
    sizes
        .map(|(axis, size)| match size.value {
            // Some exporters write -1 for a size that is free, others a question mark as its name.
            None | Some(Size::DimValue(-1)) => Ok(DeclaredSize::Free),
            Some(Size::DimParam(name)) if name.is_empty() || name == "?" => Ok(DeclaredSize::Free),
            Some(Size::DimParam(name)) => Ok(DeclaredSize::Named(name)),
            Some(Size::DimValue(size)) => {
                u64::try_from(size).map(DeclaredSize::Known).map_err(|_| {
                    ModelError::new(format!(
                        "the declared size of axis {axis} is {size}, which is below 0"
                    ))
                })
            }
        })
        .collect()
}

/// Gives the type of elements of a number in a file, or nothing if it is none that is known.
pub(super) fn element(written: i32) -> Option<ElementType> {
    Some(match DataType::try_from(written).ok()? {
        DataType::Undefined => return None,
        DataType::Float => ElementType::Float32,
        DataType::Uint8 => ElementType::Uint8,
        DataType::Int8 => ElementType::Int8,
        DataType::Uint16 => ElementType::Uint16,
        DataType::Int16 => ElementType::Int16,
        DataType::Int32 => ElementType::Int32,
        DataType::Int64 => ElementType::Int64,
        DataType::String => ElementType::String,
        DataType::Bool => ElementType::Bool,
        DataType::Float16 => ElementType::Float16,
        DataType::Double => ElementType::Float64,
        DataType::Uint32 => ElementType::Uint32,
        DataType::Uint64 => ElementType::Uint64,
        DataType::Complex64 => ElementType::Complex64,
        DataType::Complex128 => ElementType::Complex128,
        DataType::Bfloat16 => ElementType::Bfloat16,
        DataType::Float8e4m3fn => ElementType::Float8e4m3fn,
        DataType::Float8e4m3fnuz => ElementType::Float8e4m3fnuz,
        DataType::Float8e5m2 => ElementType::Float8e5m2,
        DataType::Float8e5m2fnuz => ElementType::Float8e5m2fnuz,
        DataType::Uint4 => ElementType::Uint4,
        DataType::Int4 => ElementType::Int4,
        DataType::Float4e2m1 => ElementType::Float4e2m1,
        DataType::Float8e8m0 => ElementType::Float8e8m0,
        DataType::Uint2 => ElementType::Uint2,
        DataType::Int2 => ElementType::Int2,
        DataType::Float6e2m3 => ElementType::Float6e2m3,
        DataType::Float6e3m2 => ElementType::Float6e3m2,
    })
}

/// Names a type that is no tensor: `sequence(tensor(float32))`. Types nest a hundred levels at most, since deeper ones
/// are not decoded.
fn name(kind: Kind) -> String {
    let mut open = 0;
    let mut text = String::new();
    let mut kind = Some(kind);
    while let Some(current) = kind.take() {
        let (word, inner) = match current {
            Kind::TensorType(tensor) => {
                let element = tensor.elem_type.and_then(element);
                text.push_str("tensor(");
                text.push_str(element.map_or("?", ElementType::name));
                open += 1;
                break;
            }
            Kind::SequenceType(sequence) => ("sequence(", sequence.elem_type),
            Kind::OptionalType(optional) => ("optional(", optional.elem_type),
            Kind::MapType(map) => ("map(", map.value_type),
            Kind::SparseTensorType(_) => ("sparse_tensor(", None),
            Kind::OpaqueType(_) => ("opaque(", None),
        };
        text.push_str(word);
        open += 1;
        kind = inner.and_then(|inner| inner.value);
    }
    text.extend(std::iter::repeat_n(')', open));
    text
}
