//! §6: closing. Leaves go down to the join of their caps, interiors up to their tops, interleaved with solving, in
//! an order in which nothing is committed while its bound can still grow (Rem. 6.3, Rem. 6.7(i)).

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

/// Closes every variable: leaves one by one, each followed by a fixpoint, then interiors all at once.
pub(crate) fn close(config: &mut Configuration, runner: &mut Runner) -> Result<(), Stop> {
    if config.literal.closing != ClosingOrder::Scheduled {
        printed_closing::close_leaves(config, runner)?;
        close_interior(config);
        return runner.reach_fixpoint(config);
    }
    while let Some(leaf) = next_leaf(config) {
        match leaf {
            Var::Dim(var) => close_leaf_dim(config, &var)?,
            Var::Row(var) => close_leaf_row(config, &var)?,
        }
        runner.reach_fixpoint(config)?;
    }
    close_interior(config);
    runner.reach_fixpoint(config)
}

/// The next leaf to commit: a dimension variable before any row variable, and of each sort one below which no
/// unsolved leaf of that sort is stored, so that its bound is final. A cycle of row inequalities is entered at its
/// first variable: its members have the same bound.
fn next_leaf(config: &Configuration) -> Option<Var> {
    let leaves: Vec<Var> = config
        .unsolved()
        .into_iter()
        .filter(|v| config.tag(v) != Tag::Interior)
        .collect();
    let (rows, dims): (Vec<Var>, Vec<Var>) =
        leaves.into_iter().partition(|v| matches!(v, Var::Row(_)));
    lowest(dims, &dim_edges(config)).or_else(|| lowest(rows, &row_edges(config)))
}

/// For each variable, the variables stored directly below it.
type Below = BTreeMap<Var, BTreeSet<Var>>;

fn dim_edges(config: &Configuration) -> Below {
    let mut below = Below::new();
    for (low, highs) in &config.bounds.adjacencies {
        for high in highs.keys() {
            below
                .entry(Var::Dim(high.clone()))
                .or_default()
                .insert(Var::Dim(low.clone()));
        }
    }
    below
}

fn row_edges(config: &Configuration) -> Below {
    let mut below = Below::new();
    for (high, caps) in &config.bounds.caps {
        let lows = caps
            .iter()
            .filter_map(|(cap, _)| cap.var.clone())
            .filter(|low| low != high)
            .map(Var::Row);
        below
            .entry(Var::Row(high.clone()))
            .or_default()
            .extend(lows);
    }
    below
}

/// The first candidate that has no other candidate below it, directly or not; in a cycle, the first of all.
fn lowest(candidates: Vec<Var>, below: &Below) -> Option<Var> {
    let among: BTreeSet<&Var> = candidates.iter().collect();
    let lower = |var: &Var| {
        reachable(var, below)
            .iter()
            .any(|low| low != var && among.contains(low))
    };
    candidates
        .iter()
        .find(|var| !lower(var))
        .or(candidates.first())
        .cloned()
}

