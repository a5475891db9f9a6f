//! §2: rows and their orders, by trying every row up to a rank.

use std::collections::{BTreeMap, BTreeSet};

use super::{Effort, Finding, Witness};
use crate::core::case::run;
use lozenge_spec::literal::Literal;
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::{Solutions, Universe, words};
use lozenge_testkit::relation::Above;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::row::{Row, TwoSorted};
use lozenge_vocabulary::term::RowTerm;
use lozenge_vocabulary::verdict::{Order, Verdict};

pub(super) fn letters() -> Vec<Dim> {
    let mono = Dim::based(3, Basis::named("mono"));
    [Some(Dim::Unit), Dim::new(1), Dim::new(3), mono]
        .into_iter()
        .flatten()
        .collect()
}

fn rows(rank: usize) -> Vec<Row> {
    Universe {
        dims: letters(),
        rank,
    }
    .rows()
}

fn scope(what: &str, rank: usize) -> String {
    format!(
        "{what} of rank up to {rank} over 1_, 1, 3 and 3_mono, each with every place of its marker"
    )
}

pub(super) fn seen(text: String, why: &str) -> Witness {
    Witness {
        text,
        why: why.into(),
    }
}

/// Tries things one by one; the first against the claim is the witness.
pub(super) fn each<T>(
    what: String,
    things: impl IntoIterator<Item = T>,
    against: impl Fn(&T) -> Option<Witness>,
) -> Finding {
    let mut count = 0;
    for thing in things {
        count += 1;
        if let Some(witness) = against(&thing) {
            return Finding::exhaustive(what, count, Some(witness));
        }
    }
    Finding::exhaustive(what, count, None)
}

fn each_row(effort: Effort, against: impl Fn(&Row) -> Option<&'static str>) -> Finding {
    let rank = effort.rank();
    each(scope("rows", rank), rows(rank), |row| {
        against(row).map(|why| seen(row.to_string(), why))
    })
}

fn each_pair(effort: Effort, against: impl Fn(&Row, &Row) -> Option<&'static str>) -> Finding {
    let rank = effort.rank();
    let all = rows(rank);
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    each(scope("pairs of rows", rank), pairs, |(a, b)| {
        against(a, b).map(|why| seen(format!("{a}\n{b}"), why))
    })
}

fn unless(holds: bool, why: &'static str) -> Option<&'static str> {
    (!holds).then_some(why)
}

pub(super) fn def_2_1(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        let same = a.leading == b.leading && a.trailing == b.trailing;
        let ranks = a.rank() == a.leading.len() + a.trailing.len();
        unless((a == b) == same && ranks, "equality is not componentwise")
    })
}

pub(super) fn def_2_2(effort: Effort) -> Finding {
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

pub(super) fn def_2_3(effort: Effort) -> Finding {
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

pub(super) fn lemma_2_4(effort: Effort) -> Finding {
    each_pair(effort, |low, high| {
        let monotone = !low.below(high)
            || (low.rank()..low.rank() + 3).all(|n| match (low.expansion(n), high.expansion(n)) {
                (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| a.below(b)),
                _ => false,
            });
        unless(monotone, "an expansion is not below the other")
    })
}

fn shown(row: &TwoSorted) -> String {
    match row {
        TwoSorted::Marked(row) => row.to_string(),
        TwoSorted::Rigid(flat) => format!("{} rigid", Row::new(Vec::new(), flat.clone())),
    }
}

fn ordered(what: &str, rank: usize, all: &[TwoSorted]) -> Finding {
    let broken = Above::new(all, TwoSorted::below).broken();
    let witness = broken.map(|(at, why)| {
        let text: Vec<String> = at.iter().map(|i| shown(&all[*i])).collect();
        seen(text.join("\n"), why)
    });
    Finding::exhaustive(scope(what, rank), (all.len() as u64).pow(3), witness)
}

pub(super) fn prop_2_5(effort: Effort) -> Finding {
    let all: Vec<TwoSorted> = rows(effort.rank())
        .into_iter()
        .map(TwoSorted::Marked)
        .collect();
    ordered("triples of rows", effort.rank(), &all)
}

pub(super) fn prop_2_6(effort: Effort) -> Finding {
    let empty = Row::default();
    each_row(effort, |row| {
        unless(
            row.below(&empty) && (*row == empty || !empty.below(row)),
            "the empty row is not the only top",
        )
    })
}

pub(super) fn prop_2_7(effort: Effort) -> Finding {
    let rank = effort.rank();
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
            .then(|| seen(format!("{a}\n{b}"), "the join is not the least upper bound"))
    })
}

