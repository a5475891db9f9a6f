//! §6: closing. Leaves go down to the join of their caps, interiors up to their tops, interleaved with solving.
//!
//! Def. 6.1 leaves the order of the leaves free, and Rem. 6.3 shows that it matters. Leaves are closed in rounds, each
//! followed by solving, and neither names nor the order of the constraints decide anything. A round closes the leaves
//! of which most is known ([`Standing`]), and of those the ones that have no other one below them. The commitments of
//! a round may clash, when two of its leaves lie above one variable: the set is then `rejected` and the failure names
//! both, since nothing says which of them should give way.
//!
//! A bare variable that nothing bounds is an adjacency (Def. 4.1) and no cap: it adds nothing to the bound of what is
//! above it. In a cap `l · ⟨σ⟩ · r` with axes of its own, such a variable stands for no further axes.

use std::collections::{BTreeMap, BTreeSet};

use crate::cause::{Cause, Failure};
use crate::configuration::{Configuration, Pending};
use crate::literal::ClosingOrder;
use crate::printed_closing;
use crate::solve::{Runner, Stop};
use lozenge_vocabulary::constraint::{Constraint, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Var};

/// Closes every variable: leaves in rounds, each followed by solving, then interiors all at once.
pub(crate) fn close(config: &mut Configuration, runner: &mut Runner) -> Result<(), Stop> {
    if config.literal.closing != ClosingOrder::Scheduled {
        printed_closing::close_leaves(config, runner)?;
    } else {
        loop {
            let round = next_round(config);
            if round.is_empty() {
                break;
            }
            // Every value of a round comes from the store as it was before the round.
            for step in round {
                step.take(config)?;
            }
            runner.reach_solved_form(config)?;
        }
    }
    close_interior(config);
    runner.reach_solved_form(config)
}

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

