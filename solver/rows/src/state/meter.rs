//! Meter of the work that a solve has done, in steps; it tells when to look at the limits ([`super::limits`]).

/// The number of steps after which the records are counted again.
const STEPS: u64 = 1 << 14;

/// The steps of an engine, and how many it may come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    /// All steps so far.
    pub(crate) steps: u64,
    /// The steps after which limits are looked at.
    next: u64,
    /// The steps at which the limit of work is reached.
    end: u64,
}

impl Meter {
    /// Begins something that may take so many steps.
    pub(crate) fn begin(&mut self, work: u64) {
        self.end = self.steps.saturating_add(work);
        self.next = self.end.min(self.steps.saturating_add(STEPS));
    }

    /// Says whether the limits are to be looked at now.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.steps >= self.next
    }

    /// Says whether more steps have been taken than are allowed.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.steps > self.end
    }

    /// Puts off the next look at the limits.
    pub(crate) fn go_on(&mut self) {
        let end = self.end.saturating_add(1);
        self.next = end.min(self.steps.saturating_add(STEPS));
    }
}
