//! Defs. 2.1 to 2.10: rows, their order, joins and flat equivalence; Rem. 2.11: the example of a placement.

use std::collections::{BTreeMap, BTreeSet};

use super::proofs;
use super::two_sorted::ordered;
use crate::formal_core::case::{Case, run};
use crate::formal_core::enumeration::{each, each_pair, each_row, rows, scope, unless};
use crate::formal_core::populations::rank;
use crate::machinery::Check::{Proof, Search, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use lozenge_spec::rules::RULES;
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_testkit::relation::Above;
use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::{Row, TwoSorted};
use lozenge_vocabulary::verdict::{Order, Verdict};

/// The claims of Defs. 2.1 to 2.10 and Rem. 2.11.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 2.1",
        "A row is a triple l·⋄·r; rank is |l| + |r|; equality is componentwise, so marker-sensitive.",
        &[Search(def_2_1)],
    ),
    Claim::new(
        "Def. 2.2",
        "For n ≥ rank(R) the expansion R↑n is l · 1∅^(n − rank R) · r.",
        &[Search(def_2_2)],
    ),
    Claim::new(
        "Def. 2.3",
        "l₂·⋄·r₂ ⊑ l₁·⋄·r₁ iff |l₁| ≤ |l₂| and |r₁| ≤ |r₂| (note this implies rank₂ ≥ rank₁), and pointwise refinement of the expansion at rank₂.",
        &[Search(def_2_3)],
    ),
    Claim::new(
        "Lemma 2.4",
        "If R₂ ⊑ R₁ then for every n ≥ rank(R₂): R₂↑n[i] ⊑ R₁↑n[i] for all i.",
        &[Theorem(&["Row.expansion_monotone"]), Proof(proofs::monotone), Search(lemma_2_4)],
    ),
    Claim::new(
        "Prop. 2.5",
        "⊑ is a partial order on rows.",
        &[Theorem(&["Row.row_le_refl", "Row.row_le_trans", "Row.row_le_antisym"]), Proof(proofs::partial_order), Search(prop_2_5)],
    ),
    Claim::new(
        "Prop. 2.6",
        "For every row R: R ⊑ []·⋄·[], and nothing else is above all rows.",
        &[Theorem(&["Row.row_le_top", "Row.top_unique"]), Proof(proofs::top), Search(prop_2_6)],
    ),
    Claim::new(
        "Prop. 2.7",
        "Any two rows have a least upper bound: the shorter flanks, joined pointwise, trailing ones aligned from the back.",
        &[Theorem(&["Row.row_join_lub"]), Proof(proofs::join), Search(prop_2_7)],
    ),
    Claim::new(
        "Rem. 2.8",
        "Def. 2.3 relates rows of different ranks directly; no quantifier over ranks appears: below a row are rows of every rank from its own on, above it rows of every rank up to its own, and no others.",
        &[Theorem(&["Row.ranks_below", "Row.ranks_above"]), Search(rem_2_8)],
    ),
    Claim::new(
        "Def. 2.9",
        "R ≈ R' iff flat(R) = flat(R'); equivalently equal ranks and equal expansions at that rank.",
        &[Theorem(&["Row.row_eq_expansion"]), Search(def_2_9)],
    ),
    Claim::new(
        "Prop. 2.10(i)",
        "The equivalence induced by ⊑ (mutual inequality) is the identity, so ≈ is not derivable from the order.",
        &[Theorem(&["Row.row_le_mutual"]), Proof(proofs::antisymmetric), Search(prop_2_10_i)],
    ),
    Claim::new(
        "Prop. 2.10(ii)",
        "Any two distinct ≈-related rows are ⊑-incomparable.",
        &[Theorem(&["Row.row_eq_incomparable"]), Proof(proofs::incomparable), Search(prop_2_10_ii)],
    ),
    Claim::new(
        "Prop. 2.10(iii)",
        "≈ is not a ⊑-congruence; indeed no nontrivial equivalence is compatible with the order.",
        &[Theorem(&["Row.no_congruence", "Row.row_eq_no_congruence"]), Search(prop_2_10_iii)],
    ),
    Claim::new(
        "Prop. 2.10(iv)",
        "≈ is the kernel of expansion at own rank; everything else the order consults (flank-fit, and expansions at strictly higher ranks) is exactly where ≈-related rows diverge.",
        &[Search(prop_2_10_iv)],
    )
    .repaired(
        "Distinct ≈-related rows always differ in flank-fit; at strictly higher ranks their expansions differ unless only units lie between the two markers, and then agree at every rank.",
        &[Theorem(&["Row.row_eq_flanks_differ", "Row.row_eq_middle", "Row.row_eq_higher"]), Proof(proofs::distinguished), Search(prop_2_10_iv_repaired)],
    ),
    Claim::new(
        "Rem. 2.11",
        "In l·⟨ρ⟩·r ≈ C the content of ρ is forced but its placement is free, the candidates are pairwise incomparable, a later inequality can distinguish them; the witness is satisfiable under ≈ (only) by ρ = [3]·⋄·[5], and refused by the inherited placement.",
        &[Search(rem_2_11)],
    ),
];

