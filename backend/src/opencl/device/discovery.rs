//! The available OpenCL devices, found without panicking where there are none.

use std::sync::{Mutex, Once, PoisonError};

use ocl::core::{self, DeviceInfo as DeviceKey, DeviceInfoResult, DeviceType};
use ocl::enums::PlatformInfo as PlatformKey;
use ocl::{Device, Platform};

use crate::error::Error;
use crate::opencl::device::foreign;
use crate::opencl::device::last_words::{keep_watching, remedy};

/// A device that kernels can run on.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// The platform it belongs to, with its version.
    pub platform: String,
    /// `cpu`, `gpu` or `accelerator`.
    pub kind: &'static str,
    /// The number of compute units; those of a processor are its cores.
    pub units: u32,
    /// Bytes of its memory.
    pub memory: u64,
    /// Bytes of the local memory of a group.
    pub local: u64,
    /// True if the device computes in 64 bits.
    pub double: bool,
    pub(super) ids: (Platform, Device),
}

/// The name of PoCL's platform.
pub(super) const POCL: &str = "Portable Computing Language";

/// Lists the devices of all platforms, in the order in which the loader names them.
///
/// # Errors
/// [`Error::NoDevice`], with instructions what to install, if there is no platform or no device.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    // If two threads ask for the first time at the same time, PoCL 3.1 answers to one of them that it has no device.
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
                        kind: kind(device),
                        units: number(device, DeviceKey::MaxComputeUnits) as u32,
                        memory: number(device, DeviceKey::GlobalMemSize),
                        local: number(device, DeviceKey::LocalMemSize),
                        double: matches!(
                            core::get_device_info(device, DeviceKey::DoubleFpConfig),
                            Ok(DeviceInfoResult::DoubleFpConfig(config)) if !config.is_empty()
                        ),
                        ids: (Platform::new(platform), Device::from(device)),
                    });
                }
            }
        }
    }
    keep_watching();
    if found.is_empty() {
        return Err(no_device_of(&refused));
    }
    Ok(found)
}

fn no_device(reason: &str) -> Error {
    Error::NoDevice {
        reason: reason.to_string(),
        mend: INSTALL.to_string(),
    }
}

const INSTALL: &str = "Install the driver of your device, or PoCL, which runs on any processor: \
                       apt-get install pocl-opencl-icd ocl-icd-opencl-dev";

/// Makes the error that the platforms have no device. PoCL has none where it cannot write its folder.
fn no_device_of(platforms: &[String]) -> Error {
    let is_pocl = platforms.iter().any(|text| text.starts_with(POCL));
    let mend = match is_pocl {
        true => remedy(),
        false => INSTALL.to_string(),
    };
    Error::NoDevice {
        reason: format!("no platform has a device ({})", platforms.join("; ")),
        mend,
    }
}

fn name(device: core::DeviceId) -> Result<String, Error> {
    match core::get_device_info(device, DeviceKey::Name) {
        Ok(DeviceInfoResult::Name(name)) => Ok(name.trim().to_string()),
        Ok(other) => Ok(other.to_string()),
        Err(error) => Err(failure("ask a device for its name", error)),
    }
}

fn kind(device: core::DeviceId) -> &'static str {
    match core::get_device_info(device, DeviceKey::Type) {
        Ok(DeviceInfoResult::Type(kind)) if kind.contains(DeviceType::CPU) => "cpu",
        Ok(DeviceInfoResult::Type(kind)) if kind.contains(DeviceType::GPU) => "gpu",
        _ => "accelerator",
    }
}

/// Reads a numeric property of a device; 0 if the device does not report it.
fn number(device: core::DeviceId, key: DeviceKey) -> u64 {
    match core::get_device_info(device, key) {
        Ok(DeviceInfoResult::MaxComputeUnits(units)) => u64::from(units),
        Ok(DeviceInfoResult::GlobalMemSize(bytes) | DeviceInfoResult::LocalMemSize(bytes)) => bytes,
        _ => 0,
    }
}

/// Finds the device with a number, counted from 0 in the order of [`devices`], or the one whose name contains a text.
///
/// # Errors
/// [`Error::NoDevice`] if there is no device, or none or several of them match.
pub fn device(wanted: &str) -> Result<DeviceInfo, Error> {
    let all = devices()?;
    let listed: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(number, one)| format!("{number} ({})", one.name))
        .collect();
    let number = wanted.parse::<usize>();
    let lower = wanted.to_lowercase();
    let mut meant = all
        .into_iter()
        .enumerate()
        .filter(|(at, one)| match number {
            Ok(number) => *at == number,
            Err(_) => one.name.to_lowercase().contains(&lower),
        });
    match (meant.next(), meant.next()) {
        (Some((_, one)), None) => Ok(one),
        (one, _) => Err(Error::NoDevice {
            reason: match one {
                None => format!("no OpenCL device is called {wanted:?}"),
                Some(_) => format!("several OpenCL devices have {wanted:?} in their names"),
            },
            mend: format!(
                "Name one of the devices by its number: {}",
                listed.join(", ")
            ),
        }),
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
    let (action, message) = (action.to_string(), plain(&error.to_string()));
    // A message of several lines is the log of a compiler.
    let is_lost = LOST.iter().any(|status| message.contains(status)) && !message.contains('\n');
    match is_lost {
        true => Error::Lost { action, message },
        false => Error::OpenCl { action, message },
    }
}

/// The errors with which drivers answer any request to a device that is gone or was reset. The last one is NVIDIA's.
const LOST: [&str; 4] = [
    "CL_DEVICE_NOT_AVAILABLE",
    "CL_OUT_OF_RESOURCES",
    "CL_INVALID_COMMAND_QUEUE",
    "-9999",
];

/// Removes from the message of an error the frame that `ocl` puts around those of the driver: the function and the
/// status.
pub(super) fn plain(message: &str) -> String {
    let after = |label: &str| {
        let mut lines = message.lines().map(str::trim);
        let found = lines.find_map(|line| line.strip_prefix(label));
        found.map(|text| text.trim().trim_end_matches('.'))
    };
    let parts = (
        after("Error executing function:"),
        after("Status error code:"),
    );
    match parts {
        (Some(function), Some(status)) => format!("{function} answers {status}"),
        _ => message.trim().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{failure, plain};
    use crate::error::Error;

    #[test]
    fn the_frame_of_a_driver_s_error_is_left_out() {
        let framed = "\n\n################################ OPENCL ERROR ############################### \n\n\
                      Error executing function: clCreateBuffer  \n\nStatus error code: CL_INVALID_BUFFER_SIZE (-61)  \n\n\
                      Please visit the following url for more information: \n\nhttps://x  \n\n####\n";
        assert_eq!(
            plain(framed),
            "clCreateBuffer answers CL_INVALID_BUFFER_SIZE (-61)"
        );
        assert_eq!(plain(" other\n"), "other");
    }

    #[test]
    fn a_device_that_is_gone_is_told_from_other_failures() {
        let is_lost = |text: &str| matches!(failure("wait", text), Error::Lost { .. });
        assert!(is_lost("clFinish answers CL_DEVICE_NOT_AVAILABLE (-2)"));
        assert!(is_lost("clFinish answers -9999"));
        assert!(!is_lost("clFinish answers CL_INVALID_VALUE (-30)"));
    }
}
