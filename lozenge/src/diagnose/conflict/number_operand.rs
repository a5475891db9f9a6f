//! Help for a number in an operation with a spec. The spec is for the operands of the outermost operator, one of which
//! may be the number.

use lozenge_lang::Edit;
use lozenge_vocabulary::program::Assignment;

use crate::diagnose::words::text::Text;

/// The operators between two operands.
const OPERATORS: [&str; 12] = [
    "==", "!=", "<=", ">=", "<", ">", "+", "-", "*.", "/", "**", "*",
];

/// The advice where no change is known to be meant.
pub(super) const ADVICE: &str =
    "a number has no axes: its shape in a spec is empty, as in `map(a == 4, \"n|->c; => n|->c\")`";

/// Tells whether an operand is written as a number.
pub(super) fn is_number(text: Text<'_>, step: &Assignment, slot: usize) -> bool {
    text.at(step.slot_spans[slot].clone())
        .parse::<f64>()
        .is_ok()
}

/// Returns the change that takes the shape of a number out of a spec, or the number out of the operation that the spec
/// is for.
pub(super) fn without_a_shape(
    text: Text<'_>,
    step: &Assignment,
    slot: usize,
) -> Option<(String, Vec<Edit>)> {
    let number = text.at(step.slot_spans[slot].clone());
    if step.operation.slots.len() != 3 {
        return None;
    }
    let (quoted, spec) = text.spec_after(step)?;
    let other = step.slot_spans[3 - slot].clone();
    let (left, right) = match slot {
        1 => (step.slot_spans[1].end, other.start),
        _ => (other.end, step.slot_spans[2].start),
    };
    let operator = text.at(left..right.max(left)).trim();
    if !OPERATORS.contains(&operator) {
        return None;
    }
    let operand = text.at(other.clone());
    let is_one = operand.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_one {
        let (operands, result) = spec.split_once("=>")?;
        let mut shapes: Vec<&str> = operands.split(';').map(str::trim).collect();
        *shapes.get_mut(slot - 1)? = "";
        let changed = format!("{} =>{result}", shapes.join("; ").trim_end());
        let help = format!("a number has no axes: leave its shape empty, `\"{changed}\"`");
        let edit = Edit {
            span: quoted.start + 1..quoted.end - 1,
            text: changed,
        };
        return Some((help, vec![edit]));
    }
    // The number stands behind, in a call of `map` whose last argument is the spec.
    let is_map = text.at(0..other.start).trim_end().ends_with("map(");
    let after = text.line_after(quoted.end);
    if slot != 2 || !is_map || !after.trim_start().starts_with(')') {
        return None;
    }
    let start = text.at(0..other.start).rfind("map(")?;
    let end = quoted.end + after.find(')')? + 1;
    let changed = format!("(map({operand}, \"{spec}\") {operator} {number})");
    let help = format!(
        "the spec is for the operands of `{operator}`, the outermost operator; for those of `{operand}` write `{changed}`"
    );
    let edit = Edit {
        span: start..end,
        text: changed,
    };
    Some((help, vec![edit]))
}
