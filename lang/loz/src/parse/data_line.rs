//! Lines of data: `data NAME : SHAPE from "FILE" …` and `data NAME : SHAPE = …`.

use lozenge_vocabulary::program::{Column, Columns, Csv, Rows, Separator, Span, Values};

use super::cursor::Cursor;
use super::naming::new_name;
use super::number::whole_number;
use super::number::{number, number_word};
use super::shape::written_shape;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Name, Statement};

const VALUES_HELP: &str =
    "write `from \"file.csv\" columns 0..64`, `= [0, 1, 2]`, `= range(10)` or `= 0`";
const CONSTANT_HELP: &str = "a number alone stands in every cell: `data z : 3|->4 = 0`";
const ROWS_HELP: &str =
    "write `rows 0..1437`, or `rows 1437..` for all from there on; rows are counted from 0";

/// Reads `NAME : SHAPE from …`, `NAME : SHAPE = …` or `NAME = …`, the last with one output axis.
pub(crate) fn data<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    let name = new_name(cursor, "data x : 1797|->64 from \"x.csv\"")?;
    let shape = written_shape(cursor)?;
    let sign = cursor.span();
    let mut everywhere = false;
    let (values, place) = if cursor.eat_word("from") {
        csv(cursor)?
    } else if cursor.eat("=") {
        given_values(cursor, &name)?;
        no_file(cursor, sign)?;
        everywhere = is_one_number(cursor);
        literal(cursor)?
    } else if cursor.peek() == Token::End && shape.is_some() {
        (Values::Outside, name.span.clone())
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
    if everywhere && shape.is_none() {
        let shown = brief(name.text);
        return Err(Diagnostic::new(
            place,
            "the shape of the data is missing",
            "one number does not say it",
        )
        .help(format!(
            "write it after the name, `data {shown} : 3|->6 = 0`, or `const {shown} = 0`, whose shape its uses give"
        )));
    }
    Ok(Statement::Data {
        name,
        shape,
        values,
        everywhere,
        place,
    })
}

/// Tells whether the values are a single number, which stands in every cell.
fn is_one_number(cursor: &Cursor) -> bool {
    let is_number = |token: Token| match token {
        Token::Number(_) => true,
        Token::Word(word) => number_word(word).is_some(),
        _ => false,
    };
    let ends = |token: Token| matches!(token, Token::End | Token::Dedent);
    match cursor.peek() {
        Token::Sign("-") => is_number(cursor.peek_second()),
        token => is_number(token) && ends(cursor.peek_second()),
    }
}

/// Refuses the name of a file where values are given.
fn no_file(cursor: &Cursor, sign: Span) -> Parsed<()> {
    let Token::Text(_) = cursor.peek() else {
        return Ok(());
    };
    let message = "values are read from a file with `from`";
    Err(
        Diagnostic::new(cursor.span(), message, "the name of a file").edit(
            "write `from`",
            sign,
            "from",
        ),
    )
}

/// Refuses values that the program computes: the values of data are given with the program.
fn given_values(cursor: &Cursor, name: &Name) -> Parsed<()> {
    let Token::Word(word @ ("normal" | "uniform")) = cursor.peek() else {
        return Ok(());
    };
    let shown = brief(name.text);
    let message = format!("`{shown}` is data, and the program makes random values");
    Err(
        Diagnostic::new(cursor.span(), message, "made anew from `--seed`")
            .other(name.span.clone(), "its values are given")
            .help(format!(
                "write `let {shown} : … = {word}()` with the same shape"
            )),
    )
}

/// The options after the name of a file; `shuffled` precedes `rows` because it is applied first.
const OPTIONS: [&str; 9] = [
    "array",
    "separator",
    "comments",
    "header",
    "column",
    "columns",
    "missing",
    "shuffled",
    "rows",
];

