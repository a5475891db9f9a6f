//! Every rule has a committed case in which it fires, and every premise has one in which it does not hold.

use lozenge_claims::{Coverage, coverage};
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Rule};

const COMMITTED: &str = include_str!("../rule_coverage.txt");

#[test]
fn the_committed_cases_cover_every_rule_and_premise() {
    let coverage = coverage();
    assert!(
        coverage.missing().is_empty(),
        "not covered: {:#?}",
        coverage.missing()
    );
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rule_coverage.txt");
        std::fs::write(path, coverage.text()).unwrap();
    }
    assert!(
        coverage.text() == COMMITTED,
        "tests/rule_coverage.txt is out of date: run with LOZENGE_WRITE=1"
    );
}

/// The committed cases by themselves, read back from the file.
#[test]
fn each_committed_case_does_what_its_line_says() {
    let mut seen = 0;
    for line in COMMITTED.lines().filter(|l| !l.starts_with('#')) {
        let Some((what, case)) = line.rsplit_once(": ") else {
            panic!("{line}")
        };
        let set: ConstraintSet = case.replace("; ", "\n").parse().unwrap();
        let again = Coverage::of(&set).text();
        assert!(again.lines().any(|own| own == line), "{line}");
        let run = solve(
            &set,
            &Options {
                close: true,
                ..Options::default()
            },
        );
        let rule = Rule::ALL
            .iter()
            .chain(Rule::OF_SIZES)
            .find(|r| what.split([' ', ':']).next() == Some(r.name()))
            .unwrap();
        if !rule.is_of_shapes() {
            continue;
        }
        if what.ends_with("fires") {
            assert!(
                run.config.trace.iter().flatten().any(|s| s.rule == *rule),
                "{line}"
            );
            seen += 1;
        } else if what.ends_with("fails") {
            assert_eq!(run.failure().map(|f| f.rule), Some(*rule), "{line}");
            seen += 1;
        }
    }
    assert!(seen > 25, "{seen} cases");
}
