//! Windows in specs: `y+u`, `2*y+u:3`, `same(y+2*u:3)`, `floor(2*y+u, 1)`, `2*i+1`.
//!
//! A window states which cells of an axis are read or written: the first label moves the window by its coefficient, the
//! stride, and each further label, a tap, moves within the window by its own coefficient, the dilation.

use std::num::NonZeroU64;

use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::window::Mode;

use super::cursor::Cursor;
use super::extent::{Numbers, stated_size};
use super::number::whole_number;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Amount, Axis, Labelled, Size, WindowTerm, WrittenWindow};

pub(crate) const WINDOW_HELP: &str = "a window is like `2*y + u:3`: the stride and a label that moves the window, then its taps, each with \
     its dilation; `same(…)`, `floor(…, 1)`, `ceil(…)` and `pad(…, 1)` say how windows fit";

/// Finds the mode with the name that precedes `(`.
fn mode(word: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.word() == word)
}

/// Tells whether a window begins here, before its first label.
pub(crate) fn begins(cursor: &Cursor) -> bool {
    matches!(
        (cursor.peek(), cursor.peek_second()),
        (Token::Number(_) | Token::Word(_), Token::Sign("*")) | (Token::Word(_), Token::Sign("("))
    )
}

/// Reads a window, or a window with a mode around it.
pub(crate) fn window(cursor: &mut Cursor, numbers: Numbers) -> Parsed<Axis> {
    let start = cursor.span();
    if let (Token::Word(word), Token::Sign("(")) = (cursor.peek(), cursor.peek_second()) {
        return match mode(word) {
            Some(mode) => enclosed(cursor, mode, numbers),
            None => Err(Diagnostic::new(
                start,
                format!("`{}` is no kind of window", brief(word)),
                "before a parenthesis",
            )
            .help("write `same(…)`, `same_lower(…)`, `floor(…)`, `ceil(…)` or `pad(…, 1)`; in a spec only windows and products have parentheses")),
        };
    }
    let first = term(cursor, numbers)?;
    sum(cursor, first, numbers, Mode::Exact)
}

/// Reads the rest of a window after its first label, if a sum continues here; otherwise just the label.
pub(crate) fn after_label(
    cursor: &mut Cursor,
    label: Labelled,
    size: Option<Size>,
    numbers: Numbers,
) -> Parsed<Axis> {
    match cursor.peek() {
        Token::Sign("+") => {
            let first = WindowTerm {
                coefficient: Amount::Written(1),
                label,
                size,
            };
            sum(cursor, first, numbers, Mode::Exact)
        }
        Token::Sign("-") => Err(Diagnostic::new(
            cursor.span(),
            "an index has no `-`",
            "a window that begins before its axis",
        )
        .help("write `same(y + u:3)`, or `pad(y + u:3, 1)` with the number of cells in front and behind")),
        _ => Ok(Axis::Label(label, size)),
    }
}

/// Reads `floor(2*y + u, 1, 2)`.
fn enclosed(cursor: &mut Cursor, mode: Mode, numbers: Numbers) -> Parsed<Axis> {
    let start = cursor.next().span.start;
    cursor.expect("(", WINDOW_HELP)?;
    if let (Token::Word(_), Token::Sign("(")) = (cursor.peek(), cursor.peek_second()) {
        return Err(
            Diagnostic::new(cursor.span(), "a window of a window", "inside another one")
                .help("an axis has one window: give the inner one to an operation of its own"),
        );
    }
    let first = term(cursor, numbers)?;
    let Axis::Window(mut window) = sum(cursor, first, numbers, mode)? else {
        return Err(cursor.unexpected("a window", WINDOW_HELP));
    };
    let mut margins = Vec::new();
    let place = cursor.span();
    while cursor.eat(",") {
        margins.push(amount(cursor, "a number of cells")?);
    }
    margins_end(cursor, &margins)?;
    window.span = start..cursor.end();
    let place = place.start..cursor.end();
    let word = mode.word();
    window.margins = match (margins.as_slice(), mode.has_margins()) {
        ([], _) if mode != Mode::Exact => return Ok(Axis::Window(window)),
        ([], _) => {
            return Err(Diagnostic::new(
                window.span.clone(),
                "`pad` needs a number of cells",
                "no number",
            )
            .help("`pad(y + u, 1)` has one cell in front and one behind, `pad(y + u, 1, 2)` two behind"));
        }
        (_, false) => {
            return Err(Diagnostic::new(
                place,
                format!("`{word}` makes its own margins"),
                "a number of cells",
            )
            .help(format!("leave the number out, or write `pad(…, 1)`, `floor(…, 1)` or `ceil(…, 1)` in place of `{word}`")));
        }
        ([both], _) => [both.clone(), both.clone()],
        ([low, high], _) => [low.clone(), high.clone()],
        _ => {
            return Err(
                Diagnostic::new(place, "a window has two margins", "more numbers")
                    .help("`pad(y + u, 1, 2)` has one cell in front and two behind"),
            );
        }
    };
    Ok(Axis::Window(window))
}

/// Passes the `)` behind the margins. Margins that are computed from sizes are not written there.
fn margins_end(cursor: &mut Cursor, margins: &[Amount]) -> Parsed<()> {
    let is_computed = matches!(cursor.peek(), Token::Sign("+" | "-" | "*" | "/" | "**"));
    let help = match is_computed && !margins.is_empty() {
        true => {
            "a number of cells is a number or the name of a size: write `size m = 2 * d` on a line above, and `m` here"
        }
        false => WINDOW_HELP,
    };
    cursor.expect(")", help)?;
    Ok(())
}

