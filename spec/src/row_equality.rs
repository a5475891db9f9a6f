//! Def. 4.3, equality `R₁ ≈ R₂`: cases (a) to (d).

use crate::cause::{Cause, Failure};
use crate::configuration::{Configuration, Pending};
use crate::rank_graph::Flank;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar, Var};

type Step = Result<(), Box<Failure>>;

/// Both sides aligned at the outer edges: what overlaps, and the unmatched inner segments.
struct Aligned<'a> {
    pairs: Vec<Constraint>,
    /// The surplus of the left term: leading, trailing.
    left: (&'a [DimTerm], &'a [DimTerm]),
    /// The surplus of the right term.
    right: (&'a [DimTerm], &'a [DimTerm]),
}

fn aligned<'a>(left: &'a RowTerm, right: &'a RowTerm) -> Aligned<'a> {
    let front = left.leading.len().min(right.leading.len());
    let back = left.trailing.len().min(right.trailing.len());
    let cut = |row: &'a RowTerm| {
        (
            &row.leading[front..],
            &row.trailing[..row.trailing.len() - back],
        )
    };
    let equal = |(a, b): (&DimTerm, &DimTerm)| Constraint::DimEq(a.clone(), b.clone());
    let fronts = left.leading.iter().zip(&right.leading).map(equal);
    let backs = left
        .trailing
        .iter()
        .rev()
        .zip(right.trailing.iter().rev())
        .map(equal);
    Aligned {
        pairs: fronts.chain(backs).collect(),
        left: cut(left),
        right: cut(right),
    }
}

/// Dispatches on which sides are open.
pub(crate) fn equality(
    config: &mut Configuration,
    this: &Pending,
    left: &RowTerm,
    right: &RowTerm,
) -> Step {
    match (&left.var, &right.var) {
        (None, None) => re_closed(config, this, left, right),
        (Some(var), None) => re_open_closed(config, this, left, var, right),
        (None, Some(var)) => re_open_closed(config, this, right, var, left),
        (Some(a), Some(b)) if a == b => same_variable(config, this, a, &aligned(left, right)),
        (Some(a), Some(b)) => different_variables(config, this, (a, b), &aligned(left, right)),
    }
}

/// (a) Both closed: the flat zip. Markers are not consulted.
fn re_closed(config: &mut Configuration, this: &Pending, left: &RowTerm, right: &RowTerm) -> Step {
    if left.explicit() != right.explicit() {
        let reason = format!(
            "one row has {} axes, the other {}",
            left.explicit(),
            right.explicit()
        );
        return Err(config.failure(Rule::ReClosed, this, reason));
    }
    let pairs = left
        .axes()
        .zip(right.axes())
        .map(|(a, b)| Constraint::DimEq(a.clone(), b.clone()));
    let pairs: Vec<Constraint> = pairs.collect();
    config.step(Rule::ReClosed, Some(this), &pairs);
    config.emit_all(pairs, &this.cause);
    Ok(())
}

/// (b) One side open: the content of its variable is the uncovered middle of the closed side; the marker goes where
/// the closed side declares it, or to the left edge of the middle.
fn re_open_closed(
    config: &mut Configuration,
    this: &Pending,
    open: &RowTerm,
    var: &RowVar,
    closed: &RowTerm,
) -> Step {
    let flat: Vec<&DimTerm> = closed.axes().collect();
    let Some(middle) = flat.len().checked_sub(open.explicit()) else {
        let reason = format!(
            "the open row has at least {} axes, the closed one {}",
            open.explicit(),
            flat.len()
        );
        return Err(config.failure(Rule::ReOpenClosed, this, reason));
    };
    let (start, end) = (open.leading.len(), open.leading.len() + middle);
    let equal = |(a, b): (&DimTerm, &&DimTerm)| Constraint::DimEq(a.clone(), (*b).clone());
    let mut pairs: Vec<Constraint> = open.leading.iter().zip(&flat[..start]).map(equal).collect();
    pairs.extend(open.trailing.iter().zip(&flat[end..]).map(equal));
    let declared = closed.leading.len();
    let split = if (start..=end).contains(&declared) {
        declared
    } else {
        start
    };
    let term = |terms: &[&DimTerm]| terms.iter().map(|t| (*t).clone()).collect();
    let value = RowTerm::closed(term(&flat[start..split]), term(&flat[split..end]));
    config.step(Rule::ReOpenClosed, Some(this), &pairs);
    // The empty middle has one place for its marker only.
    let placement = if middle == 0 {
        Cause::default()
    } else {
        committed(config, this, Rule::ReOpenClosed, var, &value)
    };
    config.bind_row(
        var.clone(),
        value,
        this.cause.clone(),
        placement.and(&this.cause),
    );
    config.emit_all(pairs, &this.cause);
    Ok(())
}

