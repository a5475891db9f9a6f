//! Statements and blocks: a statement is a line, or a header that ends with a colon and the block below it.

use hashbrown::HashSet;
use std::collections::VecDeque;

use lozenge_vocabulary::program::Span;

use crate::counterpart::{self, Counterpart};
use crate::cursor::{Cursor, Parsed, brief};
use crate::data_line::{data, signed_number};
use crate::diagnostic::Diagnostic;
use crate::expression::{captured, expression, expressions};
use crate::header::{Head, definition, distinct, operator, repetition};
use crate::naming::{new_name, not_reserved, with_another_name};
use crate::operator::OF_SPECS;
use crate::section::{each_epoch, section};
use crate::shape::written_shape;
use crate::spec::logic;
use crate::suggestion::nearest;
use crate::syntax::{
    BEGINNINGS, Block, Definition, EachEpoch, Expression, Few, Name, NodeKind, OperatorDefinition,
    OperatorLine, Repetition, Section, Statement, is_keyword,
};
use crate::token::{Portions, Token};

const STATEMENT_HELP: &str = "a line begins with `data`, `param`, `const`, `let` or `size`, or with the name of a tensor and \
                              an assignment such as `=:+`";

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

/// Empties a list and returns its room to the system.
///
/// The allocator of glibc counts how large the blocks are that are freed, and takes all blocks below the largest of
/// them from its heap from then on, where growing lists leave holes. A block that is made small before it is freed does
/// not count.
pub(crate) fn give_back<T>(list: &mut Vec<T>) {
    list.clear();
    list.shrink_to(1);
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

/// Finds the names that a line with an error may define or update: the word after its keyword, or its first two words,
/// of which the first may be a keyword that is misspelt. Where a number stands in the place of the name, it may be any
/// word.
fn targets_of(line: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = |word: &&str| word.starts_with(|c: char| is_word(c) && !c.is_ascii_digit());
    let mut first = line.split_whitespace().take(2).map(|part| {
        let end = part.find(|c| !is_word(c)).unwrap_or(part.len());
        &part[..end]
    });
    let (first, second) = (first.next().unwrap_or(""), first.next().unwrap_or(""));
    let named = if is_keyword(first) { second } else { first };
    if named.starts_with(|c: char| c.is_ascii_digit()) {
        return line.split(|c| !is_word(c)).filter(is_name).collect();
    }
    let named = [named, second].into_iter();
    named.filter(is_name).collect()
}

fn head<'a>(
    source: &'a str,
    cursor: &mut Cursor<'a>,
    defined: &mut Option<HashSet<&'a str>>,
) -> Parsed<Head<'a>> {
    let assigns = matches!(
        cursor.peek_second(),
        Token::Accumulate(_) | Token::Sign("=") | Token::Word(_) | Token::Number(_)
    );
    if !matches!(cursor.peek(), Token::Word(_))
        || !assigns && !matches!(cursor.peek(), Token::Word(word) if is_keyword(word))
    {
        return results(cursor).map(Box::new).map(Head::Whole);
    }
    let word = cursor.word("a statement", STATEMENT_HELP)?;
    Ok(Head::Whole(Box::new(match word.text {
        "data" => data(cursor, word.span)?,
        "param" | "state" => param(cursor, word.text == "state")?,
        "const" => {
            let name = new_name(cursor, "const ones = 1")?;
            let shape = written_shape(cursor)?;
            let value = value(
                cursor,
                "write `const ones = 1`; random values are those with which a parameter begins: `param w = normal()`",
            )?;
            Statement::Constant { name, shape, value }
        }
        "let" => let_statement(cursor)?,
        "size" => {
            let name = new_name(cursor, "size width = 128")?;
            cursor.expect("=", "write `size width = 128`")?;
            let expression = match cursor.peek() {
                Token::Number(_) | Token::Word(_) | Token::Sign("(") => expression(cursor)?,
                _ => return Err(cursor.unexpected("a size", "write `size width = 128`")),
            };
            Statement::Size { name, expression }
        }
        "def" => return definition(cursor),
        "for" => return repetition(cursor, word.span),
        "op" => return operator(cursor),
        "train" | "repeat" => return section(cursor, word).map(Head::Section),
        "each" => return each_epoch(cursor, word.span).map(Head::EachEpoch),
        "print" => Statement::Print(expressions(cursor)?),
        "backward" if cursor.peek() == Token::End => {
            return Err(cursor.unexpected("a tensor", "write `backward loss`"));
        }
        "backward" => Statement::Backward(expression(cursor)?),
        "use" => used(cursor)?,
        "assert" => {
            let expression = expression(cursor)?;
            let shape = written_shape(cursor)?;
            Statement::Assert { expression, shape }
        }
        "save" => {
            const HELP: &str = "write `save y to \"y.csv\"`";
            let expression = expression(cursor)?;
            if !cursor.eat_word("to") {
                return Err(cursor.unexpected("`to`", HELP));
            }
            let Token::Text(path) = cursor.peek() else {
                return Err(cursor.unexpected("the name of a file in quotes", HELP));
            };
            cursor.next();
            Statement::Save { expression, path }
        }
        _ => assignment(source, cursor, word, defined)?,
    })))
}

