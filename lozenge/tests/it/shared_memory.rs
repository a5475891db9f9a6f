//! Tensors that share memory: each example gives the same bits as with memory for each tensor, also when shared memory
//! is filled with NaN wherever a tensor takes it over, and shares little more than what is needed at one time.
#![cfg(feature = "opencl")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lozenge::backend::opencl::OpenCl;
use lozenge::backend::{Device, Limits, MemoryUse, Numerics, Tensor};
use lozenge::{Inference, Options, Settings, Watch};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Parameter, Program, Source, Start};
use rayon::prelude::*;

/// A watcher that ignores everything.
struct Quiet;
impl Watch for Quiet {}

/// Returns the device, or `None` where there is none. With `LOZENGE_REQUIRE_OPENCL=1` there must be one.
fn device(numerics: Numerics) -> Option<OpenCl> {
    match OpenCl::open(Limits::default()) {
        Ok(device) => Some(device.rounding(numerics)),
        Err(error) => {
            let required = std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_some();
            assert!(!required, "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// An example that can be run as it is.
struct Example {
    path: PathBuf,
    program: Program,
    inference: Inference,
    data: BTreeMap<TensorId, Vec<f32>>,
}

fn example(path: PathBuf) -> Option<Example> {
    let text = std::fs::read_to_string(&path).expect("an example");
    let surroundings = lozenge::Surroundings {
        folder: path.parent().map(Path::to_path_buf),
        ..Default::default()
    };
    let program = lozenge::parse_in(&text, &surroundings).ok()?;
    let outside = |source: &Source| {
        matches!(
            source,
            Source::Param(Parameter {
                start: Start::Outside,
                ..
            })
        )
    };
    if program.tensors.iter().any(|tensor| outside(&tensor.source)) {
        return None;
    }
    let inference = lozenge::infer(&program, &Options::default()).ok()?;
    let data = lozenge::load(&program, path.parent()?).ok()?;
    Some(Example {
        path,
        program,
        inference,
        data,
    })
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "loz") {
            found.push(path);
        }
    }
    found.sort();
}

/// Runs an example on a device, and returns its tensors.
fn run(example: &Example, device: &mut OpenCl, keep: Option<&BTreeSet<TensorId>>) -> Vec<Tensor> {
    let settings = Settings {
        epochs: Some(1),
        keep: keep.cloned(),
        ..Settings::default()
    };
    let Example {
        program,
        inference,
        data,
        ..
    } = example;
    lozenge::train(program, inference, data, device, &settings, &mut Quiet)
        .unwrap_or_else(|error| panic!("{}: {error:?}", example.path.display()))
}

#[test]
fn examples_give_the_same_bits() {
    let mut paths = Vec::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for folder in ["digits", "transformer"] {
        programs(&examples.join(folder), &mut paths);
    }
    paths.push(examples.join("parts/unet.loz"));
    let examples: Vec<Example> = paths.into_iter().filter_map(example).collect();
    if device(Numerics::Exact).is_some() {
        let shared = examples.par_iter().filter(|example| shares(example));
        assert!(shared.count() > 0);
    }
}

/// Runs an example with memory for each tensor and with shared memory, and compares the results. Tells whether any
/// tensors share memory.
fn shares(example: &Example) -> bool {
    let mut plain = device(Numerics::Exact).expect("the device");
    let kept: BTreeSet<TensorId> = (0..example.program.tensors.len())
        .map(TensorId)
        .filter(|id| !matches!(example.program[*id].source, Source::Intermediate))
        .chain(
            example
                .program
                .steps
                .last()
                .map(|step| step.operation.slots[0]),
        )
        .collect();
    let expected = run(example, &mut plain, None);
    let mut poisoned = device(Numerics::Exact).expect("the device").poisoning();
    let found = run(example, &mut poisoned, Some(&kept));
    let MemoryUse {
        most_shared,
        least_shared,
        ..
    } = poisoned.memory().expect("it is counted");
    let path = example.path.display();
    println!("{path}: {most_shared} of at least {least_shared} bytes");
    // A tensor begins at a multiple of 64 bytes, which counts where there are many small ones.
    let most = least_shared + least_shared / 5 + (1 << 14);
    assert!(most_shared <= most, "{path}: {most_shared} {least_shared}");
    for id in kept {
        let bits = |tensors: &[Tensor]| -> Vec<u32> {
            tensors[id.0]
                .values()
                .iter()
                .map(|value| value.to_bits())
                .collect()
        };
        let name = &example.program[id].name;
        assert!(
            bits(&expected) == bits(&found),
            "{}: {name}",
            example.path.display()
        );
    }
    least_shared > 0
}
