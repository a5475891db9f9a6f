//! §8: windows and bounds of sizes. The document has no rules for them; these steps keep the set of solutions.
//!
//! B records that a variable is an atom, and its size ([`crate::records`]). A window from which nothing more follows
//! for now waits. Waiting windows are read again whenever one of their variables is bound or a size becomes known. The
//! sizes that they still leave open are decided as a whole ([`crate::residue`]).

use std::num::NonZeroU64;

use crate::cause::Cause;
use crate::clash::Clash;
use crate::firing::{Choice, Firing, by};
use crate::records::{has_size, is_atom};
use crate::sizes::Sizes;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar};
use lozenge_vocabulary::window::{Mode, Window};

/// Records that α is an atom, and emits the bounds below it again.
pub(super) fn mark(rule: Rule, var: &DimVar, sizes: Sizes) -> Firing {
    by(rule).stores(is_atom(var)).forwards(sizes.below(var))
}

/// `a >= m`
pub fn at_least(dim: &DimTerm, least: NonZeroU64, sizes: Sizes) -> Firing {
    let whole = || Constraint::AtLeast {
        dim: dim.clone(),
        size: least,
    };
    match (dim, sizes.size(dim)) {
        // GE-check   a ≥ 1                       discard
        _ if least == NonZeroU64::MIN => by(Rule::GeCheck),
        // GE-check   a ≥ m, sz(a) known          check, else fail
        (_, Some((size, cause))) => {
            let checked = by(Rule::GeCheck).because(&cause);
            match size >= least.get() {
                true => checked,
                false => checked.fails(Clash::Sizes(format!(
                    "an axis of {size} has fewer than {least} cells"
                ))),
            }
        }
        // GE-check   α ≥ m, m > 1                record that α is an atom
        (DimTerm::Var(var), None) if sizes.atom(var).is_none() => {
            mark(Rule::GeCheck, var, sizes).then_again()
        }
        _ => by(Rule::ArResidue).defers(whole()),
    }
}

/// `i = c·o + …`
pub fn fit(stated: &Window, sizes: Sizes) -> Firing {
    let whole = Constraint::Window(stated.clone());
    for end in [&stated.axis, &stated.over] {
        match end {
            // WI-atom    i or o is 1∅                fail
            DimTerm::Const(Dim::Unit) => {
                return by(Rule::WiAtom).fails(Clash::Sizes("1_ is no axis of windows".into()));
            }
            // WI-atom    i or o a variable           record that it is an atom
            DimTerm::Var(var) if sizes.atom(var).is_none() => {
                let marked = mark(Rule::WiAtom, var, sizes);
                return match whole == is_atom(var) {
                    true => marked,
                    false => marked.then_again(),
                };
            }
            _ => {}
        }
    }
    // B already records that the variable is an atom.
    if let DimTerm::Var(var) = &stated.axis
        && whole == is_atom(var)
    {
        return by(Rule::WiAtom);
    }
    basis(stated, sizes)
        .or_else(|| size(stated, sizes))
        .unwrap_or_else(|| by(Rule::ArResidue).defers(whole))
}

/// The basis of an axis is that of the windows on it.
fn basis(stated: &Window, sizes: Sizes) -> Option<Firing> {
    let [axis, over] = [&stated.axis, &stated.over].map(|end| sizes.basis(end));
    let (basis, cause) = match (axis, over) {
        // WI-basis   i of basis b, o of basis b' ≠ b   fail
        (Some((one, why)), Some((other, because))) if one != other => {
            let words = format!("an axis of {} has windows of {}", one.name(), other.name());
            let fails = by(Rule::WiBasis).because(&why).because(&because);
            return Some(fails.fails(Clash::Sizes(words)));
        }
        (Some(known), _) | (None, Some(known)) => known,
        (None, None) => return None,
    };
    // WI-basis   i or o = α, sz(α) = n, basis b    bind α ↦ n_b
    [&stated.axis, &stated.over].into_iter().find_map(|end| {
        let DimTerm::Var(var) = end else { return None };
        let (size, why) = sizes.size(end)?;
        let dim = Dim::based(size, basis.clone())?;
        let known = by(Rule::WiBasis).because(&cause).because(&why);
        Some(
            known
                .binds_dim(var, dim.into(), Choice::Nothing)
                .then_again(),
        )
    })
}

