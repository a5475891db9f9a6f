//! `lozenge explain`: how a variable came to its value, or why the set is refused, as a numbered story.

use std::collections::BTreeSet;
use std::fmt::Write;

use lozenge::Asserted;
use lozenge_solver::{Cited, Refusal, Solver, Story};
use lozenge_vocabulary::Var;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Program, Tensor};
use serde_json::json;

use crate::args;
use crate::inference::{self, Loaded};
use crate::input;
use crate::report::{Problem, Report, Status};
use crate::solve;

/// Runs the command.
pub fn explain(args: &args::Explain) -> Result<Report, Problem> {
    match input::is_program(&args.file) {
        true => of_program(args),
        false => of_set(args),
    }
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
    Ok(teller.stories(&solver, &wanted))
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

/// A row to be explained, by its name, with its variable; a row that is written in the program has none.
type Wanted = (String, Option<Var>);

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
    let (path, _axis) = match what.strip_suffix(']').and_then(|open| open.split_once('[')) {
        Some((path, axis)) => match axis.parse::<usize>() {
            Ok(axis) => (path, Some(axis)),
            Err(_) => (what, None),
        },
        None => (what, None),
    };
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
                    texts.push(self.story(name, &story));
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

    fn story(&self, name: &str, story: &Story) -> String {
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
        if story.steps.is_empty() {
            out.push_str("Nothing bounds it: it stands at its top.\n");
        }
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
