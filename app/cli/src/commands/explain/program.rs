//! Explanations of a program's shapes, in words about its tensors.

use std::fmt::Write;

use lozenge::Asserted;
use lozenge_solver::Solver;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Program, Tensor};
use lozenge_vocabulary::{Var, Verdict};
use serde_json::json;

use super::derivation;
use super::overview::{Explained, overview};
use super::words::Explainer;
use crate::args;
use crate::json::program::{Derivations, Derived};
use crate::loaded::{self, Loaded, READ};
use crate::report::{Problem, Report};

/// Explains the shapes that `lozenge infer` prints, or why there are none.
pub fn of_program(args: &args::Explain) -> Result<Report, Problem> {
    let mut loaded = loaded::program(&args.file, args.limits.programs)?;
    loaded.why = args.limits.why;
    let wanted = match &args.var {
        Some(what) => rows(&loaded, what)?,
        None => tensor_rows(&loaded.program, |tensor| !tensor.name.contains('\'')),
    };
    let mut asserted = Asserted::new(&loaded.program).expect(READ);
    let problem = std::mem::take(&mut asserted.problem);
    let mut solver = Solver::with(problem, args.limits.solving.into());
    let outcome = match args.open {
        true => solver.solve(),
        false => solver.close(),
    };
    if let Err(refusal) = outcome {
        return Ok(refused(&loaded, &asserted, &refusal, args));
    }
    let (wanted, axis) = match &args.var {
        Some(what) => axis_of(&solver, what, wanted)?,
        None => (wanted, None),
    };
    let mut explainer = Explainer::new(&loaded, &asserted);
    explainer.closed = !args.open;
    let derived = derivations(&explainer, &solver, &wanted, args);
    if args.var.is_none() && !args.open {
        return Ok(with_messages(&loaded, derived, args));
    }
    Ok(derived.after(axis.unwrap_or_default()))
}

