//! Lines with an error: the message about a line that is no statement of the language, and the names that it may
//! define.

use hashbrown::HashSet;

use super::cursor::Cursor;
use super::token::Token;
use crate::diagnostic::counterpart::{self, Counterpart};
use crate::diagnostic::nearest_name::nearest;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::operator::OF_SPECS;
use crate::syntax::{BEGINNINGS, Expression, Name, NodeKind, Statement, is_keyword};

/// The advice for a line that begins with no word of the language.
pub(super) const STATEMENT_HELP: &str = "a line begins with `data`, `param`, `const`, `let` or `size`, or with the name of a tensor and \
                              an assignment such as `=:+`";

/// Finds the names that a line with an error may define or update: the word after its keyword, or its first two words,
/// of which the first may be a keyword that is misspelt. Where a number stands in the place of the name, it may be any
/// word.
pub(super) fn targets_of(line: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = |word: &&str| word.starts_with(|c: char| is_word(c) && !c.is_ascii_digit());
    let mut first = line.split_whitespace().take(2).map(|part| {
        let end = part.find(|c| !is_word(c)).unwrap_or(part.len());
        &part[..end]
    });
    let (first, second) = (first.next().unwrap_or(""), first.next().unwrap_or(""));
    let named = if is_keyword(first) { second } else { first };
    if named.starts_with(|c: char| c.is_ascii_digit()) {
        return line.split(|c| !is_word(c)).filter(is_name).collect();
    }
    let named = [named, second].into_iter();
    named.filter(is_name).collect()
}

/// Refuses a line that does not end with its statement.
pub(super) fn end_of_line(cursor: &Cursor, statement: &Statement) -> Parsed<()> {
    match (cursor.peek(), statement) {
        (Token::End | Token::Dedent, _) => Ok(()),
        (Token::Text(spec), Statement::Let { names, expression, .. }) => {
            let help = format!("write `{} =:+ …` before the spec", brief(names[0].text));
            Err(spec_behind(cursor, spec, "`let`", expression, &help))
        }
        (Token::Text(spec), Statement::Results(values)) if values.len() == 1 => {
            let help = "name what is computed: write `y =:+ …` before the spec";
            Err(spec_behind(cursor, spec, "a value", &values[0], help))
        }
        (Token::Text(spec), Statement::Print(values)) if values.len() == 1 => {
            let help = "write `y =:+ …` before the spec, and `print y` on a line of its own";
            Err(spec_behind(cursor, spec, "`print`", &values[0], help))
        }
        (Token::Word("and"), _) => Err(cursor.unexpected(
            "the end of the line",
            "a condition is 1 or 0 in each cell: both hold where `(a > 0) *. (a < 1)` is 1",
        )),
        (Token::Word("or"), _) => Err(cursor.unexpected(
            "the end of the line",
            "a condition is 1 or 0 in each cell: one of two holds where `max(a < 0, a > 1)` is 1",
        )),
        (Token::Sign("|"), _) if cursor.peek_second() == Token::Sign(">") => Err(cursor.unexpected(
            "the end of the line",
            "a function stands before its operand, in parentheses: `relu(x)`",
        )),
        (Token::Sign(":"), Statement::Let { names, .. }) => Err(cursor.unexpected(
            "the end of the line",
            &format!(
                "a shape stands behind the name: `let {} : 8|->3 = …`",
                brief(names[0].text)
            ),
        )),
        (Token::Sign(","), Statement::Let { names, .. }) => Err(cursor.unexpected(
            "the end of the line",
            match names.len() {
                1 => "a `let` defines one tensor: write a line for each",
                _ => "several names are those of the results of one function: write a `let` for each expression",
            },
        )),
        (Token::Word(_) | Token::Number(_), Statement::Let { expression, .. })
            if matches!(expression.root().kind, NodeKind::Name(_)) =>
        {
            Err(cursor.unexpected(
                "the end of the line",
                "operands have an operator between them, and those of a function stand in parentheses: `relu(x)`",
            ))
        }
        _ => Err(cursor.unexpected(
            "the end of the line",
            "one statement a line; operands have an operator between them",
        )),
    }
}

