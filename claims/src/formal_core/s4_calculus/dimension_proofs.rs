//! Def. 4.2 in Z3. The code of `lozenge-spec` runs on every small set of dimension constraints. Each step is compared
//! with the constraint that it consumed, where the atoms of the set stand for any two atoms.

use std::collections::{BTreeMap, BTreeSet};

use crate::machinery::{Effort, Finding};
use lozenge_spec::trace::TraceEntry;
use lozenge_spec::{Options, Run, solve};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim as Letter, DimTerm, Rule, Var};
use z3::ast::Bool;

use crate::symbolic::prover::{Dim, Prover};

const RULES: [Rule; 11] = [
    Rule::DeRefl,
    Rule::DeClash,
    Rule::DeBind,
    Rule::DiTop,
    Rule::DiRefl,
    Rule::DiGround,
    Rule::DiPin,
    Rule::DiPinTop,
    Rule::DiCap,
    Rule::DiAdj,
    Rule::DiAntisym,
];

/// Returns the scope of sets that have dimension constraints only: rows have no axes and no variables.
fn scope(constraints: usize, atoms: &[u64], dim_vars: usize) -> Scope {
    let atoms = atoms.iter().filter_map(|size| Letter::new(*size));
    Scope {
        constraints,
        axes: 0,
        dims: std::iter::once(Letter::Unit).chain(atoms).collect(),
        dim_vars,
        row_vars: 0,
    }
}

/// Proves that, given the known facts, every step of every run is an equivalence, and every refused constraint cannot
/// hold.
pub fn rules(effort: Effort) -> Finding {
    let mut scopes = vec![scope(1, &[3, 5], 2), scope(2, &[3, 5], 2), scope(3, &[], 3)];
    if effort != Effort::Quick {
        scopes.push(scope(3, &[3, 5], 3));
    }
    let mut proof = Proof::new();
    for family in scopes.iter().map(Family::new) {
        for set in (0..family.starts()).flat_map(|i| family.starting_at(i)) {
            proof.run(&set);
        }
    }
    let unmet: Vec<&str> = RULES
        .iter()
        .filter(|rule| !proof.met.contains(rule))
        .map(|rule| rule.name())
        .collect();
    let all_met = Bool::from_bool(unmet.is_empty());
    proof
        .prover
        .prove(&[], &all_met, || format!("never met: {unmet:?}"));
    let words: Vec<String> = scopes.iter().map(Scope::to_string).collect();
    proof
        .prover
        .finding(&format!(
            "each step of each run on all sets up to symmetry, 3 and 5 standing for any two atoms: {}",
            words.join("; ")
        ))
        .within("up to 3 constraints")
}

struct Proof {
    prover: Prover,
    met: BTreeSet<Rule>,
    atoms: BTreeMap<Letter, Dim>,
}

impl Proof {
    fn new() -> Proof {
        let atoms = [3, 5].into_iter().filter_map(Letter::new);
        Proof {
            prover: Prover::new(),
            met: BTreeSet::new(),
            atoms: atoms
                .map(|atom| (atom.clone(), Dim::any(&format!("atom {atom}"))))
                .collect(),
        }
    }

    fn dim(&self, term: &DimTerm) -> Dim {
        match term {
            DimTerm::Var(var) => Dim::any(var.name()),
            DimTerm::Const(Letter::Unit) => Dim::unit(),
            DimTerm::Const(atom) => self.atoms.get(atom).cloned().unwrap_or_else(Dim::unit),
        }
    }

    /// Returns the meaning of a constraint of Def. 4.2; one between rows without axes always holds.
    fn says(&self, constraint: &Constraint) -> Bool {
        match constraint {
            Constraint::DimEq(a, b) => self.dim(a).equals(&self.dim(b)),
            Constraint::DimLe(a, b) => self.dim(a).below(&self.dim(b)),
            _ => Bool::from_bool(true),
        }
    }

