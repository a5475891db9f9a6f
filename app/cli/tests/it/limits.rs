//! Every limit that a command reaches says which it is, where it was reached, and the flag that raises it.

use crate::validated;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// No lengths of r make these equal, which the search for lengths finds out.
const LENGTHS: &str = "[3, 3 <r>] ~ [<r> 5, 5]\n";
/// No window shows that these axes clash, whatever the rank of r.
const CLASHES: &str = "[2 <r>] ~ <s>\n[<r> 1_] <= <s>\n";
/// Two factors and two parts whose sizes arithmetic finds.
const SIZES: &str = "n = a * b\nn = 36\na >= 4\nb >= 5\nt = a ^ b\nt = 13\n";
const ROWS: &str = "<c> <= <a>\n<c> <= <b>\n[5, 3] <= <a>\n<c> ~ [2, 5, 3]\n";
const PROGRAM: &str =
    "data x : 8|->3 = range(24)\ndata w : 3->4 = range(12)\nlet y = w * x\nlet z = relu(y) + 1\n";
const NESTED: &str = "data x : 3 = range(3)\ndef f(x): x + 1\ndef g(x): f(x) * 2\nlet y = g(x)\n";
const TRAINS: &str = "data x : n:4|->1 = [0, 1, 2, 3]\nlet line = dense(1)\ntrain 1 epochs by 2 of n:\n  \
                      let loss = mean(square(line(x)))\n  backward loss\n  for q in params(loss): sgd(0.1)(q, q.grad)\n";

const USES: &str = "use \"one.loz\"\nuse \"two.loz\"\ndata x : 3 = range(3)\nlet y = x + h\n";
const READS: &str = "data x : n|->3 from \"values.csv\"\nlet y = x + 1\n";
const JOINS: &str = "data x : 3 = range(3)\nlet y = map(x, \"a:1^b:2 => a^b\")\n";
const WRITES_OUT: &str = "data x : 3 = range(3)\nop cube(v1) \".\":\n  t =: v1 * v1 + v1\n  v =: t * v1 + t\n\
                          \x20 g1 =+ g * v\nparam w : 3 = 1\nlet y = cube(x + w)\nlet l = sum(y)\nbackward l\n";

/// The files that programs read, with what they hold.
const BESIDE: [(&str, &str); 3] = [
    ("one.loz", "size h = 3\n"),
    ("two.loz", "size k = 3\n"),
    ("values.csv", "1.5,2.5,3.5\n4.5,5.5,6.5\n"),
];

/// A command that reaches a limit: its words, what it reads, and what its answer says of the place.
struct Case {
    words: &'static [&'static str],
    input: &'static str,
    place: &'static str,
}

fn case(words: &'static [&'static str], input: &'static str, place: &'static str) -> Case {
    Case {
        words,
        input,
        place,
    }
}

