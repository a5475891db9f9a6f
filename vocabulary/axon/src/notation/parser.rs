//! Text of the notation to a set.

use super::ShapesError;
use super::lexer::{Placed, Token, tokens};
use super::sorts::{Place, Sort, Sorts};
use crate::dim::{DimNode, Pool};
use crate::name::{DimId, Op, Variable};
use crate::set::{Equation, Set};
use crate::word::{Piece, Word};

/// A term whose names are numbered as they appear. The parts of a term come before it.
#[derive(Clone, Copy, Debug)]
enum Node {
    Number(i64),
    Name(usize),
    Ragged(Option<u32>),
    Op(Op, usize, usize),
}

/// A part of a shape, with the number of a name or a term.
#[derive(Clone, Copy, Debug)]
enum Part {
    Name(usize),
    Axis(usize),
}

/// A side of an equation.
#[derive(Clone, Debug)]
enum Side {
    /// One name, of either sort.
    Name(usize, Place),
    Shape(Vec<Part>),
    Dim(usize),
}

/// The state of reading.
#[derive(Default)]
struct Parser<'a> {
    sorts: Sorts<'a>,
    nodes: Vec<Node>,
    equations: Vec<(u32, Side, Side)>,
}

/// Reads a text.
pub(crate) fn read(text: &str) -> Result<Set, ShapesError> {
    let mut parser = Parser::default();
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        let words = tokens(number, line)?;
        if !words.is_empty() {
            Line::new(&mut parser, number, &words, line).read()?;
        }
    }
    parser.finish()
}

/// A line that is being read.
struct Line<'p, 'a, 'w> {
    parser: &'p mut Parser<'a>,
    number: u32,
    words: &'w [Placed<'a>],
    at: usize,
    /// The column after the last character.
    end: u32,
}