/// Refuses the spec behind a statement that takes none. That of a call such as `concat(x, y)` is its last argument;
/// elsewhere it belongs to an assignment, of which the help says the beginning.
fn spec_behind(
    cursor: &Cursor,
    spec: &str,
    statement: &str,
    expression: &Expression,
    help: &str,
) -> Diagnostic {
    let message = Diagnostic::new(
        cursor.span(),
        format!("{statement} takes no spec"),
        "belongs to an assignment",
    );
    if let NodeKind::Call(callee, arguments) = &expression.root().kind
        && !arguments.is_empty()
        && matches!(expression.nodes[*callee].kind, NodeKind::Name(name) if OF_SPECS.contains(&name))
    {
        // Between the last argument and the parenthesis that closes the call.
        let close = expression.root().span.end - 1;
        return message.edit(
            "write it into the parentheses, as the last argument",
            close..cursor.span().end,
            format!(", \"{spec}\")"),
        );
    }
    message.help(format!(
        "{help}, or another assignment: `=:`, `=:-`, `=:*`, `=:max`, `=:min`"
    ))
}

/// Makes the error of `NAME = EXPRESSION`.
pub(super) fn plain_assignment(
    source: &str,
    cursor: &Cursor,
    name: &Name,
    defined: &HashSet<&str>,
) -> Diagnostic {
    let shown = brief(name.text);
    if defined.contains(name.text) {
        return Diagnostic::new(
            cursor.span(),
            "`=` does not say how values are written",
            "no colon, no operator",
        )
        .help(format!(
            "write `{shown} =+ …` to add to `{shown}`, and `{shown} =: …` to overwrite a parameter or a state"
        ));
    }
    let message = format!("`{shown}` is not defined yet");
    let place = name.span.start..cursor.end().max(cursor.span().end);
    let help = format!("a definition starts with `let`: `let {shown} = …`");
    let help = match foreign_call(&source[place.end..]) {
        Some(here) => format!("{help}; {}", here.help()),
        None => help,
    };
    Diagnostic::new(place, message, "`=` alone defines nothing").help(help)
}

/// Finds the counterpart of the function that a text calls first, if it is one of another library's module.
fn foreign_call(text: &str) -> Option<&'static Counterpart> {
    let (module, call) = text.trim_start_matches(' ').split_once('.')?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let end = call.find(|c| !is_word(c)).unwrap_or(call.len());
    counterpart::function(&call[..end]).filter(|_| counterpart::is_module(module))
}

/// Words that begin a statement in other languages, with what to write here instead.
const FOREIGN_STATEMENTS: [(&str, &str); 12] = [
    (
        "carry",
        "a loop says in its first line what it carries: `for layer in 0..12 carry y:`",
    ),
    (
        "if",
        "`A if C else B` chooses a value before inference, and `where(c, a, b)` chooses in each cell",
    ),
    (
        "with",
        "nothing is opened or closed: write the lines one below the other",
    ),
    ("fn", "a function is `def f(x):` with its lines below"),
    ("function", "a function is `def f(x):` with its lines below"),
    (
        "while",
        "`for i in 0..12 carry y:` repeats a number of times that is known",
    ),
    (
        "return",
        "the last line of a function is its result: write the expression alone",
    ),
    (
        "import",
        "the functions of the language need no import; those of a file of yours are there after `use \"f.loz\"`",
    ),
    (
        "class",
        "a function with two lists owns its parameters: `def f(width)(x):`",
    ),
    ("lambda", "write `def f(x): …` on a line of its own"),
    (
        "var",
        "write `let c = a + b` for a new tensor, and `param w` for one that is updated",
    ),
    (
        "tensor",
        "write `data x : 100|->3 from \"x.csv\"` for values, and `param w` for a parameter",
    ),
];

/// Makes the error of a line that begins with a name, which no statement of the language follows.
pub(super) fn unknown_statement(cursor: &Cursor, name: &Name) -> Diagnostic {
    let begins_none = || {
        let message = format!("`{}` begins no statement", brief(name.text));
        Diagnostic::new(name.span.clone(), message, "unknown word")
    };
    let foreign = FOREIGN_STATEMENTS
        .iter()
        .find(|(word, _)| *word == name.text);
    match (foreign, cursor.peek()) {
        (Some((_, help)), _) => begins_none().help(*help),
        (None, Token::Word(_)) => match nearest(name.text, BEGINNINGS) {
            Some(keyword) => begins_none().edit(
                format!("did you mean `{keyword}`?"),
                name.span.clone(),
                keyword,
            ),
            None => begins_none().help(STATEMENT_HELP),
        },
        (None, Token::Sign(":")) if cursor.peek_second() == Token::Sign("=") => cursor.unexpected(
            "an assignment such as `=:+`",
            &format!(
                "a new tensor is `let {0} = …`; `{0} =: …` overwrites a parameter or a state",
                brief(name.text)
            ),
        ),
        _ => cursor.unexpected("an assignment such as `=:+`", STATEMENT_HELP),
    }
}