fn committed(
    config: &mut Configuration,
    this: &Pending,
    rule: Rule,
    var: &RowVar,
    value: &RowTerm,
) -> Cause {
    config.commit(rule, Var::Row(var.clone()), value.to_string(), &this.cause)
}

/// (c) Both open: nested surpluses bind, split ones are deferred.
fn different_variables(
    config: &mut Configuration,
    this: &Pending,
    (a, b): (&RowVar, &RowVar),
    rows: &Aligned,
) -> Step {
    let empty =
        |(leading, trailing): (&[DimTerm], &[DimTerm])| leading.is_empty() && trailing.is_empty();
    if empty(rows.left) {
        re_nested(config, this, a, b, rows.right, &rows.pairs)
    } else if empty(rows.right) {
        re_nested(config, this, b, a, rows.left, &rows.pairs)
    } else {
        let residue = residue(Some(a), Some(b), rows);
        defer(config, Rule::ReSplit, this, residue, &rows.pairs)
    }
}

/// Both surpluses on the side of `inner`: `outer ↦ m_l · ⟨inner⟩ · m_r`.
fn re_nested(
    config: &mut Configuration,
    this: &Pending,
    outer: &RowVar,
    inner: &RowVar,
    (leading, trailing): (&[DimTerm], &[DimTerm]),
    pairs: &[Constraint],
) -> Step {
    let value = RowTerm::open(leading.to_vec(), inner.clone(), trailing.to_vec());
    config.step(Rule::ReNested, Some(this), pairs);
    let placement = committed(config, this, Rule::ReNested, outer, &value);
    // The binding fixes each flank's length only together with the placement (Def. 4.5(1)).
    for (flank, surplus) in [
        (Flank::Leading, leading.len()),
        (Flank::Trailing, trailing.len()),
    ] {
        record(config, this, flank, (outer, inner), surplus, &placement)?;
    }
    config.bind_row(outer.clone(), value, this.cause.clone(), placement);
    config.emit_all(pairs.to_vec(), &this.cause);
    Ok(())
}

/// Records a rank fact, failing when it closes a positive cycle.
pub(crate) fn record(
    config: &mut Configuration,
    this: &Pending,
    flank: Flank,
    (from, to): (&RowVar, &RowVar),
    weight: usize,
    cause: &Cause,
) -> Step {
    if config.literal.unguarded {
        return Ok(());
    }
    // The document's facts speak of ranks: one graph serves for both flanks.
    let flank = if config.literal.rank_facts {
        Flank::Leading
    } else {
        flank
    };
    config
        .ranks
        .record(flank, from, to, weight, cause)
        .map_err(|cause| {
            let side = match flank {
                Flank::Leading => "in front of",
                Flank::Trailing => "behind",
            };
            let around = Pending {
                constraint: this.constraint.clone(),
                cause,
            };
            config.failure(
                Rule::RankCycle,
                &around,
                format!("{from} would need more axes {side} its marker than itself"),
            )
        })
}

/// (d) The same variable on both sides.
fn same_variable(config: &mut Configuration, this: &Pending, var: &RowVar, rows: &Aligned) -> Step {
    let total = |(leading, trailing): (&[DimTerm], &[DimTerm])| leading.len() + trailing.len();
    match (total(rows.left), total(rows.right)) {
        (0, 0) => {
            config.step(Rule::ReSame, Some(this), &rows.pairs);
            config.emit_all(rows.pairs.clone(), &this.cause);
            Ok(())
        }
        (left, right) if left != right => Err(config.failure(
            Rule::ReSame,
            this,
            format!("{var} would have to be longer than itself"),
        )),
        _ => defer(
            config,
            Rule::ReRotational,
            this,
            residue(Some(var), Some(var), rows),
            &rows.pairs,
        ),
    }
}

/// The word equation that is left of two open rows: the surpluses around the variables.
fn residue(left: Option<&RowVar>, right: Option<&RowVar>, rows: &Aligned) -> Constraint {
    let row = |(leading, trailing): (&[DimTerm], &[DimTerm]), var: Option<&RowVar>| RowTerm {
        leading: leading.to_vec(),
        var: var.cloned(),
        trailing: trailing.to_vec(),
    };
    Constraint::RowEq(row(rows.left, left), row(rows.right, right))
}

/// Keeps a word equation until one of its variables is bound.
fn defer(
    config: &mut Configuration,
    rule: Rule,
    this: &Pending,
    residue: Constraint,
    pairs: &[Constraint],
) -> Step {
    config.step(rule, Some(this), pairs);
    config.note_stored(&residue);
    config.deferred.push(Pending {
        constraint: residue,
        cause: this.cause.clone(),
    });
    config.emit_all(pairs.to_vec(), &this.cause);
    Ok(())
}
