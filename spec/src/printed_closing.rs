//! Def. 6.1(1) as printed: leaves in an order that is left free, each from its own stored caps. Run only by
//! [`crate::literal::Literal`].

use crate::cause::Cause;
use crate::closing::{commit_dim, commit_row, directly_below, hole, lowest};
use crate::configuration::Configuration;
use crate::literal::ClosingOrder;
use crate::solve::{Runner, Stop};
use lozenge_vocabulary::constraint::Tag;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Var};

/// Closes the leaves one by one, each followed by a fixpoint.
pub(crate) fn close_leaves(config: &mut Configuration, runner: &mut Runner) -> Result<(), Stop> {
    loop {
        let mut leaves = config.unsolved();
        leaves.retain(|var| config.tag(var) != Tag::Interior);
        leaves.sort();
        let next = match config.literal.closing {
            ClosingOrder::Reversed => leaves.pop(),
            ClosingOrder::Lowest => lowest(leaves, &directly_below(config)).into_iter().next(),
            ClosingOrder::Named | ClosingOrder::Scheduled => leaves.into_iter().next(),
        };
        match next {
            None => return Ok(()),
            Some(Var::Dim(var)) => close_leaf_dim(config, &var)?,
            Some(Var::Row(var)) => close_leaf_row(config, &var)?,
        }
        runner.reach_fixpoint(config)?;
    }
}

/// A leaf dimension: its atom cap if any, else the unit; a parameter without a cap is an error.
fn close_leaf_dim(config: &mut Configuration, var: &DimVar) -> Result<(), Stop> {
    let key = Var::Dim(var.clone());
    let (value, cause) = match config.bounds.lower_bound(var) {
        Some((atom, cause)) => (atom.clone(), cause.clone()),
        None if config.tag(&key) == Tag::Param => return Err(hole(config, &key, "its size").into()),
        None => (Dim::Unit, Cause::default()),
    };
    commit_dim(config, Rule::CloseLeaf, var.clone(), value, &cause);
    Ok(())
}

/// The join of the ground parts of the stored caps: a position is a hole when no cap is ground there.
fn close_leaf_row(config: &mut Configuration, var: &RowVar) -> Result<(), Stop> {
    let own = config.bounds.caps().filter(|(_, high, _)| *high == var);
    let caps: Vec<(RowTerm, Cause)> = own
        .map(|(cap, _, why)| (cap.clone(), why.clone()))
        .collect();
    let shortest = |of: fn(&RowTerm) -> usize| caps.iter().map(|(cap, _)| of(cap)).min();
    let front = shortest(|cap| cap.leading.len()).unwrap_or(0);
    let back = shortest(|cap| cap.trailing.len()).unwrap_or(0);
    let letter = |terms: Vec<&DimTerm>| {
        let mut known = terms.into_iter().filter_map(DimTerm::ground).cloned();
        let first = known.next();
        first.map(|first| known.fold(first, |a, b| a.join(&b)))
    };
    let at_front = |i: usize| letter(caps.iter().map(|(cap, _)| &cap.leading[i]).collect());
    let at_back = |i: usize| {
        letter(
            caps.iter()
                .map(|(cap, _)| &cap.trailing[cap.trailing.len() - back + i])
                .collect(),
        )
    };
    let leading: Vec<Option<Dim>> = (0..front).map(at_front).collect();
    let trailing: Vec<Option<Dim>> = (0..back).map(at_back).collect();
    let holes = leading.iter().chain(&trailing).any(Option::is_none);
    let key = Var::Row(var.clone());
    if holes && config.tag(&key) == Tag::Param {
        return Err(hole(config, &key, "the size of one of its axes").into());
    }
    let fill =
        |flank: Vec<Option<Dim>>| flank.into_iter().map(|d| d.unwrap_or(Dim::Unit)).collect();
    let mut cause = Cause::default();
    caps.iter().for_each(|(_, c)| cause.join(c));
    commit_row(
        config,
        Rule::CloseLeaf,
        var.clone(),
        Row::new(fill(leading), fill(trailing)).into(),
        &cause,
    );
    Ok(())
}