/// Returns the derivations, after the messages about shapes that fit, and before what is told of parameters that grew.
fn with_messages(loaded: &Loaded, derived: Report, args: &args::Explain) -> Report {
    let Ok(inferred) = loaded.fitting(&args.limits.options()) else {
        return derived;
    };
    let mut text = loaded.rendered(&inferred.warnings);
    let errors = loaded.messages(&inferred.warnings);
    if inferred.is_refused() {
        text += "\nThe shapes fit:\n";
        let report = Report::judged(Verdict::Rejected, derived.text, derived.body);
        return report.after(text).with_errors(errors);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let mut report = derived.after(text).with_errors(errors);
    if !inferred.grown.is_empty() {
        report.body["notes"] = json!(loaded.grown_data(&inferred));
        report.text += &format!("\n{}", loaded.notes(&inferred));
    }
    report
}

/// Returns the messages of `infer`, and the requirements behind the first refusal.
fn refused(
    loaded: &Loaded,
    asserted: &Asserted,
    refusal: &lozenge_solver::Refusal,
    args: &args::Explain,
) -> Report {
    let data = asserted.refusal(&loaded.program, refusal.clone());
    let messages = lozenge::diagnose(
        &loaded.program,
        &loaded.source.text,
        &data,
        &args.limits.options(),
    );
    let explainer = Explainer::new(loaded, asserted);
    let mut text = loaded.rendered(&messages);
    if !refusal.chain.is_empty() {
        text.push_str("\nThese requirements cannot hold together:\n");
    }
    for (number, cited) in refusal.chain.iter().enumerate() {
        let _ = write!(text, "{}. ", number + 1);
        explainer.cited(&mut text, cited, "   ");
    }
    if let Some(policy) = &refusal.policy {
        let _ = writeln!(
            text,
            "after a choice of policy: {}",
            explainer.in_words(&policy.text)
        );
    }
    Report {
        text,
        errors: loaded.messages(&messages),
        ..loaded.refused(&data)
    }
}

/// Something to explain: its name, and its variable; a row that is written in the program has none.
type Wanted = (String, Option<Var>);

/// Splits `w.input[0]` into `w.input` and the number in brackets.
fn split_axis(what: &str) -> (&str, Option<usize>) {
    let parts = what.strip_suffix(']').and_then(|open| open.split_once('['));
    match parts.map(|(path, axis)| (path, axis.parse())) {
        Some((path, Ok(axis))) => (path, Some(axis)),
        _ => (what, None),
    }
}

/// Returns the row of the axis that `--var` names, which has to exist, and the text for the axis. Of a tensor with axes
/// in one row, that row is meant.
fn axis_of(
    solver: &Solver,
    what: &str,
    wanted: Vec<Wanted>,
) -> Result<(Vec<Wanted>, Option<String>), Problem> {
    let (path, Some(axis)) = split_axis(what) else {
        return Ok((wanted, None));
    };
    let wrong = |message: String| Problem::new(format!("--var {what}: {message}"));
    let value = |var: &Option<Var>| match var {
        Some(Var::Row(var)) => solver.solution().row(var.name()),
        _ => None,
    };
    let one = wanted.len() == 1;
    let inferred = |(_, var): &Wanted| value(var).is_some_and(|row| one || row.rank() > 0);
    let rows: Vec<Wanted> = wanted.into_iter().filter(inferred).collect();
    let [(name, var)] = &*rows else {
        let written: Vec<String> = rows.iter().map(|(n, _)| format!("{n}[{axis}]")).collect();
        return Err(wrong(match written.is_empty() {
            true => "no axis of it is inferred".into(),
            false => format!(
                "it has axes in several rows: write {}",
                written.join(" or ")
            ),
        }));
    };
    let row = value(var).unwrap_or_default();
    match row.flat().get(axis) {
        Some(dim) => {
            let text = format!("{name}[{axis}] = {dim}, since\n");
            Ok((rows, Some(text)))
        }
        None => Err(wrong(format!(
            "{path} = {row} has no axis {axis}; axes are counted from 0"
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

/// Returns the rows meant by `--var`, which names a tensor, a row or an axis of one, or a variable of the program's
/// constraints.
fn rows(loaded: &Loaded, what: &str) -> Result<Vec<Wanted>, Problem> {
    let (path, _) = split_axis(what);
    let of_row = |word: &str| Kind::ALL.into_iter().find(|kind| kind.word() == word);
    let (name, kind) = match path.rsplit_once('.') {
        // An instance has parts with names such as `net.w`.
        _ if loaded.program.find(path).is_some() => (path, None),
        Some((name, word)) if loaded.program.find(name).is_some() => match of_row(word) {
            Some(kind) => (name, Some(kind)),
            None => return Err(no_row(what, name, word)),
        },
        Some((name, _)) => (name, None),
        None => (path, None),
    };
    let Some(id) = loaded.program.find(name) else {
        let known = loaded.constraints().set.vars();
        return match what.parse::<Var>() {
            Ok(var) if known.contains(&var) => Ok(vec![(var.to_string(), Some(var))]),
            _ => Err(unknown(loaded, what, name)),
        };
    };
    let tensor = &loaded.program[id];
    let kinds = match kind {
        Some(kind) => vec![kind],
        None => Kind::ALL.to_vec(),
    };
    Ok(kinds.into_iter().map(|kind| row(tensor, kind)).collect())
}

/// Returns the message for a word behind a tensor that is none of its rows.
fn no_row(what: &str, name: &str, word: &str) -> Problem {
    let meant = match lozenge_lang::nearest(word, Kind::ALL.map(Kind::word)) {
        Some(row) => format!("did you mean {name}.{row}?"),
        None => format!("its rows are {name}.batch, {name}.input and {name}.output"),
    };
    Problem::new(format!("--var {what}: {name} has no row `{word}`; {meant}"))
}

fn unknown(loaded: &Loaded, what: &str, name: &str) -> Problem {
    let names = loaded.program.tensors.iter().map(|t| t.name.as_ref());
    let meant = match lozenge_lang::nearest(name, names) {
        Some(meant) => format!("did you mean {meant}?"),
        None => "write a tensor as w, its row as w.input, an axis as w.input[0]".to_string(),
    };
    Problem::new(format!(
        "--var {what}: the program has no tensor and no variable of that name; {meant}"
    ))
}

/// Returns the answer about rows.
fn derivations(
    explainer: &Explainer,
    solver: &Solver,
    wanted: &[Wanted],
    args: &args::Explain,
) -> Report {
    let explained = wanted.iter().map(|(name, var)| {
        let derivation = var.as_ref().and_then(|var| solver.explain(var));
        (name.clone(), derivation)
    });
    let explained: Vec<Explained> = explained.collect();
    let list = explained.iter().filter_map(|(name, derivation)| {
        let derivation = derivation.as_ref()?;
        Some(Derived::of_program(name, derivation, |cited| {
            explainer.required(cited)
        }))
    });
    let list: Vec<Derived> = list.collect();
    let text = match args.var.is_none() && explainer.closed {
        true => overview(explainer, solver, &explained, args.all),
        false => one_by_one(explainer, solver, &explained),
    };
    let answer = Derivations {
        derivations: list,
        notes: Vec::new(),
    };
    Report::judged(Verdict::Sat, text, answer)
}

/// Returns the derivations one behind the other.
fn one_by_one(explainer: &Explainer, solver: &Solver, explained: &[Explained]) -> String {
    let texts = explained.iter().map(|(name, derivation)| match derivation {
        Some(derivation) => derivation::told(explainer, solver, name, derivation),
        None => format!("{name} is written in the program\n"),
    });
    texts.collect::<Vec<_>>().join("\n")
}
