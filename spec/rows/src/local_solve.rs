//! Lemma 7.7: the local re-solve, which eliminates the variables of an operation's template.
//!
//! The operation's constraints are stated again with identifiers in place of sizes: each axis of each tensor occurrence
//! is its own dimension variable, and so is each size that the template states. The calculus itself then solves the
//! equalities among these constraints, which determines which axes are the same without looking at sizes. A row
//! variable of the template ends up as a row of axes, and a label as the first tensor axis that it was found equal to.

use std::collections::{BTreeMap, BTreeSet};

use crate::cause::Failure;
use crate::clash::Clash;
use crate::configuration::Configuration;
use crate::rules::RULES;
use crate::solve::{Options, Runner, Stop};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Operation, Shape, TensorId};
use lozenge_vocabulary::projection_language::AxisId;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, Substitution, Var};

/// The reason for which the local re-solve has no answer.
#[derive(Clone, Debug)]
pub enum Unsolved {
    /// The ranks of the shapes contradict the equalities.
    Failed {
        /// The last of the requirements that contradict each other, by its place in the operation.
        requirement: usize,
        /// The failure of the calculus.
        failure: Box<Failure>,
    },
    /// A requirement is about a slot that has no shape.
    NoSlot,
    /// The limit on work was reached.
    Limit,
}

/// `Φ_op` at closed shapes with the template's variables eliminated: the only variables left are axes of tensors.
#[derive(Clone, Debug)]
pub struct LocalSolution {
    /// One constraint for each requirement.
    pub constraints: Vec<Constraint>,
    /// The axes: the variable that stands for each, and its dimension.
    pub axes: BTreeMap<DimVar, (AxisId, Dim)>,
    /// The values of the template's variables.
    pub template: Substitution,
    /// The labels that stand on no axis, each with the term that represents its class, and with its size if one is
    /// stated.
    pub afloat: BTreeMap<DimVar, (DimTerm, Option<u64>)>,
}

impl LocalSolution {
    /// Tells whether an equality between labels that stand on no axis holds. `None` if one of its terms is an axis, or
    /// a label without a size.
    pub(crate) fn on_no_axis(&self, constraint: &Constraint) -> Option<Result<(), Clash>> {
        let Constraint::DimEq(left, right) = constraint else {
            return None;
        };
        let size = |term: &DimTerm| match term {
            DimTerm::Const(dim) => Some(dim.size()),
            DimTerm::Var(var) => self.afloat.get(var).and_then(|(_, size)| *size),
        };
        let equal = size(left)? == size(right)?;
        let clash = || Clash::Unequal(self.shown(left), self.shown(right));
        Some(equal.then_some(()).ok_or_else(clash))
    }

    /// Returns the size of a label that stands on no axis, as a dimension.
    fn shown(&self, term: &DimTerm) -> Dim {
        let size = match term {
            DimTerm::Const(dim) => return dim.clone(),
            DimTerm::Var(var) => self.afloat.get(var).and_then(|(_, size)| *size),
        };
        size.and_then(Dim::new).unwrap_or(Dim::Unit)
    }
}

/// Solves the equalities of an operation at the closed shapes of its slots.
///
/// # Errors
/// When the ranks of the shapes contradict the equalities, at a requirement about a slot without a shape, or at the
/// limit on work.
pub fn solve_locally(op: &Operation, shapes: &[Shape<Row>]) -> Result<LocalSolution, Unsolved> {
    let mut axes = BTreeMap::new();
    let rows: Vec<Shape<RowTerm>> = (0..).zip(shapes).map(|s| numbered(s, &mut axes)).collect();
    let occurrences = Operation {
        slots: (0..rows.len()).map(TensorId).collect(),
        ..op.clone()
    };
    let stated = occurrences.constraints(|TensorId(slot)| rows[slot].clone());
    let stated = stated.ok_or(Unsolved::NoSlot)?;
    let mut sizes = BTreeMap::new();
    let (places, equalities): (Vec<usize>, Vec<Constraint>) = (0..)
        .zip(&stated)
        .filter(|(_, stated)| matches!(stated, Constraint::DimEq(..) | Constraint::RowEq(..)))
        .map(|(place, equality)| (place, without_sizes(equality, &mut sizes)))
        .unzip();
    let mut config = Configuration::new(&equalities.into_iter().collect(), false);
    let run = Runner::new(RULES, &Options::default()).reach_fixpoint(&mut config);
    run.map_err(|stop| match stop {
        Stop::Failed(failure) => Unsolved::Failed {
            requirement: failure.inputs.last().map_or(0, |last| places[*last]),
            failure,
        },
        Stop::Limit => Unsolved::Limit,
    })?;
    let template = of_template(&config, &axes, &sizes);
    Ok(LocalSolution {
        afloat: afloat(&config, &axes, &sizes),
        constraints: stated.iter().map(|c| c.substituted(&template)).collect(),
        axes,
        template,
    })
}

