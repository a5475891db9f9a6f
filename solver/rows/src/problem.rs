//! A constraint set in interned form, and how it is built.

mod arrangement;
mod checksum;
mod constants;
mod declarations;
mod growth;
pub(crate) mod handle;

pub(crate) mod names;
mod numbered;
mod reading;
pub(crate) mod text_lines;
mod vocabulary;
mod zeros;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use lozenge_vocabulary::{Composite, Elements, Flat, Order, RowVar, Tag, Var, Window};

use constants::Constants;
use declarations::{Declarations, VarId};
pub(crate) use growth::Size;

use crate::ids::{
    AssertedId, CompositeId, DimVarId, ElementsId, FlatId, Id, IdVec, LeastSizeId, RowTermId,
    RowVarId, WindowId,
};
use crate::options::Options;
use crate::problem::handle::{ConstraintId, DimRef, Identity, ProblemError, RowRef};

use crate::problem::names::Names;
use crate::problem::text_lines::TextLines;
use crate::problem::zeros::Occurrences;
use crate::term::{RowId, Term};
use crate::tracked::make_room;

/// One constraint: for dimensions two terms, for rows the number of its left row; the right one follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asserted {
    DimEq(Term, Term),
    DimLe(Term, Term),
    RowEq(RowTermId),
    RowLe(RowTermId),
    /// A window, by its number.
    Window(WindowId),
    /// An axis that is made of others, by its number.
    Composite(CompositeId),
    /// A product with rows among its factors, by its number.
    Elements(ElementsId),
    Flat(FlatId),
    /// A term and the number of its least size.
    AtLeast(Term, LeastSizeId),
}

/// A constraint set in interned form: names, atoms and bases are numbers, axes lie in one arena.
///
/// It only grows. Build it from text ([`Problem::parse`]), from a [`ConstraintSet`](lozenge_vocabulary::ConstraintSet),
/// or term by term.
#[derive(Debug, Default)]
pub struct Problem {
    identity: Identity,
    pub(crate) dim_names: Names<DimVarId>,
    pub(crate) row_names: Names<RowVarId>,
    pub(crate) constants: Constants,
    pub(crate) terms: Vec<Term>,
    pub(crate) rows: Vec<RowId>,
    pub(crate) asserted: Vec<Asserted>,
    pub(crate) windows: IdVec<WindowId, Window<Term>>,
    pub(crate) composites: IdVec<CompositeId, Composite<Term>>,
    pub(crate) elements: IdVec<ElementsId, Elements<Term, RowTermId>>,
    pub(crate) flats: IdVec<FlatId, Flat<Term, RowTermId>>,
    pub(crate) least_sizes: IdVec<LeastSizeId, NonZeroU64>,
    /// The byte range of each constraint in the text, when there is one.
    pub(crate) spans: Vec<(u32, u32)>,
    /// The text that was parsed, when there is one.
    pub(crate) text: Option<Arc<TextLines>>,
    /// The settings with which it is solved. A part of it, or a case, is solved with the same ones.
    pub(crate) options: Options,
    declarations: Declarations,
    /// The variables that may be 0, in the order in which they were declared.
    pub(crate) summands: Vec<DimVarId>,
    /// The occurrences of the summands.
    pub(crate) occurrences: Occurrences,
    /// The variables that are 0. No constraint mentions them.
    pub(crate) zeros: BTreeSet<DimVarId>,
    /// True if other variables may be 0 instead, so that no value is forced.
    pub(crate) zeros_are_open: bool,
    purposes: BTreeMap<Var, Arc<str>>,
    /// The labels that embedders give some constraints, by their numbers.
    labels: BTreeMap<AssertedId, Arc<str>>,
    /// The number of names that have been made up.
    fresh: u32,
}

