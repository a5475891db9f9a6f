//! The layout of programs.
//!
//! Only the spaces between words and signs and the indentation of lines change: the formatter lays out the list of
//! tokens itself, and before it returns the result, it reads the result again and compares the tokens. A crate of
//! pretty printing, such as `pretty`, was not tried: it chooses line breaks, which stay here, and does not align the
//! columns of neighbouring lines.
//!
//! | file | what it does |
//! |---|---|
//! | `format/part.rs` | what the parts of statements are |
//! | `format/spaces.rs` | the space between two tokens |
//! | `format/line.rs` | lines with their comments |
//! | `format/columns.rs` | the alignment of columns |

mod columns;
mod line;
mod part;
mod spaces;

use crate::diagnostic::Diagnostic;
use crate::parse::block;
use crate::parse::token::{self, Placed, Token};
use crate::program::reported;

/// The byte order mark with which a file may begin; it has no meaning in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Writes the program in its usual layout: blocks are indented by two spaces, operators have a space on each side, and
/// there are never two blank lines in succession. Comments are kept, and so are line breaks inside brackets and the
/// columns that adjacent lines share. All lines end as the first one does, and a byte order mark is removed.
///
/// The program means the same afterwards, and formatting it again changes nothing.
///
/// # Errors
/// The syntax errors of the text, as reported by [`parse`](crate::parse()); names are not resolved.
///
/// ```
/// let source = "data x:8|->3=range( 24 )   # the data\nlet y= -x*. 2\n";
/// let laid_out = "data x : 8|->3 = range(24)  # the data\nlet y = -x *. 2\n";
/// assert_eq!(lozenge_lang::format(source).as_deref(), Ok(laid_out));
/// ```
pub fn format(source: &str) -> Result<String, Vec<Diagnostic>> {
    let text = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
    let mut errors = Vec::new();
    let read = block::read(text, &mut errors);
    if !errors.is_empty() {
        let skipped = source.len() - text.len();
        for label in errors.iter_mut().flat_map(|error| &mut error.labels) {
            let span = label.span();
            label.place = (span.start + skipped..span.end + skipped).into();
        }
        return Err(reported(errors, source));
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

/// Returns the line break of a text.
fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Tells whether two texts have the same tokens apart from blank lines. Only a basis, which must follow its size
/// without a space, is also compared by its position.
fn same(before: &[Placed], after: &[Placed]) -> bool {
    let one = read(before);
    let other = read(after);
    one.eq(other)
}

/// Lists the tokens without the ends of empty lines, each with a flag, true if it follows the previous one without a
/// space and is a basis.
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
