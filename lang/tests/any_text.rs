//! No text makes the reader panic or overflow its stack.

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
    "size ",
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
    "**",
    ">=",
    "<>",
    "a : ",
    ":3",
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
            proptest::sample::select(&["i", "j", ",", ";", "|", "->", "=>", "...", "..", "0", ":2", " "][..]), 0..16)
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

/// The number of constraints of a program, or of its errors.
#[track_caller]
fn counts(what: &str, source: &str, expected: Result<usize, usize>) {
    let found = parse(source)
        .map(|program| program.constraints().set.constraints.len())
        .map_err(|errors| errors.len());
    assert_eq!(found, expected, "{what}");
}

/// 100,000 of everything.
#[test]
fn large_programs_are_read() {
    const N: usize = 100_000;
    let a = "param a\n";
    let sum = format!("{a}let c = a{}", " + a".repeat(N));
    counts("a long sum", &sum, Ok(6 * N));
    let open = format!("{a}let c = {}a{}", "(".repeat(N), ")".repeat(N));
    counts("deep parentheses", &open, Ok(3));
    counts(
        "open parentheses",
        &format!("{a}let c = {}", "(".repeat(N)),
        Err(1),
    );
    let calls = format!("{a}let c = {}a{}", "exp(".repeat(N), ")".repeat(N));
    counts("deep calls", &calls, Ok(3 * N));
    counts(
        "many signs",
        &format!("{a}let c = {}a", "- ".repeat(N)),
        Ok(3 * N),
    );
    let right: String = format!("{a}let c = {}a{}", "a - (".repeat(N), ")".repeat(N));
    counts("a deep right side", &right, Ok(6 * N));
    let lines: String = (0..N).map(|i| format!("let c{i} = a\n")).collect();
    counts("many lines", &format!("{a}{lines}"), Ok(3 * N));
    let unknown: String = (0..N).map(|i| format!("let d{i} = unknown{i}\n")).collect();
    counts("many unknown names", &unknown, Err(51));
    let list = format!("data a = [{}1]", "1,".repeat(N));
    counts("a long list", &list, Ok(0));
    let labels: Vec<_> = (0..N).map(|i| format!("i{i}")).collect();
    let labels = labels.join(",");
    counts(
        "a long spec",
        &format!("{a}c =:+ a \"{labels} => {labels}\""),
        Ok(6),
    );
    let operands = format!("{a}c =:+ a \"{} => \"", ";".repeat(N));
    counts("many operands", &operands, Err(1));
    counts(
        "one long word",
        &format!("let c = {}", "x".repeat(N)),
        Err(1),
    );
}
