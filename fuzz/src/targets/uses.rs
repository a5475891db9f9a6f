//! `uses`: a use of a tensor that constrains nothing changes no other shape. The use is a function of each cell, whose result
//! has the tensor's shape, or the first element of a batch that is known to have axes. Nothing uses the result.

use lozenge::shape_text;

use super::determined::inferred;
use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::Parties;

/// The name of the result that nobody uses.
const RESULT: &str = "unused_result";

/// What may be made of a tensor of this shape without a constraint on it. A constant whose shape is not written has what its uses ask
/// for, a batch axis for a slice, so programs with such constants get no slices.
fn uses_of(text: &str, tensor: &str, shape: &str) -> Vec<String> {
    let mut uses = vec![format!("neg({tensor})")];
    let batch = shape.split_once('|').map_or("", |(batch, _)| batch);
    if !batch.trim().is_empty() && !text.contains("const ") {
        uses.push(format!("{tensor} @| 0"));
    }
    uses
}

/// The outcome of adding a use of one tensor.
fn with_use(text: &str, of: &str, without: &[(String, String)]) -> Outcome {
    let with = format!("{}\nlet {RESULT} = {of}\n", text.trim_end());
    let shapes = match shapes(&with) {
        Ok(shapes) => shapes,
        // A word of the program was replaced by another one, and a size was given the tensor's name.
        Err(refusal) if refusal.ends_with("is a tensor and a size") => return Outcome::Agree,
        Err(refusal) => {
            return Disagreement::new("a use that constrains nothing is refused")
                .answered("with the use", format!("{with}{refusal}"))
                .into();
        }
    };
    for ((name, before), (_, after)) in without.iter().zip(&shapes) {
        if before != after {
            return Disagreement::new("a use that constrains nothing changes a shape")
                .answered("without the use", format!("{name} : {before}"))
                .answered(&format!("with {of}"), format!("{name} : {after}"))
                .into();
        }
    }
    Outcome::Agree
}

fn shapes(text: &str) -> Result<Vec<(String, String)>, String> {
    let shapes = inferred(text)?;
    Ok(shapes
        .into_iter()
        .map(|(name, shape)| (name, shape_text(&shape)))
        .collect())
}

/// Infers the shapes of a program, then again with a use of each of its tensors added.
pub fn uses(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Program(text) = input else {
        return None;
    };
    let Ok(without) = shapes(text) else {
        return Some(Comparison {
            outcome: Outcome::Agree,
            useful: false,
            answer: "refused",
        });
    };
    // A part of an expression has a name that cannot be written, such as `y'1`.
    let written = without.iter().filter(|(name, _)| !name.contains('\''));
    let each = written
        .flat_map(|(name, shape)| uses_of(text, name, shape))
        .map(|of| with_use(text, &of, &without));
    let mut changed = each.filter(|outcome| *outcome != Outcome::Agree);
    Some(Comparison {
        outcome: changed.next().unwrap_or(Outcome::Agree),
        useful: true,
        answer: "inferred",
    })
}
