//! The order of a contraction: a sum over products of three or more tensors becomes a few sums over products of two, if
//! that takes fewer multiplications. So `ij,jk,kl->il` of size n takes 2 n³ of them in place of n⁴.
//!
//! Up to eight operands all trees are compared, by dynamic programming over sets of operands; beyond, the cheapest pair
//! is contracted first each time. The result is never worse than from left to right, which is one of the trees. Sums
//! are taken in another order than in the loop nest, so this is only done with [`Numerics::Fast`](crate::Numerics).

use std::sync::Arc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function, Instruction};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use super::step::{Operand, Step};
use crate::formula::{Product, function, product};
use crate::loop_nest::LoopNest;

/// The most operands for which all trees are compared.
const ALL_TREES: usize = 8;

/// The largest number of operands.
const OPERANDS: usize = 32;

/// The cost of a further kernel, in multiplications: about the time of a launch.
const LAUNCH: f64 = 65536.0;

/// The cost of a value of an intermediate tensor, in multiplications: it is stored and read again.
const STORED: f64 = 4.0;

/// A set of factors of the product space.
type Factors = u64;

/// The order in which some operands are contracted.
#[derive(Clone, Debug)]
enum Tree {
    /// One operand, by its slot.
    Leaf(usize),
    /// The results of two trees.
    Pair(Arc<Tree>, Arc<Tree>),
}

/// A tree with what it costs and the factors of its result.
#[derive(Clone, Debug)]
struct Costed {
    tree: Arc<Tree>,
    cost: f64,
    kept: Factors,
}

/// Divides the loop nest into steps whose intermediate tensors have at most `room` values, if these take less than half
/// of its time.
pub(super) fn ordered(nest: &LoopNest, room: u64) -> Option<Vec<Step>> {
    let contraction = Contraction::of(nest, room)?;
    let best = contraction.best()?;
    let direct = contraction.volume(contraction.all());
    if best.cost * 2.0 > direct {
        return None;
    }
    contraction.steps(&best.tree)
}

/// A sum of products, with the factors of each slot.
struct Contraction<'n> {
    nest: &'n LoopNest,
    slots: Vec<Factors>,
    room: f64,
    /// The number by which the products are multiplied, in the last step.
    number: f64,
}

