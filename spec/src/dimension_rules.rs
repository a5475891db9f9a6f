//! Def. 4.2: the dimension rules, and the admissible DI-antisym of §10.

use std::collections::BTreeMap;

use crate::cause::{Cause, Failure};
use crate::configuration::{Configuration, Pending};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar};

use DimTerm::{Const, Var};

type Step = Result<(), Box<Failure>>;

/// `t = t'`
pub(crate) fn equality(
    config: &mut Configuration,
    this: &Pending,
    left: &DimTerm,
    right: &DimTerm,
) -> Step {
    match (left, right) {
        (t, u) if t == u => de_refl(config, this),
        (Const(a), Const(b)) => de_clash(config, this, a, b),
        (Var(var), term) | (term, Var(var)) => de_bind(config, this, var, term),
    }
}

/// `t ⊑ t'`
pub(crate) fn inequality(
    config: &mut Configuration,
    this: &Pending,
    result: &DimTerm,
    operand: &DimTerm,
) -> Step {
    match (result, operand) {
        (_, Const(Dim::Unit)) => di_top(config, this),
        (t, u) if t == u => di_refl(config, this),
        (Const(low), Const(high)) => di_ground(config, this, low, high),
        (Var(_), Const(_)) => di_pin(config, this, result, operand),
        (Const(Dim::Unit), Var(_)) => di_pin_top(config, this, operand),
        (Const(atom), Var(var)) => di_cap(config, this, atom, var),
        (Var(low), Var(high)) => di_adj(config, this, low, high),
    }
}

fn de_refl(config: &mut Configuration, this: &Pending) -> Step {
    config.step(Rule::DeRefl, Some(this), &[]);
    Ok(())
}

fn de_clash(config: &mut Configuration, this: &Pending, a: &Dim, b: &Dim) -> Step {
    Err(config.failure(
        Rule::DeClash,
        this,
        format!("the dimensions {a} and {b} cannot be equal"),
    ))
}

fn de_bind(config: &mut Configuration, this: &Pending, var: &DimVar, term: &DimTerm) -> Step {
    config.step(Rule::DeBind, Some(this), &[]);
    config.bind_dim(var.clone(), term.clone(), this.cause.clone());
    Ok(())
}

fn di_top(config: &mut Configuration, this: &Pending) -> Step {
    config.step(Rule::DiTop, Some(this), &[]);
    Ok(())
}

fn di_refl(config: &mut Configuration, this: &Pending) -> Step {
    config.step(Rule::DiRefl, Some(this), &[]);
    Ok(())
}

/// Two different constants, the upper one an atom: Def. 1.2 does not hold of them.
fn di_ground(config: &mut Configuration, this: &Pending, low: &Dim, high: &Dim) -> Step {
    let reason = format!(
        "an axis {low} of the result faces an axis {high} of the operand, which only {high} can"
    );
    Err(config.failure(Rule::DiGround, this, reason))
}

fn di_pin(config: &mut Configuration, this: &Pending, result: &DimTerm, operand: &DimTerm) -> Step {
    replace(
        config,
        Rule::DiPin,
        this,
        Constraint::DimEq(result.clone(), operand.clone()),
        &this.cause,
    )
}

fn di_pin_top(config: &mut Configuration, this: &Pending, operand: &DimTerm) -> Step {
    replace(
        config,
        Rule::DiPinTop,
        this,
        Constraint::DimEq(operand.clone(), Const(Dim::Unit)),
        &this.cause,
    )
}

/// Record the first atom below a variable; a different second one makes it the unit.
fn di_cap(config: &mut Configuration, this: &Pending, atom: &Dim, var: &DimVar) -> Step {
    match config.bounds.lower_bound(var) {
        None => {
            config
                .bounds
                .record(this.constraint.clone(), this.cause.clone());
            let onward = forwarded(config, var);
            let emitted: Vec<Constraint> = onward.iter().map(|(c, _)| c.clone()).collect();
            config.step(Rule::DiCap, Some(this), &emitted);
            config.note_stored(&this.constraint);
            onward
                .into_iter()
                .for_each(|(c, cause)| config.emit(c, cause));
            Ok(())
        }
        Some((known, _)) if known == atom => {
            config.step(Rule::DiCap, Some(this), &[]);
            Ok(())
        }
        Some((_, known_cause)) => {
            let cause = this.cause.and(known_cause);
            let top = Constraint::DimEq(Var(var.clone()), Const(Dim::Unit));
            replace(config, Rule::DiCap, this, top, &cause)
        }
    }
}

/// Defer `α ⊑ β`; what is below α is below β (caps travel), and a cycle is an equality.
fn di_adj(config: &mut Configuration, this: &Pending, low: &DimVar, high: &DimVar) -> Step {
    if let Some(back) = path(config, high, low) {
        let cause = this.cause.and(&back);
        let equal = Constraint::DimEq(Var(low.clone()), Var(high.clone()));
        return replace(config, Rule::DiAntisym, this, equal, &cause);
    }
    config
        .bounds
        .record(this.constraint.clone(), this.cause.clone());
    let mut emitted = Vec::new();
    if let Some((atom, cause)) = config.bounds.lower_bound(low)
        && !config.literal.caps_stay
    {
        let onward = Constraint::DimLe(Const(atom.clone()), Var(high.clone()));
        let cause = cause.and(&this.cause);
        emitted.push(onward.clone());
        config.emit(onward, cause);
    }
    config.step(Rule::DiAdj, Some(this), &emitted);
    config.note_stored(&this.constraint);
    Ok(())
}

fn replace(
    config: &mut Configuration,
    rule: Rule,
    this: &Pending,
    by: Constraint,
    cause: &Cause,
) -> Step {
    config.step(rule, Some(this), std::slice::from_ref(&by));
    config.emit(by, cause.clone());
    Ok(())
}

/// The atom below α as a cap of everything above α.
fn forwarded(config: &Configuration, var: &DimVar) -> Vec<(Constraint, Cause)> {
    let Some((atom, cause)) = config.bounds.lower_bound(var) else {
        return Vec::new();
    };
    if config.literal.caps_stay {
        return Vec::new();
    }
    let above = config.bounds.adjacencies().filter(|(low, ..)| *low == var);
    let forward = |(_, high, edge): (&DimVar, &DimVar, &Cause)| {
        (
            Constraint::DimLe(Const(atom.clone()), Var(high.clone())),
            cause.and(edge),
        )
    };
    above.map(forward).collect()
}

/// A chain of stored inequalities from `low` up to `high`, as its cause.
fn path(config: &Configuration, low: &DimVar, high: &DimVar) -> Option<Cause> {
    let mut before: BTreeMap<&DimVar, Option<(&DimVar, &Cause)>> = BTreeMap::from([(low, None)]);
    let mut work = vec![low];
    while let Some(var) = work.pop() {
        for (low, above, cause) in config.bounds.adjacencies() {
            if low == var && !before.contains_key(above) {
                before.insert(above, Some((var, cause)));
                work.push(above);
            }
        }
    }
    let mut cause = Cause::default();
    let mut at = *before.get(high)?;
    while let Some((var, edge)) = at {
        cause.join(edge);
        at = before[var];
    }
    Some(cause)
}
