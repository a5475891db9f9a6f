//! From a job to its steps: jobs with a schedule each.

use super::job::Job;
use super::kernel::Kernel;
use super::schedule::{Profile, Schedule};
use super::text::Text;
use super::{cell, dot, packed, staged, sweep, tile};
use crate::loop_nest::COMPENSATED;

/// What is computed one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// Each step with its schedule.
    pub steps: Vec<(Job, Schedule)>,
    /// How many values each scratch buffer holds that the steps share.
    pub scratch: Vec<u64>,
}

/// With fewer work-items than this a few cores are not evenly busy.
const FEW: u64 = 16;

/// A split makes about so many work-items.
const WANTED: u64 = 64;

/// A part of a job has at least so many points: below, one more launch costs more than the other cores save.
const LEAST: u64 = 1 << 15;

/// A job with its schedule. Vectors along a reduced loop and blocks of points have short chains of additions, which do better than
/// compensation.
pub(super) fn scheduled(mut job: Job, profile: Profile) -> (Job, Schedule) {
    if job.compensated && job.is_free() && profile == Profile::Cpu {
        let plain = Job {
            compensated: false,
            ..job.clone()
        };
        let schedule = Schedule::of(&plain, profile);
        if matches!(schedule, Schedule::Dot(_) | Schedule::Packed(_)) {
            job.compensated = false;
            return (job, schedule);
        }
    }
    let schedule = Schedule::of(&job, profile);
    (job, schedule)
}

impl Plan {
    /// How a job is computed on a kind of device.
    pub fn new(job: Job, profile: Profile) -> Plan {
        if let Some(split) = Plan::split(&job, profile) {
            return split;
        }
        Plan {
            steps: vec![scheduled(job, profile)],
            scratch: Vec::new(),
        }
    }

    /// The values of a cell in parts, where cells are few and values many, or so many that a sum of one chain would lose digits, and
    /// the order in which they meet is free.
    fn split(job: &Job, profile: Profile) -> Option<Plan> {
        if profile != Profile::Cpu || !job.is_free() || !job.loops.is_plain() {
            return None;
        }
        let (whole, schedule) = scheduled(job.clone(), profile);
        let items = schedule.work_items(&job.loops);
        let reduced = job.loops.reduced.iter().enumerate();
        let (number, longest) = reduced.max_by_key(|(_, one)| one.extent)?;
        let values = job.loops.values_a_cell();
        let least = match whole.compensated {
            true => values.div_ceil(COMPENSATED / 2),
            false => 0,
        };
        let wanted = match items {
            0..FEW => (WANTED / items.max(1)).min(job.loops.cells().saturating_mul(values) / LEAST),
            _ => 0,
        };
        // A part along vectors keeps whole vectors.
        let parts = wanted.max(least).min(longest.extent / 16);
        if parts < 2 {
            return None;
        }
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

    /// The kernels of all steps, and how many values each scratch buffer holds.
    pub fn kernels(&self) -> (Vec<Kernel>, Vec<u64>) {
        let mut scratch = self.scratch.clone();
        let mut kernels = Vec::new();
        for (job, schedule) in &self.steps {
            let text = || Text::new(job);
            match *schedule {
                Schedule::Cell => kernels.push(cell::kernel(text())),
                Schedule::Tile(tile) => kernels.push(tile::kernel(text(), tile)),
                Schedule::Dot(dot) => kernels.push(dot::kernel(text(), dot)),
                Schedule::Sweep(sweep) => kernels.push(sweep::kernel(text(), sweep)),
                Schedule::Staged(staged) => kernels.push(staged::kernel(text(), staged)),
                Schedule::Packed(packed) => {
                    let (both, values) = packed::kernels(job, packed, scratch.len());
                    kernels.extend(both);
                    scratch.push(values);
                }
            }
        }
        (kernels, scratch)
    }

    /// A line for each step.
    pub fn lines(&self) -> Vec<String> {
        let line = |(job, schedule): &(Job, Schedule)| schedule.line(&job.loops);
        self.steps.iter().map(line).collect()
    }
}
