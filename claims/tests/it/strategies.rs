//! The four strategies agree, and a long run can be stopped and resumed.

use std::fs;

use lozenge_claims::formal_core::agreement::agree;
use lozenge_claims::machinery::Effort;

#[test]
fn a_run_goes_on_where_its_notes_end() {
    let notes = std::env::temp_dir().join(format!("lozenge-agreement-{}", std::process::id()));
    fs::write(&notes, "4000 0\n").unwrap();
    let found = agree(Effort::Quick, Some(&notes), &|_, _| {}).unwrap();
    assert_eq!(
        (found.sets, found.disagreements),
        (Effort::Quick.samples(), 0)
    );
    assert_eq!(
        fs::read_to_string(&notes).unwrap(),
        format!("{} 0\n", Effort::Quick.samples())
    );
    fs::write(&notes, "many\n").unwrap();
    let error = agree(Effort::Quick, Some(&notes), &|_, _| {}).unwrap_err();
    assert!(error.to_string().contains("remove it"), "{error}");
    fs::remove_file(&notes).unwrap();
}

/// All of the 5,000 sets of the test run, by all four strategies; the long run takes a million.
#[test]
fn the_strategies_agree_on_the_sets_of_the_test_run() {
    let found = agree(Effort::Quick, None, &|_, _| {}).unwrap();
    assert_eq!((found.sets, found.disagreements), (5_000, 0));
}

/// `--long`: a million sets.
#[test]
#[ignore = "takes many minutes; run with --release"]
fn the_strategies_agree_on_a_million_sets() {
    let found = agree(Effort::Long, None, &|_, _| {}).unwrap();
    assert_eq!((found.sets, found.disagreements), (1_000_000, 0));
}