    /// States that every dimension is well-formed, and that the two atoms differ.
    fn known(&self, set: &ConstraintSet) -> Vec<Bool> {
        let mut known: Vec<Bool> = Vec::new();
        for var in set.vars() {
            if let Var::Dim(var) = var {
                known.push(self.dim(&var.into()).well_formed());
            }
        }
        let atoms: Vec<&Dim> = self.atoms.values().collect();
        for atom in &atoms {
            known.extend([atom.well_formed(), atom.is_unit().not()]);
        }
        known.extend(atoms.windows(2).map(|pair| pair[0].equals(pair[1]).not()));
        known
    }

    fn run(&mut self, set: &ConstraintSet) {
        let run: Run = solve(set, &Options::default());
        let mut known = self.known(set);
        for step in run.config.trace.iter().flatten() {
            self.step(&mut known, step);
        }
        if let Some(failure) = run.failure() {
            self.met.insert(failure.rule);
            known.push(self.says(&failure.constraint));
            let never = Bool::from_bool(false);
            self.prover
                .prove(&known, &never, || format!("{set}refused: {failure}"));
        }
    }

    /// Proves that, given everything stored and bound before, the consumed constraint is equivalent to what the step
    /// leaves of it.
    fn step(&mut self, known: &mut Vec<Bool>, step: &TraceEntry) {
        self.met.insert(step.rule);
        let Some(consumed) = &step.constraint else {
            return;
        };
        let mut kept: Vec<Bool> = step.stored.iter().map(|c| self.says(c)).collect();
        if let Some((Var::Dim(var), value)) = &step.bound {
            let value = value.parse::<DimTerm>().map(|term| self.dim(&term));
            let own = self.dim(&var.clone().into());
            kept.push(value.map_or(Bool::from_bool(false), |value| own.equals(&value)));
        }
        let emitted = step.emitted.iter().map(|c| self.says(c));
        let left: Vec<Bool> = kept.iter().cloned().chain(emitted).collect();
        let goal = self.says(consumed).iff(Bool::and(&left));
        self.prover
            .prove(known, &goal, || format!("{consumed}: {step}"));
        known.extend(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(constraint: &str, emitted: &[&str], stored: Option<&str>) -> TraceEntry {
        TraceEntry {
            rule: Rule::DiAdj,
            constraint: constraint.parse().ok(),
            inputs: Vec::new(),
            emitted: emitted.iter().filter_map(|c| c.parse().ok()).collect(),
            bound: None,
            stored: stored.and_then(|c| c.parse().ok()),
        }
    }

    fn refuted(before: Option<TraceEntry>, wrong: TraceEntry) -> bool {
        let mut proof = Proof::new();
        let set: ConstraintSet = "a <= b\nc <= a".parse().unwrap();
        let mut known = proof.known(&set);
        if let Some(before) = before {
            proof.step(&mut known, &before);
        }
        proof.step(&mut known, &wrong);
        proof.prover.finding("").witness.is_some()
    }

    #[test]
    fn a_wrong_step_is_refuted() {
        let cap = || Some(step("3 <= a", &[], Some("3 <= a")));
        assert!(!refuted(cap(), step("a <= b", &["3 <= b"], Some("a <= b"))));
        assert!(
            refuted(None, step("a <= b", &["3 <= b"], Some("a <= b"))),
            "no cap is known"
        );
        assert!(!refuted(cap(), step("5 <= a", &["a = 1_"], None)));
        assert!(
            refuted(cap(), step("5 <= a", &["a = 5"], None)),
            "the second atom wins"
        );
        assert!(
            refuted(None, step("a <= 1_", &["a = 1_"], None)),
            "a pin at the top"
        );
        assert!(
            refuted(None, step("1_ <= a", &[], None)),
            "the top is above nothing else"
        );
    }

    #[test]
    fn the_rules_are_proved() {
        let finding = rules(Effort::Quick);
        assert!(finding.witness.is_none(), "{:?}", finding.witness);
        assert!(finding.instances > 500, "{}", finding.instances);
    }
}
