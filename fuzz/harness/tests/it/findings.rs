//! The findings about windows, concatenations, products and zero (W1 to W24): what the source says, or what the system
//! does of which it tells, and why it is wrong. Each finding that has an input has a file among the regressions, whose
//! first line names it. A line below says what is right: `expected:` of a set, `refused:` of a program, and of other
//! programs `assert`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lozenge::vocabulary::program::{Request, Wish};
use lozenge_fuzz::subject::notation::read;
use lozenge_fuzz::subject::party::{Parties, Party};
use lozenge_fuzz::subjects::sets::{COMPLETE, Question, RULES, SOLVER, SetAnswer, Sets, Z3};
use lozenge_vocabulary::Verdict;

/// The findings that have an input. Of the others W1 and W2 are about margins and W9 and W12 about statements, which
/// are claims (`docs/generated/errata.md`); W13 is a row of `docs/windows.md`; W20 and W21 are about texts.
const WITH_AN_INPUT: [u8; 17] = [3, 4, 5, 6, 7, 8, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 24];

/// A regression that belongs to some findings.
struct Kept {
    path: PathBuf,
    findings: Vec<u8>,
    text: String,
}

/// Returns the numbers after `W` in the first line, before its colon.
fn findings(text: &str) -> Vec<u8> {
    let first = text.lines().next().unwrap_or_default();
    let Some((names, _)) = first.trim_start_matches("# ").split_once(':') else {
        return Vec::new();
    };
    let number = |name: &str| name.trim().strip_prefix('W')?.parse().ok();
    names.split(',').filter_map(number).collect()
}

fn kept() -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let paths = ["arith_verdicts", "program", "surface_parser"]
        .into_iter()
        .flat_map(|target| {
            let files = std::fs::read_dir(folder.join(target)).expect("the folder of a target");
            files.map(|file| file.expect("a file").path())
        });
    let paths: BTreeSet<PathBuf> = paths.collect();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        let findings = findings(&text);
        Kept {
            path,
            findings,
            text,
        }
    };
    let kept = paths.into_iter().map(read);
    kept.filter(|kept| !kept.findings.is_empty()).collect()
}

impl Kept {
    /// Finds the rest of a comment that begins with a word.
    fn said(&self, word: &str) -> Option<&str> {
        let mut lines = self.text.lines();
        lines.find_map(|line| line.strip_prefix("# ")?.strip_prefix(word))
    }
}

#[test]
fn every_finding_that_has_an_input_has_a_file() {
    let found: BTreeSet<u8> = kept().into_iter().flat_map(|kept| kept.findings).collect();
    assert_eq!(found.into_iter().collect::<Vec<u8>>(), WITH_AN_INPUT);
}

#[test]
fn the_answers_to_the_findings_are_the_right_ones() {
    let mut parties = Parties::default();
    for kept in kept() {
        let program = kept.path.extension().is_some_and(|end| end != "rows");
        let wrong = match (program, kept.said("expected: "), kept.said("refused: ")) {
            (false, Some(expected), None) => of_set(&kept.text, expected, &mut parties),
            (true, None, Some(words)) => refused(&kept.text, words),
            (true, None, None) => asserts(&kept.text),
            _ => Err("the file does not say what is right, or says it twice".into()),
        };
        wrong.unwrap_or_else(|wrong| panic!("{}: {wrong}", kept.path.display()));
    }
}

/// Asks all parties: `unsat`, `sat`, values that closing finds, or `not closed` where there are solutions and closing
/// refuses to choose one.
fn of_set(text: &str, expected: &str, parties: &mut Parties) -> Result<(), String> {
    let set = read::<Sets>(text)?;
    let mut ask = |party: &Party<Sets>, question| -> Result<SetAnswer, String> {
        let answer = parties.ask(party, question, &set);
        answer.ok_or_else(|| format!("{} is silent", party.name))
    };
    let (verdict, closes) = match expected {
        "unsat" => (Verdict::Unsat, Some(Verdict::Unsat)),
        "sat" => (Verdict::Sat, None),
        "not closed" => (Verdict::Sat, Some(Verdict::Rejected)),
        _ => (Verdict::Sat, Some(Verdict::Sat)),
    };
    let decided = [
        (RULES, Question::Solve),
        (SOLVER, Question::Solve),
        (COMPLETE, Question::Decide),
        (Z3, Question::Decide),
    ];
    for (party, question) in decided {
        let answer = ask(&party, question)?;
        if answer.verdict != verdict {
            return Err(format!("{} says {:?}", party.name, answer.verdict));
        }
    }
    let Some(closes) = closes else {
        return Ok(());
    };
    for party in [RULES, SOLVER] {
        let answer = ask(&party, Question::Close)?;
        if answer.verdict != closes {
            return Err(format!("{} closes: {:?}", party.name, answer.verdict));
        }
        let ground = answer.ground.unwrap_or_default();
        let dims = ground.dims.iter();
        let dims: BTreeMap<String, String> = dims
            .map(|(var, dim)| (var.to_string(), dim.to_string()))
            .collect();
        for value in expected.split(", ").filter_map(|one| one.split_once(" = ")) {
            if dims.get(value.0).map(String::as_str) != Some(value.1) {
                return Err(format!("{} closes to {dims:?}", party.name));
            }
        }
    }
    Ok(())
}

fn reading(text: &str) -> Result<lozenge::Reading, String> {
    lozenge::read(text, &lozenge::Options::default()).map_err(|errors| {
        let errors = errors.iter();
        let shown = errors.map(|error| error.render(text, "program.loz", false));
        shown.collect()
    })
}

fn refused(text: &str, words: &str) -> Result<(), String> {
    match reading(text) {
        Err(message) if message.contains(words) => Ok(()),
        Err(message) => Err(message),
        Ok(_) => Err("it is accepted".into()),
    }
}

/// Counts the assertions that hold.
struct Asserted(usize);

impl lozenge::Watch for Asserted {
    fn request(
        &mut self,
        request: &Request,
        tensor: &lozenge::backend::Tensor,
    ) -> Result<(), lozenge::Stopped> {
        let holds = tensor.values().iter().all(|value| *value != 0.0);
        self.0 += usize::from(request.what == Wish::Assert && holds);
        Ok(())
    }
}

/// Runs a program: all its assertions hold.
fn asserts(text: &str) -> Result<(), String> {
    let reading = reading(text)?;
    let (program, inference) = (&reading.program, &reading.inference);
    let data = lozenge::load(program, Path::new("")).map_err(|error| error.to_string())?;
    let mut asserted = Asserted(0);
    lozenge::run_with(
        program,
        &inference.shapes,
        &inference.nests,
        &data,
        &mut lozenge::backend::Interpreter::new(Default::default()),
        &lozenge::Settings::default(),
        &mut asserted,
    )
    .map_err(|error| error.to_string())?;
    let stated = text
        .lines()
        .filter(|line| line.starts_with("assert "))
        .count();
    match stated > 0 && asserted.0 == stated {
        true => Ok(()),
        false => Err(format!("{} of {stated} assertions hold", asserted.0)),
    }
}
