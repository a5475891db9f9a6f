//! Statements: one a line.

use std::collections::HashSet;

use crate::cursor::{Cursor, Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::expression::{expression, number};
use crate::operator::FUNCTIONS;
use crate::row::size;
use crate::shape::{whole_number, written_shape};
use crate::spec::logic;
use crate::suggestion::nearest;
use crate::syntax::{KEYWORDS, Name, Statement};
use crate::token::{Token, tokens};
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::program::{Csv, Values};

const STATEMENT_HELP: &str = "a line begins with `data`, `param`, `const`, `let` or `size`, or with the name of a tensor and \
                              an assignment such as `=:+`";
const VALUES_HELP: &str = "write `from \"file.csv\" columns 0..64`, `= [0, 1, 2]` or `= range(10)`";

/// What was read of a text.
#[derive(Default)]
pub(crate) struct Read<'a> {
    pub statements: Vec<Statement<'a>>,
    /// Tensors of lines that could not be read: to use one of them is no further error.
    pub broken: HashSet<&'a str>,
}

/// Reads every line; a line with an error is reported and passed over.
pub(crate) fn read<'a>(source: &'a str, errors: &mut Vec<Diagnostic>) -> Read<'a> {
    let mut bad_tokens = Vec::new();
    let tokens = tokens(source, 0, &mut bad_tokens);
    let mut bad_tokens = bad_tokens.into_iter().peekable();
    let mut cursor = Cursor::new(&tokens);
    let mut read = Read::default();
    while !cursor.at_last() {
        if cursor.peek() == Token::End {
            cursor.next();
            continue;
        }
        let target = target_of(cursor.peek(), cursor.peek_second());
        let result = statement(&mut cursor);
        cursor.skip_line();
        let line_end = if cursor.at_last() {
            source.len() + 1
        } else {
            cursor.end()
        };
        // A sign that is none explains what follows from leaving it out.
        let mut reported = false;
        while let Some(error) = bad_tokens.next_if(|error| error.span().start < line_end) {
            errors.push(error);
            reported = true;
        }
        match result {
            Ok(statement) if !reported => read.statements.push(statement),
            result => {
                read.broken.extend(target);
                errors.extend(result.err().filter(|_| !reported));
            }
        }
    }
    errors.extend(bad_tokens);
    read
}

/// The tensor that a line which begins with these tokens is about.
fn target_of<'a>(first: Token<'a>, second: Token<'a>) -> Option<&'a str> {
    match (first, second) {
        (Token::Word(keyword), Token::Word(name)) if KEYWORDS.contains(&keyword) => Some(name),
        (Token::Word(name), _) => Some(name),
        _ => None,
    }
}

fn statement<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Statement<'a>> {
    let word = cursor.word("a statement", STATEMENT_HELP)?;
    let statement = match word.text {
        "data" => data(cursor)?,
        "param" => {
            let name = new_name(cursor, "param w")?;
            let shape = written_shape(cursor)?;
            let initial = match cursor.peek() {
                Token::End => None,
                _ => Some(value(
                    cursor,
                    "write `param w`, `param w = 0.5` or `param w : ...->128`",
                )?),
            };
            Statement::Param {
                name,
                shape,
                initial,
            }
        }
        "const" => {
            let name = new_name(cursor, "const ones = 1")?;
            let shape = written_shape(cursor)?;
            let value = value(cursor, "write `const ones = 1`")?;
            Statement::Constant { name, shape, value }
        }
        "let" => {
            let name = new_name(cursor, "let c = a + b")?;
            let shape = written_shape(cursor)?;
            cursor.expect("=", "write `let c = a + b`, with spaces around `=`")?;
            let expression = expression(cursor)?;
            Statement::Let {
                name,
                shape,
                expression,
            }
        }
        "size" => named_size(cursor)?,
        _ => assignment(cursor, word)?,
    };
    end_of_line(cursor, &statement)?;
    Ok(statement)
}

fn end_of_line(cursor: &Cursor, statement: &Statement) -> Parsed<()> {
    match (cursor.peek(), statement) {
        (Token::End, _) => Ok(()),
        (Token::Text(_), Statement::Let { .. }) => Err(Diagnostic::new(
            cursor.span(),
            "`let` takes no spec",
            "belongs to an assignment",
        )
        .help(format!(
            "write `{} =:+ …` before the spec, or another assignment: `=:`, `=:-`, `=:max`, `=:min`",
            brief(statement.name().text)
        ))),
        (Token::Sign("["), _) => Err(Diagnostic::new(
            cursor.span(),
            "brackets do not read a part of a tensor",
            "an index begins here",
        )
        .help("a number in a spec reads a position: `y =: x \"0|... -> ... => ...\"` is the first of a batch")),
        _ => Err(cursor.unexpected(
            "the end of the line",
            "one statement a line; operands have an operator between them",
        )),
    }
}

