//! The formatter changes the layout of a program and nothing else.

use lozenge_lang::{format, parse};
use lozenge_vocabulary::program::Program;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const PRELUDE: &str = include_str!("../../src/prelude.loz");

/// Lists every program of the examples.
fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (mut found, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "loz") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 8, "{found:?}");
    found
}

/// Returns the meaning of a program, without the places of its parts.
fn meaning(program: &Program) -> String {
    let mut out = String::new();
    for tensor in &program.tensors {
        let (name, source, shape, tag) = (&tensor.name, &tensor.source, &tensor.shape, tensor.tag);
        out += &format!("{name} {source:?} {shape:?} {tag:?}\n");
    }
    for step in &program.steps {
        let parts = (
            &step.operation,
            step.logic,
            step.word,
            step.call,
            &step.late,
            &step.record,
        );
        out += &format!("{parts:?}\n");
    }
    for request in &program.requests {
        out += &format!(
            "{} {:?} {:?}\n",
            request.after, request.tensor, request.what
        );
    }
    let losses: Vec<_> = program.losses.iter().map(|(tensor, _)| tensor).collect();
    out + &format!("{losses:?} {:?}\n", program.calls.len())
}

/// Lists the comments of a text in their order. A `#` inside quotes begins none.
fn comments(text: &str) -> Vec<&str> {
    let comment = |line: &'_ str| {
        let mut signs = line.match_indices('#').map(|(at, _)| at);
        signs.find(|at| line[..*at].matches('"').count().is_multiple_of(2))
    };
    let lines = text.lines();
    lines
        .filter_map(|line| Some(line[comment(line)? + 1..].trim_end()))
        .collect()
}

/// Tells for each line that is not blank whether blank lines stand between it and the line before.
fn groups(text: &str) -> Vec<bool> {
    let mut blank = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            blank = true;
        } else {
            found.push(blank && !found.is_empty());
            blank = false;
        }
    }
    found
}

/// Formats a program and asserts every property of the result.
fn checked(source: &str) -> String {
    let laid_out = format(source).unwrap_or_else(|errors| panic!("{source}\n{errors:?}"));
    assert_eq!(
        format(&laid_out).as_deref(),
        Ok(laid_out.as_str()),
        "again: {source:?}"
    );
    assert_eq!(comments(source), comments(&laid_out), "{source:?}");
    assert_eq!(groups(source), groups(&laid_out), "{source:?}");
    match (parse(source), parse(&laid_out)) {
        (Ok(before), Ok(after)) => assert_eq!(meaning(&before), meaning(&after), "{source}"),
        (Err(before), Err(after)) => {
            let messages = |errors: &[lozenge_lang::Diagnostic]| -> Vec<String> {
                errors.iter().map(|error| error.message.clone()).collect()
            };
            assert_eq!(messages(&before), messages(&after), "{source}");
        }
        _ => panic!("one of them is no program: {source}"),
    }
    laid_out
}

#[test]
fn the_examples_and_the_prelude_are_laid_out() {
    for path in examples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let laid_out = checked(&text);
        if std::env::var_os("LOZENGE_WRITE").is_some() {
            std::fs::write(&path, laid_out).unwrap();
        } else {
            assert_eq!(laid_out, text, "{}", path.display());
        }
    }
    assert_eq!(format(PRELUDE).as_deref(), Ok(PRELUDE));
}

/// Lists the texts below a folder of the workspace.
fn texts(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let entries = std::fs::read_dir(&root).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let bytes = paths.iter().map(|path| std::fs::read(path).unwrap());
    bytes
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect()
}

/// Programs that fuzzing keeps, and those that readers of the introduction wrote: a program that can be laid out is the
/// same when it is laid out again, and means the same.
#[test]
fn what_fuzzing_keeps_and_readers_wrote_is_laid_out_once() {
    let folders = [
        ("fuzz/harness/corpus/program", 50),
        ("fuzz/harness/corpus/surface_parser", 1),
        ("docs/lab/readers/first", 30),
        ("docs/lab/readers/second", 30),
    ];
    for (folder, least) in folders {
        let mut seen = 0;
        for text in texts(folder) {
            let Ok(laid_out) = format(&text) else {
                continue;
            };
            seen += 1;
            assert_eq!(
                format(&laid_out).as_deref(),
                Ok(laid_out.as_str()),
                "{text:?}"
            );
            if let Ok(before) = parse(&text) {
                let after = parse(&laid_out).expect("it is a program still");
                assert_eq!(meaning(&before), meaning(&after), "{text}");
            }
        }
        assert!(seen >= least, "{folder}: {seen}");
    }
}

