//! Complete mode on tangles of periods: equations that ask for periods and inequalities that ask for lengths, which is
//! where long words come from.

use crate::random_sets::tangle;
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::Verdict;

/// With propagation in front and without it: one verdict and one least rank. The cited constraints have no solution by
/// themselves.
#[test]
fn propagation_and_lengths_agree() {
    let sets = std::env::var("LOZENGE_SETS").ok();
    let sets = sets.and_then(|n| n.parse().ok()).unwrap_or(1500);
    let (mut found, mut refuted, mut unknown) = (0, 0, 0);
    for seed in 0..sets {
        let problem = Problem::parse(&tangle(seed)).expect("in the notation");
        let set = problem.to_set();
        let solver = Solver::new(problem);
        let (decision, (alone, certificate)) = (solver.decide(), solver.certify());
        let shown = format!("{seed}:\n{set}{decision:?}\n{alone:?}");
        if [decision.verdict, alone.verdict].contains(&Verdict::Unknown) {
            unknown += 1;
            assert!(decision.limit.or(alone.limit).is_some(), "{shown}");
            continue;
        }
        assert_eq!(
            (decision.verdict, decision.rank),
            (alone.verdict, alone.rank),
            "{shown}"
        );
        assert_eq!(
            certificate.is_some(),
            alone.verdict == Verdict::Unsat,
            "{shown}"
        );
        match alone.verdict {
            Verdict::Sat => found += 1,
            _ => refuted += 1,
        }
        if !alone.cited.is_empty() {
            let cited = alone.cited.iter().map(|at| set.constraints[*at].clone());
            let part = Problem::from(&cited.collect());
            assert_eq!(
                Solver::new(part).decide().verdict,
                Verdict::Unsat,
                "{shown}"
            );
        }
    }
    println!("{found} found, {refuted} refuted, {unknown} unknown");
    assert!(
        found > sets / 20 && refuted > sets / 20,
        "{found} {refuted}"
    );
    assert!(unknown * 200 <= sets, "{unknown}");
}
