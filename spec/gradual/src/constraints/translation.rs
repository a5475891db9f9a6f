//! From source constraints to target constraints (Appendix E). A translation is a record of its rules, so that one that
//! is run as printed can stand among repaired ones.

use std::ops::RangeInclusive;

use lozenge_gradual_vocabulary::{Dimension, Type};

use super::source::Source;
use super::target::{DimensionVariable, Dimensions, Target, TypeVariable};
use super::translation_of_reshape::{
    can_reshape_open, can_reshape_open_repaired, can_reshape_static, can_reshape_static_repaired,
};
use crate::printed_functions::Convolution;

/// The ranks that have a case.
pub type Ranks = RangeInclusive<usize>;

/// The rules of Appendix E, of those that have a printed and a repaired form.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The ranks that a bound leaves: 1 to 4 as printed.
    pub ranks: Ranks,
    /// `⊔*`: whether the cases of the ranks stand for each other (∨) or, as printed, all have to hold (∀).
    pub bound_for_all_ranks: bool,
    /// `can-reshape` to a target without `Dyn`.
    pub can_reshape_static: fn(&Ranks, &mut Dimensions, TypeVariable, &[u64]) -> Target,
    /// `can-reshape` to a target with `Dyn`.
    pub can_reshape_open: fn(&Ranks, &mut Dimensions, TypeVariable, &[Dimension]) -> Target,
    /// An entry of `calc-conv`: result, what it is computed from, the kernel, and which of its two sizes is meant.
    pub convolved_entry: fn(DimensionVariable, DimensionVariable, &[u64], usize) -> Target,
    /// True if `calc-conv` demands in addition that the operation has a result.
    pub convolution_exists: bool,
    /// An entry of `apply-broadcasting`: those of the two types, and those that they become.
    pub broadcast_entry: fn([DimensionVariable; 2], [DimensionVariable; 2]) -> Target,
}

/// Appendix E as printed.
pub const PRINTED: Translation = Translation {
    ranks: 1..=4,
    bound_for_all_ranks: true,
    can_reshape_static,
    can_reshape_open,
    convolved_entry,
    convolution_exists: false,
    broadcast_entry,
};

/// Appendix E as the repaired type rules need it. Of a product modulo 0 it holds that 0 alone is 0
/// ([`ModuloZero::ForZero`](crate::typing::ModuloZero)).
pub const REPAIRED: Translation = Translation {
    ranks: 0..=4,
    bound_for_all_ranks: false,
    can_reshape_static: can_reshape_static_repaired,
    can_reshape_open: can_reshape_open_repaired,
    convolved_entry: convolved_entry_repaired,
    convolution_exists: true,
    broadcast_entry: broadcast_entry_repaired,
};

/// Translates one source constraint.
#[must_use]
pub fn translate(by: &Translation, source: &Source, dimensions: &mut Dimensions) -> Target {
    match source {
        Source::Same(left, right) => Target::Same(*left, *right),
        Source::Is(variable, of) => is(*variable, of, dimensions),
        Source::Precise(of, variable) => precise(of, *variable, dimensions),
        Source::Bounded(variable) => bounded(by, *variable, dimensions),
        Source::ConsistentNumber(number, zeta) => {
            Target::Or(vec![Target::Unknown(*zeta), Target::Number(*zeta, *number)])
        }
        Source::Consistent(left, right) => consistent(by, *left, *right, dimensions),
        Source::Matches(variable, zeta) => matches(*variable, zeta),
        Source::Bound(whole, left, right) => bound(by, [*whole, *left, *right], dimensions),
        Source::CanReshape(variable, target) => can_reshape(by, *variable, target, dimensions),
        Source::Convolved(whole, zeta, with) => convolved(by, *whole, zeta, with, dimensions),
        Source::Broadcast { sides, of } => broadcast(by, *sides, *of, dimensions),
    }
}

/// `v = τ`
fn is(variable: TypeVariable, of: &Type, dimensions: &mut Dimensions) -> Target {
    let Type::Tensor(entries) = of else {
        return Target::IsDyn(variable);
    };
    let zeta = dimensions.several(entries.len());
    let entries = zeta.iter().zip(entries).map(|(zeta, entry)| match entry {
        Dimension::Dyn => Target::Unknown(*zeta),
        Dimension::Size(size) => Target::Number(*zeta, *size),
    });
    let mut all: Vec<Target> = entries.collect();
    all.insert(0, Target::IsTensor(variable, zeta));
    Target::And(all)
}

/// `Dyn ⊑ x` says nothing; `TensorType(d1, …, dn) ⊑ x` that x is such a type with more precise dimensions; `D ⊑ ζ` that
/// they are equal, and `Dyn ⊑ ζ` nothing.
fn precise(of: &Type, variable: TypeVariable, dimensions: &mut Dimensions) -> Target {
    let Type::Tensor(entries) = of else {
        return Target::And(Vec::new());
    };
    let zeta = dimensions.several(entries.len());
    let known = zeta.iter().zip(entries).filter_map(|(zeta, entry)| {
        let size = entry.size()?;
        Some(Target::Number(*zeta, size))
    });
    let mut all: Vec<Target> = known.collect();
    all.insert(0, Target::IsTensor(variable, zeta));
    Target::And(all)
}

