//! Types as written to types of the graph. Names hold in the function that writes them and in those inside it.

use lozenge_axon_vocabulary::{DimId, Equation, Piece, Variable, Word};
use lozenge_diagnostic::nearest_name::nearest;
use lozenge_diagnostic::{Diagnostic, Parsed, brief};
use rustc_hash::FxHashMap;

use super::types::{ELEMENTS, Element, ElementId, Level, Type, TypeId, Types};
use crate::Span;
use crate::parse::types::operation;
use crate::syntax;

/// The names of the types that a function writes.
#[derive(Default)]
pub(super) struct Scope {
    variables: FxHashMap<Box<str>, Variable>,
    elements: FxHashMap<Box<str>, ElementId>,
    any: FxHashMap<Box<str>, TypeId>,
    /// The names in the order in which they were written first.
    pub(super) written: Vec<Written>,
}

/// A name of an annotation.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) text: Box<str>,
    pub(super) is_rigid: bool,
    pub(super) variable: Variable,
    pub(super) span: Span,
}

/// Reads types with the names of the functions around them; the innermost scope is the last.
pub(super) struct Annotations<'s> {
    pub(super) types: &'s mut Types,
    pub(super) scopes: Vec<&'s mut Scope>,
    pub(super) level: Level,
    /// The fact that the types are those of inputs, and no function was among them so far.
    pub(super) is_input: bool,
    /// Terms that divide, and operators on axes: each has to have a value of at least 1.
    pub(super) positive: Vec<Equation>,
}

