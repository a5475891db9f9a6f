//! A loop nest as data, and the decisions of Prop. 7.6 about it.
//!
//! | operator | left-hand map | before the loops | at a point |
//! |---|---|---|---|
//! | `=:` `=:+` `=:-` `=:*` `=:max` `=:min` | injective and surjective | nothing | plain write |
//! | the same | injective only | every cell gets the neutral element | plain write |
//! | the same | not injective | every cell gets the neutral element | read, combine, write |
//! | `=` `=+` `=-` `=*` `=max` `=min` | any | nothing | read, combine, write |
//!
//! An affine index may be out of range for its axis. The axis is then *guarded*: a point whose index is out of range is
//! skipped, and neither reads nor writes. So a cell may get no point even if the left-hand map covers it; a left-hand
//! map beside an operand with a guarded axis therefore counts as not surjective.
//!
//! The decisions depend only on the colon and on the map, never on the combination. The combination matters in two
//! places: a plain write of `=:-` stores the negated value (0 - x), and "read, combine, write" with replacement reads
//! nothing, so the last point of a cell wins. Points are visited in lexicographic order with the first factor
//! outermost; every other combination gives the same result in any order, up to the rounding of sums and products.
//!
//! The printed Prop. 7.6(iii) reads as if a non-surjective map needed initialisation, and an injective one allowed
//! plain writes, even without the colon. It cannot mean that: in both cases the tensor would lose its previous values,
//! which `=+` keeps.

#[cfg(feature = "opencl")]
mod begun;
mod constants;

use hashbrown::HashSet;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use serde::{Serialize, Serializer};

use crate::arithmetic::neutral;
use crate::error::Error;
use crate::shape::element_count;

/// A factor of the product space, and so a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Factor {
    /// The name of its variable.
    pub name: String,
    /// The number of the variable's values, which run from 0 to one below it.
    pub size: u64,
    /// True if the left-hand map does not mention the factor, so that all its points write the same cell (Def. 7.5).
    pub reduced: bool,
}

/// A tensor that takes part: slot 0 is written, the others are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Slot {
    /// The tensor's name.
    pub tensor: Arc<str>,
    /// The index of each axis at a point.
    pub map: Arc<IndexMap>,
    /// The sizes of its axes.
    pub sizes: Arc<Vec<u64>>,
    /// The axes whose index is out of range at some points, which are then skipped.
    #[serde(skip_serializing_if = "no_axes")]
    pub guarded: Arc<Vec<usize>>,
}

fn no_axes(axes: &Arc<Vec<usize>>) -> bool {
    axes.is_empty()
}

/// A store of the parts that the loop nests of a program share. Most operations of a program have the same loops, index
/// maps or sizes as others, and each of these is stored only once.
#[derive(Clone, Debug, Default)]
pub struct Common {
    factors: HashSet<Arc<[Factor]>>,
    maps: HashSet<Arc<IndexMap>>,
    sizes: HashSet<Arc<Vec<u64>>>,
    guarded: HashSet<Arc<Vec<usize>>>,
}

/// Replaces a part by an equal one that is already stored, or stores it.
fn share<T: ?Sized + Eq + std::hash::Hash>(known: &mut HashSet<Arc<T>>, part: &mut Arc<T>) {
    match known.get(&**part) {
        Some(same) => *part = same.clone(),
        None => {
            known.insert(part.clone());
        }
    }
}

/// The number of values in a cell from which on a sum is compensated. The relative error of a plain sum in `f32` grows
/// with the number of values: for a million it is about 0.0001. Shorter sums are left plain, since compensation takes
/// four additions instead of one.
pub const COMPENSATED: u64 = 1 << 14;

/// The way in which a value is written into its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Write {
    /// A store: the cell is written once and its previous value is erased.
    Plain,
    /// A combination of the value with what the cell holds.
    ReadModifyWrite,
}

/// The loop nest of one operation, every index within its axis (Thm. 7.8, part 1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct LoopNest {
    factors: Arc<[Factor]>,
    slots: Vec<Slot>,
    accumulator: Accumulator,
    function: Function,
    injective: bool,
    surjective: bool,
    #[serde(skip)]
    overlapping: bool,
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    initial: Option<f32>,
    write: Write,
}

/// Writes the initial value as text, because JSON has no infinity.
fn as_text<S: Serializer>(initial: &Option<f32>, serializer: S) -> Result<S::Ok, S::Error> {
    initial.map(|value| value.to_string()).serialize(serializer)
}

