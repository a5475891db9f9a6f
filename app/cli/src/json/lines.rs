//! The lines of `solve --format jsonl`: each variable is a line, written as soon as its value is made.

use std::io::{self, Write};

use lozenge_solver::Footing;
use lozenge_vocabulary::{Var, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Notes};
use super::program::PrintedData;
use super::{Envelope, SCHEMA, Solved};

/// An element of a list of an answer, as a line has it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Line<Item> {
    /// The version of the contract, `lozenge/1`.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The command that answers.
    command: &'static str,
    /// The key that holds the list in the document.
    list: &'static str,
    /// The element.
    item: Item,
}

impl<Item> Line<Item> {
    /// Returns an element of a list of an answer.
    pub fn new(command: &'static str, list: &'static str, item: Item) -> Line<Item> {
        Line {
            schema: SCHEMA,
            command,
            list,
            item,
        }
    }
}

/// The output of an epoch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Epoch {
    /// The line of the header of its section, from 1.
    pub line: usize,
    /// The number of epochs that are done.
    pub epoch: u64,
    /// The number of steps that are done.
    pub step: u64,
    /// The printed values, in the order of the program.
    pub printed: Vec<PrintedData>,
}

/// A variable of a solution.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Variable<'a> {
    /// The variable in the notation.
    variable: &'a str,
    /// Its value in the notation.
    value: &'a str,
    /// The footing of the value, where the production solver gave it in policy mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Word>,
    /// The bounds that a free variable still has. In a large set only some have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
}

impl<'a> Variable<'a> {
    /// Returns a variable of which only the value is known.
    pub fn plain(variable: &'a str, value: &'a str) -> Variable<'a> {
        Variable {
            variable,
            value,
            rests_on: None,
            bounds: None,
        }
    }
}

/// The footing of a value.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Word {
    /// Every solution has it.
    Forced,
    /// Every solution has the axes of the row. Policy chose where the marker stands among them.
    Placed,
    /// Nothing determines it, or not in all of its axes: what is open stands at its top.
    Free,
    /// Policy chose it.
    Chosen,
}

/// The footings of values, in the order in which they are written.
const FOOTINGS: [(Footing, Word); 4] = [
    (Footing::Forced, Word::Forced),
    (Footing::Placed, Word::Placed),
    (Footing::Free, Word::Free),
    (Footing::Chosen, Word::Chosen),
];

/// The key of the last line.
#[derive(Serialize)]
struct Note {
    note: &'static str,
}

impl Solved<'_> {
    /// Writes a line for each variable, those that are forced first, a line for each choice, and a last line.
    pub fn write_lines(&self, out: &mut impl Write) -> io::Result<()> {
        let mut notes = Notes::of(&self.values);
        for (footing, word) in FOOTINGS {
            self.write_part(out, footing, word, &mut notes)?;
        }
        for choice in self.choices() {
            line(out, "choices", choice)?;
        }
        serde_json::to_writer(
            &mut *out,
            &Envelope {
                schema: SCHEMA,
                command: "solve".into(),
                verdict: Some(Verdict::Sat),
                errors: Vec::new(),
                body: Note { note: self.note },
            },
        )?;
        out.write_all(b"\n")
    }

    fn write_part(
        &self,
        out: &mut impl Write,
        footing: Footing,
        word: Word,
        notes: &mut Notes,
    ) -> io::Result<()> {
        let mut write = |variable: &str, value: &str, bounds: Option<Bounds>| {
            let item = Variable {
                variable,
                value,
                rests_on: Some(word),
                bounds,
            };
            line(out, "solution", item)
        };
        for (name, dim) in self.values.dims_on(footing) {
            let bounds = notes.next_of(|var| matches!(var, Var::Dim(own) if own.name() == name));
            write(name, &dim.to_string(), bounds)?;
        }
        for name in self.values.zeros_on(footing) {
            write(name, "0", None)?;
        }
        let mut key = String::new();
        for (name, row) in self.values.rows_on(footing) {
            let bounds = notes.next_of(|var| matches!(var, Var::Row(own) if own.name() == name));
            key.clear();
            key.extend(["<", name, ">"]);
            write(&key, &row, bounds)?;
        }
        Ok(())
    }
}

fn line(out: &mut impl Write, list: &'static str, item: impl Serialize) -> io::Result<()> {
    let line = Line {
        schema: SCHEMA,
        command: "solve",
        list,
        item,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}
