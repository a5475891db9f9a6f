//! `lozenge explain`: how a variable came to its value, or why the set is refused, as a numbered story.

use std::collections::BTreeSet;
use std::fmt::Write;

use lozenge::Asserted;
use lozenge_solver::{Cited, Refusal, Solver, Story};
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Program, Tensor};
use lozenge_vocabulary::{Rule, Tag, Var};
use serde_json::json;

use crate::args;
use crate::inference::{self, Loaded};
use crate::input;
use crate::report::{Problem, Report, Status};
use crate::solve;

/// Runs the command.
pub fn explain(args: &args::Explain) -> Result<Report, Problem> {
    match (input::is_program(&args.file), rule_name(args)) {
        (true, _) => of_program(args),
        (false, Some(name)) => of_rule(name),
        (false, None) => of_set(args),
    }
}

/// The argument, where it is no file and looks like the name of a rule.
fn rule_name(args: &args::Explain) -> Option<&str> {
    let name = args.file.to_str()?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!args.file.exists() && !name.is_empty() && name.chars().all(word)).then_some(name)
}

/// Says what a rule is.
fn of_rule(name: &str) -> Result<Report, Problem> {
    let entry = lozenge::explain_rule(name).map_err(Problem::new)?;
    Ok(Report {
        text: format!("{entry}\n"),
        json: json!({"rule": entry}),
        status: Status::Good,
    })
}

/// Explains the shapes that `lozenge infer` prints.
fn of_program(args: &args::Explain) -> Result<Report, Problem> {
    let loaded = inference::program(&args.file)?;
    let wanted = match &args.var {
        Some(what) => rows(&loaded, what)?,
        None => tensor_rows(&loaded.program, |tensor| !tensor.name.contains('\'')),
    };
    let mut asserted = Asserted::new(&loaded.program);
    let mut solver = Solver::new(std::mem::take(&mut asserted.problem));
    let teller = Teller {
        program: Some((&loaded, &asserted)),
    };
    let outcome = match args.open {
        true => solver.solve(),
        false => solver.close(),
    };
    if let Err(refusal) = outcome {
        let refused = loaded.refused(&asserted.refusal(&loaded.program, (*refusal).clone()));
        return Ok(Report {
            text: format!("{}\n{}", refused.text, teller.refusal(&refusal)),
            ..refused
        });
    }
    let axis = match &args.var {
        Some(what) => axis_of(&solver, what, &wanted)?,
        None => None,
    };
    let told = teller.stories(&solver, &wanted);
    Ok(Report {
        text: axis.unwrap_or_default() + &told.text,
        ..told
    })
}

fn of_set(args: &args::Explain) -> Result<Report, Problem> {
    let teller = Teller { program: None };
    let mut solver = Solver::new(solve::stated(&input::constraints(&args.file)?.0)?);
    let mentioned = solver.problem().to_set().vars();
    let wanted = match &args.var {
        Some(what) => {
            let var = variable(what)?;
            if !mentioned.contains(&var) {
                return Err(unmentioned(what, &mentioned));
            }
            vec![(var.to_string(), Some(var))]
        }
        None => mentioned
            .iter()
            .map(|var| (var.to_string(), Some(var.clone())))
            .collect(),
    };
    let outcome = match args.open {
        true => solver.solve(),
        false => solver.close(),
    };
    if let Err(refusal) = outcome {
        return Ok(Report {
            text: teller.refusal(&refusal),
            ..solve::refused(&refusal)
        });
    }
    Ok(teller.stories(&solver, &wanted))
}

fn variable(what: &str) -> Result<Var, Problem> {
    what.parse().map_err(|error| {
        Problem::new(format!(
            "--var {what}: {error}: write a dimension variable as a and a row variable as '<r>'"
        ))
    })
}

/// A set that does not mention a variable may mention one of the same name and the other sort.
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
        None => format!(
            "--var {what}: no constraint mentions it; leave out --var to see every variable"
        ),
    })
}

/// What is to be explained, by its name, with its variable; a row that is written in the program has none.
type Wanted = (String, Option<Var>);

/// The number in brackets at the end of `w.input[0]`, and what stands before it.
fn split_axis(what: &str) -> (&str, Option<usize>) {
    let parts = what.strip_suffix(']').and_then(|open| open.split_once('['));
    match parts.map(|(path, axis)| (path, axis.parse())) {
        Some((path, Ok(axis))) => (path, Some(axis)),
        _ => (what, None),
    }
}

/// An axis that `--var` names has to be there.
fn axis_of(solver: &Solver, what: &str, wanted: &[Wanted]) -> Result<Option<String>, Problem> {
    let (path, Some(axis)) = split_axis(what) else {
        return Ok(None);
    };
    let [(_, Some(Var::Row(var)))] = wanted else {
        return Err(Problem::new(format!(
            "--var {what}: an axis is one of an inferred row: write it as w.input[0]"
        )));
    };
    let row = solver.solution().row(var.name()).unwrap_or_default();
    match row.flat().get(axis) {
        Some(dim) => Ok(Some(format!("{what} = {dim}, since\n"))),
        None => Err(Problem::new(format!(
            "--var {what}: {path} = {row} has no axis {axis}; axes are counted from 0"
        ))),
    }
}

fn tensor_rows(program: &Program, chosen: impl Fn(&Tensor) -> bool) -> Vec<Wanted> {
    let tensors = program.tensors.iter().filter(|tensor| chosen(tensor));
    let rows = tensors.flat_map(|tensor| Kind::ALL.map(|kind| row(tensor, kind)));
    rows.filter(|(_, var)| var.is_some()).collect()
}

