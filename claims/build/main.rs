//! The hashes of the sources on which the decisions of each section of a document depend, so that results of earlier
//! runs can be kept, here and on other machines.
//!
//! A section depends on its own files, on every file of this package that these name, transitively, and on every
//! package of the workspace that one of them names, with the dependencies of that package. A file names another one
//! when the name of that module stands in a `use` or `mod` item or in a path; `super` names the parent module. Of a
//! file only its code counts ([`code`]), of the packages of others their versions ([`versions`]).

mod code;
mod theories;
mod versions;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use code::code;
use versions::{Manifest, Versions};

fn main() {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into()));
    let workspace = here.join("..");
    for watched in [
        "src",
        "build",
        "Cargo.toml",
        "../Cargo.toml",
        "../Cargo.lock",
        "../proofs/theories",
        "../proofs/statements.txt",
    ] {
        println!("cargo::rerun-if-changed={watched}");
    }
    let mut files = rust_files(&here.join("src"));
    files.retain(|path, _| !ABOUT_RESULTS.iter().any(|about| path.ends_with(about)));
    let packages = packages(&workspace);
    for folder in packages.values().map(|package| &package.folder) {
        for watched in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", folder.join(watched).display());
        }
    }
    let mut hashes = Hashes {
        packages: &packages,
        versions: Versions::read(&workspace),
        of_texts: BTreeMap::new(),
        of_packages: BTreeMap::new(),
    };
    let own = Manifest::read(&here.join("Cargo.toml"));
    let used_here: BTreeSet<String> = own
        .iter()
        .flat_map(Manifest::dependencies)
        .map(|name| name.replace('-', "_"))
        .collect();
    let own = own.map(|manifest| manifest.text(&hashes.versions));
    for (number, section) in sections(&files) {
        let (reached, mut used) = reached(&section, &files, &packages);
        used.retain(|name| used_here.contains(*name));
        let mut all = Sha256::new();
        all.update(own.as_deref().unwrap_or_default());
        for path in &reached {
            all.update(hashes.of_text(&files[path]));
        }
        for name in closed(used, &packages) {
            all.update(hashes.of_package(name));
        }
        if section.iter().any(|path| names_theorems(&files[path])) {
            all.update(theories::text(&workspace.join("proofs")));
        }
        let hash: Hash = all.finalize().into();
        let hash: String = hash[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        println!("cargo::rustc-env=SOURCES_{number}={hash}");
    }
}

/// Tells whether a file of a section has a claim that theorems of Coq say.
fn names_theorems(text: &str) -> bool {
    without_comments(text).contains("Theorem(")
}

/// Files that say how results are shown and kept. No result depends on them.
const ABOUT_RESULTS: [&str; 5] = [
    "machinery/errata.rs",
    "machinery/long_survey.rs",
    "machinery/page.rs",
    "machinery/results.rs",
    "machinery/text.rs",
];

/// The files with the tables of all sections of a document.
const TABLES: [&str; 5] = [
    "src/axon.rs",
    "src/deciding.rs",
    "src/formal_core.rs",
    "src/gradients.rs",
    "src/gradual.rs",
];

type Hash = [u8; 32];

/// The hashes of what sections depend on, each computed once.
struct Hashes<'a> {
    packages: &'a BTreeMap<String, Package>,
    versions: Versions,
    of_texts: BTreeMap<&'a str, Hash>,
    of_packages: BTreeMap<&'a str, Hash>,
}

impl<'a> Hashes<'a> {
    fn of_text(&mut self, text: &'a str) -> Hash {
        let hash = self.of_texts.entry(text);
        *hash.or_insert_with(|| Sha256::digest(code(text)).into())
    }

    fn of_package(&mut self, name: &'a str) -> Hash {
        let (package, versions) = (&self.packages[name], &self.versions);
        let hash = self.of_packages.entry(name);
        *hash.or_insert_with(|| {
            let mut all = Sha256::new();
            all.update(package.manifest.text(versions));
            let folder = package.folder.join("src");
            for (path, text) in rust_files(&folder) {
                if !is_for_tests(path.strip_prefix(&folder).unwrap_or(&path)) {
                    all.update(Sha256::digest(code(&text)));
                }
            }
            all.finalize().into()
        })
    }
}

/// Tells whether a file below `src` is only for tests. They have files of their own, which are called so; a test of the
/// package `lozenge-testkit` sees to it.
fn is_for_tests(path: &Path) -> bool {
    let name = |part: &std::ffi::OsStr| part.to_str().is_some_and(|name| name == "tests");
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    path.iter().any(name) || stem.is_some_and(|stem| stem == "tests" || stem.ends_with("_tests"))
}

/// Returns every Rust file below a folder, with its text, in a fixed order.
fn rust_files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                files.insert(path, text);
            }
        }
    }
    files
}

