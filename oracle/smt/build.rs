//! The place of libz3, which this build script makes findable at run time for every program that is built on the
//! oracle.
//!
//! The bindings link the libz3 of `Z3_LIBRARY_PATH_OVERRIDE` (set in `.cargo/config.toml`) but set no run-time path.
//! When cargo runs a program, it adds to the loader's path those library folders of build scripts that lie in the
//! target folder. So this script puts links to libz3 into its output folder. That serves `cargo test`, doc tests,
//! `cargo run` and `cargo fuzz run` of every package that depends on this one, in any target folder and under any
//! `RUSTFLAGS`. A program that is started without cargo needs an rpath, which can be set for one package only: see
//! `app/cli/build.rs`.

use std::{env, fs, os::unix::fs::symlink, path::PathBuf};

/// The name that the linker looks for and the name that the loader looks for.
const LIBRARIES: [&str; 2] = ["libz3.so", "libz3.so.5.4"];

fn main() {
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    if env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return; // Z3 is built from source and linked statically
    }
    let Some(folder) = env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from) else {
        println!(
            "cargo::error=Z3_LIBRARY_PATH_OVERRIDE is not set: start cargo inside the project, \
             whose .cargo/config.toml sets it"
        );
        return;
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for name in LIBRARIES {
        let library = folder.join(name);
        println!("cargo::rerun-if-changed={}", library.display());
        if !library.exists() {
            println!(
                "cargo::error={} is missing: run .ci/setup, or set Z3_LIBRARY_PATH_OVERRIDE to a folder with Z3 5.4",
                library.display()
            );
            return;
        }
        let link = out.join(name);
        if link.is_symlink() {
            fs::remove_file(&link).expect("the output folder is writable");
        }
        symlink(&library, &link).expect("the output folder is writable");
    }
    println!("cargo::rustc-link-search=native={}", out.display());
}
