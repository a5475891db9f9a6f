//! Axes at given lengths: a finite graph, in which atoms are followed downwards until two of them meet.
//!
//! By Def. 1.2 only an atom itself is below it, so whatever is below an atom, along any chain of constraints, is this
//! atom. So there are no axes if something is below two atoms, or the unit below one. Otherwise there are: each place
//! that is below an atom is this atom, all others are the unit, which is above everything.

use std::collections::VecDeque;

use super::form::Point;
use crate::formula::Axis;
use crate::limits::{Clock, Reason};
use crate::symbols::{SymbolicRow, Symbols};

/// A constraint: the first row is below the second, or both are equal. A dimension is a row of one axis.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub rows: [SymbolicRow; 2],
    pub equal: bool,
}

/// The upper row of a constraint that is not an equation.
const UPPER: usize = 1;

/// The edge from which places are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Front,
    Back,
}

/// A part of a row as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// The written axis with this number before the row variable.
    Leading(usize),
    /// An axis of the row variable.
    Content,
    /// The written axis with this number after the row variable.
    Trailing(usize),
}

/// A step between places along a constraint: the place on one side is above, or equal to, the place on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The constraint, by number.
    pub comparison: usize,
    /// The row from which the step goes to the other one.
    pub source: usize,
    /// The edge from which the places of both rows are the same.
    pub end: End,
    pub from: Spot,
    pub to: Spot,
}

/// Steps from an atom downwards.
pub(super) type Walk = Vec<Step>;

/// Two walks that should not meet. One that begins at the unit has no steps.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    pub walks: [Walk; 2],
    /// True if they meet in the value of a row variable, and not at a written axis.
    pub inside: bool,
}

/// The places of a set's rows at given lengths, and the steps between them.
pub(super) struct Graph<'a> {
    comparisons: &'a [Comparison],
    point: &'a Point,
    atoms: usize,
    dims: usize,
    /// The number of the first place of each row variable.
    starts: Vec<usize>,
    below: Vec<Vec<(usize, Step)>>,
    /// The place from which, and the step by which, each place was reached from an atom or the unit.
    reached: Vec<Option<Origin>>,
}

/// The way in which a place was reached.
#[derive(Clone, Copy)]
struct Origin {
    /// The node from which the walk began.
    first: usize,
    /// The last step, and the place before it.
    last: Option<(usize, Step)>,
}

/// The node of the unit.
const UNIT: usize = 0;

