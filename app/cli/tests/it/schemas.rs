//! Every answer in JSON is valid for the schema that `lozenge schema` prints.

use std::fs;

use assert_cmd::Command;
use serde_json::{Value, json};

const SET: &str = "a = 3\n4 <= b\nb <= c\n<r> ~ [a, 5]\n5 <= d\nleaf d";
const REFUSED: &str = "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>";
const PROGRAM: &str = "data x : 8_row|->3 = range(24)\ndata t : 8_row|->4 = range(32)\nparam w = 0.5\n\
                       let e = w * x - t\nlet u = log(x)\nloss =:+ square(e) \"n|->c => \"\nfirst =: x \"0|->c => c\"\n";
const WRONG: &str = "data x : 8|->3 = range(24)\ndata w : 5->3 = range(15)\nlet y = w * x\n";
const TRAINS: &str = "data x : n:8|->2 = range(16)\nlet net = dense(1)\nrepeat 2 steps: print x, sum(x)\n\
                      train 2 epochs by 3 of n:\n  let loss = mean(square(net(x)))\n  backward loss\n  \
                      for q in params(loss): sgd(0.1)(q, q.grad)\n  print loss\n";
const NO_NEST: &str = "param w : 4294967296, 4294967296\nlet b = w + 1\n";
/// A program with every assignment operator, and a formula.
const OPERATORS: &str = "data x : 2|->3 = [3, 1, 2, 4, 0, 5]\na =:+ x \"n|->c => n|\"\nb =:- x \"n|->c => n|\"\nc =:* x \"n|->c => n|\"\n\
                         d =:max x \"n|->c => n|\"\ne =:min x \"n|->c => n|\"\nlet f = round(x) ** 2 + where(x, a, b)\n";
const UNDETERMINED: &str = "data x : 8|->3 = range(24)\nparam w\nlet y = w * x\n";

fn lozenge(arguments: &[&str], input: &str) -> Value {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let output = command.args(arguments).write_stdin(input).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {text}"))
}

fn validator(command: &str) -> jsonschema::Validator {
    let schema = lozenge(&["schema", command], "");
    jsonschema::validator_for(&schema).unwrap_or_else(|e| panic!("{command}: {e}"))
}

fn wrong(validator: &jsonschema::Validator, answer: &Value, arguments: &[&str]) -> Vec<String> {
    validator
        .iter_errors(answer)
        .map(|error| {
            format!(
                "{arguments:?}: {}: {error}\n{answer:#}",
                error.instance_path()
            )
        })
        .collect()
}

/// Returns the command lines, each with its input.
fn answers() -> Vec<(Vec<&'static str>, &'static str)> {
    vec![
        (vec!["solve", "-"], SET),
        (vec!["solve", "-", "--close"], SET),
        (vec!["solve", "-"], REFUSED),
        (vec!["solve", "-", "--by", "complete"], REFUSED),
        (vec!["solve", "-", "--by", "spec"], REFUSED),
        (vec!["solve", "-", "--by", "complete", "--forced"], SET),
        (
            vec!["solve", "-", "--by", "complete", "--rank", "0"],
            "<r> ~ [3 <s>]\n[5 <s>] <= <s>",
        ),
        (vec!["entails", "-", "a <= 1_"], SET),
        (vec!["entails", "-", "a = 1024"], SET),
        (vec!["entails", "-", "a = "], SET),
        (vec!["entails", "-", "a = 1024", "--work", "1"], SET),
        (vec!["solve", "-"], "a ="),
        (vec!["trace", "-"], SET),
        (vec!["explain", "-"], SET),
        (vec!["explain", "-"], REFUSED),
        (vec!["explain", "di_ground"], ""),
        (vec!["explain", "R2"], ""),
        (vec!["explain", "-"], PROGRAM),
        (vec!["explain", "-"], WRONG),
        (
            vec!["check", "-"],
            "3 <= a\n5 <= b\nc <= a\nc <= b\nleaf a, b",
        ),
        (vec!["check", "-"], UNDETERMINED),
        (vec!["check", "-"], NO_NEST),
        (
            vec!["solve", "-", "--by", "complete"],
            "[1_, 3 <r>] ~ [<r> 3, 1_]",
        ),
        (vec!["trace", "-"], REFUSED),
        (vec!["trace", "-", "--rule-work", "1"], SET),
        (vec!["oracle", "-", "--ask", "core"], "a = 3\na = 5"),
        (vec!["oracle", "-", "--ask", "sat", "--ask", "forced"], SET),
        (
            vec!["oracle", "-", "--ask", "model", "--comparisons", "0"],
            SET,
        ),
        (vec!["solve", "-", "--by", "complete"], SET),
        (vec!["solve", "-", "--by", "spec", "--rule-work", "1"], SET),
        (vec!["solve", "-", "--max-axes", "0"], SET),
        (
            vec!["check", "-", "--rule-work", "1", "--comparisons", "0"],
            SET,
        ),
        (vec!["check", "-"], SET),
        (vec!["bench", "--family", "rows-down", "--up-to", "100"], ""),
        (vec!["bench", "backend", "--list"], ""),
        (vec!["devices"], ""),
        (vec!["campaign", "--list"], ""),
        (vec!["fmt", "-"], PROGRAM),
        (vec!["fmt", "-", "--check"], PROGRAM),
        (vec!["fmt", "-"], "let y = ("),
        (vec!["claims", "show", "1.4", "--quick"], ""),
    ]
}

