//! The parsing of brackets: the arguments of a call, the elements of a list, the positions of a slice, a group.

use lozenge_vocabulary::operation::{Accumulator, Combine};

use super::{OPERAND_HELP, Parser, Waiting};
use crate::diagnostic::counterpart;
use crate::diagnostic::{Diagnostic, Parsed};
use crate::parse::cursor::Cursor;
use crate::parse::number::number;
use crate::parse::token::Token;
use crate::syntax::{Argument, Arguments, Each, Name, NodeKind, Place, is_keyword};

const FROM_THE_END_HELP: &str = "positions are counted from 0: the last of three is `x @| 2`, and that of an axis with a name `x @| (n - 1)`";

impl<'a> Parser<'a> {
    /// Tells whether the innermost open bracket is of this sort.
    pub(super) fn inside(&self, sort: impl Fn(&Waiting) -> bool) -> bool {
        let bracket = self.waiting.iter().rev().find(|w| w.is_bracket());
        bracket.is_some_and(sort)
    }

    /// Reads a `(` after an operand. Returns true if an argument follows.
    pub(super) fn call(&mut self, cursor: &mut Cursor<'a>) -> Parsed<bool> {
        cursor.next();
        let callee = self.take();
        let open = self.nodes[callee].span.clone();
        if cursor.peek() == Token::Sign(")") {
            let end = cursor.next().span.end;
            let start = self.nodes[callee].span.start;
            self.push(NodeKind::Call(callee, Arguments::new()), start..end);
            return Ok(false);
        }
        let name = argument_name(cursor)?;
        self.waiting.push(Waiting::Call {
            callee,
            before: Arguments::new(),
            name,
            open,
        });
        Ok(true)
    }

    /// Reads `@|` and an index, or positions in parentheses. Returns true if an expression in parentheses follows.
    pub(super) fn slice(&mut self, cursor: &mut Cursor<'a>) -> Parsed<bool> {
        cursor.next();
        let of = self.take();
        let span = cursor.span();
        match cursor.peek() {
            Token::Number(text) => {
                cursor.next();
                let position = number(text, span.clone())?;
                self.push(NodeKind::Number(position), span.clone());
            }
            Token::Word(name) if !is_keyword(name) => {
                cursor.next();
                self.push(NodeKind::Name(name), span.clone());
            }
            Token::Sign("(") => {
                let open = cursor.next().span;
                let mut before = Vec::new();
                let follows = position_follows(cursor, &mut before);
                if !follows {
                    self.sliced(of, before, cursor)?;
                } else {
                    self.waiting.push(Waiting::Slice { of, open, before });
                }
                return Ok(follows);
            }
            Token::Sign("-") => return Err(cursor.unexpected("an index", FROM_THE_END_HELP)),
            _ => {
                return Err(cursor.unexpected(
                    "an index",
                    "a slice is `x @| 0`, `x @| i` with the name of a loop, `x @| (i + 1)`, or `x @| (_, i)` of the second batch axis",
                ));
            }
        }
        let index = self.take();
        let whole = self.nodes[of].span.start..span.end;
        self.push(NodeKind::Slice(of, vec![Place::At(index)]), whole);
        Ok(false)
    }

    /// Ends a slice that keeps the last of its axes.
    pub(super) fn sliced(
        &mut self,
        of: usize,
        places: Vec<Place>,
        cursor: &mut Cursor,
    ) -> Parsed<()> {
        cursor.expect(")", "close the parenthesis: `x @| (0, _)`")?;
        let whole = self.nodes[of].span.start..cursor.end();
        self.push(NodeKind::Slice(of, places), whole);
        Ok(())
    }

    /// Reads `for NAME in` in a list.
    pub(super) fn each(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        const HELP: &str = "a list is `[a, b]` or `[f(i) for i in 0..12]`";
        let word = cursor.next().span;
        let (open, before) = match self.waiting.pop() {
            Some(Waiting::List { open, before }) => (open, before),
            _ => {
                return Err(
                    Diagnostic::new(word, "a second `for` in a list", "one is enough").help(HELP),
                );
            }
        };
        if !before.is_empty() {
            return Err(
                Diagnostic::new(word, "`for` after a comma", "repeats one element").help(HELP),
            );
        }
        let element = self.take();
        let name = cursor.word("a name", HELP)?;
        if !cursor.eat_word("in") {
            return Err(cursor.unexpected("`in`", HELP));
        }
        self.waiting.push(Waiting::Each {
            open,
            element,
            name,
            from: None,
        });
        Ok(())
    }

