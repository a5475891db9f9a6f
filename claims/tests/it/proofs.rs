//! The theorems of Coq that claims name. Their statements are committed, and are compared here without Coq. With
//! `LOZENGE_REQUIRE_PROOFS` Coq compiles all of them, its second checker looks for axioms, the checker of certificates
//! is extracted, and planted changes are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lozenge_claims::deciding::DECISION;
use lozenge_claims::formal_core::{Case, FORMAL_CORE};
use lozenge_claims::machinery::{Check, Item, statement, theorems};
use serde::Deserialize;

fn proofs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs")
}

fn read(path: &str) -> String {
    fs::read_to_string(proofs().join(path)).unwrap_or_else(|error| panic!("proofs/{path}: {error}"))
}

/// Returns the claims that theorems say, with the names of these, in the order of the documents.
fn mechanised() -> Vec<(String, Vec<&'static str>)> {
    let documents = [&FORMAL_CORE, &DECISION];
    let items = documents.into_iter().flat_map(|document| document.items());
    let named = |item: &Item<Case>| {
        let theorems = item.checks.iter().find_map(|check| match check {
            Check::Theorem(names) => Some(names.to_vec()),
            _ => None,
        });
        Some((item.id.clone(), theorems?))
    };
    items.filter_map(|item| named(&item)).collect()
}

#[test]
fn claims_name_the_theorems_of_the_list_and_no_others() {
    let listed = theorems(&read("theories/Statements.v"), &read("statements.txt")).unwrap();
    let listed: BTreeSet<&str> = listed.iter().map(|theorem| theorem.name.as_str()).collect();
    let named: BTreeSet<&str> = mechanised()
        .into_iter()
        .flat_map(|(_, names)| names)
        .collect();
    assert_eq!(listed, named);
    assert!(named.len() > 100, "{} theorems", named.len());
    assert!(named.iter().all(|name| statement(name).is_some()));
}

/// `LOZENGE_WRITE=1` regenerates the table.
#[test]
fn the_readme_has_the_theorems_of_each_claim() {
    const BEGIN: &str = "<!-- generated: theorems by claim -->\n";
    const END: &str = "<!-- end of what is generated -->\n";
    let mut table = String::from("| claim | theorems |\n|---|---|\n");
    for (id, names) in mechanised() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        table += &format!("| {id} | {} |\n", names.join(", "));
    }
    let readme = read("README.md");
    let (before, rest) = readme
        .split_once(BEGIN)
        .expect("the beginning of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let generated = format!("{before}{BEGIN}{table}{END}{after}");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        fs::write(proofs().join("README.md"), &generated).unwrap();
    }
    assert!(
        readme == generated,
        "proofs/README.md is not what the claims give: run this test with LOZENGE_WRITE=1"
    );
}

/// Words with which a file of Coq would assume what it should prove.
#[test]
fn no_theory_assumes_what_it_should_prove() {
    let forbidden = [
        "Admitted",
        "admit",
        "Axiom",
        "Axioms",
        "Parameter",
        "Parameters",
        "Conjecture",
        "Hypotheses Classical",
        "bypass_check",
    ];
    let mut folders = vec![proofs()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "v") {
                files += 1;
                let text = fs::read_to_string(&path).unwrap();
                let words: BTreeSet<&str> = text
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .collect();
                let found = forbidden.iter().find(|word| words.contains(**word));
                assert_eq!(found, None, "{}", path.display());
            }
        }
    }
    assert!(files > 20, "{files} files");
}

fn is_required() -> bool {
    let required = std::env::var_os("LOZENGE_REQUIRE_PROOFS").is_some();
    if !required {
        println!("left out: Coq is asked where LOZENGE_REQUIRE_PROOFS is set");
    }
    required
}

fn make(folder: &Path, target: &str) -> Output {
    let ran = Command::new("make")
        .arg("-C")
        .arg(folder)
        .arg(target)
        .output();
    ran.unwrap_or_else(|error| panic!("make: {error}"))
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Everything with Coq, one after the other, since each uses what the one before has compiled.
#[test]
fn coq_accepts_the_theorems_and_refuses_the_planted_changes() {
    if !is_required() {
        return;
    }
    for target in ["check", "checker"] {
        let output = make(&proofs(), target);
        assert!(output.status.success(), "make {target}: {}", shown(&output));
    }
    let planted: Planted = toml::from_str(&read("planted.toml")).unwrap();
    assert!(planted.defect.len() >= 10);
    let copy = tempfile::tempdir().unwrap();
    for defect in &planted.defect {
        let error = refused(defect, copy.path());
        println!(
            "{}: {}",
            defect.name,
            error.lines().last().unwrap_or_default()
        );
        assert!(
            error.contains(&format!("{}\"", defect.file)) || error.contains("Error"),
            "{}: {error}",
            defect.name
        );
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Planted {
    defect: Vec<Defect>,
}

/// A change that makes the checker unsound.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Defect {
    name: String,
    file: String,
    find: String,
    replace: String,
    /// The mistake that the changed checker would accept.
    unsound: String,
}

impl Defect {
    /// Returns the text of its file with the change.
    fn changed(&self) -> String {
        let text = read(&self.file);
        assert_eq!(
            text.matches(&self.find).count(),
            1,
            "{}: `find` occurs once",
            self.name
        );
        assert_ne!(self.find, self.replace, "{}", self.name);
        assert!(!self.unsound.is_empty(), "{}", self.name);
        text.replace(&self.find, &self.replace)
    }
}

#[test]
fn each_planted_change_has_its_place() {
    let planted: Planted = toml::from_str(&read("planted.toml")).unwrap();
    let names: BTreeMap<&str, String> = planted
        .defect
        .iter()
        .map(|d| (d.name.as_str(), d.changed()))
        .collect();
    assert_eq!(names.len(), planted.defect.len());
    assert!(names.len() >= 10);
}

/// Compiles a copy of the theorems with a change, which Coq has to refuse, and returns its words.
fn refused(defect: &Defect, folder: &Path) -> String {
    let copied = Command::new("cp")
        .arg("-a")
        .arg(proofs().join("."))
        .arg(folder)
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    fs::write(folder.join(&defect.file), defect.changed()).unwrap();
    let output = make(folder, "all");
    assert!(
        !output.status.success(),
        "Coq accepts {}: {}",
        defect.name,
        defect.replace
    );
    shown(&output)
}
