//! `lozenge explain`: how a variable came to its value, or why the set is refused, as a numbered derivation.

pub mod derivation;
mod overview;
pub mod program;
mod statements;
pub mod words;

use std::collections::BTreeSet;

use lozenge::Check;
use lozenge_solver::{Derivation, Solver, Standing};
use lozenge_vocabulary::{Rule, Tag, Var, Verdict};

use crate::args;
use crate::commands::solve;
use crate::files::input;
use crate::json::program::{Derivations, Derived, Named};
use crate::report::{Problem, Report};

/// Returns the argument, if it is not a file and looks like the name of a rule.
pub fn rule_name(args: &args::Explain) -> Option<&str> {
    let name = args.file.to_str()?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!args.file.exists() && !name.is_empty() && name.chars().all(word)).then_some(name)
}

/// Explains a rule, or a refusal by its code.
pub fn of_rule(name: &str) -> Result<Report, Problem> {
    let code = name.to_ascii_uppercase();
    if let Ok(check) = code.parse::<Check>() {
        let entry = lozenge::explain_check(check);
        let text = format!("{entry}\n");
        return Ok(Report::new(text, Named::Check { check: entry }));
    }
    let entry = lozenge::explain_rule(name).map_err(Problem::new)?;
    let text = format!("{entry}\n");
    Ok(Report::new(text, Named::Rule { rule: entry }))
}

/// Explains the values of a constraint set.
pub fn of_set(args: &args::Explain) -> Result<Report, Problem> {
    let problem = solve::asserted(input::constraint_text(&args.file)?)?;
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
    solver.conclude_sizes();
    Ok(derivations(&solver, &wanted, !args.open))
}

fn variable(what: &str) -> Result<Var, Problem> {
    what.parse().map_err(|error| {
        Problem::new(format!(
            "--var {what}: {error}: write a dimension variable as a and a row variable as '<r>'"
        ))
    })
}

/// Returns the message for a variable that the set does not mention. The set may mention one with the same name and the
/// other sort.
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
fn derivations(solver: &Solver, wanted: &[Var], closed: bool) -> Report {
    let derived = wanted.iter().filter_map(|var| solver.explain(var));
    let derived: Vec<Derivation> = derived.collect();
    let texts: Vec<String> = derived
        .iter()
        .map(|derivation| rendered(solver, derivation, closed))
        .collect();
    let list: Vec<Derived> = derived.iter().map(Derived::of_set).collect();
    let answer = Derivations {
        derivations: list,
        notes: Vec::new(),
    };
    Report::judged(Verdict::Sat, texts.join("\n"), answer)
}

fn rendered(solver: &Solver, derivation: &Derivation, closed: bool) -> String {
    let name = derivation.var.to_string();
    let so = conclusion(&name, derivation, solver, closed, &str::to_string);
    format!("{derivation}{so}\n")
}

/// Returns the last line of a derivation: the value, and the reason why it is final. The solver's text about
/// it is put `in_words`.
fn conclusion(
    name: &str,
    derivation: &Derivation,
    solver: &Solver,
    closed: bool,
    in_words: &dyn Fn(&str) -> String,
) -> String {
    let standing = solver.solution().standing(&derivation.var);
    let reason = match standing {
        None | Some(Standing::Forced) => "nothing else fits".into(),
        Some(Standing::Chosen { steps }) if steps.iter().any(|step| commits(step.rule)) => {
            "closing gives it what its uses ask for, and no more".into()
        }
        Some(Standing::Chosen { steps }) if steps.is_empty() => {
            "another value may do where other variables are 0".into()
        }
        Some(Standing::Chosen { steps }) => {
            let texts: Vec<String> = steps.iter().map(|step| in_words(&step.text)).collect();
            format!("this rests on a choice: {}", some_of(&texts))
        }
        Some(Standing::Free { bounds, .. }) => {
            let bounds: Vec<String> = bounds.iter().map(|cited| in_words(&cited.text)).collect();
            let tag = solver.problem().tag(&derivation.var);
            why_free(derivation, &bounds, closed.then_some(tag))
        }
    };
    format!("So {name} = {}: {reason}", derivation.value)
}

fn commits(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::CloseLeaf | Rule::CloseBasis | Rule::CloseRow | Rule::CloseArith
    )
}

/// Explains why a variable that is not determined has its value; the tag by which it was closed, if it was.
fn why_free(derivation: &Derivation, bounds: &[String], closed: Option<Tag>) -> String {
    let (kind, asked) = match derivation.var {
        Var::Dim(_) => ("axis", "nothing forces another value"),
        Var::Row(_) => ("row", "nothing asks for more axes"),
    };
    let all = some_of(bounds);
    match (closed, bounds.is_empty()) {
        (None, true) => "nothing bounds it, and what is free stands at its top".into(),
        (None, false) => format!("what is free in it stands at its top, within its bounds ({all})"),
        (Some(Tag::Interior), true) => {
            format!("nothing bounds it, and an interior {kind} closes at its top")
        }
        (Some(Tag::Interior), false) => {
            format!("{asked}, and an interior {kind} closes at its top")
        }
        (Some(_), true) => "nothing is asked of it".into(),
        (Some(_), false) => format!("what bounds it ({all}) asks for no more"),
    }
}

/// Returns the first few of some texts, and how many more there are.
fn some_of(texts: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = texts[..texts.len().min(SHOWN)].join("; ");
    match texts.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