/// Lists the programs of a document, found by the fences around them.
fn fenced(document: &str) -> Vec<&str> {
    let parts = document.split("\n```loz\n").skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}

#[test]
fn the_programs_of_the_documents_mean_the_same() {
    let programs = fenced(include_str!("../../../../docs/language.md"));
    assert!(programs.len() > 10);
    for program in programs {
        checked(program);
    }
}

#[test]
fn every_form_has_its_spaces() {
    let cases = [
        (
            "data x:n:8|->3,2=range( 48 )",
            "data x : n:8|->3, 2 = range(48)",
        ),
        (
            "data x:2_a|  ->  3_rgb,1_=[ -1,2 ]",
            "data x : 2_a|->3_rgb, 1_ = [-1, 2]",
        ),
        (
            "data x : 8|->2 from\"x.csv\"columns 0 .. 2   header",
            "data x : 8|->2 from \"x.csv\" columns 0..2 header",
        ),
        (
            "param  w:...->h=normal( )/sqrt(fan_in (w))",
            "param w : ...->h = normal() / sqrt(fan_in(w))",
        ),
        ("param t:->=0", "param t : -> = 0"),
        ("param t : 2  <>3", "param t : 2 <> 3"),
        ("const c= - 1.50", "const c = -1.50"),
        ("size h=2*d", "size h = 2 * d"),
        ("let a,b=f (x) (y=1,- z)", "let a, b = f(x)(y = 1, -z)"),
        ("let a= -x**-2-- y", "let a = -x ** -2 - -y"),
        ("let a=x*. 5e-3+( y<=z )", "let a = x *. 5e-3 + (y <= z)"),
        (
            "let a=x@|0+x @|( i+1 )+xs [ 3 ].w.grad",
            "let a = x @| 0 + x @| (i + 1) + xs[3].w.grad",
        ),
        (
            "let a=[f(i)for i in 0 .. 3]",
            "let a = [f(i) for i in 0..3]",
        ),
        ("let a=x if h>2 else-y", "let a = x if h > 2 else -y"),
        (
            "let a=sum(x,\"n|->c => n|\"[c,n])/c",
            "let a = sum(x, \"n|->c => n|\" [c, n]) / c",
        ),
        ("y=:+a*b\"n; n => \"[n]", "y =:+ a * b \"n; n => \" [n]"),
        ("y=:max a", "y =:max a"),
        ("y=: max(a,b)", "y =: max(a, b)"),
        ("y=-a", "y =- a"),
        ("y=:*a*b\"n; n => \"", "y =:* a * b \"n; n => \""),
        ("y=*a", "y =* a"),
        ("print sum (y),y@|0", "print sum(y), y @| 0"),
        ("print ( y )+1", "print (y) + 1"),
        ("save y to\"y.csv\"", "save y to \"y.csv\""),
        ("assert y:100|->3", "assert y : 100|->3"),
        ("assert y==x", "assert y == x"),
        ("backward   loss", "backward loss"),
        ("def f (a,b= - 2) (c):a+b", "def f(a, b = -2)(c): a + b"),
        (
            "for i in 0 .. 3 carry a,b :\n    f(a)",
            "for i in 0..3 carry a, b:\n  f(a)",
        ),
        ("for q in [1,2]: f(q)", "for q in [1, 2]: f(q)"),
        (
            "op mul (v1,v2)\"@\" :\n v=:+v1*v2\n g1=+g*v2",
            "op mul(v1, v2) \"@\":\n  v =:+ v1 * v2\n  g1 =+ g * v2",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(checked(source), format!("{expected}\n"), "{source}");
    }
}

#[test]
fn blocks_comments_and_blank_lines_are_kept() {
    let source = "\n\n# first\n\n\ndef f(x):#  head\n        # about y\n        let y=x\n\n        # in f\n    # still in f\n        y\n# behind\ndef g(x):\n x\n # of g\n# of nobody\n\n\n";
    let expected = "# first\n\ndef f(x):  #  head\n  # about y\n  let y = x\n\n  # in f\n  # still in f\n  y\n# behind\ndef g(x):\n  x\n  # of g\n# of nobody\n";
    assert_eq!(checked(source), expected);
}

#[test]
fn columns_stay_columns() {
    let source = "data a   : 2|->3 =  range(6)   # one\ndata bcd : 4     =  range(4)   # two\nlet e=a      # three\n\nlet f     = a\nlet gh =  a\n";
    let expected = "data a   : 2|->3 = range(6)  # one\ndata bcd : 4     = range(4)  # two\nlet e = a  # three\n\nlet f = a\nlet gh = a\n";
    assert_eq!(checked(source), expected);
}

#[test]
fn brackets_keep_their_lines() {
    let source = "data a : 2, 3 = [0, 10,  # row one\n    1,  2,\n\n\n  # the rest\n 3, 4]\nlet b = f(\n  a,\n      g(a,\n  a)\n    )\n";
    let expected = "data a : 2, 3 = [0, 10,  # row one\n                 1,  2,\n\n                 # the rest\n                 3, 4]\nlet b = f(\n  a,\n  g(a,\n    a)\n)\n";
    assert_eq!(checked(source), expected);
}

#[test]
fn line_ends_stay_and_a_byte_order_mark_goes() {
    let source = "\u{feff}let a=1 # one\r\n\r\ndef f(x):\r\n    x\r\n";
    let expected = "let a = 1  # one\r\n\r\ndef f(x):\r\n  x\r\n";
    assert_eq!(format(source).as_deref(), Ok(expected));
    assert_eq!(format(expected).as_deref(), Ok(expected));
    assert_eq!(format("").as_deref(), Ok(""));
    assert_eq!(format("\u{feff}").as_deref(), Ok(""));
    assert_eq!(format(" \n\t\n").as_deref(), Ok(""));
    assert_eq!(format("# only\n").as_deref(), Ok("# only\n"));
}

#[test]
fn a_broken_program_is_refused_at_its_place() {
    let source = "\u{feff}let a = 1\nlet b = (a\n";
    let errors = format(source).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].message.contains("`)` is expected"), "{errors:?}");
    assert_eq!(
        errors[0].labels[1].span(),
        source.find('(').unwrap()..source.find('(').unwrap() + 1
    );
}

