//! Relations between the sizes of the labels on one axis.

use lozenge_vocabulary::window::Window;
use lozenge_vocabulary::{Composite, Composition};

use super::classes::{Classes, Node};

/// A relation between the sizes of nodes.
pub(super) enum AxisRelation {
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

    /// Returns the sizes of all parts at the sizes of the classes, or `None` if they do not fit, or the rests may have
    /// several.
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

impl AxisRelation {
    /// Returns the nodes beside that of the axis itself.
    pub(super) fn labels(&self) -> Vec<Node> {
        match self {
            AxisRelation::Window(window) => window.terms().map(|(_, node)| *node).collect(),
            AxisRelation::Composite(composite) => composite.parts.clone(),
            AxisRelation::Joined(joined) => joined.parts.iter().flatten().copied().collect(),
        }
    }

    /// Returns the axis that has the derived index.
    pub(super) fn axis(&self) -> Node {
        match self {
            AxisRelation::Window(window) => window.axis,
            AxisRelation::Composite(composite) => composite.whole,
            AxisRelation::Joined(joined) => joined.whole,
        }
    }
}

/// Counts the cells that a window spans: to the next one, where it has no taps.
pub(super) fn span(window: &Window<Node>, taps: &[u64]) -> i128 {
    if window.taps.is_empty() {
        return i128::from(window.stride.get());
    }
    let reaches = window.taps.iter().zip(taps).map(|((dilation, _), tap)| {
        i128::from(dilation.get()).saturating_mul(i128::from(*tap) - 1)
    });
    reaches.fold(1, i128::saturating_add)
}
