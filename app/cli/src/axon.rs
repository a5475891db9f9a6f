//! The commands about Axon programs: their types, what is left to be checked, and what they compute.

mod alike;
mod answer;
mod at;
mod page;
mod run;
mod types;

use std::path::Path;

use lozenge::axon::{self, Inferred, Table, syntax::Program};
use lozenge_vocabulary::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{self, Pipeline};
use crate::files::file_kind::AXON;
use crate::files::input::{self, Source};
use crate::json::Message;
use crate::report::{Problem, Report};
use crate::shapes;
use crate::text::places::Places;
use crate::text::source_view::{problem, render};

pub use answer::Body;
pub use page::{of_text, view};
pub use run::{RunBody, run};

/// Tells whether a file is an Axon program.
pub fn is_axon(path: &Path) -> bool {
    input::kind(path).is_some_and(|kind| kind.noun == AXON.noun)
}

/// Refuses the flags of `infer` that are for Axon programs alone, where the program is none.
///
/// # Errors
/// If one of them is given.
pub fn refuse_flags(args: &args::Infer) -> Result<(), Problem> {
    let flags = [
        (args.at.is_some(), "--at"),
        (args.constraints, "--constraints"),
        (args.trace, "--trace"),
        (args.lists != args::Lists::Literal, "--reading"),
        (args.table != args::Signatures::Paper, "--table"),
    ];
    match flags.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, flag)) => Err(Problem::new(format!(
            "{flag} is for Axon programs (.axon): leave it out"
        ))),
    }
}

/// A program that was read, with its types.
struct Loaded {
    source: Source,
    program: Program,
    inferred: Inferred,
    places: Places,
}

impl Loaded {
    /// Reads a program and finds its types.
    ///
    /// # Errors
    /// When it cannot be read, or is no program.
    fn of(path: &Path, table: Table) -> Result<Loaded, Problem> {
        Loaded::of_source(input::read(path)?, table)
    }

    /// Finds the types of a program.
    ///
    /// # Errors
    /// When the text is no program.
    fn of_source(source: Source, table: Table) -> Result<Loaded, Problem> {
        let program = axon::parse(&source.text).map_err(|errors| problem(&source, &errors))?;
        let options = axon::Options {
            table,
            ..axon::Options::default()
        };
        let inferred = axon::infer(&program, &options);
        Ok(Loaded {
            places: Places::of(&source.text),
            source,
            program,
            inferred,
        })
    }

    /// Returns the verdict: whether any shapes fit.
    fn verdict(&self) -> Verdict {
        match (
            self.inferred.errors.is_empty(),
            self.inferred.unknown.is_empty(),
        ) {
            (false, _) => Verdict::Unsat,
            (true, false) => Verdict::Unknown,
            (true, true) => Verdict::Sat,
        }
    }

    /// Returns all messages in order: errors, what is not known, warnings.
    fn messages(&self) -> impl Iterator<Item = &lozenge::Diagnostic> {
        let inferred = &self.inferred;
        let all = inferred.errors.iter().chain(&inferred.unknown);
        all.chain(&inferred.warnings)
    }

    /// Renders the messages, each with an empty line behind it.
    fn rendered(&self) -> String {
        let shown = self.messages().map(|message| render(&self.source, message));
        shown
            .map(|shown| format!("{}\n\n", shown.trim_end()))
            .collect()
    }

    /// Returns the messages for programs.
    fn errors(&self) -> Vec<Message> {
        self.messages()
            .map(|message| Message::of(&self.source, message))
            .collect()
    }

    /// Returns the line of a place, from 1.
    fn line(&self, span: &lozenge::axon::Span) -> usize {
        self.places.place(&self.source.text, span.start).0
    }

    /// Makes the report of a verdict: the messages, then a text; a body with the messages.
    fn report(&self, text: &str, body: impl Serialize) -> Report {
        let messages = self.rendered();
        let text = match text {
            "" if messages.is_empty() => String::new(),
            "" => format!("{}\n", messages.trim_end()),
            text => format!("{messages}{text}"),
        };
        Report::judged(self.verdict(), text, body).with_errors(self.errors())
    }
}

/// Makes the report of shapes that do not fit, or of a limit.
fn refused(loaded: &Loaded, verdict: Verdict, messages: &[lozenge::Diagnostic]) -> Report {
    let shown = messages
        .iter()
        .map(|message| render(&loaded.source, message));
    let shown: Vec<String> = shown
        .map(|shown| format!("{}\n", shown.trim_end()))
        .collect();
    let errors: Vec<Message> = messages
        .iter()
        .map(|message| Message::of(&loaded.source, message))
        .collect();
    Report::judged(verdict, shown.join("\n"), Body::of(loaded)).with_errors(errors)
}

