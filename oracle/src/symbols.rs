//! The names of one constraint set, as numbers.

use std::collections::BTreeMap;

use lozenge_vocabulary::{Dim, DimTerm, DimVar, RowTerm, RowVar, Var};

use crate::formula::Letter;

/// The variables and the atoms of the constraints in hand, each with the number under which formulas know it.
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

    /// The letter of a dimension term.
    pub fn letter(&mut self, term: &DimTerm) -> Letter {
        match term {
            DimTerm::Var(var) => Letter::Dim(self.dim_number(var)),
            DimTerm::Const(dim) => self.constant(dim),
        }
    }

    /// The letter of a dimension.
    pub fn constant(&mut self, dim: &Dim) -> Letter {
        if *dim == Dim::Unit {
            return Letter::Unit;
        }
        let next = self.atoms.len() as u32;
        let number = *self
            .atom_numbers
            .entry(dim.clone())
            .or_insert_with_key(|dim| {
                self.atoms.push(dim.clone());
                next
            });
        Letter::Atom(number)
    }

    /// The row term with letters for its explicit axes.
    pub fn word(&mut self, term: &RowTerm) -> Word {
        Word {
            leading: term.leading.iter().map(|t| self.letter(t)).collect(),
            var: term.var.as_ref().map(|var| self.row_number(var)),
            trailing: term.trailing.iter().map(|t| self.letter(t)).collect(),
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

    /// The number of a row variable.
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

/// A row term whose axes are letters.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub leading: Vec<Letter>,
    pub var: Option<u32>,
    pub trailing: Vec<Letter>,
}

impl Word {
    /// The number of explicit axes.
    pub fn explicit(&self) -> usize {
        self.leading.len() + self.trailing.len()
    }
}
