//! Plans of kernels in a file: written by `infer --schedule --save-pins` and `tune`, read by `infer`, `run` and
//! `train`.
#![cfg(feature = "opencl")]

use std::fs;

use crate::terminal::{folder, in_folder, json_of, status, text};

const PROGRAM: &str = "data a : 64|->48 = range(3072)\ndata b : 48->32 = range(1536)\nlet y = b * a\ntotal =:+ y \"n|->c => \"\nprint total\n";

#[test]
fn what_infer_writes_is_taken_and_a_changed_schedule_too() {
    let folder = folder(&[("p.loz", PROGRAM)]);
    let plain = in_folder(
        &folder,
        &["infer", "--schedule", "p.loz", "--save-pins", "p.pins"],
    );
    assert_eq!(status(&plain), 0, "{}", text(&plain.stderr));
    let pinned = in_folder(
        &folder,
        &["infer", "--schedule", "p.loz", "--pins", "p.pins"],
    );
    assert_eq!(text(&plain.stdout), text(&pinned.stdout));
    let path = folder.path().join("p.pins");
    let pins = fs::read_to_string(&path).unwrap();
    let schedule = pins.lines().find(|line| line.contains("schedule")).unwrap();
    fs::write(&path, pins.replacen(schedule, "    schedule cell", 1)).unwrap();
    let changed = in_folder(
        &folder,
        &["infer", "--schedule", "p.loz", "--pins", "p.pins"],
    );
    assert!(
        text(&changed.stdout).contains("       cell  ["),
        "{}",
        text(&changed.stdout)
    );
    // A program with other sizes has other kernels.
    let other = PROGRAM.replace("64", "65").replace("3072", "3120");
    fs::write(folder.path().join("other.loz"), other).unwrap();
    let note = in_folder(
        &folder,
        &["infer", "--schedule", "other.loz", "--pins", "p.pins"],
    );
    let expected =
        "note: of the kernels in p.pins, this program has none that is in line 3 or 16\n";
    assert!(
        text(&note.stdout).contains(expected),
        "{}",
        text(&note.stdout)
    );
}

#[test]
fn pins_that_do_not_fit_are_refused_with_their_line() {
    let folder = folder(&[("p.loz", PROGRAM)]);
    in_folder(
        &folder,
        &["infer", "--schedule", "p.loz", "--save-pins", "p.pins"],
    );
    let path = folder.path().join("p.pins");
    let pins = fs::read_to_string(&path).unwrap();
    for (from, to, expected) in [
        (
            "value multiply",
            "value multiplied",
            "line 9, column 9: `multiplied`",
        ),
        (
            "i0:64(32,48,0)",
            "i0:64(32,49,0)",
            "line 3: the kernel does not pass the check bounds: slot ",
        ),
        (
            "i0:64(32,0,48)",
            "i0:64(32,0,49)",
            "line 3: the kernel does not pass the check bounds: slot ",
        ),
    ] {
        if pins.contains(from) {
            fs::write(&path, pins.replacen(from, to, 1)).unwrap();
            for command in ["run", "infer --schedule"] {
                let mut arguments: Vec<&str> = command.split(' ').collect();
                arguments.extend(["p.loz", "--pins", "p.pins"]);
                let refused = in_folder(&folder, &arguments);
                assert_eq!(status(&refused), 2);
                let said = text(&refused.stderr);
                assert!(
                    said.contains(&format!("--pins p.pins: {expected}")),
                    "{said}"
                );
            }
        }
    }
    let missing = in_folder(&folder, &["run", "p.loz", "--pins", "none.pins"]);
    assert_eq!(status(&missing), 2);
    fs::write(&path, &pins).unwrap();
    let arguments = [
        "run",
        "p.loz",
        "--pins",
        "p.pins",
        "--device",
        "interpreter",
    ];
    let interpreter = in_folder(&folder, &arguments);
    assert!(text(&interpreter.stderr).contains("the interpreter makes no kernels"));
}

#[test]
fn tuning_is_bounded_and_what_it_writes_gives_the_same_numbers() {
    let folder = folder(&[("p.loz", PROGRAM)]);
    let device = in_folder(&folder, &["run", "p.loz", "--device", "opencl"]);
    if status(&device) == 2 {
        assert!(std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none());
        return;
    }
    let arguments = [
        "tune",
        "p.loz",
        "--seconds",
        "120",
        "--save-pins",
        "t.pins",
        "--format",
        "json",
    ];
    let tuned = in_folder(&folder, &arguments);
    let answer = json_of(&tuned);
    let kernels = answer["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 2, "{answer}");
    assert_eq!(
        kernels
            .iter()
            .filter(|one| one["timing"]["rounds"].as_u64() >= Some(1))
            .count(),
        2
    );
    let run = in_folder(&folder, &["run", "p.loz", "--pins", "t.pins"]);
    assert_eq!(text(&run.stdout), text(&device.stdout));
    // Without time nothing is measured, and the default plans are written.
    let none = in_folder(
        &folder,
        &["tune", "p.loz", "--seconds", "0", "--save-pins", "n.pins"],
    );
    assert!(
        text(&none.stdout).contains("for want of time, 2 of 2 kernels were not measured"),
        "{}",
        text(&none.stdout)
    );
    let run = in_folder(&folder, &["run", "p.loz", "--pins", "n.pins"]);
    assert_eq!(text(&run.stdout), text(&device.stdout));
    let interpreter = [
        "tune",
        "p.loz",
        "--save-pins",
        "i.pins",
        "--device",
        "interpreter",
    ];
    assert_eq!(status(&in_folder(&folder, &interpreter)), 2);
}
