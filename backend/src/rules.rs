//! The rules by which a device computes: in which order it combines values, where it rounds, and in which precision it
//! stores tensors and computes sums.

use crate::loop_nest::LoopNest;
use crate::precision::Precision;

/// The differences that the numbers of a device may have from those of the interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numerics {
    /// Differences only in the last digits of functions such as `exp` ([`crate::agreement::bound`]): the values of a
    /// cell are combined in the order of the loop nest, and every operation is rounded separately.
    #[default]
    Exact,
    /// Differences by rounding: the values of a cell are combined in an order that the schedule determines, and a
    /// product that is added is rounded only once, with the sum. The order depends neither on the number of cores nor
    /// on the load.
    Fast,
}

/// The arithmetic of a device.
///
/// The values of a cell that an operation adds up are computed and added in the precision of sums, if that is the wider
/// one: the operands are widened, and the sum is rounded once, when it is stored. Every other operation is computed in
/// the precision of the tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// The order in which values are combined, and the places where they are rounded.
    pub numerics: Numerics,
    /// The precision of the values of all tensors.
    pub tensors: Precision,
    /// The precision of sums, unless the tensors have a wider one.
    pub sums: Precision,
}

/// Describes a computation in the order of the loops, every operation rounded by itself. No device is named: all of
/// them compute the same bits.
pub(crate) fn in_order_of_loops(tensors: Precision, sums: Precision) -> String {
    let sums = sums.max(tensors);
    format!("{tensors}, sums in {sums} in the order of the loops")
}

impl From<Numerics> for Arithmetic {
    /// Takes these rules for rounding, in 32 bits.
    fn from(numerics: Numerics) -> Arithmetic {
        Arithmetic {
            numerics,
            ..Arithmetic::default()
        }
    }
}

impl Arithmetic {
    /// Returns the precision in which an operation is computed.
    pub fn precision(&self, nest: &LoopNest) -> Precision {
        match nest.adds_up() {
            true => self.tensors.max(self.sums),
            false => self.tensors,
        }
    }

    /// Returns the widest precision of an operation.
    pub fn widest(&self) -> Precision {
        self.tensors.max(self.sums)
    }
}
