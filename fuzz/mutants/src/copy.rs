//! The copy of the sources, and its build without the changes that do not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::change::Change;
use crate::functions::Outline;
use crate::instrument::{Instrumented, Numbered, instrumented, site, switch_module};

/// An error in making or building a copy.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written, or a program not started.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// `git` or `cargo metadata` fails, or prints nothing that can be read.
    #[error("{0} failed: {1}")]
    Failed(&'static str, String),
    /// There is no such package.
    #[error("no package of the workspace is called {0}")]
    NoPackage(String),
    /// A source file that cannot be parsed as Rust.
    #[error("{0}: {1}")]
    NoRust(PathBuf, syn::Error),
    /// The copy does not compile, and no change causes that.
    #[error("the copy does not compile, and no change is the reason:\n{0}")]
    DoesNotCompile(String),
}

/// A copy of the sources.
#[derive(Clone, Debug)]
pub struct Copy {
    source: PathBuf,
    root: PathBuf,
}

/// A program that a build has produced.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The name of the target: of a test, an example, a library.
    pub name: String,
    /// The path of the program.
    pub path: PathBuf,
    /// The folder of its package in the copy, in which tests expect to run.
    pub folder: PathBuf,
}

/// The results of a build.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The programs.
    pub executables: Vec<Executable>,
    /// The folders in which they find their libraries.
    pub libraries: Vec<PathBuf>,
    /// The numbers of the changes that were placed but do not compile.
    pub uncompiled: BTreeSet<usize>,
    /// The numbers of the changes that have no place in the copy.
    pub unplaced: BTreeSet<usize>,
}

impl Built {
    /// Returns a command that starts one of the programs in the folder of its package.
    pub fn command(&self, executable: &Executable) -> Command {
        let mut command = Command::new(&executable.path);
        let mut paths: Vec<PathBuf> = self.libraries.clone();
        let given = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        paths.extend(std::env::split_paths(&given));
        let paths: OsString = std::env::join_paths(paths).unwrap_or(given);
        command.current_dir(&executable.folder);
        command.env("LD_LIBRARY_PATH", paths);
        command.env("CARGO_MANIFEST_DIR", &executable.folder);
        command
            .env_remove("LOZENGE_CHANGE")
            .env_remove("LOZENGE_REACHED");
        command
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::Io(path.into(), error)
}

/// Writes a file unless it already has this content, so that cargo does not rebuild more than necessary.
fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(io_error(folder))?;
    }
    fs::write(path, content).map_err(io_error(path))
}

