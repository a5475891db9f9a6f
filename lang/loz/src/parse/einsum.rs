//! Einsum specs: `n|->c; n|->p => c|->p`.

use hashbrown::HashSet;
use std::rc::Rc;

use lozenge_vocabulary::operation::Kind;

use super::cursor::Cursor;
use super::extent::{Numbers, SPEC_HELP};
use super::row::row;
use super::shape::three_rows;
use super::token::tokens;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Axis, Labelled, Logic, Open, Spec, Template, TemplateRow};
use lozenge_vocabulary::program::Span;

/// Reads the text after an assignment: `.`, `@`, `T`, or an einsum spec. `span` is the text with its quotes.
pub(crate) fn logic(text: &str, span: Span) -> Parsed<Logic> {
    match text.trim() {
        "." => Ok(Logic::Pointwise),
        "@" => Ok(Logic::Compose(span)),
        "T" => Ok(Logic::Transpose(span)),
        _ => Ok(Logic::Einsum(Rc::new(spec(text, span)?))),
    }
}

fn spec(text: &str, span: Span) -> Parsed<Spec> {
    let mut errors = Vec::new();
    let tokens = tokens(text, span.start + 1, &mut errors);
    let (operands, result) = match errors.into_iter().next() {
        Some(error) => Err(error.help(SPEC_HELP)),
        None => templates(&mut Cursor::new(tokens)),
    }
    .map_err(malformed)?;
    result_is_determined(&operands, &result)?;
    Ok(Spec {
        operands,
        result,
        span,
        used_at: None,
    })
}

fn malformed(mut error: Diagnostic) -> Diagnostic {
    error.message.insert_str(0, "malformed spec: ");
    error
}

/// Reads the templates of the operands, and that of the result.
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
    let mut rows = three_rows(cursor, |cursor| row(cursor, Numbers::Positions))?;
    for (kind, row) in [
        (Kind::Batch, &mut rows.batch),
        (Kind::Input, &mut rows.input),
        (Kind::Output, &mut rows.output),
    ] {
        // `...` is the row variable of its kind (Rem. 2.15(i)).
        if let Some(Open::Variable(variable)) = &mut row.open
            && variable.name.is_empty()
        {
            variable.name = kind.word().into();
        }
        for factor in row.row_factors_mut() {
            if factor.name.is_empty() {
                factor.name = kind.word().into();
            }
        }
    }
    Ok(rows)
}

/// Checks that each label of the result occurs in an operand or has a size somewhere in the result, and that each row
/// variable occurs in an operand, since nothing else determines them.
fn result_is_determined(operands: &[Template], result: &Template) -> Parsed<()> {
    let (mut labels, mut variables) = (HashSet::new(), HashSet::new());
    for row in operands.iter().flat_map(|template| template.rows()) {
        let all = row.axes().flat_map(Axis::labels);
        labels.extend(all.map(|(label, _)| label.name.as_str()));
        variables.extend(row.variables().map(|v| v.name.as_str()));
    }
    row_factors_are_rows(operands, result)?;
    let axes = result.rows().into_iter().flat_map(TemplateRow::axes);
    let sized = axes
        .flat_map(Axis::labels)
        .filter(|(_, size)| size.is_some());
    labels.extend(sized.map(|(label, _)| label.name.as_str()));
    for row in result.rows() {
        if let Some((stray, _)) = row
            .axes()
            .flat_map(Axis::labels)
            .find(|(label, size)| size.is_none() && !labels.contains(label.name.as_str()))
        {
            return Err(Diagnostic::new(
                stray.span.clone(),
                format!("no operand has the label `{}`", brief(&stray.name)),
                "nothing says how long this axis is",
            )
            .help("use a label of an operand, or leave the axis out"));
        }
        if let Some((position, span)) = row.axes().find_map(unsized_position) {
            let error = Diagnostic::new(
                span.clone(),
                format!("position {position} of the result is on an axis of unknown size"),
                "a number in a spec is a position, counted from 0",
            );
            // Somebody who writes 1 may mean an axis of one place.
            return Err(match position {
                1 => error.help(
                    "an axis of one place is `0:1_`, which broadcasts, or `0:1`; the second of two places is `1:2`",
                ),
                _ => error.edit(
                    format!(
                        "write the size of the axis after a colon, for example `{position}:{}`",
                        position + 1
                    ),
                    span.end..span.end,
                    format!(":{}", position + 1),
                ),
            });
        }
        if let Some(stray) = row
            .variables()
            .find(|v| !variables.contains(v.name.as_str()))
        {
            let message = match is_anonymous(stray) {
                true => format!("no operand has `...` among its {} axes", stray.name),
                false => format!("no operand has the row variable {}", as_written(stray)),
            };
            return Err(Diagnostic::new(stray.span.clone(), message, "nothing says what these axes are")
            .help("`...` stands for the axes of its own kind; write `..name..` to move axes between kinds"));
        }
    }
    Ok(())
}

/// Checks that each row variable that is a factor stands in some row too, which determines its axes.
fn row_factors_are_rows(operands: &[Template], result: &Template) -> Parsed<()> {
    let rows = || operands.iter().chain([result]).flat_map(Template::rows);
    let own: HashSet<&str> = rows()
        .filter_map(TemplateRow::variable)
        .map(|variable| variable.name.as_str())
        .collect();
    let mut factors = rows()
        .flat_map(TemplateRow::axes)
        .flat_map(Axis::row_factors);
    match factors.find(|factor| !own.contains(factor.name.as_str())) {
        None => Ok(()),
        Some(stray) => Err(Diagnostic::new(
            stray.span.clone(),
            format!("{} stands in a product only", as_written(stray)),
            "nothing says what these axes are",
        )
        .help("a row variable of a product is an open row too, on the other side of the arrow: `n|->... => n|->(...)`")),
    }
}

/// Tells whether a row variable is written `...`, which has the name of its kind.
fn is_anonymous(variable: &Labelled) -> bool {
    variable.span.len() == "...".len()
}

/// Writes a row variable in the notation of the program, for messages.
pub(crate) fn as_written(variable: &Labelled) -> String {
    match is_anonymous(variable) {
        true => "`...`".into(),
        false => format!("`..{}..`", brief(&variable.name)),
    }
}

/// Finds a position on an axis whose size is not stated.
fn unsized_position(axis: &Axis) -> Option<(u64, Span)> {
    match axis {
        Axis::Position {
            position,
            span,
            size: None,
        } => Some((*position, span.clone())),
        _ => None,
    }
}
