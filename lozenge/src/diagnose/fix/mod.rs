//! Fixes: the changes of the text that a message proposes, and the trial that decides which of them is shown.

pub(crate) mod cells;
pub(crate) mod instance;
pub(crate) mod left_over;
pub(crate) mod missing_axis;
pub(crate) mod pairs;
pub(crate) mod proposed;
pub(crate) mod trial;
pub(crate) mod unfit_rows;
