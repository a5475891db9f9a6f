//! The derived premises are those of the rules on constraints that are larger than the ones from which they are
//! derived.

use std::collections::BTreeSet;

use lozenge_claims::premises::{
    Case, Effect, Elaboration, all, each_firing, elaboration, nothing_known, of_projections,
    of_shapes, read_by_projections, sets,
};
use lozenge_claims::sized_sets::{sized_sets, texts};
use lozenge_spec::bounds::Bounds;
use lozenge_spec::sizes::Sizes;
use lozenge_testkit::generate::windows;
use lozenge_testkit::sets::Scope;
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Rule};

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

/// Returns the cases that are met.
fn met(cases: &[Case], constraint: &Constraint, sizes: Sizes) -> BTreeSet<(Rule, Effect)> {
    let met = cases.iter().filter(|case| case.is_met(constraint, sizes));
    met.map(|case| (case.rule, case.effect)).collect()
}

/// Checks that each rule that fires on these sets is the one whose case is met, and returns the rules with their
/// effects.
fn fire_as_their_cases_say(sets: impl Iterator<Item = ConstraintSet>) -> BTreeSet<(Rule, Effect)> {
    let mut seen = BTreeSet::new();
    for set in sets {
        each_firing(&set, |constraint, sizes, firing| {
            let does = (firing.rule, Effect::of(firing, constraint));
            let met = met(of_shapes(constraint), constraint, sizes);
            assert_eq!(met, BTreeSet::from([does]), "{constraint} in {set}");
            seen.insert(does);
        });
    }
    seen
}

/// Returns the rules and effects that have a case.
fn with_a_case(is_meant: impl Fn(Rule) -> bool) -> BTreeSet<(Rule, Effect)> {
    let cases = all().filter(|case| is_meant(case.rule));
    cases.map(|case| (case.rule, case.effect)).collect()
}

#[test]
fn the_rule_that_fires_is_that_of_the_cases_that_are_met() {
    let scopes = [
        scope(1, 2, atoms(), 1, 2),
        scope(1, 3, vec![], 1, 2),
        scope(2, 0, atoms(), 2, 2),
        scope(2, 1, vec![], 1, 2),
    ];
    let seen = fire_as_their_cases_say(sets(&scopes));
    let printed = |rule: Rule| rule.is_of_shapes() && Rule::ALL.contains(&rule);
    assert_eq!(seen, with_a_case(printed));
}

/// The sets of campaigns have larger sizes, strides and margins than those from which the premises are derived, and
/// several constraints of sizes each.
#[test]
fn the_rule_of_sizes_that_fires_is_that_of_the_cases_that_are_met() {
    let drawn = (0..4_000).map(|index| windows::indexed(1, index));
    let seen = fire_as_their_cases_say(drawn.chain(sized_sets()));
    let of_sizes = |rule: Rule| Rule::OF_SIZES.contains(&rule);
    let missing: Vec<_> = with_a_case(of_sizes).difference(&seen).copied().collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every rule of sizes that reads one constraint has premises. The others read a whole run: a cycle, and what closing
/// leaves open.
#[test]
fn every_rule_that_reads_one_constraint_has_premises() {
    let with: BTreeSet<Rule> = all().map(|case| case.rule).collect();
    let without: Vec<Rule> = Rule::ALL
        .iter()
        .chain(Rule::OF_SIZES)
        .copied()
        .filter(|rule| rule.is_of_shapes() && !with.contains(rule))
        .collect();
    let of_runs = [
        Rule::RankCycle,
        Rule::CloseDeferred,
        Rule::CloseLeaf,
        Rule::CloseInterior,
        Rule::CoCycle,
        Rule::CloseBasis,
        Rule::CloseRow,
        Rule::CloseArith,
    ];
    assert_eq!(without, of_runs);
}

#[test]
fn every_text_is_a_set() {
    for text in texts() {
        let set = text.replace("; ", "\n").parse::<ConstraintSet>();
        assert!(set.is_ok(), "{text}");
    }
    assert!(texts().len() > 3_000, "{}", texts().len());
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
        let bounds = Bounds::default();
        let met = |c| met(of_projections(c), c, nothing_known(&bounds));
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
