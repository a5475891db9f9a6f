//! `lozenge claims`: every numbered statement of the documents, and how it was decided.

mod long_runs;

pub use long_runs::{Found, Strategies};

use std::io::{self, IsTerminal};

use lozenge_claims::axon::AXON;
use lozenge_claims::deciding::DECISION;
use lozenge_claims::formal_core::{FORMAL_CORE, drawn};
use lozenge_claims::gradients::GRADIENTS;
use lozenge_claims::gradual::GRADUAL;
use lozenge_claims::machinery::{
    Document, Effort, Entry, Evidence, Heading, Item, Kept, Options, Provenance, Standing, Subject,
    decide, in_full, is_part_of, page, row_text, summary,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{self, ClaimsCommand, ClaimsDocument, Format};
use crate::files::distinct_files::{Named, distinct};
use crate::files::output_file::OutputFile;
use crate::provenance;
use crate::report::{self, Problem, Report, refused_if};

/// The table of the statements, or a part of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Table {
    /// The claims, in the order of the document.
    entries: Vec<Entry>,
}

/// Runs the command. The status is 1 when a statement is false and has no repair, or when strategies disagree.
pub fn claims(args: &args::Claims, format: Format) -> Result<Report, Problem> {
    if args.long {
        return if args.survey {
            long_runs::survey(args)
        } else {
            long_runs::strategies(args)
        };
    }
    let chosen = chosen(args)?;
    let flag = |flag, path| Vec::from_iter(Named::flag(flag, path));
    distinct(
        &flag("--results", args.results.as_deref()),
        &flag("--html", args.html.as_deref()),
    )?;
    let page_file = OutputFile::open(args.html.as_deref())?;
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let in_a_table = args.command.is_none() && format == Format::Text;
    let wanted = wanted(args);
    let ids = chosen.iter().flat_map(|document| document.ids(wanted));
    let id = ids.map(|id| id.chars().count()).max().unwrap_or(0);
    let width = width();
    let mut printed = Ok(());
    let mut print = |entry: &Entry| {
        if in_a_table && printed.is_ok() {
            let row = row_text(entry, id, width);
            printed = report::to_stdout(|out| out.write_all(row.as_bytes()));
        }
    };
    let mut entries = Vec::new();
    for document in &chosen {
        entries.extend(document.decided(args, effort, &mut print)?);
    }
    printed?;
    if let Some(file) = page_file {
        let headings: Vec<Heading> = chosen.iter().map(|document| document.heading()).collect();
        file.write(&page(&headings, &provenance(effort), &entries, drawn))?;
    }
    Ok(answer(args, format, &entries))
}

/// A document, whatever its witnesses are.
trait AnyDocument {
    /// Returns its head.
    fn heading(&self) -> Heading;

    /// Returns the ids of its rows, or of those that are a part of the wanted one.
    fn ids(&self, wanted: Option<&str>) -> Vec<String>;

    /// Decides these rows. Results of earlier runs are read back, and new ones kept.
    fn decided(
        &self,
        args: &args::Claims,
        effort: Effort,
        print: &mut dyn FnMut(&Entry),
    ) -> Result<Vec<Entry>, Problem>;
}

impl<S: Subject> AnyDocument for Document<S> {
    fn heading(&self) -> Heading {
        self.heading
    }

    fn ids(&self, wanted: Option<&str>) -> Vec<String> {
        chosen_items(self, wanted)
            .into_iter()
            .map(|item| item.id)
            .collect()
    }

    fn decided(
        &self,
        args: &args::Claims,
        effort: Effort,
        print: &mut dyn FnMut(&Entry),
    ) -> Result<Vec<Entry>, Problem> {
        let items = chosen_items(self, wanted(args));
        let kept = kept(args, &self.heading, self.results, effort)?;
        say_what_changed(&items, &kept, effort);
        let mut options = Options {
            effort,
            progress: io::stderr().is_terminal(),
            kept: Some(kept),
        };
        decide(self, &items, &mut options, print).map_err(|error| Problem::new(error.to_string()))
    }
}

