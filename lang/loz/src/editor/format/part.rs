//! The parts of statements, which determine the spaces in them. They are found by traversing the statements.

use lozenge_vocabulary::program::Span;

use crate::syntax::Written;
use crate::syntax::{
    Definition, EachEpoch, Expression, Formal, OperatorDefinition, Repetition, Section, Statement,
    Turns,
};

/// The sort of a part of a statement. Words and names of the statement itself belong to no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Expression,
    /// A shape, without the colon before it.
    Shape,
    /// The source of data: a list of values, a range, or a file with its options.
    Values,
}

/// A part of a statement.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub span: Span,
    pub sort: Sort,
}

/// Lists the parts of all statements, in the order of the text.
///
/// The patterns name every variant and every field, so that the compiler demands a decision here for each new one.
pub(super) fn parts(block: &[Statement]) -> Vec<Part> {
    let mut found = Vec::new();
    statements(block, &mut found);
    found.sort_by_key(|part| part.span.start);
    found
}

/// Adds the parts of statements. The recursion is bounded: the reader limits how deeply blocks are nested.
fn statements(block: &[Statement], found: &mut Vec<Part>) {
    for statement in block {
        self::statement(statement, found);
    }
}

fn statement(statement: &Statement, found: &mut Vec<Part>) {
    match statement {
        Statement::Data {
            name: _,
            shape,
            values: _,
            everywhere: _,
            place,
        } => {
            written(shape.as_deref(), found);
            found.push(Part {
                span: place.clone(),
                sort: Sort::Values,
            });
        }
        Statement::Param {
            name: _,
            shape,
            initial,
            state: _,
        } => {
            written(shape.as_deref(), found);
            expressions(initial, found);
        }
        Statement::Constant {
            name: _,
            shape,
            value: _,
        } => written(shape.as_deref(), found),
        Statement::Let {
            names: _,
            shape,
            expression,
        }
        | Statement::Assert { expression, shape } => {
            written(shape.as_deref(), found);
            expressions([expression], found);
        }
        Statement::Size {
            name: _,
            expression,
        }
        | Statement::Save {
            expression,
            path: _,
        }
        | Statement::Assign {
            name: _,
            accumulator: _,
            expression,
            logic: _,
            captures: _,
        } => expressions([expression], found),
        Statement::Def(definition) => function(definition, found),
        Statement::Op(definition) => operator(definition, found),
        Statement::For(repetition) => loop_of(repetition, found),
        Statement::Section(lines) => section(lines, found),
        Statement::EachEpoch(lines) => {
            let EachEpoch { body, header: _ } = &**lines;
            statements(body, found);
        }
        Statement::Print(all) | Statement::Results(all) => expressions(all, found),
        Statement::Backward(expression) => expressions([expression], found),
        Statement::Use {
            path: _,
            place: _,
            alias: _,
        } => {}
    }
}

fn function(definition: &Definition, found: &mut Vec<Part>) {
    let Definition {
        name: _,
        config,
        tensors,
        body,
        lists: _,
    } = definition;
    for formal in config.iter().chain(tensors.iter().flatten()) {
        let Formal { name: _, default } = formal;
        expressions(default, found);
    }
    statements(body, found);
}

fn operator(definition: &OperatorDefinition, found: &mut Vec<Part>) {
    let OperatorDefinition {
        name: _,
        operands: _,
        logic: _,
        lines,
    } = definition;
    expressions(lines.iter().map(|line| &line.expression), found);
}

fn loop_of(repetition: &Repetition, found: &mut Vec<Part>) {
    let Repetition {
        name: _,
        from,
        to,
        carry: _,
        body,
        header: _,
    } = repetition;
    expressions([from], found);
    expressions(to, found);
    statements(body, found);
}

fn section(section: &Section, found: &mut Vec<Part>) {
    let Section {
        training: _,
        turns,
        body,
        header: _,
    } = section;
    match turns {
        Turns::Steps(steps) => expressions([steps], found),
        Turns::Epochs {
            epochs,
            batch,
            label: _,
            shuffled: _,
        } => expressions([epochs, batch], found),
    }
    statements(body, found);
}

fn written(shape: Option<&Written>, found: &mut Vec<Part>) {
    found.extend(shape.map(|(_, span)| Part {
        span: span.clone(),
        sort: Sort::Shape,
    }));
}

fn expressions<'e, 'a: 'e>(
    all: impl IntoIterator<Item = &'e Expression<'a>>,
    found: &mut Vec<Part>,
) {
    found.extend(all.into_iter().map(|expression| Part {
        span: expression.root().span.clone(),
        sort: Sort::Expression,
    }));
}
