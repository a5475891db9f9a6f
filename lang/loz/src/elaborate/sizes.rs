//! Named sizes: those of `size` lines, and those of labels in written shapes.

use hashbrown::HashMap;
use std::collections::BTreeMap;

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::Shape;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::{DimTerm, DimVar, RowTerm, RowVar};

use crate::diagnostic::nearest_name::nearest;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::Written;
use crate::syntax::{Axis, Labelled, NodeKind, Open, Size, Statement, TemplateRow};

/// A named size.
#[derive(Clone)]
pub(crate) struct Known {
    pub term: DimTerm,
    /// The place at which the name was given its size.
    pub span: Span,
    /// The tensor in whose shape the name was given its size, for messages; empty for a `size` line.
    owner: String,
    /// True if the values of that tensor, or their file, determine the size.
    pub by_values: bool,
    /// True if the size is given from outside.
    given: bool,
    /// True if the size comes from a file that is used.
    imported: bool,
}

impl Known {
    /// Tells whether a `size` line names the size.
    pub(crate) fn is_line(&self) -> bool {
        self.owner.is_empty()
    }

    /// Returns the tensor in whose shape the name was given its size.
    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }
}

/// The named sizes of a block. Within its block a name means a single size, also above its definition.
#[derive(Default)]
pub(crate) struct Sizes {
    known: HashMap<String, Known>,
}

/// The meaning of names of sizes at some place.
pub(crate) trait Meaning {
    /// Finds the size with this name, if it has one.
    fn size(&self, name: &str) -> Option<DimTerm>;

    /// Lists the names that have a size, for suggestions.
    fn size_names(&self) -> Vec<String>;

    /// Returns an error for a name that denotes something other than a size, such as a tensor.
    fn otherwise(&self, _name: &str) -> Option<Diagnostic> {
        None
    }
}

impl Sizes {
    /// Collects the sizes that the statements define; a name with two sizes is reported.
    pub(crate) fn new(statements: &[Statement], errors: &mut Vec<Diagnostic>) -> Sizes {
        Sizes::default().with(statements, errors)
    }

    /// Collects the sizes that the statements define, and those that are given from outside, which replace those of
    /// `size` lines. `others` are names that are defined by files which the program uses.
    pub(crate) fn given(
        given: &BTreeMap<String, u64>,
        statements: &[Statement],
        others: &[&str],
        errors: &mut Vec<Diagnostic>,
    ) -> Sizes {
        let mut sizes = Sizes::default();
        if given.is_empty() {
            return sizes.with(statements, errors);
        }
        let mut names: Vec<&str> = Vec::new();
        let mut bases: HashMap<&str, Basis> = HashMap::new();
        for statement in statements {
            if let Statement::Size { name, .. } = statement {
                names.push(name.text);
            }
            for axis in axes(statement) {
                if let Axis::Label(label, size) = axis {
                    names.push(&label.name);
                    if let Some(Size::Named(of)) = size
                        && let Some(basis) = basis(of)
                    {
                        bases.entry(&label.name).or_insert(basis);
                    }
                }
            }
        }
        for (name, size) in given {
            let basis = bases.remove(name.as_str()).unwrap_or(Basis::Default);
            let dim = Dim::based(*size, basis);
            if dim.is_some() && !names.contains(&name.as_str()) && others.contains(&name.as_str()) {
                continue;
            }
            let (Some(dim), true) = (dim, names.contains(&name.as_str())) else {
                let shown = brief(name);
                let error = Diagnostic::new(
                    0..0,
                    format!("the program has no size `{shown}` that could be {size}"),
                    "given from outside",
                );
                errors.push(match nearest(name, names.iter().copied()) {
                    Some(near) if *size > 0 => error.help(format!("did you mean `{near}`?")),
                    _ => error.help("sizes are the names of `size` lines and the labels of shapes, and at least 1"),
                });
                continue;
            };
            let known = Known {
                term: dim.into(),
                span: 0..0,
                owner: String::new(),
                by_values: false,
                given: true,
                imported: false,
            };
            sizes.known.insert(name.clone(), known);
        }
        sizes.with(statements, errors)
    }

