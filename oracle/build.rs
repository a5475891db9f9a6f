//! Lets whatever is built on the oracle find libz3 when it runs.
//!
//! The bindings link the libz3 of `Z3_LIBRARY_PATH_OVERRIDE` (set in `.cargo/config.toml`) but leave no word for the loader.
//! When cargo runs something, it puts on the loader's path those library folders of build scripts that lie in the target folder:
//! so the output folder gets links to libz3. That serves `cargo test`, doc tests, `cargo run` and `cargo fuzz run` of every
//! package above this one, in any target folder and under any `RUSTFLAGS`.
//! A program that is started without cargo needs an rpath, which reaches one package only: see `cli/build.rs`.

use std::{env, fs, os::unix::fs::symlink, path::PathBuf};

/// What the linker asks for and what the loader asks for.
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
