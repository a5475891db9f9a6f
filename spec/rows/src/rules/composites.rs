//! §8: concatenations and products. The document has no rules for them; these steps keep the set of solutions.
//!
//! They read sizes and wait in the same way as the rules of windows ([`super::windows`]).

use std::num::NonZeroU64;

use crate::cause::Cause;
use crate::clash::Clash;
use crate::firing::{Choice, Firing, by};
use crate::records::has_size;
use crate::rules::windows::{known_size, mark};
use crate::sizes::Sizes;
use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::elements::Elements;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::DimTerm;

/// `t = a ^ …`, `n = a * …`
pub fn compose(stated: &Composite, sizes: Sizes) -> Firing {
    let (rule, atoms): (Rule, Vec<&DimTerm>) = match stated.composition {
        Composition::Concat => (Rule::CoAtom, stated.axes().collect()),
        Composition::Product => (Rule::PrAtom, vec![&stated.whole]),
    };
    for axis in atoms {
        match axis {
            // CO-atom    t or a part is 1∅           fail
            // PR-atom    n is 1∅                     fail
            DimTerm::Const(Dim::Unit) => {
                let words = match stated.composition {
                    Composition::Concat => "1_ is no part of an axis",
                    Composition::Product => "1_ is no product of axes",
                };
                return by(rule).fails(Clash::Sizes(words.into()));
            }
            // CO-atom, PR-atom   a variable          record that it is an atom
            DimTerm::Var(var) if sizes.atom(var).is_none() => {
                return mark(rule, var, sizes).then_again();
            }
            _ => {}
        }
    }
    basis(stated, sizes)
        .or_else(|| size(stated, sizes))
        .unwrap_or_else(|| by(Rule::ArResidue).defers(Constraint::Composite(stated.clone())))
}

/// `n = a * |R|`
///
/// Once R is closed this is a product of its axes. While R is open, only the axes that are written are known to be
/// factors.
pub fn count(stated: &Elements, sizes: Sizes) -> Firing {
    if let Some(product) = stated.closed() {
        return compose(&product, sizes);
    }
    match &stated.whole {
        // PR-atom    n is 1∅                     fail
        DimTerm::Const(Dim::Unit) => {
            return by(Rule::PrAtom).fails(Clash::Sizes("1_ is no product of axes".into()));
        }
        // PR-atom    a variable                  record that it is an atom
        DimTerm::Var(var) if sizes.atom(var).is_none() => {
            return mark(Rule::PrAtom, var, sizes).then_again();
        }
        _ => {}
    }
    not_divided(stated, sizes)
        .unwrap_or_else(|| by(Rule::ArResidue).defers(Constraint::Elements(stated.clone())))
}

/// PR-factor    n is not a multiple of the factors that are written, whatever R has between its flanks   fail
fn not_divided(stated: &Elements, sizes: Sizes) -> Option<Firing> {
    let (whole, why) = sizes.size(&stated.whole)?;
    let mut cause = why;
    let mut divisor = 1u128;
    for axis in stated.written().skip(1) {
        let (size, why) = sizes.size(axis)?;
        cause.join(&why);
        divisor = divisor.saturating_mul(size.into());
    }
    let rest = u128::from(whole) % divisor;
    let words = format!("{whole} is not {divisor} times anything (remainder {rest})");
    let fails = by(Rule::PrFactor).because(&cause);
    (rest != 0).then(|| fails.fails(Clash::Sizes(words)))
}

