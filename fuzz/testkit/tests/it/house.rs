//! The architecture is kept: which package may depend on which, how large a package may be, and no import cycles
//! inside.

mod functions;
mod modules;
mod rooms;
mod test_files;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// The folders on whose packages the packages of a folder may depend. A rule on a folder binds all packages in it that
/// have no rule of a longer path. A package in no folder of this table fails the test, so that whoever adds one has to
/// decide.
///
/// A calculus is a sub-folder of the same name at each party, and shares no term with another one.
const MAY_USE: &[(&str, &[&str])] = &[
    ("vocabulary", &[]),
    ("vocabulary/page", &["vocabulary/rows"]),
    ("spec/rows", &["vocabulary/rows"]),
    ("spec/axon", &["vocabulary/axon"]),
    ("spec/gradual", &["vocabulary/graph", "vocabulary/gradual"]),
    ("solver/sizes", &[]),
    ("solver/rows", &["vocabulary/rows", "solver/sizes"]),
    (
        "solver/gradual",
        &["vocabulary/graph", "vocabulary/gradual", "solver/sizes"],
    ),
    ("solver/axon", &["vocabulary/axon", "solver/sizes"]),
    ("oracle/smt", &[]),
    ("oracle/rows", &["vocabulary/rows", "oracle/smt"]),
    ("oracle/axon", &["vocabulary/axon", "oracle/smt"]),
    ("oracle/gradual", &["vocabulary/gradual", "oracle/smt"]),
    // Its tests let the solver write certificates; the checker itself knows only the vocabulary.
    ("oracle/certificate", &["vocabulary/rows"]),
    ("lang/diagnostic", &["vocabulary/rows"]),
    ("lang/loz", &["vocabulary/rows", "lang/diagnostic"]),
    ("lang/axon", &["vocabulary/axon", "lang/diagnostic"]),
    ("lang/graph", &["vocabulary/graph", "vocabulary/gradual"]),
    ("lang/lowering", &["vocabulary/graph"]),
    ("backend", &["vocabulary/rows"]),
    ("lozenge", &["vocabulary", "solver", "lang", "backend"]),
    ("app/server", &["vocabulary", "lang", "lozenge"]),
    (
        "app/cli",
        &[
            "vocabulary",
            "spec",
            "solver",
            "oracle",
            "lang",
            "backend",
            "lozenge",
            "app/server",
            "fuzz",
            "claims",
        ],
    ),
    // The command comes with the package: its entry point is the function that the binary calls.
    (
        "app/python",
        &[
            "vocabulary",
            "solver",
            "lang",
            "backend",
            "lozenge",
            "app/cli",
        ],
    ),
    ("fuzz/testkit", &["vocabulary"]),
    // Benchmarks state their problems through the interface of the solver; no comparison uses them.
    ("fuzz/families", &["vocabulary", "solver/rows"]),
    // A measurement asks what a user asks; it judges no answer.
    (
        "fuzz/bench",
        &[
            "vocabulary",
            "solver",
            "lang",
            "backend",
            "lozenge",
            "fuzz/families",
        ],
    ),
    // The tool reads sources as text and needs none of the packages.
    ("fuzz/mutants", &[]),
    (
        "fuzz/harness",
        &[
            "vocabulary",
            "spec",
            "solver",
            "oracle",
            "lang",
            "backend",
            "lozenge",
            "fuzz/testkit",
        ],
    ),
    ("fuzz/fuzz", &["fuzz/harness"]),
    (
        "claims",
        &[
            "vocabulary",
            "spec",
            "solver",
            "oracle",
            "lang",
            "backend",
            "lozenge",
            "fuzz/testkit",
        ],
    ),
];

/// The folders and crates that the packages of a folder may not reach through any number of normal dependencies,
/// including optional ones.
const MAY_NEVER_REACH: &[(&str, &[&str])] = &[
    ("vocabulary", &["spec", "solver", "oracle", "z3"]),
    ("spec", &["solver", "oracle", "z3"]),
    ("solver", &["spec", "oracle", "z3"]),
    ("oracle", &["spec", "solver"]),
    ("oracle/certificate", &["z3"]),
    ("lang", &["spec", "solver", "oracle", "z3"]),
    ("backend", &["spec", "solver", "oracle", "z3"]),
    ("lozenge", &["spec", "oracle", "z3"]),
    ("fuzz/bench", &["spec", "oracle", "z3"]),
    ("app/server", &["spec", "oracle", "z3"]),
];

/// The largest share of all lines of Rust that one package may have, in percent.
const LARGEST_SHARE: usize = 30;

