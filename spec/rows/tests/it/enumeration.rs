//! The rules compared with enumeration: no `unsat` where a solution was enumerated, no `sat` without one.

use lozenge_spec::{Options, Strategy, solve};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, Order, RowTerm, RowVar, Verdict,
};
use proptest::collection::vec;
use proptest::prelude::Strategy as Generator;
use proptest::prelude::*;

fn dim_term() -> impl Generator<Value = DimTerm> {
    prop_oneof![
        1 => Just(DimTerm::Const(Dim::Unit)),
        2 => prop_oneof![Just(3), Just(5)].prop_map(|n| DimTerm::Const(Dim::new(n).unwrap())),
        2 => prop_oneof![Just("a"), Just("b")].prop_map(|n| DimTerm::Var(DimVar::new(n))),
    ]
}

fn row_term() -> impl Generator<Value = RowTerm> {
    let var = prop_oneof![1 => Just(None), 3 => prop_oneof![Just("r"), Just("s")].prop_map(|n| Some(RowVar::new(n)))];
    (vec(dim_term(), 0..3), var, vec(dim_term(), 0..3)).prop_map(|(leading, var, trailing)| {
        RowTerm {
            leading,
            var,
            trailing,
        }
    })
}

fn constraint() -> impl Generator<Value = Constraint> {
    prop_oneof![
        1 => (dim_term(), dim_term()).prop_map(|(a, b)| Constraint::DimEq(a, b)),
        1 => (dim_term(), dim_term()).prop_map(|(a, b)| Constraint::DimLe(a, b)),
        3 => (row_term(), row_term()).prop_map(|(a, b)| Constraint::RowEq(a, b)),
        4 => (row_term(), row_term()).prop_map(|(a, b)| Constraint::RowLe(a, b)),
    ]
}

fn universe() -> Universe {
    let dims = vec![Dim::Unit, Dim::new(3).unwrap(), Dim::new(5).unwrap()];
    Universe { dims, rank: 2 }
}

fn agrees(
    constraints: Vec<Constraint>,
    strategy: Strategy,
    order: Order,
    close: bool,
) -> Result<(), TestCaseError> {
    let set = ConstraintSet::from_iter(constraints);
    let run = solve(
        &set,
        &Options {
            strategy,
            order,
            close,
            ..Options::default()
        },
    );
    let solution = || Solutions::new(&set, &universe(), order).next();
    match run.verdict() {
        Verdict::Sat => {
            let gamma = run.greatest().unwrap();
            prop_assert_eq!(
                gamma.first_violated(&set.constraints, order),
                None,
                "\n{}\n{}",
                &set,
                gamma
            );
        }
        Verdict::Unsat => {
            if let Some(gamma) = solution() {
                return Err(TestCaseError::fail(format!(
                    "{set}\nhas\n{gamma}\nbut {}",
                    run.failure().unwrap()
                )));
            }
        }
        Verdict::Rejected => prop_assert!(!run.failure().unwrap().commitments.is_empty()),
        Verdict::Unknown => return Err(TestCaseError::fail(format!("no end:\n{set}"))),
    }
    Ok(())
}

#[test]
fn a_set_without_variables_has_one_solution_or_none() {
    let solutions = |text: &str| {
        let set: ConstraintSet = text.parse().unwrap();
        Solutions::new(&set, &universe(), Order::Marked).count()
    };
    assert_eq!(solutions("3 = 3\n[3 <> 5] <= [3 <>]"), 1);
    assert_eq!(solutions("3 = 3\n[3 <> 5] <= [5 <>]"), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn marked(constraints in vec(constraint(), 1..5), seed in any::<u64>(), close in any::<bool>()) {
        for strategy in [Strategy::First, Strategy::Last, Strategy::Random(seed), Strategy::Adversarial] {
            agrees(constraints.clone(), strategy, Order::Marked, close)?;
        }
    }

    #[test]
    fn one_shot(constraints in vec(constraint(), 1..5), seed in any::<u64>(), close in any::<bool>()) {
        for strategy in [Strategy::First, Strategy::Random(seed)] {
            agrees(constraints.clone(), strategy, Order::OneShot, close)?;
        }
    }
}
