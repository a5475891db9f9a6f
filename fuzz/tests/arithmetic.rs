//! The arithmetic of sizes, Z3 and a box on random systems.

use std::time::Duration;

use lozenge_fuzz::arithmetic::{Agreement, examine};
use lozenge_testkit::arithmetic::system;
use lozenge_testkit::random::Random;

#[test]
fn random_systems_have_one_verdict() {
    let time = Duration::from_millis(500);
    let mut counts = [0; 4];
    for index in 1_000_000..1_000_500 {
        let system = system(&mut Random::indexed(index));
        let agreement = examine(&system, time).unwrap_or_else(|wrong| panic!("{index}: {wrong}"));
        let position = match agreement {
            Agreement::Same(true) => 0,
            Agreement::Same(false) => 1,
            Agreement::OnlyNative => 2,
            Agreement::OnlyZ3 | Agreement::Neither => 3,
        };
        counts[position] += 1;
    }
    let [satisfiable, unsatisfiable, _, unknown] = counts;
    assert!(satisfiable > 100 && unsatisfiable > 100, "{counts:?}");
    assert!(unknown <= 25, "{counts:?}");
}
