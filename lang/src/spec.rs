//! Einsum specs: `n|->c; n|->p => c|->p`.

use std::collections::HashSet;

use lozenge_vocabulary::operation::Kind;

use crate::cursor::{Cursor, Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::shape::{three_rows, whole_number};
use crate::syntax::{Axis, Labelled, Logic, Spec, Template, TemplateRow};
use crate::token::{Token, tokens};
use lozenge_vocabulary::program::Span;

const SPEC_HELP: &str = "a spec is like `n|->c; n|->p => c|->p`: a shape for each operand with `;` between them, \
                         then `=>` and the result's shape; labels have commas between them";
const VARIABLE_HELP: &str =
    "write `...` for the other axes of this kind, or `..name..` for axes with a name";

/// Reads the text after an assignment: `.`, `@`, `T`, or an einsum spec. `span` is the text with its quotes.
pub(crate) fn logic(text: &str, span: Span) -> Parsed<Logic> {
    match text.trim() {
        "." => Ok(Logic::Pointwise),
        "@" => Ok(Logic::Compose(span)),
        "T" => Ok(Logic::Transpose(span)),
        _ => Ok(Logic::Einsum(Box::new(spec(text, span)?))),
    }
}

fn spec(text: &str, span: Span) -> Parsed<Spec> {
    let mut errors = Vec::new();
    let tokens = tokens(text, span.start + 1, &mut errors);
    let (operands, result) = match errors.into_iter().next() {
        Some(error) => Err(error.help(SPEC_HELP)),
        None => templates(&mut Cursor::new(&tokens)),
    }
    .map_err(malformed)?;
    result_is_determined(&operands, &result)?;
    Ok(Spec {
        operands,
        result,
        span,
    })
}

fn malformed(mut error: Diagnostic) -> Diagnostic {
    error.message.insert_str(0, "malformed spec: ");
    error
}

/// The templates of the operands, and that of the result.
fn templates(cursor: &mut Cursor) -> Parsed<(Vec<Template>, Template)> {
    let mut operands = vec![template(cursor)?];
    while cursor.eat(";") {
        operands.push(template(cursor)?);
    }
    cursor.expect("=>", SPEC_HELP)?;
    let result = template(cursor)?;
    if cursor.at_last() {
        Ok((operands, result))
    } else {
        Err(cursor.unexpected("the end of the spec", SPEC_HELP))
    }
}

fn template(cursor: &mut Cursor) -> Parsed<Template> {
    let mut rows = three_rows(cursor, row)?;
    for (kind, row) in [
        (Kind::Batch, &mut rows.batch),
        (Kind::Input, &mut rows.input),
        (Kind::Output, &mut rows.output),
    ] {
        // `...` is the row variable of its kind (Rem. 2.15(i)).
        if let Some(variable) = &mut row.variable
            && variable.name.is_empty()
        {
            variable.name = kind.word().into();
        }
    }
    Ok(rows)
}

/// Labels, fixed positions and at most one row variable. Commas separate axes; beside a row variable they are optional.
fn row(cursor: &mut Cursor) -> Parsed<TemplateRow> {
    let mut row = TemplateRow::default();
    let mut first = true;
    loop {
        match cursor.peek() {
            Token::Sign("..." | "..") => {
                let variable = row_variable(cursor)?;
                if row.variable.is_some() {
                    return Err(Diagnostic::new(
                        variable.span,
                        "a second row variable in one row",
                        "one row has one place that grows",
                    )
                    .help("keep one of them, or move the other to another kind (`batch|input->output`)"));
                }
                row.variable = Some(variable);
                if !cursor.eat(",") && !at_axis(cursor) {
                    return Ok(row);
                }
            }
            Token::Word(_) | Token::Number(_) => {
                let axis = axis(cursor)?;
                match row.variable {
                    None => row.leading.push(axis),
                    Some(_) => row.trailing.push(axis),
                }
                let variable_next = matches!(cursor.peek(), Token::Sign("..." | ".."));
                if !cursor.eat(",") && !variable_next {
                    return end_of_row(cursor, row);
                }
            }
            _ if first => return Ok(row),
            _ => return Err(cursor.unexpected("an axis label", SPEC_HELP)),
        }
        first = false;
    }
}

fn at_axis(cursor: &Cursor) -> bool {
    matches!(cursor.peek(), Token::Word(_) | Token::Number(_))
}

/// A row ends where no axis follows. Without a row variable all its axes trail: the marker is at the front.
fn end_of_row(cursor: &Cursor, mut row: TemplateRow) -> Parsed<TemplateRow> {
    if at_axis(cursor) {
        return Err(Diagnostic::new(
            cursor.span(),
            "two labels with no comma between them",
            "a comma is missing before this",
        )
        .help("write `n, p` for two axes; `np` is one axis with a longer label"));
    }
    if row.variable.is_none() {
        row.trailing = std::mem::take(&mut row.leading);
    }
    Ok(row)
}

/// `...` or `..name..`; the first has no name yet.
fn row_variable(cursor: &mut Cursor) -> Parsed<Labelled> {
    let start = cursor.span().start;
    let mut name = String::new();
    if !cursor.eat("...") {
        cursor.expect("..", VARIABLE_HELP)?;
        name = cursor
            .word("the name of a row variable", VARIABLE_HELP)?
            .text
            .into();
        cursor.expect("..", VARIABLE_HELP)?;
    }
    Ok(Labelled {
        name,
        span: start..cursor.end(),
    })
}

fn axis(cursor: &mut Cursor) -> Parsed<Axis> {
    let placed = cursor.next();
    match placed.token {
        Token::Word(name) => Ok(Axis::Label(Labelled {
            name: name.into(),
            span: placed.span,
        })),
        Token::Number(text) => whole_number(text, placed.span, "a fixed position").map(Axis::Fixed),
        _ => Err(cursor.unexpected("an axis label", SPEC_HELP)),
    }
}

/// Each label and row variable of the result must occur in an operand: nothing else says what it is.
fn result_is_determined(operands: &[Template], result: &Template) -> Parsed<()> {
    let (mut labels, mut variables) = (HashSet::new(), HashSet::new());
    for row in operands.iter().flat_map(|template| template.rows()) {
        labels.extend(row.axes().filter_map(label).map(|l| l.name.as_str()));
        variables.extend(row.variable.as_ref().map(|v| v.name.as_str()));
    }
    for row in result.rows() {
        if let Some(stray) = row
            .axes()
            .filter_map(label)
            .find(|l| !labels.contains(l.name.as_str()))
        {
            return Err(Diagnostic::new(
                stray.span.clone(),
                format!("no operand has the label `{}`", brief(&stray.name)),
                "nothing says how long this axis is",
            )
            .help("use a label of an operand, or leave the axis out"));
        }
        if let Some(stray) = row
            .variable
            .iter()
            .find(|v| !variables.contains(v.name.as_str()))
        {
            return Err(Diagnostic::new(
                stray.span.clone(),
                format!("no operand has the row variable `..{}..`", brief(&stray.name)),
                "nothing says what these axes are",
            )
            .help("`...` stands for the axes of its own kind; write `..name..` to move axes between kinds"));
        }
    }
    Ok(())
}

fn label(axis: &Axis) -> Option<&Labelled> {
    match axis {
        Axis::Label(label) => Some(label),
        Axis::Fixed(_) => None,
    }
}
