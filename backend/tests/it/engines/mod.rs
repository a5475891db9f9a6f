//! The engines on which a test runs: always the interpreter, and OpenCL if there is a device.

use std::io::Write;
use std::sync::OnceLock;

use lozenge_backend::opencl::{OpenCl, Profile};
use lozenge_backend::{
    Arithmetic, Device, Engine, Limits, LoopNest, Numerics, Symbols, Tensor, open, open_with,
};

/// Opens the OpenCL device, or `None` with the reason printed. With `LOZENGE_REQUIRE_OPENCL=1` it must exist.
pub fn opencl(test: &str) -> Option<Box<dyn Device>> {
    opencl_with(test, Numerics::Exact)
}

/// Opens it with these rules for rounding, in these precisions.
pub fn opencl_with(test: &str, arithmetic: impl Into<Arithmetic>) -> Option<Box<dyn Device>> {
    keep_cache_in_target();
    match open_with(Engine::OpenCl, Limits::default(), arithmetic) {
        Ok(device) => Some(device),
        Err(error) if std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_some_and(|v| v == "1") => {
            panic!("{test}: LOZENGE_REQUIRE_OPENCL=1, but {error}")
        }
        Err(error) => {
            // Not `eprintln!`, which the harness hides when a test passes.
            let line = format!("skipped on OpenCL: {test}: {error}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            None
        }
    }
}

/// Opens the OpenCL device, which plans its kernels as for a GPU.
pub fn parallel(test: &str, arithmetic: impl Into<Arithmetic>) -> Option<Box<dyn Device>> {
    opencl(test)?;
    let device = OpenCl::open(Limits::default()).unwrap();
    let device = device.computing(arithmetic).unwrap();
    Some(Box::new(device.planned_for(Profile::Parallel)))
}

/// Opens the interpreter, and OpenCL where there is a device.
pub fn all(test: &str) -> Vec<Box<dyn Device>> {
    let interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    std::iter::once(interpreter).chain(opencl(test)).collect()
}

/// Returns the written tensor of a loop nest after a run.
pub fn run(
    device: &mut dyn Device,
    nest: &LoopNest,
    tensors: &[&Tensor],
    symbols: &Symbols,
) -> Tensor {
    let buffers: Vec<_> = tensors
        .iter()
        .map(|tensor| device.upload(tensor).unwrap())
        .collect();
    device.run(nest, &buffers, symbols).unwrap();
    let written = device.download(buffers[0]).unwrap();
    for buffer in buffers {
        device.release(buffer).unwrap();
    }
    written
}

/// Puts PoCL's cache of compiled kernels into cargo's target folder.
#[allow(unsafe_code)]
fn keep_cache_in_target() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        if std::env::var_os("POCL_CACHE_DIR").is_none() {
            let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/pocl-cache");
            std::fs::create_dir_all(folder).unwrap();
            // SAFETY: Rust code reads the environment under the standard library's lock, and the C code that reads it,
            // the loader and PoCL, is entered only after this has returned.
            unsafe { std::env::set_var("POCL_CACHE_DIR", folder) };
        }
    });
}
