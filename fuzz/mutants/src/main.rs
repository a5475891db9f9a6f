//! `lozenge-mutants`: looks for planted defects and mutants.
//!
//! `cargo mutants` lists the mutants; it builds the package for each of them, and this program builds once for all.
//! `mutest-rs` does so as well, and was not tried, since it needs a nightly compiler.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use lozenge_mutants::campaign::{Hunt, Plan, hunt};
use lozenge_mutants::change::Change;
use lozenge_mutants::copy::{Built, Copy};
use lozenge_mutants::defects::{DefectFile, NoticedBy, files};
use lozenge_mutants::listed;
use lozenge_mutants::report::{Outcome, page};
use lozenge_mutants::suite::{Noticed, noticed, tests};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

/// Tests of the tests: planted defects and mutants, all in one build of a copy of the sources.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The workspace.
    #[arg(long, default_value = ".", global = true)]
    root: PathBuf,
    /// The folder of the copy [default: target/planted of the workspace].
    #[arg(long, global = true)]
    scratch: Option<PathBuf>,
    /// The number of programs that run at a time.
    #[arg(long, default_value_t = 2, global = true)]
    jobs: usize,
    /// The cargo profile of the copy's build.
    #[arg(long, default_value = "release", global = true)]
    profile: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Looks for the defects of fuzz/testkit/defects.
    Planted(Planted),
    /// Looks for the mutants of a package that `cargo mutants --list --json` has listed.
    Mutants(Mutants),
}

#[derive(Args)]
struct Mutants {
    /// The list.
    list: PathBuf,
    /// The package.
    #[arg(long)]
    package: String,
    /// Other packages whose tests judge the mutants as well.
    #[arg(long)]
    judge: Vec<String>,
    /// Only a random sample of so many of them.
    #[arg(long)]
    sample: Option<usize>,
    /// The seed of the sample, and of the inputs of campaigns.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Tests that take longer than this many seconds in the unchanged sources are left out.
    #[arg(long, default_value_t = 600)]
    longest: u64,
    /// The minutes for which a campaign hunts for each mutant that the tests leave; 0 for no campaign.
    #[arg(long, default_value_t = 0)]
    hunt: u64,
}

#[derive(Args)]
struct Planted {
    /// Only these defects.
    #[arg(long)]
    only: Vec<String>,
    /// Only the defects of this package.
    #[arg(long)]
    package: Option<String>,
    /// The most inputs of a campaign that a defect may take.
    #[arg(long, default_value_t = 1_000_000)]
    limit: u64,
    /// The seed of the campaign's inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most minutes that a campaign may take for one defect.
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// The most seconds that a party may take for one input; one that takes longer is reported with the input.
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Look in this target of the campaign only, for the defects that a campaign notices, such as evidence: then no
    /// second solver helps.
    #[arg(long, conflicts_with = "write")]
    target: Option<String>,
    /// Write what was found into docs/generated/planted.md.
    #[arg(long, conflicts_with = "only")]
    write: bool,
}

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Planted(planted) => look_for_planted(&arguments, planted),
        Command::Mutants(mutants) => look_for_mutants(&arguments, mutants),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Makes the copy of the workspace for a package.
fn copy(arguments: &Arguments) -> Fallible<(PathBuf, Copy)> {
    let root = arguments.root.canonicalize()?;
    let scratch = arguments
        .scratch
        .clone()
        .unwrap_or_else(|| root.join("target/planted"));
    fs::create_dir_all(&scratch)?;
    let copy = Copy::new(&root, &scratch.canonicalize()?)?;
    Ok((root, copy))
}

/// Calls a function for each item on several threads. The results are in the order of the items.
fn for_each<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    each: impl Fn(&T) -> R + Sync + Send,
) -> Fallible<Vec<R>> {
    let threads = ThreadPoolBuilder::new().num_threads(jobs.max(1)).build()?;
    // One item at a time: each is a campaign or a run of tests.
    let items = items.par_iter().with_max_len(1);
    Ok(threads.install(|| items.map(each).collect()))
}

