//! The types of the elements of tensors.

use std::fmt;

use serde::Serialize;

/// The type of the elements of a tensor. The list is that of ONNX, which holds all of PyTorch's that its export format
/// has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names of the types of ONNX and PyTorch")]
pub enum ElementType {
    Bool,
    Int2,
    Int4,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint2,
    Uint4,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Float4e2m1,
    Float6e2m3,
    Float6e3m2,
    Float8e4m3fn,
    Float8e4m3fnuz,
    Float8e5m2,
    Float8e5m2fnuz,
    Float8e8m0,
    Float16,
    Bfloat16,
    Float32,
    Float64,
    Complex64,
    Complex128,
    String,
}

impl ElementType {
    /// Tells whether the elements are integers. Booleans are not.
    pub fn is_integer(self) -> bool {
        (Self::Int2..=Self::Uint64).contains(&self)
    }

    /// Tells whether the elements are real numbers in a floating point format.
    pub fn is_float(self) -> bool {
        (Self::Float4e2m1..=Self::Float64).contains(&self)
    }

    /// Gives the name, in lower case: `float32`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int2 => "int2",
            Self::Int4 => "int4",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint2 => "uint2",
            Self::Uint4 => "uint4",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Float4e2m1 => "float4e2m1",
            Self::Float6e2m3 => "float6e2m3",
            Self::Float6e3m2 => "float6e3m2",
            Self::Float8e4m3fn => "float8e4m3fn",
            Self::Float8e4m3fnuz => "float8e4m3fnuz",
            Self::Float8e5m2 => "float8e5m2",
            Self::Float8e5m2fnuz => "float8e5m2fnuz",
            Self::Float8e8m0 => "float8e8m0",
            Self::Float16 => "float16",
            Self::Bfloat16 => "bfloat16",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Complex64 => "complex64",
            Self::Complex128 => "complex128",
            Self::String => "string",
        }
    }

    /// Gives the number of bits that one element takes in memory, or nothing for strings, whose elements differ.
    pub fn bits(self) -> Option<u32> {
        Some(match self {
            Self::Int2 | Self::Uint2 => 2,
            Self::Int4 | Self::Uint4 | Self::Float4e2m1 => 4,
            Self::Float6e2m3 | Self::Float6e3m2 => 6,
            Self::Bool | Self::Int8 | Self::Uint8 => 8,
            Self::Float8e4m3fn | Self::Float8e4m3fnuz | Self::Float8e5m2 => 8,
            Self::Float8e5m2fnuz | Self::Float8e8m0 => 8,
            Self::Int16 | Self::Uint16 | Self::Float16 | Self::Bfloat16 => 16,
            Self::Int32 | Self::Uint32 | Self::Float32 => 32,
            Self::Int64 | Self::Uint64 | Self::Float64 | Self::Complex64 => 64,
            Self::Complex128 => 128,
            Self::String => return None,
        })
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