/// Reads `+ u:3 + 2*v + 1` after the first term.
fn sum(cursor: &mut Cursor, first: WindowTerm, numbers: Numbers, mode: Mode) -> Parsed<Axis> {
    let start = first.label.span.start;
    let mut terms = vec![first];
    let mut phase = 0;
    while cursor.eat("+") {
        let place = cursor.span();
        match (cursor.peek(), cursor.peek_second()) {
            (Token::Number(text), second) if second != Token::Sign("*") => {
                cursor.next();
                phase = whole_number(text, place.clone(), "a position in a block")?;
                fits_in_block(phase, &terms, &place)?;
                break;
            }
            _ => terms.push(term(cursor, numbers)?),
        }
    }
    if super::composite::goes_on(cursor) {
        super::composite::not_nested(cursor)?;
    }
    let span = start.min(terms[0].start())..cursor.end();
    if numbers == Numbers::Sizes {
        return Err(
            Diagnostic::new(span, "a window in a shape", "an axis without a size")
                .help("windows stand in specs; write the size of the axis here"),
        );
    }
    Ok(Axis::Window(Box::new(WrittenWindow {
        mode,
        terms,
        phase,
        margins: [Amount::Written(0), Amount::Written(0)],
        span,
    })))
}

/// Checks that a number at the end of a window is a position in its block.
fn fits_in_block(phase: u64, terms: &[WindowTerm], place: &Span) -> Parsed<()> {
    let error = |message: String| {
        Diagnostic::new(place.clone(), message, "a number at the end of a window")
    };
    match terms {
        [only] => match only.coefficient {
            Amount::Written(1) if phase > 0 => {
                let label = brief(&only.label.name);
                Err(
                    error("a block of 1 cell has the position 0 only".into()).help(format!(
                        "`_:{phase}^{label}` leaves out what lies in front of `{label}`"
                    )),
                )
            }
            Amount::Written(stride) if phase >= stride => {
                let last = stride.saturating_sub(1);
                let (label, inside) = (brief(&only.label.name), phase % stride.max(1));
                let skipped = phase - inside;
                Err(error(format!(
                    "position {phase} is past the end of a block of {stride}"
                ))
                .edit(
                    format!(
                        "if the last position of a block is meant, it is {last}; to leave out {skipped} cells, write \
                         `y =: x \"_:{skipped}^{label} => {label}\"` on a line before, and {inside} here"
                    ),
                    place.clone(),
                    last.to_string(),
                ))
            }
            _ => Ok(()),
        },
        _ => Err(
            error("a window with taps has no position of its own".into()).help(
                "leave the number out; cells in front of the axis are written `pad(2*y + u, 1)`",
            ),
        ),
    }
}

/// Reads `u`, `u:3`, `2*u:3`.
fn term(cursor: &mut Cursor, numbers: Numbers) -> Parsed<WindowTerm> {
    let place = cursor.span();
    let mut coefficient = Amount::Written(1);
    if let (Token::Number(_) | Token::Word(_), Token::Sign("*")) =
        (cursor.peek(), cursor.peek_second())
    {
        coefficient = amount(cursor, "a coefficient")?;
        cursor.expect("*", WINDOW_HELP)?;
        if let Amount::Written(0) = coefficient {
            return Err(
                Diagnostic::new(place, "a coefficient is 0", "no step at all")
                    .help("a stride or a dilation is at least 1"),
            );
        }
    }
    if let Token::Sign("(") = cursor.peek() {
        return Err(Diagnostic::new(
            cursor.span(),
            "a window has no parentheses inside",
            "a sum in a sum",
        )
        .help("multiply it out: `2*(y + u)` is `2*y + 2*u`"));
    }
    let name = cursor.word("a label", WINDOW_HELP)?;
    if let Token::Sign("(") = cursor.peek() {
        return Err(
            Diagnostic::new(name.span, "a window of a window", "inside another one")
                .help("an axis has one window: give the inner one to an operation of its own"),
        );
    }
    let label = Labelled {
        name: name.text.into(),
        span: name.span,
    };
    let size = stated_size(cursor, numbers)?;
    Ok(WindowTerm {
        coefficient,
        label,
        size,
    })
}

/// Reads a number of cells, or the name of a size.
fn amount(cursor: &mut Cursor, what: &str) -> Parsed<Amount> {
    let place = cursor.span();
    match cursor.peek() {
        Token::Number(text) => {
            cursor.next();
            Ok(Amount::Written(whole_number(text, place, what)?))
        }
        Token::Word(name) => {
            cursor.next();
            Ok(Amount::Named(Labelled {
                name: name.into(),
                span: place,
            }))
        }
        _ => Err(cursor.unexpected(what, WINDOW_HELP)),
    }
}

impl WindowTerm {
    /// Returns the start of the place.
    fn start(&self) -> usize {
        match &self.coefficient {
            Amount::Named(name) => name.span.start,
            Amount::Written(_) => self.label.span.start,
        }
    }
}

/// Returns the value of a coefficient, which is known to be at least 1.
pub(crate) fn at_least_one(value: u64) -> NonZeroU64 {
    NonZeroU64::new(value).unwrap_or(NonZeroU64::MIN)
}
