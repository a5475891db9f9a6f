//! Ground rows and their enumeration: every row up to a rank over a few dimensions.

use crate::machinery::{Effort, Finding, Witness};
use lozenge_testkit::enumeration::Universe;
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::row::Row;

use crate::formal_core::populations::rank;

pub fn axes() -> Vec<Dim> {
    let mono = Dim::based(3, Basis::named("mono"));
    [Some(Dim::Unit), Dim::new(1), Dim::new(3), mono]
        .into_iter()
        .flatten()
        .collect()
}

pub fn rows(rank: usize) -> Vec<Row> {
    Universe { dims: axes(), rank }.rows()
}

pub fn scope(what: &str, rank: usize) -> String {
    format!(
        "{what} of rank up to {rank} over 1_, 1, 3 and 3_mono, each with every place of its marker"
    )
}

/// Tries instances one by one; the first that contradicts the claim is the witness.
pub fn each<T>(
    what: String,
    things: impl IntoIterator<Item = T>,
    against: impl Fn(&T) -> Option<Witness>,
) -> Finding {
    let mut count = 0;
    for thing in things {
        count += 1;
        if let Some(witness) = against(&thing) {
            return Finding::exhaustive(what, count, Some(witness));
        }
    }
    Finding::exhaustive(what, count, None)
}

pub fn each_row(effort: Effort, against: impl Fn(&Row) -> Option<&'static str>) -> Finding {
    let rank = rank(effort);
    each(scope("rows", rank), rows(rank), |row| {
        against(row).map(|why| Witness::new(row.to_string(), why))
    })
}

pub fn each_pair(effort: Effort, against: impl Fn(&Row, &Row) -> Option<&'static str>) -> Finding {
    let rank = rank(effort);
    let all = rows(rank);
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    each(scope("pairs of rows", rank), pairs, |(a, b)| {
        against(a, b).map(|why| Witness::new(format!("{a}\n{b}"), why))
    })
}

pub fn unless(holds: bool, why: &'static str) -> Option<&'static str> {
    (!holds).then_some(why)
}
