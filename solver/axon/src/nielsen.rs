//! The search of the Nielsen graph: which values of shapes solve word equations, with the equalities of letters in a
//! store.
//!
//! A state is a set of word equations and a set of equalities of letters. Where a letter meets a name, the name is
//! empty or begins with the letter; where two names meet, one is empty or begins with the other. A letter that meets a
//! letter adds an equality and no branch. If each name stands at most twice in all equations, no step makes them longer
//! and no step makes a letter, so the graph is finite, and the search decides. Otherwise it may end at its limit.
//! States are visited breadth first, so a solution of few steps is found first.

use std::collections::VecDeque;

use lozenge_axon_vocabulary::{DimId, Piece, ShapeVar, Word};
use lozenge_sizes::Fact;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arithmetic::{Answer, Arithmetic};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::stop::Stop;
use crate::words::{self, Rest};

/// A word equation.
type Sides = (Vec<Piece>, Vec<Piece>);

/// The equations and the equalities of letters by which a state is known.
type Key = (Vec<Sides>, Vec<(DimId, DimId)>);

/// A state of the search.
#[derive(Clone, Debug)]
struct State {
    words: Vec<Sides>,
    /// The equalities of letters so far.
    equal: Vec<(DimId, DimId)>,
    /// The step that led here, and the state before it.
    before: Option<usize>,
    steps: Vec<(ShapeVar, Word)>,
}

/// The answer of the search.
#[derive(Debug)]
pub(crate) enum Found {
    /// Steps that lead to a solution: each name stands for its word over the names after the step. The store has the
    /// equalities.
    Solution(Vec<(ShapeVar, Word)>),
    /// No state solves the equations.
    Nothing,
    /// The limit is reached, or a state is open for the arithmetic.
    Unknown(String),
}

/// The search.
struct Search<'s, 'p> {
    engine: &'s mut Engine<'p>,
    arithmetic: &'s mut Arithmetic,
    /// The states that were taken, for the way back.
    taken: Vec<State>,
    seen: FxHashSet<Key>,
    unknown: Option<String>,
    solution: Option<State>,
    letters: FxHashMap<DimId, DimId>,
    /// The equalities that were looked at, each true if it may hold. Few states make new ones.
    may_hold: FxHashMap<Vec<(DimId, DimId)>, bool>,
}

/// Searches for a solution of word equations over the facts of the arithmetic. Where there is one, the arithmetic keeps
/// its equalities.
pub(crate) fn search(
    engine: &mut Engine<'_>,
    arithmetic: &mut Arithmetic,
    words: Vec<Sides>,
    limits: &Limits,
) -> Result<Found, Stop> {
    let mut search = Search {
        engine,
        arithmetic,
        taken: Vec::new(),
        seen: FxHashSet::default(),
        unknown: None,
        solution: None,
        letters: FxHashMap::default(),
        may_hold: FxHashMap::default(),
    };
    let mut queue = VecDeque::new();
    let mut parts = 0;
    let first = State {
        words,
        equal: Vec::new(),
        before: None,
        steps: Vec::new(),
    };
    queue.extend(search.admitted(first)?);
    while search.solution.is_none()
        && let Some(state) = queue.pop_front()
    {
        if search.taken.len() >= limits.cases {
            return Ok(Found::Unknown(format!(
                "{} cases of appended shapes were tried",
                limits.cases
            )));
        }
        let sides = state.words.iter();
        parts += sides
            .map(|(left, right)| left.len() + right.len())
            .sum::<usize>();
        if parts > limits.parts {
            return Ok(Found::Unknown(format!(
                "the cases of appended shapes have more than {} parts",
                limits.parts
            )));
        }
        let index = search.taken.len();
        let branches = branches(&state);
        search.taken.push(state);
        for (name, word) in branches {
            let next = applied(&search.taken[index], index, name, word);
            queue.extend(search.admitted(next)?);
            if search.solution.is_some() {
                break;
            }
        }
    }
    Ok(match (search.solution.take(), search.unknown.take()) {
        (Some(state), _) => Found::Solution(search.way_to(&state)),
        (None, None) => Found::Nothing,
        (None, Some(why)) => Found::Unknown(why),
    })
}

