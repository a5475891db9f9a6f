//! Def. 3.4, constraint by constraint: by Defs. 1.2, 2.2, 2.3 and 2.9 a constraint becomes facts about lengths and
//! pairs of axes that face each other.
//!
//! A row is read from an outer edge inwards, so that both flanks share one piece of code: from the front, position `p`
//! of the row `l·w·r` is `l[p]`, then `w[p - |l|]`, then `r`; from the back it is the mirror image.

use lozenge_vocabulary::{Constraint, Order};

use crate::formula::{Axis, Facing, Guard, Length, LengthFact, Meaning, Measure, Relation};
use crate::symbols::{SymbolicRow, Symbols};

/// The edge from which positions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Front,
    Back,
}

const SIDES: [Side; 2] = [Side::Front, Side::Back];

/// An axis, and the condition under which it exists; `None` if it always exists.
type Placed = (Axis, Option<Guard>);

impl Side {
    /// Returns the measure of a row variable's value on this side of its marker.
    fn measure(self) -> Measure {
        match self {
            Side::Front => Measure::Leading,
            Side::Back => Measure::Trailing,
        }
    }

    /// Returns the axis `i` places from this edge of the value of a variable.
    fn axis(self, var: u32, i: u32) -> Axis {
        match self {
            Side::Front => Axis::Front(var, i),
            Side::Back => Axis::Back(var, i),
        }
    }
}

impl SymbolicRow {
    /// Returns the explicit axes on this side, the outermost first.
    fn outer(&self, side: Side) -> Vec<Axis> {
        match side {
            Side::Front => self.leading.clone(),
            Side::Back => self.trailing.iter().rev().copied().collect(),
        }
    }

    /// Returns the explicit axes beyond the marker, in the order in which they are met from this side.
    fn inner(&self, side: Side) -> Vec<Axis> {
        match side {
            Side::Front => self.trailing.clone(),
            Side::Back => self.leading.iter().rev().copied().collect(),
        }
    }

    /// Returns the length of the flank on this side.
    fn flank_length(&self, side: Side) -> Length {
        Length {
            explicit: self.outer(side).len() as u32,
            of: self.var.map(|var| (side.measure(), var)),
        }
    }

    /// Returns the length of the leading flank.
    pub(crate) fn leading(&self) -> Length {
        self.flank_length(Side::Front)
    }

    /// Returns the length of the trailing flank.
    pub(crate) fn trailing(&self) -> Length {
        self.flank_length(Side::Back)
    }

    /// Returns the number of axes of the whole row.
    pub(crate) fn rank(&self) -> Length {
        Length {
            explicit: self.explicit() as u32,
            of: self.var.map(|var| (Measure::Rank, var)),
        }
    }

    /// Returns the axes before the marker, from this side, as far as the window shows them.
    fn flank(&self, side: Side, window: u32) -> Vec<Placed> {
        self.seen(side, side.measure(), window)
    }

    /// Returns the axes of the flat word from this side, up to the far end of the variable's value; all axes of a
    /// closed row.
    fn near(&self, side: Side, window: u32) -> Vec<Placed> {
        let mut near = self.seen(side, Measure::Rank, window);
        if self.var.is_none() {
            near.extend(self.inner(side).into_iter().map(|axis| (axis, None)));
        }
        near
    }

    fn seen(&self, side: Side, measure: Measure, window: u32) -> Vec<Placed> {
        let explicit = self.outer(side).into_iter().map(|axis| (axis, None));
        let inside = self.var.into_iter().flat_map(move |var| {
            (0..window).map(move |i| {
                let guard = Guard::Exceeds(measure, var, i);
                (side.axis(var, i), Some(guard))
            })
        });
        explicit.chain(inside).collect()
    }

    /// Returns the axes that may be the `p`-th of the flat word from this side, each with the condition for that.
    fn flat_at(&self, side: Side, near: &[Placed], p: usize) -> Vec<Placed> {
        let mut candidates: Vec<Placed> = near.get(p).copied().into_iter().collect();
        if let Some(var) = self.var {
            let outer = self.outer(side).len();
            for (q, axis) in self.inner(side).into_iter().enumerate() {
                if let Some(rank) = p.checked_sub(outer + q) {
                    candidates.push((axis, Some(Guard::RankIs(var, rank as u32))));
                }
            }
        }
        candidates
    }
}

/// Returns the relation by which the constraint compares axes.
pub(crate) fn relation_of(constraint: &Constraint) -> Relation {
    match constraint {
        Constraint::DimLe(..) | Constraint::RowLe(..) => Relation::Below,
        _ => Relation::Same,
    }
}