/// Returns the rows of a slot with a variable for each axis, numbered over its batch, input and output rows.
fn numbered(
    (slot, shape): (usize, &Shape<Row>),
    axes: &mut BTreeMap<DimVar, (AxisId, Dim)>,
) -> Shape<RowTerm> {
    let mut axis = 0;
    shape.map(|_, row| {
        let mut flank = |dims: &[Dim]| {
            let number = |dim: &Dim| {
                // No name of the notation contains a space, so these names are not taken.
                let var = DimVar::new(&format!("slot {slot} axis {axis}"));
                axes.insert(var.clone(), (AxisId { slot, axis }, dim.clone()));
                axis += 1;
                var.into()
            };
            dims.iter().map(number).collect()
        };
        let leading = flank(&row.leading);
        RowTerm::closed(leading, flank(&row.trailing))
    })
}

/// Returns the equality with a variable for each size that it states.
fn without_sizes(equality: &Constraint, sizes: &mut BTreeMap<DimVar, Dim>) -> Constraint {
    let mut dim = |term: &DimTerm| match term {
        DimTerm::Var(_) => term.clone(),
        DimTerm::Const(dim) => {
            let var = DimVar::new(&format!("size {}", sizes.len()));
            sizes.insert(var.clone(), dim.clone());
            var.into()
        }
    };
    let mut row = |term: &RowTerm| RowTerm {
        leading: term.leading.iter().map(&mut dim).collect(),
        var: term.var.clone(),
        trailing: term.trailing.iter().map(&mut dim).collect(),
    };
    match equality {
        Constraint::RowEq(a, b) => Constraint::RowEq(row(a), row(b)),
        Constraint::DimEq(a, b) => Constraint::DimEq(dim(a), dim(b)),
        other => other.clone(),
    }
}

/// Returns the labels that no equality ties to an axis, and the stated sizes of which the same holds.
fn afloat(
    config: &Configuration,
    axes: &BTreeMap<DimVar, (AxisId, Dim)>,
    sizes: &BTreeMap<DimVar, Dim>,
) -> BTreeMap<DimVar, (DimTerm, Option<u64>)> {
    let class = |var: &DimVar| config.bindings.dim(&var.clone().into());
    let on_axes: BTreeSet<DimTerm> = axes.keys().map(class).collect();
    let stated: BTreeMap<DimTerm, u64> = sizes
        .iter()
        .map(|(var, dim)| (class(var), dim.size()))
        .collect();
    let labels = config.vars.iter().filter_map(|var| match var {
        Var::Dim(var) => Some(var),
        Var::Row(_) => None,
    });
    labels
        .map(|var| (var, class(var)))
        .filter(|(_, class)| !on_axes.contains(class))
        .map(|(var, class)| {
            let size = stated.get(&class).copied();
            (var.clone(), (class, size))
        })
        .collect()
}

/// Returns the values of the template's variables. A class of dimension variables is represented by its first axis. A
/// label that is equal to no axis has no value, because no axis determines its index.
fn of_template(
    config: &Configuration,
    axes: &BTreeMap<DimVar, (AxisId, Dim)>,
    sizes: &BTreeMap<DimVar, Dim>,
) -> Substitution {
    let class = |var: &DimVar| config.bindings.dim(&var.clone().into());
    let mut first: BTreeMap<DimTerm, (AxisId, &DimVar)> = BTreeMap::new();
    for (var, (id, _)) in axes {
        let known = first.entry(class(var)).or_insert((*id, var));
        *known = (*known).min((*id, var));
    }
    let mut template = Substitution::default();
    for var in &config.vars {
        let Var::Dim(var) = var else { continue };
        let term = match (first.get(&class(var)), sizes.get(var)) {
            _ if axes.contains_key(var) => continue,
            (Some((_, axis)), _) => (*axis).clone().into(),
            (None, Some(size)) => size.clone().into(),
            (None, None) => continue,
        };
        template.dims.insert(var.clone(), term);
    }
    let rows = config.bindings.rows.iter();
    template.rows = rows
        .map(|(var, value)| (var.clone(), template.row(value)))
        .collect();
    template
}