/// Returns the id that is asked for.
fn wanted(args: &args::Claims) -> Option<&str> {
    match &args.command {
        Some(ClaimsCommand::Show { id }) => Some(id),
        None => None,
    }
}

/// Returns all rows of a document, or those that are a part of the wanted one.
fn chosen_items<S: Subject>(document: &Document<S>, wanted: Option<&str>) -> Vec<Item<S>> {
    let mut items = document.items();
    items.retain(|item| wanted.is_none_or(|wanted| is_part_of(&item.id, wanted)));
    items
}

/// Returns the documents with rows that are asked for.
fn chosen(args: &args::Claims) -> Result<Vec<&'static dyn AnyDocument>, Problem> {
    let documents: [&'static dyn AnyDocument; 5] =
        [&FORMAL_CORE, &DECISION, &GRADIENTS, &AXON, &GRADUAL];
    let mut chosen = documents.to_vec();
    chosen.retain(|document| {
        let key = args.document.map(ClaimsDocument::key);
        key.is_none_or(|key| key == document.heading().key)
            && !document.ids(wanted(args)).is_empty()
    });
    match wanted(args) {
        Some(id) if chosen.is_empty() => Err(Problem::new(format!(
            "there is no claim `{id}`: write its number, such as 5.8, `Rem. 6.7(i)`, Decision.2 or Gradients.1; `lozenge claims --quick` lists all"
        ))),
        _ => Ok(chosen),
    }
}

/// Returns the results of earlier runs: those in the given file, or else in the system's folder for this purpose, and
/// those that are distributed with the program. If that folder cannot be used, no new results are kept, and a warning
/// says so.
fn kept(
    args: &args::Claims,
    heading: &Heading,
    committed: &str,
    effort: Effort,
) -> Result<Kept, Problem> {
    let name = format!("claims-{}-{}.json", heading.key, effort.word());
    let default = || Some(dirs::cache_dir()?.join("lozenge").join(&name));
    let own = match args.results.clone().or_else(default) {
        None => Kept::default(),
        Some(path) => match Kept::open(&path) {
            Ok(own) => own,
            Err(error) if args.results.is_none() => {
                report::to_stderr(&format!(
                    "warning: {error}; the results of this run are not kept\n"
                ));
                Kept::default()
            }
            Err(error) => return Err(Problem::new(error.to_string())),
        },
    };
    let mut kept = own.with_committed(committed);
    if args.again {
        kept.forget();
    }
    Ok(kept)
}

/// Reports how many entries are decided again although there are results for them.
fn say_what_changed<S: Subject>(items: &[Item<S>], kept: &Kept, effort: Effort) {
    let is_stale = |item: &&Item<S>| item.standing(Some(kept), effort) == Standing::Stale;
    let stale = items.iter().filter(is_stale).count();
    if stale > 0 {
        report::to_stderr(&format!(
            "{stale} of {} entries are decided again: what they depend on has changed since their results were kept\n",
            items.len()
        ));
    }
}

fn answer(args: &args::Claims, format: Format, entries: &[Entry]) -> Report {
    let text = match args.command {
        Some(ClaimsCommand::Show { .. }) => in_full(entries),
        None => format!("\n{}", summary(entries)),
    };
    let broken = entries
        .iter()
        .any(|e| e.evidence == Evidence::Falsified && e.repaired_by.is_none());
    let table = (format != Format::Text).then(|| Table {
        entries: entries.to_vec(),
    });
    Report::new(text, table).with_status(refused_if(broken))
}

fn provenance(effort: Effort) -> Provenance {
    Provenance {
        effort,
        date: provenance::day(),
        commit: provenance::commit(),
    }
}

/// Returns the width of the table, which is that of the terminal.
fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(120)
}
