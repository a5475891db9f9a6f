//! Prop. 7.6 compared with enumeration: injectivity, surjectivity, and when initialising and reading back is needed.
//!
//! The scope is every left-hand map of up to three axes over every product space of up to three factors of size 2 or 3,
//! each axis iterated by any factor, fixed in an axis of size 1 or 2, or indexed by a symbol in an axis of size 1 or 2.

use crate::naive;

use std::collections::BTreeMap;

use lozenge_backend::arithmetic::{combine, neutral};
use lozenge_backend::{Device, Interpreter, Limits, LoopNest, Symbols, Tensor, Write};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

/// Counts the left-hand sides of the scope: over k factors there are 2^k products and 4 + k axes.
fn scope() -> usize {
    let maps = |k: usize| (0..=3).map(|rank| (4 + k).pow(rank)).sum::<usize>();
    (0..=3).map(|k| (1 << k) * maps(k)).sum()
}

const COMBINES: [Combine; 6] = [
    Combine::Replace,
    Combine::Add,
    Combine::Subtract,
    Combine::Multiply,
    Combine::Max,
    Combine::Min,
];

/// Lists every left-hand side of the scope.
fn left_hand_sides() -> Vec<Projections> {
    let mut all = Vec::new();
    for factors in (0..=3).flat_map(|count| words(&[2, 3], count)) {
        let mut axes = vec![
            (Index::Fix(0), 1),
            (Index::Fix(1), 2),
            (Index::Symbol("one".into()), 2),
            (Index::Symbol("zero".into()), 1),
        ];
        let iterated = factors.iter().enumerate();
        axes.extend(iterated.map(|(factor, size)| (Index::Iter(factor), *size)));
        for slot in (0..=3).flat_map(|rank| words(&axes, rank)) {
            let (map, sizes) = slot.into_iter().unzip();
            all.push(Projections {
                factors: factors.clone(),
                maps: vec![IndexMap(map)],
                sizes: vec![sizes],
            });
        }
    }
    all
}

fn words<T: Clone>(letters: &[T], length: usize) -> Vec<Vec<T>> {
    (0..length).fold(vec![vec![]], |words, _| {
        let longer = |word: Vec<T>| {
            let letters = letters.iter().cloned();
            letters.map(move |letter| [word.clone(), vec![letter]].concat())
        };
        words.into_iter().flat_map(longer).collect()
    })
}

fn symbols() -> Symbols {
    Symbols::from([("one".into(), 1), ("zero".into(), 0)])
}

/// Counts the points that write each cell that is written.
fn hits(projections: &Projections) -> BTreeMap<Vec<u64>, usize> {
    let mut hits = BTreeMap::new();
    for point in naive::points(&projections.factors) {
        *hits
            .entry(naive::cell(projections, 0, &point, &symbols()))
            .or_insert(0) += 1;
    }
    hits
}

#[test]
fn injective_and_surjective_exactly_when_the_product_space_says_so() {
    let all = left_hand_sides();
    for projections in &all {
        let hits = hits(projections);
        let cells = naive::cells(&projections.sizes[0]);
        assert!(
            hits.keys().all(|cell| cells.contains(cell)),
            "{projections:?}"
        );
        let injective = hits.values().all(|count| *count == 1);
        assert_eq!(projections.is_injective(), injective, "{projections:?}");
        let surjective = hits.len() == cells.len();
        assert_eq!(projections.is_surjective(), surjective, "{projections:?}");
    }
    assert_eq!(all.len(), scope());
}

/// Writes the constant `value` on a tensor that holds `held`, with or without the initialisation and the reading back.
fn write(
    projections: &Projections,
    how: Combine,
    held: f32,
    initialise: bool,
    read_back: bool,
) -> Vec<f32> {
    let size = naive::cells(&projections.sizes[0]).len();
    let start = if initialise { neutral(how) } else { held };
    let mut values: BTreeMap<Vec<u64>, f32> = naive::cells(&projections.sizes[0])
        .into_iter()
        .map(|cell| (cell, start))
        .collect();
    for point in naive::points(&projections.factors) {
        let cell = values
            .get_mut(&naive::cell(projections, 0, &point, &symbols()))
            .unwrap();
        let base = if read_back { *cell } else { neutral(how) };
        *cell = combine(how, base, 2.0);
    }
    assert_eq!(values.len(), size);
    values.into_values().collect()
}

fn same(x: &[f32], y: &[f32]) -> bool {
    let equal = |(x, y): (&f32, &f32)| x == y || (x.is_nan() && y.is_nan());
    x.len() == y.len() && x.iter().zip(y).all(equal)
}

/// Sufficient: on tensors full of NaN, the loop nest gives what erasing first and accumulating every point gives.
#[test]
fn what_is_decided_gives_the_naive_meaning_on_stale_memory() {
    let mut checked = 0;
    for projections in left_hand_sides() {
        for (how, erase) in COMBINES
            .into_iter()
            .flat_map(|how| [(how, true), (how, false)])
        {
            let accumulator = Accumulator {
                erase,
                combine: how,
            };
            let function = Function::Constant(2.0);
            let nest = LoopNest::new(&projections, accumulator, function, &["t"]).unwrap();
            let held = if erase { f32::NAN } else { 7.0 };
            let shape = &projections.sizes[0];
            let stale = Tensor::filled(shape, held, Limits::default()).unwrap();
            let mut device = Interpreter::new(Limits::default());
            let buffer = device.upload(&stale).unwrap();
            device.run(&nest, &[buffer], &symbols()).unwrap();
            let found = device.download(buffer).unwrap();
            let expected = write(&projections, how, held, erase, true);
            assert!(same(&expected, found.values()), "{nest}{found:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, 2 * COMBINES.len() * scope());
}

/// Necessary: wherever the loop nest initialises or reads back, leaving that out changes the result. Replacement does
/// not read, so it needs neither if its map is surjective.
#[test]
fn nothing_is_initialised_or_read_back_without_need() {
    let (mut initialised, mut read_back) = (0, 0);
    for projections in left_hand_sides() {
        for how in [Combine::Add, Combine::Subtract] {
            let accumulator = Accumulator {
                erase: true,
                combine: how,
            };
            let function = Function::Constant(2.0);
            let nest = LoopNest::new(&projections, accumulator, function, &["t"]).unwrap();
            let meaning = write(&projections, how, f32::NAN, true, true);
            let reads = nest.write() == Write::ReadModifyWrite;
            let without_initial = write(&projections, how, f32::NAN, false, reads);
            assert_eq!(
                nest.initial().is_none(),
                same(&meaning, &without_initial),
                "{nest}"
            );
            let without_reading = write(&projections, how, f32::NAN, true, false);
            assert_eq!(!reads, same(&meaning, &without_reading), "{nest}");
            initialised += usize::from(nest.initial().is_some());
            read_back += usize::from(reads);
        }
    }
    assert!(
        initialised > 1000 && read_back > 1000,
        "{initialised} {read_back}"
    );
}