/// Below a row there is one of every higher rank, its expansion there, and none of a lower one; above it there is one of every
/// lower rank, the row without some inner axes, and none of a higher one.
pub(super) fn rem_2_8(effort: Effort) -> Finding {
    let rank = effort.rank();
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
                seen(
                    all[*at].to_string(),
                    "not related to rows of exactly the ranks stated",
                )
            })
        },
    )
}

pub(super) fn def_2_9(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        let second = a.rank() == b.rank() && a.expansion(a.rank()) == b.expansion(b.rank());
        unless(
            a.flat_equivalent(b) == second && a.flat_equivalent(b) == (a.flat() == b.flat()),
            "the two formulations differ",
        )
    })
}

pub(super) fn prop_2_10_i(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        unless(a == b || !(a.below(b) && b.below(a)), "mutually below")
    })
}

pub(super) fn prop_2_10_ii(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        unless(
            a == b || !a.flat_equivalent(b) || !(a.below(b) || b.below(a)),
            "flat-equivalent and comparable",
        )
    })
}

/// Compatible with the order: rows that are equivalent have the same rows below them and above them.
pub(super) fn prop_2_10_iii(effort: Effort) -> Finding {
    let parsed = ["[3 <> 2, 4]", "[3 <> 4]", "[3, 4 <>]"].map(|text| text.parse::<Row>().ok());
    if let [Some(low), Some(high), Some(moved)] = &parsed
        && !(low.below(high) && high.flat_equivalent(moved) && !low.below(moved))
    {
        return Finding::exhaustive(
            "the printed example",
            1,
            Some(seen(format!("{low}\n{high}\n{moved}"), "a congruence")),
        );
    }
    let rank = effort.rank();
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
            seen(
                format!("{}\n{}", pair[0].1, pair[1].1),
                "the same rows are below both",
            )
        }),
    )
}

/// `≈` is the kernel of the expansion at the own rank; flank fit and every higher expansion tell related rows apart.
pub(super) fn prop_2_10_iv(effort: Effort) -> Finding {
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

pub(super) fn prop_2_10_iv_repaired(effort: Effort) -> Finding {
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
            "not told apart as stated",
        )
    })
}

