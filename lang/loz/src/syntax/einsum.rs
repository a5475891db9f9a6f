//! The syntax tree of specs and shapes: rows, axes, and composite axes.

use std::rc::Rc;

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::Shape;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::window::Mode;

use crate::diagnostic::Diagnostic;

/// A written shape, and its place.
pub(crate) type Written = (Template, Span);

/// The relation between the rows of the operands of an assignment and those of its result.
#[derive(Clone, Debug)]
pub(crate) enum Logic {
    /// `"."`
    Pointwise,
    /// `"@"`
    Compose(Span),
    /// `"T"`
    Transpose(Span),
    /// Any other text.
    Einsum(Rc<Spec>),
}

/// An einsum spec: a template for each operand, and one for the result.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub operands: Vec<Template>,
    pub result: Template,
    /// The whole text.
    pub span: Span,
    /// The place where the spec is used, if it is part of another text.
    pub used_at: Option<Span>,
}

impl Spec {
    /// Moves an error about the spec to the place where it is used, if it is part of another text.
    pub(crate) fn placed(&self, mut error: Diagnostic) -> Diagnostic {
        if let Some(at) = &self.used_at {
            error.labels.truncate(1);
            for label in &mut error.labels {
                label.place = at.clone().into();
            }
            if let Some(help) = &mut error.help {
                help.edits.clear();
            }
        }
        error
    }
}

/// The template of one tensor.
pub(crate) type Template = Shape<TemplateRow>;

/// A row of a template, in the order in which it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateRow {
    pub leading: Vec<Axis>,
    pub open: Option<Open>,
    pub trailing: Vec<Axis>,
}

impl TemplateRow {
    pub(crate) fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.leading.iter().chain(&self.trailing)
    }

    /// Adds an axis at the end.
    pub(crate) fn push(&mut self, axis: Axis) {
        match self.open {
            None => self.leading.push(axis),
            Some(_) => self.trailing.push(axis),
        }
    }

    /// Lists the row variables: that of the row itself, and those that are factors of its axes.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &Labelled> {
        self.variable()
            .into_iter()
            .chain(self.axes().flat_map(Axis::row_factors))
    }

    /// Lists the row variables that are factors of the row's axes, to be given names.
    pub(crate) fn row_factors_mut(&mut self) -> impl Iterator<Item = &mut Labelled> {
        let axes = self.leading.iter_mut().chain(&mut self.trailing);
        let products = axes.filter_map(|axis| match axis {
            Axis::Product(product) => Some(product),
            _ => None,
        });
        products
            .flat_map(|product| &mut product.factors)
            .filter_map(|factor| match factor {
                Factor::Row(row) => Some(row),
                _ => None,
            })
    }

    /// Returns the row variable.
    pub(crate) fn variable(&self) -> Option<&Labelled> {
        match &self.open {
            Some(Open::Variable(variable)) => Some(variable),
            Some(Open::Marker) | None => None,
        }
    }
}

/// The part of a row at which the row can grow.
#[derive(Clone, Debug)]
pub(crate) enum Open {
    /// `...` or `..name..`: a row variable. The name of `...` is empty until its kind is known.
    Variable(Labelled),
    /// `<>`: the marker of a closed row.
    Marker,
}

/// A name in a row, and its place.
#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    pub name: String,
    pub span: Span,
}

/// An axis of a row.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// `label` or `label:SIZE`.
    Label(Labelled, Option<Size>),
    /// A number in a spec: a fixed position, optionally with the size of its axis.
    Position {
        position: u64,
        span: Span,
        size: Option<Size>,
    },
    /// A number in a shape: a size.
    Size(Dim, Span),
    /// A concatenation in a spec, such as `a^b:2`.
    Concat(Box<WrittenConcat>),
    /// A product in a spec, such as `(h:4, d)`.
    Product(Box<WrittenProduct>),
    /// A window in a spec, such as `same(2*y + u:3)`.
    Window(Box<WrittenWindow>),
}

impl Axis {
    /// Lists the labels of the axis, each with its stated size, if any. A composite axis or a window has several.
    pub(crate) fn labels(&self) -> Vec<(&Labelled, Option<&Size>)> {
        match self {
            Axis::Label(label, size) => vec![(label, size.as_ref())],
            Axis::Window(window) => window
                .terms
                .iter()
                .map(|term| (&term.label, term.size.as_ref()))
                .collect(),
            Axis::Concat(concat) => {
                let named = concat.parts.iter().filter(|part| part.is_named());
                named
                    .map(|part| (&part.label, part.size.as_ref()))
                    .collect()
            }
            Axis::Product(product) => {
                let labels = product.factors.iter().filter_map(|factor| match factor {
                    Factor::Label(label, size) => Some((label, size.as_ref())),
                    Factor::Position { .. } | Factor::Row(_) => None,
                });
                labels.collect()
            }
            Axis::Position { .. } | Axis::Size(..) => Vec::new(),
        }
    }

