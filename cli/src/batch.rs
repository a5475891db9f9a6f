//! `lozenge batch`: reads lines of JSON, and answers each with a line, in the same order.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::Path;

use lozenge_fuzz::parties::Effort;
use lozenge_oracle::{Forced, Reason};
use lozenge_vocabulary::Var;
use lozenge_vocabulary::notation::parse;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args;
use crate::check::{self, PartyAnswers};
use crate::input;
use crate::json::oracle::ForcedValue;
use crate::limits::Parties;
use crate::report::{Problem, Status};

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    id: Value,
    rows: String,
}

/// Runs the command. A line that cannot be used is answered with an error in its place, and the other lines are processed.
pub fn batch(args: &args::Batch) -> Result<Status, Problem> {
    // Standard input is answered line by line, and nothing is read of it in advance.
    if args.file != Path::new("-") && input::is_program(&args.file) {
        let name = args.file.display();
        return Err(Problem::new(format!(
            "{name} is a program, and this command takes lines of {{\"id\": …, \"rows\": \"…\"}}: try `lozenge check {name}`"
        )));
    }
    let input: Box<dyn BufRead> = if args.file == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let cannot = |error: io::Error| {
            Problem::new(format!("{} cannot be read: {error}", args.file.display()))
        };
        Box::new(BufReader::new(File::open(&args.file).map_err(cannot)?))
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut worst = Status::Good;
    for (number, line) in input.split(b'\n').enumerate() {
        let line = line.map_err(|error| Problem::new(format!("line {}: {error}", number + 1)))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (answer, status) = answer(&line, number + 1, args.limits);
        worst = worse(worst, status);
        match writeln!(out, "{answer}") {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(worst),
            written => written
                .map_err(|error| Problem::new(format!("the answers cannot be written: {error}")))?,
        }
    }
    out.flush()
        .map_err(|error| Problem::new(format!("the answers cannot be written: {error}")))?;
    Ok(worst)
}

fn answer(line: &[u8], number: usize, limits: Parties) -> (Value, Status) {
    let asked: Asked = match serde_json::from_slice(line) {
        Ok(asked) => asked,
        Err(error) => {
            return (
                json!({"id": null, "error": {"message": no_question(number, &error)}}),
                Status::BadInput,
            );
        }
    };
    let set = match parse(&asked.rows) {
        Ok(located) => located.set,
        Err(error) => return (json!({"id": asked.id, "error": error}), Status::BadInput),
    };
    let PartyAnswers {
        verdicts,
        limits: reached,
        ..
    } = PartyAnswers::of(&set, limits);
    let agreement = verdicts.agreement();
    let forced = Effort::from(limits).oracle().forced(&set);
    let known = match &forced {
        Ok(Some(forced)) => {
            let values = forced.map().into_iter();
            let values = values.map(|(var, value)| (var, ForcedValue::from(value)));
            json!(values.collect::<BTreeMap<_, _>>())
        }
        Ok(None) | Err(_) => json!({}),
    };
    let mut answer = json!({
        "id": asked.id,
        "spec": verdicts.spec,
        "solver": verdicts.solver,
        "complete": verdicts.complete,
        "oracle": verdicts.oracle,
        "forced": known,
        "agree": agreement.consistent(),
    });
    if !reached.is_empty() {
        answer["limits"] = json!(reached);
    }
    if let Some(missing) = incomplete(&forced) {
        answer["forced_incomplete"] = missing;
    }
    (answer, check::status(agreement))
}

/// The message for a line that is no question. The parser of JSON sees one line, and counts it as the first.
fn no_question(number: usize, error: &serde_json::Error) -> String {
    let wanted = format!("line {number} is not {{\"id\": …, \"rows\": \"…\"}}");
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = error.to_string();
    match said.strip_suffix(&place) {
        Some(said) if error.is_data() => format!("{wanted}: {said}"),
        Some(said) => format!("{wanted}: {said} at column {}", error.column()),
        None => format!("{wanted}: {said}"),
    }
}

/// Why `forced` may be incomplete: the limit that was reached, and the undecided variables, unless that is all of them.
fn incomplete(forced: &Result<Option<Forced>, Reason>) -> Option<Value> {
    match forced {
        Err(limit) => Some(json!({"limit": limit.to_string()})),
        Ok(Some(forced)) => {
            let (_, limit) = forced.undetermined.first()?;
            let doubtful = forced.undetermined.iter().map(|(var, _)| var);
            let variables: BTreeSet<String> = doubtful.map(Var::to_string).collect();
            Some(json!({"limit": limit.to_string(), "variables": variables}))
        }
        Ok(None) => None,
    }
}

/// The worse of two statuses: a disagreement is worst, then bad input, then an unknown answer.
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
            answer["error"]["message"].as_str().map(str::to_string)
        };
        let wanted = "line 7 is not {\"id\": …, \"rows\": \"…\"}";
        let expected = |rest: &str| Some(format!("{wanted}: {rest}"));
        assert_eq!(message("let y"), expected("expected value at column 1"));
        assert_eq!(message("{\"id\": 1}"), expected("missing field `rows`"));
        assert_eq!(
            message("{\"rows\": 3}"),
            expected("invalid type: integer `3`, expected a string")
        );
    }

    #[test]
    fn forced_values_that_a_limit_hides_are_said_to_be_missing() {
        let line = json!({"id": 1, "rows": "a = 3\n<r> ~ [a, b]"}).to_string();
        let within = |seconds: u64| {
            let mut limits = Parties::default();
            limits.z3.time = Duration::from_secs(seconds);
            answer(line.as_bytes(), 1, limits).0
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
