//! Kernels in OpenCL C, and a device that runs them.
//!
//! The [source](KernelSource) can be generated without OpenCL; running it needs the feature `opencl`, which links the
//! loader.

use crate::device::Device;
use crate::error::Error;
use crate::memory::Limits;
use crate::rules::Arithmetic;

#[cfg(feature = "opencl")]
mod buffer;
#[cfg(feature = "opencl")]
mod cache;
mod candidates;
mod cell;
#[cfg(feature = "opencl")]
mod chains;
#[cfg(feature = "opencl")]
mod compiler;
mod conditions;
#[cfg(feature = "opencl")]
mod constants;
#[cfg(feature = "opencl")]
mod declarations;
mod defect;
#[cfg(feature = "opencl")]
mod discovery;
mod dot;
#[cfg(feature = "opencl")]
mod ended;
mod ending;
#[cfg(feature = "opencl")]
mod engine;
mod epilogue;
#[cfg(feature = "opencl")]
mod estimate;
mod expression;
#[cfg(feature = "opencl")]
mod foreign;
mod function_text;
#[cfg(feature = "opencl")]
mod fused;
mod grid;
#[cfg(feature = "opencl")]
mod group;
#[cfg(feature = "opencl")]
mod inline;
#[cfg(feature = "opencl")]
mod item;
mod job;
mod kernel;
mod loops;
#[cfg(feature = "opencl")]
mod member;
#[cfg(feature = "opencl")]
mod memory;
mod moves;
#[cfg(feature = "opencl")]
mod order;
mod packed;
#[cfg(feature = "opencl")]
mod pad;
mod parallel;
mod parallel_plans;
mod pins;
mod plan;
mod plan_reading;
mod plan_text;
#[cfg(feature = "opencl")]
mod planner;
mod planning;
#[cfg(feature = "opencl")]
mod pool;
mod prepared;
#[cfg(feature = "opencl")]
mod probe;
#[cfg(feature = "opencl")]
mod prologue;
#[cfg(feature = "opencl")]
mod recording;
#[cfg(feature = "opencl")]
mod rewriting;
mod rounding;
mod schedule;
mod schedule_reading;
mod source;
mod spread;
mod staged;
#[cfg(feature = "opencl")]
mod step;
mod sweep;
mod team;
mod template;
#[cfg(all(test, feature = "opencl"))]
mod test_calls;
mod text;
mod ties;
mod tile;
#[cfg(feature = "opencl")]
mod timing;
#[cfg(feature = "opencl")]
mod trial;
#[cfg(feature = "opencl")]
mod tuning;
mod turned;
#[cfg(feature = "opencl")]
mod unit;
mod verify;
#[cfg(feature = "opencl")]
mod verify_ended;
#[cfg(feature = "opencl")]
mod verify_group;
#[cfg(feature = "opencl")]
mod waiting;
mod words;

pub use candidates::Choose;
#[cfg(feature = "opencl")]
pub use discovery::{DeviceInfo, device, devices};
#[cfg(feature = "opencl")]
pub use engine::OpenCl;
pub use job::Argument;
pub use kernel::{Kernel, Stage};
pub use pins::{PinError, Pins, PlanText, file as pins_file};
pub use plan_reading::Misread;
#[cfg(feature = "opencl")]
pub use planner::{Planned, Planner};
#[cfg(feature = "opencl")]
pub use probe::{Ceiling, Probe};
pub use rounding::Rounding;
pub use schedule::Profile;
pub use source::{KernelSource, program};
#[cfg(feature = "opencl")]
pub use trial::Trial;
#[cfg(feature = "opencl")]
pub use tuning::{Spread, Tuned};
pub use verify::{Check, Defect};

/// Makes kernels of a device by these plans from now on, where they are plans of calls that are run or recorded.
/// Returns true if the device makes kernels by plans.
pub fn pin(device: &mut dyn Device, pins: Pins) -> bool {
    #[cfg(feature = "opencl")]
    if let Some(device) = device.as_any().downcast_mut::<OpenCl>() {
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
