//! The notation read into this crate's terms.

use std::num::NonZeroU64;
use std::ops::Range;

use super::NotationError;
use super::reader::{Build, Relation, VarName, read};
use crate::composite::Composite;
use crate::constraint::{Constraint, Located, Tag};
use crate::dim::{Basis, Dim};
use crate::elements::Elements;
use crate::flat::Flat;
use crate::term::{DimTerm, DimVar, RowTerm, RowVar, Var};
use crate::window::Window;

/// Reads a text in the notation.
///
/// # Errors
/// The first thing that is not in the notation, with its place.
pub fn parse(text: &str) -> Result<Located, NotationError> {
    let mut terms = Terms::default();
    read(text, &mut terms)?;
    Ok(terms.located)
}

#[derive(Default)]
pub(super) struct Terms {
    located: Located,
}

impl Terms {
    fn push(&mut self, constraint: Constraint, span: Range<usize>) {
        self.located.set.constraints.push(constraint);
        self.located.spans.push(span);
    }
}

impl Build for Terms {
    type Dim = DimTerm;
    type Row = RowTerm;

    fn dim_var(&mut self, name: &str) -> DimTerm {
        DimTerm::Var(DimVar::new(name))
    }

    fn unit(&mut self) -> DimTerm {
        DimTerm::Const(Dim::Unit)
    }

    fn atom(&mut self, size: NonZeroU64, basis: Option<&str>) -> DimTerm {
        DimTerm::Const(Dim::Atom {
            size,
            basis: basis.map_or(Basis::Default, Basis::named),
        })
    }

    fn row(&mut self, dims: &mut Vec<DimTerm>, leading: usize, var: Option<&str>) -> RowTerm {
        let trailing = dims.split_off(leading);
        RowTerm {
            leading: std::mem::take(dims),
            var: var.map(RowVar::new),
            trailing,
        }
    }

    fn dims(&mut self, left: DimTerm, relation: Relation, right: DimTerm, span: Range<usize>) {
        let constraint = match relation {
            Relation::Equal => Constraint::DimEq(left, right),
            Relation::Below => Constraint::DimLe(left, right),
        };
        self.push(constraint, span);
    }

    fn rows(&mut self, left: RowTerm, relation: Relation, right: RowTerm, span: Range<usize>) {
        let constraint = match relation {
            Relation::Equal => Constraint::RowEq(left, right),
            Relation::Below => Constraint::RowLe(left, right),
        };
        self.push(constraint, span);
    }

    fn window(&mut self, window: Window, span: Range<usize>) {
        self.push(Constraint::Window(window), span);
    }

    fn composite(&mut self, composite: Composite, span: Range<usize>) {
        self.push(Constraint::Composite(composite), span);
    }

    fn elements(&mut self, elements: Elements, span: Range<usize>) {
        self.push(Constraint::Elements(elements), span);
    }

    fn flat(&mut self, flat: Flat, span: Range<usize>) {
        self.push(Constraint::Flat(flat), span);
    }

    fn at_least(&mut self, dim: DimTerm, size: NonZeroU64, span: Range<usize>) {
        self.push(Constraint::AtLeast { dim, size }, span);
    }

    fn summand(&mut self, name: &str) {
        self.located.set.summands.insert(DimVar::new(name));
    }

    fn declare(&mut self, tag: Tag, var: VarName<'_>) -> Result<(), Tag> {
        let var = match var {
            VarName::Dim(name) => Var::Dim(DimVar::new(name)),
            VarName::Row(name) => Var::Row(RowVar::new(name)),
        };
        match self.located.set.tags.insert(var, tag) {
            Some(before) if before != tag => Err(before),
            _ => Ok(()),
        }
    }
}
