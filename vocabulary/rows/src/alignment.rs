//! Rows aligned at their outer edges: leading flanks from the front, trailing flanks from the back (Defs. 2.3, 4.3,
//! 7.2). The axes may be dimensions, terms or anything else.

use std::ops::{Index, IndexMut, RangeInclusive};

/// The two flanks of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flank {
    /// The flank in front of the marker.
    Leading,
    /// The flank behind the marker.
    Trailing,
}

impl Flank {
    /// Both flanks, the leading one first.
    pub const BOTH: [Flank; 2] = [Flank::Leading, Flank::Trailing];
}

/// One value for each flank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PerFlank<T>(pub [T; 2]);

impl<T> PerFlank<T> {
    /// Returns the value of each flank by itself.
    pub fn each(value: impl FnMut(Flank) -> T) -> PerFlank<T> {
        PerFlank(Flank::BOTH.map(value))
    }

    /// Combines the values of two flank by flank.
    pub fn zip<U, V>(self, other: PerFlank<U>, mut f: impl FnMut(T, U) -> V) -> PerFlank<V> {
        let (PerFlank([a, b]), PerFlank([x, y])) = (self, other);
        PerFlank([f(a, x), f(b, y)])
    }

    /// Applies a function to each value.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> PerFlank<U> {
        PerFlank(self.0.map(f))
    }
}

impl<T: Copy> PerFlank<T> {
    /// Returns the same value for both.
    pub const fn both(value: T) -> PerFlank<T> {
        PerFlank([value; 2])
    }
}

impl<T> Index<Flank> for PerFlank<T> {
    type Output = T;

    #[inline]
    fn index(&self, flank: Flank) -> &T {
        &self.0[flank as usize]
    }
}

impl<T> IndexMut<Flank> for PerFlank<T> {
    #[inline]
    fn index_mut(&mut self, flank: Flank) -> &mut T {
        &mut self.0[flank as usize]
    }
}

/// The axes of a row in front of its marker, and those behind it.
pub type Flanks<'a, A> = [&'a [A]; 2];

/// Returns the number of axes of both flanks.
pub fn total<A>(flanks: Flanks<A>) -> usize {
    flanks[0].len() + flanks[1].len()
}

/// Two rows aligned at their outer edges.
#[derive(Clone, Debug)]
pub struct Aligned<'a, A> {
    /// The axes that face each other: those of the leading flanks, then those of the trailing ones, each from the outer
    /// edge inwards.
    pub facing: Vec<(&'a A, &'a A)>,
    /// The unmatched inner axes of the left row's flanks.
    pub left: Flanks<'a, A>,
    /// The unmatched inner axes of the right row's flanks.
    pub right: Flanks<'a, A>,
}

/// Aligns two rows.
pub fn aligned<'a, A>(left: Flanks<'a, A>, right: Flanks<'a, A>) -> Aligned<'a, A> {
    let front = left[0].len().min(right[0].len());
    let back = left[1].len().min(right[1].len());
    let inner = |[leading, trailing]: Flanks<'a, A>| {
        [&leading[front..], &trailing[..trailing.len() - back]]
    };
    let fronts = left[0].iter().zip(right[0]);
    let backs = left[1].iter().rev().zip(right[1].iter().rev());
    Aligned {
        facing: fronts.chain(backs).collect(),
        left: inner(left),
        right: inner(right),
    }
}

/// Returns the shorter flanks of two rows, with the axes that face each other joined (Prop. 2.7).
pub fn joined<A>(left: Flanks<A>, right: Flanks<A>, join: impl Fn(&A, &A) -> A) -> [Vec<A>; 2] {
    let facing = aligned(left, right).facing;
    let mut leading: Vec<A> = facing.into_iter().map(|(a, b)| join(a, b)).collect();
    let mut trailing = leading.split_off(left[0].len().min(right[0].len()));
    trailing.reverse();
    [leading, trailing]
}

/// Returns the place of the marker in the middle part of a closed row (Def. 4.3(b)): the declared place if it lies in
/// the middle, else the edge of the middle that is nearer to it, so that the mirror image has its marker at the
/// mirrored place. Where no place is written the marker is declared at the front, which gives the left edge.
pub fn inherited_split(middle: RangeInclusive<usize>, declared: usize) -> usize {
    declared.clamp(*middle.start(), *middle.end())
}
