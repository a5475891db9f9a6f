//! The claims table: every number has an entry, every entry is decided, falsified ones by minimal witnesses.

use lozenge_spec::claims::{self, Check, Effort, Evidence, NUMBERS, survey};

#[test]
fn every_number_of_the_document_has_an_entry() {
    let ids: Vec<&str> = claims::all().iter().map(|claim| claim.id).collect();
    let missing: Vec<&&str> = NUMBERS.iter().filter(|n| !ids.contains(*n)).collect();
    assert!(missing.is_empty(), "no entry for {missing:?}");
    let unknown: Vec<&str> = claims::all()
        .iter()
        .filter(|claim| !NUMBERS.iter().any(|n| n.starts_with(claim.number())))
        .map(|claim| claim.id)
        .collect();
    assert!(unknown.is_empty(), "no number for {unknown:?}");
    let mut once = ids.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an id is used twice");
}

#[test]
#[ignore]
fn print() {
    let all = claims::all();
    let start = std::time::Instant::now();
    let effort = if std::env::var("FULL").is_ok() {
        Effort::Full
    } else {
        Effort::Quick
    };
    let found = survey::decide(&all, effort, &|_, _| {});
    println!("survey {:?}", start.elapsed());
    for (claim, surveyed) in all.iter().zip(found) {
        let start = std::time::Instant::now();
        let finding = match (&claim.check, surveyed) {
            (_, Some(finding)) => finding,
            (Check::Function(check), None) => check(effort),
            _ => continue,
        };
        println!(
            "{:30} {:14} {:8} {:?}",
            claim.id,
            finding.evidence.word(),
            finding.instances,
            start.elapsed()
        );
        if let Some(w) = finding.witness {
            println!("      {}   -- {}", w.text.replace('\n', " ; "), w.why);
        }
        assert!(finding.evidence != Evidence::Proved);
    }
}
