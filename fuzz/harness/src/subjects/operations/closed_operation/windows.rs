//! Windows of random operations, drawn over labels that have sizes.

use std::num::NonZeroU64;

use arbitrary::{Result as Drawn, Unstructured};
use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Dim, DimTerm, DimVar};

/// Says whether a term is a label.
pub(super) fn is(term: &DimTerm, label: &DimVar) -> bool {
    matches!(term, DimTerm::Var(var) if var == label)
}

/// Returns up to two windows over the labels, each with a label of its own for the axis, whose size is counted.
pub(super) fn draw(
    u: &mut Unstructured<'_>,
    labels: &mut Vec<(DimVar, Dim)>,
) -> Drawn<Vec<Window>> {
    let mut windows = Vec::new();
    if !u.ratio(1, 2)? {
        return Ok(windows);
    }
    for name in ["v'1", "w'1"] {
        let over = u.int_in_range(0..=3)?;
        if labels[over].1 == Dim::Unit {
            continue;
        }
        let mut taps = Vec::new();
        for _ in 0..u.int_in_range(0..=2)? {
            taps.push((
                coefficient(u)?,
                labels[u.int_in_range(0..=3)?].0.clone().into(),
            ));
        }
        let stride = coefficient(u)?;
        let mode = *u.choose(&Mode::ALL)?;
        let margins = mode.has_margins() && u.arbitrary()?;
        let mut margin = || {
            if margins {
                u.int_in_range(0..=2)
            } else {
                Ok(0)
            }
        };
        let (low, high) = (margin()?, margin()?);
        let phase = match taps.is_empty() {
            true => u.int_in_range(0..=stride.get() - 1)?,
            false => 0,
        };
        let window = Window {
            axis: DimVar::new(name).into(),
            stride,
            over: labels[over].0.clone().into(),
            taps,
            phase,
            mode,
            low,
            high,
        };
        let ground = |size: u64| {
            window.ground(
                |term| match labels.iter().find(|(label, _)| is(term, label)) {
                    Some((_, dim)) => Some(dim.clone()),
                    None => Dim::new(size),
                },
            )
        };
        let fitting = |size: &u64| ground(*size).is_some_and(|window| window.holds());
        let sizes: Vec<u64> = (1..40).filter(fitting).collect();
        if sizes.is_empty() {
            continue;
        }
        if let Some(size) = Dim::new(*u.choose(&sizes)?) {
            labels.push((DimVar::new(name), size));
            windows.push(window);
        }
    }
    Ok(windows)
}

fn coefficient(u: &mut Unstructured<'_>) -> Drawn<NonZeroU64> {
    let value = u.int_in_range(1..=3)?;
    Ok(NonZeroU64::new(value).unwrap_or(NonZeroU64::MIN))
}
