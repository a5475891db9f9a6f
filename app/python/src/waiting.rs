//! Questions that take time: a thread of their own answers them, while other threads of Python run and Ctrl-C is heard.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors;

/// The time during which nobody looks whether Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(20);

/// The stack of a thread that answers, as large as that of the main thread of a program.
const STACK: usize = 8 << 20;

/// A flag that says to whoever works that nobody waits for the result any more.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Tells whether nobody waits any more.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the flag itself, for whoever looks at it elsewhere.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

/// Answers a question in a thread of its own, and waits for the answer without holding the lock of the interpreter.
/// `about` is what reproduces the question, should it end with a panic.
///
/// # Errors
/// `KeyboardInterrupt` when Ctrl-C is pressed: the thread then ends as soon as it looks at the flag, or with its
/// answer, which nobody reads. `InternalError` when the question ends with a panic.
pub fn answer<T: Send + 'static>(
    py: Python<'_>,
    about: &str,
    question: impl FnOnce(&Stop) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::default();
    let (sender, receiver) = channel();
    let flag = stop.clone();
    let work = move || {
        let result = catch_unwind(AssertUnwindSafe(|| question(&flag)));
        // Where nobody waits any more the result is dropped.
        let _ = sender.send(result);
    };
    thread::Builder::new()
        .name("lozenge".to_owned())
        .stack_size(STACK)
        .spawn(work)
        .map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let received = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(|held| held.into_inner());
            receiver.recv_timeout(PATIENCE)
        });
        match received {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => return Err(errors::internal(py, words(panic.as_ref()), about)),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    stop.0.store(true, Ordering::Relaxed);
                    return Err(interrupt);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::internal(
                    py,
                    "the thread that answers has ended",
                    about,
                ));
            }
        }
    }
}

/// Answers a short question at once; a panic becomes an `InternalError`.
///
/// # Errors
/// `InternalError` when the question ends with a panic.
pub fn at_once<T>(py: Python<'_>, about: &str, question: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(question))
        .map_err(|panic| errors::internal(py, words(panic.as_ref()), about))
}

/// Returns the message of a panic.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words")
}

/// Ends with a panic while answering, so that a test sees what becomes of one.
///
/// # Errors
/// Always, with `InternalError`.
#[pyfunction]
pub fn panics(py: Python<'_>, in_thread: bool) -> PyResult<()> {
    let ends = || panic!("a panic for a test");
    match in_thread {
        true => answer(py, "a test", move |_| ends()),
        false => at_once(py, "a test", ends),
    }
}
