//! The precision of numbers: in which one a device stores tensors, and in which one it computes sums.

use std::fmt;

use crate::device::Numerics;
use crate::loop_nest::LoopNest;

/// A format of floating-point numbers (IEEE 754).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// 32 bits.
    #[default]
    F32,
    /// 64 bits.
    F64,
}

impl Precision {
    /// Both, the narrower one first.
    pub const ALL: [Precision; 2] = [Precision::F32, Precision::F64];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }

    /// How many bytes a number has.
    pub fn bytes(self) -> u64 {
        match self {
            Precision::F32 => 4,
            Precision::F64 => 8,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How a device computes.
///
/// The values of a cell that an operation adds up are computed and added in the precision of sums, if that is the wider one: the
/// operands are widened, and the sum is rounded once, when it is stored. Every other operation is computed in the precision of
/// the tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// In which order values are combined, and where they are rounded.
    pub numerics: Numerics,
    /// The precision of the values of all tensors.
    pub tensors: Precision,
    /// The precision of sums, unless the tensors have a wider one.
    pub sums: Precision,
}

impl From<Numerics> for Arithmetic {
    /// These rules for rounding, in 32 bits.
    fn from(numerics: Numerics) -> Arithmetic {
        Arithmetic {
            numerics,
            ..Arithmetic::default()
        }
    }
}

impl Arithmetic {
    /// The precision in which an operation is computed.
    pub fn precision(&self, nest: &LoopNest) -> Precision {
        match nest.adds_up() {
            true => self.tensors.max(self.sums),
            false => self.tensors,
        }
    }

    /// The widest precision of an operation.
    pub fn widest(&self) -> Precision {
        self.tensors.max(self.sums)
    }
}