/// Reads `"file.csv.gz"` and its options, in any order.
fn csv(cursor: &mut Cursor) -> Parsed<(Values, Span)> {
    let start = cursor.span().start;
    let Token::Text(path) = cursor.peek() else {
        return Err(cursor.unexpected("the name of a file in quotes", VALUES_HELP));
    };
    cursor.next();
    let mut csv = Csv {
        path: path.into(),
        ..Csv::default()
    };
    while let Token::Word(word) = cursor.peek() {
        let Some(option) = OPTIONS.iter().find(|option| **option == word) else {
            let help = format!(
                "behind a file stand {}",
                OPTIONS.map(|word| format!("`{word}`")).join(", ")
            );
            return Err(cursor.unexpected("the end of the line", &help));
        };
        let span = cursor.next().span;
        let twice = match *option {
            "array" => csv.array.replace(array(cursor)?).is_some(),
            "separator" => csv.separator.replace(separator(cursor)?).is_some(),
            "comments" => csv.comments.replace(comments(cursor)?).is_some(),
            "missing" => csv.missing.replace(missing(cursor)?).is_some(),
            "header" => std::mem::replace(&mut csv.header, true),
            "column" => csv.columns.replace(Columns::One(column(cursor)?)).is_some(),
            "columns" => csv.columns.replace(columns(cursor)?).is_some(),
            "shuffled" => csv.shuffled.replace(key(cursor)?).is_some(),
            _ => csv.rows.replace(rows(cursor)?).is_some(),
        };
        if twice {
            return Err(Diagnostic::new(
                span,
                format!("`{}` is said twice", brief(word)),
                "the second",
            )
            .help("leave one of them out"));
        }
        let (wrong, help) = match *option {
            "array" => (
                !csv.is_archive(),
                "only a `.npz` file has arrays with names",
            ),
            "header" => (csv.is_array(), "only CSV has a line of names"),
            "separator" | "comments" => (csv.is_array(), "only a text has lines of cells"),
            "missing" => (csv.is_array(), "each cell of an array has a value"),
            _ => (false, ""),
        };
        if wrong {
            let message = format!("the file has no `{option}`");
            return Err(Diagnostic::new(span, message, "by the name of the file").help(help));
        }
    }
    let used = csv.separated_by();
    if csv
        .comments
        .is_some_and(|sign| used == Separator::Character(sign))
    {
        let message = "comments begin with the separator";
        return Err(
            Diagnostic::new(start..cursor.end(), message, "the same sign").help(
                "choose the sign with which the comments of the file begin: `comments \"#\"`",
            ),
        );
    }
    Ok((Values::Csv(Box::new(csv)), start..cursor.end()))
}

/// Reads `"images"`.
fn array(cursor: &mut Cursor) -> Parsed<String> {
    let Token::Text(name) = cursor.peek() else {
        let help = "write `array \"images\"`";
        return Err(cursor.unexpected("the name of an array in quotes", help));
    };
    cursor.next();
    Ok(name.to_string())
}

/// Reads `tab`, `blanks` or `";"`.
fn separator(cursor: &mut Cursor) -> Parsed<Separator> {
    const HELP: &str = "write `separator tab`, `separator \";\"`, or `separator blanks` for any number of spaces and tabs";
    let separator = match cursor.peek() {
        Token::Word("tab") => Separator::Character('\t'),
        Token::Word("blanks") => Separator::Blanks,
        Token::Text(" ") => Separator::Blanks,
        Token::Text(text) => {
            let sign = sign(text, cursor.span(), "a separator", HELP)?;
            Separator::Character(sign)
        }
        _ => return Err(cursor.unexpected("a separator", HELP)),
    };
    cursor.next();
    Ok(separator)
}

/// Reads `"#"`.
fn comments(cursor: &mut Cursor) -> Parsed<char> {
    const HELP: &str = "write the sign with which comments begin: `comments \"#\"`";
    let Token::Text(text) = cursor.peek() else {
        return Err(cursor.unexpected("a sign in quotes", HELP));
    };
    let sign = sign(text, cursor.span(), "the beginning of a comment", HELP)?;
    cursor.next();
    Ok(sign)
}

/// Returns the only character of a text, which is no part of a number and no quote.
fn sign(text: &str, span: Span, what: &str, help: &str) -> Parsed<char> {
    let mut all = text.chars();
    let sign = all.next().filter(|_| all.as_str().is_empty());
    let is_free = |sign: &char| {
        let is_sign = sign.is_ascii_punctuation() && !matches!(sign, '"' | '+' | '-' | '.');
        is_sign || *sign == '\t'
    };
    sign.filter(is_free).ok_or_else(|| {
        let message = format!("`{}` cannot be {what}", brief(text));
        Diagnostic::new(span, message, "not one sign that numbers do not have").help(help)
    })
}

/// Reads `0`, `-1`, `nan`.
fn missing(cursor: &mut Cursor) -> Parsed<f64> {
    signed_number(
        cursor,
        "write the value of cells that have none: `missing nan`, `missing 0`",
    )
}