/// Runs `lozenge infer`.
///
/// # Errors
/// When the file is no program, or a flag does not belong to such a file.
pub fn infer(args: &args::Infer) -> Result<Report, Problem> {
    let flags = [
        (args.shapes, "--shapes"),
        (args.schedule, "--schedule"),
        (!args.outside.set.is_empty(), "--set"),
        (args.outside.init.is_some(), "--init"),
    ];
    if let Some((_, flag)) = flags.iter().find(|(given, _)| *given) {
        return Err(Problem::new(format!(
            "{flag} is for programs of the other language, and {} is {}",
            input::name(&args.file),
            AXON.noun
        )));
    }
    let loaded = Loaded::of(&args.file, args.table.into())?;
    if args.trace && args.by != Pipeline::Spec {
        return Err(Problem::new(
            "--trace shows the steps of the printed rules: add --by spec, or leave it out",
        ));
    }
    match &args.at {
        None if args.by == Pipeline::Spec => Ok(by_rules(&loaded, args)),
        Some(at) => at::report(&loaded, at, args),
        None if args.constraints => Ok(types::constraints(&loaded)),
        None => Ok(types::infer(&loaded)),
    }
}

/// Runs the printed rules on the equations of a program.
fn by_rules(loaded: &Loaded, args: &args::Infer) -> Report {
    let mut set = loaded.inferred.shapes();
    let (verdict, answer, text) = shapes::by_rules(&mut set, args.lists, args.trace);
    let body = Body {
        printed: Some(answer),
        ..Body::default()
    };
    Report::judged(verdict, text, body)
}

/// Runs `lozenge constraints`: the equations that the program makes, as a set that `lozenge solve` reads.
///
/// # Errors
/// When the file is no program.
pub fn constraints(path: &Path) -> Result<Report, Problem> {
    Ok(types::constraints(&Loaded::of(path, Table::default())?))
}

/// Runs `lozenge explain`: each type with the checks that are left, the bytes of its tensors, and what a compiled form
/// depends on.
///
/// # Errors
/// When the file is no program, or binds no such name.
pub fn explain(args: &args::Explain) -> Result<Report, Problem> {
    let loaded = Loaded::of(&args.file, Table::default())?;
    types::explain(&loaded, args.var.as_deref())
}

/// The answer of `lozenge check`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonChecked")]
pub struct CheckBody {
    /// `well-typed`, `ill-typed` or `unknown`.
    standing: &'static str,
    /// The answers of the parties about the equations of the program.
    #[cfg(feature = "oracle")]
    #[serde(skip_serializing_if = "Option::is_none")]
    equations: Option<lozenge_fuzz::subject::checked::Checked>,
}

/// Runs `lozenge check`: the native verdict, and what each party says of the equations of the program.
///
/// # Errors
/// When the file is no program.
pub fn check(args: &args::Check) -> Result<Report, Problem> {
    let loaded = Loaded::of(&args.file, Table::default())?;
    let standing = match loaded.verdict() {
        Verdict::Sat => "well-typed",
        Verdict::Unsat | Verdict::Rejected => "ill-typed",
        Verdict::Unknown => "unknown",
    };
    Ok(with_parties(&loaded, args, standing))
}

/// Adds what each party says of the equations. A disagreement decides the status.
#[cfg(feature = "oracle")]
fn with_parties(loaded: &Loaded, args: &args::Check, standing: &'static str) -> Report {
    use crate::report::Status;
    use lozenge_fuzz::agreement::Agreement;
    use lozenge_fuzz::subject::Subject;
    use lozenge_fuzz::subjects::shapes::{ShapeSet, Shapes};

    let set = loaded.inferred.shapes();
    let equations = (!set.equations.is_empty()).then(|| {
        let set = ShapeSet::of(&set.pool, &set.equations);
        Shapes::checked(&set, &args.limits.into())
    });
    let told = equations.as_ref().map(ToString::to_string);
    let text = format!("{standing}\n{}", told.unwrap_or_default());
    let agreement = equations.as_ref().map(|checked| checked.agreement());
    let body = CheckBody {
        standing,
        equations,
    };
    let mut report = loaded.report(&text, body);
    if agreement == Some(Agreement::Disagree) {
        report.status = Status::Refused;
    }
    report
}

/// Adds nothing: without Z3 there are no other parties.
#[cfg(not(feature = "oracle"))]
fn with_parties(loaded: &Loaded, _: &args::Check, standing: &'static str) -> Report {
    loaded.report(&format!("{standing}\n"), CheckBody { standing })
}

/// Lays out a program.
///
/// # Errors
/// When it is no program.
pub fn laid_out(source: &Source) -> Result<String, Problem> {
    axon::format(&source.text).map_err(|errors| problem(source, &errors))
}
