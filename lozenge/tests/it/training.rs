//! Sections: what their steps compute, what is carried from step to step, and how a run continues from a checkpoint.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lozenge::backend::{Device, Engine, Interpreter, Tensor};
use lozenge::vocabulary::program::Request;
use lozenge::{
    Begin, Checkpoint, CheckpointError, EpochReport, Options, Printed, RunError, Settings, Stopped,
    Surroundings, Watch,
};

/// An observer that keeps the printed values of a run, and a checkpoint of each epoch, and stops after some epochs.
#[derive(Default)]
pub struct Follower {
    pub reports: Vec<EpochReport>,
    pub printed: Vec<Tensor>,
    pub checkpoints: Vec<Checkpoint>,
    pub stop_after: Option<usize>,
}

impl Watch for Follower {
    fn request(&mut self, _: &Request, tensor: &Tensor) -> Result<(), Stopped> {
        self.printed.push(tensor.clone());
        Ok(())
    }

    fn epoch(
        &mut self,
        report: &EpochReport,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        self.reports.push(report.clone());
        self.checkpoints.push(checkpoint().expect("a checkpoint"));
        match self.stop_after {
            Some(epochs) if self.reports.len() == epochs => Err(Stopped),
            _ => Ok(()),
        }
    }
}

impl Follower {
    /// Returns the means of the printed tensor with an index, over the reports.
    pub fn curve(&self, place: usize) -> Vec<f64> {
        let printed = self
            .reports
            .iter()
            .filter_map(|report| report.printed.get(place));
        printed.filter_map(|(_, printed)| printed.mean()).collect()
    }
}

pub struct Ran {
    pub follower: Follower,
    pub tensors: BTreeMap<String, Tensor>,
    pub error: Option<RunError>,
}

impl Ran {
    pub fn values(&self, name: &str) -> &[f32] {
        self.tensors[name].values()
    }

    pub fn bits(&self, name: &str) -> Vec<u32> {
        self.values(name)
            .iter()
            .map(|value| value.to_bits())
            .collect()
    }
}

