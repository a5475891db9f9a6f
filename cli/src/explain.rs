//! `lozenge explain`: how a variable came to its value, or why the set is refused, as a numbered derivation.

pub mod program;

use std::collections::BTreeSet;

use lozenge::Check;
use lozenge_solver::{Derivation, Solver};
use lozenge_vocabulary::{Rule, Tag, Var};
use serde_json::json;

use crate::args;
use crate::input;
use crate::json::program::Derived;
use crate::report::{Problem, Report, Status};
use crate::solve;

/// Runs the command.
pub fn explain(args: &args::Explain) -> Result<Report, Problem> {
    match (input::is_program(&args.file), rule_name(args)) {
        (true, _) => program::of_program(args),
        (false, Some(name)) => of_rule(name),
        (false, None) => of_set(args),
    }
}

/// The argument, if it is not a file and looks like the name of a rule.
fn rule_name(args: &args::Explain) -> Option<&str> {
    let name = args.file.to_str()?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!args.file.exists() && !name.is_empty() && name.chars().all(word)).then_some(name)
}

/// Explains a rule, or a refusal by its code.
fn of_rule(name: &str) -> Result<Report, Problem> {
    let code = name.to_ascii_uppercase();
    if let Ok(check) = code.parse::<Check>() {
        let entry = lozenge::explain_check(check);
        return Ok(Report {
            text: format!("{entry}\n"),
            json: json!({"check": entry}),
            status: Status::Good,
        });
    }
    let entry = lozenge::explain_rule(name).map_err(Problem::new)?;
    Ok(Report {
        text: format!("{entry}\n"),
        json: json!({"rule": entry}),
        status: Status::Good,
    })
}

fn of_set(args: &args::Explain) -> Result<Report, Problem> {
    let problem = solve::asserted(input::constraints(&args.file)?.0)?;
    let mut solver = Solver::with(problem, args.limits.solving.into());
    let mentioned = solver.problem().to_set().vars();
    let wanted = match &args.var {
        Some(what) => {
            let var = variable(what)?;
            if !mentioned.contains(&var) {
                return Err(unmentioned(what, &mentioned));
            }
            vec![var]
        }
        None => mentioned.into_iter().collect(),
    };
    let outcome = match args.open {
        true => solver.solve(),
        false => solver.close(),
    };
    if let Err(refusal) = outcome {
        return Ok(solve::refused(&refusal, &solver));
    }
    Ok(derivations(&solver, &wanted))
}

fn variable(what: &str) -> Result<Var, Problem> {
    what.parse().map_err(|error| {
        Problem::new(format!(
            "--var {what}: {error}: write a dimension variable as a and a row variable as '<r>'"
        ))
    })
}

/// The message for a variable that the set does not mention. The set may mention one with the same name and the other sort.
fn unmentioned(what: &str, mentioned: &BTreeSet<Var>) -> Problem {
    let bare = what.trim_start_matches('<').trim_end_matches('>');
    let other = mentioned.iter().find(|var| match var {
        Var::Dim(var) => var.name() == bare,
        Var::Row(var) => var.name() == bare,
    });
    Problem::new(match other {
        Some(var @ Var::Dim(_)) => {
            format!("--var {what}: {bare} is a dimension: write --var {var}")
        }
        Some(var @ Var::Row(_)) => format!("--var {what}: {bare} is a row: write --var '{var}'"),
        None => {
            let names: Vec<String> = mentioned.iter().map(Var::to_string).collect();
            match lozenge_lang::nearest(what, names.iter().map(String::as_str)) {
                Some(meant) => {
                    format!("--var {what}: no constraint mentions it; did you mean {meant}?")
                }
                None => format!(
                    "--var {what}: no constraint mentions it; leave out --var to see every variable"
                ),
            }
        }
    })
}

/// Shows a derivation with the lines of the set.
fn derivations(solver: &Solver, wanted: &[Var]) -> Report {
    let derived = wanted.iter().filter_map(|var| solver.explain(var));
    let derived: Vec<Derivation> = derived.collect();
    let texts: Vec<String> = derived
        .iter()
        .map(|derivation| rendered(solver, derivation))
        .collect();
    let list: Vec<Derived> = derived.iter().map(Derived::of_set).collect();
    Report {
        text: texts.join("\n"),
        json: json!({"verdict": "sat", "derivations": list}),
        status: Status::Good,
    }
}

fn rendered(solver: &Solver, derivation: &Derivation) -> String {
    let so = conclusion(
        &derivation.var.to_string(),
        derivation,
        solver.problem().tag(&derivation.var),
    );
    format!("{derivation}{so}\n")
}

/// The last line of a derivation: the value, and the reason why it is final.
fn conclusion(name: &str, derivation: &Derivation, tag: Tag) -> String {
    use Rule::{DeBind, DiAntisym, DiPin, DiPinTop, ReNested, ReOpenClosed};
    let so = format!("So {name} = {}", derivation.value);
    let commits = |rule: Rule| matches!(rule, Rule::CloseLeaf);
    let equates = |rule: Rule| {
        matches!(
            rule,
            DeBind | DiAntisym | DiPin | DiPinTop | ReNested | ReOpenClosed
        )
    };
    let kind = match derivation.var {
        Var::Dim(_) => "axis",
        Var::Row(_) => "row",
    };
    let top = matches!(derivation.value.as_str(), "1_" | "[]");
    let rules = || derivation.steps.iter().map(|step| step.rule);
    match (derivation.steps.is_empty(), tag) {
        (true, Tag::Interior) => {
            format!("{so}: nothing bounds it, and an interior {kind} closes at its top")
        }
        (true, _) => format!("{so}: nothing is asked of it"),
        (false, _) if rules().any(commits) => {
            format!("{so}: closing gives it what its uses ask for, and no more")
        }
        (false, Tag::Interior) if top && !rules().any(equates) => {
            format!("{so}: nothing bounds it from above, and an interior {kind} closes at its top")
        }
        (false, _) => so,
    }
}
