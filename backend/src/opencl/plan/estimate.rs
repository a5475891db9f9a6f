//! An estimate of the time of a schedule, so rough that it only tells which plans are worth measuring.

use super::job::Job;
use super::parallel::SQUARE;
use super::schedule::Schedule;

/// The number of vectors of cells that keep the units for multiply-adds busy.
const BUSY: f64 = 12.0;

/// Estimates the time of one step on a device with so many cores. The unit is that of a point of a vector in a busy
/// core.
pub(crate) fn seconds(job: &Job, schedule: &Schedule, cores: u64) -> f64 {
    let loops = &job.loops;
    let points = loops.cells() as f64 * loops.values_a_cell() as f64;
    let items = schedule.work_items(loops) as f64;
    let cores = cores.max(1) as f64;
    // The last round of work-items keeps only some of the cores busy.
    let rounds = (items / cores).ceil();
    let balance = (items / (rounds * cores)).max(1.0 / cores);
    points * waste(job, schedule) / (rate(schedule) * balance * cores) + items / cores * 200.0
}

/// Estimates the number of points that a core computes at a time.
fn rate(schedule: &Schedule) -> f64 {
    let busy = |vectors: u64| (vectors as f64 / BUSY).min(1.0);
    match schedule {
        Schedule::Cell => 1.0,
        Schedule::Tile(tile) => tile.lanes as f64 * busy(tile.vectors * tile.height()),
        Schedule::Packed(packed) => 18.0 * busy(packed.tile.vectors * packed.tile.height()),
        Schedule::Dot(dot) => {
            let rows = dot.rows.map_or(1, |(_, rows)| rows);
            12.0 * busy(2 * dot.vectors * rows)
        }
        Schedule::Sweep(sweep) => 12.0 * (sweep.width as f64 / 256.0).min(1.0),
        Schedule::Staged(staged) => {
            let side = staged.width.min(staged.height) as f64;
            16.0 * (side / 128.0).min(1.0)
        }
        Schedule::Grid(grid) => 2.0 * grid.each as f64 * (grid.depth as f64 / 8.0).min(1.0),
        Schedule::Team(team) => (team.items as f64 / 32.0).min(2.0),
        Schedule::Spread(_) => 1.5,
        Schedule::Turned(_) => 4.0,
    }
}

/// Returns the ratio of the points that are computed to those of the job: the last tile of a loop is a whole one too.
fn waste(job: &Job, schedule: &Schedule) -> f64 {
    let along = |number: usize, step: u64| {
        let extent = job.loops.free[number].extent;
        (extent.div_ceil(step) * step) as f64 / extent as f64
    };
    let rows = |rows: Option<(usize, u64)>| rows.map_or(1.0, |(row, step)| along(row, step));
    match schedule {
        Schedule::Cell => 1.0,
        Schedule::Tile(tile) => along(tile.vector, tile.width()) * rows(tile.rows),
        Schedule::Packed(packed) => {
            along(packed.tile.vector, packed.tile.width()) * rows(packed.tile.rows)
        }
        Schedule::Dot(dot) => rows(dot.rows),
        Schedule::Sweep(sweep) => along(sweep.vector, sweep.width),
        Schedule::Staged(staged) => {
            along(staged.vector, staged.width) * along(staged.row, staged.height)
        }
        Schedule::Grid(grid) => along(grid.column, grid.columns()) * along(grid.row, grid.rows()),
        Schedule::Team(_) | Schedule::Spread(_) => 1.0,
        Schedule::Turned(turned) => along(turned.column, SQUARE) * along(turned.row, SQUARE),
    }
}
