//! Files of pinned plans of kernels.

use std::path::{Path, PathBuf};

use lozenge_backend::Device;
use lozenge_backend::opencl::Pins;

use crate::report::Problem;

/// The pins of a file.
pub struct Pinned {
    path: PathBuf,
    /// The plans.
    pub pins: Pins,
}

impl Pinned {
    /// Reads a file of pins.
    ///
    /// # Errors
    /// A file that cannot be read; a line of it that is no plan, or a plan that does not pass a check.
    pub fn read(path: &Path) -> Result<Pinned, Problem> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Problem::new(format!("--pins {}: {error}", path.display())))?;
        let pins = Pins::parse(&text).map_err(|error| {
            Problem::new(format!(
                "--pins {}: {error}\n  = help: `lozenge infer --schedule --save-pins FILE PROGRAM` writes plans that fit a program",
                path.display()
            ))
        })?;
        Ok(Pinned {
            path: path.to_path_buf(),
            pins,
        })
    }

    /// Reads a file of pins for a device.
    ///
    /// # Errors
    /// As [`Pinned::read`]; a device that makes no kernels by plans.
    pub fn onto(path: &Path, device: &mut dyn Device) -> Result<Pinned, Problem> {
        let pinned = Pinned::read(path)?;
        match lozenge_backend::opencl::pin(device, pinned.pins.clone()) {
            true => Ok(pinned),
            false => Err(Problem::new(format!(
                "--pins {}: the interpreter makes no kernels; leave --pins out, or choose a device of `lozenge devices`",
                path.display()
            ))),
        }
    }

    /// Returns a line about the plans by which no kernel was made, or nothing.
    pub fn note(&self) -> String {
        let lines = self.pins.unused();
        let Some((last, others)) = lines.split_last() else {
            return String::new();
        };
        let named: Vec<String> = others.iter().take(8).map(usize::to_string).collect();
        let places = match others.len() {
            0 => last.to_string(),
            1..=8 => format!("{} or {last}", named.join(", ")),
            more => format!("{} or one of {} further lines", named.join(", "), more - 7),
        };
        let path = self.path.display();
        format!("note: of the kernels in {path}, this program has none that is in line {places}\n")
    }
}