/// Returns the files that sections consist of: `s4_calculus.rs` and all of the folder `s4_calculus`, under `S4`; those
/// of the other documents begin with `d`, `g`, `m` and `x`.
fn sections(files: &BTreeMap<PathBuf, String>) -> BTreeMap<String, BTreeSet<PathBuf>> {
    let mut sections: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for path in files.keys() {
        let names = path.iter().filter_map(|part| part.to_str());
        let number = names
            .filter_map(|name| name.split_once('_'))
            .find_map(|(n, _)| {
                let digits = n.strip_prefix(['s', 'd', 'g', 'm', 'x'])?;
                digits.parse::<u32>().is_ok().then(|| n.to_uppercase())
            });
        if let Some(number) = number {
            sections.entry(number).or_default().insert(path.clone());
        }
    }
    sections
}

/// A package of the workspace.
struct Package {
    folder: PathBuf,
    manifest: Manifest,
}

/// Returns the packages of the workspace beside this one, by the name that code uses for them.
fn packages(workspace: &Path) -> BTreeMap<String, Package> {
    let folders = |of: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(of).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect()
    };
    // A package lies in the folder of its party, or is that folder. Build outputs lie deeper than a manifest does.
    let parties = folders(workspace);
    let rooms: Vec<PathBuf> = parties
        .iter()
        .filter(|party| !party.ends_with("target"))
        .flat_map(|party| folders(party))
        .collect();
    let package = |folder: PathBuf| {
        let manifest = Manifest::read(&folder.join("Cargo.toml"))?;
        let name = manifest.name()?.replace('-', "_");
        Some((name, Package { folder, manifest }))
    };
    parties
        .into_iter()
        .chain(rooms)
        .filter_map(package)
        .filter(|(name, _)| name != "lozenge_claims")
        .collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect()
}

/// Returns the lines of a text that are not comments.
fn without_comments(text: &str) -> String {
    let lines = text.lines();
    let code: Vec<&str> = lines
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    code.join("\n")
}

/// Returns the text of a file in which modules can be named: its `use` and `mod` items, and the segments of paths.
/// Where a path only goes through `formal_core` to one of its modules, that module alone is named.
fn naming(text: &str) -> String {
    let code = without_comments(text);
    let mut naming = String::new();
    for item in code.split(';') {
        let start = item.rfind("use ").or_else(|| item.rfind("mod "));
        naming.push_str(start.map_or("", |start| &item[start..]));
        naming.push(' ');
        for path in item.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
            naming.push_str(path.rsplit_once("::").map_or("", |(modules, _)| modules));
            naming.push(' ');
        }
    }
    let mut parts = naming.split("formal_core::");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| {
        let through = part.starts_with(|c: char| c.is_ascii_lowercase());
        text + if through { "" } else { "formal_core::" } + part
    })
}

/// Returns the name of a module, and the file of the module that it is in.
fn module(path: &Path) -> (String, Option<PathBuf>) {
    let name = path
        .file_stem()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let parent = path.parent().map(|folder| match folder.file_name() {
        Some(name) if name == "src" => folder.join("lib.rs"),
        _ => folder.with_extension("rs"),
    });
    (name.to_string(), parent)
}

/// Returns all files of this package that some files lead to, and the packages that these name.
fn reached<'a>(
    section: &BTreeSet<PathBuf>,
    files: &BTreeMap<PathBuf, String>,
    packages: &'a BTreeMap<String, Package>,
) -> (BTreeSet<PathBuf>, BTreeSet<&'a str>) {
    let (mut reached, mut used) = (BTreeSet::new(), BTreeSet::new());
    let mut next: Vec<PathBuf> = section.iter().cloned().collect();
    while let Some(path) = next.pop() {
        let Some(text) = files.get(&path).filter(|_| reached.insert(path.clone())) else {
            continue;
        };
        // The table of all sections of a document names each of them, and none of them depends on the others for that.
        if TABLES.iter().any(|table| path.ends_with(table)) {
            continue;
        }
        let naming = naming(text);
        let named = words(&naming);
        next.extend(
            files
                .keys()
                .filter(|other| named.contains(module(other).0.as_str()))
                .cloned(),
        );
        if named.contains("super") {
            next.extend(module(&path).1);
        }
        // A package is named by code: `lozenge` alone is a word that comments have as well.
        let code = without_comments(text);
        let all = words(&code);
        let names = packages.keys().map(String::as_str);
        used.extend(names.filter(|name| all.contains(name)));
    }
    (reached, used)
}

/// Returns some packages, and those of the workspace that they depend on.
fn closed<'a>(
    used: BTreeSet<&'a str>,
    packages: &'a BTreeMap<String, Package>,
) -> BTreeSet<&'a str> {
    let (mut all, mut next) = (BTreeSet::new(), Vec::from_iter(used));
    while let Some(name) = next.pop() {
        if all.insert(name) {
            let names = packages[name].manifest.dependencies();
            let names = names.filter_map(|name| packages.get_key_value(&name.replace('-', "_")));
            next.extend(names.map(|(name, _)| name.as_str()));
        }
    }
    all
}