/// Concludes the only open size from the others.
fn size(stated: &Window, sizes: Sizes) -> Option<Firing> {
    let known: Vec<Option<(u64, Cause)>> = stated.axes().map(|term| sizes.size(term)).collect();
    let mut cause = Cause::default();
    known.iter().flatten().for_each(|(_, why)| cause.join(why));
    let numbers: Vec<Option<i128>> = known
        .iter()
        .map(|size| size.as_ref().map(|(size, _)| i128::from(*size)))
        .collect();
    let open: Vec<usize> = (0..numbers.len())
        .filter(|at| numbers[*at].is_none())
        .collect();
    // The margins of these modes are made for the taps.
    let open = match stated.mode.has_margins() {
        true => open,
        false => open.into_iter().filter(|at| *at < 2).collect(),
    };
    let rule = match open[..] {
        [0] => Rule::WiAxis,
        [] | [1] => Rule::WiOver,
        [_] => Rule::WiTap,
        _ => return None,
    };
    let fails = || {
        by(rule)
            .because(&cause)
            .fails(Clash::Sizes(unsatisfied(stated, sizes)))
    };
    let holds = |numbers: &[Option<i128>]| holds(stated, numbers);
    let Some(at) = open.first().copied() else {
        // Of two ends of known sizes one has a basis only with the other, by WI-basis.
        let is_ground = stated.axis.ground().is_some();
        return match holds(&numbers) {
            // WI-over    all sizes known             check, else fail
            true if is_ground && numbers.iter().all(Option::is_some) => Some(by(Rule::WiOver)),
            true => None,
            false => Some(fails()),
        };
    };
    // WI-axis, WI-over, WI-tap   all sizes but one known: solve for it; no size fits: fail; several fit: wait
    let candidate = candidate(stated, &numbers, at)?;
    if candidate > i128::from(u64::MAX) {
        // A size of more than 64 bits is left to the residue, which says that it is unknown whether it fits.
        return None;
    }
    let with = |size: i128| {
        let mut all = numbers.clone();
        all[at] = Some(size);
        holds(&all)
    };
    if !with(candidate) {
        return Some(fails());
    }
    if with(candidate + 1) || with(candidate - 1) {
        return None;
    }
    let term = stated.axes().nth(at)?;
    let (DimTerm::Var(var), Some(size)) = (
        term,
        u64::try_from(candidate).ok().and_then(NonZeroU64::new),
    ) else {
        return None;
    };
    let record = has_size(var, size);
    let solved = by(rule).because(&cause);
    if record == Constraint::Window(stated.clone()) {
        // The constraint is the record itself: n = 1*1 + α.
        return Some(known_size(solved.stores(record), var, size, sizes));
    }
    Some(known_size(solved.stores(record), var, size, sizes).then_again())
}

/// Tells whether a window fits with these sizes, where one that is not known counts as 1.
fn holds(stated: &Window, numbers: &[Option<i128>]) -> bool {
    let sizes = numbers.iter().map(|size| {
        let size = u64::try_from(size.unwrap_or(1)).ok();
        size.filter(|size| *size > 0)
    });
    let sizes: Option<Vec<u64>> = sizes.collect();
    sizes.is_some_and(|sizes| stated.fits(sizes[0], sizes[1], sizes[2..].iter().copied()))
}

/// States that a window does not fit, with the known sizes in place of terms.
fn unsatisfied(stated: &Window, sizes: Sizes) -> String {
    let shown = Constraint::Window(stated.map(|term| match sizes.size(term) {
        Some((size, _)) => Dim::new(size).map_or_else(|| term.clone(), DimTerm::from),
        None => term.clone(),
    }));
    format!("no size satisfies `{shown}`")
}

/// Adds a size that became known to a firing. An axis longer than 1 is an atom.
pub(super) fn known_size(firing: Firing, var: &DimVar, size: NonZeroU64, sizes: Sizes) -> Firing {
    match size > NonZeroU64::MIN && sizes.atom(var).is_none() {
        true => firing.emits([is_atom(var)]),
        false => firing,
    }
}

/// Finds a size that fits if any size does: the least axis, the most windows or the longest tap. `None` when a number
/// is too large.
fn candidate(stated: &Window, sizes: &[Option<i128>], open: usize) -> Option<i128> {
    let size = |at: usize| sizes[at].unwrap_or(1);
    let stride = i128::from(stated.stride.get());
    let (low, high) = (i128::from(stated.low), i128::from(stated.high));
    let dilation = |at: usize| i128::from(stated.taps[at].0.get());
    // S, the span of a window; the open tap counts as one cell.
    let mut span = if stated.taps.is_empty() { stride } else { 1 };
    for at in 0..stated.taps.len() {
        span = span.checked_add(dilation(at).checked_mul(size(at + 2) - 1)?)?;
    }
    let begin = stride.checked_mul(size(1) - 1)?;
    let cells = size(0) + low + high;
    let up = |number: i128| number.div_euclid(stride) + i128::from(number.rem_euclid(stride) > 0);
    Some(match (open, stated.mode) {
        // M = T, T ≤ M: i is at least T less the margins.
        (0, Mode::Exact | Mode::Floor) => (begin.checked_add(span)? - low - high).max(1),
        (0, Mode::Ceil) => {
            ((begin - low).max(begin.checked_add(span)? - stride - low - high) + 1).max(1)
        }
        (0, _) => begin + 1,
        // T = S + c·(o - 1) ≤ M
        (1, Mode::Exact | Mode::Floor) => (cells - span).div_euclid(stride) + 1,
        // c·(o - 1) < N + low and T - c < M
        (1, Mode::Ceil) => up(size(0) + low).min(up(cells - span) + 1),
        (1, _) => up(size(0)),
        // S ≤ M - c·(o - 1), and for `ceil` up to c - 1 more
        (tap, mode) => {
            let more = if mode == Mode::Ceil { stride - 1 } else { 0 };
            (cells - begin + more - span).div_euclid(dilation(tap - 2)) + 1
        }
    })
}
