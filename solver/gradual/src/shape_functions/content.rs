//! Elements that are known, followed through operators that repeat, move, replace or add them up: sizes that a model
//! computes from sizes.

use super::elements::{self, Binary};
use super::rows;
use crate::term::{Int, Term, Terms};
use crate::value::{Content, Ratio, Shape, Tensor};
use lozenge_graph_vocabulary::ElementType;

/// Returns the elements of a tensor of which each axis is repeated.
pub(super) fn repeated(terms: &Terms, tensor: &Tensor, shape: &Shape) -> Content {
    let Some(sizes) = tensor
        .shape
        .as_ref()
        .and_then(|own| rows::sizes(terms, own))
    else {
        return Content::Unknown;
    };
    rows::rearranged(terms, tensor, shape, |index| {
        let places = index.iter().zip(&sizes);
        places.map(|(at, size)| at.checked_rem(*size)).collect()
    })
}

/// Returns the elements of a tensor to which one number is added around its axes, or from which cells are taken away.
pub(super) fn padded(
    terms: &Terms,
    tensor: &Tensor,
    (shape, before): (&Shape, &[Term]),
    fill: Option<Ratio>,
) -> Content {
    let before: Option<Vec<Int>> = before.iter().map(|pad| terms.as_number(*pad)).collect();
    let own = tensor
        .shape
        .as_ref()
        .and_then(|own| rows::sizes(terms, own));
    let (Some(before), Some(own), Some(sizes), Some(fill), Content::Numbers(_)) = (
        before,
        own,
        rows::sizes(terms, shape),
        fill,
        &tensor.content,
    ) else {
        return Content::Unknown;
    };
    let numbers: Option<Vec<Ratio>> = rows::indices(&sizes)
        .map(|index| {
            let from = index
                .iter()
                .zip(&before)
                .map(|(at, pad)| Int::try_from(*at).map_or(-1, |at| at.saturating_sub(*pad)));
            let from: Vec<Int> = from.collect();
            let is_inside =
                |(at, size): (&Int, &usize)| usize::try_from(*at).is_ok_and(|at| at < *size);
            if !from.iter().zip(&own).all(is_inside) {
                return Some(fill);
            }
            let from: Option<Vec<usize>> = from
                .into_iter()
                .map(|at| usize::try_from(at).ok())
                .collect();
            rows::element(terms, tensor, &from?)
        })
        .collect();
    numbers.map_or(Content::Unknown, |numbers| Content::Numbers(numbers.into()))
}

/// Returns the sums or products of the elements of a list up to each place.
pub(super) fn accumulated(
    terms: &mut Terms,
    tensor: &Tensor,
    operation: Binary,
    (is_exclusive, is_reversed): (bool, bool),
) -> Content {
    let rank = tensor.shape.as_ref().map(|shape| shape.axes.len());
    let (Content::Numbers(numbers), Some(1)) = (&tensor.content, rank) else {
        return Content::Unknown;
    };
    let is_integer = tensor.element.is_some_and(ElementType::is_integer);
    let mut all = numbers.to_vec();
    if is_reversed {
        all.reverse();
    }
    let mut sum = Ratio {
        term: terms.number(Int::from(operation == Binary::Multiply)),
        over: 1,
    };
    for number in &mut all {
        let Some(next) = elements::apply(terms, operation, sum, *number, is_integer) else {
            return Content::Unknown;
        };
        *number = if is_exclusive { sum } else { next };
        sum = next;
    }
    if is_reversed {
        all.reverse();
    }
    Content::Numbers(all.into())
}