impl Annotations<'_> {
    /// Makes the type.
    ///
    /// # Errors
    /// If a name is used for a shape and for a dimension.
    pub(super) fn type_of(&mut self, written: &syntax::Type) -> Parsed<TypeId> {
        match written {
            syntax::Type::Tensor { element, shape } => {
                let element = self.element(element);
                let word = self.word(shape)?;
                Ok(self.types.add(Type::Tensor(element, word)))
            }
            syntax::Type::Tuple(parts, _) => {
                let parts: Parsed<Box<[TypeId]>> =
                    parts.iter().map(|part| self.type_of(part)).collect();
                let parts = parts?;
                Ok(self.types.add(Type::Tuple(parts)))
            }
            syntax::Type::Function(parameters, result, _) => {
                self.is_input = false;
                let parameters: Parsed<Box<[TypeId]>> =
                    parameters.iter().map(|part| self.type_of(part)).collect();
                let (parameters, result) = (parameters?, self.type_of(result)?);
                Ok(self.types.add(Type::Function(parameters, result)))
            }
            syntax::Type::Any(word) => {
                let known = self
                    .scopes
                    .last()
                    .and_then(|scope| scope.any.get(&word.text));
                if let Some(known) = known {
                    return Ok(*known);
                }
                let made = self.types.unknown(self.level);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.any.insert(word.text.clone(), made);
                }
                Ok(made)
            }
        }
    }

    fn element(&mut self, word: &syntax::Word) -> ElementId {
        if let Some(known) = ELEMENTS.iter().find(|known| ***known == *word.text) {
            return self.types.add_element(Element::Known(known));
        }
        let mut scopes = self.scopes.iter().rev();
        if let Some(found) = scopes.find_map(|scope| scope.elements.get(&word.text)) {
            return *found;
        }
        let made = self.types.add_element(Element::Unknown(self.level));
        if let Some(scope) = self.scopes.last_mut() {
            scope.elements.insert(word.text.clone(), made);
        }
        made
    }

    fn word(&mut self, shape: &syntax::Shape) -> Parsed<Word> {
        let mut pieces = Vec::new();
        for part in &shape.parts {
            match part {
                syntax::Part::Axes(axes) => {
                    for axis in axes {
                        let dim = self.dim(axis)?;
                        if matches!(axis, syntax::Dim::Operator(..)) {
                            self.positive.push(Equation::Dims(dim, dim));
                        }
                        pieces.push(Piece::Axis(dim));
                    }
                }
                syntax::Part::Any(_) => {
                    let made = self.types.fresh_shape("any", self.level);
                    pieces.push(Piece::Shape(made));
                }
                syntax::Part::Name(word) => match self.variable(word, Sort::Shape)? {
                    Variable::Shape(shape) => pieces.push(Piece::Shape(shape)),
                    Variable::Dim(_) => return Err(self.clash(word, Sort::Shape)),
                },
            }
        }
        Ok(Word(pieces))
    }

    fn dim(&mut self, dim: &syntax::Dim) -> Parsed<DimId> {
        Ok(match dim {
            syntax::Dim::Number(number, _) => self.types.pool.number(*number),
            syntax::Dim::Ragged(_) => self.types.fresh_ragged(self.level),
            syntax::Dim::Any(_) => {
                let made = self.types.fresh_dim("any", self.level);
                self.types.pool.var(made)
            }
            syntax::Dim::Name(word) => match self.variable(word, Sort::Dim)? {
                Variable::Dim(dim) => self.types.pool.var(dim),
                Variable::Shape(_) => return Err(self.clash(word, Sort::Dim)),
            },
            syntax::Dim::Runtime(word) => match self.variable(word, Sort::Runtime)? {
                Variable::Dim(dim) => self.types.pool.var(dim),
                Variable::Shape(_) => return Err(self.clash(word, Sort::Runtime)),
            },
            syntax::Dim::Operator(sign, first, second, _) => {
                let (first, second) = (self.dim(first)?, self.dim(second)?);
                self.types.pool.op(operation(*sign), first, second)
            }
        })
    }

    /// Returns what a name stands for, which is made where the name is new.
    fn variable(&mut self, word: &syntax::Word, sort: Sort) -> Parsed<Variable> {
        let mut scopes = self.scopes.iter().rev();
        let found = scopes.find_map(|scope| scope.variables.get(&word.text));
        if let Some(found) = found.copied() {
            self.note_rigid(word, found);
            return Ok(found);
        }
        let made = match sort {
            Sort::Shape => Variable::Shape(self.types.fresh_shape(&word.text, self.level)),
            Sort::Dim => Variable::Dim(self.types.fresh_dim(&word.text, self.level)),
            // Whoever calls a function has the sizes of its inputs.
            Sort::Runtime if self.is_input => {
                Variable::Dim(self.types.fresh_dim(&word.text, self.level))
            }
            Sort::Runtime => Variable::Dim(self.types.fresh_runtime(self.level)),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.insert(word.text.clone(), made);
            scope.written.push(Written {
                text: word.text.clone(),
                is_rigid: word.is_rigid,
                variable: made,
                span: word.span.clone(),
            });
        }
        Ok(made)
    }

    /// Notes that a name is rigid, which a quote says at any of its places.
    fn note_rigid(&mut self, word: &syntax::Word, variable: Variable) {
        if !word.is_rigid {
            return;
        }
        let written = self.scopes.iter_mut().flat_map(|scope| &mut scope.written);
        for written in written.filter(|written| written.variable == variable) {
            written.is_rigid = true;
        }
    }

    fn clash(&self, word: &syntax::Word, sort: Sort) -> Diagnostic {
        let text = brief(&word.text);
        let (here, there) = match sort {
            Sort::Shape => ("a shape", "a dimension"),
            Sort::Dim | Sort::Runtime => ("a dimension", "a shape"),
        };
        let mut written = self.scopes.iter().flat_map(|scope| &scope.written);
        let first = written.find(|written| written.text == word.text);
        let error = Diagnostic::new(
            word.span.clone(),
            format!("`{text}` names a shape and a dimension"),
            format!("here it is {here}"),
        )
        .help("a name stands for one of them; brackets make an axis of a dimension, `[n]`");
        match first {
            Some(first) => error.other(first.span.clone(), format!("here it is {there}")),
            None => error,
        }
    }
}

/// A sort of names.
#[derive(Clone, Copy)]
enum Sort {
    Shape,
    Dim,
    /// A dimension that is known when the program has run so far.
    Runtime,
}

/// Makes a warning for a name of an element type that is probably a misspelled one, such as `f23`.
pub(super) fn misspelled(word: &syntax::Word) -> Option<Diagnostic> {
    let has_digits = word.text.bytes().any(|byte| byte.is_ascii_digit());
    let known = ELEMENTS.contains(&&*word.text);
    if known || !has_digits {
        return None;
    }
    let near = nearest(&word.text, ELEMENTS)?;
    let message = format!("`{}` is the name of any element type", brief(&word.text));
    let mut warning = Diagnostic::new(word.span.clone(), message, "this name").edit(
        format!("did you mean `{near}`?"),
        word.span.clone(),
        near,
    );
    warning.severity = lozenge_diagnostic::Severity::Warning;
    Some(warning)
}