    /// Lists the row variables among its factors.
    pub(crate) fn row_factors(&self) -> impl Iterator<Item = &Labelled> {
        let factors: &[Factor] = match self {
            Axis::Product(product) => &product.factors,
            _ => &[],
        };
        factors.iter().filter_map(|factor| match factor {
            Factor::Row(row) => Some(row),
            _ => None,
        })
    }

    /// Tells whether the axis is a fixed position, or has a factor that is one.
    pub(crate) fn has_positions(&self) -> bool {
        match self {
            Axis::Position { .. } => true,
            Axis::Product(product) => {
                let mut factors = product.factors.iter();
                factors.any(|factor| matches!(factor, Factor::Position { .. }))
            }
            _ => false,
        }
    }

    /// Lists the sizes that the axis states of positions and of parts without labels.
    pub(crate) fn sizes_without_labels(&self) -> Vec<&Size> {
        match self {
            Axis::Position { size, .. } => size.iter().collect(),
            Axis::Concat(concat) => {
                let parts = concat.parts.iter().filter(|part| !part.is_named());
                parts.filter_map(|part| part.size.as_ref()).collect()
            }
            Axis::Product(product) => {
                let positions = product.factors.iter().filter_map(|factor| match factor {
                    Factor::Position { size, .. } => Some(size),
                    Factor::Label(..) | Factor::Row(_) => None,
                });
                positions.collect()
            }
            Axis::Label(..) | Axis::Size(..) | Axis::Window(_) => Vec::new(),
        }
    }

    /// Returns the place where the axis is written.
    pub(crate) fn span(&self) -> Span {
        match self {
            Axis::Size(_, span) | Axis::Position { span, .. } => span.clone(),
            Axis::Label(label, _) => label.span.clone(),
            Axis::Window(window) => window.span.clone(),
            Axis::Concat(concat) => concat.span.clone(),
            Axis::Product(product) => product.span.clone(),
        }
    }
}

/// The size after the colon of `label:SIZE`.
#[derive(Clone, Debug)]
pub(crate) enum Size {
    Written(Dim),
    /// The name of a size.
    Named(Labelled),
}

/// The syntax of a window.
#[derive(Clone, Debug)]
pub(crate) struct WrittenWindow {
    pub mode: Mode,
    /// The label that moves the window, then the taps.
    pub terms: Vec<WindowTerm>,
    /// The cell of a block that is read, if there are no taps.
    pub phase: u64,
    /// The padding: the number of cells that are assumed before the axis, and after it.
    pub margins: [Amount; 2],
    pub span: Span,
}

/// `3*u:5`
#[derive(Clone, Debug)]
pub(crate) struct WindowTerm {
    pub coefficient: Amount,
    pub label: Labelled,
    pub size: Option<Size>,
}

/// A number of cells.
#[derive(Clone, Debug)]
pub(crate) enum Amount {
    Written(u64),
    /// The name of a size that is known before inference.
    Named(Labelled),
}

impl WrittenWindow {
    /// Tells whether the window stays within its axis, whatever the sizes are.
    pub(crate) fn stays_inside(&self) -> bool {
        let none = |amount: &Amount| matches!(amount, Amount::Written(0));
        matches!(self.mode, Mode::Exact | Mode::Floor) && self.margins.iter().all(none)
    }
}

/// The syntax of a concatenation.
#[derive(Clone, Debug)]
pub(crate) struct WrittenConcat {
    pub parts: Vec<Part>,
    pub span: Span,
}

/// A part of a concatenation.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its label with its place. `_` stands for no label: nothing iterates over the part.
    pub label: Labelled,
    pub size: Option<Size>,
}

impl Part {
    /// Tells whether the part has a label, so that something may iterate over it.
    pub(crate) fn is_named(&self) -> bool {
        self.label.name != "_"
    }
}

/// The syntax of a product.
#[derive(Clone, Debug)]
pub(crate) struct WrittenProduct {
    pub factors: Vec<Factor>,
    pub span: Span,
}

/// A factor of a product.
#[derive(Clone, Debug)]
pub(crate) enum Factor {
    Label(Labelled, Option<Size>),
    /// `...` or `..name..`: all axes of a row. The name of `...` is empty until its kind is known.
    Row(Labelled),
    /// A position on an axis of this size.
    Position {
        position: u64,
        span: Span,
        size: Size,
    },
}
