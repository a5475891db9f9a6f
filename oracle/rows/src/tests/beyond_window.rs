//! Far positions, checked on values: the assertions about the axes around a far position are true wherever it lies, and
//! a constraint that fails outside the window fails at a far position.

use lozenge_vocabulary::{Constraint, Dim, Ground, Order, Row};

use super::set;
use crate::beyond_window::{self, Use};
use crate::encoding::{meaning, relation_of};
use crate::formula::{Axis, Facing, Guard, Length, LengthFact, Measure, Relation};
use crate::negation::near;
use crate::symbols::Symbols;
use lozenge_testkit::random::Random;

const ORDERS: [Order; 2] = [Order::Marked, Order::OneShot];

/// Constraints between `<r>` and `<s>`, shifted against each other from either end.
const CONSTRAINTS: &[&str] = &[
    "<r> <= <s>",
    "[3 <r>] <= <s>",
    "[<r> 3] <= <s>",
    "<r> <= [3 <s>]",
    "<r> <= [3, 3 <s> 3]",
    "[3 <r>] <= [<s> 3]",
    "[3 <r> 3, 3] <= [3, 3 <s> 3]",
    "<r> ~ <s>",
    "[3 <r>] ~ <s>",
    "<r> ~ [<s> 3]",
    "[3 <r>] ~ [<s> 3]",
    "[3, 3 <r>] ~ [3 <s> 3]",
    "[<r> 3, 3] ~ [3 <s> 3]",
];

/// The values of a constraint's row variables, by their numbers, and the two far positions.
struct Values<'a> {
    rows: &'a [Row],
    /// The far positions, from the front and from the back.
    far: [usize; 2],
}

impl Values<'_> {
    fn measure(&self, measure: Measure, row: u32) -> usize {
        let row = &self.rows[row as usize];
        match measure {
            Measure::Leading => row.leading.len(),
            Measure::Trailing => row.trailing.len(),
            Measure::Rank => row.rank(),
        }
    }

    fn length(&self, length: Length) -> usize {
        let of = length.of.map(|(measure, row)| self.measure(measure, row));
        length.explicit as usize + of.unwrap_or(0)
    }

    fn fact(&self, fact: LengthFact) -> bool {
        match fact {
            LengthFact::AtLeast(a, b) => self.length(a) >= self.length(b),
            LengthFact::Same(a, b) => self.length(a) == self.length(b),
        }
    }

    fn guard(&self, guard: Guard) -> bool {
        let exceeds = |measure, row, than: i64| self.measure(measure, row) as i64 > than;
        let [front, back] = self.far.map(|far| far as i64);
        match guard {
            Guard::Exceeds(measure, row, than) => exceeds(measure, row, than.into()),
            Guard::RankIs(row, rank) => self.measure(Measure::Rank, row) == rank as usize,
            Guard::ExceedsFarFront(measure, row, k) => exceeds(measure, row, front + i64::from(k)),
            Guard::ExceedsFarBack(measure, row, k) => exceeds(measure, row, back + i64::from(k)),
        }
    }

    fn guards(&self, facing: &Facing) -> bool {
        facing
            .guards
            .iter()
            .flatten()
            .all(|&guard| self.guard(guard))
    }

    /// Returns the axis, and whether it is on the side of the marker from which it is counted; `None` if there is no
    /// such axis.
    fn axis(&self, axis: Axis) -> Option<(Dim, bool)> {
        let [front, back] = self.far.map(|far| far as i64);
        let (row, place, from_back) = match axis {
            Axis::Front(row, i) => (row, i.into(), false),
            Axis::Back(row, j) => (row, j.into(), true),
            Axis::FarFront(row, k) => (row, front + i64::from(k), false),
            Axis::FarBack(row, k) => (row, back + i64::from(k), true),
            Axis::Unit => return Some((Dim::Unit, true)),
            Axis::Zero => unreachable!("these sets have no summands"),
            // There is only one atom, and no variable.
            Axis::Atom(_) | Axis::Dim(_) => return Some((three(), true)),
        };
        let row = &self.rows[row as usize];
        let (mut flat, mut flank) = (row.flat(), row.leading.len());
        if from_back {
            flat.reverse();
            flank = row.trailing.len();
        }
        let place = usize::try_from(place).ok()?;
        Some((flat.get(place)?.clone(), place < flank))
    }

    /// Tells whether the axes face each other and are not in the relation.
    fn fails(&self, relation: Relation, facing: &Facing) -> bool {
        self.guards(facing) && {
            let [low, high] = [facing.low, facing.high].map(|l| self.axis(l).expect("there").0);
            match relation {
                Relation::Same => low != high,
                Relation::Below => !low.below(&high),
            }
        }
    }
}

fn three() -> Dim {
    Dim::new(3).expect("an atom")
}

/// Returns two rows of mostly the same axes, laid out with a small shift.
fn rows(random: &mut Random) -> [Row; 2] {
    let word: Vec<Dim> = (0..9)
        .map(|_| {
            [three(), three(), Dim::Unit, Dim::new(5).expect("an atom")][random.below(4)].clone()
        })
        .collect();
    let shared = random.below(4);
    [0, 1].map(|_| {
        let (from, to) = (random.below(3), 9 - random.below(3));
        let mut flat = word[from..to].to_vec();
        if random.below(3) == 0 {
            let at = random.below(flat.len());
            flat[at] = three();
        }
        let at = match shared {
            0 => random.below(flat.len() + 1),
            _ => (shared * 2).min(flat.len()),
        };
        Row::new(flat[..at].to_vec(), flat[at..].to_vec())
    })
}

