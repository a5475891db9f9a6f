//! `uses`: a use of a tensor that constrains nothing changes no shape and no number, and is not refused.
//!
//! Where all given tensors have their shapes, every line that defines a tensor is a use of those that it reads. The
//! program is built up line by line, and each line whose result nobody reads is left out: the tensors that are there
//! with and without the line have to be the same. Z3 decides from the definition whether a line that makes a difference
//! constrains the program above it: whether the shapes without the line satisfy what is required with it.
//!
//! A given tensor without a shape has those that its uses ask for (Def. 6.1), so in other programs each tensor gets a
//! use of which is known that it constrains nothing: a function of each cell, or the first element of a batch that is
//! known to have axes. Nothing uses the result.

use std::path::Path;

use lozenge::{Inference, Options, shape_text};
use lozenge_backend::{Interpreter, Limits};
use lozenge_oracle::Satisfiability;
use lozenge_vocabulary::operation::{Kind, Shape};
use lozenge_vocabulary::program::Program;
use lozenge_vocabulary::{Constraint, Row, Tag};

use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::{Effort, Parties};
use crate::subjects::programs::FREE_MARKER;

/// The name of the result that nobody uses.
const RESULT: &str = "unused_result";

/// A named tensor, with the bits of its values if they were computed.
struct Known {
    name: String,
    shape: Shape<Row>,
    bits: Option<Vec<u32>>,
}

/// The answer about a program.
enum Seen {
    /// It has these tensors. With them are the codes of the messages about shapes that fit.
    Shaped(Vec<Known>, Vec<String>),
    /// Its text has a mistake.
    Unread(String),
    /// It has no shapes.
    Refused(String),
}

/// Infers the shapes of a program, and computes it if `is_run`.
fn seen(text: &str, is_run: bool) -> Seen {
    let program = match lozenge::parse(text) {
        Ok(program) => program,
        Err(errors) => {
            let first = errors.into_iter().next();
            return Seen::Unread(first.map_or_else(String::new, |error| error.message));
        }
    };
    let options = Options::default();
    let inference = match lozenge::infer(&program, &options) {
        Ok(inference) => inference,
        Err(refusal) => return Seen::Refused(refusal.to_string()),
    };
    let messages = lozenge::refusals(&program, text, &inference, &options);
    let bits = match is_run {
        true => bits(&program, &inference),
        false => Vec::new(),
    };
    let mut bits = bits.into_iter();
    let tensors = program.tensors.iter().zip(inference.shapes.iter());
    let tensors = tensors.map(|(tensor, shape)| Known {
        name: tensor.name.to_string(),
        shape: shape.clone(),
        bits: bits.next(),
    });
    // A part of an expression has a name that cannot be written, such as `y'1`, and a number has its digits.
    let named = tensors.filter(|known| {
        !known.name.contains('\'') && known.name.starts_with(|c: char| c.is_alphabetic())
    });
    let codes = messages.into_iter().filter_map(|message| message.code);
    Seen::Shaped(named.collect(), codes.collect())
}

/// Returns the bits of all values, by the interpreter; nothing if it has none.
fn bits(program: &Program, inference: &Inference) -> Vec<Vec<u32>> {
    let Ok(data) = lozenge::load(program, Path::new("")) else {
        return Vec::new();
    };
    let mut device = Interpreter::new(Limits::default());
    let tensors = lozenge::run(program, inference, &data, &mut device).unwrap_or_default();
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect();
    tensors.iter().map(|tensor| bits(tensor.values())).collect()
}

/// A change that a use makes, in words without the use and with it.
enum Changed {
    /// The axes of a tensor.
    Axes(String, String),
    /// A number.
    Number(String, String),
    /// Only the place of a marker.
    Marker(String, String),
}

