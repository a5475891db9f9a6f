//! Defs. 2.12 to 2.14: marked and rigid rows in one order.

use super::proofs;
use crate::formal_core::case::{Case, run};
use crate::formal_core::enumeration::{axes, each, rows, scope};
use crate::formal_core::populations::rank;
use crate::machinery::Check::{Proof, Search, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use lozenge_spec::rules::RULES;
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::words;
use lozenge_testkit::relation::Above;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::{Row, TwoSorted};
use lozenge_vocabulary::term::RowTerm;
use lozenge_vocabulary::verdict::Verdict;

/// The claims of Defs. 2.12 to 2.14.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 2.12",
        "Rigid rows F•; (a) marked–marked as Def. 2.3; (b) rigid–rigid: equal rank, pointwise; (c) F• ⊑ R: rank(F) ≥ rank(R), pointwise; (d) R ⊑ F•: never.",
        &[Search(def_2_12)],
    ),
    Claim::new(
        "Prop. 2.13",
        "The extended relation is a partial order; the empty marked row remains the unique top; on the rigid sort flat equality is equality. Clause (d) is forced: admitting even rank-equal R ⊑ F• breaks transitivity.",
        &[Theorem(&["Rigid.sorted_le_refl", "Rigid.sorted_le_trans", "Rigid.sorted_le_antisym", "Rigid.sorted_top", "Rigid.sorted_top_unique", "Rigid.rigid_flat", "Rigid.clause_d_forced"]), Proof(proofs::two_sorted), Search(prop_2_13)],
    ),
    Claim::new(
        "Rem. 2.14",
        "Ground row equality becomes uniformly content equality: equalities between ground rows only ever check, they never rewrite one into another. Rem. 2.11's witness acquires a definite truth value: the inequality fails by rank-rigidity. Two rigid caps of different ranks have only marked upper bounds.",
        &[Search(rem_2_14)],
    ),
    Claim::new(
        "Rem. 2.14(costs)",
        "Prop. 2.7's joins need a mixed formula: two rigid caps of different ranks have only marked upper bounds, so closing's join-of-caps must mix sorts.",
        &[Search(rem_2_14_costs)],
    )
    .repaired(
        "There is no mixed formula: two rigid rows of different ranks, or a rigid and a marked row, need not have a least upper bound. Two marked rows have one, and so have two rigid rows of one rank.",
        &[Theorem(&["Rigid.rigid_no_least_upper", "Rigid.mixed_no_least_upper", "Rigid.marked_least_upper", "Rigid.rigid_least_upper"]), Search(rem_2_14_costs_repaired)],
    ),
];

fn shown(row: &TwoSorted) -> String {
    match row {
        TwoSorted::Marked(row) => row.to_string(),
        TwoSorted::Rigid(flat) => format!("{} rigid", Row::new(Vec::new(), flat.clone())),
    }
}

pub fn ordered(what: &str, rank: usize, all: &[TwoSorted]) -> Finding {
    let broken = Above::new(all, TwoSorted::below).broken();
    let witness = broken.map(|(at, why)| {
        let text: Vec<String> = at.iter().map(|i| shown(&all[*i])).collect();
        Witness::new(text.join("\n"), why)
    });
    Finding::exhaustive(scope(what, rank), (all.len() as u64).pow(3), witness)
}

fn two_sorted(rank: usize) -> Vec<TwoSorted> {
    let rigid = words(&axes(), rank).into_iter().map(TwoSorted::Rigid);
    rows(rank)
        .into_iter()
        .map(TwoSorted::Marked)
        .chain(rigid)
        .collect()
}

fn def_2_12(effort: Effort) -> Finding {
    let all = two_sorted(rank(effort));
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    let pointwise = |low: &[Dim], high: &[Dim]| low.iter().zip(high).all(|(a, b)| a.below(b));
    each(
        scope("pairs of marked and rigid rows", rank(effort)),
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
                Witness::new(
                    format!("{a:?}\n{b:?}"),
                    "the code differs from the definition",
                )
            })
        },
    )
}

fn prop_2_13(effort: Effort) -> Finding {
    let all = two_sorted(rank(effort));
    let finding = ordered("triples of marked and rigid rows", rank(effort), &all);
    let top = TwoSorted::Marked(Row::default());
    let tops = all.iter().filter(|t| **t != top && top.below(t)).count();
    // Clause (d): if marked rows were below rigid rows of equal rank, the order would not be transitive.
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
            Some(Witness::new("[]", "another top, or (d) is not forced")),
        )
    }
}

/// Checks that two rigid caps of different ranks have only marked rows above both; Rem. 2.11's inequality fails against
/// `[3, 5]•`; an equality of ground rows binds nothing.
fn rem_2_14(effort: Effort) -> Finding {
    let all = two_sorted(rank(effort));
    let rigid: Vec<&TwoSorted> = all
        .iter()
        .filter(|r| matches!(r, TwoSorted::Rigid(_)))
        .collect();
    let pairs = rigid
        .iter()
        .flat_map(|a| rigid.iter().map(move |b| (*a, *b)));
    let finding = each(
        scope("pairs of rigid rows", rank(effort)),
        pairs,
        |(a, b)| {
            let both = |c: &&&TwoSorted| a.below(c) && b.below(c);
            let only_marked = a.rank() == b.rank() || !rigid.iter().any(|c| both(&c));
            let equal = only_checks(a, b).unwrap_or(false);
            (!(only_marked && equal)).then(|| {
                let why = "a rigid row is above both, or an equality does more than check";
                Witness::new(format!("{}\n{}", shown(a), shown(b)), why)
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
            Some(Witness::new("[3 <> 9, 5]", "below a rigid row")),
        )
    }
}

/// Tells whether equality of ground rows accepts exactly equal content, and binds no variable.
fn only_checks(a: &TwoSorted, b: &TwoSorted) -> Option<bool> {
    let (TwoSorted::Rigid(x), TwoSorted::Rigid(y)) = (a, b) else {
        return None;
    };
    let row = |flat: &[Dim]| RowTerm::from(Row::new(Vec::new(), flat.to_vec()));
    let set: ConstraintSet = [Constraint::RowEq(row(x), row(y))].into_iter().collect();
    let run = run(&set, Strategy::First, RULES, false);
    let accepted = run.verdict() == Verdict::Sat;
    let nothing_bound = run.config.bindings.dims.is_empty() && run.config.bindings.rows.is_empty();
    Some(accepted == (x == y) && nothing_bound)
}

fn is_rigid(row: &TwoSorted) -> bool {
    matches!(row, TwoSorted::Rigid(_))
}

/// Decides "Prop. 2.7's joins need a mixed formula": whether two rigid rows have a least upper bound, of either sort.
fn rem_2_14_costs(effort: Effort) -> Finding {
    joins(effort, |a, b| is_rigid(a) && is_rigid(b))
}

fn rem_2_14_costs_repaired(effort: Effort) -> Finding {
    joins(effort, |a, b| {
        is_rigid(a) == is_rigid(b) && (!is_rigid(a) || a.rank() == b.rank())
    })
}

/// Pairs of rows of either sort that should have a least upper bound.
fn joins(effort: Effort, should: impl Fn(&TwoSorted, &TwoSorted) -> bool) -> Finding {
    let rank = rank(effort).min(3);
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
                Witness::new(format!("{}\n{}", shown(&all[*a]), shown(&all[*b])), why)
            })
        },
    )
}