impl LoopNest {
    /// Builds the loop nest of an operation, one name for each slot; the loop variables are named `i`, `j`, `k` and so
    /// on.
    ///
    /// # Errors
    /// Parts that do not fit together, or an index that is out of range for its axis. The value of a symbol is checked
    /// when the nest is run.
    pub fn new<N: Clone + AsRef<str> + Into<Arc<str>>>(
        projections: &Projections,
        accumulator: Accumulator,
        function: Function,
        tensors: &[N],
    ) -> Result<LoopNest, Error> {
        check_slots(projections, &function, tensors)?;
        let mut slots: Vec<Slot> = tensors
            .iter()
            .zip(projections.maps.iter().zip(&projections.sizes))
            .map(|(tensor, (map, sizes))| Slot {
                tensor: tensor.clone().into(),
                map: map.clone().into(),
                sizes: sizes.clone().into(),
                guarded: Arc::default(),
            })
            .collect();
        let factors: Vec<Factor> = variable_names(tensors)
            .zip(&projections.factors)
            .enumerate()
            .map(|(factor, (name, size))| Factor {
                name,
                size: *size,
                reduced: !projections.maps[0].mentions(factor),
            })
            .collect();
        check_indices(&factors, &slots)?;
        for (number, slot) in slots.iter_mut().enumerate() {
            slot.guarded = projections.guarded(number).into();
        }
        let overlapping = projections.overlaps();
        let injective = !overlapping && projections.reduction_axes().is_empty();
        let surjective = projections.is_surjective();
        let misses = slots[1..].iter().any(|slot| !slot.guarded.is_empty());
        let initialised = accumulator.erase && !(injective && surjective && !misses);
        let write = if accumulator.erase && injective {
            Write::Plain
        } else {
            Write::ReadModifyWrite
        };
        Ok(LoopNest {
            factors: factors.into(),
            slots,
            accumulator,
            function,
            injective,
            surjective,
            overlapping,
            initial: initialised.then(|| neutral(accumulator.combine)),
            write,
        })
    }

    /// Returns the same loop nest for a tensor whose other cells other loop nests write, so that it erases only its own
    /// cells.
    ///
    /// # Errors
    /// [`Error::Meeting`] if several points write one cell, or a cell of this nest may get no point: such cells would
    /// have to be cleared individually.
    pub fn beside_others(mut self) -> Result<LoopNest, Error> {
        let misses = self.slots[1..].iter().any(|slot| !slot.guarded.is_empty());
        if self.accumulator.erase && (!self.injective || misses) {
            return Err(Error::Meeting);
        }
        self.initial = None;
        Ok(self)
    }

    /// Gives the loop variables other names, outermost first.
    ///
    /// # Errors
    /// [`Error::Name`] if there are too few or too many, if two are equal, or if one is not a name.
    pub fn with_factor_names(mut self, names: &[&str]) -> Result<LoopNest, Error> {
        if names.len() != self.factors.len() {
            return Err(Error::Name(format!(
                "the product space has {} factors, {} names were given",
                self.factors.len(),
                names.len()
            )));
        }
        let mut used = HashSet::with_capacity(names.len());
        let mut factors = self.factors.to_vec();
        for (factor, name) in factors.iter_mut().zip(names) {
            check_name(name, "factor")?;
            if !used.insert(name) {
                return Err(Error::Name(format!("two factors are named {name}")));
            }
            factor.name = name.to_string();
        }
        self.factors = factors.into();
        Ok(self)
    }

    /// Shares the storage of equal parts with other loop nests.
    pub fn share(&mut self, common: &mut Common) {
        share(&mut common.factors, &mut self.factors);
        for slot in &mut self.slots {
            share(&mut common.maps, &mut slot.map);
            share(&mut common.sizes, &mut slot.sizes);
            share(&mut common.guarded, &mut slot.guarded);
        }
    }

    /// Returns the loops, outermost first.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Returns the tensors that take part; the first is written.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns the assignment operator.
    pub fn accumulator(&self) -> Accumulator {
        self.accumulator
    }

    /// Returns the function of the values read.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// Tells whether no two points write the same cell (Prop. 7.6(i)).
    pub fn is_injective(&self) -> bool {
        self.injective
    }

    /// Tells whether every cell is written (Prop. 7.6(ii)).
    pub fn is_surjective(&self) -> bool {
        self.surjective
    }

    /// Tells whether points that differ in a factor that the left-hand map mentions may write the same cell.
    pub fn overlaps(&self) -> bool {
        self.overlapping
    }

    /// Tells whether some points are skipped because an index is out of range there.
    pub fn is_guarded(&self) -> bool {
        self.slots.iter().any(|slot| !slot.guarded.is_empty())
    }

    /// Returns the neutral element, if every cell must be initialised with it before the loops (Prop. 7.6(iii)).
    pub fn initial(&self) -> Option<f32> {
        self.initial
    }

    /// Returns the way in which a value is written into its cell (Prop. 7.6(iii)).
    pub fn write(&self) -> Write {
        self.write
    }

    /// Tells whether sums are compensated for rounding (Kahan's summation), because a cell sums 16384 values or more.
    pub fn is_compensated(&self) -> bool {
        let adds = matches!(self.accumulator.combine, Combine::Add | Combine::Subtract);
        let reduced = self.factors.iter().filter(|factor| factor.reduced);
        let values = reduced.fold(1u64, |values, factor| values.saturating_mul(factor.size));
        adds && self.write == Write::ReadModifyWrite && values >= COMPENSATED
    }

