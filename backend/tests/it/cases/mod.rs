//! Random loop nests for tests of schedules: contractions, reductions, elementwise operations, on extents around the
//! widths of vectors, tiles and blocks.

use lozenge_backend::{Device, LoopNest, Symbols, Tensor};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::engines;
use crate::random::Random;

/// Makes this number of random cases, or as many as `LOZENGE_CASES` says.
pub fn random(count: usize) -> Vec<Case> {
    let count = std::env::var("LOZENGE_CASES").map_or(count, |count| count.parse().unwrap());
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    (0..count)
        .map(|_| case().new_tree(&mut runner).unwrap().current())
        .collect()
}

/// A contraction, a reduction or an elementwise operation: the extents of its loops, and which of them index each slot.
#[derive(Clone, Debug)]
pub struct Case {
    pub extents: Vec<u64>,
    pub slots: Vec<Vec<usize>>,
    pub accumulator: Accumulator,
    pub function: Function,
    pub seed: u64,
}

impl Case {
    pub fn nest(&self) -> LoopNest {
        let axes = |slot: &Vec<usize>| slot.iter().map(|one| Index::Iter(*one)).collect();
        let sizes = |slot: &Vec<usize>| slot.iter().map(|one| self.extents[*one]).collect();
        let projections = Projections {
            factors: self.extents.clone(),
            maps: self.slots.iter().map(|slot| IndexMap(axes(slot))).collect(),
            sizes: self.slots.iter().map(sizes).collect(),
        };
        let names = &["c", "a", "b"][..self.slots.len()];
        LoopNest::new(&projections, self.accumulator, self.function.clone(), names).unwrap()
    }

    /// Makes values with all digits, so that another order of a sum is noticed.
    pub fn tensors(&self) -> Vec<Tensor> {
        let mut random = Random::new(self.seed);
        let slots = self.nest().slots().to_vec();
        let tensor = |sizes: &Vec<u64>| {
            let count = sizes.iter().product::<u64>();
            Tensor::new(sizes.clone(), (0..count).map(|_| random.digits()).collect()).unwrap()
        };
        slots.iter().map(|slot| &*slot.sizes).map(tensor).collect()
    }

    /// Runs it on a device. Operands are placed first and last in memory, so that a read outside of one is noticed.
    pub fn run(&self, device: &mut dyn Device, tensors: &[Tensor]) -> Tensor {
        let tensors: Vec<&Tensor> = tensors.iter().collect();
        engines::run(device, &self.nest(), &tensors, &Symbols::new())
    }
}

pub const ADD: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Add,
};

fn extent() -> impl Strategy<Value = u64> {
    select(vec![
        2, 3, 5, 6, 7, 11, 12, 13, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 70,
    ])
}

/// Lists the loops that index the written tensor and the operands: matrix products in every layout, batched, with
/// several loops on each side, sums along any loop, broadcasts, transpositions, a diagonal.
fn layouts() -> Vec<(usize, Vec<Vec<usize>>)> {
    let slots = |text: &str| {
        let slot = |slot: &str| slot.bytes().map(|one| usize::from(one - b'i')).collect();
        text.split(' ').map(slot).collect::<Vec<Vec<usize>>>()
    };
    let all = [
        "ij ik kj",
        "ij ki kj",
        "ij ik jk",
        "ij ki jk",
        "ij kj ik",
        "ji ik kj",
        "ijl ijk ikl",
        "lij likk lkj",
        "ijl ikm kmjl",
        "ij ikl klj",
        "ij lk ikjl",
        "i ij j",
        "j ij i",
        "ij i j",
        "ij ij j",
        "ij ij i",
        "ij ji ij",
        "ijk ik kj",
        "ii ij ji",
        "i ij ij",
        "ij kij k",
        "ij ijk ijk",
        "ilj ik kjl",
        "ij ik kj",
    ];
    all.iter()
        .map(|text| {
            let slots = slots(text);
            let loops = slots.iter().flatten().max().map_or(0, |last| last + 1);
            (loops, slots)
        })
        .collect()
}

fn case() -> impl Strategy<Value = Case> {
    use Combine::*;
    let accumulators: Vec<Accumulator> = [Add, Add, Add, Subtract, Max, Min, Replace]
        .into_iter()
        .flat_map(|combine| [true, false].map(|erase| Accumulator { erase, combine }))
        .collect();
    let functions = vec![
        Function::Multiply,
        Function::Multiply,
        Function::Add,
        Function::Max,
        Function::Less,
        Function::Equal,
        Function::Divide,
        Function::Subtract,
    ];
    let head = (
        select(layouts()),
        select(accumulators),
        select(functions),
        any::<u64>(),
    );
    head.prop_flat_map(|((loops, slots), accumulator, function, seed)| {
        let extents = prop::collection::vec(extent(), loops);
        (Just(slots), extents).prop_map(move |(slots, mut extents)| {
            // A few hundred thousand points at most, since the interpreter visits all of them.
            while extents.iter().product::<u64>() > 400_000 {
                let longest = (0..extents.len()).max_by_key(|at| extents[*at]).unwrap();
                extents[longest] = extents[longest] / 2 + 1;
            }
            Case {
                extents,
                slots,
                accumulator,
                function: function.clone(),
                seed,
            }
        })
    })
}

/// Makes all values small whole numbers, whose sums are the same in every order.
pub fn whole_numbers(tensors: &mut [Tensor]) {
    for tensor in tensors {
        for value in tensor.values_mut() {
            *value = (*value * 3.5).round();
        }
    }
}

/// Makes a case with as many of the extents as its slots have loops. A slot is given by the letters of its loops, from
/// `i` on.
pub fn case_of(text: &str, extents: &[u64], accumulator: Accumulator, function: Function) -> Case {
    let slot = |slot: &str| slot.bytes().map(|one| usize::from(one - b'i')).collect();
    let slots: Vec<Vec<usize>> = text.split(' ').map(slot).collect();
    let loops = slots.iter().flatten().max().map_or(0, |last| last + 1);
    Case {
        extents: extents[..loops].to_vec(),
        slots,
        accumulator,
        function,
        seed: 9,
    }
}
