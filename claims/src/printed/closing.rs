//! Def. 6.1(1) as printed: leaves close one at a time, in an unspecified order, each from its own stored caps.

use lozenge_spec::cause::Cause;
use lozenge_spec::clash::Clash;
use lozenge_spec::configuration::Configuration;
use lozenge_spec::firing::{Choice, Firing, by};
use lozenge_spec::rules::closing::leaves;
use lozenge_vocabulary::constraint::Tag;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar, Var};

fn sorted(config: &Configuration) -> Vec<Var> {
    let mut leaves = leaves(config);
    leaves.sort();
    leaves
}

fn close(config: &Configuration, leaf: Option<Var>) -> Vec<Firing> {
    leaf.map(|leaf| close_leaf(config, leaf))
        .into_iter()
        .collect()
}

/// Returns the first leaf by name.
pub fn named(config: &Configuration) -> Vec<Firing> {
    close(config, sorted(config).into_iter().next())
}

/// Returns the last leaf by name.
pub fn reversed(config: &Configuration) -> Vec<Firing> {
    close(config, sorted(config).pop())
}

/// Returns the first by name of the leaves that have no leaf below them.
pub fn lowest_by_name(config: &Configuration) -> Vec<Firing> {
    let lowest = config.bounds.lowest(&sorted(config), |_, _, _| true);
    close(config, lowest.into_iter().next())
}

/// Binds a dimension variable to its stored atom cap if it has one, else to 1∅; a row variable to the join of the
/// ground parts of its stored caps, with holes filled by 1∅. A hole in a parameter is an error.
fn close_leaf(config: &Configuration, leaf: Var) -> Firing {
    let closes = by(Rule::CloseLeaf);
    let param = config.tag(&leaf) == Tag::Param;
    match &leaf {
        Var::Dim(var) => match config.bounds.lower_bound(var) {
            Some((atom, why)) => {
                let atom = atom.clone().into();
                closes.because(why).binds_dim(var, atom, Choice::Value)
            }
            None if param => closes.fails(Clash::Undetermined(leaf)),
            None => closes.binds_dim(var, Dim::Unit.into(), Choice::Value),
        },
        Var::Row(var) => match join_of_caps(config, var, param) {
            Some((value, why)) => {
                let value = value.into();
                closes.because(&why).binds_row(var, value, Choice::Value)
            }
            None => closes.fails(Clash::Undetermined(leaf)),
        },
    }
}

/// Returns the join of the ground parts of the stored caps. A position is a hole when no cap is ground there. `None`
/// for a parameter with a hole.
fn join_of_caps(config: &Configuration, var: &RowVar, param: bool) -> Option<(Row, Cause)> {
    let own = config.bounds.caps().filter(|(_, high, _)| *high == var);
    let caps: Vec<(&RowTerm, &Cause)> = own.map(|(cap, _, why)| (cap, why)).collect();
    let shortest = |of: fn(&RowTerm) -> usize| caps.iter().map(|(cap, _)| of(cap)).min();
    let front = shortest(|cap| cap.leading.len()).unwrap_or(0);
    let back = shortest(|cap| cap.trailing.len()).unwrap_or(0);
    let axis = |of: &dyn Fn(&RowTerm) -> DimTerm| {
        let known = caps.iter().filter_map(|(cap, _)| of(cap).ground().cloned());
        let joined = known.reduce(|a, b| a.join(&b));
        if param {
            joined
        } else {
            joined.or(Some(Dim::Unit))
        }
    };
    let leading = (0..front).map(|i| axis(&|cap| cap.leading[i].clone()));
    let trailing =
        (0..back).map(|i| axis(&|cap| cap.trailing[cap.trailing.len() - back + i].clone()));
    let value = Row::new(
        leading.collect::<Option<_>>()?,
        trailing.collect::<Option<_>>()?,
    );
    let mut cause = Cause::default();
    caps.iter().for_each(|(_, why)| cause.join(why));
    Some((value, cause))
}
