//! Numbers of a program are parts of its kernels, across sections too, and change no bit of a result.
#![cfg(feature = "opencl")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lozenge::backend::opencl::Planner;
use lozenge::backend::{Device, Engine, Limits, Numerics, Tensor, open};
use lozenge::vocabulary::operation::TensorId;
use lozenge::{Begin, Checkpoint, Options, Reading, Settings, Watch};

/// A fit, whose numbers are written outside of the section, in it, and by `backward`.
const FIT: &str = "data x : n:4|->2 = [1, 2, 0.5, -1, 3, 0.7, -2, 1]
data t : n|->1 = [1, 2, 3, 4]
let rate = 0.05
param w : 2->1 = 0.5
train 7 steps:
  let y = w * x + 0.25
  let loss = mean(square(y - t)) *. 3
  backward loss
  w =- rate *. w.grad
let left = 2 *. w + rate
print left
";

fn read(source: &str) -> Reading {
    let read = lozenge::read(source, &Options::default());
    read.unwrap_or_else(|errors| panic!("{}", errors[0]))
}

fn nothing_kept() -> Settings {
    Settings {
        keep: Some(BTreeSet::new()),
        ..Settings::default()
    }
}

#[test]
fn no_kernel_stores_a_number_or_reads_one() {
    let Reading {
        program, inference, ..
    } = read(FIT);
    let parts = lozenge::schedule(
        &program,
        &inference.shapes,
        &inference.nests,
        &nothing_kept(),
        Planner::new(Limits::default(), Numerics::Exact),
    );
    let parts = parts.expect("a schedule").into_iter();
    let kernels: Vec<_> = parts.flat_map(|part| part.kernels).collect();
    let nests = kernels.iter().flat_map(|kernel| &kernel.nests);
    // The initial value of a parameter stays a tensor, since a step changes it.
    let fills = nests.filter(|nest| nest.constant().is_some());
    let fills: Vec<&str> = fills.map(|nest| &*nest.slots()[0].tensor).collect();
    assert_eq!(fills, ["w"]);
    let operations: Vec<_> = kernels.iter().flat_map(|one| &one.operations).collect();
    let mut read = operations.iter().flat_map(|one| &one.operands);
    let number = read.find(|name| {
        let digits = name.starts_with(|c: char| c.is_ascii_digit());
        digits || *name == "rate" || *name == "loss.grad"
    });
    assert_eq!(number, None, "{operations:?}");
}

/// The value that the program prints.
struct Printed(Vec<f32>);
impl Watch for Printed {
    fn request(
        &mut self,
        _: &lozenge::vocabulary::program::Request,
        tensor: &Tensor,
    ) -> Result<(), lozenge::Stopped> {
        self.0.extend(tensor.values());
        Ok(())
    }
}

fn printed(source: &str, device: &mut dyn Device, begin: Begin) -> Vec<f32> {
    let Reading {
        program, inference, ..
    } = read(source);
    let data: BTreeMap<TensorId, Vec<f32>> =
        lozenge::load(&program, Path::new("")).expect("values");
    let settings = Settings {
        begin,
        ..nothing_kept()
    };
    let mut printed = Printed(Vec::new());
    let run = lozenge::train(&program, &inference, &data, device, &settings, &mut printed);
    run.expect("it runs");
    printed.0
}

/// With all numbers folded, a device in the order of the loop nests gives the interpreter's bits: also where a
/// parameter has a value from outside, so that the lines that would compute its first value run on their own, and read
/// numbers as tensors.
#[test]
fn numbers_that_are_folded_change_no_bit() {
    let computed = FIT.replace(
        "param w : 2->1 = 0.5",
        "param w : 2->1 = 0.5 *. rate - rate / 3",
    );
    let given = || {
        let w = Tensor::new(vec![2, 1], vec![0.3, -0.7]).expect("a tensor");
        Begin::Given(Checkpoint {
            tensors: BTreeMap::from([("w".to_string(), w)]),
            ..Checkpoint::default()
        })
    };
    for source in [FIT, computed.as_str()] {
        for begin in [|| Begin::Anew, given as fn() -> Begin] {
            let on = |engine| open(engine, Limits::default());
            let mut interpreter = on(Engine::Interpreter).expect("the interpreter");
            let Ok(mut device) = on(Engine::OpenCl) else {
                let required = std::env::var_os("LOZENGE_REQUIRE_OPENCL");
                assert!(required.is_none(), "a device is required");
                return;
            };
            let expected = printed(source, interpreter.as_mut(), begin());
            let found = printed(source, device.as_mut(), begin());
            let bits = |values: &[f32]| values.iter().map(|one| one.to_bits()).collect::<Vec<_>>();
            assert_eq!(
                bits(&expected),
                bits(&found),
                "{expected:?} {found:?}\n{source}"
            );
        }
    }
}

/// A tensor that is a number only for a while is read as it is.
#[test]
fn what_changes_later_is_no_number() {
    let source = "data x : 3 = [1, 2, 3]\nconst k : 3 = 2\nc =: k\nlet a = c *. x\nc =+ k\nlet b = c *. x + a\nprint b\n";
    // Here the number is known from the text alone, up to the line that changes it.
    let alone = "let c = 2\nlet a = c *. 3\nc =+ 3\nlet b = c *. 3 + a\nprint b\n";
    for engine in Engine::ALL {
        let Ok(mut device) = open(engine, Limits::default()) else {
            continue;
        };
        let found = printed(source, device.as_mut(), Begin::Anew);
        assert_eq!(found, [6.0, 12.0, 18.0]);
        let found = printed(alone, device.as_mut(), Begin::Anew);
        assert_eq!(found, [21.0]);
    }
}
