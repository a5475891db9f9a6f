//! The rooms of a package: folders with few files, whose modules import one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::{metadata, modules, sources, test_files};

/// A header that says this has a table of its modules, each of which may import only those above it.
const ORDERED: &str = "may use those above it in this table";

/// Returns the modules of the table in a header.
fn ordered(text: &str) -> Vec<String> {
    let rows = text.lines().skip_while(|line| !line.contains(ORDERED));
    let rows = rows.skip_while(|line| !line.starts_with("//! |---"));
    let rows = rows.skip(1).map_while(|line| line.strip_prefix("//! | `"));
    rows.filter_map(|row| Some(row.split_once('`')?.0.to_string()))
        .collect()
}

/// Returns the imports that lead down in a table of modules, or to a module that is not in it, as sentences.
fn leading_down(order: &[String], arrows: &modules::Arrows) -> Vec<String> {
    let place = |module: &String| order.iter().position(|one| one == module);
    let mut down = Vec::new();
    for (from, targets) in arrows {
        for to in targets.iter().filter(|to| *to != from) {
            if place(from).is_none() || place(to).is_none() || place(from) < place(to) {
                down.push(format!("{from} imports {to}"));
            }
        }
    }
    down
}

#[test]
fn modules_import_only_those_above_them_in_a_table() {
    let (mut tables, mut down) = (0, Vec::new());
    for package in &metadata().packages {
        let Some(library) = package.targets.iter().find(|target| target.is_lib()) else {
            continue;
        };
        let root = library.src_path.as_std_path();
        let folder = root.parent().unwrap();
        for file in sources(folder) {
            let text = fs::read_to_string(&file).unwrap();
            if !text.contains(ORDERED) {
                continue;
            }
            tables += 1;
            let order = ordered(&text);
            let inside = file.strip_prefix(folder).unwrap();
            let is_folder = inside.ends_with("mod.rs") || file == root;
            let module = match is_folder {
                true => inside.parent().unwrap().to_path_buf(),
                false => inside.with_extension(""),
            };
            let module = module.iter().map(|one| one.to_string_lossy().into_owned());
            let levels = modules::levels(root);
            let arrows = &levels[&module.collect::<modules::Module>()];
            let here = leading_down(&order, arrows).into_iter();
            down.extend(here.map(|one| format!("{}: {one}", file.display())));
        }
    }
    assert!(tables > 0, "no header has a table of modules");
    assert!(down.is_empty(), "not one way:\n{}", down.join("\n"));
}

#[test]
fn an_import_that_leads_down_is_noticed() {
    let header = "//! Each may use those above it in this table.\n//!\n//! | module | meaning |\n//! |---|---|\n//! | `plan` | a |\n//! | `emit` | b |\n\nmod emit;\n";
    let order = ordered(header);
    assert_eq!(order, ["plan", "emit"]);
    let arrow = |from: &str, to: &str| (from.to_string(), BTreeSet::from([to.to_string()]));
    let arrows = BTreeMap::from([
        arrow("emit", "plan"),
        arrow("group", "emit"),
        arrow("plan", "emit"),
    ]);
    let noticed = leading_down(&order, &arrows);
    assert_eq!(noticed, ["group imports emit", "plan imports emit"]);
}

/// A crate whose modules `a` and `b` import each other, one of them through a name that their parent re-exports.
#[test]
fn a_cycle_through_a_reexport_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("lib.rs");
    for (file, text) in [
        ("lib.rs", "mod all;"),
        ("all.rs", "mod a;\nmod b;\npub use b::B;"),
        ("all/a.rs", "use super::B;\npub struct A(B);"),
        (
            "all/b.rs",
            "use crate::all::a::A;\npub struct B(Option<Box<A>>);",
        ),
    ] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    assert_eq!(modules::cycles(&root), [["all::a", "all::b"]]);
}

/// The most source files of a folder, without those of tests.
const MOST_FILES: usize = 25;

#[test]
fn a_folder_has_few_files() {
    let metadata = metadata();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().unwrap().join("src");
        let files = match folder.exists() {
            true => sources(folder.as_std_path()),
            false => Vec::new(),
        };
        for file in files.iter().filter(|file| !test_files::is_for_tests(file)) {
            let folder = file.parent().unwrap();
            let inside = folder.strip_prefix(&metadata.workspace_root).unwrap();
            let name = inside.to_string_lossy().replace('\\', "/");
            *counts.entry(name).or_default() += 1;
        }
    }
    assert!(counts.len() > 50, "{} folders were found", counts.len());
    counts.retain(|_, count| *count > MOST_FILES);
    assert!(
        counts.is_empty(),
        "folders with more than {MOST_FILES} files: {counts:?}"
    );
}
