//! The translation of `can-reshape` (Appendix E), as printed and as repaired.

use std::ops::RangeInclusive;

use lozenge_gradual_vocabulary::Dimension;

use super::target::{DimensionVariable, Dimensions, Factor, Target, TypeVariable};

/// `can-reshape([[e]], (D1, …, Dm))` as printed: the source is `Dyn`; or its one dimension is, or is the product of the
/// target; or it has rank 2 to 4 and a `Dyn`, and its numbers divide the product of the target. There is no case for a
/// source of rank 2 to 4 without `Dyn`.
pub(super) fn can_reshape_static(
    ranks: &RangeInclusive<usize>,
    dimensions: &mut Dimensions,
    variable: TypeVariable,
    target: &[u64],
) -> Target {
    let mut cases = vec![Target::IsDyn(variable)];
    for rank in ranks.clone() {
        let epsilon = dimensions.several(rank);
        let case = match epsilon[..] {
            [only] => {
                // The product of a target is a number of the program; one that is no size equals no dimension.
                let product = crate::products::product(target.iter().copied());
                let same = u64::try_from(product).map(|product| Target::Number(only, product));
                let same = same.unwrap_or(Target::Or(Vec::new()));
                Target::Or(vec![
                    Target::Unknown(only),
                    Target::And(vec![Target::Known(only), same]),
                ])
            }
            _ => some_unknown(&epsilon, |known| Target::Divides {
                product: numbers(target),
                by: factors(known),
            }),
        };
        cases.push(Target::And(vec![Target::IsTensor(variable, epsilon), case]));
    }
    Target::Or(cases)
}

/// `can-reshape([[e]], (D1, …, Dyn, …, Dm))` as printed: the source is `Dyn`; or its one dimension is, or the product
/// of the numbers of the target divides it; or it has rank 2 to 4 and a `Dyn`; or it has none, and one of the two
/// products divides the other.
pub(super) fn can_reshape_open(
    ranks: &RangeInclusive<usize>,
    dimensions: &mut Dimensions,
    variable: TypeVariable,
    target: &[Dimension],
) -> Target {
    let sizes: Vec<u64> = target.iter().filter_map(|d| d.size()).collect();
    let mut cases = vec![Target::IsDyn(variable)];
    for rank in ranks.clone() {
        let epsilon = dimensions.several(rank);
        let divides = |of: Vec<Factor>, by: Vec<Factor>| Target::Divides { product: of, by };
        let down = divides(factors(&epsilon), numbers(&sizes));
        let up = divides(numbers(&sizes), factors(&epsilon));
        let known = epsilon.iter().map(|epsilon| Target::Known(*epsilon));
        let known: Vec<Target> = known.collect();
        let case = match epsilon[..] {
            [only] => Target::Or(vec![
                Target::Unknown(only),
                Target::And(vec![Target::Known(only), down]),
            ]),
            _ => {
                let either = Target::Or(vec![down, up]);
                let some = epsilon.iter().map(|epsilon| Target::Unknown(*epsilon));
                Target::Or(vec![
                    Target::Or(some.collect()),
                    Target::And(known.into_iter().chain([either]).collect()),
                ])
            }
        };
        cases.push(Target::And(vec![Target::IsTensor(variable, epsilon), case]));
    }
    Target::Or(cases)
}

/// The repaired case for a target without `Dyn`: a source with `Dyn` has numbers whose product divides that of the
/// target, and one without has the same product.
pub(super) fn can_reshape_static_repaired(
    ranks: &RangeInclusive<usize>,
    dimensions: &mut Dimensions,
    variable: TypeVariable,
    target: &[u64],
) -> Target {
    let mut cases = vec![Target::IsDyn(variable)];
    for rank in ranks.clone() {
        let epsilon = dimensions.several(rank);
        let some = some_unknown(&epsilon, |known| Target::Divides {
            product: numbers(target),
            by: factors(known),
        });
        let none = all_known(
            &epsilon,
            Target::SameProduct(factors(&epsilon), numbers(target)),
        );
        let case = Target::Or(vec![some, none]);
        cases.push(Target::And(vec![Target::IsTensor(variable, epsilon), case]));
    }
    Target::Or(cases)
}

/// The repaired case for a target with `Dyn`: nothing is divided by 0, and a source without `Dyn` has a product that is
/// a multiple of that of the numbers of the target.
pub(super) fn can_reshape_open_repaired(
    ranks: &RangeInclusive<usize>,
    dimensions: &mut Dimensions,
    variable: TypeVariable,
    target: &[Dimension],
) -> Target {
    let sizes: Vec<u64> = target.iter().filter_map(|d| d.size()).collect();
    if sizes.contains(&0) {
        return Target::Or(Vec::new());
    }
    let mut cases = vec![Target::IsDyn(variable)];
    for rank in ranks.clone() {
        let epsilon = dimensions.several(rank);
        let some = epsilon.iter().map(|epsilon| Target::Unknown(*epsilon));
        let none = all_known(
            &epsilon,
            Target::Divides {
                product: factors(&epsilon),
                by: numbers(&sizes),
            },
        );
        let case = Target::Or(some.chain([none]).collect());
        cases.push(Target::And(vec![Target::IsTensor(variable, epsilon), case]));
    }
    Target::Or(cases)
}

fn numbers(sizes: &[u64]) -> Vec<Factor> {
    sizes.iter().copied().map(Factor::Number).collect()
}

fn factors(dimensions: &[DimensionVariable]) -> Vec<Factor> {
    dimensions.iter().copied().map(Factor::Dimension).collect()
}

/// All are known, and a constraint holds.
fn all_known(epsilon: &[DimensionVariable], and: Target) -> Target {
    let known = epsilon.iter().map(|epsilon| Target::Known(*epsilon));
    Target::And(known.chain([and]).collect())
}

/// `∃ i : εi = Dyn ∧ ∀ εj ≠ Dyn : …`, a case for each set of those that are `Dyn`.
fn some_unknown(
    epsilon: &[DimensionVariable],
    of_known: impl Fn(&[DimensionVariable]) -> Target,
) -> Target {
    let sets = 1..1usize << epsilon.len();
    let cases = sets.map(|set| {
        let is_unknown = |at: usize| set >> at & 1 == 1;
        let entries = epsilon.iter().enumerate();
        let known: Vec<DimensionVariable> = entries
            .clone()
            .filter(|(at, _)| !is_unknown(*at))
            .map(|(_, epsilon)| *epsilon)
            .collect();
        let entries = entries.map(|(at, epsilon)| match is_unknown(at) {
            true => Target::Unknown(*epsilon),
            false => Target::Known(*epsilon),
        });
        Target::And(entries.chain([of_known(&known)]).collect())
    });
    Target::Or(cases.collect())
}
