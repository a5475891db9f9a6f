//! Shapes that are written in part: what they leave open is found by inference, and an editor shows it.

use lozenge_vocabulary::program::Span;

use crate::syntax::{Axis, Open, Statement, Written};

/// Finds the places of the shapes that leave axes or sizes to inference, such as `...->3` or `hidden->3`, each after
/// the place of the name that has the shape. In the order of the text, which may contain errors. A label whose size is
/// defined elsewhere counts, too.
///
/// ```
/// let source = "param w : ...->3\nparam b : 3->4\n";
/// assert_eq!(lozenge_lang::partly_written(source), [(6..7, 10..16)]);
/// ```
pub fn partly_written(source: &str) -> Vec<(Span, Span)> {
    let read = crate::parse::block::read(source, &mut Vec::new());
    let mut found = Vec::new();
    let mut blocks = vec![read.statements.as_slice()];
    while let Some(block) = blocks.pop() {
        for statement in block {
            blocks.push(body(statement));
            if let ([name], Some(shape)) = (statement.defines(), statement.shape())
                && is_partial(shape)
            {
                found.push((name.span.clone(), shape.1.clone()));
            }
        }
    }
    found.sort_by_key(|(name, _)| name.start);
    found
}

/// Returns the lines inside a statement.
fn body<'s, 'a>(statement: &'s Statement<'a>) -> &'s [Statement<'a>] {
    match statement {
        Statement::Def(definition) => &definition.body,
        Statement::For(repetition) => &repetition.body,
        Statement::Section(section) => &section.body,
        Statement::EachEpoch(each) => &each.body,
        _ => &[],
    }
}

fn is_partial((shape, _): &Written) -> bool {
    shape.rows().into_iter().any(|row| {
        matches!(row.open, Some(Open::Variable(_)))
            || row.axes().any(|axis| !matches!(axis, Axis::Size(..)))
    })
}
