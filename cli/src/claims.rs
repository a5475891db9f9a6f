//! `lozenge claims`: every numbered statement of the formal core, and how it was decided.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use lozenge_claims::core::{Effort, Evidence};
use lozenge_claims::{Entry, Options, Surveyed};
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
    let options = Options {
        effort: if args.quick {
            Effort::Quick
        } else {
            Effort::Full
        },
        progress: io::stderr().is_terminal(),
    };
    let (entries, text) = match &args.command {
        Some(ClaimsCommand::Show { id }) => {
            let entries = lozenge_claims::show(known(id)?, &options);
            let text = lozenge_claims::in_full(&entries);
            (entries, text)
        }
        None => {
            let entries = lozenge_claims::table(&options);
            let text = lozenge_claims::table_text(&entries, width()) + &summary(&entries);
            (entries, text)
        }
    };
    if let Some(path) = &args.html {
        write(path, &lozenge_claims::page(&entries))?;
    }
    let json = match format {
        Format::Text => Value::Null,
        Format::Json | Format::Jsonl => json!({"entries": entries}),
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

/// The id itself when the table has it.
fn known(id: &str) -> Result<&str, Problem> {
    let all = lozenge_claims::core::all();
    match all
        .iter()
        .any(|claim| lozenge_claims::is_asked(claim.id, id))
    {
        true => Ok(id),
        false => Err(Problem::new(format!(
            "there is no claim `{id}`: write its number, such as 5.8 or `Rem. 6.7(i)`; `lozenge claims --quick` lists all"
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

/// How far a long run is: a bar with an estimate on a terminal, else a line with one now and then.
struct Told {
    bar: Option<ProgressBar>,
    begun: Instant,
    state: Mutex<(Option<u64>, Instant)>,
}

/// Between two lines.
const PAUSE: Duration = Duration::from_secs(10);

impl Told {
    fn new() -> Told {
        let style =
            ProgressStyle::with_template("{bar:40} {pos}/{len} sets  {elapsed} gone, {eta} left");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let terminal = io::stderr().is_terminal();
        Told {
            bar: terminal.then(|| ProgressBar::new(0).with_style(style)),
            begun: Instant::now(),
            state: Mutex::new((None, Instant::now())),
        }
    }

    /// The first call says where the run begins, which is not at 0 when it is taken up again.
    fn tell(&self, done: u64, total: u64) {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        let first = state.0.is_none();
        let start = *state.0.get_or_insert(done);
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            if first {
                bar.reset_eta();
            }
        } else if first || done == total || state.1.elapsed() >= PAUSE {
            state.1 = Instant::now();
            eprintln!(
                "{done} of {total} sets{}",
                left(self.begun.elapsed(), done - start, total - done)
            );
        }
    }

    fn over(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// An estimate of the time left, in words, from how long some sets took.
fn left(gone: Duration, done: u64, left: u64) -> String {
    if done == 0 || left == 0 {
        return String::new();
    }
    let seconds = gone.as_secs_f64() * left as f64 / done as f64;
    match seconds {
        s if s < 100.0 => format!(", about {s:.0} s left"),
        s if s < 6000.0 => format!(", about {:.0} min left", s / 60.0),
        s => format!(", about {:.0} h left", s / 3600.0),
    }
}

fn unusable_notes(error: io::Error) -> Problem {
    Problem::new(format!("the long run's notes: {error}"))
}

/// The long survey: every claim on constraint sets, on all sets of the largest scopes, resumed from its notes.
fn survey(args: &args::Claims) -> Result<Report, Problem> {
    let told = Told::new();
    let scopes = match args.scope.is_empty() {
        true => Effort::Long.scopes(),
        false => args.scope.clone(),
    };
    let tell = |done, total| told.tell(done, total);
    let surveyed =
        lozenge_claims::survey(&scopes, args.notes.as_deref(), &tell).map_err(unusable_notes)?;
    told.over();
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
        json: json!({"entries": objects}),
        status: if broken {
            Status::Refused
        } else {
            Status::Good
        },
    })
}

/// The four strategies against each other on random sets, resumed from the notes.
fn strategies(args: &args::Claims) -> Result<Report, Problem> {
    let told = Told::new();
    let tell = |done, total| told.tell(done, total);
    let found = lozenge_claims::agree(Effort::Long, args.notes.as_deref(), &tell)
        .map_err(unusable_notes)?;
    told.over();
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
    fs::write(path, text)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}", path.display())))
}

/// How wide the table is: as wide as the terminal says it is.
fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(120)
}
