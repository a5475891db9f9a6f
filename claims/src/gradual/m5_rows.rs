//! The calculus beside that of rows: on static shapes, addition is the row inequality.

use lozenge_gradual_spec::operations;
use lozenge_gradual_spec::universe::Universe;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;

use super::searching::Search;
use super::typed::Typed;
use crate::machinery::{Check, Claim, Effort, Finding};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Typed>]] = &[&[Claim::new(
    "Brg",
    "Read a shape without 0 as a row with its marker at the front and 1 as `1_`. Then x and y can be added exactly if some row with its marker at the front is below \
     both in the order of the formal core (Def. 2.3), and the sum is the greatest such row.",
    &[Check::Search(addition_is_the_greatest_lower_bound)],
)]];

/// Reads a shape as a row.
fn row(shape: &[u64]) -> Option<Row> {
    let axes = shape.iter().map(|size| match size {
        1 => Some(Dim::Unit),
        size => Dim::new(*size),
    });
    Some(Row::new(Vec::new(), axes.collect::<Option<Vec<Dim>>>()?))
}

fn addition_is_the_greatest_lower_bound(_: Effort) -> Finding {
    const RANK: usize = 3;
    let shapes = Universe::new(RANK, 1..=3).shapes();
    let rows: Vec<Row> = shapes.iter().filter_map(|shape| row(shape)).collect();
    let mut search = Search::default();
    for (one, one_row) in shapes.iter().zip(&rows) {
        for (other, other_row) in shapes.iter().zip(&rows) {
            // A row below two of rank up to 3 that is greatest has no more axes than the longer one.
            let below: Vec<&Row> = rows
                .iter()
                .filter(|row| row.below(one_row) && row.below(other_row))
                .collect();
            let is_greatest = |row: &&&Row| below.iter().all(|other| other.below(row));
            let greatest = below.iter().find(is_greatest).copied();
            let sum = operations::add(one, other);
            let expected = sum.as_deref().and_then(row);
            let holds = greatest == expected.as_ref() && below.is_empty() == sum.is_none();
            search.holds(holds, || {
                (
                    format!("x : {one:?}\ny : {other:?}\nreturn add(x, y)"),
                    format!("the sum is {sum:?}, and the greatest row {greatest:?}"),
                )
            });
        }
    }
    search.over("all pairs of shapes of rank up to 3 with sizes 1 to 3, and all rows with the marker at the front of rank up to 3")
}
