//! `lozenge claims`: every numbered statement of the documents, and how it was decided.

mod long_runs;

use std::io::{self, IsTerminal};

use lozenge_claims::deciding::DECISION;
use lozenge_claims::formal_core::{Case, FORMAL_CORE, drawn};
use lozenge_claims::gradients::GRADIENTS;
use lozenge_claims::machinery::{
    Document, Effort, Entry, Evidence, Heading, Item, Kept, Options, Provenance, Standing, decide,
    in_full, is_part_of, page, row_text, summary,
};
use serde_json::{Value, json};

use crate::args::{self, ClaimsCommand, ClaimsDocument, Format};
use crate::distinct_files::{Named, distinct};
use crate::output_file::OutputFile;
use crate::provenance;
use crate::report::{self, Problem, Report, Status};

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
    let ids = chosen.iter().flat_map(|(_, items)| items);
    let id = ids.map(|item| item.id.chars().count()).max().unwrap_or(0);
    let width = width();
    let mut printed = Ok(());
    let mut print = |entry: &Entry| {
        if in_a_table && printed.is_ok() {
            let row = row_text(entry, id, width);
            printed = report::to_stdout(|out| out.write_all(row.as_bytes()));
        }
    };
    let mut entries = Vec::new();
    for (document, items) in &chosen {
        entries.extend(decided(args, document, items, effort, &mut print)?);
    }
    printed?;
    if let Some(file) = page_file {
        let headings: Vec<Heading> = chosen.iter().map(|(d, _)| d.heading).collect();
        file.write(&page(&headings, &provenance(effort), &entries, drawn))?;
    }
    Ok(answer(args, format, &entries))
}

/// Decides rows of one document. Results of earlier runs are read back, and new ones kept.
fn decided(
    args: &args::Claims,
    document: &Document<Case>,
    items: &[Item<Case>],
    effort: Effort,
    print: &mut dyn FnMut(&Entry),
) -> Result<Vec<Entry>, Problem> {
    let kept = kept(args, document, effort)?;
    say_what_changed(items, &kept, effort);
    let mut options = Options {
        effort,
        progress: io::stderr().is_terminal(),
        kept: Some(kept),
    };
    decide(document, items, &mut options, print).map_err(|error| Problem::new(error.to_string()))
}

/// A document, and the rows of its table that are asked for.
type Chosen = (&'static Document<Case>, Vec<Item<Case>>);

/// The rows of all tables, or the selected ones.
fn chosen(args: &args::Claims) -> Result<Vec<Chosen>, Problem> {
    let wanted = |document: &&'static Document<Case>| {
        let key = args.document.map(ClaimsDocument::key);
        key.is_none_or(|key| key == document.heading.key)
    };
    let documents = [&FORMAL_CORE, &DECISION, &GRADIENTS]
        .into_iter()
        .filter(wanted);
    let mut chosen: Vec<Chosen> = documents.map(|d| (d, d.items())).collect();
    if let Some(ClaimsCommand::Show { id }) = &args.command {
        for (_, items) in &mut chosen {
            items.retain(|item| is_part_of(&item.id, id));
        }
        chosen.retain(|(_, items)| !items.is_empty());
        if chosen.is_empty() {
            return Err(Problem::new(format!(
                "there is no claim `{id}`: write its number, such as 5.8, `Rem. 6.7(i)`, Decision.2 or Gradients.1; `lozenge claims --quick` lists all"
            )));
        }
    }
    Ok(chosen)
}

/// The results of earlier runs: those in the given file, or else in the system's folder for this purpose, and those that are
/// distributed with the program. If that folder cannot be used, no new results are kept, and a warning says so.
fn kept(args: &args::Claims, document: &Document<Case>, effort: Effort) -> Result<Kept, Problem> {
    let name = format!("claims-{}-{}.json", document.heading.key, effort.word());
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
    let mut kept = own.with_committed(document.results);
    if args.again {
        kept.forget();
    }
    Ok(kept)
}

/// Reports how many entries are decided again although there are results for them.
fn say_what_changed(items: &[Item<Case>], kept: &Kept, effort: Effort) {
    let is_stale = |item: &&Item<Case>| item.standing(Some(kept), effort) == Standing::Stale;
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
    Report {
        text,
        json: match format {
            Format::Text => Value::Null,
            Format::Json | Format::Jsonl => json!({ "entries": entries }),
        },
        status: if broken {
            Status::Refused
        } else {
            Status::Good
        },
    }
}

fn provenance(effort: Effort) -> Provenance {
    Provenance {
        effort,
        date: provenance::day(),
        commit: provenance::commit(),
    }
}

/// The width of the table, which is that of the terminal.
fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(120)
}
