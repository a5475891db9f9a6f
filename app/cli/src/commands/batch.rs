//! `lozenge batch`: reads lines of JSON, and answers each with a line, in the same order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::any_subject::AnySubject;
use lozenge_fuzz::subject::Subject;
use lozenge_fuzz::subject::checked::Checked;
use lozenge_fuzz::subject::party::Effort;
use lozenge_fuzz::subjects;
use lozenge_fuzz::subjects::sets::{Sets, Verdicts, verdicts};
use lozenge_oracle::{Forced, ForcedValue, Reason};
use lozenge_vocabulary::notation::{NotationError, parse};
use lozenge_vocabulary::{ConstraintSet, Var};
use schemars::JsonSchema;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::args;
use crate::commands::check;
use crate::files::input;
use crate::limits::Parties;
use crate::report::{Problem, Status};

/// A question.
#[derive(Debug)]
struct Asked {
    /// The id of the question, which the answer repeats letter by letter.
    id: Id,
    /// The extension of files with such an input: `rows` for a constraint set.
    of: &'static str,
    input: String,
}

/// The key of a constraint set.
const ROWS: &str = <Sets as Subject>::EXTENSION;

/// The value of `id` as it is written; `null` where there is none.
type Id = Option<Box<RawValue>>;

/// The keys of a line with their values, in the order in which they stand there.
struct Keys(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keys, D::Error> {
        struct Line;
        impl<'de> Visitor<'de> for Line {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Keys, M::Error> {
                let mut keys = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    keys.push(entry);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Line)
    }
}

/// An answer to a line, which has no envelope: the `id` of the question, and the rest.
#[derive(Serialize, JsonSchema)]
pub struct Answer {
    /// The `id` that was asked, letter by letter; `null` where none could be read.
    #[schemars(with = "Value")]
    id: Id,
    #[serde(flatten)]
    rest: Rest,
}

/// The answer without its `id`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Rest {
    /// The answer for a constraint set.
    Set(Box<OfSet>),
    /// The answer for an input of another subject.
    Other(Box<Checked>),
    /// The answer to a line that cannot be used.
    Error {
        /// The mistake in the line.
        error: Message,
    },
}

/// The answer for a constraint set.
#[derive(Serialize, JsonSchema)]
struct OfSet {
    #[serde(flatten)]
    verdicts: Option<Verdicts>,
    /// The values that every solution shares: dimension variables with their values, `rank <r>` with a number of axes.
    forced: BTreeMap<String, ForcedValue>,
    /// True if the four are consistent; `null` where one says `unknown` and nobody contradicts anybody.
    agree: Option<bool>,
    /// The reason why a party says `unknown`, with the flag that raises its limit; absent where none does.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    limits: BTreeMap<&'static str, String>,
    /// The limit that was reached before everything in `forced` was known. Absent when all of it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced_incomplete: Option<Incomplete>,
}

/// The part of `forced` that a limit hides.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Incomplete {
    /// The limit.
    limit: String,
    /// The variables that are not decided; absent when none is.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[schemars(default)]
    variables: BTreeSet<String>,
}

/// The mistake in a line.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Message {
    /// A mistake at a place of the input.
    Placed(NotationError),
    /// A mistake in the line.
    Plain {
        /// The mistake.
        message: String,
    },
}

/// Runs the command. A line that cannot be used is answered with an error in its place, and the other lines are
/// processed. Each answer is written before the next line is read, so that a program can ask, wait and ask again.
pub fn batch(args: &args::Batch) -> Result<Status, Problem> {
    // Standard input is answered line by line, and nothing is read of it in advance.
    if args.file != Path::new("-")
        && let Some(kind) = input::kind_by_name(&args.file)
    {
        let name = args.file.display();
        return Err(Problem::new(format!(
            "{name} is {}, and this command takes lines of {{\"id\": …, \"rows\": \"…\"}}: try `lozenge check {name}`",
            kind.noun
        )));
    }
    let mut input: Box<dyn BufRead> = if args.file == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let cannot = |error: io::Error| {
            Problem::new(format!("{} cannot be read: {error}", args.file.display()))
        };
        Box::new(BufReader::new(File::open(&args.file).map_err(cannot)?))
    };
    let mut out = io::stdout().lock();
    let mut worst = Status::Good;
    for number in 1.. {
        let read =
            line(&mut input).map_err(|error| Problem::new(format!("line {number}: {error}")))?;
        let Some(line) = read else { break };
        // A byte order mark has no meaning in UTF-8.
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (answer, status) = answer(line, number, args.limits);
        worst = worse(worst, status);
        let text = format!("{}\n", json_text(&answer));
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(worst),
            written => written
                .map_err(|error| Problem::new(format!("the answers cannot be written: {error}")))?,
        }
    }
    Ok(worst)
}

/// Returns the next line without its end; `None` behind the last one.
fn line(input: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = input::most().saturating_add(1);
    match input.take(most).read_until(b'\n', &mut line)? {
        0 => Ok(None),
        count if count as u64 == most => Err(input::too_much()),
        _ => Ok(Some(line)),
    }
}

