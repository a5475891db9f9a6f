//! Detection of changes by tests: those that reach the change are run, the quickest first, until one fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::copy::{Built, Error, Executable};
use crate::process::run;

/// A test of a test program.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name, with that of its program unless all tests are in one.
    pub name: String,
    executable: Executable,
    path: String,
    /// The time that it takes in the unchanged sources.
    took: Duration,
    /// The changes whose code it reaches.
    reached: BTreeSet<usize>,
}

/// The way in which a change was noticed, if it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// This test fails, or its program crashes.
    Fails(String),
    /// This test takes much longer than usual.
    Hangs(String),
    /// All tests that reach it pass; their number.
    Survives(usize),
}

/// The multiple of its usual time that a test may take.
const PATIENCE: u32 = 10;

/// The least time that a test gets, since a machine may be busy.
const LEAST: Duration = Duration::from_secs(20);

/// The longest time that listing the tests of a program may take.
const LISTING: Duration = Duration::from_secs(60);

impl Test {
    fn run(
        &self,
        built: &Built,
        variable: (&str, &str),
        limit: Duration,
    ) -> Result<crate::process::Ended, Error> {
        let mut command = built.command(&self.executable);
        command.args([self.path.as_str(), "--exact", "--test-threads", "1"]);
        command.env(variable.0, variable.1);
        run(&mut command, limit).map_err(|error| Error::Io(self.executable.path.clone(), error))
    }
}

/// Returns the name of a test of a program. Most tests of a package are in one program, whose name says nothing.
fn name(program: &str, path: &str) -> String {
    match program {
        "it" => path.to_string(),
        _ => format!("{program} {path}"),
    }
}

/// Lists the tests of a build whose names begin with these words, with the changes that each reaches. Tests that fail
/// in the unchanged sources, or that take longer there than `longest`, are reported and left out.
///
/// # Errors
/// When a program cannot be started.
pub fn tests(
    built: &Built,
    scratch: &Path,
    beginning: &str,
    longest: Duration,
) -> Result<Vec<Test>, Error> {
    let record = scratch.join("reached");
    let mut all = Vec::new();
    for executable in &built.executables {
        let mut command = built.command(executable);
        let listed = run(command.args(["--list", "--format", "terse"]), LISTING);
        let listed = listed.map_err(|error| Error::Io(executable.path.clone(), error))?;
        for path in listed
            .output
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .filter(|path| path.starts_with(beginning))
        {
            let mut test = Test {
                name: name(&executable.name, path),
                executable: executable.clone(),
                path: path.into(),
                took: Duration::ZERO,
                reached: BTreeSet::new(),
            };
            let _ = fs::remove_file(&record);
            let ended = test.run(
                built,
                ("LOZENGE_REACHED", &record.to_string_lossy()),
                longest,
            )?;
            match ended.well {
                Some(true) => {}
                Some(false) => {
                    eprintln!(
                        "{} fails without any change, and is left out:\n{}",
                        test.name, ended.output
                    );
                    continue;
                }
                None => {
                    eprintln!(
                        "{} takes longer than {} s, and is left out",
                        test.name,
                        longest.as_secs()
                    );
                    continue;
                }
            }
            let reached = fs::read_to_string(&record).unwrap_or_default();
            test.reached = reached
                .lines()
                .filter_map(|line| line.parse().ok())
                .collect();
            test.took = ended.took;
            all.push(test);
        }
    }
    all.sort_by_key(|test| test.took);
    Ok(all)
}

/// Runs the tests that reach a change until one notices it.
///
/// # Errors
/// When a program cannot be started.
pub fn noticed(built: &Built, tests: &[Test], number: usize, name: &str) -> Result<Noticed, Error> {
    let mut ran = 0;
    for test in tests.iter().filter(|test| test.reached.contains(&number)) {
        let limit = (test.took * PATIENCE).max(LEAST);
        let ended = test.run(built, ("LOZENGE_CHANGE", name), limit)?;
        ran += 1;
        match ended.well {
            Some(true) => {}
            Some(false) => return Ok(Noticed::Fails(test.name.clone())),
            None => return Ok(Noticed::Hangs(test.name.clone())),
        }
    }
    Ok(Noticed::Survives(ran))
}
