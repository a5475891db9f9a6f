//! Def. 7.3: projection equations are solved by union-find with pins, then the classes are labelled. There is no
//! choice: the answer is unique up to the names of the iterators (Thm. 7.4).

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

/// The reason for which projection equations have no solution (Thm. 7.4(a) to (c)).
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
    /// A derived index reads an axis that has no loop and no position: it is derived itself, or supplied from outside.
    #[error("the index of slot {}'s axis {} is derived from slot {}'s axis {}, which has none of its own",
        axis.slot, axis.axis, argument.slot, argument.axis)]
    Argument {
        /// The axis.
        axis: AxisId,
        /// An axis from which its index is computed.
        argument: AxisId,
    },
    /// An equation mentions an axis that the operation does not have.
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
    /// The axes that each factor drives.
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
    // Stratum 2: the arguments of a derived index are classes of stratum 1.
    let derived = classes.derived(equations)?;
    let reserved: BTreeSet<usize> = derived.iter().map(|(class, ..)| *class).collect();
    let mut solved = classes.label(sizes, &reserved);
    solved.derive(&mut classes, &derived)?;
    Ok(solved)
}

/// A class with its derived index: the axis and the sum of one equation.
type DerivedClass<'e> = (usize, AxisId, &'e Sum);

impl Solved {
    /// Applies P11: a derived class takes its derived index.
    fn derive(&mut self, classes: &mut Classes, derived: &[DerivedClass]) -> Result<(), Conflict> {
        let plain = self.projections.maps.clone();
        let mut known: BTreeMap<usize, Index> = classes.pins.clone();
        for (class, axis, sum) in derived {
            let mut terms = Vec::new();
            let mut offset = i128::from(sum.offset);
            for (coefficient, q) in &sum.terms {
                let unfit = Conflict::Argument {
                    axis: *axis,
                    argument: *q,
                };
                let argument = classes.find(*q)?;
                if derived.iter().any(|(other, ..)| *other == argument) {
                    return Err(unfit);
                }
                match &plain[q.slot].0[q.axis] {
                    Index::Iter(factor) => terms.push((coefficient.get(), *factor)),
                    Index::Fix(at) => offset += i128::from(coefficient.get()) * i128::from(*at),
                    Index::Symbol(_) | Index::Affine(_) => return Err(unfit),
                }
            }
            let offset = i64::try_from(offset).map_err(|_| Conflict::Argument {
                axis: *axis,
                argument: *axis,
            })?;
            let size = classes.sizes[*class];
            let index = Index::affine(terms, offset).on_axis(size, &self.projections.factors);
            if let Some(other) = known.get(class)
                && *other != index
            {
                return Err(Conflict::Pins {
                    axis: *axis,
                    index,
                    other: other.clone(),
                });
            }
            known.insert(*class, index);
        }
        for id in classes.axes.clone() {
            let class = classes.find(id)?;
            if derived.iter().any(|(other, ..)| *other == class) {
                self.projections.maps[id.slot].0[id.axis] = known[&class].clone();
            }
        }
        Ok(())
    }
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

    /// Returns the class of an axis, by its root.
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
            // Stratum 2 reads the classes once they are complete.
            Equation::Derive(..) => Ok(()),
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

    /// Returns the `Derive` equations, each with the class of its axis.
    fn derived<'e>(
        &mut self,
        equations: &'e [Equation],
    ) -> Result<Vec<DerivedClass<'e>>, Conflict> {
        let mut derived = Vec::new();
        for equation in equations {
            if let Equation::Derive(axis, sum) = equation {
                derived.push((self.find(*axis)?, *axis, sum));
            }
        }
        Ok(derived)
    }

    /// Labels the classes: a pin takes precedence, an iterated class longer than 1 gets an iterator, and every other
    /// class is read at 0. A class that is reserved for a derived index gets no iterator.
    fn label(&mut self, sizes: &[Vec<u64>], reserved: &BTreeSet<usize>) -> Solved {
        let mut labels: BTreeMap<usize, Index> = self.pins.clone();
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
                let traversed = self.iterated[class] && !reserved.contains(&class);
                let iterated = traversed && self.sizes[class] > 1;
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