/// Returns the elements after some axes are reduced. `is_reduced` says which.
pub(super) fn reduced(
    terms: &mut Terms,
    tensor: &Tensor,
    operation: Binary,
    (is_reduced, result): (&[bool], &Shape),
) -> Content {
    let own = tensor
        .shape
        .as_ref()
        .and_then(|own| rows::sizes(terms, own));
    let (Some(own), Some(sizes), Content::Numbers(numbers)) =
        (own, rows::sizes(terms, result), &tensor.content)
    else {
        return Content::Unknown;
    };
    let is_integer = tensor.element.is_some_and(ElementType::is_integer);
    let keeps = sizes.len() == own.len();
    let mut found: Vec<Option<Ratio>> = vec![None; sizes.iter().product()];
    for (index, number) in rows::indices(&own).zip(numbers.iter()) {
        let kept = index.iter().zip(is_reduced);
        let kept = kept.filter_map(|(at, reduced)| match (reduced, keeps) {
            (false, _) => Some(*at),
            (true, true) => Some(0),
            (true, false) => None,
        });
        let place = kept
            .zip(&sizes)
            .fold(0, |place, (at, size)| place * size + at);
        let Some(known) = found.get_mut(place) else {
            return Content::Unknown;
        };
        let next = match *known {
            None => Some(*number),
            Some(before) => elements::apply(terms, operation, before, *number, is_integer),
        };
        if next.is_none() {
            return Content::Unknown;
        }
        *known = next;
    }
    let found: Option<Vec<Ratio>> = found.into_iter().collect();
    found.map_or(Content::Unknown, |found| Content::Numbers(found.into()))
}

/// Returns the elements of a list of indices as places on an axis of this length.
fn places(terms: &Terms, indices: &Tensor, length: Int) -> Option<Vec<usize>> {
    let numbers = indices.integers()?.into_iter();
    let places = numbers.map(|at| {
        let at = terms.as_number(at)?;
        usize::try_from(if at < 0 { at.checked_add(length)? } else { at }).ok()
    });
    places.collect()
}

/// Returns the elements of a list at the places that a tensor of another shape holds; an index that is no number
/// chooses among all of them.
pub(super) fn of_list(terms: &mut Terms, tensor: &Tensor, indices: &Tensor) -> Content {
    let (Content::Numbers(numbers), Some(shape)) = (&tensor.content, &tensor.shape) else {
        return Content::Unknown;
    };
    let (1, Some(indices)) = (shape.axes.len(), indices.integers()) else {
        return Content::Unknown;
    };
    let mut found = Vec::new();
    for index in indices {
        let each = chosen(terms, numbers, index);
        match each {
            Some(number) => found.push(number),
            None => return Content::Unknown,
        }
    }
    Content::Numbers(found.into())
}

/// The number of elements among which an index that is no number chooses.
const MAX_CHOICES: usize = 16;

/// Returns the number at an index, which lies in the list.
fn chosen(terms: &mut Terms, numbers: &[Ratio], index: Term) -> Option<Ratio> {
    let length = Int::try_from(numbers.len()).ok()?;
    if let Some(at) = terms.as_number(index) {
        let at = if at < 0 { at.checked_add(length)? } else { at };
        return numbers.get(usize::try_from(at).ok()?).copied();
    }
    let is_whole = numbers.iter().all(|number| number.over == 1);
    if numbers.len() > MAX_CHOICES || !is_whole {
        return None;
    }
    let mut choice = numbers.last()?.term;
    for (at, number) in (0..length - 1).zip(numbers) {
        let here = [terms.is(index, at), terms.is(index, at - length)];
        let here = terms.any(&here);
        choice = terms.select(here, number.term, choice);
    }
    Some(Ratio {
        term: choice,
        over: 1,
    })
}

/// Returns the elements of a list in which those at known places are replaced.
pub(super) fn replaced(
    terms: &Terms,
    tensor: &Tensor,
    indices: &Tensor,
    updates: &Tensor,
) -> Content {
    let rank = tensor.shape.as_ref().map(|shape| shape.axes.len());
    let (Content::Numbers(numbers), Content::Numbers(updates), Some(1)) =
        (&tensor.content, &updates.content, rank)
    else {
        return Content::Unknown;
    };
    let length = Int::try_from(numbers.len()).unwrap_or(Int::MAX);
    let Some(places) = places(terms, indices, length).filter(|all| all.len() == updates.len())
    else {
        return Content::Unknown;
    };
    let mut all = numbers.to_vec();
    for (place, update) in places.into_iter().zip(updates.iter()) {
        match all.get_mut(place) {
            Some(number) => *number = *update,
            None => return Content::Unknown,
        }
    }
    Content::Numbers(all.into())
}
