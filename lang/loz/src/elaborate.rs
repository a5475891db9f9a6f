//! Elaboration: from statements to tensors and operations.
//!
//! The statements are traversed once, in the order in which they run. Computations that need no shapes, such as the
//! iterations of a loop, are executed; every tensor operation is recorded. A function is elaborated anew at each call.
//!
//! | file | what it does |
//! |---|---|
//! | `elaborate/scope.rs` | what names mean |
//! | `elaborate/statement.rs` | statements and blocks |
//! | `elaborate/definition.rs` | what statements define |
//! | `elaborate/used.rs` | files that a program uses |
//! | `elaborate/data.rs` | data, and the sizes that its values determine |
//! | `elaborate/section.rs` | sections |
//! | `elaborate/cut.rs` | what a section cuts into batches |
//! | `elaborate/turns.rs` | the iterations of loops and lists |
//! | `elaborate/evaluate.rs`, `elaborate/machine.rs` | expressions |
//! | `elaborate/lookup.rs` | what names mean in expressions |
//! | `elaborate/reduction.rs` | reductions with their specs |
//! | `elaborate/call.rs` | calls, instances |
//! | `elaborate/builtin.rs` | the functions of the language |
//! | `elaborate/operation.rs` | tensors and operations |
//! | `elaborate/operators.rs` | the operators that a program defines |
//! | `elaborate/dependence.rs` | what a tensor depends on |
//! | `elaborate/backward.rs` | the operations that compute gradients |
//! | `elaborate/derivative.rs` | the derivatives of scalar functions |
//! | `elaborate/shape.rs` | written shapes |
//! | `elaborate/sizes.rs` | named sizes |
//! | `elaborate/plan.rs`, `elaborate/requirement.rs` | what an operation is, and what it requires of its tensors |
//! | `elaborate/state.rs` | what is known so far: names, tensors, gradients, files, limits, errors |

mod backward;
mod builtin;
mod call;
mod cut;
mod data;
mod definition;
mod dependence;
mod derivative;
mod evaluate;
mod iterations;
mod lookup;
mod machine;
mod operation;
mod operators;
mod plan;
mod reduction;
mod requirement;
mod scope;
mod section;
mod shape;
pub(crate) mod sizes;
mod state;
mod statement;
mod used;

use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

use lozenge_vocabulary::program::{Program, ReadingLimits, Span, Surroundings};

use crate::diagnostic::Diagnostic;
use crate::parse::block::Read;
use crate::parse::files::{Files, PRELUDE, PROGRAM};
use crate::syntax::{Definition, Statement};
use scope::{Operator, Ordinals, Scope, Scopes, Sort};
use section::OpenSection;
use sizes::Sizes;
use state::{Effort, Ended, EndedName, Gradients, ProgramNames, Reports, Tensors, UsedFiles};

/// The number of tensors and operations for which there is room at first, for each statement of a program.
const ROOM: usize = 4;

/// The syntax of a file that a program uses, with the errors in it.
pub(crate) type Used<'a> = (Read<'a>, Vec<Diagnostic>);

/// Resolves every name and builds the program. If errors are reported, the program must not be used.
pub(crate) fn elaborate<'a>(
    prelude: &'a Read<'a>,
    read: &'a Read<'a>,
    source: &'a str,
    (files, used): (&'a Files, &'a [Used<'a>]),
    surroundings: &Surroundings,
    errors: &mut Vec<Diagnostic>,
) -> Program {
    let mut elaboration = Elaboration {
        program: Program::default(),
        section: None,
        scopes: Scopes::default(),
        scope: 0,
        frames: vec![Frame::of_file(PRELUDE)],
        defined: 0,
        operators: HashMap::new(),
        a_size_is_wanted: false,
        names: ProgramNames {
            broken: read.broken.clone(),
            ..ProgramNames::default()
        },
        tensors: Tensors::default(),
        gradients: Gradients {
            read: gradients_read(source),
            ..Gradients::default()
        },
        files: UsedFiles::new(files, used),
        effort: Effort::default(),
        reports: Reports::new(errors),
    };
    for (file, (read, _)) in files.files.iter().zip(used) {
        elaboration.names.broken.extend(&read.broken);
        elaboration
            .gradients
            .read
            .extend(gradients_read(&file.text));
    }
    elaboration.file(PRELUDE, prelude);
    // The prelude is read within the usual limits, and does not count.
    elaboration.program.surroundings = surroundings.clone();
    elaboration.effort.work = 0;
    elaboration.names.written = definitions(&read.statements)
        .map(|(name, _)| name)
        .collect();
    for (name, span) in definitions(&read.statements).chain(functions(&read.statements)) {
        elaboration.names.later.entry(name).or_insert(span);
    }
    // Reserve once: a table that doubles leaves freed blocks behind, which are too small for the tables that follow.
    // The unused capacity of the program is given back below.
    let room = ROOM * read.statements.len();
    elaboration.program.tensors.reserve(room);
    elaboration.program.steps.reserve(room);
    elaboration.tensors.last_use.reserve(room);
    elaboration.file(PROGRAM, read);
    elaboration.program.tensors.shrink_to_fit();
    elaboration.program.steps.shrink_to_fit();
    elaboration.program
}

/// Lists the names of the `size` lines of a text.
fn size_lines<'a>(read: &'a Read<'a>) -> impl Iterator<Item = &'a str> {
    read.statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Size { name, .. } => Some(name.text),
            _ => None,
        })
}

