//! The claims table: every number of the document has an entry, and every entry a number.

use lozenge_claims::core::NUMBERS;

#[test]
fn every_number_of_the_document_has_an_entry() {
    let ids: Vec<&str> = lozenge_claims::core::all()
        .iter()
        .map(|claim| claim.id)
        .collect();
    let missing: Vec<&&str> = NUMBERS.iter().filter(|n| !ids.contains(*n)).collect();
    assert!(missing.is_empty(), "no entry for {missing:?}");
    let unknown: Vec<&str> = lozenge_claims::core::all()
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
