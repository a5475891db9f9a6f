//! The command `lozenge`: shape and projection inference from the command line.
//!
//! It is a library so that whatever installs the command calls the same function: the program of this package, and the
//! entry point of the Python package.

mod args;
mod axon;
mod command_line;
mod commands;
mod curve;
mod dispatch;
mod duration;
mod execution;
mod files;
mod json;
mod kinds;
mod limits;
mod loaded;
mod models;
#[cfg(feature = "oracle")]
mod provenance;
mod report;
mod shapes;
mod source;
mod text;

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;

use args::{Command, Format};
use dispatch::Answer;
use files::input;
use json::Message;
use report::{Problem, Report, Status};

/// Runs the command with the words of a command line, of which the first is the name of the program, and returns the
/// exit status.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    let args = match command_line::parse(&words) {
        Ok(args) => args,
        Err(error) => return usage(&error, &words) as u8,
    };
    args.color.write_global();
    input::limit(args.max_input_bytes);
    let command = args.command.name();
    execution::answers(command, args.format);
    let _end = NoDriver;
    let outcome = dispatch::answer(&args).and_then(|answer| match answer {
        Answer::Report(report) => {
            print(command, &report, args.format)?;
            Ok(report.status)
        }
        Answer::Then(report, afterwards) => {
            print(command, &report, args.format)?;
            afterwards();
            Ok(report.status)
        }
        Answer::Written(status) => Ok(status),
    });
    let status = outcome.unwrap_or_else(|problem| refuse(command, &problem, args.format));
    status as u8
}

/// The end of the use of drivers, also where a panic ends the command.
struct NoDriver;

impl Drop for NoDriver {
    fn drop(&mut self) {
        execution::no_longer_needed();
    }
}

/// Returns the page that `lozenge view` writes of a program, for who shows it elsewhere, such as a notebook. Files that
/// the program reads are looked for in the folder of its path; the sizes stand instead of those of its `size` lines.
///
/// # Errors
/// The mistake in the text, in words.
pub fn page(text: &str, path: &Path, sizes: Vec<(String, u64)>) -> Result<String, String> {
    let words = ["lozenge", "view", "program.loz", "--html", "page.html"];
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let args = command_line::parse(&words).map_err(|error| error.to_string())?;
    match &args.command {
        Command::View(view) => {
            commands::view::of_text(text, path, sizes, view).map_err(|problem| problem.to_string())
        }
        other => Err(format!("{} has no page", other.name())),
    }
}

/// Returns the page that `lozenge view` writes of an Axon program of this name.
///
/// # Errors
/// The mistake in the text, in words.
pub fn axon_page(text: &str, name: &str) -> Result<String, String> {
    axon::of_text(text, name, MOST_NAMES).map_err(|problem| problem.to_string())
}

/// The largest number of names of which a page for a notebook shows the types.
const MOST_NAMES: usize = 2000;

fn print(command: &str, report: &Report, format: Format) -> Result<(), Problem> {
    report::to_stdout(|out| match format {
        Format::Text => out.write_all(report.text.as_bytes()),
        Format::Json | Format::Jsonl => json::write(out, &report.enveloped(command), format),
    })
}

/// Reports what is wrong with the input: on standard error for people, on standard output for programs.
fn refuse(command: &str, problem: &Problem, format: Format) -> Status {
    let answer = json::of_bad_input(command, problem.errors());
    if format == Format::Text || report::to_stdout(|out| json::write(out, &answer, format)).is_err()
    {
        report::to_stderr(&problem.to_string());
    }
    Status::BadInput
}

/// Prints help and versions; wrong usage is reported like any other bad input.
fn usage(error: &clap::Error, words: &[OsString]) -> Status {
    let informs = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let words = words.iter().skip(1);
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match Format::among(&words) {
        _ if informs => match report::to_stdout(|out| match text::source_view::coloured() {
            true => write!(out, "{}", error.render().ansi()),
            false => write!(out, "{}", error.render()),
        }) {
            Ok(()) => Status::Good,
            Err(problem) => {
                report::to_stderr(&problem.to_string());
                Status::BadInput
            }
        },
        Format::Text => error.exit(),
        format => {
            let command = command_word(&words);
            let message = error.to_string();
            let message = message.trim_start_matches("error: ").trim_end();
            let errors = [Message {
                help: message.split_once('\n').map(|(_, rest)| rest.trim().into()),
                ..Message::plain(message.lines().next().unwrap_or_default())
            }];
            let answer = json::of_bad_input(command, &errors);
            match report::to_stdout(|out| json::write(out, &answer, format)) {
                Ok(()) => Status::BadInput,
                Err(_) => error.exit(),
            }
        }
    }
}

/// Returns the word of a wrong command line that stands where the command is named: the first that is neither a flag
/// nor the value of one that every command has.
fn command_word(words: &[String]) -> &str {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--format" | "--color" => {
                words.next();
            }
            word if !word.starts_with('-') => return word,
            _ => {}
        }
    }
    ""
}
