//! The time of one question.

use std::time::{Duration, Instant};

use crate::{Interrupt, Stopped};

/// The time of one question: when it must end, and the interrupt that may end it sooner.
#[derive(Debug)]
pub struct Clock {
    begun: Instant,
    time: Duration,
    interrupt: Option<Interrupt>,
}

/// The part of its time after which a question is stopped, so that it has ended when its time has.
const STOPPED_AFTER: f64 = 0.95;

impl Clock {
    /// Starts the time of a question.
    pub fn start(time: Duration, interrupt: Option<&Interrupt>) -> Clock {
        Clock {
            begun: Instant::now(),
            time,
            interrupt: interrupt.cloned(),
        }
    }

    /// Returns the time that is left.
    ///
    /// # Errors
    /// When no time is left, or the question was interrupted.
    pub fn left(&self) -> Result<Duration, Stopped> {
        self.left_of(STOPPED_AFTER)
    }

    /// Returns how much is left of a part of the question's time, for work that has to be done sooner.
    ///
    /// # Errors
    /// When that part is over, or the question was interrupted.
    pub fn left_of(&self, part: f64) -> Result<Duration, Stopped> {
        if self.interrupt.as_ref().is_some_and(Interrupt::is_tripped) {
            return Err(Stopped::Interrupted);
        }
        let left = self.time.mul_f64(part).saturating_sub(self.begun.elapsed());
        match left.is_zero() {
            true => Err(Stopped::Time),
            false => Ok(left),
        }
    }

    /// Tells the interrupt whether Z3 is at work.
    pub(crate) fn set_busy(&self, busy: bool) {
        if let Some(interrupt) = &self.interrupt {
            interrupt.set_busy(busy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_time_is_over_sooner_than_the_question() {
        let mut clock = Clock::start(Duration::from_secs(1000), None);
        assert!(clock.left_of(0.8).unwrap() < clock.left().unwrap());
        clock.begun -= Duration::from_secs(900);
        assert_eq!(clock.left_of(0.8), Err(Stopped::Time));
        assert!(clock.left().is_ok());
        clock.begun -= Duration::from_secs(60);
        assert_eq!(clock.left(), Err(Stopped::Time));
    }

    #[test]
    fn an_interrupt_ends_the_time() {
        let interrupt = Interrupt::of_this_thread();
        let clock = Clock::start(Duration::from_secs(1000), Some(&interrupt));
        assert!(clock.left().is_ok());
        interrupt.trip();
        assert_eq!(clock.left(), Err(Stopped::Interrupted));
    }
}
