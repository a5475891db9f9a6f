//! Blocks: a statement is a line, or a header that ends with a colon and the block below it.

use hashbrown::HashSet;
use std::collections::VecDeque;

use lozenge_vocabulary::program::Span;

use super::cursor::Cursor;
use super::header::Head;
use super::naming::with_another_name;
use super::recover::{end_of_line, targets_of};
use super::statement::head;
use super::token::{Portions, Token};
use crate::diagnostic::{Diagnostic, Parsed};
use crate::syntax::{
    Block, Definition, EachEpoch, Few, Name, OperatorDefinition, OperatorLine, Repetition, Section,
    Statement, is_keyword,
};

/// The most levels to which blocks may be nested. The reader needs stack for each level.
const MOST_BLOCKS: usize = 40;

/// The syntax of a text.
#[derive(Default)]
pub(crate) struct Read<'a> {
    pub statements: Block<'a>,
    /// The tensors of lines that could not be parsed: uses of them are not reported again. For a `backward` line that
    /// could not be parsed this contains `backward`, which is not the name of a tensor.
    pub broken: HashSet<&'a str>,
}

/// Parses every line; a line with an error is reported and skipped.
pub(crate) fn read<'a>(source: &'a str, errors: &mut Vec<Diagnostic>) -> Read<'a> {
    let mut reader = Reader {
        source,
        cursor: Cursor::of(Portions::of(source)),
        bad_tokens: VecDeque::new(),
        errors,
        broken: HashSet::new(),
        defined: None,
    };
    let statements = reader.block(0);
    let Reader {
        bad_tokens, broken, ..
    } = reader;
    errors.extend(bad_tokens);
    Read { statements, broken }
}

struct Reader<'a, 'e> {
    source: &'a str,
    cursor: Cursor<'a>,
    /// The errors of characters that form no token, in the order of the text.
    bad_tokens: VecDeque<Diagnostic>,
    errors: &'e mut Vec<Diagnostic>,
    broken: HashSet<&'a str>,
    /// The names that the lines above define, in any block; computed on demand.
    defined: Option<HashSet<&'a str>>,
}

