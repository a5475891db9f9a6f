//! Random loop nests with values, for kernels with random schedules: extents around the widths of vectors and tiles, so
//! that there are tails of all lengths.

use std::sync::Arc;

use arbitrary::{Result as Drawn, Unstructured};
use lozenge_backend::{LoopNest, Numerics, Symbols, Tensor, element_count};
use lozenge_solver::project::Projector;
use lozenge_testkit::random::Random;
use lozenge_vocabulary::Dim;
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

use crate::subjects::operations::closed_operation::draw_sized;

/// The extents of loops.
const EXTENTS: [u64; 16] = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 19, 31, 32, 33, 40, 65];

/// The most points of a loop nest, and values of a tensor.
const POINTS: u64 = 20_000;

/// The ways of combining values, with what stands in the place of each where values are combined in their order. In
/// another order a product has other digits, which nothing bounds.
const COMBINES: [[Combine; 2]; 7] = [
    [Combine::Add; 2],
    [Combine::Add; 2],
    [Combine::Add, Combine::Multiply],
    [Combine::Subtract; 2],
    [Combine::Max; 2],
    [Combine::Min; 2],
    [Combine::Replace; 2],
];

/// Returns the functions of so many operands that every device computes exactly.
fn functions(arity: usize) -> &'static [Function] {
    match arity {
        0 => &[Function::Constant(0.5), Function::Constant(-3.0)],
        1 => &[
            Function::Identity,
            Function::Identity,
            Function::Negate,
            Function::Relu,
            Function::Square,
            Function::Abs,
        ],
        _ => &[
            Function::Multiply,
            Function::Multiply,
            Function::Multiply,
            Function::Add,
            Function::Subtract,
            Function::Max,
            Function::Less,
        ],
    }
}

/// A loop nest with what a run needs.
#[derive(Clone, Debug)]
pub struct DrawnNest {
    /// The loop nest.
    pub nest: LoopNest,
    /// Its index maps.
    pub projections: Projections,
    /// The combination of values in a cell.
    pub accumulator: Accumulator,
    /// The function of the values that are read.
    pub function: Function,
    /// The rounding that values may have.
    pub numerics: Numerics,
    /// The values of the symbols.
    pub symbols: Symbols,
    /// The seed of the values of tensors.
    pub seed: u64,
}

impl DrawnNest {
    /// Returns the loop nest with these index maps. An error says why there is none.
    pub fn new(
        projections: Projections,
        (accumulator, function): (Accumulator, Function),
        numerics: Numerics,
        symbols: Symbols,
        seed: u64,
    ) -> Result<DrawnNest, String> {
        let names = ["c", "a", "b"].get(..projections.maps.len());
        let names = names.ok_or("expected at most three maps in `projections`")?;
        let nest = LoopNest::new(&projections, accumulator, function.clone(), names);
        Ok(DrawnNest {
            nest: nest.map_err(|error| error.to_string())?,
            projections,
            accumulator,
            function,
            numerics,
            symbols,
            seed,
        })
    }

    /// Draws whole numbers, of which every sum is exact, with a few that are not finite; one tensor for each slot.
    pub fn whole(&self) -> Vec<Tensor> {
        let special = self.seed.is_multiple_of(4);
        self.tensors(|random| match random % 2048 {
            0 if special => f32::NAN,
            1 if special => f32::INFINITY,
            2 if special => f32::NEG_INFINITY,
            3 => -0.0,
            _ => (random >> 16 & 7) as f32 - 4.0,
        })
    }

    /// Numbers between -1 and 1 with all digits.
    pub fn digits(&self) -> Vec<Tensor> {
        self.tensors(|random| (random >> 8) as f32 / (1 << 23) as f32 - 1.0)
    }

    fn tensors(&self, value: impl Fn(u32) -> f32) -> Vec<Tensor> {
        let mut random = Random::new(self.seed);
        let mut next = || value((random.word() >> 32) as u32);
        let slots = self.nest.slots().iter();
        let tensor = |sizes: &Vec<u64>| {
            let count = element_count(sizes).ok()?;
            let values = (0..count).map(|_| next()).collect();
            Tensor::new(sizes.clone(), values).ok()
        };
        slots.map(|slot| &*slot.sizes).filter_map(tensor).collect()
    }
}

/// Draws a loop nest: a third from a random operation with windows, concatenations and broadcasts, the others directly.
///
/// # Errors
/// Never for lack of bytes.
pub fn draw(u: &mut Unstructured<'_>) -> Drawn<DrawnNest> {
    let numerics = match u.arbitrary()? {
        true => Numerics::Fast,
        false => Numerics::Exact,
    };
    let accumulator = Accumulator {
        erase: u.ratio(2, 3)?,
        combine: u.choose(&COMBINES)?[usize::from(numerics == Numerics::Exact)],
    };
    let seed: u64 = u.arbitrary()?;
    let at: u64 = u.int_in_range(0..=40)?;
    let mut projections = match u.ratio(1, 3)? {
        true => of_operation(u)?,
        false => None,
    };
    // An operation whose maps are no loop nest, or one that is too large, is drawn again.
    loop {
        let (maps, again) = match projections.take() {
            Some(maps) => (maps, true),
            None if u.ratio(1, 4)? => (contraction(u)?, false),
            None => (directly(u)?, false),
        };
        let arity = maps.maps.len() - 1;
        let function = u.choose(functions(arity))?.clone();
        let symbols = symbols(&maps, at);
        match DrawnNest::new(maps, (accumulator, function), numerics, symbols, seed) {
            Ok(drawn) => return Ok(drawn),
            Err(_) if again => {}
            Err(_) => return Err(arbitrary::Error::IncorrectFormat),
        }
    }
}

