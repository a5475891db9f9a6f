//! Constraint sets with several biases, chosen so that most sets are not decided early.

use arbitrary::{Result, Unstructured};
use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Order, Row, RowTerm, RowVar,
};

use super::plausible::plausible;
use super::{Knobs, constraint, declared, dim, letter, row};

/// The bias with which a set is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// None: every constraint is drawn independently.
    Free,
    /// A solution is drawn first, then constraints that it satisfies.
    Satisfiable,
    /// Each constraint shares a variable with the one before.
    Interacting,
    /// Equations between open rows: word equations are deferred.
    Deferring,
    /// Many closed rows and constants below few variables: caps meet and become the unit.
    Collapsing,
    /// Inequalities in a cycle of row variables: rank cycles, growth, antisymmetry.
    Cyclic,
}

impl Bias {
    /// The distribution of biases; free and satisfiable sets are drawn most often.
    const DRAWN: [Bias; 8] = [
        Bias::Free,
        Bias::Satisfiable,
        Bias::Satisfiable,
        Bias::Satisfiable,
        Bias::Interacting,
        Bias::Deferring,
        Bias::Collapsing,
        Bias::Cyclic,
    ];
}

/// Draws the sets of campaigns for targets that solve: up to 6 constraints, flanks up to 3, 3 variables of each sort, 2
/// atoms.
///
/// # Errors
/// Never for lack of bytes.
pub fn solving(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    drawn(u, false)
}

/// Draws the same, with variables declared as leaves and parameters.
///
/// # Errors
/// Never for lack of bytes.
pub fn closing(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    drawn(u, true)
}

fn drawn(u: &mut Unstructured<'_>, tags: bool) -> Result<ConstraintSet> {
    let bias = *u.choose(&Bias::DRAWN)?;
    let knobs = Knobs {
        constraints: u.int_in_range(2..=6)?,
        flank: u.int_in_range(1..=3)?,
        dim_vars: u.int_in_range(1..=3)?,
        row_vars: u.int_in_range(1..=3)?,
        atoms: u.int_in_range(1..=2)?,
        tags,
    };
    biased(u, &knobs, bias)
}

/// Draws a constraint set with this bias.
///
/// # Errors
/// Never for lack of bytes.
pub fn biased(u: &mut Unstructured<'_>, knobs: &Knobs, bias: Bias) -> Result<ConstraintSet> {
    let count = u.int_in_range(1..=knobs.constraints.max(1))?;
    let knobs = match bias {
        Bias::Interacting => &Knobs {
            dim_vars: 1,
            row_vars: 2,
            ..*knobs
        },
        _ => knobs,
    };
    let ground = match bias {
        Bias::Satisfiable => Some(solution(u, knobs)?),
        _ => None,
    };
    let mut constraints = Vec::new();
    for at in 0..count {
        constraints.push(likely(u, knobs, |u| match (bias, &ground) {
            (_, Some(ground)) => satisfied(u, knobs, ground),
            (Bias::Interacting, _) => open_constraint(u, knobs),
            (Bias::Deferring, _) => deferring(u, knobs, at),
            (Bias::Collapsing, _) => cap(u, knobs),
            (Bias::Cyclic, _) => link(u, knobs, at, count),
            (Bias::Free | Bias::Satisfiable, _) => constraint(u, knobs),
        })?);
    }
    declared(u, knobs, constraints)
}

