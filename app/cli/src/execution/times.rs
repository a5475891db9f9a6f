//! Times of the kernels of a run, as `--times` prints them.

use std::fmt::Write;

use lozenge_backend::{Device, KernelTime};
use lozenge_vocabulary::program::Program;

use crate::args;
use crate::json::program::{TimeData, Times};
use crate::loaded::Loaded;
use crate::report::Problem;

/// The number of names of results in a line of text.
const NAMES: usize = 4;

/// Returns the times of kernels, if they are asked for, and adds them to the text.
pub fn told(
    on: &args::On,
    device: &mut dyn Device,
    loaded: &Loaded,
    answer: &mut String,
) -> Result<Option<Times>, Problem> {
    if !on.times {
        return Ok(None);
    }
    let times = of(device, loaded)?;
    answer.push_str(&text(times.as_deref()));
    Ok(Some(times))
}

/// Returns the times of the kernels, those that took longest first; `None` if the device measures none.
fn of(device: &mut dyn Device, loaded: &Loaded) -> Result<Times, Problem> {
    let times = device.kernel_times();
    let times = times.map_err(|error| Problem::new(error.to_string()))?;
    Ok(times.map(|mut times| {
        times.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        times.into_iter().map(|time| data(time, loaded)).collect()
    }))
}

fn data(time: KernelTime, loaded: &Loaded) -> TimeData {
    let line = |name: &std::sync::Arc<str>| line(&loaded.program, name, loaded);
    let mut lines: Vec<usize> = time.results.iter().filter_map(line).collect();
    lines.sort_unstable();
    lines.dedup();
    TimeData {
        results: time.results.iter().map(ToString::to_string).collect(),
        lines,
        runs: time.runs,
        seconds: time.seconds,
        operations: time.operations,
        bytes: time.bytes,
    }
}

/// Returns the line that a tensor stems from. Those between the kernels of a contraction of several tensors stem from
/// none by name.
fn line(program: &Program, name: &str, loaded: &Loaded) -> Option<usize> {
    let tensor = program.find(name)?;
    Some(loaded.place(&program[tensor].span).0)
}

/// Returns the times as a table.
fn text(times: Option<&[TimeData]>) -> String {
    let Some(times) = times else {
        return "times: this device does not measure kernels\n".to_string();
    };
    let all: f64 = times.iter().map(|time| time.seconds).sum();
    let runs: u64 = times.iter().map(|time| time.runs).sum();
    let mut out = format!(
        "kernels by their time, {:.3} ms in {runs} runs\n   share  us a run      runs     GF/s     GB/s  lines and results\n",
        all * 1e3
    );
    for time in times {
        let amount = |of_a_run: f64| of_a_run * time.runs as f64 / time.seconds / 1e9;
        let mut results = time.results[..time.results.len().min(NAMES)].join(", ");
        if let more @ 1.. = time.results.len().saturating_sub(NAMES) {
            let _ = write!(results, " and {more} more");
        }
        let _ = writeln!(
            out,
            "{:>6.1} % {:>9.2} {:>9} {:>8.2} {:>8.2}  {}: {results}",
            time.seconds / all * 100.0,
            time.seconds / time.runs as f64 * 1e6,
            time.runs,
            amount(time.operations),
            amount(time.bytes),
            ranges(&time.lines),
        );
    }
    out
}

/// Writes ascending numbers, such as `3, 5 to 7`.
fn ranges(lines: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => parts.push((*line, *line)),
        }
    }
    let parts = parts.into_iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    });
    let parts: Vec<String> = parts.collect();
    match parts.is_empty() {
        true => "between lines".to_string(),
        false => parts.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_as_ranges() {
        assert_eq!(ranges(&[3, 5, 6, 7, 9, 10]), "3, 5 to 7, 9 to 10");
        assert_eq!(ranges(&[]), "between lines");
    }
}
