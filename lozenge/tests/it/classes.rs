//! Numbers of classes that a program encodes: a run with one that is no class stops, and says which it is.

use std::path::Path;

use lozenge::backend::{Device, Engine, Interpreter, Limits, open};
use lozenge::{NoClass, Options, RunError, Settings, Watch};

struct Nobody;
impl Watch for Nobody {}

/// Returns the interpreter, and an OpenCL device where there is one.
fn devices() -> Vec<Box<dyn Device>> {
    let mut devices: Vec<Box<dyn Device>> = vec![Box::new(Interpreter::new(Limits::default()))];
    if cfg!(feature = "opencl") {
        let is_required =
            std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_some_and(|value| value == "1");
        match open(Engine::OpenCl, Limits::default()) {
            Ok(device) => devices.push(device),
            Err(error) => assert!(!is_required, "{error}"),
        }
    }
    devices
}

/// Runs a program on a device, and returns the value that is no class, if there is one.
fn ends(source: &str, device: &mut dyn Device, settings: &Settings) -> Option<NoClass> {
    let reading = lozenge::read(source, &Options::default()).expect(source);
    let (program, inference) = (&reading.program, &reading.inference);
    let data = lozenge::load(program, Path::new("")).expect("the values stand in the program");
    let ran = lozenge::train(program, inference, &data, device, settings, &mut Nobody);
    match ran {
        Ok(_) => None,
        Err(RunError::Class(error)) => Some(error),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the message of a program whose run stops, the same on each device and whether intermediate tensors are kept
/// or not.
fn stops(source: &str) -> String {
    let few = Settings {
        keep: Some(Default::default()),
        ..Settings::default()
    };
    let ended: Vec<Option<NoClass>> = devices()
        .iter_mut()
        .flat_map(|device| [&Settings::default(), &few].map(|s| ends(source, device.as_mut(), s)))
        .collect();
    let told: Vec<String> = ended
        .iter()
        .map(|error| match error {
            Some(error) => error.diagnostic().render(source, "p.loz", false),
            None => "it runs".into(),
        })
        .collect();
    assert!(told.iter().all(|one| *one == told[0]), "{told:?}");
    told[0].clone()
}

#[test]
fn data_that_is_no_class_stops_the_run_with_its_row() {
    for (values, words) in [
        ("0, 1, 3, 2", "3 in row 2 of `t` is no class"),
        ("0, -1, 3, 2", "-1 in row 1 of `t` is no class"),
        ("0, 1, 2, 1.5", "1.5 in row 3 of `t` is no class"),
    ] {
        let said = stops(&format!(
            "data t : 4| = [{values}]\nlet y = one_hot(t, 3)\nprint y\n"
        ));
        assert!(said.contains(words), "{said}");
        assert!(said.contains("from 0 to 2"), "{said}");
    }
    let said = stops("data t : 4| = [1, 2, 3, 1]\nprint one_hot(t, 3)\n");
    assert!(
        said.contains("if these are counted from 1, subtract 1"),
        "{said}"
    );
    let said = stops("data t : 2, 2| = [1, 2, 0, 7]\nprint one_hot(t, 3)\n");
    assert!(said.contains("7 in cell 1, 1 of `t` is no class"), "{said}");
    assert_eq!(
        stops("data t : 3| = [0, 1, 2]\nprint one_hot(t, 3)\n"),
        "it runs"
    );
}

#[test]
fn what_is_computed_is_looked_at_as_well() {
    let said =
        stops("data t : 3| = [1, 2, 3]\nlet u = t - 1\nlet y = one_hot(u + 1, 3)\nprint y\n");
    assert!(said.contains("3 in row 2 is no class"), "{said}");
    let said = stops("data t : 3| = [1, 0, 3]\nlet u = t / t\nlet y = one_hot(u, 3)\nprint y\n");
    assert!(said.contains("NaN in row 1 of `u` is no class"), "{said}");
    assert_eq!(
        stops("data t : 3| = [1, 2, 3]\nprint one_hot(t - 1, 3)\n"),
        "it runs"
    );
    // A function that a program defines says where it is called.
    let said = stops("data t : 3| = [1, 2, 3]\ndef f(a): class_numbers(a, 3)\nprint f(t)\n");
    assert!(said.contains("3 in row 2 of `t` is no class"), "{said}");
}

#[test]
fn a_section_looks_at_each_batch() {
    let section = |labels: &str, line: &str| {
        format!(
            "data x : n:6|->2 = range(12)\ndata t : n| = [{labels}]\nlet net = dense(3)\n\
             train 2 epochs by 2 of n shuffled:\n  let loss = mean(cross_entropy(net(x / 12), one_hot({line}, 3)))\n  \
             backward loss\n  for q in params(loss): sgd(0.01)(q, q.grad)\n  print loss\n"
        )
    };
    let said = stops(&section("0, 1, 2, 0, 3, 1", "t"));
    assert!(said.contains("3 in row 4 of `t` is no class"), "{said}");
    assert_eq!(stops(&section("0, 1, 2, 0, 2, 1", "t")), "it runs");
    // Values that a step computes are checked when the epoch ends, and are reported by their place in the batch.
    let said = stops(&section("1, 2, 3, 1, 4, 2", "t - 1"));
    assert!(
        said.contains("3 in row ") && said.contains("is no class"),
        "{said}"
    );
    assert_eq!(stops(&section("1, 2, 3, 1, 3, 2", "t - 1")), "it runs");
    // Values that are the same in each step are checked before the first step.
    let said = stops(
        "data t : 3| = [0, 1, 3]\nstate s : -> = 0\nrepeat 3 steps:\n  s =+ sum(one_hot(t + 0.5, 3))\nprint s\n",
    );
    assert!(said.contains("0.5 in row 0 is no class"), "{said}");
    // Lines that evaluate are looked at after the epoch.
    let said = stops(
        "data x : n:4| = range(4)\ndata t : m:2| = [0, 5]\ntrain 1 epochs by 2 of n:\n  print sum(x)\n  \
         each epoch: print sum(one_hot(t + 0, 3))\n",
    );
    assert!(said.contains("5 in row 1 is no class"), "{said}");
}

#[test]
fn a_run_without_an_observer_stops_as_well() {
    let source = "data t : 2| = [0, 9]\nlet y = one_hot(t, 3)\n";
    let reading = lozenge::read(source, &Options::default()).expect(source);
    let data = lozenge::load(&reading.program, Path::new("")).expect("data");
    let mut device = Interpreter::new(Limits::default());
    let ran = lozenge::run(&reading.program, &reading.inference, &data, &mut device);
    let error = ran.expect_err("9 is no class of 3").to_string();
    assert_eq!(error, "9 in row 1 of `t` is no class");
}