impl<'a> Graph<'a> {
    /// # Errors
    /// When there are more places and comparisons than the limits allow, or the time is up.
    pub fn new(
        comparisons: &'a [Comparison],
        symbols: &Symbols,
        point: &'a Point,
        clock: &Clock,
    ) -> Result<Graph<'a>, Reason> {
        let fixed = 1 + symbols.atoms.len() + symbols.dims.len();
        let ranks = (0..point.0.len()).map(|row| point.rank(row as u32) as usize);
        let total = ranks.clone().fold(fixed, usize::saturating_add);
        clock.spend(total)?;
        let starts = ranks.scan(fixed, |next, rank| {
            *next += rank;
            Some(*next - rank)
        });
        let mut graph = Graph {
            comparisons,
            point,
            atoms: symbols.atoms.len(),
            dims: symbols.dims.len(),
            starts: starts.collect(),
            below: vec![Vec::new(); total],
            reached: vec![None; total],
        };
        for at in 0..comparisons.len() {
            graph.connect(at, clock)?;
        }
        Ok(graph)
    }

    fn node(&self, axis: Axis) -> usize {
        match axis {
            Axis::Atom(atom) => 1 + atom as usize,
            Axis::Dim(dim) => 1 + self.atoms + dim as usize,
            _ => UNIT,
        }
    }

    /// Tells whether it is a place in the value of a row variable.
    fn is_place(&self, node: usize) -> bool {
        node > self.atoms + self.dims
    }

    /// Returns the axes of a row from the front.
    fn word(&self, row: &SymbolicRow) -> Vec<(usize, Spot)> {
        let leading = row.leading.iter().enumerate();
        let leading = leading.map(|(i, axis)| (self.node(*axis), Spot::Leading(i)));
        let content = row.var.into_iter().flat_map(|var| {
            let start = self.starts[var as usize];
            (start..start + self.point.rank(var) as usize).map(|node| (node, Spot::Content))
        });
        let trailing = row.trailing.iter().enumerate();
        let trailing = trailing.map(|(i, axis)| (self.node(*axis), Spot::Trailing(i)));
        leading.chain(content).chain(trailing).collect()
    }

    fn connect(&mut self, at: usize, clock: &Clock) -> Result<(), Reason> {
        let comparison = &self.comparisons[at];
        let [low, high] = [0, 1].map(|k| self.word(&comparison.rows[k]));
        clock.spend(low.len() + high.len())?;
        if comparison.equal {
            for (&one, &other) in low.iter().zip(&high) {
                self.step(at, 1, End::Front, other, one);
                self.step(at, 0, End::Front, one, other);
            }
            return Ok(());
        }
        let upper = &comparison.rows[UPPER];
        let inside = |length: fn(&Point, u32) -> i64| {
            let inside = upper.var.map_or(0, |var| length(self.point, var));
            inside as usize
        };
        let leading = upper.leading.len() + inside(Point::leading);
        let trailing = upper.trailing.len() + inside(Point::trailing);
        for (&one, &other) in low.iter().zip(&high).take(leading) {
            self.step(at, UPPER, End::Front, other, one);
        }
        for (&one, &other) in low.iter().rev().zip(high.iter().rev()).take(trailing) {
            self.step(at, UPPER, End::Back, other, one);
        }
        Ok(())
    }

    fn step(
        &mut self,
        comparison: usize,
        source: usize,
        end: End,
        from: (usize, Spot),
        to: (usize, Spot),
    ) {
        let step = Step {
            comparison,
            source,
            end,
            from: from.1,
            to: to.1,
        };
        self.below[from.0].push((to.0, step));
    }

    /// Follows all atoms downwards, each step of all walks before the next one, until two of them meet or one meets the
    /// unit.
    pub fn clash(&mut self) -> Option<Clash> {
        let mut waiting = VecDeque::new();
        for node in UNIT..=self.atoms {
            self.reached[node] = Some(Origin {
                first: node,
                last: None,
            });
            if node != UNIT {
                waiting.push_back((node, node));
            }
        }
        while let Some((node, first)) = waiting.pop_front() {
            for at in 0..self.below[node].len() {
                let (next, step) = self.below[node][at];
                match self.reached[next] {
                    Some(before) if before.first == first => {}
                    Some(_) => return Some(self.meeting(node, step, next)),
                    None => {
                        self.reached[next] = Some(Origin {
                            first,
                            last: Some((node, step)),
                        });
                        waiting.push_back((next, first));
                    }
                }
            }
        }
        None
    }

    /// Returns the clash of the walk that has reached `next` with the one that reaches it from `node`.
    fn meeting(&self, node: usize, step: Step, next: usize) -> Clash {
        let mut second = self.walk_to(node);
        second.push(step);
        Clash {
            walks: [self.walk_to(next), second],
            inside: self.is_place(next),
        }
    }

    fn walk_to(&self, mut node: usize) -> Walk {
        let mut walk = Walk::new();
        while let Some((before, step)) = self.reached[node].and_then(|origin| origin.last) {
            walk.push(step);
            node = before;
        }
        walk.reverse();
        walk
    }

    /// Returns, after a search without a clash, the atom that a dimension variable must be, if any.
    pub fn dim(&self, dim: u32) -> Option<usize> {
        self.atom_at(self.node(Axis::Dim(dim)))
    }

    /// Returns, after a search without a clash, for each axis of a row variable from the front, the atom that it must
    /// be, if any.
    pub fn row(&self, row: u32) -> Vec<Option<usize>> {
        let start = self.starts[row as usize];
        let places = start..start + self.point.rank(row) as usize;
        places.map(|place| self.atom_at(place)).collect()
    }

    fn atom_at(&self, node: usize) -> Option<usize> {
        self.reached[node].map(|origin| origin.first - 1)
    }
}
