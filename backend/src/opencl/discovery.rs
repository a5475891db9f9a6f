//! Which OpenCL devices there are, asked without panicking where there are none.

use std::sync::{Mutex, Once, PoisonError};

use ocl::core::{self, DeviceInfo as DeviceKey, DeviceInfoResult, DeviceType};
use ocl::enums::PlatformInfo as PlatformKey;
use ocl::{Device, Platform};

use crate::error::Error;
use crate::opencl::foreign;

/// A device that kernels can run on.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// The platform it belongs to, with its version.
    pub platform: String,
    pub(super) ids: (Platform, Device),
}

/// The devices of all platforms, in the order in which the loader names them.
///
/// # Errors
/// [`Error::NoDevice`] where there is no platform or no device, with what to install.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    // Two threads that ask at the same time for the first time: PoCL 3.1 tells one of them that it has no device.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);

    static PINNED: Once = Once::new();
    PINNED.call_once(foreign::pin_workers);
    let platforms = match foreign::platform_count() {
        0 => Vec::new(),
        _ => core::get_platform_ids().map_err(|error| no_device(&error.to_string()))?,
    };
    if platforms.is_empty() {
        return Err(no_device("the loader finds no platform (no driver)"));
    }
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for platform in platforms {
        let text = platform_text(platform)?;
        // A platform without devices answers with an error, which is no reason to leave out the others.
        match core::get_device_ids(platform, Some(DeviceType::ALL), None) {
            Err(_) => refused.push(text),
            Ok(all) => {
                for device in all {
                    found.push(DeviceInfo {
                        name: name(device)?,
                        platform: text.clone(),
                        ids: (Platform::new(platform), Device::from(device)),
                    });
                }
            }
        }
    }
    if found.is_empty() {
        let refused = refused.join("; ");
        return Err(no_device(&format!("no platform has a device ({refused})")));
    }
    Ok(found)
}

fn no_device(reason: &str) -> Error {
    Error::NoDevice {
        reason: reason.to_string(),
        mend: "Install the driver of your device, or PoCL, which runs on any processor: \
               apt-get install pocl-opencl-icd ocl-icd-opencl-dev"
            .to_string(),
    }
}

fn name(device: core::DeviceId) -> Result<String, Error> {
    match core::get_device_info(device, DeviceKey::Name) {
        Ok(DeviceInfoResult::Name(name)) => Ok(name.trim().to_string()),
        Ok(other) => Ok(other.to_string()),
        Err(error) => Err(failure("ask a device for its name", error)),
    }
}

fn platform_text(platform: core::PlatformId) -> Result<String, Error> {
    let ask = |key| {
        core::get_platform_info(platform, key)
            .map(|answer| answer.to_string().trim().to_string())
            .map_err(|error| failure("ask a platform for its name", error))
    };
    Ok(format!(
        "{}, {}",
        ask(PlatformKey::Name)?,
        ask(PlatformKey::Version)?
    ))
}

pub(super) fn failure(action: &str, error: impl std::fmt::Display) -> Error {
    Error::OpenCl {
        action: action.to_string(),
        message: error.to_string().trim().to_string(),
    }
}
