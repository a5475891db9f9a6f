//! Def. 4.3(i) to (iv) and Def. 4.5 as printed: both sides compared by the totals of their flanks. Run only by
//! [`crate::literal::Literal`].

use crate::cause::Failure;
use crate::configuration::{Configuration, Pending};
use crate::rank_graph::Flank;
use crate::row_equality::record;
use crate::row_inequality::facing;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar};

type Step = Result<(), Box<Failure>>;

/// Dispatches as printed: on whether the result "supplies" the operand's flanks, in number.
pub(crate) fn inequality(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
) -> Step {
    record_facts(config, this, result, operand)?;
    let deficit = operand.explicit().saturating_sub(result.explicit());
    match (&result.var, &operand.var) {
        (None, _) if deficit > 0 => {
            let reason = format!("the result is shorter by {deficit} axes");
            Err(config.failure(Rule::RiShort, this, reason))
        }
        (Some(var), _) if deficit > 0 => grow(config, this, var, (result, operand), deficit),
        (_, None) => {
            let pairs = facing(result, operand);
            config.step(Rule::RiClosedOperand, Some(this), &pairs);
            config.emit_all(pairs, &this.cause);
            Ok(())
        }
        (_, Some(var)) => cap(config, this, (result, operand), var),
    }
}

/// Def. 4.5(2), (3): a weight of 0 at equal totals, the deficit otherwise, nothing at a surplus.
pub(crate) fn record_facts(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
) -> Step {
    if let (Some(low), Some(high)) = (&result.var, &operand.var)
        && let Some(weight) = operand.explicit().checked_sub(result.explicit())
    {
        record(
            config,
            this,
            Flank::Leading,
            (low, high),
            weight,
            &this.cause,
        )?;
    }
    Ok(())
}

/// (i): what the overlaps leave of the result is the cap.
fn cap(
    config: &mut Configuration,
    this: &Pending,
    (result, operand): (&RowTerm, &RowTerm),
    var: &RowVar,
) -> Step {
    let pairs = facing(result, operand);
    let front = operand.leading.len().min(result.leading.len());
    let back = operand.trailing.len().min(result.trailing.len());
    let residue = RowTerm {
        leading: result.leading[front..].to_vec(),
        var: result.var.clone(),
        trailing: result.trailing[..result.trailing.len() - back].to_vec(),
    };
    config.step(Rule::RiCap, Some(this), &pairs);
    if residue != RowTerm::from(var.clone()) {
        let cap = Constraint::RowLe(residue, var.clone().into());
        config.note_stored(&cap);
        config.bounds.record(cap, this.cause.clone());
    }
    config.emit_all(pairs, &this.cause);
    Ok(())
}

/// (iv): as many axes as clear the total deficit, those of the leading flank first.
fn grow(
    config: &mut Configuration,
    this: &Pending,
    var: &RowVar,
    (result, operand): (&RowTerm, &RowTerm),
    deficit: usize,
) -> Step {
    let front = operand
        .leading
        .len()
        .saturating_sub(result.leading.len())
        .min(deficit);
    let mut flank = |count: usize| -> Vec<DimTerm> {
        (0..count)
            .map(|_| DimTerm::Var(config.fresh_dim(var.name())))
            .collect()
    };
    let (leading, trailing) = (flank(front), flank(deficit - front));
    let rest = config.fresh_row(var.name());
    config.step(
        Rule::RiDeficit,
        Some(this),
        std::slice::from_ref(&this.constraint),
    );
    record(
        config,
        this,
        Flank::Leading,
        (var, &rest),
        deficit,
        &this.cause,
    )?;
    let value = RowTerm::open(leading, rest, trailing);
    config.bind_row(var.clone(), value, this.cause.clone(), this.cause.clone());
    if config.literal.requeue || config.literal.unguarded {
        config.emit(this.constraint.clone(), this.cause.clone());
        return Ok(());
    }
    let grown = config.substituted(this);
    match &grown.constraint {
        Constraint::RowLe(result, operand) => inequality(config, &grown, result, operand),
        _ => Ok(()),
    }
}
