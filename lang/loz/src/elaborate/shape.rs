//! Written shapes: the meaning of their labels in a scope.

use lozenge_vocabulary::operation::{Kind, Shape};
use lozenge_vocabulary::{DimTerm, DimVar, RowTerm, Tag};
use std::cell::RefCell;

use super::Elaboration;
use super::scope::{Scopes, Sort};
use super::sizes::{self, Meaning};
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::Written;
use crate::syntax::{Axis, Labelled, Name, Open, TemplateRow};
use lozenge_vocabulary::program::Span;

/// The meaning of names of sizes in a scope.
pub(super) struct InScope<'s, 'a> {
    pub scopes: &'s Scopes<'a>,
    pub at: usize,
}

impl Meaning for InScope<'_, '_> {
    fn size(&self, name: &str) -> Option<DimTerm> {
        self.scopes.size(self.at, name).map(|(term, _)| term)
    }

    fn size_names(&self) -> Vec<String> {
        let scopes = self.scopes.outwards(self.at);
        let sizes = scopes.map(|(place, _)| self.scopes.all[place].sizes.names());
        sizes.flatten().cloned().collect()
    }

    fn otherwise(&self, name: &str) -> Option<Diagnostic> {
        let owner = self.scopes.owner(self.at, name)?;
        let binding = &self.scopes.all[owner].names[name];
        // A tensor of the file may have the name of a label; an argument of a function may not.
        if self.scopes.all[owner].sort != Sort::Call {
            return None;
        }
        let shown = brief(name);
        let what = binding.value.word();
        Some(
            Diagnostic::new(
                0..0,
                format!("`{shown}` is {what}, and an axis needs a size"),
                "a size is needed here",
            )
            .help(format!(
                "give `{shown}` a size: configuration stands in the first list, tensors in the second, as in `dense(128)(x)`"
            )),
        )
    }
}

/// Writes a name in the form that the notation of constraints accepts, which has no points in names, no minus, and no
/// digit in front: what stands in a loop at the top level has the number of the iteration there.
pub(super) fn variable(name: &str) -> String {
    let name = name.replace('.', "''").replace('-', "minus'");
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("turn'''{name}"),
        false => name,
    }
}

impl<'a> Elaboration<'a, '_> {
    pub(super) fn meaning(&self) -> InScope<'_, 'a> {
        InScope {
            scopes: &self.scopes,
            at: self.scope,
        }
    }

    /// Makes the name of the variable of a label that has no size: one variable for the whole scope of the label.
    fn label_variable(&self, label: &str, of_param: bool) -> String {
        let frame = self.frame();
        let path = match (&frame.owner, of_param) {
            (Some(owner), true) => owner.as_str(),
            _ => frame.path.as_str(),
        };
        variable(&frame.within(path, label))
    }

    /// Determines the rows of a parameter or a constant whose shape is written.
    pub(super) fn declared(
        &mut self,
        name: &Name,
        full: &str,
        (shape, _): &Written,
        tag: Tag,
    ) -> Parsed<Shape<RowTerm>> {
        let batch = &shape.batch;
        if tag == Tag::Param && (batch.open.is_some() || batch.axes().next().is_some()) {
            return Err(Diagnostic::new(
                batch_place(batch, &name.span),
                "a parameter has no batch axes",
                "it is the same for every instance",
            )
            .help("leave the part before `|` out; a table with a row for each class is `c->p`"));
        }
        let open = |kind: Kind| [&variable(full), "_", kind.word()].concat();
        self.rows(shape, open, (full, tag == Tag::Param))
    }

    /// Determines the rows that a tensor must have.
    pub(super) fn stated(
        &mut self,
        (shape, _): &Written,
        name: &str,
        number: usize,
    ) -> Parsed<Shape<RowTerm>> {
        let open = |kind: Kind| format!("{}'{number}", kind.word());
        self.rows(shape, open, (name, false))
    }

    /// Determines the rows of a shape of `owner`. A label without a size names from here on, in its scope, a size that
    /// inference finds.
    fn rows(
        &mut self,
        shape: &Shape<TemplateRow>,
        open: impl Fn(Kind) -> String,
        (owner, of_param): (&str, bool),
    ) -> Parsed<Shape<RowTerm>> {
        let new = RefCell::new(Vec::new());
        let late = |label: &Labelled| {
            let variable = DimVar::new(&self.label_variable(&label.name, of_param));
            new.borrow_mut().push((label.clone(), variable.clone()));
            variable
        };
        let row = |kind: Kind| {
            let meaning = self.meaning();
            sizes::term(shape.row(kind), &open(kind), Some(&late), &meaning)
        };
        let rows = Shape {
            batch: row(Kind::Batch)?,
            input: row(Kind::Input)?,
            output: row(Kind::Output)?,
        };
        for (label, variable) in new.into_inner() {
            let sizes = &mut self.scopes.all[self.scope].sizes;
            // A label that stands in the shape twice has the same variable both times.
            let _ = sizes.define(&label, variable.into(), owner);
        }
        Ok(rows)
    }
}

/// Returns the place of a batch row that is written.
fn batch_place(row: &TemplateRow, name: &Span) -> Span {
    let axis = row.axes().map(Axis::span);
    let open = row.open.iter().filter_map(|open| match open {
        Open::Variable(variable) => Some(variable.span.clone()),
        Open::Marker => None,
    });
    axis.chain(open)
        .reduce(|whole, next| whole.start.min(next.start)..whole.end.max(next.end))
        .unwrap_or_else(|| name.clone())
}
