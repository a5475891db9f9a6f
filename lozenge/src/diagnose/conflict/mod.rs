//! Conflicts: which operations of a program contradict each other, and the message about each.

pub(crate) mod contradictions;
pub(crate) mod einsum;
pub(crate) mod general;
mod number_operand;
mod operand_of_function;
pub(crate) mod parts;
mod reversed;
mod rows;
pub(crate) mod undetermined;
mod unmet;
pub(crate) mod unsized_labels;
mod windows;
mod written_shape;
