//! The names of one constraint set, as numbers.

use std::collections::BTreeMap;

use lozenge_vocabulary::{Dim, DimTerm, DimVar, RowTerm, RowVar, Var};

use crate::formula::Axis;

/// The variables and atoms of the current constraints, each with its number in formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    pub dims: Vec<DimVar>,
    pub rows: Vec<RowVar>,
    pub atoms: Vec<Dim>,
    dim_numbers: BTreeMap<DimVar, u32>,
    row_numbers: BTreeMap<RowVar, u32>,
    atom_numbers: BTreeMap<Dim, u32>,
}

impl Symbols {
    /// Gives the variable a number if it has none.
    pub fn add(&mut self, var: &Var) {
        match var {
            Var::Dim(var) => {
                self.dim_number(var);
            }
            Var::Row(var) => {
                self.row_number(var);
            }
        }
    }

    /// Returns the symbol of a dimension term.
    pub fn axis(&mut self, term: &DimTerm) -> Axis {
        match term {
            DimTerm::Var(var) => Axis::Dim(self.dim_number(var)),
            DimTerm::Const(dim) => self.constant(dim),
        }
    }

    /// Returns the symbol of a dimension.
    pub fn constant(&mut self, dim: &Dim) -> Axis {
        if *dim == Dim::Unit {
            return Axis::Unit;
        }
        let next = self.atoms.len() as u32;
        let number = *self
            .atom_numbers
            .entry(dim.clone())
            .or_insert_with_key(|dim| {
                self.atoms.push(dim.clone());
                next
            });
        Axis::Atom(number)
    }

    /// Returns the row term with its explicit axes as symbols.
    pub fn symbolic_row(&mut self, term: &RowTerm) -> SymbolicRow {
        SymbolicRow {
            leading: term.leading.iter().map(|t| self.axis(t)).collect(),
            var: term.var.as_ref().map(|var| self.row_number(var)),
            trailing: term.trailing.iter().map(|t| self.axis(t)).collect(),
        }
    }

    fn dim_number(&mut self, var: &DimVar) -> u32 {
        let next = self.dims.len() as u32;
        *self
            .dim_numbers
            .entry(var.clone())
            .or_insert_with_key(|var| {
                self.dims.push(var.clone());
                next
            })
    }

    /// Returns the number of a row variable.
    pub fn row_number(&mut self, var: &RowVar) -> u32 {
        let next = self.rows.len() as u32;
        *self
            .row_numbers
            .entry(var.clone())
            .or_insert_with_key(|var| {
                self.rows.push(var.clone());
                next
            })
    }
}

/// A row term with numbers in place of names.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicRow {
    pub leading: Vec<Axis>,
    pub var: Option<u32>,
    pub trailing: Vec<Axis>,
}

impl SymbolicRow {
    /// Returns the number of explicit axes.
    pub fn explicit(&self) -> usize {
        self.leading.len() + self.trailing.len()
    }
}