/// Reads `0..64`, `64..`, `"first".."last"`.
fn columns(cursor: &mut Cursor) -> Parsed<Columns> {
    let start = cursor.span().start;
    let from = column(cursor)?;
    cursor.expect("..", "write `columns 0..64` for the columns 0 to 63")?;
    let to = match cursor.peek() {
        Token::Number(_) | Token::Text(_) => Some(column(cursor)?),
        _ => None,
    };
    let columns = Columns::Range(from, to);
    if columns.count() == Some(0) {
        return Err(Diagnostic::new(
            start..cursor.end(),
            "a range of columns is empty",
            "nothing to read",
        )
        .help("the second number is the first column that is left out: `0..64` are the columns 0 to 63"));
    }
    Ok(columns)
}

/// Reads the number of a column, or its name in the header.
fn column(cursor: &mut Cursor) -> Parsed<Column> {
    const MOST: u64 = 1 << 24;
    if let Token::Text(name) = cursor.peek() {
        cursor.next();
        return Ok(Column::Named(name.to_string()));
    }
    let Token::Number(text) = cursor.peek() else {
        return Err(cursor.unexpected(
            "the number of a column",
            "columns are counted from 0, or named as in the header: `column \"price\"`",
        ));
    };
    let span = cursor.next().span;
    match whole_number(text, span.clone(), "a column")? {
        number @ ..MOST => Ok(Column::Number(number as usize)),
        _ => Err(
            Diagnostic::new(span, "a file has no such column", "too large")
                .help(format!("columns are below {MOST}")),
        ),
    }
}

/// Reads `0..1437` or `1437..`.
fn rows(cursor: &mut Cursor) -> Parsed<Rows> {
    let start = cursor.span().start;
    let from = natural(cursor, "the number of a row", ROWS_HELP)?;
    cursor.expect("..", ROWS_HELP)?;
    let to = match cursor.peek() {
        Token::Number(_) => Some(natural(cursor, "the number of a row", ROWS_HELP)?),
        _ => None,
    };
    let rows = Rows { from, to };
    if rows.count() == Some(0) {
        return Err(Diagnostic::new(
            start..cursor.end(),
            "a range of rows is empty",
            "nothing to read",
        )
        .help(
            "the second number is the first row that is left out: `0..64` are the rows 0 to 63",
        ));
    }
    Ok(rows)
}

fn key(cursor: &mut Cursor) -> Parsed<u64> {
    let help =
        "write a key, `shuffled 3`: the same key gives the same order in every line that has it";
    natural(cursor, "a key", help)
}

fn natural(cursor: &mut Cursor, what: &str, help: &str) -> Parsed<u64> {
    let Token::Number(text) = cursor.peek() else {
        return Err(cursor.unexpected(what, help));
    };
    let span = cursor.next().span;
    whole_number(text, span, what)
}

/// Reads `[0, 1, 2]`, `range(10)` or a number that stands in every cell.
fn literal(cursor: &mut Cursor) -> Parsed<(Values, Span)> {
    let start = cursor.span().start;
    let values = if cursor.eat("[") {
        Values::Listed(list(cursor)?)
    } else if cursor.eat_word("range") {
        cursor.expect("(", VALUES_HELP)?;
        let bound = range_bound(cursor)?;
        cursor.expect(")", VALUES_HELP)?;
        Values::Range(bound)
    } else if is_one_number(cursor) {
        Values::Listed(vec![signed_number(cursor, VALUES_HELP)?])
    } else {
        let help = match cursor.peek() {
            Token::Number(_) if cursor.peek_second() == Token::Sign(",") => {
                "the values stand in brackets: `= [1, 2, 3]`"
            }
            Token::Word("fill" | "full" | "ones" | "zeros") => CONSTANT_HELP,
            _ => VALUES_HELP,
        };
        return Err(cursor.unexpected("`[` or `range`", help));
    };
    Ok((values, start..cursor.end()))
}

/// Reads the numbers up to `]`: at least one, with an optional comma after the last.
fn list(cursor: &mut Cursor) -> Parsed<Vec<f64>> {
    const HELP: &str = "a list is like `[0, 1.5, -2, inf]`";
    let mut list = vec![signed_number(cursor, HELP)?];
    while cursor.eat(",") && cursor.peek() != Token::Sign("]") {
        list.push(signed_number(cursor, HELP)?);
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

/// Reads a number, `inf` or `nan`, optionally with a minus sign.
pub(crate) fn signed_number(cursor: &mut Cursor, help: &str) -> Parsed<f64> {
    let negative = cursor.eat("-");
    let value = match cursor.peek() {
        Token::Number(text) => number(text, cursor.next().span)?,
        Token::Word(word) if let Some(value) = number_word(word) => {
            cursor.next();
            value
        }
        _ => return Err(cursor.unexpected("a number", help)),
    };
    Ok(if negative { -value } else { value })
}
