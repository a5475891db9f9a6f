//! `projection`: compares the solver, the transcribed union-find and the naive closure with each other, and index maps with
//! all indices that satisfy the equations. Whole operations are compared in [`crate::closed_operation`].

use lozenge_solver::project::solve_equations;
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::{Index, Projections};

use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::{Parties, PartyId};
use crate::party::{Answer, Question};
use lozenge_testkit::system::System;

/// At most how many choices of indices are tried.
const CHOICES: u64 = 512;

/// A choice of an index for every axis, slot by slot.
struct Choice<'a> {
    system: &'a System,
    indices: Vec<u64>,
}

impl Choice<'_> {
    fn of(&self, id: AxisId) -> Option<u64> {
        let before: usize = self.system.sizes[..id.slot].iter().map(Vec::len).sum();
        self.indices.get(before + id.axis).copied()
    }

    /// The value of an atom; a supplied symbol is taken to be position 0.
    fn atom(&self, atom: &Atom) -> Option<u64> {
        match atom {
            Atom::Proj(id) => self.of(*id),
            Atom::Sol(Index::Fix(position)) => Some(*position),
            Atom::Sol(Index::Symbol(_)) => Some(0),
            Atom::Sol(Index::Iter(_) | Index::Affine(_)) => None,
        }
    }

    fn satisfies(&self) -> bool {
        self.system.equations.iter().all(|equation| match equation {
            Equation::Eq(a, b) => self.atom(a) == self.atom(b),
            Equation::Iter(_) => true,
            Equation::Derive(p, sum) => {
                let mut terms = sum.terms.iter();
                let total = terms.try_fold(i128::from(sum.offset), |total, (c, q)| {
                    Some(total + i128::from(c.get()) * i128::from(self.of(*q)?))
                });
                total == self.of(*p).map(i128::from)
            }
        })
    }
}

/// The indices that the maps give to all axes, for each point of the product space. A point with an index outside of its axis
/// is skipped.
fn images(nest: &Projections) -> Vec<Vec<u64>> {
    let index = |index: &Index, point: &[u64]| match index {
        Index::Iter(factor) => point[*factor],
        Index::Fix(position) => *position,
        Index::Symbol(_) => 0,
        Index::Affine(affine) => u64::try_from(affine.at(point)).unwrap_or(u64::MAX),
    };
    let points = counted(&nest.factors);
    let axes = || nest.maps.iter().flat_map(|map| &map.0);
    let sizes = || nest.sizes.iter().flatten();
    let exists = |indices: &Vec<u64>| indices.iter().zip(sizes()).all(|(at, size)| at < size);
    points
        .iter()
        .map(|point| axes().map(|i| index(i, point)).collect())
        .filter(exists)
        .collect()
}

/// Every index tuple below the sizes, in lexicographic order.
fn counted(sizes: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for size in sizes {
        let longer = all.iter().flat_map(|tuple: &Vec<u64>| {
            (0..*size).map(move |at| tuple.iter().copied().chain([at]).collect())
        });
        all = longer.collect();
    }
    all
}

/// Def. 7.3 in terms of indices: the points of the product space are exactly the choices of indices that satisfy the
/// equations, where an axis that is not iterated is at 0.
fn by_indices(system: &System, nest: &Projections) -> Outcome {
    let sizes: Vec<u64> = system.sizes.iter().flatten().copied().collect();
    let choices = sizes
        .iter()
        .try_fold(1u64, |all, size| all.checked_mul(*size));
    let labels: Vec<&Index> = nest.maps.iter().flat_map(|map| &map.0).collect();
    let outside = labels
        .iter()
        .zip(&sizes)
        .any(|(index, size)| matches!(index, Index::Fix(position) if position >= size));
    if choices.is_none_or(|choices| choices > CHOICES) || outside {
        return Outcome::Agree;
    }
    let stands = |indices: &[u64]| {
        let mut pairs = labels.iter().zip(indices);
        pairs.all(|(label, at)| *at == 0 || !matches!(label, Index::Fix(0)))
    };
    let satisfying: Vec<Vec<u64>> = counted(&sizes)
        .into_iter()
        .map(|indices| Choice { system, indices })
        .filter(|choice| choice.satisfies() && stands(&choice.indices))
        .map(|choice| choice.indices)
        .collect();
    let mut images = images(nest);
    images.sort();
    if images == satisfying {
        return Outcome::Agree;
    }
    Disagreement::new("the index maps are not the solutions of the equations")
        .answered("index maps", format!("{images:?}"))
        .answered("enumeration", format!("{satisfying:?}"))
        .into()
}

/// Compares union-find, the closure, the solver and the indices.
pub fn projection(input: &Input, parties: &mut Parties) -> Option<Comparison> {
    let Input::System(system) = input else {
        return None;
    };
    let Answer::Nest(found) = parties.ask(PartyId::UnionFind, Question::Project, input) else {
        return None;
    };
    let Answer::Nest(closed) = parties.ask(PartyId::Closure, Question::Project, input) else {
        return None;
    };
    let solved = solve_equations(&system.equations, &system.sizes);
    let same = match (&found, &closed, &solved) {
        (Ok(a), Ok(b), Ok(c)) => a == b && b == c,
        (Err(_), Err(_), Err(_)) => true,
        _ => false,
    };
    let outcome = match &found {
        Ok(nest) if same => by_indices(system, nest),
        _ if same => Outcome::Agree,
        _ => Disagreement::new("three ways to solve the equations differ")
            .answered("solver", format!("{solved:?}"))
            .answered("union-find", format!("{found:?}"))
            .answered("closure", format!("{closed:?}"))
            .into(),
    };
    // An input whose first equation alone is a conflict is not useful.
    let first = System {
        sizes: system.sizes.clone(),
        equations: system.equations.iter().take(1).cloned().collect(),
    };
    let first = parties.ask(PartyId::UnionFind, Question::Project, &Input::System(first));
    Some(Comparison {
        outcome,
        useful: !matches!(first, Answer::Nest(Err(_))),
        answer: if found.is_ok() { "solved" } else { "conflict" },
    })
}
