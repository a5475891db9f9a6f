//! Projection equations by definition: the least equivalence that contains the equations, as a table (Def. 7.3).

use std::collections::BTreeSet;

use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use lozenge_testkit::system::System;

use super::{Nest, Project, Systems};
use crate::subject::party::{Asked, Effort, Party};

/// The naive closure: a table of which axis is equal to which, completed by Warshall's algorithm.
pub const CLOSURE: Party<Systems> = Party {
    name: "closure",
    about: "the naive closure of the equations",
    questions: &[Project],
    checks: Some(Project),
    make: |effort| {
        Asked::boxed(effort, answer, |effort, question, system| {
            answer(effort, question, system).map_or_else(String::new, |nest| nest.to_string())
        })
    },
};

/// Says nothing about more axes than its table has room for.
fn answer(_: &Effort, _: Project, system: &System) -> Option<Nest> {
    (system.axes().count() <= AXES).then(|| Nest(close(system)))
}

/// The largest number of axes for which a table is built.
pub const AXES: usize = 64;

struct Table<'a> {
    system: &'a System,
    axes: Vec<AxisId>,
    /// For each axis, a bit for each axis equal to it.
    equal: Vec<u64>,
}

impl<'a> Table<'a> {
    fn new(system: &'a System) -> Table<'a> {
        let axes: Vec<AxisId> = system.axes().collect();
        let mut equal: Vec<u64> = (0..axes.len()).map(|at| 1 << at).collect();
        let place = |id: &AxisId| axes.iter().position(|axis| axis == id);
        for equation in &system.equations {
            if let Equation::Eq(Atom::Proj(p), Atom::Proj(q)) = equation
                && let (Some(p), Some(q)) = (place(p), place(q))
            {
                equal[p] |= 1 << q;
                equal[q] |= 1 << p;
            }
        }
        for via in 0..axes.len() {
            for from in 0..axes.len() {
                if equal[from] >> via & 1 == 1 {
                    equal[from] |= equal[via];
                }
            }
        }
        Table {
            system,
            axes,
            equal,
        }
    }

    fn same(&self, at: usize, id: &AxisId) -> bool {
        (0..self.axes.len())
            .any(|other| self.equal[at] >> other & 1 == 1 && self.axes[other] == *id)
    }

    /// Returns the indices at which the class of an axis is pinned.
    fn pins(&self, at: usize) -> BTreeSet<&Index> {
        let pinned = |equation: &'a Equation| match equation {
            Equation::Eq(Atom::Proj(p), Atom::Sol(index))
            | Equation::Eq(Atom::Sol(index), Atom::Proj(p))
                if self.same(at, p) =>
            {
                Some(index)
            }
            _ => None,
        };
        self.system.equations.iter().filter_map(pinned).collect()
    }

    fn iterated(&self, at: usize) -> bool {
        self.system
            .equations
            .iter()
            .any(|equation| matches!(equation, Equation::Iter(Atom::Proj(p)) if self.same(at, p)))
    }