fn look_for_planted(arguments: &Arguments, planted: &Planted) -> Fallible<bool> {
    let (root, copy) = copy(arguments)?;
    let mut results = Vec::new();
    let mut all_noticed = true;
    for path in files(&root)? {
        let mut file = DefectFile::read(&path)?;
        if planted
            .package
            .as_ref()
            .is_some_and(|package| *package != file.package)
        {
            continue;
        }
        let is_asked_for = |name: &String| planted.only.is_empty() || planted.only.contains(name);
        file.defects.retain(|defect| is_asked_for(&defect.name));
        if planted.target.is_some() && file.noticed_by == NoticedBy::Tests {
            continue;
        }
        if file.defects.is_empty() {
            continue;
        }
        let changes = file.changes(&root).map_err(|errors| {
            let lines = errors.iter().map(|error| format!("\n  {error}"));
            format!("{}:{}", path.display(), lines.collect::<String>())
        })?;
        let outcomes = match file.noticed_by {
            NoticedBy::Campaign => by_campaign(arguments, planted, &copy, &file, &changes)?,
            NoticedBy::Tests => by_tests(arguments, &copy, &file, &changes)?,
        };
        all_noticed &= outcomes.iter().all(Outcome::is_noticed);
        let names = changes.iter().map(|change| change.name.clone());
        results.push((file, names.zip(outcomes).collect::<BTreeMap<_, _>>()));
    }
    if planted.write {
        let path = root.join("docs/generated/planted.md");
        let former = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, page(&former, &results))?;
    }
    let outcomes = results.iter().flat_map(|(_, outcomes)| outcomes);
    let unnoticed: Vec<&String> = outcomes
        .filter(|(_, outcome)| !outcome.is_noticed())
        .map(|(name, _)| name)
        .collect();
    let count: usize = results.iter().map(|(_, outcomes)| outcomes.len()).sum();
    println!("{} of {count} defects noticed", count - unnoticed.len());
    unnoticed
        .iter()
        .for_each(|name| println!("not noticed: {name}"));
    Ok(all_noticed)
}

/// Checks that all changes of a file of defects compile, since they were written by hand.
fn all_compile(changes: &[Change], built: &Built) -> Fallible<()> {
    let names: Vec<&str> = built
        .uncompiled
        .iter()
        .map(|number| changes[*number].name.as_str())
        .collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(format!("these defects do not compile: {}", names.join(", ")).into()),
    }
}

fn by_campaign(
    arguments: &Arguments,
    planted: &Planted,
    copy: &Copy,
    file: &DefectFile,
    changes: &[Change],
) -> Fallible<Vec<Outcome>> {
    let plan = Plan {
        seed: planted.seed,
        limit: planted.limit,
        time: Duration::from_secs(60 * planted.minutes),
        patience: planted.patience,
        target: planted.target.as_deref().or(file.target.as_deref()),
    };
    let (built, hunts) = hunted(arguments, copy, &file.package, changes, &plan)?;
    all_compile(changes, &built)?;
    Ok(hunts.into_iter().map(Outcome::Hunted).collect())
}

/// Returns the results of hunts for each change of a package. In the unchanged sources the same inputs have to show
/// nothing.
fn hunted(
    arguments: &Arguments,
    copy: &Copy,
    package: &str,
    changes: &[Change],
    plan: &Plan<'_>,
) -> Fallible<(Built, Vec<Hunt>)> {
    let mut build = vec![
        "build",
        "-p",
        "lozenge-fuzz",
        "--no-default-features",
        "--example",
        "hunt",
        "--profile",
        &arguments.profile,
    ];
    // Only the targets that run kernels need OpenCL, and they are hunted in one by one.
    if plan.target.is_some() {
        build.extend(["--features", "opencl"]);
    }
    let built = copy.build(package, changes, &build)?;
    let mut executables = built.executables.iter();
    let hunter = executables.find(|executable| executable.name == "hunt");
    let hunter = hunter.ok_or("the build made no program called hunt")?;
    let hunts = for_each(arguments.jobs, changes, |change| {
        let hunt = hunt(&built, hunter, Some(&change.name), plan);
        println!("{}: {hunt:?}", change.name);
        hunt
    })?;
    let hunts = hunts.into_iter().collect::<Result<Vec<Hunt>, _>>()?;
    let inputs = hunts.iter().map(|hunt| match hunt {
        Hunt::Found(found) => found.inputs,
        _ => 0,
    });
    let same_inputs = Plan {
        limit: inputs.max().unwrap_or(0),
        ..*plan
    };
    match hunt(&built, hunter, None, &same_inputs)? {
        Hunt::Nothing => Ok((built, hunts)),
        other => Err(format!("something is found without any defect: {other:?}").into()),
    }
}

fn by_tests(
    arguments: &Arguments,
    copy: &Copy,
    file: &DefectFile,
    changes: &[Change],
) -> Fallible<Vec<Outcome>> {
    let judges = Judges {
        packages: vec![file.judge.as_ref().unwrap_or(&file.package)],
        tests: &file.tests,
        longest: LONGEST,
    };
    let (built, outcomes) = tested(arguments, copy, &file.package, changes, &judges)?;
    all_compile(changes, &built)?;
    Ok(outcomes.into_iter().map(Outcome::Tested).collect())
}

/// The longest time that a test of a planted defect may take in the unchanged sources.
const LONGEST: Duration = Duration::from_secs(600);

/// The tests that judge changes.
struct Judges<'a> {
    packages: Vec<&'a str>,
    /// The words with which their names begin.
    tests: &'a str,
    /// The longest time that one may take in the unchanged sources.
    longest: Duration,
}

