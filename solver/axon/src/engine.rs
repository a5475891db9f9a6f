//! Propagation: what follows from equations without a choice.
//!
//! Equal ends of two shapes are cancelled, and what is left of a letter against a letter goes to the dimensions. A
//! shape that stands alone is a value. The rank of each side gives a linear equation, alone and together with those of
//! the other equations.

use std::collections::VecDeque;

use lozenge_axon_vocabulary::{DimId, DimNode, DimVar, Equation, Op, Piece, Pool, ShapeVar, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dims::Dims;
use crate::origin::{OriginId, Origins};
use crate::ranks::{self, Ranks};
use crate::stop::{Clash, Stop};
use crate::words::{self, Reduced};

/// The number of parts after which a shape is not written out. Equations like `s = t@t` double it.
const LONGEST: usize = 1 << 16;

/// The number of parts up to which the value of a name is written out inside of the values in which it stands.
const LONGEST_KEPT: usize = 256;

/// An equation of shapes.
#[derive(Clone, Debug)]
pub(crate) struct WordEquation {
    pub(crate) left: Vec<Piece>,
    pub(crate) right: Vec<Piece>,
    pub(crate) origin: OriginId,
    /// The fact that the equation is not used up.
    pub(crate) is_left: bool,
}

/// The state of propagation.
#[derive(Debug)]
pub(crate) struct Engine<'p> {
    pub(crate) pool: &'p mut Pool,
    pub(crate) origins: Origins,
    pub(crate) dims: Dims,
    shapes: FxHashMap<ShapeVar, (Word, OriginId)>,
    pub(crate) words: Vec<WordEquation>,
    queue: VecDeque<usize>,
    /// The equations in which a name stands.
    watched: FxHashMap<ShapeVar, Vec<usize>>,
    /// The terms that are axes or sides, thus at least 1.
    pub(crate) positive: Vec<(DimId, OriginId)>,
    /// The terms that divide, thus are not 0.
    pub(crate) divisors: Vec<(DimId, OriginId)>,
}