fn json_text(answer: &Answer) -> String {
    // It has texts for keys and no value that JSON lacks.
    serde_json::to_string(answer).unwrap_or_default()
}

/// Reads a question.
///
/// # Errors
/// The mistake in the line, and its `id` if that can be read.
fn asked(line: &[u8], number: usize) -> Result<Asked, (Id, String)> {
    let wrong = |error: &serde_json::Error| no_question(number, error);
    let read = serde_json::from_slice(line);
    let Keys(keys) = read.map_err(|error| (id_of_damaged(line), wrong(&error)))?;
    let (mut id, mut inputs) = (None, Vec::new());
    let mut mistakes = Vec::new();
    for (key, value) in keys {
        let subject = subject_of(&key);
        let doubled = match (key.as_str(), subject) {
            ("id", _) => id.replace(value).is_some(),
            (_, Some(subject)) => {
                let doubled = inputs.iter().any(|(of, _)| *of == subject.extension());
                inputs.push((subject.extension(), value));
                doubled
            }
            _ => {
                mistakes.push(format!("unknown key `{key}`"));
                false
            }
        };
        if doubled {
            mistakes.push(format!("`{key}` stands there twice"));
        }
    }
    let (of, value) = match inputs.as_slice() {
        [] => {
            mistakes.push("missing field `rows`".into());
            (ROWS, None)
        }
        [(of, value), rest @ ..] => {
            if let Some((other, _)) = rest.iter().find(|(other, _)| other != of) {
                mistakes.push(format!("`{of}` and `{other}` are two inputs"));
            }
            (*of, Some(value))
        }
    };
    let mut input = String::new();
    match value.map(|value| serde_json::from_str(value.get())) {
        Some(Ok(text)) => input = text,
        Some(Err(error)) => mistakes.push(format!("`{of}`: {}", without_place(&error))),
        None => {}
    }
    match mistakes.is_empty() {
        true => Ok(Asked { id, of, input }),
        false => Err((id, format!("{}: {}", wanted(number), mistakes.join(", ")))),
    }
}

/// Returns the `id` of a line that is no JSON, if it stands whole where a key may stand, so that whoever asked knows
/// which question was damaged.
fn id_of_damaged(line: &[u8]) -> Id {
    const KEY: &[u8] = b"\"id\"";
    let starts = line.windows(KEY.len()).enumerate();
    let mut starts = starts
        .filter(|(_, window)| *window == KEY)
        .map(|(at, _)| at);
    let at = starts.find(|at| matches!(line[..*at].trim_ascii_end().last(), Some(b'{' | b',')))?;
    let value = line[at + KEY.len()..]
        .trim_ascii_start()
        .strip_prefix(b":")?;
    let value = value.trim_ascii_start();
    let mut values = serde_json::Deserializer::from_slice(value).into_iter::<Box<RawValue>>();
    let id = values.next()?.ok()?;
    // A number or a word that reaches the end of the line may be cut.
    let is_delimited = id.get().starts_with(['"', '{', '[']) || values.byte_offset() < value.len();
    is_delimited.then_some(id)
}

/// Returns the subject whose files have the extension that is a key of a line.
fn subject_of(key: &str) -> Option<&'static dyn AnySubject> {
    subjects::recognised(Some(key), &[])
}

fn answer(line: &[u8], number: usize, limits: Parties) -> (Answer, Status) {
    let bad = |id, error: Message| {
        let rest = Rest::Error { error };
        (Answer { id, rest }, Status::BadInput)
    };
    let asked = match asked(line, number) {
        Ok(asked) => asked,
        Err((id, message)) => return bad(id, Message::Plain { message }),
    };
    let effort = Effort::from(limits);
    let answered = match (asked.of, subject_of(asked.of)) {
        (of, _) if of == ROWS => match parse(&asked.input) {
            Ok(located) => Ok(of_set(&located.set, &effort)),
            Err(error) => Err(Message::Placed(error)),
        },
        (_, Some(subject)) => match subject.check(asked.input.as_bytes(), &effort) {
            Ok(checked) => Ok((checked.agreement(), Rest::Other(Box::new(checked)))),
            Err(message) => Err(Message::Plain { message }),
        },
        (of, None) => Err(Message::Plain {
            message: format!("no input is called `{of}`"),
        }),
    };
    match answered {
        Ok((agreement, rest)) => {
            let id = asked.id;
            (Answer { id, rest }, check::status(agreement))
        }
        Err(error) => bad(asked.id, error),
    }
}

/// Returns the verdicts on a constraint set, and what all its solutions share.
fn of_set(set: &ConstraintSet, effort: &Effort) -> (Agreement, Rest) {
    let checked = verdicts(set, effort);
    let forced = effort.oracle().forced(set);
    let known = match &forced {
        Ok(Some(forced)) => forced.map(),
        Ok(None) | Err(_) => BTreeMap::new(),
    };
    let agreement = checked.agreement();
    let rest = OfSet {
        verdicts: Verdicts::of(&checked),
        forced: known,
        agree: agreement.consistent(),
        limits: checked.limits,
        forced_incomplete: incomplete(&forced),
    };
    (agreement, Rest::Set(Box::new(rest)))
}