/// Draws the values of symbols: a place within every axis that one indexes.
fn symbols(projections: &Projections, at: u64) -> Symbols {
    let mut least: std::collections::BTreeMap<Arc<str>, u64> = Default::default();
    for (map, sizes) in projections.maps.iter().zip(&projections.sizes) {
        for (index, size) in map.0.iter().zip(sizes) {
            if let Index::Symbol(symbol) = index {
                let known = least.entry(symbol.clone()).or_insert(*size);
                *known = (*known).min(*size);
            }
        }
    }
    let symbols = least.into_iter();
    symbols
        .map(|(symbol, size)| (symbol, at % size.max(1)))
        .collect()
}

/// Draws the index maps of a random operation with closed shapes, if it has some and is not too large.
fn of_operation(u: &mut Unstructured<'_>) -> Drawn<Option<Projections>> {
    let operation = draw_sized(u, |u| {
        let size = match u.ratio(1, 3)? {
            true => *u.choose(&EXTENTS)?,
            false => u.int_in_range(1..=4)?,
        };
        Ok(Dim::new(size).unwrap_or(Dim::Unit))
    })?;
    let found = operation.by_solver(&mut Projector::default()).ok();
    Ok(found.filter(|projections| {
        let product = |sizes: &Vec<u64>| {
            sizes
                .iter()
                .try_fold(1u64, |all, one| all.checked_mul(*one))
        };
        let mut all = vec![&projections.factors];
        all.extend(&projections.sizes);
        all.into_iter()
            .all(|sizes| product(sizes).is_some_and(|product| product <= POINTS))
    }))
}

/// Draws a matrix product, with the axes of each tensor in any order, and sometimes a batch axis or a second reduced
/// one.
fn contraction(u: &mut Unstructured<'_>) -> Drawn<Projections> {
    let (row, column, reduced, other) = (0, 1, 2, 3);
    let mut slots = [vec![row, column], vec![row, reduced], vec![reduced, column]];
    let mut factors = Vec::new();
    for _ in 0..3 {
        factors.push(*u.choose(&EXTENTS)?);
    }
    match u.int_in_range(0..=2)? {
        0 => slots.iter_mut().for_each(|slot| slot.insert(0, other)),
        1 => slots[1..].iter_mut().for_each(|slot| slot.push(other)),
        _ => {}
    }
    if slots[1].contains(&other) {
        factors.push(u.int_in_range(2..=3)?);
    }
    for slot in &mut slots {
        if u.ratio(1, 4)? {
            slot.reverse();
        }
    }
    shorten(&mut factors);
    let sizes = slots.iter().map(|slot| {
        let sizes = slot.iter().map(|factor| factors[*factor]);
        sizes.collect()
    });
    let sizes = sizes.collect();
    let maps = slots.into_iter().map(|slot| {
        let indices = slot.into_iter().map(Index::Iter);
        IndexMap(indices.collect())
    });
    Ok(Projections {
        maps: maps.collect(),
        sizes,
        factors,
    })
}

/// Makes the longest loops shorter until there are few enough points.
fn shorten(factors: &mut [u64]) {
    while factors.iter().product::<u64>() > POINTS {
        if let Some(longest) = factors.iter_mut().max() {
            *longest = *longest / 2 + 1;
        }
    }
}

/// Draws index maps directly: each axis is iterated by a loop, perhaps one that iterates another axis too, or
/// fixed.
fn directly(u: &mut Unstructured<'_>) -> Drawn<Projections> {
    let mut factors = Vec::new();
    for _ in 0..u.int_in_range(1..=4)? {
        factors.push(*u.choose(&EXTENTS)?);
    }
    shorten(&mut factors);
    let mut maps = Vec::new();
    let mut sizes = Vec::new();
    for slot in 0..u.int_in_range(2..=3)? {
        // Most tensors have the loops in one order; a written tensor has most of them, so that there are neighbouring
        // cells.
        let mut order: Vec<usize> = (0..factors.len()).collect();
        if u.ratio(1, 3)? {
            let by = u.int_in_range(0..=order.len() - 1)?;
            order.rotate_left(by);
        }
        let (mut map, mut shape) = (Vec::new(), Vec::new());
        let mut size = 1;
        for factor in order {
            let kept = u.ratio(2, 3)?;
            let times = if kept && u.ratio(1, 24)? {
                2
            } else {
                u64::from(kept)
            };
            for _ in 0..times {
                if size * factors[factor] <= POINTS {
                    map.push(Index::Iter(factor));
                    shape.push(factors[factor]);
                    size *= factors[factor];
                }
            }
            if u.ratio(1, 16)? && size * 3 <= POINTS {
                map.push(match slot > 0 && u.arbitrary()? {
                    true => Index::Symbol("step".into()),
                    false => Index::Fix(u.int_in_range(0..=2)?),
                });
                shape.push(3);
                size *= 3;
            }
        }
        maps.push(IndexMap(map));
        sizes.push(shape);
    }
    Ok(Projections {
        factors,
        maps,
        sizes,
    })
}