/// A concatenation and its parts have one basis.
fn basis(stated: &Composite, sizes: Sizes) -> Option<Firing> {
    if stated.composition == Composition::Product {
        return None;
    }
    let mut found: Option<(Basis, Cause)> = None;
    for axis in stated.axes() {
        found = match (found, sizes.basis(axis)) {
            // CO-basis   t of basis b, a of basis b' ≠ b     fail
            (Some((one, why)), Some((other, because))) if one != other => {
                let words = format!("an axis of {} has a part of {}", one.name(), other.name());
                let fails = by(Rule::CoBasis).because(&why).because(&because);
                return Some(fails.fails(Clash::Sizes(words)));
            }
            (known, other) => known.or(other),
        };
    }
    let (basis, cause) = found?;
    // CO-basis   t or a part = α, sz(α) = n, basis b    bind α ↦ n_b
    stated.axes().find_map(|axis| {
        let DimTerm::Var(var) = axis else { return None };
        let (size, why) = sizes.size(axis)?;
        let dim = Dim::based(size, basis.clone())?;
        let known = by(Rule::CoBasis).because(&cause).because(&why);
        let bound = known.binds_dim(var, dim.into(), Choice::Nothing);
        Some(bound.then_again())
    })
}

/// Concludes the only open size from the others.
fn size(stated: &Composite, sizes: Sizes) -> Option<Firing> {
    let known: Vec<Option<(u64, Cause)>> = stated.axes().map(|axis| sizes.size(axis)).collect();
    let mut cause = Cause::default();
    known.iter().flatten().for_each(|(_, why)| cause.join(why));
    let numbers: Vec<Option<u64>> = known
        .iter()
        .map(|size| size.as_ref().map(|(size, _)| *size))
        .collect();
    let open: Vec<usize> = (0..numbers.len())
        .filter(|at| numbers[*at].is_none())
        .collect();
    let rule = match (stated.composition, open.as_slice()) {
        (Composition::Concat, [] | [0]) => Rule::CoWhole,
        (Composition::Concat, [_]) => Rule::CoPart,
        (Composition::Product, [] | [0]) => Rule::PrWhole,
        (Composition::Product, [_]) => Rule::PrFactor,
        _ => return None,
    };
    let total = stated
        .composition
        .total(numbers[1..].iter().flatten().copied())?;
    let fails = |words: String| by(rule).because(&cause).fails(Clash::Sizes(words));
    let (at, size) = match (numbers[0], open.first()) {
        // CO-whole, PR-whole   all sizes known       check, else fail
        (Some(whole), None) if u128::from(whole) != total => {
            let sign = format!(" {} ", stated.composition.sign());
            let parts: Vec<String> = numbers[1..].iter().flatten().map(u64::to_string).collect();
            return Some(fails(format!("{whole} is not {}", parts.join(&sign))));
        }
        (Some(_), None) => {
            // Of a factor only the size matters; of a part of a concatenation the basis matters as well.
            let settled = match stated.composition {
                Composition::Concat => stated.axes().all(|axis| axis.ground().is_some()),
                Composition::Product => true,
            };
            return settled.then(|| by(rule));
        }
        // CO-whole, PR-whole   all sizes known but that of the whole
        (None, Some(at)) => (*at, total),
        // CO-part, PR-factor   all sizes known but that of one
        (Some(whole), Some(at)) => match rest(stated.composition, u128::from(whole), total) {
            Ok(size) => (*at, size),
            Err(words) => return Some(fails(words)),
        },
        (None, None) => return None,
    };
    let size = u64::try_from(size).ok().and_then(NonZeroU64::new)?;
    let DimTerm::Var(var) = stated.axes().nth(at)? else {
        return None;
    };
    let solved = by(rule).because(&cause).stores(has_size(var, size));
    Some(known_size(solved, var, size, sizes).then_again())
}

/// Returns the part of the whole that the known parts, of this total, leave for the unknown one.
///
/// # Errors
/// In words, when they leave nothing.
fn rest(composition: Composition, whole: u128, total: u128) -> Result<u128, String> {
    match composition {
        Composition::Concat if whole <= total => {
            Err(format!("an axis of {whole} has no room beside {total}"))
        }
        Composition::Concat => Ok(whole - total),
        Composition::Product => match whole % total {
            0 => Ok(whole / total),
            rest => Err(format!(
                "{whole} is not {total} times anything (remainder {rest})"
            )),
        },
    }
}
