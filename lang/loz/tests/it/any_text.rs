//! No text makes the reader panic or overflow its stack.

use lozenge_lang::parse;
use proptest::prelude::*;

/// Reads a text, renders every error, states every constraint.
fn exercise(source: &str) {
    match parse(source) {
        Ok(program) => {
            let constraints = program.constraints().unwrap();
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
                // A tab or a control character is displayed as another character, but still takes one column.
                assert!(shown.contains(&place), "{place} is not in\n{shown}");
            }
        }
    }
}

/// Pieces of texts that are nearly programs.
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
    "def ",
    "def f(a)(b):",
    "for i in 0..3",
    " carry ",
    ":\n  ",
    "\n  ",
    "\n    ",
    "op ",
    "v =: ",
    "g1 =+ ",
    "backward ",
    "print ",
    "assert ",
    "save ",
    "state ",
    " if ",
    " else ",
    "@|",
    ".grad",
    ".",
    "f(",
    "dense(3)(",
    "sum(",
    "where(",
    "stack([",
    "count(",
    "params(",
    "\"n|->c => n|\"",
    "\"i => \" [",
];

/// A program with many forms, in which places are changed.
const PROGRAM: &str = "size h = 4\ndata x : n:3|->c:4 = range(12)\ndef f(k, s = 1)(a):\n  param w : ...->k = normal() / sqrt(fan_in(w))\n  w * a *. s\n\
def both(a, b): a + b, a - b\nop mul(v1, v2) \"@\":\n  v =:+ v1 * v2\n  g1 =+ g * v2\n  g2 =+ v1 * g\nlet net = f(h)\nlet y = net(x)\n\
for i in 0..3 carry y:\n  let y = f(h)(y) + i\nlet p, q = both(x, y)\nlet s = sum(p * q, \"n|->c2; n|->c2 => n|\" [c2])\nlet l = [x @| i for i in 0..2]\n\
let t = stack(l) if h > 2 else l[0]\nlet loss = mse(y, x) + mean(softmax(q))\nbackward loss\nfor w in params(loss):\n  adam(0.1)(w, w.grad)\nprint loss\n\
assert loss\nlet m = where(x > 1, x, max(x, \"n|->c => n|\"))\nlet g = mul(net.w, x)\n";

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
    fn a_program_that_is_changed_in_places_is_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), proptest::sample::select(PIECES)), 1..4)
    ) {
        let mut words: Vec<&str> = PROGRAM.split_inclusive([' ', '\n', '(', ')', ',', '.']).collect();
        for (at, from, piece) in &changes {
            let at = at.index(words.len());
            match piece.len() % 3 {
                0 => words.insert(at, piece),
                1 => drop(words.remove(at)),
                _ => words[at] = words[from.index(words.len())],
            }
        }
        exercise(&words.concat());
    }

    #[test]
    fn any_spec_is_read_or_refused(
        pieces in proptest::collection::vec(
            proptest::sample::select(&["i", "j", ",", ";", "|", "->", "=>", "...", "..", "0", ":2", " "][..]), 0..16)
    ) {
        exercise(&format!("param a\nparam b\nc =:+ a * b \"{}\"", pieces.concat()));
    }
}

#[test]
fn the_program_that_is_changed_is_one() {
    parse(PROGRAM).unwrap_or_else(|errors| panic!("{}", errors[0].render(PROGRAM, "p.loz", false)));
}

/// Long and deep texts take memory, not stack; the work that a few lines can request is bounded.
#[test]
fn deep_and_long_forms_end() {
    const N: usize = 1_000_000;
    counts(
        "a million brackets",
        &format!("let c = {}", "[".repeat(N)),
        Err(1),
    );
    counts(
        "a million calls",
        &format!("param f\nlet c = f{}", "(".repeat(N)),
        Err(1),
    );
    let choices = format!("param a\nlet c = {}a", "a if 1 else ".repeat(100_000));
    counts("many choices", &choices, Ok(3));
    let points = format!("param a\nlet c = a{}", ".b".repeat(100_000));
    assert!(parse(&points).is_err());
    let deep: String = (0..1000)
        .map(|depth| format!("{}for i{depth} in 0..1:\n", " ".repeat(depth)))
        .collect();
    assert!(parse(&deep).is_err());
    let chain: String = (1..2000)
        .map(|i| format!("def f{i}(x): f{}(x)\n", i - 1))
        .collect();
    assert!(parse(&format!("def f0(x): x\n{chain}param a\nlet y = f1999(a)")).is_err());
    assert!(parse("let xs = [i for i in 0..1000000000000]").is_err());
}

/// The generators also produce accepted programs, not only refused ones.
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

/// Asserts the number of constraints of a program, or of its errors.
#[track_caller]
fn counts(what: &str, source: &str, expected: Result<usize, usize>) {
    let found = parse(source)
        .map(|program| program.constraints().unwrap().set.constraints.len())
        .map_err(|errors| errors.len());
    assert_eq!(found, expected, "{what}");
}

/// 30,000 of everything.
#[test]
fn large_programs_are_read() {
    const N: usize = 30_000;
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

/// Lists stand in each other as deep as a program likes: neither to read them nor to let them go takes stack.
#[test]
fn lists_in_lists() {
    let deep = 1_000_000;
    let written = format!("let y = {}1{}\n", "[".repeat(deep), "]".repeat(deep));
    assert!(lozenge_lang::parse(&written).is_ok());
    let carried = "let y = [1]\nfor i in 0..300000 carry y:\n  let y = [y]\nlet z = y[0][0]\n";
    assert!(lozenge_lang::parse(carried).is_ok());
}
