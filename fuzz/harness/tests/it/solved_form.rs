//! The solver's statements about values, compared with Z3: a value called forced is the same in every solution.
//! `LOZENGE_SETS` asks for more sets than the test run compares.

use std::collections::BTreeMap;
use std::time::Duration;

use lozenge_fuzz::subjects::sets as parties;
use lozenge_oracle::{Entailment, Oracle};
use lozenge_solver::{Problem, SolvedForm, Solver};
use lozenge_testkit::generate::{Knobs, indexed};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, DimTerm, Row, RowTerm, RowVar, Var};

const KNOBS: Knobs = Knobs {
    constraints: 5,
    flank: 2,
    dim_vars: 3,
    row_vars: 3,
    atoms: 2,
    tags: false,
};

fn closed(row: &Row) -> RowTerm {
    let terms = |dims: &[Dim]| dims.iter().cloned().map(DimTerm::Const).collect();
    RowTerm {
        leading: terms(&row.leading),
        var: None,
        trailing: terms(&row.trailing),
    }
}

fn bare(var: &RowVar) -> RowTerm {
    RowTerm {
        leading: Vec::new(),
        var: Some(var.clone()),
        trailing: Vec::new(),
    }
}

/// Returns the constraints that hold in every solution according to a solved form, each with its variable and part of
/// the form.
fn promised(form: &SolvedForm) -> Vec<(&'static str, Var, Constraint)> {
    let dims = form.forced.dims.iter().map(|(var, dim)| {
        let value = DimTerm::Const(dim.clone());
        let equation = Constraint::DimEq(DimTerm::Var(var.clone()), value);
        ("forced", Var::Dim(var.clone()), equation)
    });
    let axes = |part: &'static str, var: &RowVar, row: &Row| {
        let equation = Constraint::RowEq(bare(var), closed(row));
        (part, Var::Row(var.clone()), equation)
    };
    let forced = form.forced.rows.iter().flat_map(move |(var, row)| {
        let (term, value) = (bare(var), closed(row));
        let below = Constraint::RowLe(term.clone(), value.clone());
        let above = Constraint::RowLe(value, term);
        let marker = [below, above].map(|c| ("forced", Var::Row(var.clone()), c));
        [axes("forced", var, row)].into_iter().chain(marker)
    });
    let placed = form.placed.rows.iter();
    dims.chain(forced)
        .chain(placed.map(move |(var, row)| axes("placed", var, row)))
        .collect()
}

fn form_of(set: &ConstraintSet) -> Option<SolvedForm> {
    let mut solver = Solver::new(Problem::from(set));
    solver.solve().ok()?;
    Some(solver.solution().solved_form())
}

#[test]
fn what_is_called_forced_is_shared_by_all_solutions() {
    let asked = std::env::var("LOZENGE_SETS").ok();
    let sets = asked.and_then(|n| n.parse().ok()).unwrap_or(14_000);
    let oracle: Oracle = parties::oracle(Duration::from_secs(10));
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for index in 0..sets {
        let set = indexed(11, index, &KNOBS);
        let Some(form) = form_of(&set) else { continue };
        for part in [&form.free, &form.chosen] {
            *seen.entry("free or chosen").or_default() +=
                (part.dims.len() + part.rows.len()) as u64;
        }
        for (part, var, constraint) in promised(&form) {
            match oracle.entails(&set, &constraint) {
                Entailment::Holds => *seen.entry(part).or_default() += 1,
                Entailment::Unknown(_) => *seen.entry("unknown").or_default() += 1,
                Entailment::Fails(other) => {
                    panic!("{index}: {var} is called {part}, but {other} is a solution of\n{set}")
                }
            }
        }
    }
    println!("{seen:?}");
    let least = |part: &str| seen.get(part).is_some_and(|count| *count > sets / 200);
    assert!(
        ["forced", "placed", "free or chosen"]
            .into_iter()
            .all(least)
    );
}
