//! Def. 4.3, inequality `R_res ⊑ R_op`: cases (i) to (iv), flank by flank.
//!
//! The printed cases compare totals. The marked order (Def. 2.3) fits each flank by itself, so each flank has its own
//! surplus or deficit here, and every explicit operand axis constrains the result position that it faces.

use crate::cause::Failure;
use crate::configuration::{Configuration, Pending};
use crate::printed_inequality;
use crate::rank_graph::Flank;
use crate::row_equality::record;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar};

type Step = Result<(), Box<Failure>>;

/// How many axes the operand's flanks have beyond the result's.
struct Deficit {
    leading: usize,
    trailing: usize,
}

impl Deficit {
    fn of(result: &RowTerm, operand: &RowTerm) -> Deficit {
        Deficit {
            leading: operand.leading.len().saturating_sub(result.leading.len()),
            trailing: operand.trailing.len().saturating_sub(result.trailing.len()),
        }
    }

    fn is_none(&self) -> bool {
        self.leading == 0 && self.trailing == 0
    }
}

/// Dispatches on deficits and on which sides are open.
pub(crate) fn inequality(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
) -> Step {
    if config.literal.rank_facts {
        printed_inequality::record_facts(config, this, result, operand)?;
    } else {
        record_facts(config, this, result, operand)?;
    }
    let deficit = Deficit::of(result, operand);
    match (&result.var, &operand.var) {
        (None, _) if !deficit.is_none() => ri_short(config, this, result, operand),
        (Some(var), _) if !deficit.is_none() => ri_deficit(config, this, var, &deficit),
        (_, None) => ri_closed_operand(config, this, result, operand),
        (_, Some(var)) => ri_cap(config, this, result, operand, var),
    }
}

/// Def. 4.5(2), (3) with its sign discipline: a flank in surplus entails only a nonpositive bound, so nothing.
fn record_facts(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
) -> Step {
    let (Some(low), Some(high)) = (&result.var, &operand.var) else {
        return Ok(());
    };
    let flanks = [
        (
            Flank::Leading,
            operand.leading.len().checked_sub(result.leading.len()),
        ),
        (
            Flank::Trailing,
            operand.trailing.len().checked_sub(result.trailing.len()),
        ),
    ];
    for (flank, weight) in flanks {
        if let Some(weight) = weight {
            record(config, this, flank, (low, high), weight, &this.cause)?;
        }
    }
    Ok(())
}

/// `t_res ⊑ t_op` at each explicit operand axis, from the outer edges. The result's flanks are long enough.
pub(crate) fn facing(result: &RowTerm, operand: &RowTerm) -> Vec<Constraint> {
    let below = |(low, high): (&DimTerm, &DimTerm)| Constraint::DimLe(low.clone(), high.clone());
    let fronts = result.leading.iter().zip(&operand.leading).map(below);
    let backs = result
        .trailing
        .iter()
        .rev()
        .zip(operand.trailing.iter().rev())
        .map(below);
    fronts.chain(backs).collect()
}

/// (i) The operand is open: the result's interior residue is a cap on its variable.
pub(crate) fn ri_cap(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
    var: &RowVar,
) -> Step {
    let pairs = facing(result, operand);
    config.step(Rule::RiCap, Some(this), &pairs);
    let residue = RowTerm {
        leading: result.leading[operand.leading.len()..].to_vec(),
        var: result.var.clone(),
        trailing: result.trailing[..result.trailing.len() - operand.trailing.len()].to_vec(),
    };
    // `⟨ρ⟩ ⊑ ⟨ρ⟩` says nothing.
    if residue != RowTerm::from(var.clone()) {
        let cap = Constraint::RowLe(residue, var.clone().into());
        config.note_stored(&cap);
        config.bounds.record(cap, this.cause.clone());
    }
    config.emit_all(pairs, &this.cause);
    Ok(())
}

/// (ii) The operand is closed: what the result has beyond its flanks faces inserted units.
fn ri_closed_operand(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
) -> Step {
    let pairs = facing(result, operand);
    config.step(Rule::RiClosedOperand, Some(this), &pairs);
    config.emit_all(pairs, &this.cause);
    Ok(())
}