/// Returns the packages with their declared dependencies. Nothing is resolved, so neither the network nor a lock file
/// is needed.
fn metadata() -> Metadata {
    MetadataCommand::new()
        .no_deps()
        .other_options(["--offline".to_string()])
        .exec()
        .expect("cargo describes the workspace")
}

/// Returns for each package its normal dependencies, including optional ones, without those of build scripts and tests.
/// Our own packages are called by their folders, those of others by their names.
fn arrows(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let folders: BTreeMap<&str, String> = metadata
        .packages
        .iter()
        .map(|package| (package.name.as_str(), folder(metadata, package)))
        .collect();
    let packages = metadata.packages.iter();
    packages
        .map(|package| {
            let normal = package
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind == DependencyKind::Normal)
                .map(|dependency| {
                    folders
                        .get(dependency.name.as_str())
                        .unwrap_or(&dependency.name)
                        .clone()
                });
            (folders[package.name.as_str()].clone(), normal.collect())
        })
        .collect()
}

/// Returns the folder of a package, from the root of the workspace.
fn folder(metadata: &Metadata, package: &cargo_metadata::Package) -> String {
    let folder = package
        .manifest_path
        .parent()
        .expect("a manifest lies in a folder");
    let inside = folder
        .strip_prefix(&metadata.workspace_root)
        .expect("it lies in the workspace");
    inside.as_str().replace('\\', "/")
}

/// Returns only the arrows between our own packages.
fn own_arrows(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let mut arrows = arrows(metadata);
    let own: BTreeSet<String> = arrows.keys().cloned().collect();
    for targets in arrows.values_mut() {
        targets.retain(|target| own.contains(target));
    }
    arrows
}

/// Returns the packages that a package reaches through any number of arrows.
fn reached<'a>(arrows: &'a BTreeMap<String, BTreeSet<String>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(package) = waiting.pop() {
        for target in arrows.get(package).into_iter().flatten() {
            if reached.insert(target.as_str()) {
                waiting.push(target);
            }
        }
    }
    reached
}

/// Says whether a folder, or a crate of others, lies in a folder.
fn is_in(place: &str, folder: &str) -> bool {
    place == folder
        || place
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the folders that the rule with the longest path allows.
fn allowed(place: &str) -> Option<&'static [&'static str]> {
    let rules = MAY_USE.iter().filter(|(folder, _)| is_in(place, folder));
    rules
        .max_by_key(|(folder, _)| folder.len())
        .map(|(_, allowed)| *allowed)
}

/// Returns the arrows that the table does not allow, as sentences.
fn broken(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut broken = Vec::new();
    for (package, targets) in arrows {
        let Some(allowed) = allowed(package) else {
            broken.push(format!(
                "{package} is in no folder of the table of this test"
            ));
            continue;
        };
        for target in targets
            .iter()
            .filter(|target| !allowed.iter().any(|folder| is_in(target, folder)))
        {
            broken.push(format!("{package} depends on {target}"));
        }
    }
    broken
}

/// Returns the packages that reach what the folder of a party may not reach, as sentences.
fn reaching(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut reaching = Vec::new();
    for (folder, forbidden) in MAY_NEVER_REACH {
        for package in arrows.keys().filter(|package| is_in(package, folder)) {
            let reached = reached(arrows, package).into_iter();
            // The arithmetic of sizes has no rule of a calculus.
            let bad = reached
                .filter(|to| *to != "solver/sizes" && forbidden.iter().any(|wall| is_in(to, wall)));
            reaching.extend(bad.map(|to| format!("{package} reaches {to}")));
        }
    }
    reaching
}

#[test]
fn every_arrow_is_one_of_the_table() {
    assert_eq!(broken(&own_arrows(&metadata())), Vec::<String>::new());
}

#[test]
fn the_parties_cannot_reach_each_other() {
    let arrows = arrows(&metadata());
    for (folder, _) in MAY_NEVER_REACH {
        let is_there = arrows.keys().any(|package| is_in(package, folder));
        assert!(is_there, "no package lies in {folder}");
    }
    assert_eq!(reaching(&arrows), Vec::<String>::new());
    // The search finds an arrow that exists.
    assert!(reached(&arrows, "claims").contains("z3"));
    assert!(reached(&arrows, "lozenge").contains("vocabulary/rows"));
}

