//! The syntax tree of a program, before its names are resolved.

mod einsum;
mod few;
pub(crate) mod operator;
pub(crate) mod region;

pub(crate) use einsum::{
    Amount, Axis, Factor, Labelled, Logic, Open, Part, Size, Spec, Template, TemplateRow,
    WindowTerm, Written, WrittenConcat, WrittenProduct, WrittenWindow,
};
pub(crate) use few::Few;

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::Accumulator;
use smallvec::SmallVec;

use crate::syntax::operator::Primitive;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::program::Values;

/// The keywords of the language. They cannot be names, except for [`NAMES_ELSEWHERE`].
pub(crate) const KEYWORDS: [&str; 22] = [
    "data", "param", "const", "let", "size", "state", "def", "op", "for", "in", "if", "else",
    "use", "as", "backward", "print", "save", "assert", "train", "repeat", "each", "carry",
];

/// The keywords that are names wherever they do not begin the header of a section: data to train on is called `train`.
pub(crate) const NAMES_ELSEWHERE: [&str; 2] = ["train", "each"];

/// Tells whether a word is a keyword of the language that cannot be a name.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) && !NAMES_ELSEWHERE.contains(&word)
}

/// The words that begin a statement even if a bracket was left open above it. `for` and `if` are not among them,
/// because they may occur inside brackets.
pub(crate) const BEGINNINGS: [&str; 7] =
    ["data", "param", "const", "let", "size", "def", "backward"];

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// A sequence of statements.
pub(crate) type Block<'a> = Vec<Statement<'a>>;

/// One statement of a program.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    /// `data NAME : SHAPE from …` and `data NAME : SHAPE = …`. `place` is that of the values.
    Data {
        name: Name<'a>,
        shape: Option<Box<Written>>,
        values: Values,
        /// True for a single number without brackets, which is the value of every cell.
        everywhere: bool,
        place: Span,
    },
    /// `param NAME` or `state NAME`, optionally with a shape and an initial value.
    Param {
        name: Name<'a>,
        shape: Option<Box<Written>>,
        initial: Option<Expression<'a>>,
        /// True for a `state` line, whose tensor has no gradient; false for a `param` line.
        state: bool,
    },
    /// `const NAME = NUMBER`, optionally with a shape.
    Constant {
        name: Name<'a>,
        shape: Option<Box<Written>>,
        value: f64,
    },
    /// `let NAME, … = EXPRESSION`, optionally with a shape after a single name.
    Let {
        names: Few<Name<'a>>,
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
    Print(Few<Expression<'a>>),
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
    /// `use "FILE"`, optionally with a name for the file. `place` is that of the path with its quotes.
    Use {
        path: &'a str,
        place: Span,
        alias: Option<Name<'a>>,
    },
    /// Expressions on a line of their own: a call, or the results of a function.
    Results(Few<Expression<'a>>),
}

/// A function that a program defines.
#[derive(Debug)]
pub(crate) struct Definition<'a> {
    pub name: Name<'a>,
    /// The first argument list.
    pub config: Vec<Formal<'a>>,
    /// The second argument list, of a function that creates parameters or states.
    pub tensors: Option<Vec<Formal<'a>>>,
    pub body: Block<'a>,
    /// The argument lists with their parentheses.
    pub lists: Span,
}

/// An operator that a program defines by its function at a point.
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
    /// Its value if a call omits it.
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
    /// The header from `for` to the colon.
    pub header: Span,
}

/// Lines that are repeated when the program runs.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    /// True for a `train` section, false for a `repeat` section.
    pub training: bool,
    pub turns: Turns<'a>,
    pub body: Block<'a>,
    /// The header from its first word to the colon.
    pub header: Span,
}

/// The number of times that a section is repeated.
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
    /// The header from `each` to the colon.
    pub header: Span,
}

impl<'a> Statement<'a> {
    /// Returns the shape that is written after the name.
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

    /// Returns the names of tensors that the statement defines in its block.
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

/// An expression as a list of nodes in which operands precede the nodes that read them; the last node is the whole
/// expression.
///
/// It is a list and not a tree, so that deep expressions do not overflow the call stack.
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
    /// True if the part is enclosed in parentheses of its own.
    pub grouped: bool,
}

/// The form of a part of an expression; other parts are identified by their indices in the list.
#[derive(Debug)]
pub(crate) enum NodeKind<'a> {
    Name(&'a str),
    Number(f64),
    /// A size with a basis, such as `3_rgb`.
    Size(Dim),
    /// A spec, with the names that brackets after it give to sizes of its labels.
    Text(&'a str, Vec<Name<'a>>),
    /// An operator with its operands.
    Apply(Primitive, Operands),
    /// `callee(arguments)`.
    Call(usize, Arguments<'a>),
    /// `of.name`.
    Field(usize, Name<'a>),
    /// `list[number]`.
    Index(usize, usize),
    /// `tensor @| number`, and `tensor @| (number, _)` with a place for each batch axis.
    Slice(usize, Vec<Place>),
    /// `[a, b]`.
    List(Vec<usize>),
    /// `[element for name in from..to]` or `[element for name in list]`.
    Each(Box<Each<'a>>),
    /// `then if condition else otherwise`.
    Choice {
        then: usize,
        condition: usize,
        otherwise: usize,
    },
}

/// The operands of an operator, two at most.
pub(crate) type Operands = SmallVec<[usize; 2]>;

/// `[element for name in from..to]`.
#[derive(Debug)]
pub(crate) struct Each<'a> {
    pub element: usize,
    pub name: Name<'a>,
    pub from: usize,
    pub to: Option<usize>,
}

/// The part of a batch axis that a slice takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// `_`: the whole axis.
    Whole,
    /// One position of it, given by another part of the expression.
    At(usize),
}

/// The arguments of a call. Most calls have one, which takes no room of its own.
pub(crate) type Arguments<'a> = Few<Argument<'a>>;

/// An argument of a call.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    pub name: Option<Box<Name<'a>>>,
    pub value: usize,
}
