//! `lozenge devices`: lists the devices on which programs can run.

use serde_json::json;

use crate::args;
use crate::report::{Problem, Report, Status};

/// Runs the command.
#[cfg(feature = "opencl")]
pub fn devices(args: &args::Devices) -> Result<Report, Problem> {
    use std::fmt::Write;

    let problem = |error: lozenge_backend::Error| Problem::new(error.to_string());
    let (mut text, mut list) = (String::new(), Vec::new());
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
        let mut value = json!({
            "number": number, "name": info.name, "platform": info.platform, "kind": info.kind, "units": info.units,
            "memory": info.memory, "local_memory": info.local, "double": info.double,
            "multiply_add": null, "copy_64_mb": null, "copy_256_mb": null,
        });
        if args.measure {
            let [multiply_add, small, large] = measured(info).map_err(problem)?;
            let _ = writeln!(
                text,
                "   {:.0} GF/s of multiply-adds, {:.1} GB/s copying 64 MB, {:.1} GB/s copying 256 MB",
                multiply_add / 1e9,
                small / 1e9,
                large / 1e9
            );
            value["multiply_add"] = json!(multiply_add);
            value["copy_64_mb"] = json!(small);
            value["copy_256_mb"] = json!(large);
        }
        list.push(value);
    }
    Ok(Report {
        text,
        json: json!({ "devices": list }),
        status: Status::Good,
    })
}

/// The peak performance of a device: the best of some runs, in operations and bytes per second.
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

/// Without the feature there are no devices.
#[cfg(not(feature = "opencl"))]
pub fn devices(_: &args::Devices) -> Result<Report, Problem> {
    let _ = json!({});
    let _ = Status::Good;
    Err(Problem::new(
        "devices: this build does not contain the OpenCL engine (the feature `opencl`)",
    ))
}
