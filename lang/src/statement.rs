//! Statements: one a line.

use std::collections::HashSet;

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::Shape;

use crate::cursor::{Cursor, Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::expression::{expression, number};
use crate::operator::FUNCTIONS;
use crate::shape::{data_shape, element_count, whole_number};
use crate::spec::logic;
use crate::suggestion::nearest;
use crate::syntax::{KEYWORDS, Name, Statement};
use crate::token::{Token, tokens};
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::program::{Csv, Values};

const STATEMENT_HELP: &str = "a line begins with `data`, `param`, `const` or `let`, or with the name of a tensor and \
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
            let initial = match cursor.peek() {
                Token::End => None,
                _ => Some(value(cursor, "write `param w`, or `param w = 0.5`")?),
            };
            Statement::Param { name, initial }
        }
        "const" => {
            let name = new_name(cursor, "const ones = 1")?;
            let value = value(cursor, "write `const ones = 1`")?;
            Statement::Constant { name, value }
        }
        "let" => {
            let name = new_name(cursor, "let c = a + b")?;
            cursor.expect("=", "write `let c = a + b`, with spaces around `=`")?;
            let expression = expression(cursor)?;
            Statement::Let { name, expression }
        }
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
        _ => Err(cursor.unexpected(
            "the end of the line",
            "one statement a line; operands have an operator between them",
        )),
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

fn unknown_statement(cursor: &Cursor, name: &Name) -> Diagnostic {
    match nearest(name.text, KEYWORDS) {
        Some(keyword) if matches!(cursor.peek(), Token::Word(_)) => Diagnostic::new(
            name.span.clone(),
            format!("`{}` begins no statement", name.text),
            "unknown word",
        )
        .help(format!("did you mean `{keyword}`?")),
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
    let start = cursor.span().start;
    let shape = if cursor.eat(":") {
        Some((data_shape(cursor)?, start..cursor.end()))
    } else {
        None
    };
    let (values, span) = if cursor.eat_word("from") {
        csv(cursor)?
    } else if cursor.eat("=") {
        literal(cursor)?
    } else {
        return Err(cursor.unexpected("`from` or `=`", VALUES_HELP));
    };
    let shape = fitting_shape(shape, &values, span)?;
    Ok(Statement::Data {
        name,
        shape,
        values,
    })
}

/// Checks the values against the shape; makes one where none is written.
fn fitting_shape(
    shape: Option<(Shape<Vec<Dim>>, Span)>,
    values: &Values,
    span: Span,
) -> Parsed<Shape<Vec<Dim>>> {
    let count = match values {
        Values::Listed(list) => list.len() as u64,
        Values::Range(bound) => u64::from(*bound),
        Values::Csv(csv) => return shape_of_file(shape, csv, span),
    };
    let Some((shape, shape_span)) = shape else {
        let output = Dim::based(count, Basis::Default).into_iter().collect();
        return Ok(Shape {
            output,
            ..Shape::default()
        });
    };
    let expected = element_count(&shape).unwrap_or(u64::MAX);
    if expected == count {
        return Ok(shape);
    }
    Err(Diagnostic::new(
        span,
        format!("the shape has {expected} values, the list {count}"),
        format!("{count} values"),
    )
    .other(shape_span, format!("{expected} values"))
    .help("change the shape or the list; without a shape the list is one output axis"))
}

/// A file must have a shape, and its columns must divide the values among its rows.
fn shape_of_file(
    shape: Option<(Shape<Vec<Dim>>, Span)>,
    csv: &Csv,
    span: Span,
) -> Parsed<Shape<Vec<Dim>>> {
    let Some((shape, shape_span)) = shape else {
        return Err(Diagnostic::new(
            span,
            "the shape of the data is missing",
            "a file does not say it",
        )
        .help("write it after the name: `data x : 1797|->64 from …`"));
    };
    let count = element_count(&shape).unwrap_or(u64::MAX);
    match &csv.columns {
        Some(columns) if !count.is_multiple_of(columns.len() as u64) => {
            let columns = columns.len();
            Err(Diagnostic::new(
                span,
                format!("{columns} columns cannot make up the {count} values of the shape"),
                format!("{columns} values a row"),
            )
            .other(shape_span, format!("{count} values"))
            .help("the number of values must be a multiple of the number of columns; `columns 0..64` leaves 64 out"))
        }
        _ => Ok(shape),
    }
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
