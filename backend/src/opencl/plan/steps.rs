//! The plan of a job: its steps, each a job with a schedule.

use lozenge_vocabulary::operation::Combine;

use super::job::Job;
use super::parallel_plans;
use super::prepared::Prepared;
use super::schedule::{Profile, Schedule};
use crate::loop_nest::{COMPENSATED, Write};

/// The steps that are computed one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// Each step with its schedule.
    pub steps: Vec<(Job, Schedule)>,
    /// The sizes of the scratch buffers that the steps share, in values.
    pub scratch: Vec<u64>,
}

/// The number of work-items below which a few cores are not evenly busy.
const FEW: u64 = 16;

/// The approximate number of work-items that a split creates.
const WANTED: u64 = 64;

/// Returns the least number of points in a part of a job: in a smaller part, the second launch costs more than further
/// cores save. Where values are held in registers and used several times, a core computes a point in a few hundredths
/// of a nanosecond.
fn least_points(schedule: &Schedule) -> u64 {
    match schedule {
        Schedule::Packed(_) => 1 << 21,
        Schedule::Tile(tile) if tile.rows.is_some() => 1 << 21,
        _ => 1 << 15,
    }
}

/// Tells whether a schedule has short chains of additions, which are more accurate than compensation.
fn has_short_chains(schedule: &Schedule) -> bool {
    matches!(
        schedule,
        Schedule::Dot(_) | Schedule::Packed(_) | Schedule::Team(_)
    )
}

/// Chooses the schedule of a job. Schedules with vectors along a reduced loop or with blocks of points have short
/// chains of additions, which are more accurate than compensation.
pub(crate) fn scheduled(job: Job, profile: Profile) -> (Job, Schedule) {
    scheduled_by(job, profile, Schedule::of)
}

/// Does the same for a part of a kernel that may have so many bytes of local memory.
#[cfg(feature = "opencl")]
pub(crate) fn scheduled_part(job: Job, profile: Profile, local: u64) -> (Job, Schedule) {
    let (as_part, schedule) = scheduled_by(job.clone(), profile, Schedule::of_part);
    match schedule.local_bytes(&as_part) <= local {
        true => (as_part, schedule),
        false => scheduled_by(job, profile, Schedule::in_registers),
    }
}

fn scheduled_by(
    mut job: Job,
    profile: Profile,
    by: impl Fn(&Job, Profile) -> Schedule,
) -> (Job, Schedule) {
    if job.compensated && job.is_free() {
        let plain = Job {
            compensated: false,
            ..job.clone()
        };
        let schedule = by(&plain, profile);
        if has_short_chains(&schedule) {
            job.compensated = false;
            return (job, schedule);
        }
    }
    let schedule = by(&job, profile);
    (job, schedule)
}

impl Plan {
    /// Makes the plan of a job on a kind of device.
    pub fn new(job: Job, profile: Profile) -> Plan {
        if let Some(split) = Plan::split(&job, profile) {
            return split;
        }
        if let Some(wide) = Plan::wide(&job, profile) {
            return wide;
        }
        Plan {
            steps: vec![scheduled(job, profile)],
            scratch: Vec::new(),
        }
    }

    /// Makes the plan of a job in one step without local memory.
    pub fn in_registers(job: Job, profile: Profile) -> Plan {
        Plan {
            steps: vec![scheduled_by(job, profile, Schedule::in_registers)],
            scratch: Vec::new(),
        }
    }

    /// Returns the most bytes of local memory that a kernel of the plan has.
    pub fn local_bytes(&self) -> u64 {
        let each = self.steps.iter();
        let each = each.map(|(job, schedule)| schedule.local_bytes(job));
        each.max().unwrap_or(0)
    }

    /// Makes the plan of a job with an epilogue, if the job without it has one step of a schedule that computes
    /// epilogues too.
    #[cfg(feature = "opencl")]
    pub fn with_epilogue(job: &Job, profile: Profile) -> Option<Plan> {
        let plain = Plan::new(job.without_epilogue(), profile);
        let [(plain, schedule @ (Schedule::Packed(_) | Schedule::Grid(_)))] =
            plain.steps.as_slice()
        else {
            return None;
        };
        let job = Job {
            compensated: plain.compensated,
            ..job.clone()
        };
        Some(Plan {
            steps: vec![(job, *schedule)],
            scratch: Vec::new(),
        })
    }

