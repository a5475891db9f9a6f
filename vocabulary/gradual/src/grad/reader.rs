//! The reader of programs. It keeps its own stack, so that a text may nest as deep as it is long.

use std::collections::HashSet;
use std::ops::Range;

use super::error::GradError;
use super::tokens::{Word, word_at};
use crate::blanks::next_start;
use crate::name::is_keyword;
use crate::reader::restrictions;
use crate::{
    Body, Comparison, Condition, Declaration, Dimension, Expression, ExpressionId, Observation,
    Program, Quantity, Relation, Restriction, Sum, Type,
};

/// The places of the parts of a program in its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The bytes of each declaration.
    pub declarations: Vec<Range<usize>>,
    /// The bytes of each expression, in the order of the body.
    pub expressions: Vec<Range<usize>>,
}

/// Reads a program, with the places of its parts. The names of the inputs differ, and no other names are used.
///
/// # Errors
/// When the text is not in the notation, or a name is declared twice or not at all.
pub fn read(text: &str) -> Result<(Program, Places), GradError> {
    let mut reader = Reader {
        text,
        at: 0,
        list: Vec::new(),
        places: Places::default(),
        declarations: Vec::new(),
        declared: HashSet::new(),
        restrictions: Vec::new(),
    };
    let mut body = None;
    loop {
        let (word, span) = reader.peek()?;
        match word {
            Word::End => break,
            Word::Plain(word) if word == "where" => reader.restriction()?,
            Word::Plain(word) if word == "return" && body.is_none() => {
                reader.next()?;
                reader.expression()?;
                body = Body::from_list(std::mem::take(&mut reader.list));
            }
            _ if body.is_some() => {
                return Err(GradError::new(
                    span,
                    "the program ends with what it returns",
                    "declare inputs before `return`, or leave this out",
                ));
            }
            _ => reader.declaration()?,
        }
    }
    let Some(body) = body else {
        return Err(GradError::new(
            text.len()..text.len(),
            "the program returns nothing",
            "end it with a line such as `return x`",
        ));
    };
    let Reader {
        declarations,
        restrictions,
        places,
        ..
    } = reader;
    let program = Program {
        declarations,
        restrictions: restrictions.into_iter().map(|(found, _)| found).collect(),
        body,
    };
    Ok((program, places))
}

/// Reads a program from bytes.
///
/// # Errors
/// As [`read`], and when the bytes are no UTF-8.
pub fn read_bytes(bytes: &[u8]) -> Result<(Program, Places), GradError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(error) => {
            let at = error.valid_up_to();
            Err(GradError::new(
                at..at + 1,
                "this byte is no text in UTF-8",
                "save the file as UTF-8",
            ))
        }
    }
}

/// A text while it is read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    list: Vec<Expression>,
    places: Places,
    declarations: Vec<Declaration>,
    declared: HashSet<String>,
    restrictions: Vec<(Restriction, Range<usize>)>,
}

/// An expression that waits for one of its parts, with the place where it starts.
enum Frame {
    Reshape(usize),
    Conv2d(usize, u64, u64, Vec<u64>),
    AddLeft(usize),
    AddRight(usize, ExpressionId),
    Rank,
    Size,
    IfLeft(usize),
    IfRight(usize, Observation, Relation),
    Then(usize, Comparison),
    Else(usize, Comparison, ExpressionId),
}

/// The part that the text gives or must give next.
enum State {
    Expression,
    Observation,
    Made(ExpressionId),
    Observed(Observation),
}

