//! The sizes that have names: those of `size` lines, and those of labels in written shapes.

use std::collections::HashMap;

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::Shape;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::{DimTerm, DimVar, RowTerm, RowVar};

use crate::cursor::{Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::shape::Written;
use crate::suggestion::nearest;
use crate::syntax::{Axis, Labelled, Open, Size, Statement, TemplateRow};

/// A size that has a name.
struct Known {
    dim: Dim,
    /// The place of the name where it was given its size.
    span: Span,
    /// The tensor in whose shape it was, for messages; empty for a `size` line.
    owner: String,
}

/// The named sizes of a program. A name means the same size in the whole program, above its definition too.
#[derive(Default)]
pub(crate) struct Sizes {
    known: HashMap<String, Known>,
}

impl Sizes {
    /// Reads the sizes of every statement; a name with two sizes is reported.
    pub(crate) fn new(statements: &[Statement], errors: &mut Vec<Diagnostic>) -> Sizes {
        let mut sizes = Sizes::default();
        for statement in statements {
            if let Statement::Size { name, size } = statement {
                let label = Labelled {
                    name: name.text.into(),
                    span: name.span.clone(),
                };
                sizes.define(&label, size.clone(), "", errors);
            }
            for axis in axes(statement) {
                if let Axis::Label(label, Some(Size::Written(dim))) = axis {
                    sizes.define(label, dim.clone(), statement.name().text, errors);
                }
            }
        }
        // A label may take its size from a name that has one.
        for statement in statements {
            for axis in axes(statement) {
                if let Axis::Label(label, Some(Size::Named(of))) = axis
                    && let Some(known) = sizes.known.get(&of.name)
                {
                    let dim = known.dim.clone();
                    sizes.define(label, dim, statement.name().text, errors);
                }
            }
        }
        sizes
    }

    fn define(&mut self, label: &Labelled, dim: Dim, owner: &str, errors: &mut Vec<Diagnostic>) {
        match self.known.get(&label.name) {
            None => {
                let known = Known {
                    dim,
                    span: label.span.clone(),
                    owner: owner.into(),
                };
                self.known.insert(label.name.clone(), known);
            }
            Some(before) if before.dim == dim => {}
            Some(before) => {
                let within = |owner: &str| match owner {
                    "" => String::new(),
                    owner => format!(" in `{owner}`"),
                };
                let message = format!(
                    "`{}` is {}{} and {dim}{}",
                    label.name,
                    before.dim,
                    within(&before.owner),
                    within(owner)
                );
                errors.push(
                    Diagnostic::new(label.span.clone(), message, format!("{dim} here"))
                        .other(before.span.clone(), format!("{} here", before.dim))
                        .help("a name means one size in the whole program: use another label for one of them"),
                );
            }
        }
    }

    /// The size with this name, if it is known from the text.
    pub(crate) fn of(&self, name: &str) -> Option<&Dim> {
        self.known.get(name).map(|known| &known.dim)
    }

    /// Where a name was given its size.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.known.get(name).map(|known| known.span.clone())
    }

    /// The size after a colon.
    ///
    /// # Errors
    /// When it is a name whose size the text does not say.
    pub(crate) fn stated(&self, size: &Size) -> Parsed<Dim> {
        match size {
            Size::Written(dim) => Ok(dim.clone()),
            Size::Named(name) => match self.of(&name.name) {
                Some(dim) => Ok(dim.clone()),
                None => Err(self.unknown(name)),
            },
        }
    }

    /// The error that a name has no size.
    fn unknown(&self, name: &Labelled) -> Diagnostic {
        let shown = brief(&name.name);
        let error = Diagnostic::new(
            name.span.clone(),
            format!("the size of `{shown}` is not known here"),
            "no line says how large it is",
        );
        let mut names: Vec<&str> = self.known.keys().map(String::as_str).collect();
        names.sort_unstable();
        match nearest(&name.name, names) {
            Some(near) => error.edit(format!("did you mean `{near}`?"), name.span.clone(), near),
            None => error.help(format!(
                "write a number, or name the size on a line of its own: `size {shown} = 128`"
            )),
        }
    }

    /// The rows of a shape all of whose sizes must be known: leading flank, trailing flank.
    ///
    /// # Errors
    /// At the first axis whose size the text does not say, and at `...`.
    pub(crate) fn closed(&self, (shape, _): &Written) -> Parsed<Shape<(Vec<Dim>, Vec<Dim>)>> {
        for row in shape.rows() {
            if let Some(variable) = row.variable() {
                return Err(Diagnostic::new(
                    variable.span.clone(),
                    "the shape of data has no open part",
                    "any number of axes",
                )
                .help("write every axis with its size: data is what all other shapes are inferred from"));
            }
        }
        let flank = |axes: &[Axis]| {
            axes.iter()
                .map(|axis| self.dim(axis))
                .collect::<Parsed<Vec<_>>>()
        };
        let row = |row: &TemplateRow| Ok((flank(&row.leading)?, flank(&row.trailing)?));
        Ok(Shape {
            batch: row(&shape.batch)?,
            input: row(&shape.input)?,
            output: row(&shape.output)?,
        })
    }

    fn dim(&self, axis: &Axis) -> Parsed<Dim> {
        match axis {
            Axis::Size(dim, _) => Ok(dim.clone()),
            Axis::Label(_, Some(size)) => self.stated(size),
            Axis::Label(label, None) => match self.of(&label.name) {
                Some(dim) => Ok(dim.clone()),
                None => Err(self.unknown(label)),
            },
            Axis::Position { span, .. } => unreachable!("a position in a shape at {span:?}"),
        }
    }

    /// The row term of a written row. `...` becomes the row variable `open`; a label that has no size becomes a variable
    /// of the whole program, if `late` allows it.
    ///
    /// # Errors
    /// At a label that has no size, where it must have one.
    pub(crate) fn term(&self, row: &TemplateRow, open: &str, late: bool) -> Parsed<RowTerm> {
        let axis = |axis: &Axis| match axis {
            Axis::Label(label, None) if late && self.of(&label.name).is_none() => {
                Ok(DimTerm::from(DimVar::new(&label.name)))
            }
            axis => self.dim(axis).map(DimTerm::Const),
        };
        let flank = |axes: &[Axis]| axes.iter().map(axis).collect::<Parsed<Vec<_>>>();
        Ok(RowTerm {
            leading: flank(&row.leading)?,
            var: match row.open {
                Some(Open::Variable(_)) => Some(RowVar::new(open)),
                Some(Open::Marker) | None => None,
            },
            trailing: flank(&row.trailing)?,
        })
    }
}

/// The axes of the shape that a statement writes after its name.
fn axes<'s>(statement: &'s Statement) -> impl Iterator<Item = &'s Axis> {
    let rows = statement.shape().map(|(shape, _)| shape.rows());
    rows.into_iter().flatten().flat_map(TemplateRow::axes)
}
