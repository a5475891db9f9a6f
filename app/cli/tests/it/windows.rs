//! The programs of `examples/windows` and `examples/parts` by the command. The library's tests run all of them on both
//! devices.

use crate::validated;

use std::path::Path;

use assert_cmd::Command;

#[test]
fn a_comparison_finds_the_same_bits_on_both_devices() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let cache = tempfile::tempdir().unwrap();
    for program in ["windows/transposed.loz", "parts/patches.loz"].map(|name| examples.join(name)) {
        let output = Command::cargo_bin("lozenge")
            .unwrap()
            .args([
                "run",
                "--exact",
                "--device",
                "opencl",
                "--compare",
                "--format",
                "json",
            ])
            .arg(&program)
            // Compiling kernels takes longer here than running them.
            .env("LOZENGE_KERNEL_OPTIMISATION", "off")
            // A kernel that the user's cache has is not compiled.
            .env("XDG_CACHE_HOME", cache.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(2) && std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_none() {
            println!("skipped, no OpenCL device: {said}");
            return;
        }
        assert!(output.status.success(), "{}: {said}", program.display());
        // Neither has the compiler of the driver found an error in a kernel.
        assert_eq!(said, "", "{}", program.display());
        let answer = validated::answer(&String::from_utf8_lossy(&output.stdout));
        let difference = &answer["largest_difference"];
        assert_eq!(
            difference["absolute"].as_f64(),
            Some(0.0),
            "{}: {difference}",
            program.display()
        );
        assert_eq!(
            difference["ulps"].as_u64(),
            Some(0),
            "{}: {difference}",
            program.display()
        );
    }
}

/// The transcribed rules answer for these programs too, with the shapes of the production solver. They name some loops
/// otherwise.
#[test]
fn the_rules_print_the_shapes_of_the_solver() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for program in ["windows", "parts"].iter().flat_map(|folder| {
        let entries = std::fs::read_dir(examples.join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    }) {
        let [solver, rules] = [&[][..], &["--by", "spec"]].map(|flags| {
            let mut command = Command::cargo_bin("lozenge").unwrap();
            let output = command.arg("infer").arg(&program).args(flags).output();
            let output = output.unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{}: {said}", program.display());
            let text = String::from_utf8(output.stdout).unwrap();
            let (shapes, nests) = text.split_once("\n\n").expect("shapes and loops");
            assert!(nests.contains("for "), "{text}");
            shapes.to_string()
        });
        assert_eq!(rules, solver, "{}", program.display());
    }
}
