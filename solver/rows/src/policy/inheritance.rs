//! The tag by which each variable is closed (Def. 6.1).
//!
//! A variable that is part of a leaf's shape is closed as a leaf, even if it is not declared as one. Parts of a leaf's
//! shape are: the axes with which solving extended its row, the axes and the row variable of the content to which its
//! row is bound, and the variables that are equal to one of its dimensions. Such a variable takes the stronger of its
//! own tag and that of the leaf; the tag of a parameter is the strongest. An inequality passes no tag on.
//!
//! Tags are computed whenever closing begins, so that a declaration may come after a solve.

use lozenge_vocabulary::Tag;
use lozenge_vocabulary::alignment::{Flank, PerFlank};
use rustc_hash::FxHashSet;

use crate::explain::solution::Solution;
use crate::ids::{DimVarId, Id, IdVec, RowVarId};
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::Failure;
use crate::state::rows::Binding;
use crate::term::Term;

/// The effective tags of one closing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tags {
    rows: IdVec<RowVarId, Tag>,
    pub(crate) dims: IdVec<DimVarId, Tag>,
    /// Dimension variables that have been tagged and not been closed yet.
    pub(crate) due: Vec<DimVarId>,
    /// Fresh row variables that became aliases of a variable of the problem.
    aliased_rests: FxHashSet<RowVarId>,
    /// The number of axes minted by solving that have been looked at.
    minted: u32,
}

impl Tags {
    pub(crate) fn row(&self, var: RowVarId) -> Tag {
        self.rows.get(var).copied().unwrap_or_default()
    }

    pub(crate) fn dim(&self, var: DimVarId) -> Tag {
        self.dims.get(var).copied().unwrap_or_default()
    }

    /// Raises a tag; whether that changed it.
    fn raise<I: Id>(tags: &mut IdVec<I, Tag>, var: I, tag: Tag) -> bool {
        let known = tags.entry(var, Tag::Interior);
        let higher = stronger(*known, tag);
        std::mem::replace(known, higher) != higher
    }

    fn raise_dim(&mut self, term: Term, tag: Tag) {
        if term.is_var() && Tags::raise(&mut self.dims, term.id(), tag) {
            self.due.push(term.id());
        }
    }
}

/// Returns a parameter's tag before a leaf's before an interior one's.
pub(crate) fn stronger(a: Tag, b: Tag) -> Tag {
    match (a, b) {
        (Tag::Param, _) | (_, Tag::Param) => Tag::Param,
        (Tag::Leaf, _) | (_, Tag::Leaf) => Tag::Leaf,
        _ => Tag::Interior,
    }
}

impl Engine {
    /// Returns the tags, declared and inherited; `None` when nothing is declared.
    pub(crate) fn inherit_tags(&mut self) -> Result<Option<Tags>, Box<Failure>> {
        let mut tags = Tags::default();
        for var in self.dims.ids() {
            let tag = self.problem.dim_tag(var);
            // The axes that rows have come to have get their rows' tags below, from left to right.
            if tag != Tag::Interior && !self.problem.dim_names.name(var).is_empty() {
                tags.raise_dim(Term::var(var), tag);
            }
        }
        let mut todo = Vec::new();
        for var in self.rows.nodes.ids() {
            let tag = self.problem.row_tag(var);
            if tag != Tag::Interior && Tags::raise(&mut tags.rows, var, tag) {
                todo.push(var);
            }
        }
        if todo.is_empty() && tags.due.is_empty() {
            return Ok(None);
        }
        while let Some(var) = todo.pop() {
            self.tag_shape(var, &mut tags, &mut todo)?;
        }
        self.find_aliased_rests(&mut tags);
        Ok(Some(tags))
    }

    /// Says whether a row variable is the rest of one that has grown, and no variable of the problem is equal to it.
    pub(crate) fn is_rest(&self, var: RowVarId, tags: &Tags) -> bool {
        self.problem.row_names.name(var).is_empty() && !tags.aliased_rests.contains(&var)
    }

    fn find_aliased_rests(&self, tags: &mut Tags) {
        if self.rows.contents.len() == 0 {
            return;
        }
        let mut todo: Vec<RowVarId> = self
            .rows
            .nodes
            .ids()
            .filter(|var| !self.is_rest(*var, tags))
            .collect();
        while let Some(var) = todo.pop() {
            let (Binding::Content(content) | Binding::Alias(content)) = self.binding(var) else {
                continue;
            };
            let row = self.row(self.rows.contents.at(content).row);
            let bare =
                row.lead + row.trail == 0 && self.rows.nodes.at(var).len == PerFlank::both(0);
            if let Some(inner) = row.var.filter(|inner| bare && self.is_rest(*inner, tags)) {
                tags.aliased_rests.insert(inner);
                todo.push(inner);
            }
        }
    }

    /// Passes the tag of a row on to the parts of its shape.
    fn tag_shape(
        &mut self,
        var: RowVarId,
        tags: &mut Tags,
        todo: &mut Vec<RowVarId>,
    ) -> EngineResult {
        let tag = tags.row(var);
        self.write_unpinned(var)?;
        for flank in Flank::BOTH {
            let room = self.rows.room(var, flank);
            self.step(room as usize)?;
            for at in 0..room {
                let position = if flank == Flank::Leading {
                    at
                } else {
                    room - 1 - at
                };
                if let Some(axis) = self.rows.axis(var, flank, position) {
                    tags.raise_dim(axis, tag);
                }
            }
        }
        let (Binding::Content(content) | Binding::Alias(content)) = self.binding(var) else {
            return Ok(());
        };
        let row = self.row(self.rows.contents.at(content).row);
        let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
        for axis in &self.problem.terms[axes] {
            tags.raise_dim(*axis, tag);
        }
        if let Some(inner) = row.var
            && Tags::raise(&mut tags.rows, inner, tag)
        {
            todo.push(inner);
        }
        Ok(())
    }

    /// Materialises the axes of a row, now and whenever it gets another one, except those that an atom above pins:
    /// their value is settled, and a chain of rows each longer than the next has quadratically many of them.
    fn write_unpinned(&mut self, var: RowVarId) -> EngineResult {
        self.rows.materialise(var);
        if self.rows.nodes.at(var).len == PerFlank::both(0) {
            return Ok(());
        }
        for flank in Flank::BOTH {
            self.step(self.rows.nodes.at(var).len[flank] as usize)?;
            let (mut unpinned, mut position) = (Vec::new(), 0);
            Solution::new(self).ends(var, flank, |end| {
                let pinned = end.is_some_and(|end| {
                    let end = self.dims.peek(end);
                    !end.is_var() && end != Term::UNIT
                });
                if !pinned {
                    unpinned.push(position);
                }
                position += 1;
            });
            for position in unpinned {
                if self.rows.axis(var, flank, position).is_none() {
                    self.materialise_axis(var, flank, position)?;
                }
            }
        }
        Ok(())
    }

    /// Tags the axes that tagged rows have come to have since.
    pub(crate) fn tag_minted_axes(&self, tags: &mut Tags) {
        while (tags.minted as usize) < self.minted.len() {
            let axis = self.minted.get(tags.minted);
            tags.minted += 1;
            let tag = tags.row(axis.var);
            if tag != Tag::Interior {
                tags.raise_dim(Term::var(axis.dim), tag);
            }
        }
    }
}
