//! `lozenge fmt`: writes programs in the standard layout.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::axon;
use crate::files::input::{self, Source};
use crate::files::output_file;
use crate::loaded::problem;
use crate::report::{Problem, Report, refused_if};

/// The answer of `fmt`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The programs, in the order in which they were given.
    files: Vec<Layout>,
}

/// The outcome for one program.
#[derive(Debug, Serialize, JsonSchema)]
struct Layout {
    /// The file, as it was given; `<stdin>` for standard input.
    file: String,
    /// True if its layout changed, or, with `--check`, would change.
    changed: bool,
    /// The text that was read from standard input with its usual layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Runs the command. A program that cannot be read is not changed, and the others are formatted.
pub fn fmt(args: &args::Fmt) -> Result<Report, Problem> {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in &args.files {
        match file(path, args.check) {
            Ok(layout) => files.push(layout),
            Err(problem) => problems.push(problem),
        }
    }
    if let Some(problem) = Problem::all(problems) {
        return Err(problem);
    }
    let changed = files.iter().any(|layout| layout.changed);
    let lines = files.iter().map(|layout| line(layout, args.check));
    let text: String = lines.collect();
    Ok(Report::new(text, Answer { files }).with_status(refused_if(args.check && changed)))
}

/// Returns the output about a program: nothing if it did not change.
fn line(layout: &Layout, check: bool) -> String {
    match (&layout.text, layout.changed) {
        (Some(text), _) => text.clone(),
        (None, false) => String::new(),
        (None, true) if check => format!("{} would change\n", layout.file),
        (None, true) => format!("{} changed\n", layout.file),
    }
}

fn file(path: &Path, check: bool) -> Result<Layout, Problem> {
    let source = match axon::is_axon(path) {
        true => input::read(path)?,
        false => input::program_as_written(path)?,
    };
    let laid_out = match axon::is_axon(path) {
        true => axon::laid_out(&source)?,
        false => lozenge_lang::format(&source.text).map_err(|errors| problem(&source, &errors))?,
    };
    let Source { name, text } = source;
    let changed = laid_out != text;
    let standard_input = path == Path::new("-");
    if changed && !check && !standard_input {
        output_file::replace(path, &laid_out)?;
    }
    Ok(Layout {
        file: name,
        changed,
        text: (standard_input && !check).then_some(laid_out),
    })
}
