//! The headers of sections: `train 20 epochs by 32 of n shuffled:`, `train 100 steps:`, `repeat 20 steps:`, `each
//! epoch:`.

use lozenge_vocabulary::program::Span;

use super::cursor::Cursor;
use super::expression::expression;
use crate::diagnostic::Parsed;
use crate::syntax::{Name, Section, Turns};

/// Reads the header of a section after its first word. The caller reads the block.
pub(crate) fn section<'a>(cursor: &mut Cursor<'a>, word: Name<'a>) -> Parsed<Section<'a>> {
    let help = format!(
        "write `{word} 100 steps:`, or `{word} 20 epochs by 32 of n:` to go through the rows of `n` in batches of 32",
        word = word.text
    );
    let count = expression(cursor)?;
    let turns = if cursor.eat_word("steps") {
        Turns::Steps(count)
    } else if cursor.eat_word("epochs") {
        if !cursor.eat_word("by") {
            return Err(cursor.unexpected("`by`", &help));
        }
        let batch = expression(cursor)?;
        if !cursor.eat_word("of") {
            return Err(cursor.unexpected("`of`", &help));
        }
        let label = cursor.word("the label of a batch axis", &help)?;
        Turns::Epochs {
            epochs: count,
            batch,
            label,
            shuffled: cursor.eat_word("shuffled"),
        }
    } else {
        return Err(cursor.unexpected("`steps` or `epochs`", &help));
    };
    cursor.expect(":", &help)?;
    Ok(Section {
        training: word.text == "train",
        turns,
        body: Vec::new(),
        header: word.span.start..cursor.end(),
    })
}

/// Reads `each epoch:`, after its first word.
pub(crate) fn each_epoch(cursor: &mut Cursor, word: Span) -> Parsed<Span> {
    const HELP: &str = "write `each epoch:` for lines that run after each epoch";
    if !cursor.eat_word("epoch") {
        return Err(cursor.unexpected("`epoch`", HELP));
    }
    cursor.expect(":", HELP)?;
    Ok(word.start..cursor.end())
}
