//! Rows side by side, `<r> ++ <s> ~ [3, 5]`: the oracle decides them alone.

use lozenge_solver::{Problem, Solver};
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Verdict};

fn set(text: &str) -> ConstraintSet {
    text.replace("; ", "\n").parse().expect("in the notation")
}

/// Shows that the other parties say so where they do not decide, and say nothing wrong.
#[test]
fn the_others_leave_it_to_the_oracle() {
    let open = set("<r> ++ <s> ~ [3, 5]");
    let mut solver = Solver::new(Problem::from(&open));
    let refusal = solver.solve().expect_err("it is left open");
    assert_eq!(refusal.verdict, Verdict::Unknown);
    assert!(refusal.message.contains("lozenge oracle"), "{refusal}");
    assert_eq!(
        Solver::new(Problem::from(&open)).decide().verdict,
        Verdict::Unknown
    );
    assert_eq!(
        solve(&open, &Options::default()).verdict(),
        Verdict::Unknown
    );
    // A contradiction of the rest is one all the same.
    let wrong = set("<r> ++ <s> ~ [3, 5]; a = 3; a = 4");
    assert_eq!(Solver::new(Problem::from(&wrong)).verdict(), Verdict::Unsat);
}
