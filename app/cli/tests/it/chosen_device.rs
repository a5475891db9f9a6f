//! Where a program runs if nobody asks for a device.

use std::process::{Command, Output};

fn lozenge(program: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.loz"), program).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    command
        .current_dir(folder.path())
        .env_remove("LOZENGE_DEVICE");
    command.args(arguments).output().expect("it runs")
}

fn device(program: &str, arguments: &[&str]) -> String {
    let output = lozenge(program, arguments);
    let shown = String::from_utf8(output.stdout).expect("text");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let line = shown.lines().find(|line| line.starts_with("device: "));
    line.expect("a line about the device").to_string()
}

/// Returns a program with a product of `n`³ points, two fills of `n`² and a sum of as many.
fn product(n: usize) -> String {
    format!("param a : {n}->{n} = 0.5\nparam b : {n}->{n} = 0.5\nprint sum(a * b)\n")
}

#[test]
fn small_programs_run_on_the_interpreter_and_say_so() {
    let line = device(&product(4), &["run", "p.loz"]);
    // Two fills of 16 cells, a product of 64 points, a sum of 16.
    let told = "device: interpreter, f32, since the program is small (112 points): --device opencl asks for a device";
    assert_eq!(line, told);
    // Each step counts: 16 points of the first values, and 16 a step.
    let repeated = |steps: u64| {
        format!("state s : 16 = 0\nrepeat {steps} steps:\n  s =+ range(16)\nprint sum(s)\n")
    };
    let line = device(&repeated(1000), &["run", "p.loz"]);
    assert!(
        line.ends_with("(16032 points): --device opencl asks for a device"),
        "{line}"
    );
}

#[test]
fn larger_programs_and_flags_about_kernels_ask_for_a_device() {
    let has_device = |line: &str| line.starts_with("device: opencl: ");
    let line = device(&product(4), &["run", "p.loz", "--device", "opencl"]);
    if !has_device(&line) {
        assert!(
            std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none(),
            "{line}"
        );
        return;
    }
    // 161³ is less than 2²², and with the fills and the sum it is more.
    let small = device(&product(160), &["run", "p.loz"]);
    assert!(
        small.starts_with("device: interpreter, f32, since"),
        "{small}"
    );
    let line = device(&product(162), &["run", "p.loz"]);
    assert!(has_device(&line), "{line}");
    for flags in [
        ["--times"].as_slice(),
        &["--kernel-cache", "kernels"],
        &["--compare"],
    ] {
        let line = device(&product(4), &[&["run", "p.loz"], flags].concat());
        assert!(has_device(&line), "{line}");
    }
    let repeated = "state s : 1024 = 0\nrepeat 5000 steps:\n  s =+ range(1024)\nprint sum(s)\n";
    let line = device(repeated, &["run", "p.loz"]);
    assert!(has_device(&line), "{line}");
}