impl<'a> Reader<'a, '_> {
    /// Reads the statements up to the end of the block.
    fn block(&mut self, depth: usize) -> Block<'a> {
        let mut statements = Vec::new();
        loop {
            if depth == 0 {
                self.bad_tokens.extend(self.cursor.fetch());
            }
            match self.cursor.peek() {
                Token::End if self.cursor.at_last() => return statements,
                Token::Dedent => return statements,
                Token::End => {
                    self.cursor.next();
                }
                Token::Indent => self.skip_block(),
                _ => statements.extend(self.statement(depth)),
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Option<Statement<'a>> {
        let first = self.cursor.peek();
        let start = self.cursor.span();
        let head = head(self.source, &mut self.cursor, &mut self.defined).and_then(|head| {
            if let Head::Whole(statement) = &head {
                end_of_line(&self.cursor, statement)?;
            } else if depth == MOST_BLOCKS {
                return Err(Diagnostic::new(
                    start.clone(),
                    format!("more than {MOST_BLOCKS} blocks stand in each other"),
                    "the innermost",
                )
                .help("make a function of what stands inside"));
            }
            Ok(head)
        });
        let head = match head {
            Ok(Head::Whole(statement)) => return self.line(Ok(*statement), start),
            Err(error) => {
                if first == Token::Word("backward") {
                    self.broken.insert("backward");
                }
                return self.line(Err(error), start);
            }
            Ok(head) => head,
        };
        let block = match self.cursor.peek() {
            Token::End => self.lines_below(start, depth)?,
            _ => self.statement(depth + 1).into_iter().collect(),
        };
        self.with_block(head, block)
    }

    /// Reads the block below a line that ends with a colon.
    fn lines_below(&mut self, start: Span, depth: usize) -> Option<Block<'a>> {
        self.line(Ok(Statement::Results(Few::new())), start.clone());
        while self.cursor.peek() == Token::End && !self.cursor.at_last() {
            self.cursor.next();
        }
        if self.cursor.peek() != Token::Indent {
            self.errors.push(
                Diagnostic::new(
                    start,
                    "a block is expected below this line",
                    "ends with `:`",
                )
                .help(
                    "write its lines below, deeper than this one, or one of them behind the colon",
                ),
            );
            return None;
        }
        self.cursor.next();
        let block = self.block(depth + 1);
        if self.cursor.peek() == Token::Dedent {
            self.cursor.next();
        }
        Some(block)
    }

    /// Makes the statement of a head and its block.
    fn with_block(&mut self, head: Head<'a>, block: Block<'a>) -> Option<Statement<'a>> {
        Some(match head {
            Head::Whole(statement) => *statement,
            Head::Def {
                name,
                config,
                tensors,
                lists,
            } => Statement::Def(Box::new(Definition {
                name,
                config,
                tensors,
                body: block,
                lists,
            })),
            Head::Op {
                name,
                operands,
                logic,
            } => {
                let lines = self.operator_lines(&name, block)?;
                Statement::Op(Box::new(OperatorDefinition {
                    name,
                    operands,
                    logic,
                    lines,
                }))
            }
            Head::For(repetition) => Statement::For(Box::new(Repetition {
                body: block,
                ..repetition
            })),
            Head::Section(section) => Statement::Section(Box::new(Section {
                body: block,
                ..section
            })),
            Head::EachEpoch(header) => Statement::EachEpoch(Box::new(EachEpoch {
                body: block,
                header,
            })),
        })
    }

    /// Reads the lines of an operator: assignments without specs.
    fn operator_lines(
        &mut self,
        name: &Name<'a>,
        block: Block<'a>,
    ) -> Option<Vec<OperatorLine<'a>>> {
        let mut lines = Vec::with_capacity(block.len());
        for statement in block {
            match statement {
                Statement::Assign {
                    name,
                    accumulator,
                    expression,
                    logic: None,
                    ..
                } => lines.push(OperatorLine {
                    name,
                    accumulator,
                    expression,
                }),
                other => {
                    let at = match &other {
                        Statement::Assign { name, .. } => name.span.clone(),
                        _ => name.span.clone(),
                    };
                    self.errors.push(
                        Diagnostic::new(at, "an operator has assignments without specs", "something else")
                            .help("its lines are like `v =:+ v1 * v2` and `g1 =+ g * v2`; the spec stands behind its name"),
                    );
                    return None;
                }
            }
        }
        Some(lines)
    }

    /// Ends a line that began at `start`: reports the error in it, if there is one.
    fn line(&mut self, result: Parsed<Statement<'a>>, start: Span) -> Option<Statement<'a>> {
        self.cursor.skip_line();
        if result.is_err() && self.cursor.peek() == Token::Indent {
            self.skip_block();
        }
        let line_end = match self.cursor.at_last() {
            true => self.source.len() + 1,
            false => self.cursor.end(),
        };
        // An invalid character explains the errors that follow from omitting it.
        let mut reported = false;
        let before = |error: &Diagnostic| error.span().start < line_end;
        while self.bad_tokens.front().is_some_and(before) {
            self.errors.extend(self.bad_tokens.pop_front());
            reported = true;
        }
        match result {
            Ok(statement) if !reported => {
                if let Some(defined) = &mut self.defined {
                    let names = statement.defines().iter();
                    defined.extend(names.map(|name| name.text));
                }
                Some(statement)
            }
            result => {
                // A word that no line can define is reported where a line tries to, and not where it is used.
                let follows = |error: &Diagnostic| {
                    let word = self.source.get(error.span()).unwrap_or_default();
                    reported || is_keyword(word) && self.broken.contains(word)
                };
                let error = result.err().filter(|error| !follows(error));
                let error = error.map(|error| with_another_name(error, self.source));
                let line = self.source[start.start..].lines().next();
                self.broken.extend(targets_of(line.unwrap_or_default()));
                self.errors.extend(error);
                None
            }
        }
    }

    /// Skips a block whose header could not be parsed.
    fn skip_block(&mut self) {
        let mut depth = 0usize;
        while !self.cursor.at_last() {
            match self.cursor.next().token {
                Token::Indent => depth += 1,
                Token::Dedent => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }
}
