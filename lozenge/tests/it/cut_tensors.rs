//! Tensors that are computed above a section and cut with its batches, and values that are printed outside of sections.

use std::collections::BTreeSet;

use lozenge::backend::{Device, Engine, Interpreter, Tensor, open};
use lozenge::{Begin, Printed, Settings};

use super::training::{run, run_on};

/// Returns a regression whose targets are computed in the lines of `above` and of `inside`.
fn regression(above: &str, inside: &str) -> String {
    format!(
        "data x : n:7|->2 = [1, 0,  0, 1,  1, 1,  2, 1,  1, 2,  3, 0,  0, 3]
data noise : n| = [0.1, -0.1, 0, 0.2, -0.3, 0, 0.4]
data truth : 2-> = [2, -3]
{above}param w : 2-> = 0
param b : -> = 0
train 5 epochs by 3 of n shuffled:
{inside}  let loss = mean(square(w * x + b - t))
  backward loss
  for q in params(loss): sgd(0.05)(q, q.grad)
  print loss
"
    )
}

#[test]
fn a_tensor_computed_above_a_section_is_cut_like_data() {
    let line = "let t = truth * x + 1 + noise\n";
    let inside = run(&regression("", &format!("  {line}")));
    let above = regression(line, "");
    for keep in [None, Some(BTreeSet::new())] {
        let mut devices: Vec<Box<dyn Device>> =
            vec![Box::new(Interpreter::new(Default::default()))];
        if cfg!(feature = "opencl") {
            devices.extend(open(Engine::OpenCl, Default::default()).ok());
        }
        for device in &mut devices {
            let settings = Settings {
                keep: keep.clone(),
                ..Settings::default()
            };
            let ran = run_on(&above, &settings, None, device.as_mut());
            assert!(ran.error.is_none(), "{:?}", ran.error);
            let near = |(one, other): (f64, f64)| (one - other).abs() < 1e-5;
            let both = ran
                .follower
                .curve(0)
                .into_iter()
                .zip(inside.follower.curve(0));
            assert!(both.clone().all(near), "{:?}", both.collect::<Vec<_>>());
        }
    }
    let ran = run(&above);
    assert_eq!(ran.bits("w"), inside.bits("w"));
    assert_eq!(ran.follower.curve(0), inside.follower.curve(0));
    assert!(ran.follower.curve(0)[4] < ran.follower.curve(0)[0]);
    // The means are those of all rows, and 1 row of 7 is left out of each epoch.
    let centred = "data x : n:7| = [1, 2, 4, 8, 16, 32, 64]\nlet c = x - mean(x)\nstate s : -> = 0
train 2 epochs by 3 of n:
  s =+ sum(c)
  print c
  each epoch: print sum(c)
print c @| 0
";
    let ran = run(centred);
    let mean = 127.0 / 7.0;
    assert!((ran.values("s")[0] - 2.0 * (63.0 - 6.0 * mean)).abs() < 1e-4);
    let printed = &ran.follower.reports[1].printed;
    let Printed::Tensor(last) = &printed[0].1 else {
        panic!("{printed:?}");
    };
    assert_eq!(last.shape(), [3]);
    assert!((last.values()[0] - (8.0 - mean)).abs() < 1e-4, "{last:?}");
    assert!(
        printed[1].1.mean().expect("a number").abs() < 1e-4,
        "all rows in lines that evaluate"
    );
}

#[test]
fn a_print_outside_of_a_section_shows_the_values_at_its_place() {
    let ran = run("data x : n:4| = [1, 2, 3, 4]
let c = x - mean(x)
param w : -> = 1
print w, c
train 2 epochs by 2 of n:
  w =+ sum(c)
  w =+ 1
print w, c
");
    let printed = ran.follower.printed.iter();
    let printed: Vec<&[f32]> = printed.map(Tensor::values).collect();
    let whole: &[f32] = &[-1.5, -0.5, 0.5, 1.5];
    assert_eq!(printed, [&[1.0][..], whole, &[5.0], whole]);
}

#[test]
fn a_run_with_cut_tensors_continues_to_the_same_bits() {
    let source = regression("let t = truth * x + 1 + noise\n", "");
    let whole = run(&source);
    let mut device = Interpreter::new(Default::default());
    let stopped = run_on(&source, &Settings::default(), Some(2), &mut device);
    let checkpoint = stopped.follower.checkpoints[1].clone();
    let settings = Settings {
        begin: Begin::Resume(checkpoint),
        ..Settings::default()
    };
    let rest = run_on(
        &source,
        &settings,
        None,
        &mut Interpreter::new(Default::default()),
    );
    assert_eq!(rest.bits("w"), whole.bits("w"));
    assert_eq!(rest.bits("b"), whole.bits("b"));
}

#[test]
fn only_what_has_the_rows_of_the_data_is_cut() {
    let source = "data x : n:4|->2 = [1, 2, 3, 4, 5, 6, 7, 8]
data other : m:4|->2 = [1, 1, 1, 1, 1, 1, 1, 1]
let column = map(x, \"n|->c => c|->n\")
let sums = sum(x, \"n|->c => ->c\")
let weighed = sum(x * other, \"n|->c; m|->c => m|->n\")
let pairs = sum(x * other, \"n|->c; m|->c => n|->m\")
let reversed = sum(x * pairs, \"n|->c; n|->m => m|->c\")
let first = x @| 0
let stacked = stack([x, x])
let normed = softmax(x)
train 1 epochs by 2 of n:
  print column
  print sums
  print weighed
  print pairs
  print reversed
  print first
  print stacked
  print normed
";
    let ran = run(source);
    let shapes = ran.follower.reports[0].printed.iter();
    let shapes: Vec<Vec<u64>> = shapes
        .map(|(_, printed)| match printed {
            Printed::Tensor(tensor) => tensor.shape().to_vec(),
            Printed::Steps(_) => Vec::new(),
        })
        .collect();
    let expected: [&[u64]; 8] = [
        &[2, 4],
        &[2],
        &[4, 4],
        &[2, 4],
        &[4, 2],
        &[2],
        &[2, 2, 2],
        &[2, 2],
    ];
    assert_eq!(shapes, expected);
}

#[test]
fn elements_of_lists_and_results_of_functions_are_cut_as_under_a_name_of_their_own() {
    let source = "data x : n:4|->2 = [1, 2, 3, 4, 5, 6, 7, 8]
def both(a): a + 1, a - 1
let pair = both(x)
let xs = [x, x *. 2]
let more = append(xs, x *. 3)
train 1 epochs by 2 of n:
  print pair[1]
  print xs[0]
  print more[2]
  print sum(stack(more), \"n, l|->c => n|->c\")
  print concat(xs)
  each epoch: print xs[1]
print xs[0]
";
    let ran = run(source);
    let printed = &ran.follower.reports[0].printed;
    let values: Vec<&[f32]> = printed
        .iter()
        .map(|(_, printed)| match printed {
            Printed::Tensor(tensor) => tensor.values(),
            Printed::Steps(_) => &[],
        })
        .collect();
    // The rows 2 and 3 are those of the last step, and lines that evaluate read all.
    let expected: [&[f32]; 6] = [
        &[4.0, 5.0, 6.0, 7.0],
        &[5.0, 6.0, 7.0, 8.0],
        &[15.0, 18.0, 21.0, 24.0],
        &[30.0, 36.0, 42.0, 48.0],
        &[5.0, 6.0, 10.0, 12.0, 7.0, 8.0, 14.0, 16.0],
        &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0],
    ];
    assert_eq!(values, expected);
    let whole: &[f32] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    assert_eq!(ran.follower.printed[0].values(), whole);
}
