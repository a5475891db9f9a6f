//! Growth of a problem: the way back to an earlier state, the problem of a part of its constraints, and the room it
//! takes.

use super::declarations::VarId;
use super::handle::Extent;
use super::zeros::Occurrences;
use super::{Asserted, Problem};
use crate::ids::{AssertedId, DimVarId, Id, IdVec, RowTermId, RowVarId, all, room};
use crate::term::Term;

/// The size of a problem at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) asserted: usize,
    windows: usize,
    composites: usize,
    elements: usize,
    flats: usize,
    least_sizes: usize,
    rows: usize,
    terms: usize,
    dim_names: usize,
    row_names: usize,
    declared: usize,
    summands: usize,
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

    /// Returns the constraints with these numbers, over the same variables.
    pub(crate) fn subset(&self, chosen: &[AssertedId]) -> Problem {
        let mut fewer = Problem {
            options: self.options,
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
        let summands = self.summands.iter();
        let names = summands.map(|id| self.dim_names.name(*id));
        fewer.summands = names
            .filter_map(|name| fewer.dim_names.find(name))
            .collect();
        fewer
    }

    /// Returns the asserted constraints alone, without what solving has added.
    pub(crate) fn asserted_only(&self) -> Problem {
        // A copy is faster than asserting every constraint again.
        if !self.has_sizes() && self.asserts_all_variables() {
            return self.clone();
        }
        let everything: Vec<AssertedId> = all(self.len()).collect();
        self.subset(&everything)
    }

    /// Returns a copy of what has been stated. The variables that solving has made up keep their numbers, since others
    /// have come after them, but nothing is said of them.
    pub(crate) fn as_stated(&self) -> Problem {
        let mut stated = self.clone();
        for id in all(self.dim_names.len()) {
            if !self.dim_names.is_named(id) {
                stated.declarations.untag(VarId::Dim(id));
            }
        }
        for id in all(self.row_names.len()) {
            if !self.row_names.is_named(id) {
                stated.declarations.untag(VarId::Row(id));
            }
        }
        stated
    }

    /// Takes over what has been said in words, of variables and constraints, in the problem of which this is a copy.
    pub(crate) fn take_words_from(&mut self, stated: &Problem) {
        self.purposes.clone_from(&stated.purposes);
        self.labels.clone_from(&stated.labels);
    }

    /// Counts the declarations so far.
    pub(crate) fn declared(&self) -> usize {
        self.declarations.len()
    }

    /// Says whether each variable occurs in a constraint. Solving makes up variables that do not.
    fn asserts_all_variables(&self) -> bool {
        let mut seen = Seen {
            dims: IdVec::of(self.dim_names.len(), false),
            rows: IdVec::of(self.row_names.len(), false),
            left: self.dim_names.len() + self.row_names.len(),
        };
        for asserted in &self.asserted {
            match *asserted {
                Asserted::DimEq(a, b) | Asserted::DimLe(a, b) => seen.terms(&[a, b]),
                Asserted::RowEq(at) | Asserted::RowLe(at) => {
                    seen.row(self, at);
                    seen.row(self, at.right());
                }
                Asserted::Window(_)
                | Asserted::Composite(_)
                | Asserted::Elements(_)
                | Asserted::Flat(_)
                | Asserted::AtLeast(..) => {}
            }
            if seen.left == 0 {
                return true;
            }
        }
        seen.left == 0
    }

    /// Forgets what was added since the problem had a size.
    pub(crate) fn truncate(&mut self, size: Size) {
        self.asserted.truncate(size.asserted);
        self.windows.truncate(size.windows);
        self.composites.truncate(size.composites);
        self.elements.truncate(size.elements);
        self.flats.truncate(size.flats);
        self.least_sizes.truncate(size.least_sizes);
        self.labels.split_off(&AssertedId::at(size.asserted));
        self.spans.truncate(size.asserted);
        self.rows.truncate(size.rows);
        self.terms.truncate(size.terms);
        self.dim_names.truncate(size.dim_names);
        self.row_names.truncate(size.row_names);
        self.declarations
            .truncate(size.declared, size.dim_names, size.row_names);
        self.summands.truncate(size.summands);
        self.occurrences = Occurrences::default();
        let left = self.extent();
        self.identity.rolled_back(left);
    }

    /// Forgets the constraints that were added since the problem had a size, but no names.
    pub(crate) fn forget_constraints(&mut self, size: Size) {
        self.asserted.truncate(size.asserted);
        self.occurrences = Occurrences::default();
    }

    pub(crate) fn size_now(&self) -> Size {
        Size {
            asserted: self.asserted.len(),
            windows: self.windows.len(),
            composites: self.composites.len(),
            elements: self.elements.len(),
            flats: self.flats.len(),
            least_sizes: self.least_sizes.len(),
            rows: self.rows.len(),
            terms: self.terms.len(),
            dim_names: self.dim_names.len(),
            row_names: self.row_names.len(),
            declared: self.declarations.len(),
            summands: self.summands.len(),
        }
    }

    /// Returns the bytes that the constraints, the names and the tags take.
    pub fn bytes(&self) -> usize {
        let taps = self.windows.values().map(|window| room(&window.taps));
        let parts = self.composites.values().map(|of| room(&of.parts));
        let factors = self.elements.values().map(|of| room(&of.factors));
        let flats = self.flats.values();
        let lists = flats.flat_map(|of| [room(&of.rows), room(&of.axes)]);
        let tables = [
            self.identity.bytes(),
            self.dim_names.bytes(),
            self.row_names.bytes(),
            self.constants.bytes(),
            self.declarations.bytes(),
            room(&self.terms),
            room(&self.rows),
            room(&self.asserted),
            self.windows.bytes(),
            self.composites.bytes(),
            self.elements.bytes(),
            self.flats.bytes(),
            self.least_sizes.bytes(),
            room(&self.spans),
            self.text.as_ref().map_or(0, |text| text.bytes()),
        ];
        let inside = taps.chain(parts).chain(factors).chain(lists);
        tables.into_iter().chain(inside).sum()
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

/// The variables that were met in constraints.
struct Seen {
    dims: IdVec<DimVarId, bool>,
    rows: IdVec<RowVarId, bool>,
    /// The number of variables not seen so far.
    left: usize,
}

impl Seen {
    fn terms(&mut self, terms: &[Term]) {
        for term in terms.iter().filter(|term| term.is_var()) {
            let known = std::mem::replace(&mut self.dims[term.id()], true);
            self.left -= usize::from(!known);
        }
    }

    fn row(&mut self, problem: &Problem, at: RowTermId) {
        let row = problem.rows[at.index()];
        let (start, count) = (row.start as usize, (row.lead + row.trail) as usize);
        self.terms(&problem.terms[start..start + count]);
        if let Some(var) = row.var {
            let known = std::mem::replace(&mut self.rows[var], true);
            self.left -= usize::from(!known);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::Problem;

    #[test]
    fn a_variable_that_no_constraint_mentions_is_missed() {
        let problem = |text: &str| Problem::parse(text).expect("the notation");
        for text in ["", "a <= b", "[a <r>] ~ [b, b]\na = 3", "<r> <= [<s> c]"] {
            let mut problem = problem(text);
            assert!(problem.asserts_all_variables(), "{text}");
            problem.dim_names.unnamed();
            assert!(!problem.asserts_all_variables(), "{text}");
        }
        let mut problem = problem("<r> <= [<s> c]");
        problem.row_names.unnamed();
        assert!(!problem.asserts_all_variables());
    }
}
