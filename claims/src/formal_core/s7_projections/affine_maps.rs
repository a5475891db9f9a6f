//! Def. 7.5, Prop. 7.6 and Thm. 7.8(1) for the indices of windows, which are sums of loop variables: as printed, of
//! single variables, they are false; repaired, they are tried on all small left-hand sides.

use super::points::points;
use super::writing::Nest;
use crate::formal_core::case::Case;
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Search, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use lozenge_vocabulary::projections::{Affine, Index, IndexMap, Projections};

/// The claims for affine indices.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 7.5(affine)",
        "With derived indices too, a factor is a reduction axis iff no component of π_LHS is Iter(s_j).",
        &[Search(reductions_as_printed)],
    )
    .repaired(
        "A factor is a reduction axis iff π_LHS does not depend on it.",
        &[Search(reductions)],
    ),
    Claim::new(
        "Prop. 7.6(i)(affine)",
        "With derived indices too, π_LHS is injective iff every product variable occurs in some component of it.",
        &[Search(injective_as_printed)],
    )
    .repaired(
        "π_LHS is injective iff no vector of differences within the product space, other than 0, is mapped to 0.",
        &[Search(injective)],
    ),
    Claim::new(
        "Prop. 7.6(i)(two terms)",
        "An axis s·x + t·y of variables with m and n values is injective iff m or n is 1, t/g ≥ m or s/g ≥ n, where g is the greatest common divisor of s and t.",
        &[Theorem(&["IndexMaps.two_terms_injective"]), Search(two_terms)],
    ),
    Claim::new(
        "Prop. 7.6(ii)(affine)",
        "With derived indices too, π_LHS is surjective iff every LHS axis of size > 1 is labeled Iter, no two by one variable.",
        &[Search(surjective_as_printed)],
    )
    .repaired(
        "π_LHS is surjective if no two axes share a variable and the values of each index are an interval that covers its axis; where no value lies outside its axis, iff.",
        &[Search(surjective)],
    ),
    Claim::new(
        "Prop. 7.6(ii)(interval)",
        "The values of Σ cⱼ·xⱼ, with cⱼ ascending and at least two values for each xⱼ, are an interval iff c₁ = 1 and cⱼ₊₁ ≤ 1 + Σᵢ≤ⱼ cᵢ·(nᵢ - 1).",
        &[Theorem(&["IndexMaps.interval_iff"]), Search(interval)],
    ),
    Claim::new(
        "Prop. 7.6(iii)(affine)",
        "With derived indices too, the accumulating read-modify-write is required iff a reduction axis exists.",
        &[Search(reading_as_printed)],
    )
    .repaired(
        "It is required iff π_LHS is not injective or the accumulator does not erase; pre-initialization iff it erases and π_LHS is non-surjective or non-injective.",
        &[Search(writing)],
    ),
    Claim::new(
        "Thm. 7.8(1)(affine)",
        "With derived indices too, the multi-index is valid at every point of the product space.",
        &[Search(valid_as_printed)],
    )
    .repaired(
        "It is valid at every point, or the axis is guarded, and its points outside are skipped.",
        &[Search(valid)],
    ),
];

const SIZES: [&[u64]; 4] = [&[2], &[3], &[2, 3], &[3, 3]];

/// Returns left-hand sides of one or two axes over one or two factors: variables, and sums of them with coefficients up
/// to 3 and an offset from -1 to 1, on axes of 1 to 9 cells.
fn maps() -> Vec<Projections> {
    let mut all = Vec::new();
    for factors in SIZES {
        let mut indices: Vec<(Index, u64)> = Vec::new();
        for code in 1..4usize.pow(factors.len() as u32) {
            let coefficients = (0..factors.len()).map(|at| (code >> (2 * at) & 3) as u64);
            let terms: Vec<(u64, usize)> = coefficients.zip(0..).filter(|(c, _)| *c > 0).collect();
            for offset in [0, -1, 1] {
                for size in [2, 3, 4, 6, 9] {
                    let index = Index::affine(terms.iter().copied(), offset);
                    indices.push((index.on_axis(size, factors), size));
                }
            }
        }
        let one = indices.iter().map(|index| vec![index.clone()]);
        // Two axes: a plain variable beside every index.
        let variables = (0..factors.len()).map(|at| (Index::Iter(at), factors[at]));
        let two = variables.flat_map(|plain| {
            let beside = indices.iter().cloned();
            beside.map(move |index| vec![plain.clone(), index])
        });
        all.extend(one.chain(two).map(|axes| Projections {
            factors: factors.to_vec(),
            maps: vec![IndexMap(
                axes.iter().map(|(index, _)| index.clone()).collect(),
            )],
            sizes: vec![axes.iter().map(|(_, size)| *size).collect()],
        }));
    }
    all
}