/// `|v| ≤ 4`: `Dyn`, or one of the ranks.
fn bounded(by: &Translation, variable: TypeVariable, dimensions: &mut Dimensions) -> Target {
    let ranks = by
        .ranks
        .clone()
        .map(|rank| Target::IsTensor(variable, dimensions.several(rank)));
    let unknown = std::iter::once(Target::IsDyn(variable));
    Target::Or(unknown.chain(ranks).collect())
}

/// `⟨e1⟩ ~ ⟨e2⟩`: one is `Dyn`, or both have a rank and consistent entries.
fn consistent(
    by: &Translation,
    left: TypeVariable,
    right: TypeVariable,
    dimensions: &mut Dimensions,
) -> Target {
    let mut cases = vec![Target::IsDyn(left), Target::IsDyn(right)];
    for rank in by.ranks.clone() {
        let (own, other) = (dimensions.several(rank), dimensions.several(rank));
        let entries = own.iter().zip(&other).map(|(own, other)| {
            Target::Or(vec![
                Target::Unknown(*own),
                Target::Unknown(*other),
                Target::Equal(*own, *other),
            ])
        });
        let entries: Vec<Target> = entries.collect();
        let ranks = [
            Target::IsTensor(left, own.clone()),
            Target::IsTensor(right, other.clone()),
        ];
        cases.push(Target::And(ranks.into_iter().chain(entries).collect()));
    }
    Target::Or(cases)
}

/// `[[e]] ▷ TensorType(ζ1, ζ2, ζ3, ζ4)`
fn matches(variable: TypeVariable, zeta: &[DimensionVariable; 4]) -> Target {
    let unknown = zeta.iter().map(|zeta| Target::Unknown(*zeta));
    let is_dyn = std::iter::once(Target::IsDyn(variable));
    Target::Or(vec![
        Target::And(is_dyn.chain(unknown).collect()),
        Target::IsTensor(variable, zeta.to_vec()),
    ])
}

/// `[[e]] = ⟨e1⟩ ⊔* ⟨e2⟩`
fn bound(by: &Translation, variables: [TypeVariable; 3], dimensions: &mut Dimensions) -> Target {
    let [whole, left, right] = variables;
    let either = Target::Or(vec![Target::IsDyn(left), Target::IsDyn(right)]);
    let dynamic = Target::And(vec![either, Target::IsDyn(whole)]);
    let cases = by.ranks.clone().map(|rank| {
        let zeta = [(); 3].map(|()| dimensions.several(rank));
        let entries = (0..rank).map(|at| bound_of(zeta[0][at], zeta[1][at], zeta[2][at]));
        let entries: Vec<Target> = entries.collect();
        let ranks = variables.into_iter().zip(zeta);
        let ranks = ranks.map(|(variable, zeta)| Target::IsTensor(variable, zeta));
        Target::And(ranks.chain(entries).collect())
    });
    let cases: Vec<Target> = cases.collect();
    match by.bound_for_all_ranks {
        true => Target::Or(vec![dynamic, Target::And(cases)]),
        false => Target::Or(std::iter::once(dynamic).chain(cases).collect()),
    }
}

/// `ε = ζ1 ⊔ ζ2`
fn bound_of(whole: DimensionVariable, left: DimensionVariable, right: DimensionVariable) -> Target {
    Target::Or(vec![
        Target::And(vec![Target::Equal(whole, left), Target::Equal(left, right)]),
        Target::And(vec![Target::Equal(whole, right), Target::Unknown(left)]),
        Target::And(vec![Target::Equal(whole, left), Target::Unknown(right)]),
    ])
}

/// `can-reshape([[e]], δ)`. Appendix E has no case for a target that is `Dyn` or that has it twice; nothing is reshaped
/// to one.
fn can_reshape(
    by: &Translation,
    variable: TypeVariable,
    target: &Type,
    dimensions: &mut Dimensions,
) -> Target {
    if let Some(sizes) = target.shape() {
        return (by.can_reshape_static)(&by.ranks, dimensions, variable, &sizes);
    }
    match target.dimensions() {
        Some(wanted) if crate::products::unknowns(wanted) == 1 => {
            (by.can_reshape_open)(&by.ranks, dimensions, variable, wanted)
        }
        _ => Target::Or(Vec::new()),
    }
}