    fn with(mut self, statements: &[Statement], errors: &mut Vec<Diagnostic>) -> Sizes {
        let sizes = &mut self;
        for statement in statements {
            if let Statement::Size { name, expression } = statement
                && let Some(size) = literal(&expression.root().kind)
            {
                let label = Labelled {
                    name: name.text.into(),
                    span: name.span.clone(),
                };
                errors.extend(sizes.define(&label, size.into(), ""));
            }
            for axis in axes(statement) {
                if let Axis::Label(label, Some(Size::Written(dim))) = axis {
                    errors.extend(sizes.define(label, dim.clone().into(), owner(statement)));
                }
            }
        }
        // A label may get its size from a name that has one, so these labels come last.
        for statement in statements {
            for axis in axes(statement) {
                if let Axis::Label(label, Some(Size::Named(of))) = axis
                    && let Some(known) = sizes.known.get(&of.name)
                {
                    let term = known.term.clone();
                    errors.extend(sizes.define(label, term, owner(statement)));
                }
            }
        }
        self
    }

    /// Gives a name the size that the values of a tensor have.
    pub(crate) fn define_by_values(&mut self, label: &Labelled, dim: Dim, owner: &str) {
        self.define(label, dim.into(), owner);
        if let Some(known) = self.known.get_mut(&label.name) {
            known.by_values = true;
        }
    }

    /// Lists the sizes of the `size` lines of this text.
    pub(crate) fn own_lines(&self) -> Vec<(String, DimTerm)> {
        let lines = self.known.iter();
        let own = lines.filter(|(_, known)| known.is_line() && !known.imported);
        own.map(|(name, known)| (name.clone(), known.term.clone()))
            .collect()
    }

    /// Gives a name the size that it has in a file which is used at `place`; returns an error if it has another size.
    pub(crate) fn import(&mut self, name: &str, term: DimTerm, place: &Span) -> Option<Diagnostic> {
        let label = Labelled {
            name: name.into(),
            span: place.clone(),
        };
        let new = !self.known.contains_key(name);
        let error = self.define(&label, term, "");
        if let (true, Some(known)) = (new, self.known.get_mut(name)) {
            known.imported = true;
        }
        error
    }

    /// Gives a name its size; returns an error if it has another size.
    pub(crate) fn define(
        &mut self,
        label: &Labelled,
        term: DimTerm,
        owner: &str,
    ) -> Option<Diagnostic> {
        let Some(before) = self.known.get_mut(&label.name) else {
            let known = Known {
                term,
                span: label.span.clone(),
                owner: owner.into(),
                by_values: false,
                given: false,
                imported: false,
            };
            self.known.insert(label.name.clone(), known);
            return None;
        };
        if before.given && owner.is_empty() {
            // A given size replaces that of the line, but keeps the basis of the line.
            if let (
                DimTerm::Const(Dim::Atom { size, .. }),
                DimTerm::Const(Dim::Atom { basis, .. }),
            ) = (&before.term, &term)
            {
                before.term = DimTerm::Const(Dim::Atom {
                    size: *size,
                    basis: basis.clone(),
                });
            }
            before.span = label.span.clone();
            return None;
        }
        if before.term == term {
            return None;
        }
        let before = &*before;
        let within = |owner: &str| match owner {
            "" => String::new(),
            owner => format!(" in `{owner}`"),
        };
        let message = format!(
            "`{}` is {}{} and {term}{}",
            label.name,
            before.term,
            within(&before.owner),
            within(owner)
        );
        Some(
            Diagnostic::new(label.span.clone(), message, format!("{term} here"))
                .other(before.span.clone(), format!("{} here", before.term))
                .help(
                    "a name means one size in the whole program: use another label for one of them",
                ),
        )
    }