impl<'p> Engine<'p> {
    pub(crate) fn new(pool: &'p mut Pool) -> Engine<'p> {
        Engine {
            pool,
            origins: Origins::default(),
            dims: Dims::default(),
            shapes: FxHashMap::default(),
            words: Vec::new(),
            queue: VecDeque::new(),
            watched: FxHashMap::default(),
            positive: Vec::new(),
            divisors: Vec::new(),
        }
    }

    /// Adds the equations with their indices, and derives what follows.
    pub(crate) fn assert_all<'e>(
        &mut self,
        equations: impl IntoIterator<Item = (u32, &'e Equation)>,
    ) -> Result<(), Stop> {
        let mut seen: FxHashSet<DimId> = FxHashSet::default();
        for (index, equation) in equations {
            let origin = self.origins.given(index);
            self.conditions(equation, origin, &mut seen);
            match equation {
                Equation::Dims(left, right) => {
                    self.dims
                        .equate(self.pool, &mut self.origins, (*left, *right), origin)?;
                }
                Equation::Shapes(left, right) => {
                    self.queue.push_back(self.words.len());
                    self.words.push(WordEquation {
                        left: left.0.clone(),
                        right: right.0.clone(),
                        origin,
                        is_left: true,
                    });
                }
            }
        }
        self.settle()
    }

    /// Notes which terms of an equation are dimensions, and which divide.
    fn conditions(&mut self, equation: &Equation, origin: OriginId, seen: &mut FxHashSet<DimId>) {
        let dims: Vec<DimId> = equation
            .dims()
            .into_iter()
            .filter(|dim| seen.insert(*dim))
            .collect();
        for dim in &dims {
            if !matches!(self.pool.node(*dim), DimNode::Var(_)) {
                self.positive.push((*dim, origin));
            }
        }
        for part in self.pool.with_parts(dims) {
            if let DimNode::Op(Op::Divide, _, divisor) = self.pool.node(part)
                && !matches!(self.pool.node(divisor), DimNode::Var(_))
            {
                self.divisors.push((divisor, origin));
            }
        }
    }

    /// Derives what follows, to the end.
    pub(crate) fn settle(&mut self) -> Result<(), Stop> {
        loop {
            while let Some(index) = self.queue.pop_front() {
                if self.words[index].is_left {
                    self.reduce(index)?;
                }
            }
            self.dims.settle(self.pool, &mut self.origins)?;
            if !self.join_sides()? && !self.use_ranks()? {
                self.flatten(self.known_shapes().into_iter().map(Piece::Shape));
                return Ok(());
            }
        }
    }

    /// Gives a dimension a value that follows from facts.
    pub(crate) fn give(
        &mut self,
        name: DimVar,
        value: i64,
        behind: Vec<OriginId>,
    ) -> Result<(), Stop> {
        let origin = self.origins.derived(behind);
        let sides = (self.pool.var(name), self.pool.number(value));
        self.dims
            .equate(self.pool, &mut self.origins, sides, origin)
    }

    /// Reduces one equation of shapes.
    fn reduce(&mut self, index: usize) -> Result<(), Stop> {
        let sides = [&self.words[index].left, &self.words[index].right];
        let names: Vec<Piece> = sides.into_iter().flatten().copied().collect();
        self.flatten(names);
        let mut from = vec![self.words[index].origin];
        let left = self.expanded(&self.words[index].left, &mut from)?;
        let right = self.expanded(&self.words[index].right, &mut from)?;
        let origin = self.origins.derived(from);
        let reduced = words::reduce(left, right);
        let equation = &mut self.words[index];
        equation.is_left = false;
        let Reduced { letters, rest } = match reduced {
            Ok(reduced) => reduced,
            Err((left, right)) => {
                let clash = Clash::shapes(self.pool, Word(left), Word(right));
                return Err(Stop::clash(origin, clash));
            }
        };
        for sides in letters {
            self.dims
                .equate(self.pool, &mut self.origins, sides, origin)?;
        }
        match rest {
            words::Rest::Nothing => {}
            words::Rest::Values(values) => {
                for (variable, word) in values {
                    self.bind(variable, word, origin);
                }
            }
            words::Rest::Rank(variable, rank, left, right) => {
                self.expand(variable, rank, origin)?;
                self.keep(index, left, right, origin);
                self.queue.push_back(index);
            }
            words::Rest::Stuck(left, right) => {
                for piece in left.iter().chain(&right) {
                    if let Piece::Shape(variable) = piece {
                        self.watched.entry(*variable).or_default().push(index);
                    }
                }
                self.keep(index, left, right, origin);
            }
        }
        Ok(())
    }

    fn keep(&mut self, index: usize, left: Vec<Piece>, right: Vec<Piece>, origin: OriginId) {
        self.words[index] = WordEquation {
            left,
            right,
            origin,
            is_left: true,
        };
    }

    /// Gives a name a value, and wakes the equations in which it stands.
    fn bind(&mut self, variable: ShapeVar, word: Word, origin: OriginId) {
        self.shapes.insert(variable, (word, origin));
        for index in self.watched.remove(&variable).unwrap_or_default() {
            self.queue.push_back(index);
        }
    }

    /// Gives a name of known rank a list of new dimensions as its value.
    fn expand(&mut self, variable: ShapeVar, rank: u64, origin: OriginId) -> Result<(), Stop> {
        if rank > LONGEST as u64 {
            return Err(Stop::Limit(format!(
                "a shape has more than {LONGEST} parts"
            )));
        }
        let hint = self.pool.shape_name(variable).to_string();
        let axes: Vec<DimId> = (0..rank)
            .map(|_| {
                let axis = self.pool.fresh_dim(&hint);
                self.pool.var(axis)
            })
            .collect();
        self.bind(variable, Word::list(axes), origin);
        Ok(())
    }

    /// Puts the values of names into the values in which these stand, so that no chain of names is followed twice.
    fn flatten(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        let mut flat: FxHashSet<ShapeVar> = FxHashSet::default();
        let names = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Shape(name) => Some(name),
            Piece::Axis(_) => None,
        });
        let mut pending: Vec<ShapeVar> = names.collect();
        while let Some(&name) = pending.last() {
            let word = match self.shapes.get(&name) {
                Some((word, _)) if !flat.contains(&name) => word,
                _ => {
                    pending.pop();
                    continue;
                }
            };
            let inner = word
                .shapes()
                .filter(|inner| self.shapes.contains_key(inner));
            let inner: Vec<ShapeVar> = inner.collect();
            let before = pending.len();
            pending.extend(inner.iter().filter(|inner| !flat.contains(*inner)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            flat.insert(name);
            if !inner.is_empty() {
                self.replace_inside(name);
            }
        }
    }

    /// Replaces the names with a value in the value of a name, unless that becomes long.
    fn replace_inside(&mut self, name: ShapeVar) {
        let (word, origin) = &self.shapes[&name];
        let (mut parts, mut from) = (Vec::new(), vec![*origin]);
        for piece in &word.0 {
            match piece {
                Piece::Shape(inner) if self.shapes.contains_key(inner) => {
                    let (value, behind) = &self.shapes[inner];
                    parts.extend_from_slice(&value.0);
                    from.push(*behind);
                }
                _ => parts.push(*piece),
            }
            if parts.len() > LONGEST_KEPT {
                return;
            }
        }
        let origin = self.origins.derived(from);
        self.shapes.insert(name, (Word(parts), origin));
    }

    /// Returns a shape over names without value, and adds the origins of the values that were used.
    pub(crate) fn expanded(
        &self,
        pieces: &[Piece],
        from: &mut Vec<OriginId>,
    ) -> Result<Vec<Piece>, Stop> {
        let mut pending: Vec<Piece> = pieces.iter().rev().copied().collect();
        let mut expanded = Vec::with_capacity(pieces.len());
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Shape(variable) if self.shapes.contains_key(&variable) => {
                    let (word, origin) = &self.shapes[&variable];
                    from.push(*origin);
                    pending.extend(word.0.iter().rev());
                }
                _ => expanded.push(piece),
            }
            if expanded.len() > LONGEST || from.len() > LONGEST {
                return Err(Stop::Limit(format!(
                    "a shape has more than {LONGEST} parts"
                )));
            }
        }
        Ok(expanded)
    }

    /// Returns the names of shapes that have a value, in the order of their numbers.
    pub(crate) fn known_shapes(&self) -> Vec<ShapeVar> {
        let mut known: Vec<ShapeVar> = self.shapes.keys().copied().collect();
        known.sort_unstable();
        known
    }

    /// Puts the other sides of two equations with a common side in the place of one of them, where more follows from
    /// these. Returns whether anything changed.
    ///
    /// The parts of all equations become fewer each time, or a name gets a value, so this ends.
    fn join_sides(&mut self) -> Result<bool, Stop> {
        let mut by_side: FxHashMap<Vec<Piece>, usize> = FxHashMap::default();
        let mut is_changed = false;
        for index in 0..self.words.len() {
            if !self.words[index].is_left {
                continue;
            }
            let mut from = vec![self.words[index].origin];
            let sides = self.current_sides(index, &mut from)?;
            for place in 0..2 {
                let Some(&earlier) = by_side.get(&sides[place]) else {
                    by_side.insert(sides[place].clone(), index);
                    continue;
                };
                if earlier == index {
                    continue;
                }
                let mut from = from.clone();
                from.push(self.words[earlier].origin);
                let others = self.current_sides(earlier, &mut from)?;
                let other = usize::from(others[0] == sides[place]);
                if self.is_shorter(&others[other], &sides[1 - place], sides[place].len()) {
                    let origin = self.origins.derived(from);
                    self.keep(
                        index,
                        others[other].clone(),
                        sides[1 - place].clone(),
                        origin,
                    );
                    self.queue.push_back(index);
                    is_changed = true;
                    break;
                }
            }
        }
        Ok(is_changed)
    }

    /// Returns the two sides of an equation with the names that have no value, and with their axes in normal form. Adds
    /// the origins of the values that were used.
    fn current_sides(
        &mut self,
        index: usize,
        from: &mut Vec<OriginId>,
    ) -> Result<[Vec<Piece>; 2], Stop> {
        let mut sides = [Vec::new(), Vec::new()];
        for (place, side) in sides.iter_mut().enumerate() {
            let pieces = match place {
                0 => &self.words[index].left,
                _ => &self.words[index].right,
            };
            for piece in self.expanded(pieces, from)? {
                side.push(match piece {
                    Piece::Axis(dim) => {
                        let (dims, origins) = (&mut self.dims, &mut self.origins);
                        let form = dims.reduced(self.pool, origins, dim, from)?;
                        Piece::Axis(self.pool.term(&form))
                    }
                    name => name,
                });
            }
        }
        Ok(sides)
    }

    /// Tells whether more follows from the equation of two sides than from its parts: it has a solution of names, is
    /// refuted, or leaves an equation that is shorter than that of the second side and one of the given length.
    fn is_shorter(&self, left: &[Piece], right: &[Piece], length: usize) -> bool {
        match words::reduce(left.to_vec(), right.to_vec()) {
            Err(_) => true,
            Ok(Reduced { rest, .. }) => match rest {
                words::Rest::Stuck(one, other) => one.len() + other.len() < right.len() + length,
                words::Rest::Nothing | words::Rest::Values(_) | words::Rest::Rank(..) => true,
            },
        }
    }

    /// Uses the ranks of all equations together. Returns whether anything follows.
    fn use_ranks(&mut self) -> Result<bool, Stop> {
        let left: Vec<usize> = (0..self.words.len())
            .filter(|index| self.words[*index].is_left)
            .collect();
        if left.is_empty() {
            return Ok(false);
        }
        let equations: Vec<ranks::Equation> = left
            .iter()
            .map(|index| ranks::equation(&self.words[*index].left, &self.words[*index].right))
            .collect();
        match ranks::forced(&equations) {
            Ranks::Contradiction(indices) => {
                let from = indices
                    .iter()
                    .map(|index| self.words[left[*index]].origin)
                    .collect();
                Err(Stop::clash(
                    self.origins.derived(from),
                    Clash::said("no ranks satisfy these equations"),
                ))
            }
            Ranks::Forced(values) => {
                // The equations that force a rank are not kept apart; a refutation is made smaller afterwards.
                let from = left.iter().map(|index| self.words[*index].origin).collect();
                let origin = self.origins.derived(from);
                for (variable, rank) in &values {
                    self.expand(*variable, *rank, origin)?;
                }
                Ok(!values.is_empty())
            }
        }
    }

    /// Returns the equations of shapes that are left, without repetitions.
    pub(crate) fn left_words(&self) -> Vec<&WordEquation> {
        let mut seen = FxHashSet::default();
        self.words
            .iter()
            .filter(|equation| equation.is_left && seen.insert((&equation.left, &equation.right)))
            .collect()
    }
}