/// Draws a plausible constraint. At most three are drawn; if none is plausible, one that always has a solution is
/// taken.
fn likely(
    u: &mut Unstructured<'_>,
    knobs: &Knobs,
    mut draw: impl FnMut(&mut Unstructured<'_>) -> Result<Constraint>,
) -> Result<Constraint> {
    for _ in 0..3 {
        let drawn = draw(u)?;
        if plausible(&drawn) {
            return Ok(drawn);
        }
    }
    let vars = knobs.row_vars.max(1) - 1;
    let (result, operand) = (u.int_in_range(0..=vars)?, u.int_in_range(0..=vars)?);
    Ok(Constraint::RowLe(
        row_var(result).into(),
        row_var(operand).into(),
    ))
}

fn row_var(number: usize) -> RowVar {
    RowVar::new(&letter(b'r', number))
}

/// Values for all variables, with up to 2 axes on each flank.
fn solution(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<Ground> {
    let mut ground = Ground::default();
    for number in 0..knobs.dim_vars {
        let value = value(u, knobs)?;
        ground
            .dims
            .insert(DimVar::new(&letter(b'a', number)), value);
    }
    for number in 0..knobs.row_vars {
        let mut flank = || -> Result<Vec<Dim>> {
            let length = u.int_in_range(0..=2)?;
            (0..length).map(|_| value(u, knobs)).collect()
        };
        let row = Row::new(flank()?, flank()?);
        ground.rows.insert(row_var(number), row);
    }
    Ok(ground)
}

fn value(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<Dim> {
    if u.ratio(1, 4)? {
        return Ok(Dim::Unit);
    }
    let size = 2 + u.int_in_range(0..=knobs.atoms.saturating_sub(1))?;
    Ok(Dim::new(size).unwrap_or(Dim::Unit))
}

/// Draws a constraint that the values satisfy: one drawn freely if they happen to satisfy it, else one built from the
/// values.
fn satisfied(u: &mut Unstructured<'_>, knobs: &Knobs, ground: &Ground) -> Result<Constraint> {
    for _ in 0..2 {
        let drawn = constraint(u, knobs)?;
        if ground.satisfies(&drawn, Order::Marked) == Some(true) {
            return Ok(drawn);
        }
    }
    let term = row(u, knobs)?;
    let Some(value) = ground.row(&term) else {
        return Ok(Constraint::RowEq(term.clone(), term));
    };
    if u.ratio(1, 3)? {
        return Ok(Constraint::RowEq(term, equal_term(u, ground, &value)?));
    }
    let above = above_term(u, ground, &value)?;
    Ok(Constraint::RowLe(term, above))
}

/// Draws a dimension, or a variable that has it.
fn named(u: &mut Unstructured<'_>, ground: &Ground, dim: &Dim) -> Result<DimTerm> {
    let vars: Vec<&DimVar> = ground
        .dims
        .iter()
        .filter(|(_, value)| *value == dim)
        .map(|(var, _)| var)
        .collect();
    if vars.is_empty() || u.ratio(1, 3)? {
        return Ok(dim.clone().into());
    }
    Ok((*u.choose(&vars)?).clone().into())
}

fn named_all(u: &mut Unstructured<'_>, ground: &Ground, dims: &[Dim]) -> Result<Vec<DimTerm>> {
    dims.iter().map(|dim| named(u, ground, dim)).collect()
}

/// Draws a term with the same flat content: around a row variable whose content it holds somewhere, or closed.
fn equal_term(u: &mut Unstructured<'_>, ground: &Ground, value: &Row) -> Result<RowTerm> {
    let flat = value.flat();
    let inside: Vec<(&RowVar, usize, usize)> = ground
        .rows
        .iter()
        .flat_map(|(var, row)| {
            let word = row.flat();
            let starts = (0..=flat.len().saturating_sub(word.len())).filter({
                let (flat, word) = (&flat, word.clone());
                move |at| flat[*at..].starts_with(&word)
            });
            let found: Vec<usize> = starts.collect();
            found.into_iter().map(move |at| (var, at, word.len()))
        })
        .collect();
    if inside.is_empty() || u.ratio(1, 4)? {
        let cut = u.int_in_range(0..=flat.len())?;
        let (leading, trailing) = flat.split_at(cut);
        let (leading, trailing) = (
            named_all(u, ground, leading)?,
            named_all(u, ground, trailing)?,
        );
        return Ok(RowTerm::closed(leading, trailing));
    }
    let (var, at, length) = *u.choose(&inside)?;
    let leading = named_all(u, ground, &flat[..at])?;
    let trailing = named_all(u, ground, &flat[at + length..])?;
    Ok(RowTerm::open(leading, var.clone(), trailing))
}

/// Draws a term above a row: with shorter flanks and some axes replaced by the unit, around a row variable where one
/// fits.
fn above_term(u: &mut Unstructured<'_>, ground: &Ground, value: &Row) -> Result<RowTerm> {
    let leading = u.int_in_range(0..=value.leading.len())?;
    let trailing = u.int_in_range(0..=value.trailing.len())?;
    let first = value.trailing.len() - trailing;
    let mut axes = |dims: &[Dim]| -> Result<Vec<DimTerm>> {
        let above = dims.iter().map(|dim| {
            let unit = u.ratio(1, 4)?;
            named(u, ground, if unit { &Dim::Unit } else { dim })
        });
        above.collect()
    };
    let (leading, trailing) = (
        axes(&value.leading[..leading])?,
        axes(&value.trailing[first..])?,
    );
    let closed = RowTerm::closed(leading.clone(), trailing.clone());
    let around = |var: &RowVar| RowTerm::open(leading.clone(), var.clone(), trailing.clone());
    let fits = |term: &RowTerm| ground.row(term).is_some_and(|above| value.below(&above));
    let open: Vec<RowTerm> = ground.rows.keys().map(around).filter(fits).collect();
    if open.is_empty() || u.ratio(1, 4)? {
        return Ok(closed);
    }
    u.choose(&open).cloned()
}

/// Draws a row around a variable.
fn open_row(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<RowTerm> {
    let number = u.int_in_range(0..=knobs.row_vars.max(1) - 1)?;
    Ok(RowTerm {
        var: Some(row_var(number)),
        ..row(u, knobs)?
    })
}

fn open_constraint(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<Constraint> {
    let open = open_row(u, knobs)?;
    Ok(match u.int_in_range(0..=3)? {
        0 => Constraint::RowEq(open, row(u, knobs)?),
        1 => Constraint::RowLe(row(u, knobs)?, open),
        _ => Constraint::RowLe(open, row(u, knobs)?),
    })
}

/// Draws mostly an equation with surpluses on opposite sides, occasionally a constraint that resolves one.
fn deferring(u: &mut Unstructured<'_>, knobs: &Knobs, at: usize) -> Result<Constraint> {
    if at > 0 && u.ratio(1, 2)? {
        return open_constraint(u, knobs);
    }
    let mut axes = || -> Result<Vec<DimTerm>> {
        let length = u.int_in_range(1..=knobs.flank.max(1))?;
        (0..length).map(|_| dim(u, knobs)).collect()
    };
    let (leading, trailing) = (axes()?, axes()?);
    let vars = knobs.row_vars.max(1) - 1;
    let (left, right) = (u.int_in_range(0..=vars)?, u.int_in_range(0..=vars)?);
    Ok(Constraint::RowEq(
        RowTerm::open(leading, row_var(left), Vec::new()),
        RowTerm::open(Vec::new(), row_var(right), trailing),
    ))
}

/// Draws a closed row or a constant below a variable, or two variables in order.
fn cap(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<Constraint> {
    let vars = knobs.row_vars.max(1) - 1;
    let above = RowTerm::from(row_var(u.int_in_range(0..=vars)?));
    if u.ratio(1, 3)? {
        let below = RowTerm::from(row_var(u.int_in_range(0..=vars)?));
        return Ok(Constraint::RowLe(below, above));
    }
    if u.ratio(1, 4)? {
        let var = DimVar::new(&letter(
            b'a',
            u.int_in_range(0..=knobs.dim_vars.max(1) - 1)?,
        ));
        return Ok(Constraint::DimLe(dim(u, knobs)?, var.into()));
    }
    let mut below = row(u, knobs)?;
    below.var = None;
    Ok(Constraint::RowLe(below, above))
}

/// Draws one of the inequalities of a cycle.
fn link(u: &mut Unstructured<'_>, knobs: &Knobs, at: usize, count: usize) -> Result<Constraint> {
    if u.ratio(1, 6)? {
        return open_constraint(u, knobs);
    }
    let vars = knobs.row_vars.max(1);
    let (from, to) = (row_var(at % vars), row_var((at + 1) % count % vars));
    let mut around = |var: RowVar| -> Result<RowTerm> {
        let mut short = || -> Result<Vec<DimTerm>> {
            let length = u.int_in_range(0..=2)? / 2;
            (0..length).map(|_| dim(u, knobs)).collect()
        };
        let (leading, trailing) = (short()?, short()?);
        Ok(RowTerm::open(leading, var, trailing))
    };
    let (result, operand) = (around(from)?, around(to)?);
    Ok(Constraint::RowLe(result, operand))
}
