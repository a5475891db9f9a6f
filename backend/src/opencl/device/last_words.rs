//! Drivers that end the process: a full disk, a damaged cache of the driver or a defect of its compiler makes some of
//! them call `exit` or `abort`, where OpenCL has an error to return. The process then ends with a status of the
//! driver's choice and without an answer.
//!
//! The crate `signal-hook` was considered. It has no hook for `exit`, and its shutdown by a signal writes nothing.

use std::path::PathBuf;

/// The words of a process that a driver ends, and its exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWords {
    /// True if they go to standard output, false if they go to standard error.
    pub to_stdout: bool,
    /// The words.
    pub text: String,
    /// The exit status.
    pub status: u8,
}

/// A period in which drivers are used. At its end a process ends as it otherwise would.
#[derive(Debug)]
pub struct Watched(());

/// Has these words written, and the process ended with this status, if a driver ends the process before the result is
/// dropped. It does nothing on systems other than Unix.
#[must_use]
pub fn if_a_driver_ends_the_process(words: LastWords) -> Watched {
    #[cfg(unix)]
    {
        let descriptor = if words.to_stdout { 1 } else { 2 };
        super::foreign::end::watch(words.text, descriptor, words.status.into());
    }
    #[cfg(not(unix))]
    let _ = words;
    Watched(())
}

/// Keeps the watch over a driver that was loaded meanwhile.
pub(super) fn keep_watching() {
    #[cfg(unix)]
    super::foreign::end::take_signals();
}

impl Drop for Watched {
    fn drop(&mut self) {
        #[cfg(unix)]
        super::foreign::end::unwatch();
    }
}

/// Returns the folder in which PoCL keeps what it compiled, which is not that of [`crate::Kernels::keep_kernels`].
pub fn pocl_folder() -> Option<PathBuf> {
    let named = |variable: &str| {
        let value = std::env::var_os(variable).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let usual = |folder: PathBuf| folder.join("pocl").join("kcache");
    named("POCL_CACHE_DIR")
        .or_else(|| named("XDG_CACHE_HOME").map(usual))
        .or_else(|| named("HOME").map(|home| usual(home.join(".cache"))))
}

/// Returns what helps where a driver fails for reasons of its own.
pub fn remedy() -> String {
    match pocl_folder() {
        Some(folder) => format!(
            "PoCL keeps what it compiles in {}: if that is damaged, full or not to be written, remove it or name another folder by POCL_CACHE_DIR",
            folder.display()
        ),
        None => "name a folder for what PoCL compiles by POCL_CACHE_DIR".to_string(),
    }
}
