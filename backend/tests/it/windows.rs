//! Affine indices: reads and writes of windows, on both engines, compared bit for bit.

use crate::engines;
use crate::naive;

use lozenge_backend::opencl::{KernelSource, Profile, program};
use lozenge_backend::{Engine, Limits, LoopNest, Symbols, Tensor, element_count, open};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::{self, Iter};
use lozenge_vocabulary::projections::{IndexMap, Projections};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const fn erase(combine: Combine) -> Accumulator {
    Accumulator {
        erase: true,
        combine,
    }
}

/// A loop nest with data.
#[derive(Clone, Debug)]
struct Case {
    projections: Projections,
    accumulator: Accumulator,
    function: Function,
    tensors: Vec<Tensor>,
}

impl Case {
    fn nest(&self) -> LoopNest {
        let names = &["z", "x", "w"][..self.tensors.len()];
        let (how, function) = (self.accumulator, self.function.clone());
        LoopNest::new(&self.projections, how, function, names).unwrap()
    }

    fn tensors(&self) -> Vec<&Tensor> {
        self.tensors.iter().collect()
    }

    fn meaning(&self) -> Tensor {
        let (how, tensors) = (self.accumulator, self.tensors());
        naive::assign(
            &self.projections,
            how,
            &self.function,
            &tensors,
            &Symbols::new(),
        )
    }
}

/// Tells whether tensors are equal bit for bit, where all NaN count as equal.
fn identical(x: &Tensor, y: &Tensor) -> bool {
    let mut pairs = x.values().iter().zip(y.values());
    x.shape() == y.shape()
        && pairs.all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
}

/// Tells whether tensors are equal up to the sign of zeros: a plain write, unlike an addition, keeps the sign of -0.
fn same(x: &Tensor, y: &Tensor) -> bool {
    let mut pairs = x.values().iter().zip(y.values());
    x.shape() == y.shape() && pairs.all(|(x, y)| x == y || (x.is_nan() && y.is_nan()))
}

/// Checks that the interpreter agrees with the definition, and OpenCL for either profile with the interpreter bit for
/// bit.
fn check(cases: &[Case], test: &str) {
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    let opencl = &mut engines::opencl(test);
    if let Some(device) = opencl {
        let nests: Vec<LoopNest> = cases.iter().map(Case::nest).collect();
        nests
            .chunks(40)
            .for_each(|nests| device.prepare(nests).unwrap());
    }
    for case in cases {
        let nest = case.nest();
        let run = |device: &mut dyn lozenge_backend::Device| {
            engines::run(device, &nest, &case.tensors(), &Symbols::new())
        };
        let (meaning, expected) = (case.meaning(), run(interpreter.as_mut()));
        assert!(same(&meaning, &expected), "{nest}{meaning:?}\n{expected:?}");
        if let Some(device) = opencl {
            let found = run(device.as_mut());
            let texts = KernelSource::new(&nest, Profile::Cpu).kernels;
            let texts: Vec<String> = texts.into_iter().map(|kernel| kernel.text).collect();
            assert!(
                identical(&expected, &found),
                "{nest}{}\n{:?}\n{expected:?}\n{found:?}",
                texts.join("\n"),
                case.tensors
            );
        }
    }
}

fn values(values: &[f32]) -> Tensor {
    Tensor::new(vec![values.len() as u64], values.to_vec()).unwrap()
}

/// Makes a window over one axis: `index` reads or writes it, `y` and `u` are factors 0 and 1.
fn one_axis(factors: [u64; 2], maps: [Index; 3], tensors: [Tensor; 3], how: Combine) -> Case {
    Case {
        projections: Projections {
            factors: factors.to_vec(),
            maps: maps
                .into_iter()
                .map(|index| IndexMap(vec![index]))
                .collect(),
            sizes: tensors
                .iter()
                .map(|tensor| tensor.shape().to_vec())
                .collect(),
        },
        accumulator: erase(how),
        function: Function::Multiply,
        tensors: tensors.to_vec(),
    }
}

