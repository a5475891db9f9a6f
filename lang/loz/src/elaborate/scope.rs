//! Scopes: the values of names during elaboration.

use hashbrown::HashMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Accumulator, Function as Scalar, TensorId};
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::{DimTerm, RowTerm};

use super::sizes::Sizes;
use crate::syntax::operator::Primitive;
use crate::syntax::{Definition, OperatorDefinition};

use super::derivative::Term;

/// A value of an expression, as far as it is known before inference.
#[derive(Clone)]
pub(super) enum Value<'a> {
    /// An error that is already reported.
    Broken,
    /// The value of a function without a result.
    Nothing,
    Number(f64),
    /// A size written with its basis.
    Size(Dim),
    /// A number that inference finds: the product of the sizes of all axes of these rows.
    Late(Rc<Vec<RowTerm>>),
    Tensor(TensorId),
    Text(Text<'a>),
    Function(Rc<Function<'a>>),
    /// A function of the language.
    Builtin(Builtin),
    /// An operator of the program.
    Operator(Rc<Operator<'a>>),
    Instance(Rc<Instance<'a>>),
    List(Rc<Elements<'a>>),
    /// The results of a function with several results.
    Several(Rc<Elements<'a>>),
    /// A file that the program uses under a name.
    Module(Module<'a>),
}

impl Value<'_> {
    /// Tells whether the value may be called, or is not known.
    pub(super) fn may_be_called(&self) -> bool {
        match self {
            Value::Broken
            | Value::Function(_)
            | Value::Builtin(_)
            | Value::Operator(_)
            | Value::Instance(_) => true,
            Value::Nothing
            | Value::Number(_)
            | Value::Size(_)
            | Value::Late(_)
            | Value::Tensor(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Several(_)
            | Value::Module(_) => false,
        }
    }

    /// Returns the sort of value, for messages.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Value::Broken => "an error",
            Value::Nothing => "nothing",
            Value::Number(_) => "a number",
            Value::Size(_) | Value::Late(_) => "a size",
            Value::Tensor(_) => "a tensor",
            Value::Text(_) => "a spec",
            Value::Function(_) | Value::Builtin(_) | Value::Operator(_) => "a function",
            Value::Instance(_) => "a function with its parameters",
            Value::List(_) => "a list",
            Value::Several(_) => "several results",
            Value::Module(_) => "a file",
        }
    }
}

/// The elements of a list, or several results. Lists may stand in each other as deep as a program likes, so that they
/// are dropped one after the other, and not each by the one around it.
#[derive(Clone, Default)]
pub(super) struct Elements<'a>(pub Vec<Value<'a>>);

impl<'a> std::ops::Deref for Elements<'a> {
    type Target = Vec<Value<'a>>;

    fn deref(&self) -> &Vec<Value<'a>> {
        &self.0
    }
}

impl Drop for Elements<'_> {
    fn drop(&mut self) {
        let mut waiting = std::mem::take(&mut self.0);
        while let Some(value) = waiting.pop() {
            if let Value::List(list) | Value::Several(list) = value
                && let Ok(mut inner) = Rc::try_unwrap(list)
            {
                waiting.append(&mut inner.0);
            }
        }
    }
}

/// A spec that is a value.
#[derive(Clone)]
pub(super) struct Text<'a> {
    pub text: &'a str,
    pub span: Span,
    /// The number of its text.
    pub source: usize,
    /// The number of operands that follow those of the text, each in the shape of the result.
    pub beside: usize,
}

/// A file that is used under a name: the scope of its definitions, and its path as written.
#[derive(Clone, Copy)]
pub(super) struct Module<'a> {
    pub scope: usize,
    pub file: &'a str,
}

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Builtin {
    /// A scalar function, or `transpose`.
    Primitive(&'static str, Primitive),
    /// `sum`, `map`, `range` and the like, by its name.
    Named(&'static str),
}

impl Builtin {
    pub(super) fn word(self) -> &'static str {
        match self {
            Builtin::Primitive(word, _) | Builtin::Named(word) => word,
        }
    }
}

/// A function that a program or the prelude defines.
pub(super) struct Function<'a> {
    pub definition: &'a Definition<'a>,
    /// The scope of its file.
    pub scope: usize,
    /// The order below which the function sees the names of its file: those defined before it.
    pub sees: usize,
    /// The number of its text.
    pub source: usize,
}

/// An operator of the program: the function that it computes at a point, and its contributions to the gradients of its
/// operands.
pub(super) struct Operator<'a> {
    pub definition: &'a OperatorDefinition<'a>,
    /// The number of the text that defines it.
    pub source: usize,
    pub function: Scalar,
    pub accumulator: Accumulator,
    pub gradients: Vec<Option<Term>>,
}