/// `NAME = SIZE`
fn named_size<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Statement<'a>> {
    const HELP: &str = "write `size width = 128`";
    let name = new_name(cursor, "size width = 128")?;
    cursor.expect("=", HELP)?;
    match cursor.peek() {
        Token::Number(text) => {
            let size = size(cursor, text)?;
            Ok(Statement::Size { name, size })
        }
        _ => Err(cursor.unexpected("a size", HELP)),
    }
}

/// `NAME =:+ EXPRESSION "SPEC"`, its name being read.
fn assignment<'a>(cursor: &mut Cursor<'_, 'a>, name: Name<'a>) -> Parsed<Statement<'a>> {
    let accumulator = match cursor.peek() {
        Token::Accumulate(accumulator) => accumulator,
        Token::Sign("=") => {
            return Err(Diagnostic::new(cursor.span(), "`=` does not say how values are written", "no colon, no operator")
                .help(format!(
                    "write `let {name} = …` for a new tensor, `{name} =: …` to do it with a spec, or `{name} =+ …` to add to one that is there",
                    name = brief(name.text)
                )));
        }
        _ => return Err(unknown_statement(cursor, &name)),
    };
    cursor.next();
    not_reserved(&name)?;
    let expression = expression(cursor)?;
    let logic = match cursor.peek() {
        Token::Text(text) => Some(logic(text, cursor.next().span)?),
        _ => None,
    };
    Ok(Statement::Assign {
        name,
        accumulator,
        expression,
        logic,
    })
}

/// What begins a statement in other languages, with what to do here.
const FOREIGN_STATEMENTS: [(&str, &str); 12] = [
    (
        "fn",
        "there are no functions of your own: write the operations out",
    ),
    (
        "def",
        "there are no functions of your own: write the operations out",
    ),
    (
        "function",
        "there are no functions of your own: write the operations out",
    ),
    (
        "for",
        "there are no loops: a spec says over which axes an operation runs, and each layer is written out",
    ),
    (
        "while",
        "there are no loops: a spec says over which axes an operation runs",
    ),
    (
        "if",
        "there is no choice by statement: `(a < b) *. c` chooses by cell",
    ),
    (
        "return",
        "there is nothing to return from: every tensor of a program is a result",
    ),
    ("import", "a program is one file"),
    ("use", "a program is one file"),
    (
        "print",
        "a program does not print: `lozenge infer` shows the shapes and `lozenge run` the values",
    ),
    (
        "var",
        "write `let c = a + b` for a new tensor, and `param w` for one that is updated",
    ),
    (
        "tensor",
        "write `data x : 100|->3 from \"x.csv\"` for values, and `param w` for a parameter",
    ),
];

fn unknown_statement(cursor: &Cursor, name: &Name) -> Diagnostic {
    let begins_none = || {
        let message = format!("`{}` begins no statement", brief(name.text));
        Diagnostic::new(name.span.clone(), message, "unknown word")
    };
    let foreign = FOREIGN_STATEMENTS
        .iter()
        .find(|(word, _)| *word == name.text);
    match (foreign, cursor.peek()) {
        (Some((_, help)), _) => begins_none().help(*help),
        (None, Token::Word(_)) => match nearest(name.text, KEYWORDS) {
            Some(keyword) => begins_none().edit(
                format!("did you mean `{keyword}`?"),
                name.span.clone(),
                keyword,
            ),
            None => begins_none().help(STATEMENT_HELP),
        },
        _ => cursor.unexpected("an assignment such as `=:+`", STATEMENT_HELP),
    }
}

fn new_name<'a>(cursor: &mut Cursor<'_, 'a>, example: &str) -> Parsed<Name<'a>> {
    let name = cursor.word("a name", &format!("write `{example}`"))?;
    not_reserved(&name)?;
    Ok(name)
}

fn not_reserved(name: &Name) -> Parsed<()> {
    let reserved = KEYWORDS.contains(&name.text) || FUNCTIONS.iter().any(|(w, _)| *w == name.text);
    if !reserved {
        return Ok(());
    }
    Err(Diagnostic::new(
        name.span.clone(),
        format!("`{}` is a word of the language", name.text),
        "no name of a tensor",
    )
    .help("use another name"))
}

/// `= NUMBER`
fn value(cursor: &mut Cursor, help: &str) -> Parsed<f64> {
    cursor.expect("=", help)?;
    signed_number(cursor, help)
}

