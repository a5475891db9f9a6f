//! The four parties on random constraint sets: the verdict table has no disagreement. `LOZENGE_SETS` asks for more
//! sets than the test run compares.

use std::collections::BTreeMap;
use std::time::Duration;

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::subjects::sets::{self as parties, Verdicts};
use lozenge_testkit::generate::{Knobs, indexed};
use lozenge_vocabulary::{ConstraintSet, Verdict};

fn sets(default: u64) -> u64 {
    std::env::var("LOZENGE_SETS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(default)
}

const KNOBS: [Knobs; 3] = [
    Knobs {
        constraints: 4,
        flank: 2,
        dim_vars: 2,
        row_vars: 2,
        atoms: 2,
        tags: false,
    },
    Knobs {
        constraints: 6,
        flank: 3,
        dim_vars: 3,
        row_vars: 3,
        atoms: 2,
        tags: false,
    },
    Knobs {
        constraints: 3,
        flank: 3,
        dim_vars: 1,
        row_vars: 2,
        atoms: 1,
        tags: false,
    },
];

/// Lists each set with each of the knobs.
fn inputs(seed: u64, count: u64) -> impl Iterator<Item = ConstraintSet> {
    (0..count).map(move |index| indexed(seed, index, &KNOBS[(index % 3) as usize]))
}

#[test]
fn the_policy_solver_against_the_rules() {
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    for set in inputs(1, sets(40_000)) {
        let (spec, solver) = (parties::spec(&set), parties::solver(&set));
        let contradict = |a, b| a == Verdict::Sat && b == Verdict::Unsat;
        assert!(
            !contradict(spec, solver) && !contradict(solver, spec) && solver != Verdict::Unknown,
            "spec {spec}, solver {solver}:\n{set}"
        );
        *classes
            .entry(format!("spec {spec}, solver {solver}"))
            .or_default() += 1;
    }
    println!("{classes:#?}");
}

#[test]
fn complete_mode_against_the_oracle() {
    let oracle = parties::oracle(Duration::from_secs(10));
    let mut classes: BTreeMap<Agreement, u64> = BTreeMap::new();
    for set in inputs(2, sets(4_000)) {
        let verdicts: Verdicts = parties::verdicts_of(&set, &oracle);
        assert!(
            verdicts.agreement() != Agreement::Disagree,
            "{verdicts:?}:\n{set}"
        );
        *classes.entry(verdicts.agreement()).or_default() += 1;
    }
    println!("{classes:#?}");
    assert!(
        classes
            .get(&Agreement::PolicyGap)
            .is_some_and(|gaps| *gaps > 0)
    );
}

/// The tolerated difference is [`Agreement::PolicyGap`]: the two policy solvers commit markers and equations in
/// different orders, so each may refuse a set that the other solves. Each kind has a witness.
#[test]
fn each_kind_of_policy_gap_has_a_witness() {
    use Verdict::{Rejected, Sat};
    let witnesses = [
        ("<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>", Rejected, Rejected),
        ("[<r> b, a] ~ <s>\n<s> <= [3 <r>]", Rejected, Sat),
        ("[2 <s>] ~ [b, 1_ <r>]\n<s> <= [2, b]", Sat, Rejected),
    ];
    let oracle = parties::oracle(Duration::from_secs(10));
    for (text, spec, solver) in witnesses {
        let verdicts = parties::verdicts_of(&text.parse().unwrap(), &oracle);
        assert_eq!((verdicts.spec, verdicts.solver), (spec, solver), "{text}");
        assert_eq!((verdicts.complete, verdicts.oracle), (Sat, Sat), "{text}");
        assert_eq!(verdicts.agreement(), Agreement::PolicyGap, "{text}");
    }
}
