//! `lozenge oracle`: questions to Z3, about constraint sets and about programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge_oracle::{Completion, Forced, Interrupt, Oracle, Program, Question, Second, Statement};
use lozenge_vocabulary::program::Constraints;
use lozenge_vocabulary::{Ground, Row, Var, Verdict};

use crate::args;
use crate::files::input;
use crate::json::{cited_in, oracle};
use crate::loaded::Loaded;
use crate::report::{Problem, Report};

/// Makes Z3 within the limits of the command. Ctrl-C ends the current question; what is known is printed.
pub fn asked(args: &args::Oracle) -> Oracle {
    let interrupt = Interrupt::of_this_thread();
    let trip = interrupt.clone();
    // Without a handler Ctrl-C just ends the program at once.
    let _ = ctrlc::set_handler(move || trip.trip());
    let mut oracle = Oracle::new(args.reading.order.into()).with_limits(args.limits.into());
    oracle.interrupt = Some(interrupt);
    oracle
}

/// Asks about a constraint set.
pub fn of_set(oracle: &Oracle, args: &args::Oracle) -> Result<Report, Problem> {
    let (source, located) = input::constraints(&args.file)?;
    let words = if args.ask.is_empty() {
        vec!["sat".to_string()]
    } else {
        args.ask.clone()
    };
    let questions = words
        .iter()
        .map(|word| {
            word.parse()
                .map_err(|error| Problem::new(format!("--ask: {error}")))
        })
        .collect::<Result<Vec<Question>, Problem>>()?;
    let line = |constraint: usize| cited_in(&source, &located, constraint - 1).line;
    let answers: Vec<lozenge_oracle::OracleReport> = questions
        .iter()
        .map(|question| oracle.ask(&located.set, question).placed(line))
        .collect();
    let mut text = String::new();
    for (word, answer) in words.iter().zip(&answers) {
        if answers.len() > 1 {
            let _ = writeln!(text, "{word}:");
        }
        let _ = write!(text, "{answer}");
    }
    // The status of several questions is that of the first.
    let verdict = answers[0].verdict;
    Ok(Report::judged(
        verdict,
        text,
        oracle::Oracle::of_set(answers),
    ))
}

/// Asks everything about a program that can be asked.
pub fn of_program(oracle: &Oracle, loaded: &Loaded) -> Report {
    let constraints = loaded.constraints();
    let statements = statements(loaded, &constraints);
    let seen: Vec<Var> = constraints
        .set
        .vars()
        .into_iter()
        .filter(|var| {
            loaded
                .tensor_row(var)
                .is_some_and(|purpose| !purpose.contains('\''))
        })
        .collect();
    let program = Program {
        set: &constraints.set,
        statements: &statements,
        seen: &seen,
    };
    match oracle.complete(&program) {
        Completion::Possible {
            first,
            forced,
            second,
        } => {
            let second_text = match &second {
                Second::None => "the shapes cannot be completed in any other way\n".to_string(),
                Second::Unknown { unknown } => {
                    format!("whether there is another completion: unknown, {unknown}\n")
                }
                Second::Some(other) => side_by_side(&first, other, &seen),
            };
            let forced = forced_rows(&forced, &seen);
            let mut text = String::from("sat: the shapes can be completed\n");
            text.push_str(match forced.is_empty() {
                true => "forced: nothing\n",
                false => "forced:\n",
            });
            for (var, value) in &forced {
                let _ = writeln!(text, "  {var} ~ {value}");
            }
            text.push_str(&second_text);
            let body = oracle::Oracle::Completed {
                first,
                forced,
                second,
            };
            Report::judged(Verdict::Sat, text, body)
        }
        Completion::Refused {
            statements: core,
            doubt,
        } => {
            let mut text = String::from("unsat: these statements exclude each other\n");
            let labels = core.iter().map(|at| statements[*at].label.as_str());
            for label in labels.clone() {
                let _ = writeln!(text, "  {label}");
            }
            if let Some(doubt) = &doubt {
                let _ = writeln!(text, "fewer may do: {doubt}");
            }
            let core = labels.map(str::to_string).collect();
            let body = oracle::Oracle::Excluded { core, doubt };
            Report::judged(Verdict::Unsat, text, body)
        }
        Completion::Unknown(reason) => {
            let text = format!("unknown: {reason}\n");
            Report::judged(
                Verdict::Unknown,
                text,
                oracle::Oracle::Undecided(reason.into()),
            )
        }
    }
}

/// Returns the forced contents, or at least ranks, of the rows that a program's author sees.
fn forced_rows(forced: &Forced, seen: &[Var]) -> BTreeMap<String, String> {
    let value = |var: &Var| match var {
        Var::Dim(var) => forced.dims.get(var).map(ToString::to_string),
        Var::Row(var) => match (forced.contents.get(var), forced.ranks.get(var)) {
            (Some(content), _) => Some(Row::new(Vec::new(), content.clone()).to_string()),
            (None, Some(rank)) => Some(format!("a row of rank {rank}")),
            (None, None) => None,
        },
    };
    seen.iter()
        .filter_map(|var| Some((var.to_string(), value(var)?)))
        .collect()
}

/// Returns the statements of a program, one for each line that states constraints.
fn statements(loaded: &Loaded, constraints: &Constraints) -> Vec<Statement> {
    let mut by_line: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, origin) in constraints.origins.iter().enumerate() {
        let (line, _) = loaded.place(&loaded.program.steps[origin.step].span);
        by_line.entry(line).or_default().push(index);
    }
    let lines = (1..).zip(loaded.source.text.lines());
    lines
        .filter_map(|(line, text)| {
            Some(Statement {
                label: format!("line {line}: {}", text.trim()),
                constraints: by_line.remove(&line)?,
            })
        })
        .collect()
}

/// Returns two completions in columns, with a mark where they differ.
fn side_by_side(first: &Ground, second: &Ground, seen: &[Var]) -> String {
    let value = |ground: &Ground, var: &Var| match var {
        Var::Dim(var) => ground.dims.get(var).map(ToString::to_string),
        Var::Row(var) => ground.rows.get(var).map(ToString::to_string),
    };
    let rows: Vec<[String; 3]> = seen
        .iter()
        .map(|var| {
            [
                var.to_string(),
                value(first, var).unwrap_or_default(),
                value(second, var).unwrap_or_default(),
            ]
        })
        .collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let (names, firsts) = (width(0), width(1));
    let mut text = String::from("two completions, side by side (* where they differ)\n");
    for [name, one, other] in &rows {
        let mark = if one == other { ' ' } else { '*' };
        let _ = writeln!(text, "{mark} {name:names$}  {one:firsts$}  {other}");
    }
    text
}