#[test]
fn deep_brackets_cost_no_stack() {
    let source = format!(
        "let a = {}1{}",
        "(".repeat(1_000_000),
        ")".repeat(1_000_000)
    );
    assert_eq!(format(&source).unwrap(), format!("{source}\n"));
}

/// Draws a program with random space between its words: spaces, line breaks inside brackets, comments, blank lines.
fn scattered() -> impl Strategy<Value = String> {
    let programs: Vec<String> = examples()
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .chain(
            fenced(include_str!("../../../../docs/language.md"))
                .into_iter()
                .map(String::from),
        )
        .chain([PRELUDE.to_string()])
        .collect();
    (0..programs.len(), proptest::collection::vec(0usize..12, 40)).prop_map(move |(at, choices)| {
        let mut choices = choices.iter().copied().cycle();
        let (mut out, mut open, mut quoted, mut comment, mut indent) =
            (String::new(), 0, false, false, true);
        for c in programs[at].chars() {
            if comment || quoted || indent && c == ' ' {
                out.push(c);
            } else if c == '\n' && open == 0 {
                let choice = choices.next().unwrap();
                out.push_str(["", " # a", "   # é", "\t"].get(choice).unwrap_or(&""));
                out.push_str(if choice == 4 {
                    "\n\n\n  # alone\n"
                } else {
                    "\n"
                });
            } else if c == ' ' {
                let choice = choices.next().unwrap();
                let inside = open > 0 && choice > 9;
                out.push_str(if inside {
                    " # in\n"
                } else {
                    [" ", "  ", "    ", "\t"].get(choice).unwrap_or(&" ")
                });
                if inside {
                    out.push_str(&" ".repeat(choice));
                }
            } else {
                out.push(c);
            }
            match c {
                '"' if !comment => quoted = !quoted,
                '#' if !quoted => comment = true,
                '\n' => comment = false,
                '(' | '[' if !quoted && !comment => open += 1,
                ')' | ']' if !quoted && !comment => open -= 1,
                _ => {}
            }
            indent = c == '\n' && open == 0 || indent && c == ' ';
        }
        out
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn programs_that_are_laid_out_at_random_come_back(source in scattered()) {
        checked(&source);
    }

    /// Any text is formatted or refused, and formatting the result again changes nothing.
    #[test]
    fn any_text_ends(source in "([a-c=:+*.()\\[\\],0-9\"# \n|>-]|let |def |for |in |param |data ){0,40}") {
        if let Ok(laid_out) = format(&source) {
            prop_assert_eq!(format(&laid_out).unwrap(), laid_out.clone(), "{:?}", source);
            prop_assert_eq!(format(&source.replace('\n', "\r\n")).unwrap().replace("\r\n", "\n"), laid_out);
        }
    }
}