fn written(case: &Case) -> Vec<f32> {
    check(std::slice::from_ref(case), "worked windows");
    let mut device = open(Engine::Interpreter, Limits::default()).unwrap();
    let found = engines::run(
        device.as_mut(),
        &case.nest(),
        &case.tensors(),
        &Symbols::new(),
    );
    found.into_values()
}

#[test]
fn a_convolution_of_seven_numbers() {
    let x = values(&[1., 2., 3., 4., 5., 6., 7.]);
    let w = values(&[1., 10., 100.]);
    let convolution = |cells: u64, stride: u64, dilation: u64, offset: i64| {
        let index = Index::affine([(stride, 0), (dilation, 1)], offset);
        let z = values(&vec![f32::NAN; cells as usize]);
        let tensors = [z, x.clone(), w.clone()];
        one_axis([cells, 3], [Iter(0), index, Iter(1)], tensors, Combine::Add)
    };
    let exact = convolution(3, 2, 1, 0);
    assert!(!exact.nest().is_guarded());
    assert_eq!(written(&exact), [321., 543., 765.]);
    assert_eq!(written(&convolution(4, 2, 1, -1)), [210., 432., 654., 76.]);
    assert_eq!(
        written(&convolution(7, 1, 2, -2)),
        [310., 420., 531., 642., 753., 64., 75.]
    );
}

#[test]
fn a_transposed_convolution_of_three_numbers() {
    let (x, w) = (values(&[1., 2., 3.]), values(&[1., 10., 100.]));
    let transposed = |cells: usize, offset: i64| {
        let index = Index::affine([(2, 0), (1, 1)], offset);
        let tensors = [values(&vec![f32::NAN; cells]), x.clone(), w.clone()];
        one_axis([3, 3], [index, Iter(0), Iter(1)], tensors, Combine::Add)
    };
    let whole = transposed(7, 0);
    assert!(whole.nest().overlaps() && !whole.nest().is_guarded());
    assert_eq!(written(&whole), [1., 10., 102., 20., 203., 30., 300.]);
    let cropped = transposed(5, -1);
    assert!(cropped.nest().is_guarded());
    assert_eq!(written(&cropped), [10., 102., 20., 203., 30.]);
}

/// Cells outside the axis do not count as 0: the maximum of negative numbers is not 0 at the border.
#[test]
fn a_maximum_over_windows_that_leave_the_axis() {
    let x = values(&[-1., -2., -3., -4.]);
    let index = Index::affine([(2, 0), (1, 1)], -1);
    let case = Case {
        projections: Projections {
            factors: vec![2, 3],
            maps: vec![IndexMap(vec![Iter(0)]), IndexMap(vec![index])],
            sizes: vec![vec![2], vec![4]],
        },
        accumulator: erase(Combine::Max),
        function: Function::Identity,
        tensors: vec![values(&[f32::NAN; 2]), x],
    };
    assert_eq!(written(&case), [-1., -2.]);
    assert_eq!(
        case.nest()
            .with_factor_names(&["o", "k"])
            .unwrap()
            .to_string(),
        "\
# k is reduced: it does not occur in the index map of z
z[*] = -inf  # =:max erases; a cell is written more than once; cells that no point writes hold -inf
for o in 0..2:
  for k in 0..3:
    if 0 <= 2*o + k - 1 < 4:
      z[o] = max(z[o], x[2*o + k - 1])
"
    );
}

