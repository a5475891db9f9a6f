//! `lozenge`: shape and projection inference from the command line.

mod args;
mod batch;
mod bench;
mod campaign;
mod check;
mod claims;
mod corpus;
mod explain;
mod infer;
mod inference;
mod input;
mod oracle;
mod report;
mod run;
mod solve;
mod source_view;
mod trace;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use report::{Problem, Report, Status};

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = match &args.command {
        Command::Solve(solve) => solve::solve(solve),
        Command::Trace(trace) => trace::trace(trace),
        Command::Oracle(oracle) => oracle::oracle(oracle),
        Command::Explain(explain) => explain::explain(explain),
        Command::Check(check) => check::check(check),
        Command::Batch(batch) => return finish(batch::batch(batch)),
        Command::Infer(infer) => infer::infer(infer),
        Command::Run(run) => run::run(run),
        Command::Bench(bench) => bench::bench(bench),
        Command::Claims(claims) => claims::claims(claims, args.format),
        Command::Campaign(campaign) => campaign::campaign(campaign),
        Command::Corpus(corpus) => corpus::corpus(corpus),
    };
    finish(outcome.map(|report| print(&report, args.format)))
}

fn print(report: &Report, format: args::Format) -> Status {
    report::to_stdout(&report.shown(format));
    report.status
}

fn finish(outcome: Result<Status, Problem>) -> ExitCode {
    match outcome {
        Ok(status) => status.into(),
        Err(problem) => {
            report::to_stderr(&problem.to_string());
            Status::BadInput.into()
        }
    }
}
