//! The oracle against enumeration, on the sets of stated finite scopes and on random ones. `LOZENGE_GRID=full` takes
//! every set of a scope in place of one in so many.

use lozenge_vocabulary::{ConstraintSet, Order};

use super::{probes, scope};
use lozenge_testkit::enumeration::Universe;
use lozenge_testkit::random::Random;
use lozenge_testkit::small_sets::rotations;
use lozenge_testkit::small_sets::{Size, constraint, random_set};

/// Asks about one in so many sets of the list, in one reading; counts these, and the answers that are not definite.
fn one_in(
    every: usize,
    sets: &[ConstraintSet],
    order: Order,
    universe: &Universe,
) -> (usize, usize) {
    let every = match std::env::var("LOZENGE_GRID").as_deref() {
        Ok("full") => 1,
        _ => every,
    };
    // Other sets in the other reading.
    let first = usize::from(order == Order::OneShot).min(every - 1);
    let (mut examined, mut unknown) = (0, 0);
    for set in sets.iter().skip(first).step_by(every) {
        examined += 1;
        match probes::verdict(set, order, universe) {
            Ok(true) => {}
            Ok(false) => unknown += 1,
            Err(what) => panic!("{what}"),
        }
    }
    (examined, unknown)
}

/// Asks about scope A: one constraint, flanks of at most one axis, axes 3, 4, the unit and a, variables r and s.
fn single(order: Order) -> (usize, usize) {
    let sets = scope::singles(&["3", "4", "1_", "a"], &["r", "s"]);
    let universe = Universe::of(&["1_", "3", "4", "9"], 2);
    assert_eq!(sets.len(), 11_250);
    one_in(3, &sets, order, &universe)
}

/// Asks about scope B: two constraints, flanks of at most one axis, the axis 3, variables r and s; up to renaming.
fn double(order: Order) -> (usize, usize) {
    let sets = scope::pairs(&["3"], &["r", "s"]);
    let universe = Universe::of(&["1_", "3", "9"], 2);
    one_in(5, &sets, order, &universe)
}

#[test]
fn scope_a_marked() {
    assert_eq!(single(Order::Marked).1, 0);
}

#[test]
fn scope_a_one_shot() {
    let (count, unknown) = single(Order::OneShot);
    println!("scope A, one-shot: {unknown} of {count} unknown");
    assert!(unknown * 100 < count);
}

#[test]
fn scope_b_marked() {
    let (count, unknown) = double(Order::Marked);
    println!("scope B, marked: {unknown} of {count} unknown");
    assert!(unknown * 100 < count);
}

#[test]
fn scope_b_one_shot() {
    let (count, unknown) = double(Order::OneShot);
    println!("scope B, one-shot: {unknown} of {count} unknown");
    assert!(unknown * 100 < count);
}

#[test]
fn random_sets_with_all_questions() {
    let universe = Universe::of(&["1_", "3", "4", "9"], 2);
    let size = Size {
        row_vars: 2,
        dim_vars: 2,
        atoms: 2,
        ..Size::SMALL
    };
    for seed in 0..600 {
        let order = [Order::Marked, Order::OneShot][seed as usize % 2];
        let set = random_set(seed, size);
        let goal = constraint(&mut Random::new(seed ^ 0xabcd), size);
        let findings = [
            probes::verdict(&set, order, &universe).map(|_| ()),
            probes::core(&set, order),
            probes::forced(&set, order, &universe),
            probes::entailed(&set, &goal, order, &universe),
        ];
        for finding in findings {
            finding.unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        }
    }
}

#[test]
fn periodic_rows() {
    let universe = Universe::of(&["1_", "3", "5"], 3);
    for seed in 0..200 {
        let set = rotations(seed);
        let order = [Order::Marked, Order::OneShot][seed as usize % 2];
        let definite = probes::verdict(&set, order, &universe);
        assert_eq!(definite, Ok(true), "seed {seed}");
    }
}