/// Lists the names of tensors that the statements define, without those inside blocks.
fn definitions<'a>(statements: &'a [Statement<'a>]) -> impl Iterator<Item = (&'a str, Span)> {
    let names = statements.iter().flat_map(|statement| statement.defines());
    names.map(|name| (name.text, name.span.clone()))
}

/// Lists the functions and operators that the statements define.
fn functions<'a>(statements: &'a [Statement<'a>]) -> impl Iterator<Item = (&'a str, Span)> {
    let names = statements.iter().filter_map(|statement| match statement {
        Statement::Def(definition) => Some(&definition.name),
        Statement::Op(definition) => Some(&definition.name),
        _ => None,
    });
    names.map(|name| (name.text, name.span.clone()))
}

/// Finds the names before `.grad`: their tensors have gradients even if they are not parameters.
fn gradients_read(source: &str) -> HashSet<&str> {
    let places = source.match_indices(".grad");
    let names = places.map(|(place, _)| {
        let before = &source[..place];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let start = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| word(*c))
            .last();
        start.map_or("", |(start, _)| &before[start..])
    });
    names.collect()
}

/// The body of a file or of a function while it is elaborated.
#[derive(Clone)]
struct Frame<'a> {
    /// The number of its text.
    source: usize,
    /// The place in the program from which it is called, if it is in another text: messages about it point there.
    place: Option<Span>,
    /// The call, by its index in [`Program::calls`].
    call: Option<usize>,
    definition: Option<&'a Definition<'a>>,
    /// The number of the instance that is called, if it is one.
    instance: Option<usize>,
    /// The names of its tensors begin with this.
    path: String,
    /// The names of its parameters begin with this; `None` in a function that has none.
    owner: Option<String>,
    /// The current statement, by the name that it defines.
    label: String,
    /// The iterations of the loops around the statement.
    turns: Vec<String>,
    /// The number of times that the statements of a label have called the functions of a name so far.
    ordinals: Ordinals,
}

impl Frame<'_> {
    fn of_file(source: usize) -> Self {
        Frame {
            source,
            place: None,
            call: None,
            definition: None,
            instance: None,
            path: String::new(),
            owner: Some(String::new()),
            label: String::new(),
            turns: Vec::new(),
            ordinals: Ordinals::default(),
        }
    }

    /// Makes the name of something in this frame, with the iterations of the loops around it.
    fn within(&self, path: &str, name: &str) -> String {
        let mut full = String::from(path);
        let turns = self.turns.iter().map(String::as_str);
        for part in std::iter::once(name).chain(turns) {
            if !part.is_empty() {
                if !full.is_empty() {
                    full.push('.');
                }
                full.push_str(part);
            }
        }
        full
    }
}

struct Elaboration<'a, 'e> {
    program: Program,
    scopes: Scopes<'a>,
    /// The innermost scope.
    scope: usize,
    frames: Vec<Frame<'a>>,
    /// The number of names that were defined so far.
    defined: usize,
    /// The section whose lines are being elaborated.
    section: Option<OpenSection>,
    /// The operators of the program that made operations.
    operators: HashMap<usize, Rc<Operator<'a>>>,
    /// True if the expression of a `size` line is evaluated: messages then speak of sizes and not of tensors.
    a_size_is_wanted: bool,
    names: ProgramNames<'a>,
    tensors: Tensors,
    gradients: Gradients<'a>,
    files: UsedFiles<'a>,
    effort: Effort,
    reports: Reports<'e>,
}

