//! Sizes together with rows whose lengths are open: solutions are looked for at some lengths.
//!
//! At most log₂ n of the axes of a row with n elements are longer than 1. So of a row among factors each number of
//! further axes up to that is tried, few before many, and beside them the lengths of a solution without sizes. An
//! assignment that is found is a solution; where none is found, nothing is known.

use lozenge_vocabulary::Tag;

use crate::complete::decide::Length;
use crate::problem::{Problem, Size};
use crate::state::engine::Engine;
use crate::term::{RowId, Term};

/// At most so many lengths are tried.
const TRIED: usize = 66;
/// Always at least so many.
const FEW: usize = 2;
/// Fewer of a large problem, so that lengths times constraints stays below this.
const CONSTRAINTS: usize = 100_000;

impl Engine {
    /// Returns the variables of open rows among factors, each once, with the axes that are known of it.
    pub(crate) fn lengths_counted(&mut self) -> Vec<Length> {
        let mut lengths: Vec<Length> = Vec::new();
        for number in self.sizes.counted.ids() {
            if !self.sizes.counted[number].is_open() {
                continue;
            }
            let rows: Vec<_> = self.problem.elements[number].rows().copied().collect();
            for row in rows {
                let written = self.row(row);
                let (Some(var), Ok(spelled)) = (written.var, self.spell(row)) else {
                    continue;
                };
                if spelled.open.is_some() {
                    lengths.push(Length {
                        row: var,
                        lead: spelled.lead.len() as u32 - written.lead,
                        trail: spelled.trail.len() as u32 - written.trail,
                    });
                }
            }
        }
        lengths.sort_by_key(|length| length.row);
        lengths.dedup_by_key(|length| length.row);
        lengths
    }

    /// Bounds the number of axes longer than 1 that an open row among factors can have beside its known ones: as many
    /// as the longest known product has bits.
    pub(crate) fn most_more(&self) -> u32 {
        let open = self.sizes.counted.values().filter(|of| of.is_open());
        let wholes = open.filter_map(|counted| self.size_of(counted.product.whole));
        wholes.max().map_or(1, |whole| whole.max(2).ilog2())
    }

    /// Lists policy's solutions in which these rows, of the problem of that size, have some more axes, at most `most`
    /// each.
    pub(crate) fn with_more_axes(
        &self,
        size: Size,
        lengths: &[Length],
        most: u32,
    ) -> impl Iterator<Item = Engine> {
        let allowed = (CONSTRAINTS / self.problem.len().max(1)).clamp(FEW, TRIED);
        let tried = further(lengths.len(), most).take(allowed);
        tried.filter_map(move |more| {
            let longer = lengths.iter().zip(more).map(|(length, more)| Length {
                trail: length.trail + more,
                ..*length
            });
            at_lengths(&self.problem, size, longer)
        })
    }
}

/// Lists numbers of further axes for some rows: first all the same number, then fewer altogether before more.
fn further(rows: usize, most: u32) -> impl Iterator<Item = Vec<u32>> {
    let same = (0..=most).map(move |more| vec![more; rows]);
    let largest = match rows {
        0 | 1 => 0,
        rows => most.saturating_mul(rows as u32),
    };
    let totals = 1..=largest;
    same.chain(totals.flat_map(move |total| {
        let mut first = vec![0; rows];
        first[0] = total;
        std::iter::successors(Some(first), |parts| next_with_this_sum(parts))
            .filter(move |parts| parts.iter().all(|part| *part <= most))
    }))
}

/// Returns the next list of numbers with the same sum; `None` after the last one, of which only the last number is not
/// 0.
fn next_with_this_sum(parts: &[u32]) -> Option<Vec<u32>> {
    let at = parts.iter().position(|part| *part > 0)?;
    let mut next = parts.to_vec();
    *next.get_mut(at + 1)? += 1;
    let left = std::mem::replace(&mut next[at], 0) - 1;
    next[0] = left;
    Some(next)
}

/// Returns a solution in which rows have these lengths, if policy finds one. The problem is cut back to `size` first.
pub(crate) fn at_lengths(
    problem: &Problem,
    size: Size,
    lengths: impl IntoIterator<Item = Length>,
) -> Option<Engine> {
    let mut problem = problem.clone();
    problem.truncate(size);
    for length in lengths {
        let axes = length.lead + length.trail;
        let axes: Vec<Term> = (0..axes)
            .map(|_| problem.unnamed_dim(Tag::Interior))
            .collect();
        let (leading, trailing) = axes.split_at(length.lead as usize);
        let closed = problem.row_of(leading, None, trailing);
        let bare = RowId {
            var: Some(length.row),
            lead: 0,
            trail: 0,
            ..closed
        };
        problem.assert_row_eq(bare, closed);
    }
    let mut engine = Engine::new(problem);
    if engine.solve().is_err() || engine.sizes.is_unwitnessed {
        return None;
    }
    // The added constraints are no part of the question.
    engine.problem.forget_constraints(size);
    Some(engine)
}

#[cfg(test)]
mod tests {
    use super::further;

    #[test]
    fn few_further_axes_come_before_many() {
        let one: Vec<Vec<u32>> = further(1, 3).collect();
        assert_eq!(one, [[0], [1], [2], [3]]);
        let two: Vec<Vec<u32>> = further(2, 2).collect();
        let same = [[0, 0], [1, 1], [2, 2]];
        let others = [
            [1, 0],
            [0, 1],
            [2, 0],
            [1, 1],
            [0, 2],
            [2, 1],
            [1, 2],
            [2, 2],
        ];
        assert_eq!(two, [&same[..], &others[..]].concat());
    }
}
