//! What relates the sizes of the labels on one axis, and the sizes that follow from one such relation alone.

use lozenge_vocabulary::window::{Mode, Window};
use lozenge_vocabulary::{Composite, Composition};

use super::classes::{Classes, Node};

/// What relates the sizes of nodes.
pub(super) enum Laid {
    Window(Window<Node>),
    Composite(Composite<Node>),
    Joined(Joined),
}

/// A concatenation of which some parts are whatever the others leave.
pub(super) struct Joined {
    pub(super) whole: Node,
    /// Its parts; `None` for one of those.
    pub(super) parts: Vec<Option<Node>>,
}

impl Joined {
    pub(super) fn rests(&self) -> usize {
        self.parts.iter().filter(|part| part.is_none()).count()
    }

    /// The sizes of all parts at the sizes of the classes, or `None` if they do not fit, or the rests may have several.
    pub(super) fn sizes(&self, classes: &mut Classes) -> Option<Vec<u64>> {
        let whole = classes.size(self.whole)?;
        let mut known = Vec::with_capacity(self.parts.len());
        for node in self.parts.iter().flatten() {
            known.push(classes.size(*node)?);
        }
        let total = Composition::Concat.total(known.iter().copied())?;
        let left = u128::from(whole).checked_sub(total)?;
        if left > 0 && self.rests() != 1 {
            return None;
        }
        let left = u64::try_from(left).ok()?;
        let mut known = known.into_iter();
        let size = |part: &Option<Node>| match part {
            Some(_) => known.next(),
            None => Some(left),
        };
        self.parts.iter().map(size).collect()
    }
}

impl Laid {
    /// The nodes beside that of the axis itself.
    pub(super) fn labels(&self) -> Vec<Node> {
        match self {
            Laid::Window(window) => window.terms().map(|(_, node)| *node).collect(),
            Laid::Composite(composite) => composite.parts.clone(),
            Laid::Joined(joined) => joined.parts.iter().flatten().copied().collect(),
        }
    }

    /// The axis that has the derived index.
    pub(super) fn axis(&self) -> Node {
        match self {
            Laid::Window(window) => window.axis,
            Laid::Composite(composite) => composite.whole,
            Laid::Joined(joined) => joined.whole,
        }
    }

    /// The one label whose size is not known, with the size that the others leave it.
    fn determined(&self, classes: &mut Classes) -> Option<(Node, u64)> {
        match self {
            Laid::Window(window) => determined(window, classes),
            Laid::Composite(composite) => left_over(composite, classes),
            // The others do not say how much of the axis a part has.
            Laid::Joined(_) => None,
        }
    }
}

/// The one part of a composite whose size is not known, with what the others leave of the whole.
fn left_over(composite: &Composite<Node>, classes: &mut Classes) -> Option<(Node, u64)> {
    let whole = u128::from(classes.size(composite.whole)?);
    let mut known = Vec::with_capacity(composite.parts.len());
    let mut open = None;
    for part in &composite.parts {
        match classes.size(*part) {
            Some(size) => known.push(size),
            None if open.replace(*part).is_some() => return None,
            None => {}
        }
    }
    let others = composite.composition.total(known)?;
    let left = match composite.composition {
        Composition::Concat => whole.checked_sub(others)?,
        Composition::Product if whole % others == 0 => whole / others,
        Composition::Product => return None,
    };
    let size = u64::try_from(left).ok().filter(|size| *size > 0)?;
    Some((open?, size))
}

/// How many cells a window spans: to the next one, where it has no taps.
pub(super) fn span(window: &Window<Node>, taps: &[u64]) -> i128 {
    if window.taps.is_empty() {
        return i128::from(window.stride.get());
    }
    let reaches = window.taps.iter().zip(taps).map(|((dilation, _), tap)| {
        i128::from(dilation.get()).saturating_mul(i128::from(*tap) - 1)
    });
    reaches.fold(1, i128::saturating_add)
}

/// Gives labels the sizes that windows determine: all but one of a window are known. The windows are gone through forward and
/// backward in turn, until nothing is new.
pub(super) fn size_labels(laid: &[(usize, Laid)], classes: &mut Classes) {
    let mut forward = true;
    let mut unchanged = 0;
    while unchanged < 2 {
        let mut found = false;
        let mut visit = |one: &Laid| {
            if let Some((node, size)) = one.determined(classes) {
                classes.set_size(node, size);
                found = true;
            }
        };
        match forward {
            true => laid.iter().for_each(|(_, one)| visit(one)),
            false => laid.iter().rev().for_each(|(_, one)| visit(one)),
        }
        forward = !forward;
        unchanged = if found { 0 } else { unchanged + 1 };
    }
}

/// The one label of a window whose size is not known, with the size that the others leave it.
fn determined(window: &Window<Node>, classes: &mut Classes) -> Option<(Node, u64)> {
    let axis = i128::from(classes.size(window.axis)?);
    let mut unknown = None;
    for (at, (_, node)) in window.terms().enumerate() {
        if classes.size(*node).is_none() && unknown.replace((at, *node)).is_some() {
            return None;
        }
    }
    let (at, node) = unknown?;
    let stride = i128::from(window.stride.get());
    let padded = axis + i128::from(window.low) + i128::from(window.high);
    let taps = window.taps.iter();
    let taps: Vec<u64> = taps
        .map(|(_, tap)| classes.size(*tap).unwrap_or(1))
        .collect();
    let span = span(window, &taps);
    let over = classes.size(window.over).unwrap_or(1);
    let whole = |amount: i128, by: i128| (amount >= 0 && amount % by == 0).then(|| amount / by);
    let count = match (at.checked_sub(1), window.mode) {
        (None, Mode::Exact) => whole(padded - span, stride)? + 1,
        (None, Mode::Floor) if padded >= span => (padded - span) / stride + 1,
        (None, Mode::Ceil) => {
            // The last window begins inside, and no stride before what would do.
            let inside = (axis + i128::from(window.low) - 1) / stride;
            let enough = (padded - span + stride - 1).div_euclid(stride);
            inside.min(enough) + 1
        }
        (None, Mode::Same | Mode::SameLower) => (axis + stride - 1) / stride,
        (Some(tap), mode) => {
            // The largest tap that fits; it is the one if the next smaller does not fit.
            let over = i128::from(over);
            let left = match mode {
                Mode::Exact | Mode::Floor => padded - span - stride * (over - 1),
                Mode::Ceil => padded - span - stride * (over - 2) - 1,
                Mode::Same | Mode::SameLower => return None,
            };
            left.div_euclid(i128::from(window.taps[tap].0.get())) + 1
        }
        _ => return None,
    };
    let size = u64::try_from(count).ok().filter(|size| *size > 0)?;
    let fits_too = |size: u64| {
        let Some(tap) = at.checked_sub(1) else {
            return false;
        };
        let mut taps = taps.clone();
        taps[tap] = size;
        window.fits(axis as u64, over, taps)
    };
    (size == 1 || !fits_too(size - 1)).then_some((node, size))
}
