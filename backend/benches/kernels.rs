//! The cost of kernels on the first OpenCL device, in multiply-adds and bytes per second: matrix products of several
//! sizes, and operations that read and write memory, compared with a copy of as many bytes in the same run.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use lozenge_backend::{BufferId, Device, Engine, Limits, LoopNest, Symbols, Tensor, open};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

fn main() {
    divan::main();
}

const ADD: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Add,
};
const WRITE: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Replace,
};

/// Makes a nest over loops with these extents. Each slot lists the loops that index it.
fn nest(
    extents: &[u64],
    slots: &[&[usize]],
    accumulator: Accumulator,
    function: Function,
) -> LoopNest {
    let projections = Projections {
        factors: extents.to_vec(),
        maps: slots
            .iter()
            .map(|slot| IndexMap(slot.iter().map(|one| Index::Iter(*one)).collect()))
            .collect(),
        sizes: slots
            .iter()
            .map(|slot| slot.iter().map(|one| extents[*one]).collect())
            .collect(),
    };
    let names = &["c", "a", "b"][..slots.len()];
    LoopNest::new(&projections, accumulator, function, names).expect("the nest is well formed")
}

/// Measures a nest until its results are available. Reading one small tensor waits for the queue.
fn bench(bencher: Bencher, nest: &LoopNest, multiply_adds: u64, bytes: u64) {
    let mut device = match open(Engine::OpenCl, Limits::default()) {
        Ok(device) => device,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let device: &mut dyn Device = device.as_mut();
    let allocate =
        |slot: &lozenge_backend::Slot| device.allocate(&slot.sizes, 0.5).expect("there is memory");
    let buffers: Vec<BufferId> = nest.slots().iter().map(allocate).collect();
    let small = device
        .upload(&Tensor::new(vec![1], vec![0.0]).expect("one value"))
        .expect("there is memory");
    let mut once = || {
        device
            .run(nest, &buffers, &Symbols::new())
            .expect("the kernel runs");
        black_box(device.download(small).expect("the value is there"));
    };
    once();
    bencher
        .counter(ItemsCount::new(multiply_adds))
        .counter(BytesCount::new(bytes))
        .bench_local(once);
}

/// Items are multiplications and additions, two for each point.
#[divan::bench(args = [64, 128, 256, 512, 1024], sample_count = 5)]
fn matrix_product(bencher: Bencher, n: u64) {
    let nest = nest(
        &[n, n, n],
        &[&[0, 1], &[0, 2], &[2, 1]],
        ADD,
        Function::Multiply,
    );
    bench(bencher, &nest, 2 * n * n * n, 12 * n * n);
}

/// Measures a product with both operands transposed.
#[divan::bench(args = [512], sample_count = 5)]
fn transposed_product(bencher: Bencher, n: u64) {
    let nest = nest(
        &[n, n, n],
        &[&[0, 1], &[2, 0], &[1, 2]],
        ADD,
        Function::Multiply,
    );
    bench(bencher, &nest, 2 * n * n * n, 12 * n * n);
}

/// Measures 64 products of 64 by 64.
#[divan::bench(sample_count = 5)]
fn batched_product(bencher: Bencher) {
    let slots: [&[usize]; 3] = [&[0, 1, 2], &[0, 1, 3], &[0, 3, 2]];
    let nest = nest(&[64, 64, 64, 64], &slots, ADD, Function::Multiply);
    bench(bencher, &nest, 2 << 24, 3 << 20);
}

const SIDE: u64 = 4096;
const BYTES: u64 = 4 * SIDE * SIDE;

#[divan::bench(sample_count = 5)]
fn copy(bencher: Bencher) {
    let nest = nest(
        &[SIDE, SIDE],
        &[&[0, 1], &[0, 1]],
        WRITE,
        Function::Identity,
    );
    bench(bencher, &nest, 0, 2 * BYTES);
}

#[divan::bench(sample_count = 5)]
fn add(bencher: Bencher) {
    let nest = nest(
        &[SIDE, SIDE],
        &[&[0, 1], &[0, 1], &[0, 1]],
        WRITE,
        Function::Add,
    );
    bench(bencher, &nest, SIDE * SIDE, 3 * BYTES);
}

#[divan::bench(sample_count = 5)]
fn broadcast_over_rows(bencher: Bencher) {
    let nest = nest(
        &[SIDE, SIDE],
        &[&[0, 1], &[0, 1], &[1]],
        WRITE,
        Function::Add,
    );
    bench(bencher, &nest, SIDE * SIDE, 2 * BYTES);
}

#[divan::bench(sample_count = 5)]
fn sum_over_the_first_axis(bencher: Bencher) {
    let nest = nest(&[SIDE, SIDE], &[&[1], &[0, 1]], ADD, Function::Identity);
    bench(bencher, &nest, SIDE * SIDE, BYTES);
}

#[divan::bench(sample_count = 5)]
fn sum_over_the_last_axis(bencher: Bencher) {
    let nest = nest(&[SIDE, SIDE], &[&[0], &[0, 1]], ADD, Function::Identity);
    bench(bencher, &nest, SIDE * SIDE, BYTES);
}

#[divan::bench(sample_count = 5)]
fn transpose(bencher: Bencher) {
    let nest = nest(
        &[SIDE, SIDE],
        &[&[1, 0], &[0, 1]],
        WRITE,
        Function::Identity,
    );
    bench(bencher, &nest, 0, 2 * BYTES);
}