/// Expressions on a line of their own.
fn results<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    let first = match cursor.peek() {
        Token::Word(text) => Some(Name {
            text,
            span: cursor.span(),
        }),
        Token::Number(_) | Token::Text(_) | Token::Sign("(" | "-" | "[") => None,
        _ => return Err(cursor.unexpected("a statement", STATEMENT_HELP)),
    };
    // A name before a token that cannot follow one: probably a statement of another language.
    if let (Some(name), Token::Text(_) | Token::Sign(":" | ";" | "{" | "|" | "->" | "=>")) =
        (&first, cursor.peek_second())
    {
        let name = name.clone();
        cursor.next();
        return Err(unknown_statement(cursor, &name));
    }
    Ok(Statement::Results(expressions(cursor)?))
}

fn let_statement<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    let mut names = Few::One(new_name(cursor, "let c = a + b")?);
    while cursor.eat(",") {
        names.push(new_name(cursor, "let h, c = cell(x, h, c)")?);
    }
    if names.len() > 1 {
        distinct(
            names.iter(),
            "results are called",
            "give one of them another name",
        )?;
    }
    let at = cursor.span();
    let shape = written_shape(cursor)?;
    if names.len() > 1 && shape.is_some() {
        return Err(Diagnostic::new(
            at.start..cursor.end(),
            "a shape after several names",
            "of which of them?",
        )
        .help("state it on a line of its own: `assert h : n|->8`"));
    }
    cursor.expect("=", "write `let c = a + b`, with spaces around `=`")?;
    let expression = expression(cursor)?;
    Ok(Statement::Let {
        names,
        shape,
        expression,
    })
}

fn param<'a>(cursor: &mut Cursor<'a>, state: bool) -> Parsed<Statement<'a>> {
    let name = new_name(cursor, "param w")?;
    let shape = written_shape(cursor)?;
    let initial = match cursor.peek() {
        Token::End | Token::Dedent => None,
        _ => {
            cursor.expect(
                "=",
                "write `param w`, `param w = 0.5` or `param w : ...->128`",
            )?;
            Some(expression(cursor)?)
        }
    };
    Ok(Statement::Param {
        name,
        shape,
        initial,
        state,
    })
}

/// Reads `use "FILE" as NAME`, after the word `use`.
fn used<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    const HELP: &str = "write `use \"layers.loz\"`, or `use \"layers.loz\" as layers`";
    let Token::Text(path) = cursor.peek() else {
        return Err(cursor.unexpected("the name of a file in quotes", HELP));
    };
    let place = cursor.next().span;
    let alias = match cursor.eat_word("as") {
        true => Some(new_name(cursor, "use \"layers.loz\" as layers")?),
        false => None,
    };
    Ok(Statement::Use { path, place, alias })
}

