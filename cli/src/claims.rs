//! `lozenge claims`: every numbered statement of the formal core, and how it was decided.

mod long_runs;

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use lozenge_claims::formal_core::{Case, FORMAL_CORE, drawn};
use lozenge_claims::machinery::{
    Effort, Entry, Evidence, Item, Kept, Options, Provenance, Standing, decide, in_full,
    is_part_of, page, row_text, summary,
};
use serde_json::{Value, json};

use crate::args::{self, ClaimsCommand, Format};
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
    let items = chosen(args)?;
    if let Some(path) = &args.html {
        writable(path)?;
    }
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let kept = kept(args, effort)?;
    say_what_changed(&items, &kept, effort);
    let mut options = Options {
        effort,
        progress: io::stderr().is_terminal(),
        kept: Some(kept),
    };
    let in_a_table = args.command.is_none() && format == Format::Text;
    let ids = items.iter().map(|item| item.id.chars().count());
    let (id, width) = (ids.max().unwrap_or(0), width());
    let mut printed = Ok(());
    let mut print = |entry: &Entry| {
        if in_a_table && printed.is_ok() {
            let row = row_text(entry, id, width);
            printed = report::to_stdout(|out| out.write_all(row.as_bytes()));
        }
    };
    let entries = decide(&FORMAL_CORE, &items, &mut options, &mut print)
        .map_err(|error| Problem::new(error.to_string()))?;
    printed?;
    if let Some(path) = &args.html {
        write(
            path,
            &page(&FORMAL_CORE.heading, &provenance(effort), &entries, drawn),
        )?;
    }
    Ok(answer(args, format, &entries))
}

/// The rows of the table, or the selected ones.
fn chosen(args: &args::Claims) -> Result<Vec<Item<Case>>, Problem> {
    let mut items = FORMAL_CORE.items();
    if let Some(ClaimsCommand::Show { id }) = &args.command {
        items.retain(|item| is_part_of(&item.id, id));
        if items.is_empty() {
            return Err(Problem::new(format!(
                "there is no claim `{id}`: write its number, such as 5.8 or `Rem. 6.7(i)`; `lozenge claims --quick` lists all"
            )));
        }
    }
    Ok(items)
}

/// The results of earlier runs: those in the given file, or else in the system's folder for this purpose, and those that are
/// distributed with the program. If that folder cannot be used, no new results are kept, and a warning says so.
fn kept(args: &args::Claims, effort: Effort) -> Result<Kept, Problem> {
    let name = format!("claims-{}-{}.json", FORMAL_CORE.heading.key, effort.word());
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
    let mut kept = own.with_committed(FORMAL_CORE.results);
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

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("{} cannot be written: {error}", path.display()))
}

/// Checks, before the work begins, that a file can be written. An existing file is not changed.
fn writable(path: &PathBuf) -> Result<(), Problem> {
    let new = !path.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|_| if new { fs::remove_file(path) } else { Ok(()) })
        .map_err(|error| unwritable(path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    fs::write(path, text).map_err(|error| unwritable(path, &error))
}

/// The width of the table, which is that of the terminal.
fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(120)
}