/// Every placement is allowed by the equality, they are incomparable, and some inequality tells any two apart.
pub(super) fn rem_2_11(effort: Effort) -> Finding {
    let set: Option<ConstraintSet> = "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>".parse().ok();
    let all = rows(effort.rank());
    let number = |row: &Row| all.iter().position(|r| r == row);
    let above = Above::new(&all, Row::below);
    let finding = each(
        scope(
            "flat words and pairs of their placements, for rows",
            effort.rank(),
        ),
        &all,
        |row| {
            let a = number(row)?;
            Row::placements(&row.flat()).find_map(|other| {
                let b = number(&other)?;
                let incomparable = a == b || (!above.holds(a, b) && !above.holds(b, a));
                let told_apart =
                    a == b || (0..all.len()).any(|low| above.holds(low, a) != above.holds(low, b));
                (!(incomparable && told_apart))
                    .then(|| seen(format!("{row}\n{other}"), "not told apart"))
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
        let verdict = run(&set, Strategy::First, Literal::default(), false).verdict();
        found == ["<r> ~ [3 <> 5]\n"] && verdict == Verdict::Rejected
    });
    if refused {
        finding
    } else {
        Finding::exhaustive(
            "the printed example",
            1,
            Some(seen(
                "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>".into(),
                "not as told",
            )),
        )
    }
}

fn two_sorted(rank: usize) -> Vec<TwoSorted> {
    let rigid = words(&letters(), rank).into_iter().map(TwoSorted::Rigid);
    rows(rank)
        .into_iter()
        .map(TwoSorted::Marked)
        .chain(rigid)
        .collect()
}

pub(super) fn def_2_12(effort: Effort) -> Finding {
    let all = two_sorted(effort.rank());
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    let pointwise = |low: &[Dim], high: &[Dim]| low.iter().zip(high).all(|(a, b)| a.below(b));
    each(
        scope("pairs of marked and rigid rows", effort.rank()),
        pairs,
        |(a, b)| {
            let printed = match (a, b) {
                (TwoSorted::Marked(a), TwoSorted::Marked(b)) => a.below(b),
                (TwoSorted::Rigid(a), TwoSorted::Rigid(b)) => a.len() == b.len() && pointwise(a, b),
                (TwoSorted::Rigid(a), TwoSorted::Marked(b)) => {
                    a.len() >= b.rank() && b.expansion(a.len()).is_some_and(|b| pointwise(a, &b))
                }
                (TwoSorted::Marked(_), TwoSorted::Rigid(_)) => false,
            };
            (a.below(b) != printed).then(|| {
                seen(
                    format!("{a:?}\n{b:?}"),
                    "the code differs from the definition",
                )
            })
        },
    )
}

pub(super) fn prop_2_13(effort: Effort) -> Finding {
    let all = two_sorted(effort.rank());
    let finding = ordered("triples of marked and rigid rows", effort.rank(), &all);
    let top = TwoSorted::Marked(Row::default());
    let tops = all.iter().filter(|t| **t != top && top.below(t)).count();
    // Clause (d): with rank-equal marked rows below rigid ones, some chain of two steps has no direct one.
    let weaker = |a: &TwoSorted, b: &TwoSorted| match (a, b) {
        (TwoSorted::Marked(low), TwoSorted::Rigid(high)) => {
            low.rank() == high.len() && low.flat().iter().zip(high).all(|(a, b)| a.below(b))
        }
        _ => a.below(b),
    };
    let small = two_sorted(2);
    let forced = Above::new(&small, weaker).broken().is_some();
    if tops == 0 && forced {
        finding
    } else {
        Finding::exhaustive(
            finding.scope,
            finding.instances,
            Some(seen("[]".into(), "another top, or (d) is not forced")),
        )
    }
}

/// Two rigid caps of different ranks have only marked rows above both; Rem. 2.11's inequality fails against `[3, 5]•`; an
/// equality of ground rows binds nothing.
pub(super) fn rem_2_14(effort: Effort) -> Finding {
    let all = two_sorted(effort.rank());
    let rigid: Vec<&TwoSorted> = all
        .iter()
        .filter(|r| matches!(r, TwoSorted::Rigid(_)))
        .collect();
    let pairs = rigid
        .iter()
        .flat_map(|a| rigid.iter().map(move |b| (*a, *b)));
    let finding = each(
        scope("pairs of rigid rows", effort.rank()),
        pairs,
        |(a, b)| {
            let both = |c: &&&TwoSorted| a.below(c) && b.below(c);
            let only_marked = a.rank() == b.rank() || !rigid.iter().any(|c| both(&c));
            let equal = only_checks(a, b).unwrap_or(false);
            (!(only_marked && equal)).then(|| {
                let why = "a rigid row is above both, or an equality does more than check";
                seen(format!("{}\n{}", shown(a), shown(b)), why)
            })
        },
    );
    let determinate = [Dim::new(3), Dim::new(5)]
        .into_iter()
        .collect::<Option<Vec<Dim>>>()
        .is_some_and(|flat| {
            "[3 <> 9, 5]".parse::<Row>().is_ok_and(|low| {
                let value = TwoSorted::Rigid(flat);
                !TwoSorted::Rigid(low.flat()).below(&value) && !TwoSorted::Marked(low).below(&value)
            })
        });
    if determinate {
        finding
    } else {
        Finding::exhaustive(
            "the printed example",
            1,
            Some(seen("[3 <> 9, 5]".into(), "below a rigid row")),
        )
    }
}

/// Equality of ground rows accepts exactly equal content, and binds no variable.
fn only_checks(a: &TwoSorted, b: &TwoSorted) -> Option<bool> {
    let (TwoSorted::Rigid(x), TwoSorted::Rigid(y)) = (a, b) else {
        return None;
    };
    let row = |flat: &[Dim]| RowTerm::from(Row::new(Vec::new(), flat.to_vec()));
    let set: ConstraintSet = [Constraint::RowEq(row(x), row(y))].into_iter().collect();
    let run = run(&set, Strategy::First, Literal::default(), false);
    let accepted = run.verdict() == Verdict::Sat;
    let nothing_bound = run.config.bindings.dims.is_empty() && run.config.bindings.rows.is_empty();
    Some(accepted == (x == y) && nothing_bound)
}

fn is_rigid(row: &TwoSorted) -> bool {
    matches!(row, TwoSorted::Rigid(_))
}

/// "Prop. 2.7's joins need a mixed formula": two rigid rows are asked to have a least upper bound, of whichever sort.
pub(super) fn rem_2_14_costs(effort: Effort) -> Finding {
    joins(effort, |a, b| is_rigid(a) && is_rigid(b))
}

pub(super) fn rem_2_14_costs_repaired(effort: Effort) -> Finding {
    joins(effort, |a, b| {
        is_rigid(a) == is_rigid(b) && (!is_rigid(a) || a.rank() == b.rank())
    })
}

/// Pairs of rows of either sort that should have a least upper bound.
fn joins(effort: Effort, should: impl Fn(&TwoSorted, &TwoSorted) -> bool) -> Finding {
    let rank = effort.rank().min(3);
    let all = two_sorted(rank);
    let above = Above::new(&all, TwoSorted::below);
    let pairs = (0..all.len()).flat_map(|a| (0..=a).map(move |b| (a, b)));
    let pairs = pairs.filter(|(a, b)| should(&all[*a], &all[*b]));
    each(
        scope("pairs of marked and rigid rows", rank),
        pairs,
        |(a, b)| {
            let both: Vec<u64> = above
                .row(*a)
                .iter()
                .zip(above.row(*b))
                .map(|(a, b)| a & b)
                .collect();
            let least = above
                .over(*a)
                .any(|c| above.holds(*b, c) && above.row(c) == both);
            (!least).then(|| {
                let why = "of the rows above both, none is below all others";
                seen(format!("{}\n{}", shown(&all[*a]), shown(&all[*b])), why)
            })
        },
    )
}

/// The relation is the rigidified one, its mutual form is `≈`; "the one-shot order" is asked to be an order up to `≈`.
pub(super) fn rem_2_15_ii(effort: Effort) -> Finding {
    let plain = rem_2_15_ii_repaired(effort);
    if plain.witness.is_some() {
        return plain;
    }
    let all = rows(2);
    let above = Above::new(&all, Row::below_one_shot);
    let n = all.len();
    let chain = (0..n).find_map(|a| {
        (0..n).filter(|b| above.holds(a, *b)).find_map(|b| {
            (0..n)
                .find(|c| above.holds(b, *c) && !above.holds(a, *c))
                .map(|c| (a, b, c))
        })
    });
    let witness = chain.map(|(a, b, c)| {
        let text = format!("{}\n{}\n{}", all[a], all[b], all[c]);
        seen(text, "each is ⊑¹ the next, the first is not ⊑¹ the last: the relation is not transitive, so no order")
    });
    Finding::exhaustive(scope("triples of rows", 2), (n as u64).pow(3), witness)
}

pub(super) fn rem_2_15_ii_repaired(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        let rigid = TwoSorted::Rigid(a.flat()).below(&TwoSorted::Marked(b.clone()));
        let mutual = (a.below_one_shot(b) && b.below_one_shot(a)) == a.flat_equivalent(b);
        let weaker = !a.below(b) || a.below_one_shot(b);
        unless(
            a.below_one_shot(b) == rigid && mutual && weaker,
            "not the rigidified relation with ≈ as its mutual form",
        )
    })
}