/// A plain write whose operand index can be out of range: the cells that no point reaches hold the neutral element.
#[test]
fn a_shifted_copy_clears_the_cells_that_nothing_reaches() {
    let case = Case {
        projections: Projections {
            factors: vec![5],
            maps: vec![
                IndexMap(vec![Iter(0)]),
                IndexMap(vec![Index::affine([(1, 0)], -2)]),
            ],
            sizes: vec![vec![5], vec![3]],
        },
        accumulator: erase(Combine::Replace),
        function: Function::Identity,
        tensors: vec![values(&[f32::NAN; 5]), values(&[1., 2., 3.])],
    };
    assert_eq!(written(&case), [0., 0., 1., 2., 3.]);
    let onto = Case {
        accumulator: Accumulator {
            erase: false,
            combine: Combine::Add,
        },
        tensors: vec![values(&[7.; 5]), values(&[1., 2., 3.])],
        ..case
    };
    assert_eq!(written(&onto), [7., 7., 8., 9., 10.]);
}

/// A constant index before its axis or behind it reads nothing.
#[test]
fn a_constant_index_outside_of_its_axis_skips_every_point() {
    for offset in [-1, 3] {
        let case = Case {
            projections: Projections {
                factors: vec![5],
                maps: vec![
                    IndexMap(vec![Iter(0)]),
                    IndexMap(vec![Index::affine([], offset).on_axis(3, &[5])]),
                ],
                sizes: vec![vec![5], vec![3]],
            },
            accumulator: erase(Combine::Add),
            function: Function::Identity,
            tensors: vec![values(&[f32::NAN; 5]), values(&[1., 2., 3.])],
        };
        assert_eq!(written(&case), [0.; 5]);
    }
}

/// One loop moves two axes: the second of them tells the points apart, and not the order of their addresses.
#[test]
fn a_window_may_share_its_loop_with_another_axis() {
    let case = Case {
        projections: Projections {
            factors: vec![3, 5, 37],
            maps: vec![
                IndexMap(vec![Index::affine([(3, 0), (5, 1)], 2), Iter(1), Iter(2)]),
                IndexMap(vec![Iter(1), Iter(2)]),
            ],
            sizes: vec![vec![29, 5, 37], vec![5, 37]],
        },
        accumulator: erase(Combine::Add),
        function: Function::Identity,
        tensors: vec![
            Tensor::new(vec![29, 5, 37], vec![f32::NAN; 29 * 5 * 37]).unwrap(),
            Tensor::new(vec![5, 37], (0..185u8).map(f32::from).collect()).unwrap(),
        ],
    };
    // Each of the 185 values is written three times.
    assert_eq!(written(&case).iter().sum::<f32>(), 3.0 * 185.0 * 92.0);
}

#[test]
fn what_a_gathering_kernel_looks_like() {
    let index = Index::affine([(2, 0), (1, 1)], 0);
    let tensors = [values(&[0.; 7]), values(&[0.; 3]), values(&[0.; 3])];
    let case = one_axis([3, 3], [index, Iter(0), Iter(1)], tensors, Combine::Add);
    let source = KernelSource::new(&case.nest(), Profile::Cpu);
    assert_eq!(
        program(&[("gather".to_string(), &source.kernels[0])]),
        "\
#pragma OPENCL FP_CONTRACT OFF

__kernel void gather(__global float *lhs, __global const float *rhs1, __global const float *rhs2) {
    const uint i0 = (uint)get_global_id(0);
    float total = 0.0f;
    const int left0_0 = (int)i0;
    const int first0 = max((int)(0), (int)(left0_0 > 2 ? (left0_0 - 2 + 1) / 2 : 0));
    const int last0 = min((int)(2), (int)(left0_0 < 0 ? -1 : (left0_0) / 2));
    for (int s0 = first0; s0 <= last0; ++s0) {
        const uint k0 = (uint)s0;
        const int left0_1 = (int)i0 - (int)k0 * 2;
        if (left0_1 >= 0 && left0_1 < 3) {
            const uint k1 = (uint)(left0_1);
            total = total + (rhs1[k0] * rhs2[k1]);
        }
    }
    lhs[i0] = total;
}
"
    );
}

