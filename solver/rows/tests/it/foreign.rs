//! Numbers, refusals and decisions of another problem are answered without a panic. References have a brand:
//! `embedding.rs`.

use lozenge_solver::project::{Projector, solve_equations};
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Region, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::{Row, Var};

const SETS: [&str; 5] = [
    "",
    "a = 3",
    "<r> ~ [2, 3]\n<r> <= [x <s>]\nx = 5",
    "<a> ~ [<b> 2]\n<b> ~ [3 <c>]\n<c> <= []\n<a> ~ []",
    "whole = a ^ b\na = 3\nb = 4\nwhole = 8\n<p> <= [whole]\n<p> ~ [9]",
];

fn solver(text: &str) -> Solver {
    Solver::new(Problem::parse(text).expect(text))
}

#[test]
fn answers_of_another_problem_are_no_panic() {
    let (mut refusals, mut decisions) = (0, 0);
    for (one, other) in SETS.iter().flat_map(|one| SETS.map(|other| (*one, other))) {
        let (mut mine, mut yours) = (solver(one), solver(other));
        if let Err(refusal) = yours.close() {
            mine.certify_refusal(&refusal);
            refusals += 1;
        }
        let decision = solver(other).decide();
        decisions += usize::from(decision.solution.is_some());
        mine.forced(&decision);
        let _ = mine.close();
        mine.cited(&[0, 1, 1_000_000, usize::MAX]);
        for index in [0, 1_000_000, usize::MAX] {
            let problem = mine.problem();
            let _ = (
                problem.constraint(index),
                problem.span(index),
                problem.label_of(index),
            );
        }
        for var in yours.problem().to_set().vars() {
            mine.explain(&var);
            mine.solution().standing(&var);
            if let Var::Row(row) = &var {
                mine.solution().row(row.name());
            }
        }
        let solution = mine.solution();
        let mut values = solution.values();
        values.arrange_dims(&[1_000_000, u32::MAX, 0, 0]);
        values.arrange_rows(&[1_000_000, u32::MAX, 0, 0]);
        assert!(values.dims().count() <= 2 && values.rows().count() <= 2);
    }
    assert!(refusals >= 5 && decisions >= 5, "{refusals} {decisions}");
}

#[test]
fn an_operation_with_foreign_slots_has_no_index_maps() {
    let side = |slot| Side::Slot(slot, Kind::Output);
    let operation = |slots: &[usize], requirements: Vec<Requirement>, region| Operation {
        slots: slots.iter().copied().map(TensorId).collect(),
        requirements: requirements.into(),
        pins: Default::default(),
        region,
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Identity,
    };
    let shape = Shape {
        output: "[2, 3]".parse::<Row>().unwrap(),
        ..Shape::default()
    };
    let mut projector = Projector::default();
    for slot in [2, 1_000_000, usize::MAX] {
        for requirement in [
            Requirement::Equal(side(slot), side(0)),
            Requirement::Equal(Side::Template("[a, b]".parse().unwrap()), side(slot)),
            Requirement::Below(side(0), side(slot)),
        ] {
            let found = projector.project(&operation(&[0, 1], vec![requirement], None), |_| &shape);
            assert!(found.is_err(), "{found:?}");
        }
        let region = Region {
            visited: [(slot, slot)].into(),
            unread: [slot].into(),
            ..Region::default()
        };
        let below = vec![Requirement::Below(side(0), side(1))];
        let _ = projector.project(&operation(&[0, 1], below, Some(Box::new(region))), |_| {
            &shape
        });
        let axis = AxisId { slot, axis: 0 };
        let beyond = AxisId {
            slot: 0,
            axis: slot,
        };
        assert!(projector.explain_axis(axis).is_none());
        assert!(projector.explain_axis(beyond).is_none());
        assert!(projector.explain_factor(slot).is_none());
        for id in [axis, beyond] {
            let equation = Equation::Eq(Atom::Proj(id), Atom::Proj(AxisId { slot: 0, axis: 0 }));
            assert!(solve_equations(&[equation], &[vec![2, 3]]).is_err());
        }
    }
    let without = projector.project(&operation(&[], Vec::new(), None), |_| &shape);
    assert!(without.is_ok_and(|found| found.maps.is_empty()));
}

#[test]
fn why_a_problem_does_not_accept_something_is_told_in_words() {
    let mut problem = Problem::new();
    let foreign = Problem::new().dim("a").expect("a name");
    let mut told = vec![problem.equal_dims(foreign, foreign).expect_err("foreign")];
    told.push(problem.dim("2a").expect_err("no name"));
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    let no_name = r#""2a" is no name: write a letter or `_`, then letters, digits, `_` or `'`"#;
    assert_eq!(told[1], no_name);
    assert!(
        told[0].contains("belongs to another problem"),
        "{}",
        told[0]
    );
}
