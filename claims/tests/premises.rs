//! The derived premises are those of the rules on constraints that are larger than the ones from which they are derived.

use std::collections::BTreeSet;

use lozenge_claims::premises::{
    Case, Effect, Elaboration, all, each_firing, elaboration, of_projections, of_shapes,
    read_by_projections, sets,
};
use lozenge_spec::bounds::Bounds;
use lozenge_testkit::sets::Scope;
use lozenge_vocabulary::{Constraint, Dim, Rule};

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

/// The cases that are met.
fn met(cases: &[Case], constraint: &Constraint, bounds: &Bounds) -> BTreeSet<(Rule, Effect)> {
    let met = cases.iter().filter(|case| case.is_met(constraint, bounds));
    met.map(|case| (case.rule, case.effect)).collect()
}

#[test]
fn the_rule_that_fires_is_that_of_the_cases_that_are_met() {
    let scopes = [
        scope(1, 2, atoms(), 1, 2),
        scope(1, 3, vec![], 1, 2),
        scope(2, 0, atoms(), 2, 2),
        scope(2, 1, vec![], 1, 2),
    ];
    let mut seen = BTreeSet::new();
    for set in sets(&scopes) {
        each_firing(&set, |constraint, bounds, firing| {
            let does = (firing.rule, Effect::of(firing, constraint));
            let met = met(of_shapes(constraint), constraint, bounds);
            assert_eq!(met, BTreeSet::from([does]), "{constraint} in {set}");
            seen.insert(does);
        });
    }
    let shapes = all().filter(|case| case.rule.is_of_shapes());
    let cases: BTreeSet<_> = shapes.map(|case| (case.rule, case.effect)).collect();
    assert_eq!(seen, cases);
}

#[test]
fn the_projection_rules_give_equations_exactly_where_a_case_of_theirs_is_met() {
    let mut tried = 0;
    for set in sets(&[
        scope(1, 2, atoms(), 0, 0),
        scope(1, 3, Dim::new(3).into_iter().collect(), 0, 0),
    ]) {
        let [constraint] = &set.constraints[..] else {
            continue;
        };
        let Some(found) = elaboration(constraint) else {
            continue;
        };
        let read = read_by_projections(constraint);
        let met = |c| met(of_projections(c), c, &Bounds::default());
        let met: BTreeSet<(Rule, Effect)> = read.iter().flat_map(met).collect();
        let refused: Vec<Rule> = met
            .iter()
            .filter(|(_, effect)| *effect == Effect::Refuses)
            .map(|(rule, _)| *rule)
            .collect();
        match found {
            Elaboration::Refused(rule) => assert!(refused.contains(&rule), "{constraint}"),
            Elaboration::Equations(rules) => {
                let acting: BTreeSet<Rule> = met.into_iter().map(|(rule, _)| rule).collect();
                assert_eq!(acting, rules, "{constraint}");
                assert!(refused.is_empty(), "{constraint}");
            }
        }
        tried += 1;
    }
    assert!(tried > 400, "{tried}");
}

/// The premises as they are derived, to be read beside the printed lines.
#[test]
fn the_premises_are_these() {
    let lines = all().map(|case| {
        let premises: Vec<&str> = case.premises.iter().map(|premise| premise.text).collect();
        let premises = match premises[..] {
            [] => "always".to_string(),
            _ => premises.join(", "),
        };
        format!("{} {:?}: {premises}\n", case.rule, case.effect)
    });
    insta::assert_snapshot!(lines.collect::<String>());
}
