//! The precision of numbers.

use std::fmt;

/// A format of floating-point numbers (IEEE 754).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// A float of 32 bits.
    #[default]
    F32,
    /// A float of 64 bits.
    F64,
}

impl Precision {
    /// The precisions, the narrower one first.
    pub const ALL: [Precision; 2] = [Precision::F32, Precision::F64];

    /// Returns the word for the precision.
    pub fn word(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }

    /// Returns the number of bytes of a number.
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