fn end_of_line(cursor: &Cursor, statement: &Statement) -> Parsed<()> {
    match (cursor.peek(), statement) {
        (Token::End | Token::Dedent, _) => Ok(()),
        (Token::Text(spec), Statement::Let { names, expression, .. }) => {
            let help = format!("write `{} =:+ …` before the spec", brief(names[0].text));
            Err(spec_behind(cursor, spec, "`let`", expression, &help))
        }
        (Token::Text(spec), Statement::Results(values)) if values.len() == 1 => {
            let help = "name what is computed: write `y =:+ …` before the spec";
            Err(spec_behind(cursor, spec, "a value", &values[0], help))
        }
        (Token::Text(spec), Statement::Print(values)) if values.len() == 1 => {
            let help = "write `y =:+ …` before the spec, and `print y` on a line of its own";
            Err(spec_behind(cursor, spec, "`print`", &values[0], help))
        }
        (Token::Word("and"), _) => Err(cursor.unexpected(
            "the end of the line",
            "a condition is 1 or 0 in each cell: both hold where `(a > 0) *. (a < 1)` is 1",
        )),
        (Token::Word("or"), _) => Err(cursor.unexpected(
            "the end of the line",
            "a condition is 1 or 0 in each cell: one of two holds where `max(a < 0, a > 1)` is 1",
        )),
        (Token::Sign("|"), _) if cursor.peek_second() == Token::Sign(">") => Err(cursor.unexpected(
            "the end of the line",
            "a function stands before its operand, in parentheses: `relu(x)`",
        )),
        (Token::Sign(":"), Statement::Let { names, .. }) => Err(cursor.unexpected(
            "the end of the line",
            &format!(
                "a shape stands behind the name: `let {} : 8|->3 = …`",
                brief(names[0].text)
            ),
        )),
        (Token::Sign(","), Statement::Let { names, .. }) => Err(cursor.unexpected(
            "the end of the line",
            match names.len() {
                1 => "a `let` defines one tensor: write a line for each",
                _ => "several names are those of the results of one function: write a `let` for each expression",
            },
        )),
        (Token::Word(_) | Token::Number(_), Statement::Let { expression, .. })
            if matches!(expression.root().kind, NodeKind::Name(_)) =>
        {
            Err(cursor.unexpected(
                "the end of the line",
                "operands have an operator between them, and those of a function stand in parentheses: `relu(x)`",
            ))
        }
        _ => Err(cursor.unexpected(
            "the end of the line",
            "one statement a line; operands have an operator between them",
        )),
    }
}

/// Refuses the spec behind a statement that takes none. That of a call such as `concat(x, y)` is its last argument;
/// elsewhere it belongs to an assignment, of which the help says the beginning.
fn spec_behind(
    cursor: &Cursor,
    spec: &str,
    statement: &str,
    expression: &Expression,
    help: &str,
) -> Diagnostic {
    let message = Diagnostic::new(
        cursor.span(),
        format!("{statement} takes no spec"),
        "belongs to an assignment",
    );
    if let NodeKind::Call(callee, arguments) = &expression.root().kind
        && !arguments.is_empty()
        && matches!(expression.nodes[*callee].kind, NodeKind::Name(name) if OF_SPECS.contains(&name))
    {
        // Between the last argument and the parenthesis that closes the call.
        let close = expression.root().span.end - 1;
        return message.edit(
            "write it into the parentheses, as the last argument",
            close..cursor.span().end,
            format!(", \"{spec}\")"),
        );
    }
    message.help(format!(
        "{help}, or another assignment: `=:`, `=:-`, `=:max`, `=:min`"
    ))
}

/// Reads `NAME =:+ EXPRESSION "SPEC"`, after the name.
fn assignment<'a>(
    source: &'a str,
    cursor: &mut Cursor<'a>,
    name: Name<'a>,
    defined: &mut Option<HashSet<&'a str>>,
) -> Parsed<Statement<'a>> {
    let accumulator = match cursor.peek() {
        Token::Accumulate(accumulator) => accumulator,
        Token::Sign("=") => {
            let defined = defined.get_or_insert_with(|| cursor.defined_before(source));
            return Err(plain_assignment(source, cursor, &name, defined));
        }
        _ => return Err(unknown_statement(cursor, &name)),
    };
    cursor.next();
    not_reserved(&name)?;
    let expression = expression(cursor)?;
    let mut captures = Vec::new();
    let logic = match cursor.peek() {
        Token::Text(text) => {
            let logic = logic(text, cursor.next().span)?;
            captures = captured(cursor)?;
            Some(logic)
        }
        _ => None,
    };
    Ok(Statement::Assign {
        name,
        accumulator,
        expression,
        logic,
        captures,
    })
}