fn wanted(number: usize) -> String {
    format!("line {number} is not {{\"id\": …, \"rows\": \"…\"}}")
}

/// Returns the message of the parser without the place in a part of the line.
fn without_place(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = error.to_string();
    said.strip_suffix(&place).unwrap_or(&said).to_string()
}

/// Returns the message for a line that is no question. The parser of JSON sees one line, and counts it as the first.
fn no_question(number: usize, error: &serde_json::Error) -> String {
    let (wanted, said) = (wanted(number), without_place(error));
    match error.is_data() {
        true => format!("{wanted}: {said}"),
        false => format!("{wanted}: {said} at column {}", error.column()),
    }
}

/// Says why `forced` may be incomplete: the limit that was reached, and the undecided variables, unless that is all of
/// them.
fn incomplete(forced: &Result<Option<Forced>, Reason>) -> Option<Incomplete> {
    match forced {
        Err(limit) => Some(Incomplete {
            limit: limit.to_string(),
            variables: BTreeSet::new(),
        }),
        Ok(Some(forced)) => {
            let (_, limit) = forced.undetermined.first()?;
            let doubtful = forced.undetermined.iter().map(|(var, _)| var);
            Some(Incomplete {
                limit: limit.to_string(),
                variables: doubtful.map(Var::to_string).collect(),
            })
        }
        Ok(None) => None,
    }
}

/// Returns the worse of two statuses: a disagreement is worst, then bad input, then an unknown answer.
fn worse(a: Status, b: Status) -> Status {
    let weight = |status| match status {
        Status::Good => 0,
        Status::Unknown => 1,
        Status::BadInput => 2,
        Status::Refused => 3,
    };
    if weight(b) > weight(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_that_is_no_question_has_one_number() {
        let message = |line: &str| {
            let (answer, _) = answer(line.as_bytes(), 7, Parties::default());
            let rest = json!(answer.rest);
            rest["error"]["message"].as_str().map(str::to_string)
        };
        let wanted = "line 7 is not {\"id\": …, \"rows\": \"…\"}";
        let expected = |rest: &str| Some(format!("{wanted}: {rest}"));
        assert_eq!(message("let y"), expected("expected value at column 1"));
        assert_eq!(message("{\"id\": 1}"), expected("missing field `rows`"));
        assert_eq!(
            message("{\"rows\": 3}"),
            expected("`rows`: invalid type: integer `3`, expected a string")
        );
        assert_eq!(
            message("[1]"),
            expected("invalid type: sequence, expected an object")
        );
        assert_eq!(
            message("{\"id\": 1, \"rows\": \"\", \"row\": 2, \"id\": 3}"),
            expected("unknown key `row`, `id` stands there twice")
        );
    }

    #[test]
    fn the_id_is_repeated_letter_by_letter_also_with_an_error() {
        let shown = |line: &str| json_text(&answer(line.as_bytes(), 1, Parties::default()).0);
        for id in [
            "123456789012345678901234567890",
            "1.50",
            "\"\\u00e4\"",
            "{\"a\": [1e400]}",
            "null",
        ] {
            let begins = format!("{{\"id\":{id},");
            for rest in [
                "\"rows\": \"a = 3\"",
                "\"rows\": \"a =\"",
                "\"rows\": 3",
                "\"row\": 1",
            ] {
                let answer = shown(&format!("{{{rest}, \"id\": {id}}}"));
                assert!(answer.starts_with(&begins), "{answer}");
            }
        }
        assert!(shown("{\"rows\": \"a = 3\"}").starts_with("{\"id\":null,"));
        // Lines that end too early or have something else behind the id.
        for (line, id) in [
            ("{\"id\": 9, \"rows", "9"),
            ("{\"rows\": \"a = 3\", \"id\" : \"q 1\"", "\"q 1\""),
            ("{\"id\":9,,\"rows\":\"\"}", "9"),
            ("{\"id\": 12", "null"),
            ("{\"id\": tru", "null"),
            ("{\"rows\": \"\\\"id\\\": 3,", "null"),
        ] {
            let answer = shown(line);
            assert!(
                answer.starts_with(&format!("{{\"id\":{id},\"error\"")),
                "{line}: {answer}"
            );
        }
    }

    #[test]
    fn forced_values_that_a_limit_hides_are_said_to_be_missing() {
        let line = json!({"id": 1, "rows": "a = 3\n<r> ~ [a, b]"}).to_string();
        let within = |seconds: u64| {
            let mut limits = Parties::default();
            limits.z3.time = Duration::from_secs(seconds);
            json!(answer(line.as_bytes(), 1, limits).0.rest)
        };
        let whole = within(60);
        assert_eq!(whole["forced"], json!({"a": "3", "rank <r>": 2}));
        assert!(whole.get("forced_incomplete").is_none(), "{whole}");
        let cut = within(0);
        for limit in [&cut["forced_incomplete"]["limit"], &cut["limits"]["oracle"]] {
            let said = limit.as_str().unwrap_or_default();
            assert!(said.ends_with("; --time raises it"), "{cut}");
        }
    }
}
