//! The calculus is a record of its rules. Each rule is a function that returns what it concludes ([`Firing`]).

pub mod closing;
pub mod composites;
pub mod deferred;
pub mod dimensions;
mod leaf_bounds;
pub mod one_shot;
mod rank_facts;
pub mod rows;
pub mod windows;

use std::num::NonZeroU64;

use crate::bounds::Bounds;
use crate::configuration::Configuration;
use crate::firing::{Firing, Fresh, by};
use crate::sizes::Sizes;
use lozenge_vocabulary::composite::Composite;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::elements::Elements;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm};
use lozenge_vocabulary::verdict::Order;
use lozenge_vocabulary::window::Window;

/// The firings that close the next leaves (Def. 6.1(1)); empty when all are closed.
pub type Closing = fn(&Configuration) -> Vec<Firing>;

/// The rules of a calculus. A variant of the calculus replaces some of the entries.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// `t = t'` (Def. 4.2).
    pub dim_eq: fn(&DimTerm, &DimTerm) -> Firing,
    /// `t ⊑ t'` (Def. 4.2).
    pub dim_le: fn(&DimTerm, &DimTerm, &Bounds) -> Firing,
    /// `R₁ ≈ R₂` (Def. 4.3).
    pub row_eq: fn(&RowTerm, &RowTerm) -> Firing,
    /// `R_res ⊑ R_op` (Def. 4.3).
    pub row_le: fn(&RowTerm, &RowTerm, Fresh) -> Firing,
    /// `i = c·o + …` (§8).
    pub window: fn(&Window, Sizes) -> Firing,
    /// `t = a ^ …` or `n = a * …` (§8).
    pub composite: fn(&Composite, Sizes) -> Firing,
    /// `n = a * |R|` (§8).
    pub elements: fn(&Elements, Sizes) -> Firing,
    /// `a >= m` (§8).
    pub at_least: fn(&DimTerm, NonZeroU64, Sizes) -> Firing,
    /// The resolution of a deferred constraint (Def. 4.3(c), (d)).
    pub resolve: fn(&Constraint, Fresh) -> Option<Firing>,
    /// Def. 6.1(1).
    pub close: Closing,
}

/// The calculus in the marked order.
pub const RULES: Rules = Rules {
    dim_eq: dimensions::dim_eq,
    dim_le: dimensions::dim_le,
    row_eq: rows::row_eq,
    row_le: rows::row_le,
    window: windows::fit,
    composite: composites::compose,
    elements: composites::count,
    at_least: windows::at_least,
    resolve: deferred::resolve,
    close: closing::next_round,
};

impl Rules {
    /// Returns the calculus with this reading of `<=` between rows.
    pub fn of(order: Order) -> Rules {
        match order {
            Order::Marked => RULES,
            Order::OneShot => Rules {
                row_le: one_shot::row_le,
                ..RULES
            },
        }
    }

    /// Returns the conclusions of the rules from a constraint under σ.
    pub fn fire(&self, constraint: &Constraint, config: &Configuration) -> Firing {
        match constraint {
            Constraint::DimEq(a, b) => (self.dim_eq)(a, b),
            Constraint::DimLe(a, b) => (self.dim_le)(a, b, &config.bounds),
            Constraint::RowEq(a, b) => (self.row_eq)(a, b),
            Constraint::RowLe(a, b) => (self.row_le)(a, b, config.fresh()),
            Constraint::Window(window) => (self.window)(window, config.sizes()),
            Constraint::Composite(composite) => (self.composite)(composite, config.sizes()),
            Constraint::Elements(elements) => (self.elements)(elements, config.sizes()),
            // No rule reads rows side by side.
            Constraint::Flat(_) => by(Rule::ArResidue).defers(constraint.clone()),
            Constraint::AtLeast { dim, size } => (self.at_least)(dim, *size, config.sizes()),
        }
    }
}