    /// Reads the bracket that closes the innermost open one.
    pub(super) fn close(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        self.finish(cursor)?;
        let end = cursor.next().span.end;
        let last = self.take();
        let (kind, start) = match self.waiting.pop() {
            Some(Waiting::Group(open)) => {
                self.nodes[last].grouped = true;
                self.nodes[last].span = open.start..end;
                self.values.push(last);
                return Ok(());
            }
            Some(Waiting::Call {
                callee,
                mut before,
                name,
                ..
            }) => {
                before.push(Argument { name, value: last });
                let start = self.nodes[callee].span.start;
                (NodeKind::Call(callee, before), start)
            }
            Some(Waiting::List { open, mut before }) => {
                before.push(last);
                (NodeKind::List(before), open.start)
            }
            Some(Waiting::Each {
                open,
                element,
                name,
                from,
            }) => {
                let (from, to) = match from {
                    Some(from) => (from, Some(last)),
                    None => (last, None),
                };
                let kind = NodeKind::Each(Box::new(Each {
                    element,
                    name,
                    from,
                    to,
                }));
                (kind, open.start)
            }
            Some(Waiting::Index { of, .. }) => {
                (NodeKind::Index(of, last), self.nodes[of].span.start)
            }
            Some(Waiting::Slice { of, mut before, .. }) => {
                before.push(Place::At(last));
                (NodeKind::Slice(of, before), self.nodes[of].span.start)
            }
            _ => unreachable!("`close` is called inside brackets"),
        };
        self.push(kind, start..end);
        Ok(())
    }

    /// Reads a comma inside brackets. Returns true if an operand follows.
    pub(super) fn comma(&mut self, cursor: &mut Cursor<'a>) -> Parsed<bool> {
        let comma = cursor.next().span;
        let last = self.take();
        match self.waiting.last_mut() {
            Some(Waiting::Call { before, name, .. }) => {
                let name = std::mem::replace(name, argument_name(cursor)?);
                before.push(Argument { name, value: last });
                Ok(true)
            }
            Some(Waiting::List { before, .. }) => {
                if cursor.peek() == Token::Sign("]") {
                    self.values.push(last);
                    return Ok(false);
                }
                before.push(last);
                Ok(true)
            }
            Some(Waiting::Slice { of, before, .. }) => {
                before.push(Place::At(last));
                let follows = position_follows(cursor, before);
                if !follows {
                    let (of, places) = (*of, std::mem::take(before));
                    self.waiting.pop();
                    self.sliced(of, places, cursor)?;
                }
                Ok(follows)
            }
            Some(Waiting::Index { of, .. }) => {
                let of = match &self.nodes[*of].kind {
                    NodeKind::Name(name) => crate::diagnostic::brief(name),
                    _ => "x".into(),
                };
                let help = format!(
                    "a value of a tensor is `map({of}, \"0, 0, ... => ...\")`, with batch axes `{of} @| (0, 0)`; one of lists in a list is `{of}[0][0]`"
                );
                let title = "brackets read one value of a list";
                Err(Diagnostic::new(comma, title, "a list has no second axis").help(help))
            }
            _ => Err(Diagnostic::new(
                comma,
                "a comma stands between operands of a function",
                "no function here",
            )
            .help("leave it out, or put the name of a function before the parenthesis")),
        }
    }
}

impl Waiting<'_> {
    pub(super) fn is_bracket(&self) -> bool {
        !matches!(
            self,
            Waiting::Infix(..) | Waiting::Prefix(_) | Waiting::If { .. } | Waiting::Else { .. }
        )
    }

    /// Tells whether `]` closes the bracket.
    pub(super) fn is_list(&self) -> bool {
        matches!(
            self,
            Waiting::List { .. } | Waiting::Each { .. } | Waiting::Index { .. }
        )
    }
}

/// Passes the axes of a slice that are kept; returns true if a position follows.
fn position_follows(cursor: &mut Cursor, places: &mut Vec<Place>) -> bool {
    while let (Token::Word("_"), Token::Sign("," | ")")) = (cursor.peek(), cursor.peek_second()) {
        cursor.next();
        places.push(Place::Whole);
        if !cursor.eat(",") {
            return false;
        }
    }
    true
}

/// Reads `NAME =` before an argument.
fn argument_name<'a>(cursor: &mut Cursor<'a>) -> Parsed<Option<Box<Name<'a>>>> {
    let named = match (cursor.peek(), cursor.peek_second()) {
        (Token::Word(_), Token::Sign("=")) => true,
        (Token::Word(word), Token::Accumulate(accumulator)) => {
            // `f(a=-1)` reads like an assignment.
            let negative = Accumulator {
                erase: false,
                combine: Combine::Subtract,
            };
            if accumulator == negative {
                let place = cursor.next().span;
                if counterpart::AXES.contains(&word) {
                    let message = format!("axes have no numbers, and functions no `{word}`");
                    let error = Diagnostic::new(place, message, "as in other libraries");
                    return Err(error.help(counterpart::AXES_HELP));
                }
                let help = format!("write `{} = -1`", crate::diagnostic::brief(word));
                return Err(cursor.unexpected("`=` with spaces around it", &help));
            }
            false
        }
        _ => false,
    };
    if !named {
        return Ok(None);
    }
    let name = cursor.word("a name", OPERAND_HELP)?;
    cursor.next();
    Ok(Some(Box::new(name)))
}
