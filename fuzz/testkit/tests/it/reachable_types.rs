//! Whoever depends on `lozenge` alone can name each type of its interface: the types in the signatures of `lozenge`,
//! and of the packages that it exports whole, are all exported. The interfaces are those of `docs/generated/api`, which
//! another test compares with the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// `lozenge`, and the packages that it exports as modules.
const PACKAGES: [&str; 5] = [
    "lozenge",
    "lozenge-backend",
    "lozenge-lang",
    "lozenge-solver",
    "lozenge-vocabulary",
];

/// Types and traits of the standard library.
const STANDARD: &[&str] = &[
    "Any",
    "Arc",
    "AsRef",
    "AtomicBool",
    "BTreeMap",
    "BTreeSet",
    "Box",
    "Clone",
    "Cow",
    "Display",
    "DoubleEndedIterator",
    "Duration",
    "ExactSizeIterator",
    "Fn",
    "FnMut",
    "Instant",
    "Into",
    "IntoIterator",
    "Item",
    "Iterator",
    "NonZeroU64",
    "Option",
    "Path",
    "PathBuf",
    "Range",
    "RangeInclusive",
    "Rc",
    "Read",
    "Result",
    "Seek",
    "Self",
    "Send",
    "String",
    "Sync",
    "Vec",
];

/// Returns the names of the types in the signature of an item. A name of one letter is a parameter.
fn types(signature: &str) -> impl Iterator<Item = &str> {
    let words = signature.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.len() > 1 && word.starts_with(char::is_uppercase))
}

/// Reads the names that the listing of an interface exports, and the types of its signatures, each with the item where
/// it is.
fn read(listing: &str) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let (mut exported, mut named) = (BTreeSet::new(), BTreeMap::new());
    let mut item = "";
    let mut is_enum = false;
    for line in listing.lines().filter(|line| !line.starts_with('#')) {
        let mut signature = line;
        if !line.starts_with(' ') {
            let Some((path, rest)) = line.split_once(": ").or_else(|| line.split_once(" is "))
            else {
                panic!("{line}");
            };
            item = path;
            is_enum = rest.starts_with("enum");
            exported.insert(path.rsplit("::").next().unwrap_or(path).to_string());
            // The lines of implemented traits and of exports of other packages have no signatures.
            let kinds = [
                "fn ", "const ", "static ", "struct", "enum", "trait", "type ",
            ];
            signature = match kinds.iter().any(|kind| rest.starts_with(kind)) {
                true => rest,
                false => "",
            };
        } else if line.starts_with("  #[derive") || is_enum && !line.starts_with("   ") {
            signature = "";
        }
        for name in types(signature) {
            named.entry(name.to_string()).or_insert(item.to_string());
        }
    }
    (exported, named)
}

/// Returns the types that are named and not exported.
fn unreachable(listings: &[String]) -> Vec<String> {
    let read: Vec<_> = listings.iter().map(|listing| read(listing)).collect();
    let exported: BTreeSet<&String> = read.iter().flat_map(|(exported, _)| exported).collect();
    let named = read.iter().flat_map(|(_, named)| named);
    let missing =
        named.filter(|(name, _)| !exported.contains(name) && !STANDARD.contains(&name.as_str()));
    missing
        .map(|(name, item)| format!("{name} in {item}"))
        .collect()
}

#[test]
fn every_type_of_the_interface_of_lozenge_can_be_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/api");
    let listing = |package: &str| fs::read_to_string(folder.join(format!("{package}.txt")));
    let listings = PACKAGES.map(|package| listing(package).expect(package));
    let whole = &listings[0];
    for package in &PACKAGES[1..] {
        let module = package.trim_start_matches("lozenge-");
        let export = format!("{module} is {}\n", package.replace('-', "_"));
        assert!(whole.contains(&export), "lozenge exports {package} whole");
    }
    let missing = unreachable(&listings);
    assert!(missing.is_empty(), "not exported: {missing:#?}");
}

#[test]
fn a_type_that_is_not_exported_is_found() {
    let listing = "Kept: struct\n  #[derive(Debug)]\n  inner: Option<Hidden>\nKept::get: fn get<T>(&self, by: T) -> Kept\nKept: From<Other>\n\
                   Sort: enum\n  One\n  Two\n    Deep\n";
    let missing = unreachable(&[listing.to_string()]);
    assert_eq!(missing, ["Deep in Sort", "Hidden in Kept"]);
}

/// A public function that takes a number, or something that has numbers in it, is called in the tests of `lozenge` that
/// pass numbers of another program.
#[test]
fn every_function_that_takes_a_number_is_asked_for_a_foreign_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = |path: &str| fs::read_to_string(root.join(path)).expect(path);
    let tests = text("lozenge/tests/it/foreign.rs") + &text("lozenge/tests/it/foreign_numbers.rs");
    let numbers = [
        "TensorId",
        "usize",
        "Program",
        "Refusal",
        "Inference",
        "Shapes",
        "LoopNest",
        "Assignment",
    ];
    let mut uncalled = Vec::new();
    let listing = text("docs/generated/api/lozenge.txt");
    for line in listing.lines() {
        let Some((path, signature)) = line.split_once(": fn ") else {
            continue;
        };
        let arguments = signature
            .rsplit_once("->")
            .map_or(signature, |(before, _)| before);
        let takes = |word: &str| {
            types(arguments).any(|name| name == word)
                || arguments.contains(": usize") && word == "usize"
        };
        let name = path.rsplit("::").next().unwrap_or(path);
        // A program of Axon is read as a whole, and no function takes numbers of one beside it.
        let is_of_axon = path.starts_with("axon::") && !signature.contains(": usize");
        if !is_of_axon && numbers.into_iter().any(takes) && !tests.contains(&format!("{name}(")) {
            uncalled.push(path);
        }
    }
    assert!(
        uncalled.is_empty(),
        "not called with foreign numbers: {uncalled:?}"
    );
}
