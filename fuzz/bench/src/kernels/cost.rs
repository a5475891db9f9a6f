//! The cost of a run: the least time of many, by the clock and on the processor.

use std::time::{Duration, Instant};

/// The length of a slice of time in which something runs repeatedly.
pub const SLICE: Duration = Duration::from_millis(30);

/// Runs that are queued together take this long, so that the one wait at their end does not count much.
const BATCH: Duration = Duration::from_millis(4);

/// The most runs that are queued together.
const MOST_QUEUED: usize = 1024;

/// The part of a run that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// One run and the wait for its end.
    Each,
    /// Several runs that are queued one after the other, with one wait at their end. The time is divided by their
    /// number.
    Queued,
}

/// The cost of a run of a workload or of a ceiling.
#[derive(Clone, Copy)]
pub struct Cost {
    /// The shortest run, in seconds.
    pub wall: f64,
    /// The least processor time of a run over all slices, in seconds; NaN if the system does not report it, or if the
    /// processor only queues the runs.
    pub cpu: f64,
}

impl Cost {
    /// More than any other.
    pub const NONE: Cost = Cost {
        wall: f64::INFINITY,
        cpu: f64::INFINITY,
    };

    /// Returns the least of both.
    pub fn least(self, other: Cost) -> Cost {
        let least = |one: f64, other: f64| match other.is_nan() {
            // `min` would pass it over.
            true => other,
            false => one.min(other),
        };
        Cost {
            wall: least(self.wall, other.wall),
            cpu: least(self.cpu, other.cpu),
        }
    }
}

/// Returns the processor time of all threads of this process since it began, in seconds, if the system reports it
/// (Linux).
fn cpu_seconds() -> Option<f64> {
    let nanoseconds = |entry: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(entry.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let all: Vec<f64> = threads
        .filter_map(|entry| nanoseconds(entry.ok()?))
        .collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / 1e9)
}

/// Measures the cost of a run in a slice of time. `run` runs it so many times and waits.
pub fn cost(
    pace: Pace,
    slice: Duration,
    mut run: impl FnMut(usize) -> Result<(), String>,
) -> Result<Cost, String> {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let (mut runs, mut wall, mut times) = (0.0, f64::INFINITY, 1);
    while start.elapsed() < slice {
        let start = Instant::now();
        run(times)?;
        let took = start.elapsed();
        wall = wall.min(took.as_secs_f64() / times as f64);
        runs += times as f64;
        if pace == Pace::Queued && took < BATCH {
            times = (2 * times).min(MOST_QUEUED);
        }
    }
    let cpu = cpu.zip(cpu_seconds()).map(|(before, after)| after - before);
    Ok(Cost {
        wall,
        cpu: match (cpu, pace) {
            (Some(cpu), Pace::Each) => cpu / runs,
            _ => f64::NAN,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    #[test]
    fn runs_that_are_queued_share_one_wait() {
        let (run, wait) = (Duration::from_micros(20), Duration::from_micros(500));
        let measured = |pace| {
            let mut most = 0;
            let found = cost(pace, SLICE, |times| {
                most = most.max(times);
                sleep(run * times as u32 + wait);
                Ok(())
            });
            (found.expect("a cost"), most)
        };
        let (each, most) = measured(Pace::Each);
        assert_eq!(most, 1);
        assert!(each.wall >= (run + wait).as_secs_f64());
        let (queued, most) = measured(Pace::Queued);
        assert!(most > 1);
        assert!(queued.wall < each.wall);
        assert!(queued.wall >= run.as_secs_f64());
        assert!(queued.cpu.is_nan() && Cost::NONE.least(queued).cpu.is_nan());
    }

    #[test]
    fn a_run_that_takes_long_is_not_queued_twice() {
        let mut all = Vec::new();
        let found = cost(Pace::Queued, SLICE, |times| {
            all.push(times);
            sleep(2 * SLICE);
            Ok(())
        });
        assert!(found.expect("a cost").wall >= (2 * SLICE).as_secs_f64());
        assert_eq!(all, [1]);
    }
}
