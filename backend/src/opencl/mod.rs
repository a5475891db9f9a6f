//! Kernels in OpenCL C, and a device that runs them.
//!
//! The [source](KernelSource) can be generated without OpenCL; running it needs the feature `opencl`, which links the
//! loader.
//!
//! The modules import one way: each may use those above it in this table.
//!
//! | module | what it holds |
//! |---|---|
//! | `plan` | jobs, loops, schedules and plans: what is computed, and how |
//! | `check` | the checks of a plan, and the plans that pass them |
//! | `pins` | plans as text, and plans from a file |
//! | `emit` | the text of kernels |
//! | `rewrite` | passes over calls before kernels are planned |
//! | `group` | one kernel for several calls |
//! | `device` | compiling and running kernels, memory, measurements |

use crate::device::Device;
use crate::error::Error;
use crate::memory::Limits;
use crate::rules::Arithmetic;

mod check;
#[cfg(feature = "opencl")]
mod device;
mod emit;
#[cfg(feature = "opencl")]
mod group;
mod pins;
mod plan;
#[cfg(feature = "opencl")]
mod rewrite;

pub use check::candidates::Choose;
pub use check::defect::{Check, Defect};
#[cfg(feature = "opencl")]
pub use device::discovery::{DeviceInfo, device, devices};
#[cfg(feature = "opencl")]
pub use device::engine::OpenCl;
#[cfg(feature = "opencl")]
pub use device::last_words::{LastWords, Watched, if_a_driver_ends_the_process, remedy};
#[cfg(feature = "opencl")]
pub use device::planner::{Planned, Planner};
#[cfg(feature = "opencl")]
pub use device::probe::{Ceiling, Probe};
#[cfg(feature = "opencl")]
pub use device::trial::Trial;
#[cfg(feature = "opencl")]
pub use device::tuning::{Spread, Tuned};
pub use emit::kernel::{Kernel, Stage};
pub use emit::source::{KernelSource, program};
pub use pins::line::Misread;
pub use pins::pinned::{PinError, Pins, PlanText, file as pins_file};
pub use plan::job::Argument;
pub use plan::rounding::Rounding;
pub use plan::schedule::Profile;

/// Makes kernels of a device by these plans from now on, where they are plans of calls that are run or recorded.
/// Returns true if the device makes kernels by plans.
pub fn pin(device: &mut dyn Device, pins: Pins) -> bool {
    #[cfg(feature = "opencl")]
    if let Some(device) = device
        .as_any()
        .and_then(|device| device.downcast_mut::<OpenCl>())
    {
        device.pin(pins);
        return true;
    }
    #[cfg(not(feature = "opencl"))]
    let _ = (device, pins);
    false
}

/// Opens the first OpenCL device.
///
/// # Errors
/// [`Error::NoDevice`], with instructions what to install; [`Error::OpenCl`] if the device cannot be opened;
/// [`Error::NoDouble`] if it is to compute in 64 bits and cannot.
#[cfg(feature = "opencl")]
pub fn open(limits: Limits, arithmetic: impl Into<Arithmetic>) -> Result<Box<dyn Device>, Error> {
    Ok(Box::new(OpenCl::open(limits)?.computing(arithmetic)?))
}

/// Opens the OpenCL device with a number, counted from 0, or with a text in its name.
///
/// # Errors
/// As [`open`]; [`Error::NoDevice`] with a list of the devices if none matches.
#[cfg(feature = "opencl")]
pub fn open_named(
    wanted: &str,
    limits: Limits,
    arithmetic: impl Into<Arithmetic>,
) -> Result<Box<dyn Device>, Error> {
    let device = OpenCl::on(device(wanted)?, limits)?;
    Ok(Box::new(device.computing(arithmetic)?))
}

/// Refuses, since without the feature `opencl` there is no device.
///
/// # Errors
/// Always [`Error::NoDevice`], with how to build with it.
#[cfg(not(feature = "opencl"))]
pub fn open_named(
    _: &str,
    limits: Limits,
    arithmetic: impl Into<Arithmetic>,
) -> Result<Box<dyn Device>, Error> {
    open(limits, arithmetic)
}

/// Refuses, since without the feature `opencl` there is no device.
///
/// # Errors
/// Always [`Error::NoDevice`], with how to build with it.
#[cfg(not(feature = "opencl"))]
pub fn open(_: Limits, _: impl Into<Arithmetic>) -> Result<Box<dyn Device>, Error> {
    Err(Error::NoDevice {
        reason: "this build does not contain the OpenCL engine".to_string(),
        mend: "Install ocl-icd-opencl-dev and pocl-opencl-icd (or the loader and driver of your device) and build with \
               the feature opencl, which is on by default"
            .to_string(),
    })
}
