//! `lozenge corpus`: the kept inputs, and their exchange with libFuzzer.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use lozenge::NewFile;

use lozenge_fuzz::any_subject::AnyTarget;
use lozenge_fuzz::corpus;
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::targets;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{self, CorpusCommand};
use crate::commands::campaign::target_named;
use crate::json::in_order;
use crate::report::{Problem, Report};

fn problem(error: impl std::fmt::Display) -> Problem {
    Problem::new(error)
}

/// Runs the command.
pub fn corpus(args: &args::Corpus) -> Result<Report, Problem> {
    match &args.command {
        CorpusCommand::Distil { count, seed } => distil(&args.folder, *count, *seed),
        CorpusCommand::Export { to } => export(&args.folder, to),
        CorpusCommand::Import { target, from } => import(&args.folder, target, from),
    }
}

/// The number of files or inputs for each target, in the order of the targets.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Counts(
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, usize>")]
    Vec<(String, usize)>,
);

fn counted(counts: &[(&str, usize)], what: &str) -> Report {
    let mut text = String::new();
    for (name, count) in counts {
        let _ = writeln!(text, "{name:<16} {count:>5} {what}");
    }
    let counts = counts.iter();
    let counts = counts.map(|(name, count)| (name.to_string(), *count));
    Report::new(text, Counts(counts.collect()))
}

/// Replaces the corpus of a target by these inputs.
fn replace(folder: &Path, target: &dyn AnyTarget, inputs: &[String]) -> Result<(), Problem> {
    let own = folder.join(target.name());
    if own.is_dir() {
        fs::remove_dir_all(&own).map_err(problem)?;
    }
    for input in inputs {
        corpus::write(folder, target, input, "").map_err(problem)?;
    }
    Ok(())
}

fn known(folder: &Path, target: &dyn AnyTarget) -> Result<Vec<String>, Problem> {
    let all = corpus::all(folder).map_err(problem)?;
    let own = all
        .into_iter()
        .filter(|kept| kept.target.name() == target.name());
    Ok(own.map(|kept| kept.input).collect())
}

/// Adds the inputs of a campaign to the corpus, then keeps only inputs that reach something that no smaller one
/// reaches.
fn distil(folder: &Path, count: u64, seed: u64) -> Result<Report, Problem> {
    let mut counts = Vec::new();
    for target in targets().iter().copied() {
        let drawn = (0..count).filter_map(|index| target.text(seed, index));
        let inputs = known(folder, target)?.into_iter().chain(drawn);
        let kept = target.distilled(inputs.collect(), &mut Parties::default());
        replace(folder, target, &kept)?;
        counts.push((target.name(), kept.len()));
    }
    Ok(counted(&counts, "inputs kept"))
}

/// Writes a folder for each target with files for libFuzzer.
fn export(folder: &Path, to: &Path) -> Result<Report, Problem> {
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(problem(format!(
            "--folder {folder}: there is no such folder"
        )));
    }
    let all = corpus::all(folder).map_err(problem)?;
    let mut counts = Vec::new();
    for target in targets() {
        let own = to.join(target.name());
        fs::create_dir_all(&own).map_err(problem)?;
        let inputs = all
            .iter()
            .filter(|kept| kept.target.name() == target.name());
        let mut count = 0;
        for kept in inputs {
            let name = kept.path.file_stem().unwrap_or_default();
            NewFile::replace(&own.join(name), target.to_bytes(&kept.input)).map_err(problem)?;
            count += 1;
        }
        counts.push((target.name(), count));
    }
    Ok(counted(&counts, "files written"))
}

/// Adds the inputs found by libFuzzer to the corpus, then keeps only inputs that reach something that no smaller one
/// reaches.
fn import(folder: &Path, name: &str, from: &Path) -> Result<Report, Problem> {
    let target = target_named(name)?;
    let entries = fs::read_dir(from)
        .map_err(|error| problem(format!("{} cannot be read: {error}", from.display())))?;
    let mut paths: Vec<_> = entries
        .map(|entry| Ok(entry.map_err(problem)?.path()))
        .collect::<Result<_, Problem>>()?;
    paths.sort();
    let mut inputs = known(folder, target)?;
    for path in paths.iter().filter(|path| path.is_file()) {
        let data = fs::read(path).map_err(problem)?;
        inputs.extend(target.of_bytes(&data));
    }
    let kept = target.distilled(inputs, &mut Parties::default());
    replace(folder, target, &kept)?;
    Ok(counted(&[(target.name(), kept.len())], "inputs kept"))
}
