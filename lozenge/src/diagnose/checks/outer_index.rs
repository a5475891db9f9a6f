//! A slice by the number of a step or of an epoch runs past the end of its axis.

use lozenge_backend::LoopNest;
use lozenge_lang::Diagnostic;
use lozenge_vocabulary::program::{Assignment, Section, Turns};
use lozenge_vocabulary::projections::Index;

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;

/// Returns the messages about the slices of a section.
pub(crate) fn check(text: Text<'_>, nests: &[LoopNest], section: &Section) -> Vec<Proposed> {
    let turns = [
        (
            "step",
            "steps",
            section.turns.epochs().saturating_mul(section.turns.steps()),
        ),
        ("epoch", "epochs", section.turns.epochs()),
    ];
    let mut problems = Vec::new();
    for at in section.steps.clone() {
        let step = &text.program.steps[at];
        let slots = nests[at].slots().iter().zip(0..);
        for (slot, number) in slots.filter(|_| step.record.is_none()) {
            let axes = slot.map.0.iter().zip(slot.sizes.iter());
            let past = axes.filter_map(|(index, size)| {
                let Index::Symbol(symbol) = index else {
                    return None;
                };
                let (word, many, count) =
                    turns.iter().find(|(word, ..)| symbol.as_ref() == *word)?;
                (count > size).then_some((*word, *many, *count, *size))
            });
            problems.extend(past.map(|found| message(text, step, number, section, found)));
        }
    }
    problems
}

fn message(
    text: Text<'_>,
    step: &Assignment,
    slot: usize,
    section: &Section,
    (word, many, count, size): (&str, &str, u64, u64),
) -> Proposed {
    let name = text.name(step, slot);
    let headline = format!("`{name}` has {size} rows, and the section has {count} {many}");
    let diagnostic = Diagnostic::new(
        step.span.clone(),
        headline,
        format!("`{word}` goes up to {}", count - 1),
    )
    .other(section.span.clone(), format!("{count} {many}"));
    let help = match section.turns {
        Turns::Steps(_) => format!("let the section have at most {size} {many}"),
        Turns::Epochs { .. } => {
            format!("`{word}` counts over all epochs: let there be at most {size} {many}")
        }
    };
    diagnostic.help(help).into()
}