/// Returns the values between which a state has to choose.
fn branches(state: &State) -> Vec<(ShapeVar, Word)> {
    // A side without names decides soonest.
    let names = |pieces: &[Piece]| {
        pieces
            .iter()
            .filter(|piece| matches!(piece, Piece::Shape(_)))
            .count()
    };
    let weight = |(left, right): &Sides| {
        let (left, right) = (names(left), names(right));
        (left.min(right), left.max(right))
    };
    let Some((left, right)) = state.words.iter().min_by_key(|sides| weight(sides)) else {
        return Vec::new();
    };
    match (left.first(), right.first()) {
        (Some(Piece::Shape(name)), Some(axis @ Piece::Axis(_)))
        | (Some(axis @ Piece::Axis(_)), Some(Piece::Shape(name))) => {
            let longer = Word(vec![*axis, Piece::Shape(*name)]);
            vec![(*name, Word::empty()), (*name, longer)]
        }
        (Some(Piece::Shape(one)), Some(Piece::Shape(other))) => {
            let longer = |name: ShapeVar, start: ShapeVar| {
                (name, Word(vec![Piece::Shape(start), Piece::Shape(name)]))
            };
            // Where one is empty, neither longer form makes the solution shorter, so this is a branch of its own.
            vec![
                (*one, Word::empty()),
                (*other, Word::empty()),
                longer(*one, *other),
                longer(*other, *one),
            ]
        }
        // Equal pieces were cancelled, and no side is empty.
        _ => Vec::new(),
    }
}

fn substitute(pieces: &mut Vec<Piece>, name: ShapeVar, word: &Word) {
    if pieces.contains(&Piece::Shape(name)) {
        *pieces = pieces
            .iter()
            .flat_map(|piece| match piece {
                Piece::Shape(other) if *other == name => word.0.clone(),
                other => vec![*other],
            })
            .collect();
    }
}

fn applied(state: &State, index: usize, name: ShapeVar, word: Word) -> State {
    let mut next = state.clone();
    next.before = Some(index);
    for (left, right) in &mut next.words {
        substitute(left, name, &word);
        substitute(right, name, &word);
    }
    next.steps = vec![(name, word)];
    next
}

impl Search<'_, '_> {
    /// Reduces a state, and returns it if it is new and nothing refutes it.
    fn admitted(&mut self, mut state: State) -> Result<Option<State>, Stop> {
        if !self.reduced(&mut state)? {
            return Ok(None);
        }
        state.words.sort_unstable();
        state.words.dedup();
        if !self.seen.insert((state.words.clone(), state.equal.clone())) {
            return Ok(None);
        }
        if !self.may_hold(&state)? {
            return Ok(None);
        }
        if state.words.is_empty() {
            self.solution = Some(state);
            return Ok(None);
        }
        Ok(Some(state))
    }

    /// Reduces all equations of a state until each is stuck. Returns whether no step refutes them.
    fn reduced(&mut self, state: &mut State) -> Result<bool, Stop> {
        let mut pending: Vec<Sides> = std::mem::take(&mut state.words);
        while let Some((left, right)) = pending.pop() {
            let Ok(reduced) = words::reduce(left, right) else {
                return Ok(false);
            };
            for (one, other) in reduced.letters {
                if !self.equate(state, one, other)? {
                    return Ok(false);
                }
            }
            match reduced.rest {
                Rest::Nothing => {}
                Rest::Rank(name, 0, left, right) => {
                    pending.push((left, right));
                    self.put(state, &mut pending, vec![(name, Word::empty())]);
                }
                // A list of new letters would differ from branch to branch, so other ranks are left to the branches.
                Rest::Rank(_, _, left, right) | Rest::Stuck(left, right) => {
                    state.words.push((left, right))
                }
                Rest::Values(values) => self.put(state, &mut pending, values),
            }
        }
        self.rename(state);
        Ok(true)
    }

    /// Puts values into all equations of a state, and makes them pending.
    fn put(&self, state: &mut State, pending: &mut Vec<Sides>, values: Vec<(ShapeVar, Word)>) {
        pending.append(&mut state.words);
        for (name, word) in values {
            for (left, right) in pending.iter_mut() {
                substitute(left, name, &word);
                substitute(right, name, &word);
            }
            state.steps.push((name, word));
        }
    }