/// The checks above would fail if an arrow were broken.
#[test]
fn a_broken_arrow_is_noticed() {
    let arrow = |from: &str, to: &str| (from.to_string(), BTreeSet::from([to.to_string()]));
    let arrows = BTreeMap::from([
        arrow("new", "vocabulary/rows"),
        arrow("oracle/rows", "vocabulary/rows"),
        arrow("solver/rows", "spec/rows"),
        arrow("spec/rows", "vocabulary/rows"),
        arrow("vocabulary/rows", "z3"),
    ]);
    assert_eq!(
        broken(&arrows),
        [
            "new is in no folder of the table of this test",
            "solver/rows depends on spec/rows",
            "vocabulary/rows depends on z3",
        ]
    );
    assert_eq!(
        reaching(&arrows),
        [
            "vocabulary/rows reaches z3",
            "spec/rows reaches z3",
            "solver/rows reaches spec/rows",
            "solver/rows reaches z3",
        ]
    );
}

/// Lists all Rust files below a folder, without generated ones.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the files that could declare the module of a file, and its name.
fn declared_in(file: &Path) -> ([PathBuf; 3], String) {
    let is_folder = file.ends_with("mod.rs");
    let module = if is_folder {
        file.parent().unwrap()
    } else {
        file
    };
    let folder = module.parent().unwrap();
    let name = module.file_stem().unwrap().to_string_lossy().into_owned();
    let places = [
        folder.join("main.rs"),
        folder.join("mod.rs"),
        folder.with_extension("rs"),
    ];
    (places, name)
}

/// A file that no other declares is not compiled, and nobody would notice that its tests do not run.
#[test]
fn every_file_of_tests_is_a_module() {
    let (mut looked_at, mut forgotten) = (0, Vec::new());
    for package in &metadata().packages {
        let folder = package.manifest_path.parent().unwrap().join("tests/it");
        let files = match folder.exists() {
            true => sources(folder.as_std_path()),
            false => Vec::new(),
        };
        for file in files.iter().filter(|file| !file.ends_with("main.rs")) {
            looked_at += 1;
            let (places, name) = declared_in(file);
            let declares = |place: &PathBuf| {
                fs::read_to_string(place).is_ok_and(|text| text.contains(&format!("mod {name};\n")))
            };
            if !places.iter().any(declares) {
                forgotten.push(file.display().to_string());
            }
        }
    }
    assert!(looked_at > 150, "{looked_at} files were found");
    assert!(
        forgotten.is_empty(),
        "not compiled:\n{}",
        forgotten.join("\n")
    );
}

/// An example of Rust in a package whose documentation is not tested would never run.
#[test]
fn every_example_of_the_documentation_is_run() {
    let mut not_run = Vec::new();
    let mut left_out = 0;
    for package in &metadata().packages {
        let library = package.targets.iter().find(|target| target.is_lib());
        let Some(library) = library.filter(|library| !library.doctest) else {
            continue;
        };
        left_out += 1;
        for file in sources(library.src_path.parent().unwrap().as_std_path()) {
            let text = fs::read_to_string(&file).unwrap();
            let documentation = text.lines().filter_map(|line| {
                let line = line.trim_start();
                line.strip_prefix("//!").or(line.strip_prefix("///"))
            });
            let fences = documentation.filter_map(|line| line.trim().strip_prefix("```"));
            // Every second fence ends a block.
            if fences
                .step_by(2)
                .any(|language| ["", "rust"].contains(&language))
            {
                not_run.push(file.display().to_string());
            }
        }
    }
    assert!(left_out > 0);
    assert!(not_run.is_empty(), "not run:\n{}", not_run.join("\n"));
}

#[test]
fn no_package_holds_too_much() {
    let metadata = metadata();
    let lines = |package: &cargo_metadata::Package| -> usize {
        let folder = package.manifest_path.parent().unwrap();
        let texts = sources(folder.as_std_path());
        texts
            .iter()
            .map(|path| fs::read_to_string(path).unwrap().lines().count())
            .sum()
    };
    let counts: BTreeMap<&str, usize> = metadata
        .packages
        .iter()
        .map(|package| (package.name.as_str(), lines(package)))
        .collect();
    let all: usize = counts.values().sum();
    for (package, count) in &counts {
        assert!(
            100 * count <= LARGEST_SHARE * all,
            "{package} has {count} of {all} lines: more than {LARGEST_SHARE} %"
        );
    }
}

/// The number of lines that fit on a screen.
const LONGEST_FUNCTION: usize = 75;