fn def_2_1(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        let same = a.leading == b.leading && a.trailing == b.trailing;
        let ranks = a.rank() == a.leading.len() + a.trailing.len();
        unless((a == b) == same && ranks, "equality is not componentwise")
    })
}

fn def_2_2(effort: Effort) -> Finding {
    each_row(effort, |row| {
        let fine = (0..row.rank()).all(|n| row.expansion(n).is_none())
            && (row.rank()..row.rank() + 3).all(|n| {
                row.expansion(n).is_some_and(|flat| {
                    let back = n - row.trailing.len();
                    flat.len() == n
                        && flat[..row.leading.len()] == row.leading
                        && flat[back..] == row.trailing
                        && flat[row.leading.len()..back]
                            .iter()
                            .all(|d| *d == Dim::Unit)
                })
            });
        unless(fine, "the expansion is not l, units, r")
    })
}

fn def_2_3(effort: Effort) -> Finding {
    fn flank<'a>(
        mut low: impl Iterator<Item = &'a Dim>,
        mut high: impl Iterator<Item = &'a Dim>,
    ) -> bool {
        high.all(|high| low.next().is_some_and(|low| low.below(high)))
    }
    each_pair(effort, |low, high| {
        let by_flanks = flank(low.leading.iter(), high.leading.iter())
            && flank(low.trailing.iter().rev(), high.trailing.iter().rev());
        let note = !low.below(high) || low.rank() >= high.rank();
        unless(
            low.below(high) == by_flanks && note,
            "not flank fit and pointwise refinement",
        )
    })
}

fn lemma_2_4(effort: Effort) -> Finding {
    each_pair(effort, |low, high| {
        let monotone = !low.below(high)
            || (low.rank()..low.rank() + 3).all(|n| match (low.expansion(n), high.expansion(n)) {
                (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| a.below(b)),
                _ => false,
            });
        unless(monotone, "an expansion is not below the other")
    })
}

fn prop_2_5(effort: Effort) -> Finding {
    let all: Vec<TwoSorted> = rows(rank(effort))
        .into_iter()
        .map(TwoSorted::Marked)
        .collect();
    ordered("triples of rows", rank(effort), &all)
}

fn prop_2_6(effort: Effort) -> Finding {
    let empty = Row::default();
    each_row(effort, |row| {
        unless(
            row.below(&empty) && (*row == empty || !empty.below(row)),
            "the empty row is not the only top",
        )
    })
}

fn prop_2_7(effort: Effort) -> Finding {
    let rank = rank(effort);
    let all = rows(rank);
    let above = Above::new(&all, Row::below);
    let number: BTreeMap<&Row, usize> = all.iter().enumerate().map(|(i, row)| (row, i)).collect();
    let pairs = all
        .iter()
        .enumerate()
        .flat_map(|a| all.iter().enumerate().map(move |b| (a, b)));
    each(scope("pairs of rows", rank), pairs, |((i, a), (j, b))| {
        let both = above.row(*i).iter().zip(above.row(*j)).map(|(a, b)| a & b);
        let over = above.row(number[&a.join(b)]);
        (!both.eq(over.iter().copied()))
            .then(|| Witness::new(format!("{a}\n{b}"), "the join is not the least upper bound"))
    })
}

/// Checks that below a row there is a row of every higher rank, namely its expansion, and none of a lower rank. Above
/// it there is a row of every lower rank, namely the row without some inner axes, and none of a higher rank.
fn rem_2_8(effort: Effort) -> Finding {
    let rank = rank(effort);
    let all = rows(rank);
    let above = Above::new(&all, Row::below);
    let ranks: Vec<usize> = all.iter().map(Row::rank).collect();
    each(
        scope("rows and ranks, for rows", rank),
        0..all.len(),
        |at| {
            let higher = above.over(*at).map(|i| ranks[i]);
            let reached: BTreeSet<usize> = higher.collect();
            let materialized = (ranks[*at]..=rank).all(|n| {
                let expanded = |flat: Vec<Dim>| {
                    let mut leading = flat;
                    let trailing = leading.split_off(n - all[*at].trailing.len());
                    Row::new(leading, trailing).below(&all[*at])
                };
                all[*at].expansion(n).is_some_and(expanded)
            });
            let fine = materialized && reached == (0..=ranks[*at]).collect();
            (!fine).then(|| {
                Witness::new(
                    all[*at].to_string(),
                    "not related to rows of exactly the ranks stated",
                )
            })
        },
    )
}

