//! The answer of a process that the driver of a device ends.

use crate::args::Format;

#[cfg(feature = "opencl")]
mod prepared {
    use std::sync::{Mutex, PoisonError};

    use lozenge_backend::opencl::{LastWords, Watched, if_a_driver_ends_the_process, remedy};

    use crate::args::Format;
    use crate::json;
    use crate::report::{Problem, Status};

    /// The name of the command, and the form of its answer.
    static ASKED: Mutex<Option<(&str, Format)>> = Mutex::new(None);
    /// The period in which drivers are used.
    static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

    pub fn answers(command: &'static str, format: Format) {
        *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some((command, format));
    }

    pub fn prepare() {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = *ASKED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((command, format)) = asked.filter(|_| watched.is_none()) else {
            return;
        };
        let problem = Problem::new(format!(
            "the OpenCL driver ended the run, or a kernel of it did; words of the driver may stand above\n{}\n--device interpreter needs no driver",
            remedy()
        ));
        let answer = json::of_bad_input(command, problem.errors());
        let mut text = Vec::new();
        let to_stdout = match format {
            Format::Text => false,
            Format::Json | Format::Jsonl => json::write(&mut text, &answer, format).is_ok(),
        };
        let text = match to_stdout {
            true => String::from_utf8_lossy(&text).into_owned(),
            false => problem.to_string(),
        };
        *watched = Some(if_a_driver_ends_the_process(LastWords {
            to_stdout,
            text,
            status: Status::BadInput as u8,
        }));
    }

    pub fn no_longer_needed() {
        drop(
            WATCHED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }
}

/// Says for which command and in which form an answer is given.
pub fn answers(command: &'static str, format: Format) {
    #[cfg(feature = "opencl")]
    prepared::answers(command, format);
    #[cfg(not(feature = "opencl"))]
    let _ = (command, format);
}

/// Prepares the answer for the case that the driver ends the process from now on.
pub fn prepare() {
    #[cfg(feature = "opencl")]
    prepared::prepare();
}

/// Ends what [`prepare`] began: no driver is used any more.
pub fn no_longer_needed() {
    #[cfg(feature = "opencl")]
    prepared::no_longer_needed();
}
