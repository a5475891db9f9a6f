//! Coverage of the rules of shapes, of projections and of sizes: for each rule a smallest constraint set in which it
//! fires and, where that is possible, one in which it fails; for each premise one in which it does not hold. Generated
//! from runs and from the table of the rules' premises.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::premises::{
    Case, all, each_firing, nothing_known, of_projections, of_shapes, read_by_projections,
};
use super::situations::SITUATIONS;
use super::sized_sets::sized_sets;
use lozenge_spec::bounds::Bounds;
use lozenge_spec::sizes::Sizes;
use lozenge_spec::{Options, solve};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Rule, Tag};

/// A premise: its rule, whether the rule refuses in its case, and its text.
type Key = (Rule, bool, &'static str);

/// Returns every premise, once for each rule, in the order of the document.
fn premises() -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for case in all() {
        for premise in &case.premises {
            let key = (case.rule, case.refuses(), premise.text);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

/// Returns the cases of a rule that does the same in several cases, each given by its premises.
fn cases(rule: Rule) -> Vec<String> {
    let mut cases = Vec::new();
    for refuses in [false, true] {
        let own = all().filter(|case| (case.rule, case.refuses()) == (rule, refuses));
        let mut own: Vec<String> = own.map(in_words).collect();
        own.dedup();
        if own.len() > 1 {
            cases.extend(own);
        }
    }
    cases
}

fn in_words(case: &Case) -> String {
    if case.premises.is_empty() {
        return "nothing is asked".to_string();
    }
    let asked: Vec<&str> = case.premises.iter().map(|premise| premise.text).collect();
    asked.join(" and ")
}

/// Everything that was met, each with the first set in which it occurred.
#[derive(Default)]
pub struct Coverage {
    fires: BTreeMap<Rule, String>,
    fails: BTreeMap<Rule, String>,
    /// Cases of rules that have several.
    cases: BTreeMap<(Rule, String), String>,
    /// Premises that did not hold of a constraint of the rule's relation.
    unmet: BTreeMap<Key, String>,
    situations: BTreeMap<usize, String>,
}

/// Goes through small sets, each once without leaves, once with all variables as leaves and once with all as
/// parameters.
pub fn coverage() -> Coverage {
    let dims: Vec<Dim> = [Some(Dim::Unit), Dim::new(3), Dim::new(5)]
        .into_iter()
        .flatten()
        .collect();
    let scopes = [
        Scope {
            constraints: 1,
            axes: 1,
            dims: dims.clone(),
            dim_vars: 2,
            row_vars: 2,
        },
        Scope {
            constraints: 1,
            axes: 2,
            dims: vec![],
            dim_vars: 1,
            row_vars: 2,
        },
        Scope {
            constraints: 1,
            axes: 2,
            dims: dims.clone(),
            dim_vars: 1,
            row_vars: 0,
        },
        Scope {
            constraints: 2,
            axes: 0,
            dims,
            dim_vars: 2,
            row_vars: 2,
        },
        Scope {
            constraints: 2,
            axes: 1,
            dims: vec![],
            dim_vars: 1,
            row_vars: 2,
        },
    ];
    let mut coverage = Coverage::default();
    for family in scopes.iter().map(Family::new) {
        for set in (0..family.starts()).flat_map(|i| family.starting_at(i)) {
            for tag in [Tag::Interior, Tag::Leaf, Tag::Param] {
                let mut set = set.clone();
                if tag != Tag::Interior {
                    set.tags = set.vars().into_iter().map(|v| (v, tag)).collect();
                }
                coverage.take(&set);
            }
        }
    }
    for set in sized_sets() {
        coverage.take(&set);
    }
    coverage
}

/// Returns every rule whose premises are derived: those that the document prints, and those of sizes (§8) on shapes.
fn rules() -> impl Iterator<Item = &'static Rule> {
    let of_sizes = Rule::OF_SIZES.iter().filter(|rule| rule.is_of_shapes());
    Rule::ALL.iter().chain(of_sizes)
}

impl Coverage {
    /// Returns the coverage of one set.
    pub fn of(set: &ConstraintSet) -> Coverage {
        let mut coverage = Coverage::default();
        coverage.take(set);
        coverage
    }

    fn take(&mut self, set: &ConstraintSet) {
        let options = Options {
            close: true,
            ..Options::default()
        };
        let run = solve(set, &options);
        let text = || set.to_string().trim_end().replace('\n', "; ");
        for step in run.config.trace.iter().flatten() {
            self.fires.entry(step.rule).or_insert_with(text);
        }
        if let Some(failure) = run.failure() {
            self.fails.entry(failure.rule).or_insert_with(text);
        }
        for (index, (_, _, is_met)) in SITUATIONS.iter().enumerate() {
            if !self.situations.contains_key(&index) && is_met(set, &run) {
                self.situations.insert(index, text());
            }
        }
        self.take_shapes(set, &text);
        for constraint in &set.constraints {
            self.take_projections(constraint, &text);
        }
    }

    /// Solves the set once more, and evaluates the premises for each constraint at the moment when it is processed.
    fn take_shapes(&mut self, set: &ConstraintSet, text: &dyn Fn() -> String) {
        each_firing(set, |constraint, sizes, _| {
            self.take_cases(of_shapes(constraint), constraint, sizes, text);
        });
    }

    /// Reads a constraint between two closed rows without variables as an operation on two tensors, the result first.
    fn take_projections(&mut self, constraint: &Constraint, text: &dyn Fn() -> String) {
        let bounds = Bounds::default();
        let nothing = nothing_known(&bounds);
        let read = read_by_projections(constraint);
        let met: Vec<&Case> = read
            .iter()
            .flat_map(|c| {
                of_projections(c)
                    .iter()
                    .filter(|case| case.is_met(c, nothing))
            })
            .collect();
        let refused = met.iter().any(|case| case.refuses());
        for case in met {
            if case.refuses() {
                self.fails.entry(case.rule).or_insert_with(text);
            } else if !refused {
                self.fires.entry(case.rule).or_insert_with(text);
            }
        }
        for constraint in &read {
            self.take_cases(of_projections(constraint), constraint, nothing, text);
        }
    }

    fn take_cases(
        &mut self,
        cases: &'static [Case],
        constraint: &Constraint,
        sizes: Sizes,
        text: &dyn Fn() -> String,
    ) {
        for case in cases {
            if case.is_met(constraint, sizes) {
                self.cases
                    .entry((case.rule, in_words(case)))
                    .or_insert_with(text);
            }
            for premise in &case.premises {
                let key = (case.rule, case.refuses(), premise.text);
                if !self.unmet.contains_key(&key) && !(premise.holds)(constraint, sizes) {
                    self.unmet.insert(key, text());
                }
            }
        }
    }

    /// Rules that neither fire nor fail, premises that always hold, and cases and situations that are never met.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for rule in rules() {
            if !self.fires.contains_key(rule) && !self.fails.contains_key(rule) {
                missing.push(rule.to_string());
            }
            let never = cases(*rule).into_iter().filter(|case| {
                let key = (*rule, case.clone());
                !self.cases.contains_key(&key)
            });
            missing.extend(never.map(|case| format!("{rule} where {case}")));
        }
        let always = premises()
            .into_iter()
            .filter(|key| !self.unmet.contains_key(key));
        missing.extend(always.map(|(rule, _, what)| format!("{rule}: {what}")));
        let situations = SITUATIONS.iter().enumerate();
        let never = situations.filter(|(index, _)| !self.situations.contains_key(index));
        missing.extend(never.map(|(_, (rule, what, _))| format!("{rule}: {what}")));
        missing
    }

    /// Returns a line for each rule, each premise, each case of a rule that has several, and each situation.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# Generated from runs: where each rule fires and fails, and where each premise does not hold.\n",
        );
        for rule in rules() {
            for (what, sets) in [("fires", &self.fires), ("fails", &self.fails)] {
                if let Some(set) = sets.get(rule) {
                    let _ = writeln!(text, "{rule} {what}: {set}");
                }
            }
            for key in premises().into_iter().filter(|(own, ..)| own == rule) {
                if let Some(set) = self.unmet.get(&key) {
                    let (_, refuses, what) = key;
                    let asks = if refuses {
                        "refuses only where"
                    } else {
                        "needs that"
                    };
                    let _ = writeln!(text, "{rule} {asks} {what}; not so in: {set}");
                }
            }
            for case in cases(*rule) {
                if let Some(set) = self.cases.get(&(*rule, case.clone())) {
                    let _ = writeln!(text, "{rule} where {case}: {set}");
                }
            }
            let situations = SITUATIONS.iter().enumerate();
            for (index, (_, what, _)) in situations.filter(|(_, (own, ..))| own == rule) {
                if let Some(set) = self.situations.get(&index) {
                    let _ = writeln!(text, "{rule}: {what}: {set}");
                }
            }
        }
        text
    }
}