/// Returns the value of an index at a point, from its terms.
fn value(index: &Index, point: &[u64]) -> i64 {
    let terms = index.terms();
    let sum: u64 = terms.iter().map(|(c, factor)| c * point[*factor]).sum();
    let offset = match index {
        Index::Affine(Affine { offset, .. }) => *offset,
        Index::Fix(at) => *at as i64,
        _ => 0,
    };
    sum as i64 + offset
}

/// Returns the address of each point, `None` outside of the tensor.
fn addresses(p: &Projections) -> Vec<Option<Vec<i64>>> {
    let inside = |at: &i64, size: &u64| u64::try_from(*at).is_ok_and(|at| at < *size);
    let address = |point: Vec<u64>| {
        let address: Vec<i64> = p.maps[0]
            .0
            .iter()
            .map(|index| value(index, &point))
            .collect();
        let valid = address
            .iter()
            .zip(&p.sizes[0])
            .all(|(at, size)| inside(at, size));
        valid.then_some(address)
    };
    points(&p.factors).into_iter().map(address).collect()
}

/// Returns the cells that are written, point by point; points outside write nothing.
fn nest(p: &Projections, erase: bool) -> Nest {
    let cells = points(&p.sizes[0]);
    let cell = |address: Vec<i64>| {
        let same = |cell: &Vec<u64>| {
            cell.iter()
                .zip(&address)
                .all(|(a, b)| i64::try_from(*a) == Ok(*b))
        };
        cells.iter().position(same)
    };
    Nest {
        cells: addresses(p)
            .into_iter()
            .flatten()
            .filter_map(cell)
            .collect(),
        count: cells.len(),
        erase,
    }
}

/// Tells whether no two points have one address, inside or not.
fn is_injective(p: &Projections) -> bool {
    let mut all: Vec<Vec<i64>> = points(&p.factors)
        .iter()
        .map(|point| {
            p.maps[0]
                .0
                .iter()
                .map(|index| value(index, point))
                .collect()
        })
        .collect();
    let count = all.len();
    all.sort();
    all.dedup();
    all.len() == count
}

fn each_map(scope: &str, against: impl Fn(&Projections) -> Option<&'static str>) -> Finding {
    let all = maps();
    let witness = all.iter().find_map(|p| {
        let labels: Vec<String> = p.maps[0].0.iter().map(Index::to_string).collect();
        let (sizes, factors) = (&p.sizes[0], &p.factors);
        let text = format!(
            "lhs [{}] of sizes {sizes:?} over factors {factors:?}",
            labels.join(", ")
        );
        Some(Witness::new(text, against(p)?))
    });
    let scope = format!(
        "left-hand sides with a sum of one or two variables of 2 or 3 values, with coefficients up to 3 and offsets from -1 to 1, alone \
         or beside a plain axis{scope}"
    );
    Finding::exhaustive(scope, all.len() as u64, witness)
}

fn without_iter(p: &Projections) -> bool {
    (0..p.factors.len()).any(|factor| !p.maps[0].0.contains(&Index::Iter(factor)))
}

/// Returns the factors on which no address depends, found by moving along each of them.
fn independent(p: &Projections) -> Vec<usize> {
    let moves = |factor: &usize| {
        points(&p.factors).iter().any(|point| {
            let mut moved = point.clone();
            moved[*factor] = 0;
            p.maps[0]
                .0
                .iter()
                .any(|index| value(index, point) != value(index, &moved))
        })
    };
    (0..p.factors.len())
        .filter(|factor| !moves(factor))
        .collect()
}

fn reductions_as_printed(_: Effort) -> Finding {
    each_map("", |p| {
        (without_iter(p) && independent(p).is_empty())
            .then_some("a factor is no Iter, and the address depends on all of them")
    })
    .under(Reading::Printed)
}

fn reductions(_: Effort) -> Finding {
    each_map("", |p| {
        (p.reduction_axes() != independent(p)).then_some("not the factors without effect")
    })
}

fn injective_as_printed(_: Effort) -> Finding {
    each_map("", |p| {
        (p.reduction_axes().is_empty() != is_injective(p))
            .then_some("every variable occurs, and two points have one address")
    })
    .under(Reading::Printed)
}

fn injective(_: Effort) -> Finding {
    each_map("", |p| {
        (p.is_injective() != is_injective(p)).then_some("the decision is not what the points say")
    })
}

fn surjective_as_printed(_: Effort) -> Finding {
    each_map("", |p| {
        let labels = p.maps[0].0.iter().zip(&p.sizes[0]);
        let mut used = Vec::new();
        let mut named = labels
            .filter(|(_, size)| **size > 1)
            .map(|(index, _)| match index {
                Index::Iter(factor) if !used.contains(factor) => {
                    used.push(*factor);
                    true
                }
                _ => false,
            });
        let printed = named.all(|named| named);
        (printed != nest(p, true).is_surjective())
            .then_some("every cell is written, and not by an Iter")
    })
    .under(Reading::Printed)
}

