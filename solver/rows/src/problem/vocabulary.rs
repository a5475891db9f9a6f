//! A problem from terms of the vocabulary, and back.

use lozenge_vocabulary::{
    Basis, Constraint, ConstraintSet, Dim, DimTerm, DimVar, Elements, Factor, Flat, RowTerm,
    RowVar, Var,
};

use super::handle::{ConstraintId, RowRef};
use super::{Asserted, Problem};
use crate::ids::{Id, RowTermId, RowVarId};
use crate::term::{RowId, Term};

impl Problem {
    /// Adds a constraint of the vocabulary.
    pub fn push(&mut self, constraint: &Constraint) -> ConstraintId {
        match constraint {
            Constraint::DimEq(a, b) => {
                let (a, b) = (self.dim_term(a), self.dim_term(b));
                self.assert_dim_eq(a, b);
            }
            Constraint::DimLe(a, b) => {
                let (a, b) = (self.dim_term(a), self.dim_term(b));
                self.assert_dim_le(a, b);
            }
            Constraint::RowEq(a, b) => {
                let (a, b) = (self.intern_row_term(a), self.intern_row_term(b));
                self.assert_row_eq(a, b);
            }
            Constraint::RowLe(a, b) => {
                let (a, b) = (self.intern_row_term(a), self.intern_row_term(b));
                self.assert_row_le(a, b);
            }
            Constraint::Window(window) => {
                let window = window.map(|term| self.dim_term(term));
                self.assert_window(window);
            }
            Constraint::Composite(composite) => {
                let composite = composite.map(|term| self.dim_term(term));
                self.assert_composite(composite);
            }
            Constraint::Elements(elements) => {
                let elements = Elements {
                    whole: self.dim_term(&elements.whole),
                    factors: elements
                        .factors
                        .iter()
                        .map(|factor| match factor {
                            Factor::Axis(axis) => Factor::Axis(self.dim_term(axis)),
                            Factor::Row(row) => Factor::Row(self.intern_row_term(row)),
                        })
                        .collect(),
                };
                self.assert_elements(elements);
            }
            Constraint::Flat(flat) => {
                let flat = Flat {
                    rows: flat
                        .rows
                        .iter()
                        .map(|row| self.intern_row_term(row))
                        .collect(),
                    axes: flat.axes.iter().map(|axis| self.dim_term(axis)).collect(),
                };
                self.assert_flat(flat);
            }
            Constraint::AtLeast { dim, size } => {
                let dim = self.dim_term(dim);
                self.assert_at_least(dim, *size);
            }
        }
        self.constraint_id(self.asserted.len() - 1)
    }

    fn dim_term(&mut self, term: &DimTerm) -> Term {
        match term {
            DimTerm::Var(var) => self.intern_dim(var.name()),
            DimTerm::Const(Dim::Unit) => Term::UNIT,
            DimTerm::Const(Dim::Atom {
                size,
                basis: Basis::Default,
            }) => self.intern_size(*size),
            DimTerm::Const(dim) => Term::constant(self.constants.intern(dim.clone())),
        }
    }

    /// Returns a row term of the vocabulary.
    pub fn row_term(&mut self, row: &RowTerm) -> RowRef {
        let row = self.intern_row_term(row);
        self.row_ref(row)
    }

    pub(crate) fn intern_row_term(&mut self, row: &RowTerm) -> RowId {
        let start = self.terms.len() as u32;
        for axis in row.axes() {
            let term = self.dim_term(axis);
            self.terms.push(term);
        }
        RowId {
            start,
            lead: row.leading.len() as u32,
            trail: row.trailing.len() as u32,
            var: row
                .var
                .as_ref()
                .map(|var| self.row_names.intern(var.name())),
        }
    }

    /// Returns the constraint with a number, in the vocabulary; `None` when there is none. There are [`Problem::len`]
    /// of them, from 0.
    pub fn constraint(&self, index: usize) -> Option<Constraint> {
        let asserted = self.asserted.get(index)?;
        Some(self.show(*asserted))
    }

