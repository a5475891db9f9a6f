//! Def. 7.5 and Prop. 7.6: reduction, injectivity and surjectivity of index maps, by enumeration of all small maps.

use super::index_proofs;
use super::points::{address, points};
use super::writing::Nest;
use crate::formal_core::case::Case;
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Proof, Search, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

/// The claims of Def. 7.5 and Prop. 7.6.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 7.5",
        "A factor is a reduction axis iff no component of π_LHS is Iter(s_j).",
        &[Search(def_7_5)],
    ),
    Claim::new(
        "Prop. 7.6(i)",
        "π_LHS is injective iff every product variable occurs in some component of it.",
        &[Theorem(&["IndexMaps.injective_iff"]), Proof(index_proofs::injective), Search(prop_7_6_i)],
    ),
    Claim::new(
        "Prop. 7.6(ii)",
        "π_LHS is surjective iff every LHS axis of size > 1 is labeled Iter, no two by one variable.",
        &[Theorem(&["IndexMaps.surjective_iff"]), Proof(index_proofs::surjective), Search(prop_7_6_ii)],
    ),
    Claim::new(
        "Prop. 7.6(iii)",
        "The accumulating read-modify-write is required iff a reduction axis exists; pre-initialization is required iff π_LHS is non-surjective or (under an erasing accumulator) non-injective.",
        &[Search(prop_7_6_iii)],
    )
    .repaired(
        "The read-modify-write is required iff a reduction axis exists or the accumulator does not erase; pre-initialization iff it erases and π_LHS is non-surjective or non-injective.",
        &[Theorem(&["IndexMaps.reading_required", "IndexMaps.initialising_required"]), Search(prop_7_6_iii_repaired)],
    ),
];

/// Returns all left-hand-side maps of up to three axes over up to three factors of sizes 2 and 3, and slices.
fn maps() -> Vec<Projections> {
    let mut all = Vec::new();
    for factors in [vec![], vec![2], vec![2, 3], vec![2, 2], vec![2, 3, 2]] {
        let labels: Vec<(Index, u64)> = (0..factors.len())
            .map(|j| (Index::Iter(j), factors[j]))
            .chain([(Index::Fix(0), 1), (Index::Fix(0), 2), (Index::Fix(1), 2)])
            .collect();
        let mut words: Vec<Vec<(Index, u64)>> = vec![Vec::new()];
        for _ in 0..3 {
            let longer = words.iter().flat_map(|w| {
                labels
                    .iter()
                    .map(move |l| [w.as_slice(), std::slice::from_ref(l)].concat())
            });
            words = words.iter().cloned().chain(longer).collect();
        }
        words.sort();
        words.dedup();
        all.extend(words.into_iter().map(|word| Projections {
            factors: factors.clone(),
            maps: vec![IndexMap(word.iter().map(|(i, _)| i.clone()).collect())],
            sizes: vec![word.iter().map(|(_, n)| *n).collect()],
        }));
    }
    all
}

fn nest(p: &Projections, erase: bool) -> Nest {
    let targets = points(&p.sizes[0]);
    let cell = |point: &Vec<u64>| {
        targets
            .iter()
            .position(|t| *t == address(&p.maps[0], point))
            .unwrap_or(usize::MAX)
    };
    Nest {
        cells: points(&p.factors).iter().map(cell).collect(),
        count: targets.len(),
        erase,
    }
}

fn described(p: &Projections) -> String {
    let labels: Vec<String> = p.maps[0].0.iter().map(Index::to_string).collect();
    format!(
        "lhs [{}] of sizes {:?} over factors {:?}",
        labels.join(", "),
        p.sizes[0],
        p.factors
    )
}

const MAPS: &str = "left-hand sides of up to three axes over up to three factors of sizes 2 and 3";

fn each_map(mut against: impl FnMut(&Projections) -> Option<(String, &'static str)>) -> Finding {
    let all = maps();
    let count = all.len() as u64;
    let found = all.iter().find_map(|p| {
        against(p).map(|(how, why)| Witness {
            text: format!("{}{how}", described(p)),
            why: why.into(),
        })
    });
    Finding::exhaustive(MAPS, count, found)
}

fn def_7_5(_: Effort) -> Finding {
    each_map(|p| {
        let missing: Vec<usize> = (0..p.factors.len())
            .filter(|j| !p.maps[0].0.contains(&Index::Iter(*j)))
            .collect();
        (p.reduction_axes() != missing)
            .then_some((String::new(), "not the factors that are missing"))
    })
}

fn prop_7_6_i(_: Effort) -> Finding {
    each_map(|p| {
        (nest(p, true).is_injective() != p.reduction_axes().is_empty())
            .then_some((String::new(), "injectivity and reduction axes disagree"))
    })
}

fn prop_7_6_ii(_: Effort) -> Finding {
    each_map(|p| {
        (nest(p, true).is_surjective() != p.is_surjective())
            .then_some((String::new(), "surjectivity and its criterion disagree"))
    })
}

/// Decides Prop. 7.6(iii) as printed: the read-modify-write iff there is a reduction axis; clearing iff non-surjective,
/// or erasing and non-injective.
fn prop_7_6_iii(_: Effort) -> Finding {
    each_map(|p| {
        [false, true].into_iter().find_map(|erase| {
            let nest = nest(p, erase);
            let how = if erase {
                ", written with =:+"
            } else {
                ", written with =+"
            };
            if nest.needs_reading() == nest.is_injective() {
                return Some((
                    how.to_string(),
                    "what the tensor held is added to, so it is read although no axis is reduced",
                ));
            }
            let printed = !nest.is_surjective() || (erase && !nest.is_injective());
            (nest.needs_clearing() != printed).then(|| {
                (
                    how.to_string(),
                    "clearing first would lose what cells that are not written hold",
                )
            })
        })
    })
    .under(Reading::Printed)
}

fn prop_7_6_iii_repaired(_: Effort) -> Finding {
    each_map(|p| {
        [false, true].into_iter().find_map(|erase| {
            let nest = nest(p, erase);
            let reads = !nest.is_injective() || !erase;
            let clears = erase && !(nest.is_surjective() && nest.is_injective());
            let fine = nest.needs_reading() == reads && nest.needs_clearing() == clears;
            (!fine).then(|| (String::new(), "not as stated"))
        })
    })
}