    /// Returns an equation that is contradictory by itself: about an unknown axis, or between two supplied indices.
    fn misstated(&self) -> Option<String> {
        self.system.equations.iter().find_map(|equation| {
            let atom = |atom: &'a Atom| match atom {
                Atom::Proj(id) => Some(id),
                Atom::Sol(_) => None,
            };
            let ids: Vec<&AxisId> = match equation {
                Equation::Eq(a, b) => [a, b].into_iter().filter_map(atom).collect(),
                Equation::Iter(a) => atom(a).into_iter().collect(),
                Equation::Derive(p, sum) => {
                    let terms = sum.terms.iter().map(|(_, id)| id);
                    std::iter::once(p).chain(terms).collect()
                }
            };
            let mut ids = ids.into_iter();
            let unknown = ids.find(|id| self.system.size(**id).is_none());
            match (unknown, equation) {
                (Some(id), _) => Some(format!("no axis {}.{}", id.slot, id.axis)),
                (None, Equation::Eq(Atom::Sol(a), Atom::Sol(b))) if a != b => {
                    Some(format!("{a} is not {b}"))
                }
                _ => None,
            }
        })
    }

    /// Checks Thm. 7.4: one class has two sizes, or two pins.
    fn conflict(&self) -> Option<String> {
        let size = |at: usize| self.system.size(self.axes[at]);
        (0..self.axes.len()).find_map(|at| {
            let other = (0..at).find(|other| self.equal[at] >> other & 1 == 1);
            if other.is_some_and(|other| size(at) != size(other)) {
                return Some(format!("two sizes at {:?}", self.axes[at]));
            }
            (self.pins(at).len() > 1).then(|| format!("two pins at {:?}", self.axes[at]))
        })
    }

    /// Returns the derived indices of the class of an axis.
    fn derivations(&self, at: usize) -> Vec<&'a Sum> {
        let equations = self.system.equations.iter();
        let derived = equations.filter_map(|equation| match equation {
            Equation::Derive(p, sum) if self.same(at, p) => Some(sum),
            _ => None,
        });
        derived.collect()
    }

    /// Returns the labels with the derived indices put in.
    fn derived(&self, plain: Projections) -> Result<Projections, String> {
        let flat: Vec<&Index> = plain.maps.iter().flat_map(|map| &map.0).collect();
        let index = |sum: &Sum| {
            let mut terms = Vec::new();
            let mut offset = i128::from(sum.offset);
            for (coefficient, q) in &sum.terms {
                let place = self.axes.iter().position(|axis| axis == q);
                let place = place.ok_or_else(|| format!("no axis {q:?}"))?;
                match (self.derivations(place).is_empty(), flat[place]) {
                    (true, Index::Iter(factor)) => terms.push((coefficient.get(), *factor)),
                    (true, Index::Fix(position)) => {
                        let moved = i128::from(coefficient.get()) * i128::from(*position);
                        offset += moved;
                    }
                    _ => return Err(format!("{q:?} has no index that can be added")),
                }
            }
            let offset = i64::try_from(offset).map_err(|_| "an index beyond 64 bits")?;
            Ok(Index::affine(terms, offset))
        };
        let mut labels = Vec::new();
        let fitted = |at: usize, index: Result<Index, String>| {
            let size = self.system.size(self.axes[at]).unwrap_or_default();
            index.map(|index| index.on_axis(size, &plain.factors))
        };
        for (at, label) in flat.iter().enumerate() {
            let indices: Result<BTreeSet<Index>, String> = self
                .derivations(at)
                .into_iter()
                .map(|sum| fitted(at, index(sum)))
                .collect();
            let indices: Vec<Index> = indices?.into_iter().collect();
            labels.push(match indices.as_slice() {
                [] => (*label).clone(),
                [one] if self.pins(at).into_iter().all(|pin| pin == one) => one.clone(),
                _ => return Err(format!("two indices at {:?}", self.axes[at])),
            });
        }
        let mut labels = labels.into_iter();
        let maps = plain.maps.iter().map(|map| {
            let indices = labels.by_ref().take(map.0.len());
            IndexMap(indices.collect())
        });
        Ok(Projections {
            maps: maps.collect(),
            ..plain.clone()
        })
    }

    /// Returns the labels of Def. 7.3, with factors numbered by the first axis that they drive.
    fn labels(&self) -> Projections {
        let mut projections = Projections {
            sizes: self.system.sizes.clone(),
            ..Projections::default()
        };
        let mut labels: Vec<Index> = Vec::new();
        for at in 0..self.axes.len() {
            let size = self.system.size(self.axes[at]).unwrap_or_default();
            let first = (0..at).find(|other| self.equal[at] >> other & 1 == 1);
            labels.push(match (first, self.pins(at).first()) {
                (Some(first), _) => labels[first].clone(),
                (None, Some(pin)) => (*pin).clone(),
                (None, None)
                    if self.iterated(at) && size > 1 && self.derivations(at).is_empty() =>
                {
                    projections.factors.push(size);
                    Index::Iter(projections.factors.len() - 1)
                }
                (None, None) => Index::Fix(0),
            });
        }
        let mut labels = labels.into_iter();
        for sizes in &self.system.sizes {
            let map = labels.by_ref().take(sizes.len()).collect();
            projections.maps.push(IndexMap(map));
        }
        projections
    }
}

/// Returns the labels of a system of at most 64 axes, or the conflict.
///
/// # Errors
/// The conflict, in words.
pub fn close(system: &System) -> Result<Projections, String> {
    let axes = system.axes().count();
    if axes > AXES {
        return Err(format!("{axes} axes, and a table has at most {AXES}"));
    }
    let table = Table::new(system);
    match table.misstated().or_else(|| table.conflict()) {
        Some(conflict) => Err(conflict),
        None => table.derived(table.labels()),
    }
}
