//! Behaviour of onnxruntime with small shapes, accepted and refused.

use crate::recorded::{Feed, Outcome, Record, read};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The differences of one kind under one name: how many there are, and the first one.
type Differences = BTreeMap<(&'static str, String), (usize, String)>;

/// Compares all records of a file. Differences are counted by the name of the record, those with a size 0 apart.
fn compared(records: &[Record]) -> String {
    let (mut runs, mut agree) = (0, 0);
    let mut others = Differences::new();
    for record in records {
        // The sweep names the ranks at the end.
        let ranks = |letter: char| letter.is_ascii_digit() || letter == ' ';
        let name = if record.name.contains('@') {
            record.name.trim_end_matches(ranks)
        } else {
            &record.name
        };
        for (outcome, run) in record.outcomes().into_iter().zip(&record.runs) {
            runs += 1;
            let has_zero = run.0.iter().any(Feed::is_empty);
            let (kind, why) = match outcome {
                Outcome::Agrees => {
                    agree += 1;
                    continue;
                }
                Outcome::Open(why) => ("open", why),
                Outcome::Wrong(why) if has_zero => ("zero", why),
                Outcome::Wrong(why) => ("differs", why),
            };
            others
                .entry((kind, name.to_owned()))
                .or_insert_with(|| (0, format!("{:?}: {why}", run.0)))
                .0 += 1;
        }
    }
    let mut text = format!("{agree} of {runs} runs agree\n\n");
    for ((kind, name), (count, why)) in others {
        writeln!(text, "{kind} {name}: {count}, {why}").unwrap();
    }
    text
}

/// The sweep of small shapes for each operator. Those that differ are the rows of the first table of the document.
#[test]
fn small_shapes_of_each_operator() {
    let text = compared(&read("sweep.jsonl.gz"));
    let lines = text
        .lines()
        .filter(|line| line.starts_with("differs ") || line.starts_with("zero "));
    let differing: BTreeSet<&str> = lines
        .map(|line| line.split([' ', '@']).nth(1).unwrap())
        .collect();
    let document = include_str!("../../../../docs/runtimes.md");
    let rows = document
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    let rows: BTreeSet<&str> = rows
        .map(|row| row.split('|').nth(1).unwrap().trim())
        .collect();
    assert_eq!(differing, rows, "{text}");
    insta::assert_snapshot!(text);
}

/// Models as exporters write them: sizes as values, loops, branches, functions, old versions, integer inputs. They
/// differ by the rows of Concat and GatherND of `docs/runtimes.md`.
#[test]
fn models_as_exporters_write_them() {
    let text = compared(&read("kinds.jsonl.gz"));
    let different = text
        .lines()
        .filter_map(|line| line.strip_prefix("differs "));
    let different: Vec<&str> = different
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(different, ["gather places in a batch", "half and back"]);
    insta::assert_snapshot!(text);
}

/// Models that somebody wrote by hand who had not seen the others: quantised, with data-dependent sizes, losses,
/// attention, loops. Where one differs, `docs/runtimes.md` has a row or a sentence.
#[test]
fn further_models() {
    let text = compared(&read("further.jsonl.gz"));
    let different = text
        .lines()
        .filter_map(|line| line.strip_prefix("differs "));
    let different: Vec<&str> = different
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(different, ["prelu", "sce"], "{text}");
    insta::assert_snapshot!(text);
}

/// Models in which values of inputs decide sizes, axes and branches: lists of integers as targets, pads, cuts and
/// trips.
#[test]
fn values_of_inputs() {
    let text = compared(&read("values.jsonl.gz"));
    assert!(!text.contains("differs "), "{text}");
    insta::assert_snapshot!(text);
}

/// Layers of families of which the others have few. Where one differs, `docs/runtimes.md` has a sentence.
#[test]
fn layers_of_thin_families() {
    let text = compared(&read("layers.jsonl.gz"));
    let different = text
        .lines()
        .filter_map(|line| line.strip_prefix("differs "));
    let different: Vec<&str> = different
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(different, ["attnmask"], "{text}");
    insta::assert_snapshot!(text);
}

/// Records of a campaign, whose paths the variable names with `:` between them, agree.
#[test]
fn records_that_are_named() {
    let Some(paths) = std::env::var_os("LOZENGE_RECORDS") else {
        eprintln!("left out: LOZENGE_RECORDS names no files");
        return;
    };
    for path in std::env::split_paths(&paths) {
        let text = compared(&read(path.to_str().expect("a path is text")));
        println!("{}: {text}", path.display());
        // Results behind a Squeeze that names no axes, and reflections of tensors without elements, have rows in
        // `docs/runtimes.md`.
        let rows = [
            "does not exist among 0)",
            "(the first matrix has rank 1",
            "(the second matrix has rank 1",
        ];
        let is_known = |line: &&str| {
            let is_empty = line.contains("padded by a reflection") && line.contains(", 0]");
            is_empty || rows.iter().any(|row| line.contains(row))
        };
        let mut different = text.lines().filter(|line| line.starts_with("differs "));
        assert_eq!(different.find(|line| !is_known(line)), None);
    }
}

/// Graphs of one to four operators on all sizes from 1 to 4: a sample of the campaign.
#[test]
fn small_graphs() {
    let text = compared(&read("campaign.jsonl.gz"));
    assert!(!text.contains("differs "), "{text}");
    let open = text
        .lines()
        .filter(|line| line.starts_with("open "))
        .count();
    assert!(open < 40, "{open} graphs are left open: {text}");
}

/// Models with sequences, values that may be missing, inverse pools and moved windows.
#[test]
fn sequences_and_inverse_pools() {
    let text = compared(&read("sequences.jsonl.gz"));
    assert!(!text.contains("differs "), "{text}");
    insta::assert_snapshot!(text);
}

/// Parts of networks as people write them: caches, masks, tables of positions, windows, branches on lengths.
#[test]
fn parts_of_networks() {
    let text = compared(&read("networks.jsonl.gz"));
    assert!(!text.contains("differs "), "{text}");
    insta::assert_snapshot!(text);
}