    /// Finds the size with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Known> {
        self.known.get(name)
    }

    /// Finds the first name that has this size, with the place at which it was given the size.
    pub(crate) fn named(&self, term: &DimTerm) -> Option<(String, Span)> {
        let same = self.known.iter().filter(|(_, known)| known.term == *term);
        let (name, known) = same.min_by_key(|(name, known)| (known.span.start, *name))?;
        Some((name.clone(), known.span.clone()))
    }

    /// Lists the names that have a size.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.known.keys()
    }
}

/// Returns the size denoted by a number.
pub(crate) fn literal(kind: &NodeKind) -> Option<Dim> {
    match kind {
        NodeKind::Size(dim) => Some(dim.clone()),
        NodeKind::Number(value) => whole(*value),
        _ => None,
    }
}

/// Reads the basis that follows a colon without a size, as in `n:_image`: a word that begins with `_`. The size is that
/// of the label.
pub(crate) fn basis(of: &Labelled) -> Option<Basis> {
    let name = of.name.strip_prefix('_')?;
    let named = name.starts_with(char::is_alphabetic);
    named.then(|| Basis::named(name))
}

/// Reads a number as a size, if it is a whole number of at least 1.
pub(crate) fn whole(value: f64) -> Option<Dim> {
    const MOST: f64 = (1u64 << 53) as f64;
    let fits = value.fract() == 0.0 && (1.0..MOST).contains(&value);
    fits.then(|| Dim::based(value as u64, Basis::Default))
        .flatten()
}

/// Returns the tensor whose shape contains the labels of the statement.
fn owner<'s>(statement: &'s Statement) -> &'s str {
    statement
        .defines()
        .first()
        .map_or("a shape", |name| name.text)
}

/// Evaluates the size after a colon.
///
/// # Errors
/// If it is a name without a size.
pub(crate) fn stated(size: &Size, meaning: &dyn Meaning) -> Parsed<DimTerm> {
    match size {
        Size::Written(dim) => Ok(dim.clone().into()),
        Size::Named(name) => match meaning.size(&name.name) {
            Some(term) => Ok(term),
            None => Err(unknown(name, meaning)),
        },
    }
}

/// Returns the error that a name has no size.
fn unknown(name: &Labelled, meaning: &dyn Meaning) -> Diagnostic {
    if let Some(mut error) = meaning.otherwise(&name.name) {
        error.labels[0].place = name.span.clone().into();
        return error;
    }
    let shown = brief(&name.name);
    let error = Diagnostic::new(
        name.span.clone(),
        format!("the size of `{shown}` is not known here"),
        "no line says how large it is",
    );
    let mut names = meaning.size_names();
    names.sort_unstable();
    match nearest(&name.name, names.iter().map(String::as_str)) {
        Some(near) => error.edit(format!("did you mean `{near}`?"), name.span.clone(), near),
        None => error.help(format!(
            "write a number, or name the size on a line of its own: `size {shown} = 128`"
        )),
    }
}

/// Evaluates the rows of a shape all of whose sizes must be known: leading flank, trailing flank.
///
/// # Errors
/// At the first axis whose size the text does not state, and at `...`.
pub(crate) fn closed(
    (shape, _): &Written,
    meaning: &dyn Meaning,
) -> Parsed<Shape<(Vec<Dim>, Vec<Dim>)>> {
    for row in shape.rows() {
        if let Some(variable) = row.variable() {
            return Err(Diagnostic::new(
                variable.span.clone(),
                "the shape of data has no open part",
                "any number of axes",
            )
            .help(
                "write every axis with its size: data is what all other shapes are inferred from",
            ));
        }
    }
    let dim = |axis: &Axis| match term_of(axis, None, meaning)? {
        DimTerm::Const(dim) => Ok(dim),
        DimTerm::Var(_) => Err(Diagnostic::new(
            axis.span(),
            "the size of data is needed before inference",
            "inference finds this size",
        )
        .help("write the size as a number")),
    };
    let flank = |axes: &[Axis]| axes.iter().map(dim).collect::<Parsed<Vec<_>>>();
    let row = |row: &TemplateRow| Ok((flank(&row.leading)?, flank(&row.trailing)?));
    Ok(Shape {
        batch: row(&shape.batch)?,
        input: row(&shape.input)?,
        output: row(&shape.output)?,
    })
}

