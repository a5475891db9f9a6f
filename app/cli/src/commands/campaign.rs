//! `lozenge campaign`: differential testing at length.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lozenge_fuzz::any_subject::AnyTarget;
use lozenge_fuzz::campaign::{Found, Plan, Provenance, Shard, State, merge, page, run};
use lozenge_fuzz::corpus;
use lozenge_fuzz::known_difference::KnownDifference;
use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::sets::proved_checker::one_alone;
use lozenge_fuzz::subjects::{differences, named, rules, targets};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::args;
use crate::files::distinct_files::{Named, distinct};
use crate::files::output_file::{self, OutputFile};
use crate::json::in_order;
use crate::provenance;
use crate::report::{self, Problem, Report, Status};

/// The folder that keeps disagreements, which the tests replay.
const REGRESSIONS: &str = "fuzz/harness/regressions";

/// Runs the command. The status is 1 at a disagreement.
pub fn campaign(args: &args::Campaign) -> Result<Report, Problem> {
    if args.list {
        return Ok(listed());
    }
    let targets = chosen(&args.targets)?;
    if let Some(path) = &args.replay {
        return replay(path, &targets, args.targets.is_empty());
    }
    let parts = args
        .merge
        .iter()
        .map(|path| Named::new(format!("--merge {}", path.display()), path));
    let read: Vec<Named> = parts
        .chain(Named::flag("--resume", args.resume.as_deref()))
        .collect();
    distinct(
        &read,
        &Vec::from_iter(Named::flag("--html", args.html.as_deref())),
    )?;
    let page_file = OutputFile::open(args.html.as_deref())?;
    if !args.merge.is_empty() {
        return reported(&merged(&args.merge)?, args.keep, page_file);
    }
    let mut state = taken_up(args)?;
    let default = args.time.is_none().then_some(10_000);
    let plan = Plan {
        targets,
        seed: state.seed,
        count: args.count.or(default),
        time: args.time,
        patience: args.patience,
        jobs: args
            .jobs
            .unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
    };
    carry_out(&plan, &mut state, args.resume.as_deref())?;
    reported(&state, args.keep, page_file)
}

/// The targets and the named differences: what `--list` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct List {
    /// The targets.
    targets: Vec<TargetData>,
    /// The named differences.
    classes: Vec<&'static KnownDifference>,
}

/// A target.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Target", deny_unknown_fields)]
struct TargetData {
    /// Its name.
    name: &'static str,
    /// The parties that are held against each other, in words.
    about: &'static str,
}

impl TargetData {
    fn of(target: &dyn AnyTarget) -> TargetData {
        TargetData {
            name: target.name(),
            about: target.about(),
        }
    }
}

/// The outcomes on one input: what `--replay` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Replayed {
    /// The input in its readable form.
    input: String,
    /// For each target how the answers stand to each other.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, String>")]
    outcomes: Vec<(String, String)>,
}

/// Returns the merged parts of a campaign.
fn merged(paths: &[PathBuf]) -> Result<State, Problem> {
    let states: Result<Vec<State>, Problem> = paths.iter().map(|path| state_in(path)).collect();
    merge(&states?).map_err(|error| Problem::new(format!("--merge: {error}")))
}

/// Returns the report on a campaign.
fn reported(state: &State, keep: bool, page_file: Option<OutputFile>) -> Result<Report, Problem> {
    if let Some(file) = page_file {
        let provenance = Provenance {
            date: provenance::day(),
            commit: provenance::commit(),
        };
        file.write(&page(state, &provenance))?;
    }
    let mut text = summary(state);
    let (mut shown, mut status) = (Vec::new(), Status::Good);
    for (name, found) in state.disagreements() {
        status = Status::Refused;
        if let Some(target) = named(name) {
            text.push_str(&explained(target, state.seed, found, keep, &mut shown)?);
        }
    }
    Ok(Report::new(text, state).with_status(status))
}

/// Runs the plan with a progress bar, and writes the state to a file after each round.
fn carry_out(plan: &Plan, state: &mut State, file: Option<&Path>) -> Result<(), Problem> {
    let stop = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stop);
    // If the handler cannot be set, an interrupt ends the program and the last round is lost.
    let _ = ctrlc::set_handler(move || signal.store(true, Ordering::Relaxed));
    if let Some(line) = one_alone(&plan.targets) {
        report::to_stderr(&format!("{line}\n"));
    }
    let bar = bar(plan, state.shard);
    let mut kept = Ok(());
    let ran = run(plan, state, &stop, |state| {
        show(&bar, plan, state);
        if let Some(path) = file {
            kept = output_file::replace(path, format!("{}\n", json!(state)));
        }
        if kept.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
    });
    bar.finish_and_clear();
    ran.map_err(|error| Problem::new(format!("the threads of the campaign: {error}")))?;
    kept
}

fn chosen(names: &[String]) -> Result<Vec<&'static dyn AnyTarget>, Problem> {
    match names.is_empty() {
        true => Ok(targets().to_vec()),
        false => names.iter().map(|name| target_named(name)).collect(),
    }
}

