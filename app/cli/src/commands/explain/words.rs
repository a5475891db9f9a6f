//! Constraints and texts of the solver in the words of a program: its tensors, rows and lines.

use std::fmt::Write;

use lozenge::{Asserted, Because};
use lozenge_solver::Cited;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::Span;

use crate::json::program::Required;
use crate::loaded::Loaded;

/// Returns a part of the program as a name, cut where it is too long for one.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A requirement of an operation, for a reader.
#[derive(Default)]
pub struct Said {
    /// The words.
    pub words: String,
    /// True if it says of one tensor that it has its own axes, as parts of an expression that are written alike seem
    /// to.
    pub says_nothing: bool,
    /// The number of its line: `line 3`.
    pub number: String,
    /// Its line, with the number.
    pub line: String,
    /// Its place; `None` where no operation states it.
    pub place: Option<Span>,
}

/// Tells whether a requirement in words says of something that it has the axes of something that is written alike.
fn is_tautology(words: &str) -> bool {
    let parts: Vec<&str> = words.split('`').collect();
    matches!(&parts[..], ["", one, between, other, ""] if one == other && between.starts_with(" has the "))
}

/// Returns the axes of a constraint that are written: those of the sides that have only sizes.
fn given_axes(constraint: &str) -> Option<String> {
    let signs = [" <= ", " ~ ", " = "];
    let (left, right) = signs.iter().find_map(|sign| constraint.split_once(sign))?;
    let is_size = |axis: &str| axis.starts_with(|c: char| c.is_ascii_digit());
    let sides = [left, right].into_iter().filter(|side| {
        let inner = side
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        inner.is_some_and(|inner| inner.split(", ").all(is_size))
    });
    let sides: Vec<&str> = sides.collect();
    (!sides.is_empty()).then(|| sides.join(" and "))
}

/// Puts constraints and texts of the solver into the words of a program.
pub struct Explainer<'a> {
    pub(super) loaded: &'a Loaded,
    asserted: &'a Asserted,
    /// The rows of tensors as they are shown to the reader, by the names of their variables.
    rows: std::collections::HashMap<String, String>,
    /// True if the explained problem has been closed.
    pub(super) closed: bool,
}