/// Lists the cases: the last two words are the flag and its value.
fn cases() -> Vec<Case> {
    let spec = |words| case(words, ROWS, "on 4 constraints");
    vec![
        case(
            &["solve", "--by", "complete", "--branches", "2"],
            LENGTHS,
            "",
        ),
        case(
            &["solve", "--by", "complete", "--clauses", "1"],
            LENGTHS,
            "",
        ),
        case(&["solve", "--by", "complete", "--work", "9"], LENGTHS, ""),
        case(&["solve", "--by", "complete", "--runs", "1"], LENGTHS, ""),
        case(
            &["solve", "--by", "complete", "--rank", "1"],
            "[3 <r>] ~ [<r> 3]\n<r> <= [1_, 1_ <>]\n",
            "rows",
        ),
        case(&["check", "--branches", "2"], LENGTHS, "complete"),
        case(&["check", "--clauses", "1"], LENGTHS, "complete"),
        case(&["check", "--work", "9"], LENGTHS, "complete"),
        case(&["check", "--runs", "1"], LENGTHS, "complete"),
        case(&["solve", "--policy-work", "3"], ROWS, "steps of solving"),
        case(
            &["solve", "--close", "--policy-records", "3"],
            ROWS,
            "records",
        ),
        case(
            &["solve", "--by", "complete", "--policy-work", "3"],
            ROWS,
            "",
        ),
        case(&["explain", "--policy-work", "3"], ROWS, "steps of solving"),
        case(&["explain", "--policy-records", "3"], PROGRAM, "1:1"),
        case(&["check", "--policy-work", "3"], ROWS, "solver"),
        case(&["check", "--policy-records", "3"], PROGRAM, "shapes"),
        case(&["infer", "--policy-work", "3"], PROGRAM, "1:1"),
        case(
            &["run", "--device", "interpreter", "--policy-work", "3"],
            PROGRAM,
            "1:1",
        ),
        case(
            &["train", "--device", "interpreter", "--policy-records", "3"],
            TRAINS,
            "1:1",
        ),
        case(&["view", "--policy-work", "3"], PROGRAM, "1:1"),
        case(&["solve", "--size-work", "3"], SIZES, "t = a ^ b"),
        case(&["explain", "--size-work", "3"], SIZES, "t = a ^ b"),
        case(&["check", "--size-work", "3"], SIZES, "solver"),
        spec(&["solve", "--by", "spec", "--rule-work", "1"]),
        spec(&["trace", "--rule-work", "1"]),
        spec(&["check", "--rule-work", "1"]),
        case(
            &["infer", "--by", "spec", "--rule-work", "1"],
            PROGRAM,
            "on 14 constraints",
        ),
        case(&["oracle", "--memory", "1"], ROWS, ""),
        case(&["oracle", "--comparisons", "0"], ROWS, ""),
        case(&["check", "--comparisons", "0"], ROWS, "oracle"),
        case(&["oracle", "--clashes", "0"], CLASHES, ""),
        case(&["check", "--clashes", "0"], CLASHES, "oracle"),
        case(&["solve", "--max-axes", "1"], ROWS, "values"),
        case(&["infer", "--max-axes", "3"], PROGRAM, "2:6"),
        case(
            &["run", "--device", "interpreter", "--max-axes", "3"],
            PROGRAM,
            "2:6",
        ),
        case(
            &["run", "--device", "interpreter", "--max-points", "5"],
            PROGRAM,
            "3:9",
        ),
        case(
            &["run", "--device", "interpreter", "--max-bytes", "200"],
            PROGRAM,
            "3:5",
        ),
        case(
            &["train", "--device", "interpreter", "--max-axes", "1"],
            TRAINS,
            "1:6",
        ),
        case(
            &["train", "--device", "interpreter", "--max-points", "1"],
            TRAINS,
            "1:6",
        ),
        case(
            &["train", "--device", "interpreter", "--max-bytes", "8"],
            TRAINS,
            "1:6",
        ),
        case(&["view", "--max-axes", "3"], PROGRAM, "2:6"),
        case(
            &["infer", "--max-input-bytes", "9"],
            PROGRAM,
            "cannot be read",
        ),
        case(&["solve", "--max-input-bytes", "9"], ROWS, "cannot be read"),
        case(&["infer", "--max-parts", "3"], PROGRAM, "3:"),
        case(&["infer", "--max-operations", "1"], PROGRAM, "4:"),
        case(&["infer", "--max-levels", "1"], NESTED, "3:"),
        case(&["infer", "--max-values", "20"], PROGRAM, "1:10"),
        case(&["infer", "--max-values", "5"], READS, "1:10"),
        case(&["infer", "--max-line-bytes", "4"], READS, "values.csv"),
        case(&["infer", "--max-files", "1"], USES, "2:5"),
        case(&["infer", "--max-file-bytes", "3"], USES, "1:5"),
        case(&["infer", "--max-choices", "1"], JOINS, "2:"),
        case(&["infer", "--max-op-parts", "2"], WRITES_OUT, "3:3"),
        case(&["view", "--max-parts", "3"], PROGRAM, "3:"),
        case(
            &["run", "--device", "interpreter", "--max-operations", "1"],
            PROGRAM,
            "4:",
        ),
        case(
            &["train", "--device", "interpreter", "--max-operations", "1"],
            TRAINS,
            "4:7",
        ),
        case(&["constraints", "--max-levels", "1"], NESTED, "3:"),
        case(&["explain", "--max-levels", "1"], NESTED, "3:"),
        case(&["check", "--max-levels", "1"], NESTED, "3:"),
        case(&["oracle", "--max-levels", "1"], NESTED, "3:"),
        case(&["trace", "--max-levels", "1"], NESTED, "3:"),
    ]
}

