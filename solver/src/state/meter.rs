//! How much work a solve has done.

/// The steps of an engine, and how many it may come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    /// All steps so far.
    pub(crate) steps: u64,
    /// The steps after which limits are looked at.
    pub(crate) next: u64,
    /// The steps at which the limit of work is reached.
    pub(crate) end: u64,
}
