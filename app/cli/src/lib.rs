//! The command `lozenge`: shape and projection inference from the command line.
//!
//! It is a library so that whatever installs the command calls the same function: the program of this package, and the entry point of the
//! Python package.

mod args;
mod axon;
#[cfg(feature = "oracle")]
mod batch;
mod bench;
#[cfg(feature = "oracle")]
mod campaign;
#[cfg(feature = "oracle")]
mod check;
#[cfg(feature = "oracle")]
mod claims;
mod command_line;
mod constraints;
#[cfg(feature = "oracle")]
mod corpus;
mod curve;
mod devices;
mod distinct_files;
mod duration;
mod entails;
mod execution;
mod explain;
mod file_kind;
mod fmt;
mod infer;
mod inference;
#[cfg(feature = "oracle")]
mod inference_by_rules;
mod input;
mod json;
mod kinds;
mod limits;
mod lsp;
mod models;
mod named_file;
#[cfg(feature = "oracle")]
mod oracle;
mod output_file;
mod parameters;
mod pins;
mod places;
#[cfg(feature = "oracle")]
mod provenance;
mod report;
mod run;
mod saved_tensor;
mod schedule;
mod schema;
mod shapes;
mod shown;
mod solve;
mod source;
mod source_view;
mod times;
mod trace;
mod train;
mod tune;
mod values;
mod verify;
mod view;

use std::ffi::OsString;

use clap::error::ErrorKind;

use args::{Args, Command, Format};
use json::Message;
use report::{Problem, Report, Status};

/// Runs the command with the words of a command line, of which the first is the name of the program, and returns the exit status.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    let args = match command_line::parse(&words) {
        Ok(args) => args,
        Err(error) => return usage(&error, &words) as u8,
    };
    args.color.write_global();
    input::limit(args.max_input_bytes);
    let command = args.command.name();
    let outcome = answer(&args).and_then(|answer| match answer {
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

/// The result of a command: a report to be printed, or nothing if it has already written its answers.
enum Answer {
    Report(Report),
    /// A report, and what is done once it is printed.
    Then(Report, run::Afterwards),
    Written(Status),
}

fn answer(args: &Args) -> Result<Answer, Problem> {
    let written = |()| Answer::Written(Status::Good);
    let report = match &args.command {
        Command::Solve(solve) => match solve::solve(solve, args.format)? {
            solve::Solve::Report(report) => Ok(report),
            solve::Solve::Written(status) => return Ok(Answer::Written(status)),
        },
        Command::Entails(entails) => entails::entails(entails),
        Command::Verify(verify) => verify::verify(verify),
        Command::Trace(trace) => kinds::of(&trace.file).trace(trace),
        Command::Explain(args) => match explain::rule_name(args) {
            Some(name) => explain::of_rule(name),
            None => kinds::explained(args),
        },
        Command::Infer(infer) => infer::infer(infer, args.format),
        Command::View(args) => kinds::of(&args.file).view(args),
        Command::Constraints(args) => constraints::constraints(args),
        Command::Fmt(args) => fmt::fmt(args),
        Command::Run(run) => match run::run(run)? {
            (report, None) => Ok(report),
            (report, Some(afterwards)) => return Ok(Answer::Then(report, afterwards)),
        },
        Command::Train(train) => match train::train(train, args.format)? {
            train::Train::Report(report) => Ok(report),
            train::Train::Written => return Ok(Answer::Written(Status::Good)),
        },
        Command::Tune(args) => tune::tune(args),
        Command::Sizes(args) => models::sizes(args),
        Command::Migrate(args) => models::migrate(args),
        Command::Branches(args) => models::branches(args),
        Command::Graph(args) => models::graph(args),
        Command::Devices(args) => devices::devices(args),
        Command::Bench(bench) => bench::bench(bench),
        Command::Lsp { .. } => return lsp::lsp().map(Answer::Written),
        Command::Schema(schema) => return schema::schema(schema).map(written),
        Command::Completions(shell) => return command_line::completions(shell).map(written),
        Command::Man(manual) => return command_line::manual(manual).map(written),
        Command::Check(args) => kinds::checked(args),
        checking => return checked(checking, args.format),
    };
    report.map(Answer::Report)
}

/// The commands that ask Z3 or need all parties.
#[cfg(feature = "oracle")]
fn checked(command: &Command, format: Format) -> Result<Answer, Problem> {
    let report = match command {
        Command::Batch(batch) => return batch::batch(batch).map(Answer::Written),
        Command::Oracle(args) => kinds::of(&args.file).oracle(&oracle::asked(args), args),
        Command::Claims(claims) => claims::claims(claims, format),
        Command::Campaign(campaign) => campaign::campaign(campaign),
        Command::Corpus(corpus) => corpus::corpus(corpus),
        other => unreachable!("{} asks nobody", other.name()),
    };
    report.map(Answer::Report)
}

/// Without Z3 they say what is missing.
#[cfg(not(feature = "oracle"))]
fn checked(command: &Command, _format: Format) -> Result<Answer, Problem> {
    Err(Problem::without_z3(command.name()))
}

fn print(command: &str, report: &Report, format: Format) -> Result<(), Problem> {
    report::to_stdout(|out| match format {
        Format::Text => out.write_all(report.text.as_bytes()),
        Format::Json | Format::Jsonl => {
            json::write(out, &json::enveloped(command, report.json.clone()), format)
        }
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
        _ if informs => match report::to_stdout(|out| match source_view::coloured() {
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

/// The word of a wrong command line that stands where the command is named: the first that is neither a flag nor the value of one that
/// every command has.
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
