//! The gradients of the networks among the examples, at the sizes that they have, against differences of the loss in
//! `f64`.
//!
//! Whole networks have thousands of parameters. So the cells of each parameter are moved together, each up or down at
//! random, and the change of the loss has to be the sum of the gradient with these signs. A gradient that is wrong in
//! any cells passes a direction with a probability of a half at most.

use std::collections::BTreeMap;
use std::path::Path;

use lozenge::Options;
use lozenge::vocabulary::operation::TensorId;
use lozenge::vocabulary::program::Source;
use lozenge_testkit::random::Random;

/// The distance by which each cell is moved. The loss has corners, at 0 of `relu` and where two cells of a window are
/// equal, so that a step has to be small; the error of the difference is of the order of its square.
const STEP: f64 = 1e-5;

/// Returns values of both signs, so that `relu` is active for some cells only, and small enough that no sum of a layer
/// grows.
fn start(random: &mut Random, cells: u64) -> Vec<f64> {
    let bound = 1.0 / (cells as f64).sqrt().clamp(2.0, 20.0);
    let value = |word: u64| ((word >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * 2.0 * bound;
    (0..cells).map(|_| value(random.word())).collect()
}

/// Compares along some directions; the program has to have this many parameters, each with a gradient that is not 0.
#[track_caller]
fn agrees(path: &str, parameters: usize, directions: u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(path);
    let source = std::fs::read_to_string(&path).expect("the example is there");
    let reading = lozenge::read(&source, &Options::default()).expect("the example is accepted");
    let (program, inference) = (&reading.program, &reading.inference);
    let loss = program.find("loss").expect("a loss");
    let data = lozenge::load(program, Path::new("")).expect("the values stand in the program");
    let mut given: BTreeMap<TensorId, Vec<f64>> = data
        .into_iter()
        .map(|(id, values)| (id, values.into_iter().map(f64::from).collect()))
        .collect();
    let mut random = Random::new(7);
    let mut learned = Vec::new();
    for (at, tensor) in program.tensors.iter().enumerate() {
        if matches!(tensor.source, Source::Param(parameter) if !parameter.state) {
            let cells = lozenge::sizes(&inference.shapes[at]).iter().product();
            given.insert(TensorId(at), start(&mut random, cells));
            learned.push(TensorId(at));
        }
    }
    assert_eq!(learned.len(), parameters, "{}", path.display());
    let run = |given: &BTreeMap<TensorId, Vec<f64>>| {
        lozenge::run_precise(program, inference, given).expect("it runs")
    };
    let tensors = run(&given);
    for id in learned {
        let name = &program[id].name;
        let gradient = program.find(&format!("{name}.grad")).expect("a gradient");
        let gradient = &tensors[gradient.0];
        let values = given[&id].clone();
        assert_eq!(gradient.len(), values.len(), "{name}");
        let size: f64 = gradient.iter().map(|one| one * one).sum::<f64>().sqrt();
        assert!(size > 1e-7, "{name} has a gradient: {size:e}");
        for _ in 0..directions {
            let signs: Vec<f64> = (0..values.len())
                .map(|_| [-1.0, 1.0][random.below(2)])
                .collect();
            let mut at = |by: f64| {
                let moved = values
                    .iter()
                    .zip(&signs)
                    .map(|(value, sign)| value + by * sign);
                given.insert(id, moved.collect());
                run(&given)[loss.0][0]
            };
            let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            let found: f64 = gradient
                .iter()
                .zip(&signs)
                .map(|(one, sign)| one * sign)
                .sum();
            let error = (found - difference).abs() / size;
            assert!(
                error < 1e-5,
                "{}, {name}: {found:e} and {difference:e}, {error:e}",
                path.display()
            );
        }
        given.insert(id, values);
    }
}

#[test]
fn the_gradients_of_lenet_are_differences_of_its_loss() {
    agrees("parts/lenet.loz", 8, 1);
}

#[test]
fn the_gradients_of_a_densenet_are_differences_of_its_loss() {
    agrees("parts/densenet.loz", 4, 2);
}

#[test]
fn the_gradients_of_a_unet_are_differences_of_its_loss() {
    agrees("parts/unet.loz", 4, 2);
}

#[test]
fn the_gradients_of_heads_are_differences_of_its_loss() {
    agrees("parts/heads.loz", 2, 4);
}

#[test]
fn the_gradients_of_convolutions_and_their_transposes_are_differences_of_the_loss() {
    agrees("windows/gradients.loz", 2, 4);
}
