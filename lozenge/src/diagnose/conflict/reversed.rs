//! The message that the operands of a composition are in the wrong order, where the conflict appears at a later line.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_solver::Refusal;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Family, Origin};

use super::general::why;
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::known::Known;
use crate::diagnose::words::text::Text;

/// Returns the message that a composition behind the conflict has a left side without inputs, so that the mistake is
/// far from the conflict, and which operation this is.
pub(crate) fn reversed(
    known: &mut Known<'_>,
    text: Text<'_>,
    refusal: &Refusal,
    behind: &[Origin],
) -> Option<(Proposed, usize)> {
    let (last, before) = behind.split_last()?;
    let at = before.iter().find_map(|origin| {
        let step = &text.program.steps[origin.step];
        let left = *step.operation.slots.get(1)?;
        let composed = step.logic == Family::Compose && text.operator(step, "*").is_some();
        let without = composed
            && !known.is_cut(origin.step)
            && known.row(left, Kind::Input).rank() == 0
            && !known.can_grow(left, Kind::Input);
        without.then_some(origin.step)
    })?;
    let step = &text.program.steps[at];
    let [left, right] = [1, 2].map(|slot| text.name(step, slot));
    let headline = format!("`{left}` has no inputs for `{right}` to fill");
    let mut diagnostic = Diagnostic::new(step.span.clone(), headline, "`*` contracts no axis here");
    let shape = known.shape_text(step.operation.slots[1]);
    let place = text.place(step.operation.slots[1]);
    diagnostic = diagnostic.other(place, format!("`{left}` is `{shape}`"));
    let last = &text.program.steps[last.step].span;
    if *last != step.span {
        diagnostic = diagnostic.other(last.clone(), "what it makes does not fit here");
    }
    diagnostic.why = why(refusal, behind);
    let [left, right] = [1, 2].map(|slot| text.as_written(step, slot));
    let star = text.operator(step, "*")?;
    let scale = vec![Edit {
        span: star,
        text: "*.".into(),
    }];
    let proposed = Proposed::from(diagnostic)
        .or(
            format!("the other way round it fits: `{right} * {left}`"),
            text.exchanged(step),
        )
        .or(format!("cell by cell is `{left} *. {right}`"), scale);
    Some((proposed, at))
}
