//! Explanations of a program's shapes, in words about its tensors.

use std::fmt::Write;

use lozenge::{Asserted, Because};
use lozenge_solver::{Cited, Derivation, Solver};
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Program, Span, Tensor};
use lozenge_vocabulary::{Var, Verdict};
use serde_json::json;

use super::conclusion;
use super::overview::{Explained, overview};
use super::statements::{statements, why_final};
use crate::args;
use crate::inference::{self, Loaded, READ};
use crate::json::program::{Derivations, Derived, Required};
use crate::json::with_verdict;
use crate::report::{Problem, Report, Status};

/// Explains the shapes that `lozenge infer` prints, or why there are none.
pub fn of_program(args: &args::Explain) -> Result<Report, Problem> {
    let mut loaded = inference::program(&args.file, args.limits.programs)?;
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
    let explainer = Explainer {
        closed: !args.open,
        ..Explainer::new(&loaded, &asserted)
    };
    let derived = explainer.derivations(&solver, &wanted, args);
    if args.var.is_none() && !args.open {
        return Ok(with_messages(&loaded, derived, args));
    }
    Ok(Report {
        text: axis.unwrap_or_default() + &derived.text,
        ..derived
    })
}

/// Returns the derivations, after the messages about shapes that fit, and before what is told of parameters that grew.
fn with_messages(loaded: &Loaded, derived: Report, args: &args::Explain) -> Report {
    let Ok(inferred) = loaded.fitting(&args.limits.options()) else {
        return derived;
    };
    let mut json = derived.json;
    let mut text = loaded.rendered(&inferred.warnings);
    json["errors"] = loaded.messages(&inferred.warnings);
    if inferred.is_refused() {
        json["verdict"] = json!(Verdict::Rejected);
        text += &format!("\nThe shapes fit:\n{}", derived.text);
        return Report {
            text,
            json,
            status: Verdict::Rejected.into(),
        };
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text += &derived.text;
    if !inferred.grown.is_empty() {
        json["notes"] = json!(loaded.grown_data(&inferred));
        text += &format!("\n{}", loaded.notes(&inferred));
    }
    Report {
        text,
        json,
        ..derived
    }
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
    let report = loaded.refused(&data);
    let mut json = report.json;
    json["errors"] = loaded.messages(&messages);
    Report {
        text,
        json,
        ..report
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

/// Returns a part of the program as a name, cut where it is too long for one.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A requirement of an operation, for a reader.
#[derive(Default)]
pub struct Said {
    /// The words.
    pub words: String,
    /// True if it says of one tensor that it has its own axes, as parts of an expression that are written alike seem
    /// to.
    pub says_nothing: bool,
    /// The number of its line: `line 3`.
    pub number: String,
    /// Its line, with the number.
    pub line: String,
    /// Its place; `None` where no operation states it.
    pub place: Option<Span>,
}

/// Tells whether a requirement in words says of something that it has the axes of something that is written alike.
fn is_tautology(words: &str) -> bool {
    let parts: Vec<&str> = words.split('`').collect();
    matches!(&parts[..], ["", one, between, other, ""] if one == other && between.starts_with(" has the "))
}

/// Returns the axes of a constraint that are written: those of the sides that have only sizes.
fn given_axes(constraint: &str) -> Option<String> {
    let signs = [" <= ", " ~ ", " = "];
    let (left, right) = signs.iter().find_map(|sign| constraint.split_once(sign))?;
    let is_size = |axis: &str| axis.starts_with(|c: char| c.is_ascii_digit());
    let sides = [left, right].into_iter().filter(|side| {
        let inner = side
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        inner.is_some_and(|inner| inner.split(", ").all(is_size))
    });
    let sides: Vec<&str> = sides.collect();
    (!sides.is_empty()).then(|| sides.join(" and "))
}

/// Shows derivations with the lines of the program.
pub struct Explainer<'a> {
    loaded: &'a Loaded,
    asserted: &'a Asserted,
    /// The rows of tensors as they are shown to the reader, by the names of their variables.
    rows: std::collections::HashMap<String, String>,
    /// True if the explained problem has been closed.
    closed: bool,
}

impl<'a> Explainer<'a> {
    /// Explains the derivations of a program's constraints, after closing.
    pub fn new(loaded: &'a Loaded, asserted: &'a Asserted) -> Explainer<'a> {
        let mut rows = std::collections::HashMap::new();
        for tensor in &loaded.program.tensors {
            let name = match tensor.name.contains('\'') {
                false => tensor.name.to_string(),
                true => format!("({})", excerpt(&loaded.source.text[tensor.span.clone()])),
            };
            for kind in Kind::ALL {
                if let Some(var) = &tensor.shape.row(kind).var {
                    let row = format!("{name}.{}", kind.word());
                    // A gradient has the rows of its parameter, which has the name that the program gives it.
                    rows.entry(var.name().to_string()).or_insert(row);
                }
            }
        }
        Explainer {
            loaded,
            asserted,
            rows,
            closed: true,
        }
    }

    fn derivations(&self, solver: &Solver, wanted: &[Wanted], args: &args::Explain) -> Report {
        let explained = wanted.iter().map(|(name, var)| {
            let derivation = var.as_ref().and_then(|var| solver.explain(var));
            (name.clone(), derivation)
        });
        let explained: Vec<Explained> = explained.collect();
        let list = explained.iter().filter_map(|(name, derivation)| {
            let derivation = derivation.as_ref()?;
            Some(Derived::of_program(name, derivation, |cited| {
                self.required(cited)
            }))
        });
        let list: Vec<Derived> = list.collect();
        let text = match args.var.is_none() && self.closed {
            true => overview(self, solver, &explained, args.all),
            false => self.one_by_one(solver, &explained),
        };
        Report {
            text,
            json: with_verdict(
                Verdict::Sat,
                Derivations {
                    derivations: list,
                    notes: Vec::new(),
                },
            ),
            status: Status::Good,
        }
    }

    /// Returns the derivations one behind the other.
    fn one_by_one(&self, solver: &Solver, explained: &[Explained]) -> String {
        let texts = explained.iter().map(|(name, derivation)| match derivation {
            Some(derivation) => self.derivation(solver, name, derivation),
            None => format!("{name} is written in the program\n"),
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the requirement of an operation from which a constraint comes.
    fn required(&self, cited: &Cited) -> Option<Required> {
        let origin = self.asserted.origin(&self.loaded.program, cited.index)?;
        let constraint = cited.clone();
        let place = |span: &Span| self.loaded.place(span);
        let about = self.loaded.about(&place);
        Some(Required::of(&about, &Because { constraint, origin }))
    }

    /// Returns a derivation as numbered statements, each with its value, the earlier ones that it uses, and the lines
    /// of the program behind it. Of a solution that is not closed, the solver's own steps are shown.
    pub fn derivation(&self, solver: &Solver, name: &str, derivation: &Derivation) -> String {
        let purpose = self.loaded.purpose(&derivation.var);
        let purpose = purpose.unwrap_or_else(|| derivation.purpose.clone());
        let mut out = format!("{name} = {} ({purpose})\n", derivation.value);
        if !self.closed {
            self.steps(&mut out, derivation);
            let so = conclusion(name, derivation, solver, false, &|text| self.in_words(text));
            let _ = writeln!(out, "{so}");
            return out;
        }
        let statements = statements(self, solver, derivation);
        match &statements[..] {
            // It would say what stands above it.
            [only] if !self.loaded.why => only.requirements(self, &mut out),
            all => {
                for (at, statement) in all.iter().enumerate() {
                    statement.render(self, at + 1, &mut out);
                }
            }
        }
        let why = why_final(derivation, solver, self);
        let _ = writeln!(out, "So {name} = {}: {why}", derivation.value);
        out
    }

    /// Writes the steps of the solver.
    fn steps(&self, out: &mut String, derivation: &Derivation) {
        for (number, step) in derivation.steps.iter().enumerate() {
            let _ = write!(out, "{}. {}", number + 1, self.in_words(&step.text));
            if !step.uses.is_empty() {
                let uses: Vec<String> = step.uses.iter().map(usize::to_string).collect();
                let _ = write!(out, ", by {}", uses.join(" and "));
            }
            if self.loaded.why {
                let choice = if step.policy { ", a choice" } else { "" };
                let _ = write!(out, " [{}{choice}]", step.rule);
            }
            out.push('\n');
            for cited in &step.constraints {
                out.push_str("     ");
                self.cited(out, cited, "     ");
            }
        }
    }

    /// Tells whether the rules and constraints are shown, too.
    pub fn has_rules(&self) -> bool {
        self.loaded.why
    }

    /// Returns the row of a variable as it is shown to the reader. One that is not a row of a tensor is the part of a
    /// row that a spec leaves open.
    pub fn row_in_words(&self, variable: &str) -> String {
        if let Some(row) = self.rows.get(variable) {
            return row.clone();
        }
        let step = variable.split_once('\'').and_then(|(label, number)| {
            let number = number.parse::<usize>().ok()?.checked_sub(1)?;
            Some((label, self.loaded.program.steps.get(number)?))
        });
        let Some((label, step)) = step else {
            return format!("<{variable}>");
        };
        let (line, _) = self.loaded.place(&step.span);
        let open = match Kind::ALL.iter().any(|kind| kind.word() == label) {
            true => format!("what `...` stands for in the {label} axes"),
            false => format!("what `..{label}..` stands for"),
        };
        format!("{open} (line {line})")
    }

    /// Puts a requirement into words, with the axes that it gives where these are written.
    pub fn said(&self, cited: &Cited) -> Said {
        let (program, source) = (&self.loaded.program, &self.loaded.source.text);
        let Some(origin) = self.asserted.origin(program, cited.index) else {
            return Said {
                words: cited.to_string(),
                ..Said::default()
            };
        };
        let (number, _) = self.loaded.place(&origin.span);
        let words = lozenge::requirement_words(program, source, origin.step, origin.requirement);
        let words = words.unwrap_or(origin.words);
        let open = |words: String, kind: Kind| words.replace(&format!("<{}>", kind.word()), "...");
        let words = Kind::ALL.into_iter().fold(words, open);
        let says_nothing = is_tautology(&words);
        let words = match given_axes(&cited.text) {
            Some(axes) => format!("{words}: {axes}"),
            None => words,
        };
        Said {
            words,
            says_nothing,
            number: format!("line {number}"),
            line: format!("line {number}: {}", self.loaded.line_of(&origin.span)),
            place: Some(origin.span),
        }
    }

    /// Returns a requirement of an operation, with the line of the program that states it.
    pub fn cited(&self, out: &mut String, cited: &Cited, indent: &str) {
        let said = self.said(cited);
        let _ = writeln!(out, "{}", said.words);
        if said.place.is_none() {
            return;
        }
        let _ = writeln!(out, "{indent}{}", said.line);
        if self.loaded.why {
            let _ = writeln!(out, "{indent}{}", cited.text);
        }
    }

    /// Returns a text of the solver, with the names of tensors' rows in place of variables.
    pub fn in_words(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            let after = &rest[start + 1..];
            let named = after
                .find('>')
                .and_then(|end| Some((end, self.rows.get(&after[..end])?)));
            out.push_str(&rest[..start]);
            match named {
                Some((end, row)) => {
                    out.push_str(row);
                    rest = &after[end + 1..];
                }
                None => {
                    out.push('<');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        // A row beyond the axes that it is known to have, which is only a part of it.
        let out = match out.strip_suffix(" between its known flanks, up to the marker") {
            Some(stated) => match stated.strip_suffix(" holds []") {
                Some(row) => format!("{row} has no other axes than these"),
                None => format!(
                    "{} between the axes known so far",
                    stated.replace(" holds ", " has ")
                ),
            },
            None => out,
        };
        let out = out
            .replace(" leading axes", " axes")
            .replace(" trailing axes", " axes")
            .replace("at least 1 axes", "at least one axis")
            .replace(" holds ", " is ");
        self.labels_in_words(&out)
    }

    /// Returns the text with labels such as `h'2`, of the second operation's spec, written as `h (line 7)`.
    fn labels_in_words(&self, text: &str) -> String {
        let mut out = String::new();
        for word in text.split_inclusive(|c: char| !(c.is_alphanumeric() || "'_".contains(c))) {
            let end = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
            let step = end.split_once('\'').and_then(|(label, number)| {
                let number = number.parse::<usize>().ok()?.checked_sub(1)?;
                Some((label, self.loaded.program.steps.get(number)?))
            });
            match step {
                Some((label, step)) => {
                    let (line, _) = self.loaded.place(&step.span);
                    let _ = write!(out, "{label} (line {line}){}", &word[end.len()..]);
                }
                None => out.push_str(word),
            }
        }
        out
    }
}
