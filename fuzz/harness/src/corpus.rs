//! Inputs kept as readable files, a folder for each target and a file for each input: the regressions and the corpus.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::features::features;
use crate::input::{Input, Kind};
use crate::parties::Parties;
use crate::target::{TARGETS, Target};
use lozenge::NewFile;

/// An input with its file.
#[derive(Clone)]
pub struct CorpusEntry {
    /// The target in whose folder it lies.
    pub target: &'static Target,
    /// The input.
    pub input: Input,
    /// The file.
    pub path: PathBuf,
}

fn wrong(path: &Path, what: impl std::fmt::Display) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{}: {what}", path.display()),
    )
}

/// The input in a file; the file's extension gives its sort.
///
/// # Errors
/// When the file cannot be read, or does not hold an input.
pub fn read(path: &Path) -> io::Result<Input> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let kinds = Kind::ALL.map(Kind::extension).join(", ");
    let kind = Kind::ALL
        .into_iter()
        .find(|kind| Some(kind.extension()) == extension)
        .ok_or_else(|| wrong(path, format!("the name has to end in one of: {kinds}")))?;
    let text = fs::read_to_string(path).map_err(|error| wrong(path, error))?;
    Input::read(kind, &text).map_err(|error| wrong(path, error))
}

fn names(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| wrong(folder, error))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// Every input in a folder, in the order of targets and names. A folder that does not exist holds none.
///
/// # Errors
/// At the first file that does not hold an input.
pub fn all(folder: &Path) -> io::Result<Vec<CorpusEntry>> {
    let mut all = Vec::new();
    for target in TARGETS {
        let own = folder.join(target.name);
        if !own.is_dir() {
            continue;
        }
        for path in names(&own)? {
            let input = read(&path)?;
            all.push(CorpusEntry {
                target,
                input,
                path,
            });
        }
    }
    Ok(all)
}

/// A file name that depends only on the input (FNV-1a).
fn name(input: &Input) -> String {
    let hash = input
        .to_string()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{:08x}.{}", hash >> 32, input.kind().extension())
}

/// Writes an input into the folder, with a comment before it if its notation has comments. Returns the path.
///
/// # Errors
/// When the file cannot be written.
pub fn write(folder: &Path, target: &Target, input: &Input, comment: &str) -> io::Result<PathBuf> {
    let own = folder.join(target.name);
    fs::create_dir_all(&own).map_err(|error| wrong(&own, error))?;
    let path = own.join(name(input));
    let heading: String = match input.kind() {
        Kind::Text => String::new(),
        _ => comment.lines().map(|line| format!("# {line}\n")).collect(),
    };
    NewFile::replace(&path, format!("{heading}{input}")).map_err(|error| wrong(&path, error))?;
    Ok(path)
}

/// Selects from many inputs those that reach something that no smaller one reaches. Applying it twice changes nothing more.
pub fn distilled(
    target: &Target,
    inputs: impl IntoIterator<Item = Input>,
    parties: &mut Parties,
) -> Vec<Input> {
    let mut all: Vec<(Input, BTreeSet<String>)> = inputs
        .into_iter()
        .filter_map(|input| {
            let examined = target.examine(&input, parties)?;
            let own = features(&input, &examined);
            Some((input, own))
        })
        .collect();
    all.sort_by_cached_key(|(input, _)| {
        let text = input.to_string();
        (text.len(), text)
    });
    let mut reached = BTreeSet::new();
    all.retain(|(_, own)| {
        let new = own.iter().any(|feature| !reached.contains(feature));
        reached.extend(own.iter().cloned());
        new
    });
    all.into_iter().map(|(input, _)| input).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut parties = Parties::default();
        for target in TARGETS {
            let inputs = (0..3).filter_map(|index| target.indexed(3, index));
            for input in distilled(target, inputs, &mut parties) {
                let path = write(folder.path(), target, &input, "why\nit is kept").unwrap();
                let back = read(&path).unwrap();
                // In a program the comment is part of the input.
                if input.kind() != Kind::Program {
                    assert_eq!(back, input);
                }
                assert_eq!(
                    target.input(&input.to_bytes()).unwrap().kind(),
                    input.kind()
                );
            }
        }
        let kept = all(folder.path()).unwrap();
        assert!(kept.len() > TARGETS.len());
        assert!(all(&folder.path().join("none")).unwrap().is_empty());
    }

    #[test]
    fn a_file_that_is_no_input_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rows");
        fs::write(&path, "<r> ~").unwrap();
        let error = read(&path).err().unwrap().to_string();
        assert!(error.contains("a.rows: "), "{error}");
        let error = read(Path::new("a.json")).err().unwrap().to_string();
        assert!(
            error.contains("rows, loz, projections, operation, txt"),
            "{error}"
        );
    }

    #[test]
    fn a_corpus_loses_what_adds_nothing() {
        let target = Target::named("spec_solver").unwrap();
        let read = |text: &str| Input::read(Kind::Set, text).unwrap();
        let small = read("<r> <= <s>");
        let inputs = [
            read("<r> <= <s>\n<t> <= <u>"),
            small.clone(),
            read("<s> <= <r>"),
        ];
        let kept = distilled(target, inputs, &mut Parties::default());
        assert_eq!(kept[0], small);
        assert!(!kept.contains(&read("<s> <= <r>")));
        let again = distilled(target, kept.clone(), &mut Parties::default());
        assert_eq!(kept, again);
    }
}
