//! The archive around a program.

use std::borrow::Cow;
use std::io::{Read, Seek};

use zip::ZipArchive;

use crate::{Limits, ModelError};

/// Reads the text of the one program in an archive.
pub(super) fn program(file: impl Read + Seek, limits: &Limits) -> Result<Vec<u8>, ModelError> {
    let damaged = |error: &dyn std::fmt::Display| {
        ModelError::new(format!("the zip archive is damaged: {error}"))
    };
    let mut archive = ZipArchive::new(file).map_err(|error| damaged(&error))?;
    let name = choose(&archive)?;
    let most = limits.text_bytes();
    let entry = archive
        .by_name(&name)
        .map_err(|error| damaged(&error).at_value(&name))?;
    let (mut text, stated) = (Vec::new(), entry.size());
    entry
        .take(most.saturating_add(1))
        .read_to_end(&mut text)
        .map_err(|error| damaged(&error).at_value(&name))?;
    if text.len() as u64 > most {
        let message =
            format!("the program has more than {most} bytes, an eighth of max_file_bytes");
        return Err(ModelError::new(message).by_limit("max_file_bytes", limits.max_file_bytes));
    }
    if text.len() as u64 != stated {
        let lie = format!(
            "its directory states {stated} bytes, and {} are there",
            text.len()
        );
        return Err(damaged(&lie).at_value(&name));
    }
    Ok(text)
}

/// Finds the entry that holds the program: `models/NAME.json`, below any folder. Of several, `model` is the one.
fn choose<R>(archive: &ZipArchive<R>) -> Result<String, ModelError>
where
    R: Read + Seek,
{
    let mut found: Vec<_> = names(archive).filter(|name| is_program(name)).collect();
    found.sort_unstable();
    let main = found
        .iter()
        .find(|name| name.ends_with("models/model.json"));
    match (found.as_slice(), main) {
        ([only], _) | (_, Some(only)) => Ok(only.to_string()),
        ([], _) => Err(absent(archive)),
        (several, _) => {
            let names: Vec<_> = several
                .iter()
                .take(5)
                .map(|name| format!("`{}`", name.escape_debug()))
                .collect();
            Err(ModelError::new(format!(
                "the file holds several programs: {}",
                names.join(", ")
            )))
        }
    }
}

/// Gives the names of the entries. One whose bytes are no text is not looked for.
fn names<R>(archive: &ZipArchive<R>) -> impl Iterator<Item = Cow<'_, str>>
where
    R: Read + Seek,
{
    archive.file_names().flatten()
}

fn is_program(name: &str) -> bool {
    let mut parts = name.rsplit('/');
    let file = parts.next().unwrap_or_default();
    file.len() > ".json".len() && file.ends_with(".json") && parts.next() == Some("models")
}

/// Explains what an archive without a program probably is.
fn absent<R>(archive: &ZipArchive<R>) -> ModelError
where
    R: Read + Seek,
{
    let has = |end: &str| names(archive).any(|name| name.ends_with(end));
    let error = ModelError::new(
        "the zip archive holds no `models/NAME.json`, as the files of torch.export.save do",
    );
    if has("serialized_exported_program.json") {
        return error.with_help(
            "it was saved by PyTorch 2.6 or older: load it there and save it with 2.7 or later",
        );
    }
    if has("data.pkl") {
        return error.with_help(
            "it holds pickles, as torch.save and TorchScript write: export the module with torch.export.export and save it with torch.export.save",
        );
    }
    error
}