fn signed_number(cursor: &mut Cursor, help: &str) -> Parsed<f64> {
    let negative = cursor.eat("-");
    match cursor.peek() {
        Token::Number(text) => {
            let value = number(text, cursor.next().span)?;
            Ok(if negative { -value } else { value })
        }
        _ => Err(cursor.unexpected("a number", help)),
    }
}

/// `NAME : SHAPE from …`, `NAME : SHAPE = …` or `NAME = …`, the last with one output axis.
fn data<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Statement<'a>> {
    let name = new_name(cursor, "data x : 1797|->64 from \"x.csv\"")?;
    let shape = written_shape(cursor)?;
    let (values, place) = if cursor.eat_word("from") {
        csv(cursor)?
    } else if cursor.eat("=") {
        literal(cursor)?
    } else {
        return Err(cursor.unexpected("`from` or `=`", VALUES_HELP));
    };
    if let (None, Values::Csv(_)) = (&shape, &values) {
        return Err(Diagnostic::new(
            place,
            "the shape of the data is missing",
            "a file does not say it",
        )
        .help("write it after the name: `data x : 1797|->64 from …`"));
    }
    Ok(Statement::Data {
        name,
        shape,
        values,
        place,
    })
}

/// `"file.csv.gz" columns 0..64 header`, the last two optional.
fn csv(cursor: &mut Cursor) -> Parsed<(Values, Span)> {
    let start = cursor.span().start;
    let Token::Text(path) = cursor.peek() else {
        return Err(cursor.unexpected("the name of a file in quotes", VALUES_HELP));
    };
    cursor.next();
    let columns = if cursor.eat_word("columns") {
        let from = cursor.span().start;
        let first = column(cursor)?;
        cursor.expect("..", "write `columns 0..64` for the columns 0 to 63")?;
        let last = column(cursor)?;
        if last <= first {
            return Err(Diagnostic::new(
                from..cursor.end(),
                "a range of columns is empty",
                "nothing to read",
            )
            .help("the second number is the first column that is left out: `0..64` are the columns 0 to 63"));
        }
        Some(first..last)
    } else if cursor.eat_word("column") {
        let column = column(cursor)?;
        Some(column..column + 1)
    } else {
        None
    };
    let csv = Csv {
        path: path.into(),
        columns,
        header: cursor.eat_word("header"),
    };
    Ok((Values::Csv(csv), start..cursor.end()))
}

/// The number of a column.
fn column(cursor: &mut Cursor) -> Parsed<usize> {
    const MOST: u64 = 1 << 24;
    let Token::Number(text) = cursor.peek() else {
        return Err(cursor.unexpected("the number of a column", "columns are counted from 0"));
    };
    let span = cursor.next().span;
    match whole_number(text, span.clone(), "a column")? {
        number @ ..MOST => Ok(number as usize),
        _ => Err(
            Diagnostic::new(span, "a file has no such column", "too large")
                .help(format!("columns are below {MOST}")),
        ),
    }
}

/// `[0, 1, 2]` or `range(10)`.
fn literal(cursor: &mut Cursor) -> Parsed<(Values, Span)> {
    let start = cursor.span().start;
    let values = if cursor.eat("[") {
        Values::Listed(list(cursor)?)
    } else if cursor.eat_word("range") {
        cursor.expect("(", VALUES_HELP)?;
        let bound = range_bound(cursor)?;
        cursor.expect(")", VALUES_HELP)?;
        Values::Range(bound)
    } else {
        return Err(cursor.unexpected("`[` or `range`", VALUES_HELP));
    };
    Ok((values, start..cursor.end()))
}

/// The numbers up to `]`: at least one, and a comma may follow the last.
fn list(cursor: &mut Cursor) -> Parsed<Vec<f32>> {
    const HELP: &str = "a list is like `[0, 1.5, -2]`";
    let mut list = vec![signed_number(cursor, HELP)? as f32];
    while cursor.eat(",") && cursor.peek() != Token::Sign("]") {
        list.push(signed_number(cursor, HELP)? as f32);
    }
    cursor.expect("]", HELP)?;
    Ok(list)
}

fn range_bound(cursor: &mut Cursor) -> Parsed<u32> {
    const MOST: u64 = 1 << 24;
    let Token::Number(text) = cursor.peek() else {
        return Err(cursor.unexpected("a whole number", VALUES_HELP));
    };
    let span = cursor.next().span;
    match whole_number(text, span.clone(), "the bound of a range")? {
        0 => {
            Err(Diagnostic::new(span, "the range is empty", "no values")
                .help("the least bound is 1"))
        }
        bound @ ..=MOST => Ok(bound as u32),
        _ => Err(
            Diagnostic::new(span, "the bound of the range is too large", "too large").help(
                format!("at most {MOST}: 32-bit floats do not count further without gaps"),
            ),
        ),
    }
}
