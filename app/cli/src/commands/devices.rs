//! `lozenge devices`: lists the devices on which programs can run.

use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::report::{Problem, Report};

/// The devices on which programs can run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The OpenCL devices, in the order of their numbers.
    devices: Vec<DeviceData>,
}

/// An OpenCL device.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenClDevice", deny_unknown_fields)]
struct DeviceData {
    /// Its number.
    number: usize,
    /// Its name.
    name: String,
    /// Its platform.
    platform: String,
    /// `cpu`, `gpu` or `accelerator`.
    kind: String,
    /// The number of its compute units.
    units: u32,
    /// Bytes of its memory.
    memory: u64,
    /// Bytes of the local memory of a group.
    local_memory: u64,
    /// True if it computes in 64 bits.
    double: bool,
    /// With `--measure`: operations a second of chains of multiply-adds, each counted as two.
    multiply_add: Option<f64>,
    /// With `--measure`: bytes a second, read and written, of a copy of 64 MB.
    copy_64_mb: Option<f64>,
    /// The same of 256 MB.
    copy_256_mb: Option<f64>,
}

/// Runs the command.
#[cfg(feature = "opencl")]
pub fn devices(args: &args::Devices) -> Result<Report, Problem> {
    use std::fmt::Write;

    let problem = |error: lozenge_backend::Error| Problem::new(error.to_string());
    let (mut text, mut devices) = (String::new(), Vec::new());
    crate::execution::prepare();
    let all = lozenge_backend::opencl::devices().map_err(problem)?;
    for (number, info) in all.into_iter().enumerate() {
        let double = if info.double { "" } else { ", without f64" };
        let _ = writeln!(
            text,
            "{number}  {} ({})\n   {}, {} units, {:.1} GiB, {} KiB of local memory{double}",
            info.name,
            info.platform,
            info.kind,
            info.units,
            info.memory as f64 / f64::from(1 << 30),
            info.local >> 10,
        );
        let mut data = DeviceData {
            number,
            name: info.name.clone(),
            platform: info.platform.clone(),
            kind: info.kind.to_string(),
            units: info.units,
            memory: info.memory,
            local_memory: info.local,
            double: info.double,
            multiply_add: None,
            copy_64_mb: None,
            copy_256_mb: None,
        };
        if args.measure {
            let [multiply_add, small, large] = measured(info).map_err(problem)?;
            let _ = writeln!(
                text,
                "   {:.0} GF/s of multiply-adds, {:.1} GB/s copying 64 MB, {:.1} GB/s copying 256 MB",
                multiply_add / 1e9,
                small / 1e9,
                large / 1e9
            );
            data.multiply_add = Some(multiply_add);
            data.copy_64_mb = Some(small);
            data.copy_256_mb = Some(large);
        }
        devices.push(data);
    }
    Ok(Report::new(text, Answer { devices }))
}

/// Measures the peak performance of a device: the best of some runs, in operations and bytes per second.
#[cfg(feature = "opencl")]
fn measured(info: lozenge_backend::opencl::DeviceInfo) -> Result<[f64; 3], lozenge_backend::Error> {
    use lozenge_backend::opencl::{Ceiling, OpenCl, Probe};
    use std::time::{Duration, Instant};

    // Only a processor notices at once that a run has ended.
    let times = if info.kind == "cpu" { 1 } else { 16 };
    let device = OpenCl::on(info, lozenge_backend::Limits::default())?;
    let mut best = [0.0; 3];
    let ceilings = [
        Ceiling::MultiplyAdd,
        Ceiling::Copy(1 << 26),
        Ceiling::Copy(1 << 28),
    ];
    for (best, ceiling) in best.iter_mut().zip(ceilings) {
        let probe = Probe::new(&device, ceiling)?;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(500) {
            let start = Instant::now();
            probe.run_often(times)?;
            let amount = times as f64 * probe.amount();
            *best = f64::max(*best, amount / start.elapsed().as_secs_f64());
        }
    }
    Ok(best)
}

/// Refuses: without the feature there are no devices.
#[cfg(not(feature = "opencl"))]
pub fn devices(_: &args::Devices) -> Result<Report, Problem> {
    Err(Problem::new(
        "devices: this build does not contain the OpenCL engine (the feature `opencl`)",
    ))
}
