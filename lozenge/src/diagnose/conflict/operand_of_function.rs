//! Advice for a function that reads other axes of its operand than somebody expects who thinks of the last axis, as
//! `cumsum` does.

use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::Assignment;

use crate::diagnose::known::Known;
use crate::diagnose::words::text::Text;

/// Labels for the axes of the batch, input and output row.
const LABELS: [[&str; 3]; 3] = [["n", "m", "k"], ["i", "j", "l"], ["c", "d", "e"]];

/// Says how the outputs of an operand become batch axes, where the operation is one of a function that reads batch axes
/// of it.
pub(super) fn advice(
    known: &Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    slot: usize,
) -> Option<String> {
    let function = text.function_around(step)?;
    let (tensor, name) = (step.operation.slots[slot], text.name(step, slot));
    let ranks = Kind::ALL.map(|kind| known.row(tensor, kind).rank());
    let is_named = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_named
        || ranks[Kind::Output as usize] == 0
        || ranks.iter().any(|rank| *rank > LABELS.len())
    {
        return None;
    }
    let [batch, input, output] =
        Kind::ALL.map(|kind| LABELS[kind as usize][..ranks[kind as usize]].join(", "));
    let inputs = match input.is_empty() {
        true => String::new(),
        false => format!("{input}->"),
    };
    let arrow = match input.is_empty() && !batch.is_empty() {
        true => "->",
        false => inputs.as_str(),
    };
    let front = match batch.is_empty() {
        true => String::new(),
        false => format!("{batch}|"),
    };
    let instances = match batch.is_empty() {
        true => output.clone(),
        false => format!("{batch}, {output}"),
    };
    let spec = format!("{front}{arrow}{output} => {instances}|{inputs}");
    Some(format!(
        "`{function}` goes along batch axes, and `map({name}, \"{spec}\")` has the outputs of `{name}` as such"
    ))
}

/// Says how the only output of an operand is left out, where the operation is one of a function that reads no outputs
/// of it, as `one_hot` does.
pub(super) fn without_output(
    known: &Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    slot: usize,
) -> Option<String> {
    let function = text.function_around(step)?;
    let outputs = known.row(step.operation.slots[slot], Kind::Output).flat();
    let [only] = &outputs[..] else { return None };
    let name = text.name(step, slot);
    (function == "one_hot" && only.size() == 1).then(|| {
        format!("`{function}` has a number for each instance: `max({name}, outputs)` is the one output of `{name}` without its axis")
    })
}