    /// Adds an equality of letters. Returns whether it can hold.
    fn equate(&mut self, state: &mut State, one: DimId, other: DimId) -> Result<bool, Stop> {
        let (one, other) = (self.canonical(one)?, self.canonical(other)?);
        let (one, other) = (representative(state, one), representative(state, other));
        if one == other {
            return Ok(true);
        }
        let (kept, replaced) = (one.min(other), one.max(other));
        let difference = self
            .engine
            .pool
            .op(lozenge_axon_vocabulary::Op::Subtract, kept, replaced);
        if self.engine.pool.linear(difference)?.as_number().is_some() {
            return Ok(false);
        }
        // The list is a map from each letter to the least that equals it.
        for (_, to) in &mut state.equal {
            if *to == replaced {
                *to = kept;
            }
        }
        state.equal.push((replaced, kept));
        state.equal.sort_unstable();
        Ok(true)
    }

    /// Writes the least of equal letters for each letter.
    fn rename(&mut self, state: &mut State) {
        let State { words, equal, .. } = state;
        for piece in words
            .iter_mut()
            .flat_map(|(left, right)| left.iter_mut().chain(right))
        {
            if let Piece::Axis(dim) = piece {
                let letter = self.letters.get(dim).copied().unwrap_or(*dim);
                *dim = equal
                    .iter()
                    .find(|(from, _)| *from == letter)
                    .map_or(letter, |(_, to)| *to);
            }
        }
    }

    /// Returns the normal form of a letter over names without value.
    fn canonical(&mut self, dim: DimId) -> Result<DimId, Stop> {
        if let Some(&letter) = self.letters.get(&dim) {
            return Ok(letter);
        }
        let engine = &mut *self.engine;
        let form = engine
            .dims
            .reduced(engine.pool, &mut engine.origins, dim, &mut Vec::new())?;
        let letter = engine.pool.term(&form);
        self.letters.insert(dim, letter);
        Ok(letter)
    }

    /// Returns whether the equalities of a state may hold. The arithmetic keeps those of a solution.
    fn may_hold(&mut self, state: &State) -> Result<bool, Stop> {
        if !state.words.is_empty() {
            if let Some(&may_hold) = self.may_hold.get(&state.equal) {
                return Ok(may_hold);
            }
            let may_hold = self.asked(state)?;
            self.may_hold.insert(state.equal.clone(), may_hold);
            return Ok(may_hold);
        }
        self.asked(state)
    }

    /// Asks the arithmetic.
    fn asked(&mut self, state: &State) -> Result<bool, Stop> {
        let clean = self.arithmetic.store.snapshot();
        for (one, other) in &state.equal {
            let mut from = Vec::new();
            let one = self.arithmetic.term(self.engine, *one, &mut from)?;
            let other = self.arithmetic.term(self.engine, *other, &mut from)?;
            self.arithmetic
                .assert(self.engine, Fact::Equal(one, other), from);
        }
        let answer = self.arithmetic.check();
        if state.words.is_empty() && matches!(answer, Answer::Satisfiable) {
            return Ok(true);
        }
        if self.arithmetic.store.rollback(clean).is_err() {
            return Err(Stop::Limit("the arithmetic lost its facts".to_string()));
        }
        Ok(match answer {
            Answer::Satisfiable => true,
            Answer::Unsatisfiable(_) => false,
            Answer::Unknown(why) => {
                self.unknown = Some(why);
                !state.words.is_empty()
            }
        })
    }

    /// Returns the steps from the first state to a state.
    fn way_to(&self, state: &State) -> Vec<(ShapeVar, Word)> {
        let mut parts = vec![state.steps.clone()];
        let mut before = state.before;
        while let Some(index) = before {
            parts.push(self.taken[index].steps.clone());
            before = self.taken[index].before;
        }
        parts.into_iter().rev().flatten().collect()
    }
}

fn representative(state: &State, letter: DimId) -> DimId {
    state
        .equal
        .iter()
        .find(|(from, _)| *from == letter)
        .map_or(letter, |(_, to)| *to)
}
