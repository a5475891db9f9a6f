//! Origins of the variables of a problem, which decide how they are closed (Def. 6.1).

use lozenge_vocabulary::Tag;

use crate::ids::{DimVarId, IdVec, RowVarId, room};

/// A variable of either sort.
#[derive(Clone, Copy, Debug)]
pub(super) enum VarId {
    Dim(DimVarId),
    Row(RowVarId),
}

/// The tags of all variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    dims: IdVec<DimVarId, Option<Tag>>,
    rows: IdVec<RowVarId, Option<Tag>>,
    /// The declarations, in their order.
    order: Vec<Declared>,
}

/// A declaration: of which variable, and the tag that it had before.
#[derive(Clone, Copy, Debug)]
struct Declared {
    var: VarId,
    before: Option<Tag>,
}

impl Declarations {
    fn slot(&mut self, var: VarId) -> &mut Option<Tag> {
        match var {
            VarId::Dim(var) => self.dims.entry(var, None),
            VarId::Row(var) => self.rows.entry(var, None),
        }
    }

    /// Declares a variable; the tag that it has already, when that is another one.
    pub(super) fn declare(&mut self, var: VarId, tag: Tag) -> Result<(), Tag> {
        match *self.slot(var) {
            Some(before) if before != tag => Err(before),
            _ => {
                self.redeclare(var, tag);
                Ok(())
            }
        }
    }

    /// Declares a variable, which may have been declared with another tag before.
    pub(super) fn redeclare(&mut self, var: VarId, tag: Tag) {
        let before = self.slot(var).replace(tag);
        if before != Some(tag) {
            self.order.push(Declared { var, before });
        }
    }

    /// Gives a new variable its tag. It goes with the variable, so nothing is on record to be taken back.
    pub(super) fn give(&mut self, var: VarId, tag: Tag) {
        if tag != Tag::Interior {
            *self.slot(var) = Some(tag);
        }
    }

    /// Takes the tag of a variable that no one has declared.
    pub(super) fn untag(&mut self, var: VarId) {
        *self.slot(var) = None;
    }

    pub(super) fn dim(&self, var: DimVarId) -> Tag {
        self.dims.get(var).copied().flatten().unwrap_or_default()
    }

    pub(super) fn row(&self, var: RowVarId) -> Tag {
        self.rows.get(var).copied().flatten().unwrap_or_default()
    }

    /// Returns the dimension variables that have a tag.
    pub(super) fn tagged_dims(&self) -> impl Iterator<Item = (DimVarId, Tag)> {
        self.dims
            .iter()
            .filter_map(|(var, tag)| Some((var, (*tag)?)))
    }

    /// Returns the row variables that have a tag.
    pub(super) fn tagged_rows(&self) -> impl Iterator<Item = (RowVarId, Tag)> {
        self.rows
            .iter()
            .filter_map(|(var, tag)| Some((var, (*tag)?)))
    }

    /// Counts the declarations so far.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Takes back all declarations but the first, and forgets the variables from these numbers on.
    pub(super) fn truncate(&mut self, declarations: usize, dims: usize, rows: usize) {
        while self.order.len() > declarations {
            if let Some(Declared { var, before }) = self.order.pop() {
                *self.slot(var) = before;
            }
        }
        self.dims.truncate(dims);
        self.rows.truncate(rows);
    }

    /// Gives each row variable another number.
    pub(super) fn renumber_rows(&mut self, number: impl Fn(RowVarId) -> RowVarId) {
        let before = std::mem::take(&mut self.rows);
        for (var, tag) in before.iter() {
            *self.rows.entry(number(var), None) = *tag;
        }
        for declared in &mut self.order {
            if let VarId::Row(var) = &mut declared.var {
                *var = number(*var);
            }
        }
    }

    pub(super) fn shrink(&mut self) {
        self.dims.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.order.shrink_to_fit();
    }

    pub(super) fn bytes(&self) -> usize {
        [self.dims.bytes(), self.rows.bytes(), room(&self.order)]
            .iter()
            .sum()
    }
}