fn row(tensor: &Tensor, kind: Kind) -> Wanted {
    let var = tensor.shape.row(kind).var.clone();
    (
        format!("{}.{}", tensor.name, kind.word()),
        var.map(Var::Row),
    )
}

/// What `--var` names: a tensor, a row of one, an axis of one, or a variable of the program's constraints.
fn rows(loaded: &Loaded, what: &str) -> Result<Vec<Wanted>, Problem> {
    let (path, _) = split_axis(what);
    let (name, kind) = match path.rsplit_once('.') {
        Some((name, word)) => (name, Kind::ALL.into_iter().find(|kind| kind.word() == word)),
        None => (path, None),
    };
    let Some(id) = loaded
        .program
        .find(name)
        .or_else(|| loaded.program.find(path))
    else {
        let var = variable(what)?;
        if loaded.constraints().set.vars().contains(&var) {
            return Ok(vec![(var.to_string(), Some(var))]);
        }
        return Err(Problem::new(format!(
            "--var {what}: the program has no tensor and no variable of that name; write a tensor as w, its row as \
             w.input, an axis as w.input[0]"
        )));
    };
    let tensor = loaded.program.tensor(id);
    let kinds = match kind {
        Some(kind) => vec![kind],
        None => Kind::ALL.to_vec(),
    };
    Ok(kinds.into_iter().map(|kind| row(tensor, kind)).collect())
}

/// Shows derivations with the lines of what was read: of a constraint set, or of the program that requires it.
struct Teller<'a> {
    program: Option<(&'a Loaded, &'a Asserted)>,
}

impl Teller<'_> {
    fn stories(&self, solver: &Solver, wanted: &[Wanted]) -> Report {
        let (mut texts, mut list) = (Vec::new(), Vec::new());
        for (name, var) in wanted {
            match var.as_ref().and_then(|var| solver.explain(var)) {
                Some(story) => {
                    texts.push(self.story(solver, name, &story));
                    list.push(json!({"name": name, "derivation": story}));
                }
                None => texts.push(format!("{name} is written in the program\n")),
            }
        }
        Report {
            text: texts.join("\n"),
            json: json!({"verdict": "sat", "derivations": list}),
            status: Status::Good,
        }
    }

    fn story(&self, solver: &Solver, name: &str, story: &Story) -> String {
        let purpose = self.purpose(&story.var, &story.purpose);
        let mut out = format!("{name} = {} ({purpose})\n", story.value);
        for (number, step) in story.steps.iter().enumerate() {
            let choice = if step.policy { ", a choice" } else { "" };
            let _ = write!(out, "{}. {} [{}{choice}]", number + 1, step.text, step.rule);
            let uses: Vec<String> = step.uses.iter().map(|used| format!(" by {used}")).collect();
            let _ = writeln!(out, "{}", uses.concat());
            for cited in &step.constraints {
                let _ = writeln!(out, "     {}", self.cited(cited));
            }
        }
        let _ = writeln!(
            out,
            "{}",
            conclusion(name, story, solver.problem().tag(&story.var))
        );
        out
    }

    fn refusal(&self, refusal: &Refusal) -> String {
        let mut out = format!(
            "{}: {} ({})\n",
            refusal.verdict, refusal.message, refusal.rule
        );
        for (number, cited) in refusal.chain.iter().enumerate() {
            let _ = writeln!(out, "{}. {}", number + 1, self.cited(cited));
        }
        if let Some(policy) = &refusal.policy {
            let _ = writeln!(out, "   after the choice {} ({})", policy.text, policy.rule);
        }
        for involved in &refusal.variables {
            let purpose = self.purpose(&involved.var, &involved.purpose);
            let _ = writeln!(out, "   {}: {purpose}", involved.var);
        }
        out
    }

    /// What a variable is for: in a program a row of a tensor or a part of a spec.
    fn purpose(&self, var: &Var, otherwise: &str) -> String {
        let known = self.program.and_then(|(loaded, _)| loaded.purpose(var));
        known.unwrap_or_else(|| otherwise.to_string())
    }

    /// A constraint with its place; of a program, the place and the words of the operation that states it.
    fn cited(&self, cited: &Cited) -> String {
        let Some((loaded, asserted)) = self.program else {
            return cited.to_string();
        };
        let Some(origin) = asserted.origin(&loaded.program, cited.index) else {
            return cited.to_string();
        };
        let (line, column) = loaded.place(&origin.span);
        format!(
            "line {line}, column {column}: {}  ({})",
            origin.words, cited.text
        )
    }
}

/// The last line of a derivation: the value, and what made it final.
fn conclusion(name: &str, story: &Story, tag: Tag) -> String {
    use Rule::{DeBind, DiAntisym, DiPin, DiPinTop, ReNested, ReOpenClosed};
    let so = format!("So {name} = {}", story.value);
    let commits = |rule: Rule| matches!(rule, Rule::CloseLeaf);
    let equates = |rule: Rule| {
        matches!(
            rule,
            DeBind | DiAntisym | DiPin | DiPinTop | ReNested | ReOpenClosed
        )
    };
    let kind = match story.var {
        Var::Dim(_) => "axis",
        Var::Row(_) => "row",
    };
    let top = matches!(story.value.as_str(), "1_" | "[]");
    let rules = || story.steps.iter().map(|step| step.rule);
    match (story.steps.is_empty(), tag) {
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
