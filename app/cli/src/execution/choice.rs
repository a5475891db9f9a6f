//! The choice between the interpreter and a device where nobody asks for one of them.

use lozenge::vocabulary::program::{Program, Turns};
use lozenge_backend::LoopNest;

use crate::args;

/// The most points of a program that the interpreter runs where no device is asked for. It visits them in some 0.05 s,
/// the time in which a driver opens and takes kernels from its cache; to compile those of the smallest program takes
/// PoCL 0.6 s (docs/backend.md).
pub const FEW: u64 = 1 << 22;

/// Counts the points of all loops of a program, those of sections counted once for each step. The flags of a run change
/// nothing about it, so that a run that is resumed with more epochs runs on the same device.
pub fn points(program: &Program, nests: &[LoopNest]) -> u64 {
    let of = |at: usize| {
        nests
            .get(at)
            .map_or(0, |nest| nest.points().unwrap_or(u64::MAX))
    };
    let sum = |list: &[usize]| list.iter().map(|at| of(*at)).fold(0, u64::saturating_add);
    let inside = |at: &usize| {
        program
            .sections
            .iter()
            .any(|section| section.steps.contains(at))
    };
    let outside: Vec<usize> = (0..program.steps.len()).filter(|at| !inside(at)).collect();
    let mut points = sum(&outside);
    for section in &program.sections {
        let schedule = section.schedule(program).unwrap_or_default();
        let (steps, epochs) = match &section.turns {
            Turns::Steps(steps) => (*steps, 1),
            Turns::Epochs {
                epochs, batches, ..
            } => (epochs.saturating_mul(*batches), *epochs),
        };
        for (list, times) in [
            (&schedule.once, 1),
            (&schedule.step, steps),
            (&schedule.epoch, epochs),
        ] {
            points = points.saturating_add(sum(list).saturating_mul(times));
        }
    }
    points
}

/// Tells whether the interpreter runs a program of so many points, since no flag is about a device or its kernels.
pub fn is_small(on: &args::On, points: u64) -> bool {
    let about_kernels = on.times || on.pins.is_some() || on.kernel_cache.is_some();
    points <= FEW && !about_kernels
}

/// Returns the end of the line that names the interpreter where it was chosen by the number of points.
pub fn small(points: u64) -> String {
    let unit = if points == 1 { "point" } else { "points" };
    format!(", since the program is small ({points} {unit}): --device opencl asks for a device")
}
