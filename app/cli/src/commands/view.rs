//! `lozenge view`: a program and everything inferred from it, as one page for a browser.

mod annotated;
mod colours;
mod involved;
mod page;
mod steps;

use std::path::Path;

use lozenge::Asserted;
use lozenge_solver::Solver;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::{Constraint, Var, Verdict};

use crate::args;
use crate::commands::explain::derivation;
use crate::commands::explain::words::Explainer;
use crate::files::distinct_files::{Named, distinct};
use crate::files::output_file::OutputFile;
use crate::json::{Message, Page};
use crate::loaded::{self, Inferred, Loaded, READ};
use crate::report::{Problem, Report};
use crate::source::Source;

/// Runs the command.
pub fn view(args: &args::View) -> Result<Report, Problem> {
    let loaded = loaded::program(&args.file, args.limits.programs)?;
    distinct(
        &loaded.files(),
        &Vec::from_iter(Named::flag("--html", Some(&args.html))),
    )?;
    let output = OutputFile::open(Some(&args.html))?;
    let view = View::of(&loaded, args);
    let answer = Page {
        file: args.html.display().to_string(),
        tensors: view.tensors(),
        steps: view.steps.steps.len(),
    };
    let name = args.file.file_name().unwrap_or(args.file.as_os_str());
    let text = page::page(&name.to_string_lossy(), &view);
    output.map_or(Ok(()), |output| output.write(&text))?;
    let text = format!("{}the page is {}\n", view.messages, answer.file);
    Ok(Report::judged(view.verdict, text, answer).with_errors(view.errors.clone()))
}

/// Returns the page of a text of this name, which stands at a path.
///
/// # Errors
/// When the text is no program.
pub fn of_text(
    text: &str,
    path: &Path,
    sizes: Vec<(String, u64)>,
    args: &args::View,
) -> Result<String, Problem> {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let source = Source {
        name: name.to_string(),
        text: text.to_string(),
    };
    let outside = args::Outside {
        set: sizes,
        ..args::Outside::default()
    };
    let loaded = Loaded::of_text(source, path, &outside, args.limits.programs)?;
    Ok(page::page(&name, &View::of(&loaded, args)))
}

/// The contents of a page.
pub struct View<'a> {
    loaded: &'a Loaded,
    verdict: Verdict,
    /// The results of inference; `None` for a program that no shapes fit.
    inferred: Option<Inferred>,
    /// Errors and warnings, as `infer` prints them.
    messages: String,
    /// The same for programs.
    errors: Vec<Message>,
    /// For each tensor how its rows came about: the row, its value, and the derivation in lines.
    derivations: Vec<Vec<Derivation>>,
    /// The contradictory requirements, for a program that is refused.
    conflict: Vec<Contradictory>,
    steps: steps::Steps,
    /// The most tensors and operations that are shown.
    limit: usize,
}

/// A requirement that cannot hold together with others: in words, and as it is stated.
struct Contradictory {
    text: String,
    constraint: Option<Constraint>,
}

/// The derivation of a tensor's row: the row, its value, and the lines.
struct Derivation {
    kind: Kind,
    text: String,
}

/// The number of steps of a derivation that are shown; `explain` shows all of them.
const STEPS: usize = 16;

impl<'a> View<'a> {
    fn of(loaded: &'a Loaded, args: &args::View) -> View<'a> {
        let (verdict, inferred, messages, errors) = match loaded.fitting(&args.limits.options()) {
            Ok(inferred) => {
                let messages = loaded.messages(&inferred.warnings);
                let text = loaded.rendered(&inferred.warnings);
                let verdict = match inferred.is_refused() {
                    true => Verdict::Rejected,
                    false => Verdict::Sat,
                };
                (verdict, Some(inferred), text, messages)
            }
            Err(report) => {
                let verdict = report.verdict.unwrap_or(Verdict::Unknown);
                (verdict, None, report.text, report.errors)
            }
        };
        let mut asserted = Asserted::new(&loaded.program).expect(READ);
        let problem = std::mem::take(&mut asserted.problem);
        let mut solver = Solver::with(problem, args.limits.solving.into());
        let closed = solver.close();
        let explainer = Explainer::new(loaded, &asserted);
        let mut view = View {
            loaded,
            verdict,
            inferred,
            messages,
            errors,
            derivations: Vec::new(),
            conflict: Vec::new(),
            steps: steps::steps(
                &loaded.constraints().set,
                args.limits.rules,
                args.max_steps,
                &|text| explainer.in_words(text),
            ),
            limit: args.max_tensors,
        };
        match closed {
            Ok(()) => view.derive(&solver, &explainer),
            Err(refusal) => {
                let shown = refusal.chain.iter().map(|cited| {
                    let mut text = String::new();
                    explainer.cited(&mut text, cited, "  ");
                    let stated = &loaded.constraints().set.constraints;
                    let constraint = stated.get(cited.index).cloned();
                    Contradictory { text, constraint }
                });
                view.conflict = shown.collect();
            }
        }
        view
    }

    fn derive(&mut self, solver: &Solver, explainer: &Explainer) {
        for tensor in self.loaded.program.tensors.iter().take(self.limit) {
            let shown = Kind::ALL.into_iter().filter_map(|kind| {
                let var = tensor.shape.row(kind).var.clone()?;
                let (derivation, steps) = solver.explain_first(&Var::Row(var), STEPS)?;
                let name = format!("{}.{}", tensor.name, kind.word());
                let text = derivation::told(explainer, solver, &name, &derivation);
                let text = match steps - derivation.steps.len() {
                    0 => text,
                    left => shortened(&text, left, &name),
                };
                Some(Derivation { kind, text })
            });
            self.derivations.push(shown.collect());
        }
    }

    /// Counts the tensors that are shown.
    fn tensors(&self) -> usize {
        self.loaded.program.tensors.len().min(self.limit)
    }
}

/// Returns the first steps of a derivation that has more, and its last line, which has the value.
fn shortened(text: &str, left: usize, name: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let Some((last, first)) = lines.split_last() else {
        return text.to_string();
    };
    let first = first.join("\n");
    let steps = if left == 1 { "step" } else { "steps" };
    format!("{first}\n… {left} more {steps}: lozenge explain FILE --var {name}\n{last}\n")
}