/// A copy accepts the references that were made before it was taken, and has a brand of its own.
impl Clone for Problem {
    fn clone(&self) -> Problem {
        Problem {
            identity: self.identity.of_copy(self.extent()),
            dim_names: self.dim_names.clone(),
            row_names: self.row_names.clone(),
            constants: self.constants.clone(),
            terms: self.terms.clone(),
            rows: self.rows.clone(),
            asserted: self.asserted.clone(),
            windows: self.windows.clone(),
            composites: self.composites.clone(),
            elements: self.elements.clone(),
            flats: self.flats.clone(),
            least_sizes: self.least_sizes.clone(),
            spans: self.spans.clone(),
            text: self.text.clone(),
            options: self.options,
            declarations: self.declarations.clone(),
            summands: self.summands.clone(),
            occurrences: self.occurrences.clone(),
            zeros: self.zeros.clone(),
            zeros_are_open: self.zeros_are_open,
            purposes: self.purposes.clone(),
            labels: self.labels.clone(),
            fresh: self.fresh,
        }
    }
}

impl Problem {
    /// Returns the empty problem.
    pub fn new() -> Problem {
        Problem::default()
    }

    /// Makes room for so many more constraints between rows and so many more row variables, whose names have so many
    /// bytes together: growing a large table by doubling costs as much as filling it.
    pub fn make_room(&mut self, constraints: usize, row_variables: usize, name_bytes: usize) {
        self.asserted.reserve(constraints);
        self.rows.reserve(2 * constraints);
        self.row_names.reserve(row_variables, name_bytes);
    }

    /// Returns the problem with other settings.
    pub(crate) fn with_options(self, options: Options) -> Problem {
        Problem { options, ..self }
    }

    /// Returns the meaning of `<=` between rows.
    pub(crate) fn order(&self) -> Order {
        self.options.order
    }

    /// Counts the constraints.
    pub fn len(&self) -> usize {
        self.asserted.len()
    }

