//! Def. 6.1: closing. Leaves go down to the join of their caps, interiors up to their tops, interleaved with solving.
//!
//! Def. 6.1 leaves the order of the leaves free, and Rem. 6.3 shows that it matters. Leaves are closed in rounds, each
//! followed by solving, and neither names nor the order of the constraints decide anything. A round closes the leaves
//! of which most is known (its standing), and of those the ones that have no other one below them. The commitments of
//! a round may clash, when two of its leaves lie above one variable: the set is then `rejected` and the failure names
//! both, since nothing says which of them should give way.

use std::collections::BTreeMap;

use super::leaf_bounds::{PartialRow, behind, row_bounds};
use crate::clash::Clash;
use crate::configuration::Configuration;
use crate::firing::{Choice, Firing, Fresh, by};
use lozenge_vocabulary::constraint::Tag;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{RowTerm, RowVar, Var};

/// How much the store says of a leaf. Guesses come last: a leaf waits until there is none of an earlier kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Its bound is known: a dimension variable with an atom below it, or a row whose bound has no hole.
    Known,
    /// A row whose bound has holes. Its extent is committed; each hole becomes a dimension variable of the leaf.
    Extent,
    /// A dimension variable that nothing bounds. Its size is guessed: the unit.
    Size,
    /// A row that nothing bounds. Its axes are guessed: there are none.
    Axes,
}

/// Step 1, close leaves downward: of the leaves of which most is known, those that have no other one below them. Empty
/// when every leaf is closed.
pub fn next_round(config: &Configuration) -> Vec<Firing> {
    let rows = row_bounds(&config.bounds);
    let standing = |var: &Var| match var {
        Var::Dim(var) if config.bounds.lower_bound(var).is_some() => Standing::Known,
        Var::Dim(_) => Standing::Size,
        Var::Row(var) => match rows.get(var) {
            Some(bound) if bound.has_hole() => Standing::Extent,
            Some(_) => Standing::Known,
            None => Standing::Axes,
        },
    };
    let mut next = leaves(config);
    let most = next.iter().map(standing).min();
    next.retain(|var| Some(standing(var)) == most);
    let mut fresh = config.fresh();
    // A leaf is below a row where it stands on an axis that it can still raise.
    let counts = |row: &RowVar, flank, at| rows.get(row).is_none_or(|row| row.can_rise(flank, at));
    let lowest = config.bounds.lowest(&next, counts).into_iter();
    lowest
        .map(|leaf| close_leaf(config, &rows, leaf, &mut fresh))
        .collect()
}

/// The unsolved variables that are closed downward.
pub fn leaves(config: &Configuration) -> Vec<Var> {
    let mut leaves = config.unsolved();
    leaves.retain(|var| config.tag(var) != Tag::Interior);
    leaves
}

/// Binds a leaf: a dimension variable to its atom cap if any, else to 1∅; a row variable to the join of its caps, with no
/// further axes. Of a parameter that nothing determines there is an error instead.
fn close_leaf(
    config: &Configuration,
    rows: &BTreeMap<RowVar, PartialRow>,
    leaf: Var,
    fresh: &mut Fresh,
) -> Firing {
    let closes = by(Rule::CloseLeaf);
    let param = config.tag(&leaf) == Tag::Param;
    match &leaf {
        Var::Dim(var) => match config.bounds.lower_bound(var) {
            Some((atom, why)) => {
                closes
                    .because(why)
                    .binds_dim(var, atom.clone().into(), Choice::Value)
            }
            None if param => closes.fails(Clash::Undetermined(leaf)),
            None => closes.binds_dim(var, Dim::Unit.into(), Choice::Value),
        },
        Var::Row(var) => match rows.get(var) {
            Some(bound) => closes
                .because(&behind(&config.bounds, rows, var))
                .binds_row(var, bound.term(var, fresh), Choice::Value),
            None if param && is_hidden(config, var) => closes.fails(Clash::Undetermined(leaf)),
            None => closes.binds_row(var, RowTerm::default(), Choice::Value),
        },
    }
}

/// A row of the input of which not one axis is known, and that lies below another unknown row. Rows on a cycle of caps, such
/// as those of a parameter and of what an optimiser keeps of it, count as one row: they are unknown together.
fn is_hidden(config: &Configuration, var: &RowVar) -> bool {
    let cycle = config.bounds.cycle_of(var);
    let leaves_cycle = |(cap, high, _): (&RowTerm, &RowVar, _)| {
        cap.var.as_ref().is_some_and(|low| cycle.contains(low)) && !cycle.contains(high)
    };
    config.bounds.caps().any(leaves_cycle) && config.stands_for_input(var)
}

/// Step 3, close interiors upward: every remaining variable goes to its top.
pub fn close_interiors(config: &Configuration) -> Vec<Firing> {
    let top = |var: Var| match var {
        Var::Dim(var) => by(Rule::CloseInterior).binds_dim(&var, Dim::Unit.into(), Choice::Value),
        Var::Row(var) => by(Rule::CloseInterior).binds_row(&var, RowTerm::default(), Choice::Value),
    };
    config.unsolved().into_iter().map(top).collect()
}
