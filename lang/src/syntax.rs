//! A program as it is written, names not yet looked up.

use std::rc::Rc;

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Accumulator, Shape};

use crate::composite::{Factor, WrittenConcat, WrittenProduct};
use crate::diagnostic::Diagnostic;
use crate::operator::Primitive;
use crate::shape::Written;
use crate::window::WrittenWindow;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::program::Values;

/// The words of the language. They are no names.
pub(crate) const KEYWORDS: [&str; 22] = [
    "data", "param", "const", "let", "size", "state", "def", "op", "for", "in", "if", "else",
    "use", "as", "backward", "print", "save", "assert", "train", "repeat", "each", "carry",
];

/// The words that begin a line even where a bracket was left open above it. `for` and `if` may stand inside brackets.
pub(crate) const BEGINNINGS: [&str; 7] =
    ["data", "param", "const", "let", "size", "def", "backward"];

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// Statements that stand together, one after the other.
pub(crate) type Block<'a> = Vec<Statement<'a>>;

/// One statement of a program.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    /// `data NAME : SHAPE from …` and `data NAME : SHAPE = …`. `place` is that of the values.
    Data {
        name: Name<'a>,
        shape: Option<Box<Written>>,
        values: Values,
        place: Span,
    },
    /// `param NAME` or `state NAME`, with a shape, an initial value, or both.
    Param {
        name: Name<'a>,
        shape: Option<Box<Written>>,
        initial: Option<Expression<'a>>,
        /// Whether it is a state, which has no gradient.
        state: bool,
    },
    /// `const NAME = NUMBER`, perhaps with a shape.
    Constant {
        name: Name<'a>,
        shape: Option<Box<Written>>,
        value: f64,
    },
    /// `let NAME, … = EXPRESSION`, perhaps with a shape after a single name.
    Let {
        names: Vec<Name<'a>>,
        shape: Option<Box<Written>>,
        expression: Expression<'a>,
    },
    /// `size NAME = SIZE`.
    Size {
        name: Name<'a>,
        expression: Expression<'a>,
    },
    /// `NAME =:+ EXPRESSION` with an optional spec.
    Assign {
        name: Name<'a>,
        accumulator: Accumulator,
        expression: Expression<'a>,
        logic: Option<Logic>,
        /// Names for sizes of labels of the spec.
        captures: Vec<Name<'a>>,
    },
    /// `def NAME(…):` and `def NAME(…)(…):`.
    Def(Box<Definition<'a>>),
    /// `op NAME(…) "SPEC":`
    Op(Box<OperatorDefinition<'a>>),
    /// `for NAME in …:`.
    For(Box<Repetition<'a>>),
    /// `train …:` and `repeat …:`.
    Section(Box<Section<'a>>),
    /// `each epoch:`
    EachEpoch(Box<EachEpoch<'a>>),
    /// `print a, b`.
    Print(Vec<Expression<'a>>),
    /// `save E to "FILE"`.
    Save {
        expression: Expression<'a>,
        path: &'a str,
    },
    /// `assert E` and `assert E : SHAPE`.
    Assert {
        expression: Expression<'a>,
        shape: Option<Box<Written>>,
    },
    /// `backward EXPRESSION`.
    Backward(Expression<'a>),
    /// `use "FILE"`, perhaps with a name for the file. `place` is that of the path with its quotes.
    Use {
        path: &'a str,
        place: Span,
        alias: Option<Name<'a>>,
    },
    /// Expressions on a line of their own: a call, or the results of a function.
    Results(Vec<Expression<'a>>),
}

/// A function that a program defines.
#[derive(Debug)]
pub(crate) struct Definition<'a> {
    pub name: Name<'a>,
    /// The first list.
    pub config: Vec<Formal<'a>>,
    /// The second list, of a function that makes parameters or states.
    pub tensors: Option<Vec<Formal<'a>>>,
    pub body: Block<'a>,
    /// The lists with their parentheses.
    pub lists: Span,
}

/// An operator that a program defines by what it computes at a point.
#[derive(Debug)]
pub(crate) struct OperatorDefinition<'a> {
    pub name: Name<'a>,
    pub operands: Vec<Name<'a>>,
    pub logic: Logic,
    pub lines: Vec<OperatorLine<'a>>,
}

/// `NAME =:+ EXPRESSION` of an operator.
#[derive(Debug)]
pub(crate) struct OperatorLine<'a> {
    pub name: Name<'a>,
    pub accumulator: Accumulator,
    pub expression: Expression<'a>,
}

/// An argument as a function declares it.
#[derive(Debug)]
pub(crate) struct Formal<'a> {
    pub name: Name<'a>,
    /// What it is where a call leaves it out.
    pub default: Option<Expression<'a>>,
}

/// `for NAME in FROM..TO carry NAMES:` or `for NAME in LIST carry NAMES:`.
#[derive(Debug)]
pub(crate) struct Repetition<'a> {
    pub name: Name<'a>,
    pub from: Expression<'a>,
    pub to: Option<Expression<'a>>,
    pub carry: Vec<Name<'a>>,
    pub body: Block<'a>,
    /// `for` to the colon.
    pub header: Span,
}

/// Lines that are repeated when the program runs.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    /// Whether it trains; else it only repeats.
    pub training: bool,
    pub turns: Turns<'a>,
    pub body: Block<'a>,
    /// Its first word to the colon.
    pub header: Span,
}

/// How often a section is repeated.
#[derive(Debug)]
pub(crate) enum Turns<'a> {
    /// `100 steps`
    Steps(Expression<'a>),
    /// `20 epochs by 32 of n shuffled`
    Epochs {
        epochs: Expression<'a>,
        batch: Expression<'a>,
        label: Name<'a>,
        shuffled: bool,
    },
}

/// Lines of a section that run after each epoch.
#[derive(Debug)]
pub(crate) struct EachEpoch<'a> {
    pub body: Block<'a>,
    /// `each` to the colon.
    pub header: Span,
}

