//! Bad input, kind by kind: each has its message, and its place, as a snapshot in `tests/bad_input`, and nothing
//! panics. `INSTA_UPDATE=always cargo test` rewrites the snapshots.
//!
//! | bad input | tests |
//! |---|---|
//! | any byte string | `bytes_that_are_no_text`; random ones in `any_text.rs` |
//! | nesting of a hundred thousand | `each_construct_a_hundred_thousand_deep` |
//! | duplicate and unknown names | `names_defined_twice`, `unknown_names`; `ui/defined_twice`, `ui/names` |
//! | recursion | `recursion` |
//! | instances of instances | `instances_of_instances` |
//! | a loop of 10^9 turns | `a_loop_of_a_billion_turns` |
//! | repeated and missing labels | `labels_of_specs`; `ui/specs` |
//! | an ellipsis on one side only | `an_ellipsis_on_one_side` |
//! | data files that do not fit | `files_that_do_not_fit`; `loading.rs` |
//! | missing values, numbers that are not finite | `values_of_files`; `loading.rs` |
//! | an index outside its range | `an_index_outside_its_range`; those that inference finds in `lozenge/tests` |

use std::path::Path;

use lozenge_lang::{Diagnostic, load, parse, parse_in};
use lozenge_vocabulary::program::{ReadingLimits, Surroundings};