impl<'n> Contraction<'n> {
    fn of(nest: &'n LoopNest, room: u64) -> Option<Contraction<'n>> {
        let operands = nest.slots().len() - 1;
        let adds = matches!(nest.accumulator().combine, Combine::Add | Combine::Subtract);
        // Such a nest erases only its own cells, which a new one would not know.
        let beside_others =
            nest.accumulator().erase && nest.initial().is_none() && !nest.is_surjective();
        let fits = (3..=OPERANDS).contains(&operands) && nest.factors().len() <= 64;
        if !adds || beside_others || !fits || nest.is_guarded() {
            return None;
        }
        let number = product_of_all(nest.function())?;
        let factors = |map: &IndexMap| {
            map.0
                .iter()
                .try_fold(0, |found: Factors, index| match index {
                    Index::Iter(factor) => Some(found | 1 << factor),
                    Index::Fix(_) | Index::Symbol(_) => Some(found),
                    Index::Affine(_) => None,
                })
        };
        let slots = nest.slots().iter().map(|slot| factors(&slot.map));
        Some(Contraction {
            nest,
            slots: slots.collect::<Option<_>>()?,
            room: room as f64,
            number,
        })
    }

    /// Returns all factors.
    fn all(&self) -> Factors {
        self.slots.iter().fold(0, |all, slot| all | slot)
    }

    /// Returns the number of points of some factors.
    fn volume(&self, factors: Factors) -> f64 {
        let sizes = self.nest.factors().iter().enumerate();
        sizes
            .filter(|(at, _)| factors >> at & 1 == 1)
            .map(|(_, factor)| factor.size as f64)
            .product()
    }

    /// Reads one operand. A factor that occurs nowhere else is summed over at once.
    fn leaf(&self, slot: usize) -> Costed {
        let others = self.slots.iter().enumerate().filter(|(at, _)| *at != slot);
        let others = others.fold(0, |all, (_, factors)| all | factors);
        let own = self.slots[slot];
        let kept = own & others;
        let cost = match kept == own {
            true => 0.0,
            false => self.volume(own) + STORED * self.volume(kept) + LAUNCH,
        };
        Costed {
            tree: Arc::new(Tree::Leaf(slot)),
            cost,
            kept,
        }
    }

    /// Combines two results into one. `others` are the factors that are needed later; `None` if the result is too
    /// large.
    fn pair(&self, one: &Costed, other: &Costed, others: Factors, last: bool) -> Option<Costed> {
        let both = one.kept | other.kept;
        let kept = both & others;
        let mut cost = one.cost + other.cost + LAUNCH;
        if last {
            cost += self.volume(both | self.slots[0]);
        } else {
            let stored = self.volume(kept);
            if stored > self.room {
                return None;
            }
            cost += self.volume(both) + STORED * stored;
        }
        Some(Costed {
            tree: Arc::new(Tree::Pair(one.tree.clone(), other.tree.clone())),
            cost,
            kept,
        })
    }

    /// Returns the factors of the result and of the operands that are not in a set, whose bit 0 is the first operand.
    fn outside(&self, set: u64) -> Factors {
        let operands = self.slots[1..].iter().enumerate();
        let others = operands.filter(|(at, _)| set >> at & 1 == 0);
        others.fold(self.slots[0], |all, (_, factors)| all | factors)
    }

    fn best(&self) -> Option<Costed> {
        match self.slots.len() - 1 <= ALL_TREES {
            true => self.best_of_all(),
            false => {
                let (left, greedy) = (self.left_to_right(), self.greedy());
                let both = [left, greedy].into_iter().flatten();
                both.min_by(|one, other| one.cost.total_cmp(&other.cost))
            }
        }
    }

    /// Finds the best tree, from the best trees of all sets of operands.
    fn best_of_all(&self) -> Option<Costed> {
        let operands = self.slots.len() - 1;
        let all = (1_usize << operands) - 1;
        let mut best: Vec<Option<Costed>> = vec![None; all + 1];
        for set in 1..=all {
            if set.is_power_of_two() {
                best[set] = Some(self.leaf(1 + set.trailing_zeros() as usize));
                continue;
            }
            let outside = self.outside(set as u64);
            let mut found: Option<Costed> = None;
            // Each division occurs once: its first part has the first operand of the set.
            let first = set & set.wrapping_neg();
            let rest = set & !first;
            let mut part = rest;
            while part > 0 {
                part = (part - 1) & rest;
                let halves = (&best[first | part], &best[rest & !part]);
                if let (Some(one), Some(other)) = halves {
                    let pair = self.pair(one, other, outside, set == all);
                    let better = pair
                        .filter(|pair| found.as_ref().is_none_or(|found| pair.cost < found.cost));
                    found = better.or(found);
                }
            }
            best[set] = found;
        }
        best.pop()?
    }

    /// Combines the operands from left to right.
    fn left_to_right(&self) -> Option<Costed> {
        let operands = self.slots.len() - 1;
        let mut done = self.leaf(1);
        for slot in 2..=operands {
            let outside = self.outside((1 << slot) - 1);
            done = self.pair(&done, &self.leaf(slot), outside, slot == operands)?;
        }
        Some(done)
    }

    /// Combines the cheapest pair first, each time.
    fn greedy(&self) -> Option<Costed> {
        let operands = self.slots.len() - 1;
        let mut left: Vec<(u64, Costed)> = (1..=operands)
            .map(|slot| (1 << (slot - 1), self.leaf(slot)))
            .collect();
        while left.len() > 1 {
            let last = left.len() == 2;
            let mut found: Option<(usize, usize, u64, Costed, f64)> = None;
            for (at, (one_set, one)) in left.iter().enumerate() {
                for (behind, (other_set, other)) in left.iter().enumerate().skip(at + 1) {
                    let set = one_set | other_set;
                    let Some(pair) = self.pair(one, other, self.outside(set), last) else {
                        continue;
                    };
                    let own = pair.cost - one.cost - other.cost;
                    if found.as_ref().is_none_or(|found| own < found.4) {
                        found = Some((at, behind, set, pair, own));
                    }
                }
            }
            let (at, behind, set, pair, _) = found?;
            left.remove(behind);
            left[at] = (set, pair);
        }
        left.pop().map(|(_, done)| done)
    }

    /// Lists the steps of a tree.
    fn steps(&self, tree: &Tree) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let (Tree::Pair(one, other), accumulator) = (tree, self.nest.accumulator()) else {
            return None;
        };
        let one = self.add(one, &mut steps)?;
        let other = self.add(other, &mut steps)?;
        let slot = &self.nest.slots()[0];
        let written = Written {
            operand: Operand::Slot(0),
            map: slot.map.0.clone(),
            sizes: slot.sizes.to_vec(),
            accumulator,
        };
        steps.push(self.step(written, &[one, other], scaled(self.number)?)?);
        Some(steps)
    }

