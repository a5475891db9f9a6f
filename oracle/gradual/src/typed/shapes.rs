//! Types and dimensions as terms of Z3.

use lozenge_gradual_vocabulary::{Dimension, Type};
use z3::Model;
use z3::ast::{Bool, Int};

/// The number of dimensions of the largest constructor.
pub(super) const RANKS: u64 = 4;

/// The constructor of Dyn; that of a rank is the rank.
const DYN: i64 = -1;

/// A dimension: whether it is a number, and the number.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) known: Bool,
    pub(super) size: Int,
}

/// A type.
#[derive(Clone)]
pub(super) struct TypeTerm {
    constructor: Int,
    pub(super) entries: Vec<Entry>,
}

impl TypeTerm {
    /// Makes a type of which nothing is known, and says of it what holds of all.
    pub(super) fn new(name: &str, least_rank: u64, formulas: &mut Vec<Bool>) -> Self {
        let constructor = Int::new_const(name);
        let entries = (0..RANKS).map(|place| Entry {
            known: Bool::new_const(format!("{name}.{place}?")),
            size: Int::new_const(format!("{name}.{place}")),
        });
        let entries: Vec<Entry> = entries.collect();
        let ranks = (least_rank..=RANKS).map(|rank| constructor.eq(Int::from_u64(rank)));
        let constructors: Vec<Bool> = ranks.chain([constructor.eq(Int::from_i64(DYN))]).collect();
        formulas.push(Bool::or(&constructors));
        formulas.extend(entries.iter().map(|entry| entry.size.ge(Int::from_u64(0))));
        Self {
            constructor,
            entries,
        }
    }

    pub(super) fn is_dyn(&self) -> Bool {
        self.constructor.eq(Int::from_i64(DYN))
    }

    pub(super) fn has_rank(&self, rank: u64) -> Bool {
        self.constructor.eq(Int::from_u64(rank))
    }

    /// Returns the entries of a type of this rank.
    pub(super) fn first(&self, rank: u64) -> &[Entry] {
        &self.entries[..usize::try_from(rank).unwrap_or(0).min(self.entries.len())]
    }

    /// `self = τ`
    pub(super) fn is(&self, of: &Type) -> Bool {
        let Type::Tensor(dimensions) = of else {
            return self.is_dyn();
        };
        self.entries_fulfil(dimensions, |entry, dimension| match dimension {
            Dimension::Dyn => Some(entry.known.not()),
            Dimension::Size(size) => Some(entry.is_number(*size)),
        })
    }

    /// `τ ⊑ self`
    pub(super) fn refines(&self, of: &Type) -> Bool {
        let Type::Tensor(dimensions) = of else {
            return Bool::from_bool(true);
        };
        self.entries_fulfil(dimensions, |entry, dimension| match dimension {
            Dimension::Dyn => None,
            Dimension::Size(size) => Some(entry.is_number(*size)),
        })
    }

    fn entries_fulfil(
        &self,
        dimensions: &[Dimension],
        each: impl Fn(&Entry, &Dimension) -> Option<Bool>,
    ) -> Bool {
        if dimensions.len() > self.entries.len() {
            return Bool::from_bool(false);
        }
        let mut all = vec![self.has_rank(dimensions.len() as u64)];
        let pairs = self.entries.iter().zip(dimensions);
        all.extend(pairs.filter_map(|(entry, dimension)| each(entry, dimension)));
        Bool::and(&all)
    }

    /// `self = other`
    pub(super) fn equals(&self, other: &Self) -> Bool {
        let mut ways = vec![Bool::and(&[self.is_dyn(), other.is_dyn()])];
        ways.extend((0..=RANKS).map(|rank| self.pairwise(other, rank, Entry::equals)));
        Bool::or(&ways)
    }

    /// `self ~ other`
    pub(super) fn is_consistent_with(&self, other: &Self) -> Bool {
        let mut ways = vec![self.is_dyn(), other.is_dyn()];
        ways.extend((0..=RANKS).map(|rank| self.pairwise(other, rank, Entry::is_consistent_with)));
        Bool::or(&ways)
    }

    /// Both have this rank, and their entries are in a relation.
    fn pairwise(&self, other: &Self, rank: u64, each: fn(&Entry, &Entry) -> Bool) -> Bool {
        let mut all = vec![self.has_rank(rank), other.has_rank(rank)];
        let pairs = self.first(rank).iter().zip(other.first(rank));
        all.extend(pairs.map(|(one, other)| each(one, other)));
        Bool::and(&all)
    }

    /// Reads the type in a model.
    pub(super) fn read(&self, model: &Model) -> Option<Type> {
        let constructor = model.eval(&self.constructor, true)?.as_i64()?;
        let Ok(rank) = u64::try_from(constructor) else {
            return Some(Type::Dyn);
        };
        let entries = self.first(rank).iter().map(|entry| {
            match model.eval(&entry.known, true)?.as_bool()? {
                false => Some(Dimension::Dyn),
                true => Some(Dimension::Size(model.eval(&entry.size, true)?.as_u64()?)),
            }
        });
        Some(Type::Tensor(entries.collect::<Option<_>>()?))
    }
}

impl Entry {
    /// Returns the entry that is a number.
    pub(super) fn number(size: u64) -> Self {
        Self {
            known: Bool::from_bool(true),
            size: Int::from_u64(size),
        }
    }

    pub(super) fn is_number(&self, size: u64) -> Bool {
        Bool::and(&[self.known.clone(), self.size.eq(Int::from_u64(size))])
    }

    pub(super) fn equals(&self, other: &Self) -> Bool {
        let both = Bool::and(&[
            self.known.clone(),
            other.known.clone(),
            self.size.eq(&other.size),
        ]);
        let none = Bool::and(&[self.known.not(), other.known.not()]);
        Bool::or(&[both, none])
    }

    pub(super) fn is_consistent_with(&self, other: &Self) -> Bool {
        Bool::or(&[
            self.known.not(),
            other.known.not(),
            self.size.eq(&other.size),
        ])
    }
}
