//! Points from values of symbols: the sizes of every input.

use super::{Given, Point};
use crate::limit::MAX_POINT;
use crate::pass::{InputKind, Inputs, element_name};
use crate::term::{Int, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// Returns the sizes of all inputs where symbols have these values. A symbol without a value is 1, as nothing is asked
/// of it. Nothing where a point cannot say it: a size or a rank that is too large.
pub(crate) fn point_of(
    inputs: &Inputs,
    terms: &Terms,
    values: &BTreeMap<Symbol, Int>,
) -> Option<Point> {
    let value = |term: Term| {
        terms.value(term, &|symbol| {
            Some(values.get(&symbol).copied().unwrap_or(1))
        })
    };
    let size = |term: Term| u64::try_from(value(term)?).ok();
    let mut point = Point::new();
    for form in &inputs.forms {
        let given = match &form.kind {
            InputKind::Other => continue,
            InputKind::Number(term) => Given::Number(i64::try_from(value(*term)?).ok()?),
            InputKind::Tensor {
                elements: Some(elements),
                axes,
            } if axes.is_empty() => Given::Number(i64::try_from(value(*elements.first()?)?).ok()?),
            InputKind::Tensor {
                elements: Some(elements),
                ..
            } => {
                for (at, element) in elements.iter().enumerate() {
                    let number = i64::try_from(value(*element)?).ok()?;
                    point.insert(element_name(&form.name, at), Given::Number(number));
                }
                continue;
            }
            InputKind::Tensor { axes, .. } => {
                Given::Sizes(axes.iter().map(|axis| size(*axis)).collect::<Option<_>>()?)
            }
            InputKind::AnyRank {
                rank, axes, tail, ..
            } => {
                let rank = values.get(rank).copied().unwrap_or(0);
                let rank = usize::try_from(rank)
                    .ok()
                    .filter(|rank| *rank <= MAX_POINT)?;
                let is_met = |term: &Term| {
                    let symbol = terms.as_symbol(*term);
                    symbol.is_some_and(|symbol| values.contains_key(&symbol))
                };
                let at = |axes: &[Term], place: usize| {
                    axes.get(place).map_or(Some(1), |axis| size(*axis))
                };
                Given::Sizes(match tail {
                    Some(tail) if rank >= tail.least() && is_met(&tail.product) => {
                        let ends: Vec<u64> = tail
                            .axes
                            .iter()
                            .map(|axis| size(*axis))
                            .collect::<Option<_>>()?;
                        let (first, last) = ends.split_at(tail.front);
                        let middle = std::iter::repeat_n(1, rank - tail.least());
                        let all = first.iter().copied().chain([size(tail.product)?]);
                        all.chain(middle).chain(last.iter().copied()).collect()
                    }
                    _ => (0..rank)
                        .map(|place| at(axes, place))
                        .collect::<Option<_>>()?,
                })
            }
        };
        point.insert(form.name.clone(), given);
    }
    Some(point)
}
