//! One equation of shapes: what follows from it alone without a choice.

use std::collections::BTreeMap;

use lozenge_axon_vocabulary::{DimId, Piece, ShapeVar, Word};

/// The conclusions from an equation.
#[derive(Debug)]
pub(crate) struct Reduced {
    /// The axes that are equal.
    pub(crate) letters: Vec<(DimId, DimId)>,
    pub(crate) rest: Rest,
}

/// The rest of an equation.
#[derive(Debug)]
pub(crate) enum Rest {
    Nothing,
    /// These names have these values, which mention none of them.
    Values(Vec<(ShapeVar, Word)>),
    /// A name has this rank. The two shapes are still to be equal.
    Rank(ShapeVar, u64, Vec<Piece>, Vec<Piece>),
    /// Two shapes that begin differently and end differently.
    Stuck(Vec<Piece>, Vec<Piece>),
}

/// The two shapes that cannot be equal.
type Clash = (Vec<Piece>, Vec<Piece>);

/// Reduces an equation of two shapes without known names.
pub(crate) fn reduce(left: Vec<Piece>, right: Vec<Piece>) -> Result<Reduced, Clash> {
    let mut letters = Vec::new();
    let (left, right) = cancelled(left, right, &mut letters);
    let rest = match (left.as_slice(), right.as_slice()) {
        ([], []) => Rest::Nothing,
        ([], other) | (other, []) => {
            Rest::Values(all_empty(other).ok_or_else(|| (left.clone(), right.clone()))?)
        }
        // Of two names, the later one is replaced.
        ([Piece::Shape(one)], [Piece::Shape(other)]) => {
            let (kept, replaced) = (one.min(other), one.max(other));
            Rest::Values(vec![(*replaced, Word::name(*kept))])
        }
        ([Piece::Shape(name)], other) | (other, [Piece::Shape(name)]) => {
            alone(*name, other).ok_or_else(|| (left.clone(), right.clone()))?
        }
        _ => match by_rank(&left, &right) {
            ByRank::Clash => return Err((left, right)),
            ByRank::Forced(name, rank) => Rest::Rank(name, rank, left, right),
            ByRank::Open => Rest::Stuck(left, right),
        },
    };
    Ok(Reduced { letters, rest })
}

/// Removes equal names and pairs of axes at both ends.
fn cancelled(
    left: Vec<Piece>,
    right: Vec<Piece>,
    letters: &mut Vec<(DimId, DimId)>,
) -> (Vec<Piece>, Vec<Piece>) {
    let mut cancels = |one: Piece, other: Piece| match (one, other) {
        (Piece::Axis(one), Piece::Axis(other)) => {
            if one != other {
                letters.push((one, other));
            }
            true
        }
        (Piece::Shape(one), Piece::Shape(other)) => one == other,
        _ => false,
    };
    let shorter = left.len().min(right.len());
    let mut front = 0;
    while front < shorter && cancels(left[front], right[front]) {
        front += 1;
    }
    let mut back = 0;
    while front + back < shorter
        && cancels(left[left.len() - 1 - back], right[right.len() - 1 - back])
    {
        back += 1;
    }
    let middle = |pieces: Vec<Piece>| pieces[front..pieces.len() - back].to_vec();
    (middle(left), middle(right))
}

/// Returns that all pieces are empty, if they can be.
fn all_empty(pieces: &[Piece]) -> Option<Vec<(ShapeVar, Word)>> {
    let mut names = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Axis(_) => return None,
            Piece::Shape(name) => names.push((*name, Word::empty())),
        }
    }
    names.sort_unstable();
    names.dedup();
    Some(names)
}

/// Reduces `name = other`. Where the name occurs in the other side, everything beside it is empty.
fn alone(name: ShapeVar, other: &[Piece]) -> Option<Rest> {
    let Some(at) = other.iter().position(|piece| *piece == Piece::Shape(name)) else {
        return Some(Rest::Values(vec![(name, Word(other.to_vec()))]));
    };
    let mut beside = other.to_vec();
    beside.remove(at);
    all_empty(&beside).map(Rest::Values)
}

/// The relation of two sides by their ranks.
enum ByRank {
    Clash,
    Forced(ShapeVar, u64),
    Open,
}

/// Uses the rank of both sides: the names that are on both sides as often do not count.
fn by_rank(left: &[Piece], right: &[Piece]) -> ByRank {
    let (mut counts, mut axes) = balance(left, right);
    if counts.values().all(|count| *count <= 0) {
        counts.values_mut().for_each(|count| *count = -*count);
        axes = -axes;
    }
    if counts.values().any(|count| *count < 0) {
        return ByRank::Open;
    }
    // The sum of `count * rank` over the names is `wanted`.
    let wanted = -axes;
    let divisor = counts.values().fold(0, |one, other| gcd(one, *other));
    match counts.iter().next() {
        _ if wanted < 0 => ByRank::Clash,
        None if wanted == 0 => ByRank::Open,
        None => ByRank::Clash,
        Some(_) if wanted % divisor != 0 => ByRank::Clash,
        Some((name, _)) if wanted == 0 => ByRank::Forced(*name, 0),
        Some((name, count)) if counts.len() == 1 => ByRank::Forced(*name, (wanted / count) as u64),
        Some(_) => ByRank::Open,
    }
}

fn gcd(one: i64, other: i64) -> i64 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.abs()
}

/// Returns by how often a name stands on the left more than on the right, where that is not 0, and the same for axes.
pub(crate) fn balance(left: &[Piece], right: &[Piece]) -> (BTreeMap<ShapeVar, i64>, i64) {
    let mut counts: BTreeMap<ShapeVar, i64> = BTreeMap::new();
    let mut axes = 0;
    for (pieces, sign) in [(left, 1), (right, -1)] {
        for piece in pieces {
            match piece {
                Piece::Axis(_) => axes += sign,
                Piece::Shape(name) => *counts.entry(*name).or_default() += sign,
            }
        }
    }
    counts.retain(|_, count| *count != 0);
    (counts, axes)
}