impl Changed {
    /// Returns the first tensor that has other axes or numbers with a use; if there is none, one with another marker.
    fn find(without: &[Known], with: &[Known]) -> Option<Changed> {
        let mut moved = None;
        for before in without {
            let Some(after) = with.iter().find(|after| after.name == before.name) else {
                continue;
            };
            let shown = |known: &Known| format!("{} : {}", known.name, shape_text(&known.shape));
            let flat = |known: &Known| known.shape.rows().map(Row::flat);
            if flat(before) != flat(after) {
                return Some(Changed::Axes(shown(before), shown(after)));
            }
            if let (Some(a), Some(b)) = (&before.bits, &after.bits)
                && a != b
            {
                let valued = |known: &Known, bits: &[u32]| {
                    let values = bits.iter().map(|bits| f32::from_bits(*bits));
                    format!("{} = {:?}", shown(known), values.collect::<Vec<f32>>())
                };
                return Some(Changed::Number(valued(before, a), valued(after, b)));
            }
            if before.shape != after.shape && moved.is_none() {
                moved = Some(Changed::Marker(shown(before), shown(after)));
            }
        }
        moved
    }

    /// Returns the disagreement about a use.
    fn disagreement(self, of: &str) -> Disagreement {
        let (check, before, after) = match self {
            Changed::Axes(before, after) => (
                "a use that constrains nothing changes a shape",
                before,
                after,
            ),
            Changed::Number(before, after) => (
                "a use that constrains nothing changes a number",
                before,
                after,
            ),
            Changed::Marker(before, after) => (
                "a use that constrains nothing moves a marker",
                before,
                after,
            ),
        };
        Disagreement::new(check)
            .answered("without the use", before)
            .answered("with it", format!("{}\n{after}", of.trim_end()))
    }
}

/// Returns the outcome of adding a line: `Agree` if the tensors that are there without it stay as they are.
fn with_line(with: &str, before: &[Known], codes: &[String], after: &Seen) -> Outcome {
    let mut is_free = false;
    let disagreement = match after {
        // A word of the program was replaced by another one, and a size was given a tensor's name.
        Seen::Unread(_) => return Outcome::Agree,
        Seen::Refused(refusal) => Disagreement::new("a use that constrains nothing is refused")
            .answered("with the use", format!("{with}{refusal}")),
        Seen::Shaped(after, messages) => {
            // Axes that only a later line asks for, and operands that do not pair: a new result asks for no axis of
            // others.
            let is_new =
                |code: &&String| ["R1", "R4"].contains(&code.as_str()) && !codes.contains(code);
            if let Some(code) = messages.iter().find(is_new) {
                return Disagreement::new("a use that constrains nothing gets a message")
                    .answered("with the use", format!("{with}{code}"))
                    .into();
            }
            match Changed::find(before, after) {
                None => return Outcome::Agree,
                Some(changed) => {
                    is_free = matches!(changed, Changed::Marker(..));
                    changed.disagreement(with)
                }
            }
        }
    };
    match constrains(with, before) {
        // Both places of the marker satisfy everything, so neither solution is above the other one.
        Satisfiability::Sat(_) if is_free => Outcome::Differ(&FREE_MARKER),
        Satisfiability::Sat(_) => disagreement.into(),
        Satisfiability::Unsat => Outcome::Agree,
        Satisfiability::Unknown(why) => Outcome::Unknown(format!("oracle: {why}")),
    }
}

/// Says whether what a program requires has a solution in which tensors have these shapes, markers included. If it has
/// none, a line constrains them.
fn constrains(with: &str, shapes: &[Known]) -> Satisfiability {
    let Ok((program, constraints)) = crate::pipeline::read(with) else {
        return Satisfiability::Unsat;
    };
    let mut set = constraints.set;
    for known in shapes {
        let Some(id) = program.find(&known.name) else {
            continue;
        };
        for kind in Kind::ALL {
            let term = program[id].shape.row(kind);
            if term.var.is_some() {
                let row = || known.shape.row(kind).clone().into();
                set.constraints.push(Constraint::RowLe(term.clone(), row()));
                set.constraints.push(Constraint::RowLe(row(), term.clone()));
            }
        }
    }
    Effort::default().oracle().sat(&set)
}

/// Returns the name that a line outside of blocks defines by an expression.
fn defined(line: &str) -> Option<&str> {
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_alphabetic())
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let name = match line.strip_prefix("let ") {
        Some(rest) => rest.split(['=', ':']).next()?,
        None => line.split_once("=:")?.0,
    };
    Some(name.trim()).filter(is_name)
}

