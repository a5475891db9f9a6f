//! A convolution of one image, which a device computes from a copy with margins where sums may be taken in any order.

use crate::engines;

use lozenge_backend::{
    Call, Device, Engine, Limits, LoopNest, Numerics, Purpose, Symbols, Tensor, open,
};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::Iter;
use lozenge_vocabulary::projections::{Affine, Index, IndexMap, Projections};

/// The cells of a row of the image, its channels, and those of the result.
const CELLS: u64 = 16;
const CHANNELS: [u64; 2] = [32, 64];

/// Windows of 3 by 3, one cell beyond each edge: `z[y, x, d]` is the sum of `i[y + u - 1, x + v - 1, c] * k[u, v, c,
/// d]`.
fn convolution() -> LoopNest {
    let moved = |one: usize, tap: usize| {
        Index::Affine(Affine {
            terms: vec![(1, one), (1, tap)],
            offset: -1,
        })
    };
    let [from, to] = CHANNELS;
    let projections = Projections {
        factors: vec![CELLS, CELLS, to, 3, 3, from],
        maps: vec![
            IndexMap(vec![Iter(0), Iter(1), Iter(2)]),
            IndexMap(vec![moved(0, 3), moved(1, 4), Iter(5)]),
            IndexMap(vec![Iter(3), Iter(4), Iter(5), Iter(2)]),
        ],
        sizes: shapes().to_vec(),
    };
    let accumulator = Accumulator {
        erase: true,
        combine: Combine::Add,
    };
    LoopNest::new(
        &projections,
        accumulator,
        Function::Multiply,
        &["z", "i", "k"],
    )
    .unwrap()
}

fn shapes() -> [Vec<u64>; 3] {
    let [from, to] = CHANNELS;
    [
        vec![CELLS, CELLS, to],
        vec![CELLS, CELLS, from],
        vec![3, 3, from, to],
    ]
}

/// Makes tensors of whole numbers, of which every order gives the same sum.
fn operands() -> [Tensor; 2] {
    let tensor = |shape: &Vec<u64>, from: u64| {
        let values =
            (from..from + shape.iter().product::<u64>()).map(|at| (at * 7 % 5) as f32 - 2.0);
        Tensor::new(shape.clone(), values.collect()).unwrap()
    };
    let [_, image, taps] = shapes();
    [tensor(&image, 0), tensor(&taps, 3)]
}

fn recorded(device: &mut dyn Device, operands: &[Tensor; 2]) -> Tensor {
    let mut buffers = vec![device.allocate(&shapes()[0], f32::NAN).unwrap()];
    buffers.extend(operands.iter().map(|one| device.upload(one).unwrap()));
    let call = Call {
        nest: convolution(),
        buffers: buffers.clone(),
    };
    let recording = device.record(vec![call], &Purpose::default()).unwrap();
    // Twice, since the margins must be zeros each time.
    for _ in 0..2 {
        device.replay(recording, &Symbols::new()).unwrap();
    }
    let written = device.download(buffers[0]).unwrap();
    device.forget(recording).unwrap();
    for buffer in buffers {
        device.release(buffer).unwrap();
    }
    written
}

#[test]
fn a_convolution_of_one_image_is_computed_from_a_copy_with_margins() {
    let Some(mut device) = engines::opencl_with("margins", Numerics::Fast) else {
        return;
    };
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    let operands = operands();
    let expected = recorded(interpreter.as_mut(), &operands);
    let found = recorded(device.as_mut(), &operands);
    assert_eq!(found, expected);
    let memory = device.memory().unwrap();
    assert!(
        memory.most_shared >= (CELLS + 2) * (CELLS + 2) * CHANNELS[0] * 4,
        "there was a copy: {memory:?}"
    );
}

/// A cell of the image that is no number reaches the cells whose windows contain it, and no others.
#[test]
fn nan_in_the_image_reaches_its_windows_and_no_other_cells() {
    let Some(mut device) = engines::opencl_with("margins with NaN", Numerics::Fast) else {
        return;
    };
    let mut operands = operands();
    operands[0].values_mut()[0] = f32::NAN;
    let found = recorded(device.as_mut(), &operands);
    let depth = CHANNELS[1] as usize;
    for (cell, values) in found.values().chunks(depth).enumerate() {
        let (y, x) = (cell / CELLS as usize, cell % CELLS as usize);
        let is_near = y < 2 && x < 2;
        let as_expected = |value: &f32| value.is_nan() == is_near;
        assert!(values.iter().all(as_expected), "{y} {x}: {values:?}");
    }
}
