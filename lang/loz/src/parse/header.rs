//! The headers of blocks: `def f(x):`, `op f(v1) "SPEC":`, `for i in 0..3 carry y:`.

use hashbrown::HashSet;

use super::cursor::Cursor;
use super::einsum::logic;
use super::expression::expression;
use super::naming::{new_name, reserved};
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Formal, Logic, Name, Repetition, Section, Statement, is_keyword};
use lozenge_vocabulary::program::Span;

/// A statement, or the header of one with a block.
pub(crate) enum Head<'a> {
    Whole(Box<Statement<'a>>),
    Def {
        name: Name<'a>,
        config: Vec<Formal<'a>>,
        tensors: Option<Vec<Formal<'a>>>,
        lists: Span,
    },
    For(Repetition<'a>),
    Section(Section<'a>),
    /// `each epoch:`
    EachEpoch(Span),
    Op {
        name: Name<'a>,
        operands: Vec<Name<'a>>,
        logic: Logic,
    },
}

/// Checks that no name stands twice in a list of names.
pub(crate) fn distinct<'n, 'a: 'n>(
    names: impl Iterator<Item = &'n Name<'a>>,
    what: &str,
    help: &str,
) -> Parsed<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.text) {
            let message = format!("two {what} `{}`", brief(name.text));
            return Err(Diagnostic::new(name.span.clone(), message, "the second").help(help));
        }
    }
    Ok(())
}

/// Reads `def NAME(…)(…):`, after the word `def`.
pub(crate) fn definition<'a>(cursor: &mut Cursor<'a>) -> Parsed<Head<'a>> {
    const HELP: &str =
        "write `def f(x):`, or `def f(width)(x):` for a function that makes parameters";
    let name = cursor.word("a name", HELP)?;
    if is_keyword(name.text) {
        return Err(reserved(&name));
    }
    let start = cursor.span().start;
    let config = formals(cursor, HELP)?;
    let tensors = match cursor.peek() {
        Token::Sign("(") => Some(formals(cursor, HELP)?),
        _ => None,
    };
    let lists = start..cursor.end();
    let all = config.iter().chain(tensors.iter().flatten());
    distinct(
        all.map(|formal| &formal.name),
        "arguments are called",
        "give one of them another name",
    )?;
    cursor.expect(":", HELP)?;
    Ok(Head::Def {
        name,
        config,
        tensors,
        lists,
    })
}

/// Reads `op NAME(NAME, NAME) "SPEC":`, after the word `op`.
pub(crate) fn operator<'a>(cursor: &mut Cursor<'a>) -> Parsed<Head<'a>> {
    const HELP: &str =
        "write `op mul(v1, v2) \"@\":` with a line for `v` and one for each gradient below";
    let name = new_name(cursor, "op mul(v1, v2) \"@\":")?;
    cursor.expect("(", HELP)?;
    let mut operands: Vec<Name<'a>> = Vec::new();
    loop {
        let operand = new_name(cursor, "op mul(v1, v2) \"@\":")?;
        let taken = matches!(operand.text, "v" | "g")
            || operands.iter().any(|known| known.text == operand.text);
        if taken {
            let message = format!("`{}` cannot name this operand", brief(operand.text));
            return Err(Diagnostic::new(operand.span, message, "taken")
                .help("`v` is the value and `g` its gradient: call the operands `v1`, `v2`"));
        }
        operands.push(operand);
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect(")", HELP)?;
    let span = cursor.span();
    let Token::Text(text) = cursor.peek() else {
        return Err(cursor.unexpected("a spec", HELP));
    };
    cursor.next();
    let logic = logic(text, span.clone())?;
    let shapes = match &logic {
        Logic::Einsum(spec) => spec.operands.len(),
        Logic::Compose(_) => 2,
        Logic::Transpose(_) => 1,
        Logic::Pointwise => operands.len(),
    };
    if shapes != operands.len() {
        let message = format!(
            "the spec is for {shapes} operands, the operator has {}",
            operands.len()
        );
        return Err(
            Diagnostic::new(span, message, "another number").help("write a shape for each operand")
        );
    }
    cursor.expect(":", HELP)?;
    Ok(Head::Op {
        name,
        operands,
        logic,
    })
}

/// Reads `(NAME, NAME = EXPRESSION)`.
fn formals<'a>(cursor: &mut Cursor<'a>, help: &str) -> Parsed<Vec<Formal<'a>>> {
    let mut formals = Vec::new();
    cursor.expect("(", help)?;
    while cursor.peek() != Token::Sign(")") {
        let name = new_name(cursor, "def f(x):")?;
        if cursor.peek() == Token::Sign(":") {
            let shown = brief(name.text);
            let message = format!("the shape of `{shown}` stands in the body of the function");
            return Err(
                Diagnostic::new(cursor.span(), message, "no shape in a list").help(format!(
                    "write `assert {shown} : …` as a line of the body; without one the function takes any shape"
                )),
            );
        }
        let default = match cursor.eat("=") {
            true => Some(expression(cursor)?),
            false => None,
        };
        formals.push(Formal { name, default });
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect(")", help)?;
    Ok(formals)
}

/// Reads `for NAME in …:`, after the word `for`.
pub(crate) fn repetition<'a>(cursor: &mut Cursor<'a>, word: Span) -> Parsed<Head<'a>> {
    const HELP: &str = "write `for i in 0..12:` or `for i in 0..12 carry y:`";
    let name = new_name(cursor, "for i in 0..12:")?;
    if !cursor.eat_word("in") {
        return Err(cursor.unexpected("`in`", HELP));
    }
    let from = expression(cursor)?;
    let to = match cursor.eat("..") {
        true => Some(expression(cursor)?),
        false => None,
    };
    let mut carry = Vec::new();
    if cursor.eat_word("carry") {
        loop {
            carry.push(cursor.word("a name", HELP)?);
            if !cursor.eat(",") {
                break;
            }
        }
    }
    distinct(
        carry.iter(),
        "carried names are",
        "name each tensor once behind `carry`",
    )?;
    cursor.expect(":", HELP)?;
    let header = word.start..cursor.end();
    Ok(Head::For(Repetition {
        name,
        from,
        to,
        carry,
        body: Vec::new(),
        header,
    }))
}