/// Returns the target of a name.
///
/// # Errors
/// The message that lists all targets.
pub fn target_named(name: &str) -> Result<&'static dyn AnyTarget, Problem> {
    named(name).ok_or_else(|| {
        let known: Vec<&str> = targets().iter().map(|target| target.name()).collect();
        Problem::new(format!(
            "there is no target `{name}`: the targets are {}",
            known.join(", ")
        ))
    })
}

/// Returns the state in the file of `--resume`, or a new one.
fn taken_up(args: &args::Campaign) -> Result<State, Problem> {
    let shard = args.shard.as_deref().map(str::parse::<Shard>).transpose();
    let asked = shard.map_err(|error| Problem::new(format!("--shard: {error}")))?;
    let shard = asked.unwrap_or_default();
    let Some(path) = args.resume.as_deref().filter(|path| path.exists()) else {
        return Ok(State::of(args.seed.unwrap_or(1), shard));
    };
    let state = state_in(path)?;
    let path = path.display();
    match args.seed {
        Some(seed) if seed != state.seed => Err(Problem::new(format!(
            "the campaign in {path} has the seed {}, not {seed}: leave out --seed, or give another file",
            state.seed
        ))),
        _ if asked.is_some_and(|asked| asked != state.shard) => Err(Problem::new(format!(
            "the campaign in {path} is {}, not {shard}: leave out --shard, or give another file",
            whole_or_part(state.shard)
        ))),
        _ => Ok(state),
    }
}

fn whole_or_part(shard: Shard) -> String {
    match shard == Shard::WHOLE {
        true => "a whole one".to_string(),
        false => format!("the part {shard}"),
    }
}

fn state_in(path: &Path) -> Result<State, Problem> {
    let text = crate::files::input::read(path)?.text;
    serde_json::from_str(&text).map_err(|error| {
        Problem::new(format!(
            "{} is not the state of a campaign: {error}: give a file that --resume wrote",
            path.display()
        ))
    })
}

fn listed() -> Report {
    let mut text = String::new();
    for target in targets() {
        let _ = writeln!(text, "{:<16} {}", target.name(), target.about());
    }
    text.push_str("\nnamed differences\n");
    for row in differences() {
        let _ = writeln!(text, "\n{} ({})\n  {}", row.name, row.target, row.argument);
    }
    let targets = targets().iter();
    let list = List {
        targets: targets.map(|target| TargetData::of(*target)).collect(),
        classes: differences().collect(),
    };
    Report::new(text, list)
}

fn bar(plan: &Plan, shard: Shard) -> ProgressBar {
    let share = |count| shard.share(count);
    let bar = match plan.count {
        Some(count) => ProgressBar::new(share(count) * plan.targets.len() as u64),
        None => ProgressBar::new(plan.time.map_or(0, |time| time.as_secs())),
    };
    let style =
        ProgressStyle::with_template("{bar:30} {percent}%  {elapsed} gone, {eta} left  {msg}");
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, plan: &Plan, state: &State) {
    let tallies = || {
        plan.targets
            .iter()
            .filter_map(|t| state.tallies.get(t.name()))
    };
    let done: u64 = tallies().map(|tally| tally.inputs).sum();
    let useful: u64 = tallies().map(|tally| tally.useful).sum();
    let seconds: f64 = tallies().map(|tally| tally.seconds).sum();
    let reached = |rule: &&&str| tallies().any(|tally| tally.reaches(rule));
    let met = |name: &&&str| tallies().any(|tally| tally.outcomes.contains_key(**name));
    let rules = rules(plan.targets.iter().copied());
    let classes: Vec<&str> = differences().map(|class| class.name).collect();
    let bad: u64 = tallies().map(|tally| tally.disagreements()).sum();
    bar.set_position(match plan.count {
        Some(_) => done,
        None => bar.elapsed().as_secs(),
    });
    bar.set_message(format!(
        "{:.0}/s  {} % useful  rules {}/{}  classes {}/{}  {bad} disagree",
        done as f64 / seconds.max(1e-9),
        100 * useful / done.max(1),
        rules.iter().filter(reached).count(),
        rules.len(),
        classes.iter().filter(met).count(),
        classes.len(),
    ));
}