/// `l·⟨ρ⟩·r ≈ C` inherits C's split where it lies in the middle, the left edge otherwise.
pub(super) fn rem_2_15_iii(_: Effort) -> Finding {
    let name = |count: usize, from: usize| {
        (from..from + count)
            .map(|i| (i + 2).to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let shapes = (0..=3usize).flat_map(|l| {
        (0..=3usize).flat_map(move |r| {
            (0..=3usize).flat_map(move |c| (0..=3usize).map(move |d| (l, r, c, d)))
        })
    });
    let possible = shapes.filter(|(l, r, c, d)| l + r <= c + d);
    each(
        "open against closed rows with flanks up to 3".into(),
        possible,
        |(l, r, c, d)| {
            let flat = c + d;
            let text = format!(
                "[{} <r> {}] ~ [{} <> {}]",
                name(*l, 0),
                name(*r, flat - r),
                name(*c, 0),
                name(*d, *c)
            );
            let set: ConstraintSet = text.parse().ok()?;
            let gamma = run(&set, Strategy::First, Literal::default(), false).greatest()?;
            let value = gamma.rows.values().next()?;
            let split = if (*l..=flat - r).contains(c) {
                c - l
            } else {
                0
            };
            (value.leading.len() != split).then(|| seen(text, "the marker is elsewhere"))
        },
    )
}

pub(super) fn rem_2_15_iv(effort: Effort) -> Finding {
    let mut proper = false;
    let rank = effort.rank();
    let all = rows(rank);
    for a in &all {
        for b in &all {
            let remarked = Row::new(Vec::new(), b.flat());
            if a.flat_equivalent(b)
                && !(a.below_one_shot(b) && b.below_one_shot(a) && a.below_one_shot(&remarked))
            {
                return Finding::exhaustive(
                    scope("pairs of rows", rank),
                    0,
                    Some(seen(format!("{a}\n{b}"), "equal content, not below")),
                );
            }
            proper |= a.below_one_shot(b) && !a.flat_equivalent(b);
        }
    }
    let witness = (!proper).then(|| seen("[]".into(), "not proper"));
    Finding::exhaustive(
        scope("pairs of rows", rank),
        (all.len() as u64).pow(2),
        witness,
    )
}
