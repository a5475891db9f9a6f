//! Def. 6.1: closing. Leaves are bound to the join of their caps and interiors to their tops, interleaved with solving.
//!
//! Def. 6.1 leaves the order of the leaves free, and Rem. 6.3 shows that it matters. Here leaves are closed in rounds,
//! each followed by solving, so that neither names nor the order of the constraints decide anything. A round takes the
//! leaves about which most is known (their standing) and closes those that have no other such leaf below them. The
//! commitments of a round may clash when two of its leaves lie above one variable. The set is then `rejected` and the
//! failure names both leaves, since nothing says which of them should give way.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use super::leaf_bounds::{PartialRow, behind, row_bounds};
use crate::clash::Clash;
use crate::configuration::Configuration;
use crate::firing::{Choice, Firing, Fresh, by};
use crate::records::has_size;
use crate::residue::forced;
use lozenge_vocabulary::constraint::{Constraint, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimVar, RowTerm, RowVar, Var};

/// The knowledge of the store about a leaf. Guesses come last: a leaf waits until no leaf of an earlier kind is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Its bound is known: a dimension variable with an atom below it, or a row whose bound has no hole.
    Known,
    /// A row whose bound has holes. Its extent is committed; each hole becomes a dimension variable of the leaf.
    Extent,
    /// A dimension variable that nothing bounds. It is guessed to be the unit.
    Size,
    /// A row that nothing bounds. It is guessed to have no axes.
    Axes,
}

/// Step 1, close leaves downward: the leaves about which most is known, without those that have another such leaf below
/// them. Empty when every leaf is closed.
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
    // No size is guessed (§8).
    next.retain(|leaf| standing(leaf) != Standing::Size || !decides_a_size(config, leaf));
    let most = next.iter().map(standing).min();
    // Choosing a basis for a known size may give a leaf a bound, so it comes before guesses.
    if most > Some(Standing::Extent) {
        if let Ok(firing) = next_size(config) {
            return vec![firing];
        }
        // The size of a leaf may follow from the number of elements of a row.
        if let Some(firing) = counted_row(config) {
            return vec![firing];
        }
    }
    next.retain(|var| Some(standing(var)) == most);
    let mut fresh = config.fresh();
    // A leaf on an axis of a cap counts as below the row only if it can still raise that axis.
    let counts = |row: &RowVar, flank, at| rows.get(row).is_none_or(|row| row.can_rise(flank, at));
    let lowest = config.bounds.lowest(&next, counts).into_iter();
    lowest
        .map(|leaf| close_leaf(config, &rows, leaf, &mut fresh))
        .collect()
}

/// Tells whether closing a dimension variable to 1∅ would decide a size that windows or bounds are about: its own, or
/// that of a variable above it.
fn decides_a_size(config: &Configuration, leaf: &Var) -> bool {
    let Var::Dim(leaf) = leaf else { return false };
    let mut seen = BTreeSet::new();
    let mut due = vec![leaf.clone()];
    while let Some(var) = due.pop() {
        let own = Var::Dim(var.clone());
        let mut waiting = config.deferred.iter().map(|waiting| &waiting.constraint);
        let mut of_sizes = config
            .bounds
            .constraints()
            .filter(|bound| bound.is_of_sizes());
        if waiting.any(|stated| stated.mentions(&own))
            || of_sizes.any(|stated| stated.mentions(&own))
        {
            return true;
        }
        if seen.insert(var.clone()) {
            due.extend(config.bounds.above(&var).map(|(high, _)| high.clone()));
        }
    }
    false
}

/// Closes one size (§8): a known size gets a basis; if there is none, a size that is open is refused. Variables are
/// taken in the order of first occurrence. Empty when all sizes are closed.
pub fn close_sizes(config: &Configuration) -> Vec<Firing> {
    match next_size(config) {
        Ok(firing) => vec![firing],
        Err(open) => match counted_row(config) {
            Some(firing) => vec![firing],
            // Close-arith   sz(α) open                 fail
            None => {
                let refuse = |var| by(Rule::CloseArith).fails(Clash::OpenSize(var));
                open.map(refuse).into_iter().collect()
            }
        },
    }
}

