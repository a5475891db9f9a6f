//! The requirements of an operation, in words about its tensors.

use lozenge_vocabulary::operation::{Kind, Requirement, Side};
use lozenge_vocabulary::program::{Assignment, Family, Program};
use lozenge_vocabulary::{Constraint, RowTerm};

use super::text::Text;

/// Words one requirement of an operation for a reader of the program: "each input of `w` meets an output of `x`".
/// `None` if the program has no such operation or requirement, or if there is no wording for a requirement of this
/// form. `source` is the text that the program was read from.
///
/// ```
/// let source = "data x : 8|->3 = range(24)\nparam w : ...->5\nlet y = w * x";
/// let program = lozenge::parse(source).map_err(|errors| errors[0].to_string())?;
/// let last = program.steps[0].operation.requirements.len() - 1;
/// let words = lozenge::requirement_words(&program, source, 0, last).unwrap();
/// assert_eq!(words, "each input of `w` meets an output of `x`");
/// # Ok::<(), String>(())
/// ```
pub fn requirement_words(
    program: &Program,
    source: &str,
    step: usize,
    requirement: usize,
) -> Option<String> {
    program.check_operation(step).ok()?;
    let step = program.steps.get(step)?;
    let text = Text::new(program, source);
    let name = |slot: usize| format!("`{}`", text.name(step, slot));
    Some(match step.operation.requirements.get(requirement)? {
        Requirement::Below(Side::Slot(0, to), Side::Slot(slot, from)) if to == from => {
            format!(
                "{} has the {} axes of {}",
                result(step, text),
                to.word(),
                name(*slot)
            )
        }
        Requirement::Below(Side::Slot(0, to), Side::Slot(slot, from)) => format!(
            "the {} axes of {} become {} axes",
            from.word(),
            name(*slot),
            to.word()
        ),
        Requirement::Below(Side::Slot(left, Kind::Input), Side::Slot(right, Kind::Output)) => {
            format!(
                "each input of {} meets an output of {}",
                name(*left),
                name(*right)
            )
        }
        Requirement::Equal(Side::Slot(slot, kind), Side::Template(row))
        | Requirement::Equal(Side::Template(row), Side::Slot(slot, kind)) => {
            let who = match slot {
                0 => result(step, text),
                slot => name(*slot),
            };
            let by = match step.logic {
                Family::Einsum => "the spec",
                _ => "the written shape",
            };
            match row.explicit() == 0 && row.var.is_none() {
                true => format!("{by} gives {who} no {} axes", kind.word()),
                false => format!("{by} gives {who} the {} axes {}", kind.word(), labels(row)),
            }
        }
        Requirement::Template(Constraint::DimEq(label, size)) => {
            format!(
                "the spec says that {} is {size}",
                without_number(&label.to_string())
            )
        }
        Requirement::Template(Constraint::Composite(composite)) => {
            format!(
                "the spec makes an axis of others: {}",
                labels_of_text(&composite.to_string())
            )
        }
        Requirement::Template(Constraint::Window(window)) => {
            format!(
                "the spec lays windows: {}",
                labels_of_text(&window.to_string())
            )
        }
        _ => return None,
    })
}

/// Names the result of an operation: by its name, or else by the text of the expression.
fn result(step: &Assignment, text: Text<'_>) -> String {
    let tensor = &text.program[step.operation.slots[0]];
    match tensor.name.contains('\'') {
        false => format!("`{}`", tensor.name),
        true => format!("`{}`", text.excerpt(step.span.clone())),
    }
}

/// Returns a row of a spec with its labels as the program writes them: the variable `h'2` of the second operation is
/// `h`, and so is `f''h'2` in a function.
fn labels(row: &RowTerm) -> String {
    labels_of_text(&row.to_string())
}

/// Returns a text with its labels as the program writes them.
fn labels_of_text(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_'));
    words.map(without_number).collect()
}

fn without_number(word: &str) -> String {
    let word = word.rsplit("''").next().unwrap_or(word);
    let Some((label, rest)) = word.split_once('\'') else {
        return word.to_string();
    };
    let end = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '\'');
    format!("{label}{end}")
}
