//! The printed policy for a row whose elements are counted, `close_one_axis`: a row of which nothing is known becomes
//! one axis, as long as the total. It is evidence alone: closing in this project gives such a row no axis that is not
//! known (`close_row`).

use crate::machinery::{Effort, Finding, Witness};

/// The greatest total.
const TOTAL: u64 = 12;
/// The greatest number of axes longer than 1: that of 8 and 12.
const AXES: usize = 3;

/// Closes by `close_one_axis`, as printed.
fn closed(total: u64) -> Vec<u64> {
    vec![total]
}

/// Returns every row of axes longer than 1 that has so many elements, the shortest ones first.
fn rows(total: u64) -> Vec<Vec<u64>> {
    let mut found = Vec::new();
    let mut rows: Vec<(u64, Vec<u64>)> = vec![(1, Vec::new())];
    for _ in 0..=AXES {
        let all = rows.iter().filter(|(count, _)| *count == total);
        found.extend(all.map(|(_, row)| row.clone()));
        let longer = rows.iter().flat_map(|(count, row)| {
            let axes = (2..=total).filter(move |axis| total.is_multiple_of(count * axis));
            axes.map(move |axis| (count * axis, [row.as_slice(), &[axis]].concat()))
        });
        rows = longer.collect();
    }
    found
}

/// Checks that the row that the policy gives is the only one with so many elements, axes of size 1 left aside.
pub fn forced(_: Effort) -> Finding {
    let totals = 2..=TOTAL;
    let tried = totals.clone().count() as u64;
    let mut others = totals.filter_map(|total| {
        let own = closed(total);
        let other = rows(total).into_iter().find(|row| *row != own)?;
        Some(Witness::new(
            format!("n = |<r>|\nn = {total}"),
            format!("close_one_axis gives <r> = {own:?}, and {other:?} is a solution"),
        ))
    });
    let scope = format!("totals from 2 to {TOTAL}, run by close_one_axis");
    Finding::exhaustive(scope, tried, others.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_elements_as_the_total() {
        assert_eq!(rows(4), [vec![4], vec![2, 2]]);
        assert_eq!(rows(12).len(), 8);
        assert!(rows(12).iter().all(|row| row.iter().product::<u64>() == 12));
    }
}
