//! The table of the formal core has an entry for every number of the document, and every entry has a number.

use lozenge_claims::formal_core::{FORMAL_CORE, NUMBERS};

/// Returns the ids of printed claims, without those of repairs.
fn printed() -> Vec<String> {
    let items = FORMAL_CORE.items().into_iter();
    let printed = items.filter(|item| item.repairs.is_none());
    printed.map(|item| item.id).collect()
}

#[test]
fn every_number_of_the_document_has_an_entry() {
    let ids = printed();
    let missing: Vec<&&str> = NUMBERS
        .iter()
        .filter(|number| !ids.iter().any(|id| id == *number))
        .collect();
    assert!(missing.is_empty(), "no entry for {missing:?}");
}

#[test]
fn every_entry_has_a_number_of_the_document() {
    let number = |id: &str| {
        let end = id.find(['(', ',']).unwrap_or(id.len());
        id[..end].trim_end_matches(" repaired").to_string()
    };
    let unknown: Vec<String> = printed()
        .into_iter()
        .filter(|id| !NUMBERS.iter().any(|n| n.starts_with(&number(id))))
        .collect();
    assert!(unknown.is_empty(), "no number for {unknown:?}");
}

#[test]
fn no_id_is_used_twice() {
    let mut ids: Vec<String> = FORMAL_CORE.items().into_iter().map(|i| i.id).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