/// Returns the table at the end.
fn summary(state: &State) -> String {
    let mut text = format!(
        "{:<16} {:>11} {:>9} {:>8} {:>8} {:>8} {:>9}  named differences\n",
        "target", "inputs", "a second", "useful", "agree", "unknown", "disagree"
    );
    for (name, tally) in &state.tallies {
        let count = |key: &str| tally.outcomes.get(key).copied().unwrap_or_default();
        let share = |part: u64| 100.0 * part as f64 / tally.inputs.max(1) as f64;
        let named: Vec<String> = differences()
            .filter(|row| count(row.name) > 0)
            .map(|row| format!("{} {}", count(row.name), row.name))
            .collect();
        let line = format!(
            "{name:<16} {:>11} {:>9.0} {:>7.1}% {:>7.2}% {:>8} {:>9}  {}",
            tally.inputs,
            tally.rate(),
            share(tally.useful),
            share(count("agree")),
            count("unknown"),
            tally.disagreements(),
            named.join(", ")
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text + &reached(state)
}

/// Returns the last line of the summary: the number of inputs, and the rules of their calculi that were not reached.
fn reached(state: &State) -> String {
    let all = state.rules();
    let is_reached = |rule: &str| state.tallies.values().any(|tally| tally.reaches(rule));
    let never = all.iter().copied().filter(|rule| !is_reached(rule));
    let never: Vec<&str> = never.collect();
    let mut text = format!(
        "\nseed {}, {}{} inputs, {:.0} s",
        state.seed,
        match state.shard == Shard::WHOLE {
            true => String::new(),
            false => format!("part {}, ", state.shard),
        },
        state.inputs(),
        state.seconds,
    );
    if !all.is_empty() {
        let reached = all.len() - never.len();
        let _ = write!(text, "; {reached} of {} rules reached", all.len());
    }
    if !never.is_empty() {
        let _ = write!(text, ", not {}", never.join(", "));
    }
    text.push('\n');
    text
}

/// Returns a minimised disagreement with both answers, a derivation of each, and how to reproduce it; nothing if the
/// same one was shown before.
fn explained(
    target: &dyn AnyTarget,
    seed: u64,
    found: &Found,
    keep: bool,
    shown: &mut Vec<String>,
) -> Result<String, Problem> {
    let mut parties = Parties::default();
    let Some(input) = target.text(seed, found.index) else {
        return Ok(String::new());
    };
    let least = match found.stuck {
        true => input,
        false => {
            target
                .least(&input, &mut parties)
                .map_err(Problem::new)?
                .text
        }
    };
    if shown.contains(&least) {
        return Ok(String::new());
    }
    shown.push(least.clone());
    let name = target.name();
    let mut text = format!(
        "\n{name}, input {} of seed {seed}, {}:\n\n{least}\n{}",
        found.index,
        match found.stuck {
            true =>
                "which a party did not answer in the time that it may take; --patience raises that",
            false => "made small",
        },
        match found.stuck {
            true => String::new(),
            false => answers(target, &least, &mut parties)?,
        }
    );
    let comment = format!(
        "{name}: {}\nfound as input {} of seed {seed}",
        found.disagreement.check, found.index
    );
    let folder = match keep {
        true => Path::new(REGRESSIONS).to_path_buf(),
        false => std::env::temp_dir().join("lozenge-disagreements"),
    };
    let path = corpus::write(&folder, target, &least, &comment)
        .map_err(|error| Problem::new(format!("{error}")))?;
    let _ = writeln!(
        text,
        "\nto see it again: lozenge campaign {name} --replay {}",
        path.display()
    );
    Ok(text)
}

/// Returns the answers about an input on which parties disagree, with a derivation of each.
fn answers(target: &dyn AnyTarget, input: &str, parties: &mut Parties) -> Result<String, Problem> {
    let mut text = String::new();
    let examined = target.examine(input, parties).map_err(Problem::new)?;
    if let Some(Outcome::Disagree(disagreement)) = examined.map(|examined| examined.outcome) {
        let _ = writeln!(text, "{disagreement}");
    }
    for (party, derivation) in target.derivations(input, parties).map_err(Problem::new)? {
        let _ = writeln!(text, "how {party} gets there");
        for line in derivation.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    Ok(text)
}

/// Examines one input with the named targets, or with all targets of its subject.
fn replay(path: &Path, targets: &[&'static dyn AnyTarget], all: bool) -> Result<Report, Problem> {
    let (subject, text) = corpus::read(path).map_err(|error| Problem::new(format!("{error}")))?;
    let wrong = |error| Problem::new(format!("{}: {error}", path.display()));
    let mut parties = Parties::default();
    let (mut report, mut outcomes) = (String::new(), Vec::new());
    let (mut input, mut status) = (text.clone(), Status::Good);
    let fits =
        |target: &&&'static dyn AnyTarget| target.subject().extension() == subject.extension();
    for target in targets.iter().filter(fits) {
        input = target.printed(&text).map_err(wrong)?;
        let Some(examined) = target.examine(&text, &mut parties).map_err(wrong)? else {
            continue;
        };
        let key = examined.outcome.key();
        let _ = writeln!(report, "{:<16} {}, {key}", target.name(), examined.answer);
        outcomes.push((target.name().to_string(), key));
        if matches!(examined.outcome, Outcome::Disagree(_)) {
            status = Status::Refused;
            let _ = writeln!(report, "\n{}", answers(*target, &text, &mut parties)?);
        }
    }
    if outcomes.is_empty() && !all {
        return Err(Problem::new(format!(
            "{} is an input of another sort than the targets take: leave the targets out",
            path.display()
        )));
    }
    Ok(Report::new(report, Replayed { input, outcomes }).with_status(status))
}