#[test]
fn a_guard_is_tested_as_soon_as_its_loops_are_open() {
    let (y, z) = (
        Index::affine([(1, 0), (1, 3)], -1),
        Index::affine([(1, 1), (1, 4)], -1),
    );
    let projections = Projections {
        factors: vec![8, 8, 6, 3, 3],
        maps: vec![
            IndexMap(vec![Iter(0), Iter(1), Iter(2)]),
            IndexMap(vec![y, z]),
            IndexMap(vec![Iter(3), Iter(4), Iter(2)]),
        ],
        sizes: vec![vec![8, 8, 6], vec![8, 8], vec![3, 3, 6]],
    };
    let names = ["c", "x", "w"];
    let nest = LoopNest::new(
        &projections,
        erase(Combine::Add),
        Function::Multiply,
        &names,
    )
    .unwrap();
    let source = KernelSource::new(&nest, Profile::Parallel);
    let text = &source.kernels[0].text;
    let body = text.split_once("float total").unwrap().1;
    assert_eq!(
        body,
        " = 0.0f;
    for (uint k0 = 0; k0 < 3; ++k0) {
        if (i0 + k0 - 1 < 8u) {
            for (uint k1 = 0; k1 < 3; ++k1) {
                if (i1 + k1 - 1 < 8u) {
                    total = total + (rhs1[i0 * 8 + i1 + k0 * 8 + k1 - 9] * rhs2[i2 + k0 * 18 + k1 * 6]);
                }
            }
        }
    }
    lhs[i0 * 48 + i1 * 6 + i2] = total;
"
    );
    // On a CPU the channels are vectorised, since no guard reads them.
    let tiled = KernelSource::new(&nest, Profile::Cpu);
    assert!(
        tiled.kernels[0].text.contains("vload4"),
        "{}",
        tiled.kernels[0].text
    );
}

/// Draws an axis with its index: a sum of factors that may be out of range, or a single factor.
fn axis(factors: Vec<u64>, plain: u32) -> impl Strategy<Value = (Index, u64)> {
    let count = factors.len();
    let sizes = factors.clone();
    let iterated = (0..count).prop_map(move |factor| (Iter(factor), sizes[factor]));
    let terms = prop::collection::vec((1..4u64, 0..count), 1..=3);
    let sum = (terms, -3..3i64, 0..8u64).prop_map(move |(terms, offset, cut)| {
        let index = Index::affine(terms, offset);
        let reach: u64 = index
            .terms()
            .iter()
            .map(|(c, f)| c * (factors[*f] - 1))
            .sum();
        let size = match &index {
            Iter(factor) => factors[*factor],
            // Most axes are as long as the largest value of the sum demands, some are shorter.
            _ => (reach as i64 + 1 + offset - cut.saturating_sub(4) as i64).max(1) as u64,
        };
        (index, size)
    });
    prop_oneof![plain => iterated, 2 => sum]
}

fn tensor(shape: Vec<u64>) -> impl Strategy<Value = Tensor> {
    let count = element_count(&shape).unwrap();
    let value = prop_oneof![
        20 => -8.0..8.0f32,
        1 => select(vec![0.0, -0.0, f32::INFINITY, f32::NAN])
    ];
    prop::collection::vec(value, count)
        .prop_map(move |values| Tensor::new(shape.clone(), values).unwrap())
}