/// Calls `look` with each constraint in each reading, values for it, and whether they satisfy it.
fn on_values(mut look: impl FnMut(&Constraint, Order, &[Row], bool)) {
    for (seed, text) in (0..).zip(CONSTRAINTS) {
        let constraint = &set(text).constraints[0];
        for order in ORDERS {
            let mut random = Random::new(seed);
            for _ in 0..3000 {
                let [r, s] = rows(&mut random);
                let mut ground = Ground::default();
                let names = ["r", "s"].map(lozenge_vocabulary::RowVar::new);
                ground
                    .rows
                    .extend(names.into_iter().zip([r.clone(), s.clone()]));
                let holds = ground.satisfies(constraint, order) == Some(true);
                look(constraint, order, &[r, s], holds);
            }
        }
    }
}

/// Returns the far positions that are at least `nearest` places from the edges.
fn far_positions(nearest: u32) -> impl Iterator<Item = [usize; 2]> {
    (nearest as usize..12).map(|far| [far, far])
}

/// Returns the symbols of `<r>` and `<s>`, which are their places in a list of values.
fn symbols() -> Symbols {
    let mut symbols = Symbols::default();
    set("leaf <r>, <s>")
        .vars()
        .iter()
        .for_each(|var| symbols.add(var));
    symbols
}

/// Axes are compared exactly where both exist: `<=` reads the upper row up to its marker, and the lower one too unless
/// the reading is one-shot.
#[test]
fn what_is_assumed_around_a_far_position_is_true_there() {
    let mut seen = 0;
    on_values(|constraint, order, rows, holds| {
        let flat = match constraint {
            Constraint::RowEq(..) => [true, true],
            _ => [order == Order::OneShot, false],
        };
        for reach in [1_u32, 3].into_iter().filter(|_| holds) {
            let around = -(reach as i32)..reach as i32 + 1;
            let pairs =
                beyond_window::facing(constraint, order, Use::Assumed, &mut symbols(), around);
            let pairs: Vec<&Facing> = pairs
                .iter()
                .filter(|pair| beyond_window::in_reach(pair, reach as i32))
                .collect();
            for far in far_positions(reach) {
                let values = Values { rows, far };
                for pair in &pairs {
                    let axes = [pair.low, pair.high].map(|axis| values.axis(axis));
                    let there = axes.iter().zip(flat).all(|(axis, flat)| {
                        axis.as_ref().is_some_and(|(_, own_side)| flat || *own_side)
                    });
                    assert_eq!(
                        values.guards(pair),
                        there,
                        "{constraint}: {pair:?}, {rows:?}"
                    );
                    assert!(
                        !values.fails(relation_of(constraint), pair),
                        "{constraint}: {pair:?}, {rows:?}"
                    );
                    seen += usize::from(there);
                }
            }
        }
    });
    assert!(seen > 10_000, "{seen}");
}

/// The assertions of a negation about a narrow window and about far positions together hold wherever the constraint
/// fails.
#[test]
fn what_fails_out_of_sight_fails_at_a_far_position() {
    let mut seen = [0, 0];
    on_values(|constraint, order, rows, holds| {
        let longest = beyond_window::longest_row(constraint);
        for window in [longest + 1, 2 * longest + 4]
            .into_iter()
            .filter(|_| !holds)
        {
            let (narrow, nearest) = near(window, longest);
            let mut symbols = symbols();
            let meaning = meaning(constraint, order, &mut symbols, narrow);
            let values = Values { rows, far: [0, 0] };
            let in_sight = meaning.lengths.iter().any(|&fact| !values.fact(fact))
                || meaning
                    .facing
                    .iter()
                    .any(|facing| values.fails(meaning.relation, &facing.on_own_side()));
            if in_sight {
                continue;
            }
            let told = format!("{constraint} ({order:?}, {window}): {rows:?}");
            assert!(meaning.beyond.iter().any(|&g| values.guard(g)), "{told}");
            let covers = beyond_window::covers(constraint, order);
            seen[usize::from(covers)] += 1;
            if covers {
                let pairs =
                    beyond_window::facing(constraint, order, Use::Denied, &mut symbols, 0..1);
                let fails = far_positions(nearest).any(|far| {
                    let values = Values { rows, far };
                    pairs
                        .iter()
                        .any(|pair| values.fails(meaning.relation, pair))
                });
                assert!(fails, "{told}");
            }
        }
    });
    assert!(seen[0] > 100 && seen[1] > 1_000, "{seen:?}");
}

#[test]
fn the_longest_row_is_counted_in_explicit_axes() {
    for (text, axes) in [
        ("[3, 5 <r> 7] <= [<s> 4]", 3),
        ("[3 <r>] ~ [4 <s> 5]", 2),
        ("<r> <= <s>", 0),
        ("a <= 3", 0),
    ] {
        assert_eq!(
            beyond_window::longest_row(&set(text).constraints[0]),
            axes,
            "{text}"
        );
    }
}
