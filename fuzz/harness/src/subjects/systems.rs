//! Systems of projection equations: the solver, the transcribed union-find and the naive closure compared with each
//! other, and index maps with all indices that satisfy the equations.

pub mod closure;
mod union_find;

use std::fmt;

use lozenge_solver::project::solve_equations;
use lozenge_testkit::generate::systems;
use lozenge_testkit::system::System;
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::{Index, Projections};

use crate::features::Features;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::{Asked, Effort, Parties, Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Answer, Subject};

pub use closure::CLOSURE;
pub use union_find::UNION_FIND;

/// Systems of projection equations.
pub struct Systems;

/// The question about a system: product space and index maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Project;

/// The loop nest up to names of loops, or the conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest(pub Result<Projections, String>);

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Err(conflict) => writeln!(f, "a conflict: {conflict}"),
            Ok(nest) => {
                writeln!(f, "factors {:?}", nest.factors)?;
                let mut maps = nest.maps.iter().enumerate();
                maps.try_for_each(|(slot, map)| {
                    let indices: Vec<String> = map.0.iter().map(ToString::to_string).collect();
                    writeln!(f, "slot {slot}: {}", indices.join(", "))
                })
            }
        }
    }
}

impl Answer for Nest {
    fn word(&self) -> &'static str {
        match &self.0 {
            Ok(_) => "solved",
            Err(_) => "conflict",
        }
    }
}

/// The projection of the production solver.
pub const SOLVER: Party<Systems> = Party {
    name: "solver",
    about: "the production solver",
    questions: &[Project],
    checks: Some(Project),
    make: |effort| {
        Asked::boxed(effort, by_solver, |effort, question, system| {
            by_solver(effort, question, system).map_or_else(String::new, |nest| nest.to_string())
        })
    },
};

fn by_solver(_: &Effort, _: Project, system: &System) -> Option<Nest> {
    let solved = solve_equations(&system.equations, &system.sizes);
    Some(Nest(solved.map_err(|conflict| conflict.to_string())))
}

impl Subject for Systems {
    const NOUN: &'static str = "a system of projection equations";
    const EXTENSION: &'static str = "projections";
    const UNIT: &'static str = "equations";

    type Instance = System;
    type Question = Project;
    type Answer = Nest;

    const PARTIES: &'static [Party<Systems>] = &[UNION_FIND, SOLVER, CLOSURE];
    const TARGETS: &'static [Target<Systems>] = TARGETS;

    /// Demands that the parties find the same index maps, or all a conflict.
    fn compare(_: &System, said: &[Said<Systems>]) -> Outcome {
        let same = said
            .windows(2)
            .all(|pair| match (&pair[0].answer.0, &pair[1].answer.0) {
                (Ok(a), Ok(b)) => a == b,
                (Err(_), Err(_)) => true,
                _ => false,
            });
        if same {
            return Outcome::Agree;
        }
        let differ = Disagreement::new("three ways to solve the equations differ");
        let told = said
            .iter()
            .fold(differ, |told, said| told.answered(said.party, &said.answer));
        told.into()
    }

    fn check(system: &System, nest: &Nest) -> Result<(), String> {
        match nest.0.as_ref().map(|nest| by_indices(system, nest)) {
            Ok(Outcome::Disagree(disagreement)) => Err(disagreement.to_string()),
            _ => Ok(()),
        }
    }

    fn smaller(system: &System) -> Vec<System> {
        smaller(system)
    }

    fn size(system: &System) -> usize {
        system.equations.len()
    }

    fn features(system: &System) -> Features {
        Features {
            others: vec![
                format!("{} slots", system.sizes.len()),
                format!("{} equations", system.equations.len()),
            ],
            ..Features::default()
        }
    }
}

/// The targets.
const TARGETS: &[Target<Systems>] = &[Target {
    name: "projection",
    about: "union and find, the naive closure of the equations, and all their indices",
    questions: &[Project],
    hunted: Hunted::Always,
    bytes: 128,
    generate: systems::system,
    examine: projection,
}];