/// A function with two argument lists, after a call with the first one.
pub(super) struct Instance<'a> {
    /// The number of instances that were made up to this one.
    pub number: usize,
    pub function: Rc<Function<'a>>,
    pub arguments: Vec<(&'a str, Value<'a>)>,
    /// The names of its parameters begin with this.
    pub path: Path,
    /// True if the instance was called, so that its parameters are there.
    pub is_called: Cell<bool>,
}

/// The prefix of the names of the parameters of an instance.
pub(super) enum Path {
    Named(String),
    /// The instance has no name of its own, and is named after its statement and its function. Several of them are
    /// numbered in the order in which they are first called: the innermost of `dense(2)(relu(dense(8)(x)))` is the
    /// first.
    Inline {
        stem: String,
        ordinals: Ordinals,
        numbered: OnceCell<String>,
    },
}

/// The number of instances that were named after a statement and a function so far.
pub(super) type Ordinals = Rc<RefCell<HashMap<String, usize>>>;

impl Path {
    /// Returns the path, which is determined now if the instance has none yet.
    pub(super) fn get(&self) -> &str {
        match self {
            Path::Named(path) => path,
            Path::Inline {
                stem,
                ordinals,
                numbered,
            } => numbered.get_or_init(|| {
                let mut ordinals = ordinals.borrow_mut();
                let ordinal = ordinals.entry(stem.clone()).or_default();
                *ordinal += 1;
                match *ordinal {
                    1 => stem.clone(),
                    ordinal => format!("{stem}{ordinal}"),
                }
            }),
        }
    }
}

/// A name with its value.
pub(super) struct Binding<'a> {
    pub value: Value<'a>,
    pub span: Span,
    /// The number of names that were defined before it.
    pub order: usize,
    /// True if a loop carries the value over from the previous iteration.
    pub carried: bool,
    /// True if the name comes from another file.
    pub imported: bool,
}

/// The sort of block to which a scope belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    File,
    Call,
    /// An iteration of a loop or of a list.
    Turn,
}

/// The names of a block.
pub(super) struct Scope<'a> {
    pub sort: Sort,
    pub parent: Option<usize>,
    /// The order below which the names of the file are seen in a call.
    pub sees: usize,
    pub names: HashMap<&'a str, Binding<'a>>,
    pub sizes: Sizes,
}

/// All scopes; a scope is identified by its index.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    pub all: Vec<Scope<'a>>,
}

impl<'a> Scopes<'a> {
    /// Finds the scope in which a name is defined as a tensor or another value, going outwards.
    pub(super) fn owner(&self, at: usize, name: &str) -> Option<usize> {
        self.outwards(at).find_map(|(place, sees)| {
            let found = self.all[place].names.get(name)?;
            (found.order < sees).then_some(place)
        })
    }

    pub(super) fn find(&self, at: usize, name: &str) -> Option<&Binding<'a>> {
        self.all[self.owner(at, name)?].names.get(name)
    }

    /// Lists the scopes from one outwards, each with the number of its names that are seen.
    pub(super) fn outwards(&self, at: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut next = Some((at, usize::MAX));
        std::iter::from_fn(move || {
            let (at, sees) = next?;
            let scope = &self.all[at];
            let limit = match scope.sort {
                Sort::Call => scope.sees,
                Sort::File | Sort::Turn => usize::MAX,
            };
            // The limit of a function on the names of its file also holds for the iterations inside it.
            next = scope.parent.map(|parent| (parent, limit));
            Some((at, sees))
        })
    }

    /// Finds the size that a name has in the sizes of scopes or as a value, with the scope that has it.
    pub(super) fn size(&self, at: usize, name: &str) -> Option<(DimTerm, usize)> {
        let mut in_call = false;
        for (place, sees) in self.outwards(at) {
            let scope = &self.all[place];
            let hidden = in_call && scope.sort == Sort::File;
            if let Some(known) = scope.sizes.get(name)
                && (!hidden || known.is_line())
            {
                return Some((known.term.clone(), place));
            }
            if let Some(binding) = scope.names.get(name)
                && binding.order < sees
                && let Some(term) = as_size(&binding.value)
            {
                return Some((term, place));
            }
            in_call |= scope.sort == Sort::Call;
        }
        None
    }
}

/// Makes a value the size of an axis.
pub(super) fn as_size(value: &Value) -> Option<DimTerm> {
    match value {
        Value::Number(number) => super::sizes::whole(*number).map(DimTerm::Const),
        Value::Size(dim) => Some(dim.clone().into()),
        Value::Late(rows) => match rows.as_slice() {
            [row] if row.var.is_none() && row.explicit() == 1 => row.axes().next().cloned(),
            _ => None,
        },
        _ => None,
    }
}
