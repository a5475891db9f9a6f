//! The negation of a constraint.
//!
//! Where all values fit the window, a constraint fails by its lengths or at a position that the window shows. Otherwise
//! it may also fail further inside, at the far position (see `beyond_window`), and the assumed constraints are
//! instantiated around that. Positions near the window's inner edge count as far too, because the window cuts off some
//! of the constraints there.

use lozenge_vocabulary::{Constraint, Order};
use z3::ast::Bool;

use crate::beyond_window::{self, Use};
use crate::encoding::relation_of;
use crate::formula::Facing;
use crate::limits::Reason;
use crate::session::Session;

/// Returns, for a longest row with this number of explicit axes, the part of a window that counts as near, and the
/// least distance from the edge of a value of a position that is not near.
pub(crate) fn near(window: u32, longest: u32) -> (u32, u32) {
    let narrow = (window / 2).max(longest + 1).min(window);
    (narrow, narrow - longest.min(narrow))
}

impl Session<'_> {
    /// Asserts that at least one of the goals, read in `order`, does not hold.
    ///
    /// # Errors
    /// As [`Session::assume`].
    pub fn deny_one_of(&mut self, goals: &[&Constraint], order: Order) -> Result<(), Reason> {
        let (smt, window) = (self.setting.smt, self.setting.window);
        let all = goals.iter().copied().chain(self.assumed());
        let longest = all.map(beyond_window::longest_row).max().unwrap_or(0);
        let (narrow, nearest) = near(window, longest);
        let (mut inside, mut anywhere) = (Vec::new(), Vec::new());
        for goal in goals {
            self.failures(goal, order, window, &mut inside)?;
            self.failures(goal, order, narrow, &mut anywhere)?;
            if let Some(beyond) = self.failure_beyond(goal, order, narrow)? {
                anywhere.push(beyond);
            }
        }
        smt.assert(self.within.implies(Bool::or(&inside)));
        smt.assert(self.anywhere.implies(Bool::or(&anywhere)));
        self.assume_far(nearest)
    }

    /// Lists the ways in which the goal fails by its lengths or inside a window.
    fn failures(
        &mut self,
        goal: &Constraint,
        order: Order,
        window: u32,
        ways: &mut Vec<Bool>,
    ) -> Result<(), Reason> {
        if let Some(formula) = self.of_sizes(goal) {
            ways.push(formula.not());
            return Ok(());
        }
        if let Some(present) = self.present(goal) {
            ways.push(present.not());
        }
        let meaning = self.meaning_of(goal, order, window)?;
        let smt = self.setting.smt;
        ways.extend(meaning.lengths.iter().map(|&fact| smt.fact(fact).not()));
        let places = meaning.facing.iter().map(Facing::on_own_side);
        ways.extend(places.map(|facing| smt.fails(meaning.relation, &facing)));
        Ok(())
    }

    /// Returns the formula that the goal fails at a position that the window does not show, if there may be one.
    fn failure_beyond(
        &mut self,
        goal: &Constraint,
        order: Order,
        window: u32,
    ) -> Result<Option<Bool>, Reason> {
        if goal.is_of_sizes() {
            return Ok(None);
        }
        let meaning = self.meaning_of(goal, order, window)?;
        let smt = self.setting.smt;
        if meaning.beyond.is_empty() {
            return Ok(None);
        }
        let beyond: Vec<Bool> = meaning.beyond.iter().map(|&g| smt.guard(g)).collect();
        let beyond = Bool::or(&beyond);
        if !beyond_window::covers(goal, order) {
            return Ok(Some(beyond));
        }
        let far = beyond_window::facing(goal, order, Use::Denied, &mut self.symbols, 0..1);
        let far: Vec<Bool> = far.iter().map(|f| smt.fails(meaning.relation, f)).collect();
        Ok(Some(Bool::and(&[beyond, Bool::or(&far)])))
    }

    /// Asserts the assumed constraints around the far positions, which are at least `nearest` places from the edges.
    fn assume_far(&mut self, nearest: u32) -> Result<(), Reason> {
        let (smt, order) = (self.setting.smt, self.setting.order);
        smt.assert(smt.far_from(nearest));
        let reach = nearest as i32;
        for constraint in self.assumed().to_vec() {
            let around = -reach..reach + 1;
            let facing =
                beyond_window::facing(&constraint, order, Use::Assumed, &mut self.symbols, around);
            self.setting.clock.spend(facing.len())?;
            let relation = relation_of(&constraint);
            for pair in facing
                .iter()
                .filter(|pair| beyond_window::in_reach(pair, reach))
            {
                smt.assert(smt.holds(relation, pair));
            }
        }
        Ok(())
    }
}