/// Says whether a text mentions a name.
fn mentions(text: &str, name: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| word == name)
}

/// Says whether a given tensor has no written shape, so that its uses decide.
fn is_open(text: &str) -> bool {
    let Ok(program) = lozenge::parse(text) else {
        return true;
    };
    let mut given = program.tensors.iter();
    given.any(|tensor| {
        let is_open = |kind: &Kind| tensor.shape.row(*kind).var.is_some();
        tensor.tag != Tag::Interior && Kind::ALL.iter().any(is_open)
    })
}

/// Builds a program up line by line, then leaves out each line whose result nobody reads.
fn by_lines(text: &str) -> Outcome {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut before = Seen::Shaped(Vec::new(), Vec::new());
    let mut milder = Outcome::Agree;
    for (at, line) in lines.iter().enumerate() {
        let with = lines[..=at].concat();
        let is_new = defined(line).is_some_and(|name| !mentions(&lines[..at].concat(), name));
        let after = seen(&with, true);
        if let Seen::Shaped(known, codes) = &before
            && is_new
        {
            match with_line(&with, known, codes, &after) {
                Outcome::Agree => {}
                differ @ Outcome::Differ(_) => milder = differ,
                outcome => return outcome,
            }
        }
        before = after;
    }
    let whole = before;
    for at in 0..lines.len().saturating_sub(1) {
        let others = || [&lines[..at], &lines[at + 1..]].concat().concat();
        let is_unread = defined(lines[at]).is_some_and(|name| !mentions(&others(), name));
        if is_unread && let Seen::Shaped(known, codes) = seen(&others(), true) {
            match with_line(text, &known, &codes, &whole) {
                Outcome::Agree => {}
                differ @ Outcome::Differ(_) => milder = differ,
                outcome => return outcome,
            }
        }
    }
    milder
}

/// Lists the operations that may read a tensor of this shape without constraining it. A constant whose shape is not
/// written has what its uses ask for, a batch axis for a slice, so programs with such constants get no slices.
fn uses_of(text: &str, known: &Known) -> Vec<String> {
    let tensor = &known.name;
    let mut uses = vec![format!("neg({tensor})")];
    if known.shape.batch.rank() > 0 && !text.contains("const ") {
        uses.push(format!("{tensor} @| 0"));
    }
    uses
}

/// Returns the outcome of adding a use of each tensor of a program.
fn by_tensors(text: &str, without: &[Known]) -> Outcome {
    let uses = without.iter().flat_map(|known| uses_of(text, known));
    let mut outcomes = uses.map(|of| {
        let with = format!("{}\nlet {RESULT} = {of}\n", text.trim_end());
        match seen(&with, false) {
            Seen::Unread(message) if message.ends_with("is a tensor and a size") => Outcome::Agree,
            Seen::Unread(refusal) | Seen::Refused(refusal) => {
                Disagreement::new("a use that constrains nothing is refused")
                    .answered("with the use", format!("{with}{refusal}"))
                    .into()
            }
            Seen::Shaped(after, _) => match Changed::find(without, &after) {
                None => Outcome::Agree,
                Some(changed) => changed.disagreement(&with).into(),
            },
        }
    });
    let different = outcomes.find(|outcome| *outcome != Outcome::Agree);
    different.unwrap_or(Outcome::Agree)
}

/// Infers the shapes of a program, and again with uses of its tensors added.
pub fn uses(text: &str, _: &mut Parties) -> Option<Comparison> {
    if !is_open(text) {
        return Some(Comparison {
            outcome: by_lines(text),
            useful: true,
            answer: "all shapes given",
        });
    }
    let Seen::Shaped(without, _) = seen(text, false) else {
        return Some(Comparison {
            outcome: Outcome::Agree,
            useful: false,
            answer: "refused",
        });
    };
    Some(Comparison {
        outcome: by_tensors(text, &without),
        useful: true,
        answer: "inferred",
    })
}
