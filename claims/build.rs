//! Hashes the sources that the decisions of each section of a document depend on, so that results of earlier runs can be kept.
//!
//! A section depends on its own files, on every file of this package that these name, transitively, and on every package of
//! the workspace that one of them names, with the dependencies of that package. A file names another one when the name of
//! that module stands in a `use` or `mod` item or in a path; `super` names the parent module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into()));
    let files = rust_files(&here.join("src"));
    println!("cargo::rerun-if-changed=src");
    let packages = packages(&here.join(".."));
    for folder in packages.values().map(|package| &package.folder) {
        for watched in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", folder.join(watched).display());
        }
    }
    for (number, section) in sections(&files) {
        let hash = hash_of(&section, &files, &packages);
        println!("cargo::rustc-env=SOURCES_{number}={hash:016x}");
    }
}

/// Every Rust file below a folder, with its text, in a fixed order.
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

/// The files that sections consist of: `s4_calculus.rs` and all of the folder `s4_calculus`, under `S4`.
fn sections(files: &BTreeMap<PathBuf, String>) -> BTreeMap<String, BTreeSet<PathBuf>> {
    let mut sections: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for path in files.keys() {
        let names = path.iter().filter_map(|part| part.to_str());
        let number = names
            .filter_map(|name| name.split_once('_'))
            .find_map(|(n, _)| {
                let digits = n.strip_prefix('s')?;
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
    manifest: String,
}

/// The packages beside this one, by the name that code uses for them. In a published package there are none; then the
/// version of this package stands for all of them.
fn packages(workspace: &Path) -> BTreeMap<String, Package> {
    let entries = fs::read_dir(workspace).into_iter().flatten().flatten();
    let package = |folder: PathBuf| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = \""))?;
        let name = name.trim_end_matches('"').replace('-', "_");
        Some((name, Package { folder, manifest }))
    };
    entries
        .filter_map(|entry| package(entry.path()))
        .filter(|(name, _)| name != "lozenge_claims")
        .collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect()
}

/// The parts of a file that can name modules: its `use` and `mod` items, and the segments of paths. A path that only goes
/// through `formal_core` to one of its modules names that module alone.
fn naming(text: &str) -> String {
    let code: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let code = code.join("\n");
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

/// The name of a module, and the file of its parent module.
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

/// A hash of some files and of everything that they depend on.
fn hash_of(
    section: &BTreeSet<PathBuf>,
    files: &BTreeMap<PathBuf, String>,
    packages: &BTreeMap<String, Package>,
) -> u64 {
    let (mut reached, mut used) = (BTreeSet::new(), BTreeSet::new());
    let mut next: Vec<PathBuf> = section.iter().cloned().collect();
    while let Some(path) = next.pop() {
        let Some(text) = files.get(&path).filter(|_| reached.insert(path.clone())) else {
            continue;
        };
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
        let all = words(text);
        used.extend(packages.keys().filter(|name| all.contains(name.as_str())));
    }
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    reached
        .iter()
        .for_each(|path| files[path].hash(&mut hasher));
    for package in closed(used, packages) {
        package.manifest.hash(&mut hasher);
        for text in rust_files(&package.folder.join("src")).into_values() {
            text.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Some packages with all packages of the workspace that they depend on.
fn closed<'a>(
    used: BTreeSet<&'a String>,
    packages: &'a BTreeMap<String, Package>,
) -> impl Iterator<Item = &'a Package> {
    let (mut all, mut next) = (BTreeSet::new(), Vec::from_iter(used));
    while let Some(name) = next.pop() {
        if all.insert(name) {
            let manifest = packages[name].manifest.replace('-', "_");
            let words = words(&manifest);
            next.extend(
                packages
                    .keys()
                    .filter(|other| words.contains(other.as_str())),
            );
        }
    }
    all.into_iter().map(|name| &packages[name])
}