/// What closing does with one leaf.
enum Closing {
    Dim(DimVar, Dim, Cause),
    Row(RowVar, Partial, Cause),
    /// Nothing determines this of a parameter.
    Undetermined(Var, &'static str),
}

impl Closing {
    fn take(self, config: &mut Configuration) -> Result<(), Box<Failure>> {
        match self {
            Closing::Dim(var, value, cause) => {
                commit_dim(config, Rule::CloseLeaf, var, value, &cause);
            }
            Closing::Row(var, bound, cause) => {
                let value = bound.with_variables(config, &var);
                commit_row(config, Rule::CloseLeaf, var, value, &cause);
            }
            Closing::Undetermined(var, what) => return Err(hole(config, &var, what)),
        }
        Ok(())
    }
}

/// The next round: of the leaves of which most is known those that have no other one below them. Empty when every leaf
/// is closed.
fn next_round(config: &Configuration) -> Vec<Closing> {
    let bounds = row_bounds(config);
    let standing = |var: &Var| match var {
        Var::Dim(var) if config.bounds.lower_bound(var).is_some() => Standing::Known,
        Var::Dim(_) => Standing::Size,
        Var::Row(var) => match bounds.get(var) {
            Some(bound) if bound.has_hole() => Standing::Extent,
            Some(_) => Standing::Known,
            None => Standing::Axes,
        },
    };
    let mut leaves = config.unsolved();
    leaves.retain(|var| config.tag(var) != Tag::Interior);
    let Some(most) = leaves.iter().map(standing).min() else {
        return Vec::new();
    };
    leaves.retain(|var| standing(var) == most);
    lowest(leaves, &directly_below(config))
        .into_iter()
        .map(|leaf| closing(config, &bounds, leaf))
        .collect()
}

/// What is committed for a leaf whose turn it is, or why nothing is.
fn closing(config: &Configuration, bounds: &BTreeMap<RowVar, Partial>, leaf: Var) -> Closing {
    let param = config.tag(&leaf) == Tag::Param;
    match leaf {
        Var::Dim(var) => match config.bounds.lower_bound(&var) {
            Some((atom, cause)) => Closing::Dim(var, atom.clone(), cause.clone()),
            None if param => Closing::Undetermined(Var::Dim(var), "its size"),
            None => Closing::Dim(var, Dim::Unit, Cause::default()),
        },
        Var::Row(var) => match bounds.get(&var) {
            None if param && is_hidden(config, &var) => {
                Closing::Undetermined(Var::Row(var), "its axes")
            }
            None => Closing::Row(var, Partial::default(), Cause::default()),
            Some(bound) => {
                let cause = behind(config, bounds, &var);
                Closing::Row(var, bound.clone(), cause)
            }
        },
    }
}

/// For each variable, what is stored directly below it: in a cap, its row variable and those of its axes.
pub(crate) type Below = BTreeMap<Var, BTreeSet<Var>>;

pub(crate) fn directly_below(config: &Configuration) -> Below {
    let mut below = Below::new();
    for (low, high, _) in config.bounds.adjacencies() {
        let lower = below.entry(Var::Dim(high.clone())).or_default();
        lower.insert(Var::Dim(low.clone()));
    }
    for (cap, high, _) in config.bounds.caps() {
        let lower = below.entry(Var::Row(high.clone())).or_default();
        lower.extend(cap.occurrences());
    }
    below
}

/// The candidates that have no other candidate below them, directly or not. The members of a cycle do not wait for each
/// other.
pub(crate) fn lowest(candidates: Vec<Var>, below: &Below) -> Vec<Var> {
    let reached: BTreeMap<Var, BTreeSet<Var>> = candidates
        .iter()
        .map(|var| (var.clone(), reachable(var, below)))
        .collect();
    let waits = |var: &Var| {
        let mut lower = reached[var].iter().filter_map(|low| reached.get(low));
        lower.any(|back| !back.contains(var))
    };
    candidates
        .iter()
        .filter(|var| !waits(var))
        .cloned()
        .collect()
}

fn reachable(from: &Var, below: &Below) -> BTreeSet<Var> {
    let mut seen = BTreeSet::new();
    let mut work = vec![from];
    while let Some(var) = work.pop() {
        for low in below.get(var).into_iter().flatten() {
            if seen.insert(low.clone()) {
                work.push(low);
            }
        }
    }
    seen
}

/// Why the bound of a row is what it is: the causes of its caps, and of those of the rows that they stand on.
fn behind(config: &Configuration, bounds: &BTreeMap<RowVar, Partial>, row: &RowVar) -> Cause {
    let mut cause = Cause::default();
    let mut seen = BTreeSet::from([row]);
    let mut work = vec![row];
    while let Some(row) = work.pop() {
        for (cap, _, why) in config.bounds.caps().filter(|(_, high, _)| *high == row) {
            let below = cap.var.as_ref().filter(|low| bounds.contains_key(*low));
            if cap.explicit() == 0 && cap.var.is_some() && below.is_none() {
                continue;
            }
            cause.join(why);
            for axis in cap.axes() {
                if let DimTerm::Var(var) = axis
                    && let Some((_, why)) = config.bounds.lower_bound(var)
                {
                    cause.join(why);
                }
            }
            work.extend(below.filter(|low| seen.insert(*low)));
        }
    }
    cause
}

pub(crate) fn hole(config: &Configuration, var: &Var, what: &str) -> Box<Failure> {
    let constraint = match var {
        Var::Dim(var) => Constraint::DimLe(DimTerm::Const(Dim::Unit), DimTerm::Var(var.clone())),
        Var::Row(var) => Constraint::RowLe(var.clone().into(), var.clone().into()),
    };
    let nothing = Pending {
        constraint,
        cause: Cause::default(),
    };
    let reason = format!(
        "{var} belongs to a parameter and nothing determines {what}: an unspecified hidden dimension"
    );
    config.failure(Rule::CloseLeaf, &nothing, reason)
}

pub(crate) fn commit_dim(
    config: &mut Configuration,
    rule: Rule,
    var: DimVar,
    value: Dim,
    because: &Cause,
) {
    config.step(rule, None, &[]);
    let cause = config.commit(rule, Var::Dim(var.clone()), value.to_string(), because);
    config.bind_dim(var, DimTerm::Const(value), cause);
}

pub(crate) fn commit_row(
    config: &mut Configuration,
    rule: Rule,
    var: RowVar,
    value: RowTerm,
    because: &Cause,
) {
    config.step(rule, None, &[]);
    let cause = config.commit(rule, Var::Row(var.clone()), value.to_string(), because);
    config.bind_row(var, value, cause.clone(), cause);
}

/// A row of the input of which not one axis is known, and that lies below another unknown row: a hidden row.
fn is_hidden(config: &Configuration, var: &RowVar) -> bool {
    let bare = RowTerm::from(var.clone());
    let of_input = |var: &RowVar| !config.minted.contains(&Var::Row(var.clone()));
    let equal = |(own, value): (&RowVar, &RowTerm)| of_input(own) && *value == bare;
    let used = config
        .bounds
        .caps()
        .any(|(cap, _, _)| cap.var.as_ref() == Some(var));
    used && (of_input(var) || config.bindings.rows.iter().any(equal))
}

/// Everything that is left goes to its top.
fn close_interior(config: &mut Configuration) {
    let nothing = Cause::default();
    for var in config.unsolved() {
        match var {
            Var::Dim(var) => commit_dim(config, Rule::CloseInterior, var, Dim::Unit, &nothing),
            Var::Row(var) => {
                commit_row(
                    config,
                    Rule::CloseInterior,
                    var,
                    RowTerm::default(),
                    &nothing,
                );
            }
        }
    }
}

/// `γ↑` (Prop. 5.4): unsolved variables at their tops, the others through σ; on the variables that there are.
pub fn upward(config: &Configuration) -> Ground {
    let mut tops = Ground::default();
    for var in config.unsolved() {
        match var {
            Var::Dim(var) => drop(tops.dims.insert(var, Dim::Unit)),
            Var::Row(var) => drop(tops.rows.insert(var, Row::default())),
        }
    }
    let mut all = tops.clone();
    for (var, term) in &config.bindings.dims {
        all.dims
            .extend(tops.dim(term).map(|dim| (var.clone(), dim)));
    }
    for (var, term) in &config.bindings.rows {
        all.rows
            .extend(tops.row(term).map(|row| (var.clone(), row)));
    }
    all
}

/// What is known to lie below a row: the join of its caps at each position, `None` for a hole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Partial {
    leading: Vec<Option<Dim>>,
    trailing: Vec<Option<Dim>>,
}