/// Says whether the input of a case is a program. Some commands take both.
fn is_program(case: &Case) -> bool {
    [PROGRAM, NESTED, TRAINS, USES, READS, JOINS, WRITES_OUT].contains(&case.input)
}

/// Runs a case and returns its output, as text or as JSON, with its exit status.
fn said(case: &Case, folder: &Path, format: &str) -> (String, Option<i32>) {
    let (command, flags) = case.words.split_first().expect("a command");
    let file = folder.join(match is_program(case) {
        true => "p.loz",
        false => "s.rows",
    });
    fs::write(&file, case.input).expect("a folder to write into");
    for (name, text) in BESIDE {
        fs::write(folder.join(name), text).expect("a folder to write into");
    }
    let mut run = Command::cargo_bin("lozenge").expect("the binary");
    run.arg(command)
        .arg(&file)
        .args(flags)
        .args(["--format", format]);
    if *command == "view" {
        run.arg("--html").arg(folder.join("page.html"));
    }
    let output = run.output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).expect("text"), output.status.code())
}

#[test]
fn every_limit_says_where_it_was_reached_and_what_raises_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for case in cases() {
        let [.., flag, _] = case.words else {
            panic!("a flag and a value")
        };
        let (text, _) = said(&case, folder.path(), "text");
        assert!(
            text.contains(flag),
            "{:?} names no flag:\n{text}",
            case.words
        );
        assert!(
            text.contains(case.place),
            "{:?} has no place:\n{text}",
            case.words
        );
        let (text, _) = said(&case, folder.path(), "json");
        let answer = validated::answer(&text);
        assert!(
            text.contains(flag),
            "{:?} names no flag:\n{answer:#}",
            case.words
        );
    }
}

/// A limit is no refusal: with the flag that is named the same command comes to an end.
#[test]
fn the_flag_that_is_named_raises_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    for mut case in cases() {
        let before = said(&case, folder.path(), "text");
        let mut words = case.words.to_vec();
        // The default value is more than enough.
        words.truncate(words.len() - 2);
        case.words = words.leak();
        let after = said(&case, folder.path(), "text");
        assert_ne!(before.0, after.0, "{:?} makes no difference", case.words);
        assert!(
            matches!(after.1, Some(0 | 1)),
            "{:?}: {}",
            case.words,
            after.0
        );
    }
}

/// Returns the names of the flags of a command that take a number of something.
fn limits_of(command: &str) -> Vec<String> {
    let mut run = Command::cargo_bin("lozenge").expect("the binary");
    let help = run.args([command, "--help"]).output().expect("help").stdout;
    let help = String::from_utf8(help).expect("text");
    let units = ["COUNT", "STEPS", "AXES", "MB", "TIME", "POINTS", "BYTES"];
    let flags = help.lines().filter_map(|line| {
        let (flag, unit) = line.trim().strip_prefix("--")?.split_once(" <")?;
        units
            .contains(&unit.trim_end_matches('>'))
            .then(|| format!("--{flag}"))
    });
    flags.collect()
}

