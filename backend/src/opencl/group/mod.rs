//! The passes that make one kernel of several calls: an operation as the epilogue or the prologue of a contraction, and
//! groups of calls that run one after the other.

mod chains;
pub(super) mod epilogue;
pub(super) mod fused;
mod grouping;
mod inline;
mod item;
mod member;
mod prologue;
#[cfg(test)]
mod test_calls;
pub(super) mod unit;
mod waiting;
