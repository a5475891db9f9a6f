//! The tensors that a message about shapes is about.

use lozenge_lang::Diagnostic;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Tensor};

/// The most tensors that are drawn for a message. A call of a function stands for all operations of its body.
const DRAWN: usize = 8;

/// Returns the tensors of the operations and the declarations at which a message points, the first place first.
pub fn tensors(program: &Program, message: &Diagnostic) -> Vec<TensorId> {
    let mut found: Vec<TensorId> = Vec::new();
    for label in &message.labels {
        let steps = program
            .steps
            .iter()
            .filter(|step| step.span == label.span());
        let of_steps = steps.flat_map(|step| step.operation.slots.iter().copied());
        let tensors = program.tensors.iter().enumerate();
        let declared = tensors.filter(|(_, tensor)| tensor.span == label.span());
        for tensor in of_steps.chain(declared.map(|(number, _)| TensorId(number))) {
            if found.len() < DRAWN && !found.contains(&tensor) {
                found.push(tensor);
            }
        }
    }
    found
}

/// Says whether the program gives the tensor its name. Parts of expressions and the tensors of functions of the prelude
/// have their names from elsewhere; a function that the program defines names its tensors after the call, and a loop
/// appends its turn.
pub fn is_named(tensor: &Tensor, written: &str) -> bool {
    let turn = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let last = tensor.name.rsplit('.').find(|part| !turn(part));
    let is_word = written.starts_with(|first: char| first.is_alphabetic() || first == '_');
    is_word && last == Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_with_a_name_in_the_text_are_told_from_parts_and_from_those_of_the_prelude() {
        let source = "data x : 8|->3 = range(24)\ndef mine(a):\n  let twice = a + a\n  twice + 1\nlet y = mine(softmax(x))\nlet h = x\nfor i in 0..2 carry h:\n  let h = relu(h)\n";
        let program = lozenge::parse(source).expect("a program");
        let tensors = program.tensors.iter();
        let named = tensors.filter(|tensor| {
            let written = source.get(tensor.span.clone()).unwrap_or_default();
            is_named(tensor, written)
        });
        let names: Vec<&str> = named.map(|tensor| &*tensor.name).collect();
        assert!(program.tensors.len() > 6, "softmax has tensors of its own");
        assert_eq!(names, ["x", "y.mine.twice", "y", "h", "h.0", "h.1"]);
    }
}