/// The most choices of indices that are tried.
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

    /// Returns the value of an atom; a supplied symbol is taken to be position 0.
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

/// Returns the indices that the maps give to all axes, for each point of the product space. A point with an index
/// outside of its axis is skipped.
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

/// Lists every index tuple below the sizes, in lexicographic order.
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

/// Checks Def. 7.3 in terms of indices: the points of the product space are exactly the choices of indices that satisfy
/// the equations, where an axis that is not iterated is at 0.
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
pub fn projection(system: &System, parties: &mut Parties) -> Option<Comparison> {
    let found = parties.ask(&UNION_FIND, Project, system)?;
    let closed = parties.ask(&CLOSURE, Project, system)?;
    let solved = parties.ask(&SOLVER, Project, system)?;
    let said = [
        (&SOLVER, &solved),
        (&UNION_FIND, &found),
        (&CLOSURE, &closed),
    ];
    let said = said.map(|(party, answer)| Said {
        party: party.name,
        question: Project,
        answer: answer.clone(),
    });
    let outcome = match (Systems::compare(system, &said), &found.0) {
        (Outcome::Agree, Ok(nest)) => by_indices(system, nest),
        (outcome, _) => outcome,
    };
    // An input whose first equation alone is a conflict is not useful.
    let first = System {
        sizes: system.sizes.clone(),
        equations: system.equations.iter().take(1).cloned().collect(),
    };
    let first = parties.ask(&UNION_FIND, Project, &first);
    Some(Comparison {
        outcome,
        useful: !matches!(first, Some(Nest(Err(_)))),
        answer: found.word(),
    })
}

/// Returns the systems without an equation, without an axis, and with a simpler size.
fn smaller(system: &System) -> Vec<System> {
    let mut all = Vec::new();
    for at in 0..system.equations.len() {
        let mut other = system.clone();
        other.equations.remove(at);
        all.push(other);
    }
    for id in system.axes() {
        all.push(without_axis(system, id));
        for simple in [1, 2] {
            if system.size(id).is_some_and(|size| simple < size) {
                let mut other = system.clone();
                other.sizes[id.slot][id.axis] = simple;
                all.push(other);
            }
        }
    }
    if system.sizes.last().is_some_and(Vec::is_empty) {
        let mut other = system.clone();
        other.sizes.pop();
        all.push(other);
    }
    all
}

/// Returns the system without an axis and the equations that mention it.
fn without_axis(system: &System, gone: AxisId) -> System {
    let mut other = system.clone();
    other.sizes[gone.slot].remove(gone.axis);
    other.equations.retain_mut(|equation| {
        let axis = |atom| match atom {
            &mut Atom::Proj(ref mut id) => Some(id),
            Atom::Sol(_) => None,
        };
        let ids: Vec<&mut AxisId> = match equation {
            Equation::Eq(a, b) => [a, b].into_iter().filter_map(axis).collect(),
            Equation::Iter(a) => [a].into_iter().filter_map(axis).collect(),
            Equation::Derive(p, sum) => {
                let terms = sum.terms.iter_mut().map(|(_, id)| id);
                std::iter::once(p).chain(terms).collect()
            }
        };
        let mut kept = true;
        for id in ids {
            kept &= *id != gone;
            if id.slot == gone.slot && id.axis > gone.axis {
                id.axis -= 1;
            }
        }
        kept
    });
    other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_lose_axes_with_their_equations() {
        let system: System = "slot 2 3\nslot 2\n0.0 = 1.0\niter 0.1".parse().unwrap();
        let gone = AxisId { slot: 0, axis: 0 };
        assert_eq!(
            without_axis(&system, gone),
            "slot 3\nslot 2\niter 0.0".parse().unwrap()
        );
    }
}