    /// Says whether there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.asserted.is_empty()
    }

    /// Returns the dimension variable with this name.
    ///
    /// # Errors
    /// When the notation does not allow the name.
    pub fn dim(&mut self, name: &str) -> Result<DimRef, ProblemError> {
        self.check_name(name)?;
        let term = self.intern_dim(name);
        Ok(self.dim_ref(term))
    }

    /// Returns a dimension variable that the problem has not mentioned yet; its name begins with `hint`.
    ///
    /// # Errors
    /// When the notation does not allow the hint as a name.
    pub fn fresh_dim(&mut self, hint: &str) -> Result<DimRef, ProblemError> {
        self.check_name(hint)?;
        let name = self.unused(hint, |problem, name| problem.dim_names.find(name).is_none());
        let term = self.intern_dim(&name);
        Ok(self.dim_ref(term))
    }

    /// Returns the atom of this size with the basis `default`.
    pub fn size(&mut self, size: NonZeroU64) -> DimRef {
        let term = self.intern_size(size);
        self.dim_ref(term)
    }

    /// Returns the atom of this size with a basis.
    ///
    /// # Errors
    /// When the notation does not allow the name of the basis.
    pub fn atom(&mut self, size: NonZeroU64, basis: &str) -> Result<DimRef, ProblemError> {
        self.check_name(basis)?;
        let term = Term::constant(self.constants.atom(size, Some(basis)));
        Ok(self.dim_ref(term))
    }

    /// Returns the claim-free unit `1∅`.
    pub fn unit(&self) -> DimRef {
        self.dim_ref(Term::UNIT)
    }

    /// Returns the row term `leading · ⟨var⟩ · trailing`, or `leading · ⋄ · trailing` without a variable (Def. 3.1).
    ///
    /// # Errors
    /// When an axis belongs to another problem, or the notation does not allow the name.
    pub fn row(
        &mut self,
        leading: &[DimRef],
        var: Option<&str>,
        trailing: &[DimRef],
    ) -> Result<RowRef, ProblemError> {
        let (leading, trailing) = (self.own_terms(leading)?, self.own_terms(trailing)?);
        if let Some(name) = var {
            self.check_name(name)?;
        }
        let row = self.intern_row(&leading, var, &trailing);
        Ok(self.row_ref(row))
    }

    /// Returns the row term `leading · row · trailing`: more axes around another row term.
    ///
    /// # Errors
    /// When an axis or the row belongs to another problem.
    pub fn around(
        &mut self,
        leading: &[DimRef],
        row: RowRef,
        trailing: &[DimRef],
    ) -> Result<RowRef, ProblemError> {
        let (mut lead, mut trail) = (self.own_terms(leading)?, self.own_terms(trailing)?);
        let inner = self.own_row(row)?;
        let start = inner.start as usize;
        let middle = start + inner.lead as usize;
        lead.extend_from_slice(&self.terms[start..middle]);
        trail.splice(
            0..0,
            self.terms[middle..middle + inner.trail as usize]
                .iter()
                .copied(),
        );
        let row = self.row_of(&lead, inner.var, &trail);
        Ok(self.row_ref(row))
    }

    /// Returns a row variable that the problem has not mentioned yet, as a row term; its name begins with `hint`.
    ///
    /// # Errors
    /// When the notation does not allow the hint as a name.
    pub fn fresh_row(&mut self, hint: &str) -> Result<RowRef, ProblemError> {
        self.check_name(hint)?;
        let name = self.unused(hint, |problem, name| problem.row_names.find(name).is_none());
        let row = self.intern_row(&[], Some(&name), &[]);
        Ok(self.row_ref(row))
    }

    /// Returns the row variable in a row term, by its name in the notation; `None` for a closed row.
    ///
    /// # Errors
    /// When the row belongs to another problem.
    pub fn variable(&self, row: RowRef) -> Result<Option<RowVar>, ProblemError> {
        let row = self.own_row(row)?;
        Ok(row.var.map(|var| self.row_var(var)))
    }

    fn check_name(&self, name: &str) -> Result<(), ProblemError> {
        match name.parse::<Var>() {
            Ok(Var::Dim(var)) if var.name() == name => Ok(()),
            _ => Err(ProblemError::Name(name.to_string())),
        }
    }

    /// Returns a name that begins with `hint` and that is unused.
    fn unused(&mut self, hint: &str, is_unused: impl Fn(&Problem, &str) -> bool) -> String {
        let mut name = hint.to_string();
        while !is_unused(self, &name) {
            self.fresh += 1;
            name = format!("{hint}'{}", self.fresh);
        }
        name
    }

    fn dim_ref(&self, term: Term) -> DimRef {
        DimRef {
            term,
            brand: self.identity.own,
        }
    }

    fn row_ref(&self, row: RowId) -> RowRef {
        RowRef {
            row,
            brand: self.identity.own,
        }
    }

    fn constraint_id(&self, index: usize) -> ConstraintId {
        ConstraintId {
            id: AssertedId::at(index),
            brand: self.identity.own,
        }
    }

    pub(crate) fn own_term(&self, dim: DimRef) -> Result<Term, ProblemError> {
        self.identity.term(dim, self.extent())
    }

    fn own_terms(&self, dims: &[DimRef]) -> Result<Vec<Term>, ProblemError> {
        dims.iter().map(|dim| self.own_term(*dim)).collect()
    }

    pub(crate) fn own_row(&self, row: RowRef) -> Result<RowId, ProblemError> {
        self.identity.row(row, self.extent())
    }

    /// Adds `left = right`.
    ///
    /// # Errors
    /// When a side belongs to another problem.
    pub fn equal_dims(
        &mut self,
        left: DimRef,
        right: DimRef,
    ) -> Result<ConstraintId, ProblemError> {
        let (left, right) = (self.own_term(left)?, self.own_term(right)?);
        self.state(Asserted::DimEq(left, right))
    }

    /// Adds `result ⊑ operand`.
    ///
    /// # Errors
    /// When a side belongs to another problem.
    pub fn below_dims(
        &mut self,
        result: DimRef,
        operand: DimRef,
    ) -> Result<ConstraintId, ProblemError> {
        let (result, operand) = (self.own_term(result)?, self.own_term(operand)?);
        self.state(Asserted::DimLe(result, operand))
    }

    /// Adds `left ≈ right`.
    ///
    /// # Errors
    /// When a side belongs to another problem.
    pub fn equal_rows(
        &mut self,
        left: RowRef,
        right: RowRef,
    ) -> Result<ConstraintId, ProblemError> {
        let (left, right) = (self.own_row(left)?, self.own_row(right)?);
        let at = self.pair(left, right);
        self.state(Asserted::RowEq(at))
    }

    /// Adds `result ⊑ operand`.
    ///
    /// # Errors
    /// When a side belongs to another problem.
    pub fn below_rows(
        &mut self,
        result: RowRef,
        operand: RowRef,
    ) -> Result<ConstraintId, ProblemError> {
        let (result, operand) = (self.own_row(result)?, self.own_row(operand)?);
        let at = self.pair(result, operand);
        self.state(Asserted::RowLe(at))
    }

    fn state(&mut self, asserted: Asserted) -> Result<ConstraintId, ProblemError> {
        make_room(&mut self.asserted, 1);
        self.asserted.push(asserted);
        Ok(self.constraint_id(self.asserted.len() - 1))
    }

    /// Gives a constraint a label, for instance the place in a program that it comes from. Refusals and derivations
    /// that cite the constraint cite the label.
    ///
    /// # Errors
    /// When the constraint belongs to another problem.
    pub fn label(&mut self, constraint: ConstraintId, label: &str) -> Result<(), ProblemError> {
        let id = self.identity.constraint(constraint, self.extent())?;
        self.labels.insert(id, label.into());
        Ok(())
    }

    /// Returns the label of the constraint with a number.
    pub fn label_of(&self, index: usize) -> Option<&str> {
        let known = (index < self.asserted.len()).then(|| AssertedId::at(index))?;
        self.labels.get(&known).map(|label| &**label)
    }

    pub(crate) fn intern_dim(&mut self, name: &str) -> Term {
        Term::var(self.dim_names.intern(name))
    }

    pub(crate) fn intern_size(&mut self, size: NonZeroU64) -> Term {
        Term::constant(self.constants.atom(size, None))
    }

    pub(crate) fn intern_row(
        &mut self,
        leading: &[Term],
        var: Option<&str>,
        trailing: &[Term],
    ) -> RowId {
        let var = var.map(|name| self.row_names.intern(name));
        self.row_of(leading, var, trailing)
    }

    pub(crate) fn row_of(
        &mut self,
        leading: &[Term],
        var: Option<RowVarId>,
        trailing: &[Term],
    ) -> RowId {
        let start = self.terms.len() as u32;
        self.terms.extend_from_slice(leading);
        self.terms.extend_from_slice(trailing);
        RowId {
            start,
            lead: leading.len() as u32,
            trail: trailing.len() as u32,
            var,
        }
    }

    /// Keeps two rows side by side, and returns the number of the first.
    pub(crate) fn pair(&mut self, left: RowId, right: RowId) -> RowTermId {
        let at = RowTermId::at(self.rows.len());
        make_room(&mut self.rows, 2);
        self.rows.extend([left, right]);
        at
    }

    pub(crate) fn assert_dim_eq(&mut self, left: Term, right: Term) {
        self.asserted.push(Asserted::DimEq(left, right));
    }

    pub(crate) fn assert_dim_le(&mut self, result: Term, operand: Term) {
        self.asserted.push(Asserted::DimLe(result, operand));
    }

    pub(crate) fn assert_window(&mut self, window: Window<Term>) {
        let at = self.windows.push(window);
        self.asserted.push(Asserted::Window(at));
    }

    pub(crate) fn assert_composite(&mut self, composite: Composite<Term>) {
        let at = self.composites.push(composite);
        self.asserted.push(Asserted::Composite(at));
    }

    pub(crate) fn assert_elements(&mut self, elements: Elements<Term, RowId>) {
        let rows = &mut self.rows;
        let elements = elements.map(
            |term| *term,
            |row| {
                rows.push(*row);
                RowTermId::at(rows.len() - 1)
            },
        );
        let at = self.elements.push(elements);
        self.asserted.push(Asserted::Elements(at));
    }

    pub(crate) fn assert_flat(&mut self, flat: Flat<Term, RowId>) {
        let rows = &mut self.rows;
        let flat = flat.map(
            |term| *term,
            |row| {
                rows.push(*row);
                RowTermId::at(rows.len() - 1)
            },
        );
        let at = self.flats.push(flat);
        self.asserted.push(Asserted::Flat(at));
    }

    pub(crate) fn assert_at_least(&mut self, dim: Term, size: NonZeroU64) {
        let at = self.least_sizes.push(size);
        self.asserted.push(Asserted::AtLeast(dim, at));
    }

    /// Says whether a constraint is about sizes.
    pub(crate) fn has_sizes(&self) -> bool {
        !(self.windows.is_empty()
            && self.composites.is_empty()
            && self.elements.is_empty()
            && self.least_sizes.is_empty())
    }

    pub(crate) fn assert_row_eq(&mut self, left: RowId, right: RowId) {
        let at = self.pair(left, right);
        self.asserted.push(Asserted::RowEq(at));
    }

    pub(crate) fn assert_row_le(&mut self, result: RowId, operand: RowId) {
        let at = self.pair(result, operand);
        self.asserted.push(Asserted::RowLe(at));
    }

    /// Says where a variable comes from, which decides how it is closed (Def. 6.1).
    ///
    /// # Errors
    /// The tag that it has already, when that is another one.
    pub fn declare(&mut self, var: &Var, tag: Tag) -> Result<(), Tag> {
        let var = self.intern_var(var);
        self.declarations.declare(var, tag)
    }

    /// Declares a variable, which may have been declared with another tag before.
    pub fn redeclare(&mut self, var: &Var, tag: Tag) {
        let var = self.intern_var(var);
        self.declarations.redeclare(var, tag);
    }

    fn intern_var(&mut self, var: &Var) -> VarId {
        match var {
            Var::Dim(var) => VarId::Dim(self.dim_names.intern(var.name())),
            Var::Row(var) => VarId::Row(self.row_names.intern(var.name())),
        }
    }

    /// Says in words what a variable is for; a refusal that mentions it will say so.
    pub fn purpose(&mut self, var: &Var, purpose: &str) {
        self.purposes.insert(var.clone(), purpose.into());
    }

    /// Returns the purpose of a variable: what was said of it, or else its tag.
    pub fn purpose_of(&self, var: &Var) -> &str {
        match self.purposes.get(var) {
            Some(purpose) => purpose,
            None => self.tag(var).word(),
        }
    }

    /// Returns the tag of a variable.
    pub fn tag(&self, var: &Var) -> Tag {
        match var {
            Var::Dim(var) => self.tag_of_dim(var.name()),
            Var::Row(var) => self.tag_of_row(var.name()),
        }
    }

    fn tag_of_dim(&self, name: &str) -> Tag {
        let id = self.dim_names.find(name);
        id.map_or(Tag::Interior, |id| self.dim_tag(id))
    }

    fn tag_of_row(&self, name: &str) -> Tag {
        let id = self.row_names.find(name);
        id.map_or(Tag::Interior, |id| self.row_tag(id))
    }

    pub(crate) fn dim_tag(&self, id: DimVarId) -> Tag {
        self.declarations.dim(id)
    }

    pub(crate) fn row_tag(&self, id: RowVarId) -> Tag {
        self.declarations.row(id)
    }

    /// Returns a dimension variable for an axis that a row variable comes to have.
    pub(crate) fn unnamed_dim(&mut self, tag: Tag) -> Term {
        let id = self.dim_names.unnamed();
        self.declarations.give(VarId::Dim(id), tag);
        Term::var(id)
    }

    /// Returns a row variable for what another one holds between its known flanks.
    pub(crate) fn unnamed_row(&mut self, tag: Tag) -> RowVarId {
        let id = self.row_names.unnamed();
        self.declarations.give(VarId::Row(id), tag);
        id
    }

    /// Returns the byte range of a constraint in the text that was parsed.
    pub fn span(&self, index: usize) -> Option<Range<usize>> {
        let (start, end) = *self.spans.get(index)?;
        Some(start as usize..end as usize)
    }

    /// Returns the lines of the text that was parsed.
    pub(crate) fn lines(&self) -> Arc<TextLines> {
        self.text.clone().unwrap_or_default()
    }
}
