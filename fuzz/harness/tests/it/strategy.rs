//! The strategies: their inputs pass the targets, and a failing input is made small.
#![cfg(feature = "proptest")]

use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::strategy::Inputs;
use lozenge_fuzz::subject::Subject;
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::sets::Sets;
use lozenge_fuzz::subjects::systems::Systems;
use lozenge_fuzz::subjects::target;
use lozenge_vocabulary::Constraint;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

fn inputs<S: Subject>(name: &str) -> Inputs<S> {
    Inputs(target(name).expect("the target"))
}

proptest! {
    #[test]
    fn closing_agrees(input in inputs::<Sets>("closing")) {
        let examined = inputs::<Sets>("closing").0.examine(&input, &mut Parties::default());
        let outcome = examined.map(|examined| examined.outcome);
        prop_assert!(!matches!(outcome, Some(Outcome::Disagree(_)) | None), "{input}\n{outcome:?}");
    }

    #[test]
    fn projections_agree(input in inputs::<Systems>("projection")) {
        let examined = inputs::<Systems>("projection").0.examine(&input, &mut Parties::default());
        prop_assert_eq!(examined.map(|examined| examined.outcome), Some(Outcome::Agree));
    }
}

#[test]
fn what_fails_is_made_small() {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    let result = runner.run(&inputs::<Sets>("spec_solver"), |set| {
        let mut constraints = set.constraints.iter();
        prop_assert!(!constraints.any(|c| matches!(c, Constraint::RowLe(..))));
        Ok(())
    });
    match result {
        Err(TestError::Fail(_, least)) => assert_eq!(least.to_string(), "[] <= []\n"),
        other => panic!("{other:?}"),
    }
}