#[test]
fn the_answers_to_constraint_sets_are_valid() {
    let mut all = Vec::new();
    for (arguments, input) in answers() {
        let validator = validator(arguments[0]);
        let arguments = [arguments, vec!["--format", "json"]].concat();
        all.extend(wrong(&validator, &lozenge(&arguments, input), &arguments));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// The schemas in the documents are those of this version. `LOZENGE_WRITE=1` renews them.
#[test]
fn the_documents_have_the_schemas() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/schemas");
    let command = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("lozenge").unwrap();
        command.args(arguments).output().unwrap().stdout
    };
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        command(&["schema", "--folder", folder.to_str().unwrap()]);
    }
    let listed = String::from_utf8(command(&["schema"])).unwrap();
    let names: std::collections::BTreeSet<String> =
        listed.lines().map(|name| format!("{name}.json")).collect();
    let entries = fs::read_dir(&folder).unwrap();
    let kept: std::collections::BTreeSet<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(kept, names);
    for name in listed.lines() {
        let kept = fs::read(folder.join(name).with_extension("json")).unwrap();
        assert!(
            kept == command(&["schema", name]),
            "{name}.json is not of this version"
        );
    }
}

/// Asserts that no schema leaves a value open, but for the `id` of `batch`.
#[test]
fn no_value_is_left_open() {
    fn open(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                if let Some(Value::Object(properties)) = object.get("properties") {
                    for (name, schema) in properties {
                        let says = |key: &str| schema.get(key).is_some();
                        let typed = ["type", "$ref", "anyOf", "oneOf", "const", "enum", "allOf"];
                        if !typed.iter().any(|key| says(key)) {
                            found.push(format!("{path}/{name}"));
                        }
                        if schema.get("type") == Some(&json!("object"))
                            && schema.get("additionalProperties") == Some(&json!(true))
                        {
                            found.push(format!("{path}/{name}"));
                        }
                    }
                }
                for (key, value) in object {
                    open(value, &format!("{path}/{key}"), found);
                }
            }
            Value::Array(list) => list.iter().for_each(|value| open(value, path, found)),
            _ => {}
        }
    }
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let listed = String::from_utf8(command.arg("schema").output().unwrap().stdout).unwrap();
    let mut found = Vec::new();
    for name in listed.lines() {
        open(&lozenge(&["schema", name], ""), name, &mut found);
    }
    found.retain(|path| !path.starts_with("batch") || !path.ends_with("/id"));
    assert_eq!(found, Vec::<String>::new());
}