/// Draws random loop nests with windows in the result and in operands. `channels` adds an axis that the result shares
/// with some operands.
fn case(channels: Option<u64>) -> impl Strategy<Value = Case> {
    let factors = prop::collection::vec(2..=5u64, 1..=4);
    let accumulators = [
        Combine::Replace,
        Combine::Add,
        Combine::Subtract,
        Combine::Max,
    ];
    let accumulators: Vec<Accumulator> = accumulators
        .into_iter()
        .flat_map(|combine| [true, false].map(|erase| Accumulator { erase, combine }))
        .collect();
    let functions = vec![Function::Identity, Function::Multiply, Function::Subtract];
    let head = (factors, select(accumulators), select(functions));
    let slots = head.prop_flat_map(|(factors, accumulator, function)| {
        let slot = prop::collection::vec(axis(factors.clone(), 2), 1..=2);
        let slots = prop::collection::vec((slot, any::<bool>()), function.arity() + 1);
        (Just(factors), Just(accumulator), Just(function), slots)
    });
    slots.prop_flat_map(move |(mut factors, accumulator, function, mut slots)| {
        if let Some(size) = channels {
            for (number, (slot, has)) in slots.iter_mut().enumerate() {
                if number == 0 || *has {
                    slot.push((Iter(factors.len()), size));
                }
            }
            factors.push(size);
        }
        let (maps, sizes): (Vec<_>, Vec<_>) = slots
            .into_iter()
            .map(|(slot, _)| {
                let (map, sizes): (Vec<_>, Vec<u64>) = slot.into_iter().unzip();
                (IndexMap(map), sizes)
            })
            .unzip();
        let tensors: Vec<_> = sizes.iter().cloned().map(tensor).collect();
        tensors.prop_map(move |mut tensors| {
            if accumulator.erase {
                tensors[0].values_mut().fill(f32::NAN);
            }
            Case {
                projections: Projections {
                    factors: factors.clone(),
                    maps: maps.clone(),
                    sizes: sizes.clone(),
                },
                accumulator,
                function: function.clone(),
                tensors,
            }
        })
    })
}

/// `LOZENGE_CASES` sets how many are drawn.
#[test]
fn random_nests_with_windows_have_their_meaning_on_both_engines() {
    let count = std::env::var("LOZENGE_CASES").map_or(60, |count| count.parse().unwrap());
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let mut cases = Vec::new();
    for number in 0..count {
        let channels = [None, Some(5), Some(16), Some(37)][number % 4];
        cases.push(case(channels).new_tree(&mut runner).unwrap().current());
    }
    let nests: Vec<LoopNest> = cases.iter().map(Case::nest).collect();
    let how_many = |what: fn(&LoopNest) -> bool| nests.iter().filter(|nest| what(nest)).count();
    let kinds = [
        how_many(|nest| nest.overlaps()),
        how_many(|nest| nest.is_guarded()),
        how_many(|nest| !nest.slots()[0].guarded.is_empty() && !nest.overlaps()),
        how_many(|nest| nest.is_injective() && nest.initial().is_some()),
    ];
    assert!(
        kinds.iter().all(|kind| *kind * 30 >= count),
        "{kinds:?} of {count}"
    );
    check(&cases, "random windows");
}

#[test]
fn an_index_that_cannot_be_counted_is_refused() {
    let nest = |index: Index, size: u64| {
        let projections = Projections {
            factors: vec![4],
            maps: vec![IndexMap(vec![index])],
            sizes: vec![vec![size]],
        };
        let function = Function::Constant(1.0);
        let nest = LoopNest::new(&projections, erase(Combine::Add), function, &["z"]);
        nest.map(|nest| nest.to_string())
            .map_err(|error| error.to_string())
    };
    assert!(nest(Index::affine([(2, 0)], 0), 7).is_ok());
    // A lone factor on an axis of another size, shorter or longer.
    let lone = |size: u64| nest(Index::affine([(1, 0)], 0).on_axis(size, &[4]), size);
    assert!(lone(3).unwrap().contains("if 0 <= i < 3:"));
    assert!(
        lone(7)
            .unwrap()
            .contains("cells that no point writes hold 0")
    );
    assert!(nest(Index::Iter(0), 7).is_err());
    for (index, said) in [
        (Index::affine([(2, 1)], 0), "indexed by factor 1"),
        (
            Index::affine([(u64::MAX, 0)], 1),
            "beyond what can be counted",
        ),
        (
            Index::Affine(lozenge_vocabulary::projections::Affine {
                terms: vec![(1, 0), (1, 0)],
                offset: 0,
            }),
            "not in normal form",
        ),
    ] {
        let error = nest(index, 7).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}
