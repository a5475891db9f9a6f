//! Every defect planted in the solver is found by the targets that ask it, with the inputs that a campaign gives them.
//! `docs/planted.md` has the table; `LOZENGE_WRITE=1` writes it anew.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lozenge_fuzz::input::{Input, Kind};
use lozenge_fuzz::minimise::minimise;
use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::party::Question;
use lozenge_fuzz::target::{TARGETS, Target};
use lozenge_fuzz::worker::Worker;
use lozenge_solver::planted::{DEFECTS, Defect, with};

/// At most how many inputs it may take to find a defect, those of all targets together.
const LIMIT: u64 = 1_000_000;

const SEED: u64 = 1;
const THREADS: usize = 2;
const SELDOM: u64 = 10;

/// The targets that ask the solver about constraint sets.
fn targets() -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().filter(|target| target.kind == Kind::Set)
}

/// A disagreement that a defect led to.
struct Found {
    target: &'static Target,
    /// How many inputs of all targets were examined.
    inputs: u64,
    check: String,
    least: Input,
}

/// The check that fails on input number `index` of a target.
fn failed_check(target: &Target, input: &Input, worker: &mut Worker) -> Option<String> {
    match target.examine(input, worker)?.outcome {
        Outcome::Disagree(disagreement) => Some(disagreement.check),
        _ => None,
    }
}

fn input(target: &Target, index: u64) -> Input {
    target.indexed(SEED, index).expect("bytes make an input")
}

/// The inputs of all targets in turn, by target and index. Those that ask Z3, which takes its time, get one when the others
/// have got `SELDOM`.
fn inputs() -> impl Iterator<Item = (&'static Target, u64)> {
    (0..).flat_map(|round| {
        targets().filter_map(move |target| {
            let slow = target.questions.contains(&Question::Decide);
            match round % SELDOM {
                0 if slow => Some((target, round / SELDOM)),
                _ => (!slow).then_some((target, round)),
            }
        })
    })
}

/// Gives the targets their inputs until two parties disagree.
fn hunt(worker: &mut Worker) -> Option<Found> {
    (1..=LIMIT)
        .zip(inputs())
        .find_map(|(inputs, (target, index))| {
            let input = input(target, index);
            let check = failed_check(target, &input, worker)?;
            Some(Found {
                target,
                inputs,
                check,
                least: minimise(target, &input, worker),
            })
        })
}

/// Every defect with what found it, in the order of the defects.
fn hunt_all() -> Vec<(Defect, &'static str, Option<Found>)> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut worker = Worker::default();
                while let Some((defect, does)) = DEFECTS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = with(*defect, || hunt(&mut worker));
                    let inputs = found.as_ref().map(|found| found.inputs);
                    println!("{defect:?}: {inputs:?}");
                    all.lock().expect("no panic").push((*defect, *does, found));
                }
            });
        }
    });
    let mut all = all.into_inner().expect("no panic");
    all.sort_by_key(|(defect, ..)| DEFECTS.iter().position(|planted| planted.0 == *defect));
    all
}

fn table(all: &[(Defect, &str, Option<Found>)]) -> String {
    let mut text = String::from(HEADING);
    for (defect, does, found) in all {
        let Some(found) = found else {
            let _ = writeln!(
                text,
                "| {defect:?} | {} | not found | more than {LIMIT} | | |",
                does.trim()
            );
            continue;
        };
        let least = found.least.to_string().trim().replace('\n', "`<br>`");
        let _ = writeln!(
            text,
            "| {defect:?} | {} | {} | {} | {} | `{least}` |",
            does.trim(),
            found.target.name,
            found.inputs,
            found.check,
        );
    }
    text
}

const HEADING: &str = "\
# Planted defects

The solver has defects that a test may switch on, one at a time (`solver/src/planted.rs`; without the feature `planted` of the
crate each is `false` at compile time). With each of them the targets that ask the solver about constraint sets get the inputs of a
campaign in turn (those that ask Z3 one for every ten of the others), until one finds a disagreement. This table is what that gave:
the target, how many inputs of all targets it took, the check that failed, and a smallest input on which it fails. Without a defect
the same inputs disagree nowhere.

```sh
cargo test --release -p lozenge-fuzz --features planted --test planted -- --nocapture
```

runs it again and compares; with `LOZENGE_WRITE=1` it writes this file. It is not a part of `.ci/test`, since the feature makes
cargo build the solver and all that asks it once more.

| defect | what it does | found by | inputs | what failed | a smallest case |
|---|---|---|---|---|---|
";

/// Panics of a defective solver are findings, and need no report.
fn quietly<T>(body: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = body();
    std::panic::set_hook(hook);
    result
}

/// What the hunts examined disagrees nowhere without a defect.
fn nothing_is_found_without_a_defect(count: u64) {
    let mut worker = Worker::default();
    for (target, index) in inputs().take(count as usize) {
        let input = input(target, index);
        let check = failed_check(target, &input, &mut worker);
        assert_eq!(check, None, "{}, input {index}:\n{input}", target.name);
    }
}

#[test]
fn every_planted_defect_is_found() {
    let all = quietly(hunt_all);
    let text = table(&all);
    println!("{text}");
    for (defect, does, found) in &all {
        assert!(found.is_some(), "not found: {defect:?}, {does}");
    }
    let most = all
        .iter()
        .flat_map(|(.., found)| found)
        .map(|found| found.inputs)
        .max();
    nothing_is_found_without_a_defect(most.expect("defects"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/planted.md");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(&path, &text).expect("docs/planted.md is written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "docs/planted.md is not what the campaign gives: run this test with LOZENGE_WRITE=1"
    );
}
