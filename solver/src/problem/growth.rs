//! How far a problem has grown: the way back to an earlier state, the problem of a part of its constraints, and the room it takes.

use super::Problem;
use super::declarations::VarId;
use super::handle::Extent;
use crate::ids::{AssertedId, Id, all};

/// How far a problem had grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) asserted: usize,
    windows: usize,
    composites: usize,
    least_sizes: usize,
    rows: usize,
    terms: usize,
    dim_names: usize,
    row_names: usize,
    declared: usize,
}

impl Problem {
    pub(crate) fn extent(&self) -> Extent {
        Extent {
            dims: self.dim_names.len(),
            rows: self.row_names.len(),
            terms: self.terms.len(),
            constants: self.constants.len(),
            constraints: self.asserted.len(),
        }
    }

    /// The constraints with these numbers, over the same variables.
    pub(crate) fn subset(&self, chosen: &[AssertedId]) -> Problem {
        let mut fewer = Problem {
            order: self.order,
            size_limits: self.size_limits,
            policy_limits: self.policy_limits,
            ..Problem::default()
        };
        for chosen in chosen {
            let id = fewer.push(&self.show(self.asserted[chosen.index()]));
            if let Some(label) = self.labels.get(chosen) {
                fewer.labels.insert(id.id, label.clone());
            }
        }
        fewer.purposes = self.purposes.clone();
        for id in all(fewer.dim_names.len()) {
            let tag = self.tag_of_dim(fewer.dim_names.name(id));
            fewer.declarations.give(VarId::Dim(id), tag);
        }
        for id in all(fewer.row_names.len()) {
            let tag = self.tag_of_row(fewer.row_names.name(id));
            fewer.declarations.give(VarId::Row(id), tag);
        }
        fewer
    }

    /// The asserted constraints alone, without what solving has added.
    pub(crate) fn asserted_only(&self) -> Problem {
        let everything: Vec<AssertedId> = all(self.len()).collect();
        self.subset(&everything)
    }

    /// Forgets what was added since the problem had a size.
    pub(crate) fn truncate(&mut self, size: Size) {
        self.asserted.truncate(size.asserted);
        self.windows.truncate(size.windows);
        self.composites.truncate(size.composites);
        self.least_sizes.truncate(size.least_sizes);
        self.labels.split_off(&AssertedId::at(size.asserted));
        self.spans.truncate(size.asserted);
        self.rows.truncate(size.rows);
        self.terms.truncate(size.terms);
        self.dim_names.truncate(size.dim_names);
        self.row_names.truncate(size.row_names);
        self.declarations
            .truncate(size.declared, size.dim_names, size.row_names);
        let left = self.extent();
        self.identity.rolled_back(left);
    }

    pub(crate) fn size_now(&self) -> Size {
        Size {
            asserted: self.asserted.len(),
            windows: self.windows.len(),
            composites: self.composites.len(),
            least_sizes: self.least_sizes.len(),
            rows: self.rows.len(),
            terms: self.terms.len(),
            dim_names: self.dim_names.len(),
            row_names: self.row_names.len(),
            declared: self.declarations.len(),
        }
    }

    /// The bytes that the constraints, the names and the tags take.
    pub fn bytes(&self) -> usize {
        self.identity.bytes()
            + self.dim_names.bytes()
            + self.row_names.bytes()
            + self.constants.bytes()
            + self.declarations.bytes()
            + room(&self.terms)
            + room(&self.rows)
            + room(&self.asserted)
            + room(&self.windows)
            + self
                .windows
                .iter()
                .map(|window| room(&window.taps))
                .sum::<usize>()
            + room(&self.composites)
            + self
                .composites
                .iter()
                .map(|of| room(&of.parts))
                .sum::<usize>()
            + room(&self.least_sizes)
            + room(&self.spans)
            + self.text.as_ref().map_or(0, |text| text.bytes())
    }

    /// Gives back the room that more constraints would need.
    pub(crate) fn shrink(&mut self) {
        self.asserted.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.terms.shrink_to_fit();
        self.spans.shrink_to_fit();
        self.declarations.shrink();
    }
}

/// The bytes that a table has room for.
fn room<T>(table: &Vec<T>) -> usize {
    table.capacity() * size_of::<T>()
}
