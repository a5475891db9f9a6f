//! What the lengths alone allow: intervals for the flanks and the ranks of row variables.
//!
//! For each variable ρ three numbers: X leading axes, Y trailing axes, N = X + Y. An inequality bounds X by X and Y
//! by Y, an equality N by N (Def. 2.3, Def. 2.9). Bounds are propagated to a fixpoint; an empty interval refutes.
//! Bounds that grow without end are given up at a cap, which refutes nothing.

use lozenge_vocabulary::Order;

use crate::problem::Stated;
use crate::state::engine::Engine;
use crate::state::rows::Core;
use crate::term::{NONE, RowId};

/// The interval of each of X, Y and N; no upper end where nothing bounds it.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    low: [i64; 3],
    high: [Option<i64>; 3],
}

/// Intervals for all row variables of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Intervals {
    vars: Vec<Lengths>,
    changed: bool,
    /// No length is looked at beyond.
    cap: i64,
}

/// Why there are no intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refuted {
    /// One of them is empty: there is no solution.
    Empty,
    /// A length has to be above the cap. That refutes nothing; nothing was looked at beyond.
    Cap,
}

impl Engine {
    /// The intervals that the stated constraints and what has been concluded allow.
    pub(crate) fn intervals(&self, cap: u32) -> Result<Intervals, Refuted> {
        let free = Lengths {
            low: [0; 3],
            high: [None; 3],
        };
        let mut intervals = Intervals {
            vars: vec![free; self.rows.nodes.len()],
            changed: true,
            cap: i64::from(cap),
        };
        while intervals.changed {
            intervals.changed = false;
            for stated in &self.problem.stated {
                match stated {
                    Stated::RowLe(at) => {
                        intervals.below(self.row(*at), self.row(at + 1), self.problem.order)?;
                    }
                    Stated::RowEq(at) => intervals.equal(self.row(*at), self.row(at + 1))?,
                    _ => {}
                }
            }
            for var in 0..self.rows.nodes.len() as u32 {
                self.known_lengths(var, &mut intervals)?;
            }
        }
        Ok(intervals)
    }

    /// What is known of one variable: its flanks, its content, and that its parts add up.
    fn known_lengths(&self, var: u32, intervals: &mut Intervals) -> Result<(), Refuted> {
        let node = self.rows.nodes.at(var);
        let len = node.len.map(i64::from);
        intervals.at_least(var, 0, len[0])?;
        intervals.at_least(var, 1, len[1])?;
        match node.core {
            Core::Open => {}
            Core::Closed => {
                intervals.at_most(var, 0, len[0])?;
                intervals.at_most(var, 1, len[1])?;
            }
            Core::Content(content) | Core::Alias(content) => {
                let row = self.row(self.rows.contents.at(content).row);
                let known = len[0] + len[1] + i64::from(row.lead + row.trail);
                intervals.differ(var, 2, row.var, 2, known)?;
                if matches!(node.core, Core::Alias(_)) {
                    intervals.differ(var, 0, row.var, 0, len[0])?;
                    intervals.differ(var, 1, row.var, 1, len[1])?;
                }
            }
        }
        intervals.add_up(var)
    }
}

impl Intervals {
    /// The rank of a variable between its known flanks, of `known` axes: the least, and the most if there is a most.
    pub(crate) fn rank(&self, var: u32, known: i64) -> (i64, Option<i64>) {
        let lengths = &self.vars[var as usize];
        let high = lengths.high[2].map(|high| high - known);
        ((lengths.low[2] - known).max(0), high)
    }

    /// The least total rank of some variables.
    pub(crate) fn total(&self, vars: impl Iterator<Item = u32>) -> u64 {
        vars.map(|var| self.vars[var as usize].low[2] as u64).sum()
    }

    /// How many leading axes a variable may have.
    pub(crate) fn leading(&self, var: u32) -> (i64, Option<i64>) {
        let lengths = &self.vars[var as usize];
        (lengths.low[0], lengths.high[0])
    }

    fn at_least(&mut self, var: u32, part: usize, bound: i64) -> Result<(), Refuted> {
        let lengths = &mut self.vars[var as usize];
        if bound > lengths.low[part] {
            lengths.low[part] = bound;
            self.changed = true;
            if lengths.high[part].is_some_and(|high| bound > high) {
                return Err(Refuted::Empty);
            }
            if bound > self.cap {
                return Err(Refuted::Cap);
            }
        }
        Ok(())
    }

    fn at_most(&mut self, var: u32, part: usize, bound: i64) -> Result<(), Refuted> {
        let lengths = &mut self.vars[var as usize];
        if lengths.high[part].is_none_or(|high| bound < high) {
            lengths.high[part] = Some(bound);
            self.changed = true;
            if bound < lengths.low[part] {
                return Err(Refuted::Empty);
            }
        }
        Ok(())
    }

    fn low(&self, var: u32, part: usize) -> i64 {
        match var {
            NONE => 0,
            var => self.vars[var as usize].low[part],
        }
    }

    fn high(&self, var: u32, part: usize) -> Option<i64> {
        match var {
            NONE => Some(0),
            var => self.vars[var as usize].high[part],
        }
    }

    /// The part of `a` is at least that of `b` and `by` more.
    fn exceed(&mut self, a: u32, p: usize, b: u32, q: usize, by: i64) -> Result<(), Refuted> {
        if a != NONE {
            self.at_least(a, p, self.low(b, q) + by)?;
        }
        if b != NONE
            && let Some(most) = self.high(a, p)
        {
            self.at_most(b, q, most - by)?;
        }
        Ok(())
    }

    /// The part of `a` is that of `b` and `by` more.
    fn differ(&mut self, a: u32, p: usize, b: u32, q: usize, by: i64) -> Result<(), Refuted> {
        self.exceed(a, p, b, q, by)?;
        self.exceed(b, q, a, p, -by)
    }

    fn below(&mut self, left: RowId, right: RowId, order: Order) -> Result<(), Refuted> {
        let surplus = |side| i64::from(right.flank(side)) - i64::from(left.flank(side));
        // The one-shot order does not see the marker of the result.
        if order == Order::Marked {
            self.exceed(left.var, 0, right.var, 0, surplus(0))?;
            self.exceed(left.var, 1, right.var, 1, surplus(1))?;
        }
        self.exceed(left.var, 2, right.var, 2, surplus(0) + surplus(1))
    }

    fn equal(&mut self, left: RowId, right: RowId) -> Result<(), Refuted> {
        let axes = |row: RowId| i64::from(row.lead) + i64::from(row.trail);
        self.differ(left.var, 2, right.var, 2, axes(right) - axes(left))
    }

    /// X + Y = N.
    fn add_up(&mut self, var: u32) -> Result<(), Refuted> {
        let Lengths { low, high } = self.vars[var as usize];
        self.at_least(var, 2, low[0] + low[1])?;
        if let (Some(x), Some(y)) = (high[0], high[1]) {
            self.at_most(var, 2, x + y)?;
        }
        for (side, other) in [(0, 1), (1, 0)] {
            if let Some(most) = high[2] {
                self.at_most(var, side, most - low[other])?;
            }
            if let Some(most) = high[other] {
                self.at_least(var, side, low[2] - most)?;
            }
        }
        Ok(())
    }
}
