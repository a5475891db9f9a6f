//! No text makes the reader panic, overflow its stack, or take more than linear time.

use std::time::{Duration, Instant};

use lozenge_lang::parse;
use proptest::prelude::*;

/// Reads a text, renders every error, states every constraint.
fn exercise(source: &str) {
    match parse(source) {
        Ok(program) => {
            let constraints = program.constraints();
            assert_eq!(constraints.set.constraints.len(), constraints.origins.len());
            for origin in constraints.origins {
                assert!(source.get(origin.span).is_some());
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(source.get(error.span()).is_some());
                assert!(error.help.is_some(), "no mend: {error}");
                let (line, column) = error.place(source);
                let place = format!("p.loz:{line}:{column}");
                let shown = error.render(source, "p.loz", false);
                // A tab or a control character is shown as something else, but it is one column all the same.
                assert!(shown.contains(&place), "{place} is not in\n{shown}");
            }
        }
    }
}

/// Pieces that make a text that is nearly a program.
const PIECES: &[&str] = &[
    "data ",
    "param ",
    "const ",
    "let ",
    "a",
    "b",
    "c",
    "relu",
    "max",
    " = ",
    " =: ",
    " =:+ ",
    " =- ",
    "=:max ",
    "+",
    "-",
    "*",
    "*.",
    "/",
    "==",
    "<",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "|",
    "->",
    "=>",
    "...",
    "..",
    ":",
    "\"",
    "0",
    "1",
    "3_rgb",
    "64",
    "1e9",
    " from ",
    " columns ",
    "range(",
    "\n",
    "\n",
    " ",
    "#",
    "'",
    "é",
    "^",
    "i",
    "j",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_or_refused(source in any::<String>()) {
        exercise(&source);
    }

    #[test]
    fn anything_like_a_program_is_read_or_refused(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)
    ) {
        exercise(&pieces.concat());
    }

    #[test]
    fn any_spec_is_read_or_refused(
        pieces in proptest::collection::vec(
            proptest::sample::select(&["i", "j", ",", ";", "|", "->", "=>", "...", "..", "0", " "][..]), 0..16)
    ) {
        exercise(&format!("param a\nparam b\nc =:+ a * b \"{}\"", pieces.concat()));
    }
}

/// The generators reach programs that are read, not only refusals.
#[test]
fn some_generated_specs_are_read() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let pieces = proptest::collection::vec(
        proptest::sample::select(&["i", "j", ",", "...", "|"][..]),
        0..4,
    );
    let mut runner = TestRunner::deterministic();
    let read = (0..1000)
        .filter(|_| {
            let spec = pieces
                .new_tree(&mut runner)
                .expect("a value")
                .current()
                .concat();
            parse(&format!("param a\nc =:+ a \"{spec} => \"")).is_ok()
        })
        .count();
    assert!((100..1000).contains(&read), "{read} of 1000");
}

fn in_time(what: &str, source: &str, expected: Result<usize, usize>) {
    let start = Instant::now();
    let found = parse(source)
        .map(|program| program.constraints().set.constraints.len())
        .map_err(|errors| errors.len());
    assert_eq!(found, expected, "{what}");
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{what} took {took:?}");
}

/// 100,000 of everything. A reader that took quadratic time would need minutes for some of them.
#[test]
fn large_programs_take_linear_time_and_no_stack() {
    const N: usize = 100_000;
    let a = "param a\n";
    let sum = format!("{a}let c = a{}", " + a".repeat(N));
    in_time("a long sum", &sum, Ok(6 * N));
    let open = format!("{a}let c = {}a{}", "(".repeat(N), ")".repeat(N));
    in_time("deep parentheses", &open, Ok(3));
    in_time(
        "open parentheses",
        &format!("{a}let c = {}", "(".repeat(N)),
        Err(1),
    );
    let calls = format!("{a}let c = {}a{}", "exp(".repeat(N), ")".repeat(N));
    in_time("deep calls", &calls, Ok(3 * N));
    in_time(
        "many signs",
        &format!("{a}let c = {}a", "- ".repeat(N)),
        Ok(3 * N),
    );
    let right: String = format!("{a}let c = {}a{}", "a - (".repeat(N), ")".repeat(N));
    in_time("a deep right side", &right, Ok(6 * N));
    let lines: String = (0..N).map(|i| format!("let c{i} = a\n")).collect();
    in_time("many lines", &format!("{a}{lines}"), Ok(3 * N));
    let unknown: String = (0..N).map(|i| format!("let d{i} = unknown{i}\n")).collect();
    in_time("many unknown names", &unknown, Err(51));
    let list = format!("data a = [{}1]", "1,".repeat(N));
    in_time("a long list", &list, Ok(0));
    let labels: Vec<_> = (0..N).map(|i| format!("i{i}")).collect();
    let labels = labels.join(",");
    in_time(
        "a long spec",
        &format!("{a}c =:+ a \"{labels} => {labels}\""),
        Ok(6),
    );
    let operands = format!("{a}c =:+ a \"{} => \"", ";".repeat(N));
    in_time("many operands", &operands, Err(1));
    in_time(
        "one long word",
        &format!("let c = {}", "x".repeat(N)),
        Err(1),
    );
}