/// Makes the term of an axis of a shape. A label without a size becomes the variable that `late` returns for it.
fn term_of(
    axis: &Axis,
    late: Option<&dyn Fn(&Labelled) -> DimVar>,
    meaning: &dyn Meaning,
) -> Parsed<DimTerm> {
    match axis {
        Axis::Size(dim, _) => Ok(dim.clone().into()),
        Axis::Label(label, Some(size)) => match size {
            Size::Named(of) if basis(of).is_some() => based(label, of, meaning),
            _ => stated(size, meaning),
        },
        Axis::Label(label, None) => match (meaning.size(&label.name), late) {
            (Some(term), _) => Ok(term),
            (None, Some(late)) if meaning.otherwise(&label.name).is_none() => {
                Ok(late(label).into())
            }
            _ => Err(unknown(label, meaning)),
        },
        Axis::Position { .. } | Axis::Window(_) | Axis::Concat(_) | Axis::Product(_) => {
            unreachable!("none of these is in a shape: {:?}", axis.span())
        }
    }
}

/// Evaluates the size of a label to which only a basis is written, as in `n:_image`.
///
/// # Errors
/// If nothing says the size, or if it has another basis: a basis alone states nothing about a size that inference
/// finds.
fn based(label: &Labelled, of: &Labelled, meaning: &dyn Meaning) -> Parsed<DimTerm> {
    let (name, word) = (brief(&label.name), brief(&of.name));
    let whole = label.span.start..of.span.end;
    let term = match meaning.size(&label.name) {
        Some(DimTerm::Const(dim)) => dim,
        Some(DimTerm::Var(_)) | None => {
            let message =
                format!("nothing says how large `{name}` is, to which `{word}` gives a basis");
            return Err(Diagnostic::new(whole, message, "a basis without a size").help(format!(
                "write both, as in `{name}:8{word}`: the basis alone stands where the values of data say the size"
            )));
        }
    };
    match &term {
        Dim::Atom { basis: of_size, .. } if Some(of_size) == basis(of).as_ref() => Ok(term.into()),
        _ => Err(Diagnostic::new(
            whole.clone(),
            format!("`{name}` is `{term}`, whose basis is not `{word}`"),
            "another basis",
        )
        .edit(
            format!("write `{name}` alone: it has its size and its basis already"),
            whole,
            label.name.as_str(),
        )),
    }
}

/// Makes the row term of a written row. `...` becomes the row variable `open`; a label without a size becomes the
/// variable that `late` returns for it, where that is allowed.
///
/// # Errors
/// At a label without a size, where one is required.
pub(crate) fn term(
    row: &TemplateRow,
    open: &str,
    late: Option<&dyn Fn(&Labelled) -> DimVar>,
    meaning: &dyn Meaning,
) -> Parsed<RowTerm> {
    let flank = |axes: &[Axis]| {
        let terms = axes.iter().map(|axis| term_of(axis, late, meaning));
        terms.collect::<Parsed<Vec<_>>>()
    };
    Ok(RowTerm {
        leading: flank(&row.leading)?,
        var: match row.open {
            Some(Open::Variable(_)) => Some(RowVar::new(open)),
            Some(Open::Marker) | None => None,
        },
        trailing: flank(&row.trailing)?,
    })
}

/// Lists the axes of the shape that a statement writes after its name.
pub(crate) fn axes<'s>(statement: &'s Statement) -> impl Iterator<Item = &'s Axis> {
    let rows = statement.shape().map(|(shape, _)| shape.rows());
    rows.into_iter().flatten().flat_map(TemplateRow::axes)
}
