//! An interrupt of the questions of one thread.

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use z3::{Context, ContextHandle};

/// Stops, from any other thread, the questions of the thread that made it, for instance from a Ctrl-C handler.
///
/// Once tripped it stays tripped: every question whose clock carries it ends with
/// [`Stopped::Interrupted`](crate::Stopped::Interrupted).
#[derive(Clone)]
pub struct Interrupt {
    tripped: Arc<AtomicBool>,
    /// True while Z3 is at work for a question that carries this interrupt.
    busy: Arc<AtomicBool>,
    context: Arc<ContextHandle<'static>>,
}

thread_local! {
    /// Z3's context of this thread. It is never freed, since an interrupt may outlive the thread.
    static CONTEXT: OnceCell<&'static Context> = const { OnceCell::new() };
}

impl Interrupt {
    /// Returns an interrupt for the questions that the calling thread asks. The thread's Z3 context is then never
    /// freed.
    pub fn of_this_thread() -> Interrupt {
        let context =
            CONTEXT.with(|cell| *cell.get_or_init(|| Box::leak(Box::new(Context::thread_local()))));
        Interrupt {
            tripped: Arc::default(),
            busy: Arc::default(),
            context: Arc::new(context.handle()),
        }
    }

    /// Stops the current question and all later ones. Returns when Z3 has stopped, which takes milliseconds.
    pub fn trip(&self) {
        self.tripped.store(true, Ordering::SeqCst);
        // Z3 forgets an interrupt that comes before its search begins, so it is repeated until Z3 has stopped.
        while self.is_busy() {
            self.context.interrupt();
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Tells whether it was tripped.
    pub fn is_tripped(&self) -> bool {
        self.tripped.load(Ordering::SeqCst)
    }

    /// Tells whether Z3 is at work for a question that carries it.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::SeqCst)
    }

    /// Keeps whether Z3 is at work.
    pub(crate) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::SeqCst);
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt")
            .field("tripped", &self.is_tripped())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `trip` returns when Z3 has stopped, and not before.
    #[test]
    fn tripping_lasts_as_long_as_z3_is_at_work() {
        let interrupt = Interrupt::of_this_thread();
        interrupt.set_busy(true);
        thread::scope(|scope| {
            let tripping = scope.spawn(|| interrupt.trip());
            while !interrupt.is_tripped() {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(30));
            let early = tripping.is_finished();
            interrupt.set_busy(false);
            assert!(!early);
        });
    }
}