    /// Adds the steps of a tree that is part of another one, and returns where its result is. The depth is at most the
    /// number of operands.
    fn add(&self, tree: &Tree, steps: &mut Vec<Step>) -> Option<Read> {
        let (set, reads, function) = match tree {
            Tree::Leaf(slot) => {
                let read = self.slot(*slot);
                let kept = self.leaf(*slot).kept;
                if kept == self.slots[*slot] {
                    return Some(read);
                }
                (1 << (slot - 1), vec![read], Function::Identity)
            }
            Tree::Pair(one, other) => {
                let reads = vec![self.add(one, steps)?, self.add(other, steps)?];
                (members(tree), reads, Function::Multiply)
            }
        };
        let all = reads.iter().fold(0, |all, read| all | read.factors);
        let kept = all & self.outside(set);
        let factors: Vec<usize> = (0..64).filter(|at| kept >> at & 1 == 1).collect();
        let sizes = factors.iter().map(|at| self.nest.factors()[*at].size);
        let written = Written {
            operand: Operand::Step(steps.len()),
            map: factors.iter().map(|at| Index::Iter(*at)).collect(),
            sizes: sizes.collect(),
            accumulator: Accumulator {
                erase: true,
                combine: Combine::Add,
            },
        };
        let read = Read {
            operand: written.operand,
            map: written.map.clone(),
            sizes: written.sizes.clone(),
            factors: kept,
        };
        steps.push(self.step(written, &reads, function)?);
        Some(read)
    }

    fn slot(&self, slot: usize) -> Read {
        let one = &self.nest.slots()[slot];
        Read {
            operand: Operand::Slot(slot),
            map: one.map.0.clone(),
            sizes: one.sizes.to_vec(),
            factors: self.slots[slot],
        }
    }

    /// Makes a step with its own numbers of factors.
    fn step(&self, written: Written, reads: &[Read], function: Function) -> Option<Step> {
        let mut used = reads.iter().fold(0, |all, read| all | read.factors);
        for index in &written.map {
            if let Index::Iter(factor) = index {
                used |= 1 << factor;
            }
        }
        let factors: Vec<usize> = (0..64).filter(|at| used >> at & 1 == 1).collect();
        let renumbered = |map: &[Index]| {
            let index = |index: &Index| match index {
                Index::Iter(factor) => Index::Iter(factors.partition_point(|at| at < factor)),
                other => other.clone(),
            };
            IndexMap(map.iter().map(index).collect())
        };
        let mut maps = vec![renumbered(&written.map)];
        let mut sizes = vec![written.sizes];
        for read in reads {
            maps.push(renumbered(&read.map));
            sizes.push(read.sizes.clone());
        }
        let projections = Projections {
            factors: factors
                .iter()
                .map(|at| self.nest.factors()[*at].size)
                .collect(),
            maps,
            sizes,
        };
        let name = |operand: Operand| match operand {
            Operand::Slot(slot) => self.nest.slots()[slot].tensor.to_string(),
            Operand::Step(step) => format!("sum'{}", step + 1),
        };
        let operands = reads.iter().map(|read| read.operand);
        let names: Vec<String> = [written.operand]
            .into_iter()
            .chain(operands)
            .map(name)
            .collect();
        let nest = LoopNest::new(&projections, written.accumulator, function, &names).ok()?;
        Some(Step {
            nest,
            operands: reads.iter().map(|read| read.operand).collect(),
        })
    }
}

/// A tensor that a step writes.
struct Written {
    operand: Operand,
    map: Vec<Index>,
    sizes: Vec<u64>,
    accumulator: Accumulator,
}

/// A tensor that a step reads, with the factors of the whole contraction.
struct Read {
    operand: Operand,
    map: Vec<Index>,
    sizes: Vec<u64>,
    factors: Factors,
}

/// Returns the operands of a tree as a set. The depth is at most the number of operands.
fn members(tree: &Tree) -> u64 {
    match tree {
        Tree::Leaf(slot) => 1 << (slot - 1),
        Tree::Pair(one, other) => members(one) | members(other),
    }
}

/// Returns the number with which a function multiplies the product of its operands, each of them once, if it does that.
fn product_of_all(function: &Function) -> Option<f64> {
    let Function::Formula(formula) = function else {
        return None;
    };
    let Product {
        mut operands,
        number,
    } = product(function)?;
    operands.sort_unstable();
    let each_once = operands.into_iter().eq(0..formula.arity());
    each_once.then_some(number)
}

/// Makes the product of two operands and a number.
fn scaled(number: f64) -> Option<Function> {
    if number == 1.0 {
        return Some(Function::Multiply);
    }
    let code = [
        Instruction::Read(0),
        Instruction::Read(1),
        Instruction::Apply(Function::Multiply),
        Instruction::Apply(Function::Constant(number)),
        Instruction::Apply(Function::Multiply),
    ];
    function(2, code.to_vec())
}

#[cfg(test)]
#[path = "order_tests.rs"]
pub(super) mod tests;