/// Returns an upper bound of the number of comparisons that [`meaning`] lists.
pub(crate) fn cost(constraint: &Constraint, order: Order, window: u32) -> usize {
    let window = window as usize;
    match constraint {
        Constraint::DimEq(..) | Constraint::DimLe(..) => 1,
        Constraint::Window(_)
        | Constraint::Composite(_)
        | Constraint::Elements(_)
        | Constraint::Flat(_)
        | Constraint::AtLeast { .. } => 0,
        Constraint::RowEq(a, b) => {
            let flanks = a.leading.len() * b.trailing.len() + b.leading.len() * a.trailing.len();
            let open = a.var.is_some() && b.var.is_some();
            a.explicit() + b.explicit() + 2 * window + if open { flanks } else { 0 }
        }
        Constraint::RowLe(low, high) => {
            let ends = match order {
                Order::Marked => 1,
                Order::OneShot => 1 + low.explicit(),
            };
            ends * (high.explicit() + 2 * window)
        }
    }
}

/// Returns the meaning of the constraint (Def. 3.4), for the positions of row variables' values up to `window` from
/// either edge.
pub(crate) fn meaning(
    constraint: &Constraint,
    order: Order,
    symbols: &mut Symbols,
    window: u32,
) -> Meaning {
    match constraint {
        Constraint::DimEq(a, b) => dims(symbols.axis(a), symbols.axis(b), Relation::Same),
        Constraint::DimLe(a, b) => dims(symbols.axis(a), symbols.axis(b), Relation::Below),
        Constraint::RowEq(a, b) => {
            flat_equality(&symbols.symbolic_row(a), &symbols.symbolic_row(b), window)
        }
        Constraint::RowLe(a, b) => {
            let (low, high) = (symbols.symbolic_row(a), symbols.symbolic_row(b));
            match order {
                Order::Marked => marked_order(&low, &high, window),
                Order::OneShot => one_shot_order(&low, &high, window),
            }
        }
        // Constraints of sizes are encoded by `arithmetic`.
        Constraint::Window(_)
        | Constraint::Composite(_)
        | Constraint::Elements(_)
        | Constraint::Flat(_)
        | Constraint::AtLeast { .. } => empty(Relation::Same),
    }
}

fn dims(low: Axis, high: Axis, relation: Relation) -> Meaning {
    Meaning {
        facing: vec![facing(low, high, [None; 3])],
        ..empty(relation)
    }
}

fn empty(relation: Relation) -> Meaning {
    Meaning {
        lengths: Vec::new(),
        relation,
        facing: Vec::new(),
        beyond: Vec::new(),
    }
}

fn facing(low: Axis, high: Axis, guards: [Option<Guard>; 3]) -> Facing {
    Facing { guards, low, high }
}

/// States Def. 2.3: (i) each flank of the lower row is at least as long as that of the upper row; (ii) on the upper
/// row's flanks the axes are compared. Between them the expansion of the upper row has units, which are above
/// everything.
fn marked_order(low: &SymbolicRow, high: &SymbolicRow, window: u32) -> Meaning {
    let mut meaning = empty(Relation::Below);
    for side in SIDES {
        let (long, short) = (low.flank_length(side), high.flank_length(side));
        // Def. 2.3(i)
        meaning.lengths.push(LengthFact::AtLeast(long, short));
        let (lows, highs) = (low.flank(side, window), high.flank(side, window));
        // Where the upper axis exists, the lower one exists too, by the fact about lengths.
        for (lower, upper) in lows.iter().zip(&highs) {
            meaning
                .facing
                .push(facing(lower.0, upper.0, [upper.1, None, None]));
        }
        if low.var.is_some() && high.var.is_some() {
            meaning.beyond.extend(past(low, side.measure(), window));
            meaning.beyond.extend(past(high, side.measure(), window));
        }
    }
    meaning
}

/// States Rem. 2.15(ii): each axis of the lower row's flat content may be compared with either flank of the upper row.
fn one_shot_order(low: &SymbolicRow, high: &SymbolicRow, window: u32) -> Meaning {
    let mut meaning = empty(Relation::Below);
    let rank = LengthFact::AtLeast(low.rank(), high.rank());
    meaning.lengths.push(rank);
    for side in SIDES {
        let (near, highs) = (low.near(side, window), high.flank(side, window));
        for (p, upper) in highs.iter().enumerate() {
            for lower in low.flat_at(side, &near, p) {
                meaning
                    .facing
                    .push(facing(lower.0, upper.0, [upper.1, lower.1, None]));
            }
        }
        if low.var.is_some() && high.var.is_some() {
            meaning.beyond.extend(past(low, Measure::Rank, window));
            meaning.beyond.extend(past(high, side.measure(), window));
        }
    }
    meaning
}

/// States Def. 2.9: equal ranks, and the same axes in the same places.
///
/// Where a window shows a place of both flat words from the front, or from the back, their axes are compared there. The
/// last comparisons are those of the leading flank of one against the trailing flank of the other.
fn flat_equality(a: &SymbolicRow, b: &SymbolicRow, window: u32) -> Meaning {
    let mut meaning = empty(Relation::Same);
    let rank = LengthFact::Same(a.rank(), b.rank());
    meaning.lengths.push(rank);
    for side in SIDES {
        let (from_a, from_b) = (a.near(side, window), b.near(side, window));
        for (one, other) in from_a.iter().zip(&from_b) {
            meaning
                .facing
                .push(facing(one.0, other.0, [one.1, other.1, None]));
        }
        if a.var.is_none() && b.var.is_none() {
            break;
        }
    }
    if let (Some(_), Some(_)) = (a.var, b.var) {
        overlapping_flanks(a, b, &mut meaning);
        overlapping_flanks(b, a, &mut meaning);
        meaning.beyond.extend(past(a, Measure::Rank, window));
        meaning.beyond.extend(past(b, Measure::Rank, window));
    }
    meaning
}

