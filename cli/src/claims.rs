//! `lozenge claims`: every numbered statement of the formal core, and how it was decided.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use lozenge_fuzz::claims::{self, Entry, Options, Surveyed};
use lozenge_spec::claims::{Effort, Evidence};
use serde_json::{Value, json};

use crate::args::{self, ClaimsCommand, Format};
use crate::report::{Problem, Report, Status};

/// Runs the command. The status is 1 when a repaired claim is falsified, or strategies disagree.
pub fn claims(args: &args::Claims, format: Format) -> Result<Report, Problem> {
    if args.long {
        return if args.survey {
            survey(args)
        } else {
            strategies(args)
        };
    }
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let shown = match &args.command {
        Some(ClaimsCommand::Show { id }) => Some(known(id)?),
        None => None,
    };
    let entries = claims::table(&Options {
        effort,
        progress: io::stderr().is_terminal(),
    });
    if let Some(path) = &args.html {
        write(path, &claims::page(&entries))?;
    }
    let text = match shown {
        Some(id) => claims::one(&entries, id).unwrap_or_default(),
        None => claims::table_text(&entries, width()) + &summary(&entries),
    };
    let json = match (format, shown) {
        (Format::Text, _) => Value::Null,
        (Format::Json, None) => json!(entries),
        (Format::Json, Some(id)) => {
            json!(entries.iter().filter(|e| named(e, id)).collect::<Vec<_>>())
        }
    };
    let broken = entries
        .iter()
        .any(|e| e.evidence == Evidence::Falsified && e.repaired_by.is_none());
    Ok(Report {
        text,
        json,
        status: if broken {
            Status::Refused
        } else {
            Status::Good
        },
    })
}

/// Whether an entry is what an id asks for: `Cor. 5.8`, `5.8`, and their parts and repairs.
fn named(entry: &Entry, id: &str) -> bool {
    let number = entry.id.split_once(' ').map_or("", |(_, number)| number);
    let begins = |own: &str| {
        own.strip_prefix(id)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', ' ']))
    };
    begins(&entry.id) || begins(number)
}

/// The id itself when the table has it; looked up before the minutes that the table takes.
fn known(id: &str) -> Result<&str, Problem> {
    let ids: Vec<&str> = lozenge_spec::claims::all()
        .iter()
        .map(|claim| claim.id)
        .collect();
    let wanted = |own: &&str| {
        let number = own.split_once(' ').map_or("", |(_, number)| number);
        [*own, number].iter().any(|own| {
            own.strip_prefix(id)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', ' ']))
        })
    };
    match ids.iter().any(wanted) {
        true => Ok(id),
        false => Err(Problem(format!(
            "error: there is no claim `{id}`: write its number, such as 5.8 or `Rem. 6.7(i)`; `lozenge claims --quick` lists all"
        ))),
    }
}

fn summary(entries: &[Entry]) -> String {
    let count = |evidence| entries.iter().filter(|e| e.evidence == evidence).count();
    let seconds: f64 = entries.iter().map(|e| e.seconds).sum();
    format!(
        "\n{} claims: {} proved, {} exhaustive, {} sampled, {} falsified, {} not executable; {seconds:.0} s\n",
        entries.len(),
        count(Evidence::Proved),
        count(Evidence::Exhaustive),
        count(Evidence::Sampled),
        count(Evidence::Falsified),
        count(Evidence::NotExecutable),
    )
}

/// A bar on standard error with an estimate.
fn bar() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len} sets  {elapsed} gone, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Tells a bar how far a run is.
fn onto(bar: &ProgressBar) -> impl Fn(u64, u64) + Sync {
    |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    }
}

fn unusable_notes(error: io::Error) -> Problem {
    Problem(format!("error: the long run's notes: {error}"))
}

/// The long survey: every claim on constraint sets, on all sets of the largest scopes, resumed from its notes.
fn survey(args: &args::Claims) -> Result<Report, Problem> {
    let bar = bar();
    let surveyed = claims::survey(&Effort::Long.scopes(), args.notes.as_deref(), &onto(&bar))
        .map_err(unusable_notes)?;
    bar.finish_and_clear();
    let mut text = String::new();
    let mut objects = Vec::new();
    let mut broken = false;
    for Surveyed { claim, finding } in &surveyed {
        let (id, word, count) = (claim.id, finding.evidence.word(), finding.instances);
        text += &format!("{id:<28} {word:<12} {count} sets\n");
        let witness = finding.witness.as_ref();
        for line in witness.iter().flat_map(|w| w.text.lines()) {
            text += &format!("    {line}\n");
        }
        broken |= witness.is_some() && claim.repair().is_none();
        objects.push(
            json!({"id": id, "evidence": word, "scope": finding.scope, "instances": count,
            "witness": witness.map(|w| &w.text)}),
        );
    }
    Ok(Report {
        text,
        json: json!(objects),
        status: if broken {
            Status::Refused
        } else {
            Status::Good
        },
    })
}

/// The four strategies against each other on random sets, resumed from the notes.
fn strategies(args: &args::Claims) -> Result<Report, Problem> {
    let bar = bar();
    let found =
        claims::agree(Effort::Long, args.notes.as_deref(), &onto(&bar)).map_err(unusable_notes)?;
    bar.finish_and_clear();
    let text = format!(
        "{} sets by all four strategies: {} disagreements where a claim says that order does not matter\n",
        found.sets, found.disagreements
    );
    let json = json!({"sets": found.sets, "disagreements": found.disagreements});
    Ok(Report {
        text,
        json,
        status: if found.disagreements == 0 {
            Status::Good
        } else {
            Status::Refused
        },
    })
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    fs::write(path, text).map_err(|error| {
        Problem(format!(
            "error: {} cannot be written: {error}",
            path.display()
        ))
    })
}

/// How wide the table is: as wide as the terminal says it is.
fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(120)
}
