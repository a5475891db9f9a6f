//! Appendix E, a function for each constraint.

use lozenge_gradual_vocabulary::{Dimension, Type};
use z3::ast::{Bool, Int};

use super::shapes::{Entry, RANKS, TypeTerm};
use super::{ModuloZero, Text};

/// A text of the translation, and what it leaves open.
pub(super) struct Translation {
    pub(super) text: Text,
    pub(super) modulo_zero: ModuloZero,
}

fn all(formulas: impl IntoIterator<Item = Bool>) -> Bool {
    Bool::and(&formulas.into_iter().collect::<Vec<_>>())
}

fn some(formulas: impl IntoIterator<Item = Bool>) -> Bool {
    Bool::or(&formulas.into_iter().collect::<Vec<_>>())
}

fn product(sizes: impl IntoIterator<Item = Int>) -> Int {
    let one = Int::from_u64(1);
    let sizes: Vec<Int> = [one].into_iter().chain(sizes).collect();
    Int::mul(&sizes)
}

impl Translation {
    fn is_printed(&self) -> bool {
        self.text == Text::Printed
    }

    /// `|v| ≤ 4`: Dyn, or one of the ranks.
    pub(super) fn bounded(&self, of: &TypeTerm) -> Bool {
        let least = u64::from(self.is_printed());
        some(
            (least..=RANKS)
                .map(|rank| of.has_rank(rank))
                .chain([of.is_dyn()]),
        )
    }

    /// `product mod by = 0`
    fn divides(&self, by: &Int, product: &Int) -> Bool {
        let zero = Int::from_u64(0);
        let for_zero = match self.modulo_zero {
            ModuloZero::Never => Bool::from_bool(false),
            ModuloZero::ForZero => product.eq(&zero),
            ModuloZero::Always => Bool::from_bool(true),
        };
        // Z3 gives a remainder by 0 any value, so it is not asked for one.
        by.eq(&zero).ite(&for_zero, &product.modulo(by).eq(&zero))
    }

    /// `⟨e1⟩ ⊔* ⟨e2⟩`. As printed the ranks are joined by "for all", and no type has all of them.
    pub(super) fn bound(&self, result: &TypeTerm, left: &TypeTerm, right: &TypeTerm) -> Bool {
        let open = all([some([left.is_dyn(), right.is_dyn()]), result.is_dyn()]);
        if self.is_printed() {
            return open;
        }
        let ranks = (0..=RANKS).map(|rank| {
            let entries = result.first(rank).iter();
            let sides = left.first(rank).iter().zip(right.first(rank));
            let each = entries.zip(sides).map(|(own, (left, right))| {
                some([
                    all([own.equals(left), left.equals(right)]),
                    all([own.equals(right), left.known.not()]),
                    all([own.equals(left), right.known.not()]),
                ])
            });
            let ranks = [result, left, right].map(|one| one.has_rank(rank));
            all(ranks.into_iter().chain(each))
        });
        some([open].into_iter().chain(ranks.collect::<Vec<_>>()))
    }

    /// `can-reshape([[e]], δ)`
    pub(super) fn can_reshape(&self, of: &TypeTerm, target: &Type) -> Bool {
        let Type::Tensor(wanted) = target else {
            return Bool::from_bool(true);
        };
        let known = wanted.iter().filter_map(|one| one.size());
        let wanted_product = product(known.map(Int::from_u64));
        let open = wanted.iter().filter(|one| **one == Dimension::Dyn).count();
        // Appendix E has no case for a target of which several entries are open, and beside a 0 nothing is left that
        // an open entry could be.
        let is_nothing = wanted.iter().any(|one| one.size() == Some(0));
        if open > 1 || open == 1 && is_nothing && !self.is_printed() {
            return Bool::from_bool(false);
        }
        let ranks = (0..=RANKS).map(|rank| match open {
            0 => self.to_numbers(of, rank, &wanted_product),
            _ => self.to_one_open(of, rank, &wanted_product),
        });
        some([of.is_dyn()].into_iter().chain(ranks.collect::<Vec<_>>()))
    }

    /// States the case of one rank of a source, where the target has numbers alone.
    fn to_numbers(&self, of: &TypeTerm, rank: u64, wanted: &Int) -> Bool {
        let entries = of.first(rank);
        let is_open = some(entries.iter().map(|entry| entry.known.not()));
        let whole = all(entries.iter().map(|entry| entry.known.clone()));
        let sizes = product(entries.iter().map(|entry| entry.size.clone()));
        let known = product(entries.iter().map(known_size));
        let equal = all([whole, sizes.eq(wanted)]);
        // The open size is the rest, if the known sizes divide the wanted number: a single open entry of rank 1 is
        // not divided.
        let left = all([is_open, self.divides(&known, wanted)]);
        match (self.is_printed(), rank) {
            (true, 0) => Bool::from_bool(false),
            (true, 2..) => all([of.has_rank(rank), left]),
            _ => all([of.has_rank(rank), some([equal, left])]),
        }
    }