/// The functions that are longer. One that is divided leaves the list, which may not grow.
const LONGER_FUNCTIONS: &[&str] = &[
    "lozenge-gradual-solver src/answer/point.rs: decide",
    "lozenge-gradual-solver src/residual/split.rs: factors",
    "lozenge-gradual-solver src/shape_functions/elements.rs: apply",
    "lozenge-gradual-solver src/shape_functions/linear.rs: einsum",
    "lozenge-gradual-solver src/shape_functions/recurrent.rs: onnx",
    "lozenge-gradual-solver src/shape_functions/slice.rs: onnx",
    "lozenge-gradual-solver src/shape_functions/torch/indexing.rs: indexed",
    "lozenge-gradual-solver src/shape_functions/torch/layers.rs: convolve",
    "lozenge-gradual-solver src/shape_functions/torch.rs: by_name",
    "lozenge-gradual-solver src/term/evaluate.rs: step",
];

#[test]
fn a_function_fits_on_a_screen() {
    let mut measured = 0;
    let mut long = Vec::new();
    for package in &metadata().packages {
        let folder = package.manifest_path.parent().unwrap().join("src");
        // The fuzz targets have no sources but their roots.
        let files = match folder.exists() {
            true => sources(folder.as_std_path()),
            false => Vec::new(),
        };
        for path in files.iter().filter(|path| !test_files::is_for_tests(path)) {
            let syntax = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
            measured += functions::longer_than(0, &syntax).len();
            let here = functions::longer_than(LONGEST_FUNCTION, &syntax).into_iter();
            let inside = path.strip_prefix(folder.parent().unwrap()).unwrap();
            long.extend(
                here.map(|(name, _)| format!("{} {}: {name}", package.name, inside.display())),
            );
        }
    }
    assert!(measured > 1000, "{measured} functions were found");
    assert_eq!(long, LONGER_FUNCTIONS, "more than {LONGEST_FUNCTION} lines");
}

/// Neither what is kept of claims nor the length of functions counts files that are called so.
#[test]
fn files_that_are_called_tests_are_only_for_tests() {
    let (mut declared, mut wrong) = (0, Vec::new());
    for package in &metadata().packages {
        let folder = package.manifest_path.parent().unwrap().join("src");
        let files = match folder.exists() {
            true => sources(folder.as_std_path()),
            false => Vec::new(),
        };
        for path in files {
            let syntax = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
            for (name, is_only_for_tests) in test_files::declared(&syntax) {
                declared += 1;
                if !is_only_for_tests {
                    wrong.push(format!("{}: {name}", path.display()));
                }
            }
        }
    }
    assert!(declared > 5, "{declared} were found");
    assert!(wrong.is_empty(), "without cfg(test):\n{}", wrong.join("\n"));
}

/// The cycles that there are. One that is cut leaves the list, which may not grow.
const CYCLES: &[&str] = &[
    "lozenge-gradual-solver: answer -> pass -> shape_functions",
    "lozenge-gradual-solver: integers -> residual -> term -> unary",
    "lozenge-gradual-solver: shape_functions::content -> shape_functions::elements -> shape_functions::pointwise",
    // Types of parts of an expression are found together, and so are their lines.
    "lozenge-axon: infer::checks -> infer::late -> infer::message -> infer::names -> infer::nodes -> infer::peak -> infer::print -> infer::scheme",
    "lozenge-axon: lower::kept -> lower::machine -> lower::operators -> lower::rows -> lower::structure",
    "lozenge-graph-program: fold -> lowering -> operators",
];

#[test]
fn modules_import_each_other_one_way() {
    let metadata = metadata();
    let mut more = Vec::new();
    for package in &metadata.packages {
        let roots = package.targets.iter().filter(|target| {
            target.is_lib() || (target.is_bin() && target.src_path.ends_with("src/main.rs"))
        });
        let cycles: Vec<String> = roots
            .flat_map(|root| modules::cycles(root.src_path.as_std_path()))
            .map(|cycle| cycle.join(" -> "))
            .collect();
        more.extend(
            cycles
                .iter()
                .map(|cycle| format!("{}: {cycle}", package.name)),
        );
    }
    assert_eq!(more, CYCLES, "modules import each other in cycles");
}

/// These fields are shown on a crate's page, and a licence must be part of every published package.
#[test]
fn every_package_says_what_a_page_about_it_shows() {
    for package in &metadata().packages {
        let is_published = package.publish.is_none();
        let folder = package.manifest_path.parent().unwrap();
        let missing = [
            ("description", package.description.is_none()),
            ("keywords", package.keywords.is_empty()),
            ("categories", package.categories.is_empty()),
            ("readme", package.readme.is_none()),
            ("license", package.license.is_none()),
            (
                "documentation",
                is_published && package.documentation.is_none(),
            ),
            (
                "LICENSE-MIT",
                is_published && !folder.join("LICENSE-MIT").exists(),
            ),
            (
                "LICENSE-APACHE",
                is_published && !folder.join("LICENSE-APACHE").exists(),
            ),
        ];
        let missing: Vec<&str> = missing
            .iter()
            .filter_map(|(what, is_missing)| is_missing.then_some(*what))
            .collect();
        assert!(missing.is_empty(), "{} has no {missing:?}", package.name);
    }
}

