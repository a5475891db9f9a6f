//! A machine without an OpenCL platform, imitated by pointing the loader at a folder without drivers.

use std::process::Command;

use lozenge_backend::{Engine, Error, Limits, open};

#[test]
fn without_a_platform_there_is_an_ordinary_error_that_says_what_to_install() {
    let inner = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "no_device::without_a_platform",
            "--ignored",
            "--nocapture",
        ])
        .env("OCL_ICD_VENDORS", "/nowhere")
        .env("OCL_ICD_FILENAMES", "")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&inner.stdout);
    assert!(inner.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn without_a_platform() {
    let Err(error) = open(Engine::OpenCl, Limits::default()) else {
        panic!("there is a device");
    };
    assert!(matches!(error, Error::NoDevice { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("no OpenCL device: "), "{text}");
    assert!(
        text.contains("pocl-opencl-icd") && text.contains("ocl-icd-opencl-dev"),
        "{text}"
    );
}