/// (iii) The result is closed and a flank of it is shorter than the operand's.
fn ri_short(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
) -> Step {
    let (side, has, needs) = if result.leading.len() < operand.leading.len() {
        ("in front of", result.leading.len(), operand.leading.len())
    } else {
        ("behind", result.trailing.len(), operand.trailing.len())
    };
    let reason = format!("the result has {has} axes {side} its marker, the operand needs {needs}");
    Err(config.failure(Rule::RiShort, this, reason))
}

/// (iv) The result is open and a flank of it is shorter: it grows by exactly that flank's deficit, then the
/// constraint is read again, at once. Were it put back into flight, the fact that ties the new variable to the
/// operand's could come too late for ever: `docs/errata.md`, the Detection Lemma.
fn ri_deficit(config: &mut Configuration, this: &Pending, var: &RowVar, deficit: &Deficit) -> Step {
    let mut flank = |count: usize| -> Vec<DimTerm> {
        (0..count)
            .map(|_| DimTerm::Var(config.fresh_dim(var.name())))
            .collect()
    };
    let (leading, trailing) = (flank(deficit.leading), flank(deficit.trailing));
    let rest = config.fresh_row(var.name());
    let value = RowTerm::open(leading, rest.clone(), trailing);
    config.step(
        Rule::RiDeficit,
        Some(this),
        std::slice::from_ref(&this.constraint),
    );
    for (flank, length) in [
        (Flank::Leading, deficit.leading),
        (Flank::Trailing, deficit.trailing),
    ] {
        record(config, this, flank, (var, &rest), length, &this.cause)?;
    }
    // Flank fit entails both the growth and its side of the marker.
    config.bind_row(var.clone(), value, this.cause.clone(), this.cause.clone());
    if config.literal.requeue {
        config.emit(this.constraint.clone(), this.cause.clone());
        return Ok(());
    }
    if config.literal.unguarded || config.literal.rank_facts {
        // Without the cycle check of each flank this may go on for ever: not on the stack.
        let again = Pending {
            constraint: this.constraint.clone(),
            cause: this.cause.clone(),
        };
        config.pending.push_front(again);
        return Ok(());
    }
    let grown = config.substituted(this);
    match &grown.constraint {
        Constraint::RowLe(result, operand) => inequality(config, &grown, result, operand),
        _ => Ok(()),
    }
}

/// The one-shot reading (Rem. 2.15(ii)) of `R_res ⊑ R_op`: the result is its flat content, so its axes face the
/// operand's across its own marker.
pub(crate) fn one_shot(
    config: &mut Configuration,
    this: &Pending,
    result: &RowTerm,
    operand: &RowTerm,
) -> Step {
    match &result.var {
        None => {
            let Some(flat) = one_shot_split(result, operand) else {
                let reason = format!(
                    "the result has {} axes, the operand needs {}",
                    result.explicit(),
                    operand.explicit()
                );
                return Err(config.failure(Rule::RiShort, this, reason));
            };
            match &operand.var {
                None => ri_closed_operand(config, this, &flat, operand),
                Some(var) => ri_cap(config, this, &flat, operand, var),
            }
        }
        Some(_) if Deficit::of(result, operand).is_none() => match &operand.var {
            None => ri_closed_operand(config, this, result, operand),
            Some(var) => ri_cap(config, this, result, operand, var),
        },
        // Which result axes a longer operand flank faces depends on the rank of the result's variable.
        Some(_) => {
            config.step(Rule::RiDeficit, Some(this), &[]);
            config.note_stored(&this.constraint);
            config.deferred.push(Pending {
                constraint: this.constraint.clone(),
                cause: this.cause.clone(),
            });
            Ok(())
        }
    }
}

/// The closed result with its marker where the operand's flanks fit. `None` when it has too few axes.
fn one_shot_split(result: &RowTerm, operand: &RowTerm) -> Option<RowTerm> {
    let flat: Vec<DimTerm> = result.axes().cloned().collect();
    let trailing_start = flat.len().checked_sub(operand.trailing.len())?;
    let split = result
        .leading
        .len()
        .clamp(operand.leading.len().min(trailing_start), trailing_start);
    (operand.leading.len() <= trailing_start)
        .then(|| RowTerm::closed(flat[..split].to_vec(), flat[split..].to_vec()))
}

/// How many axes a deferred one-shot inequality asks of the result's variable at least.
pub(crate) fn one_shot_deficit(result: &RowTerm, operand: &RowTerm) -> usize {
    operand.explicit().saturating_sub(result.explicit())
}
