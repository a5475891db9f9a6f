//! The legal schedules of a job, beside the one that the heuristics of [`Schedule::of`] choose, and plans that are made
//! of them.
//!
//! Random tests draw from them. Lanes, heights and blocks are the usual ones and some odd ones that leave tails.

use super::template::legal;
use super::verify::fitting;
use crate::opencl::plan::job::Job;
use crate::opencl::plan::parallel_plans;
use crate::opencl::plan::schedule::{Dot, Packed, Profile, Schedule, Staged, Sweep, Tile};
use crate::opencl::plan::steps::Plan;

/// The heights of tiles, and the numbers of tiles that a work-item computes.
const HEIGHTS: [u64; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 12];
const STRIPS: [u64; 3] = [1, 2, 5];

/// The numbers of parts into which a reduced loop may be divided.
const PARTS: [u64; 6] = [2, 3, 4, 7, 16, 64];

/// The choice of one of so many options, at least 1, as a function: it returns the number of the option, from 0.
pub type Choose<'c> = &'c mut dyn FnMut(usize) -> usize;

impl Schedule {
    /// Lists the legal schedules of a job on a kind of device, those with the same template side by side. There is
    /// always one, unless the job has an epilogue.
    pub fn candidates(job: &Job, profile: Profile) -> Vec<Schedule> {
        let mut all = vec![Schedule::Cell];
        if profile == Profile::Cpu {
            all.extend(tiles(job).into_iter().map(Schedule::Tile));
            all.extend(packed(job).into_iter().map(Schedule::Packed));
            all.extend(dots(job).into_iter().map(Schedule::Dot));
            all.extend(sweeps(job).into_iter().map(Schedule::Sweep));
            all.extend(staged(job).into_iter().map(Schedule::Staged));
        } else {
            all.extend(parallel_plans::candidates(job));
        }
        all.retain(|one| legal(one, job).is_ok() && fitting(one, job).is_ok());
        all
    }

    /// Chooses one of the legal schedules: first its template is chosen, then its numbers. A cell for each work-item is
    /// seldom chosen where there is something else.
    fn chosen(job: &Job, profile: Profile, choose: Choose<'_>) -> Schedule {
        let all = Schedule::candidates(job, profile);
        let alike =
            |a: &Schedule, b: &Schedule| std::mem::discriminant(a) == std::mem::discriminant(b);
        let templates: Vec<&[Schedule]> = all.chunk_by(alike).collect();
        let others = &templates[1..];
        if others.is_empty() || choose(8) == 0 {
            return Schedule::Cell;
        }
        let template = others[choose(others.len())];
        template[choose(template.len())]
    }
}

impl Plan {
    /// Chooses a legal plan of a job: whether and how its values are divided into parts, and the schedule of each step,
    /// are chosen.
    pub fn chosen(job: Job, profile: Profile, choose: Choose<'_>) -> Plan {
        let splits = splits(&job);
        // Half of the plans have one step, however many ways there are to divide the values.
        let split = match splits.is_empty() || choose(2) == 0 {
            true => None,
            false => Some(splits[choose(splits.len())]),
        };
        Plan::with(job, split, |job| Schedule::chosen(job, profile, choose))
    }
}

impl Plan {
    /// Chooses a legal plan of a job with an epilogue, if there is one.
    #[cfg(feature = "opencl")]
    pub fn chosen_ended(job: Job, profile: Profile, choose: Choose<'_>) -> Option<Plan> {
        let mut all = Schedule::candidates(&job, profile);
        let schedule = match all.len() {
            0 => return None,
            count => all.swap_remove(choose(count)),
        };
        Some(Plan::with(job, None, |_| schedule))
    }
}

/// Lists the reduced loops that can be divided, each with a number of parts.
pub(crate) fn splits(job: &Job) -> Vec<(usize, u64)> {
    if !job.is_free() || !job.loops.is_plain() {
        return Vec::new();
    }
    let reduced = job.loops.reduced.iter().enumerate();
    let parts = reduced.flat_map(|(number, one)| {
        let extent = one.extent;
        let fitting = PARTS.into_iter().filter(move |parts| *parts <= extent);
        fitting.map(move |parts| (number, parts))
    });
    parts.collect()
}

/// Lists the choices of rows: none, and those of each loop in all heights.
fn rows(job: &Job) -> Vec<Option<(usize, u64)>> {
    let mut all = vec![None];
    for (number, one) in job.loops.free.iter().enumerate() {
        let heights = HEIGHTS.into_iter().filter(|height| *height <= one.extent);
        all.extend(heights.map(|height| Some((number, height))));
    }
    all
}

/// Lists the loops along which neighbouring cells are written.
fn along(job: &Job) -> Vec<usize> {
    let free = job.loops.free.iter().enumerate();
    let near = free.filter(|(_, one)| one.strides[0] == 1);
    near.map(|(number, _)| number).collect()
}

fn tiles(job: &Job) -> Vec<Tile> {
    let mut all = Vec::new();
    for vector in along(job) {
        for lanes in [2, 4, 8, 16] {
            for vectors in 1..=4 {
                for rows in rows(job) {
                    let strips = if job.loops.reduced.is_empty() { 1 } else { 3 };
                    all.extend(STRIPS[..strips].iter().map(|strip| Tile {
                        vector,
                        lanes,
                        vectors,
                        rows,
                        strip: *strip,
                    }));
                }
            }
        }
    }
    all
}

fn packed(job: &Job) -> Vec<Packed> {
    let mut all = Vec::new();
    if job.operands() != 2 {
        return all;
    }
    let tiles = tiles(job).into_iter();
    for tile in tiles.filter(|tile| tile.strip == 1 && tile.height() <= 6) {
        for (row_operand, vector_operand) in [(1, 2), (2, 1)] {
            for (tiles, block_panels, depth) in [(1, 1, 5), (2, 3, 16), (3, 2, 128), (16, 8, 128)] {
                all.push(Packed {
                    tile,
                    row_operand,
                    vector_operand,
                    block_rows: tiles * tile.height(),
                    block_panels,
                    depth,
                });
            }
        }
    }
    all
}

fn dots(job: &Job) -> Vec<Dot> {
    let mut all = Vec::new();
    for along in 0..job.loops.reduced.len() {
        for vectors in 1..=4 {
            for rows in rows(job) {
                all.extend(STRIPS.map(|strip| Dot {
                    along,
                    vectors,
                    rows,
                    strip,
                }));
            }
        }
    }
    all
}

fn sweeps(job: &Job) -> Vec<Sweep> {
    let mut all = Vec::new();
    for vector in along(job) {
        let extent = job.loops.free[vector].extent;
        for width in [1, 7, 16, 33, 64, 1024, extent.min(4096)] {
            all.push(Sweep { vector, width });
        }
    }
    all
}

fn staged(job: &Job) -> Vec<Staged> {
    let mut all = Vec::new();
    for vector in along(job) {
        for row in 0..job.loops.free.len() {
            for width in [16, 32, 64, 256] {
                all.extend([16, 32, 64, 256].map(|height| Staged {
                    vector,
                    row,
                    width,
                    height,
                }));
            }
        }
    }
    all
}