/// `[[e]] = calc-conv([[e']], c_out, κ)`
fn convolved(
    by: &Translation,
    whole: TypeVariable,
    zeta: &[DimensionVariable; 4],
    with: &Convolution,
    dimensions: &mut Dimensions,
) -> Target {
    let never = Target::Or(Vec::new());
    if with.kernel.len() != 2 {
        return never;
    }
    if by.convolution_exists && (with.out_channels == 0 || with.kernel.contains(&0)) {
        return never;
    }
    let epsilon = dimensions.several(4);
    let entry = |at: usize| {
        let (result, of) = (epsilon[at], zeta[at]);
        let unknown = Target::And(vec![Target::Unknown(result), Target::Unknown(of)]);
        let mut known = vec![
            Target::Known(of),
            (by.convolved_entry)(result, of, &with.kernel, at - 2),
        ];
        if by.convolution_exists {
            known.push(Target::NotNumber(result, 0));
        }
        Target::Or(vec![unknown, Target::And(known)])
    };
    Target::And(vec![
        Target::IsTensor(whole, epsilon.clone()),
        Target::Equal(epsilon[0], zeta[0]),
        Target::Number(epsilon[1], with.out_channels),
        entry(2),
        entry(3),
    ])
}

/// `ε = ((ζ - 1) · (κ[0] - 1) - 1) + 1`, with κ\[0\] for both entries.
fn convolved_entry(
    result: DimensionVariable,
    of: DimensionVariable,
    kernel: &[u64],
    _: usize,
) -> Target {
    let less = i128::from(kernel[0]) - 1;
    Target::Affine {
        result,
        of,
        times: less,
        plus: -less,
    }
}

/// `ε = ζ - (κ[i] - 1)`, as in Appendix B.
fn convolved_entry_repaired(
    result: DimensionVariable,
    of: DimensionVariable,
    kernel: &[u64],
    at: usize,
) -> Target {
    Target::Affine {
        result,
        of,
        times: 1,
        plus: 1 - i128::from(kernel[at]),
    }
}

/// `⟨e1⟩, ⟨e2⟩ = apply-broadcasting([[e1]], [[e2]])`: one is `Dyn` and nothing changes, or a case for each pair of
/// ranks.
fn broadcast(
    by: &Translation,
    sides: [TypeVariable; 2],
    of: [TypeVariable; 2],
    dimensions: &mut Dimensions,
) -> Target {
    let unchanged = [0, 1].map(|at| Target::Same(sides[at], of[at]));
    let dynamic = of.map(|of| {
        let same = unchanged.iter().cloned();
        Target::And(std::iter::once(Target::IsDyn(of)).chain(same).collect())
    });
    let mut cases = dynamic.to_vec();
    for left in by.ranks.clone() {
        for right in by.ranks.clone() {
            cases.push(broadcast_ranks(by, sides, of, [left, right], dimensions));
        }
    }
    Target::Or(cases)
}

fn broadcast_ranks(
    by: &Translation,
    sides: [TypeVariable; 2],
    of: [TypeVariable; 2],
    ranks: [usize; 2],
    dimensions: &mut Dimensions,
) -> Target {
    let rank = ranks[0].max(ranks[1]);
    let own = ranks.map(|rank| dimensions.several(rank));
    let turned = [(); 2].map(|()| dimensions.several(rank));
    let mut all = Vec::new();
    for at in 0..2 {
        all.push(Target::IsTensor(of[at], own[at].clone()));
        all.push(Target::IsTensor(sides[at], turned[at].clone()));
    }
    for at in 0..rank {
        let entry = |side: usize| {
            let padding = rank - ranks[side];
            at.checked_sub(padding).map(|at| own[side][at])
        };
        let turned = [turned[0][at], turned[1][at]];
        match (entry(0), entry(1)) {
            (Some(left), Some(right)) => all.push((by.broadcast_entry)([left, right], turned)),
            (Some(only), None) | (None, Some(only)) => {
                all.extend(turned.map(|turned| Target::Equal(turned, only)));
            }
            (None, None) => {}
        }
    }
    Target::And(all)
}

/// Both are equal; or one is 1 and the other is not, and both become the other. There is no case for an entry that is
/// `Dyn` beside a number other than 1.
fn broadcast_entry(own: [DimensionVariable; 2], turned: [DimensionVariable; 2]) -> Target {
    let all_equal = Target::And(vec![
        Target::Equal(own[0], own[1]),
        Target::Equal(turned[0], own[0]),
        Target::Equal(turned[1], own[0]),
    ]);
    let stretched = |one: usize, other: usize| {
        Target::And(vec![
            Target::Number(own[one], 1),
            Target::NotNumber(own[other], 1),
            Target::Equal(turned[0], own[other]),
            Target::Equal(turned[1], own[other]),
        ])
    };
    Target::Or(vec![all_equal, stretched(1, 0), stretched(0, 1)])
}

/// An entry that is 1 becomes the other, as in Appendix B, and one that is not stays.
fn broadcast_entry_repaired(own: [DimensionVariable; 2], turned: [DimensionVariable; 2]) -> Target {
    let side = |at: usize| {
        Target::Or(vec![
            Target::And(vec![
                Target::Number(own[at], 1),
                Target::Equal(turned[at], own[1 - at]),
            ]),
            Target::And(vec![
                Target::NotNumber(own[at], 1),
                Target::Equal(turned[at], own[at]),
            ]),
        ])
    };
    Target::And(vec![side(0), side(1)])
}
