//! Tests of the oracle: against the solver, which shares no rule with it, and against answers that are known by hand.

mod agreement;
mod by_hand;
mod cores;
mod typed;
