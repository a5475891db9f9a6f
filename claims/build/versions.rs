//! The versions of the packages of others that a package uses, by its manifest and the lock file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// A manifest.
pub struct Manifest(Table);

/// The contents of the lock file and of the manifest of the workspace.
pub struct Versions {
    /// The dependencies that packages inherit.
    inherited: Table,
    /// The versions of each package by its name, each in one line, with the names of the packages on which it depends.
    locked: BTreeMap<String, Vec<(String, Vec<String>)>>,
}

impl Manifest {
    /// Reads a manifest; `None` where there is none.
    pub fn read(path: &Path) -> Option<Manifest> {
        table(path).map(Manifest)
    }

    /// Returns the name of the package.
    pub fn name(&self) -> Option<&str> {
        self.0.get("package")?.get("name")?.as_str()
    }

    /// Returns the names of what it depends on to be built, tests left out.
    pub fn dependencies(&self) -> impl Iterator<Item = &str> {
        let tables = ["dependencies", "build-dependencies"].map(|key| self.0.get(key));
        let tables = tables.into_iter().flatten().filter_map(Value::as_table);
        tables.flat_map(|table| table.keys().map(String::as_str))
    }

    /// Returns its features and dependencies, and the versions of the packages of others that it uses.
    pub fn text(&self, versions: &Versions) -> String {
        let mut text = String::new();
        for key in ["features", "dependencies", "build-dependencies"] {
            if let Some(value) = self.0.get(key) {
                text += &format!("{key} {value:?}\n");
            }
        }
        let names: BTreeSet<String> = self.dependencies().map(str::to_string).collect();
        for name in &names {
            if let Some(value) = versions.inherited.get(name) {
                text += &format!("{name} {value:?}\n");
            }
        }
        text + &versions.closed(names)
    }
}

impl Versions {
    /// Reads the files of a workspace; what is missing is empty.
    pub fn read(workspace: &Path) -> Versions {
        let manifest = table(&workspace.join("Cargo.toml")).unwrap_or_default();
        let inherited = manifest
            .get("workspace")
            .and_then(|w| w.get("dependencies"));
        let lock = table(&workspace.join("Cargo.lock")).unwrap_or_default();
        let packages = lock.get("package").and_then(Value::as_array);
        let mut locked: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
        for package in packages.into_iter().flatten() {
            let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
            // The packages of the workspace have no source: their code is looked at itself.
            if text("source").is_empty() {
                continue;
            }
            let uses = package.get("dependencies").and_then(Value::as_array);
            let uses = uses.into_iter().flatten().filter_map(Value::as_str);
            // `name`, or `name version` where there are several.
            let uses = uses
                .filter_map(|text| text.split(' ').next())
                .map(str::to_string);
            let line = format!("{} {} {}", text("name"), text("version"), text("checksum"));
            locked
                .entry(text("name").to_string())
                .or_default()
                .push((line, uses.collect()));
        }
        Versions {
            inherited: inherited
                .and_then(Value::as_table)
                .cloned()
                .unwrap_or_default(),
            locked,
        }
    }

    /// Returns some packages and all that they depend on, each in a line.
    fn closed(&self, names: BTreeSet<String>) -> String {
        let (mut all, mut next) = (BTreeMap::new(), Vec::from_iter(names));
        while let Some(name) = next.pop() {
            if let Some(versions) = self.locked.get(&name).filter(|_| !all.contains_key(&name)) {
                let uses = versions.iter().flat_map(|(_, uses)| uses.iter().cloned());
                next.extend(uses);
                all.insert(name, versions);
            }
        }
        let lines = all
            .into_values()
            .flatten()
            .map(|(line, _)| format!("{line}\n"));
        lines.collect()
    }
}

fn table(path: &Path) -> Option<Table> {
    fs::read_to_string(path).ok()?.parse().ok()
}