/// Compares a text with its snapshot.
fn snapshot(name: &str, shown: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../bad_input");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

/// Returns the messages about each of these programs, one behind the other.
fn said(programs: &[&str]) -> String {
    said_within(ReadingLimits::default(), programs)
}

/// Returns the messages with these limits.
fn said_within(limits: ReadingLimits, programs: &[&str]) -> String {
    let surroundings = Surroundings {
        limits,
        ..Surroundings::default()
    };
    let one = |source: &&str| match parse_in(source, &surroundings) {
        Ok(_) => format!("{source}\n\naccepted"),
        Err(errors) => shown(source, &errors),
    };
    programs
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join("\n\n----\n\n")
}

fn shown(source: &str, errors: &[Diagnostic]) -> String {
    let all = errors
        .iter()
        .map(|error| error.render(source, "program.loz", false));
    all.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn bytes_that_are_no_text() {
    let programs = [
        "let a = \u{0}",
        "\u{feff}let a = b",
        "let \u{3b1} = 1",
        "let a = 1\u{a0}+ 2",
        "let a = \"1",
        "\"\"\"",
        "\t\u{7f}\u{202e}",
        "let a = \u{1f980}",
    ];
    snapshot("bytes_that_are_no_text", &said(&programs));
}

#[test]
fn names_defined_twice() {
    let programs = [
        "data x : 3 = range(3)\nlet x = 1\nparam x\nconst x = 1",
        "size n = 2\nsize n = 3",
        "data x : n:2|->n:3 = range(6)",
        "def f(a, a): a\ndef f(b): b",
        "param x\nlet x, y = [x, x]",
        "param x\ndef f(a): a, a\nlet p, p = f(x)",
        "op o(a, a) \".\":\n  v =: a",
        "param x\nfor i in 0..2 carry x, x:\n  let x = x",
        "size n = 2\nparam x : n\nlet y = sum(x, \"n => \" [n])",
    ];
    snapshot("names_defined_twice", &said(&programs));
}

#[test]
fn unknown_names() {
    let programs = [
        "let y = fooo(x)",
        "param weight\nlet y = wieght + 1",
        "backward loss",
        "print q\nsave q to \"q.csv\"",
        "for i in 0..2 carry u:\n  let u = u",
        "data x : 2|->3 = range(6)\ntrain 2 epochs by 2 of n:\n  print x",
        "use \"nothing.loz\"",
        "y =+ 3",
        "param x\nlet y = x.f",
        "param w : ...->h = 1\nlet n = dense(k)(w)",
        "param x\nlet y = mean(x, over = all)\nlet z = mean(x, axis = 1)",
    ];
    snapshot("unknown_names", &said(&programs));
}

#[test]
fn recursion() {
    let programs = [
        "def f(x): f(x)\nparam a\nlet y = f(a)",
        "def f(x): g(x)\ndef g(x): f(x)\nparam a\nlet y = f(a)",
        "def f(h)(x): h(h)(x)\nparam a\nlet y = f(f)(a)",
        "def f()(x):\n  param w\n  f()(w * x)\nparam a\nlet y = f()(a)",
        "let y = y + 1",
        "size n = n + 1",
    ];
    snapshot("recursion", &said(&programs));
}

#[test]
fn instances_of_instances() {
    let deep = format!(
        "data x : 2|->3 = range(6)\ndef r(f)(x): x + f(x)\nlet y = {}dense(3){}(x)",
        "r(".repeat(100),
        ")".repeat(100)
    );
    let programs = [
        "data x : 2|->3 = range(6)\ndef r(f)(x): x + f(x)\nlet y = r(r(dense(3)))(x)",
        "data x : 2|->3 = range(6)\nlet a = dense(4)(x)(x)",
        "data x : 2|->3 = range(6)\nlet a = dense(4)(3)(x)",
        "data x : 2|->3 = range(6)\nlet a = dense(dense(4))(x)",
        "let a = dense(4)\nlet b = a + 1",
        "data x : 2|->3 = range(6)\nlet a = dense(4)\nlet b = a.w\nlet c = a(x)",
        &deep,
    ];
    snapshot("instances_of_instances", &said(&programs));
}

#[test]
fn a_loop_of_a_billion_turns() {
    let told = said(&["param x\nlet l = [x for i in 0..1000000000]"]);
    snapshot("a_list_of_a_billion_elements", &told);
    let programs = [
        "param x\nfor i in 0..1000000000:\n  let y = x",
        "param x\nfor i in 0..100000:\n  for j in 0..100000:\n    let y = x",
        "for i in 0..1000000000000000000000: print i",
        "for i in 0..2.5: print i",
        "let n = 1 / 0\nfor i in 0..n: print i",
    ];
    // Smaller limits, which are reached sooner.
    let limits = ReadingLimits {
        parts: 200_000,
        ..ReadingLimits::default()
    };
    snapshot("a_loop_of_a_billion_turns", &said_within(limits, &programs));
}

#[test]
fn labels_of_specs() {
    let spec = |spec: &str| format!("param x\nlet y = sum(x, \"{spec}\")");
    let programs: Vec<String> = [
        "n, n|->i => i",
        "n, m|->i => i, i",
        "n, m|->i => k",
        "n, |->i => i",
        "n m|->i => i",
        "n, m|->i",
        "n|->i => i => i",
        "",
        "n|->i:2; i:3 => n",
        "n|->i, 0 => 1",
        "n|->i;; => n",
    ]
    .map(spec)
    .to_vec();
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    snapshot("labels_of_specs", &said(&programs));
}

#[test]
fn an_ellipsis_on_one_side() {
    let call =
        |(function, spec): (&str, &str)| format!("param x\nlet y = {function}(x, \"{spec}\")");
    let programs: Vec<String> = [
        ("sum", "n|->i => ..., i"),
        ("sum", "... -> i => ...|-> i"),
        ("sum", "n|->..a.. => n|->..b.."),
        ("sum", "..., n, ...|->i => i"),
        ("map", "..., m|->i => m|->i"),
        ("map", "n|->..a.., i => n|->i"),
    ]
    .map(call)
    .to_vec();
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    snapshot("an_ellipsis_on_one_side", &said(&programs));
}

#[test]
fn an_index_outside_its_range() {
    let programs = [
        "let l = [1, 2]\nprint l[2]",
        "let l = [1, 2]\nprint l[-1]",
        "let l = [1, 2]\nprint l[0.5]",
        "let l = []\nprint l[0]",
        "data x : 2|->3 = range(6)\ny =: x \"n|->i => n, 3:2|->i\"",
        "data x : 2|->3 = range(6)\nprint x @| -1",
        "data x : 2|->3 = range(6)\nprint x @| 0.5",
        "data x : 2|->3 = range(6)\nprint x @| x",
        "data x : 2|->3 = range(6)\ndata k = [1]\nprint x @| 99999999999999999999999",
    ];
    snapshot("an_index_outside_its_range", &said(&programs));
}

/// Returns the messages when these lines read a file `x.csv` with this content.
fn read(content: &[u8], line: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("x.csv"), content).expect("a file");
    let without = |text: String| text.replace(&*folder.path().to_string_lossy(), "…");
    let surroundings = Surroundings {
        folder: Some(folder.path().to_path_buf()),
        ..Surroundings::default()
    };
    let said = match parse_in(line, &surroundings) {
        Err(errors) => shown(line, &errors),
        Ok(program) => match load(&program, folder.path()) {
            Err(error) => format!("{error}\n  = help: {}", error.help),
            Ok(loaded) => {
                let mut all: Vec<_> = loaded.into_iter().collect();
                all.sort_by_key(|(id, _)| id.0);
                format!("{line}\n\n{:?}", all[0].1)
            }
        },
    };
    without(said)
}

fn all_read(cases: &[(&[u8], &str)]) -> String {
    let all = cases.iter().map(|(content, line)| read(content, line));
    all.collect::<Vec<_>>().join("\n\n----\n\n")
}

const OPEN: &str = "data x : n|->c from \"x.csv\"";

#[test]
fn files_that_do_not_fit() {
    let table: &[u8] = b"1,2,3\n4,5,6\n7,8,9\n";
    let cases: [(&[u8], &str); 11] = [
        (b"", OPEN),
        (b"\n\n", OPEN),
        (b"1,2\n3\n", OPEN),
        (b"\xff\xfe,2\n", OPEN),
        (b"1;2\n3;4\n", OPEN),
        (table, "data x : 3|->4 from \"x.csv\""),
        (table, "data x : 2|->3 from \"x.csv\""),
        (table, "data x : n|->3 from \"x.csv\" rows 1..9"),
        (table, "data x : n|->3 from \"x.csv\" rows 5.."),
        (table, "data x : n|->2 from \"x.csv\" columns 2..4"),
        (
            table,
            "data x : n|->3 from \"x.csv\"\ndata t : n| from \"x.csv\" column 0 rows 0..2",
        ),
    ];
    snapshot("files_that_do_not_fit", &all_read(&cases));
    assert!(!Path::new("x.csv").exists());
}

#[test]
fn values_of_files() {
    let cases: [(&[u8], &str); 7] = [
        (b"1,\n3,4\n", OPEN),
        (b"1,NA\n3,4\n", OPEN),
        (b"1,2\n3,?\n", OPEN),
        (b"a,b\n3,4\n", OPEN),
        (b"1,1e999\n", OPEN),
        (b"1,2x\n", OPEN),
        (b"1,nan\ninf,-inf\n", OPEN),
    ];
    snapshot("values_of_files", &all_read(&cases));
}

/// A million of each construct that stands in itself. The answer is the first error, or that the program is accepted;
/// the message says where.
#[test]
fn each_construct_a_hundred_thousand_deep() {
    const N: usize = 100_000;
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(N), close.repeat(N))
    };
    let cases = [
        ("( )", format!("let c = {}", around("(", "1", ")"))),
        ("[ ]", format!("let c = {}", around("[", "1", "]"))),
        ("(", format!("let c = {}", "(".repeat(N))),
        ("[", format!("let c = {}", "[".repeat(N))),
        ("{", format!("let c = {}", "{".repeat(N))),
        ("<", format!("data x : {}", "<".repeat(N))),
        (")", format!("let c = 1{}", ")".repeat(N))),
        ("]", format!("let c = 1{}", "]".repeat(N))),
        ("quotes", "\"".repeat(N)),
        ("[0]", format!("let c = [1]{}", "[0]".repeat(N))),
        ("calls", format!("param a\nlet c = a{}", "(a)".repeat(N))),
        ("points", format!("param a\nlet c = a{}", ".b".repeat(N))),
        ("-", format!("let c = {}1", "-".repeat(N))),
        ("**", format!("let c = 1{}", " ** 1".repeat(N))),
        ("<", format!("let c = 1{}", " < 1".repeat(N))),
        ("if", format!("let c = {}1", "1 if 1 else ".repeat(N))),
        (
            "(if)",
            format!("let c = {}", around("(", "1", " if 1 else 2)")),
        ),
        (
            "lists by loops",
            format!("let c = {}", around("[1 for i in ", "0..1", "]")),
        ),
        ("for", format!("{}print 1", "for i in 0..1: ".repeat(N))),
        ("def", format!("{}x", "def f(x): ".repeat(N))),
        ("each epoch", "each epoch: ".repeat(N)),
        ("train", format!("{}print 1", "train 1 steps: ".repeat(N))),
        (
            "products in specs",
            format!("param a\nc =:+ a \"{} => \"", around("(", "i", ")")),
        ),
        (
            "windows in specs",
            format!("param a\nc =:+ a \"{} => \"", around("pad(", "i", ")")),
        ),
        (
            "parts in specs",
            format!("param a\nc =:+ a \"i{} => \"", "^i".repeat(N)),
        ),
        ("data", format!("data x = {}", "[".repeat(N))),
        ("shapes", format!("data x : {}", "(".repeat(N))),
    ];
    let lines = cases.iter().map(|(what, source)| match parse(source) {
        Ok(_) => format!("{what}: accepted"),
        Err(errors) => {
            let (line, column) = errors[0].place(source);
            format!("{what}: {line}:{column}: {}", errors[0].message)
        }
    });
    snapshot(
        "each_construct_a_hundred_thousand_deep",
        &lines.collect::<Vec<_>>().join("\n"),
    );
}