impl Copy {
    /// Copies the files of a workspace that git tracks, or does not ignore, to a folder. An existing copy is brought up
    /// to date. Builds go to a target folder of the copy: to cargo a package of a copy is the same as that of the
    /// sources, so in a folder that they share the one would be taken for the other.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn new(source: &Path, root: &Path) -> Result<Copy, Error> {
        let copy = Copy {
            source: source.into(),
            root: root.into(),
        };
        copy.refresh()?;
        copy.link_libraries()?;
        Ok(copy)
    }

    /// Makes every file equal to the sources, so that no change of an earlier build is left.
    fn refresh(&self) -> Result<(), Error> {
        let files = self.files()?;
        for file in &files {
            let from = self.source.join(file);
            let content = fs::read(&from).map_err(io_error(&from))?;
            write(&self.root.join(file), &content)?;
        }
        self.remove_others(&files)
    }

    /// Returns the files of the sources, relative to the root.
    fn files(&self) -> Result<BTreeSet<PathBuf>, Error> {
        let listed = Command::new("git")
            .args([
                "ls-files",
                "--cached",
                "--others",
                "--exclude-standard",
                "-z",
            ])
            .current_dir(&self.source)
            .output()
            .map_err(io_error(Path::new("git")))?;
        if !listed.status.success() {
            return Err(Error::Failed(
                "git ls-files",
                String::from_utf8_lossy(&listed.stderr).into(),
            ));
        }
        let text = String::from_utf8(listed.stdout)
            .map_err(|error| Error::Failed("git ls-files", error.to_string()))?;
        let files = text
            .split('\0')
            .filter(|file| !file.is_empty())
            .map(PathBuf::from);
        // A file that was removed and not committed is still listed.
        Ok(files
            .filter(|file| self.source.join(file).is_file())
            .collect())
    }

    /// Removes the Rust sources of an earlier copy that are no longer there.
    fn remove_others(&self, files: &BTreeSet<PathBuf>) -> Result<(), Error> {
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(io_error(&folder))? {
                let path = entry.map_err(io_error(&folder))?.path();
                let inside = path.strip_prefix(&self.root).unwrap_or(&path).to_owned();
                if path.is_symlink() || inside.starts_with("target") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if inside != Path::new("Cargo.lock") && !files.contains(&inside) {
                    fs::remove_file(&path).map_err(io_error(&path))?;
                }
            }
        }
        Ok(())
    }

    /// Links the libraries that `.ci/setup` unpacked into the copy.
    fn link_libraries(&self) -> Result<(), Error> {
        let (there, here) = (self.source.join(".libs"), self.root.join(".libs"));
        if there.is_dir() && !here.is_symlink() {
            std::os::unix::fs::symlink(&there, &here).map_err(io_error(&here))?;
        }
        Ok(())
    }

    fn cargo(&self) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.root.join("target"));
        command
    }

    /// Returns the file of a package's library in the copy.
    fn library(&self, name: &str) -> Result<PathBuf, Error> {
        let metadata = self
            .cargo()
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .map_err(io_error(Path::new("cargo")))?;
        let metadata: Value = serde_json::from_slice(&metadata.stdout).map_err(|_| {
            Error::Failed(
                "cargo metadata",
                String::from_utf8_lossy(&metadata.stderr).into(),
            )
        })?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let package = packages.clone().find(|package| package["name"] == name);
        let missing = || Error::NoPackage(name.into());
        let package = package.ok_or_else(missing)?;
        let mut targets = package["targets"].as_array().into_iter().flatten();
        let library = targets.find(|target| {
            let mut kinds = target["kind"].as_array().into_iter().flatten();
            kinds.any(|kind| kind == "lib")
        });
        let library = library.and_then(|target| target["src_path"].as_str());
        Ok(library.ok_or_else(missing)?.into())
    }

    /// Plants all the changes in a package, and builds with these arguments for cargo (for instance `test --no-run`).
    /// Changes that do not compile are removed until the rest compiles.
    ///
    /// # Errors
    /// When the sources do not compile without changes either, or a file cannot be written.
    pub fn build(
        &self,
        package: &str,
        changes: &[Change],
        arguments: &[&str],
    ) -> Result<Built, Error> {
        self.refresh()?;
        let library = self.library(package)?;
        let mut built = Built::default();
        loop {
            let places = self.plant(&library, changes, &mut built)?;
            eprintln!(
                "cargo {}: {} changes",
                arguments.join(" "),
                changes.len() - built.uncompiled.len() - built.unplaced.len()
            );
            let messages = self.cargo_messages(arguments)?;
            let blamed = messages.blamed(&places);
            if messages.succeeded {
                built.executables = messages.executables;
                built.libraries = messages.libraries;
                return Ok(built);
            }
            if blamed.is_empty() {
                return Err(Error::DoesNotCompile(messages.rendered.concat()));
            }
            built.uncompiled.extend(blamed);
        }
    }

    /// Writes the sources with the changes that are left.
    fn plant(
        &self,
        library: &Path,
        changes: &[Change],
        built: &mut Built,
    ) -> Result<Places, Error> {
        let mut by_file: BTreeMap<&Path, Vec<Numbered<'_>>> = BTreeMap::new();
        for (number, change) in changes.iter().enumerate() {
            by_file
                .entry(&change.file)
                .or_default()
                .push((number, change));
        }
        let library = library.strip_prefix(&self.root).unwrap_or(library);
        by_file.entry(library).or_default();
        let mut all = Places::new();
        for (file, numbered) in by_file {
            let path = self.source.join(file);
            let text = fs::read_to_string(&path).map_err(io_error(&path))?;
            let outline = Outline::of(&text).map_err(|error| Error::NoRust(path, error))?;
            let has_place = |change: &Change| site(&outline, change).is_ok();
            let lost = numbered.iter().filter(|(_, change)| !has_place(change));
            built.unplaced.extend(lost.map(|(number, _)| *number));
            let gone = |number: &usize| {
                built.uncompiled.contains(number) || built.unplaced.contains(number)
            };
            let left: Vec<Numbered<'_>> = numbered
                .into_iter()
                .filter(|(number, _)| !gone(number))
                .collect();
            let Instrumented { mut text, places } =
                instrumented(&text, &outline, &left).expect("each has a place");
            if file == library {
                let numbered: Vec<Numbered<'_>> = changes.iter().enumerate().collect();
                text.push_str(&switch_module(&numbered));
            }
            write(&self.root.join(file), text.as_bytes())?;
            all.insert(file.into(), places);
        }
        Ok(all)
    }

    fn cargo_messages(&self, arguments: &[&str]) -> Result<Messages, Error> {
        let ran = self
            .cargo()
            .args(arguments)
            .args(["--message-format", "json", "--quiet"])
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(io_error(Path::new("cargo")))?;
        let mut messages = Messages {
            succeeded: ran.status.success(),
            ..Messages::default()
        };
        for line in String::from_utf8_lossy(&ran.stdout).lines() {
            if let Ok(message) = serde_json::from_str(line) {
                messages.add(&message);
            }
        }
        Ok(messages)
    }
}

