//! The layout of programs.
//!
//! Only the spaces between words and signs change, and the depth of lines: what is laid out is the list of tokens itself,
//! and the result is read again and compared with it before it is given back.
//!
//! | file | what it does |
//! |---|---|
//! | `format/part.rs` | what the parts of statements are |
//! | `format/spaces.rs` | the space between two tokens |
//! | `format/line.rs` | lines with their comments |
//! | `format/columns.rs` | what stands below each other |

mod columns;
mod line;
mod part;
mod spaces;

use crate::diagnostic::Diagnostic;
use crate::statement;
use crate::token::{self, Placed, Token};

/// How a file that begins with a byte order mark begins; it says nothing in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The program with its usual layout: blocks are indented by two spaces, operators have a space on each side, blank lines
/// group lines and are never two. Comments stay, and so do line breaks inside brackets and columns that lines next to
/// each other share. Lines end as the first one does, and a byte order mark is left out.
///
/// The program means the same afterwards, and formatting it again changes nothing.
///
/// # Errors
/// What is wrong with the text, as [`parse`](crate::parse) says it; names are not looked up.
///
/// ```
/// let source = "data x:8|->3=range( 24 )   # the data\nlet y= -x*. 2\n";
/// let laid_out = "data x : 8|->3 = range(24)  # the data\nlet y = -x *. 2\n";
/// assert_eq!(lozenge_lang::format(source).as_deref(), Ok(laid_out));
/// ```
pub fn format(source: &str) -> Result<String, Vec<Diagnostic>> {
    let text = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
    let mut errors = Vec::new();
    let read = statement::read(text, &mut errors);
    if !errors.is_empty() {
        let skipped = source.len() - text.len();
        for label in errors.iter_mut().flat_map(|error| &mut error.labels) {
            label.span = label.span.start + skipped..label.span.end + skipped;
        }
        return Err(crate::reported(errors, source));
    }
    let tokens = token::lines(text, &mut errors);
    let parts = part::parts(&read.statements);
    let mut lines = line::lines(text, &tokens, &parts);
    columns::align(&mut lines);
    let laid_out = line::text(&lines);
    if !same(&tokens, &token::lines(&laid_out, &mut errors)) {
        let error = Diagnostic::new(0..0, "the layout would change the program", "the program")
            .help("this is a mistake of the formatter: leave the file as it is, and report it");
        return Err(vec![error]);
    }
    Ok(match line_break(text) {
        "\n" => laid_out,
        other => laid_out.replace('\n', other),
    })
}

/// How the lines of a text end.
fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Whether two texts have the same tokens, blank lines aside. A basis stands right behind its size, and nothing else does.
fn same(before: &[Placed], after: &[Placed]) -> bool {
    let one = read(before);
    let other = read(after);
    one.eq(other)
}

/// The tokens without the ends of lines that hold none; with each whether it stands right behind the one before.
fn read<'t, 'a>(tokens: &'t [Placed<'a>]) -> impl Iterator<Item = (Token<'a>, bool)> + 't {
    let mut end = 0;
    let mut ended = true;
    tokens.iter().filter_map(move |placed| {
        let basis = matches!(placed.token, Token::Word(word) if word.starts_with('_'));
        let behind = basis && placed.span.start == end;
        end = placed.span.end;
        let again = ended && placed.token == Token::End;
        ended = matches!(placed.token, Token::End | Token::Indent | Token::Dedent);
        (!again).then_some((placed.token, behind))
    })
}
