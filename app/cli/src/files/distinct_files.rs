//! Refusal of commands that would write over a file that they read, or write two things into one file. Files are
//! compared as the system knows them, so that two paths, a link or another spelling of one file make no difference.

use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::report::Problem;

pub use crate::args::named_file::Named;

/// The identity of a file. One that is not there yet has a name in a folder.
#[derive(PartialEq)]
enum Identity {
    There(Handle),
    New(PathBuf),
}

fn identity(path: &Path) -> Option<Identity> {
    if let Ok(found) = std::fs::metadata(path) {
        // Everything may be written to a terminal or a pipe, and read from one.
        return match found.is_file() {
            true => Handle::from_path(path).ok().map(Identity::There),
            false => None,
        };
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(Identity::New(folder.join(path.file_name()?)))
}

/// Refuses an output that is a file which the command reads, and one that is another output.
///
/// # Errors
/// For the first output of which this is so.
pub fn distinct(read: &[Named], written: &[Named]) -> Result<(), Problem> {
    let known = |files: &[Named]| -> Vec<Option<Identity>> {
        files.iter().map(|file| identity(&file.path)).collect()
    };
    let (inputs, outputs) = (known(read), known(written));
    let same = |a: &Option<Identity>, b: &Option<Identity>| a.is_some() && a == b;
    for (number, output) in outputs.iter().enumerate() {
        let words = &written[number].words;
        if let Some(input) = inputs.iter().position(|input| same(input, output)) {
            return Err(Problem::new(format!(
                "{words} would write over {}, which is read: name another file",
                read[input].words
            )));
        }
        if let Some(first) = outputs[..number]
            .iter()
            .position(|other| same(other, output))
        {
            return Err(Problem::new(format!(
                "{words} and {} are one file: name two files",
                written[first].words
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(read: &[(&str, &Path)], written: &[(&str, &Path)]) -> Option<String> {
        let named = |files: &[(&str, &Path)]| -> Vec<Named> {
            let files = files.iter();
            files
                .map(|(words, path)| Named::new(*words, path))
                .collect()
        };
        distinct(&named(read), &named(written))
            .err()
            .map(|problem| problem.to_string())
    }

    #[test]
    fn one_file_by_two_paths_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "").unwrap();
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::hard_link(at("a"), at("hard")).unwrap();
        let (a, around, hard) = (at("a"), at("sub/../a"), at("hard"));
        for output in [&a, &around, &hard] {
            let said = told(&[("the program", &a)], &[("--save x", output)]).unwrap_or_default();
            assert!(
                said.contains("--save x would write over the program"),
                "{said}"
            );
        }
        assert_eq!(told(&[("the program", &a)], &[("--save", &at("b"))]), None);
        assert_eq!(
            told(
                &[("standard input", Path::new("-"))],
                &[("--save", &at("b"))]
            ),
            None
        );
    }

    #[test]
    fn two_outputs_are_two_files_also_when_they_are_new() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        let said = told(
            &[],
            &[("--save", &at("new")), ("--curve", &at("sub/../new"))],
        );
        assert!(
            said.unwrap_or_default()
                .contains("--curve and --save are one file")
        );
        assert_eq!(
            told(&[], &[("--save", &at("new")), ("--curve", &at("newer"))]),
            None
        );
        let null = Path::new("/dev/null");
        assert_eq!(told(&[], &[("--save", null), ("--curve", null)]), None);
    }
}