    /// States the case of one rank of a source, where one entry of the target is open.
    fn to_one_open(&self, of: &TypeTerm, rank: u64, wanted: &Int) -> Bool {
        let entries = of.first(rank);
        let is_open = some(entries.iter().map(|entry| entry.known.not()));
        let whole = all(entries.iter().map(|entry| entry.known.clone()));
        let sizes = product(entries.iter().map(|entry| entry.size.clone()));
        let fills = self.divides(wanted, &sizes);
        let fits = match self.text {
            Text::Printed if rank == 0 => return Bool::from_bool(false),
            Text::Printed if rank == 1 => some([is_open, all([whole, fills])]),
            Text::Printed => some([
                is_open,
                all([whole, some([fills, self.divides(&sizes, wanted)])]),
            ]),
            Text::Repaired => some([is_open, all([whole, fills])]),
        };
        all([of.has_rank(rank), fits])
    }

    /// `[[e']] ▷ TensorType(ζ1, ζ2, ζ3, ζ4) ∧ c_in ~ ζ2 ∧ [[e]] = calc-conv([[e']], c_out, κ)`
    pub(super) fn convolved(
        &self,
        result: &TypeTerm,
        of: &TypeTerm,
        (channels_in, channels_out): (u64, u64),
        kernel: [u64; 2],
    ) -> Bool {
        let open = Entry {
            known: Bool::from_bool(false),
            size: Int::from_u64(0),
        };
        let open = [open.clone(), open.clone(), open.clone(), open];
        let matched = [
            (of.is_dyn(), &open[..]),
            (of.has_rank(RANKS), of.first(RANKS)),
        ];
        let ways = matched.map(|(is_so, matched)| {
            let own = result.first(RANKS);
            // Printed is the first size of the kernel for both sides.
            let kernels = match self.text {
                Text::Printed => [kernel[0], kernel[0]],
                Text::Repaired => kernel,
            };
            all([
                is_so,
                Entry::number(channels_in).is_consistent_with(&matched[1]),
                own[0].equals(&matched[0]),
                own[1].is_number(channels_out),
                self.side(&own[2], &matched[2], kernels[0]),
                self.side(&own[3], &matched[3], kernels[1]),
            ])
        });
        let exists = match self.text {
            Text::Printed => true,
            // An empty kernel, and a result without channels, are none that run.
            Text::Repaired => channels_out > 0 && kernel.iter().all(|size| *size > 0),
        };
        all([Bool::from_bool(exists), result.has_rank(RANKS), some(ways)])
    }

    fn side(&self, own: &Entry, of: &Entry, kernel: u64) -> Bool {
        let less = Int::from_u64(kernel) - 1i64;
        let one = Int::from_u64(1);
        let (size, fits) = match self.text {
            Text::Printed => {
                let size = Int::mul(&[of.size.clone() - &one, less]);
                (size.clone() - 1i64 + 1i64, Bool::from_bool(true))
            }
            Text::Repaired => {
                let size = of.size.clone() - less;
                (size.clone(), size.ge(&one))
            }
        };
        let is_computed = all([of.known.clone(), own.known.clone(), own.size.eq(size), fits]);
        some([all([own.known.not(), of.known.not()]), is_computed])
    }

    /// `⟨e1⟩, ⟨e2⟩ = apply-broadcasting([[e1]], [[e2]])`
    pub(super) fn broadcast(&self, of: [&TypeTerm; 2], sides: [&TypeTerm; 2]) -> Bool {
        let same = || all([sides[0].equals(of[0]), sides[1].equals(of[1])]);
        let mut ways = vec![all([some([of[0].is_dyn(), of[1].is_dyn()]), same()])];
        let least = u64::from(self.is_printed());
        for left in least..=RANKS {
            for right in least..=RANKS {
                ways.push(self.broadcast_at(of, sides, [left, right]));
            }
        }
        some(ways)
    }

    fn broadcast_at(&self, of: [&TypeTerm; 2], sides: [&TypeTerm; 2], ranks: [u64; 2]) -> Bool {
        let rank = ranks[0].max(ranks[1]);
        let padded = |place: usize| {
            let more = (ranks[place]..rank).map(|_| Entry::number(1));
            more.chain(of[place].first(ranks[place]).iter().cloned())
                .collect::<Vec<_>>()
        };
        let (left, right) = (padded(0), padded(1));
        let mut formulas = vec![
            of[0].has_rank(ranks[0]),
            of[1].has_rank(ranks[1]),
            sides[0].has_rank(rank),
            sides[1].has_rank(rank),
        ];
        let results = sides[0].first(rank).iter().zip(sides[1].first(rank));
        for ((left, right), (one, other)) in left.iter().zip(&right).zip(results) {
            let (left_is_one, right_is_one) = (left.is_number(1), right.is_number(1));
            formulas.push(match self.text {
                Text::Printed => some([
                    all([left.equals(right), one.equals(left), other.equals(left)]),
                    all([
                        right_is_one.clone(),
                        left_is_one.not(),
                        one.equals(left),
                        other.equals(left),
                    ]),
                    all([
                        left_is_one,
                        right_is_one.not(),
                        one.equals(right),
                        other.equals(right),
                    ]),
                ]),
                Text::Repaired => all([
                    left_is_one.ite(&one.equals(right), &one.equals(left)),
                    right_is_one.ite(&other.equals(left), &other.equals(right)),
                ]),
            });
        }
        all(formulas)
    }
}

/// Returns the size of an entry that is a number, and 1 for one that is open.
fn known_size(entry: &Entry) -> Int {
    entry.known.ite(&entry.size, &Int::from_u64(1))
}
