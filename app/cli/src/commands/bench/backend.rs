//! `lozenge bench backend`: kernels of programs, compared with the peak performance of the device in the same minute.

use lozenge_bench::kernels::{BackendData, Bench, chosen};

use super::Answer;
use crate::args;
use crate::execution;
use crate::files::output_file;
use crate::json::Empty;
use crate::report::{self, Problem, Report};

/// Runs the command.
pub fn bench(args: &args::BenchBackend) -> Result<Report, Problem> {
    let chosen = chosen(&args.only).map_err(Problem::new)?;
    if args.list {
        let names: Vec<&str> = chosen.iter().map(|one| one.name).collect();
        return Ok(Report::new(
            names.join("\n") + "\n",
            Answer::of_backend(BackendData::listed(&chosen)),
        ));
    }
    let device = execution::device_with_kernels(args.device.as_ref())?;
    let mut bench = Bench::new(device, args.exact).map_err(Problem::new)?;
    if args.serve {
        let served = bench.serve(&chosen, std::io::stdin().lock(), |answer| {
            let written = report::to_stdout(|out| {
                writeln!(out, "{answer}")?;
                out.flush()
            });
            written.map_err(|problem| problem.message())
        });
        served.map_err(Problem::new)?;
        return Ok(Report::new("", Empty {}));
    }
    let measured = bench.measure(&chosen, args.rounds, args.only.is_empty());
    let measured = measured.map_err(Problem::new)?;
    if let Some(path) = &args.roofline {
        output_file::replace(path, bench.roofline(&measured).map_err(Problem::new)?)?;
    }
    Ok(Report::new(
        measured.text,
        Answer::of_backend(measured.data),
    ))
}