pub fn run_on(
    source: &str,
    settings: &Settings,
    stop_after: Option<usize>,
    device: &mut dyn Device,
) -> Ran {
    let reading = lozenge::read(source, &Options::default()).unwrap_or_else(|errors| {
        let shown: Vec<String> = errors
            .iter()
            .map(|error| error.render(source, "p.loz", false))
            .collect();
        panic!("{}", shown.join("\n"))
    });
    let (program, inference) = (&reading.program, &reading.inference);
    let data = lozenge::load(program, Path::new("")).expect("the values stand in the program");
    let mut follower = Follower {
        stop_after,
        ..Follower::default()
    };
    let ran = lozenge::train(program, inference, &data, device, settings, &mut follower);
    let (tensors, error) = match ran {
        Ok(tensors) => (tensors, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let names = program.tensors.iter().map(|tensor| tensor.name.to_string());
    Ran {
        follower,
        tensors: names.zip(tensors).collect(),
        error,
    }
}

pub fn run(source: &str) -> Ran {
    let ran = run_on(
        source,
        &Settings::default(),
        None,
        &mut Interpreter::new(Default::default()),
    );
    assert!(ran.error.is_none(), "{:?}", ran.error);
    ran
}

const LINE: &str =
    "data x : n:10|->2 = [1, 2, -1, 0, 3, 1, 0, 2, -2, 1, 1, 1, 2, -1, 0, 0, 1, -2, -1, -1]
data t : n|->1 = [3, 0, 5, 2, -1, 2, 1, 0, -2, -1]
let net = dense(1)
";

/// A section is the loop that a person would write out: the same operations on the same rows, with the same numbers.
#[test]
fn a_section_computes_what_its_lines_written_out_compute() {
    let section = run(&format!(
        "{LINE}train 3 epochs by 4 of n:
  let loss = mse(net(x), t)
  backward loss
  for q in params(loss): adam(0.1)(q, q.grad)
  print loss
"
    ));
    // Two batches of four rows; the last two rows fill none.
    let unrolled = run(
        "data x : 2, 4|->2 = [1, 2, -1, 0, 3, 1, 0, 2, -2, 1, 1, 1, 2, -1, 0, 0]
data t : 2, 4|->1 = [3, 0, 5, 2, -1, 2, 1, 0]
let net = dense(1)
let steps = [adam(0.1), adam(0.1)]
for e in 0..3:
  for b in 0..2:
    let loss = mse(net(x @| b), t @| b)
    backward loss
    let params_now = params(loss)
    steps[0](params_now[0], params_now[0].grad)
    steps[1](params_now[1], params_now[1].grad)
",
    );
    for name in ["net.w", "net.b"] {
        assert_eq!(section.bits(name), unrolled.bits(name), "{name}");
    }
    let losses: Vec<f64> = (0..3)
        .map(|epoch| {
            let loss =
                |batch: usize| f64::from(unrolled.values(&format!("loss.{epoch}.{batch}"))[0]);
            (loss(0) + loss(1)) / 2.0
        })
        .collect();
    assert_eq!(section.follower.curve(0), losses);
}

#[test]
fn a_section_of_steps_reads_its_outer_index() {
    let section = run("data x : 4|->2 = range(8)
param w : 2 = 0
state seen : -> = 0
train 4 steps:
  let row = x @| step
  w =+ (step + 1) *. row
  seen =+ 1
  print sum(row), training
print w, seen, training
");
    assert_eq!(
        section.values("w"),
        [0.0 + 4.0 + 12.0 + 24.0, 1.0 + 6.0 + 15.0 + 28.0]
    );
    assert_eq!(section.values("seen"), [4.0]);
    assert_eq!(
        section.follower.curve(0),
        [1.0, 5.0, 9.0, 13.0],
        "a report for each step"
    );
    assert_eq!(section.follower.curve(1), [1.0; 4], "a section that trains");
    let after: Vec<&[f32]> = section
        .follower
        .printed
        .iter()
        .map(Tensor::values)
        .collect();
    assert_eq!(
        after,
        [&[40.0, 50.0][..], &[4.0], &[0.0]],
        "after it nothing trains"
    );
}

#[test]
fn repeat_does_not_train_and_an_evaluation_neither() {
    let ran = run("data x : n:4|->1 = range(4)
repeat 2 steps: print training
train 2 epochs by 2 of n:
  print training, sum(x), count(x)
  each epoch: print training, sum(x), count(x), epoch, step
");
    let printed: Vec<Vec<f64>> = ran
        .follower
        .reports
        .iter()
        .map(|report| {
            report
                .printed
                .iter()
                .filter_map(|(_, printed)| printed.mean())
                .collect()
        })
        .collect();
    assert_eq!(
        printed,
        [
            vec![0.0],
            vec![0.0],
            vec![1.0, 3.0, 2.0, 0.0, 6.0, 4.0, 0.0, 1.0],
            vec![1.0, 3.0, 2.0, 0.0, 6.0, 4.0, 1.0, 3.0],
        ]
    );
}

#[test]
fn rows_that_fill_no_batch_are_counted_and_left_out() {
    let source = "data x : n:7| = range(7)
train 1 epochs by 3 of n: print x
";
    let ran = run(source);
    let [(_, Printed::Tensor(last))] = ran.follower.reports[0].printed.as_slice() else {
        panic!("{:?}", ran.follower.reports);
    };
    assert_eq!(
        last.values(),
        [3.0, 4.0, 5.0],
        "a tensor with axes is that of the last step"
    );
    let program = lozenge::parse(source).expect("a program");
    let lozenge::vocabulary::program::Turns::Epochs {
        left_over, batches, ..
    } = program.sections[0].turns
    else {
        panic!("it has epochs");
    };
    assert_eq!((left_over, batches), (1, 2));
}

#[test]
fn shuffled_rows_are_the_same_in_each_tensor_and_others_in_each_epoch() {
    let source = "data x : n:50| = range(50)
data y : n| = range(50)
state all : 50 = 0
train 3 epochs by 50 of n shuffled:
  print sum(abs(x - y)), sum(square(x))
  all =: map(x, \"n| => n\")
  each epoch: save all to \"all.csv\"
";
    let orders = |seed: u64| {
        let settings = Settings {
            seed,
            ..Settings::default()
        };
        let ran = run_on(
            source,
            &settings,
            None,
            &mut Interpreter::new(Default::default()),
        );
        assert_eq!(
            ran.follower.curve(0),
            [0.0; 3],
            "rows of both stay together"
        );
        assert_eq!(
            ran.follower.curve(1),
            [40425.0; 3],
            "every row is there once"
        );
        let orders = ran.follower.printed.iter();
        orders
            .map(|tensor| tensor.values().to_vec())
            .collect::<Vec<_>>()
    };
    let first = orders(0);
    assert_eq!(first.len(), 3);
    assert_ne!(first[0], first[1]);
    assert_ne!(first[1], first[2]);
    assert_ne!(first[0], (0..50).map(|row| row as f32).collect::<Vec<_>>());
    assert_eq!(first, orders(0), "the order depends on the seed alone");
    assert_ne!(first, orders(1));
}

#[test]
fn random_values_depend_on_seed_epoch_and_step() {
    let source = "data x : n:4| = range(4)
param fixed : 3 = normal()
train 2 epochs by 2 of n:
  let drawn : 3 = normal()
  print sum(drawn), sum(fixed)
";
    let curves = |seed: u64| {
        let settings = Settings {
            seed,
            ..Settings::default()
        };
        let ran = run_on(
            source,
            &settings,
            None,
            &mut Interpreter::new(Default::default()),
        );
        let steps: Vec<f64> = ran
            .follower
            .reports
            .iter()
            .flat_map(|report| match &report.printed[0].1 {
                Printed::Steps(values) => values.clone(),
                Printed::Tensor(_) => panic!("a number at each step"),
            })
            .collect();
        (steps, ran.follower.curve(1))
    };
    let (drawn, fixed) = curves(0);
    let mut others = drawn.clone();
    others.sort_by(f64::total_cmp);
    others.dedup();
    assert_eq!(others.len(), 4, "each step draws anew: {drawn:?}");
    assert_eq!(fixed[0], fixed[1], "first values are drawn once");
    assert_eq!(curves(0), (drawn.clone(), fixed.clone()));
    let (other, other_fixed) = curves(1);
    assert!(
        drawn.iter().zip(&other).all(|(a, b)| a != b),
        "{drawn:?} {other:?}"
    );
    assert_ne!(fixed, other_fixed);
}

const TRAINED: &str =
    "data x : n:10|->2 = [1, 2, -1, 0, 3, 1, 0, 2, -2, 1, 1, 1, 2, -1, 0, 0, 1, -2, -1, -1]
data t : n|->1 = [3, 0, 5, 2, -1, 2, 1, 0, -2, -1]
def net_of(h)(a): dense(1)(dropout(tanh(dense(h)(a)), 0.2))
let net = net_of(5)
state far : -> = 1
train 6 epochs by 4 of n shuffled:
  let loss = mse(net(x), t)
  backward loss
  let scale = clip(params(loss), 1)
  for q in params(loss): adam(0.05 *. min(1, (step + 1) / 5))(q, scale *. q.grad)
  far =+ loss
  print loss
  each epoch: print mse(net(x), t)
let before = far / 3
repeat 4 steps:
  let loss = before *. mse(net(x), t)
  backward loss
  for q in params(loss): momentum(0.01)(q, q.grad)
  print loss
print mse(net(x), t)
";

pub fn device(engine: Engine) -> Option<Box<dyn Device>> {
    match lozenge::backend::open(engine, Default::default()) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(
                std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none(),
                "{error}"
            );
            None
        }
    }
}

/// A run that continues from a checkpoint computes the same bits as one that was not stopped: on each device, from each
/// epoch, from a file.
#[test]
fn a_run_that_goes_on_comes_to_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    for engine in Engine::ALL {
        let Some(mut device) = device(engine) else {
            continue;
        };
        let settings = Settings {
            seed: 7,
            ..Settings::default()
        };
        let whole = run_on(TRAINED, &settings, None, device.as_mut());
        assert!(whole.error.is_none(), "{:?}", whole.error);
        assert_eq!(whole.follower.reports.len(), 6 + 4);
        for stop in [1, 3, 6, 8] {
            let stopped = run_on(TRAINED, &settings, Some(stop), device.as_mut());
            assert!(matches!(stopped.error, Some(RunError::Stopped)));
            let path = folder.path().join("run.safetensors");
            stopped.follower.checkpoints[stop - 1]
                .save(&path)
                .expect("it is written");
            let kept = Checkpoint::load(&path).expect("it is read");
            assert_eq!(
                kept,
                stopped.follower.checkpoints[stop - 1],
                "what is read is what was written"
            );
            let settings = Settings {
                begin: Begin::Resume(kept),
                ..settings.clone()
            };
            let rest = run_on(TRAINED, &settings, None, device.as_mut());
            assert!(rest.error.is_none(), "{:?}", rest.error);
            assert_eq!(
                rest.follower.reports,
                whole.follower.reports[stop..],
                "{engine} from {stop}"
            );
            for name in ["net.dense.w", "net.dense.b", "net.dense2.w", "net.dense2.b"] {
                assert_eq!(
                    rest.bits(name),
                    whole.bits(name),
                    "{engine} from {stop}: {name}"
                );
            }
            let (last, expected) = (rest.follower.printed.last(), whole.follower.printed.last());
            assert_eq!(last, expected);
        }
    }
}

/// Both devices give the same curve up to rounding.
#[test]
fn the_devices_agree_on_a_training_run() {
    let Some(mut opencl) = device(Engine::OpenCl) else {
        return;
    };
    let settings = Settings::default();
    let found = run_on(TRAINED, &settings, None, opencl.as_mut());
    let expected = run(TRAINED);
    for (found, expected) in found
        .follower
        .reports
        .iter()
        .zip(&expected.follower.reports)
    {
        for ((_, found), (_, expected)) in found.printed.iter().zip(&expected.printed) {
            let (found, expected) = (
                found.mean().expect("a number"),
                expected.mean().expect("a number"),
            );
            // Devices round functions differently, and a step of training may enlarge that.
            let tolerance = 1e-4 * expected.abs().max(1.0);
            assert!((found - expected).abs() < tolerance, "{found} {expected}");
        }
    }
    assert_eq!(
        found.follower.reports.len(),
        expected.follower.reports.len()
    );
}

#[test]
fn a_checkpoint_has_full_names_and_stands_in_place_of_first_values() {
    let trained = run(&format!(
        "{LINE}train 5 epochs by 5 of n:
  let loss = mse(net(x), t)
  backward loss
  for q in params(loss): adam(0.1)(q, q.grad)
"
    ));
    let last = trained
        .follower
        .checkpoints
        .last()
        .expect("five of them")
        .clone();
    let names: Vec<&str> = last.tensors.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "net.b",
            "net.b.adam.m",
            "net.b.adam.s",
            "net.b.adam.t",
            "net.w",
            "net.w.adam.m",
            "net.w.adam.s",
            "net.w.adam.t"
        ]
    );
    let settings = Settings {
        begin: Begin::Load(last.clone()),
        ..Settings::default()
    };
    let source = format!("{LINE}print mse(net(x), t)\n");
    let loaded = run_on(
        &source,
        &settings,
        None,
        &mut Interpreter::new(Default::default()),
    );
    assert_eq!(loaded.bits("net.w"), trained.bits("net.w"));
    assert_eq!(loaded.bits("net.b"), trained.bits("net.b"));

    let refused = |source: &str| {
        let ran = run_on(
            source,
            &settings,
            None,
            &mut Interpreter::new(Default::default()),
        );
        ran.error
            .expect("the checkpoint is of another program")
            .to_string()
    };
    assert_eq!(
        refused(&source.replace("net", "nets")),
        "the checkpoint has no `nets.w`: it has `net.w`, `net.b`, `net.b.adam.m`, `net.b.adam.s`, `net.b.adam.t`, `net.w.adam.m`, `net.w.adam.s`, \
         `net.w.adam.t`"
    );
    assert_eq!(
        refused(&source.replace("n:10|->2", "n:4|->5").replace(
            "n|->1 = [3, 0, 5, 2, -1, 2, 1, 0, -2, -1]",
            "n|->1 = range(4)"
        )),
        "`net.w` has the sizes [5, 1] in the program and [2, 1] in the checkpoint"
    );
}