/// Makes the error of `NAME = EXPRESSION`.
fn plain_assignment(
    source: &str,
    cursor: &Cursor,
    name: &Name,
    defined: &HashSet<&str>,
) -> Diagnostic {
    let shown = brief(name.text);
    if defined.contains(name.text) {
        return Diagnostic::new(
            cursor.span(),
            "`=` does not say how values are written",
            "no colon, no operator",
        )
        .help(format!(
            "write `{shown} =+ …` to add to `{shown}`, and `{shown} =: …` to overwrite a parameter or a state"
        ));
    }
    let message = format!("`{shown}` is not defined yet");
    let place = name.span.start..cursor.end().max(cursor.span().end);
    let help = format!("a definition starts with `let`: `let {shown} = …`");
    let help = match foreign_call(&source[place.end..]) {
        Some(here) => format!("{help}; {}", here.help()),
        None => help,
    };
    Diagnostic::new(place, message, "`=` alone defines nothing").help(help)
}

/// Finds the counterpart of the function that a text calls first, if it is one of another library's module.
fn foreign_call(text: &str) -> Option<&'static Counterpart> {
    let (module, call) = text.trim_start_matches(' ').split_once('.')?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let end = call.find(|c| !is_word(c)).unwrap_or(call.len());
    counterpart::function(&call[..end]).filter(|_| counterpart::is_module(module))
}

/// Words that begin a statement in other languages, with what to write here instead.
const FOREIGN_STATEMENTS: [(&str, &str); 12] = [
    (
        "carry",
        "a loop says in its first line what it carries: `for layer in 0..12 carry y:`",
    ),
    (
        "if",
        "`A if C else B` chooses a value before inference, and `where(c, a, b)` chooses in each cell",
    ),
    (
        "with",
        "nothing is opened or closed: write the lines one below the other",
    ),
    ("fn", "a function is `def f(x):` with its lines below"),
    ("function", "a function is `def f(x):` with its lines below"),
    (
        "while",
        "`for i in 0..12 carry y:` repeats a number of times that is known",
    ),
    (
        "return",
        "the last line of a function is its result: write the expression alone",
    ),
    (
        "import",
        "the functions of the language need no import; those of a file of yours are there after `use \"f.loz\"`",
    ),
    (
        "class",
        "a function with two lists owns its parameters: `def f(width)(x):`",
    ),
    ("lambda", "write `def f(x): …` on a line of its own"),
    (
        "var",
        "write `let c = a + b` for a new tensor, and `param w` for one that is updated",
    ),
    (
        "tensor",
        "write `data x : 100|->3 from \"x.csv\"` for values, and `param w` for a parameter",
    ),
];

fn unknown_statement(cursor: &Cursor, name: &Name) -> Diagnostic {
    let begins_none = || {
        let message = format!("`{}` begins no statement", brief(name.text));
        Diagnostic::new(name.span.clone(), message, "unknown word")
    };
    let foreign = FOREIGN_STATEMENTS
        .iter()
        .find(|(word, _)| *word == name.text);
    match (foreign, cursor.peek()) {
        (Some((_, help)), _) => begins_none().help(*help),
        (None, Token::Word(_)) => match nearest(name.text, BEGINNINGS) {
            Some(keyword) => begins_none().edit(
                format!("did you mean `{keyword}`?"),
                name.span.clone(),
                keyword,
            ),
            None => begins_none().help(STATEMENT_HELP),
        },
        (None, Token::Sign(":")) if cursor.peek_second() == Token::Sign("=") => cursor.unexpected(
            "an assignment such as `=:+`",
            &format!(
                "a new tensor is `let {0} = …`; `{0} =: …` overwrites a parameter or a state",
                brief(name.text)
            ),
        ),
        _ => cursor.unexpected("an assignment such as `=:+`", STATEMENT_HELP),
    }
}

/// Reads `= NUMBER`.
fn value(cursor: &mut Cursor, help: &str) -> Parsed<f64> {
    cursor.expect("=", help)?;
    signed_number(cursor, help)
}