/// Close-row     n = … * |l·⟨ρ⟩·r|, ρ open and no leaf    bind ρ ↦ []
fn counted_row(config: &Configuration) -> Option<Firing> {
    let is_interior = |var: &RowVar| config.tag(&Var::Row(var.clone())) == Tag::Interior;
    let mut deferred = config.deferred.iter();
    let row = deferred.find_map(|waiting| match &waiting.constraint {
        Constraint::Elements(elements) => {
            let mut rows = elements.rows().filter_map(|row| row.var.clone());
            rows.find(is_interior)
        }
        _ => None,
    })?;
    let top = RowTerm::default();
    Some(by(Rule::CloseRow).binds_row(&row, top, Choice::Value))
}

/// Returns the firing that gives a basis to the first known size or records the first forced one. If there is none, the
/// error is the first variable whose size is open, if there is one.
fn next_size(config: &Configuration) -> Result<Firing, Option<DimVar>> {
    let sizes = config.sizes();
    let of_sizes = |var: &DimVar| {
        let own = Var::Dim(var.clone());
        let waiting = config.deferred.iter().map(|waiting| &waiting.constraint);
        let mut all = waiting.chain(config.bounds.constraints());
        all.any(|stated| stated.is_of_sizes() && stated.mentions(&own))
    };
    let unsolved = config.unsolved().into_iter().filter_map(|var| match var {
        Var::Dim(var) if of_sizes(&var) => Some(var),
        _ => None,
    });
    let mut open = None;
    for var in unsolved {
        match sizes.size(&var.clone().into()) {
            // Close-basis   sz(α) = n, basis open    bind α ↦ n_default, or 1∅ where α need not be an atom
            Some((size, why)) => {
                let dim = match sizes.atom(&var) {
                    Some(_) => Dim::new(size).unwrap_or(Dim::Unit),
                    None => Dim::Unit,
                };
                let closes = by(Rule::CloseBasis).because(&why);
                return Ok(closes.binds_dim(&var, dim.into(), Choice::Value));
            }
            None => {
                // AR-residue   one size of α in all that is left open   record it
                let found = config.sizes_found.get(&var).map(Dim::size);
                let size = found.and_then(NonZeroU64::new);
                if let Some(size) = size
                    && let Some(cause) = forced(config, &var, size.get())
                {
                    let record = has_size(&var, size);
                    return Ok(by(Rule::ArResidue).because(&cause).emits([record]));
                }
                open = open.or(Some(var));
            }
        }
    }
    Err(open)
}

/// Returns the unsolved variables that are closed downward.
pub fn leaves(config: &Configuration) -> Vec<Var> {
    let mut leaves = config.unsolved();
    leaves.retain(|var| config.tag(var) != Tag::Interior);
    leaves
}

/// Binds a leaf: a dimension variable to its atom cap if it has one, else to 1∅; a row variable to the join of its
/// caps, with no further axes. An undetermined part of a parameter is an error instead.
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

/// Tells whether a row of the input has no known axis and lies below a leaf about which nothing more is known.
/// Typically it is the size between two layers. A row that lies both above and below this one, such as an optimiser's
/// state for a parameter, equals it and so does not count; nor do interiors above it, since they close at their tops.
fn is_hidden(config: &Configuration, var: &RowVar) -> bool {
    let below = config.bounds.rows_below(var);
    let mut above = config.bounds.rows_above(var).into_iter();
    let other_leaf =
        |row: &RowVar| !below.contains(row) && config.tag(&Var::Row(row.clone())) != Tag::Interior;
    above.any(|row| other_leaf(&row)) && config.stands_for_input(var)
}

/// Step 3, close interiors upward: every remaining variable goes to its top.
pub fn close_interiors(config: &Configuration) -> Vec<Firing> {
    let top = |var: Var| match var {
        Var::Dim(var) => by(Rule::CloseInterior).binds_dim(&var, Dim::Unit.into(), Choice::Value),
        Var::Row(var) => by(Rule::CloseInterior).binds_row(&var, RowTerm::default(), Choice::Value),
    };
    config.unsolved().into_iter().map(top).collect()
}
