//! Def. 7.3: solving projection equations by union and find with pins, and labelling the classes. There is nothing to
//! choose: the answer is unique up to the names of the iterators (Thm. 7.4).

use std::collections::BTreeMap;

use thiserror::Error;

use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

/// Why projection equations have no solution (Thm. 7.4(a) to (c)).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Conflict {
    /// Two axes of one class have different sizes.
    #[error("one loop would drive slot {}'s axis {} of size {size} and slot {}'s axis {} of size {other_size}",
        axis.slot, axis.axis, other.slot, other.axis)]
    Sizes {
        /// An axis.
        axis: AxisId,
        /// Its size.
        size: u64,
        /// An axis of the same class.
        other: AxisId,
        /// Its size.
        other_size: u64,
    },
    /// One class is pinned at two indices.
    #[error("slot {}'s axis {} is read at {index} and at {other}", axis.slot, axis.axis)]
    Pins {
        /// An axis of the class.
        axis: AxisId,
        /// One index.
        index: Index,
        /// The other.
        other: Index,
    },
    /// Two supplied indices that must agree do not.
    #[error("the index {index} would be the index {other}")]
    Supplied {
        /// One index.
        index: Index,
        /// The other.
        other: Index,
    },
    /// An equation speaks of an axis that the operation does not have.
    #[error("there is no axis {} in slot {}", axis.axis, axis.slot)]
    NoAxis {
        /// The axis.
        axis: AxisId,
    },
}

/// A solved operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The product space and the index maps.
    pub projections: Projections,
    /// For each factor, the axes that it drives.
    pub classes: Vec<Vec<AxisId>>,
}

/// Solves the equations of an operation whose axes have these sizes, by slot.
///
/// Factors are numbered by the first axis that they drive, slot 0 first: result axes are the outer loops.
///
/// # Errors
/// The first conflict, exactly when there is one (Thm. 7.4).
pub fn solve(equations: &[Equation], sizes: &[Vec<u64>]) -> Result<Solved, Conflict> {
    let mut classes = Classes::new(sizes);
    equations
        .iter()
        .try_for_each(|equation| classes.read(equation))?;
    Ok(classes.label(sizes))
}

struct Classes {
    starts: Vec<usize>,
    axes: Vec<AxisId>,
    sizes: Vec<u64>,
    parents: Vec<usize>,
    pins: BTreeMap<usize, Index>,
    iterated: Vec<bool>,
}

impl Classes {
    fn new(sizes: &[Vec<u64>]) -> Classes {
        let mut starts = Vec::new();
        let mut axes = Vec::new();
        for (slot, sizes) in sizes.iter().enumerate() {
            starts.push(axes.len());
            axes.extend((0..sizes.len()).map(|axis| AxisId { slot, axis }));
        }
        let flat: Vec<u64> = sizes.iter().flatten().copied().collect();
        let count = flat.len();
        Classes {
            starts,
            axes,
            sizes: flat,
            parents: (0..count).collect(),
            pins: BTreeMap::new(),
            iterated: vec![false; count],
        }
    }

    /// The class of an axis, by its root.
    fn find(&mut self, id: AxisId) -> Result<usize, Conflict> {
        let end = self
            .starts
            .get(id.slot + 1)
            .copied()
            .unwrap_or(self.axes.len());
        let start = self.starts.get(id.slot).copied().unwrap_or(end);
        let mut node = start + id.axis;
        if node >= end {
            return Err(Conflict::NoAxis { axis: id });
        }
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        Ok(node)
    }

    fn read(&mut self, equation: &Equation) -> Result<(), Conflict> {
        match equation {
            Equation::Eq(Atom::Proj(p), Atom::Proj(q)) => self.union(*p, *q),
            Equation::Eq(Atom::Proj(p), Atom::Sol(index))
            | Equation::Eq(Atom::Sol(index), Atom::Proj(p)) => {
                let class = self.find(*p)?;
                self.pin(class, index)
            }
            Equation::Eq(Atom::Sol(index), Atom::Sol(other)) if index != other => {
                Err(Conflict::Supplied {
                    index: index.clone(),
                    other: other.clone(),
                })
            }
            Equation::Eq(Atom::Sol(_), Atom::Sol(_)) | Equation::Iter(Atom::Sol(_)) => Ok(()),
            Equation::Iter(Atom::Proj(p)) => {
                let class = self.find(*p)?;
                self.iterated[class] = true;
                Ok(())
            }
        }
    }

    fn union(&mut self, p: AxisId, q: AxisId) -> Result<(), Conflict> {
        let (root, child) = (self.find(p)?, self.find(q)?);
        if root == child {
            return Ok(());
        }
        if self.sizes[root] != self.sizes[child] {
            let (size, other_size) = (self.sizes[root], self.sizes[child]);
            return Err(Conflict::Sizes {
                axis: p,
                size,
                other: q,
                other_size,
            });
        }
        self.parents[child] = root;
        self.iterated[root] |= self.iterated[child];
        match self.pins.remove(&child) {
            Some(index) => self.pin(root, &index),
            None => Ok(()),
        }
    }

    fn pin(&mut self, class: usize, index: &Index) -> Result<(), Conflict> {
        let known = self.pins.entry(class).or_insert_with(|| index.clone());
        if known != index {
            let (index, other) = (known.clone(), index.clone());
            return Err(Conflict::Pins {
                axis: self.axes[class],
                index,
                other,
            });
        }
        Ok(())
    }

    /// Pins dominate; an iterated class longer than 1 gets an iterator; everything else is read at 0.
    fn label(mut self, sizes: &[Vec<u64>]) -> Solved {
        let mut labels: BTreeMap<usize, Index> = std::mem::take(&mut self.pins);
        let mut projections = Projections {
            sizes: sizes.to_vec(),
            ..Projections::default()
        };
        let mut classes: Vec<Vec<AxisId>> = Vec::new();
        for (slot, sizes) in sizes.iter().enumerate() {
            let mut map = IndexMap::default();
            for axis in 0..sizes.len() {
                let id = AxisId { slot, axis };
                let Ok(class) = self.find(id) else { continue };
                let iterated = self.iterated[class] && self.sizes[class] > 1;
                let label = labels.entry(class).or_insert_with(|| {
                    if !iterated {
                        return Index::Fix(0);
                    }
                    projections.factors.push(self.sizes[class]);
                    classes.push(Vec::new());
                    Index::Iter(classes.len() - 1)
                });
                if let Index::Iter(factor) = label {
                    classes[*factor].push(id);
                }
                map.0.push(label.clone());
            }
            projections.maps.push(map);
        }
        Solved {
            projections,
            classes,
        }
    }
}