impl Reader<'_> {
    fn peek(&mut self) -> Result<(Word, Range<usize>), GradError> {
        self.at = next_start(self.text, self.at);
        word_at(self.text, self.at)
    }

    fn next(&mut self) -> Result<(Word, Range<usize>), GradError> {
        let (word, span) = self.peek()?;
        self.at = span.end;
        Ok((word, span))
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), GradError> {
        let (word, span) = self.next()?;
        if word == Word::Sign(sign) {
            return Ok(());
        }
        let message = format!("a `{sign}` is expected here");
        Err(GradError::new(span, message, format!("write `{sign}`")))
    }

    fn keyword(&mut self, keyword: &'static str) -> Result<(), GradError> {
        let (word, span) = self.next()?;
        if word == Word::Plain(keyword.to_string()) {
            return Ok(());
        }
        Err(GradError::new(
            span,
            format!("`{keyword}` is expected here"),
            "write `if dim(x) = 4 then x else y`",
        ))
    }

    fn declaration(&mut self) -> Result<(), GradError> {
        let (name, span) = self.name("a declaration such as `x : [?, 2]`, or `return`")?;
        if !self.declared.insert(name.clone()) {
            return Err(GradError::new(
                span,
                format!("`{name}` is declared twice"),
                "give one of the two inputs another name",
            ));
        }
        self.expect(":")?;
        let annotation = self.annotation()?;
        self.declarations.push(Declaration { name, annotation });
        self.places.declarations.push(span.start..self.at);
        Ok(())
    }

    fn name(&mut self, wanted: &str) -> Result<(String, Range<usize>), GradError> {
        match self.next()? {
            (Word::Plain(word), span) if is_keyword(&word) => Err(GradError::new(
                span,
                format!("`{word}` is a word of the notation, and {wanted} is expected here"),
                format!("write a name of this kind in quotes: `'{word}'`"),
            )),
            (Word::Plain(name) | Word::Quoted(name), span) => Ok((name, span)),
            (_, span) => Err(GradError::new(
                span,
                format!("{wanted} is expected here"),
                "write such as `x : [?, 2]` on one line and `return reshape(x, [2, ?])` on the last",
            )),
        }
    }

    fn annotation(&mut self) -> Result<Type, GradError> {
        let help = "write `?`, `[]`, or a list such as `[2, ?]`";
        match self.next()? {
            (Word::Sign("?"), _) => return Ok(Type::Dyn),
            (Word::Sign("["), _) => {}
            (_, span) => return Err(GradError::new(span, "a type is expected here", help)),
        }
        let mut dimensions = Vec::new();
        if self.peek()?.0 == Word::Sign("]") {
            self.next()?;
            return Ok(Type::Tensor(dimensions));
        }
        loop {
            dimensions.push(match self.next()? {
                (Word::Sign("?"), _) => Dimension::Dyn,
                (Word::Number(size), _) => Dimension::Size(size),
                (_, span) => {
                    let message = "a size or `?` is expected here";
                    return Err(GradError::new(span, message, help));
                }
            });
            match self.next()? {
                (Word::Sign(","), _) => {}
                (Word::Sign("]"), _) => return Ok(Type::Tensor(dimensions)),
                (_, span) => {
                    let message = "a `,` or `]` is expected here";
                    return Err(GradError::new(span, message, help));
                }
            }
        }
    }

    /// Reads the demands behind `where`.
    fn restriction(&mut self) -> Result<(), GradError> {
        self.next()?;
        let (found, end) = restrictions(self.text, self.at)?;
        for (restriction, span) in &found {
            for name in inputs(restriction) {
                self.check_input(name, span)?;
            }
        }
        self.restrictions.extend(found);
        self.at = end;
        Ok(())
    }

    fn check_input(&self, named: Named, span: &Range<usize>) -> Result<(), GradError> {
        let (message, help) = match named {
            Named::Input(name) if self.declared.contains(name) => return Ok(()),
            Named::Input(name) | Named::Bare(name) if !self.declared.contains(name) => (
                format!("`{name}` is not declared above"),
                format!("declare it in a line before this one: `{name} : ?`"),
            ),
            Named::Input(name) | Named::Bare(name) => (
                format!("`{name}` is a tensor and no number"),
                format!("write `{name}[0]` for a size or `{name}.rank` for the rank"),
            ),
        };
        Err(GradError::new(span.clone(), message, help))
    }

    /// Reads an expression with all its parts.
    fn expression(&mut self) -> Result<(), GradError> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut state = State::Expression;
        loop {
            state = match state {
                State::Expression => self.begin(&mut frames)?,
                State::Observation => self.observe(&mut frames)?,
                State::Made(made) => match frames.pop() {
                    None => return Ok(()),
                    Some(frame) => self.go_on(frame, made, &mut frames)?,
                },
                State::Observed(observed) => self.compare(observed, &mut frames)?,
            };
        }
    }

    /// Reads the beginning of an expression, up to its first part.
    fn begin(&mut self, frames: &mut Vec<Frame>) -> Result<State, GradError> {
        let (word, span) = self.peek()?;
        let Word::Plain(word) = word else {
            return self.variable();
        };
        let start = span.start;
        frames.push(match word.as_str() {
            "reshape" | "add" | "conv2d" => {
                self.at = span.end;
                self.expect("(")?;
                match word.as_str() {
                    "reshape" => Frame::Reshape(start),
                    "add" => Frame::AddLeft(start),
                    _ => self.convolution(start)?,
                }
            }
            "if" => {
                self.at = span.end;
                frames.push(Frame::IfLeft(start));
                return Ok(State::Observation);
            }
            _ => return self.variable(),
        });
        Ok(State::Expression)
    }

    fn variable(&mut self) -> Result<State, GradError> {
        let (name, span) = self.name("an expression")?;
        if !self.declared.contains(&name) {
            return Err(GradError::new(
                span,
                format!("`{name}` is not declared"),
                format!("declare it in a line before `return`: `{name} : ?`"),
            ));
        }
        self.make(Expression::Variable(name), span)
    }

    fn make(&mut self, expression: Expression, span: Range<usize>) -> Result<State, GradError> {
        let Ok(place) = u32::try_from(self.list.len()) else {
            let message = "the program has 2^32 expressions or more";
            return Err(GradError::new(span, message, "write a smaller program"));
        };
        self.list.push(expression);
        self.places.expressions.push(span);
        Ok(State::Made(ExpressionId(place)))
    }

    fn number(&mut self, what: &str) -> Result<u64, GradError> {
        match self.next()? {
            (Word::Number(number), _) => Ok(number),
            (_, span) => Err(GradError::new(
                span,
                format!("{what} is expected here"),
                "write such as `conv2d(3, 8, (5, 5), x)`: channels in and out, the kernel, the tensor",
            )),
        }
    }

    /// Reads the numbers of a convolution.
    fn convolution(&mut self, start: usize) -> Result<Frame, GradError> {
        let in_channels = self.number("the number of channels")?;
        self.expect(",")?;
        let out_channels = self.number("the number of channels of the result")?;
        self.expect(",")?;
        self.expect("(")?;
        let mut kernel = Vec::new();
        while self.peek()?.0 != Word::Sign(")") {
            if !kernel.is_empty() {
                self.expect(",")?;
            }
            kernel.push(self.number("a size of the kernel")?);
        }
        self.expect(")")?;
        self.expect(",")?;
        Ok(Frame::Conv2d(start, in_channels, out_channels, kernel))
    }

    /// Reads what follows a part.
    fn go_on(
        &mut self,
        frame: Frame,
        made: ExpressionId,
        frames: &mut Vec<Frame>,
    ) -> Result<State, GradError> {
        let (start, expression) = match frame {
            Frame::Reshape(start) => {
                self.expect(",")?;
                let target = self.annotation()?;
                self.expect(")")?;
                (start, Expression::Reshape { of: made, target })
            }
            Frame::Conv2d(start, in_channels, out_channels, kernel) => {
                self.expect(")")?;
                let expression = Expression::Conv2d {
                    in_channels,
                    out_channels,
                    kernel,
                    of: made,
                };
                (start, expression)
            }
            Frame::AddLeft(start) => {
                self.expect(",")?;
                frames.push(Frame::AddRight(start, made));
                return Ok(State::Expression);
            }
            Frame::AddRight(start, left) => {
                self.expect(")")?;
                (start, Expression::Add(left, made))
            }
            Frame::Rank => {
                self.expect(")")?;
                return Ok(State::Observed(Observation::Rank(made)));
            }
            Frame::Size => return self.axis(made),
            Frame::Then(start, condition) => {
                self.keyword("else")?;
                frames.push(Frame::Else(start, condition, made));
                return Ok(State::Expression);
            }
            Frame::Else(start, condition, then) => {
                let expression = Expression::If {
                    condition,
                    then,
                    otherwise: made,
                };
                (start, expression)
            }
            // These two frames wait for an observation, which comes in a frame of its own.
            Frame::IfLeft(_) | Frame::IfRight(..) => return Ok(State::Made(made)),
        };
        self.make(expression, start..self.at)
    }

    fn axis(&mut self, of: ExpressionId) -> Result<State, GradError> {
        self.expect(")")?;
        self.expect("[")?;
        let axis = self.signed("the number of an axis")?;
        self.expect("]")?;
        Ok(State::Observed(Observation::Size { of, axis }))
    }

    fn signed(&mut self, what: &str) -> Result<i64, GradError> {
        let is_negative = self.peek()?.0 == Word::Sign("-");
        if is_negative {
            self.next()?;
        }
        match self.next()? {
            (Word::Number(number), span) => match i64::try_from(number) {
                Ok(number) if is_negative => Ok(-number),
                Ok(number) => Ok(number),
                Err(_) => Err(GradError::new(
                    span,
                    "this number is too large",
                    "write a smaller one",
                )),
            },
            (_, span) => Err(GradError::new(
                span,
                format!("{what} is expected here"),
                "write such as `dim(x) = 4` or `size(x)[-1] < 100`",
            )),
        }
    }

    /// Reads the beginning of an observation.
    fn observe(&mut self, frames: &mut Vec<Frame>) -> Result<State, GradError> {
        let (word, span) = self.peek()?;
        let frame = match word {
            Word::Plain(word) if word == "dim" => Frame::Rank,
            Word::Plain(word) if word == "size" => Frame::Size,
            _ => {
                let number = self.signed("`dim(…)`, `size(…)[…]` or a number")?;
                return Ok(State::Observed(Observation::Number(number)));
            }
        };
        self.at = span.end;
        self.expect("(")?;
        frames.push(frame);
        Ok(State::Expression)
    }

    /// Puts an observation in its place in the condition that waits for it.
    fn compare(
        &mut self,
        observed: Observation,
        frames: &mut Vec<Frame>,
    ) -> Result<State, GradError> {
        match frames.pop() {
            Some(Frame::IfLeft(start)) => {
                let relation = self.relation()?;
                frames.push(Frame::IfRight(start, observed, relation));
                Ok(State::Observation)
            }
            Some(Frame::IfRight(start, left, relation)) => {
                self.keyword("then")?;
                let condition = Comparison {
                    left,
                    relation,
                    right: observed,
                };
                frames.push(Frame::Then(start, condition));
                Ok(State::Expression)
            }
            // An observation is begun only under one of those two.
            _ => Err(GradError::new(
                self.at..self.at,
                "a condition stands only behind `if`",
                "write `if dim(x) = 4 then x else y`",
            )),
        }
    }

    fn relation(&mut self) -> Result<Relation, GradError> {
        let (word, span) = self.next()?;
        let relation = match word {
            Word::Sign("=" | "==") => Relation::Equal,
            Word::Sign("!=") => Relation::Differs,
            Word::Sign("<") => Relation::Less,
            Word::Sign("<=") => Relation::AtMost,
            Word::Sign(">") => Relation::Greater,
            Word::Sign(">=") => Relation::AtLeast,
            _ => {
                return Err(GradError::new(
                    span,
                    "a relation is expected here: `=`, `!=`, `<`, `<=`, `>` or `>=`",
                    "write `if dim(x) = 4 then x else y`",
                ));
            }
        };
        Ok(relation)
    }
}

/// A name in a restriction: of an input, or one that stands alone, which names no axis of a program.
enum Named<'r> {
    Input(&'r str),
    Bare(&'r str),
}

/// Gives the names that a restriction uses.
fn inputs(restriction: &Restriction) -> Vec<Named<'_>> {
    let condition: &Condition = match restriction {
        Restriction::Static { of, .. } => return vec![Named::Input(of)],
        Restriction::Holds(condition) => condition,
    };
    let mut found = Vec::new();
    let mut waiting: Vec<&Sum> = vec![&condition.left, &condition.right];
    while let Some(sum) = waiting.pop() {
        for (quantity, _) in &sum.parts {
            match quantity {
                Quantity::Axis { of, .. } | Quantity::Rank(of) => found.push(Named::Input(of)),
                Quantity::Named(name) => found.push(Named::Bare(name)),
                Quantity::Remainder(sum, _) => waiting.push(sum),
            }
        }
    }
    found
}
