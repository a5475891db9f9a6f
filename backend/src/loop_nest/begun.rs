//! Loop nests that compute a number, and loop nests that begin with one, as kernels with constants need them.

use lozenge_vocabulary::operation::{Accumulator, Combine, Function, Instruction};

use super::{LoopNest, Write};
use crate::arithmetic::{Real, apply, neutral};
use crate::formula::{code, function};
use crate::precision::Precision;

impl LoopNest {
    /// Returns the number that the loop nest stores in every cell of a tensor of this precision, if it reads nothing.
    pub(crate) fn constant_in(&self, precision: Precision) -> Option<f64> {
        if !self.fills() {
            return None;
        }
        let number = match precision {
            Precision::F32 => number::<f32>(&self.function),
            Precision::F64 => number::<f64>(&self.function),
        };
        number.map(|number| self.stored(number))
    }

    /// Returns a loop nest that erases what the written tensor holds and gives the values that this one gives to a
    /// tensor that holds a number everywhere; it must not read that tensor. `None` if there is none.
    ///
    /// Unless every bit has to be that of the sum, a value is stored in place of its sum with 0: the two differ in the
    /// sign of a zero.
    pub(crate) fn begun_with(&self, begin: f64, is_exact: bool) -> Option<LoopNest> {
        let how = self.accumulator.combine;
        if self.accumulator.erase || !self.surjective || self.is_guarded() {
            return None;
        }
        let is_neutral = begin.to_bits() == f64::from(neutral(how)).to_bits();
        let mut nest = self.clone();
        nest.accumulator.erase = true;
        if !self.injective {
            nest.initial = Some(neutral(how));
            return (is_neutral && how != Combine::Replace).then_some(nest);
        }
        nest.write = Write::Plain;
        let combined = match how {
            Combine::Replace => return Some(nest),
            _ if is_neutral && !is_exact => return Some(nest),
            Combine::Add => Function::Add,
            Combine::Subtract => Function::Subtract,
            Combine::Multiply => Function::Multiply,
            Combine::Max => Function::Max,
            Combine::Min => Function::Min,
        };
        nest.accumulator = Accumulator {
            erase: true,
            combine: Combine::Replace,
        };
        let mut all = vec![Instruction::Apply(Function::Constant(begin))];
        all.extend(code(&self.function));
        all.push(Instruction::Apply(combined));
        nest.function = function(self.function.arity(), all)?;
        Some(nest)
    }
}

/// Computes the value of a function without operands, if every engine rounds it in the same way.
fn number<R: Real>(function: &Function) -> Option<f64> {
    use Function::*;
    let rounds = |one: &Instruction| match one {
        Instruction::Read(_) => false,
        Instruction::Apply(function) => matches!(
            function,
            Constant(_) | Identity | Negate | Abs | Square | Add | Subtract | Multiply
        ),
    };
    let is_number = function.arity() == 0 && code(function).iter().all(rounds);
    is_number.then(|| apply::<R>(function, &[]).wide())
}