fn surjective(_: Effort) -> Finding {
    each_map("", |p| {
        let inside = addresses(p).iter().all(Option::is_some);
        match (p.is_surjective(), nest(p, true).is_surjective()) {
            (true, false) => Some("a cell is not written"),
            // Axes that share a variable may write every cell only if they are one cell long.
            (false, true) if inside => {
                Some("every cell is written, and the criterion does not see it")
            }
            _ => None,
        }
    })
}

fn reading_as_printed(_: Effort) -> Finding {
    each_map(", written with =:+", |p| {
        let printed = without_iter(p);
        (nest(p, true).needs_reading() != printed)
            .then_some("a factor is no Iter, and no cell is written twice")
    })
    .under(Reading::Printed)
}

fn writing(_: Effort) -> Finding {
    each_map(", written with =+ and =:+", |p| {
        [true, false].into_iter().find_map(|erase| {
            let nest = nest(p, erase);
            // Nothing is read or cleared for the points that are skipped.
            let written = !nest.cells.is_empty();
            let reads = written && (!nest.is_injective() || !erase);
            let clears = erase && !(nest.is_surjective() && nest.is_injective());
            (nest.needs_reading() != reads || nest.needs_clearing() != clears)
                .then_some("not as stated")
        })
    })
}

fn valid_as_printed(_: Effort) -> Finding {
    each_map("", |p| {
        addresses(p)
            .contains(&None)
            .then_some("an address is outside of the tensor")
    })
    .under(Reading::Printed)
}

fn valid(_: Effort) -> Finding {
    each_map("", |p| {
        let guarded = p.guarded(0);
        let leaves = |axis: &usize| {
            let (index, size) = (&p.maps[0].0[*axis], p.sizes[0][*axis]);
            points(&p.factors)
                .iter()
                .any(|point| !(0..size as i64).contains(&value(index, point)))
        };
        let outside: Vec<usize> = (0..p.sizes[0].len()).filter(leaves).collect();
        (guarded != outside).then_some(
            "an axis leaves its range without a guard, or has a guard without leaving it",
        )
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn two_terms(_: Effort) -> Finding {
    let (mut tried, mut witness) = (0, None);
    for code in 0..8usize.pow(4) {
        let [s, t, m, n]: [u64; 4] = std::array::from_fn(|at| 1 + (code >> (3 * at) & 7) as u64);
        let g = gcd(s, t);
        let stated = m == 1 || n == 1 || t / g >= m || s / g >= n;
        let mut values: Vec<u64> = points(&[m, n])
            .iter()
            .map(|p| s * p[0] + t * p[1])
            .collect();
        values.sort_unstable();
        values.dedup();
        tried += 1;
        if (values.len() as u64 == m * n) != stated {
            let text = format!("{s}*x + {t}*y, x below {m}, y below {n}");
            witness.get_or_insert_with(|| Witness::new(text, "the points say otherwise"));
        }
    }
    Finding::exhaustive("coefficients and sizes up to 8", tried, witness)
}

fn interval(_: Effort) -> Finding {
    let (mut tried, mut witness) = (0, None);
    for terms in 1..=3usize {
        for code in 0..12usize.pow(terms as u32) {
            let digit = |at: usize| code / 12usize.pow(at as u32) % 12;
            // Sizes from 2 on: a variable with one value is none.
            let of: Vec<(u64, u64)> = (0..terms)
                .map(|at| (1 + digit(at) as u64 / 2, 2 + digit(at) as u64 % 2))
                .collect();
            if of.windows(2).any(|pair| pair[0].0 > pair[1].0) {
                continue;
            }
            let mut reach = 0;
            let stated = of.iter().all(|(c, n)| {
                let joined = *c <= 1 + reach;
                reach += c * (n - 1);
                joined
            });
            let sizes: Vec<u64> = of.iter().map(|(_, n)| *n).collect();
            let value =
                |point: &Vec<u64>| -> u64 { of.iter().zip(point).map(|((c, _), x)| c * x).sum() };
            let mut values: Vec<u64> = points(&sizes).iter().map(value).collect();
            values.sort_unstable();
            values.dedup();
            tried += 1;
            if (values.len() as u64 == reach + 1 && stated) || (!stated && !is_interval(&values)) {
                continue;
            }
            let text = format!("coefficients with sizes {of:?}");
            witness.get_or_insert_with(|| Witness::new(text, "the points say otherwise"));
        }
    }
    Finding::exhaustive(
        "up to three variables of 2 or 3 values with ascending coefficients up to 6",
        tried,
        witness,
    )
}

/// Tells whether ascending values without repetition have no gap.
fn is_interval(values: &[u64]) -> bool {
    values.windows(2).all(|pair| pair[1] == pair[0] + 1)
}
