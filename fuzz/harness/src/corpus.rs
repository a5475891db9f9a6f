//! Inputs kept as readable files, a folder for each target and a file for each input: the regressions and the corpus.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lozenge::NewFile;

use crate::any_subject::{AnySubject, AnyTarget};
use crate::subjects::{SUBJECTS, targets};

/// An input with its file.
#[derive(Clone)]
pub struct CorpusEntry {
    /// The target in whose folder it lies.
    pub target: &'static dyn AnyTarget,
    /// The input, without the comment before it. In a program the comment is part of the input.
    pub input: String,
    /// The file.
    pub path: PathBuf,
}

fn wrong(path: &Path, what: impl std::fmt::Display) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{}: {what}", path.display()),
    )
}

/// Returns the subject of a kept input, by the extension of its file.
fn subject_of(path: &Path) -> Option<&'static dyn AnySubject> {
    let extension = path.extension()?.to_str()?;
    let mut subjects = SUBJECTS.iter().copied();
    subjects.find(|subject| subject.extension() == extension)
}

/// Returns the subject of a file, by its extension, and its text.
///
/// # Errors
/// When the file cannot be read, or its extension is that of no subject.
pub fn read(path: &Path) -> io::Result<(&'static dyn AnySubject, String)> {
    let subject = subject_of(path).ok_or_else(|| {
        let extensions: Vec<&str> = SUBJECTS.iter().map(|subject| subject.extension()).collect();
        let extensions = extensions.join(", ");
        wrong(path, format!("the name has to end in one of: {extensions}"))
    })?;
    let text = fs::read_to_string(path).map_err(|error| wrong(path, error))?;
    Ok((subject, text))
}

fn names(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| wrong(folder, error))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// Returns every input in a folder, in the order of targets and names. A folder that does not exist holds none.
///
/// # Errors
/// At the first file that does not hold an input.
pub fn all(folder: &Path) -> io::Result<Vec<CorpusEntry>> {
    let mut all = Vec::new();
    for target in targets().iter().copied() {
        let own = folder.join(target.name());
        if !own.is_dir() {
            continue;
        }
        for path in names(&own)? {
            let (_, text) = read(&path)?;
            let input = target.printed(&text).map_err(|error| wrong(&path, error))?;
            all.push(CorpusEntry {
                target,
                input,
                path,
            });
        }
    }
    Ok(all)
}

/// Returns a file name that depends only on the input (FNV-1a).
fn name(target: &dyn AnyTarget, input: &str) -> String {
    let hash = input
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{:08x}.{}", hash >> 32, target.subject().extension())
}

/// Writes an input into the folder, with a comment before it if its notation has comments. Returns the path.
///
/// # Errors
/// When the file cannot be written.
pub fn write(
    folder: &Path,
    target: &dyn AnyTarget,
    input: &str,
    comment: &str,
) -> io::Result<PathBuf> {
    let own = folder.join(target.name());
    fs::create_dir_all(&own).map_err(|error| wrong(&own, error))?;
    let path = own.join(name(target, input));
    let text = target.with_comment(input, comment);
    NewFile::replace(&path, text).map_err(|error| wrong(&path, error))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::party::Parties;

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut parties = Parties::default();
        for target in targets().iter().copied() {
            let texts = (0..3).filter_map(|index| target.text(3, index)).collect();
            for input in target.distilled(texts, &mut parties) {
                let path = write(folder.path(), target, &input, "why\nit is kept").unwrap();
                let (subject, back) = read(&path).unwrap();
                assert_eq!(subject.extension(), target.subject().extension());
                // In a program the comment is part of the input.
                if !["loz", "axon"].contains(&subject.extension()) {
                    assert_eq!(target.printed(&back).unwrap(), input);
                }
                assert_eq!(target.printed(&input).unwrap(), input);
                assert!(
                    target.of_bytes(&target.to_bytes(&input)).is_some(),
                    "{input}"
                );
            }
        }
        let kept = all(folder.path()).unwrap();
        assert!(kept.len() > targets().len());
        assert!(all(&folder.path().join("none")).unwrap().is_empty());
    }

    #[test]
    fn a_file_that_is_no_input_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("closing");
        fs::create_dir(&own).unwrap();
        fs::write(own.join("a.rows"), "<r> ~").unwrap();
        let error = all(folder.path()).err().unwrap().to_string();
        assert!(error.contains("a.rows: "), "{error}");
        let error = read(Path::new("a.json")).err().unwrap().to_string();
        for subject in SUBJECTS {
            assert!(error.contains(subject.extension()), "{error}");
        }
    }
}
