//! The limits of the arithmetic, and the meter of the remaining work.

use thiserror::Error;

use crate::number::Overflow;

/// The reason for which a question is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Error)]
#[non_exhaustive]
pub enum Limit {
    /// A number left the range in which the arithmetic is exact: 64 bits in an answer, 126 bits on the way to it.
    #[error("a number is too large")]
    Overflow,
    /// The answer would take more work than [`Limits`] allow.
    #[error("the limit on work is reached")]
    Work,
    /// A product of unbounded factors, for which no decision procedure exists.
    #[error("a product of unbounded sizes")]
    UnboundedProduct,
    /// A solution was found which does not satisfy the facts. It is a defect of this package, never of the facts.
    #[error("a solution did not pass its check, which is a defect of the arithmetic")]
    Unverified,
}

impl From<Overflow> for Limit {
    fn from(_: Overflow) -> Limit {
        Limit::Overflow
    }
}

/// The amount of work that an answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The terms of linear forms that may be read or written for one question. The default is 2²⁴, which takes some
    /// seconds.
    pub work: u64,
    /// The same for all attempts to make a set of reasons smaller. Where the limit is reached, the set is sufficient
    /// but perhaps not minimal. The default is 2²².
    pub minimising: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            work: 1 << 24,
            minimising: 1 << 22,
        }
    }
}

/// The meter of the work that is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    left: u64,
}

impl Meter {
    pub(crate) fn new(work: u64) -> Meter {
        Meter { left: work }
    }

    /// Takes the work for this number of terms off the meter.
    pub(crate) fn spend(&mut self, terms: usize) -> Result<(), Limit> {
        match self.left.checked_sub(terms as u64 + 1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Limit::Work)
            }
        }
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Returns a share of the work that is left, for an attempt that may be given up.
    pub(crate) fn part(&self, share: u64) -> Part {
        self.at_most(self.left / share)
    }

    /// Returns this much work, or all that is left if that is less, for an attempt that may be given up.
    pub(crate) fn at_most(&self, work: u64) -> Part {
        let granted = work.min(self.left);
        Part {
            meter: Meter::new(granted),
            granted,
        }
    }

    /// Takes off the work that a part has used.
    pub(crate) fn settle(&mut self, part: Part) -> Result<(), Limit> {
        self.left = self.left.saturating_sub(part.granted - part.meter.left);
        self.spend(0)
    }
}

/// A share of a meter.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) meter: Meter,
    granted: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_taken_off_to_the_last_unit() {
        let mut meter = Meter::new(100);
        assert_eq!(meter.spend(9), Ok(()));
        assert_eq!(meter.left(), 90);
        assert_eq!(meter.spend(89), Ok(()));
        assert_eq!(meter.left(), 0);
        assert_eq!(meter.spend(0), Err(Limit::Work));
        // An expense that is refused uses up the rest of the budget.
        let mut meter = Meter::new(10);
        assert_eq!(meter.spend(10), Err(Limit::Work));
        assert_eq!(meter.left(), 0);
    }

    #[test]
    fn an_attempt_is_paid_by_what_it_used_and_one_unit() {
        let mut meter = Meter::new(100);
        let mut eighth = meter.part(8);
        assert_eq!(eighth.meter.left(), 12);
        assert_eq!(eighth.meter.spend(4), Ok(()));
        assert_eq!(meter.settle(eighth), Ok(()));
        assert_eq!(meter.left(), 94);
        assert_eq!(meter.at_most(60).meter.left(), 60);
        let all = meter.at_most(200);
        assert_eq!(all.meter.left(), 94);
        assert_eq!(meter.settle(all), Ok(()));
        assert_eq!(meter.left(), 93);
    }
}
