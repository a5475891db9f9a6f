//! §§1 and 2 by enumeration: every row up to rank 4 over three atoms and the unit, and every pair or triple of them
//! where a statement is about two or three.

use std::collections::HashMap;

use lozenge_testkit::enumeration::{Universe, words};
use lozenge_testkit::relation::Above;
use lozenge_vocabulary::dim::{Basis, Dim, DimOrBottom};
use lozenge_vocabulary::row::{Row, TwoSorted};

fn letters() -> Vec<Dim> {
    let mono = Dim::based(3, Basis::named("mono")).unwrap();
    vec![Dim::Unit, Dim::new(1).unwrap(), Dim::new(3).unwrap(), mono]
}

fn rows(rank: usize) -> Vec<Row> {
    Universe {
        dims: letters(),
        rank,
    }
    .rows()
}

fn lattice() -> Vec<DimOrBottom> {
    letters()
        .into_iter()
        .map(DimOrBottom::Dim)
        .chain([DimOrBottom::Bottom])
        .collect()
}

#[test]
fn prop_1_3_the_dimensions_are_a_lattice_of_height_2() {
    let all = lattice();
    let top = DimOrBottom::Dim(Dim::Unit);
    for a in &all {
        assert!(a.below(a) && a.below(&top) && DimOrBottom::Bottom.below(a));
        for b in &all {
            assert!(a == b || !(a.below(b) && b.below(a)), "{a:?} {b:?}");
            let (meet, join) = (a.meet(b), a.join(b));
            for c in &all {
                assert!(!(a.below(b) && b.below(c)) || a.below(c));
                assert_eq!(
                    c.below(a) && c.below(b),
                    c.below(&meet),
                    "{c:?} under the meet of {a:?} and {b:?}"
                );
                assert_eq!(
                    a.below(c) && b.below(c),
                    join.below(c),
                    "{c:?} over the join of {a:?} and {b:?}"
                );
            }
        }
    }
}

#[test]
fn prop_1_4_the_lattice_is_modular_but_not_distributive() {
    let all = lattice();
    let mut distributive = true;
    for a in &all {
        for b in &all {
            for c in &all {
                distributive &= a.meet(&b.join(c)) == a.meet(b).join(&a.meet(c));
                if a.below(c) {
                    assert_eq!(a.join(&b.meet(c)), a.join(b).meet(c), "modularity");
                }
            }
        }
    }
    assert!(!distributive);
}

#[test]
fn def_2_2_expansion_inserts_units_at_the_marker() {
    let row: Row = "[3 <> 3_mono]".parse().unwrap();
    assert_eq!(
        row.expansion(4).unwrap(),
        ["3", "1_", "1_", "3_mono"].map(|d| d.parse().unwrap())
    );
    for row in rows(4) {
        assert_eq!(row.expansion(row.rank()).unwrap(), row.flat());
        assert!(row.rank() == 0 || row.expansion(row.rank() - 1).is_none());
        assert_eq!(row.expansion(6).unwrap().len(), 6);
    }
}

#[test]
fn def_2_3_is_flank_fit_and_pointwise_refinement() {
    // The same relation, stated for each flank separately.
    fn flank<'a>(
        mut low: impl Iterator<Item = &'a Dim>,
        mut high: impl Iterator<Item = &'a Dim>,
    ) -> bool {
        high.all(|high| low.next().is_some_and(|low| low.below(high)))
    }
    let all = rows(3);
    for low in &all {
        for high in &all {
            let fronts = flank(low.leading.iter(), high.leading.iter());
            let backs = flank(low.trailing.iter().rev(), high.trailing.iter().rev());
            assert_eq!(low.below(high), fronts && backs, "{low} and {high}");
        }
    }
}

#[test]
fn lemma_2_4_expansion_is_monotone() {
    let all = rows(4);
    let above = Above::new(&all, Row::below);
    for (index, low) in all.iter().enumerate() {
        for high in above.over(index) {
            for n in low.rank()..=6 {
                let (low, high) = (low.expansion(n).unwrap(), all[high].expansion(n).unwrap());
                assert!(low.iter().zip(&high).all(|(a, b)| a.below(b)));
            }
        }
    }
}

