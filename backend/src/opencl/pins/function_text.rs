//! The text of functions in plans.

use lozenge_vocabulary::operation::{Function, Instruction};

/// Writes a function: its word, or the instructions of a formula after the number of its operands.
pub(super) fn function_text(function: &Function) -> String {
    let Function::Formula(formula) = function else {
        return word(function);
    };
    let instructions = formula.code().iter().map(|instruction| match instruction {
        Instruction::Read(operand) => format!("${operand}"),
        Instruction::Apply(function) => word(function),
    });
    format!(
        "formula {} {}",
        formula.arity(),
        instructions.collect::<Vec<_>>().join(" ")
    )
}

/// Returns the word of a function that is no formula. A constant is written by the shortest decimal that reads back.
fn word(function: &Function) -> String {
    match function {
        Function::Constant(value) => format!("={value:?}"),
        other => match serde_json::to_value(other) {
            Ok(serde_json::Value::String(word)) => word,
            // Functions other than formulas and constants are words.
            _ => String::new(),
        },
    }
}