impl<'a> Elaboration<'a, '_> {
    fn file(&mut self, source: usize, read: &'a Read<'a>) {
        let given = &self.program.surroundings.sizes;
        let sizes = match source {
            PROGRAM => {
                let files = self.files.read.iter();
                let others: Vec<&str> = files.flat_map(|(read, _)| size_lines(read)).collect();
                Sizes::given(given, &read.statements, &others, self.reports.errors)
            }
            _ => Sizes::new(&read.statements, self.reports.errors),
        };
        self.frames = vec![Frame::of_file(source)];
        self.scope = self.scopes.all.len();
        self.scopes.all.push(Scope {
            sort: Sort::File,
            parent: (source != PRELUDE).then_some(0),
            sees: usize::MAX,
            names: HashMap::with_capacity(read.statements.len()),
            sizes,
        });
        self.block(&read.statements, None);
    }

    fn frame(&self) -> &Frame<'a> {
        &self.frames[self.frames.len() - 1]
    }

    fn frame_mut(&mut self) -> &mut Frame<'a> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Returns the place in the program for a message: for a place in another text it is that of the call.
    fn place(&self, span: &Span) -> Span {
        match &self.frame().place {
            Some(call) => call.clone(),
            None => span.clone(),
        }
    }

    /// Reports an error once, at its place in the current text. Inside a function it also names the call.
    fn report(&mut self, mut error: Diagnostic) {
        let frame = self.frame();
        if let Some(place) = &frame.place {
            error.elsewhere = self.elsewhere(&error);
            error.labels.truncate(1);
            for label in &mut error.labels {
                label.place = place.clone().into();
                if error.elsewhere.is_some() {
                    label.text = match frame.definition {
                        Some(_) => "called here".into(),
                        None => "used here".into(),
                    };
                }
            }
            if let Some(help) = &mut error.help {
                help.edits.clear();
            }
        }
        // A call of a function of the prelude has one mistake, however many of the function's lines it breaks.
        let of_prelude = error.elsewhere.is_none() && self.frame().place.is_some();
        let before = self.reports.errors.last();
        if of_prelude && before.is_some_and(|before| before.span() == error.span()) {
            return;
        }
        self.report_placed(error);
    }

    /// Reports an error once, whose places are places of the program.
    fn report_placed(&mut self, mut error: Diagnostic) {
        let frame = self.frame();
        let inside = self.frames.len() > 1 || !frame.turns.is_empty();
        let call = frame.call;
        let key = match &error.elsewhere {
            Some(other) => (frame.source, other.labels[0].span().start),
            None => (PROGRAM, error.span().start),
        };
        if inside
            && !self
                .reports
                .reported
                .insert((key.0, key.1, error.message.clone()))
        {
            return;
        }
        if let Some(call) = call {
            let call = &self.program.calls[call];
            if call.span != error.span() {
                let text = format!("called here, `{}`", call.function);
                error = error.other(call.span.clone(), text);
            }
        }
        self.reports.errors.push(error);
    }

    /// Records the names that a block has defined, which are not visible after it.
    fn end_of_block(&mut self, body: &'a [Statement<'a>], sort: Ended) {
        if self.frames.len() == 1 && self.frame().source == PROGRAM {
            for statement in body {
                let lasts = matches!(statement, Statement::Param { .. });
                for name in statement.defines() {
                    let defined = EndedName {
                        span: name.span.clone(),
                        sort,
                        lasts,
                    };
                    self.names.ended.entry(name.text).or_insert(defined);
                }
            }
        }
    }

    /// Counts a unit of work; false if a limit is reached, which is reported once.
    fn works(&mut self, span: &Span) -> bool {
        self.effort.work += 1;
        if self.effort.stopped {
            return false;
        }
        let ReadingLimits {
            parts, operations, ..
        } = self.program.surroundings.limits;
        let (message, flag) = if self.effort.work > parts {
            let message = format!(
                "the program is too long when its loops are written out: more than {}",
                counted(parts, "part")
            );
            (message, "--max-parts")
        } else if self.program.steps.len() as u64 >= operations {
            let message = format!(
                "the program comes to more than {}",
                counted(operations, "operation")
            );
            (message, "--max-operations")
        } else {
            return true;
        };
        self.effort.stopped = true;
        let span = self.place(span);
        let error = Diagnostic::new(span, message, "the first that is too many").help(format!(
            "let a loop have fewer turns, or let a spec run over an axis; {flag} raises the limit"
        ));
        self.reports.errors.push(error);
        false
    }

    /// Goes one level deeper; false if a limit is reached, which is reported.
    fn deeper(&mut self, span: &Span) -> bool {
        let most = self.program.surroundings.limits.levels;
        if self.effort.levels >= most {
            let error = Diagnostic::new(
                span.clone(),
                format!(
                    "calls and blocks stand more than {} deep in each other",
                    counted(most.into(), "level")
                ),
                "the innermost",
            )
            .help("write a long chain of functions as a loop; --max-levels raises the limit");
            self.report(error);
            // Functions that call each other twice would reach the limit again and again.
            self.effort.stopped = true;
            return false;
        }
        self.effort.levels += 1;
        true
    }
}

/// Writes a number of things, in words.
fn counted(number: u64, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}