    /// Tells whether the loop nest adds up the values of several points in a cell.
    pub fn adds_up(&self) -> bool {
        let adds = matches!(self.accumulator.combine, Combine::Add | Combine::Subtract);
        adds && !self.injective
    }

    /// Returns the number of points of the product space, unless it exceeds 64 bits.
    pub fn points(&self) -> Option<u64> {
        self.factors
            .iter()
            .try_fold(1u64, |points, factor| points.checked_mul(factor.size))
    }
}

/// Checks Thm. 7.8, part 1: an iterated axis is as long as its factor, a constant lies within its axis, and an affine
/// index is guarded if it can be out of range. Prop. 7.6 depends on it.
fn check_indices(factors: &[Factor], slots: &[Slot]) -> Result<(), Error> {
    for (number, factor) in factors.iter().enumerate() {
        if factor.size < 2 {
            return Err(Error::FactorSize {
                factor: number,
                size: factor.size,
            });
        }
    }
    for (number, slot) in slots.iter().enumerate() {
        element_count(&slot.sizes)?;
        for (axis, (index, size)) in slot.map.0.iter().zip(&*slot.sizes).enumerate() {
            if let Some(problem) = problem(factors, index, *size) {
                return Err(Error::Index {
                    slot: number,
                    tensor: slot.tensor.to_string(),
                    axis,
                    size: *size,
                    problem,
                });
            }
        }
    }
    Ok(())
}

fn problem(factors: &[Factor], index: &Index, size: u64) -> Option<String> {
    let no_factor = |factor: usize| {
        format!(
            "it is indexed by factor {factor}, and the product space has {}",
            factors.len()
        )
    };
    match index {
        Index::Iter(factor) => match factors.get(*factor) {
            Some(Factor { size: extent, .. }) if *extent == size => None,
            Some(Factor { name, size, .. }) => Some(format!(
                "it is indexed by {name}, which runs over 0..{size}"
            )),
            None => Some(no_factor(*factor)),
        },
        Index::Affine(affine) => {
            let mut terms = affine.terms.iter();
            if let Some((_, factor)) = terms.find(|(_, factor)| *factor >= factors.len()) {
                return Some(no_factor(*factor));
            }
            let sizes: Vec<u64> = factors.iter().map(|factor| factor.size).collect();
            let normal = Index::affine(affine.terms.iter().copied(), affine.offset);
            if *index != normal.on_axis(size, &sizes) {
                return Some("its index is not in normal form".into());
            }
            let (least, most) = affine.range(&sizes);
            let bound = i128::from(i64::MAX / 4);
            (least < -bound || most > bound)
                .then(|| "its index is beyond what can be counted in 64 bits".into())
        }
        Index::Fix(position) if *position >= size => {
            Some(format!("it is fixed at position {position}"))
        }
        Index::Fix(_) | Index::Symbol(_) => None,
    }
}

fn check_slots(
    projections: &Projections,
    function: &Function,
    tensors: &[impl AsRef<str>],
) -> Result<(), Error> {
    let arity = function.arity();
    let (maps, sizes) = (projections.maps.len(), projections.sizes.len());
    if [maps, sizes, tensors.len()] != [arity + 1; 3] {
        return Err(Error::SlotCount {
            function: format!("{function:?}"),
            arity,
            maps,
            sizes,
            names: tensors.len(),
        });
    }
    for (slot, tensor) in tensors.iter().map(AsRef::as_ref).enumerate() {
        check_name(tensor, "tensor")?;
        let (map, shape) = (
            projections.maps[slot].0.len(),
            projections.sizes[slot].len(),
        );
        if map != shape {
            let tensor = tensor.to_string();
            return Err(Error::AxisCount {
                slot,
                tensor,
                map,
                shape,
            });
        }
    }
    Ok(())
}

/// Checks a name, which is printed in a line of text and in a comment of a kernel and must break neither.
fn check_name(name: &str, of: &str) -> Result<(), Error> {
    let breaks = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if name.is_empty() || name.contains(breaks) {
        return Err(Error::Name(format!(
            "{name:?} cannot name a {of}: a name has at least one character, no blanks and no backslash"
        )));
    }
    Ok(())
}

/// Lists `i`, `j`, `k` and so on, then `i1`, `j1`, without names of tensors.
fn variable_names(tensors: &[impl AsRef<str>]) -> impl Iterator<Item = String> {
    (0usize..)
        .flat_map(|round| {
            "ijklmnopqrstuvw".chars().map(move |letter| match round {
                0 => letter.to_string(),
                _ => format!("{letter}{round}"),
            })
        })
        .filter(|name| tensors.iter().all(|tensor| tensor.as_ref() != name))
}
