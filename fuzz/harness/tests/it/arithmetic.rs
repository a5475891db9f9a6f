//! The arithmetic of sizes, Z3 and a box on random systems.

use std::time::Duration;

use lozenge_fuzz::subjects::arithmetic::{Compared, against_enumeration, against_z3};
use lozenge_fuzz::subjects::sets::{complete, oracle};
use lozenge_testkit::arithmetic::system;
use lozenge_testkit::generate::windows;
use lozenge_testkit::random::Random;
use lozenge_vocabulary::{Composition, Constraint, ConstraintSet, Verdict};

#[test]
fn random_systems_have_one_verdict() {
    let time = Duration::from_millis(500);
    let mut counts = [0; 4];
    for index in 1_000_000..1_000_200 {
        let system = system(&mut Random::indexed(index));
        let native = against_enumeration(&system);
        let agreement = native.and_then(|native| against_z3(&system, &native, time));
        let agreement = agreement.unwrap_or_else(|wrong| panic!("{index}: {wrong}{system}"));
        let position = match agreement {
            Compared::Same(true) => 0,
            Compared::Same(false) => 1,
            Compared::OnlyNative => 2,
            Compared::OnlyZ3 | Compared::Neither => 3,
        };
        counts[position] += 1;
    }
    let [satisfiable, unsatisfiable, _, unknown] = counts;
    assert!(satisfiable > 40 && unsatisfiable > 40, "{counts:?}");
    assert!(unknown <= 10, "{counts:?}");
}

/// Says whether a set relates sizes by sums, windows and bounds only.
fn is_linear(set: &ConstraintSet) -> bool {
    let is_product = |constraint: &Constraint| match constraint {
        Constraint::Composite(composite) => composite.composition == Composition::Product,
        Constraint::Elements(_) => true,
        _ => false,
    };
    !set.constraints.iter().any(is_product)
}

/// Counts the undecided sets of a campaign among those without products and among those with some; each count comes
/// with the number of all.
fn undecided(sets: u64, decide: impl Fn(&ConstraintSet) -> Verdict) -> [(u64, u64); 2] {
    let mut counts = [(0, 0); 2];
    for index in 0..sets {
        let set = windows::indexed(2026, index);
        let (unknown, all) = &mut counts[usize::from(!is_linear(&set))];
        *all += 1;
        *unknown += u64::from(decide(&set) == Verdict::Unknown);
    }
    counts
}

/// Complete mode decides every set without products, and those with products but for one in 200. A product whose whole
/// is not bounded cannot be decided in general. `LOZENGE_INPUTS` sets another number of sets.
#[test]
fn sums_and_windows_are_always_decided() {
    let asked = std::env::var("LOZENGE_INPUTS").ok();
    let sets = asked.map_or(6_000, |sets| sets.parse().expect("a number of sets"));
    let [linear, products] = undecided(sets, complete);
    assert_eq!(linear.0, 0, "{linear:?}");
    assert!(
        linear.1 * 3 > sets && products.1 * 6 > sets,
        "{linear:?} {products:?}"
    );
    assert!(products.0 * 200 <= products.1, "{products:?}");
}

/// The same of Z3, on fewer sets.
#[test]
fn z3_decides_nearly_all_sums_windows_and_products() {
    let oracle = oracle(Duration::from_secs(10));
    let [linear, products] = undecided(800, |set| oracle.sat(set).verdict());
    assert_eq!(linear.0, 0, "{linear:?}");
    assert!(products.0 * 200 <= products.1, "{products:?}");
}