    pub(crate) fn show(&self, asserted: Asserted) -> Constraint {
        match asserted {
            Asserted::DimEq(a, b) => Constraint::DimEq(self.show_dim(a), self.show_dim(b)),
            Asserted::DimLe(a, b) => Constraint::DimLe(self.show_dim(a), self.show_dim(b)),
            Asserted::RowEq(at) => Constraint::RowEq(self.show_row(at), self.show_row(at.right())),
            Asserted::RowLe(at) => Constraint::RowLe(self.show_row(at), self.show_row(at.right())),
            Asserted::Window(at) => {
                let window = &self.windows[at];
                Constraint::Window(window.map(|term| self.show_dim(*term)))
            }
            Asserted::Composite(at) => {
                let composite = &self.composites[at];
                Constraint::Composite(composite.map(|term| self.show_dim(*term)))
            }
            Asserted::Elements(at) => {
                let elements = &self.elements[at];
                Constraint::Elements(
                    elements.map(|term| self.show_dim(*term), |row| self.show_row(*row)),
                )
            }
            Asserted::Flat(at) => {
                let flat = &self.flats[at];
                Constraint::Flat(flat.map(|term| self.show_dim(*term), |row| self.show_row(*row)))
            }
            Asserted::AtLeast(dim, at) => Constraint::AtLeast {
                dim: self.show_dim(dim),
                size: self.least_sizes[at],
            },
        }
    }

    /// Returns the whole set in the vocabulary.
    pub fn to_set(&self) -> ConstraintSet {
        let mut set: ConstraintSet = self
            .asserted
            .iter()
            .map(|asserted| self.show(*asserted))
            .collect();
        for (id, tag) in self.declarations.tagged_dims() {
            let name = self.dim_names.name(id);
            if !name.is_empty() {
                set.tags.insert(Var::Dim(DimVar::new(name)), tag);
            }
        }
        for (id, tag) in self.declarations.tagged_rows() {
            if !self.row_names.name(id).is_empty() {
                set.tags.insert(Var::Row(self.row_var(id)), tag);
            }
        }
        let summands = self.summands.iter();
        let named = summands.map(|id| DimVar::new(self.dim_names.name(*id)));
        set.summands = named.collect();
        set
    }

    pub(crate) fn row_var(&self, id: RowVarId) -> RowVar {
        match self.row_names.name(id) {
            "" => RowVar::new(&format!("rest'{}", id.number())),
            name => RowVar::new(name),
        }
    }

    pub(crate) fn show_dim(&self, term: Term) -> DimTerm {
        if !term.is_var() {
            return DimTerm::Const(self.constants.dim(term.constant_id()).clone());
        }
        match self.dim_names.name(term.id()) {
            "" => DimTerm::Var(DimVar::new(&format!("axis'{}", term.id().number()))),
            name => DimTerm::Var(DimVar::new(name)),
        }
    }

    pub(crate) fn show_row(&self, id: RowTermId) -> RowTerm {
        self.shown_row(self.rows[id.index()])
    }

    pub(crate) fn shown_row(&self, row: RowId) -> RowTerm {
        let axes = |from: u32, len: u32| {
            self.terms[from as usize..(from + len) as usize]
                .iter()
                .map(|term| self.show_dim(*term))
                .collect()
        };
        RowTerm {
            leading: axes(row.start, row.lead),
            var: row.var.map(|var| self.row_var(var)),
            trailing: axes(row.start + row.lead, row.trail),
        }
    }
}

impl From<&ConstraintSet> for Problem {
    fn from(set: &ConstraintSet) -> Problem {
        let mut problem = Problem::default();
        for constraint in &set.constraints {
            problem.push(constraint);
        }
        for (var, tag) in &set.tags {
            // A map has one tag for a variable.
            let _ = problem.declare(var, *tag);
        }
        for var in &set.summands {
            problem.summand(var);
        }
        problem
    }
}