/// Files that a published package holds beside its sources and its examples.
const BESIDE_SOURCES: &[&str] = &[
    ".cargo_vcs_info.json",
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
];

#[test]
fn a_published_package_holds_no_stray_files() {
    let metadata = metadata();
    let published = metadata.packages.iter().filter(|p| p.publish.is_none());
    let mut count = 0;
    for package in published {
        let output = Command::new(env!("CARGO"))
            .args([
                "package",
                "--list",
                "--allow-dirty",
                "--offline",
                "--package",
            ])
            .arg(package.name.as_str())
            .current_dir(&metadata.workspace_root)
            .output()
            .expect("cargo runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", package.name);
        let list = String::from_utf8(output.stdout).expect("names are text");
        let is_stray = |path: &&str| {
            let is_source = ["src/", "examples/"].iter().any(|f| path.starts_with(f));
            let is_read = [".rs", ".loz", ".sig"]
                .iter()
                .any(|end| path.ends_with(end));
            let is_expected = (is_source && is_read) || BESIDE_SOURCES.contains(path);
            !is_expected
        };
        let stray: Vec<&str> = list.lines().filter(is_stray).collect();
        assert_eq!(stray, Vec::<&str>::new(), "{}", package.name);
        assert!(list.lines().any(|path| path == "src/lib.rs"));
        count += 1;
    }
    assert!(count >= 7, "only {count} packages are published");
}

/// Returns the picture of ARCHITECTURE.md: an arrow from each package to its dependencies, without those that a longer
/// path implies.
fn picture(arrows: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut lines = vec!["```mermaid".to_string(), "graph BT".to_string()];
    for (package, targets) in arrows {
        if targets.is_empty() {
            lines.push(format!("  {package}"));
        }
        for target in targets {
            let roundabout = targets
                .iter()
                .any(|other| reached(arrows, other).contains(target.as_str()));
            if !roundabout {
                lines.push(format!("  {package} --> {target}"));
            }
        }
    }
    lines.push("```".into());
    lines.join("\n")
}

/// `LOZENGE_WRITE=1 cargo test -p lozenge-testkit --test it house` writes the picture anew.
#[test]
fn the_picture_of_the_packages_is_true() {
    let metadata = metadata();
    let path = metadata.workspace_root.join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).unwrap();
    let start = text.find("```mermaid").expect("the picture is there");
    let length = text[start + 3..].find("```").expect("it ends") + 6;
    let drawn = picture(&own_arrows(&metadata));
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        let new = [&text[..start], &drawn, &text[start + length..]].concat();
        fs::write(&path, new).unwrap();
        return;
    }
    assert_eq!(&text[start..start + length], drawn);
}

/// Whoever opens the page of a package on its own sees which document it follows, whose it is, and where that is found.
#[test]
fn every_published_front_page_names_the_papers() {
    let metadata = metadata();
    let transcribing = ["lozenge-spec", "lozenge-oracle", "lozenge-claims"];
    let packages = metadata.packages.iter().filter(|package| {
        package.publish.is_none() || transcribing.contains(&package.name.as_str())
    });
    let mut count = 0;
    for package in packages {
        let folder = package.manifest_path.parent().unwrap();
        let source = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let page = source.lines().filter_map(|line| line.strip_prefix("//! "));
        let page = page.collect::<Vec<_>>().join(" ");
        let room = folder.file_name().unwrap_or_default();
        let sources: &[&str] = match room {
            // The rooms of models are the calculus of gradual types.
            "graph" | "gradual" | "lowering" => {
                &["*Generalizing Shape Analysis with Gradual Types*"]
            }
            "axon" => &["*Axon: A Language for Dynamic Shapes in Deep Learning Graphs*"],
            // Messages are about any text.
            "diagnostic" => &[],
            _ => &[
                "*The Formal Core of OCANNL's Shape and Projection Inference*",
                "[OCANNL project](https://github.com/ahrefs/ocannl)",
            ],
        };
        for named in sources {
            assert!(
                page.contains(named),
                "{} does not name {named}",
                package.name
            );
        }
        count += 1;
    }
    assert!(count >= 12, "only {count} front pages are read");
}