/// Returns the place in the sources from which the place of a message was expanded, if it is in a macro.
fn written(mut span: &Value) -> &Value {
    while let from @ Value::Object(_) = &span["expansion"]["span"] {
        span = from;
    }
    span
}

/// The places of the changes in each file.
type Places = BTreeMap<PathBuf, Vec<(std::ops::Range<usize>, usize)>>;

/// The messages of cargo about a build.
#[derive(Default)]
struct Messages {
    succeeded: bool,
    executables: Vec<Executable>,
    libraries: Vec<PathBuf>,
    /// The places of each error: first the primary ones, then the secondary ones.
    errors: Vec<Vec<(PathBuf, usize)>>,
    rendered: Vec<String>,
}

impl Messages {
    fn add(&mut self, message: &Value) {
        let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
        match message["reason"].as_str() {
            Some("compiler-artifact") => {
                if let (Some(name), Some(path), Some(manifest)) = (
                    text(&message["target"]["name"]),
                    text(&message["executable"]),
                    text(&message["manifest_path"]),
                ) {
                    let folder = Path::new(&manifest).parent().unwrap_or(Path::new("."));
                    self.executables.push(Executable {
                        name,
                        path: path.into(),
                        folder: folder.into(),
                    });
                }
            }
            Some("build-script-executed") => {
                let paths = message["linked_paths"].as_array().into_iter().flatten();
                let paths = paths.filter_map(Value::as_str);
                let paths = paths.map(|path| path.split_once('=').map_or(path, |(_, path)| path));
                self.libraries.extend(paths.map(PathBuf::from));
            }
            Some("compiler-message") if message["message"]["level"] == "error" => {
                let mut spans: Vec<&Value> = message["message"]["spans"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .collect();
                spans.sort_by_key(|span| span["is_primary"] != true);
                let place = |span: &&Value| {
                    let span = written(span);
                    Some((
                        text(&span["file_name"])?.into(),
                        span["byte_start"].as_u64()? as usize,
                    ))
                };
                self.errors.push(spans.iter().filter_map(place).collect());
                self.rendered.extend(text(&message["message"]["rendered"]));
            }
            _ => {}
        }
    }

    /// Returns the changes in which the errors are.
    fn blamed(&self, places: &Places) -> BTreeSet<usize> {
        let change_at = |(file, byte): &(PathBuf, usize)| {
            let mut inside = places
                .get(file)?
                .iter()
                .filter(|(range, _)| range.contains(byte));
            inside.next().map(|(_, number)| *number)
        };
        let errors = self.errors.iter();
        errors
            .filter_map(|spans| spans.iter().find_map(change_at))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_in_a_macro_is_blamed_on_the_change_that_calls_it() {
        let place = |file: &str, byte: usize, expansion: Value| {
            json!({
                "file_name": file, "byte_start": byte, "is_primary": true, "expansion": expansion
            })
        };
        let call = place("src/lib.rs", 15, Value::Null);
        let inner = place("/std/macros.rs", 7, json!({ "span": call }));
        let span = place("/std/macros.rs", 900, json!({ "span": inner }));
        let mut messages = Messages::default();
        messages.add(&json!({
            "reason": "compiler-message",
            "message": { "level": "error", "spans": [span], "rendered": "error" }
        }));
        let places = Places::from([("src/lib.rs".into(), vec![(0..10, 0), (10..20, 1)])]);
        assert_eq!(messages.blamed(&places), [1].into());
    }
}
