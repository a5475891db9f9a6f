//! The enumeration of ranks: with the rank of each name chosen, equations of shapes are equations of letters.
//!
//! It is complete where the equations bound all ranks. Elsewhere it finds solutions of small rank.

use lozenge_axon_vocabulary::{DimId, Piece, ShapeVar, Word};
use lozenge_sizes::{Fact, Reason, Verdict};
use rustc_hash::FxHashMap;

use crate::arithmetic::{Answer, Arithmetic};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::nielsen::Found;
use crate::ranks::{RankStore, equation};
use crate::stop::Stop;

/// Tries ranks in the order of their sum.
pub(crate) fn search(
    engine: &mut Engine<'_>,
    arithmetic: &mut Arithmetic,
    words: &[(Vec<Piece>, Vec<Piece>)],
    limits: &Limits,
) -> Result<Found, Stop> {
    let equations: Vec<_> = words
        .iter()
        .map(|(left, right)| equation(left, right))
        .collect();
    // Nobody reads why ranks are refuted.
    let mut ranks = RankStore::new(
        &equations,
        lozenge_sizes::Limits {
            work: limits.work,
            minimising: 0,
        },
    );
    let before = arithmetic.store.spent();
    let reason = Reason(equations.len() as u32);
    let parts: Vec<_> = ranks.terms.values().map(|term| (1, *term)).collect();
    let sum = ranks.store.sum(&parts, 0);
    let mut letters: FxHashMap<(ShapeVar, u64), DimId> = FxHashMap::default();
    let mut unknown = None;
    let (mut tried, mut compared) = (0, 0);
    for total in 0_i64.. {
        let clean = ranks.store.snapshot();
        let number = ranks.store.number(total);
        ranks.store.assert(Fact::AtMost(number, sum), reason);
        match ranks.store.check() {
            Verdict::Satisfiable => {}
            Verdict::Unsatisfiable(_) => break,
            Verdict::Unknown(why) => return Ok(Found::Unknown(why.to_string())),
        }
        ranks.store.assert(Fact::Equal(number, sum), reason);
        while ranks.store.check() == Verdict::Satisfiable {
            let spent = ranks.store.spent() + arithmetic.store.spent() - before;
            if tried == limits.ranks || compared > limits.axes || spent > limits.work {
                return Ok(Found::Unknown(format!(
                    "{tried} choices of ranks were tried"
                )));
            }
            tried += 1;
            let Some(model) = ranks.store.model() else {
                return Ok(Found::Unknown("the ranks have no model".to_string()));
            };
            let chosen: Vec<(ShapeVar, u64)> = ranks
                .terms
                .iter()
                .map(|(name, term)| (*name, model.value(*term).unwrap_or(0).max(0) as u64))
                .collect();
            let steps = lists(engine, &mut letters, &chosen);
            compared += compared_axes(words, &steps);
            match try_ranks(engine, arithmetic, words, &steps)? {
                Answer::Satisfiable => return Ok(Found::Solution(steps)),
                Answer::Unsatisfiable(_) => {}
                Answer::Unknown(why) => unknown = Some(why),
            }
            let mut others = Vec::new();
            for (name, rank) in &chosen {
                let number = ranks.store.number(*rank as i64);
                others.push(Fact::Differ(ranks.terms[name], number));
            }
            ranks.store.assert_any(&others, reason);
        }
        if ranks.store.rollback(clean).is_err() {
            return Ok(Found::Unknown("the ranks lost their facts".to_string()));
        }
    }
    Ok(match unknown {
        None => Found::Nothing,
        Some(why) => Found::Unknown(why),
    })
}

/// Returns for each name a list of its letters of that rank.
fn lists(
    engine: &mut Engine<'_>,
    letters: &mut FxHashMap<(ShapeVar, u64), DimId>,
    ranks: &[(ShapeVar, u64)],
) -> Vec<(ShapeVar, Word)> {
    let mut lists = Vec::new();
    for (name, rank) in ranks {
        let mut axes = Vec::new();
        for place in 0..*rank {
            axes.push(*letters.entry((*name, place)).or_insert_with(|| {
                let hint = engine.pool.shape_name(*name).to_string();
                let axis = engine.pool.fresh_dim(&hint);
                engine.pool.var(axis)
            }));
        }
        lists.push((*name, Word::list(axes)));
    }
    lists
}

/// Returns the number of axes of the left sides.
fn compared_axes(words: &[(Vec<Piece>, Vec<Piece>)], lists: &[(ShapeVar, Word)]) -> usize {
    let ranks: FxHashMap<ShapeVar, usize> = lists
        .iter()
        .map(|(name, word)| (*name, word.0.len()))
        .collect();
    let rank = |piece: &Piece| match piece {
        Piece::Axis(_) => 1,
        Piece::Shape(name) => ranks.get(name).copied().unwrap_or(0),
    };
    words.iter().flat_map(|(left, _)| left).map(rank).sum()
}

/// Decides the equations of letters for lists. The arithmetic keeps those of a solution.
fn try_ranks(
    engine: &mut Engine<'_>,
    arithmetic: &mut Arithmetic,
    words: &[(Vec<Piece>, Vec<Piece>)],
    lists: &[(ShapeVar, Word)],
) -> Result<Answer, Stop> {
    let values: FxHashMap<ShapeVar, &Word> =
        lists.iter().map(|(name, word)| (*name, word)).collect();
    let axes = |pieces: &[Piece]| {
        let mut axes = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Axis(dim) => axes.push(*dim),
                Piece::Shape(name) => {
                    axes.extend(values.get(name).into_iter().flat_map(|word| word.dims()))
                }
            }
        }
        axes
    };
    let clean = arithmetic.store.snapshot();
    for (left, right) in words {
        for (one, other) in axes(left).into_iter().zip(axes(right)) {
            let mut from = Vec::new();
            let one = arithmetic.term(engine, one, &mut from)?;
            let other = arithmetic.term(engine, other, &mut from)?;
            arithmetic.assert(engine, Fact::Equal(one, other), from);
        }
    }
    let answer = arithmetic.check();
    if !matches!(answer, Answer::Satisfiable) && arithmetic.store.rollback(clean).is_err() {
        return Err(Stop::Limit("the arithmetic lost its facts".to_string()));
    }
    Ok(answer)
}