impl<'p, 'a, 'w> Line<'p, 'a, 'w> {
    fn new(
        parser: &'p mut Parser<'a>,
        number: u32,
        words: &'w [Placed<'a>],
        text: &str,
    ) -> Line<'p, 'a, 'w> {
        let end = text.trim_end().chars().count() as u32 + 1;
        Line {
            parser,
            number,
            words,
            at: 0,
            end,
        }
    }

    fn read(mut self) -> Result<(), ShapesError> {
        if let [first, second, ..] = self.words
            && let (Token::Name(word), Token::Name(_)) = (&first.token, &second.token)
        {
            return match *word {
                "dim" => self.declaration(Sort::Dim),
                "shape" => self.declaration(Sort::Shape),
                _ => Err(self.unexpected_at(1, "`=`, `@` or the end of the line")),
            };
        }
        let left = self.side()?;
        let column = self.words.get(self.at).map_or(self.end, |word| word.column);
        self.expect(&Token::Equals, "`=`")?;
        let right = self.side()?;
        if self.at < self.words.len() {
            return Err(self.unexpected("`@` or the end of the line"));
        }
        let place = Place {
            line: self.number,
            column,
        };
        self.parser.relate(&left, &right, place)?;
        self.parser.equations.push((self.number, left, right));
        Ok(())
    }

    fn declaration(&mut self, sort: Sort) -> Result<(), ShapesError> {
        self.at = 1;
        loop {
            let (name, place) = self.name()?;
            self.parser.sorts.set(name, sort, place)?;
            match self.next() {
                None => return Ok(()),
                Some(Token::Comma) => {}
                Some(_) => {
                    self.at -= 1;
                    return Err(self.unexpected("`,` or the end of the line"));
                }
            }
        }
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word.token.clone())
    }

    fn peek(&self) -> Option<&Token<'a>> {
        self.words.get(self.at).map(|word| &word.token)
    }

    fn place(&self) -> Place {
        Place {
            line: self.number,
            column: self.words.get(self.at).map_or(self.end, |word| word.column),
        }
    }

    fn name(&mut self) -> Result<(usize, Place), ShapesError> {
        let place = self.place();
        match self.peek() {
            Some(&Token::Name(name)) => {
                self.at += 1;
                Ok((self.parser.sorts.number(name), place))
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn expect(&mut self, token: &Token<'_>, what: &str) -> Result<(), ShapesError> {
        if self.peek() == Some(token) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected(what))
    }

    fn unexpected(&self, wanted: &str) -> ShapesError {
        self.unexpected_at(self.at, wanted)
    }

    fn unexpected_at(&self, at: usize, wanted: &str) -> ShapesError {
        let message = format!("{wanted} should stand here");
        match self.words.get(at) {
            Some(word) => word.error(self.number, message),
            None => ShapesError {
                line: self.number,
                column: self.end,
                length: 1,
                message,
                help: None,
            },
        }
    }

    /// Reads a side of an equation.
    fn side(&mut self) -> Result<Side, ShapesError> {
        match self.peek() {
            Some(Token::Name(_)) => {
                let (name, place) = self.name()?;
                if self.peek() != Some(&Token::At) {
                    return Ok(Side::Name(name, place));
                }
                self.parser.sorts.set(name, Sort::Shape, place)?;
                self.shape(vec![Part::Name(name)])
            }
            Some(Token::OpenList) => {
                let mut parts = Vec::new();
                self.list(&mut parts)?;
                self.shape(parts)
            }
            Some(Token::Number(_) | Token::Open | Token::Op(Op::Multiply) | Token::Ragged(_)) => {
                Ok(Side::Dim(self.dim()?))
            }
            _ => Err(self.unexpected("a shape or a dimension")),
        }
    }

    /// Reads the rest of a shape after its first part.
    fn shape(&mut self, mut parts: Vec<Part>) -> Result<Side, ShapesError> {
        while self.peek() == Some(&Token::At) {
            self.at += 1;
            match self.peek() {
                Some(Token::OpenList) => self.list(&mut parts)?,
                Some(Token::Name(_)) => {
                    let (name, place) = self.name()?;
                    self.parser.sorts.set(name, Sort::Shape, place)?;
                    parts.push(Part::Name(name));
                }
                _ => {
                    let mut error = self.unexpected("a shape");
                    error.help = Some("`@` appends shapes: a name, or a list like `[n,3]`".into());
                    return Err(error);
                }
            }
        }
        Ok(Side::Shape(parts))
    }

    fn list(&mut self, parts: &mut Vec<Part>) -> Result<(), ShapesError> {
        self.expect(&Token::OpenList, "`[`")?;
        if self.peek() == Some(&Token::CloseList) {
            self.at += 1;
            return Ok(());
        }
        loop {
            let dim = self.dim()?;
            parts.push(Part::Axis(dim));
            match self.next() {
                Some(Token::Comma) => {}
                Some(Token::CloseList) => return Ok(()),
                other => {
                    self.at -= usize::from(other.is_some());
                    return Err(self.unexpected("`,` or `]`"));
                }
            }
        }
    }

    /// Reads a term of dimensions. The open parts are on a stack of their own, so depth costs memory only.
    fn dim(&mut self) -> Result<usize, ShapesError> {
        let mut open: Vec<(Op, Option<usize>)> = Vec::new();
        loop {
            let mut value = match self.peek() {
                Some(Token::Open) => {
                    self.at += 1;
                    let Some(&Token::Op(op)) = self.peek() else {
                        let mut error = self.unexpected("`+`, `-`, `*` or `/`");
                        error.help = Some("an operator stands first, as in `(+ n 1)`".into());
                        return Err(error);
                    };
                    self.at += 1;
                    open.push((op, None));
                    continue;
                }
                Some(&Token::Number(number)) => self.leaf(Node::Number(number)),
                Some(&Token::Ragged(identity)) => self.leaf(Node::Ragged(Some(identity))),
                Some(Token::Op(Op::Multiply)) => self.leaf(Node::Ragged(None)),
                Some(Token::Name(_)) => {
                    let (name, place) = self.name()?;
                    self.parser.sorts.set(name, Sort::Dim, place)?;
                    self.parser.node(Node::Name(name))
                }
                _ => return Err(self.unexpected("a dimension")),
            };
            loop {
                match open.pop() {
                    None => return Ok(value),
                    Some((op, None)) => {
                        open.push((op, Some(value)));
                        break;
                    }
                    Some((op, Some(left))) => {
                        self.expect(&Token::Close, "`)`")?;
                        value = self.parser.node(Node::Op(op, left, value));
                    }
                }
            }
        }
    }

    fn leaf(&mut self, node: Node) -> usize {
        self.at += 1;
        self.parser.node(node)
    }
}

impl Parser<'_> {
    fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Records what an equation says of the sorts of names.
    fn relate(&mut self, left: &Side, right: &Side, place: Place) -> Result<(), ShapesError> {
        match (left, right) {
            (Side::Name(one, _), Side::Name(other, place)) => {
                self.sorts.unite(*one, *other, *place)
            }
            (Side::Name(name, place), Side::Shape(_))
            | (Side::Shape(_), Side::Name(name, place)) => {
                self.sorts.set(*name, Sort::Shape, *place)
            }
            (Side::Name(name, place), Side::Dim(_)) | (Side::Dim(_), Side::Name(name, place)) => {
                self.sorts.set(*name, Sort::Dim, *place)
            }
            (Side::Shape(_), Side::Dim(_)) | (Side::Dim(_), Side::Shape(_)) => Err(ShapesError {
                line: place.line,
                column: place.column,
                length: 1,
                message: "one side is a shape, the other a dimension".to_string(),
                help: Some("a shape of one axis is a list, `[d]`".to_string()),
            }),
            (Side::Shape(_), Side::Shape(_)) | (Side::Dim(_), Side::Dim(_)) => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Set, ShapesError> {
        let mut pool = Pool::new();
        let names: Vec<(&str, usize)> = self.sorts.sorted().collect();
        let mut variables = vec![None; names.len()];
        for (name, number) in names {
            let variable = match self.sorts.sort(number) {
                Some(Sort::Dim) => pool.dim_var(name).map(Variable::Dim),
                Some(Sort::Shape) | None => pool.shape_var(name).map(Variable::Shape),
            };
            variables[number] = variable.ok();
        }
        let dims = build(&mut pool, &self.nodes, &variables);
        let mut set = Set {
            pool,
            ..Set::default()
        };
        for (line, left, right) in self.equations {
            let left = built(&mut set.pool, &left, &dims, &variables);
            let right = built(&mut set.pool, &right, &dims, &variables);
            let equation = match (left, right) {
                (Some(Built::Dim(left)), Some(Built::Dim(right))) => Equation::Dims(left, right),
                (Some(Built::Shape(left)), Some(Built::Shape(right))) => {
                    Equation::Shapes(left, right)
                }
                // The sorts of the sides were compared when the line was read.
                _ => continue,
            };
            set.equations.push(equation);
            set.lines.push(line);
        }
        Ok(set)
    }
}

/// A side of an equation in the pool.
enum Built {
    Dim(DimId),
    Shape(Word),
}

/// Makes the terms of all nodes. Ragged dimensions without identity get one that is not written.
fn build(pool: &mut Pool, nodes: &[Node], variables: &[Option<Variable>]) -> Vec<DimId> {
    for node in nodes {
        if let Node::Ragged(Some(identity)) = node {
            pool.ragged_with(*identity);
        }
    }
    let mut dims: Vec<DimId> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let dim = match *node {
            Node::Number(number) => pool.number(number),
            Node::Ragged(Some(identity)) => pool.ragged_with(identity),
            Node::Ragged(None) => pool.ragged(),
            Node::Op(op, left, right) => pool.op(op, dims[left], dims[right]),
            Node::Name(name) => match variables[name] {
                Some(Variable::Dim(variable)) => pool.intern(DimNode::Var(variable)),
                // A name in a term has the sort of a dimension.
                _ => pool.number(1),
            },
        };
        dims.push(dim);
    }
    dims
}

fn built(
    pool: &mut Pool,
    side: &Side,
    dims: &[DimId],
    variables: &[Option<Variable>],
) -> Option<Built> {
    match side {
        Side::Dim(dim) => Some(Built::Dim(dims[*dim])),
        Side::Name(name, _) => variables[*name].map(|variable| match variable {
            Variable::Dim(variable) => Built::Dim(pool.var(variable)),
            Variable::Shape(variable) => Built::Shape(Word::name(variable)),
        }),
        Side::Shape(parts) => {
            let pieces = parts.iter().filter_map(|part| match part {
                Part::Axis(dim) => Some(Piece::Axis(dims[*dim])),
                Part::Name(name) => match variables[*name] {
                    Some(Variable::Shape(variable)) => Some(Piece::Shape(variable)),
                    _ => None,
                },
            });
            Some(Built::Shape(Word(pieces.collect())))
        }
    }
}