#[test]
fn prop_2_5_the_row_order_is_a_partial_order() {
    let all = rows(4);
    assert_eq!(
        all.len(),
        (0..=4u32)
            .map(|n| 4usize.pow(n) * (n as usize + 1))
            .sum::<usize>()
    );
    assert_eq!(Above::new(&all, Row::below).broken(), None);
}

#[test]
fn prop_2_6_the_empty_row_is_the_only_greatest_element() {
    let all = rows(4);
    let empty = Row::default();
    assert!(all.iter().all(|row| row.below(&empty)));
    assert!(all.iter().all(|top| *top == empty || !empty.below(top)));
}

#[test]
fn prop_2_7_rows_have_least_upper_bounds() {
    let all = rows(4);
    let above = Above::new(&all, Row::below);
    let number: HashMap<&Row, usize> = all.iter().enumerate().map(|(i, row)| (row, i)).collect();
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            // The rows above both are the rows above the join.
            let over_join = above.row(number[&a.join(b)]);
            let both = above.row(i).iter().zip(above.row(j)).map(|(a, b)| a & b);
            assert!(both.eq(over_join.iter().copied()), "{a} and {b}");
        }
    }
}

#[test]
fn prop_2_10_flat_equivalence_against_the_order() {
    let all = rows(4);
    for row in &all {
        for other in Row::placements(&row.flat()) {
            assert!(row.flat_equivalent(&other));
            assert_eq!(
                row.below(&other),
                *row == other,
                "(ii): incomparable unless identical"
            );
        }
    }
    // (iii) A row that distinguishes two flat-equivalent rows.
    let [low, high, moved] =
        ["[3 <> 2, 4]", "[3 <> 4]", "[3, 4 <>]"].map(|r| r.parse::<Row>().unwrap());
    assert!(low.below(&high) && high.flat_equivalent(&moved) && !low.below(&moved));
    // (iii) No nontrivial equivalence is compatible: rows with the same lower rows are identical.
    let below = Above::new(&all, |high, low| low.below(high));
    let mut lower: Vec<&[u64]> = (0..all.len()).map(|i| below.row(i)).collect();
    lower.sort();
    assert!(lower.windows(2).all(|pair| pair[0] != pair[1]));
    // (iv) The kernel of expansion at a row's own rank.
    let expansions: Vec<_> = all
        .iter()
        .map(|row| row.expansion(row.rank()).unwrap())
        .collect();
    for (a, at_own_rank) in all.iter().zip(&expansions) {
        for (b, other) in all.iter().zip(&expansions) {
            assert_eq!(a.flat_equivalent(b), at_own_rank == other);
        }
    }
}

#[test]
fn prop_2_13_the_two_sorted_order() {
    let rigid = words(&letters(), 4).into_iter().map(TwoSorted::Rigid);
    let all: Vec<TwoSorted> = rows(4)
        .into_iter()
        .map(TwoSorted::Marked)
        .chain(rigid)
        .collect();
    let above = Above::new(&all, TwoSorted::below);
    assert_eq!(above.broken(), None);
    let greatest = |top: &usize| (0..all.len()).all(|low| above.holds(low, *top));
    let tops: Vec<&TwoSorted> = (0..all.len())
        .filter(greatest)
        .map(|top| &all[top])
        .collect();
    assert_eq!(
        tops,
        [&TwoSorted::Marked(Row::default())],
        "one greatest element"
    );
    // Clause (d) is forced: a marked row below its own flattening breaks transitivity.
    let wide = TwoSorted::Marked("[3_mono <> 3]".parse().unwrap());
    let narrow = TwoSorted::Marked("[3]".parse().unwrap());
    let flattened = TwoSorted::Rigid(vec![Dim::new(3).unwrap()]);
    assert!(wide.below(&narrow) && wide.rank() > flattened.rank() && !narrow.below(&flattened));
}

#[test]
fn remark_2_15_mutual_one_shot_is_flat_equivalence() {
    let all = rows(3);
    for a in &all {
        for b in &all {
            assert_eq!(
                a.below_one_shot(b) && b.below_one_shot(a),
                a.flat_equivalent(b),
                "{a} and {b}"
            );
            assert!(!a.below(b) || a.below_one_shot(b), "one-shot is weaker");
            let rigid = TwoSorted::Rigid(a.flat()).below(&TwoSorted::Marked(b.clone()));
            assert_eq!(a.below_one_shot(b), rigid);
        }
    }
}