/// Adds the comparisons of places where the leading flank of `a` reaches into the trailing flank of `b`, since the
/// variable of `b` is short.
fn overlapping_flanks(a: &SymbolicRow, b: &SymbolicRow, meaning: &mut Meaning) {
    let Some(var) = b.var else { return };
    for (p, &left) in a.leading.iter().enumerate() {
        for (q, &right) in b.trailing.iter().enumerate() {
            if let Some(rank) = p.checked_sub(b.leading.len() + q) {
                let at = Guard::RankIs(var, rank as u32);
                meaning
                    .facing
                    .push(facing(left, right, [Some(at), None, None]));
            }
        }
    }
}

/// Returns the guard that the value of the row's variable does not fit the window.
fn past(word: &SymbolicRow, measure: Measure, window: u32) -> Option<Guard> {
    word.var.map(|var| Guard::Exceeds(measure, var, window))
}

/// States Def. 2.1: a value's flat word is its leading flank followed by its trailing flank. So in a value of rank `n`
/// axis `i` from the front is axis `n - 1 - i` from the back. This links the two at every rank at which the window
/// shows an axis from both sides.
pub(crate) fn word_links(var: u32, window: u32) -> Meaning {
    let mut meaning = empty(Relation::Same);
    for n in 1..2 * window {
        link(
            var,
            n,
            n.saturating_sub(window)..n.min(window),
            &mut meaning,
        );
    }
    meaning
}

/// Returns the links between axes for one rank, whatever the window.
pub(crate) fn links_at(var: u32, rank: u32) -> Meaning {
    let mut meaning = empty(Relation::Same);
    link(var, rank, 0..rank, &mut meaning);
    meaning
}

fn link(var: u32, rank: u32, places: std::ops::Range<u32>, meaning: &mut Meaning) {
    for i in places {
        let (front, back) = (Axis::Front(var, i), Axis::Back(var, rank - 1 - i));
        let at = Guard::RankIs(var, rank);
        meaning
            .facing
            .push(facing(front, back, [Some(at), None, None]));
    }
}

/// Returns the row variables whose flat word some constraint reads, so that axes from the front and from the back must
/// be linked.
pub(crate) fn reads_flat(
    constraint: &Constraint,
    order: Order,
) -> impl Iterator<Item = &lozenge_vocabulary::RowVar> {
    let terms = match (constraint, order) {
        (Constraint::RowEq(a, b), _) => [Some(a), Some(b)],
        (Constraint::RowLe(low, _), Order::OneShot) => [Some(low), None],
        _ => [None, None],
    };
    terms
        .into_iter()
        .flatten()
        .filter_map(|term| term.var.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::set;

    /// An axis that a window shows from either end is the same axis at one rank, and at that rank alone.
    #[test]
    fn every_two_places_of_a_window_are_one_at_one_rank() {
        for window in 1..7 {
            let mut links = word_links(0, window).facing;
            links.sort_by_key(|pair| (pair.low, pair.high));
            let places = (0..window).flat_map(|i| (0..window).map(move |j| (i, j)));
            let expected = places.map(|(i, j)| {
                let at = Guard::RankIs(0, i + 1 + j);
                facing(Axis::Front(0, i), Axis::Back(0, j), [Some(at), None, None])
            });
            assert_eq!(links, expected.collect::<Vec<_>>(), "{window}");
        }
    }

    /// The window leaves out axes of two values that face each other, and of nothing else.
    #[test]
    fn only_between_two_open_rows_something_lies_beyond_a_window() {
        let beyond = |text: &str, order| {
            let constraint = set(text).constraints[0].clone();
            meaning(&constraint, order, &mut Symbols::default(), 2)
                .beyond
                .len()
        };
        for order in [Order::Marked, Order::OneShot] {
            for text in [
                "<r> <= [3]",
                "[3 <r> 4] <= [5 <> 6]",
                "[3, 4] <= <s>",
                "[3 <> 4] <= [5 <s> 6]",
                "<r> ~ [3]",
                "[3 <> 4] ~ [<s> 4]",
                "[3] <= [4]",
                "a <= b",
            ] {
                assert_eq!(beyond(text, order), 0, "{text} ({order:?})");
            }
            assert_eq!(beyond("[3 <r>] <= [<s> 4]", order), 4, "{order:?}");
            assert_eq!(beyond("[3 <r>] ~ [<s> 4]", order), 2, "{order:?}");
        }
    }
}