#[test]
fn a_damaged_checkpoint_is_told_from_a_good_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c.safetensors");
    let tensor = Tensor::new(
        vec![2, 3],
        vec![1.0, -2.5, 3.0, f32::MIN_POSITIVE, 0.0, -0.0],
    )
    .expect("six values");
    let good = Checkpoint {
        tensors: BTreeMap::from([("net.w".to_string(), tensor)]),
        progress: Some(lozenge::Progress {
            seed: 3,
            section: 0,
            epoch: 2,
            step: 88,
            run: lozenge::Identity {
                program: 1,
                sections: 2,
                data: 3,
                rounding: u64::MAX,
            },
        }),
        ..Checkpoint::default()
    };
    good.save(&path).expect("it is written");
    let bytes = std::fs::read(&path).expect("it is there");
    assert_eq!(Checkpoint::load(&path).expect("it is good"), good);
    let mut damages = 0;
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, &damaged).expect("written");
        // No changed byte may change a value silently.
        match Checkpoint::load(&path) {
            Ok(read) => {
                assert!(
                    read.tensors.is_empty() || read.tensors == good.tensors,
                    "byte {at}"
                );
                assert!(
                    read.progress.is_none() || read.progress == good.progress,
                    "byte {at}"
                );
            }
            Err(CheckpointError::Damaged { .. }) => damages += 1,
            // Where its first bytes or the type of an entry are changed, it looks like a file of another kind.
            Err(CheckpointError::Foreign { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(damages > bytes.len() / 2);
    std::fs::write(&path, &bytes[..bytes.len() - 4]).expect("written");
    assert!(matches!(
        Checkpoint::load(&path),
        Err(CheckpointError::Damaged { .. })
    ));
    let left: Vec<PathBuf> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(left, [path], "no file is left beside it");
}

#[test]
fn sizes_come_from_files_and_from_outside() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..9)
        .map(|row| format!("{row},{},{}\n", row * 2, row % 3))
        .collect();
    std::fs::write(folder.path().join("rows.csv"), format!("a,b,kind\n{rows}")).expect("written");
    let source = "size width = 4
data x : n|->p from \"rows.csv\" header columns \"a\"..\"kind\"
data kind : n| from \"rows.csv\" header column \"kind\"
data part : m:_row|->2 from \"rows.csv\" columns 1.. header shuffled 5 rows 6..
let h = dense(width)(x)
train 1 epochs by 4 of n: print sum(kind)
";
    let surroundings = Surroundings::folder(folder.path()).with_size("width", 6);
    let reading = lozenge::read_in(source, &surroundings, &Options::default())
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(source, "p.loz", false)));
    let shape = |name: &str| {
        let id = reading.program.find(name).expect("a tensor");
        lozenge::shape_text(&reading.inference.shapes[id.0])
    };
    assert_eq!(shape("x"), "9|->2");
    assert_eq!(shape("kind"), "9|->");
    assert_eq!(shape("part"), "3_row|->2");
    assert_eq!(shape("h"), "9|->6", "--set stands in place of the line");
    let data = lozenge::load(&reading.program, folder.path()).expect("the file");
    let part = reading.program.find("part").expect("a tensor");
    let part: Vec<(f32, f32)> = data[&part].chunks(2).map(|row| (row[0], row[1])).collect();
    assert!(
        part.iter().all(|(b, kind)| (b / 2.0) % 3.0 == *kind),
        "rows stay whole: {part:?}"
    );

    let wrong = source
        .replace("data kind : n|", "data kind : n|->")
        .replace("column \"kind\"", "column \"kind\" rows 2..");
    let errors =
        lozenge::read_in(&wrong, &surroundings, &Options::default()).expect_err("n has two sizes");
    assert_eq!(errors[0].message, "`n` is 9 in `x` and 7 in `kind`");
    let unknown = surroundings.with_size("height", 3);
    let errors =
        lozenge::read_in(source, &unknown, &Options::default()).expect_err("there is no height");
    assert_eq!(
        errors[0].message,
        "the program has no size `height` that could be 3"
    );
}

#[test]
fn an_index_past_the_end_of_its_axis_is_refused_before_the_run() {
    let source = "data x : 4|->2 = range(8)\ntrain 5 steps: print sum(x @| step)\n";
    let errors = lozenge::read(source, &Options::default()).expect_err("there is no fifth row");
    assert_eq!(
        errors[0].message,
        "`x` has 4 rows, and the section has 5 steps"
    );
}
