//! A survey can be stopped and resumed, and its findings are the same.

use std::cell::Cell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use lozenge_claims::formal_core::FORMAL_CORE;
use lozenge_claims::formal_core::populations::exhaustive;
use lozenge_claims::machinery::{Finding, survey};
use lozenge_testkit::sets::Scope;
use lozenge_vocabulary::Dim;

/// Returns small scopes; the second takes several stretches.
fn scopes() -> Vec<Scope> {
    let dims: Vec<Dim> = Dim::new(3).into_iter().collect();
    [(1, 1), (2, 0)]
        .map(|(constraints, axes)| Scope {
            constraints,
            axes,
            dims: dims.clone(),
            dim_vars: 1,
            row_vars: 1,
        })
        .to_vec()
}

fn findings(notes: Option<&Path>) -> Vec<Finding> {
    let surveyed = survey(&FORMAL_CORE, &exhaustive(&scopes()), notes, &|_, _| {}).unwrap();
    surveyed.into_iter().map(|s| s.finding).collect()
}

#[test]
fn a_survey_goes_on_where_it_was_stopped() {
    let notes = std::env::temp_dir().join(format!("lozenge-survey-{}", std::process::id()));
    let _ = fs::remove_file(&notes);
    let told = Mutex::new(Vec::new());
    let stop = |done: u64, total: u64| {
        told.lock().unwrap().push((done, total));
        assert!(done == 0 || done * 2 < total, "stopped");
    };
    let stopped = catch_unwind(AssertUnwindSafe(|| {
        survey(&FORMAL_CORE, &exhaustive(&scopes()), Some(&notes), &stop)
    }));
    assert!(stopped.is_err(), "nothing stopped the survey");
    let stopped_at = told.into_inner().unwrap_or_else(|e| e.into_inner());
    let (done, total) = stopped_at[stopped_at.len() - 1];
    assert!(0 < done && done < total, "stopped at {done} of {total}");

    let again = Mutex::new(Cell::new(None));
    let first = |done: u64, _| {
        let begun = again.lock().unwrap();
        begun.set(begun.get().or(Some(done)));
    };
    let resumed = survey(&FORMAL_CORE, &exhaustive(&scopes()), Some(&notes), &first).unwrap();
    assert_eq!(again.into_inner().unwrap().get(), Some(done));
    let resumed: Vec<Finding> = resumed.into_iter().map(|s| s.finding).collect();
    assert!(resumed == findings(None), "another answer than in one go");

    assert!(resumed == findings(Some(&notes)), "finished notes are read");
    let text = fs::read_to_string(&notes).unwrap();
    fs::write(
        &notes,
        text.replace("at most 1 explicit", "at most 9 explicit"),
    )
    .unwrap();
    let error = survey(
        &FORMAL_CORE,
        &exhaustive(&scopes()),
        Some(&notes),
        &|_, _| {},
    )
    .err()
    .unwrap();
    assert!(error.to_string().contains("other scopes"), "{error}");
    fs::remove_file(&notes).unwrap();
}