fn def_2_9(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        let second = a.rank() == b.rank() && a.expansion(a.rank()) == b.expansion(b.rank());
        unless(
            a.flat_equivalent(b) == second && a.flat_equivalent(b) == (a.flat() == b.flat()),
            "the two formulations differ",
        )
    })
}

fn prop_2_10_i(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        unless(a == b || !(a.below(b) && b.below(a)), "mutually below")
    })
}

fn prop_2_10_ii(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        unless(
            a == b || !a.flat_equivalent(b) || !(a.below(b) || b.below(a)),
            "flat-equivalent and comparable",
        )
    })
}

/// Checks compatibility with the order: equivalent rows have the same rows below and above them.
fn prop_2_10_iii(effort: Effort) -> Finding {
    let parsed = ["[3 <> 2, 4]", "[3 <> 4]", "[3, 4 <>]"].map(|text| text.parse::<Row>().ok());
    if let [Some(low), Some(high), Some(moved)] = &parsed
        && !(low.below(high) && high.flat_equivalent(moved) && !low.below(moved))
    {
        return Finding::exhaustive(
            "the printed example",
            1,
            Some(Witness::new(
                format!("{low}\n{high}\n{moved}"),
                "a congruence",
            )),
        );
    }
    let rank = rank(effort);
    let all = rows(rank);
    let below = Above::new(&all, |high, low| low.below(high));
    let mut lower: Vec<(&[u64], &Row)> = all
        .iter()
        .enumerate()
        .map(|(i, row)| (below.row(i), row))
        .collect();
    lower.sort();
    let same = lower.windows(2).find(|pair| pair[0].0 == pair[1].0);
    Finding::exhaustive(
        scope("pairs of rows", rank),
        (all.len() as u64).pow(2),
        same.map(|pair| {
            Witness::new(
                format!("{}\n{}", pair[0].1, pair[1].1),
                "the same rows are below both",
            )
        }),
    )
}

/// Checks that `≈` is the kernel of the expansion at a row's own rank; flank fit and every higher expansion distinguish
/// related rows.
fn prop_2_10_iv(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        if !a.flat_equivalent(b) || a == b {
            return None;
        }
        let n = a.rank() + 1;
        unless(
            a.leading.len() != b.leading.len() && a.expansion(n) != b.expansion(n),
            "flat-equivalent, with different markers, and yet with the same expansion at every rank",
        )
    })
}

fn prop_2_10_iv_repaired(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        if !a.flat_equivalent(b) || a == b {
            return None;
        }
        let (start, end) = (
            a.leading.len().min(b.leading.len()),
            a.leading.len().max(b.leading.len()),
        );
        let units = a.flat()[start..end].iter().all(|d| *d == Dim::Unit);
        let agree = (1..3).all(|k| a.expansion(a.rank() + k) == b.expansion(b.rank() + k));
        let differ = (1..3).all(|k| a.expansion(a.rank() + k) != b.expansion(b.rank() + k));
        unless(
            start != end && if units { agree } else { differ },
            "the rows are not distinguished as stated",
        )
    })
}

/// Checks that the equality allows every placement, placements are incomparable, and any two are distinguished by some
/// inequality.
fn rem_2_11(effort: Effort) -> Finding {
    let set: Option<ConstraintSet> = "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>".parse().ok();
    let all = rows(rank(effort));
    let number = |row: &Row| all.iter().position(|r| r == row);
    let above = Above::new(&all, Row::below);
    let finding = each(
        scope(
            "flat words and pairs of their placements, for rows",
            rank(effort),
        ),
        &all,
        |row| {
            let a = number(row)?;
            Row::placements(&row.flat()).find_map(|other| {
                let b = number(&other)?;
                let incomparable = a == b || (!above.holds(a, b) && !above.holds(b, a));
                let distinguished =
                    a == b || (0..all.len()).any(|low| above.holds(low, a) != above.holds(low, b));
                (!(incomparable && distinguished)).then(|| {
                    Witness::new(
                        format!("{row}\n{other}"),
                        "the two placements are comparable, or no inequality distinguishes them",
                    )
                })
            })
        },
    );
    let refused = set.is_some_and(|set| {
        let dims = [Dim::new(3), Dim::new(5), Dim::new(9)]
            .into_iter()
            .flatten()
            .collect();
        let universe = Universe { dims, rank: 2 };
        let found: Vec<String> = Solutions::new(&set, &universe, Order::Marked)
            .map(|g| g.to_string())
            .collect();
        let verdict = run(&set, Strategy::First, RULES, false).verdict();
        found == ["<r> ~ [3 <> 5]\n"] && verdict == Verdict::Rejected
    });
    if refused {
        finding
    } else {
        Finding::exhaustive(
            "the printed example",
            1,
            Some(Witness::new(
                "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>",
                "its solutions, or the verdict of the rules, are not those that are printed",
            )),
        )
    }
}