fn reachable(from: &Var, below: &Below) -> BTreeSet<Var> {
    let mut seen = BTreeSet::new();
    let mut work = vec![from.clone()];
    while let Some(var) = work.pop() {
        for low in below.get(&var).into_iter().flatten() {
            if seen.insert(low.clone()) {
                work.push(low.clone());
            }
        }
    }
    seen
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

/// A leaf dimension: its atom cap if any, else the unit; a parameter without a cap is an error.
pub(crate) fn close_leaf_dim(config: &mut Configuration, var: &DimVar) -> Result<(), Box<Failure>> {
    let key = Var::Dim(var.clone());
    let value = match config.bounds.atoms.get(var) {
        Some((atom, _)) => atom.clone(),
        None if config.tag(&key) == Tag::Param => return Err(hole(config, &key, "its size")),
        None => Dim::Unit,
    };
    let cause = config
        .bounds
        .atoms
        .get(var)
        .map(|(_, cause)| cause.clone())
        .unwrap_or_default();
    commit_dim(config, Rule::CloseLeaf, var, value, &cause);
    Ok(())
}

fn commit_dim(config: &mut Configuration, rule: Rule, var: &DimVar, value: Dim, because: &Cause) {
    config.step(rule, None, &[]);
    let cause = config
        .commit(rule, Var::Dim(var.clone()), value.to_string())
        .and(because);
    config.bind_dim(var.clone(), DimTerm::Const(value), cause);
}

pub(crate) fn commit_row(
    config: &mut Configuration,
    rule: Rule,
    var: &RowVar,
    value: Row,
    because: &Cause,
) {
    config.step(rule, None, &[]);
    let cause = config
        .commit(rule, Var::Row(var.clone()), value.to_string())
        .and(because);
    config.bind_row(var.clone(), value.into(), cause.clone(), cause);
}

/// A leaf row: the join of the ground parts of its caps, holes filled by units; a parameter's hole is an error.
fn close_leaf_row(config: &mut Configuration, var: &RowVar) -> Result<(), Box<Failure>> {
    let key = Var::Row(var.clone());
    let param = config.tag(&key) == Tag::Param;
    let bound = match row_bounds(config).remove(var) {
        Some(bound) => bound,
        None if param && is_hidden(config, var) => return Err(hole(config, &key, "its axes")),
        None => Partial::default(),
    };
    if param && bound.has_hole() {
        return Err(hole(config, &key, "the size of one of its axes"));
    }
    let mut cause = Cause::default();
    config
        .bounds
        .caps
        .get(var)
        .into_iter()
        .flatten()
        .for_each(|(_, c)| cause.join(c));
    commit_row(config, Rule::CloseLeaf, var, bound.filled(), &cause);
    Ok(())
}

/// A row that nothing bounds and that was never grown, yet is used below another unknown row: a hidden row.
fn is_hidden(config: &Configuration, var: &RowVar) -> bool {
    let used =
        |caps: &Vec<(RowTerm, Cause)>| caps.iter().any(|(cap, _)| cap.var.as_ref() == Some(var));
    !config.minted.contains(&Var::Row(var.clone())) && config.bounds.caps.values().any(used)
}

/// Everything that is left goes to its top.
fn close_interior(config: &mut Configuration) {
    for var in config.unsolved() {
        match var {
            Var::Dim(var) => commit_dim(
                config,
                Rule::CloseInterior,
                &var,
                Dim::Unit,
                &Cause::default(),
            ),
            Var::Row(var) => commit_row(
                config,
                Rule::CloseInterior,
                &var,
                Row::default(),
                &Cause::default(),
            ),
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

/// What is known to lie below a row: a letter a position, `None` for a hole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Partial {
    leading: Vec<Option<Dim>>,
    trailing: Vec<Option<Dim>>,
}

impl Partial {
    /// Prop. 2.7's join, in which a hole gives way to what is known.
    fn join(&self, other: &Partial) -> Partial {
        let letter = |(a, b): (&Option<Dim>, &Option<Dim>)| match (a, b) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (known, None) | (None, known) => known.clone(),
        };
        let mut trailing: Vec<_> = self
            .trailing
            .iter()
            .rev()
            .zip(other.trailing.iter().rev())
            .map(letter)
            .collect();
        trailing.reverse();
        Partial {
            leading: self
                .leading
                .iter()
                .zip(&other.leading)
                .map(letter)
                .collect(),
            trailing,
        }
    }

    /// The cap `l · ⟨σ⟩ · r` where `σ` is at least `inner`. The caller keeps flanks no longer than `limit`.
    fn around(config: &Configuration, cap: &RowTerm, inner: &Partial) -> Partial {
        let letter = |term: &DimTerm| match term {
            DimTerm::Const(dim) => Some(dim.clone()),
            DimTerm::Var(var) => config.bounds.atoms.get(var).map(|(atom, _)| atom.clone()),
        };
        let leading = cap
            .leading
            .iter()
            .map(letter)
            .chain(inner.leading.iter().cloned())
            .collect();
        let trailing = inner
            .trailing
            .iter()
            .cloned()
            .chain(cap.trailing.iter().map(letter))
            .collect();
        Partial { leading, trailing }
    }

    fn has_hole(&self) -> bool {
        self.leading
            .iter()
            .chain(&self.trailing)
            .any(Option::is_none)
    }

    fn filled(self) -> Row {
        let fill =
            |flank: Vec<Option<Dim>>| flank.into_iter().map(|d| d.unwrap_or(Dim::Unit)).collect();
        Row::new(fill(self.leading), fill(self.trailing))
    }
}

/// The bound of each row variable that has caps: the join of their ground parts, forwarded along the caps to a
/// fixpoint. A variable that has no caps itself stands for no axes where it is in another's cap; so does one whose
/// caps only lead round in a circle. Joins only shorten flanks and raise letters, so the fixpoints are reached.
fn row_bounds(config: &Configuration) -> BTreeMap<RowVar, Partial> {
    let mut bounds = BTreeMap::new();
    forward(config, &mut bounds, &BTreeSet::new());
    let capped = config.bounds.caps.keys();
    let circular = capped
        .filter(|var| !bounds.contains_key(*var))
        .cloned()
        .collect();
    forward(config, &mut bounds, &circular);
    bounds
}

/// Joins caps into bounds until nothing changes. What is circular stands for no axes; a capped variable whose bound
/// is not known yet is left out until it is.
fn forward(
    config: &Configuration,
    bounds: &mut BTreeMap<RowVar, Partial>,
    circular: &BTreeSet<RowVar>,
) {
    let mut changed = true;
    while changed {
        changed = false;
        for (var, caps) in &config.bounds.caps {
            let mut bound = bounds.get(var).cloned();
            for (cap, _) in caps {
                let inner = match &cap.var {
                    Some(low)
                        if config.bounds.caps.contains_key(low) && !circular.contains(low) =>
                    {
                        bounds.get(low).cloned()
                    }
                    Some(_) | None => Some(Partial::default()),
                };
                if let Some(inner) = inner {
                    let below = Partial::around(config, cap, &inner);
                    bound = Some(bound.map_or(below.clone(), |known| known.join(&below)));
                }
            }
            if bound.is_some() && bounds.get(var) != bound.as_ref() {
                bounds.extend(bound.map(|b| (var.clone(), b)));
                changed = true;
            }
        }
    }
}
