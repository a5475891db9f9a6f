//! `lozenge batch`: a line of JSON in, a line out, in the same order.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::Path;

use lozenge_fuzz::parties;
use lozenge_oracle::Oracle;
use lozenge_vocabulary::notation::parse;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args;
use crate::check;
use crate::report::{Problem, Status};

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    id: Value,
    rows: String,
}

/// Runs the command. A line that cannot be used is answered with an error in its place, and the others go on.
pub fn batch(args: &args::Batch) -> Result<Status, Problem> {
    let input: Box<dyn BufRead> = if args.file == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let cannot = |error: io::Error| {
            Problem::new(format!("{} cannot be read: {error}", args.file.display()))
        };
        Box::new(BufReader::new(File::open(&args.file).map_err(cannot)?))
    };
    let oracle = parties::oracle(args.time);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut worst = Status::Good;
    for (number, line) in input.split(b'\n').enumerate() {
        let line = line.map_err(|error| Problem::new(format!("line {}: {error}", number + 1)))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (answer, status) = answer(&line, number + 1, &oracle);
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

fn answer(line: &[u8], number: usize, oracle: &Oracle) -> (Value, Status) {
    let asked: Asked = match serde_json::from_slice(line) {
        Ok(asked) => asked,
        Err(error) => {
            let message = format!("line {number} is not {{\"id\": …, \"rows\": \"…\"}}: {error}");
            return (
                json!({"id": null, "error": {"message": message}}),
                Status::BadInput,
            );
        }
    };
    let set = match parse(&asked.rows) {
        Ok(located) => located.set,
        Err(error) => return (json!({"id": asked.id, "error": error}), Status::BadInput),
    };
    let verdicts = parties::verdicts(&set, oracle);
    let agreement = verdicts.agreement();
    let forced = match oracle.forced(&set) {
        Ok(Some(forced)) => json!(forced.map()),
        Ok(None) | Err(_) => json!({}),
    };
    let answer = json!({
        "id": asked.id,
        "spec": verdicts.spec,
        "solver": verdicts.solver,
        "complete": verdicts.complete,
        "oracle": verdicts.oracle,
        "forced": forced,
        "agree": agreement.consistent(),
    });
    (answer, check::status(agreement))
}

/// A disagreement outweighs everything, then bad input, then an answer that is not known.
fn worse(a: Status, b: Status) -> Status {
    let weight = |status| match status {
        Status::Good => 0,
        Status::Unknown => 1,
        Status::BadInput => 2,
        Status::Refused => 3,
    };
    if weight(b) > weight(a) { b } else { a }
}
