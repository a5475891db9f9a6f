//! The table of premises agrees with the rules on every small constraint.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_spec::bounds::Bounds;
use lozenge_spec::configuration::Configuration;
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::premises::{Case, all, of_projections, of_shapes, read_by_projections};
use lozenge_spec::rules::RULES;
use lozenge_spec::solve::{Options, Runner};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Rule};

fn sets(scopes: &[Scope]) -> impl Iterator<Item = ConstraintSet> {
    let families = scopes.iter().map(Family::new);
    families.flat_map(|family| {
        let starts: Vec<_> = (0..family.starts())
            .flat_map(|i| family.starting_at(i))
            .collect();
        starts
    })
}

fn atoms() -> Vec<Dim> {
    let dims = [Some(Dim::Unit), Dim::new(1), Dim::new(3)];
    dims.into_iter().flatten().collect()
}

fn scope(
    constraints: usize,
    axes: usize,
    dims: Vec<Dim>,
    dim_vars: usize,
    row_vars: usize,
) -> Scope {
    Scope {
        constraints,
        axes,
        dims,
        dim_vars,
        row_vars,
    }
}

/// The cases that are met, each by its place.
fn met<'a>(cases: &'a [Case], constraint: &Constraint, bounds: &Bounds) -> Vec<&'a Case> {
    cases
        .iter()
        .filter(|case| case.is_met(constraint, bounds))
        .collect()
}

#[test]
fn the_rule_that_fires_is_that_of_the_only_case_that_is_met() {
    let scopes = [
        scope(1, 2, atoms(), 1, 2),
        scope(2, 0, atoms(), 2, 2),
        scope(2, 1, vec![], 1, 2),
    ];
    let mut seen: BTreeMap<(Rule, bool), usize> = BTreeMap::new();
    for set in sets(&scopes) {
        let mut config = Configuration::new(&set, false);
        let mut runner = Runner::new(RULES, &Options::default());
        while let Some(next) = config
            .next
            .clone()
            .or_else(|| config.pending.front().cloned())
        {
            let constraint = config.substituted(&next).constraint;
            let firing = RULES.fire(&constraint, &config);
            let met = met(of_shapes(&constraint), &constraint, &config.bounds);
            let [case] = met[..] else {
                panic!("{constraint} in {set}: {met:?}")
            };
            let does = (firing.rule, firing.fails.is_some());
            assert_eq!((case.rule, case.refuses), does, "{constraint} in {set}");
            *seen.entry(does).or_default() += 1;
            if runner.step(&mut config).is_err() {
                break;
            }
        }
    }
    let unseen = all().filter(|case| case.rule.is_of_shapes());
    let unseen: Vec<_> = unseen
        .filter(|case| !seen.contains_key(&(case.rule, case.refuses)))
        .collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

fn operation(constraint: &Constraint) -> Operation {
    let [low, high] = [0, 1].map(|slot| Side::Slot(slot, Kind::Output));
    Operation {
        slots: vec![TensorId(0), TensorId(1)],
        requirements: vec![match constraint {
            Constraint::RowEq(..) => Requirement::Equal(low, high),
            _ => Requirement::Below(low, high),
        }]
        .into(),
        pins: BTreeMap::new(),
        region: Default::default(),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    }
}

/// P4 emits the equations of P1 on its pairs, so that no equation carries the name of P4.
#[test]
fn the_projection_rules_give_equations_exactly_where_a_case_of_theirs_is_met() {
    let mut tried = 0;
    for set in sets(&[scope(1, 2, atoms(), 0, 0)]) {
        let [constraint] = &set.constraints[..] else {
            continue;
        };
        let (Constraint::RowEq(a, b) | Constraint::RowLe(a, b)) = constraint else {
            continue;
        };
        let (Some(a), Some(b)) = (a.ground(), b.ground()) else {
            continue;
        };
        let read = read_by_projections(constraint);
        let met: Vec<&Case> = read
            .iter()
            .flat_map(|c| met(of_projections(c), c, &Bounds::default()))
            .collect();
        let shape = |tensor: TensorId| Shape {
            output: [&a, &b][tensor.0].clone(),
            ..Shape::default()
        };
        let found = elaborate(&operation(constraint), shape);
        assert_eq!(
            found.is_err(),
            met.iter().any(|case| case.refuses),
            "{constraint}: {found:?}"
        );
        if let Ok(found) = found {
            let given: BTreeSet<Rule> = found.equations.iter().map(|(rule, _)| *rule).collect();
            let mut expected: BTreeSet<Rule> = met.iter().map(|case| case.rule).collect();
            expected.remove(&Rule::P4);
            assert_eq!(given, expected, "{constraint}");
        }
        tried += 1;
    }
    assert!(tried > 400, "{tried}");
}
