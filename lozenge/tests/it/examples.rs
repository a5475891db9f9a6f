//! The programs of `examples/language`, `examples/windows`, `examples/parts` and `examples/everyday`: each is inferred
//! and run, and what it asserts holds. Its shapes and the loop nests of its first operations are in the snapshot beside
//! it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use lozenge::backend::{Device, Engine, Interpreter, Limits, Tensor, open};
use lozenge::vocabulary::program::Wish;
use lozenge::{Options, Reading, Surroundings, shape_text};
use rayon::prelude::*;

/// The number of loop nests in a snapshot, at most.
const NESTS: usize = 24;

fn programs() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut programs: Vec<PathBuf> = ["language", "windows", "parts", "everyday"]
        .map(|folder| std::fs::read_dir(examples.join(folder)).expect("the folder is there"))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .collect();
    // This program uses the other file of the folder.
    programs.push(examples.join("files/model.loz"));
    programs.sort();
    programs
}

/// An observer that checks the assertions of a program.
struct Asserting(String);

impl lozenge::Watch for Asserting {
    fn request(
        &mut self,
        request: &lozenge::vocabulary::program::Request,
        tensor: &Tensor,
    ) -> Result<(), lozenge::Stopped> {
        let holds = tensor.values().iter().all(|value| *value != 0.0);
        assert!(
            request.what != Wish::Assert || holds,
            "{}: an assertion",
            self.0
        );
        Ok(())
    }
}

#[test]
fn every_example_has_its_shapes_and_runs() {
    let programs = programs();
    assert!(programs.len() >= 20, "{programs:?}");
    programs.par_iter().for_each(|path| example(path));
}

fn example(path: &Path) {
    let folder = path.parent().expect("a folder");
    let reading = read(path, folder);
    let name = path
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../examples");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown(&reading)));
    let points = reading.inference.nests.iter().map(|nest| nest.points());
    let mut device = device(points.map(|points| points.unwrap_or(u64::MAX)).max());
    let tensors = runs(path, &reading, device.as_mut());
    let finite = |tensor: &Tensor| tensor.values().iter().all(|value| value.is_finite());
    assert!(
        tensors.iter().all(finite),
        "{}: a value that is no number",
        path.display()
    );
}

/// All assertions hold on both devices, and every tensor is the same to the last bit.
#[cfg(feature = "opencl")]
#[test]
fn programs_with_windows_and_parts_have_the_same_bits_on_both_devices() {
    let mut device = match open(Engine::OpenCl, Limits::default()) {
        Ok(device) => device,
        Err(error) => {
            let required = std::env::var_os("LOZENGE_REQUIRE_OPENCL");
            assert!(required.is_none_or(|value| value != "1"), "{error}");
            return;
        }
    };
    let is_of =
        |path: &&PathBuf, folder: &str| path.parent().is_some_and(|one| one.ends_with(folder));
    let programs = programs();
    let chosen = programs
        .iter()
        .filter(|path| is_of(path, "windows") || is_of(path, "parts"));
    let mut count = 0;
    for path in chosen {
        let reading = read(path, path.parent().expect("a folder"));
        let mut interpreter = Interpreter::new(Default::default());
        let expected = runs(path, &reading, &mut interpreter);
        let found = runs(path, &reading, device.as_mut());
        let named = reading.program.tensors.iter().map(|tensor| &tensor.name);
        for ((name, expected), found) in named.zip(&expected).zip(&found) {
            let bits = |tensor: &Tensor| {
                tensor
                    .values()
                    .iter()
                    .map(|value| value.to_bits())
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(expected), bits(found), "{name} of {}", path.display());
        }
        count += 1;
    }
    assert!(count >= 12, "{count} programs");
}

/// Returns the interpreter; where it would take seconds for the points of the largest loop nest, an OpenCL device if
/// there is one.
fn device(points: Option<u64>) -> Box<dyn Device> {
    let is_large = points.is_some_and(|points| points > 20_000_000);
    let device = is_large.then(|| open(Engine::OpenCl, Limits::default()).ok());
    let interpreter = || Box::new(Interpreter::new(Default::default())) as Box<dyn Device>;
    device.flatten().unwrap_or_else(interpreter)
}

/// Returns a program that is accepted without a warning.
fn read(path: &Path, folder: &Path) -> Reading {
    let source = std::fs::read_to_string(path).expect("the program is text");
    let folder = Surroundings::folder(folder);
    let reading =
        lozenge::read_in(&source, &folder, &Options::default()).unwrap_or_else(|errors| {
            panic!(
                "{}",
                errors[0].render(&source, &path.display().to_string(), false)
            )
        });
    assert!(
        reading.warnings.is_empty(),
        "{}: {:?}",
        path.display(),
        reading.warnings
    );
    reading
}

/// Returns the shapes of the tensors that have names, and the first loop nests.
fn shown(reading: &Reading) -> String {
    let (program, inference) = (&reading.program, &reading.inference);
    let mut shown = String::new();
    for (tensor, shape) in program.tensors.iter().zip(inference.shapes.iter()) {
        let of_a_turn = tensor
            .name
            .split('.')
            .any(|part| part.parse::<u64>().is_ok_and(|turn| turn > 1));
        let part = tensor.name.contains('\'')
            || tensor
                .name
                .starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if !of_a_turn && !part {
            let _ = writeln!(shown, "{} : {}", tensor.name, shape_text(shape));
        }
    }
    for nest in inference
        .nests
        .iter()
        .filter(|nest| nest.slots().len() > 1)
        .take(NESTS)
    {
        let _ = write!(shown, "\n{nest}");
    }
    shown
}

/// Runs a program, whose assertions hold.
fn runs(path: &Path, reading: &Reading, device: &mut dyn Device) -> Vec<Tensor> {
    let (program, inference) = (&reading.program, &reading.inference);
    let folder = path.parent().expect("a folder");
    let data = lozenge::load(program, folder).expect("the values stand in the program");
    let mut watch = Asserting(path.display().to_string());
    let tensors = lozenge::run_with(
        program,
        &inference.shapes,
        &inference.nests,
        &data,
        device,
        &lozenge::Settings::default(),
        &mut watch,
    );
    tensors.expect("it runs")
}