impl<'a> Statement<'a> {
    /// The shape that is written after the name.
    pub(crate) fn shape(&self) -> Option<&Written> {
        match self {
            Statement::Data { shape, .. }
            | Statement::Param { shape, .. }
            | Statement::Constant { shape, .. }
            | Statement::Let { shape, .. }
            | Statement::Assert { shape, .. } => shape.as_deref(),
            _ => None,
        }
    }

    /// The names of tensors that the statement defines in its block.
    pub(crate) fn defines(&self) -> &[Name<'a>] {
        match self {
            Statement::Data { name, .. }
            | Statement::Param { name, .. }
            | Statement::Constant { name, .. } => std::slice::from_ref(name),
            Statement::Assign {
                name, accumulator, ..
            } if accumulator.erase => std::slice::from_ref(name),
            Statement::Let { names, .. } => names,
            _ => &[],
        }
    }
}

/// An expression as a list in which operands come before what reads them; the last node is the whole.
///
/// A list and not a tree: the depth of an expression costs no stack.
#[derive(Debug)]
pub(crate) struct Expression<'a> {
    pub nodes: Vec<Node<'a>>,
}

impl<'a> Expression<'a> {
    pub(crate) fn root(&self) -> &Node<'a> {
        self.nodes
            .last()
            .expect("an expression has at least one node")
    }
}

/// A part of an expression.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub kind: NodeKind<'a>,
    pub span: Span,
    /// Whether it stands in parentheses of its own.
    pub grouped: bool,
}

/// What a part of an expression is; other parts are named by their places in the list.
#[derive(Debug)]
pub(crate) enum NodeKind<'a> {
    Name(&'a str),
    Number(f64),
    /// A size with a basis, such as `3_rgb`.
    Size(Dim),
    /// A spec, with the names that brackets after it give to sizes of its labels.
    Text(&'a str, Vec<Name<'a>>),
    /// An operator with its operands.
    Apply(Primitive, Vec<usize>),
    /// `callee(arguments)`.
    Call(usize, Vec<Argument<'a>>),
    /// `of.name`.
    Field(usize, Name<'a>),
    /// `list[number]`.
    Index(usize, usize),
    /// `tensor @| number`.
    Slice(usize, usize),
    /// `[a, b]`.
    List(Vec<usize>),
    /// `[element for name in from..to]` or `[element for name in list]`.
    Each {
        element: usize,
        name: Name<'a>,
        from: usize,
        to: Option<usize>,
    },
    /// `then if condition else otherwise`.
    Choice {
        then: usize,
        condition: usize,
        otherwise: usize,
    },
}

/// An argument of a call.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    pub name: Option<Name<'a>>,
    pub value: usize,
}

/// How an assignment relates the rows of its operands to those of its result.
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
#[derive(Debug)]
pub(crate) struct Spec {
    pub operands: Vec<Template>,
    pub result: Template,
    /// The whole text.
    pub span: Span,
    /// Where it is used, if it stands in another text.
    pub used_at: Option<Span>,
}

impl Spec {
    /// An error about the spec at the place where it is used, if it stands in another text.
    pub(crate) fn placed(&self, mut error: Diagnostic) -> Diagnostic {
        if let Some(at) = &self.used_at {
            error.labels.truncate(1);
            for label in &mut error.labels {
                label.span = at.clone();
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
#[derive(Debug, Default)]
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

    /// The row variable.
    pub(crate) fn variable(&self) -> Option<&Labelled> {
        match &self.open {
            Some(Open::Variable(variable)) => Some(variable),
            Some(Open::Marker) | None => None,
        }
    }
}

/// Where a row can grow.
#[derive(Debug)]
pub(crate) enum Open {
    /// `...` or `..name..`: a row variable. The name of `...` is empty until its kind is known.
    Variable(Labelled),
    /// `<>`: the marker of a row whose axes are all written.
    Marker,
}

/// A name in a row, and its place.
#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    pub name: String,
    pub span: Span,
}

/// An axis of a row.
#[derive(Debug)]
pub(crate) enum Axis {
    /// `label` or `label:SIZE`.
    Label(Labelled, Option<Size>),
    /// A number in a spec: a fixed position, perhaps with the size of its axis.
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
    /// The labels that it has, each with its size if one is stated: those of a window are several.
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
                    Factor::Position { .. } => None,
                });
                labels.collect()
            }
            Axis::Position { .. } | Axis::Size(..) => Vec::new(),
        }
    }

    /// Whether it is a fixed position, or a factor of it is.
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

    /// The sizes that it states of what has no label: positions, and parts that nothing runs over.
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
                    Factor::Label(..) => None,
                });
                positions.collect()
            }
            Axis::Label(..) | Axis::Size(..) | Axis::Window(_) => Vec::new(),
        }
    }

    /// Where it is written.
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

/// What stands after the colon of `label:SIZE`.
#[derive(Debug)]
pub(crate) enum Size {
    Written(Dim),
    /// The name of a size.
    Named(Labelled),
}