impl Partial {
    /// Prop. 2.7's join, in which a hole gives way to what is known.
    fn join(&self, other: &Partial) -> Partial {
        let axis = |(a, b): (&Option<Dim>, &Option<Dim>)| match (a, b) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (known, None) | (None, known) => known.clone(),
        };
        let backs = self.trailing.iter().rev().zip(other.trailing.iter().rev());
        let mut trailing: Vec<_> = backs.map(axis).collect();
        trailing.reverse();
        Partial {
            leading: self.leading.iter().zip(&other.leading).map(axis).collect(),
            trailing,
        }
    }

    /// The cap `l · ⟨σ⟩ · r` where `σ` is at least `inner`.
    fn around(config: &Configuration, cap: &RowTerm, inner: &Partial) -> Partial {
        let axis = |term: &DimTerm| match term {
            DimTerm::Const(dim) => Some(dim.clone()),
            DimTerm::Var(var) => config.bounds.lower_bound(var).map(|(atom, _)| atom.clone()),
        };
        let leading = cap
            .leading
            .iter()
            .map(axis)
            .chain(inner.leading.iter().cloned());
        let trailing = inner
            .trailing
            .iter()
            .cloned()
            .chain(cap.trailing.iter().map(axis));
        Partial {
            leading: leading.collect(),
            trailing: trailing.collect(),
        }
    }

    fn has_hole(&self) -> bool {
        self.leading
            .iter()
            .chain(&self.trailing)
            .any(Option::is_none)
    }

    /// The row with a fresh dimension variable in each hole.
    fn with_variables(self, config: &mut Configuration, row: &RowVar) -> RowTerm {
        let mut flank = |axes: Vec<Option<Dim>>| -> Vec<DimTerm> {
            let axis = |dim: Option<Dim>| match dim {
                Some(dim) => DimTerm::Const(dim),
                None => DimTerm::Var(config.fresh_dim(row.name())),
            };
            axes.into_iter().map(axis).collect()
        };
        RowTerm::closed(flank(self.leading), flank(self.trailing))
    }
}

/// The bound of each row variable that has one: the join of its caps, in which a variable stands for its own bound.
///
/// A bare variable without a bound adds nothing. A variable whose bound would rest on itself, as that of `⟨ρ⟩` in
/// `[1_ <r>] <= <r>` does, stands for no axes, like one without a bound, where a cap has axes of its own beside it.
/// Joins only shorten flanks and raise axes, so the fixpoints are reached, and they do not depend on the order.
fn row_bounds(config: &Configuration) -> BTreeMap<RowVar, Partial> {
    let mut bounds = BTreeMap::new();
    let founded = bounded_rows(config);
    forward(config, &mut bounds, &|low| !founded.contains(low));
    let known: BTreeSet<RowVar> = bounds.keys().cloned().collect();
    forward(config, &mut bounds, &|low| !known.contains(low));
    bounds
}

/// The rows that have a cap with axes, or a bare one that has a bound, or a closed one.
fn bounded_rows(config: &Configuration) -> BTreeSet<RowVar> {
    let mut bounded = BTreeSet::new();
    loop {
        let found: Vec<RowVar> = config
            .bounds
            .caps()
            .filter(|(cap, high, _)| {
                let bare = cap.var.as_ref().filter(|_| cap.explicit() == 0);
                !bounded.contains(*high) && bare.is_none_or(|low| bounded.contains(low))
            })
            .map(|(_, high, _)| high.clone())
            .collect();
        if found.is_empty() {
            return bounded;
        }
        bounded.extend(found);
    }
}

/// Joins caps into bounds until nothing changes. A variable that is `empty` stands for no axes beside axes of a cap; the
/// caps of any other one whose bound is not known yet are left out until it is.
fn forward(
    config: &Configuration,
    bounds: &mut BTreeMap<RowVar, Partial>,
    empty: &dyn Fn(&RowVar) -> bool,
) {
    let mut changed = true;
    while changed {
        changed = false;
        for (cap, high, _) in config.bounds.caps() {
            let inner = match &cap.var {
                None => Some(Partial::default()),
                Some(low) if cap.explicit() > 0 && empty(low) => Some(Partial::default()),
                Some(low) => bounds.get(low).cloned(),
            };
            let Some(inner) = inner else { continue };
            let cap = Partial::around(config, cap, &inner);
            let joined = bounds
                .get(high)
                .map_or(cap.clone(), |known| known.join(&cap));
            if bounds.get(high) != Some(&joined) {
                bounds.insert(high.clone(), joined);
                changed = true;
            }
        }
    }
}
