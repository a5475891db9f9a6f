//! Plans for devices with many small work-items, beside those that [`Schedule::of`] chooses: sums in parts, and what
//! tests and tuning draw from.

use super::job::Job;
use super::parallel::{BUSY, FEW_GROUPS, Grid, ITEMS, ROWS, Spread, Team, Turned};
use super::schedule::Schedule;
use crate::loop_nest::COMPENSATED;

/// Chooses the number of parts into which the values of a cell are divided, so that enough work-items have something to
/// do, and along which loop.
pub(super) fn parts(job: &Job, schedule: &Schedule) -> Option<(usize, u64)> {
    let reduced = job.loops.reduced.iter().enumerate();
    let (number, longest) = reduced.max_by_key(|(_, one)| one.extent)?;
    let values = job.loops.values_a_cell();
    // The number of parts from which on no chain of additions loses digits.
    let short = match schedule {
        Schedule::Team(_) => 1,
        _ if values >= COMPENSATED => values.div_ceil(COMPENSATED / 2),
        _ => 1,
    };
    let items = schedule.work_items(&job.loops).max(1);
    // The number of parts that keeps the device busy, and the least number of values for which a part is worth a
    // work-item, or a group.
    let (wanted, least) = match schedule {
        Schedule::Grid(_) => ((2 * FEW_GROUPS * ITEMS).div_ceil(items), 128),
        Schedule::Team(team) => (BUSY / items, 16 * team.items),
        _ => (BUSY / items, 64),
    };
    let parts = wanted.min(values / least).max(short);
    let parts = parts.min(longest.extent / 16);
    (parts >= 2).then_some((number, parts))
}

/// Lists the schedules that tests and tuning draw from, legal or not.
pub(crate) fn candidates(job: &Job) -> Vec<Schedule> {
    let (free, reduced) = (job.loops.free.len(), job.loops.reduced.len());
    let mut all = Vec::new();
    for along in 0..reduced {
        for (row, column) in pairs(free) {
            for (each, across, depth) in [
                (4, 16, 1),
                (4, 16, 7),
                (4, 16, 16),
                (4, 2, 4),
                (4, 64, 8),
                (8, 16, 8),
                (8, 16, 16),
                (8, 8, 8),
            ] {
                all.push(Schedule::Grid(Grid {
                    row,
                    column,
                    each,
                    across,
                    along,
                    depth,
                }));
            }
        }
    }
    for along in 0..reduced {
        for rows in rows_of(job) {
            let team = |items: u64| Schedule::Team(Team { items, along, rows });
            all.extend([1, 8, 32, 64, ITEMS].map(team));
        }
    }
    all.extend(pairs(free).map(|(row, column)| Schedule::Turned(Turned { column, row })));
    all.extend([1, 2, 4, 8].map(|cells| Schedule::Spread(Spread { cells })));
    all
}

/// Lists the choices of rows: none, and those of each loop in all numbers that divide it.
fn rows_of(job: &Job) -> Vec<Option<(usize, u64)>> {
    let mut all = vec![None];
    for (number, one) in job.loops.free.iter().enumerate() {
        let steps = (2..=ROWS).filter(|steps| one.extent.is_multiple_of(*steps));
        all.extend(steps.map(|steps| Some((number, steps))));
    }
    all
}

/// Lists the pairs of two different numbers below a limit.
fn pairs(limit: usize) -> impl Iterator<Item = (usize, usize)> {
    let pairs = (0..limit).flat_map(move |one| (0..limit).map(move |other| (one, other)));
    pairs.filter(|(one, other)| one != other)
}