/// Returns the results of tests on each change of a package.
fn tested(
    arguments: &Arguments,
    copy: &Copy,
    package: &str,
    changes: &[Change],
    judges: &Judges<'_>,
) -> Fallible<(Built, Vec<Noticed>)> {
    let profile = ["--profile", &arguments.profile];
    let mut build = vec!["test", "--lib", "--tests", "--no-run"];
    build.extend(profile);
    let packages = judges.packages.iter();
    packages.for_each(|name| build.extend(["-p", name]));
    let built = copy.build(package, changes, &build)?;
    let folder = arguments.root.canonicalize()?.join("target");
    let tests = tests(&built, &folder, judges.tests, judges.longest)?;
    eprintln!("{} tests", tests.len());
    let numbers: Vec<usize> = (0..changes.len()).collect();
    let outcomes = for_each(arguments.jobs, &numbers, |&number| {
        if built.uncompiled.contains(&number) || built.unplaced.contains(&number) {
            return Ok(Noticed::Survives(0));
        }
        let name = &changes[number].name;
        let outcome = noticed(&built, &tests, number, name);
        println!("{name}: {outcome:?}");
        outcome
    })?;
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok((built, outcomes))
}

/// The number of times that each thing happened to the mutants that compile.
#[derive(Default)]
struct Tally {
    failed: usize,
    hung: usize,
    hunted: usize,
    /// The mutants that nothing noticed, by their places.
    left: Vec<usize>,
}

fn look_for_mutants(arguments: &Arguments, mutants: &Mutants) -> Fallible<bool> {
    let (root, copy) = copy(arguments)?;
    let mut changes = listed::changes(&mutants.list, &mutants.package, &root)?;
    if let Some(count) = mutants.sample {
        changes = listed::sample(changes, count, mutants.seed);
    }
    let mut packages = vec![mutants.package.as_str()];
    packages.extend(mutants.judge.iter().map(String::as_str));
    let judges = Judges {
        packages,
        tests: "",
        longest: Duration::from_secs(mutants.longest),
    };
    let (built, outcomes) = tested(arguments, &copy, &mutants.package, &changes, &judges)?;
    let viable =
        |number: &usize| !built.uncompiled.contains(number) && !built.unplaced.contains(number);
    let mut tally = Tally::default();
    for (number, outcome) in outcomes.iter().enumerate() {
        match outcome {
            _ if !viable(&number) => {}
            Noticed::Fails(_) => tally.failed += 1,
            Noticed::Hangs(_) => tally.hung += 1,
            Noticed::Survives(ran) => {
                println!("not noticed by {ran} tests: {}", changes[number].name);
                tally.left.push(number);
            }
        }
    }
    if mutants.hunt > 0 && !tally.left.is_empty() {
        hunt_for_the_rest(arguments, mutants, &copy, &changes, &mut tally)?;
    }
    summarise(&tally, &built, &changes, mutants.sample.is_some());
    Ok(tally.left.is_empty())
}

/// Hunts for the mutants that the tests have left.
fn hunt_for_the_rest(
    arguments: &Arguments,
    mutants: &Mutants,
    copy: &Copy,
    changes: &[Change],
    tally: &mut Tally,
) -> Fallible<()> {
    let left: Vec<Change> = tally.left.iter().map(|at| changes[*at].clone()).collect();
    let plan = Plan {
        seed: mutants.seed,
        limit: u64::MAX,
        time: Duration::from_secs(60 * mutants.hunt),
        patience: 20,
        target: None,
    };
    let (_, hunts) = hunted(arguments, copy, &mutants.package, &left, &plan)?;
    let hunts: Vec<Outcome> = hunts.into_iter().map(Outcome::Hunted).collect();
    let before = tally.left.len();
    let mut noticed = hunts.iter().map(Outcome::is_noticed);
    tally.left.retain(|_| !noticed.next().unwrap_or(false));
    tally.hunted = before - tally.left.len();
    for at in &tally.left {
        println!("not noticed by a campaign either: {}", changes[*at].name);
    }
    Ok(())
}

fn summarise(tally: &Tally, built: &Built, changes: &[Change], is_sample: bool) {
    let killed = tally.failed + tally.hung + tally.hunted;
    println!(
        "{} mutants; {} do not compile; {} have no place; {killed} killed, {} by time-out, {} by a campaign; {} left",
        changes.len(),
        built.uncompiled.len(),
        built.unplaced.len(),
        tally.hung,
        tally.hunted,
        tally.left.len()
    );
    if is_sample {
        let (low, high) = listed::confidence(killed, killed + tally.left.len());
        println!(
            "of all viable ones, with a confidence of 95 %, {:.1} % to {:.1} % are killed",
            100.0 * low,
            100.0 * high
        );
    }
}
