//! The cost of one more operation on a program of 10^5 operations: `cargo bench -p lozenge --bench growing`.
//!
//! The program is a chain of residual layers. One more layer is added, its shapes and loop nests are requested, and it
//! is rolled back. A layer has three operations, so the time of one operation is a third of the printed time.

use std::fmt::Write;

use divan::{Bencher, counter::ItemsCount};
use lozenge::Growing;
use lozenge::vocabulary::program::{Assignment, Program, Tensor};

fn main() {
    divan::main();
}

/// Returns a program of this many residual layers, with three operations each.
fn residual(layers: usize) -> Program {
    let mut text = String::from("data x : 8|->16 = range(128)\nlet a0 = x + 1\n");
    for layer in 0..layers {
        let next = layer + 1;
        let _ = writeln!(
            text,
            "param w{layer}\nlet a{next} = relu(w{layer} * a{layer}) + a{layer}"
        );
    }
    lozenge::parse(&text).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

/// Returns a growing program with all layers except the last, and the tensors and operations of the last one.
fn all_but_one_layer(layers: usize) -> (Growing, Vec<Tensor>, Vec<Assignment>) {
    let mut program = residual(layers);
    let steps = program.steps.split_off(program.steps.len() - 3);
    let first = program.tensors.len() - 4;
    let tensors = program.tensors.split_off(first);
    let mut growing = Growing::default();
    for tensor in program.tensors {
        growing.tensor(tensor);
    }
    for step in program.steps {
        growing.push(step).expect("the program has shapes");
    }
    (growing, tensors, steps)
}

#[divan::bench(args = [100, 1_000, 10_000, 33_333])]
fn one_more_layer(bencher: Bencher, layers: usize) {
    let (mut growing, tensors, steps) = all_but_one_layer(layers);
    bencher.counter(ItemsCount::new(3u32)).bench_local(|| {
        growing.mark();
        for tensor in &tensors {
            growing.tensor(tensor.clone());
        }
        for step in &steps {
            let operation = growing.push(step.clone()).expect("the layer has shapes");
            for slot in &step.operation.slots {
                divan::black_box(growing.known(*slot).expect("a tensor"));
            }
            divan::black_box(growing.nest(operation).expect("a loop nest"));
        }
        growing.rollback()
    });
}
