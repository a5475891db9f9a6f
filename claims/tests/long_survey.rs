//! A survey can be stopped and taken up again, and finds the same.

use std::cell::Cell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use lozenge_claims::core::{Effort, Finding};
use lozenge_claims::survey;
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::Dim;

/// Small scopes; the second takes several stretches.
fn scopes() -> Vec<Scope> {
    let dims: Vec<Dim> = Dim::new(3).into_iter().collect();
    [(1, 1), (2, 0)]
        .map(|(constraints, dim_vars)| Scope {
            constraints,
            axes: 1,
            dims: dims.clone(),
            dim_vars,
            row_vars: 2,
        })
        .to_vec()
}

fn findings(notes: Option<&Path>) -> Vec<Finding> {
    let surveyed = survey(&scopes(), notes, &|_, _| {}).unwrap();
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
    let stopped = catch_unwind(AssertUnwindSafe(|| survey(&scopes(), Some(&notes), &stop)));
    assert!(stopped.is_err(), "nothing stopped the survey");
    let stopped_at = told.into_inner().unwrap_or_else(|e| e.into_inner());
    let (done, total) = stopped_at[stopped_at.len() - 1];
    assert!(0 < done && done < total, "stopped at {done} of {total}");

    let again = Mutex::new(Cell::new(None));
    let first = |done: u64, _| {
        let begun = again.lock().unwrap();
        begun.set(begun.get().or(Some(done)));
    };
    let resumed = survey(&scopes(), Some(&notes), &first).unwrap();
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
    let error = survey(&scopes(), Some(&notes), &|_, _| {}).err().unwrap();
    assert!(error.to_string().contains("other scopes"), "{error}");
    fs::remove_file(&notes).unwrap();
}

#[test]
fn the_estimate_counts_the_sets_of_a_scope() {
    for scope in Effort::Quick.scopes().into_iter().chain(scopes()) {
        let family = Family::new(&scope);
        let sets = (0..family.starts()).map(|i| family.raw_starting_at(i));
        assert_eq!(sets.sum::<u64>(), scope.raw_len(), "{scope}");
    }
}