    /// Makes the plan of a job in one step, or with the values of a reduced loop divided into parts; `schedule` gives
    /// the schedule of each step.
    pub fn with(
        job: Job,
        split: Option<(usize, u64)>,
        mut schedule: impl FnMut(&Job) -> Schedule,
    ) -> Plan {
        let (jobs, scratch) = match split {
            None => (vec![job], Vec::new()),
            Some((number, parts)) => {
                let (jobs, values) = job.split(number, parts, 0);
                (jobs, vec![values])
            }
        };
        let step = |mut job: Job| {
            let schedule = schedule(&job);
            job.compensated &= !has_short_chains(&schedule);
            (job, schedule)
        };
        Plan {
            steps: jobs.into_iter().map(step).collect(),
            scratch,
        }
    }

    /// Makes the plan of a packed contraction whose totals have more digits than the written tensor: they are in a
    /// scratch buffer between two blocks of points, and a second step rounds them.
    pub fn wide(job: &Job, profile: Profile) -> Option<Plan> {
        let is_one_part = job.is_free() || job.accumulator.erase;
        let is_sum = job.widens() && job.write == Write::ReadModifyWrite;
        if profile != Profile::Cpu || !is_sum || !is_one_part || !job.loops.is_plain() {
            return None;
        }
        if job.loops.reduced.is_empty() || job.accumulator.combine == Combine::Replace {
            return None;
        }
        let (jobs, values) = job.split(0, 1, 0);
        let steps = jobs.into_iter().map(|job| scheduled(job, profile));
        let steps: Vec<(Job, Schedule)> = steps.collect();
        let packs = matches!(steps.first(), Some((_, Schedule::Packed(_))));
        packs.then(|| Plan {
            steps,
            scratch: vec![values],
        })
    }

    /// Splits the values of a cell into parts if the order is free, and there are few cells with many values, or so
    /// many values that a single chain of additions would lose digits.
    fn split(job: &Job, profile: Profile) -> Option<Plan> {
        if !job.is_free() || !job.loops.is_plain() {
            return None;
        }
        let (number, parts) = match profile {
            Profile::Cpu => Plan::parts(job)?,
            Profile::Parallel => {
                let whole = Job {
                    compensated: false,
                    ..job.clone()
                };
                parallel_plans::parts(&whole, &Schedule::of(&whole, profile))?
            }
        };
        let longest = &job.loops.reduced[number];
        let even = (parts..2 * parts).find(|parts| longest.extent.is_multiple_of(*parts));
        let (jobs, values) = job.split(number, even.unwrap_or(parts), 0);
        Some(Plan {
            steps: jobs
                .into_iter()
                .map(|job| scheduled(job, profile))
                .collect(),
            scratch: vec![values],
        })
    }

    /// Chooses the number of parts into which the values of a cell are divided on a CPU, and the loop along which they
    /// are divided.
    fn parts(job: &Job) -> Option<(usize, u64)> {
        let (whole, schedule) = scheduled(job.clone(), Profile::Cpu);
        let items = schedule.work_items(&job.loops);
        let reduced = job.loops.reduced.iter().enumerate();
        let (number, longest) = reduced.max_by_key(|(_, one)| one.extent)?;
        let values = job.loops.values_a_cell();
        let least = match whole.compensated {
            true => values.div_ceil(COMPENSATED / 2),
            false => 0,
        };
        let wanted = match items {
            0..FEW => (WANTED / items.max(1))
                .min(job.loops.cells().saturating_mul(values) / least_points(&schedule)),
            _ => 0,
        };
        // A part along vectors consists of whole vectors.
        let parts = wanted.max(least).min(longest.extent / 16);
        (parts >= 2).then_some((number, parts))
    }

    /// Writes a line for each step.
    pub fn lines(&self) -> Vec<String> {
        let line = |(job, schedule): &(Job, Schedule)| {
            let mut line = schedule.line(&job.loops);
            if let Schedule::Packed(_) | Schedule::Grid(_) = schedule
                && let Some(prepared) = Prepared::parted(&job.function)
            {
                line += &prepared.line();
            }
            match &job.epilogue {
                Some(epilogue) => format!("{line}, then {}", epilogue.line()),
                None => line,
            }
        };
        self.steps.iter().map(line).collect()
    }
}
