//! Kept inputs are replayed: regressions through every party, the corpus through its target.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lozenge_fuzz::corpus;
use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::targets;
use lozenge_vocabulary::Rule;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn regressions_stay_mended() {
    let mut parties = Parties::default();
    let all = corpus::all(&folder("regressions")).unwrap();
    assert!(!all.is_empty());
    for kept in all {
        for target in kept.target.subject().targets() {
            let examined = target.examine(&kept.input, &mut parties).unwrap();
            let outcome = examined.map(|examined| examined.outcome);
            let disagrees = matches!(outcome, Some(Outcome::Disagree(_)));
            let (name, path) = (target.name(), kept.path.display());
            assert!(!disagrees, "{name}, {path}: {outcome:?}\n{}", kept.input);
        }
    }
}

/// P4 reads two rows axis by axis, and its equations are recorded under P1.
const UNREACHED: [Rule; 1] = [Rule::P4];

/// The targets that compile kernels, or infer a program several times.
const SLOW: [&str; 6] = [
    "kernels",
    "program",
    "language",
    "schedules",
    "uses",
    "closed_programs",
];

#[test]
fn the_corpus_agrees_and_reaches_every_rule() {
    let mut parties = Parties::default();
    let mut reached = BTreeSet::new();
    let all = std::env::var_os("LOZENGE_INPUTS").is_some();
    let mut of_kernels = 0;
    let mut kept_of = BTreeSet::new();
    for kept in corpus::all(&folder("corpus")).unwrap() {
        kept_of.insert(kept.target.name());
        // Each of these takes up to a second for its kernels, so a third of them is examined, and all with
        // `LOZENGE_INPUTS`.
        if !all && SLOW.contains(&kept.target.name()) {
            of_kernels += 1;
            if of_kernels % 3 != 0 {
                continue;
            }
        }
        let (target, input) = (kept.target, &kept.input);
        let examined = target.examine(input, &mut parties).unwrap().unwrap();
        reached.extend(target.features(input, &examined).unwrap());
        let (outcome, path) = (examined.outcome, kept.path.display());
        assert!(
            !matches!(outcome, Outcome::Disagree(_)),
            "{path}: {outcome:?}"
        );
    }
    for target in targets() {
        let name = target.name();
        assert!(kept_of.contains(name), "no input of {name} is kept");
    }
    for rule in Rule::ALL.iter().filter(|rule| !UNREACHED.contains(rule)) {
        let seen = |how: &str| reached.contains(&format!("{how} {rule}"));
        assert!(seen("fires") || seen("fails"), "{rule} is in no input");
    }
}
