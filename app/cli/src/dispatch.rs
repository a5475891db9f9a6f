//! The command of a command line.

use crate::args::{Args, Command, Format};
#[cfg(feature = "oracle")]
use crate::commands::{batch, campaign, claims, corpus, oracle};
use crate::commands::{
    bench, constraints, devices, entails, explain, fmt, infer, lsp, run, schema, solve, train,
    tune, verify,
};
use crate::report::{Problem, Report, Status};
use crate::{command_line, kinds, models};

/// The result of a command: a report to be printed, or nothing if it has already written its answers.
pub enum Answer {
    /// The report.
    Report(Report),
    /// A report, and what is done once it is printed.
    Then(Report, run::Afterwards),
    /// The status of a command that has written its answers.
    Written(Status),
}

/// Runs the command of a command line.
///
/// # Errors
/// When its input cannot be used.
pub fn answer(args: &Args) -> Result<Answer, Problem> {
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

/// Runs the commands that ask Z3 or need all parties.
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

/// Refuses these commands: without Z3 they say what is missing.
#[cfg(not(feature = "oracle"))]
fn checked(command: &Command, _format: Format) -> Result<Answer, Problem> {
    Err(Problem::without_z3(command.name()))
}