/// Every line of `solve --format jsonl` is valid for its schema, for every solving party.
#[test]
fn the_lines_of_a_solution_are_valid() {
    let validator = validator("solve-line");
    let mut all = Vec::new();
    for (by, input) in [
        ("solver", SET),
        ("complete", SET),
        ("spec", SET),
        ("solver", REFUSED),
    ] {
        let arguments = ["solve", "-", "--by", by, "--format", "jsonl"];
        let mut command = Command::cargo_bin("lozenge").unwrap();
        let output = command.args(arguments).write_stdin(input).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        for line in text.lines() {
            let line = serde_json::from_str(line).unwrap_or_else(|e| panic!("{by}: {e}: {line}"));
            all.extend(wrong(&validator, &line, &arguments));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    let stray = json!({"schema": "lozenge/1", "command": "solve", "list": "solution", "item": {"variable": "a"}});
    assert!(!validator.is_valid(&stray), "a value is left out");
}

/// Every question that the help lists, each with a value where it takes one.
#[test]
fn the_answers_to_every_question_are_valid() {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let help = command.args(["oracle", "--help"]).output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap().replace('\n', " ");
    let (_, listed) = help
        .split_once("The questions are ")
        .expect("they are listed");
    let words: Vec<&str> = listed
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let is_question = |word: &&&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    let words: Vec<&str> = words.iter().take_while(is_question).copied().collect();
    assert!(words.contains(&"minimal-rank"), "{words:?}");
    let validator = validator("oracle");
    let mut all = Vec::new();
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let values: &[&str] = match value.trim_end_matches(']') {
            "" => &[""],
            "CONSTRAINT" => &["=a = 3", "=4 <= d"],
            "SET" => &["=a = 3", "=a = 4"],
            "SOLUTION" => &["=a = 3; b = 1_; c = 1_; d = 1_; <r> ~ [3, 5]", "=a = 4"],
            "BINDINGS[;;STORE" => &["=a = 3", "=a = 3;; 4 <= b"],
            "K" => &["=2"],
            other => panic!("{word}: no value is known for {other}"),
        };
        for value in values {
            let question = format!("{}{value}", name.trim_end_matches('['));
            let arguments = ["oracle", "-", "--ask", &question, "--format", "json"];
            for set in [SET, "a = 3\na = 5"] {
                all.extend(wrong(&validator, &lozenge(&arguments, set), &arguments));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// The answers of campaigns and of replays.
#[test]
fn the_answers_of_campaigns_are_valid() {
    let validator = validator("campaign");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.rows");
    fs::write(&path, SET).unwrap();
    let path = path.to_str().unwrap();
    let mut all = Vec::new();
    for arguments in [
        ["campaign", "order", "--count", "20", "--format", "json"],
        ["campaign", "order", "--replay", path, "--format", "json"],
    ] {
        all.extend(wrong(&validator, &lozenge(&arguments, ""), &arguments));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn the_answers_to_programs_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let programs = [
        file("good.loz", PROGRAM),
        file("wrong.loz", WRONG),
        file("open.loz", UNDETERMINED),
        file("text.loz", "let = 3"),
        file("trains.loz", TRAINS),
        file("operators.loz", OPERATORS),
    ];
    let mut all = Vec::new();
    for command in [
        "infer",
        "explain",
        "constraints",
        "check",
        "run",
        "train",
        "oracle",
        "trace",
    ] {
        let validator = validator(command);
        for program in &programs {
            let mut arguments = vec![command, program, "--format", "json"];
            match command {
                "run" => arguments.extend(["--device", "interpreter", "--compare"]),
                "train" => arguments.extend(["--device", "interpreter"]),
                _ => {}
            }
            all.extend(wrong(&validator, &lozenge(&arguments, ""), &arguments));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn the_lines_of_batch_are_valid() {
    let validator = validator("batch");
    let bad = json!({"id": "bad", "rows": "a ="});
    let lines = format!("{}\nno json\n{bad}\n", json!({"id": 1, "rows": SET}));
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let output = command
        .args(["batch", "-"])
        .write_stdin(lines)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 3);
    for line in text.lines() {
        let answer = serde_json::from_str(line).unwrap();
        assert_eq!(wrong(&validator, &answer, &["batch"]), Vec::<String>::new());
    }
}

/// The schemas are not vacuous: an answer with an unknown key, or without a required one, is not valid.
#[test]
fn what_is_not_an_answer_is_not_valid() {
    for (command, arguments) in [
        ("solve", vec!["solve", "-"]),
        ("explain", vec!["explain", "-"]),
        ("oracle", vec!["oracle", "-"]),
        ("trace", vec!["trace", "-"]),
        ("check", vec!["check", "-"]),
        ("campaign", vec!["campaign", "--list"]),
        (
            "bench",
            vec!["bench", "--family", "rows-down", "--up-to", "100"],
        ),
        ("claims", vec!["claims", "show", "1.4", "--quick"]),
    ] {
        let validator = validator(command);
        let arguments = [arguments, vec!["--format", "json"]].concat();
        let answer = lozenge(&arguments, SET);
        let mut more = answer.clone();
        more["surprise"] = json!(1);
        assert!(!validator.is_valid(&more), "{command}");
        let mut less = answer.clone();
        less.as_object_mut().unwrap().remove("schema");
        assert!(!validator.is_valid(&less), "{command}");
    }
}