impl<'a> Explainer<'a> {
    /// Explains the derivations of a program's constraints, after closing.
    pub fn new(loaded: &'a Loaded, asserted: &'a Asserted) -> Explainer<'a> {
        let mut rows = std::collections::HashMap::new();
        for tensor in &loaded.program.tensors {
            let name = match tensor.name.contains('\'') {
                false => tensor.name.to_string(),
                true => format!("({})", excerpt(&loaded.source.text[tensor.span.clone()])),
            };
            for kind in Kind::ALL {
                if let Some(var) = &tensor.shape.row(kind).var {
                    let row = format!("{name}.{}", kind.word());
                    // A gradient has the rows of its parameter, which has the name that the program gives it.
                    rows.entry(var.name().to_string()).or_insert(row);
                }
            }
        }
        Explainer {
            loaded,
            asserted,
            rows,
            closed: true,
        }
    }

    /// Returns the requirement of an operation from which a constraint comes.
    pub(super) fn required(&self, cited: &Cited) -> Option<Required> {
        let origin = self.asserted.origin(&self.loaded.program, cited.index)?;
        let constraint = cited.clone();
        let place = |span: &Span| self.loaded.place(span);
        let about = self.loaded.about(&place);
        Some(Required::of(&about, &Because { constraint, origin }))
    }

    /// Tells whether the rules and constraints are shown, too.
    pub fn has_rules(&self) -> bool {
        self.loaded.why
    }

    /// Returns the row of a variable as it is shown to the reader. One that is not a row of a tensor is the part of a
    /// row that a spec leaves open.
    pub fn row_in_words(&self, variable: &str) -> String {
        if let Some(row) = self.rows.get(variable) {
            return row.clone();
        }
        let step = variable.split_once('\'').and_then(|(label, number)| {
            let number = number.parse::<usize>().ok()?.checked_sub(1)?;
            Some((label, self.loaded.program.steps.get(number)?))
        });
        let Some((label, step)) = step else {
            return format!("<{variable}>");
        };
        let (line, _) = self.loaded.place(&step.span);
        let open = match Kind::ALL.iter().any(|kind| kind.word() == label) {
            true => format!("what `...` stands for in the {label} axes"),
            false => format!("what `..{label}..` stands for"),
        };
        format!("{open} (line {line})")
    }

    /// Puts a requirement into words, with the axes that it gives where these are written.
    pub fn said(&self, cited: &Cited) -> Said {
        let (program, source) = (&self.loaded.program, &self.loaded.source.text);
        let Some(origin) = self.asserted.origin(program, cited.index) else {
            return Said {
                words: cited.to_string(),
                ..Said::default()
            };
        };
        let (number, _) = self.loaded.place(&origin.span);
        let words = lozenge::requirement_words(program, source, origin.step, origin.requirement);
        let words = words.unwrap_or(origin.words);
        let open = |words: String, kind: Kind| words.replace(&format!("<{}>", kind.word()), "...");
        let words = Kind::ALL.into_iter().fold(words, open);
        let says_nothing = is_tautology(&words);
        let words = match given_axes(&cited.text) {
            Some(axes) => format!("{words}: {axes}"),
            None => words,
        };
        Said {
            words,
            says_nothing,
            number: format!("line {number}"),
            line: format!("line {number}: {}", self.loaded.line_of(&origin.span)),
            place: Some(origin.span),
        }
    }

    /// Returns a requirement of an operation, with the line of the program that states it.
    pub fn cited(&self, out: &mut String, cited: &Cited, indent: &str) {
        let said = self.said(cited);
        let _ = writeln!(out, "{}", said.words);
        if said.place.is_none() {
            return;
        }
        let _ = writeln!(out, "{indent}{}", said.line);
        if self.loaded.why {
            let _ = writeln!(out, "{indent}{}", cited.text);
        }
    }

    /// Returns a text of the solver, with the names of tensors' rows in place of variables.
    pub fn in_words(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            let after = &rest[start + 1..];
            let named = after
                .find('>')
                .and_then(|end| Some((end, self.rows.get(&after[..end])?)));
            out.push_str(&rest[..start]);
            match named {
                Some((end, row)) => {
                    out.push_str(row);
                    rest = &after[end + 1..];
                }
                None => {
                    out.push('<');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        // A row beyond the axes that it is known to have, which is only a part of it.
        let out = match out.strip_suffix(" between its known flanks, up to the marker") {
            Some(stated) => match stated.strip_suffix(" holds []") {
                Some(row) => format!("{row} has no other axes than these"),
                None => format!(
                    "{} between the axes known so far",
                    stated.replace(" holds ", " has ")
                ),
            },
            None => out,
        };
        let out = out
            .replace(" leading axes", " axes")
            .replace(" trailing axes", " axes")
            .replace("at least 1 axes", "at least one axis")
            .replace(" holds ", " is ");
        self.labels_in_words(&out)
    }

    /// Returns the text with labels such as `h'2`, of the second operation's spec, written as `h (line 7)`.
    fn labels_in_words(&self, text: &str) -> String {
        let mut out = String::new();
        for word in text.split_inclusive(|c: char| !(c.is_alphanumeric() || "'_".contains(c))) {
            let end = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
            let step = end.split_once('\'').and_then(|(label, number)| {
                let number = number.parse::<usize>().ok()?.checked_sub(1)?;
                Some((label, self.loaded.program.steps.get(number)?))
            });
            match step {
                Some((label, step)) => {
                    let (line, _) = self.loaded.place(&step.span);
                    let _ = write!(out, "{label} (line {line}){}", &word[end.len()..]);
                }
                None => out.push_str(word),
            }
        }
        out
    }
}