/// The commands that have limits.
const LIMITED: [&str; 13] = [
    "solve",
    "entails",
    "trace",
    "oracle",
    "explain",
    "check",
    "batch",
    "infer",
    "run",
    "train",
    "view",
    "constraints",
    "campaign",
];

/// A limit by its flag, what is said of it, and its value when no flag is given; then the commands that have it.
type Limits = std::collections::BTreeMap<(String, String, String), Vec<&'static str>>;

/// Reads the limits of a command from its help.
fn described(command: &'static str, limits: &mut Limits) {
    let mut run = Command::cargo_bin("lozenge").expect("the binary");
    let help = run.args([command, "--help"]).output().expect("help").stdout;
    let help = String::from_utf8(help).expect("text");
    let flags = limits_of(command);
    for entry in help.split("\n      --").skip(1) {
        let (heading, text) = entry.split_once('\n').unwrap_or((entry, ""));
        let flag = format!("--{}", heading.split(' ').next().unwrap_or_default());
        if !flags.contains(&flag) {
            continue;
        }
        let text = text.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let (says, default) = match words.iter().position(|word| *word == "[default:") {
            Some(at) => (&words[..at], words[at + 1].trim_end_matches(']')),
            None => (&words[..], ""),
        };
        if !default.is_empty() {
            let key = (flag, says.join(" "), default.to_string());
            limits.entry(key).or_default().push(command);
        }
    }
}

/// The table in the documents has every limit with its flag, its value and its commands. `LOZENGE_WRITE=1` renews it.
#[test]
fn the_documents_list_every_limit() {
    const MARKS: [&str; 2] = ["<!-- made from the help -->\n", "<!-- end -->\n"];
    let mut limits = Limits::new();
    LIMITED
        .iter()
        .for_each(|command| described(command, &mut limits));
    let mut table =
        "| flag | when it is not given | limits | commands |\n|---|---|---|---|\n".to_string();
    for ((flag, says, default), commands) in &limits {
        table += &format!(
            "| `{flag}` | {default} | {says} | {} |\n",
            commands.join(", ")
        );
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/limits.md");
    let kept = fs::read_to_string(&page).expect("the page");
    let (before, rest) = kept.split_once(MARKS[0]).expect("the mark");
    let (_, after) = rest.split_once(MARKS[1]).expect("the mark");
    let now = format!("{before}{}{table}{}{after}", MARKS[0], MARKS[1]);
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        fs::write(&page, &now).expect("it is written");
        return;
    }
    assert_eq!(kept, now);
    for resource in [
        "--time",
        "--memory",
        "--max-axes",
        "--branches",
        "--max-bytes",
    ] {
        assert!(
            limits.keys().any(|(flag, ..)| flag == resource),
            "{resource}"
        );
    }
}

/// A limit that a command has, and that no case above reaches, is here with the reason.
const NOT_REACHED: [(&str, &str); 6] = [
    (
        "--patience",
        "what an input takes depends on the machine: the tests of fuzz/harness/src/campaign.rs have a party that never answers",
    ),
    (
        "--window",
        "how far Z3 looks where no bound is known; nearly every set has one",
    ),
    ("--epochs", "says how long to train, and limits nothing"),
    (
        "--count",
        "says how many inputs are examined, and limits nothing",
    ),
    ("--rank", "limits what is written down, which `solve` shows"),
    (
        "--time",
        "what is reached in it depends on the machine: oracle/rows/tests/time.rs",
    ),
];

#[test]
fn no_limit_is_left_out() {
    let reached: BTreeSet<&str> = cases()
        .iter()
        .map(|case| case.words[case.words.len() - 2])
        .collect();
    let mut found = 0;
    for command in LIMITED {
        for flag in limits_of(command) {
            let excused = NOT_REACHED.iter().any(|(name, _)| *name == flag);
            assert!(
                reached.contains(flag.as_str()) || excused,
                "{command} {flag}"
            );
            found += 1;
        }
    }
    assert!(found > 30, "{found} flags");
}
